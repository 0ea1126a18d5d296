//! Collects evidence: turns disk, git and agents' records into [`crate::model::Observations`].
//!
//! It reads and never writes, never judges, and never waits for another workspace. Files that agents
//! control are read through [`untrusted_file`]. Every parser here is total: any input has a result.

mod checks;
mod collect;
mod ending_turn;
mod excluded;
pub mod git;
mod ignored_files;
pub mod live_facts;
mod named_files;
mod named_plans;
mod own_settings;
pub mod panes;
mod plan_file;
mod provenance;
mod required_files;
mod sessions;
mod test_results;
mod text_file;
mod tree_signature;
pub mod untrusted_file;
mod watch_folders;

pub use collect::{CollectContext, CollectError, Memory, collect};
pub use live_facts::LiveSources;
pub use own_settings::{InForce, OWN_FILE, in_force};
pub use plan_file::{PlanFormatError, parse_plan};
pub use test_results::{FileResults, ResultsFormatError, parse_results};
pub use text_file::read_untrusted_text;
pub use tree_signature::{TreeSignature, tree_signature};
