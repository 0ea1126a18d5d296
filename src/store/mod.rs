//! What closeout remembers across restarts, in its own folder: baselines, drafts of replies, the audit
//! log, the questions it sent to agents on its own, and the log. Texts being edited are there too.
//!
//! A [`Store`] is that folder, checked: it belongs to this user and nobody else can read it. Each workspace
//! has small files of its own, so that a damaged one affects no other workspace. Files are replaced as a
//! whole (written beside, synced, renamed), and processes take turns to write. Every failure is a value:
//! the program continues without memory and says so.
//!
//! Nothing here writes to a workspace by itself, and nothing decides: [`settings_file`] replaces the one
//! settings file of an agent that the user named. The time is passed in; only the log, whose files are
//! named after the day, reads a clock.

mod audit;
mod auto_probes;
mod baselines;
pub mod edited_text;
mod error;
mod folder;
mod gate_rows;
mod held;
mod history;
pub mod hook_log;
mod line_index;
pub mod log;
mod runs;
pub mod settings_file;
mod trust;
mod workspace_files;
mod written_path;

pub use audit::Audit;
pub use baselines::Remembered;
pub use error::StoreError;
pub use folder::{Store, StoreWrite};
pub use history::{History, VerdictChange};
pub use runs::{JUDGED_OUTPUT, LastRuns, RunFolder, RunLock};
pub use workspace_files::ReportStamps;
