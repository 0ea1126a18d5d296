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
fn asks_for(fixture: &ReplyFixture, run: &str) {
    let payload = json!({
        "session_id": SESSION, "cwd": fixture.repo.path(), "hook_event_name": "PermissionRequest",
        "tool_name": "Bash", "tool_input": {"command": run}, "transcript_path": "/nowhere",
    });
    let mut hook = command(fixture, &["hook", "event", "--agent", "claude"]);
    let mut child = spawn(hook.stdin(Stdio::piped()));
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    assert_eq!(finish(child).code, 0);
}

fn answer(answer: &str, what: &str) -> ReplyBody {
    ReplyBody::Permission { answer: answer.to_owned(), what: what.to_owned() }
}

#[test]
fn one_option_is_sent_as_its_key_and_another_prompt_than_the_one_confirmed_gets_none() {
    let Some(fixture) = ReplyFixture::new() else { return };
    let (pane, pid) = fixture.start();
    fixture.say("do it", "");
    fixture.set_status(pid, "waiting", Some("permission prompt"));
    asks_for(&fixture, "cargo test");
    let plan = fixture.plan().unwrap();
    let option =
        |label: &str, answer: &str| PermissionOption { label: label.to_owned(), answer: answer.to_owned() };
    let prompt = PermissionPrompt {
        what: "Bash: cargo test".to_owned(),
        options: vec![option("allow once", "1"), option("deny, and end the turn", "Esc")],
    };
    assert_eq!(plan.channel.permission(), Some(prompt));
    assert_eq!(plan.channel.to_string(), format!("typed into tmux pane {pane}"));
    let config = fixture.engine_config(&[]);
    for body in [
        answer("1", "Bash: rm -rf /"),
        answer("2", "Bash: cargo test"),
        ReplyBody::Text { text: "1".to_owned() },
    ] {
        let problem = send_body(&config, &plan, body).unwrap_err();
        assert_eq!(problem.class, ActionClass::Refused, "{problem:?}");
    }
    assert_eq!(fixture.bytes(), "");
    // Another prompt came up since.
    asks_for(&fixture, "rm -rf /");
    let problem = send_body(&config, &plan, answer("1", "Bash: cargo test")).unwrap_err();
    assert!(problem.message.contains("changed since you looked"), "{problem:?}");
    assert_eq!(fixture.bytes(), "");
    let plan = fixture.plan().unwrap();
    let receipt = send_body(&config, &plan, answer("1", "Bash: rm -rf /")).unwrap();
    // The scripted agent reads it and does nothing with it, twice.
    assert_eq!(receipt.state, ReceiptState::Held);
    assert!(receipt.detail.unwrap().contains("answer it in its pane"));
    assert_eq!(receipt.excerpt, "allowed once: Bash: rm -rf /");
    assert_eq!(fixture.wait_for_bytes(1), "11");
}

/// What became of the answer of an agent that asks for a command, where this happens after the first key.
fn after_the_first_key(happens: impl Fn(&ReplyFixture, &str, u32) + Sync) -> Option<(ReceiptState, String)> {
    let fixture = ReplyFixture::new()?;
    let (pane, pid) = fixture.start();
    fixture.say("do it", "");
    fixture.set_status(pid, "waiting", Some("permission prompt"));
    asks_for(&fixture, "cargo test");
    let plan = fixture.plan().unwrap();
    let receipt = std::thread::scope(|scope| {
        scope.spawn(|| {
            fixture.wait_for_bytes(1);
            happens(&fixture, &pane, pid);
        });
        send_body(&fixture.engine_config(&[]), &plan, answer("1", "Bash: cargo test")).unwrap()
    });
    Some((receipt.state, fixture.bytes()))
}

/// A client that has just drawn its prompt may not listen yet.
#[test]
fn a_key_that_was_lost_is_typed_a_second_time() {
    let taken = |fixture: &ReplyFixture, _: &str, pid| {
        fixture.wait_for_bytes(2);
        fixture.set_status(pid, "busy", None);
    };
    let Some(found) = after_the_first_key(taken) else { return };
    assert_eq!(found, (ReceiptState::Delivered, "11".to_owned()));
}

#[test]
fn no_second_key_is_typed_once_another_prompt_may_stand_there() {
    // Another command; the same once more; and a screen that another one may be on.
    let another = |fixture: &ReplyFixture, _: &str, _| asks_for(fixture, "rm -rf /");
    let Some(found) = after_the_first_key(another) else { return };
    assert_eq!(found, (ReceiptState::Delivered, "1".to_owned()));
    let again = |fixture: &ReplyFixture, _: &str, _| asks_for(fixture, "cargo test");
    assert_eq!(after_the_first_key(again), Some((ReceiptState::Held, "1".to_owned())));
    let redrawn = |fixture: &ReplyFixture, pane: &str, _| fixture.draw(pane, &["Another prompt"], (0, 2));
    assert_eq!(after_the_first_key(redrawn), Some((ReceiptState::Held, "1".to_owned())));
}

#[test]
fn a_command_is_shown_whole_or_not_answered() {
    let Some(fixture) = ReplyFixture::new() else { return };
    let (_, pid) = fixture.start();
    fixture.say("do it", "");
    fixture.set_status(pid, "waiting", Some("permission prompt"));
    let long = format!("{} && rm -rf build", "echo step && ".repeat(60));
    asks_for(&fixture, &long);
    let prompt = fixture.plan().unwrap().channel.permission().unwrap();
    assert_eq!((prompt.what, prompt.options.len()), (format!("Bash: {long}"), 2));
    asks_for(&fixture, &"echo step && ".repeat(200));
    assert_eq!(fixture.plan().unwrap().channel.permission().unwrap().options, []);
}

#[test]
fn without_a_hook_no_way_is_told_and_the_hook_is_named() {
    let Some(fixture) = ReplyFixture::new() else { return };
    let (pane, pid) = fixture.start();
    fixture.say("do it", "");
    fixture.set_status(pid, "waiting", Some("permission prompt"));
    let plan = fixture.plan().unwrap();
    assert_eq!(plan.channel.permission().unwrap().options, []);
    assert_eq!(plan.channel.to_string(), "");
    assert!(!plan.has_way());
    assert_eq!(plan.pane.map(|pane| pane.id), Some(pane));
    assert_eq!(
        plan.channel.next_steps(),
        ["after `closeout hook install`, its next permission prompts can be answered here"]
    );
    assert_eq!(plan.warnings, ["it is unclear which keys would answer it"]);
}

#[test]
fn without_tmux_it_is_said_that_tmux_is_missing() {
    let Some(fixture) = ReplyFixture::new() else { return };
    let (_, pid) = fixture.start();
    fixture.say("do it", "");
    fixture.set_status(pid, "waiting", Some("permission prompt"));
    let mut config = fixture.engine_config(&[]);
    config.live = Some(LiveSources::new(None));
    let plan = plan(&config, SESSION).unwrap();
    assert_eq!((plan.has_way(), &plan.pane), (false, &None));
    assert_eq!(plan.channel.permission().unwrap().options, []);
    assert_eq!(plan.channel.next_steps(), ["answer it in its terminal"]);
    assert!(plan.warnings[0].contains("tmux was not found on the PATH"), "{:?}", plan.warnings);
}
