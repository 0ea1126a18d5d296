//! Rounds: what carries over from one turn of an agent to the next (rules R4, R5, R6).
//!
//! A round begins when an agent's turn ended or a decision file was written. If the same points are open in
//! two consecutive rounds, the stage goes up. Must not measure time.

use super::left_to_do;
use crate::model::{Claim, Evidence, Rounds, Source};

/// The rounds after a look at `evidence`.
///
/// `mark` names the present round; `None` means that no round has been seen yet and
/// changes only the open points.
pub fn advance(before: &Rounds, mark: Option<&str>, evidence: &[&Evidence]) -> Rounds {
    let open_points = open_points(evidence);
    let is_new = mark.is_some() && mark != before.mark.as_deref();
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
        mark: mark.map(str::to_owned).or_else(|| before.mark.clone()),
        is_used_up: before.is_used_up,
    }
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
    use crate::model::{Point, Rejection};

    fn no(reason: &str) -> Evidence {
        Evidence::claim(Source::Tests, "junit.xml", Claim::No).because(reason)
    }

    #[test]
    fn the_same_open_points_in_the_next_round_raise_the_stage() {
        let evidence = no("2 tests fail");
        let mut rounds = Rounds::default();
        for (mark, stage) in [("a", 1), ("a", 1), ("b", 2), ("c", 3)] {
            rounds = advance(&rounds, Some(mark), &[&evidence]);
            assert_eq!((rounds.stage, mark), (stage, mark));
        }
    }

    #[test]
    fn other_open_points_begin_again() {
        let first = advance(&Rounds::default(), Some("a"), &[&no("x")]);
        let second = advance(&first, Some("b"), &[&no("x")]);
        assert_eq!(second.stage, 2);
        assert_eq!(advance(&second, Some("c"), &[&no("y")]).stage, 1);
        assert_eq!(advance(&second, Some("c"), &[]).stage, 0);
    }

    #[test]
    fn what_is_open_on_the_way_is_no_round() {
        let mut rounds = Rounds::default();
        // The same points during a turn and at its end are one round.
        for (mark, points, stage) in [
            (None, "x", 1),
            (Some("a"), "x", 1),
            (None, "x", 1),
            (Some("b"), "x", 2),
            (None, "y", 1),
            (Some("c"), "x", 3),
        ] {
            rounds = advance(&rounds, mark, &[&no(points)]);
            assert_eq!(rounds.stage, stage, "{mark:?} {points}");
        }
    }

    #[test]
    fn unreadable_decisions_count_only_in_a_row() {
        let mut rounds = Rounds::default();
        let broken = Evidence::abstain(Source::Decision, "decision.json", Rejection::Unreadable);
        let other = Evidence::abstain(Source::Decision, "decision.json", Rejection::Foreign);
        for (mark, evidence, expected) in [
            (Some("a"), &broken, 1),
            (Some("a"), &broken, 1),
            (None, &broken, 1),
            (Some("b"), &broken, 2),
            (Some("c"), &other, 0),
            (Some("d"), &broken, 1),
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
