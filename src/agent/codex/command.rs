//! The command lines that probe a thread or reply to it, as data. Tried with 0.169.0.
//!
//! Text is passed on standard input, where no other user of the machine can read it. Only `codex queue`
//! insists on an argument.

use super::NAME;
use crate::agent::commands::{AgentCommand, AnswerPlace, Argument, Asking, Trace, is_uuid};
use crate::model::SessionObservation;

/// The longest message that is queued, in bytes. A single argument is limited to 128 KiB (execve(2)).
const LONGEST_MESSAGE: usize = 100 << 10;
/// Options that keep a probe from running the user's hooks and from changing anything. Without the
/// read-only sandbox a fork has the rights of its original thread and can write to the workspace.
const LOOK_ONLY: [&str; 8] =
    ["--ephemeral", "--disable", "hooks", "-c", "notify=[]", "-c", "sandbox_mode=\"read-only\"", "-c"];
/// The value of the last `-c`: nobody is present to approve anything.
const ASK_NOBODY: &str = "approval_policy=\"never\"";

/// The command for `asking`. `None` if the session's id is not a thread id, its folder is unknown, or a
/// message to queue does not fit an argument.
pub(in crate::agent) fn command(session: &SessionObservation, asking: &Asking) -> Option<AgentCommand> {
    let id = session.session_id.as_str();
    if !is_uuid(id) && !matches!(asking, Asking::Fresh { .. }) {
        return None;
    }
    let (arguments, stdin, trace) = match asking {
        Asking::Probe { prompt, model } => (probe(Some(id), None, model.as_ref()), prompt, Trace::Nothing),
        Asking::Closer { prompt, schema, model } => {
            (probe(Some(id), Some(schema), model.as_ref()), prompt, Trace::Nothing)
        }
        Asking::Fresh { prompt, schema, model } => {
            (probe(None, Some(schema), model.as_ref()), prompt, Trace::Nothing)
        }
        Asking::Reply { text } => {
            let mut arguments = texts(&["exec", "resume"]);
            arguments.extend(ending(Some(id)));
            (arguments, text, Trace::InSession)
        }
        Asking::Queue { text } => return queue(session, id, text),
    };
    Some(AgentCommand {
        stdin: stdin.clone(),
        trace,
        answer: AnswerPlace::LastAgentMessage,
        ..AgentCommand::new(NAME, arguments, session.folder.clone()?)
    })
}

/// The arguments of a run that writes nothing: a fork of thread `id`, or a new thread.
fn probe(id: Option<&str>, schema: Option<&String>, model: Option<&String>) -> Vec<Argument> {
    let mut arguments = texts(&["exec"]);
    arguments.extend(id.map(|_| Argument::from("fork")));
    arguments.extend(texts(&LOOK_ONLY));
    arguments.push(ASK_NOBODY.into());
    if let Some(schema) = schema {
        arguments.push("--output-schema".into());
        arguments.push(Argument::File(schema.clone()));
    }
    if let Some(model) = model {
        arguments.extend(["-m".into(), Argument::Text(model.clone())]);
    }
    arguments.extend(ending(id));
    arguments
}

/// The end of every command line: JSON lines on standard output, the text on standard input.
fn ending(id: Option<&str>) -> Vec<Argument> {
    let mut arguments = texts(&["--json", "--skip-git-repo-check", "--"]);
    arguments.extend(id.map(Argument::from));
    arguments.push("-".into());
    arguments
}

fn queue(session: &SessionObservation, id: &str, text: &str) -> Option<AgentCommand> {
    if text.len() > LONGEST_MESSAGE || text.contains('\0') {
        return None;
    }
    // `--name=value` in one argument, so that text beginning with a dash is not read as an option.
    let arguments = vec![
        "queue".into(),
        Argument::Text(format!("--thread={id}")),
        Argument::Text(format!("--message={text}")),
    ];
    let command = AgentCommand::new(NAME, arguments, session.folder.clone()?);
    Some(AgentCommand { trace: Trace::InSession, ..command })
}

fn texts(texts: &[&str]) -> Vec<Argument> {
    texts.iter().map(|text| Argument::from(*text)).collect()
}
