//! A reply that was sent is found again in the record of its session.

use closeout::model::{
    Action, ActionKind, ActionOutcome, ActivitySource, ActivityState, CollectRequest, Draft, Effect, Event,
    FoundWorkspace, Intent, KeptReports, OfferPolicy, Parts, Policy, Receipt, ReceiptState, Response, Sample,
    SessionFacts, SessionName, Timestamp, WatchSettings, WorkspaceId, WorkspaceSettings,
};
use closeout::monitor::Monitor;

use crate::support::session_samples::session;

const POLICY: Policy =
    Policy { offers: OfferPolicy::Ask, stall_stage: 3, unreadable_limit: 3, silent_turn_ms: 600_000 };
const WATCH: WatchSettings = WatchSettings {
    reconcile_ms: 300_000,
    poll_ms: 10_000,
    collect_limit_ms: 10_000,
    fold_after_ms: 72 * 3_600_000,
};
const TEXT: &str = "2";

fn id() -> WorkspaceId {
    WorkspaceId::local("/work/a")
}

fn name() -> SessionName {
    SessionName::new("claude", "claude-0b1c2d3e")
}

fn receipt(id: &str, state: ReceiptState) -> Receipt {
    Receipt {
        id: id.to_owned(),
        session: name(),
        channel_words: "pasted".to_owned(),
        excerpt: Receipt::excerpt_of(TEXT),
        text_sum: Receipt::sum_of(TEXT),
        sent_at: Timestamp(5000),
        state,
        detail: Some("typed".to_owned()),
    }
}

/// The words of the workspace, whose session was asked this last.
fn facts_of(prompt: &str, prompted_at: i64) -> SessionFacts {
    let mut session = session("claude", ActivityState::Idle, ActivitySource::Registry, 1, "");
    session.prompt = Some(prompt.to_owned());
    session.prompted_at = Some(Timestamp(prompted_at));
    SessionFacts { sessions: vec![session.into()], ..SessionFacts::default() }
}

fn sample(words: SessionFacts) -> Sample {
    Sample {
        parts: Parts::all(),
        taken_at: Timestamp(1),
        evidence: Vec::new(),
        git: None,
        checklists: Vec::new(),
        session_facts: Some(words),
        watch_targets: Vec::new(),
        processes: Vec::new(),
        new_baseline: None,
        named: None,
        recheck_at: None,
        in_force: None,
    }
}

fn next(effects: &[Effect]) -> CollectRequest {
    let asked = effects.iter().find_map(|effect| {
        let Effect::Collect(request) = effect else { return None };
        Some((**request).clone())
    });
    asked.unwrap_or_else(|| panic!("nothing is read: {effects:?}"))
}

fn collected(request: &CollectRequest, words: SessionFacts) -> Event {
    Event::Collected {
        at: request.not_before,
        workspace: id(),
        generation: request.generation,
        took_ms: 1,
        outcome: Ok(Box::new(sample(words))),
    }
}

/// A monitor that knows the workspace, and to which a receipt in this state was told.
fn monitor_with(state: ReceiptState) -> (Monitor, CollectRequest) {
    let mut monitor = Monitor::new(POLICY, WATCH);
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
        reports: KeptReports::default(),
        run: None,
    };
    let workspaces = vec![found];
    let discovered =
        Event::Discovered { at: Timestamp(0), workspaces, refused: Vec::new(), n_older_sessions: 0 };
    let request = next(&monitor.update(discovered));
    let _ = monitor.update(collected(&request, facts_of("begin", 100)));
    let draft = Draft { session: name(), text: TEXT.to_owned() };
    let intent = Intent::KeepDraft { workspace: id(), draft };
    let _ = monitor.update(Event::Wanted { at: Timestamp(4000), intent });
    let action = Box::new(Action::PlanReply { session: name() });
    let intent = Intent::Action { workspace: id(), action };
    let _ = monitor.update(Event::Wanted { at: Timestamp(4500), intent });
    let outcome = Box::new(ActionOutcome::Replied(Box::new(receipt("r-1", state))));
    let finished =
        Event::ActionFinished { at: Timestamp(5100), workspace: id(), number: 1, outcome, entry: None };
    let request = next(&monitor.update(finished));
    let _ = monitor.take_changes();
    (monitor, request)
}

#[test]
fn a_reply_that_stands_in_the_record_is_consumed_and_a_front_is_told() {
    let (mut monitor, request) = monitor_with(ReceiptState::Held);
    let effects = monitor.update(collected(&request, facts_of(TEXT, 5200)));
    let wanted = Receipt { detail: None, ..receipt("r-1", ReceiptState::Consumed) };
    let changes = monitor.take_changes();
    assert_eq!(changes.views[0].actions.receipts, std::slice::from_ref(&wanted));
    let outcome = Box::new(ActionOutcome::Replied(Box::new(wanted)));
    assert_eq!(
        changes.responses,
        [Response::Action { workspace: id(), number: 0, kind: ActionKind::Reply, is_plan: false, outcome }]
    );
    // What was written is said by now.
    assert_eq!(changes.views[0].actions.drafts, []);
    let forgotten = Draft { session: name(), text: String::new() };
    assert!(effects.contains(&Effect::KeepDraft { workspace: id(), draft: forgotten }), "{effects:?}");
}

#[test]
fn an_older_prompt_and_other_words_consume_nothing() {
    for (prompt, at) in [(TEXT, 4999), ("20", 5200), ("begin", 5200)] {
        let (mut monitor, request) = monitor_with(ReceiptState::Held);
        let _ = monitor.update(collected(&request, facts_of(prompt, at)));
        let changes = monitor.take_changes();
        assert_eq!(changes.views[0].actions.receipts, [receipt("r-1", ReceiptState::Held)], "{prompt} {at}");
        assert_eq!(changes.responses, []);
        assert_eq!(changes.views[0].actions.drafts.len(), 1, "what is not taken stays");
    }
}

#[test]
fn a_reply_that_was_refused_is_never_consumed() {
    let (mut monitor, request) = monitor_with(ReceiptState::Refused);
    let _ = monitor.update(collected(&request, facts_of(TEXT, 5200)));
    let changes = monitor.take_changes();
    assert_eq!(changes.views[0].actions.receipts, [receipt("r-1", ReceiptState::Refused)]);
    assert_eq!(changes.responses, []);
}
