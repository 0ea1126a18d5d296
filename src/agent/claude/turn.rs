//! How the last turn stands, from the lines that begin, move and end one.

use super::line::Line;
use crate::model::{AskedByTool, AskedQuestion, Timestamp, TurnState};

/// The start of the text by which the client tells that a hook may not keep the turn open any longer.
const HOOK_OVERRULED: &str = "A hook blocked the turn from ending";

/// Tools that put something to the person.
const ASKING_TOOLS: [&str; 2] = ["AskUserQuestion", "ExitPlanMode"];

/// More open calls are not remembered; the oldest go.
const MOST_CALLS: usize = 64;

/// The last turn.
#[derive(Debug, Default)]
pub(super) struct Turn {
    state: Progress,
    /// Tools that were called and have not answered, in the order of the calls.
    open_tools: Vec<OpenTool>,
}

/// A tool that was called and has not answered.
#[derive(Debug)]
pub(super) struct OpenTool {
    /// The call's id.
    pub(super) id: String,
    /// The tool.
    pub(super) name: String,
    /// What it was called with, in short.
    pub(super) called_with: Option<String>,
    /// The questions that it puts to the person in a dialog.
    pub(super) questions: Option<Vec<AskedQuestion>>,
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
    /// Something was put to the agent.
    pub(super) fn begin(&mut self, at: Option<Timestamp>) {
        self.open_tools.clear();
        self.state = Progress::Open(at);
    }

    /// The agent wrote, and has not ended.
    pub(super) fn resume(&mut self, at: Option<Timestamp>) {
        self.state = Progress::Open(at);
    }

    /// The agent called a tool.
    pub(super) fn call(&mut self, tool: OpenTool, at: Option<Timestamp>) {
        self.open_tools.retain(|open| open.id != tool.id);
        if self.open_tools.len() == MOST_CALLS {
            self.open_tools.remove(0);
        }
        self.open_tools.push(tool);
        self.state = Progress::Open(at);
    }

    /// A tool answered.
    pub(super) fn answer(&mut self, id: &str, at: Option<Timestamp>) {
        self.open_tools.retain(|open| open.id != id);
        self.state = Progress::Open(at);
    }

    /// A line that could not be parsed may have been the answer of any tool.
    pub(super) fn lose_track(&mut self) {
        self.open_tools.clear();
    }

    pub(super) fn end(&mut self, at: Option<Timestamp>) {
        self.open_tools.clear();
        self.state = Progress::Ended(at);
    }

    pub(super) fn interrupt(&mut self, at: Option<Timestamp>) {
        self.open_tools.clear();
        self.state = Progress::Interrupted(at);
    }

    pub(super) fn fail(&mut self, at: Option<Timestamp>, error: String) {
        self.open_tools.clear();
        self.state = Progress::Failed(at, error);
    }

    /// A `system` line.
    pub(super) fn take_system(&mut self, line: &Line<'_>) {
        let at = line.at();
        match line.subtype.as_deref().unwrap_or_default() {
            "stop_hook_summary" if holds_the_turn_open(line) => self.resume(at),
            "stop_hook_summary" | "turn_duration" => self.close(at),
            // A retry: the model's service failed and is asked again.
            "api_error" => self.state = Progress::Open(at),
            "informational" => {
                let overruled = line.content_text().is_some_and(|text| text.starts_with(HOOK_OVERRULED));
                if overruled || line.prevent_continuation {
                    self.end(at);
                }
            }
            _ => {}
        }
    }

    /// Ends the turn, unless it ended in another way already.
    fn close(&mut self, at: Option<Timestamp>) {
        match self.state {
            // A turn that has ended keeps its moment: another one would be another round.
            Progress::Failed(..) | Progress::Interrupted(_) | Progress::Ended(_) => {}
            Progress::Unknown | Progress::Open(_) => self.end(at),
        }
    }

    /// True when the turn is over, in whatever way.
    pub(super) fn has_ended(&self) -> bool {
        !matches!(self.state, Progress::Unknown | Progress::Open(_))
    }

    /// True when no line told anything of a turn.
    pub(super) fn is_unknown(&self) -> bool {
        self.state == Progress::Unknown
    }

    /// Whether this call is open and asks in a dialog.
    pub(super) fn asks_by(&self, id: &str) -> bool {
        self.open_tools.iter().any(|open| open.id == id && open.questions.is_some())
    }

    /// What is asked in a dialog. Of several calls the first one's is shown first.
    pub(super) fn asked(&self) -> Option<AskedByTool> {
        let open = self.open_tools.iter().find(|open| open.questions.is_some())?;
        let questions = open.questions.clone()?;
        Some(AskedByTool { call: open.id.clone(), questions, is_alone: self.open_tools.len() == 1 })
    }

    /// The state in the words of the model.
    pub(super) fn state(&self) -> TurnState {
        match &self.state {
            Progress::Unknown => TurnState::Unknown,
            Progress::Open(since) => {
                // What asks the person comes before what runs beside it.
                let asks = self.open_tools.iter().find(|open| ASKING_TOOLS.contains(&open.name.as_str()));
                let open = asks.or(self.open_tools.first());
                TurnState::Open {
                    since: *since,
                    tool: open.map(|open| open.name.clone()),
                    what: open.and_then(|open| open.called_with.clone()),
                }
            }
            Progress::Ended(at) => TurnState::Ended { at: *at },
            Progress::Interrupted(at) => TurnState::Interrupted { at: *at },
            Progress::Failed(at, error) => TurnState::Failed { at: *at, error: error.clone() },
        }
    }
}

/// Whether a Stop hook made the agent go on: it blocked, or gave it something more to read.
fn holds_the_turn_open(line: &Line<'_>) -> bool {
    let blocked = (0..line.hook_errors.len()).any(|index| !line.failed_hook_error_indexes.contains(&index));
    !line.prevented_continuation && (blocked || !line.hook_additional_context.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_nobody_answers_take_no_more_memory_than_a_few() {
        let mut turn = Turn::default();
        for number in 0..=MOST_CALLS {
            turn.call(
                OpenTool {
                    id: number.to_string(),
                    name: format!("tool {number}"),
                    called_with: None,
                    questions: None,
                },
                None,
            );
        }
        assert_eq!(turn.open_tools.len(), MOST_CALLS);
        assert!(matches!(turn.state(), TurnState::Open { tool: Some(tool), .. } if tool == "tool 1"));
    }
}
