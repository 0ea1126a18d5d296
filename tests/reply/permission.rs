//! The answer to a permission prompt: its own choice, and only where it is certain what a key means.

use std::io::Write as _;
use std::process::Stdio;

use closeout::evidence::LiveSources;
use closeout::model::{ActionClass, PermissionOption, PermissionPrompt, ReceiptState, ReplyBody};
use serde_json::json;

use super::fixture::{ReplyFixture, SESSION, plan, send_body};
use super::killed::command;
use crate::support::test_env::{finish, spawn};

/// The agent's own hook tells that it waits for the leave to run this command.
fn asks_for(bench: &ReplyFixture, run: &str) {
    let payload = json!({
        "session_id": SESSION, "cwd": bench.repo.path(), "hook_event_name": "PermissionRequest",
        "tool_name": "Bash", "tool_input": {"command": run}, "transcript_path": "/nowhere",
    });
    let mut hook = command(bench, &["hook", "event", "--agent", "claude"]);
    let mut child = spawn(hook.stdin(Stdio::piped()));
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    assert_eq!(finish(child).code, 0);
}

fn answer(answer: &str, what: &str) -> ReplyBody {
    ReplyBody::Permission { answer: answer.to_owned(), what: what.to_owned() }
}

#[test]
fn one_option_is_sent_as_its_key_and_another_prompt_than_the_one_confirmed_gets_none() {
    let Some(bench) = ReplyFixture::new() else { return };
    let (pane, pid) = bench.start();
    bench.say("do it", "");
    bench.set_status(pid, "waiting", Some("permission prompt"));
    asks_for(&bench, "cargo test");
    let plan = bench.plan().unwrap();
    let option =
        |label: &str, answer: &str| PermissionOption { label: label.to_owned(), answer: answer.to_owned() };
    let prompt = PermissionPrompt {
        what: "Bash: cargo test".to_owned(),
        options: vec![option("allow once", "1"), option("deny, and end the turn", "Esc")],
    };
    assert_eq!(plan.channel.permission(), Some(prompt));
    assert_eq!(plan.channel.to_string(), format!("typed into tmux pane {pane}"));
    let launch = bench.launch(&[]);
    for body in [
        answer("1", "Bash: rm -rf /"),
        answer("2", "Bash: cargo test"),
        ReplyBody::Text { text: "1".to_owned() },
    ] {
        let problem = send_body(&launch, &plan, body).unwrap_err();
        assert_eq!(problem.class, ActionClass::Refused, "{problem:?}");
    }
    assert_eq!(bench.bytes(), "");
    // Another prompt came up since.
    asks_for(&bench, "rm -rf /");
    let problem = send_body(&launch, &plan, answer("1", "Bash: cargo test")).unwrap_err();
    assert!(problem.message.contains("changed since you looked"), "{problem:?}");
    assert_eq!(bench.bytes(), "");
    let plan = bench.plan().unwrap();
    let receipt = send_body(&launch, &plan, answer("1", "Bash: rm -rf /")).unwrap();
    // The scripted agent reads it and does nothing with it, twice.
    assert_eq!(receipt.state, ReceiptState::Held);
    assert!(receipt.detail.unwrap().contains("answer it in its pane"));
    assert_eq!(receipt.excerpt, "allowed once: Bash: rm -rf /");
    assert_eq!(bench.wait_for_bytes(1), "11");
}

/// What became of the answer of an agent that asks for a command, where this happens after the first key.
fn after_the_first_key(happens: impl Fn(&ReplyFixture, &str, u32) + Sync) -> Option<(ReceiptState, String)> {
    let bench = ReplyFixture::new()?;
    let (pane, pid) = bench.start();
    bench.say("do it", "");
    bench.set_status(pid, "waiting", Some("permission prompt"));
    asks_for(&bench, "cargo test");
    let plan = bench.plan().unwrap();
    let receipt = std::thread::scope(|scope| {
        scope.spawn(|| {
            bench.wait_for_bytes(1);
            happens(&bench, &pane, pid);
        });
        send_body(&bench.launch(&[]), &plan, answer("1", "Bash: cargo test")).unwrap()
    });
    Some((receipt.state, bench.bytes()))
}

/// A client that has just drawn its prompt may not listen yet.
#[test]
fn a_key_that_was_lost_is_typed_a_second_time() {
    let taken = |bench: &ReplyFixture, _: &str, pid| {
        bench.wait_for_bytes(2);
        bench.set_status(pid, "busy", None);
    };
    let Some(found) = after_the_first_key(taken) else { return };
    assert_eq!(found, (ReceiptState::Delivered, "11".to_owned()));
}

#[test]
fn no_second_key_is_typed_once_another_prompt_may_stand_there() {
    // Another command; the same once more; and a screen that another one may be on.
    let another = |bench: &ReplyFixture, _: &str, _| asks_for(bench, "rm -rf /");
    let Some(found) = after_the_first_key(another) else { return };
    assert_eq!(found, (ReceiptState::Delivered, "1".to_owned()));
    let again = |bench: &ReplyFixture, _: &str, _| asks_for(bench, "cargo test");
    assert_eq!(after_the_first_key(again), Some((ReceiptState::Held, "1".to_owned())));
    let redrawn = |bench: &ReplyFixture, pane: &str, _| bench.draw(pane, &["Another prompt"], (0, 2));
    assert_eq!(after_the_first_key(redrawn), Some((ReceiptState::Held, "1".to_owned())));
}

#[test]
fn a_command_is_shown_whole_or_not_answered() {
    let Some(bench) = ReplyFixture::new() else { return };
    let (_, pid) = bench.start();
    bench.say("do it", "");
    bench.set_status(pid, "waiting", Some("permission prompt"));
    let long = format!("{} && rm -rf build", "echo step && ".repeat(60));
    asks_for(&bench, &long);
    let prompt = bench.plan().unwrap().channel.permission().unwrap();
    assert_eq!((prompt.what, prompt.options.len()), (format!("Bash: {long}"), 2));
    asks_for(&bench, &"echo step && ".repeat(200));
    assert_eq!(bench.plan().unwrap().channel.permission().unwrap().options, []);
}

#[test]
fn without_a_hook_no_way_is_told_and_the_hook_is_named() {
    let Some(bench) = ReplyFixture::new() else { return };
    let (pane, pid) = bench.start();
    bench.say("do it", "");
    bench.set_status(pid, "waiting", Some("permission prompt"));
    let plan = bench.plan().unwrap();
    assert_eq!(plan.channel.permission().unwrap().options, []);
    assert_eq!(plan.channel.to_string(), "");
    assert!(!plan.has_way());
    assert_eq!(plan.pane.map(|pane| pane.id), Some(pane));
    assert_eq!(
        plan.channel.next_steps(),
        ["`closeout hook install`, and its next permissions can be answered here"]
    );
    assert_eq!(plan.warnings, ["which keys would answer it is not certain"]);
}

#[test]
fn without_tmux_it_is_said_that_tmux_is_missing() {
    let Some(bench) = ReplyFixture::new() else { return };
    let (_, pid) = bench.start();
    bench.say("do it", "");
    bench.set_status(pid, "waiting", Some("permission prompt"));
    let mut launch = bench.launch(&[]);
    launch.live = Some(LiveSources::new(None));
    let plan = plan(&launch, SESSION).unwrap();
    assert_eq!((plan.has_way(), &plan.pane), (false, &None));
    assert_eq!(plan.channel.permission().unwrap().options, []);
    assert_eq!(plan.channel.next_steps(), ["answer it in its terminal"]);
    assert!(plan.warnings[0].contains("tmux was not found on the PATH"), "{:?}", plan.warnings);
}
