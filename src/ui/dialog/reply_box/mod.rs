//! The reply box: the question, and below it what a person writes to the agent.
//!
//! It sends nothing: what is sent leaves as an intent, and only after it was shown how it would go. What is
//! written is kept with every change ([`Intent::KeepDraft`]) and taken out only when a receipt says that
//! it went. A prompt on the agent's screen gets no text: its options are confirmed one by one, and Enter gives
//! no permission.

mod answers;
mod choices;
mod keys;
mod lines;
mod panel;
mod sessions;
mod writing;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{Context, Dialog, Step, Then};
use crate::model::{
    Action, ActionProblem, Draft, Intent, Receipt, ReplyPlan, Response, SessionName, WorkspaceId,
    WorkspaceView,
};
use crate::ui::footer::{Hint, hints_of};
use crate::ui::input::{Edited, KeyPress};
use crate::ui::keymap::Binding;
use crate::ui::text;
use crate::ui::text_area::TextArea;

use choices::KeyedAnswer;
pub use keys::{BINDINGS, ReplyAction};

/// A reply that is being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyBox {
    workspace: WorkspaceId,
    session: SessionName,
    area: TextArea,
    stage: Stage,
    /// The answer that a key put into the box.
    picked: Option<Picked>,
    /// Whether all of the text was written before the box opened, perhaps for another question: then the
    /// first Enter sends nothing.
    is_old: bool,
    /// What is said of the last input. Untrusted.
    remark: Option<String>,
    /// The first line above the text that is shown.
    top: usize,
}

/// How far the reply is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Stage {
    /// Several sessions wait; one is chosen by its position among them.
    Choosing { among: Vec<SessionName>, selected: usize },
    /// It is being found out how it would go.
    Planning,
    /// It is known how it would go.
    Planned { plan: Box<ReplyPlan>, confirm: Confirm },
    /// It is on its way. The text until then; `None` for an answer to a permission prompt.
    Sending { plan: Box<ReplyPlan>, text: Option<String> },
    /// It did not go, or not for certain.
    Stopped(Stop),
}

/// What is asked before it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Confirm {
    Nothing,
    /// Whether this option of the prompt that the session shows is the answer.
    Option(usize),
    /// Whether it is to be sent though an earlier one may have been.
    Again,
}

/// Why it did not go.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Stop {
    /// There is no way for it.
    NoWay(ActionProblem),
    /// It failed.
    Failed(ActionProblem),
    /// It was refused, or it is not known whether it went.
    Receipt(Box<Receipt>),
}

/// An answer that a key put into the box.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Picked {
    /// The sign that was typed: should more be typed, it was the beginning of a text.
    typed: char,
    answer: String,
}

/// What the box is for at this moment; each has keys of its own.
#[derive(Clone, Copy)]
enum Mode {
    Sessions,
    Writing,
    /// One of so many options is chosen; of none until it is known what can be answered.
    Options(usize),
    /// It is answered on its own screen only.
    InPane,
    Confirm,
    Sending,
}

/// Opens the box for a workspace, with this text in it if there is no other; answers what the engine is
/// asked first. In words why there is nobody to reply to.
pub(in crate::ui) fn begin(
    view: &WorkspaceView,
    draft: Option<&str>,
) -> Result<(ReplyBox, Vec<Intent>), String> {
    let waiting = sessions::waiting(view);
    let Some(first) = waiting.first().cloned().or_else(|| sessions::all(view).into_iter().next()) else {
        return Err("no session of an agent is known here".to_owned());
    };
    let mut reply = ReplyBox {
        workspace: view.id.clone(),
        session: first.clone(),
        area: TextArea::default(),
        stage: Stage::Choosing { among: waiting.clone(), selected: 0 },
        picked: None,
        is_old: false,
        remark: None,
        top: 0,
    };
    let intents = if waiting.len() > 1 { Vec::new() } else { reply.turn_to(first, Some(view)) };
    if let Some(draft) = draft.filter(|_| reply.area.is_empty()) {
        let _ = reply.area.replace_all(draft);
    }
    Ok((reply, intents))
}

/// How many options the prompt has that the session shows; `None` where words are written.
fn plan_options(plan: &ReplyPlan) -> Option<usize> {
    match (&plan.permission, &plan.asked) {
        (Some(prompt), _) => Some(prompt.options.len()),
        (None, Some(asked)) => Some(asked.questions.first().map_or(0, |question| question.options.len())),
        (None, None) => None,
    }
}

impl ReplyBox {
    pub(super) fn workspace(&self) -> &WorkspaceId {
        &self.workspace
    }

    pub(super) fn key(&mut self, press: KeyPress, context: Context<'_>) -> Step {
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

    pub(super) fn paste(&mut self, text: &str, context: Context<'_>) -> Step {
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

    /// The text comes back from the person's editor.
    pub(super) fn edited(&mut self, edited: &Edited, context: Context<'_>) -> Step {
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

    /// What an engine's answer changes; `None` when it is not for this box.
    pub(super) fn told(&mut self, told: &Response, context: Context<'_>) -> Option<Step> {
        let Response::Action { workspace, kind, outcome, .. } = told else { return None };
        if *workspace != self.workspace {
            return None;
        }
        let step = self.answered(*kind, outcome);
        self.settle(context);
        step
    }

    pub(super) fn title(&self, context: Context<'_>) -> String {
        let name = context.view.map(|view| text::line(&view.name)).unwrap_or_default();
        if let Stage::Choosing { .. } = &self.stage {
            return format!("Reply  {name}  to which session?");
        }
        format!("Reply  {name}  {}", sessions::in_short(context.view, &self.session))
    }

    pub(super) fn hints(&self, context: Context<'_>) -> Vec<Hint> {
        let is_armed = context.is_armed;
        match self.mode(context.view) {
            Mode::Sessions => hints_of(keys::SESSIONS),
            Mode::Writing => {
                let is_planned = matches!(self.stage, Stage::Planned { .. });
                let mut hints = hints_of(BINDINGS);
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
            Mode::InPane if self.has_pane() => hints_of(keys::IN_PANE),
            Mode::InPane => hints_of(keys::OPTIONS),
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

    fn mode(&self, view: Option<&WorkspaceView>) -> Mode {
        match &self.stage {
            Stage::Choosing { .. } => Mode::Sessions,
            Stage::Sending { .. } => Mode::Sending,
            Stage::Planned { confirm: Confirm::Option(_) | Confirm::Again, .. } => Mode::Confirm,
            Stage::Planned { plan, confirm: Confirm::Nothing } => match plan_options(plan) {
                _ if !plan.has_way() => Mode::InPane,
                Some(n_options) => Mode::Options(n_options),
                None => Mode::Writing,
            },
            Stage::Planning if sessions::shows_a_prompt(view, &self.session) => Mode::Options(0),
            Stage::Planning | Stage::Stopped(_) => Mode::Writing,
        }
    }

    /// Whether one can go to the pane of the session.
    fn has_pane(&self) -> bool {
        self.plan().is_some_and(|plan| plan.pane.is_some())
    }

    /// The keys while something is to be confirmed. Enter gives no permission.
    fn confirm_keys(&self) -> &'static [Binding<ReplyAction>] {
        let is_permission = self.plan().is_some_and(|plan| plan.permission.is_some());
        let is_asked = self.plan().is_some_and(|plan| plan.asked.is_some());
        if is_asked && !is_permission { keys::CHOOSE } else { keys::CONFIRM }
    }

    /// The plan, once there is one.
    fn plan(&self) -> Option<&ReplyPlan> {
        match &self.stage {
            Stage::Planned { plan, .. } | Stage::Sending { plan, .. } => Some(plan),
            Stage::Choosing { .. } | Stage::Planning | Stage::Stopped(_) => None,
        }
    }

    /// The answers that the question offers, with their keys.
    fn answers(&self, view: Option<&WorkspaceView>) -> Vec<KeyedAnswer> {
        let planned = self.plan().and_then(|plan| plan.question.as_ref());
        choices::of(planned.or_else(|| sessions::asked(view, &self.session).1))
    }

    /// Writes to this session from now on, what was written to it before.
    fn turn_to(&mut self, session: SessionName, view: Option<&WorkspaceView>) -> Vec<Intent> {
        let drafts = view.map(|view| view.drafts.as_slice()).unwrap_or_default();
        let draft = drafts.iter().find(|draft| draft.session == session);
        self.area = TextArea::of(draft.map(|draft| draft.text.clone()).unwrap_or_default());
        self.is_old = !self.area.is_empty();
        self.session = session;
        self.picked = None;
        self.top = 0;
        self.plan_again()
    }

    fn plan_again(&mut self) -> Vec<Intent> {
        self.stage = Stage::Planning;
        let action = Action::PlanReply { session: self.session.clone() };
        vec![Intent::Action { workspace: self.workspace.clone(), action: Box::new(action) }]
    }

    /// Keeps what is written now, if that is not what was written before.
    fn kept(&self, before: &str) -> Step {
        let is_changed = before != self.area.text();
        Step { intents: is_changed.then(|| self.keep()).into_iter().collect(), ..Step::stay() }
    }

    fn keep(&self) -> Intent {
        let draft = Draft { session: self.session.clone(), text: self.area.text().to_owned() };
        Intent::KeepDraft { workspace: self.workspace.clone(), draft }
    }

    /// The same box as one that opens now: no key confirms anything in it before it could be read.
    fn shown_anew(&self, intents: Vec<Intent>) -> Step {
        Step { intents, then: Then::Open(Dialog::Reply(Box::new(self.clone()))), ..Step::stay() }
    }

    pub(super) fn scroll(&mut self, by: isize, context: Context<'_>) -> Step {
        self.scroll_lines(by, context);
        Step::stay()
    }

    pub(super) fn press(&mut self, at: Position, context: Context<'_>) -> Step {
        self.press_at(at, context);
        Step::stay()
    }

    pub(super) fn remark(&self, context: Context<'_>) -> String {
        self.place(context)
    }

    pub(super) fn height(&self, context: Context<'_>) -> u16 {
        self.wanted_height(context)
    }

    pub(super) fn draw(&self, buffer: &mut Buffer, area: Rect, context: Context<'_>) -> Option<Position> {
        self.draw_parts(buffer, area, context)
    }
}
