//! Rounds: what carries over from one turn of an agent to the next (rules R4, R5, R6).
//!
//! A round begins when an agent's turn ended or a decision file was written; a turn that wrote one is one round with
//! it. If the same points are open in two consecutive rounds, the stage goes up. Must not measure time.

use super::left_to_do;
use crate::model::{Claim, Evidence, Rounds, Source, Strength, Timestamp};

/// The rounds after a look at `evidence`.
///
/// `mark` names the present round ([`mark`]); `None` means that no round has been seen yet and
/// changes only the open points.
pub fn advance(before: &Rounds, mark: Option<&str>, evidence: &[&Evidence]) -> Rounds {
    let open_points = open_points(evidence);
    let (known_end, known_decision) = before.mark.as_deref().map(moments).unwrap_or_default();
    // While a turn runs, only a decision that it writes begins a round; a person's own word never does (R8).
    let is_own = evidence.iter().any(|evidence| {
        matches!(evidence.source, Source::Decision | Source::DecisionWithId)
            && evidence.strength == Strength::Person
    });
    let mark = mark
        .map(moments)
        .map(|(end, decision)| (end, decision.filter(|_| !is_own)))
        .filter(|(end, decision)| end.is_some() || decision.is_some() && *decision != known_decision);
    let is_new = mark.is_some_and(|(end, decision)| {
        let is_decided = decision.is_some() && decision != known_decision;
        // The end of a turn whose decision began a round belongs to that round.
        is_decided || end.is_some() && end != known_end && known_decision <= known_end
    });
    let is_same = open_points == before.round_points;
    let stage = match (open_points.is_empty(), is_same, is_new) {
        (true, _, _) => 0,
        (false, true, true) => before.round_stage.saturating_add(1),
        (false, true, false) => before.round_stage.max(1),
        (false, false, _) => 1,
    };
    // Without a mark a turn is running: what is open on the way is not the result of a round.
    let (round_points, round_stage) = match mark {
        Some(_) => (open_points.clone(), stage),
        None => (before.round_points.clone(), before.round_stage),
    };
    let is_decision = |evidence: &&&Evidence| evidence.source == Source::Decision;
    let is_unreadable = evidence.iter().filter(is_decision).any(|evidence| evidence.is_unreadable_report());
    let n_unreadable = match (mark, is_unreadable, is_new) {
        (None, _, _) => before.n_unreadable,
        (Some(_), false, _) => 0,
        (Some(_), true, true) => before.n_unreadable.saturating_add(1),
        (Some(_), true, false) => before.n_unreadable.max(1),
    };
    Rounds {
        open_points,
        round_points,
        round_stage,
        stage,
        n_unreadable,
        mark: mark
            .map(|(end, decision)| self::mark(end.or(known_end), decision.or(known_decision)))
            .or_else(|| before.mark.clone()),
        changed_at: before.changed_at,
        is_used_up: false,
    }
}

/// The name of a round: when the last turn ended, and when the decision file was written.
pub fn mark(end: Option<Timestamp>, decision: Option<Timestamp>) -> String {
    let text = |at: Option<Timestamp>| at.map(|at| at.0.to_string()).unwrap_or_default();
    format!("{}/{}", text(end), text(decision))
}

/// The two moments in the name of a round. An older closeout named one alone.
fn moments(mark: &str) -> (Option<Timestamp>, Option<Timestamp>) {
    let (end, decision) = mark.split_once('/').unwrap_or((mark, ""));
    let read = |text: &str| text.parse().ok().map(Timestamp);
    (read(end), read(decision))
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
    use crate::model::{Origin, Point, Rejection};

    fn no(reason: &str) -> Evidence {
        Evidence::claim(Source::Tests, "junit.xml", Claim::No, Origin::File.at(None))
            .because(reason.to_owned())
    }

    #[test]
    fn the_same_open_points_in_the_next_round_raise_the_stage() {
        let evidence = no("2 tests fail");
        let mut rounds = Rounds::default();
        for (mark, stage) in [("1/", 1), ("1/", 1), ("2/", 2), ("3/", 3)] {
            rounds = advance(&rounds, Some(mark), &[&evidence]);
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
            rounds = advance(&rounds, Some(mark), &[&evidence]);
            assert_eq!((rounds.stage, mark), (stage, mark));
        }
        // What an older closeout kept.
        let old = Rounds { mark: Some("20".to_owned()), ..rounds.clone() };
        assert_eq!(advance(&old, Some("20/"), &[&evidence]).stage, 6);
    }

    #[test]
    fn a_decision_that_a_person_wrote_begins_no_round() {
        let mut own = Evidence::claim(Source::Decision, "decision.json", Claim::No, Origin::File.at(None))
            .because("not yet".to_owned());
        own.strength = Strength::Person;
        let mut rounds = Rounds::default();
        for (mark, stage) in [("10/", 1), ("10/20", 1), ("10/30", 1), ("/40", 1), ("50/40", 2), ("60/40", 3)]
        {
            rounds = advance(&rounds, Some(mark), &[&own]);
            assert_eq!((rounds.stage, mark), (stage, mark));
        }
    }

    #[test]
    fn other_open_points_begin_again() {
        let first = advance(&Rounds::default(), Some("1/"), &[&no("x")]);
        let second = advance(&first, Some("2/"), &[&no("x")]);
        assert_eq!(second.stage, 2);
        assert_eq!(advance(&second, Some("3/"), &[&no("y")]).stage, 1);
        assert_eq!(advance(&second, Some("3/"), &[]).stage, 0);
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
            rounds = advance(&rounds, mark, &[&no(points)]);
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
            rounds = advance(&rounds, mark, &[evidence]);
            assert_eq!(rounds.n_unreadable, expected, "{mark:?}");
        }
    }

    #[test]
    fn fingerprints_go_before_reasons() {
        let mut evidence = no("wording changes each time");
        evidence.points = vec![Point::Named("lint/unused".to_owned())];
        assert_eq!(advance(&Rounds::default(), None, &[&evidence]).open_points, ["lint/unused"]);
    }
}
