//! The actions on one workspace: the running one, those that agents are answering, and what was done and
//! received before.

use std::collections::BTreeMap;

use crate::model::{
    Action, AuditEntry, CheckRecord, Claim, Draft, Evidence, HistoryEntry, Marks, OpenPoint, Opinion,
    Receipt, Rounds, RunningAction, SeenState, SessionFacts, SmartReport, Source, Strength, VerifyReport,
};

use super::held_replies::HeldReplies;
use super::moments::Asked;

/// How many of the newest history entries of a workspace are kept for a front.
pub(super) const MAX_ENTRIES: usize = 50;

#[derive(Debug, Default)]
pub(super) struct Actions {
    pub(super) running: Option<RunningAction>,
    /// Whether `running` only prepares something for the person to confirm.
    pub(super) is_plan: bool,
    /// The person's action that waits until an automatic question has ended.
    pub(super) waiting: Option<Action>,
    /// Replies that agents are answering, oldest first.
    pub(super) answering: Vec<RunningAction>,
    /// What was done, newest first.
    pub(super) history: Vec<AuditEntry>,
    /// What happened, newest first.
    pub(super) timeline: Vec<HistoryEntry>,
    pub(super) drafts: Vec<Draft>,
    pub(super) held: HeldReplies,
    /// Newest first.
    pub(super) receipts: Vec<Receipt>,
    pub(super) smart_check: Option<SmartReport>,
    pub(super) verified: Option<VerifyReport>,
    pub(super) opinion: Option<Opinion>,
    /// The moments of the task in which agents were asked.
    pub(super) asked: Asked,
    /// The person's statements about the workspace.
    pub(super) marks: Marks,
    /// The rounds, by check id.
    pub(super) rounds: BTreeMap<String, Rounds>,
    /// What was left to do at the last judgement.
    pub(super) points: Vec<OpenPoint>,
    /// The results of the last runs of checks.
    pub(super) checks: Vec<CheckRecord>,
    /// The text of the reply that is being sent.
    pub(super) sending: Option<String>,
    /// What a person last looked at.
    pub(super) seen: Option<SeenState>,
}

impl Actions {
    /// Treats a decision file that the audit record shows a person wrote here as the person's word, not an
    /// agent's.
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

    /// The running or answered action with this number.
    pub(super) fn running_mut(&mut self, number: u64) -> Option<&mut RunningAction> {
        self.running.iter_mut().chain(&mut self.answering).find(|running| running.number == number)
    }
}
