//! `status`: all worktrees once, or as a stream.

use std::io::{BufRead as _, BufReader, Lines, Read as _};
use std::path::Path;
use std::process::{Child, ChildStdout};
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use super::schema;
use crate::support::test_env::{LIMIT, TestEnv, replace, spawn};

#[test]
fn the_most_urgent_comes_first() {
    let env = TestEnv::with_demo();
    let run = env.run(env.shop(), &["status"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let words: Vec<Vec<&str>> =
        run.out.lines().map(|line| line.split_whitespace().take(2).collect()).collect();
    assert_eq!(words.len(), 6, "{run:?}");
    assert_eq!(words[0], ["AWAITING_RESPONSE", "asks"]);
    assert!(run.out.lines().next().unwrap().contains("どちらにしますか"), "{run:?}");
    assert_eq!(words[1], ["RESCUE_NEEDED", "uncommitted"]);
    assert_eq!(words[3], ["WORKING", "working"]);
    assert_eq!(words[4], ["COMPLETE", "finished"]);
    // Where nobody was asked, nothing waits.
    assert_eq!(words[5], ["NO_TASK", "shop"]);
}

#[test]
fn json_has_every_worktree_and_fits_the_schema() {
    let env = TestEnv::with_demo();
    let gone = env.at("gone").display().to_string();
    let run = env.run(env.demo("asks").path(), &["status", "--json", &gone]);
    assert_eq!(run.code, 4, "a path that was named is missing");
    let report = run.json();
    schema().assert_valid(&report);
    assert_eq!(report["version"], 1);
    assert_eq!(report["workspaces"].as_array().unwrap().len(), 6);
    assert_eq!(report["refused"][0]["path"], gone);
    assert_eq!(report["refused"][0]["reason"], "does not exist");
    let asks = report["workspaces"].as_array().unwrap().iter().find(|row| row["name"] == "asks").unwrap();
    let (task, session) = (&asks["task"], &asks["sessions"][0]);
    assert_eq!((&task["first_prompt"], &task["last_prompt"]), (&session["prompt"], &session["prompt"]));
    assert!(task["first_prompt"].is_string() && task["began_at"].is_i64(), "{task:#}");
}

#[test]
fn without_a_repository_it_says_what_to_do() {
    let env = TestEnv::new();
    let nowhere = env.at("nowhere");
    std::fs::create_dir(&nowhere).unwrap();
    for arguments in [["status"].as_slice(), &["status", "--follow"], &["status", "--follow", "--json"]] {
        let run = env.run(&nowhere, arguments);
        assert_eq!(run.code, 4, "{run:?}");
        assert!(run.err.contains("is in no git repository, and no agent session was found"), "{run:?}");
    }
    let run = env.run(&nowhere, &["status", "--json"]);
    assert_eq!(run.code, 0);
    schema().assert_valid(&run.json());
}

/// `status --follow` with its lines as they come.
struct Follow {
    child: Child,
    lines: Receiver<String>,
}

impl Follow {
    fn start(env: &TestEnv, here: &Path, arguments: &[&str]) -> Follow {
        let mut child = spawn(&mut env.command(here, &[&["status", "--follow"], arguments].concat()));
        let mut stdout = BufReader::new(child.stdout.take().unwrap()).lines();
        let (sender, lines) = channel();
        std::thread::spawn(move || pass_on(&mut stdout, &sender));
        Follow { child, lines }
    }

    fn line(&self, what: &str) -> String {
        self.lines.recv_timeout(LIMIT).unwrap_or_else(|error| panic!("{what}: {error}"))
    }

    /// The next JSON line that is as wanted.
    fn wait_for(&self, what: &str, is_there: impl Fn(&Value) -> bool) -> Value {
        loop {
            let line: Value = serde_json::from_str(&self.line(what)).unwrap();
            schema().assert_valid(&line);
            if is_there(&line) {
                return line;
            }
        }
    }

    fn wait_for_state(&self, name: &str, state: &str) {
        self.wait_for(&format!("{name} {state}"), |line| {
            line["workspace"]["name"] == name && line["workspace"]["state"] == state
        });
    }
}

fn pass_on(stdout: &mut Lines<BufReader<ChildStdout>>, sender: &std::sync::mpsc::Sender<String>) {
    for line in stdout {
        if sender.send(line.unwrap()).is_err() {
            break;
        }
    }
}

impl Drop for Follow {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_change_is_a_json_line() {
    let env = TestEnv::with_demo();
    let follow = Follow::start(&env, &env.shop(), &["--json"]);
    // The first line of each comes when it is judged, in any order.
    let mut states = std::collections::BTreeMap::new();
    while states.len() < 6 {
        let line = follow.wait_for("a verdict on each", |line| line["event"] == "changed");
        let word = |key: &str| line["workspace"][key].as_str().unwrap().to_owned();
        states.insert(word("name"), word("state"));
    }
    assert_eq!(states["finished"], "COMPLETE");
    assert_eq!(states["failing"], "INCOMPLETE");
    replace(&env.demo("failing").at(".closeout/decision.json"), r#"{"decision":"complete"}"#);
    follow.wait_for_state("failing", "COMPLETE");
    env.agent_says("working", "Which database should I use, PostgreSQL or SQLite?");
    follow.wait_for_state("working", "AWAITING_RESPONSE");
    env.demo("shop").git(["worktree", "add", "-q", "-b", "search", "../search"]);
    follow.wait_for_state("search", "NO_TASK");
    env.demo("shop").git(["worktree", "remove", "../search"]);
    let path = env.at("demo/search").display().to_string();
    follow.wait_for("search removed", |line| line["event"] == "removed" && line["path"] == path);
}

#[test]
fn a_change_is_a_line_of_text() {
    let env = TestEnv::with_demo();
    let follow = Follow::start(&env, &env.shop(), &[]);
    while !follow.line("finished").starts_with("COMPLETE           finished  (finished)") {}
    env.demo("finished")
        .write(".closeout/decision.json", r#"{"decision":"incomplete","reasons":["no docs"]}"#);
    while !follow
        .line("no docs")
        .starts_with("INCOMPLETE         finished  (finished)  the decision says it is not done: no docs")
    {
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_stream_quietly() {
    let env = TestEnv::with_demo();
    let mut child = spawn(&mut env.command(&env.shop(), &["status", "--follow", "--json"]));
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert!(line.starts_with(r#"{"event":"changed""#), "{line}");
    drop(stdout);
    // It is noticed at the next line; until then each change is one more occasion.
    let file = env.demo("failing").at(".closeout/decision.json");
    let (sender, ended) = channel();
    let mut stderr = child.stderr.take().unwrap();
    std::thread::spawn(move || {
        let mut said = String::new();
        stderr.read_to_string(&mut said).unwrap();
        sender.send((child.wait().unwrap().code(), said)).unwrap();
    });
    let mut ended_with = None;
    for round in 0..200 {
        replace(&file, format!(r#"{{"decision":"incomplete","reasons":["round {round}"]}}"#));
        if let Ok(end) = ended.recv_timeout(LIMIT / 200) {
            ended_with = Some(end);
            break;
        }
    }
    assert_eq!(ended_with, Some((Some(0), String::new())));
}

#[test]
fn a_closed_output_is_no_failure() {
    let env = TestEnv::with_demo();
    for arguments in
        [["status"].as_slice(), &["status", "--json"], &["schema"], &["--help"], &["check", "--json"]]
    {
        let mut child = spawn(&mut env.command(&env.shop(), arguments));
        drop(child.stdout.take());
        let run = child.wait_with_output().unwrap();
        assert_eq!((run.status.code(), run.stderr.as_slice()), (Some(0), b"".as_slice()), "{arguments:?}");
    }
}

#[test]
fn sessions_are_told_with_what_they_do_and_who_says_so() {
    let env = TestEnv::with_demo();
    let run = env.run(env.shop(), &["status", "--json"]);
    let report = run.json();
    let workspaces = report["workspaces"].as_array().unwrap();
    let of = |name: &str| workspaces.iter().find(|row| row["name"] == name).unwrap()["sessions"].clone();
    let asks = &of("asks")[0];
    assert_eq!((&asks["agent"], &asks["session_id"]), (&json!("claude"), &json!("demo-asks")));
    assert_eq!(
        (&asks["activity"]["state"], &asks["activity"]["source"]),
        (&json!("idle"), &json!("transcript"))
    );
    assert!(asks["activity"]["since"].is_i64() && asks["ended_at"].is_i64(), "{asks:#}");
    assert_eq!(asks["question"]["text"], "どちらにしますか。");
    assert_eq!(of("working")[0]["activity"]["state"], "working");
    assert_eq!(of("uncommitted"), json!([]));
    let text = env.run(env.shop(), &["status"]).out;
    let line = |name: &str| text.lines().find(|line| line.contains(&format!("({name})"))).unwrap();
    assert!(line("asks").ends_with("  [claude finished just now]"), "{text}");
    assert!(line("working").contains("  [claude working now"), "{text}");
    assert!(!line("uncommitted").contains('['), "{text}");
    let check = env.run(env.at("demo/working"), &["check"]).out;
    assert!(check.contains("  session  claude working now"), "{check}");
    assert!(check.contains("  [by transcript, demo-working]"), "{check}");
}
