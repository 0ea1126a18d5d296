//! The loop by tables, and its properties over all short histories.

use super::*;

const LIMITS: LoopLimits = LoopLimits {
    max_iterations: 10,
    stall_stage: 3,
    unreadable_limit: 3,
    budget_micros: None,
    waits_for_answers: true,
};

fn facts(state: VerdictState, keys: &[&str]) -> CheckFacts {
    let keys = keys.iter().map(|key| (*key).to_owned()).collect();
    CheckFacts { state, keys, is_unreadable: false, cost_micros: None }
}

fn open(keys: &[&str]) -> LoopEvent {
    LoopEvent::Checked(facts(VerdictState::Incomplete, keys))
}

fn ended() -> LoopEvent {
    LoopEvent::CommandEnded(CommandEnd::Code(0))
}

/// All steps that these events lead to.
fn steps(limits: &LoopLimits, events: impl IntoIterator<Item = LoopEvent>) -> Vec<LoopStep> {
    let mut state = LoopState::default();
    let mut steps = Vec::new();
    for event in events {
        let (next, step) = advance(state, limits, event);
        state = next;
        steps.push(step);
    }
    steps
}

fn run(number: u32, stage: u8) -> LoopStep {
    LoopStep::Run { number, stage }
}

#[test]
fn a_failure_is_mended_and_the_loop_ends_complete() {
    let events = [
        LoopEvent::Begun,
        ended(),
        open(&["a"]),
        ended(),
        LoopEvent::Checked(facts(VerdictState::Complete, &[])),
    ];
    let expected =
        [run(1, 0), LoopStep::Check, run(2, 1), LoopStep::Check, LoopStep::Finish(RunStatus::Complete)];
    assert_eq!(steps(&LIMITS, events), expected);
}

#[test]
fn the_same_points_narrow_the_work_and_then_end_it() {
    let rounds = [open(&["a", "b"]), ended(), open(&["b", "a"]), ended(), open(&["a", "b"])];
    let found = steps(&LIMITS, [LoopEvent::Begun, ended()].into_iter().chain(rounds));
    assert_eq!(found[2], run(2, 1));
    assert_eq!(found[4], run(3, 2));
    assert_eq!(found[6], LoopStep::Finish(RunStatus::Stalled));
    let other = [open(&["a"]), ended(), open(&["a"]), ended(), open(&["b"]), ended(), open(&["a"])];
    let found = steps(&LIMITS, [LoopEvent::Begun, ended()].into_iter().chain(other));
    assert_eq!(found.last(), Some(&run(5, 1)));
}

#[test]
fn the_iterations_are_counted_and_an_answer_is_none() {
    let limits = LoopLimits { max_iterations: 2, ..LIMITS };
    let asks = || LoopEvent::Checked(facts(VerdictState::AwaitingResponse, &[]));
    let events = [
        LoopEvent::Begun,
        ended(),
        asks(),
        LoopEvent::Answered,
        ended(),
        open(&["a"]),
        ended(),
        open(&["b"]),
    ];
    let found = steps(&limits, events);
    assert_eq!(found[2], LoopStep::Ask);
    assert_eq!(found[3], run(1, 0));
    assert_eq!(found[5], run(2, 1));
    assert_eq!(found[7], LoopStep::Finish(RunStatus::MaxIterations));
    let alone = LoopLimits { waits_for_answers: false, ..LIMITS };
    let found = steps(&alone, [LoopEvent::Begun, ended(), asks()]);
    assert_eq!(found[2], LoopStep::Finish(RunStatus::Unanswered));
}

#[test]
fn an_answer_from_elsewhere_is_seen_by_the_next_look() {
    let asks = LoopEvent::Checked(facts(VerdictState::AwaitingResponse, &[]));
    let done = LoopEvent::Checked(facts(VerdictState::Complete, &[]));
    let found = steps(&LIMITS, [LoopEvent::Begun, ended(), asks, LoopEvent::Moved, done]);
    assert_eq!(found[3..], [LoopStep::Check, LoopStep::Finish(RunStatus::Complete)]);
}

#[test]
fn three_time_outs_in_a_row_open_the_breaker() {
    let timed_out = || LoopEvent::CommandEnded(CommandEnd::StoodStill);
    let events = |ends: [LoopEvent; 3]| {
        let rounds = ends.into_iter().zip(["a", "b", "c"]).flat_map(|(end, key)| [end, open(&[key])]);
        steps(&LIMITS, std::iter::once(LoopEvent::Begun).chain(rounds))
    };
    let found = events([timed_out(), timed_out(), timed_out()]);
    assert_eq!(found.last(), Some(&LoopStep::Finish(RunStatus::BreakerOpen)));
    // An ordinary end in between breaks the row of time-outs.
    assert_eq!(events([timed_out(), ended(), timed_out()]).last(), Some(&run(4, 1)));
    let open = LoopState { n_time_outs: TIME_OUTS_TO_OPEN, ..LoopState::default() };
    assert_eq!(advance(open, &LIMITS, LoopEvent::Begun).1, LoopStep::Finish(RunStatus::BreakerOpen));
    let before =
        LoopState { n_time_outs: 2, phase: RunPhase::Checking, iteration: 1, ..LoopState::default() };
    let done = LoopEvent::Checked(facts(VerdictState::Complete, &[]));
    assert_eq!(advance(before, &LIMITS, done).0.n_time_outs, 0);
}

#[test]
fn unreadable_decisions_count_only_in_a_row() {
    let unreadable = |key: &str| {
        LoopEvent::Checked(CheckFacts { is_unreadable: true, ..facts(VerdictState::Incomplete, &[key]) })
    };
    let events = [unreadable("a"), unreadable("b"), open(&["c"]), unreadable("d"), unreadable("e")];
    let found = steps(&LIMITS, std::iter::once(LoopEvent::Begun).chain(events));
    assert_eq!(found.last(), Some(&run(6, 1)));
    let events = [unreadable("a"), unreadable("b"), unreadable("c")];
    let found = steps(&LIMITS, std::iter::once(LoopEvent::Begun).chain(events));
    assert_eq!(found.last(), Some(&LoopStep::Finish(RunStatus::Unreadable)));
}

#[test]
fn a_budget_ends_it_also_when_nobody_tells_the_cost() {
    let limits = LoopLimits { budget_micros: Some(100), ..LIMITS };
    let costs = |cost: u64, key: &str| {
        let facts = facts(VerdictState::Incomplete, &[key]);
        LoopEvent::Checked(CheckFacts { cost_micros: Some(cost), ..facts })
    };
    let found = steps(&limits, [LoopEvent::Begun, ended(), costs(60, "a"), ended(), costs(40, "b")]);
    assert_eq!(found[2], run(2, 1));
    assert_eq!(found[4], LoopStep::Finish(RunStatus::Budget));
    assert_eq!(
        steps(&limits, [LoopEvent::Begun, ended(), open(&["a"])])[2],
        LoopStep::Finish(RunStatus::Budget)
    );
}

#[test]
fn one_that_was_killed_goes_on_where_it_was() {
    let cut = LoopState { phase: RunPhase::Running, iteration: 4, stage: 2, ..LoopState::default() };
    assert_eq!(advance(cut, &LIMITS, LoopEvent::Begun).1, run(4, 2));
    for phase in [RunPhase::Checking, RunPhase::Waiting, RunPhase::Asking] {
        let state = LoopState { phase, iteration: 4, ..LoopState::default() };
        let (state, step) = advance(state, &LIMITS, LoopEvent::Begun);
        assert_eq!((step, state.iteration), (LoopStep::Check, 4), "{phase:?}");
    }
}

/// Every sequence of five events: the loop stops at a limit, never claims COMPLETE by itself, and never runs
/// more often than it may.
#[test]
fn whatever_happens_only_a_verdict_is_complete_and_the_limits_hold() {
    let limits = LoopLimits { max_iterations: 2, ..LIMITS };
    let events = [
        LoopEvent::Begun,
        ended(),
        LoopEvent::CommandEnded(CommandEnd::StoodStill),
        open(&["a"]),
        LoopEvent::Checked(facts(VerdictState::Working, &[])),
        LoopEvent::Checked(facts(VerdictState::AwaitingResponse, &[])),
        LoopEvent::Answered,
        LoopEvent::Moved,
        LoopEvent::Cancelled,
        LoopEvent::TimeUp,
    ];
    let n = events.len();
    for history in 0..n.pow(5) {
        let mut state = LoopState::default();
        let mut rest = history;
        for _ in 0..5 {
            let (next, step) = advance(state, &limits, events[rest % n].clone());
            rest /= n;
            state = next;
            assert_ne!(step, LoopStep::Finish(RunStatus::Complete));
            if let LoopStep::Run { number, .. } = step {
                assert!((1..=2).contains(&number), "{number}");
            }
        }
    }
}

#[test]
fn others_at_work_are_not_waited_for_without_end() {
    let works = || LoopEvent::Checked(facts(VerdictState::Working, &[]));
    let mut state = advance(LoopState::default(), &LIMITS, LoopEvent::Begun).0;
    for _ in 0..MAX_WAITS {
        let (next, step) = advance(state, &LIMITS, works());
        assert_eq!(step, LoopStep::WaitForOthers);
        state = next;
    }
    assert_eq!(advance(state, &LIMITS, works()).1, run(2, 0));
}

#[test]
fn a_prompt_has_the_first_one_whole_and_all_points_word_for_word() {
    let points = ["tests: 2 fail\nfirst\nsecond".to_owned(), "plan: item 3".to_owned()];
    let first = NextPrompt { first: "Fix it.\n", number: 1, max_iterations: 5, ..NextPrompt::default() };
    assert_eq!(next_prompt(&first), "Fix it.\n");
    let second = NextPrompt { number: 2, stage: 1, open_points: &points, summary: "One commit.", ..first };
    let text = "Fix it.\n\n## Iteration 2 of at most 5\n\nOne commit.\n\n## Left to do\n\n- tests: 2 fail\n  first\n  \
                second\n- plan: item 3\n";
    assert_eq!(next_prompt(&second), text);
    let third = next_prompt(&NextPrompt { stage: 2, ..second });
    assert!(third.contains("smallest change") && third.contains("> - tests: 2 fail\n>   first"), "{third}");
    let answered =
        next_prompt(&NextPrompt { answered: Some(("A or B?", "B")), decision: Some("Write."), ..first });
    assert!(answered.contains("> A or B?\n\nThe answer: B") && answered.ends_with("Write.\n"), "{answered}");
}
