//! The command lines of Gemini CLI, as seen with 0.61.0.
//!
//! There is no look that leaves nothing behind: a session is made of a copy of the record, with a new id.
//! The client deletes it when it is next started in that project.
//!
//! There is no way to write to a session that is not on a screen. `gemini --resume ID` answers well and
//! leaves a second, empty record with the same id if another minute has begun since the first one; the
//! next start in that project deletes an empty record together with all records of that id, and so the
//! session with all that was said in it.

use crate::agent::commands::{AgentCommand, AnswerPlace, Argument, Asking, Trace};
use crate::model::SessionObservation;

/// The program.
const PROGRAM: &str = "gemini";

/// The program by which a session is asked or told something.
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
    // Tools that change something are not offered to the model.
    arguments.extend(["--approval-mode", "plan", "--output-format", "json"].map(Argument::from));
    // Without it another model may be asked than the one that did the work, and a call decides first which.
    if let Some(model) = chosen.or(session.model.as_ref()).filter(|model| is_model(model)) {
        arguments.push(Argument::Text(format!("--model={model}")));
    }
    Some(AgentCommand {
        program: PROGRAM.to_owned(),
        arguments,
        stdin: prompt,
        folder: session.folder.clone()?,
        environment: Vec::new(),
        trace: Trace::Copy,
        answer: AnswerPlace::ResponseField,
    })
}

fn is_model(name: &str) -> bool {
    (1..=100).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

/// The client takes no schema, so the words ask for it.
fn with_schema(prompt: &str, schema: &str) -> String {
    format!("{prompt}\n\nAnswer with one JSON object and nothing else. Its JSON schema:\n{schema}\n")
}

/// The program that deletes a copy. Its id is a UUID; the client takes a number too, which would be another
/// session's place in a list.
pub(in crate::agent) fn removal(session: &SessionObservation, copy_id: &str) -> Option<AgentCommand> {
    let groups: Vec<&str> = copy_id.split('-').collect();
    let is_uuid = groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.concat().bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_uuid {
        return None;
    }
    Some(AgentCommand {
        program: PROGRAM.to_owned(),
        arguments: vec!["--delete-session".into(), copy_id.into()],
        stdin: String::new(),
        folder: session.folder.clone()?,
        environment: Vec::new(),
        trace: Trace::Nothing,
        answer: AnswerPlace::None,
    })
}
