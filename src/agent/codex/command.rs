//! The command lines by which a thread is asked or told something, as data. Tried with 0.169.0.
//!
//! Words go in by standard input, where no other user of the machine can read them; `codex queue` alone
//! takes them as an argument only.

use super::is_thread_id;
use crate::agent::commands::{AgentCommand, AnswerPlace, Argument, Asking, Trace};
use crate::model::SessionObservation;

/// The longest message that is queued, in bytes: an argument can have 128 KiB (execve(2)).
const LONGEST_MESSAGE: usize = 100 << 10;
/// What keeps a look from running the person's hooks and from changing anything. Without the last one a
/// fork has the rights of the thread that it is a copy of, and can write to the workspace.
const LOOK_ONLY: [&str; 8] =
    ["--ephemeral", "--disable", "hooks", "-c", "notify=[]", "-c", "sandbox_mode=\"read-only\"", "-c"];
/// The value of its last `-c`: nobody is there to be asked.
const ASK_NOBODY: &str = "approval_policy=\"never\"";

/// The program by which a session is asked or told something. `None` if its id is no thread's, or if the
/// folder it works in is not known.
pub(in crate::agent) fn command(session: &SessionObservation, asking: &Asking) -> Option<AgentCommand> {
    let id = session.session_id.as_str();
    if !is_thread_id(id) && !matches!(asking, Asking::Fresh { .. }) {
        return None;
    }
    let (arguments, stdin, trace) = match asking {
        Asking::Probe { prompt, model } => (look(Some(id), None, model.as_ref()), prompt, Trace::Nothing),
        Asking::Closer { prompt, schema, model } => {
            (look(Some(id), Some(schema), model.as_ref()), prompt, Trace::Nothing)
        }
        Asking::Fresh { prompt, schema, model } => {
            (look(None, Some(schema), model.as_ref()), prompt, Trace::Nothing)
        }
        Asking::Reply { text } => {
            let mut arguments = texts(&["exec", "resume"]);
            arguments.extend(ending(Some(id)));
            (arguments, text, Trace::InSession)
        }
        Asking::Queue { text } => return queue(session, id, text),
    };
    Some(AgentCommand {
        program: "codex".to_owned(),
        arguments,
        stdin: stdin.clone(),
        folder: session.folder.clone()?,
        environment: Vec::new(),
        trace,
        answer: AnswerPlace::LastAgentMessage,
    })
}

/// A fork of the thread, or a new one without an id, that writes nothing.
fn look(id: Option<&str>, schema: Option<&String>, model: Option<&String>) -> Vec<Argument> {
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

/// The end of the command line: JSON lines out, words in by standard input.
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
    // One argument each: words that begin with a dash are no options.
    let arguments = vec![
        "queue".into(),
        Argument::Text(format!("--thread={id}")),
        Argument::Text(format!("--message={text}")),
    ];
    Some(AgentCommand {
        program: "codex".to_owned(),
        arguments,
        stdin: String::new(),
        folder: session.folder.clone()?,
        environment: Vec::new(),
        trace: Trace::InSession,
        answer: AnswerPlace::None,
    })
}

fn texts(texts: &[&str]) -> Vec<Argument> {
    texts.iter().map(|text| Argument::from(*text)).collect()
}
