//! The point of its task at which an agent was asked, and the point that the task has reached now. It decides
//! nothing.

use crate::model::{SessionFacts, SessionMoment, SessionName, SessionView, TaskMoment};

/// The points of a workspace's task at which agents were asked.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// The point at which the running action started.
    pub(super) began: Option<TaskMoment>,
    /// The point at which this closeout last asked, whatever the result.
    pub(super) last: Option<TaskMoment>,
    /// The point at which the agent was asked for its status.
    pub(super) checked: Option<TaskMoment>,
    /// The point at which the closer asked.
    pub(super) closer: Option<TaskMoment>,
}

impl Asked {
    pub(super) fn begins(&mut self, words: &SessionFacts) {
        self.began = Some(moment(words));
    }

    /// True if the session was asked at that point, as far as this closeout knows.
    pub(super) fn was_in(&self, moment: &SessionMoment) -> bool {
        let all = [&self.last, &self.checked, &self.closer];
        all.into_iter().flatten().any(|then| then.of(&moment.session).as_ref() == Some(moment))
    }
}

/// The point that the task has reached.
pub(super) fn moment(words: &SessionFacts) -> TaskMoment {
    let turn = |session: &SessionView| {
        let name = SessionName { agent: session.agent.clone(), session_id: session.session_id.clone() };
        (name, session.rested_at())
    };
    TaskMoment { prompted_at: words.prompted_at, turns: words.sessions.iter().map(turn).collect() }
}
