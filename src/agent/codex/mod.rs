//! Codex: its rollouts under `sessions/`.

use std::path::Path;

use super::SessionsRead;
use super::commands::{AgentCommand, Asking};
use super::survey::{Survey, SurveyAsk};
use crate::model::{SessionObservation, SessionPlace};

/// The agent's name in evidence and on the screen.
pub(super) const NAME: &str = "codex";

/// What is remembered of a workspace's sessions between readings.
#[derive(Debug, Default)]
pub(crate) struct Memory {}

/// What is remembered of the sessions found.
#[derive(Debug, Default)]
pub(crate) struct SurveyMemory {}

/// Finds the sessions on this machine.
pub(super) fn survey(_place: &Path, _ask: &SurveyAsk<'_>, _memory: &mut SurveyMemory) -> Survey {
    Survey::default()
}

/// Reads the sessions of `workspace` at `places`.
pub(super) fn sessions(
    _place: &Path,
    _workspace: &Path,
    _places: &[&SessionPlace],
    _memory: &mut Memory,
) -> SessionsRead {
    SessionsRead::default()
}

/// The program by which a session is asked or told something.
pub(super) fn command(_session: &SessionObservation, _asking: &Asking) -> Option<AgentCommand> {
    None
}

/// Whether records of this version were tried.
pub(super) fn knows_version(version: &str) -> bool {
    version == "0.169.0"
}
