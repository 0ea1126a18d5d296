//! Builds the command lines that a user configured for an agent of their own.

use std::path::{Path, PathBuf};

use super::search::Place;

use crate::agent::commands::{AgentCommand, AnswerPlace, Argument, Asking, Trace};
use crate::model::{CustomAgent, SessionObservation};

/// The placeholder for a file with the answer's JSON schema.
const SCHEMA_FILE: &str = "{schema_file}";
/// The placeholder for the path of the session's output or record.
const SESSION_FILE: &str = "{session_file}";

/// The command for `asking`: the prompt goes to its standard input, the answer comes from its standard
/// output. `None` if the user configured no such command, the folder is unknown, or a new session would
/// need the file of an existing one.
pub(in crate::agent) fn command(
    agent: &CustomAgent,
    session: &SessionObservation,
    asking: &Asking,
) -> Option<AgentCommand> {
    let (line, stdin, schema, trace) = match asking {
        Asking::Probe { prompt, .. } => (&agent.probe, prompt, "", Trace::Nothing),
        Asking::Closer { prompt, schema, .. } | Asking::Fresh { prompt, schema, .. } => {
            (&agent.query, prompt, schema.as_str(), Trace::Nothing)
        }
        Asking::Reply { text } => (&agent.reply, text, "", Trace::InSession),
        Asking::Queue { .. } => return None,
    };
    let (program, arguments) = line.as_ref()?.split_first()?;
    let is_fresh = matches!(asking, Asking::Fresh { .. });
    if is_fresh && arguments.iter().any(|argument| argument == SESSION_FILE) {
        return None;
    }
    let folder = session.folder.clone()?;
    let argument = |text: &String| match text.as_str() {
        SCHEMA_FILE => Argument::File(schema.to_owned()),
        SESSION_FILE => Argument::Text(folder.join(Path::new(&session.session_id)).display().to_string()),
        other => Argument::Text(other.to_owned()),
    };
    Some(AgentCommand {
        program: program.clone(),
        arguments: arguments.iter().map(argument).collect(),
        stdin: stdin.clone(),
        folder: folder.clone(),
        environment: Vec::new(),
        trace,
        answer: if trace == Trace::InSession { AnswerPlace::None } else { AnswerPlace::Stdout },
    })
}

/// The file that replies are written to in `workspace`. `None` if none is configured, or its name is a
/// pattern.
pub(in crate::agent) fn reply_file(agent: &CustomAgent, workspace: &Path) -> Option<PathBuf> {
    Place::of(agent.reply_file.as_deref()?, workspace)?.exact_path()
}
