//! How an agent is asked or told something by a program of its own: command lines as data. Nothing is
//! started here.

use std::path::PathBuf;

pub use crate::model::Trace;

/// The variable that every look into a session carries, so that neither closeout's own hook nor anybody who looks at
/// processes takes it for the session.
pub(super) const LOOK: &str = "CLOSEOUT_PROBE";

/// What an agent is asked or told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asking {
    /// Its status, without a trace where that can be.
    Probe {
        /// The prompt.
        prompt: String,
        /// The model that answers, as the agent's program names it; `None` is the session's, or the program's choice.
        model: Option<String>,
    },
    /// The closer's checklist, without a trace where that can be.
    Closer {
        /// The prompt.
        prompt: String,
        /// The JSON schema of the answer.
        schema: String,
        /// The model, as for a probe.
        model: Option<String>,
    },
    /// The same of a new session, which knows nothing of the one that did the work: of the session that is named, only the
    /// folder counts. It reads the workspace and changes nothing.
    Fresh {
        /// The prompt.
        prompt: String,
        /// The JSON schema of the answer.
        schema: String,
        /// The model, as for a probe.
        model: Option<String>,
    },
    /// Words of the person, which become part of the session. For a session that is not live.
    Reply {
        /// The words.
        text: String,
    },
    /// Words of the person for a live session, by the agent's own queue. `None` where it has none.
    Queue {
        /// The words.
        text: String,
    },
}

/// A command line, and how its answer is to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentCommand {
    /// The program's name, to be found on the path, or an absolute path.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// What it is given on its standard input; empty is closed at once.
    pub stdin: String,
    /// The folder that it is started in.
    pub folder: PathBuf,
    /// Variables that are set for it beside the environment that programs are given.
    pub environment: Vec<(String, Argument)>,
    /// What it leaves behind.
    pub trace: Trace,
    /// Where its answer stands.
    pub answer: AnswerPlace,
}

/// An argument of a command line, or the value of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// As it is.
    Text(String),
    /// The path of a temporary file with this content.
    File(String),
    /// The path of a temporary copy of the session's record, in a file whose name begins with
    /// [`COPY_PREFIX`]. Of a record that holds many sessions, only this one is copied.
    RecordCopy,
}

/// How the names of copies of records begin, so that a session that an agent makes of one is told from a
/// person's.
pub const COPY_PREFIX: &str = "closeout-copy-";

/// Where the answer of a command stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerPlace {
    /// In the one JSON object on its standard output: `structured_output`, else `result`; an error if
    /// `is_error` (Claude Code).
    ResultObject,
    /// In the last `agent_message` item of the JSON lines on its standard output (Codex).
    LastAgentMessage,
    /// In the `text` events of the JSON lines on its standard output (opencode).
    TextEvents,
    /// In the field `response` of the JSON object on its standard output (Gemini CLI).
    ResponseField,
    /// Its whole standard output.
    Stdout,
    /// There is none.
    None,
}

impl AgentCommand {
    /// The same with one more variable set.
    #[must_use]
    pub(super) fn with_variable(mut self, name: &str, value: &str) -> AgentCommand {
        self.environment.push((name.to_owned(), value.into()));
        self
    }
}

impl From<&str> for Argument {
    fn from(text: &str) -> Argument {
        Argument::Text(text.to_owned())
    }
}
