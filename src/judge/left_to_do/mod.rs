//! "Left to do": the open points of all evidence, carried from look to look until their source closes them
//! (DESIGN.md 2.5), and the lines in which an agent is told them.
//!
//! Every front, gate and loop takes its points from here. Pure. Must not decide
//! anything: what claims NO is already settled.

mod closing;

use std::fmt::Write as _;

use crate::judge::GRACE_MS;
use crate::model::{
    Claim, Evidence, LeftToDo, OpenPoint, Point, PointKind, PointState, Rejection, SessionName, Source,
    Timestamp, display_text,
};
use crate::present::phrases::point as say;
use crate::present::{reason, verdict};
use closing::{closed, is_same_source};

/// How many points are kept: nobody reads a longer list to its end.
const MAX_POINTS: usize = 200;
/// How many points are kept that were done since the last prompt.
const MAX_DONE: usize = 50;
/// The names of the points that an unusable decision file and closer's report make.
const DECISION: &str = "decision/unreadable";
const CLOSER: &str = "closer/unreadable";
/// The name of the point for a last turn that did not end by itself.
const CUT_TURN: &str = "session/cut-turn";

/// The names of the points behind a claim: its own names, or its reasons, or else the name of the evidence.
pub fn ids(evidence: &Evidence) -> Vec<String> {
    if evidence.is_unreadable_report() {
        vec![if evidence.source == Source::Closer { CLOSER } else { DECISION }.to_owned()]
    } else if !evidence.points.is_empty() {
        evidence.points.iter().map(Point::to_string).collect()
    } else if !evidence.reasons.is_empty() {
        reason::all(evidence)
    } else {
        vec![evidence.name.clone()]
    }
}

/// Removes from a NO the points that the person said are not part of this task, by their ids or their words. A NO
/// without any points left says nothing.
pub fn dismiss(evidence: &mut Evidence, not_of_task: &[String]) {
    let is_dismissable = evidence.claim == Claim::No || evidence.is_unreadable_report();
    if !is_dismissable || not_of_task.is_empty() {
        return;
    }
    let are_words_dismissed = reason::all(evidence).iter().any(|words| not_of_task.contains(words));
    let left: Vec<String> = ids(evidence)
        .into_iter()
        .filter(|point| !are_words_dismissed && !not_of_task.contains(point))
        .collect();
    if left.is_empty() {
        evidence.claim = Claim::Abstain(Rejection::Dismissed);
    } else {
        evidence.points.retain(|point| left.contains(&point.to_string()));
    }
}

/// When a person last asked for work.
#[derive(Clone, Copy)]
pub struct PromptTimes<'a> {
    /// In any session.
    pub at: Option<Timestamp>,
    /// In this session.
    pub in_session: &'a dyn Fn(&SessionName) -> Option<Timestamp>,
}

impl PromptTimes<'_> {
    /// The prompt that this evidence may be older than: what a session says is not aged by a prompt in another one.
    fn of(&self, evidence: &Evidence) -> Option<Timestamp> {
        let own = evidence.session().and_then(self.in_session);
        self.at.map(|at| own.map_or(at, |own| at.min(own)))
    }
}

/// What is left to do according to this evidence, as it counts for the task.
///
/// `before` is the list of the previous look. A point in both keeps its age and the fact that it was sent. Of
/// the points that disappeared, only work is followed: it stays without weight if its source was not read, is
/// dropped if its source no longer counts or is gone, and is done otherwise. What was done before the last prompt for
/// work is dropped.
pub fn list(
    evidence: &[&Evidence],
    before: &[OpenPoint],
    asked: &PromptTimes<'_>,
    now: Timestamp,
) -> LeftToDo {
    let prompted_at = asked.at;
    let mut points: Vec<OpenPoint> = Vec::new();
    for point in evidence.iter().flat_map(|evidence| points_of(evidence, asked, now)) {
        if !points.iter().any(|known| is_same(known, &point)) {
            points.push(point);
        }
    }
    points.sort_by_key(|point| (point.kind, !point.weighs));
    points.truncate(MAX_POINTS);
    for point in &mut points {
        let known = before.iter().find(|known| is_same(known, point) && known.is_open());
        if let Some(known) = known {
            (point.state, point.since) = (known.state, known.since);
        }
    }
    // Only work is ticked off. An answered question, a passed error and a commit show by themselves.
    let is_work = |known: &&OpenPoint| known.kind == PointKind::Finish;
    let gone =
        before.iter().filter(is_work).filter(|known| !points.iter().any(|point| is_same(known, point)));
    let gone: Vec<OpenPoint> =
        gone.filter_map(|known| closed(known, evidence, prompted_at, now)).take(MAX_DONE).collect();
    points.extend(gone);
    // It is kept for each workspace.
    points.shrink_to_fit();
    LeftToDo { points, summary: summary(evidence) }
}

fn is_same(one: &OpenPoint, other: &OpenPoint) -> bool {
    is_same_source(one.source, other.source)
        && (&one.id, &one.from, &one.session) == (&other.id, &other.from, &other.session)
}

fn points_of(evidence: &Evidence, asked: &PromptTimes<'_>, now: Timestamp) -> Vec<OpenPoint> {
    let Some((kind, weighs)) = kind_of(evidence) else { return Vec::new() };
    let is_earlier = evidence
        .said_at()
        .zip(asked.of(evidence))
        .is_some_and(|(said_at, prompted_at)| prompted_at.millis_since(said_at) > GRACE_MS);
    let point = |(id, text): (String, String)| OpenPoint {
        id,
        source: evidence.source,
        from: evidence.name.clone(),
        session: evidence.session().cloned(),
        kind,
        text,
        state: PointState::Open,
        since: now,
        is_earlier,
        weighs,
    };
    named(evidence, kind).into_iter().map(point).collect()
}

/// What the evidence asks for, and whether it weighs; `None` if it leaves nothing to do.
fn kind_of(evidence: &Evidence) -> Option<(PointKind, bool)> {
    match evidence.claim {
        Claim::Ask if evidence.has(&Point::Permission) => Some((PointKind::Allow, true)),
        Claim::Ask => Some((PointKind::Answer, true)),
        Claim::Fail => Some((PointKind::Repair, true)),
        Claim::No => Some((PointKind::Finish, true)),
        Claim::Dirty => Some((PointKind::Keep, true)),
        Claim::Abstain(rejection) => match rejection {
            Rejection::MidTurn if evidence.source == Source::LiveSession => Some((PointKind::Resume, true)),
            Rejection::Absent if evidence.source == Source::Output => Some((PointKind::Finish, true)),
            Rejection::Absent | Rejection::Unreadable
                if evidence.is_required || evidence.is_unreadable_report() =>
            {
                Some((PointKind::Repair, true))
            }
            Rejection::Undecided if evidence.has(&Point::StopsHalfWay) || may_be_open(evidence) => {
                Some((PointKind::Finish, false))
            }
            Rejection::NotConfigured
            | Rejection::Absent
            | Rejection::Stale
            | Rejection::Foreign
            | Rejection::Unreadable
            | Rejection::Vacuous
            | Rejection::Undecided
            | Rejection::MidTurn
            | Rejection::LeftOver
            | Rejection::Dismissed => None,
        },
        Claim::Yes if may_be_open(evidence) => Some((PointKind::Finish, false)),
        Claim::Yes | Claim::Wait | Claim::Work => None,
    }
}

fn may_be_open(evidence: &Evidence) -> bool {
    evidence.points.iter().any(|point| matches!(point, Point::MayBeOpen(_)))
}

/// The names of the points, with their texts.
fn named(evidence: &Evidence, kind: PointKind) -> Vec<(String, String)> {
    let said = || match &reason::all(evidence)[..] {
        [] => evidence.name.clone(),
        [before @ .., last] => {
            // A full stop would end the list.
            let before = before.iter().map(|reason| reason.strip_suffix('.').unwrap_or(reason));
            before.chain([last.as_str()]).collect::<Vec<_>>().join("; ")
        }
    };
    match kind {
        PointKind::Keep => return vec![(format!("git/{}", evidence.name), said())],
        PointKind::Resume => return vec![(CUT_TURN.to_owned(), said())],
        PointKind::Repair | PointKind::Allow | PointKind::Answer | PointKind::Finish => {}
    }
    if evidence.is_unreadable_report() {
        let text = verdict::unusable(evidence.source, &said());
        return ids(evidence).into_iter().map(|id| (id, text.clone())).collect();
    }
    let (points, reasons) = (&evidence.points, &evidence.reasons);
    if evidence.source == Source::Output && evidence.rejection().is_some() {
        return vec![(format!("output/{}", evidence.name), say::write(&evidence.name))];
    }
    if points.is_empty() {
        return ids(evidence).into_iter().map(|reason| (reason.clone(), reason)).collect();
    }
    let text = |(at, point): (usize, &Point)| {
        let text = match reason::of_point(point) {
            Some(text) => text.into_owned(),
            None if points.len() == reasons.len() => reasons.get(at).map(reason::label).unwrap_or_default(),
            None if points.len() == 1 => said(),
            None => point.to_string(),
        };
        (point.to_string(), text)
    };
    points.iter().enumerate().map(text).collect()
}

/// The closer's last summary of the whole task.
fn summary(evidence: &[&Evidence]) -> Option<String> {
    let closers = evidence.iter().filter(|evidence| evidence.source == Source::Closer);
    let newest = closers.max_by_key(|evidence| evidence.said_at())?;
    newest.pointer.as_ref().and_then(|pointer| pointer.excerpt.clone())
}

/// Marks as sent the points whose words occur in a text that reached an agent.
pub fn mark_sent(points: &mut [OpenPoint], text: &str, at: Timestamp) {
    let text = display_text::line(text);
    for point in points.iter_mut().filter(|point| point.is_open() && point.is_for_agent()) {
        let words = display_text::line(point.text.trim());
        if !words.is_empty() && text.contains(&*words) {
            point.state = PointState::Sent { at };
        }
    }
}

/// The first `most` points as lines for an agent, and how many more there are.
pub fn lines(points: &[&OpenPoint], most: usize) -> String {
    let mut lines = String::new();
    for point in points.iter().take(most) {
        let text = display_text::line(point.text.trim());
        let text = if point.is_earlier { say::earlier(text) } else { text.into_owned() };
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "- {text}");
    }
    match points.len().saturating_sub(most) {
        0 => {}
        n_more => {
            let _ = writeln!(lines, "- {}", say::and_more(n_more));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Fact, Origin};

    fn prompted(at: i64) -> PromptTimes<'static> {
        PromptTimes { at: Some(Timestamp(at)), in_session: &|_| None }
    }

    const NEVER: PromptTimes<'_> = PromptTimes { at: None, in_session: &|_| None };

    /// The list of this evidence.
    fn listed(
        evidence: &[Evidence],
        before: &[OpenPoint],
        asked: &PromptTimes<'_>,
        now: Timestamp,
    ) -> LeftToDo {
        list(&evidence.iter().collect::<Vec<_>>(), before, asked, now)
    }

    fn no(source: Source, from: &str, points: Vec<Point>) -> Evidence {
        Evidence { points, ..Evidence::claim(source, from, Claim::No, Origin::File.as_read()) }
    }

    fn steps(titles: &[&str]) -> Evidence {
        no(Source::Plan, "PLAN.md", titles.iter().map(|title| Point::Step((*title).to_owned())).collect())
    }

    fn texts(left: &LeftToDo) -> Vec<&str> {
        left.points.iter().map(|point| point.text.as_str()).collect()
    }

    #[test]
    fn no_full_stop_stands_between_reasons() {
        let words = no(Source::LastWords, "claude", vec![Point::StopsHalfWay])
            .because("The error handling is missing.".to_owned())
            .because("The first half works.".to_owned());
        let left = listed(&[words], &[], &NEVER, Timestamp(1));
        assert_eq!(texts(&left), ["The error handling is missing; The first half works."]);
    }

    #[test]
    fn every_source_has_its_points_and_a_person_comes_first() {
        let dirty = Evidence::claim(Source::Changes, "git", Claim::Dirty, Origin::Git.as_read())
            .because("2 files are not committed".to_owned());
        let asks = Evidence::claim(Source::LastWords, "claude", Claim::Ask, Origin::File.as_read())
            .because("Which one?".to_owned());
        let failed = Point::FailedRun { tool: "cargo".to_owned(), failing: Some("parses".to_owned()) };
        let evidence = [
            dirty,
            steps(&["Write it", "Test it"]),
            no(Source::Tests, "cargo test", vec![failed]),
            no(Source::RequiredFiles, "required files", vec![Point::MissingFile("out.csv".to_owned())]),
            Evidence::abstain(Source::Output, "report.md", Rejection::Absent, Origin::File.as_read())
                .because(Fact::NoOutput),
            Evidence::abstain(Source::LiveSession, "codex", Rejection::MidTurn, Origin::File.as_read())
                .because(Fact::TurnInterrupted),
            asks,
        ];
        let left = listed(&evidence, &[], &NEVER, Timestamp(5));
        let expected = [
            "Which one?", "the turn was interrupted", "Write it", "Test it", "parses fails (cargo)",
            "out.csv is missing", "write report.md", "2 files are not committed",
        ];
        assert_eq!(texts(&left), expected);
    }

    #[test]
    fn a_point_keeps_its_age_and_that_it_was_sent_until_its_source_closes_it() {
        let open = [steps(&["Write it", "Test it"])];
        let mut first = listed(&open, &[], &NEVER, Timestamp(5));
        mark_sent(&mut first.points, "please:\n- Test it", Timestamp(6));
        let second = listed(&open, &first.points, &prompted(7), Timestamp(8));
        let states: Vec<_> = second.points.iter().map(|point| (point.since, point.state)).collect();
        let sent = PointState::Sent { at: Timestamp(6) };
        assert_eq!(states, [(Timestamp(5), PointState::Open), (Timestamp(5), sent)]);

        let closed = [steps(&["Write it"])];
        let third = listed(&closed, &second.points, &prompted(7), Timestamp(9));
        assert_eq!(third.open().count(), 1);
        assert_eq!(third.points.last().map(|point| point.state), Some(PointState::Done { at: Timestamp(9) }));
        let fourth = listed(&closed, &third.points, &prompted(10), Timestamp(11));
        assert_eq!(texts(&fourth), ["Write it"], "what was done is dropped with the next prompt");
        let again = listed(&open, &third.points, &prompted(7), Timestamp(12));
        assert!(again.points.iter().all(OpenPoint::is_open));
    }

    #[test]
    fn a_source_that_cannot_be_read_closes_nothing() {
        let open = [steps(&["Write it"])];
        let before = listed(&open, &[], &NEVER, Timestamp(5)).points;
        for (rejection, n_open) in
            [(Rejection::Unreadable, 1), (Rejection::Dismissed, 0), (Rejection::LeftOver, 0)]
        {
            let silent = [Evidence::abstain(Source::Plan, "PLAN.md", rejection, Origin::File.as_read())];
            let left = listed(&silent, &before, &NEVER, Timestamp(6));
            assert_eq!((left.open().count(), left.points.len()), (n_open, n_open), "{rejection:?}");
        }
    }

    #[test]
    fn a_source_that_was_not_read_closes_nothing_and_one_that_is_gone_asks_for_nothing() {
        let name = |id: &str| Origin::Session(Box::new(SessionName::new("claude", id)));
        let read = |source, from: &str, claim| Evidence::claim(source, from, claim, Origin::File.as_read());
        let none = |source, from: &str| read(source, from, Claim::Abstain(Rejection::NotConfigured));
        let idle = |id: &str, rejection| {
            Evidence::abstain(Source::LiveSession, "claude", rejection, name(id).as_read())
        };
        let git = |source, from: &str, claim| Evidence::claim(source, from, claim, Origin::Git.as_read());
        let plan = steps(&["Write it"]);
        let todos = Evidence { provenance: name("a").as_read(), ..steps(&["Write it"]) };
        let rebase = git(Source::Commits, "git rebase", Claim::No);
        let failing = no(Source::Tests, "a.xml, b.xml", vec![Point::FailingTest("parses".to_owned())]);
        let decided = no(Source::DecisionWithId, "d.json", vec![Point::Named("no docs".to_owned())]);
        let cannot_verify = read(Source::Tests, "b.xml", Claim::No);
        let (unread, closed, gone) = (Some(true), Some(false), None);
        for (before, look, expected) in [
            // Nothing could be read, or git alone, or only part of it yet.
            (&plan, git(Source::Commits, "workspace", Claim::Fail), unread),
            (&plan, none(Source::Decision, "decision file"), unread),
            (&todos, none(Source::RequiredFiles, "required files"), unread),
            (&todos, idle("b", Rejection::Undecided), unread),
            (&rebase, git(Source::Commits, "git", Claim::Fail), unread),
            (&failing, cannot_verify, unread),
            (&decided, none(Source::Closer, "closer"), unread),
            // Files were looked for, and the plan was not among them.
            (&plan, none(Source::RequiredFiles, "required files"), gone),
            (&todos, idle("a", Rejection::LeftOver), gone),
            (&decided, none(Source::Decision, "decision file"), gone),
            (&failing, none(Source::Tests, "tests"), gone),
            // It was read, and says no more of it.
            (&todos, idle("a", Rejection::Undecided), closed),
            (&rebase, git(Source::Changes, "git", Claim::Dirty), closed),
            (&failing, read(Source::Tests, "a.xml", Claim::Yes), closed),
            (&decided, read(Source::Decision, "d.json", Claim::Yes), closed),
        ] {
            let before = listed(std::slice::from_ref(before), &[], &NEVER, Timestamp(5)).points;
            let left = listed(std::slice::from_ref(&look), &before, &NEVER, Timestamp(6));
            let text = &before[0].text;
            let point = left.points.iter().find(|point| point.text == *text);
            assert_eq!(point.map(OpenPoint::is_open), expected, "{text}: {look:?}");
            assert!(point.is_none_or(|point| !point.is_open() || !point.weighs), "{text}: {look:?}");
        }
        let nothing = listed(&[], &listed(&[plan], &[], &NEVER, Timestamp(5)).points, &NEVER, Timestamp(6));
        assert!(nothing.points.iter().all(|point| point.is_open() && !point.weighs), "{nothing:?}");
    }

    #[test]
    fn a_long_list_says_how_much_it_leaves_out() {
        let open = [steps(&["a", "b", "c", "d"])];
        let left = listed(&open, &[], &NEVER, Timestamp(5));
        let points: Vec<&OpenPoint> = left.open().collect();
        assert_eq!(lines(&points, 3), "- a\n- b\n- c\n- and 1 more\n");
    }

    #[test]
    fn a_prompt_ages_what_was_said_in_its_own_session_only() {
        let asks = |session: &str| {
            let origin = Origin::Session(Box::new(SessionName::new("claude", session)));
            Evidence::claim(Source::LastWords, "claude", Claim::Ask, origin.at(Some(Timestamp(50_000))))
                .because(format!("Which, {session}?"))
        };
        let prompted_at =
            |name: &SessionName| Some(Timestamp(if name.session_id == "a" { 90_000 } else { 10_000 }));
        let asked = PromptTimes { at: Some(Timestamp(90_000)), in_session: &prompted_at };
        let left = listed(&[asks("a"), asks("b")], &[], &asked, Timestamp(99_000));
        let told: Vec<_> = left.points.iter().map(|point| (point.text.as_str(), point.is_earlier)).collect();
        assert_eq!(told, [("Which, a?", true), ("Which, b?", false)]);
    }
}
