//! The command lines that probe a session or reply to it, as data. Nothing is started here.
//!
//! The prompt is passed on standard input, so that no text of a user or a model becomes an argument. The id
//! and the folder come from the session's record, so both are checked.

use std::path::PathBuf;

use super::NAME;
use crate::agent::commands::{AgentCommand, AnswerPlace, Argument, Asking, Trace, is_uuid};
use crate::model::SessionObservation;

/// Settings that disable all hooks, closeout's own included.
const NO_HOOKS: &str = r#"{"disableAllHooks":true}"#;
/// Limits how long a probe waits when the model service fails.
const FEW_RETRIES: (&str, &str) = ("CLAUDE_CODE_MAX_RETRIES", "1");

/// The command for `asking`. `None` if there is no way to run it: the session's id is not a UUID, its
/// folder is unknown, or the request is to queue a reply, which Claude Code cannot do for a live session.
pub(in crate::agent) fn command(session: &SessionObservation, asking: &Asking) -> Option<AgentCommand> {
    let id = session.session_id.as_str();
    if !is_uuid(id) && !matches!(asking, Asking::Fresh { .. }) {
        return None;
    }
    // The client records the folder it was started in, and its tools run there.
    let folder = session.folder.clone().filter(|folder| folder.is_absolute())?;
    match asking {
        Asking::Probe { prompt, model } => {
            Some(started(&probe(Some(id), None, model.as_deref()), folder, prompt))
        }
        Asking::Closer { prompt, schema, model } => {
            Some(started(&probe(Some(id), Some(schema), model.as_deref()), folder, prompt))
        }
        Asking::Fresh { prompt, schema, model } => {
            Some(started(&probe(None, Some(schema), model.as_deref()), folder, prompt))
        }
        Asking::Reply { text } => Some(AgentCommand {
            environment: Vec::new(),
            trace: Trace::InSession,
            ..started(&["-p", "--resume", id, "--output-format", "json"], folder, text)
        }),
        Asking::Queue { .. } => None,
    }
}

/// The arguments of a run that leaves no trace and changes nothing: one that reads the session `id`, or a new
/// one without it.
fn probe<'a>(id: Option<&'a str>, schema: Option<&'a str>, model: Option<&'a str>) -> Vec<&'a str> {
    let mut arguments = vec!["-p"];
    arguments.extend(id.into_iter().flat_map(|id| ["--resume", id]));
    arguments.extend(["--no-session-persistence", "--settings", NO_HOOKS, "--permission-mode", "plan"]);
    arguments.extend(["--output-format", "json"]);
    arguments.extend(schema.into_iter().flat_map(|schema| ["--json-schema", schema]));
    arguments.extend(model.into_iter().flat_map(|model| ["--model", model]));
    arguments
}

fn started(arguments: &[&str], folder: PathBuf, prompt: &str) -> AgentCommand {
    let (name, value) = FEW_RETRIES;
    AgentCommand {
        stdin: prompt.to_owned(),
        environment: vec![(name.to_owned(), value.into())],
        answer: AnswerPlace::ResultObject,
        ..AgentCommand::new(NAME, arguments.iter().copied().map(Argument::from).collect(), folder)
    }
}
