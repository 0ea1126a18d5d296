//! The command lines of Gemini CLI, as observed with 0.61.0.
//!
//! No probe is free of traces: each makes a session with a new id from a copy of the record. The client
//! deletes that session the next time it starts in the project.
//!
//! There is no safe way to write to a session that is not on a screen. `gemini --resume ID` answers well,
//! but leaves a second, empty record with the same id if a new minute has begun since the first one. The
//! next start in that project deletes an empty record together with all records of that id, and with them
//! the whole session.

use super::NAME;
use crate::agent::commands::{AgentCommand, AnswerPlace, Argument, Asking, Trace, is_uuid};
use crate::model::SessionObservation;

/// The command for `asking`. `None` for a reply or a queued reply, which are never sent this way, and if
/// the folder is unknown.
pub(in crate::agent) fn command(session: &SessionObservation, asking: &Asking) -> Option<AgentCommand> {
    let (prompt, chosen) = match asking {
        Asking::Probe { prompt, model } => (prompt.clone(), model.as_ref()),
        Asking::Closer { prompt, schema, model } | Asking::Fresh { prompt, schema, model } => {
            (with_schema(prompt, schema), model.as_ref())
        }
        Asking::Reply { .. } | Asking::Queue { .. } => return None,
    };
    let mut arguments = Vec::new();
    if !matches!(asking, Asking::Fresh { .. }) {
        arguments.extend(["--session-file".into(), Argument::RecordCopy]);
    }
    // In plan mode the model is not offered tools that change anything.
    arguments.extend(["--approval-mode", "plan", "--output-format", "json"].map(Argument::from));
    // Without it the client makes an extra model call to choose a model, which may not be the one that did
    // the work.
    if let Some(model) = chosen.or(session.model.as_ref()).filter(|model| is_model(model)) {
        arguments.push(Argument::Text(format!("--model={model}")));
    }
    Some(AgentCommand {
        stdin: prompt,
        trace: Trace::Copy,
        answer: AnswerPlace::ResponseField,
        ..AgentCommand::new(NAME, arguments, session.folder.clone()?)
    })
}

fn is_model(name: &str) -> bool {
    (1..=100).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

/// The client takes no schema, so the prompt asks for it.
fn with_schema(prompt: &str, schema: &str) -> String {
    format!("{prompt}\n\nAnswer with one JSON object and nothing else. Its JSON schema:\n{schema}\n")
}

/// The command that deletes the copy `copy_id`. Only a UUID is accepted: the client would take a number as
/// an index into its list of sessions and delete another session.
pub(in crate::agent) fn removal(session: &SessionObservation, copy_id: &str) -> Option<AgentCommand> {
    if !is_uuid(copy_id) {
        return None;
    }
    let arguments = vec!["--delete-session".into(), copy_id.into()];
    Some(AgentCommand::new(NAME, arguments, session.folder.clone()?))
}
