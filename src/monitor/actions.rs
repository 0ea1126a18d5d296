//! What is known of the actions on one workspace: the one that runs, those that agents are answering, what was done and
//! heard before.

use std::collections::BTreeMap;

use crate::model::{
    Action, AuditEntry, CheckRecord, Claim, Draft, Evidence, HistoryEntry, Marks, OpenPoint, Opinion,
    Receipt, Rounds, RunningAction, SeenState, SessionFacts, SmartReport, Source, Strength, VerifyReport,
};

use super::held_replies::HeldReplies;
use super::moments::Asked;

/// So many of the newest entries of a workspace's history are kept for a front.
pub(super) const MOST_ENTRIES: usize = 50;

/// What is known of the actions on one workspace.
#[derive(Debug, Default)]
pub(super) struct Actions {
    pub(super) running: Option<RunningAction>,
    /// Whether that only prepares what a person confirms then.
    pub(super) is_plan: bool,
    /// What a person wants, once the question has ended that closeout asks by itself.
    pub(super) waiting: Option<Action>,
    /// Replies that agents are answering, the oldest first.
    pub(super) answering: Vec<RunningAction>,
    /// The newest first.
    pub(super) history: Vec<AuditEntry>,
    /// What happened, the newest first.
    pub(super) timeline: Vec<HistoryEntry>,
    pub(super) drafts: Vec<Draft>,
    pub(super) held: HeldReplies,
    /// The newest first.
    pub(super) receipts: Vec<Receipt>,
    pub(super) smart_check: Option<SmartReport>,
    pub(super) verified: Option<VerifyReport>,
    pub(super) opinion: Option<Opinion>,
    /// When in the task agents were asked.
    pub(super) asked: Asked,
    /// What a person said of the workspace.
    pub(super) marks: Marks,
    /// The rounds, by the id of the check that they are of.
    pub(super) rounds: BTreeMap<String, Rounds>,
    /// What was left to do when it was judged last.
    pub(super) points: Vec<OpenPoint>,
    /// What came of the last runs of checks.
    pub(super) checks: Vec<CheckRecord>,
    /// The reply that is being sent.
    pub(super) sending: Option<String>,
    /// What a person looked at last.
    pub(super) seen: Option<SeenState>,
}

impl Actions {
    /// A decision file that a person wrote here, by the record of what was done, is theirs and no agent's word.
    pub(super) fn know_decision(&self, words: &SessionFacts, evidence: &mut [Evidence]) {
        let Some((digest, written_at)) = &words.decision_file else { return };
        if !self.history.iter().any(|entry| entry.is_decision_of(digest, *written_at)) {
            return;
        }
        for evidence in evidence {
            let is_file = matches!(evidence.source, Source::Decision | Source::DecisionWithId);
            if is_file && matches!(evidence.claim, Claim::Yes | Claim::No) {
                evidence.strength = Strength::Person;
            }
        }
    }

    /// What is running and is named by this number.
    pub(super) fn running_mut(&mut self, number: u64) -> Option<&mut RunningAction> {
        self.running.iter_mut().chain(&mut self.answering).find(|running| running.number == number)
    }
}
