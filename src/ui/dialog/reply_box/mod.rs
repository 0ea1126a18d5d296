//! The reply box: the agent's question, and below it the person's reply.
//!
//! It sends nothing itself: a reply leaves as an intent, and only after the box has shown how it would be sent.
//! The text is kept at every change ([`Intent::KeepDraft`]) and removed only when a receipt says that it was
//! sent. A prompt on the agent's screen gets no text: its options are confirmed one by one, and Enter gives no
//! permission.

mod answers;
mod keys;
mod lines;
mod panel;
mod reply;
mod sessions;
mod writing;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{Context, Modal, Step};
use crate::model::{Intent, Response, SessionName, SessionView, WorkspaceId, WorkspaceView};
use crate::ui::input::{Edited, KeyPress};
use crate::ui::keymap::{Binding, Hint, hint_of, hints_of};
use crate::ui::steps::Motion;
use crate::ui::text;
use crate::ui::text_area::TextArea;
use reply::{Confirm, Mode, Stage};

pub use keys::{BINDINGS, ReplyAction};
pub use reply::ReplyBox;

/// Opens the box for a workspace, with `draft` in it if there is no other text. Returns intents for the engine.
///
/// # Errors
/// A message saying why there is no session to reply to.
pub(in crate::ui) fn begin(
    view: &WorkspaceView,
    draft: Option<&str>,
) -> Result<(ReplyBox, Vec<Intent>), String> {
    let waiting = sessions::waiting(view);
    let Some(first) = waiting.first().cloned().or_else(|| sessions::all(view).into_iter().next()) else {
        return Err("no agent session is known here".to_owned());
    };
    if sessions::find(Some(view), &first).is_some_and(SessionView::is_left_over) {
        return Err("you left the session here: `closeout reply --session` continues it".to_owned());
    }
    let mut reply = ReplyBox {
        workspace: view.id.clone(),
        session: first.clone(),
        area: TextArea::default(),
        stage: Stage::Choosing { among: waiting.clone(), selected: 0 },
        picked: None,
        is_old: false,
        question: None,
        was_busy: false,
        remark: None,
        top: 0,
    };
    let intents = if waiting.len() > 1 { Vec::new() } else { reply.turn_to(first, Some(view)) };
    if let Some(draft) = draft.filter(|_| reply.area.is_empty()) {
        let _ = reply.area.replace_all(draft);
    }
    Ok((reply, intents))
}

/// As [`begin`], for one session (the first if `session` is `None`), with `text` appended to what was written
/// there before.
pub(in crate::ui) fn begin_with(
    view: &WorkspaceView,
    session: Option<SessionName>,
    text: &str,
) -> Result<(ReplyBox, Vec<Intent>), String> {
    let (mut reply, mut intents) = begin(view, None)?;
    let session = session.or_else(|| sessions::all(view).into_iter().next());
    if let Some(session) = session.filter(|session| *session != reply.session || intents.is_empty()) {
        intents = reply.turn_to(session, Some(view));
    }
    let before = reply.area.text().trim_end();
    // Unsent text that already contains these points must not get them a second time.
    let whole = match before {
        "" => text.to_owned(),
        before if before.contains(text.trim()) => before.to_owned(),
        before => format!("{before}\n\n{text}"),
    };
    let _ = reply.area.replace_all(&whole);
    intents.push(reply.keep());
    Ok((reply, intents))
}

impl Modal for ReplyBox {
    fn workspace(&self) -> &WorkspaceId {
        &self.workspace
    }

    fn key(&mut self, press: KeyPress, context: Context<'_>) -> Step {
        self.remark = None;
        let step = match self.mode(context.view) {
            Mode::Sessions => self.key_among_sessions(press, context),
            Mode::Writing => self.key_in_text(press, context),
            Mode::Options(n_options) => self.key_at_options(n_options, press, context),
            Mode::InPane => self.key_in_pane(press, context),
            Mode::Confirm => self.key_to_confirm(press, context),
            Mode::Sending => writing::key_while_sending(press),
        };
        self.settle(context);
        step
    }

    fn paste(&mut self, text: &str, context: Context<'_>) -> Step {
        self.remark = None;
        if !matches!(self.mode(context.view), Mode::Writing) {
            return Step::stay();
        }
        let before = self.area.text().to_owned();
        self.picked = None;
        self.is_old = false;
        let left_out = self.area.paste(text);
        self.remark = left_out.label();
        self.settle(context);
        self.kept(&before)
    }

    fn edited(&mut self, edited: &Edited, context: Context<'_>) -> Step {
        let before = self.area.text().to_owned();
        match edited {
            Edited::Text(text) => {
                self.picked = None;
                self.is_old = false;
                let left_out = self.area.replace_all(text);
                self.remark = left_out.label();
            }
            Edited::Failed(words) => self.remark = Some(words.clone()),
        }
        self.settle(context);
        self.kept(&before)
    }

    fn on_response(&mut self, response: &Response, context: Context<'_>) -> Option<Step> {
        let Response::Action { workspace, kind, outcome, .. } = response else { return None };
        if *workspace != self.workspace {
            return None;
        }
        let step = self.answered(*kind, outcome, context);
        self.settle(context);
        step
    }

    /// A plan tells how the reply goes to a session that works or rests, and which question it answers.
    fn on_views(&mut self, context: Context<'_>) -> Step {
        let before = self.area.text().to_owned();
        let is_sending = matches!(self.stage, Stage::Sending { .. });
        let asks_anew = !is_sending && self.look_at_question(context.view);
        let is_busy = sessions::is_busy(context.view, &self.session);
        let is_shown = matches!(self.stage, Stage::Planned { confirm: Confirm::Nothing, .. });
        let mut step = if is_shown && (asks_anew || is_busy != self.was_busy) {
            self.plan_anew(context)
        } else {
            Step { is_new_question: asks_anew, ..Step::stay() }
        };
        if before != self.area.text() {
            step.intents.insert(0, self.keep());
        }
        self.settle(context);
        step
    }

    fn title(&self, context: Context<'_>) -> String {
        let name = context.view.map(|view| text::line(&view.name)).unwrap_or_default();
        if let Stage::Choosing { .. } = &self.stage {
            return format!("Reply  {name}  to which session?");
        }
        format!("Reply  {name}  {}", sessions::in_short(context.view, &self.session))
    }

    fn hints(&self, context: Context<'_>) -> Vec<Hint> {
        let is_armed = context.is_armed;
        match self.mode(context.view) {
            Mode::Sessions => hints_of(keys::SESSIONS),
            Mode::Writing => {
                let is_planned = matches!(self.stage, Stage::Planned { .. });
                let is_busy = sessions::is_busy(context.view, &self.session);
                let is_meant = |binding: &&Binding<_>| is_busy || binding.command != ReplyAction::WhenIdle;
                let mut hints: Vec<Hint> = BINDINGS.iter().filter(is_meant).filter_map(hint_of).collect();
                if let Some(send) = hints.first_mut() {
                    send.is_on = !is_planned || (is_armed && !self.area.is_empty());
                    send.word = if matches!(self.stage, Stage::Stopped(_)) { "try again" } else { "send" };
                }
                hints
            }
            Mode::Options(n_options) => {
                let last = n_options.min(9);
                let keys = if last == 1 { "1".to_owned() } else { format!("1-{last}") };
                let choose = Hint { key: keys, word: "choose", is_on: is_armed };
                (last > 0).then_some(choose).into_iter().chain(hints_of(keys::OPTIONS)).collect()
            }
            Mode::InPane => {
                let to_pane = if self.has_pane() { keys::IN_PANE } else { &[] };
                to_pane.iter().chain(keys::OPTIONS).filter_map(hint_of).collect()
            }
            Mode::Confirm => {
                let mut hints = hints_of(self.confirm_keys());
                if let Some(yes) = hints.first_mut() {
                    yes.is_on = is_armed;
                }
                hints
            }
            Mode::Sending => hints_of(keys::SENDING),
        }
    }

    fn scroll(&mut self, step: Motion, context: Context<'_>) -> Step {
        self.scroll_head(step, context);
        Step::stay()
    }

    fn press(&mut self, at: Position, context: Context<'_>) -> Step {
        self.point_at(at, context);
        Step::stay()
    }

    fn remark(&self, context: Context<'_>) -> String {
        self.place(context)
    }

    fn height(&self, context: Context<'_>) -> u16 {
        self.n_lines(context)
    }

    fn draw(&self, buffer: &mut Buffer, area: Rect, context: Context<'_>) -> Option<Position> {
        self.draw_parts(buffer, area, context)
    }
}
