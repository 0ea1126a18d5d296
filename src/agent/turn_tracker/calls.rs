//! The tool calls of a session: those that have no result yet, and which step a later result or report is about. It
//! must not remember more than the last ones.

use std::collections::VecDeque;

use crate::model::{AskedByTool, AskedQuestion, Deed};

/// How many open calls, answered calls and jobs are remembered. The oldest are dropped first.
const MAX_CALLS: usize = 128;

/// A tool call.
#[derive(Debug, Clone, Default)]
pub(in crate::agent) struct ToolCall {
    pub(in crate::agent) id: String,
    pub(in crate::agent) tool: String,
    /// What it was called with, shortened.
    pub(in crate::agent) what: Option<String>,
    /// The questions it asks the user in a dialog.
    pub(in crate::agent) questions: Option<Vec<AskedQuestion>>,
    /// What it does; `None` for a call that only reads.
    pub(in crate::agent) deed: Option<Deed>,
    /// The job that it asks about.
    pub(in crate::agent) job: Option<String>,
}

/// The calls of a session.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// Those without a result, in order. Whether one is running or waiting for permission cannot be seen here.
    open: VecDeque<OpenCall>,
    /// The last ones with a result, as more may be reported about them: the id, and the order of the step.
    answered: VecDeque<(String, u64)>,
    /// Commands running in the background: the client's name for the job, and the order of the step.
    jobs: VecDeque<(String, u64)>,
}

/// A call without a result.
#[derive(Debug)]
pub(super) struct OpenCall {
    id: String,
    pub(super) tool: String,
    pub(super) what: Option<String>,
    questions: Option<Vec<AskedQuestion>>,
    /// Whether it asks the user something.
    asks: bool,
    /// The order of its step, if it is one.
    pub(super) order: Option<u64>,
    /// The job that it asks about.
    pub(super) job: Option<String>,
}

impl Calls {
    /// Takes a new call, whose step has this order, if it is one.
    pub(super) fn begin(&mut self, call: ToolCall, asks: bool, order: Option<u64>) {
        let ToolCall { id, tool, what, questions, job, .. } = call;
        self.open.retain(|open| open.id != id);
        push_last(&mut self.open, OpenCall { id, tool, what, questions, asks, order, job });
    }

    /// Takes a call's result, after which it may go on as `job`. Returns the order of its step.
    pub(super) fn answer(&mut self, id: &str, job: Option<&str>) -> Option<u64> {
        let index = self.open.iter().position(|open| open.id == id)?;
        let OpenCall { id, order, .. } = self.open.remove(index)?;
        let order = order?;
        push_last(&mut self.answered, (id, order));
        if let Some(job) = job {
            push_last(&mut self.jobs, (job.to_owned(), order));
        }
        Some(order)
    }

    /// The call of this id, if it has no result.
    pub(super) fn open(&self, id: &str) -> Option<&OpenCall> {
        self.open.iter().find(|open| open.id == id)
    }

    /// Forgets the calls without a result, and returns them.
    pub(super) fn take_open(&mut self) -> VecDeque<OpenCall> {
        std::mem::take(&mut self.open)
    }

    /// The order of the step of a call that has a result.
    pub(super) fn step_of_answered(&self, id: &str) -> Option<u64> {
        order_of(&self.answered, id)
    }

    /// The order of the step of a background job.
    pub(super) fn step_of_job(&self, job: &str) -> Option<u64> {
        order_of(&self.jobs, job)
    }

    /// The open call to show: one that asks the user takes precedence over those running beside it.
    pub(super) fn shown(&self) -> Option<&OpenCall> {
        self.open.iter().find(|call| call.asks).or(self.open.front())
    }

    /// Whether this call is open and asks in a dialog.
    pub(super) fn asks_by(&self, id: &str) -> bool {
        self.open.iter().any(|call| call.id == id && call.questions.is_some())
    }

    /// What is asked in a dialog. Of several calls the client shows the first one's dialog first.
    pub(super) fn asked(&self) -> Option<AskedByTool> {
        let call = self.open.iter().find(|call| call.questions.is_some())?;
        let questions = call.questions.clone()?;
        Some(AskedByTool { call: call.id.clone(), questions, is_alone: self.open.len() == 1 })
    }
}

fn order_of(known: &VecDeque<(String, u64)>, name: &str) -> Option<u64> {
    known.iter().find(|(known, _)| known == name).map(|(_, order)| *order)
}

/// Appends to a list that is never longer than [`MAX_CALLS`].
fn push_last<T>(list: &mut VecDeque<T>, item: T) {
    if list.len() == MAX_CALLS {
        list.pop_front();
    }
    list.push_back(item);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::turn_tracker::TurnTracker;
    use crate::model::TurnState;

    #[test]
    fn calls_that_nobody_answers_take_no_more_memory_than_a_few() {
        let mut tracker = TurnTracker::default();
        for number in 0..=MAX_CALLS {
            let (id, tool) = (number.to_string(), format!("tool {number}"));
            tracker.call(ToolCall { id, tool, ..ToolCall::default() }, None);
        }
        assert_eq!(tracker.calls.open.len(), MAX_CALLS);
        assert!(matches!(tracker.state(), TurnState::Open { tool: Some(tool), .. } if tool == "tool 1"));
    }
}
