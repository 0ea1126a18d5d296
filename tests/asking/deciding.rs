//! `decide`: the decision file is written whole, with the id of the check, and a check reads it back.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use crate::support::desk::Desk;
use crate::support::repo::Repo;

fn desk() -> (Repo, Desk) {
    let repo = Repo::new();
    let desk = Desk::beside(&repo);
    let _ = desk.run(repo.path(), &["check"]);
    (repo, desk)
}

#[test]
fn a_decision_is_read_back_with_the_id_of_its_check() {
    let (repo, desk) = desk();
    let desk = desk.with_variable("AGENTCORE_COMPLETION_CHECK_ID", "check-7");
    let run = desk.run(repo.path(), &["decide", "incomplete", "--reason", "no \"docs\"\n yet"]);
    assert_eq!(run.code, 0, "{run:?}");
    let path = repo.at(".closeout/decision.json");
    let content: serde_json::Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let expected = serde_json::json!({
        "decision": "incomplete", "check_id": "check-7", "reasons": ["no \"docs\"\n yet"],
    });
    assert_eq!(content, expected);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let check = desk.run(repo.path(), &["check", "--json"]);
    let workspace = check.workspace();
    let parts = workspace["evidence"].as_array().unwrap();
    let decision = parts.iter().find(|part| part["source"] == "decision_with_id").unwrap();
    assert_eq!((check.code, &decision["claim"], &decision["rank"]), (1, &"NO".into(), &4.into()));
    // Decided anew, in place of the one before.
    assert_eq!(desk.run(repo.path(), &["decide", "complete"]).code, 0);
    let check = desk.run(repo.path(), &["check", "--json"]);
    assert_eq!((check.code, check.workspace()["state"].as_str()), (0, Some("COMPLETE")), "{check:?}");
    // Another check does not take it for its own.
    let run = desk.run(repo.path(), &["check", "--check-id", "check-8"]);
    assert_eq!(run.code, 1, "{run:?}");
}

/// "The check's id and file path are given to the agent … in words."
#[test]
fn an_agent_can_be_told_in_words_where_its_decision_goes() {
    let (repo, desk) = desk();
    let run = desk.run(repo.path(), &["decide", "--show", "--check-id", "check-9"]);
    assert_eq!(run.code, 0, "{run:?}");
    let file = repo.at(".closeout/decision.json");
    assert!(!file.exists());
    assert!(run.out.contains(file.to_str().unwrap()), "{run:?}");
    // What it names is what a check takes: the agent writes exactly that.
    let told = run.out.split_once("like ").unwrap().1.split_once(" if everything").unwrap().0;
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, told).unwrap();
    assert_eq!(desk.run(repo.path(), &["check", "--check-id", "check-9"]).code, 0);
    assert_eq!(desk.run(repo.path(), &["check", "--check-id", "check-8"]).code, 1);
    assert_eq!(desk.run(repo.path(), &["decide"]).code, 2);
}

#[test]
fn deciding_leaves_the_work_tree_clean() {
    let (repo, desk) = desk();
    assert_eq!(desk.run(repo.path(), &["decide", "complete"]).code, 0);
    assert_eq!(repo.git(["status", "--porcelain"]), "");
    assert_eq!(fs::read_to_string(repo.at(".closeout/.gitignore")).unwrap(), "*\n");
    let entries = fs::read_dir(repo.at(".closeout")).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [".gitignore", "decision.json"]);
    // What a person wrote there stays.
    fs::write(repo.at(".closeout/.gitignore"), "own\n").unwrap();
    assert_eq!(desk.run(repo.path(), &["decide", "complete"]).code, 0);
    assert_eq!(fs::read_to_string(repo.at(".closeout/.gitignore")).unwrap(), "own\n");
}

#[test]
fn nothing_but_a_file_is_replaced_and_no_link_is_followed() {
    let (repo, desk) = desk();
    let outside = repo.root().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("decision.json"), "before").unwrap();
    let refused = |what: &str| {
        let run = desk.run(repo.path(), &["decide", "complete"]);
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
    let (repo, desk) = desk();
    let file = repo.root().join("verdict.json");
    let name = file.to_str().unwrap();
    let run = desk.run(repo.path(), &["decide", "complete", "--decision-file", name, "--check-id", "c 1"]);
    assert_eq!((run.code, run.out), (0, format!("complete for check c 1: {name}\n")));
    assert!(fs::read_to_string(&file).unwrap().contains("\"check_id\":\"c 1\""));
    assert!(!repo.at(".closeout").exists());
    assert_eq!(desk.run(repo.path(), &["decide", "maybe"]).code, 2);
    assert_eq!(desk.run(repo.root(), &["decide", "complete", "no-such-folder"]).code, 4);
}
