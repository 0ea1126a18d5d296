//! What is remembered from one run to the next: from where new work is counted.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::{check, schema};
use crate::support::repo::Repo;
use crate::support::test_env::TestEnv;

#[test]
fn on_the_default_branch_new_work_is_counted_from_when_it_was_first_seen() {
    let repo = Repo::new();
    let env = TestEnv::beside(&repo);
    let first = repo.head();
    let (run, workspace) = check(&env, repo.path(), &[]);
    assert_eq!(run.code, 1, "{workspace:#}");
    for n_new in 1..=3 {
        repo.commit_file(&format!("{n_new}.rs"));
        let (run, workspace) = check(&env, repo.path(), &[]);
        // Who works here was never asked by anybody: the commits are told and no more.
        assert_eq!((run.code, &workspace["state"]), (1, &"NO_TASK".into()), "{workspace:#}");
        assert_eq!(workspace["git"]["commits"]["n_new"], n_new, "{workspace:#}");
        let baseline = &workspace["git"]["baseline"];
        assert_eq!(
            (&baseline["commit"], &baseline["origin"]["kind"]),
            (&first.as_str().into(), &"first_seen".into())
        );
    }
    // Another state folder has never seen it.
    let elsewhere = TestEnv::beside(&repo).with_variable("CLOSEOUT_STATE_DIR", env.at("other-state"));
    assert_eq!(check(&elsewhere, repo.path(), &[]).0.code, 1);
}

#[test]
fn on_another_branch_new_work_is_counted_from_where_it_left_the_default_branch() {
    let repo = Repo::new();
    let first = repo.head();
    repo.switch("work").commit_file("parser.rs");
    let env = TestEnv::beside(&repo);
    let (run, workspace) = check(&env, repo.path(), &[]);
    assert_eq!((run.code, &workspace["git"]["commits"]["n_new"]), (1, &1.into()));
    let baseline = &workspace["git"]["baseline"];
    assert_eq!(baseline["commit"], first);
    assert_eq!(baseline["origin"], serde_json::json!({"kind": "branch_point", "of": "main"}));
    let text = env.run(repo.path(), &["check"]);
    assert!(text.out.contains(&format!("baseline {}, where this branch left main", &first[..7])), "{text:?}");
}

#[test]
fn an_unborn_branch_counts_from_the_empty_history() {
    let repo = Repo::unborn();
    let env = TestEnv::beside(&repo);
    assert_eq!(check(&env, repo.path(), &[]).0.code, 1);
    repo.commit_file("first.rs");
    let (run, workspace) = check(&env, repo.path(), &[]);
    assert_eq!((run.code, &workspace["git"]["commits"]["n_new"]), (1, &1.into()), "{workspace:#}");
}

#[test]
fn a_state_folder_that_cannot_be_used_is_said_and_the_verdict_stands() {
    let repo = Repo::new();
    repo.switch("work").commit_file("parser.rs");
    fs::write(repo.root().join("file"), "").unwrap();
    let mut folders = vec![repo.root().join("file/state")];
    if rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED one case: root may write into a read-only folder");
        fs::create_dir(repo.root().join("theirs")).unwrap();
        std::os::unix::fs::chown(repo.root().join("theirs"), Some(65_534), None).unwrap();
        folders.push(repo.root().join("theirs"));
    } else {
        let locked = repo.root().join("locked");
        fs::create_dir(&locked).unwrap();
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o500)).unwrap();
        folders.push(locked.join("state"));
    }
    for folder in folders {
        let env = TestEnv::beside(&repo).with_variable("CLOSEOUT_STATE_DIR", &folder);
        let text = env.run(repo.path(), &["check", "--baseline-commit", "main"]);
        assert_eq!(text.code, 0, "{text:?}");
        assert!(text.err.contains("nothing is remembered in this run: "), "{text:?}");
        let status = env.run(repo.path(), &["status"]);
        assert!(status.err.contains("nothing is remembered in this run: "), "{status:?}");
        let report = env.run(repo.path(), &["check", "--json"]).json();
        schema().assert_valid(&report);
        assert_eq!(report["notices"].as_array().unwrap().len(), 1, "{report:#}");
    }
}

#[test]
fn a_damaged_record_is_set_aside_and_said_once() {
    let repo = Repo::new();
    let env = TestEnv::beside(&repo);
    let _ = check(&env, repo.path(), &[]);
    let records: Vec<_> =
        fs::read_dir(env.at("state/baselines")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(records.len(), 1);
    fs::write(&records[0], "{\"version\":1,\u{1b}]0;PWNED\u{7}").unwrap();
    let run = env.run(repo.path(), &["check"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("is damaged") && !run.err.contains('\u{1b}'), "{run:?}");
    assert_eq!(env.run(repo.path(), &["check"]).err, "");
}

#[test]
fn broken_decisions_count_in_a_loop_that_checks_at_once() {
    let repo = Repo::new();
    repo.switch("work").commit_file("parser.rs");
    let env = TestEnv::beside(&repo);
    for state in ["INCOMPLETE", "INCOMPLETE", "ERROR"] {
        repo.write(".closeout/decision.json", "{\"decision\":");
        let (run, workspace) = check(&env, repo.path(), &["--baseline-commit", "main"]);
        assert_eq!(workspace["state"], state, "{workspace:#}");
        assert!(workspace["why"].as_str().unwrap().contains("found broken JSON"), "{run:?}");
    }
}

#[test]
fn thanks_and_side_questions_are_no_rounds() {
    let env = TestEnv::with_demo();
    let working = env.demo("finished");
    working.write("tasks.md", "- [ ] one\n- [ ] two\n");
    working.commit("plan");
    for prompt in ["thanks", "What does the parser do?", "thank you", "Thanks!"] {
        let (_, workspace) = check(&env, working.path(), &[]);
        assert_eq!(workspace["state"], "INCOMPLETE", "before {prompt}: {workspace:#}");
        env.person_says("finished", prompt);
        env.agent_says("finished", "You are welcome. It reads text.");
    }
    for state in ["INCOMPLETE", "STALLED"] {
        env.person_says("finished", "Go on with the plan.");
        env.agent_says("finished", "I looked at it.");
        assert_eq!(check(&env, working.path(), &[]).1["state"], state);
    }
}
