//! What every source is weighed with, and where the resulting evidence is collected. Must not weigh anything.

use crate::judge::GRACE_MS;
use crate::judge::runs::Catalog;
use crate::model::{
    Checklist, Evidence, Observations, Parts, Policy, TaskKind, Timestamp, WorkspaceSettings,
};

/// What is known besides the observations.
#[derive(Debug, Clone, Copy)]
pub struct WeighContext<'a> {
    /// The kind of task.
    pub task_kind: TaskKind,
    /// The limits by which evidence is judged.
    pub policy: &'a Policy,
    /// What the settings say about where evidence is found.
    pub settings: &'a WorkspaceSettings,
    /// The known tools of checks.
    pub catalog: &'a Catalog,
    /// The prompts of the current tasks, as far as they are known; read from the sessions while weighing.
    pub(super) prompts: &'a [String],
}

impl<'a> WeighContext<'a> {
    /// What a task of this kind is weighed with.
    pub fn new(task_kind: TaskKind, policy: &'a Policy, settings: &'a WorkspaceSettings) -> WeighContext<'a> {
        WeighContext { task_kind, policy, settings, catalog: Catalog::built_in(), prompts: &[] }
    }

    /// The same with these tools of checks.
    #[must_use]
    pub fn with_catalog(self, catalog: &'a Catalog) -> WeighContext<'a> {
        WeighContext { catalog, ..self }
    }
}

/// The evidence so far, each with the part in which it was read.
#[derive(Default)]
pub(super) struct EvidenceSet {
    pub(super) evidence: Vec<(Parts, Evidence)>,
    pub(super) checklists: Vec<(Parts, Checklist)>,
}

impl EvidenceSet {
    pub(super) fn add(&mut self, part: Parts, evidence: Evidence) {
        self.evidence.push((part, evidence));
    }
}

/// Whether something written at `written_at` is about an earlier task.
pub(super) fn is_stale(observations: &Observations, written_at: Timestamp) -> bool {
    observations.task_started_at.is_some_and(|started_at| started_at.millis_since(written_at) > GRACE_MS)
}

/// Whether a file is identical, byte for byte, to the one in the baseline's commit and
/// so says nothing about this task.
pub(super) fn is_of_baseline(observations: &Observations, name: &str) -> bool {
    observations.of_baseline.iter().any(|found| found == name)
}
