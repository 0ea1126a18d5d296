//! The command lines by which opencode is asked or told something, as tried with 1.18.33.

use std::path::PathBuf;

use super::is_session_id;
use crate::agent::commands::{AgentCommand, AnswerPlace, Argument, Asking, Trace};
use crate::model::SessionObservation;

/// The program.
const PROGRAM: &str = "opencode";
/// No agent and no model has a longer name, in bytes.
const LONGEST_NAME: usize = 200;
/// Variables of a look. All tools are refused, and then none is offered to the model: `run` asks nobody, and
/// without this it edits and runs what the person's configuration allows. The agent `plan` says the same in
/// words, and stands against a permission that the configuration gives to another agent. A person who shares
/// all sessions (`"share": "auto"`) would have the copy on a public page, and nothing would take it away.
const LOOK_ONLY: [(&str, &str); 2] = [("OPENCODE_DISABLE_SHARE", "1"), ("OPENCODE_DISABLE_AUTOUPDATE", "1")];
/// Which tools a look may use.
const PERMISSION: &str = "OPENCODE_PERMISSION";
const NO_TOOL: &str = r#"{"*":"deny"}"#;
/// A new session has to read what it judges.
const READ_ONLY: &str = r#"{"*":"deny","read":"allow","grep":"allow","glob":"allow","list":"allow"}"#;
/// The database that the client uses in place of its own.
const DATABASE: &str = "OPENCODE_DB";

/// The program by which a session is asked or told something. `None` for a session whose id, folder, agent
/// or model cannot stand on a command line, and for a queue, which opencode has none of.
///
/// A look goes to a copy of the session in a database of its own, so that nothing of it reaches the
/// person's: the whole data folder is the same afterwards but for lines in the client's log, the person's
/// lists of sessions never show it, and it can be ended at any time. A client that would not know
/// `OPENCODE_DB` makes a copy with `--fork` in the person's database instead, which is then deleted.
///
/// A reply names the agent and the model of the last turn: without them `run` goes on with `build`, and a
/// session that was kept from changing anything (`plan`) could change files from then on.
///
/// The prompt goes by standard input: one with spaces reaches the model in quotes when it is an argument. An
/// error of the model's service can make the client try again without end and without a word, so whoever
/// starts it sets a time limit.
pub(in crate::agent) fn command(session: &SessionObservation, asking: &Asking) -> Option<AgentCommand> {
    let folder: PathBuf = session.folder.clone().filter(|folder| folder.is_absolute())?;
    let is_fresh = matches!(asking, Asking::Fresh { .. });
    if !is_fresh && !is_session_id(&session.session_id) {
        return None;
    }
    let own_model = session.model.as_ref();
    let (stdin, is_look, model) = match asking {
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
    if is_look {
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
    if is_look {
        let permission = (PERMISSION, if is_fresh { READ_ONLY } else { NO_TOOL });
        let variables = [permission].into_iter().chain(LOOK_ONLY);
        environment.extend(variables.map(|(name, value)| (name.to_owned(), value.into())));
        // A new session has an empty one.
        let database = if is_fresh { Argument::File(String::new()) } else { Argument::RecordCopy };
        environment.push((DATABASE.to_owned(), database));
    }
    Some(AgentCommand {
        program: PROGRAM.to_owned(),
        arguments,
        stdin,
        folder,
        environment,
        trace: if is_look { Trace::Nothing } else { Trace::InSession },
        answer: AnswerPlace::TextEvents,
    })
}

/// An option whose value comes from the session's record; `None` for a name that none has.
fn named(option: &str, name: &str) -> Option<Argument> {
    let is_name = !name.is_empty()
        && name.len() <= LONGEST_NAME
        && name.chars().all(|sign| sign.is_alphanumeric() || "-_./:@+ ".contains(sign));
    is_name.then(|| Argument::Text(format!("--{option}={name}")))
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
        program: PROGRAM.to_owned(),
        arguments: vec!["session".into(), "delete".into(), copy_id.into()],
        stdin: String::new(),
        folder,
        environment: Vec::new(),
        trace: Trace::Nothing,
        answer: AnswerPlace::None,
    })
}
