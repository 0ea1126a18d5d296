//! The configuration of a workspace: where its evidence is, and how it is judged.
//!
//! The defaults are not here but only in `config/default.toml`.

use schemars::JsonSchema;
use serde::Serialize;

use super::{BaselineOrigin, CheckPlan, CommitId, Proof, SessionId, SupervisedTurn, TaskKind};

/// Where the evidence of one workspace is. Paths are relative to the workspace and must stay inside it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct WorkspaceSettings {
    /// The task kind; `None` means `IMPLEMENTATION` in a git work tree and `READ_INFO` elsewhere.
    pub task_kind: Option<TaskKind>,
    /// The revision from which work is counted, and its origin.
    pub baseline: Option<GivenBaseline>,
    /// The decision file.
    pub decision_file: Option<String>,
    /// The declared outputs.
    pub outputs: Vec<String>,
    /// The closer's report.
    pub closer_report: Option<String>,
    /// The plan files; missing ones are skipped.
    pub plans: Vec<String>,
    /// True if the user chose the plan files: the default names may belong to a roadmap.
    pub are_plans_chosen: bool,
    /// The proof that a COMPLETE needs.
    pub required: Proof,
    /// Files that must exist: names, or patterns in which `*` and `?` match within one folder and `**`
    /// matches across folders.
    pub required_files: Vec<String>,
    /// Patterns of paths whose changes are no work. Only the user's own configuration can name them.
    pub noise: Vec<String>,
    /// The checks that the user configured.
    pub checks: CheckPlan,
    /// Test result files: JUnit XML, or JSON of the form `{"passed": …, "failed": …}`.
    pub test_results: Vec<String>,
    /// The id that a decision must contain.
    pub check_id: Option<String>,
    /// True if this is a check made by its own command: with an id it can be a round (R5).
    #[serde(skip)]
    pub is_check: bool,
    /// The session in which this check was started (by a hook or a loop): its own work does not make the
    /// verdict WORKING (R0).
    pub own_session: Option<SessionId>,
    /// What `closeout run` knows about the command whose work is judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supervised: Option<SupervisedTurn>,
    /// Settings from the workspace's own file that could soften the verdict; they wait here until the file
    /// was compared with the baseline ([`WorkspaceSettings::in_force`]).
    pub own: Option<Box<OwnSettings>>,
    /// Names in `plans`, `required_files` and `test_results` that only the workspace's own file gives, so
    /// that an agent may have written them: they can say NO, but their YES proves nothing.
    pub doubted: Vec<String>,
    /// The keys of the workspace's own file that could soften the verdict, and whether they count.
    pub chosen: Vec<ChosenKey>,
    /// True if the work tree lies in a temporary folder of the system.
    pub is_temporary: bool,
    /// True if its agent may be asked for its status without the user's request. Only the user's own
    /// configuration can say so.
    pub may_be_asked: bool,
    /// The agent whose program reads last words again if closeout's own reading is uncertain. Only the
    /// user's own configuration can name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_reader: Option<String>,
}

impl WorkspaceSettings {
    /// Files that report how the work stands, by name or pattern. They are not work that could be lost,
    /// unlike plans and required files.
    pub fn evidence_files(&self) -> impl Iterator<Item = &String> {
        let files = self.decision_file.iter().chain(&self.closer_report).chain(&self.outputs);
        files.chain(&self.test_results).chain(self.checks.result_files())
    }

    /// All plan files to read, including those of checks.
    pub fn plan_files(&self) -> impl Iterator<Item = &String> {
        self.plans.iter().chain(self.checks.plan_files())
    }

    /// All files whose existence is checked, including those of checks.
    pub fn demanded_files(&self) -> impl Iterator<Item = &String> {
        self.required_files.iter().chain(self.checks.demanded_files())
    }
}

/// A revision that was given as the baseline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GivenBaseline {
    /// The revision as it was written.
    pub rev: String,
    /// Who gave it: a flag, the user's configuration, or the workspace's own file.
    pub origin: BaselineOrigin,
}

impl GivenBaseline {
    /// Whether it can mean another commit tomorrow: only a full id cannot.
    pub fn can_move(&self) -> bool {
        self.rev.parse::<CommitId>().is_err()
    }
}

/// The settings from a workspace's own file that could soften its verdict, for keys that the user has not
/// set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct OwnSettings {
    /// The whole file as it was read. The settings count if the baseline's commit contains the same text.
    pub text: String,
    /// The task kind.
    pub task_kind: Option<TaskKind>,
    /// The revision from which work is counted.
    pub baseline: Option<String>,
    /// The decision file; an empty name means none.
    pub decision_file: Option<String>,
    /// The declared outputs.
    pub outputs: Option<Vec<String>>,
    /// The closer's report; an empty name means none.
    pub closer_report: Option<String>,
}

/// A key of the workspace's own file that could soften the verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChosenKey {
    /// Its full name, like `evidence.outputs`.
    pub key: String,
    /// True when it counts: the file is in the baseline's commit as it is now. Else an agent may have
    /// written it, and it counts for nothing, or only against the work.
    pub counts: bool,
}

impl WorkspaceSettings {
    /// The settings that apply. `is_settled` says whether the baseline's commit contains the workspace's own
    /// file unchanged; if not, keys that could soften the verdict are left out.
    #[must_use]
    pub fn in_force(&self, is_settled: bool) -> WorkspaceSettings {
        let mut held = self.clone();
        let Some(own) = held.own.take() else { return held };
        for chosen in &mut held.chosen {
            chosen.counts = is_settled;
        }
        if !is_settled {
            // A task kind that demands commits is never the softer one.
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Policy {
    /// How an offer of more work after a finished deliverable is treated.
    pub offers: OfferPolicy,
    /// The stage at which the same open points become `STALLED` (R5); at least 2.
    pub stall_stage: u8,
    /// How many unreadable decisions in a row become an `ERROR` (R4).
    pub unreadable_limit: u8,
    /// How long an open turn's record may be silent before the turn no longer counts as work, in
    /// milliseconds.
    pub silent_turn_ms: i64,
}

/// How an offer of more work is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OfferPolicy {
    /// As a question.
    Ask,
    /// As a note; the offer remains visible as a reason for attention.
    Done,
}

/// How the file system is watched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WatchSettings {
    /// How long after the last pass everything is read again, in milliseconds; at least 10 s.
    pub reconcile_ms: u64,
    /// How often a workspace that cannot be watched is read, in milliseconds; at least 1 s.
    pub poll_ms: u64,
    /// How long a collection may take before it is abandoned, in milliseconds.
    pub collect_limit_ms: u64,
    /// How long after its record last grew a session counts as old, in milliseconds; at least 1 h.
    pub fold_after_ms: u64,
}
