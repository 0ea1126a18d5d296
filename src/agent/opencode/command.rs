//! The command lines by which opencode is asked or told something.

use std::path::PathBuf;

use super::is_session_id;
use crate::agent::commands::{AgentCommand, AnswerPlace, Argument, Asking, Trace};
use crate::model::SessionObservation;

/// The program by which a session is asked or told something. `None` for a session whose id or folder
/// cannot stand on a command line, and for a queue, which opencode has none of.
///
/// The prompt goes by standard input: one with spaces reaches the model in quotes when it is an argument.
/// A copy takes a session of its own, `… (fork #1)`, and is deleted with `opencode session delete`. An
/// error of the model's service can make the client try again without end and without a word, so whoever
/// starts it sets a time limit.
pub(in crate::agent) fn command(session: &SessionObservation, asking: &Asking) -> Option<AgentCommand> {
    let folder: PathBuf = session.folder.clone().filter(|folder| folder.is_absolute())?;
    if !is_session_id(&session.session_id) {
        return None;
    }
    let (stdin, is_copy) = match asking {
        Asking::Probe { prompt } => (prompt.clone(), true),
        Asking::Closer { prompt, schema } => (with_schema(prompt, schema), true),
        Asking::Reply { text } => (text.clone(), false),
        Asking::Queue { .. } => return None,
    };
    let mut arguments: Vec<Argument> =
        vec!["run".into(), "--session".into(), session.session_id.as_str().into()];
    if is_copy {
        arguments.push("--fork".into());
    }
    arguments.extend(["--format".into(), "json".into()]);
    Some(AgentCommand {
        program: "opencode".to_owned(),
        arguments,
        stdin,
        folder,
        environment: Vec::new(),
        trace: if is_copy { Trace::Copy } else { Trace::InSession },
        answer: AnswerPlace::TextEvents,
    })
}

/// opencode takes no schema, so it is asked for in words.
fn with_schema(prompt: &str, schema: &str) -> String {
    format!(
        "{prompt}\n\nAnswer with one JSON object and nothing else. It must match this JSON schema:\n{schema}"
    )
}

/// The program that deletes a copy.
pub(in crate::agent) fn removal(session: &SessionObservation, copy_id: &str) -> Option<AgentCommand> {
    let folder: PathBuf = session.folder.clone().filter(|folder| folder.is_absolute())?;
    if !is_session_id(copy_id) {
        return None;
    }
    Some(AgentCommand {
        program: "opencode".to_owned(),
        arguments: vec!["session".into(), "delete".into(), copy_id.into()],
        stdin: String::new(),
        folder,
        environment: Vec::new(),
        trace: Trace::Nothing,
        answer: AnswerPlace::None,
    })
}
