//! The actions on one workspace: the running one, those that agents are answering, and what was done and
//! received before.

use crate::judge::GRACE_MS;
use crate::model::{
    Action, ActionsView, CheckRecord, Claim, Evidence, Fact, Marks, OpenPoint, Opinion, Origin, Rejection,
    Rounds, RunningAction, SeenContent, SeenState, SessionFacts, Source, Strength, Timestamp,
};

use super::held_replies::HeldReplies;
use super::moments::Asked;

/// How many of the newest history entries of a workspace are kept for a front.
pub const MAX_ENTRIES: usize = 50;

#[derive(Debug, Default)]
pub(super) struct Actions {
    /// What a front shows of them, but for the held replies.
    pub(super) shown: ActionsView,
    /// The person's action that waits until an automatic question has ended.
    pub(super) waiting: Option<Box<Action>>,
    pub(super) held: HeldReplies,
    pub(super) opinion: Option<Box<Opinion>>,
    /// The moments of the task in which agents were asked.
    pub(super) asked: Asked,
    /// The person's statements about the workspace.
    pub(super) marks: Marks,
    /// The rounds by check id, of which there are one or two.
    pub(super) rounds: Vec<(String, Rounds)>,
    /// What was left to do at the last judgement.
    pub(super) points: Vec<OpenPoint>,
    /// The results of the last runs of checks.
    pub(super) checks: Vec<CheckRecord>,
    /// The text of the reply that is being sent.
    pub(super) sending: Option<String>,
    /// What a person last looked at.
    pub(super) seen: Option<Box<SeenState>>,
    /// The decision file as it was first seen with its content.
    pub(super) decision: Option<SeenContent>,
}

impl Actions {
    /// The rounds of this check id.
    pub(super) fn rounds(&self, check_id: &str) -> Option<&Rounds> {
        self.rounds.iter().find(|(id, _)| id == check_id).map(|(_, rounds)| rounds)
    }

    /// Replaces the rounds of this check id.
    pub(super) fn set_rounds(&mut self, check_id: String, rounds: Rounds) {
        if let Some((_, known)) = self.rounds.iter_mut().find(|(id, _)| *id == check_id) {
            *known = rounds;
        } else {
            self.rounds.reserve_exact(1);
            self.rounds.push((check_id, rounds));
        }
    }

    /// Notes since when the decision file has had its content. Returns true if that is news.
    pub(super) fn note_decision(&mut self, facts: &SessionFacts) -> bool {
        let known = self.decision.as_ref();
        let found = facts.decision_file.as_ref().map(|(digest, written_at)| {
            let known =
                known.filter(|known| known.digest == *digest && !is_of_write_call(facts, *written_at));
            let since = known.map_or(*written_at, |known| known.since.min(*written_at));
            SeenContent { digest: digest.clone(), since }
        });
        let is_news = self.decision != found;
        self.decision = found;
        is_news
    }

    /// Treats a decision file that the audit record shows a person wrote here as the person's word, not an
    /// agent's. One whose content is older than the last prompt for work says nothing of that work, however young the
    /// file is.
    pub(super) fn know_decision(&self, facts: &SessionFacts, evidence: &mut [Evidence]) {
        let Some((digest, written_at)) = &facts.decision_file else { return };
        let is_persons = self.shown.history.iter().any(|entry| entry.is_decision_of(digest, *written_at));
        let since = self.decision.as_ref().filter(|seen| seen.digest == *digest).map(|seen| seen.since);
        let is_old = since.zip(facts.prompted_at).is_some_and(|(since, asked_at)| {
            asked_at.millis_since(since) > GRACE_MS && written_at.millis_since(since) > GRACE_MS
        });
        for evidence in evidence {
            let is_file = matches!(evidence.source, Source::Decision | Source::DecisionWithId);
            if !is_file || !matches!(evidence.claim, Claim::Yes | Claim::No) {
                continue;
            }
            if is_persons {
                evidence.strength = Strength::Person;
            } else if is_old && evidence.claim == Claim::Yes {
                *evidence = evidence.clone().rejected(Rejection::Stale, Fact::OnlyTouched);
                evidence.provenance = Origin::File.at(since);
            }
        }
    }

    /// The running or answered action with this number.
    pub(super) fn running(&self, number: u64) -> Option<&RunningAction> {
        let mut all = self.shown.running.as_deref().into_iter().chain(&self.shown.answering);
        all.find(|running| running.number == number)
    }

    /// The same, to be changed.
    pub(super) fn running_mut(&mut self, number: u64) -> Option<&mut RunningAction> {
        self.shown
            .running
            .as_deref_mut()
            .into_iter()
            .chain(&mut self.shown.answering)
            .find(|running| running.number == number)
    }
}

/// Whether a write call of a session wrote a file at this time.
fn is_of_write_call(facts: &SessionFacts, written_at: Timestamp) -> bool {
    facts.work.last_edit_at.is_some_and(|at| at.millis_since(written_at).abs() <= GRACE_MS)
}
