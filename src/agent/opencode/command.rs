//! The command lines that probe an opencode session or reply to it, as data. Tried with 1.18.33. Nothing is
//! started here.

use std::path::PathBuf;

use super::{NAME, is_session_id};
use crate::agent::commands::{AgentCommand, AnswerPlace, Argument, Asking, Trace};
use crate::model::SessionObservation;

/// The longest name of an agent or a model that is passed on, in bytes.
const LONGEST_NAME: usize = 200;
/// Variables set for every probe. Without the first, a user who shares all sessions (`"share": "auto"`)
/// would have the copy on a public page, and nothing would remove it.
const LOOK_ONLY: [(&str, &str); 2] = [("OPENCODE_DISABLE_SHARE", "1"), ("OPENCODE_DISABLE_AUTOUPDATE", "1")];
/// Restricts the tools of a probe. `run` asks nobody, so without it the model edits and runs whatever the
/// user's configuration allows. The agent `plan` gives the same instruction in words, and a permission that
/// the configuration grants to another agent does not apply to it.
const PERMISSION: &str = "OPENCODE_PERMISSION";
/// Denied tools are not even offered to the model.
const NO_TOOL: &str = r#"{"*":"deny"}"#;
/// A new session has to read the work it judges.
const READ_ONLY: &str = r#"{"*":"deny","read":"allow","grep":"allow","glob":"allow","list":"allow"}"#;
/// The database the client uses instead of its own.
const DATABASE: &str = "OPENCODE_DB";

/// The command for `asking`. `None` if the session's id, folder, agent or model cannot stand on a command
/// line, and for a queued reply, which opencode does not support.
///
/// A probe runs on a copy of the session in a separate database, so nothing of it reaches the user's: the
/// data folder is unchanged afterwards except for lines in the client's log, session lists never show the
/// probe, and it can be killed at any time. A client that does not know `OPENCODE_DB` instead forks the
/// session (`--fork`) in the user's database; that fork is then deleted.
///
/// A reply names the agent and the model of the last turn. Without them `run` uses `build`, and a session
/// that was not allowed to change anything (`plan`) could change files from then on.
///
/// The prompt is passed on standard input: as an argument, one with spaces reaches the model in quotes. An
/// error of the model service can make the client retry silently and forever, so the caller must set a time
/// limit.
pub(in crate::agent) fn command(session: &SessionObservation, asking: &Asking) -> Option<AgentCommand> {
    let folder: PathBuf = session.folder.clone().filter(|folder| folder.is_absolute())?;
    let is_fresh = matches!(asking, Asking::Fresh { .. });
    if !is_fresh && !is_session_id(&session.session_id) {
        return None;
    }
    let own_model = session.model.as_ref();
    let (stdin, is_probe, model) = match asking {
        Asking::Probe { prompt, model } => (prompt.clone(), true, model.as_ref().or(own_model)),
        Asking::Closer { prompt, schema, model } | Asking::Fresh { prompt, schema, model } => {
            (with_schema(prompt, schema), true, model.as_ref().or(own_model))
        }
        Asking::Reply { text } => (text.clone(), false, own_model),
        Asking::Queue { .. } => return None,
    };
    let mut arguments: Vec<Argument> = vec!["run".into()];
    if !is_fresh {
        arguments.extend(["--session".into(), session.session_id.as_str().into()]);
    }
    if is_probe {
        arguments.extend((!is_fresh).then(|| "--fork".into()));
        arguments.push("--agent=plan".into());
    } else if let Some(agent) = &session.mode {
        arguments.push(named("agent", agent)?);
    }
    if let Some(model) = model.filter(|model| model.contains('/')) {
        arguments.push(named("model", model)?);
    }
    arguments.extend(["--format".into(), "json".into()]);
    let mut environment = Vec::new();
    if is_probe {
        let permission = (PERMISSION, if is_fresh { READ_ONLY } else { NO_TOOL });
        let variables = [permission].into_iter().chain(LOOK_ONLY);
        environment.extend(variables.map(|(name, value)| (name.to_owned(), value.into())));
        // A new session starts with an empty database.
        let database = if is_fresh { Argument::File(String::new()) } else { Argument::RecordCopy };
        environment.push((DATABASE.to_owned(), database));
    }
    Some(AgentCommand {
        stdin,
        environment,
        trace: if is_probe { Trace::Nothing } else { Trace::InSession },
        answer: AnswerPlace::TextEvents,
        ..AgentCommand::new(NAME, arguments, folder)
    })
}

/// An option whose value comes from the session's record. `None` if the value cannot be a name.
fn named(option: &str, name: &str) -> Option<Argument> {
    let is_name = !name.is_empty()
        && name.len() <= LONGEST_NAME
        && name.chars().all(|sign| sign.is_alphanumeric() || "-_./:@+ ".contains(sign));
    is_name.then(|| Argument::Text(format!("--{option}={name}")))
}

/// opencode takes no schema, so the prompt asks for it.
fn with_schema(prompt: &str, schema: &str) -> String {
    format!(
        "{prompt}\n\nAnswer with one JSON object and nothing else. It must match this JSON schema:\n{schema}"
    )
}

/// The command that deletes the copy `copy_id`.
pub(in crate::agent) fn removal(session: &SessionObservation, copy_id: &str) -> Option<AgentCommand> {
    let folder: PathBuf = session.folder.clone().filter(|folder| folder.is_absolute())?;
    if !is_session_id(copy_id) {
        return None;
    }
    Some(AgentCommand::new(NAME, vec!["session".into(), "delete".into(), copy_id.into()], folder))
}
