//! The verdict of one workspace: its snapshot, what was asked and marked, and its rounds, put before the judge.

use super::tracked::Tracked;
use crate::judge::combine::table::{LastPrompt, Mark};
use crate::judge::{combine, rounds};
use crate::model::{Evidence, Parts, Policy, Proof, Rule, Timestamp, Verdict, VerdictState};

impl Tracked {
    /// Judges what is known now.
    pub(super) fn judge(&mut self, policy: &Policy, now: Timestamp) {
        let words = &self.snapshot.session_facts;
        let mut evidence: Vec<Evidence> =
            self.snapshot.evidence.iter().map(|(_, evidence)| evidence.clone()).collect();
        self.actions.know_decision(words, &mut evidence);
        evidence.extend(self.actions.evidence(words));
        let references: Vec<&Evidence> = evidence.iter().collect();
        let advanced = rounds::advance(
            &self.rounds,
            words.round_mark.as_deref(),
            &references,
            words.has_unreadable_decision,
        );
        let verdict = combine::combine(
            &evidence,
            &combine::Case {
                task_kind: self.task_kind(),
                policy,
                rounds: &advanced,
                git: self.snapshot.git.as_ref(),
                question: words.last_words.as_ref().and_then(|words| words.question.as_ref()),
                prompted_at: words.prompted_at,
                sessions: &words.sessions,
                taken_at: self.snapshot.taken_at,
                mark: Mark::None,
                required: Proof::Said,
                prompt: LastPrompt::Work,
                acted_outside: false,
                chosen: &self.settings().chosen,
            },
        );
        if rests_on_tree(&verdict) && self.is_tree_outdated {
            // The tree was read before the word "done" came. It is looked at first.
            self.again |= Parts::CHANGES;
            self.scanned_at = None;
            if self.verdict.is_some() {
                return;
            }
        }
        self.rounds = advanced;
        let before = self.verdict.as_ref().map(|verdict| verdict.state);
        if before != Some(verdict.state) {
            self.verdict_since = Some(now);
            self.is_found_state = before.is_none();
            self.is_seen = false;
        }
        self.verdict = Some(verdict);
    }
}

/// Whether a COMPLETE rests on what the work tree was like when it was last looked at.
fn rests_on_tree(verdict: &Verdict) -> bool {
    verdict.state == VerdictState::Complete && verdict.rule != Rule::ByYou
}
