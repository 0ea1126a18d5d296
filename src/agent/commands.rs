//! What an agent can be asked, and the command lines for that, as data. Nothing is started here.

use std::path::PathBuf;

pub use crate::model::Trace;

/// The environment variable set for every probe. It keeps closeout's own hook, and anything that lists
/// processes, from taking the probe for the session.
pub(super) const PROBE_VARIABLE: &str = "CLOSEOUT_PROBE";

/// A request to an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields are named for what they hold")]
pub enum Asking {
    /// Asks for the session's status, leaving no trace if possible.
    Probe {
        prompt: String,
        /// The model that answers, as the agent's program names it. `None` uses the session's model, or the
        /// program's default.
        model: Option<String>,
    },
    /// Has the session answer the closer's checklist, leaving no trace if possible.
    Closer {
        prompt: String,
        /// The JSON schema of the answer.
        schema: String,
        /// The model, as for a probe.
        model: Option<String>,
    },
    /// Has a new session answer the closer's checklist. It knows nothing of the session that did the work
    /// and only shares its folder; it reads the workspace and changes nothing.
    Fresh {
        prompt: String,
        /// The JSON schema of the answer.
        schema: String,
        /// The model, as for a probe.
        model: Option<String>,
    },
    /// Sends a user's text, which becomes part of the session. For a session that is not live.
    Reply { text: String },
    /// Sends a user's text to a live session through the agent's own queue.
    Queue { text: String },
}

/// A command line, and how to read its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentCommand {
    /// The program's name, looked up in `PATH`, or an absolute path.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// Its standard input. If empty, standard input is closed immediately.
    pub stdin: String,
    /// Its working directory.
    pub folder: PathBuf,
    /// Variables added to the environment that programs get.
    pub environment: Vec<(String, Argument)>,
    /// What it leaves behind.
    pub trace: Trace,
    /// Where its answer is.
    pub answer: AnswerPlace,
}

/// An argument of a command line, or the value of an environment variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// Literal text.
    Text(String),
    /// The path of a temporary file with this content.
    File(String),
    /// The path of a temporary copy of the session's record, in a file whose name begins with
    /// [`COPY_PREFIX`]. From a record that holds many sessions only this one is copied.
    RecordCopy,
}

/// The prefix of the names of record copies. It distinguishes a session that an agent makes from a copy
/// from a user's session.
pub const COPY_PREFIX: &str = "closeout-copy-";

/// Where the answer of a command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerPlace {
    /// In the only JSON object on its standard output: `structured_output`, else `result`. An error if
    /// `is_error` is set (Claude Code).
    ResultObject,
    /// In the last `agent_message` item of the JSON lines on its standard output (Codex).
    LastAgentMessage,
    /// In the `text` events of the JSON lines on its standard output (opencode).
    TextEvents,
    /// In the field `response` of the JSON object on its standard output (Gemini CLI).
    ResponseField,
    /// All of its standard output.
    Stdout,
    /// Nowhere: the command has no answer.
    None,
}

impl AgentCommand {
    /// A command that gets no input, gives no answer and leaves no trace.
    pub(super) fn new(program: &str, arguments: Vec<Argument>, folder: PathBuf) -> AgentCommand {
        AgentCommand {
            program: program.to_owned(),
            arguments,
            stdin: String::new(),
            folder,
            environment: Vec::new(),
            trace: Trace::Nothing,
            answer: AnswerPlace::None,
        }
    }

    /// Adds an environment variable.
    #[must_use]
    pub(super) fn with_variable(mut self, name: &str, value: &str) -> AgentCommand {
        self.environment.push((name.to_owned(), value.into()));
        self
    }
}

/// Whether `text` is a UUID in its usual hyphenated form. Only such an id may become an argument or a part of a
/// file name.
pub(super) fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths = groups.iter().map(|group| group.len());
    lengths.eq([8, 4, 4, 4, 12]) && groups.concat().bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl From<&str> for Argument {
    fn from(text: &str) -> Argument {
        Argument::Text(text.to_owned())
    }
}
