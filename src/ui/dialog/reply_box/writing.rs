//! The effect of each key on the reply box.

use super::keys::{self, ReplyAction};
use super::panel::text_room;
use super::reply::{Confirm, Picked, ReplyBox, Stage};
use super::sessions;
use crate::model::{Action, HeldReply, HeldStep, Intent, ReplyBody, ReplyPlan};
use crate::present::phrases::held;
use crate::ui::dialog::{Context, Step};
use crate::ui::input::{KeyCode, KeyPress};
use crate::ui::keymap::command_of;
use crate::ui::steps::{Motion, moved};
use crate::ui::text_area::Edit;
use crate::ui::text_area::keys::{Meaning, meaning_of};

impl ReplyBox {
    pub(super) fn key_in_text(&mut self, press: KeyPress, context: Context<'_>) -> Step {
        match command_of(keys::BINDINGS, press) {
            Some(ReplyAction::Send) => self.send_text(context),
            Some(ReplyAction::WhenIdle) => self.hold(context),
            Some(ReplyAction::Editor) => Step { edit: Some(self.area.text().to_owned()), ..Step::stay() },
            // The text area handles the other keys itself.
            action => self.leave_or_look(action, context).unwrap_or_else(|| self.write(press, context)),
        }
    }

    /// What the same keys do in text and prompts: leave, scroll the question, go to another session.
    fn leave_or_look(&mut self, action: Option<ReplyAction>, context: Context<'_>) -> Option<Step> {
        match action {
            Some(ReplyAction::Leave) => return Some(self.leave()),
            Some(ReplyAction::OtherSession) => return Some(self.other_session(context)),
            Some(ReplyAction::ScrollUp) => self.scroll_head(Motion::Pages(-1), context),
            Some(ReplyAction::ScrollDown) => self.scroll_head(Motion::Pages(1), context),
            _ => return None,
        }
        Some(Step::stay())
    }

    fn write(&mut self, press: KeyPress, context: Context<'_>) -> Step {
        let before = self.area.text().to_owned();
        self.is_old &= meaning_of(press) == Meaning::None;
        let answers = self.answers(context.view);
        let given = keys::given(&answers, press).filter(|_| self.area.is_empty());
        match (given, meaning_of(press)) {
            (Some(at), Meaning::Sign(typed)) => {
                let answer = answers[at].answer.clone();
                self.remark = self.area.replace_all(&answer).label();
                self.picked = Some(Picked { typed, answer });
            }
            (_, Meaning::Sign(sign)) => {
                self.unpick();
                self.remark = self.area.type_sign(sign).label();
            }
            (_, Meaning::Edit(Edit::Erase | Edit::EraseWord | Edit::EraseToStart)) if self.is_picked() => {
                self.picked = None;
                let _ = self.area.replace_all("");
            }
            (_, Meaning::Edit(edit)) => {
                self.picked = None;
                let room = text_room(context);
                self.area.edit(edit, room);
            }
            (_, Meaning::None) => {}
        }
        self.kept(&before)
    }

    /// More is typed, so the key that put an answer into the box was the beginning of a text.
    fn unpick(&mut self) {
        if self.is_picked()
            && let Some(picked) = self.picked.take()
        {
            let _ = self.area.replace_all(picked.typed.encode_utf8(&mut [0; 4]));
        }
        self.picked = None;
    }

    fn send_text(&mut self, context: Context<'_>) -> Step {
        match &mut self.stage {
            Stage::Stopped(_) => return self.plan_anew(context),
            Stage::Planned { plan, confirm } => {
                if self.area.text().trim().is_empty() {
                    self.remark = Some("nothing is written yet".to_owned());
                } else if !context.is_armed {
                    self.remark =
                        Some("this is how it will be sent; press Enter again to send it".to_owned());
                } else if self.is_old {
                    self.is_old = false;
                    self.remark = Some(
                        "this was written earlier, perhaps for another question; press Enter again to send it"
                            .to_owned(),
                    );
                } else if plan.unsettled.is_some() {
                    *confirm = Confirm::Again;
                    return ReplyBox::shown_anew(Vec::new());
                } else {
                    let plan = plan.clone();
                    return self.send(plan);
                }
            }
            Stage::Choosing { .. } | Stage::Planning | Stage::Sending { .. } => {
                self.remark = Some("still checking how it can be sent".to_owned());
            }
        }
        Step::stay()
    }

    /// Sends the text once the turn has ended.
    fn hold(&mut self, context: Context<'_>) -> Step {
        let text = self.area.text().trim();
        let problem = if text.is_empty() {
            held::nothing_written()
        } else if !sessions::is_busy(context.view, &self.session) {
            held::not_busy()
        } else if std::mem::take(&mut self.is_old) {
            held::written_before()
        } else {
            let reply = Box::new(HeldReply {
                id: String::new(),
                session: self.session.clone(),
                text: self.area.text().to_owned(),
                held_at: context.now,
                claimed_at: None,
                hindrance: None,
            });
            let action = Box::new(Action::Held { reply, step: HeldStep::Keep });
            return Step::want(Intent::Action { workspace: self.workspace.clone(), action });
        };
        self.remark = Some(problem.to_owned());
        Step::stay()
    }

    pub(super) fn plan_anew(&mut self, context: Context<'_>) -> Step {
        let intents = self.plan_again(context.view);
        ReplyBox::shown_anew(intents)
    }

    fn send(&mut self, plan: Box<ReplyPlan>) -> Step {
        let text = self.area.text().to_owned();
        self.stage = Stage::Sending { plan: plan.clone(), text: Some(text.clone()) };
        self.action(plan, ReplyBody::Text { text })
    }

    fn action(&self, plan: Box<ReplyPlan>, body: ReplyBody) -> Step {
        let action = Box::new(Action::Reply { plan, body });
        Step { intents: vec![Intent::Action { workspace: self.workspace.clone(), action }], ..Step::stay() }
    }

    /// Leaves; the text was already kept at each change.
    fn leave(&self) -> Step {
        let answer = (!self.area.is_empty() && !self.is_picked()).then(|| "the draft is kept".to_owned());
        Step { answer, ..Step::close() }
    }

    fn other_session(&mut self, context: Context<'_>) -> Step {
        let names = context.view.map(sessions::all).unwrap_or_default();
        let at = names.iter().position(|name| *name == self.session);
        let next = names.get(at.map_or(0, |at| at + 1)).or(names.first()).cloned();
        if let Some(next) = next.filter(|next| *next != self.session) {
            let intents = self.turn_to(next, context.view);
            ReplyBox::shown_anew(intents)
        } else {
            self.remark = Some("there is no other session here".to_owned());
            Step::stay()
        }
    }

    pub(super) fn key_among_sessions(&mut self, press: KeyPress, context: Context<'_>) -> Step {
        let Stage::Choosing { among, selected } = &mut self.stage else { return Step::stay() };
        let taken = match (command_of(keys::SESSIONS, press), press.folded().code) {
            (Some(ReplyAction::Leave), _) => return Step::close(),
            (Some(ReplyAction::Take), _) => Some(*selected),
            (Some(ReplyAction::Down), _) => {
                *selected = moved(*selected, 1, among.len());
                None
            }
            (Some(ReplyAction::Up), _) => {
                *selected = moved(*selected, -1, among.len());
                None
            }
            (_, KeyCode::Char(sign @ '1'..='9')) => Some(sign as usize - '1' as usize),
            _ => None,
        };
        match taken.and_then(|taken| among.get(taken).cloned()) {
            Some(session) => {
                let intents = self.turn_to(session, context.view);
                ReplyBox::shown_anew(intents)
            }
            None => Step::stay(),
        }
    }

    pub(super) fn key_at_options(&mut self, n_options: usize, press: KeyPress, context: Context<'_>) -> Step {
        if let Some(step) = self.leave_or_look(command_of(keys::OPTIONS, press), context) {
            return step;
        }
        if n_options > 0 && [KeyPress::char('y'), KeyPress::char('n')].contains(&press.folded()) {
            return Step::say("Press the number of an answer first.");
        }
        let KeyCode::Char(sign @ '1'..='9') = press.folded().code else { return Step::stay() };
        let option = sign as usize - '1' as usize;
        let Stage::Planned { confirm, .. } = &mut self.stage else { return Step::stay() };
        if option < n_options && context.is_armed && !press.ctrl && !press.alt {
            *confirm = Confirm::Option(option);
            return ReplyBox::shown_anew(Vec::new());
        }
        Step::stay()
    }

    pub(super) fn key_in_pane(&mut self, press: KeyPress, context: Context<'_>) -> Step {
        // Going there decides nothing, but an Enter meant for a text that was being typed must not jump.
        if command_of(keys::IN_PANE, press).is_some() && context.is_armed && self.has_pane() {
            return Step::want(Intent::JumpToPane {
                workspace: self.workspace.clone(),
                session: self.session.clone(),
            });
        }
        self.leave_or_look(command_of(keys::OPTIONS, press), context).unwrap_or_else(Step::stay)
    }

    pub(super) fn key_to_confirm(&mut self, press: KeyPress, context: Context<'_>) -> Step {
        let keys = self.confirm_keys();
        let Stage::Planned { plan, confirm } = &mut self.stage else { return Step::stay() };
        match (command_of(keys, press), *confirm) {
            (Some(ReplyAction::No), _) => {
                *confirm = Confirm::Nothing;
                ReplyBox::shown_anew(Vec::new())
            }
            (Some(ReplyAction::Yes), Confirm::Again) if context.is_armed => {
                let plan = plan.clone();
                self.send(plan)
            }
            (Some(ReplyAction::Yes), Confirm::Option(option)) if context.is_armed => {
                let Some(body) = body_of(plan, option) else { return Step::stay() };
                let plan = plan.clone();
                self.stage = Stage::Sending { plan: plan.clone(), text: None };
                self.action(plan, body)
            }
            _ => Step::stay(),
        }
    }
}

/// What is sent for an option of the session's prompt.
fn body_of(plan: &ReplyPlan, place: usize) -> Option<ReplyBody> {
    if let Some(prompt) = plan.channel.permission() {
        let answer = prompt.options.get(place)?.answer.clone();
        return Some(ReplyBody::Permission { answer, what: prompt.what });
    }
    let asked = plan.channel.asked()?;
    let label = asked.questions.first()?.options.get(place)?.label.clone();
    Some(ReplyBody::Option { place, label, call: asked.call.clone() })
}

pub(super) fn key_while_sending(press: KeyPress) -> Step {
    match command_of(keys::SENDING, press) {
        Some(ReplyAction::Leave) => {
            Step { answer: Some("it continues; its result will be shown here".to_owned()), ..Step::close() }
        }
        _ => Step::stay(),
    }
}
