//! The moment of its task in which an agent was asked, and the moment that the task is in now. It decides
//! nothing.

use std::sync::Arc;

use crate::model::{SessionFacts, SessionMoment, SessionView, TaskMoment};

/// The moments of a workspace's task in which agents were asked.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// The moment in which the running action started.
    pub(super) began: Option<TaskMoment>,
    /// The moment in which this closeout last asked, whatever the result.
    pub(super) last: Option<TaskMoment>,
    /// The moment in which the agent was asked for its status.
    pub(super) checked: Option<TaskMoment>,
    /// The moment in which the closer asked.
    pub(super) closer: Option<TaskMoment>,
}

impl Asked {
    pub(super) fn begins(&mut self, facts: &SessionFacts) {
        self.began = Some(moment(facts));
    }

    /// True if the session was asked in that moment, as far as this closeout knows.
    pub(super) fn was_in(&self, moment: &SessionMoment) -> bool {
        let all = [&self.last, &self.checked, &self.closer];
        all.into_iter().flatten().any(|then| then.of(&moment.session).as_ref() == Some(moment))
    }
}

/// The moment that the task is in now.
pub(super) fn moment(facts: &SessionFacts) -> TaskMoment {
    let turn = |session: &Arc<SessionView>| {
        let name = session.session_name();
        (name, session.rested_at())
    };
    TaskMoment { prompted_at: facts.prompted_at, turns: facts.sessions.iter().map(turn).collect() }
}
