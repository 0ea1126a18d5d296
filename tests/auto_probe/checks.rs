//! Checks that run by themselves after a turn: when, how often, and how they end.

use closeout::model::{
    Action, ActionOutcome, ActivityState, CheckAsk, CheckMode, CheckPlace, CheckPlan, CheckRecord,
    CheckResult, Claim, ConfiguredCheck, Effect, Evidence, Intent, Origin, Proof, Rejection, Source,
    VerdictState, WorkspaceId,
};

use super::scene::{Scene, answer, at, collected_in, ended, finished, id, view};

fn command(name: &str) -> ConfiguredCheck {
    let ask = CheckAsk::Command { command: vec!["make".to_owned(), name.to_owned()] };
    ConfiguredCheck { name: name.to_owned(), ask, limit_s: 60, place: CheckPlace::Here }
}

/// A workspace whose agent ended its turn at that moment; its checks run by themselves.
fn after_turn(millis: i64) -> Scene {
    Scene::new().but(|scene| {
        let checks = vec![command("test")];
        scene.settings.checks = CheckPlan { checks, mode: CheckMode::All, is_automatic: true };
        scene.settings.may_be_asked = false;
        scene.git.as_mut().unwrap().content = Some("tree".to_owned());
        scene.evidence.retain(|evidence| evidence.claim != Claim::Dirty);
        scene.evidence.push(Evidence::abstain(
            Source::Changes,
            "git",
            Rejection::Vacuous,
            Origin::Git.as_read(),
        ));
        scene.sessions = vec![ended(millis)];
    })
}

/// The number and the content of the checks that are begun by themselves.
fn begun(effects: &[Effect]) -> Vec<(u64, Option<String>)> {
    let of = |effect: &Effect| {
        let Effect::Action(request) = effect else { return None };
        let is_it = request.action == Action::AutoChecks;
        is_it.then(|| (request.number, request.looked_at.content.clone()))
    };
    effects.iter().filter_map(of).collect()
}

fn ran(content: Option<String>, result: CheckResult) -> ActionOutcome {
    ActionOutcome::ChecksRan(vec![CheckRecord {
        name: "test".to_owned(),
        asked: command("test").identity(),
        at: at(20),
        content,
        is_before_work: false,
        result,
        feedback: "`make test` ended with 0".to_owned(),
        output: String::new(),
        sent: Vec::new(),
    }])
}

#[test]
fn they_run_once_when_a_turn_has_ended() {
    let scene = after_turn(3);
    let (mut monitor, effects) = scene.read();
    let [(number, content)] = begun(&effects)[..].to_vec().try_into().unwrap();
    assert!(content.is_some(), "bound to the work as it was looked at");
    assert!(view(&mut monitor).actions.running.unwrap().is_automatic);
    let effects = monitor.update(finished(30, number, ran(content, CheckResult::Passed), None));
    assert_eq!(begun(&answer(&mut monitor, &effects, &scene, 40)), []);
    let verdict = view(&mut monitor).verdict.unwrap();
    assert_eq!(verdict.parts.iter().filter(|part| part.evidence.name == "check test").count(), 1);
    assert_eq!(
        (verdict.state, verdict.proof),
        (VerdictState::Complete, Some(Proof::Checked)),
        "{verdict:#?}"
    );
}

#[test]
fn they_do_not_run_where_it_is_not_time() {
    let cases: [(&str, Scene); 6] = [
        ("the person did not say so", after_turn(3).but(|scene| scene.settings.checks.is_automatic = false)),
        ("the turn had ended before this run looked", after_turn(-4_000)),
        ("it works", after_turn(3).but(|scene| scene.sessions[0].activity.state = ActivityState::Working)),
        ("nobody works here", after_turn(3).but(|scene| scene.sessions.clear())),
        ("git does not answer", after_turn(3).but(|scene| scene.git = None)),
        ("no check is configured", after_turn(3).but(|scene| scene.settings.checks.checks.clear())),
    ];
    for (why, scene) in cases {
        assert_eq!(begun(&scene.read().1), [], "{why}");
    }
}

#[test]
fn a_result_of_other_work_does_not_count_and_does_not_begin_a_circle() {
    let scene = after_turn(3);
    let (mut monitor, effects) = scene.read();
    let (number, _) = begun(&effects)[0].clone();
    // The check itself changed files: the work is not what it was looked at as.
    let other = ran(Some("other".to_owned()), CheckResult::Passed);
    let effects = monitor.update(finished(30, number, other, None));
    assert_eq!(begun(&answer(&mut monitor, &effects, &scene, 40)), [], "not again after the same turn");
    let verdict = view(&mut monitor).verdict.unwrap();
    assert_eq!(verdict.state, VerdictState::Incomplete, "{verdict:#?}");
}

#[test]
fn an_agent_that_goes_on_ends_them_and_its_next_turn_begins_them_anew() {
    let scene = after_turn(3);
    let (mut monitor, effects) = scene.read();
    let (number, _) = begun(&effects)[0].clone();
    let effects = monitor.update(closeout::model::Event::Changed {
        at: at(50),
        workspace: id(),
        parts: closeout::model::Parts::WORDS,
    });
    let works = after_turn(3).but(|scene| scene.sessions[0].activity.state = ActivityState::Working);
    let effects = answer(&mut monitor, &effects, &works, 60);
    assert!(effects.contains(&Effect::CancelAction { number }), "{effects:?}");
    // A turn that begins is followed by a look at the tree.
    answer(&mut monitor, &effects, &works, 65);
    let cancelled = ActionOutcome::Failed(closeout::model::ActionProblem::new(
        closeout::model::ActionClass::Cancelled,
        "ended",
    ));
    let effects = monitor.update(finished(70, number, cancelled, None));
    let rested = after_turn(65);
    assert_eq!(begun(&answer(&mut monitor, &effects, &rested, 80)).len(), 1);
}

#[test]
fn a_person_ends_them_and_what_the_person_does_goes_first() {
    let (mut monitor, effects) = after_turn(3).read();
    let (number, _) = begun(&effects)[0].clone();
    let effects = monitor.update(closeout::model::Event::Wanted {
        at: at(9),
        intent: Intent::CancelAction { workspace: id(), number },
    });
    assert!(effects.contains(&Effect::CancelAction { number }), "{effects:?}");
}

#[test]
fn one_workspace_at_a_time() {
    let scene = after_turn(3);
    let other = WorkspaceId::local("/work/b");
    let mut monitor = scene.discovered(vec![id(), other.clone()]);
    let first = monitor.update(scene.collected(5, 1));
    let (number, content) = begun(&first)[0].clone();
    let second = monitor.update(collected_in(other, 6, 2, scene.sample(6)));
    assert_eq!(begun(&second), []);
    let after = monitor.update(finished(30, number, ran(content, CheckResult::Passed), None));
    assert_eq!(begun(&after).len(), 1, "the other's turn: {after:?}");
}
