//! A person comes first: what closeout asks by itself gives way to them, and ends when the task goes on.

use closeout::model::{
    Action, ActionClass, ActionKind, ActionOutcome, ActionProblem, AskPurpose, Effect, Event, Intent,
    ProbeWord, Response,
};
use closeout::monitor::Monitor;

use super::deciding::report;
use super::scene::{DUE, Scene, answer, at, ended, finished, id, view};

fn want(monitor: &mut Monitor, millis: i64, action: Action) -> Vec<Effect> {
    let intent = Intent::Action { workspace: id(), action: Box::new(action) };
    monitor.update(Event::Wanted { at: at(millis), intent })
}

fn decide() -> Action {
    Action::Decide { is_complete: true, reason: None }
}

fn cancelled() -> ActionOutcome {
    ActionOutcome::Failed(ActionProblem::new(
        ActionClass::Cancelled,
        "ended on request, with everything that it had started",
    ))
}

/// The actions that were begun.
fn begun(effects: &[Effect]) -> Vec<(u64, Action)> {
    let begun = effects.iter().filter_map(|effect| {
        let Effect::Action(request) = effect else { return None };
        Some((request.number, request.action.clone()))
    });
    begun.collect()
}

#[test]
fn what_a_person_wants_ends_it_and_begins_when_it_has_ended() {
    let mut monitor = Scene::asking();
    assert_eq!(want(&mut monitor, DUE + 100, decide()), [Effect::CancelAction { number: 1 }]);
    assert!(view(&mut monitor).actions.running.unwrap().is_cancelled);
    let reading = monitor.update(finished(DUE + 150, 1, cancelled(), None));
    assert_eq!(begun(&reading), [(2, decide())]);
    let changes = monitor.take_changes();
    // Of what gave way nothing is told.
    assert_eq!(changes.responses, []);
    let action = changes.views.last().unwrap().actions.running.clone().unwrap();
    assert_eq!((action.number, action.kind, action.is_automatic), (2, ActionKind::Decide, false));
    let done = ActionOutcome::Failed(ActionProblem::new(ActionClass::Refused, "x"));
    let _ = monitor.update(finished(DUE + 200, 2, done.clone(), None));
    let told = monitor.take_changes().responses;
    let outcome = Box::new(done);
    assert_eq!(
        told,
        [Response::Action { workspace: id(), number: 2, kind: ActionKind::Decide, is_plan: false, outcome }]
    );
    // It was asked in this moment.
    assert_eq!(begun(&answer(&mut monitor, &reading, &Scene::new(), DUE + 300)), []);
}

/// It may have answered in the very moment in which a person wanted something: both count.
#[test]
fn an_answer_that_came_at_the_last_moment_is_kept() {
    let mut monitor = Scene::asking();
    let _ = want(&mut monitor, DUE + 100, decide());
    let outcome = ActionOutcome::Checked(Box::new(report(ProbeWord::Complete)));
    let effects = monitor.update(finished(DUE + 101, 1, outcome, None));
    assert_eq!(begun(&effects), [(2, decide())]);
    assert!(effects.iter().any(|effect| matches!(effect, Effect::KeepReports { .. })), "{effects:?}");
    assert_eq!(view(&mut monitor).actions.smart_check, Some(report(ProbeWord::Complete).into()));
}

#[test]
fn a_second_wish_is_told_that_one_waits() {
    let mut monitor = Scene::asking();
    let _ = want(&mut monitor, DUE + 100, decide());
    let plan = Action::PlanAsk { purpose: AskPurpose::Verify, session: None, options: Box::default() };
    assert_eq!(want(&mut monitor, DUE + 110, plan), []);
    let told = monitor.take_changes().responses;
    let [Response::Action { number: 0, kind: ActionKind::Plan, outcome, .. }] = told.as_slice() else {
        panic!("{told:?}")
    };
    assert_eq!(outcome.class(), ActionClass::Busy);
}

#[test]
fn x_ends_it_and_what_waits_for_its_end() {
    let cancel = || Intent::CancelAction { workspace: id(), number: 1 };
    let mut monitor = Scene::asking();
    let effects = monitor.update(Event::Wanted { at: at(DUE + 50), intent: cancel() });
    assert_eq!(effects, [Effect::CancelAction { number: 1 }]);
    assert!(view(&mut monitor).actions.running.unwrap().is_cancelled);
    let _ = want(&mut monitor, DUE + 100, decide());
    let _ = monitor.update(Event::Wanted { at: at(DUE + 120), intent: cancel() });
    let told = monitor.take_changes().responses;
    let [Response::Action { number: 0, kind: ActionKind::Decide, outcome, .. }] = told.as_slice() else {
        panic!("{told:?}")
    };
    assert_eq!(outcome.class(), ActionClass::Cancelled);
    let effects = monitor.update(finished(DUE + 150, 1, cancelled(), None));
    assert_eq!(begun(&effects), []);
}

#[test]
fn it_ends_when_its_session_goes_on() {
    for change in [
        (|scene: &mut Scene| scene.prompted_at = Some(at(DUE + 400))) as fn(&mut Scene),
        |scene| scene.sessions = vec![ended(DUE + 400)],
        |scene| scene.sessions[0].ended_at = None,
        |scene| scene.sessions.clear(),
    ] {
        let mut monitor = Scene::asking();
        let effects = monitor.update(Event::EventsLost { at: at(DUE + 500) });
        let mut moved = Scene::new();
        moved.sessions[0].moved_at = Some(at(DUE + 450));
        change(&mut moved);
        let effects = answer(&mut monitor, &effects, &moved, DUE + 550);
        assert_eq!(effects, [Effect::CancelAction { number: 1 }]);
        assert!(view(&mut monitor).actions.running.unwrap().is_cancelled);
        // That is asked for once.
        let effects = monitor.update(Event::EventsLost { at: at(DUE + 600) });
        assert_eq!(answer(&mut monitor, &effects, &moved, DUE + 650), []);
    }
    // What other sources say meanwhile ends nothing.
    let mut monitor = Scene::asking();
    let effects = monitor.update(Event::EventsLost { at: at(DUE + 500) });
    assert_eq!(answer(&mut monitor, &effects, &Scene::new(), DUE + 550), []);
}
