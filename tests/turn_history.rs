//! The turns that records of real runs tell, and what bad records do not break.

use std::fs;
use std::path::Path;

use closeout::agent::{read_claude_transcript, read_codex_rollout};
use closeout::model::{BreakCause, Deed, GoalState, TurnEnd, TurnHistory};
use serde_json::{Value, json};

use crate::support::turns::texts;

fn fixture(path: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agents").join(path)).unwrap()
}

fn claude(name: &str) -> TurnHistory {
    read_claude_transcript("s", &fixture(&format!("claude/transcripts/{name}.jsonl"))).history
}

fn codex(name: &str) -> TurnHistory {
    read_codex_rollout(&fixture(&format!("codex/rollouts/{name}.jsonl"))).unwrap().history
}

fn joined(lines: &[Value]) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(&line.to_string());
        text.push('\n');
    }
    text
}

fn of_lines(lines: &[Value]) -> TurnHistory {
    let text = joined(lines);
    read_claude_transcript("s", text.as_bytes()).history
}

fn prompt(text: &str) -> Value {
    json!({"type": "user", "timestamp": "2026-11-21T20:00:00.000Z", "promptSource": "typed",
        "message": {"role": "user", "content": text}})
}

fn reply(text: &str, stop: &str) -> Value {
    json!({"type": "assistant", "timestamp": "2026-11-21T20:00:05.000Z", "message": {"id": text, "role": "assistant",
        "content": [{"type": "text", "text": text}], "stop_reason": stop}})
}

fn bash(id: &str, command: &str) -> Value {
    json!({"type": "assistant", "timestamp": "2026-11-21T20:00:01.000Z", "message": {"id": id, "role": "assistant",
        "content": [{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}],
        "stop_reason": "tool_use"}})
}

fn result(id: &str, text: &str, is_error: bool) -> Value {
    json!({"type": "user", "timestamp": "2026-11-21T20:00:02.000Z", "message": {"role": "user",
        "content": [{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error}]}})
}

#[test]
fn the_turns_of_claude_code_are_read() {
    let dirty = [
        "person: Make main print hello", "edit /home/user/project/main.rs",
        "edit /home/user/project/NOTES.md", "run git status --short && false: Code(1)", "Finished",
    ];
    let history = claude("edit-dirty");
    assert_eq!(texts(&history), dirty);
    assert!(history.is_whole);
    assert_eq!(texts(&claude("continued"))[5..], ["person: STATUS? Answer in JSON.", "Finished"]);
    assert_eq!(texts(&claude("hook-stop-block"))[2..], ["hook: Stop hook feedback:", "Finished"]);
    let denied = texts(&claude("permission-denied-headless"));
    assert!(denied.contains(&"no edit /home/user/project/main.rs".to_owned()), "{denied:?}");
    assert_eq!(texts(&claude("waiting-question"))[1..], ["asked, answered: false", "Open"]);
    assert!(texts(&claude("subagent")).contains(&"sent off: Count the files".to_owned()));
    assert!(claude("after-clear").began_by_clear);
    let compacted = texts(&claude("compacted"));
    assert!(compacted.contains(&"client: /compact".to_owned()), "{compacted:?}");
    assert_eq!(compacted.last().unwrap(), "Finished");
}

#[test]
fn a_failed_turn_says_with_what() {
    let history = claude("api-error-529");
    assert!(matches!(&history.turns[0].end, TurnEnd::Failed { limit: None, .. }), "{history:?}");
    let limit = json!({"type": "assistant", "timestamp": "2026-11-21T20:00:05.000Z", "isApiErrorMessage": true,
        "message": {"id": "1", "model": "<synthetic>", "role": "assistant", "stop_reason": "stop_sequence",
        "content": [{"type": "text", "text": "You've hit your limit · resets 3pm (Europe/Berlin)"}]}});
    let history = of_lines(&[prompt("Fix the parser"), limit]);
    let TurnEnd::Failed { limit: Some(limit), .. } = &history.turns[0].end else { panic!("{history:?}") };
    assert_eq!(limit.resets.as_deref(), Some("3pm (Europe/Berlin)"));
}

#[test]
fn cut_replies_are_no_ends() {
    for (stop, cause) in [("max_tokens", BreakCause::TokenLimit), ("refusal", BreakCause::Refusal)] {
        let history = of_lines(&[prompt("Fix the parser"), reply("I beg", stop)]);
        assert_eq!(history.turns[0].end, TurnEnd::BrokeOff { cause });
    }
    let killed = of_lines(&[prompt("Fix the parser"), bash("a", "sleep 9"), prompt("go on")]);
    assert_eq!(killed.turns[0].end, TurnEnd::BrokeOff { cause: BreakCause::ProcessGone });
}

#[test]
fn the_turns_of_codex_are_read() {
    assert_eq!(
        texts(&codex("edit-dirty")),
        [
            "person: Make main print hello", "run cat main.rs: Code(0)", "edit main.rs NOTES.md",
            "run git status --short && false: Code(1)", "Finished",
        ]
    );
    assert!(texts(&codex("hook-stop-block")).iter().any(|line| line.starts_with("hook: ")));
    let todos = codex("plan").todos.expect("a plan");
    assert!(todos.at.is_some(), "the moment of the call");
    let steered = texts(&codex("tui"));
    assert!(steered.iter().any(|line| line.ends_with("(queued)")), "{steered:?}");
}

#[test]
fn the_goal_of_a_codex_thread_is_followed() {
    let mut bytes = fixture("codex/rollouts/statement.jsonl");
    for status in ["active", "complete"] {
        let line = json!({"timestamp": "2026-11-21T20:30:00.000Z", "type": "event_msg", "payload":
            {"type": "thread_goal_updated", "goal": {"objective": "all tests pass", "status": status}}});
        bytes.extend_from_slice(format!("{line}\n").as_bytes());
    }
    let goal = read_codex_rollout(&bytes).unwrap().history.goal.unwrap();
    assert_eq!((goal.text.as_str(), goal.state), ("all tests pass", GoalState::Reached));
}

#[test]
fn a_line_of_the_conversation_that_cannot_be_read_is_not_skipped_silently() {
    let mut text = joined(&[prompt("Fix the parser"), bash("a", "cargo test")]);
    text.push_str("{\"type\":\"user\",\"message\":{\"role\":\"us\n");
    let history = read_claude_transcript("s", text.as_bytes()).history;
    assert_eq!(history.turns[0].end, TurnEnd::Unknown);
    // A kind of line that is new keeps books and says nothing of the conversation.
    let quiet = of_lines(&[prompt("Fix it"), reply("Done.", "end_turn"), json!({"type": "brand-new-kind"})]);
    assert_eq!(quiet.turns[0].end, TurnEnd::Finished);
}

#[test]
fn half_a_surrogate_pair_breaks_no_line() {
    let text = format!("{}\n{}\n", prompt("Fix XX now"), reply("Done.", "end_turn")).replace("XX", "\\ud83d");
    let history = read_claude_transcript("s", text.as_bytes()).history;
    assert_eq!(texts(&history), ["person: Fix \u{fffd} now", "Finished"]);
}

#[test]
fn a_long_output_is_kept_at_its_end_and_a_background_job_is_told_later() {
    let output = format!("Exit code 101\n{}test result: FAILED. 1 passed; 1 failed", "x\n".repeat(100_000));
    let history = of_lines(&[prompt("Test it"), bash("a", "cargo test"), result("a", &output, true)]);
    let Deed::Command(run) = &history.turns[0].steps[0].deed else { panic!("{history:?}") };
    assert!(run.is_output_cut && run.output.len() < 10_000 && run.output.ends_with("1 failed"));
    let mut started = result("b", "Command running in background with ID: b1", false);
    started["toolUseResult"] = json!({"stdout": "", "stderr": "", "backgroundTaskId": "b1"});
    let notice = json!({"type": "user", "timestamp": "2026-11-21T20:00:09.000Z", "promptSource": "system",
        "origin": {"kind": "task-notification"}, "message": {"role": "user", "content":
        "<task-notification>\n<task-id>b1</task-id>\n<summary>failed with exit code 2</summary>"}});
    let lines = [prompt("Test it"), bash("b", "make test"), started, reply("It runs.", "end_turn")];
    assert_eq!(texts(&of_lines(&lines))[1], "run make test: Running");
    let lines: Vec<Value> = lines.into_iter().chain([notice]).collect();
    assert_eq!(texts(&of_lines(&lines))[1], "run make test: Code(2)");
}

#[test]
fn goals_of_claude_code_are_followed() {
    let command = "<command-message>goal</command-message>\n<command-name>/goal</command-name>\n\
                   <command-args>all tests pass</command-args>";
    let met = json!({"type": "attachment", "timestamp": "2026-11-21T20:00:09.000Z",
        "attachment": {"type": "goal_status", "met": true, "condition": "all tests pass"}});
    let history = of_lines(&[prompt(command), reply("Done.", "end_turn")]);
    assert_eq!(texts(&history)[0], "command: /goal all tests pass");
    assert_eq!(history.goal.as_ref().map(|goal| goal.state), Some(GoalState::Active));
    let history = of_lines(&[prompt(command), reply("Done.", "end_turn"), met]);
    assert_eq!(history.goal.as_ref().map(|goal| goal.state), Some(GoalState::Reached));
}
