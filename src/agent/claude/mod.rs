//! Claude Code: its transcripts under `projects/`, tasks under `tasks/`, registry of running sessions under
//! `sessions/` and background sessions under `jobs/`.
//!
//! Observed with 2.1.330, 2.1.197 and 1.0.128. New kinds of lines appear often; an unknown one is counted
//! and skipped.

mod agent;
mod asked;
mod background;
mod command;
mod deeds;
mod entry;
mod find;
mod folder;
mod follow;
mod head;
mod history;
mod line;
mod queue;
mod registry;
mod screen;
mod subagents;
mod survey;
mod todos;
mod transcript;

pub(super) use agent::Claude;
pub use folder::folder_name;
pub use transcript::read_transcript;

/// The agent's name in evidence and on screen.
const NAME: &str = "claude";
