//! The implementation of [`Agent`] for an agent described in the user's configuration.

use std::path::{Path, PathBuf};

use super::{command, read};
use crate::agent::commands::{AgentCommand, Asking};
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
        command::command(&self.0, session, asking)
    }

    fn reply_file(&self, workspace: &Path) -> Option<PathBuf> {
        command::reply_file(&self.0, workspace)
    }
}
