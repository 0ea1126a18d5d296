//! What agents said when they were asked: evidence of one moment of their task, and of no other.
//!
//! Nothing is asked here, and what an answer means is the judge's affair.

use crate::judge::weigh;
use crate::model::{
    Claim, Evidence, SessionName, SessionView, Source, Standing, Timestamp, Verdict, VerifyReport, Words,
};

use super::acts::Acts;

/// When in the task of a workspace agents were asked.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// When the running act began.
    pub(super) began: Option<Moment>,
    /// When the agent was asked for its status.
    pub(super) checked: Option<Moment>,
    /// When the closer asked.
    pub(super) closer: Option<Moment>,
}

impl Asked {
    /// An act begins.
    pub(super) fn begins(&mut self, words: &Words) {
        self.began = Some(Moment::of(words));
    }
}

/// Where the task of a workspace is: another one after a new prompt, and after each turn. What an agent was
/// asked for in one moment says nothing in the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Moment {
    prompted_at: Option<Timestamp>,
    /// Of each session when its last turn ended.
    turns: Vec<(String, String, Option<Timestamp>)>,
}

impl Moment {
    fn of(words: &Words) -> Moment {
        let turn =
            |session: &SessionView| (session.agent.clone(), session.session_id.clone(), session.ended_at);
        Moment { prompted_at: words.prompted_at, turns: words.sessions.iter().map(turn).collect() }
    }

    /// Whether `session` is where it was. What other sessions did meanwhile does not matter, but for a prompt
    /// in the one whose words count.
    fn holds(&self, session: &SessionName, words: &Words) -> bool {
        let turn = |moment: &Moment| {
            moment
                .turns
                .iter()
                .find(|(agent, id, _)| *agent == session.agent && *id == session.session_id)
                .map(|(_, _, ended_at)| *ended_at)
        };
        let now = Moment::of(words);
        self.prompted_at == now.prompted_at && turn(self).is_some() && turn(self) == turn(&now)
    }
}

impl Acts {
    /// What agents said when they were asked, as evidence. Kept here and not in a file of the workspace: it is
    /// about one moment of one session, must not outlive it, and nobody else may write it.
    pub(super) fn evidence(&self, words: &Words) -> Vec<Evidence> {
        let is_stale = |moment: Option<&Moment>, session: &SessionName| {
            moment.is_none_or(|moment| !moment.holds(session, words))
        };
        let probe = self.smart_check.as_ref().and_then(|report| {
            let session = report.session.as_ref()?;
            weigh::asked::probe(report, is_stale(self.asked.checked.as_ref(), session))
        });
        let closer = self.verified.as_ref().map(|report| {
            weigh::asked::closer(report, is_stale(self.asked.closer.as_ref(), &report.session))
        });
        probe.into_iter().chain(closer).collect()
    }

    /// The last checklist of this task: a later turn carries it on, a new prompt begins another task.
    pub(super) fn fresh_verified(&self, words: &Words) -> Option<&VerifyReport> {
        let is_same_task =
            self.asked.closer.as_ref().is_some_and(|moment| moment.prompted_at == words.prompted_at);
        self.verified.as_ref().filter(|_| is_same_task)
    }
}

/// What speaks for and against, by the evidence of the last verdict.
pub(super) fn standing(verdict: Option<&Verdict>) -> Standing {
    let mut standing = Standing::default();
    let parts = verdict.into_iter().flat_map(|verdict| &verdict.parts);
    for evidence in parts.map(|part| &part.evidence) {
        let name = || format!("{} ({})", evidence.source.title(), evidence.name);
        if evidence.claim == Claim::No {
            standing.no.push(name());
        } else if evidence.is_yes() && !matches!(evidence.source, Source::Probe | Source::Commits) {
            standing.yes.push(name());
        }
    }
    standing
}
