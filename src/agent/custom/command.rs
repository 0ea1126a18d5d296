//! The command lines that a person gave for an agent of their own.

use std::path::{Path, PathBuf};

use super::search::Place;

use crate::agent::commands::{AgentCommand, AnswerPlace, Argument, Asking, Trace};
use crate::model::{CustomAgent, SessionObservation};

/// Stands for a file with the schema of the answer.
const SCHEMA_FILE: &str = "{schema_file}";
/// Stands for the path of the session's output or record.
const SESSION_FILE: &str = "{session_file}";

/// The program by which a session is asked or told something: the prompt on its standard input, the answer
/// on its standard output.
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

/// The file that replies are written to.
pub(in crate::agent) fn reply_file(agent: &CustomAgent, workspace: &Path) -> Option<PathBuf> {
    Place::of(agent.reply_file.as_deref()?, workspace)?.exact_path()
}
