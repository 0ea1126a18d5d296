//! In which cases the monitor asks by itself, and in which it does not: whole effects.

use closeout::model::{
    ActionClass, ActionOutcome, ActionProblem, ActivitySource, ActivityState, AskCost, AutoBudget, Claim,
    CollectProblem, Draft, Effect, Event, Evidence, Hindrance, NotAsked, Origin, ProbeAttempt, ProbeReading,
    ProbeWord, Rejection, SessionView, SmartOutcome, SmartReport, SmartStatus, Source, TaskMoment,
    VerdictState, WorkspaceId,
};
use closeout::monitor::Monitor;
use closeout::present::problem;

use super::scene::{
    DUE, POLICY, RECONCILE, RESTED, Scene, WATCH, answer, asks, asks_in, at, collected_in, ended, finished,
    id, name, view, wake, woke,
};

fn claim(source: Source, claim: Claim) -> Evidence {
    Evidence::claim(source, "x", claim, Origin::File.as_read())
}

/// A smart check that ended so.
pub(super) fn report(word: ProbeWord) -> SmartReport {
    SmartReport {
        session: Some(name()),
        at: at(DUE + 900),
        outcome: SmartOutcome {
            status: SmartStatus::NothingToDo,
            complete: true,
            probes_used: 1,
            waits: 0,
            rescued: false,
            verdict: VerdictState::Complete,
            changes_left: Some(false),
        },
        attempts: vec![ProbeAttempt {
            said: None,
            number: 1,
            began_at: at(DUE),
            took_ms: Some(900),
            answer: None,
            reading: Some(ProbeReading::Answered(word)),
            detail: None,
            cost: AskCost::default(),
        }],
        record: None,
        notes: Vec::new(),
        is_single: false,
    }
}

fn checked(word: ProbeWord) -> ActionOutcome {
    ActionOutcome::Checked(Box::new(report(word)))
}

fn failed(class: ActionClass, words: &str) -> ActionOutcome {
    ActionOutcome::Failed(ActionProblem::new(class, words))
}

/// The effects of the first reading, and of the moment in which it would be asked.
fn effects(scene: &Scene) -> [Vec<Effect>; 2] {
    let (mut monitor, first) = scene.read();
    [first, monitor.update(woke(DUE))]
}

#[test]
fn it_asks_ten_seconds_after_the_turn_ended_and_no_sooner() {
    let (mut monitor, first) = Scene::new().read();
    assert_eq!(first, [wake(DUE)]);
    // An event in between changes nothing.
    let effects = monitor.update(Event::EventsLost { at: at(2_000) });
    assert_eq!(answer(&mut monitor, &effects, &Scene::new(), 2_050), []);
    assert_eq!(monitor.update(woke(DUE)), [asks(1, RESTED), wake(RECONCILE)]);
    let action = view(&mut monitor).actions.running.unwrap();
    assert_eq!((action.number, action.since, action.is_automatic), (1, at(DUE), true));
    // It is asked once.
    assert_eq!(monitor.update(woke(DUE + 1_000)), [wake(RECONCILE)]);
}

#[test]
fn evidence_that_says_neither_yes_nor_no_is_silence() {
    let vacuous = Evidence { is_vacuous: true, ..claim(Source::Tests, Claim::Yes) };
    for more in
        [vacuous, Evidence::abstain(Source::Closer, "closer.json", Rejection::Stale, Origin::File.as_read())]
    {
        assert_eq!(
            effects(&Scene::new().with(more)),
            [vec![wake(DUE)], vec![asks(1, RESTED), wake(RECONCILE)]]
        );
    }
    // The agent is not there any more, and nobody told how its turn ended.
    let gone = Scene::new().but(|scene| {
        scene.sessions[0].activity.state = ActivityState::Gone;
        scene.sessions[0].activity.source = ActivitySource::Process;
        scene.sessions[0].ended_at = None;
    });
    assert_eq!(effects(&gone), [vec![wake(DUE)], vec![asks(1, RESTED), wake(RECONCILE)]]);
}

/// R3, and DESIGN.md 1: never on its own unless configured. Each case is one reason.
#[test]
fn it_does_not_ask_because() {
    let cases = said_by_sources().into_iter().chain(told_of_the_session()).chain(known_of_the_task());
    for (why, scene) in cases {
        // A round that brought open points is remembered.
        let asked = effects(&scene).map(|mut effects| {
            effects.retain(|effect| !matches!(effect, Effect::KeepReports { .. }));
            effects
        });
        assert_eq!(asked, [vec![], vec![wake(RECONCILE)]], "{why}");
    }
}

type Case = (&'static str, Scene);

fn said_by_sources() -> Vec<Case> {
    let says = |source, said| Scene::new().with(claim(source, said));
    let required = Evidence {
        is_required: true,
        ..Evidence::abstain(Source::RequiredFiles, "report.md", Rejection::Unreadable, Origin::File.as_read())
    };
    vec![
        ("YES", says(Source::Decision, Claim::Yes)),
        ("NO", says(Source::Plan, Claim::No)),
        ("a question waits", says(Source::LastWords, Claim::Ask)),
        ("the run failed", says(Source::Run, Claim::Fail)),
        ("background work is running", says(Source::LiveSession, Claim::Wait)),
        ("it works", says(Source::LiveSession, Claim::Work)),
        ("a required source cannot be read", Scene::new().with(required)),
        ("git does not answer", Scene::new().but(|scene| scene.git = None)),
    ]
}

fn told_of_the_session() -> Vec<Case> {
    let first = |change: fn(&mut SessionView)| Scene::new().but(|scene| change(&mut scene.sessions[0]));
    let does = |state, source| {
        Scene::new().but(|scene| {
            scene.sessions[0].activity.state = state;
            scene.sessions[0].activity.source = source;
        })
    };
    let beside = |state| {
        let mut other = ended(RESTED - 60_000);
        other.session_id = "s-2".into();
        other.activity.state = state;
        Scene::new().but(|scene| scene.sessions.push(other))
    };
    let record = ActivitySource::Transcript;
    vec![
        ("nobody is there", Scene::new().but(|scene| scene.sessions.clear())),
        ("asking would leave a trace", first(|session| session.agent = "gemini".to_owned())),
        ("the session has no id", first(|session| session.session_id = "".into())),
        ("its turn runs", does(ActivityState::Working, record)),
        ("it waits for permission", does(ActivityState::NeedsPermission, ActivitySource::Hook)),
        ("it asks", does(ActivityState::Asks, record)),
        ("its background work is running", does(ActivityState::Background, record)),
        ("no source tells", does(ActivityState::Unknown, record)),
        ("only a title tells", does(ActivityState::Idle, ActivitySource::PaneTitle)),
        (
            "a person broke the turn off",
            first(|session| session.activity.detail = Some("interrupted".to_owned())),
        ),
        (
            "nobody knows when it stopped",
            first(|session| (session.ended_at, session.moved_at) = (None, None)),
        ),
        ("another session works", beside(ActivityState::Working)),
        ("another session waits for permission", beside(ActivityState::NeedsPermission)),
        ("another session asks", beside(ActivityState::Asks)),
    ]
}

fn known_of_the_task() -> Vec<Case> {
    let but = |change: fn(&mut Scene)| Scene::new().but(change);
    vec![
        ("the configuration does not allow it", but(|scene| scene.settings.may_be_asked = false)),
        (
            "a person writes to it",
            but(|scene| scene.drafts = vec![Draft { session: name(), text: "And".to_owned() }]),
        ),
        (
            "a person asked it in this moment",
            but(|scene| scene.reports.smart_check = Some((report(ProbeWord::Complete).into(), then()))),
        ),
        (
            "its turn ended more than an hour before this run",
            but(|scene| scene.sessions = vec![ended(-3_600_000 - 10_000)]),
        ),
    ]
}

/// Where the task is at the first look.
fn then() -> TaskMoment {
    TaskMoment { prompted_at: None, turns: vec![(name(), Some(at(RESTED)))] }
}

#[test]
fn a_front_that_nobody_sits_at_never_asks() {
    let scene = Scene::new();
    let mut monitor = Monitor::new(POLICY, WATCH);
    let workspaces = vec![scene.found(id())];
    let discovered = Event::Discovered { at: at(0), workspaces, refused: Vec::new(), n_older_sessions: 0 };
    let _ = monitor.update(discovered);
    assert_eq!(monitor.update(scene.collected(5, 1)), []);
    assert_eq!(monitor.update(woke(DUE)), [wake(RECONCILE)]);
}

#[test]
fn a_workspace_that_cannot_be_read_is_not_asked_until_it_can() {
    let mut monitor = Scene::new().discovered(vec![id()]);
    let gone = Event::Collected {
        at: at(5),
        workspace: id(),
        generation: 1,
        took_ms: 1,
        outcome: Err(CollectProblem::Gone),
    };
    assert_eq!(monitor.update(gone), []);
    assert_eq!(monitor.update(woke(DUE)), [wake(RECONCILE)]);
    let effects = monitor.update(Event::EventsLost { at: at(DUE + 1) });
    assert_eq!(answer(&mut monitor, &effects, &Scene::new(), DUE + 50), [asks(1, RESTED)]);
}

#[test]
fn a_session_that_moves_on_is_waited_for() {
    let (mut monitor, _) = Scene::new().read();
    let effects = monitor.update(Event::EventsLost { at: at(2_000) });
    let moved = Scene::new().but(|scene| scene.sessions[0].moved_at = Some(at(2_000)));
    let _ = answer(&mut monitor, &effects, &moved, 2_050);
    // The moment that was asked for comes, and another one is asked for.
    assert_eq!(monitor.update(woke(DUE)), [wake(12_000)]);
    assert_eq!(monitor.update(woke(12_000)), [asks(1, RESTED), wake(RECONCILE)]);
}

/// Success, failure and cancel: in each case the moment was used.
#[test]
fn one_moment_of_a_task_is_asked_once_and_the_next_one_anew() {
    for outcome in [
        checked(ProbeWord::Waiting),
        failed(ActionClass::Failed, "the client failed"),
        failed(ActionClass::Cancelled, "ended on request"),
        ActionOutcome::NotAsked(NotAsked::AskedBefore),
    ] {
        let mut monitor = Scene::asking();
        let effects = monitor.update(finished(DUE + 1_000, 1, outcome.clone(), None));
        assert!(
            !effects.iter().any(|effect| matches!(effect, Effect::Action(_))),
            "{outcome:?}: {effects:?}"
        );
        assert_eq!(answer(&mut monitor, &effects, &Scene::new(), DUE + 1_100), [], "{outcome:?}");
        assert_eq!(monitor.update(woke(60_000)), [wake(RECONCILE)], "{outcome:?}");
        // Another turn ended.
        let effects = monitor.update(Event::EventsLost { at: at(70_000) });
        let next = Scene::new().but(|scene| scene.sessions = vec![ended(69_000)]);
        assert_eq!(answer(&mut monitor, &effects, &next, 70_100), [wake(79_000)], "{outcome:?}");
        assert_eq!(monitor.update(woke(79_000)), [asks(2, 69_000), wake(RECONCILE)], "{outcome:?}");
    }
}

#[test]
fn a_turn_that_ended_in_this_run_is_asked_however_late_it_is_seen() {
    let (mut monitor, _) = Scene::new().but(|scene| scene.settings.may_be_asked = false).read();
    let late = 10 * 3_600_000;
    let next = Scene::new().but(|scene| scene.sessions = vec![ended(60_000)]);
    let effects = monitor.update(Event::Discovered {
        at: at(late),
        workspaces: vec![next.found(id())],
        refused: Vec::new(),
        n_older_sessions: 0,
    });
    let effects = answer(&mut monitor, &effects, &next, late + 50);
    assert_eq!(effects, [asks(1, 60_000)]);
}

#[test]
fn its_answer_counts_as_that_of_a_person_and_opens_nothing() {
    let mut monitor = Scene::asking();
    let effects = monitor.update(finished(DUE + 1_000, 1, checked(ProbeWord::Complete), None));
    let kept = effects.iter().any(|effect| matches!(effect, Effect::KeepReports { .. }));
    assert!(kept, "{effects:?}");
    let _ = answer(&mut monitor, &effects, &Scene::new(), DUE + 1_100);
    let changes = monitor.take_changes();
    // A front that is told of an outcome shows it; nobody waits for this one.
    assert_eq!(changes.responses, []);
    let shown = changes.views.last().unwrap();
    assert_eq!(
        (shown.actions.running.clone(), shown.actions.smart_check.clone()),
        (None, Some(report(ProbeWord::Complete).into()))
    );
    let verdict = shown.verdict.clone().unwrap();
    assert_eq!(verdict.state, VerdictState::RescueNeeded, "its changes are not committed");
}

#[test]
fn a_budget_that_is_used_up_is_said_and_tried_again_when_there_is_room() {
    let used_up = NotAsked::UsedUp { budget: AutoBudget { n_sent: 4, per_hour: 4 }, until: at(900_000) };
    let mut monitor = Scene::asking();
    let effects = monitor.update(finished(DUE + 20, 1, ActionOutcome::NotAsked(used_up), None));
    let _ = answer(&mut monitor, &effects, &Scene::new(), DUE + 60);
    let shown = monitor.take_changes();
    assert_eq!(shown.responses, []);
    let row = shown.views.last().unwrap();
    assert_eq!((row.reading.problems.is_empty(), row.attention), (true, None));
    assert_eq!(row.not_asked, Some(Hindrance::Budget(AutoBudget { n_sent: 4, per_hour: 4 })));
    let effects = monitor.update(woke(RECONCILE));
    let _ = answer(&mut monitor, &effects, &Scene::new(), RECONCILE + 20);
    let effects = monitor.update(woke(2 * RECONCILE));
    assert_eq!(answer(&mut monitor, &effects, &Scene::new(), 2 * RECONCILE + 20), []);
    // The slow pass is due in the same moment, and comes first.
    let effects = monitor.update(woke(900_000));
    assert_eq!(answer(&mut monitor, &effects, &Scene::new(), 900_020), [asks(2, RESTED)]);
    assert_eq!(view(&mut monitor).not_asked, None);
}

#[test]
fn why_it_could_not_be_asked_is_said_in_this_moment_only() {
    let mut monitor = Scene::asking();
    let words = "the budget cannot be kept: cannot open \u{1b}x";
    let effects = monitor.update(finished(DUE + 20, 1, failed(ActionClass::Failed, words), None));
    let _ = answer(&mut monitor, &effects, &Scene::new(), DUE + 60);
    let said = problem::not_asked(&view(&mut monitor).not_asked.unwrap());
    assert_eq!(said, "not asked automatically: the budget cannot be kept: cannot open ␛x");
    let effects = monitor.update(Event::EventsLost { at: at(70_000) });
    let next = Scene::new().but(|scene| scene.sessions = vec![ended(69_000)]);
    let _ = answer(&mut monitor, &effects, &next, 70_100);
    assert_eq!(view(&mut monitor).not_asked, None);
}

#[test]
fn two_are_asked_at_once_and_the_third_when_one_has_ended() {
    let ids = ["/work/a", "/work/b", "/work/c"].map(WorkspaceId::local);
    let scene = Scene::new();
    let mut monitor = scene.discovered(ids.to_vec());
    for (id, generation) in ids.iter().zip(1..) {
        let _ = monitor.update(collected_in(id.clone(), 5, generation, scene.sample(5)));
    }
    let both = [asks_in(ids[0].clone(), 1, RESTED), asks_in(ids[1].clone(), 2, RESTED), wake(RECONCILE)];
    assert_eq!(monitor.update(woke(DUE)), both);
    assert_eq!(monitor.update(woke(DUE + 1)), [wake(RECONCILE)]);
    let effects = monitor.update(finished(DUE + 1_000, 1, checked(ProbeWord::Complete), None));
    assert!(effects.contains(&asks_in(ids[2].clone(), 3, RESTED)), "{effects:?}");
}
