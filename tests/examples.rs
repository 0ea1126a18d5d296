//! The examples in `config/examples`, each run as its README says.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::pty::Terminal;
use crate::support::repo::Repo;
use crate::support::test_env::{TestEnv, finish, spawn};

fn example(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("config/examples")
}

/// A workspace below `~/work`, and the person's configuration.
fn workspace(config: &str) -> (Repo, TestEnv) {
    let repo = Repo::new();
    let env = TestEnv::beside(&repo);
    // The scratch folder stands for the home of the examples.
    let home = repo.path().parent().unwrap().canonicalize().unwrap();
    env.configure(&config.replace("~/work/**", &format!("{}/**", home.display())));
    (repo, env)
}

#[test]
fn the_readme_names_every_example() {
    let readme = example("README.md");
    for entry in fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name == "README.md" || readme.contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn a_stop_gate_holds_claude_code_and_codex() {
    let (repo, env) = workspace(&example("gate.toml"));
    repo.write("tasks.md", "- [ ] write the parser\n");
    for agent in ["claude", "codex"] {
        let settings: Value = serde_json::from_str(&example(&format!("stop-gate-{agent}.json"))).unwrap();
        let command = settings["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().unwrap();
        let words: Vec<&str> = command.split(' ').collect();
        assert_eq!(words[0], "closeout");
        let payload = json!({"session_id": agent, "cwd": repo.path(), "hook_event_name": "Stop",
            "stop_hook_active": false, "last_assistant_message": "I wrote a part of it."});
        let held = env.run_with_input(&words[1..], payload.to_string().as_bytes());
        assert_eq!(held.json()["decision"], "block", "{held:?}");
    }
}

#[test]
fn checks_are_composed() {
    let (repo, env) = workspace(&example("checks.toml"));
    let own = repo.home().join(".config/closeout");
    fs::create_dir_all(&own).unwrap();
    for name in ["review.py", "review.sh"] {
        fs::write(own.join(name), example(name)).unwrap();
    }
    repo.switch("work").write("src/parser.rs", "fn parse() {}\n").commit("Write the parser");
    repo.write(".closeout/decision.json", r#"{"decision":"complete"}"#);
    let check = || {
        let run = finish(spawn(
            env.command(repo.path(), &["check", "--run-checks", "--json"]).stdin(Stdio::null()),
        ));
        run.workspace()
    };
    let held = check();
    assert_eq!(held["state"], "INCOMPLETE", "{held:#}");
    let left = held["left_to_do"].to_string();
    assert!(left.contains("no test for: parser.rs") && left.contains("CHANGELOG.md"), "{left}");
    repo.write("tests/parser.rs", "#[test] fn parses() {}\n").commit("Test the parser");
    let done = check();
    assert_eq!((&done["state"], &done["proof"]), (&json!("COMPLETE"), &json!("checked")), "{done:#}");
}

/// The blocks of shell in a page.
fn blocks(page: &str) -> Vec<String> {
    page.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn the_blocks_of_the_migration_page_end_complete() {
    let blocks = blocks(&example("migration.md"));
    assert_eq!(blocks.len(), 3);
    for block in blocks {
        let repo = Repo::new();
        for (key, value) in [("user.name", "a"), ("user.email", "a@b")] {
            repo.git(["config", key, value]);
        }
        let program = Path::new(env!("CARGO_BIN_EXE_closeout")).parent().unwrap().to_owned();
        let path = std::env::var_os("PATH").unwrap();
        let folders = std::iter::once(program).chain(std::env::split_paths(&path));
        let env = TestEnv::beside(&repo).with_variable("PATH", std::env::join_paths(folders).unwrap());
        let terminal = Terminal::start_program("sh", &env, repo.path(), &["-euc", &block], (160, 50));
        let code = terminal.wait_for_end();
        assert_eq!(code, 0, "{block}\n{}", terminal.shown().rows.join("\n"));
    }
}
