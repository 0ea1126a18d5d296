//! Cases of the checkers beyond the vectors.

use super::*;
use crate::model::PlanStep;

fn steps(list: &[(&str, Option<&str>)]) -> CheckContext {
    let step = |(title, status): &(&str, Option<&str>)| PlanStep {
        title: (*title).to_owned(),
        status: status.map(str::to_owned),
    };
    CheckContext { plan: PlanSource::Steps(list.iter().map(step).collect()), ..CheckContext::default() }
}

fn plan() -> Checker {
    Checker::Plan { plan_type: Some("plan".to_owned()) }
}

fn files(required: &[&str]) -> Checker {
    Checker::Files { required: required.iter().map(ToString::to_string).collect() }
}

fn stated(id: &str, complete: bool, feedback: Option<&str>) -> Checker {
    Checker::Static { id: id.to_owned(), complete, feedback: feedback.map(str::to_owned) }
}

fn composite(mode: CompositeMode, checkers: Vec<Checker>) -> Checker {
    Checker::Composite { mode, checkers }
}

fn run(checker: &Checker, context: &CheckContext) -> CheckOutcome {
    check(Some(checker), context)
}

fn with_files(files: &[&str]) -> CheckContext {
    CheckContext { files: Some(files.iter().map(ToString::to_string).collect()), ..CheckContext::default() }
}

#[test]
fn only_the_exact_word_done_is_done() {
    for status in [None, Some("Done"), Some("done "), Some("DONE"), Some("completed"), Some("")] {
        assert_eq!(run(&plan(), &steps(&[("a", status)])).complete, Some(false), "{status:?}");
    }
    assert_eq!(run(&plan(), &steps(&[("a", Some("done"))])).complete, Some(true));
}

#[test]
fn feedback_names_counts_and_at_most_three_titles() {
    let feedback = |list: &[(&str, Option<&str>)]| run(&plan(), &steps(list)).feedback.unwrap_or_default();
    assert_eq!(feedback(&[("a", None), ("b", Some("done"))]), "1 of 2 plan steps is not done: a");
    assert_eq!(feedback(&[("a", None), ("b", None), ("c", None)]), "3 of 3 plan steps are not done: a, b, c");
    assert_eq!(
        feedback(&[("a", None), (" \n", None), ("c\u{1b}[0m\nd", None), ("e", None)]),
        "4 of 4 plan steps are not done: a, (step 2 without a title), c [0m d, ..."
    );
    let outcome = run(&files(&["a", "b", "c", "d", "e"]), &with_files(&["c"]));
    assert_eq!(outcome.feedback.as_deref(), Some("4 of 5 required files are missing: a, b, d, ..."));
}

#[test]
fn a_long_title_is_cut_without_an_ellipsis() {
    let feedback = run(&plan(), &steps(&[("語".repeat(9000).as_str(), None)])).feedback.unwrap_or_default();
    assert_eq!(feedback.chars().filter(|c| *c == '語').count(), 500);
    assert!(!feedback.contains("..."));
}

#[test]
fn nothing_to_check_passes_and_is_vacuous() {
    for (checker, context) in [
        (plan(), CheckContext::default()),
        (plan(), CheckContext { plan: PlanSource::NotRegistered, ..CheckContext::default() }),
        (plan(), steps(&[])),
        (Checker::Plan { plan_type: None }, steps(&[("a", None)])),
        (Checker::Plan { plan_type: Some(" ".to_owned()) }, steps(&[("a", None)])),
        (files(&[]), CheckContext::default()),
        (files(&["", " "]), with_files(&[])),
        (
            Checker::Tests,
            CheckContext {
                test_results: Some(TestCounts { n_passed: Some(0), n_failed: Some(0) }),
                ..CheckContext::default()
            },
        ),
    ] {
        let outcome = run(&checker, &context);
        assert_eq!(
            (outcome.complete, outcome.vacuous, outcome.allow_stop),
            (Some(true), true, true),
            "{checker:?}"
        );
    }
}

#[test]
fn what_cannot_be_verified_is_incomplete_with_feedback() {
    let counts = |n_passed, n_failed| CheckContext {
        test_results: Some(TestCounts { n_passed, n_failed }),
        ..CheckContext::default()
    };
    for (checker, context) in [
        (plan(), CheckContext { plan: PlanSource::Unreadable, ..CheckContext::default() }),
        (files(&["a"]), CheckContext::default()),
        (Checker::Tests, CheckContext::default()),
        (Checker::Tests, counts(Some(3), None)),
        (Checker::Tests, counts(None, Some(0))),
        (Checker::Tests, counts(Some(u64::MAX), Some(u64::MAX))),
        (stated("a", false, None), CheckContext::default()),
        (stated("a", false, Some(" \n")), CheckContext::default()),
        (Checker::Broken { id: "b".to_owned(), message: String::new() }, CheckContext::default()),
    ] {
        let outcome = run(&checker, &context);
        assert_eq!(
            (outcome.complete, outcome.vacuous, outcome.allow_stop),
            (Some(false), false, false),
            "{checker:?}"
        );
        assert!(outcome.feedback.is_some_and(|feedback| !feedback.trim().is_empty()), "{checker:?}");
    }
}

#[test]
fn vacuous_passes_through_composites_only_when_nothing_else_passed() {
    let (yes, no, vacuous) = (stated("y", true, None), stated("n", false, None), plan());
    let any = |list: &[&Checker]| composite(CompositeMode::Any, list.iter().copied().cloned().collect());
    let all = |list: &[&Checker]| composite(CompositeMode::All, list.iter().copied().cloned().collect());
    for (checker, complete, is_vacuous) in [
        (all(&[&vacuous, &vacuous]), true, true),
        (all(&[&vacuous, &yes]), true, false),
        (all(&[&yes, &vacuous]), true, false),
        (all(&[&vacuous, &no]), false, false),
        (any(&[&no, &vacuous, &yes]), true, true),
        (any(&[&yes, &vacuous]), true, false),
        (any(&[&no, &no]), false, false),
        (all(&[&all(&[]), &any(&[])]), true, true),
        (any(&[&all(&[&vacuous]), &yes]), true, true),
        (all(&[&any(&[&vacuous]), &all(&[&yes])]), true, false),
    ] {
        let outcome = run(&checker, &CheckContext::default());
        assert_eq!((outcome.complete, outcome.vacuous), (Some(complete), is_vacuous), "{checker:?}");
    }
}

#[test]
fn feedback_is_joined_when_nothing_stopped_early() {
    let list = |first, second| vec![stated("a", first, Some("from a")), stated("b", second, Some("from b"))];
    for (mode, first, second, feedback, evaluated) in [
        (CompositeMode::All, true, true, "from a\nfrom b", 2),
        (CompositeMode::All, true, false, "from b", 2),
        (CompositeMode::All, false, true, "from a", 1),
        (CompositeMode::Any, false, false, "from a\nfrom b", 2),
        (CompositeMode::Any, false, true, "from b", 2),
        (CompositeMode::Any, true, false, "from a", 1),
    ] {
        let outcome = run(&composite(mode, list(first, second)), &CheckContext::default());
        assert_eq!((outcome.feedback.as_deref(), outcome.evaluated.len()), (Some(feedback), evaluated));
    }
    let broken = Checker::Broken { id: "x".to_owned(), message: "disk\ngone".to_owned() };
    let outcome =
        run(&composite(CompositeMode::Any, vec![broken, stated("y", true, None)]), &CheckContext::default());
    assert_eq!((outcome.complete, outcome.evaluated), (Some(true), vec!["x".to_owned(), "y".to_owned()]));
}

#[test]
fn skipping_runs_nothing_and_is_not_completion() {
    let checker = stated("a", true, None);
    for (checker, budget, deadline) in
        [(Some(&checker), true, false), (Some(&checker), false, true), (None, false, false)]
    {
        let context = CheckContext {
            is_budget_exhausted: budget,
            is_deadline_expired: deadline,
            ..CheckContext::default()
        };
        let outcome = check(checker, &context);
        assert_eq!(
            (outcome.complete, outcome.skipped, outcome.allow_stop, outcome.vacuous),
            (None, true, true, false)
        );
        assert!(outcome.evaluated.is_empty());
    }
}

#[test]
fn paths_are_compared_without_a_leading_dot() {
    assert_eq!(run(&files(&["./out.md", " a/b "]), &with_files(&["out.md", "././a/b"])).complete, Some(true));
    assert_eq!(run(&files(&["Out.md"]), &with_files(&["out.md"])).complete, Some(false));
}

#[test]
fn deep_nesting_is_not_followed_for_ever() {
    let mut checker = stated("a", true, None);
    for _ in 0..1000 {
        checker = composite(CompositeMode::All, vec![checker]);
    }
    let outcome = run(&checker, &CheckContext::default());
    assert_eq!((outcome.complete, outcome.evaluated.len()), (Some(false), 0));
}
