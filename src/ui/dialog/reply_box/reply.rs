//! A reply that is being written: its stage, and questions about it. Draws nothing and knows no key.

use super::keys::{self, KeyedAnswer, ReplyAction};
use super::sessions;
use crate::model::{
    Action, ActionProblem, Draft, Intent, Question, Receipt, ReplyPlan, SessionName, WorkspaceId,
    WorkspaceView,
};
use crate::ui::dialog::Step;
use crate::ui::keymap::Binding;
use crate::ui::text_area::TextArea;

/// A reply that is being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyBox {
    pub(super) workspace: WorkspaceId,
    pub(super) session: SessionName,
    pub(super) area: TextArea,
    pub(super) stage: Stage,
    /// The answer that a key put into the box.
    pub(super) picked: Option<Picked>,
    /// Whether the whole text was written before the box opened, perhaps for another question. The first Enter
    /// then sends nothing.
    pub(super) is_old: bool,
    /// The question that stood above the text when it was last looked at.
    pub(super) question: Option<Question>,
    /// Whether the session was at work when it was last asked how the reply goes.
    pub(super) was_busy: bool,
    /// The message about the last input. Untrusted.
    pub(super) remark: Option<String>,
    /// The first visible line above the text.
    pub(super) top: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stage {
    /// Several sessions wait; `selected` is the position of one among them.
    Choosing { among: Vec<SessionName>, selected: usize },
    /// How it would be sent is being determined.
    Planning,
    /// How it would be sent is known.
    Planned { plan: Box<ReplyPlan>, confirm: Confirm },
    /// It is being sent. `text` is the text sent; `None` for an answer to a permission prompt.
    Sending { plan: Box<ReplyPlan>, text: Option<String> },
    /// It was not sent, or perhaps not.
    Stopped(Stop),
}

/// What is to be confirmed before it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Confirm {
    Nothing,
    /// That this option of the session's prompt is the answer.
    Option(usize),
    /// That it is to be sent although an earlier one may have been sent already.
    Again,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stop {
    /// There is no way to send it.
    NoWay(ActionProblem),
    Failed(ActionProblem),
    /// It was refused, or it is unknown whether it was sent.
    Receipt(Box<Receipt>),
}

/// An answer that a key put into the box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Picked {
    /// The character that was typed: if more is typed, it was the beginning of a text.
    pub(super) typed: char,
    pub(super) answer: String,
}

/// What the box is for at this moment; each mode has keys of its own.
#[derive(Clone, Copy)]
pub(super) enum Mode {
    Sessions,
    Writing,
    /// One of this many options is chosen; zero until it is known what can be answered.
    Options(usize),
    /// It can be answered only on its own screen.
    InPane,
    Confirm,
    Sending,
}

/// How many options the session's prompt has; `None` if it takes words.
pub(super) fn plan_options(plan: &ReplyPlan) -> Option<usize> {
    match (plan.channel.permission(), plan.channel.asked()) {
        (Some(prompt), _) => Some(prompt.options.len()),
        (None, Some(asked)) => Some(asked.questions.first().map_or(0, |question| question.options.len())),
        (None, None) => None,
    }
}

impl ReplyBox {
    pub(super) fn mode(&self, view: Option<&WorkspaceView>) -> Mode {
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

    /// Whether the session's pane is known, so that one can go there.
    pub(super) fn has_pane(&self) -> bool {
        self.plan().is_some_and(|plan| plan.pane.is_some())
    }

    /// The keys while something is to be confirmed. Enter gives no permission.
    pub(super) fn confirm_keys(&self) -> &'static [Binding<ReplyAction>] {
        let is_permission = self.plan().is_some_and(|plan| plan.channel.permission().is_some());
        let is_asked = self.plan().is_some_and(|plan| plan.channel.asked().is_some());
        if is_asked && !is_permission { keys::CHOOSE } else { keys::CONFIRM }
    }

    pub(super) fn plan(&self) -> Option<&ReplyPlan> {
        match &self.stage {
            Stage::Planned { plan, .. } | Stage::Sending { plan, .. } => Some(plan),
            Stage::Choosing { .. } | Stage::Planning | Stage::Stopped(_) => None,
        }
    }

    /// The answers that the question offers, with their keys.
    pub(super) fn answers(&self, view: Option<&WorkspaceView>) -> Vec<KeyedAnswer> {
        let planned = self.plan().and_then(|plan| plan.question.as_ref());
        keys::answers_of(planned.or_else(|| sessions::asked(view, &self.session).1))
    }

    /// Switches to this session, with the text written to it before.
    pub(super) fn turn_to(&mut self, session: SessionName, view: Option<&WorkspaceView>) -> Vec<Intent> {
        let drafts = view.map(|view| view.actions.drafts.as_slice()).unwrap_or_default();
        let draft = drafts.iter().find(|draft| draft.session == session);
        self.area = TextArea::of(draft.map(|draft| draft.text.clone()).unwrap_or_default());
        self.is_old = !self.area.is_empty();
        self.session = session;
        self.question = sessions::asked(view, &self.session).1.cloned();
        self.picked = None;
        self.top = 0;
        self.plan_again(view)
    }

    pub(super) fn plan_again(&mut self, view: Option<&WorkspaceView>) -> Vec<Intent> {
        self.stage = Stage::Planning;
        self.was_busy = sessions::is_busy(view, &self.session);
        let action = Action::PlanReply { session: self.session.clone() };
        vec![Intent::Action { workspace: self.workspace.clone(), action: Box::new(action) }]
    }

    /// Keeps the current text if it differs from `before`.
    pub(super) fn kept(&self, before: &str) -> Step {
        let is_changed = before != self.area.text();
        Step { intents: is_changed.then(|| self.keep()).into_iter().collect(), ..Step::stay() }
    }

    /// An answer that a key put into the box is no draft: one key brings it back, and the next question has
    /// other answers.
    pub(super) fn keep(&self) -> Intent {
        let text = if self.is_picked() { String::new() } else { self.area.text().to_owned() };
        let draft = Draft { session: self.session.clone(), text };
        Intent::KeepDraft { workspace: self.workspace.clone(), draft }
    }

    /// Compares what the session asks now with what stood above the text. Returns true if it is another
    /// question: a picked answer goes with its question, and a text was written for the one before.
    pub(super) fn look_at_question(&mut self, view: Option<&WorkspaceView>) -> bool {
        let question = sessions::asked(view, &self.session).1;
        if question == self.question.as_ref() {
            return false;
        }
        self.question = question.cloned();
        if self.is_picked() {
            self.area = TextArea::default();
        }
        self.picked = None;
        self.is_old = !self.area.is_empty();
        true
    }

    /// Whether the box contains an answer that a key put there, and nothing else.
    pub(super) fn is_picked(&self) -> bool {
        self.picked.as_ref().is_some_and(|picked| picked.answer == self.area.text())
    }

    /// The box asks something else now: no key confirms anything before that could be read.
    pub(super) fn shown_anew(intents: Vec<Intent>) -> Step {
        Step { intents, is_new_question: true, ..Step::stay() }
    }
}
