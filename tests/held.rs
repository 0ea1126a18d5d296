//! Replies that wait for the end of their agent's turn: when the monitor sends one, and why it drops one.

use closeout::model::{
    Action, ActionKind, ActionOutcome, ActivitySource, ActivityState, Draft, Effect, Event, HeldEnd, HeldNow,
    HeldReply, HeldStep, Intent, Question, QuestionWeight, Receipt, ReceiptState, SessionView,
};
use closeout::monitor::Monitor;
use std::process::Stdio;
use std::time::Duration;

use crate::support::repo::Repo;
use crate::support::test_env::{TestEnv, spawn};

use crate::auto_probe::scene::{Scene, at, collected_in, finished, id, name, view, woke};

const HELD: i64 = -30_000;
const DAY: i64 = 24 * 3_600_000;

fn reply() -> HeldReply {
    HeldReply {
        id: "h-1".to_owned(),
        session: name(),
        text: "then fix the test".to_owned(),
        held_at: at(HELD),
        claimed_at: None,
        hindrance: None,
    }
}

fn session(state: ActivityState, since: i64) -> SessionView {
    let mut view = crate::support::session_samples::session("claude", state, ActivitySource::Registry, 0, "");
    view.session_id = name().session_id;
    view.activity.since = Some(at(since));
    view.moved_at = Some(at(since));
    view
}

/// A workspace with these sessions in which this is held.
fn scene(sessions: Vec<SessionView>, held: HeldReply) -> Scene {
    Scene::new().but(|scene| {
        scene.settings.may_be_asked = false;
        scene.sessions = sessions;
        scene.held = vec![held];
    })
}

/// What is begun with a held reply.
fn steps(effects: &[Effect]) -> Vec<HeldStep> {
    let step = |effect: &Effect| {
        let Effect::Action(request) = effect else { return None };
        let Action::Held { step, .. } = &request.action else { return None };
        Some(step.clone())
    };
    effects.iter().filter_map(step).collect()
}

fn asked(mut session: SessionView, weight: QuestionWeight) -> SessionView {
    let question = Question {
        text: "Which port?".to_owned(),
        choices: Vec::new(),
        weight,
        certainty: closeout::model::Certainty::High,
    };
    session.question = Some(question);
    session
}

#[test]
fn a_held_reply_is_sent_when_the_turn_has_ended_and_dropped_for_each_reason() {
    let idle = || session(ActivityState::Idle, -9_000);
    let prompted = |millis| SessionView { prompted_at: Some(at(millis)), ..idle() };
    let drops = |end| vec![HeldStep::Drop(end)];
    let claimed = |millis| HeldReply { claimed_at: Some(at(millis)), ..reply() };
    let cases = [
        ("its turn has ended", vec![idle()], reply(), vec![HeldStep::Send]),
        ("it was asked before", vec![prompted(HELD - 1)], reply(), vec![HeldStep::Send]),
        ("an offer", vec![asked(idle(), QuestionWeight::Offer)], reply(), vec![HeldStep::Send]),
        ("it works", vec![session(ActivityState::Working, -9_000)], reply(), vec![]),
        ("a permission", vec![session(ActivityState::NeedsPermission, -9_000)], reply(), vec![]),
        ("unknown", vec![session(ActivityState::Unknown, -9_000)], reply(), vec![]),
        ("it ended a moment ago", vec![session(ActivityState::Idle, 0)], reply(), vec![]),
        ("it is gone", vec![session(ActivityState::Gone, -9_000)], reply(), drops(HeldEnd::SessionEnded)),
        ("nobody knows it", vec![], reply(), drops(HeldEnd::SessionEnded)),
        ("another prompt", vec![prompted(HELD + 1)], reply(), drops(HeldEnd::PromptedAnew)),
        ("it asks", vec![asked(idle(), QuestionWeight::Blocking)], reply(), drops(HeldEnd::Asks)),
        (
            "a day",
            vec![session(ActivityState::Working, 0)],
            HeldReply { held_at: at(-DAY), ..reply() },
            drops(HeldEnd::TooOld),
        ),
        ("another closeout sends it", vec![idle()], claimed(-60_000), vec![]),
        ("its sender ended", vec![idle()], claimed(-11 * 60_000), drops(HeldEnd::MaybeSent)),
    ];
    for (what, sessions, held, wanted) in cases {
        let (_, effects) = scene(sessions, held).read();
        assert_eq!(steps(&effects), wanted, "{what}");
    }
}

#[test]
fn it_waits_until_the_turn_has_settled_and_no_front_without_a_person_sends_it() {
    let scene = scene(vec![session(ActivityState::Idle, 0)], reply());
    let (mut monitor, effects) = scene.read();
    assert_eq!(steps(&effects), []);
    assert_eq!(steps(&monitor.update(woke(1_999))), []);
    assert_eq!(steps(&monitor.update(woke(2_000))), [HeldStep::Send]);
    // It runs: nothing more is begun.
    assert_eq!(steps(&monitor.update(woke(2_001))), []);
    let mut silent = Monitor::new(crate::auto_probe::scene::POLICY, crate::auto_probe::scene::WATCH);
    let workspaces = vec![scene.found(id())];
    let _ =
        silent.update(Event::Discovered { at: at(0), workspaces, refused: Vec::new(), n_older_sessions: 0 });
    let effects = silent.update(collected_in(id(), 5, 1, scene.sample(5)));
    assert_eq!((steps(&effects), steps(&silent.update(woke(60_000)))), (vec![], vec![]));
    // One without a screen that goes on sends it, and asks nobody.
    let mut headless = Monitor::new(crate::auto_probe::scene::POLICY, crate::auto_probe::scene::WATCH);
    headless = headless.sending_held();
    let workspaces = vec![scene.found(id())];
    let _ = headless.update(Event::Discovered {
        at: at(0),
        workspaces,
        refused: Vec::new(),
        n_older_sessions: 0,
    });
    let mut effects = headless.update(collected_in(id(), 5, 1, scene.sample(5)));
    effects.extend(headless.update(woke(60_000)));
    assert_eq!(steps(&effects), [HeldStep::Send]);
}

/// A closeout without a screen, which ends with the test.
struct Headless(std::process::Child);

impl Drop for Headless {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_shell_holds_words_which_a_closeout_without_a_screen_sends_when_the_turn_has_ended() {
    let repo = Repo::new();
    let env = TestEnv::beside(&repo);
    env.configure(
        "[[agent]]\nname = \"mine\"\noutput = \".mine/last.md\"\nstatus_file = \".mine/status.json\"\n\
         reply_file = \".mine/reply.md\"\n",
    );
    let sent = || std::fs::read_to_string(repo.at(".mine/reply.md")).unwrap_or_default();
    let status = |word: &str| {
        repo.write(".mine/status.json", format!("{{\"status\":\"{word}\"}}"));
    };
    repo.write(".gitignore", ".mine/\n").write(".mine/last.md", "I look at the parser.\n");
    status("working");
    let reply = ["reply", ".", "then fix the test", "--when-idle"];
    let asked = env.run(repo.path(), &reply);
    assert_eq!((asked.code, sent().as_str()), (24, ""), "nobody said yes: {asked:?}");
    let held = env.run(repo.path(), &[&reply[..], &["--yes"]].concat());
    assert_eq!((held.code, sent().as_str()), (0, ""), "{held:?}");
    assert!(held.out.starts_with("held; "), "{held:?}");
    let mut command = env.command(repo.path(), &["watch", ".", "--headless"]);
    let headless = Headless(spawn(command.stdout(Stdio::null())));
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(sent(), "", "it works still");
    status("idle");
    for _ in 0..400 {
        if !sent().is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(sent().trim(), "then fix the test");
    drop(headless);
    // Where the turn has ended it is a reply like any other.
    std::fs::remove_file(repo.at(".mine/reply.md")).unwrap();
    let now = env.run(repo.path(), &["reply", ".", "and commit it", "--when-idle", "--yes", "--wait", "0"]);
    assert_eq!(sent().trim(), "and commit it", "{now:?}");
}

/// The monitor while the reply is being sent.
fn sending() -> Monitor {
    let (mut monitor, effects) = scene(vec![session(ActivityState::Idle, -9_000)], reply()).read();
    assert_eq!(steps(&effects), [HeldStep::Send]);
    let _ = monitor.take_changes();
    monitor
}

fn ended(outcome: ActionOutcome) -> Event {
    finished(3_000, 1, outcome, None)
}

fn held(now: HeldNow) -> ActionOutcome {
    ActionOutcome::Held { reply: Box::new(reply()), now }
}

#[test]
fn what_is_not_sent_is_a_draft_again_and_told() {
    let mut monitor = sending();
    let _ = monitor.update(ended(held(HeldNow::Dropped(HeldEnd::Asks))));
    let changes = monitor.take_changes();
    assert_eq!(changes.responses.len(), 1);
    assert_eq!(changes.views[0].actions.drafts, [Draft { session: name(), text: reply().text }]);
    assert_eq!(changes.views[0].actions.held, []);
    // Behind what stands there.
    let mut monitor = sending();
    let draft = Draft { session: name(), text: "first".to_owned() };
    let _ =
        monitor.update(Event::Wanted { at: at(10), intent: Intent::KeepDraft { workspace: id(), draft } });
    let _ = monitor.update(ended(held(HeldNow::Dropped(HeldEnd::ByYou))));
    assert_eq!(view(&mut monitor).actions.drafts[0].text, "first\n\nthen fix the test");
}

#[test]
fn a_try_that_came_to_nothing_and_another_closeouts_work_are_nobodys_news() {
    let mut monitor = sending();
    let _ = monitor.update(ended(held(HeldNow::Taken)));
    let changes = monitor.take_changes();
    assert_eq!((changes.responses.len(), changes.views[0].actions.held.len()), (0, 0));
    assert_eq!(changes.views[0].actions.drafts, []);
    let mut monitor = sending();
    let waits = HeldReply { hindrance: Some("its turn is still running".to_owned()), ..reply() };
    let _ =
        monitor.update(ended(ActionOutcome::Held { reply: Box::new(waits.clone()), now: HeldNow::WaitsOn }));
    let changes = monitor.take_changes();
    assert_eq!((changes.responses.len(), &changes.views[0].actions.held), (0, &vec![waits]));
    // It is tried again, later each time.
    let collected = |monitor: &mut Monitor, millis| {
        let scene = scene(vec![session(ActivityState::Idle, -9_000)], reply());
        steps(&monitor.update(collected_in(id(), millis, 2, scene.sample(millis))))
    };
    assert_eq!(collected(&mut monitor, 3_100), []);
    assert_eq!(steps(&monitor.update(woke(12_999))), []);
    assert_eq!(steps(&monitor.update(woke(13_000))), [HeldStep::Send]);
}

#[test]
fn what_was_sent_is_held_no_more() {
    let receipt = |state| Receipt {
        id: "h-1".to_owned(),
        session: name(),
        channel_words: "pasted".to_owned(),
        excerpt: Receipt::excerpt_of(&reply().text),
        text_sum: Receipt::sum_of(&reply().text),
        sent_at: at(2_900),
        state,
        detail: None,
    };
    for (state, n_drafts) in
        [(ReceiptState::Consumed, 0), (ReceiptState::Delivered, 0), (ReceiptState::Unknown, 1)]
    {
        let mut monitor = sending();
        let _ = monitor.update(ended(ActionOutcome::Replied(Box::new(receipt(state)))));
        let changes = monitor.take_changes();
        let view = &changes.views[0];
        assert_eq!(
            (view.actions.held.len(), view.actions.drafts.len(), changes.responses.len()),
            (0, n_drafts, 1),
            "{state:?}"
        );
        assert_eq!(view.actions.receipts.len(), 1);
    }
}

#[test]
fn what_is_held_is_no_draft_any_more() {
    let working =
        scene(vec![session(ActivityState::Working, -9_000)], reply()).but(|scene| scene.held.clear());
    let (mut monitor, _) = working.read();
    let draft = Draft { session: name(), text: reply().text };
    let _ =
        monitor.update(Event::Wanted { at: at(10), intent: Intent::KeepDraft { workspace: id(), draft } });
    let action = Box::new(Action::Held { reply: Box::new(reply()), step: HeldStep::Keep });
    assert_eq!(action.kind(), ActionKind::Reply);
    let effects =
        monitor.update(Event::Wanted { at: at(11), intent: Intent::Action { workspace: id(), action } });
    assert_eq!(steps(&effects), [HeldStep::Keep]);
    let _ = monitor.update(ended(held(HeldNow::Kept)));
    let view = view(&mut monitor);
    assert_eq!((view.actions.held, view.actions.drafts), (vec![reply()], vec![]));
}
