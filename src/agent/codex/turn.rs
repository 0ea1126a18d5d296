//! How the last turn stands, from the lines that begin, move and end one. Pure.

use crate::model::{Timestamp, TurnState};

/// More open calls are not remembered; the oldest go.
const MOST_CALLS: usize = 64;

/// The tool that puts questions to the person.
pub(super) const ASKING_TOOL: &str = "request_user_input";

/// The last turn.
#[derive(Debug, Default)]
pub(super) struct Turn {
    state: Progress,
    /// Tools that were called and have not answered, in the order of the calls. Whether one runs or
    /// waits for a permission does not show.
    open_calls: Vec<OpenCall>,
    /// An error after which nothing was said in this turn.
    error: Option<String>,
}

#[derive(Debug)]
struct OpenCall {
    id: String,
    tool: String,
    what: Option<String>,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Progress {
    #[default]
    Unknown,
    Open(Option<Timestamp>),
    Ended(Option<Timestamp>),
    Interrupted(Option<Timestamp>),
    Failed(Option<Timestamp>, String),
}

impl Turn {
    /// A turn began.
    pub(super) fn begin(&mut self, at: Option<Timestamp>) {
        self.set(Progress::Open(at));
    }

    /// Something of a turn was written. What the client writes between turns opens none.
    pub(super) fn resume(&mut self, at: Option<Timestamp>) {
        if matches!(self.state, Progress::Open(_) | Progress::Unknown) {
            self.state = Progress::Open(at);
        }
    }

    /// A person wrote to the agent. Versions before the items tell no begin of a turn.
    pub(super) fn on_prompt(&mut self, at: Option<Timestamp>) {
        match self.state {
            Progress::Open(_) => self.state = Progress::Open(at),
            Progress::Unknown | Progress::Ended(_) | Progress::Interrupted(_) | Progress::Failed(..) => {
                self.begin(at);
            }
        }
    }

    /// The agent called a tool.
    pub(super) fn call(&mut self, id: String, tool: String, what: Option<String>, at: Option<Timestamp>) {
        self.open_calls.retain(|open| open.id != id);
        if self.open_calls.len() == MOST_CALLS {
            self.open_calls.remove(0);
        }
        self.open_calls.push(OpenCall { id, tool, what });
        self.error = None;
        self.resume(at);
    }

    /// A tool answered.
    pub(super) fn answer(&mut self, id: &str, at: Option<Timestamp>) {
        self.open_calls.retain(|open| open.id != id);
        self.resume(at);
    }

    /// A line that could not be parsed may have been the answer of any tool.
    pub(super) fn lose_track(&mut self) {
        self.open_calls.clear();
    }

    /// The agent said something, so what failed before was got over.
    pub(super) fn clear_error(&mut self) {
        self.error = None;
    }

    /// An error was told; the turn may go on.
    pub(super) fn on_error(&mut self, at: Option<Timestamp>, error: String) {
        self.resume(at);
        self.error = Some(error);
    }

    /// The turn is over.
    pub(super) fn end(&mut self, at: Option<Timestamp>, error: Option<String>) {
        let ended = match error.or(self.error.take()) {
            Some(error) => Progress::Failed(at, error),
            None => Progress::Ended(at),
        };
        self.set(ended);
    }

    /// The turn was broken off.
    pub(super) fn interrupt(&mut self, at: Option<Timestamp>) {
        self.set(Progress::Interrupted(at));
    }

    fn set(&mut self, state: Progress) {
        self.open_calls.clear();
        self.error = None;
        self.state = state;
    }

    /// True while a turn runs.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.state, Progress::Open(_))
    }

    /// True when no line told anything of a turn.
    pub(super) fn is_unknown(&self) -> bool {
        self.state == Progress::Unknown
    }

    /// The state in the words of the model. An error with no end of the turn after it is its end.
    pub(super) fn state(&self) -> TurnState {
        match (&self.state, &self.error) {
            (Progress::Unknown, _) => TurnState::Unknown,
            (Progress::Open(since), None) => {
                // What asks the person comes before what runs beside it.
                let asks = self.open_calls.iter().find(|call| call.tool == ASKING_TOOL);
                let call = asks.or(self.open_calls.first());
                TurnState::Open {
                    since: *since,
                    tool: call.map(|call| call.tool.clone()),
                    what: call.and_then(|call| call.what.clone()),
                }
            }
            (Progress::Ended(at), _) => TurnState::Ended { at: *at },
            (Progress::Interrupted(at), _) => TurnState::Interrupted { at: *at },
            (Progress::Open(at), Some(error)) | (Progress::Failed(at, error), _) => {
                TurnState::Failed { at: *at, error: error.clone() }
            }
        }
    }
}
