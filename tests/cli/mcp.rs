//! `mcp`: an agent asks what is left of its work, and decides.

use serde_json::{Value, json};

use crate::support::repo::Repo;
use crate::support::test_env::{TestEnv, finish, spawn};
use std::io::Write as _;
use std::process::Stdio;

/// The answers to these lines, each as JSON.
fn talk(env: &TestEnv, repo: &Repo, lines: &[String]) -> Vec<Value> {
    let mut child = spawn(env.command(repo.path(), &["mcp"]).stdin(Stdio::piped()));
    child.stdin.take().unwrap().write_all(lines.join("\n").as_bytes()).unwrap();
    let run = finish(child);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn call(id: u32, name: &str, arguments: &Value) -> String {
    let parameters = json!({"name": name, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": parameters}).to_string()
}

#[test]
fn an_agent_asks_what_is_left_and_decides() {
    let repo = Repo::new();
    repo.switch("work").commit_file("parser.rs");
    repo.write("tasks.md", "- [ ] write the docs\n");
    let env = TestEnv::beside(&repo);
    let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "x"}}});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let list = json!({"jsonrpc": "2.0", "id": "two", "method": "tools/list"});
    let lines = [
        begin.to_string(),
        ready.to_string(),
        list.to_string(),
        call(3, "check_my_work", &json!({})),
        call(4, "decide", &json!({"decision": "incomplete", "reasons": ["no docs", "no test"]})),
    ];
    let answers = talk(&env, &repo, &lines);
    assert_eq!(answers.len(), 4, "a notification has no answer: {answers:?}");
    assert_eq!(answers[0]["result"]["protocolVersion"], "2024-11-05");
    assert_eq!(answers[1]["id"], "two");
    let names: Vec<&Value> =
        answers[1]["result"]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["check_my_work", "decide"]);
    let told = answers[2]["result"]["content"][0]["text"].as_str().unwrap();
    let told: Value = serde_json::from_str(told).unwrap();
    assert_eq!(told["verdict"], "INCOMPLETE", "{told:#}");
    assert!(told["left_to_do"].to_string().contains("write the docs"), "{told:#}");
    assert!(answers[3]["result"]["isError"].is_null(), "{answers:?}");
    let decision = std::fs::read_to_string(repo.at(".closeout/decision.json")).unwrap();
    assert!(decision.contains("incomplete") && decision.contains("no docs; no test"), "{decision}");
}

#[test]
fn what_is_no_request_is_answered_with_an_error_and_ends_nothing() {
    let repo = Repo::new();
    let env = TestEnv::beside(&repo);
    let unknown = json!({"jsonrpc": "2.0", "id": 2, "method": "resources/list"});
    let ping = json!({"jsonrpc": "2.0", "id": 9, "method": "ping"});
    let lines = [
        "nonsense".to_owned(),
        unknown.to_string(),
        call(3, "mark", &json!({})),
        call(4, "decide", &json!({"decision": "done"})),
        String::new(),
        ping.to_string(),
    ];
    let answers = talk(&env, &repo, &lines);
    let codes: Vec<&Value> = answers.iter().map(|answer| &answer["error"]["code"]).collect();
    assert_eq!(codes, [&json!(-32700), &json!(-32601), &json!(-32602), &Value::Null, &Value::Null]);
    assert_eq!(answers[3]["result"]["isError"], json!(true));
    assert_eq!(answers[4], json!({"jsonrpc": "2.0", "id": 9, "result": {}}));
}
