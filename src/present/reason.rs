//! The reasons of evidence in words. They may contain untrusted text: whoever displays them cleans them.

use serde::{Serialize, Serializer};

use super::phrases::reason as say;
use super::{counts, sets};
use crate::model::{Evidence, Reason};

/// All reasons of a piece of evidence in words.
pub fn all(evidence: &Evidence) -> Vec<String> {
    evidence.reasons.iter().map(label).collect()
}

/// A reason in words.
pub fn label(reason: &Reason) -> String {
    match reason {
        Reason::Words(words) => words.clone(),
        Reason::Fact(fact) => sets::fact(*fact).to_owned(),
        Reason::CannotVerify(error) => say::cannot_verify(error),
        Reason::UnusableReport(error) => say::unusable_report(error),
        Reason::Unconfirmed(Some(percent)) => say::unconfirmed_at(percent),
        Reason::Unconfirmed(None) => say::unconfirmed().to_owned(),
        Reason::AllCompleted(n_items) => counts::completed_items(n_items),
        Reason::CommitsSince(n_commits) => say::ask_again(counts::commits(n_commits)),
        Reason::Decision(reason) => sets::decision_reason(*reason).to_owned(),
        Reason::FileNotUsed(reason) => say::file_not_used(sets::decision_reason(*reason)),
        Reason::ProbeFailed(failure) => sets::probe_failure(*failure).to_owned(),
        Reason::RunFailed(command) => say::run_failed(command),
        Reason::RunFailedBeside(command) => say::run_failed_beside(command),
        Reason::RunPassed(command) => say::run_passed(command),
        Reason::CommandEnded(end) => say::it(end.label()),
        Reason::Calls(call) => say::calls(call),
        Reason::Background(work) => say::background(work),
        Reason::Permission(call) => say::permission(call),
        Reason::LastReply(error) => say::last_reply(error),
        Reason::UsageLimit(until) => say::usage_limit(until),
        Reason::Offer(words) => say::offer(words),
        Reason::Declined(words) => say::declined(words),
        Reason::MayAsk(words) => say::may_ask(words),
        Reason::StopsHalfWay(sign) => say::stops_half_way(sign),
        Reason::PutsOff(words) => say::puts_off(words),
    }
}

/// In JSON a reason is its words.
impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&label(self))
    }
}
