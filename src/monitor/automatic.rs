//! The state of what closeout does without a person's request: questions to models, and runs of checks.
//!
//! When either happens is not decided here.

use crate::model::{
    ActionClass, ActionOutcome, Hindrance, SessionFacts, SessionMoment, TaskMoment, Timestamp,
};

use super::moments::moment;

/// The rules for asking agents automatically, for all workspaces.
#[derive(Debug)]
pub(super) struct AutoProbePolicy {
    /// The agents that can be asked without a trace.
    pub(super) agents: Vec<String>,
    /// When this closeout began to watch.
    pub(super) began_at: Option<Timestamp>,
}

/// The state of the automatic questions of one workspace.
#[derive(Debug, Default)]
pub(super) struct AutoProbe {
    /// When to consider a question again.
    pub(super) due_at: Option<Timestamp>,
    /// The moment of the task in which the running question was sent.
    pub(super) asking: Option<SessionMoment>,
    /// The last question that was not sent, if the person may want to know why.
    pub(super) hindered: Option<Box<Hindered>>,
}

/// Why a question was not sent.
#[derive(Debug)]
pub(super) struct Hindered {
    pub(super) moment: SessionMoment,
    pub(super) why: Hindrance,
    /// When it can be tried again; `None` means never in this moment of the task.
    pub(super) until: Option<Timestamp>,
}

/// The state of the automatic checks of one workspace.
#[derive(Debug, Default)]
pub(super) struct AutoChecks {
    /// Whether a check that weighs has not run since the last change.
    pub(super) is_waiting: bool,
    /// The turns after which they last ran.
    pub(super) ran_in: Option<TaskMoment>,
}

impl AutoProbe {
    /// An automatic question has ended, or was not sent.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "every other outcome says nothing that would hinder it"
    )]
    pub(super) fn ended(&mut self, outcome: &ActionOutcome) {
        let Some(moment) = self.asking.take() else { return };
        let why = match outcome {
            ActionOutcome::NotAsked(why) => why.hindrance().map(|hindrance| (hindrance, why.until())),
            ActionOutcome::Failed(problem)
                if !matches!(problem.class, ActionClass::Cancelled | ActionClass::Busy) =>
            {
                Some((Hindrance::Failed(problem.message.clone()), None))
            }
            _ => None,
        };
        self.hindered = why.map(|(why, until)| Box::new(Hindered { moment, why, until }));
    }

    /// Why the agent was not asked in the current moment of its task.
    pub(super) fn hindrance(&self, facts: &SessionFacts) -> Option<&Hindrance> {
        let hindered = self.hindered.as_ref()?;
        let is_now = moment(facts).of(&hindered.moment.session).as_ref() == Some(&hindered.moment);
        is_now.then_some(&hindered.why)
    }
}
