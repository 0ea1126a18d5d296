//! Replies that are held until the turn has ended: nothing while it goes on, and then once, whoever looks.

use std::thread;

use closeout::engine::EngineConfig;
use closeout::model::{
    Action, ActionOutcome, HeldEnd, HeldNow, HeldReply, HeldStep, ReceiptState, Timestamp,
};

use super::fixture::{BEGIN, END, ReplyFixture, SESSION, action, name};

const TEXT: &str = "then fix the test";

fn take(config: &EngineConfig, reply: &HeldReply, step: HeldStep) -> ActionOutcome {
    action(config, Action::Held { reply: Box::new(reply.clone()), step })
}

/// The reply as it is kept.
fn held(config: &EngineConfig) -> HeldReply {
    let reply = HeldReply {
        id: String::new(),
        session: name(config, SESSION),
        text: TEXT.to_owned(),
        held_at: Timestamp(0),
        claimed_at: None,
        hindrance: None,
    };
    let outcome = take(config, &reply, HeldStep::Keep);
    let ActionOutcome::Held { reply, now: HeldNow::Kept } = outcome else { panic!("{outcome:?}") };
    *reply
}

fn now(outcome: ActionOutcome) -> HeldNow {
    let ActionOutcome::Held { now, .. } = outcome else { panic!("{outcome:?}") };
    now
}

#[test]
fn two_closeouts_at_once_send_a_held_reply_once() {
    let Some(fixture) = ReplyFixture::new() else { return };
    fixture.start();
    fixture.say("and now", "All of it is written and committed.");
    let configs = [(); 2].map(|()| fixture.engine_config(&[]));
    let reply = held(&configs[0]);
    let whole = format!("{BEGIN}{TEXT}{END}\r");
    let outcomes = thread::scope(|scope| {
        scope.spawn(|| {
            fixture.wait_for_bytes(whole.len());
            fixture.say(TEXT, "");
        });
        let senders: Vec<_> =
            configs.iter().map(|config| scope.spawn(|| take(config, &reply, HeldStep::Send))).collect();
        senders.into_iter().map(|sender| sender.join().unwrap()).collect::<Vec<_>>()
    });
    let is_sent = |outcome: &&ActionOutcome| matches!(outcome, ActionOutcome::Replied(receipt) if receipt.state == ReceiptState::Consumed);
    let is_taken =
        |outcome: &&ActionOutcome| matches!(outcome, ActionOutcome::Held { now: HeldNow::Taken, .. });
    let count = (outcomes.iter().filter(is_sent).count(), outcomes.iter().filter(is_taken).count());
    assert_eq!(count, (1, 1), "{outcomes:?}");
    // Nor by one that comes later.
    assert_eq!(now(take(&configs[1], &reply, HeldStep::Send)), HeldNow::Taken);
    assert_eq!(fixture.bytes(), whole);
}

#[test]
fn while_the_turn_goes_on_nothing_is_typed_and_a_cancelled_one_is_never_sent() {
    let Some(fixture) = ReplyFixture::new() else { return };
    let (_, pid) = fixture.start();
    fixture.say("and now", "All of it is written and committed.");
    fixture.set_status(pid, "busy", None);
    let config = fixture.engine_config(&[]);
    let reply = held(&config);
    assert_eq!(now(take(&config, &reply, HeldStep::Send)), HeldNow::WaitsOn);
    assert_eq!(now(take(&config, &reply, HeldStep::Drop(HeldEnd::ByYou))), HeldNow::Dropped(HeldEnd::ByYou));
    fixture.set_status(pid, "idle", None);
    for step in [HeldStep::Drop(HeldEnd::ByYou), HeldStep::Send] {
        assert_eq!(now(take(&config, &reply, step)), HeldNow::Taken);
    }
    assert_eq!(fixture.bytes(), "");
}

#[test]
fn a_question_that_came_meanwhile_is_not_answered_by_it() {
    let Some(fixture) = ReplyFixture::new() else { return };
    fixture.start();
    let config = fixture.engine_config(&[]);
    let reply = held(&config);
    assert_eq!(now(take(&config, &reply, HeldStep::Send)), HeldNow::Dropped(HeldEnd::Asks));
    assert_eq!(fixture.bytes(), "");
}
