//! In which moment of its task an agent was asked, and which moment the task is in.

use crate::model::{SessionFacts, SessionMoment, SessionName, SessionView, TaskMoment};

/// When in the task of a workspace agents were asked.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// When the running action began.
    pub(super) began: Option<TaskMoment>,
    /// When this run asked last, whatever came of it.
    pub(super) last: Option<TaskMoment>,
    /// When the agent was asked for its status.
    pub(super) checked: Option<TaskMoment>,
    /// When the closer asked.
    pub(super) closer: Option<TaskMoment>,
}

impl Asked {
    /// An action begins.
    pub(super) fn begins(&mut self, words: &SessionFacts) {
        self.began = Some(moment(words));
    }

    /// Whether the session was asked in that moment, as far as is known here.
    pub(super) fn was_in(&self, moment: &SessionMoment) -> bool {
        let all = [&self.last, &self.checked, &self.closer];
        all.into_iter().flatten().any(|then| then.of(&moment.session).as_ref() == Some(moment))
    }
}

/// The moment that the task is in.
pub(super) fn moment(words: &SessionFacts) -> TaskMoment {
    let turn = |session: &SessionView| {
        let name = SessionName { agent: session.agent.clone(), session_id: session.session_id.clone() };
        (name, session.rested_at())
    };
    TaskMoment { prompted_at: words.prompted_at, turns: words.sessions.iter().map(turn).collect() }
}
