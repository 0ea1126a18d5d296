//! An agent that a person described in their configuration: where its output or its record is, its status
//! file, its commands.
//!
//! What it leaves below a workspace can be written by anybody who works there, so no link is followed on
//! the way to it. A place outside is the person's word; there only the file itself may be no link.

mod command;
mod jsonl;
mod lines;
mod place;
mod read;
mod status;

use std::path::{Path, PathBuf};

use super::adapter::{Agent, SessionsRead};
use super::commands::{AgentCommand, Asking};
use super::facts::Facts;
use super::memory::Memories;
use crate::model::{CustomAgent, SessionObservation, SessionPlace, VariableNames};

/// An agent that a person described.
#[derive(Debug)]
pub(super) struct Custom(pub(super) CustomAgent);

/// The usual names of keys and of services.
const VARIABLES: VariableNames = VariableNames {
    allowed: &[
        "*_API_BASE",
        "*_API_KEY",
        "*_API_TOKEN",
        "*_BASE_URL",
        "AIDER_*",
        "ANTHROPIC_*",
        "AWS_*",
        "AZURE_*",
        "GITHUB_TOKEN",
        "GOOGLE_*",
        "GOOSE_*",
        "HF_TOKEN",
        "OLLAMA_*",
        "OPENAI_*",
    ],
    except: &[],
};

impl Agent for Custom {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn facts(&self) -> &'static Facts {
        &Facts { variables: VARIABLES, is_described: true, ..Facts::NONE }
    }

    fn sessions(
        &self,
        _home: &Path,
        workspace: &Path,
        _places: &[&SessionPlace],
        memory: &mut Memories,
    ) -> SessionsRead {
        memory.with(|memory| read::sessions(&self.0, workspace, memory))
    }

    fn command(&self, session: &SessionObservation, asking: &Asking) -> Option<AgentCommand> {
        command::command(&self.0, session, asking)
    }

    fn has_traceless_probe(&self) -> bool {
        self.0.probe.is_some()
    }

    fn reply_file(&self, workspace: &Path) -> Option<PathBuf> {
        command::reply_file(&self.0, workspace)
    }
}
