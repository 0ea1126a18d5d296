//! What age does to a claim (DESIGN.md 2.2): it takes away a YES that was made before the last prompt for work,
//! or in the future. It never takes away a NO, a question or a failure.

use crate::model::{Claim, Evidence, Rejection, Source};

use super::Case;

/// Committer times have whole seconds, and clocks of one machine are read one after the other.
const GRACE_MS: i64 = 2000;

/// The evidence as it counts for what was asked last.
pub(super) fn of_this_task(evidence: Evidence, case: &Case<'_>) -> Evidence {
    if evidence.claim != Claim::Yes {
        return evidence;
    }
    let Some(said_at) = evidence.said_at else { return evidence };
    if said_at.millis_since(case.taken_at) > GRACE_MS {
        return rejected(
            evidence,
            Rejection::Undecided,
            "its time lies in the future: nobody can tell its age",
        );
    }
    let is_older = case.prompted_at.is_some_and(|asked_at| asked_at.millis_since(said_at) > GRACE_MS);
    // The others are held against the prompt where they are read.
    if evidence.source == Source::Commits && is_older {
        return rejected(evidence, Rejection::Stale, "made before your last prompt");
    }
    evidence
}

fn rejected(evidence: Evidence, rejection: Rejection, why: &str) -> Evidence {
    Evidence { claim: Claim::Abstain, rejection: Some(rejection), ..evidence }.because(why)
}
