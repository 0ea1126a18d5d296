//! What an agent reads when a gate holds it back.

use std::fmt::Write as _;

use super::phrases::gate as phrase;
use super::texts::shown;
use super::{counts, verdict};
use crate::model::{HeldBack, NextActionKind, OpenPoint, display_text};

/// How many points are quoted in full.
const IN_FULL: usize = 3;
/// The maximum length of a point quoted in full, and of one that is only named, in characters.
const LONGEST: [usize; 2] = [1000, 80];
/// How many more points are named.
const NAMED: usize = 20;

/// The feedback for an agent: everything that is left to do, the first three points in full, and how to end.
pub(crate) fn feedback(held_back: &HeldBack) -> String {
    match held_back {
        HeldBack::Points(points) => {
            let named = |point: &OpenPoint| format!("{}: {}", point.source.title(), point.text);
            list(&points.iter().map(named).collect::<Vec<_>>())
        }
        HeldBack::Unproven(why, next) if next.kind() == NextActionKind::Rescue => {
            list(&[phrase::commit_work(verdict::of_why(why))])
        }
        HeldBack::Unproven(_, next) => list(&[verdict::of_next(next)]),
    }
}

fn list(points: &[String]) -> String {
    let mut text = phrase::left_to_do(counts::points_left(points.len()));
    for (number, point) in (1..).zip(points.iter().take(IN_FULL)) {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n{number}. {}", shortened(point, LONGEST[0]));
    }
    let rest = points.get(IN_FULL..).unwrap_or_default();
    if !rest.is_empty() {
        let named: Vec<String> = rest.iter().take(NAMED).map(|point| shortened(point, LONGEST[1])).collect();
        let more = rest.len().saturating_sub(NAMED);
        let _ = write!(text, "\n{}", phrase::also(named.join("; ")));
        if more > 0 {
            let _ = write!(text, " {}", phrase::and_more(more));
        }
    }
    let _ = write!(text, "\n{}", phrase::how_to_end());
    text
}

fn shortened(text: &str, most: usize) -> String {
    display_text::cut_after(&shown(text.trim()), most).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(n: usize) -> Vec<String> {
        (1..=n).map(|n| format!("plan: step {n}")).collect()
    }

    #[test]
    fn three_are_told_in_full_and_all_are_named() {
        assert_eq!(
            list(&points(1)),
            "closeout: 1 point is left to do.\n1. plan: step 1\nFinish what is left, or take it out of the plan and \
             say why. If you need an answer from the person, ask and stop."
        );
        let text = list(&points(5));
        assert!(text.starts_with("closeout: 5 points are left to do."), "{text}");
        assert!(text.contains("\n3. plan: step 3\nAlso: plan: step 4; plan: step 5\n"), "{text}");
        assert!(list(&points(40)).contains("and 17 more"));
    }

    #[test]
    fn a_point_cannot_grow_without_a_bound_or_bring_control_characters() {
        let text = list(&["x".repeat(100_000), "a\n\u{1b}]52;b".to_owned()]);
        assert!(text.len() < 2000 && !text.contains('\u{1b}'), "{text}");
    }
}
