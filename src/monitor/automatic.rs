//! What is remembered of that which closeout does without a person's word: questions to models, and runs of checks.
//!
//! When either is done is not decided here.

use crate::model::{
    ActionClass, ActionOutcome, SessionFacts, SessionMoment, TaskMoment, Timestamp, display_text,
};

use super::moments::moment;

/// By what agents are asked by themselves, in all workspaces.
#[derive(Debug)]
pub(super) struct AutoProbePolicy {
    /// The agents that can be asked without a trace.
    pub(super) agents: Vec<String>,
    /// When this run began to look.
    pub(super) began_at: Option<Timestamp>,
}

/// What is known of the questions to the agents of one workspace.
#[derive(Debug, Default)]
pub(super) struct AutoProbe {
    /// When it is to be thought of again.
    pub(super) due_at: Option<Timestamp>,
    /// Where the task was when the question that runs was begun.
    pub(super) asking: Option<SessionMoment>,
    /// Where it was not asked, and the person may want to know why.
    pub(super) hindered: Option<Hindered>,
}

/// Why it was not asked.
#[derive(Debug)]
pub(super) struct Hindered {
    pub(super) moment: SessionMoment,
    pub(super) words: String,
    /// When it can be tried again; `None` is never in this moment.
    pub(super) until: Option<Timestamp>,
}

/// What is known of the checks of one workspace that run by themselves.
#[derive(Debug, Default)]
pub(super) struct AutoChecks {
    /// Whether a check has not run since the last change, and weighs.
    pub(super) is_waiting: bool,
    /// After which turns they ran last.
    pub(super) ran_in: Option<TaskMoment>,
}

impl AutoProbe {
    /// A question by itself has ended, or was not sent.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "every other outcome says nothing that would hinder it"
    )]
    pub(super) fn ended(&mut self, outcome: &ActionOutcome) {
        let Some(moment) = self.asking.take() else { return };
        let why = match outcome {
            ActionOutcome::NotAsked(why) => why.label().map(|words| (words, why.until())),
            ActionOutcome::Failed(problem)
                if !matches!(problem.class, ActionClass::Cancelled | ActionClass::Busy) =>
            {
                Some((problem.message.clone(), None))
            }
            _ => None,
        };
        self.hindered = why.map(|(words, until)| Hindered { moment, words, until });
    }

    /// Why the agent was not asked in the moment that the task is in, in words.
    pub(super) fn hindrance(&self, words: &SessionFacts) -> Option<String> {
        let hindered = self.hindered.as_ref()?;
        let is_now = moment(words).of(&hindered.moment.session).as_ref() == Some(&hindered.moment);
        is_now.then(|| display_text::line(&format!("not asked by itself: {}", hindered.words)).into_owned())
    }
}
