//! Claude Code: its transcripts under `projects/`, its tasks under `tasks/`, its registry of running
//! sessions under `sessions/`.
//!
//! Seen in real runs of 2.1.330, 2.1.197 and 1.0.128. New kinds of lines come often; an unknown one is
//! counted and passed over.

mod asked;
mod background;
mod beside;
mod find;
mod line;
mod registry;
mod survey;
mod tasks;
mod todos;
mod transcript;
mod turn;
mod version;

pub use find::folder_name;
pub(super) use find::{Memory, sessions};
pub(super) use survey::{SurveyMemory, survey};
pub use transcript::read_transcript;
pub(super) use version::is_known_version as knows_version;

/// The agent's name in evidence and on the screen.
pub(super) const NAME: &str = "claude";

/// The program by which a session is asked or told something.
pub(super) fn command(
    _session: &crate::model::SessionObservation,
    _asking: &super::Asking,
) -> Option<super::AgentCommand> {
    None
}
