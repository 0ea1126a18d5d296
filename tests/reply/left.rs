//! Which session `closeout reply` and `i` choose: none that the person left, and none whose question a mark saw.

use std::fs;
use std::sync::Arc;

use closeout::agent::claude_folder_name;
use closeout::engine::clock;
use closeout::model::{SessionName, SetAside};
use serde_json::{Value, json};

use crate::support::repo::Repo;
use crate::support::screen::{frame, press, seen_screen_of, text_of};
use crate::support::session_samples::codex_asks_beside_claude;
use crate::support::test_env::{Run, TestEnv};

const ASKS: &str = "Which database should I use, Postgres or SQLite? Please tell me before I go on.";
const OLD: &str = "01dd01dd-aaaa-4aaa-8aaa-aaaaaaaaaaaa";
const NEW: &str = "0e110e11-bbbb-4bbb-8bbb-bbbbbbbbbbbb";

struct Fixture {
    repo: Repo,
    env: TestEnv,
}

impl Fixture {
    fn new() -> Fixture {
        let repo = Repo::new();
        fs::create_dir(repo.root().join("bin-own")).unwrap();
        repo.script("bin-own/claude", "exit 1");
        let path = std::env::var_os("PATH").unwrap();
        let folders = [repo.root().join("bin-own")].into_iter().chain(std::env::split_paths(&path));
        let path = std::env::join_paths(folders).unwrap();
        let env = TestEnv::beside(&repo).with_variable("PATH", path);
        fs::create_dir_all(env.at("demo/claude/sessions")).unwrap();
        Fixture { repo, env }
    }

    /// Writes a record of lines of so many seconds ago.
    fn record(&self, session: &str, lines: &[(i64, Value)]) {
        let folder = self.env.at("demo/claude/projects").join(claude_folder_name(self.repo.path()));
        fs::create_dir_all(&folder).unwrap();
        let mut text = String::new();
        for (at, (ago, line)) in lines.iter().enumerate() {
            let at_time = jiff::Timestamp::from_millisecond(clock::now().0 - ago * 1000).unwrap().to_string();
            let mut line = line.clone();
            line["timestamp"] = json!(at_time);
            line["sessionId"] = json!(session);
            line["cwd"] = json!(self.repo.path());
            line["uuid"] = json!(format!("{session}-{at}"));
            line["parentUuid"] = if at == 0 { Value::Null } else { json!(format!("{session}-{}", at - 1)) };
            line["isSidechain"] = json!(false);
            line["version"] = json!("2.1.330");
            text.extend([line.to_string(), "\n".to_owned()]);
        }
        fs::write(folder.join(format!("{session}.jsonl")), text).unwrap();
    }

    /// A session that asks, and another one that began later by clearing it away.
    fn cleared() -> Fixture {
        let fixture = Fixture::new();
        fixture.record(OLD, &[(5000, prompt("Add a login page.")), (4900, says("m1", ASKS))]);
        fixture.record(NEW, &[(4000, typed("<command-name>/clear</command-name>"))]);
        fixture
    }

    fn run(&self, arguments: &[&str]) -> Run {
        self.env.run(self.repo.path(), arguments)
    }
}

fn typed(text: &str) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": text}})
}

fn prompt(text: &str) -> Value {
    let mut line = typed(text);
    line["promptSource"] = json!("typed");
    line["origin"] = json!({"kind": "human"});
    line
}

fn says(id: &str, text: &str) -> Value {
    let content = json!([{"type": "text", "text": text}]);
    let message =
        json!({"id": id, "role": "assistant", "model": "m", "stop_reason": "end_turn", "content": content});
    json!({"type": "assistant", "message": message})
}

/// The session that a plan is for.
fn planned(run: &Run) -> String {
    let printed = run.json();
    printed["plan"]["session"]["session_id"].as_str().unwrap_or_else(|| panic!("{run:?}")).to_owned()
}

#[test]
fn a_session_that_was_cleared_is_answered_only_by_its_name() {
    let fixture = Fixture::cleared();
    let run = fixture.run(&["reply"]);
    // Nothing was asked of the new one, and no process has it open.
    assert!(run.err.contains("its current state is unknown"), "{run:?}");
    assert!(!run.out.contains("Postgres"), "{run:?}");
    assert_eq!(planned(&fixture.run(&["reply", "--json", "--session", OLD])), OLD);
    let check = fixture.run(&["check"]);
    assert!(check.out.contains("\n  session  1 left over\n"), "{check:?}");
    assert!(check.out.contains("\n    1 left over\n") && !check.out.contains("Postgres"), "{check:?}");
}

#[test]
fn a_session_that_was_left_for_another_is_not_meant() {
    let fixture = Fixture::new();
    fixture.record(OLD, &[(300_000, prompt("Draw a map.")), (299_000, says("m1", ASKS))]);
    fixture.record(NEW, &[(5000, prompt("What is in the README?")), (4900, says("m2", "One line of text."))]);
    assert_eq!(planned(&fixture.run(&["reply", "--json"])), NEW);
    assert_eq!(planned(&fixture.run(&["reply", "--json", "--session", OLD])), OLD);
}

#[test]
fn a_question_that_a_mark_saw_chooses_no_session() {
    let fixture = Fixture::new();
    fixture.record(OLD, &[(5000, prompt("Add a login page.")), (4900, says("m1", ASKS))]);
    fixture.record(NEW, &[(4000, prompt("What is in the README?")), (3900, says("m2", "One line of text."))]);
    assert_eq!(planned(&fixture.run(&["reply", "--json"])), OLD);
    assert_eq!(fixture.run(&["mark", "quiet"]).code, 0);
    let run = fixture.run(&["reply"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.err.contains("several sessions match"), "{run:?}");
}

#[test]
fn where_every_session_was_left_none_is_meant() {
    let mut view = codex_asks_beside_claude();
    for session in &mut view.sessions {
        Arc::make_mut(session).set_aside = Some(SetAside::LeftOver);
    }
    let views = [view];
    let mut state = seen_screen_of(80, 24, &views);
    assert!(press(&mut state, &views, "i").intents.is_empty());
    let shown = text_of(&frame(&state, &views)).join("\n");
    assert!(shown.contains("you left the session here"), "{shown}");
}

#[test]
fn on_the_screen_i_chooses_among_those_that_count() {
    for (set_aside, chosen) in
        [(None, "codex"), (Some(SetAside::LeftOver), "claude"), (Some(SetAside::Seen), "claude")]
    {
        let mut view = codex_asks_beside_claude();
        Arc::make_mut(&mut view.sessions[1]).set_aside = set_aside;
        let views = [view];
        let mut state = seen_screen_of(80, 24, &views);
        let planned = format!("{:?}", press(&mut state, &views, "i").intents);
        let session = SessionName::new(chosen, format!("{chosen}-0b1c2d3e"));
        assert!(planned.contains(&format!("{session:?}")), "{set_aside:?}: {planned}");
    }
}
