//! `decide`: the decision file is written whole, with the id of the check, and a check reads it back.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use closeout::agent::processes::is_agent_above;

use crate::support::pty::Terminal;
use crate::support::repo::Repo;
use crate::support::test_env::TestEnv;

fn env() -> (Repo, TestEnv) {
    let repo = Repo::new();
    let env = TestEnv::beside(&repo);
    let _ = env.run(repo.path(), &["check"]);
    (repo, env)
}

#[test]
fn a_decision_is_read_back_with_the_id_of_its_check() {
    let (repo, env) = env();
    let env = env.with_variable("AGENTCORE_COMPLETION_CHECK_ID", "check-7");
    let run = env.run(repo.path(), &["decide", "incomplete", "--reason", "no \"docs\"\n yet"]);
    assert_eq!(run.code, 0, "{run:?}");
    let path = repo.at(".closeout/decision.json");
    let content: serde_json::Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let expected = serde_json::json!({
        "decision": "incomplete", "check_id": "check-7", "reasons": ["no \"docs\"\n yet"],
    });
    assert_eq!(content, expected);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let check = env.run(repo.path(), &["check", "--json"]);
    let workspace = check.workspace();
    let parts = workspace["evidence"].as_array().unwrap();
    let decision = parts.iter().find(|part| part["source"] == "decision_with_id").unwrap();
    assert_eq!((check.code, &decision["claim"], &decision["rank"]), (1, &"NO".into(), &4.into()));
    // Decided anew, in place of the one before.
    assert_eq!(env.run(repo.path(), &["decide", "complete"]).code, 0);
    let check = env.run(repo.path(), &["check", "--json"]);
    assert_eq!((check.code, check.workspace()["state"].as_str()), (0, Some("COMPLETE")), "{check:?}");
    // Another check does not take it for its own.
    let run = env.run(repo.path(), &["check", "--check-id", "check-8"]);
    assert_eq!(run.code, 1, "{run:?}");
}

/// "The check's id and file path are given to the agent … in words."
#[test]
fn an_agent_can_be_told_in_words_where_its_decision_goes() {
    let (repo, env) = env();
    let run = env.run(repo.path(), &["decide", "--show", "--check-id", "check-9"]);
    assert_eq!(run.code, 0, "{run:?}");
    let file = repo.at(".closeout/decision.json");
    assert!(!file.exists());
    assert!(run.out.contains(file.to_str().unwrap()), "{run:?}");
    // What it names is what a check takes: the agent writes exactly that.
    let told = run.out.split_once("like ").unwrap().1.split_once(" if everything").unwrap().0;
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, told).unwrap();
    assert_eq!(env.run(repo.path(), &["check", "--check-id", "check-9"]).code, 0);
    assert_eq!(env.run(repo.path(), &["check", "--check-id", "check-8"]).code, 1);
    assert_eq!(env.run(repo.path(), &["decide"]).code, 2);
}

#[test]
fn deciding_leaves_the_work_tree_clean() {
    let (repo, env) = env();
    assert_eq!(env.run(repo.path(), &["decide", "complete"]).code, 0);
    assert_eq!(repo.git(["status", "--porcelain"]), "");
    assert_eq!(fs::read_to_string(repo.at(".closeout/.gitignore")).unwrap(), "*\n");
    let entries = fs::read_dir(repo.at(".closeout")).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [".gitignore", "decision.json"]);
    // What a person wrote there stays.
    fs::write(repo.at(".closeout/.gitignore"), "own\n").unwrap();
    assert_eq!(env.run(repo.path(), &["decide", "complete"]).code, 0);
    assert_eq!(fs::read_to_string(repo.at(".closeout/.gitignore")).unwrap(), "own\n");
}

#[test]
fn nothing_but_a_file_is_replaced_and_no_link_is_followed() {
    let (repo, env) = env();
    let outside = repo.root().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("decision.json"), "before").unwrap();
    let refused = |what: &str| {
        let run = env.run(repo.path(), &["decide", "complete"]);
        assert_eq!(run.code, 20, "{what}: {run:?}");
        assert_eq!(fs::read_to_string(outside.join("decision.json")).unwrap(), "before", "{what}");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1, "{what}");
    };
    symlink(&outside, repo.at(".closeout")).unwrap();
    refused("a folder that is a link");
    fs::remove_file(repo.at(".closeout")).unwrap();
    fs::create_dir(repo.at(".closeout")).unwrap();
    symlink(outside.join("decision.json"), repo.at(".closeout/decision.json")).unwrap();
    refused("a file that is a link");
    repo.fifo(&repo.at(".closeout/decision.json"));
    refused("a FIFO");
    fs::remove_file(repo.at(".closeout/decision.json")).unwrap();
    fs::create_dir(repo.at(".closeout/decision.json")).unwrap();
    refused("a folder");
}

#[test]
fn a_decision_file_can_be_named() {
    let (repo, env) = env();
    let file = repo.root().join("verdict.json");
    let name = file.to_str().unwrap();
    let run = env.run(repo.path(), &["decide", "complete", "--decision-file", name, "--check-id", "c 1"]);
    assert_eq!((run.code, run.out), (0, format!("complete for check c 1: {name}\n")));
    assert!(fs::read_to_string(&file).unwrap().contains("\"check_id\":\"c 1\""));
    assert!(!repo.at(".closeout").exists());
    assert_eq!(env.run(repo.path(), &["decide", "maybe"]).code, 2);
    assert_eq!(env.run(repo.root(), &["decide", "complete", "no-such-folder"]).code, 4);
}

/// How the decision of a workspace is marked.
fn strength(env: &TestEnv, repo: &Repo) -> serde_json::Value {
    let check = env.run(repo.path(), &["check", "--json"]).workspace();
    let parts = check["evidence"].as_array().unwrap();
    let decision = parts.iter().find(|part| part["source"] == "decision").unwrap();
    decision["strength"].clone()
}

#[test]
fn a_decision_without_a_terminal_is_nobody_s_own_word() {
    let (repo, env) = env();
    assert_eq!(env.run(repo.path(), &["decide", "complete"]).code, 0);
    assert_eq!(strength(&env, &repo), "self_reported");
}

#[test]
fn what_runs_below_an_agent_is_done_by_the_agent() {
    let (repo, env) = env();
    let closeout = env!("CARGO_BIN_EXE_closeout");
    // A process is known by its name, which is that of the script; the shell stays above closeout.
    let agent = repo.script("claude", &format!("{closeout} decide complete\nexit $?\n"));
    let terminal = Terminal::start_program(agent.to_str().unwrap(), &env, repo.path(), &[], (80, 24));
    assert_eq!(terminal.wait_for_end(), 0);
    let log = env.run(repo.path(), &["log", "--json"]);
    let last: serde_json::Value = serde_json::from_str(log.out.lines().last().unwrap()).unwrap();
    assert_eq!((last["kind"].as_str(), last["by"].as_str()), (Some("decide"), Some("agent")));
    assert_eq!(strength(&env, &repo), "self_reported");
}

#[test]
fn a_person_s_decision_is_theirs_until_somebody_writes_the_file_again() {
    let (repo, env) = env();
    let terminal =
        Terminal::start(&env, repo.path(), &["decide", "complete", "--reason", "I read it"], (80, 24));
    assert_eq!(terminal.wait_for_end(), 0);
    // Who runs the tests may be an agent, too.
    let by = if is_agent_above() == Some(false) { "person" } else { "self_reported" };
    assert_eq!(strength(&env, &repo), by);
    let file = repo.at(".closeout/decision.json");
    let content = fs::read(&file).unwrap();
    let written = fs::metadata(&file).unwrap().modified().unwrap();
    // The same words at another moment are not the person's.
    fs::write(&file, &content).unwrap();
    let later = written + std::time::Duration::from_secs(5);
    fs::File::options().write(true).open(&file).unwrap().set_modified(later).unwrap();
    assert_eq!(strength(&env, &repo), "self_reported");
    // Neither are others at the same.
    fs::write(&file, r#"{"decision":"complete"}"#).unwrap();
    fs::File::options().write(true).open(&file).unwrap().set_modified(written).unwrap();
    assert_eq!(strength(&env, &repo), "self_reported");
    fs::write(&file, &content).unwrap();
    fs::File::options().write(true).open(&file).unwrap().set_modified(written).unwrap();
    assert_eq!(strength(&env, &repo), by);
}
