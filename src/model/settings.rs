//! What configuration says: where the evidence of a workspace is, and how it is judged.
//!
//! The defaults are not here: `config/default.toml` is the only place that has them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BaselineOrigin, CheckPlan, Proof, SupervisedTurn, TaskKind};

/// Where the evidence of one workspace is. Paths are relative to the workspace and may not leave it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkspaceSettings {
    /// The task kind; `None` is `IMPLEMENTATION` in a git work tree and `READ_INFO` elsewhere.
    pub task_kind: Option<TaskKind>,
    /// The revision from which work is counted, and who gave it.
    pub baseline: Option<GivenBaseline>,
    /// The decision file.
    pub decision_file: Option<String>,
    /// The declared outputs.
    pub outputs: Vec<String>,
    /// The closer's report.
    pub closer_report: Option<String>,
    /// Plan files; those that do not exist are passed over.
    pub plans: Vec<String>,
    /// Whether the person chose them: the names of the defaults may belong to a roadmap.
    pub are_plans_chosen: bool,
    /// How well a COMPLETE has to be proven.
    pub required: Proof,
    /// Files that must exist: names, or patterns in which a star and a question mark match within one
    /// folder, and two stars over folders.
    pub required_files: Vec<String>,
    /// The checks that the person configured.
    #[serde(default)]
    pub checks: CheckPlan,
    /// Test result files: JUnit XML, or `{"passed": …, "failed": …}`.
    pub test_results: Vec<String>,
    /// The id that a decision must carry.
    pub check_id: Option<String>,
    /// The session inside which this check was started (a hook, a loop): its own work does not make
    /// the verdict WORKING (R0).
    pub own_session: Option<String>,
    /// What `closeout run` knows of the command whose work is judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supervised: Option<SupervisedTurn>,
    /// What the workspace's own file says that could soften the verdict: it waits here until its file was
    /// held against the baseline ([`WorkspaceSettings::in_force`]).
    pub own: Option<Box<OwnSettings>>,
    /// Names in `plans`, `required_files` and `test_results` that only the workspace's own file gave, and
    /// that may be an agent's: they can say NO, and their YES is about nothing.
    pub doubted: Vec<String>,
    /// The keys of the workspace's own file that could soften, and whether they count.
    pub chosen: Vec<ChosenKey>,
    /// Whether its agent may be asked for its status without a person's word. Only the person's own
    /// configuration says so.
    pub may_be_asked: bool,
    /// The agent whose program reads last words anew where closeout is not certain of them. Only the person's own
    /// configuration says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_reader: Option<String>,
}

impl WorkspaceSettings {
    /// Files in which is told how the work stands. They are no work that could be lost; plans and required files are.
    /// A name can be a pattern.
    pub fn evidence_files(&self) -> impl Iterator<Item = &String> {
        let files = self.decision_file.iter().chain(&self.closer_report).chain(&self.outputs);
        files.chain(&self.test_results).chain(self.checks.result_files())
    }

    /// All plan files that are read, those of checks among them.
    pub fn plan_files(&self) -> impl Iterator<Item = &String> {
        self.plans.iter().chain(self.checks.plan_files())
    }

    /// All files whose presence is looked at, those of checks among them.
    pub fn demanded_files(&self) -> impl Iterator<Item = &String> {
        self.required_files.iter().chain(self.checks.demanded_files())
    }
}

/// A revision that was given for the baseline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenBaseline {
    /// As it was written.
    pub rev: String,
    /// By whom: a flag, the person's configuration, or the workspace's own file.
    pub origin: BaselineOrigin,
}

/// What a workspace's own file says, of the keys that could soften its verdict, where the person says
/// nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnSettings {
    /// The whole file, as it was read. It counts if the baseline's commit has the same.
    pub text: String,
    /// The task kind.
    pub task_kind: Option<TaskKind>,
    /// The revision from which work is counted.
    pub baseline: Option<String>,
    /// The decision file; an empty name is none.
    pub decision_file: Option<String>,
    /// The declared outputs.
    pub outputs: Option<Vec<String>>,
    /// The closer's report; an empty name is none.
    pub closer_report: Option<String>,
}

/// A key of the workspace's own file that could soften the verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChosenKey {
    /// Its full name, like `evidence.outputs`.
    pub key: String,
    /// True when it counts: the file is in the baseline's commit as it is now. Else an agent may have
    /// written it, and it counts for nothing, or only against the work.
    pub counts: bool,
}

impl WorkspaceSettings {
    /// The settings that hold. `is_settled` says whether the workspace's own file is in the baseline's
    /// commit as it was read; else what could soften in it is left out.
    #[must_use]
    pub fn in_force(&self, is_settled: bool) -> WorkspaceSettings {
        let mut held = self.clone();
        let Some(own) = held.own.take() else { return held };
        for chosen in &mut held.chosen {
            chosen.counts = is_settled;
        }
        if !is_settled {
            // Work that has to end in commits is never the softer task.
            if own.task_kind == Some(TaskKind::Implementation) {
                held.task_kind = own.task_kind;
            }
            return held;
        }
        held.doubted.clear();
        held.task_kind = own.task_kind.or(held.task_kind);
        if let Some(rev) = own.baseline {
            held.baseline = Some(GivenBaseline { rev, origin: BaselineOrigin::Workspace });
        }
        let named = |name: String| Some(name).filter(|name| !name.is_empty());
        held.decision_file = own.decision_file.map_or(held.decision_file, named);
        held.closer_report = own.closer_report.map_or(held.closer_report, named);
        held.outputs = own.outputs.unwrap_or(held.outputs);
        held
    }
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
