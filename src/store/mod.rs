//! What closeout remembers over restarts, in a folder of its own: baselines, drafts of replies, the record
//! of what was done, the questions that it sent to agents by itself, and the log. A text that is being
//! edited stands there too.
//!
//! A [`Store`] is that folder, checked: it belongs to this user and nobody else can read it. Each
//! workspace has a small file of its own, so that one that is damaged loses nothing of the others; files
//! are replaced as a whole (written beside, synced, renamed), and writers of several processes take
//! turns. Every failure is a value: the program goes on without memory and says so.
//!
//! Nothing here writes to a workspace on its own, and nothing decides: [`settings_file`] replaces the one
//! file of an agent's settings that a person named. The time is handed in; only the log, whose
//! files are named by the day, reads a clock.

mod audit;
mod auto_probes;
mod baselines;
mod drafts;
pub mod edited_text;
mod error;
mod folder;
mod gate_rows;
mod held;
mod history;
pub mod hook_log;
pub mod log;
mod record;
mod reports;
mod runs;
pub mod settings_file;
mod trust;
mod workspace_files;
mod written_path;

pub use audit::Audit;
pub use baselines::Remembered;
pub use error::StoreError;
pub use folder::{Store, StoreWrite};
pub use history::History;
pub use runs::{RunFolder, RunLock};
