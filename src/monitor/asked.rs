//! What agents said when they were asked: evidence for one moment of their task and no other.
//!
//! Nothing is asked here; what an answer means is decided by the judge.

use std::collections::BTreeMap;

use crate::judge::weigh;
use crate::model::{
    Certainty, CheckRecord, Claim, Evidence, EvidenceSummary, GitFacts, KeptReports, OpenPoint, Opinion,
    PointState, ProbeReading, ProbeWord, Rounds, SeenState, SessionFacts, SessionName, SmartReport, Source,
    TaskMoment, Timestamp, Verdict, name_of_words,
};

use super::actions::Actions;
use super::moments::moment;

/// True if `session` is still in the moment of its task in which it was asked. Progress of other sessions does
/// not matter, except for a prompt in the one whose words count.
fn holds(then: &TaskMoment, session: &SessionName, facts: &SessionFacts) -> bool {
    then.of(session).is_some_and(|then| moment(facts).of(session) == Some(then))
}

impl Actions {
    /// The agents' answers as evidence. closeout keeps them itself rather than in a file of the workspace:
    /// they belong to one moment of one session, must not outlive it, and nobody else may write them.
    fn evidence(&self, facts: &SessionFacts, git: Option<&GitFacts>, now: Timestamp) -> Vec<Evidence> {
        let is_stale = |then: Option<&TaskMoment>, session: &SessionName| {
            then.is_none_or(|then| !holds(then, session, facts))
        };
        let probe = self.shown.smart_check.as_ref().and_then(|report| {
            let session = report.session.as_ref()?;
            weigh::asked::probe(report, is_stale(self.asked.checked.as_ref(), session), now)
        });
        let closer = self.shown.verified.as_ref().map(|report| {
            let newest = git.into_iter().flat_map(|git| &git.commits.newest);
            let n_since = newest.filter(|commit| commit.at > report.at).count();
            weigh::asked::closer(report, is_stale(self.asked.closer.as_ref(), &report.session), n_since)
        });
        let opinion = self.opinion_on(facts).map(weigh::asked::opinion);
        probe.into_iter().chain(closer).chain(opinion).collect()
    }

    /// When an agent's last answer that it waits is believed no longer.
    pub(super) fn wait_ends_at(&self) -> Option<Timestamp> {
        let report = self.shown.smart_check.as_deref()?;
        let last = report.attempts.last()?.reading?;
        let is_waiting = last == ProbeReading::Answered(ProbeWord::Waiting);
        is_waiting.then(|| report.at.plus_millis(weigh::asked::LONGEST_WAIT_MS))
    }

    /// Adds the agents' answers. A session that answered is silent no more: what its silence let closeout infer goes.
    pub(super) fn add_answers(
        &self,
        facts: &SessionFacts,
        git: Option<&GitFacts>,
        now: Timestamp,
        evidence: &mut Vec<Evidence>,
    ) {
        let answers = self.evidence(facts, git, now);
        if answers.iter().any(|answer| answer.source == Source::Probe && answer.rejection().is_none()) {
            let answered = self.shown.smart_check.as_ref().and_then(|report| report.session.as_ref());
            evidence.retain(|known| !known.is_inferred_from_silence() || known.session() != answered);
        }
        evidence.extend(answers);
    }

    /// Whether a smart check of this moment was used up in vain, and no other source has said anything since (R6).
    pub(super) fn is_used_up(&self, facts: &SessionFacts, evidence: &[Evidence]) -> bool {
        let is_of_now = |report: &&SmartReport| {
            let then = self.asked.checked.as_ref().zip(report.session.as_ref());
            then.is_some_and(|(then, session)| holds(then, session, facts))
        };
        // Such a source would have kept the check from being made (R3).
        let is_news = |evidence: &Evidence| {
            let is_yes = evidence.is_yes() && evidence.source != Source::LastWords;
            let is_no = evidence.claim == Claim::No && !evidence.is_inferred_from_silence();
            evidence.source != Source::Probe && (is_no || is_yes)
        };
        self.shown.smart_check.as_deref().filter(is_of_now).is_some_and(SmartReport::is_used_up)
            && !evidence.iter().any(is_news)
    }

    /// The second opinion on the last words, if closeout's own reading of them is uncertain.
    pub(super) fn opinion_on(&self, facts: &SessionFacts) -> Option<&Opinion> {
        let uncertain = facts.last_words.as_ref().filter(|words| words.certainty == Some(Certainty::Low))?;
        self.opinion.as_deref().filter(|opinion| opinion.words == name_of_words(&uncertain.text))
    }

    /// Keeps, for each check, the newest run and the newest run before the work began.
    pub(super) fn keep_checks(&mut self, records: &[CheckRecord]) {
        for record in records {
            let is_same = |known: &CheckRecord| {
                known.name == record.name && known.is_before_work == record.is_before_work
            };
            self.checks.retain(|known| !is_same(known));
            self.checks.push(record.clone());
        }
    }

    /// What is kept on disk for other runs.
    pub(super) fn kept_reports(&self) -> KeptReports {
        KeptReports {
            smart_check: self.shown.smart_check.clone().zip(self.asked.checked.clone()),
            verified: self.shown.verified.clone().zip(self.asked.closer.clone()),
            marks: self.marks.clone(),
            rounds: self.rounds.iter().cloned().collect(),
            points: self.points.clone(),
            seen: self.seen.clone(),
            checks: self.checks.clone(),
            opinion: self.opinion.clone(),
            decision: self.decision.clone(),
        }
    }

    /// Adopts what another run sent of the points left to do. Returns true if that changed anything.
    fn take_points(&mut self, kept: Vec<OpenPoint>) -> bool {
        if self.points.is_empty() {
            self.points = kept;
            self.points.shrink_to_fit();
            return false;
        }
        let mut is_news = false;
        for point in self.points.iter_mut().filter(|point| point.state == PointState::Open) {
            let sent = kept.iter().find(|kept| {
                (&kept.id, kept.source, &kept.from) == (&point.id, point.source, &point.from)
                    && matches!(kept.state, PointState::Sent { .. })
            });
            if let Some(sent) = sent {
                point.state = sent.state;
                is_news = true;
            }
        }
        is_news
    }

    /// Adopts the rounds that another run counted last. Returns true if some are of this check id.
    fn take_rounds(&mut self, kept: BTreeMap<String, Rounds>, check_id: &str) -> bool {
        let mut is_news = false;
        for (id, rounds) in kept {
            if self.rounds(&id).is_none_or(|known| known.changed_at < rounds.changed_at) {
                is_news |= id == check_id;
                self.set_rounds(id, rounds);
            }
        }
        is_news
    }

    /// Adopts what another run learned, if it is newer. Returns true if that changed anything for this check id.
    pub(super) fn take_reports(&mut self, kept: KeptReports, check_id: &str) -> bool {
        let mut is_news = kept.marks.changed_at > self.marks.changed_at;
        if is_news {
            self.marks = kept.marks;
        }
        is_news |= self.take_rounds(kept.rounds, check_id);
        is_news |= self.take_points(kept.points);
        let looked_at = |seen: &Option<Box<SeenState>>| seen.as_ref().map(|seen| seen.at);
        if looked_at(&kept.seen) > looked_at(&self.seen) {
            self.seen = kept.seen;
            is_news = true;
        }
        let newest = |records: &[CheckRecord]| records.iter().map(|record| record.at).max();
        if newest(&kept.checks) > newest(&self.checks) {
            self.checks = kept.checks;
            is_news = true;
        }
        if self.decision.is_none() {
            self.decision = kept.decision;
        }
        let given_at = |opinion: &Option<Box<Opinion>>| opinion.as_ref().map(|opinion| opinion.at);
        if given_at(&kept.opinion) > given_at(&self.opinion) {
            self.opinion = kept.opinion;
            is_news = true;
        }
        if let Some((report, then)) = kept.smart_check
            && self.shown.smart_check.as_ref().is_none_or(|known| known.at < report.at)
        {
            (self.shown.smart_check, self.asked.checked) = (Some(report), Some(then));
            is_news = true;
        }
        if let Some((report, then)) = kept.verified
            && self.shown.verified.as_ref().is_none_or(|known| known.at < report.at)
        {
            (self.shown.verified, self.asked.closer) = (Some(report), Some(then));
            is_news = true;
        }
        is_news
    }
}

/// The evidence for and against the work in the last verdict.
pub(super) fn standing(verdict: Option<&Verdict>) -> EvidenceSummary {
    let mut standing = EvidenceSummary::default();
    let parts = verdict.into_iter().flat_map(|verdict| &verdict.parts);
    for evidence in parts.map(|part| &part.evidence) {
        let name = || format!("{} ({})", evidence.source.title(), evidence.name);
        if evidence.claim == Claim::No {
            if !evidence.is_inferred_from_silence() {
                standing.no.push(name());
            }
        } else if evidence.is_yes()
            && !matches!(evidence.source, Source::Probe | Source::Commits | Source::LastWords)
        {
            standing.yes.push(name());
        }
    }
    standing
}
