//! What every source is weighed with, and where what they say is gathered. It weighs nothing.

use crate::judge::GRACE_MS;
use crate::model::{
    Checklist, Evidence, Observations, Parts, Policy, SessionName, SessionObservation, TaskKind, Timestamp,
    WorkspaceSettings,
};

/// What is known beside the observations.
#[derive(Debug, Clone, Copy)]
pub struct WeighContext<'a> {
    /// The kind of the task.
    pub task_kind: TaskKind,
    /// How evidence is judged.
    pub policy: &'a Policy,
    /// Where the evidence is said to be.
    pub settings: &'a WorkspaceSettings,
}

/// What has been weighed so far, each with the part that it was read in.
#[derive(Default)]
pub(super) struct EvidenceSet {
    pub(super) evidence: Vec<(Parts, Evidence)>,
    pub(super) checklists: Vec<(Parts, Checklist)>,
}

impl EvidenceSet {
    pub(super) fn add(&mut self, part: Parts, evidence: Evidence) {
        self.evidence.push((part, evidence));
    }

    /// Takes over what `weigh` adds of this session, by its name.
    pub(super) fn of_session<T>(
        &mut self,
        session: Option<&SessionObservation>,
        weigh: impl FnOnce(&mut EvidenceSet) -> T,
    ) -> T {
        let n_before = self.evidence.len();
        let weighed = weigh(self);
        let name = session.map(|session| SessionName {
            agent: session.agent.clone(),
            session_id: session.session_id.clone(),
        });
        for (_, evidence) in self.evidence.iter_mut().skip(n_before) {
            evidence.session.clone_from(&name);
        }
        weighed
    }
}

/// Whether something written at `written_at` is about an earlier task.
pub(super) fn is_stale(observations: &Observations, written_at: Timestamp) -> bool {
    observations.task_started_at.is_some_and(|started_at| started_at.millis_since(written_at) > GRACE_MS)
}

/// Why a file says nothing of this task.
pub(super) const OF_BASELINE: &str = "it came with the repository: the baseline's commit has the same";

/// Whether a file is, byte for byte, the one of the baseline's commit: then it says nothing of this task.
pub(super) fn is_of_baseline(observations: &Observations, name: &str) -> bool {
    observations.of_baseline.iter().any(|found| found == name)
}
