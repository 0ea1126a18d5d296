//! The implementation of [`Agent`] for an agent described in the user's configuration.

use std::path::{Path, PathBuf};

use super::read;
use super::search::Place;
use crate::agent::commands::{AgentCommand, AnswerPlace, Argument, Asking, Trace};
use crate::agent::facts::Facts;
use crate::agent::kind::{Agent, Memories, SessionsAsk, SessionsRead};
use crate::model::{CustomAgent, SessionObservation, VariableNames};

/// An agent described in the user's configuration.
#[derive(Debug)]
pub(in crate::agent) struct Custom(pub(in crate::agent) CustomAgent);

/// The usual names of variables with keys and service addresses.
const VARIABLES: VariableNames = VariableNames {
    allowed: &[
        "*_API_BASE", "*_API_KEY", "*_API_TOKEN", "*_BASE_URL", "AIDER_*", "ANTHROPIC_*", "AWS_*", "AZURE_*",
        "GITHUB_TOKEN", "GOOGLE_*", "GOOSE_*", "HF_TOKEN", "OLLAMA_*", "OPENAI_*",
    ],
    except: &[],
};

impl Agent for Custom {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn facts(&self) -> &'static Facts {
        const SILENT: Facts = Facts { variables: VARIABLES, is_described: true, ..Facts::NONE };
        if self.0.probe.is_some() { &Facts { has_traceless_probe: true, ..SILENT } } else { &SILENT }
    }

    fn sessions(&self, ask: &SessionsAsk<'_>, memory: &mut Memories) -> SessionsRead {
        memory.with(|memory| read::sessions(&self.0, ask.workspace, memory))
    }

    fn command(&self, session: &SessionObservation, asking: &Asking) -> Option<AgentCommand> {
        command(&self.0, session, asking)
    }

    fn reply_file(&self, workspace: &Path) -> Option<PathBuf> {
        reply_file(&self.0, workspace)
    }
}

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
        SESSION_FILE => Argument::Text(folder.join(session.session_id.as_str()).display().to_string()),
        other => Argument::Text(other.to_owned()),
    };
    Some(AgentCommand {
        stdin: stdin.clone(),
        trace,
        answer: if trace == Trace::InSession { AnswerPlace::None } else { AnswerPlace::Stdout },
        ..AgentCommand::new(program, arguments.iter().map(argument).collect(), folder.clone())
    })
}

/// The file that replies are written to in `workspace`. `None` if none is configured, or its name is a
/// pattern.
pub(in crate::agent) fn reply_file(agent: &CustomAgent, workspace: &Path) -> Option<PathBuf> {
    Place::of(agent.reply_file.as_deref()?, workspace)?.exact_path()
}
