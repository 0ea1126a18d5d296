//! What every other room of a rescue stands on: errors, names, the journal of its moves, and the plain files of git.
//!
//! It must not change a repository.

pub(super) mod author;
pub(super) mod beside;
pub(super) mod error;
pub(super) mod git_files;
pub(super) mod journal;
pub(super) mod names;
pub(super) mod older;
pub(super) mod record_objects;
pub(super) mod ref_files;
pub(super) mod references;
pub(super) mod repository;
pub(super) mod settings;
pub(super) mod whole_file;
pub(super) mod worktrees;

pub use error::RescueError;
pub(super) use journal::{Journal, JournalEntry, KeptIndex, Move, Purpose, Reading, Saved, Shown};
pub(super) use references::{Hidden, PinnedAs};
pub(super) use repository::Opened;
pub(super) use settings::Settings;
pub(super) use whole_file::{FileId, Files};
pub(super) use worktrees::Place;
