//! Actions on a workspace: one at a time, each with its answer, its entry in the record of what was done, and
//! drafts that outlive the program.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use closeout::model::{
    Action, ActionClass, ActionEnd, ActionKind, ActionOutcome, ActionProblem, ActionProgress, ActivityState,
    Actor, AskCost, AuditEntry, Checklist, Draft, Effect, Event, FoundWorkspace, Intent, KeptReports,
    OfferPolicy, Policy, Receipt, ReceiptState, RecordOrder, RefName, ReplyBody, ReplyChannel, ReplyPlan,
    RescuePlan, Response, SessionName, TaskMoment, Timestamp, VerifyReport, WatchSettings, WorkspaceId,
    WorkspaceSettings,
};
use closeout::monitor::Monitor;
use closeout::store::{Store, StoreError};
use tempfile::TempDir;

fn store() -> (TempDir, Store) {
    let folder = crate::support::scratch::folder();
    let store = Store::open(folder.path().join("state")).unwrap();
    (folder, store)
}

fn id() -> WorkspaceId {
    WorkspaceId::local("/work/a")
}

fn session(id: &str) -> SessionName {
    SessionName::new("claude", id)
}

fn draft(text: &str) -> Draft {
    Draft { session: session("s-1"), text: text.to_owned() }
}

fn entry(id: &str, workspace: &WorkspaceId, end: Option<ActionClass>) -> AuditEntry {
    AuditEntry {
        id: id.to_owned(),
        at: Timestamp(5),
        by: Actor::Screen,
        workspace: workspace.clone(),
        kind: ActionKind::Decide,
        plan: "complete".to_owned(),
        agent: None,
        end: end.map(|class| ActionEnd {
            at: Timestamp(9),
            class,
            message: "x\n\u{1b}".to_owned(),
            count: None,
        }),
        decided: end.map(|_| "c0ffee".to_owned()),
    }
}

#[test]
fn what_was_done_comes_back_newest_first_with_its_end() {
    let (_folder, store) = store();
    let odd = {
        use std::os::unix::ffi::OsStringExt as _;
        WorkspaceId::local(std::ffi::OsString::from_vec(b"/w/\xff".to_vec()))
    };
    assert_eq!(store.audit(None).unwrap().entries, []);
    store.write_audit(&entry("1", &id(), None)).unwrap();
    store.write_audit(&entry("2", &odd, None)).unwrap();
    store.write_audit(&entry("1", &id(), Some(ActionClass::Done))).unwrap();
    let audit = store.audit(None).unwrap();
    assert_eq!(audit.entries, [entry("2", &odd, None), entry("1", &id(), Some(ActionClass::Done))]);
    assert_eq!(audit.n_unread, 0);
    let mode = fs::metadata(store.folder().join("audit.jsonl")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_line_that_was_cut_off_loses_no_other() {
    let (_folder, store) = store();
    store.write_audit(&entry("1", &id(), None)).unwrap();
    let file = store.folder().join("audit.jsonl");
    let mut content = fs::read(&file).unwrap();
    content.extend_from_slice(b"{\"version\":1,\"id\":\"tor");
    fs::write(&file, &content).unwrap();
    store.write_audit(&entry("2", &id(), None)).unwrap();
    content = fs::read(&file).unwrap();
    content.extend_from_slice(b"{\"version\":9,\"id\":\"3\"}\n\xff\xfe\n");
    fs::write(&file, &content).unwrap();
    let audit = store.audit(None).unwrap();
    assert_eq!(audit.entries, [entry("2", &id(), None), entry("1", &id(), None)]);
    assert_eq!(audit.n_unread, 3);
}

/// X02: a link in the place of the record is not followed.
#[test]
fn the_record_of_what_was_done_follows_no_link() {
    let (folder, store) = store();
    let outside = folder.path().join("outside");
    fs::write(&outside, "").unwrap();
    symlink(&outside, store.folder().join("audit.jsonl")).unwrap();
    let written = store.write_audit(&entry("1", &id(), None));
    assert!(matches!(written, Err(StoreError::Io { what: "write", .. })), "{written:?}");
    assert_eq!(fs::read(&outside).unwrap(), b"");
}

#[test]
fn drafts_of_each_workspace_come_back_and_are_forgotten() {
    let (_folder, store) = store();
    let other = WorkspaceId::local("/work/日本");
    store
        .keep_drafts(&id(), &[draft("a"), Draft { session: session("s-2"), text: "b\nc".to_owned() }])
        .unwrap();
    store.keep_drafts(&other, &[draft("はい")]).unwrap();
    store.keep_drafts(&id(), &[draft("new")]).unwrap();
    let expected = [(id(), vec![draft("new")]), (other.clone(), vec![draft("はい")])];
    let of = |workspaces: &[WorkspaceId]| store.drafts_of(workspaces);
    assert_eq!(of(&[id(), other.clone()]), (expected.into_iter().collect(), 0));
    store.keep_drafts(&id(), &[]).unwrap();
    store.keep_drafts(&id(), &[]).unwrap();
    let damaged = WorkspaceId::local("/work/damaged");
    store.keep_drafts(&damaged, &[draft("lost")]).unwrap();
    damage(&store.folder().join("drafts"), "/work/damaged");
    let expected = [(other.clone(), vec![draft("はい")])];
    assert_eq!(of(&[id(), other, damaged]), (expected.into_iter().collect(), 1));
}

/// Cuts the file that is about this path.
fn damage(folder: &Path, path: &str) {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let file = files.into_iter().find(|file| fs::read_to_string(file).unwrap().contains(path)).unwrap();
    fs::write(file, "{").unwrap();
}

fn monitor() -> Monitor {
    let policy =
        Policy { offers: OfferPolicy::Ask, stall_stage: 3, unreadable_limit: 3, silent_turn_ms: 600_000 };
    let watch = WatchSettings {
        reconcile_ms: 300_000,
        poll_ms: 10_000,
        collect_limit_ms: 10_000,
        fold_after_ms: 3_600_000,
    };
    let mut monitor = Monitor::new(policy, watch);
    let found = FoundWorkspace {
        id: id(),
        settings: WorkspaceSettings::default().into(),
        baseline: None,
        named: Vec::new(),
        sessions: Vec::new(),
        problem: None,
        history: vec![entry("old", &id(), Some(ActionClass::Done))],
        drafts: vec![draft("kept")],
        held: Vec::new(),
        timeline: Vec::new(),
        reports: KeptReports::default(),
        run: None,
    };
    let _ = monitor.update(Event::Discovered {
        at: Timestamp(1),
        workspaces: vec![found],
        refused: Vec::new(),
        n_older_sessions: 0,
    });
    let _ = monitor.take_changes();
    monitor
}

fn decide() -> Action {
    Action::Decide { is_complete: true, reason: None }
}

fn want(monitor: &mut Monitor, action: Action) -> Vec<Effect> {
    let intent = Intent::Action { workspace: id(), action: Box::new(action) };
    monitor.update(Event::Wanted { at: Timestamp(10), intent })
}

fn actions(effects: &[Effect]) -> Vec<(u64, Action)> {
    effects
        .iter()
        .filter_map(|effect| {
            let Effect::Action(request) = effect else { return None };
            Some((request.number, request.action.clone()))
        })
        .collect()
}

fn finished(number: u64, outcome: ActionOutcome, entry: Option<AuditEntry>) -> Event {
    let (outcome, entry) = (Box::new(outcome), entry.map(Box::new));
    Event::ActionFinished { at: Timestamp(20), workspace: id(), number, outcome, entry }
}

fn failed(class: ActionClass) -> ActionOutcome {
    ActionOutcome::Failed(ActionProblem::new(class, "words"))
}

#[test]
fn one_act_runs_on_a_workspace_and_a_second_is_refused() {
    let mut monitor = monitor();
    assert_eq!(actions(&want(&mut monitor, decide())), [(1, decide())]);
    assert_eq!(actions(&want(&mut monitor, decide())), []);
    let changes = monitor.take_changes();
    let view = changes.views.last().unwrap();
    assert_eq!(
        view.actions.running.as_ref().map(|action| (action.number, action.kind)),
        Some((1, ActionKind::Decide))
    );
    assert_eq!(view.actions.drafts, [draft("kept")]);
    let [Response::Action { number: 0, outcome, .. }] = changes.responses.as_slice() else {
        panic!("{changes:?}")
    };
    assert_eq!(outcome.class(), ActionClass::Busy);
    let done = entry("new", &id(), Some(ActionClass::Failed));
    let _ = monitor.update(finished(1, failed(ActionClass::Failed), Some(done.clone())));
    let changes = monitor.take_changes();
    let view = changes.views.last().unwrap();
    assert_eq!(view.actions.running, None);
    assert_eq!(view.actions.history, [done, entry("old", &id(), Some(ActionClass::Done))]);
    let told = Response::Action {
        workspace: id(),
        number: 1,
        kind: ActionKind::Decide,
        is_plan: false,
        outcome: Box::new(failed(ActionClass::Failed)),
    };
    assert_eq!(changes.responses, [told]);
    assert_eq!(actions(&want(&mut monitor, decide())), [(2, decide())]);
}

#[test]
fn an_act_tells_how_far_it_is_and_can_be_ended() {
    let mut monitor = monitor();
    let _ = want(&mut monitor, decide());
    let progress = ActionProgress { message: "half".to_owned(), ..ActionProgress::default() };
    let moved = |number| Event::ActionProgressed {
        at: Timestamp(11),
        workspace: id(),
        number,
        progress: progress.clone(),
    };
    let _ = monitor.update(moved(1));
    // An action of before tells nothing of this one.
    let _ = monitor.update(Event::ActionProgressed {
        at: Timestamp(12),
        workspace: id(),
        number: 0,
        progress: ActionProgress::default(),
    });
    let cancel = Intent::CancelAction { workspace: id(), number: 1 };
    let effects = monitor.update(Event::Wanted { at: Timestamp(13), intent: cancel.clone() });
    assert!(effects.contains(&Effect::CancelAction { number: 1 }), "{effects:?}");
    assert_eq!(monitor.update(Event::Wanted { at: Timestamp(14), intent: cancel }), [], "once is enough");
    let view = monitor.take_changes().views.pop().unwrap();
    let running = view.actions.running.unwrap();
    assert_eq!((running.progress, running.is_cancelled), (progress, true));
}

fn receipt(state: ReceiptState) -> Receipt {
    Receipt {
        id: "r".to_owned(),
        session: session("s-1"),
        channel_words: "pasted".to_owned(),
        excerpt: "more".to_owned(),
        text_sum: Receipt::sum_of("more"),
        sent_at: Timestamp(15),
        state,
        detail: None,
    }
}

/// How a reply to `s-1` would go.
fn reply_plan() -> ReplyPlan {
    ReplyPlan {
        id: "r".to_owned(),
        session: session("s-1"),
        channel: ReplyChannel::Resume { program: "claude".to_owned(), is_described: false },
        pane: None,
        state: ActivityState::Gone,
        question: None,
        warnings: Vec::new(),
        unsettled: None,
    }
}

fn reply() -> Action {
    Action::Reply { plan: Box::new(reply_plan()), body: ReplyBody::Text { text: "go on".to_owned() } }
}

/// The agent's program has the reply, and works on.
fn taken(number: u64, state: ReceiptState) -> Event {
    let taken = Some(Box::new(receipt(state)));
    let progress = ActionProgress { message: "works".to_owned(), taken, ..ActionProgress::default() };
    Event::ActionProgressed { at: Timestamp(11), workspace: id(), number, progress }
}

#[test]
fn a_turn_that_answers_a_reply_goes_on_beside_other_acts_and_is_ended_by_its_number() {
    let mut monitor = monitor();
    assert_eq!(actions(&want(&mut monitor, reply())), [(1, reply())]);
    assert_eq!(actions(&want(&mut monitor, decide())), [], "it is being sent");
    let keep = |text: &str| Event::Wanted {
        at: Timestamp(10),
        intent: Intent::KeepDraft { workspace: id(), draft: draft(text) },
    };
    let _ = monitor.update(keep("more"));
    let _ = monitor.take_changes();
    let effects = monitor.update(taken(1, ReceiptState::Delivered));
    let forgotten = Effect::KeepDraft { workspace: id(), draft: draft("") };
    assert!(effects.contains(&forgotten), "{effects:?}");
    let changes = monitor.take_changes();
    let view = changes.views.last().unwrap();
    let turns: Vec<u64> = view.actions.answering.iter().map(|turn| turn.number).collect();
    assert_eq!((&view.actions.running, turns), (&None, vec![1]));
    assert_eq!(view.actions.receipts, [receipt(ReceiptState::Delivered)]);
    let told = |outcome| Response::Action {
        workspace: id(),
        number: 1,
        kind: ActionKind::Reply,
        is_plan: false,
        outcome,
    };
    assert_eq!(
        changes.responses,
        [told(Box::new(ActionOutcome::Replied(Box::new(receipt(ReceiptState::Delivered)))))]
    );
    // Another action is free; one more reply to the same session is not, to another one it is.
    assert_eq!(actions(&want(&mut monitor, decide())), [(2, decide())]);
    let _ = monitor.update(finished(2, failed(ActionClass::Failed), None));
    let _ = monitor.take_changes();
    for action in [reply(), Action::PlanReply { session: session("s-1") }] {
        assert_eq!(actions(&want(&mut monitor, action)), []);
        let changes = monitor.take_changes();
        let [Response::Action { outcome, .. }] = changes.responses.as_slice() else { panic!("{changes:?}") };
        assert_eq!(outcome.class(), ActionClass::Busy);
    }
    let other = Action::PlanReply { session: session("s-2") };
    assert_eq!(actions(&want(&mut monitor, other.clone())), [(3, other)]);
    let cancel = |number| Event::Wanted {
        at: Timestamp(13),
        intent: Intent::CancelAction { workspace: id(), number },
    };
    assert!(monitor.update(cancel(1)).contains(&Effect::CancelAction { number: 1 }));
    assert_eq!(monitor.update(cancel(7)), []);
    let view = monitor.take_changes().views.pop().unwrap();
    assert!(view.actions.answering[0].is_cancelled && !view.actions.running.unwrap().is_cancelled);
    // A draft that was begun meanwhile is for the next reply.
    let keep = Intent::KeepDraft { workspace: id(), draft: draft("next") };
    let _ = monitor.update(Event::Wanted { at: Timestamp(14), intent: keep });
    let _ =
        monitor.update(finished(1, ActionOutcome::Replied(Box::new(receipt(ReceiptState::Consumed))), None));
    let view = monitor.take_changes().views.pop().unwrap();
    assert_eq!((view.actions.answering, view.actions.drafts), (vec![], vec![draft("next")]));
    assert_eq!(view.actions.receipts, [receipt(ReceiptState::Consumed)]);
    assert!(view.actions.running.is_some(), "the plan for the other session still runs");
}

#[test]
fn a_reply_that_was_given_to_a_program_and_not_taken_is_refused_in_its_receipt() {
    let mut monitor = monitor();
    let _ = want(&mut monitor, reply());
    let _ = monitor.update(taken(1, ReceiptState::Delivered));
    let _ = monitor.update(finished(1, failed(ActionClass::Refused), None));
    let view = monitor.take_changes().views.pop().unwrap();
    let refused = Receipt { detail: Some("words".to_owned()), ..receipt(ReceiptState::Refused) };
    assert_eq!((view.actions.receipts, view.actions.answering), (vec![refused], vec![]));
}

#[test]
fn an_act_that_is_finished_first_is_not_shown_as_one_that_is_being_ended() {
    let mut monitor = monitor();
    let _ = want(&mut monitor, decide());
    let cancel = Intent::CancelAction { workspace: id(), number: 1 };
    let _ = monitor.update(Event::Wanted { at: Timestamp(13), intent: cancel });
    let _ = monitor.take_changes();
    let later = |number| Event::EndsLater { at: Timestamp(14), workspace: id(), number };
    // An action of before tells nothing of this one.
    let _ = monitor.update(later(0));
    assert_eq!(monitor.take_changes().responses, []);
    let _ = monitor.update(later(1));
    let changes = monitor.take_changes();
    assert_eq!(changes.responses, [Response::EndsLater { workspace: id(), kind: ActionKind::Decide }]);
    assert!(!changes.views[0].actions.running.as_ref().unwrap().is_cancelled);
}

/// It records the work, and so is no action that changes nothing; what becomes of it is the answer to a plan.
#[test]
fn the_plan_of_a_rescue_is_a_record_and_a_plan() {
    let mut monitor = monitor();
    let action = Action::PlanRescue { message: None, order: RecordOrder::default() };
    assert!(action.is_plan());
    let _ = want(&mut monitor, action);
    let running = monitor.take_changes().views.pop().unwrap().actions.running.unwrap();
    assert_eq!((running.kind, running.is_plan), (ActionKind::Record, true));
    let done = entry("new", &id(), Some(ActionClass::Nothing));
    let _ = monitor.update(finished(1, failed(ActionClass::Nothing), Some(done)));
    let told = Response::Action {
        workspace: id(),
        number: 1,
        kind: ActionKind::Record,
        is_plan: true,
        outcome: Box::new(failed(ActionClass::Nothing)),
    };
    assert_eq!(monitor.take_changes().responses, [told]);
}

#[test]
fn a_draft_outlives_its_workspace() {
    let mut monitor = monitor();
    let gone = WorkspaceId::local("/srv/gone");
    let intent = Intent::KeepDraft { workspace: gone.clone(), draft: draft("half") };
    let effects = monitor.update(Event::Wanted { at: Timestamp(10), intent });
    assert_eq!(effects, [Effect::KeepDraft { workspace: gone, draft: draft("half") }]);
}

#[test]
fn a_draft_is_kept_once_a_change_and_forgotten_when_its_reply_arrived() {
    let mut monitor = monitor();
    let keep = |text: &str| Event::Wanted {
        at: Timestamp(10),
        intent: Intent::KeepDraft { workspace: id(), draft: draft(text) },
    };
    let kept = |effects: Vec<Effect>| -> Vec<Draft> {
        let drafts = effects.into_iter().filter_map(|effect| {
            let Effect::KeepDraft { draft, .. } = effect else { return None };
            Some(draft)
        });
        drafts.collect()
    };
    assert_eq!(kept(monitor.update(keep("kept"))), []);
    assert_eq!(kept(monitor.update(keep("more"))), [draft("more")]);
    let held = ActionOutcome::Replied(Box::new(receipt(ReceiptState::Held)));
    assert_eq!(kept(monitor.update(finished(1, held, None))), []);
    let delivered = ActionOutcome::Replied(Box::new(receipt(ReceiptState::Delivered)));
    // What was written since is for the next reply, however it begins.
    assert_eq!(kept(monitor.update(keep("more of it"))), [draft("more of it")]);
    assert_eq!(kept(monitor.update(finished(2, delivered.clone(), None))), []);
    assert_eq!(kept(monitor.update(keep("more"))), [draft("more")]);
    assert_eq!(kept(monitor.update(finished(3, delivered, None))), [draft("")]);
    let view = monitor.take_changes().views.pop().unwrap();
    assert_eq!(
        (view.actions.drafts, view.actions.receipts),
        (vec![], vec![receipt(ReceiptState::Delivered)])
    );
}

fn verified(at: i64) -> VerifyReport {
    VerifyReport {
        session: session("s-1"),
        at: Timestamp(at),
        round: 1,
        is_complete: false,
        confidence_percent: Some(90),
        checklist: Checklist { from: "closer".to_owned(), items: Vec::new() },
        pending_actions: vec!["write the test".to_owned()],
        summary: None,
        error: None,
        n_attempts: 1,
        cost: AskCost::default(),
        notes: Vec::new(),
        asked_of: None,
        prompt_used: String::new(),
    }
}

fn kept(at: i64) -> KeptReports {
    let then = TaskMoment { prompted_at: None, turns: Vec::new() };
    KeptReports { verified: Some((verified(at).into(), then)), ..KeptReports::default() }
}

/// What one run received, the next one and one beside it judge by too.
#[test]
fn what_agents_said_is_kept_for_other_runs_and_the_newest_counts() {
    let (_folder, store) = store();
    store.keep_reports(&id(), &kept(20)).unwrap();
    let damaged = WorkspaceId::local("/work/damaged");
    store.keep_reports(&damaged, &kept(20)).unwrap();
    damage(&store.folder().join("reports"), "/work/damaged");
    assert_eq!(store.reports_of(&[id(), damaged]), ([(id(), kept(20))].into_iter().collect(), 1));
    let mut monitor = monitor();
    let _ = want(&mut monitor, decide());
    let received = ActionOutcome::Verified(Box::new(verified(20)));
    let effects = monitor.update(finished(1, received, None));
    let keep = Effect::KeepReports { workspace: id(), reports: Box::new(kept(20)) };
    assert!(effects.contains(&keep), "{effects:?}");
    for (at, shown) in [(10, 20), (30, 30)] {
        let found = FoundWorkspace {
            id: id(),
            settings: WorkspaceSettings::default().into(),
            baseline: None,
            named: Vec::new(),
            sessions: Vec::new(),
            problem: None,
            history: Vec::new(),
            drafts: Vec::new(),
            held: Vec::new(),
            timeline: Vec::new(),
            reports: kept(at),
            run: None,
        };
        let _ = monitor.update(Event::Discovered {
            at: Timestamp(40),
            workspaces: vec![found],
            refused: Vec::new(),
            n_older_sessions: 0,
        });
        let _ = monitor.update(Event::Wanted { at: Timestamp(41), intent: Intent::Look { workspace: id() } });
        let view = monitor.take_changes().views.pop().unwrap();
        assert_eq!(view.actions.verified, Some(verified(shown).into()));
    }
}

/// The log of what was done and every question name the branch that gets the commit.
#[test]
fn a_plan_names_the_branch_that_gets_the_commit() {
    use crate::support::action_samples::{plan, plan_detached};
    assert_eq!(plan().target_branch(), Some(&RefName::of_branch("fix/rounding")));
    assert_eq!(plan_detached().target_branch(), None);
    let target = plan_detached().targets.pop();
    let chosen = RescuePlan { target, ..plan() };
    assert_eq!(chosen.target_branch(), Some(&RefName::of_branch("rescue/20261122T043000")));
}
