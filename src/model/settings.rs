//! What configuration says: where the evidence of a workspace is, and how it is judged.
//!
//! The defaults are not here: `config/default.toml` is the only place that has them.

use serde::{Deserialize, Serialize};

use super::TaskKind;

/// Where the evidence of one workspace is. Paths are relative to the workspace and may not leave it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkspaceSettings {
    /// The task kind; `None` is `IMPLEMENTATION` in a git work tree and `READ_INFO` elsewhere.
    pub task_kind: Option<TaskKind>,
    /// The revision from which work is counted, and whether a flag (true) or a file gave it.
    pub baseline: Option<(String, bool)>,
    /// The decision file.
    pub decision_file: Option<String>,
    /// The declared outputs.
    pub outputs: Vec<String>,
    /// The closer's report.
    pub closer_report: Option<String>,
    /// Plan files; those that do not exist are passed over.
    pub plans: Vec<String>,
    /// Files that must exist: names, or patterns in which a star and a question mark match within one
    /// folder, and two stars over folders.
    pub required_files: Vec<String>,
    /// Test result files: JUnit XML, or `{"passed": …, "failed": …}`.
    pub test_results: Vec<String>,
    /// The id that a decision must carry.
    pub check_id: Option<String>,
    /// The session inside which this check was started (a hook, a loop): its own work does not make
    /// the verdict WORKING (R0).
    pub own_session: Option<String>,
}

/// How evidence is judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// How an offer of more work after a finished deliverable counts.
    pub offers: OfferPolicy,
    /// At this stage the same open points again make `STALLED` (R5); at least 2.
    pub stall_stage: u8,
    /// This many unreadable decisions in a row are an `ERROR` (R4).
    pub unreadable_limit: u8,
    /// An open turn whose record has been silent for so many milliseconds is not taken for work.
    pub silent_turn_ms: i64,
}

/// How an offer of more work counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OfferPolicy {
    /// As a question.
    Ask,
    /// As a note; the offer stays visible as attention.
    Done,
}

/// How the file system is watched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchSettings {
    /// Everything is read again after so many milliseconds without an event; at least 10 s.
    pub reconcile_ms: u64,
    /// A workspace that cannot be watched is read again after so many milliseconds; at least 1 s.
    pub poll_ms: u64,
    /// A collection that takes longer than this is given up, in milliseconds.
    pub collect_limit_ms: u64,
    /// A session whose record last grew longer ago than this is old, in milliseconds; at least 1 h.
    pub fold_after_ms: u64,
}
