//! Rounds: what carries over from one round of an agent's work to the next (rules R4, R5, R6).
//!
//! A round begins when an agent's turn ended or a decision file was written; a turn that wrote one is one round with
//! it. A check with an id is one too, if neither happened since the check before and its sources have changed: the agent of
//! a shell loop may leave no record and write no decision. If the same points are open in two consecutive rounds, the stage
//! goes up. Must not measure time.

use super::left_to_do;
use crate::model::{
    Claim, Evidence, GitFacts, Origin, RoundCheck, Rounds, Source, Strength, Timestamp, stable_hash,
};

/// What names a round.
#[derive(Debug, Clone, Copy, Default)]
struct Moments {
    /// When the last turn ended: a gate, its agent's hooks and the record each have a moment of their own for that.
    end: Option<Timestamp>,
    /// When the decision file was written.
    decision: Option<Timestamp>,
    /// When something was last said or done in the turn that ended.
    moved: Option<Timestamp>,
}

impl Moments {
    /// The same with the known turn, if nothing was said or done since its end.
    fn with_turn_of(self, known: Moments) -> Moments {
        let is_same_turn = self.moved.is_some() && self.moved <= known.end;
        if is_same_turn { Moments { decision: self.decision, ..known } } else { self }
    }
}

/// A check with an id that can be a round: no turn runs, and its reading is whole.
#[derive(Debug, Clone, Copy)]
pub struct Check<'a> {
    /// A name for the sources as it found them ([`sources`]).
    pub sources: &'a str,
    /// Whether an earlier look of the same check has counted it.
    pub is_counted: bool,
}

/// The rounds after a look at `evidence`.
///
/// `mark` names the present round ([`mark`]). Without it and without a `check` only the open points change: either no
/// round has been seen yet, or a turn is running.
pub fn advance(
    before: &Rounds,
    mark: Option<&str>,
    check: Option<Check<'_>>,
    evidence: &[&Evidence],
) -> Rounds {
    let open_points = open_points(evidence);
    let known = before.mark.as_deref().map(moments).unwrap_or_default();
    let mark = mark.and_then(|mark| counted(moments(mark).with_turn_of(known), known, evidence));
    let is_new =
        mark.is_some_and(|mark| is_begun(mark, known)) || check.is_some_and(|check| is_news(check, before));
    let is_round = mark.is_some() || check.is_some();
    let (past_points, past_stage) = if is_new {
        (&before.round_points, before.round_stage)
    } else {
        (&before.past_points, before.past_stage)
    };
    let stage = match (is_round, open_points.is_empty()) {
        (_, true) => 0,
        (true, false) if open_points == *past_points => past_stage.saturating_add(1),
        (false, false) if open_points == before.round_points => before.round_stage.max(1),
        (_, false) => 1,
    };
    // What is open on the way is not the result of a round.
    let (round_points, round_stage) = if is_round {
        (open_points.clone(), stage)
    } else {
        (before.round_points.clone(), before.round_stage)
    };
    let is_decision = |evidence: &&&Evidence| evidence.source == Source::Decision;
    let is_unreadable = evidence.iter().filter(is_decision).any(|evidence| evidence.is_unreadable_report());
    let n_unreadable = match (is_round, is_unreadable, is_new) {
        (false, _, _) => before.n_unreadable,
        (true, false, _) => 0,
        (true, true, true) => before.n_unreadable.saturating_add(1),
        (true, true, false) => before.n_unreadable.max(1),
    };
    let mark = mark
        .map(|mark| {
            let turn = if mark.end.is_some() { mark } else { known };
            self::mark(turn.end, turn.moved, mark.decision.or(known.decision))
        })
        .or_else(|| before.mark.clone());
    let check = check.map(|check| RoundCheck { sources: check.sources.to_owned(), mark: mark.clone() });
    Rounds {
        open_points,
        round_points,
        round_stage,
        stage,
        past_points: past_points.clone(),
        past_stage,
        n_unreadable,
        mark,
        check: check.or_else(|| before.check.clone()),
        changed_at: before.changed_at,
        is_used_up: false,
    }
}

/// The moments of a mark, if they name a round: while a turn runs, only a decision that it writes begins one, and a
/// person's own word never does (R8).
fn counted(found: Moments, known: Moments, evidence: &[&Evidence]) -> Option<Moments> {
    let is_own = evidence.iter().any(|evidence| {
        matches!(evidence.source, Source::Decision | Source::DecisionWithId)
            && evidence.strength == Strength::Person
    });
    let found = Moments { decision: found.decision.filter(|_| !is_own), ..found };
    let is_decided = found.decision.is_some() && found.decision != known.decision;
    (found.end.is_some() || is_decided).then_some(found)
}

/// Whether the end of a turn or a decision began a round.
fn is_begun(found: Moments, known: Moments) -> bool {
    let is_decided = found.decision.is_some() && found.decision != known.decision;
    // The end of a turn whose decision began a round belongs to that round.
    is_decided || found.end.is_some() && found.end != known.end && known.decision <= known.end
}

/// Whether this check begins a round of its own. If a turn or a decision has begun one since the last check, no matter who
/// saw it, the check belongs to that.
fn is_news(check: Check<'_>, before: &Rounds) -> bool {
    let last = before.check.as_ref().filter(|last| last.mark == before.mark);
    !check.is_counted && last.is_some_and(|last| last.sources != check.sources)
}

/// A name for the sources as they are, which changes when one of them says something anew or the work changes. A person's
/// word is no round (R8), a check that closeout runs itself changes nothing, and the turns of a live session are told by
/// their ends.
pub fn sources(evidence: &[&Evidence], git: Option<&GitFacts>, content: Option<&str>) -> String {
    let is_run_here = |evidence: &Evidence| {
        evidence.source == Source::Command && evidence.provenance.origin == Origin::Check
    };
    let counts = |evidence: &&&Evidence| {
        evidence.strength != Strength::Person
            && evidence.source != Source::LiveSession
            && !is_run_here(evidence)
    };
    let told =
        |evidence: &&Evidence| format!("{:?} {:?} {:?}", evidence.source, evidence.name, evidence.provenance);
    let mut told: Vec<String> = evidence.iter().filter(counts).map(told).collect();
    told.sort();
    let head = git.and_then(|git| git.head.commit());
    format!("{:032x}", stable_hash(format!("{told:?} {head:?} {content:?}").as_bytes()))
}

/// The name of a round: when the last turn ended and something was last said or done in it, and when the decision file was
/// written.
pub fn mark(end: Option<Timestamp>, moved: Option<Timestamp>, decision: Option<Timestamp>) -> String {
    let text = |at: Option<Timestamp>| at.map(|at| at.0.to_string()).unwrap_or_default();
    format!("{}/{}/{}", text(end), text(decision), text(moved))
}

/// The moments in the name of a round. An older closeout named the first alone, or the first two.
fn moments(mark: &str) -> Moments {
    let mut named = mark.split('/').map(|text| text.parse().ok().map(Timestamp));
    let mut next = || named.next().flatten();
    Moments { end: next(), decision: next(), moved: next() }
}

/// The fingerprints of every NO, or its reasons if it has none, or else its name. Sorted, without duplicates.
fn open_points(evidence: &[&Evidence]) -> Vec<String> {
    let saying_no = evidence.iter().filter(|evidence| evidence.claim == Claim::No);
    let mut points: Vec<String> = saying_no.flat_map(|evidence| left_to_do::ids(evidence)).collect();
    points.sort();
    points.dedup();
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Point, Rejection, SessionName};

    fn no(reason: &str) -> Evidence {
        Evidence::claim(Source::Tests, "junit.xml", Claim::No, Origin::File.at(None))
            .because(reason.to_owned())
    }

    #[test]
    fn the_same_open_points_in_the_next_round_raise_the_stage() {
        let evidence = no("2 tests fail");
        let mut rounds = Rounds::default();
        for (mark, stage) in [("1/", 1), ("1/", 1), ("2/", 2), ("3/", 3)] {
            rounds = advance(&rounds, Some(mark), None, &[&evidence]);
            assert_eq!((rounds.stage, mark), (stage, mark));
        }
    }

    #[test]
    fn a_turn_that_writes_a_decision_is_one_round_however_often_it_is_looked_at() {
        let evidence = no("2 tests fail");
        let mut rounds = Rounds::default();
        for (mark, stage) in [
            // Its decision, its end, the next turn on its way.
            ("/10", 1),
            ("20/10", 1),
            ("/10", 1),
            // The next one writes none.
            ("40/10", 2),
            // One that is seen at its end alone, and one in which two are written.
            ("60/50", 3),
            ("/70", 4),
            ("/80", 5),
            ("90/80", 5),
            // A decision without any turn.
            ("90/95", 6),
        ] {
            rounds = advance(&rounds, Some(mark), None, &[&evidence]);
            assert_eq!((rounds.stage, mark), (stage, mark));
        }
        // What an older closeout kept.
        let old = Rounds { mark: Some("20".to_owned()), ..rounds.clone() };
        assert_eq!(advance(&old, Some("20/"), None, &[&evidence]).stage, 6);
    }

    #[test]
    fn an_ended_turn_is_one_round_whoever_looks_and_whenever_it_ended_for_them() {
        let evidence = no("2 tests fail");
        let mut rounds = Rounds::default();
        for (mark, stage) in [
            // A gate says that the turn ends now; a record has its last line, before or after that.
            ("20//18", 1),
            ("19//18", 1),
            ("25//18", 1),
            ("20//18", 1),
            // Held back, the agent goes on, and writes a decision.
            ("/30/", 2),
            ("40/30/38", 2),
            ("38/30/38", 2),
            ("60/30/58", 3),
            ("59/30/58", 3),
        ] {
            rounds = advance(&rounds, Some(mark), None, &[&evidence]);
            assert_eq!((rounds.stage, mark), (stage, mark));
        }
        assert_eq!(rounds.mark.as_deref(), Some("60/30/58"));
    }

    #[test]
    fn a_decision_that_a_person_wrote_begins_no_round() {
        let mut own = Evidence::claim(Source::Decision, "decision.json", Claim::No, Origin::File.at(None))
            .because("not yet".to_owned());
        own.strength = Strength::Person;
        let mut rounds = Rounds::default();
        for (mark, stage) in [("10/", 1), ("10/20", 1), ("10/30", 1), ("/40", 1), ("50/40", 2), ("60/40", 3)]
        {
            rounds = advance(&rounds, Some(mark), None, &[&own]);
            assert_eq!((rounds.stage, mark), (stage, mark));
        }
    }

    fn rounds_of(
        before: &Rounds,
        mark: Option<&str>,
        sources: &str,
        is_counted: bool,
        points: &str,
    ) -> Rounds {
        advance(before, mark, Some(Check { sources, is_counted }), &[&no(points)])
    }

    #[test]
    fn a_check_whose_sources_changed_is_a_round_where_nothing_else_began_one() {
        let mut rounds = Rounds::default();
        for (mark, sources, is_counted, points, stage) in [
            (None, "a", false, "x", 1),
            // Nothing has changed, and then something has. A second look of that check is the same round, also if it
            // reads what the check itself has made.
            (None, "a", false, "x", 1),
            (None, "b", false, "x", 2),
            (None, "b2", true, "x", 2),
            (None, "c", false, "x", 3),
            // What a first look misses or finds on its way decides nothing.
            (None, "d", false, "not run", 1),
            (None, "e", true, "x", 4),
            // The round of a turn and of a decision, and a check after each.
            (Some("10/"), "f", false, "x", 5),
            (Some("10/"), "g", false, "x", 6),
            (Some("10/20"), "h", false, "x", 7),
            (Some("10/20"), "h", false, "x", 7),
            (None, "i", false, "y", 1),
        ] {
            rounds = rounds_of(&rounds, mark, sources, is_counted, points);
            assert_eq!(rounds.stage, stage, "{mark:?} {sources} {points}");
        }
    }

    #[test]
    fn a_check_belongs_to_the_round_that_another_look_has_seen() {
        let first = rounds_of(&Rounds::default(), Some("10/"), "a", false, "x");
        // A screen with the same id sees the end of the next turn first.
        let seen = advance(&first, Some("20/"), None, &[&no("x")]);
        let checked = rounds_of(&seen, Some("20/"), "b", false, "x");
        assert_eq!((seen.stage, checked.stage), (2, 2));
        assert_eq!(rounds_of(&checked, Some("20/"), "c", false, "x").stage, 3);
    }

    #[test]
    fn the_sources_are_other_ones_when_one_is_written_anew_and_the_persons_word_is_none() {
        let written = |at| Evidence { provenance: Origin::File.at(Timestamp(at)), ..no("x") };
        let mut own = Evidence::claim(Source::Decision, "d.json", Claim::No, Origin::File.at(Timestamp(9)));
        own.strength = Strength::Person;
        let session = Origin::Session(Box::new(SessionName::new("claude", "a"))).at(Timestamp(9));
        let live = Evidence::abstain(Source::LiveSession, "claude", Rejection::Undecided, session);
        let ran = Evidence::claim(Source::Command, "check unit", Claim::No, Origin::Check.at(Timestamp(9)));
        let (one, two) = (written(1), written(2));
        let first = sources(&[&one], None, Some("tree"));
        assert_eq!(sources(&[&own, &one, &live, &ran], None, Some("tree")), first);
        for other in [sources(&[&two], None, Some("tree")), sources(&[&one], None, Some("other"))] {
            assert_ne!(other, first);
        }
    }

    #[test]
    fn other_open_points_begin_again() {
        let first = advance(&Rounds::default(), Some("1/"), None, &[&no("x")]);
        let second = advance(&first, Some("2/"), None, &[&no("x")]);
        assert_eq!(second.stage, 2);
        assert_eq!(advance(&second, Some("3/"), None, &[&no("y")]).stage, 1);
        assert_eq!(advance(&second, Some("3/"), None, &[]).stage, 0);
    }

    #[test]
    fn what_is_open_on_the_way_is_no_round() {
        let mut rounds = Rounds::default();
        // The same points during a turn and at its end are one round.
        for (mark, points, stage) in [
            (None, "x", 1),
            (Some("1/"), "x", 1),
            (None, "x", 1),
            (Some("2/"), "x", 2),
            (None, "y", 1),
            (Some("3/"), "x", 3),
        ] {
            rounds = advance(&rounds, mark, None, &[&no(points)]);
            assert_eq!(rounds.stage, stage, "{mark:?} {points}");
        }
    }

    #[test]
    fn unreadable_decisions_count_only_in_a_row() {
        let mut rounds = Rounds::default();
        let broken = Evidence::abstain(
            Source::Decision,
            "decision.json",
            Rejection::Unreadable,
            Origin::File.as_read(),
        );
        let other =
            Evidence::abstain(Source::Decision, "decision.json", Rejection::Foreign, Origin::File.as_read());
        for (mark, evidence, expected) in [
            (Some("1/"), &broken, 1),
            (Some("1/"), &broken, 1),
            (None, &broken, 1),
            (Some("2/"), &broken, 2),
            (Some("3/"), &other, 0),
            (Some("4/"), &broken, 1),
        ] {
            rounds = advance(&rounds, mark, None, &[evidence]);
            assert_eq!(rounds.n_unreadable, expected, "{mark:?}");
        }
    }

    #[test]
    fn fingerprints_go_before_reasons() {
        let mut evidence = no("wording changes each time");
        evidence.points = vec![Point::Named("lint/unused".to_owned())];
        assert_eq!(advance(&Rounds::default(), None, None, &[&evidence]).open_points, ["lint/unused"]);
    }
}
