//! The log of commands that end: what a check decided by, and every failure, a line each.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};

use crate::support::repo::Repo;
use crate::support::test_env::TestEnv;

/// The lines of the log that hold all of `words`.
fn lines(env: &TestEnv, words: &[&str]) -> Vec<String> {
    let files = fs::read_dir(env.at("state/log")).into_iter().flatten();
    let text: String = files.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
    let is_meant = |line: &&str| words.iter().all(|word| line.contains(word));
    text.lines().filter(is_meant).map(str::to_owned).collect()
}

#[test]
fn a_check_writes_down_by_which_decision_its_verdict_became_another_one() {
    let repo = Repo::new();
    let env = TestEnv::beside(&repo);
    let check = || env.run(repo.path(), &["check", "--check-id", "c-1"]);
    let decide = |decision: &str, id: &str| {
        repo.write(".closeout/.gitignore", "*\n");
        let text = format!("{{\"decision\":\"{decision}\",\"check_id\":\"{id}\",\"reasons\":[\"x\"]}}");
        repo.write(".closeout/decision.json", &text);
    };
    decide("incomplete", "c-1");
    assert_eq!(check().code, 1);
    let first = lines(&env, &["verdict none -> INCOMPLETE"]);
    assert_eq!(first.len(), 1, "{first:?}");
    for word in [
        "INFO", "rule=says_no", "decision_source=file-json", "check=c-1", "check_found=c-1",
        "check_id_match=true",
    ] {
        assert!(first[0].contains(word), "{word}: {first:?}");
    }
    // The same again is no news; who wants the log in detail has it all the same.
    assert_eq!(check().code, 1);
    assert_eq!(lines(&env, &["verdict "]).len(), 1);
    let env = env.with_variable("CLOSEOUT_LOG", "debug");
    decide("complete", "c-9");
    assert_eq!(env.run(repo.path(), &["check", "--check-id", "c-1"]).code, 1);
    let foreign = lines(&env, &["check_id_match=false"]);
    assert!(foreign[0].contains("decision_source=none") && foreign[0].contains("check_found=c-9"));
    assert!(foreign[0].contains("decision_reason=check_id_mismatch"), "{foreign:?}");
}

#[test]
fn every_failure_is_in_the_log_and_a_command_that_says_nothing_makes_none() {
    let repo = Repo::new();
    let env = TestEnv::beside(&repo);
    let empty = env.run(repo.path(), &["log"]);
    assert_eq!((empty.code, empty.out.as_str()), (0, ""));
    assert!(empty.err.contains("--all"), "{}", empty.err);
    assert!(!env.at("state/log").exists());
    assert_eq!(env.run(repo.path(), &["undo", "--yes"]).code, 12);
    assert_eq!(env.run(repo.path(), &["check", "missing"]).code, 4);
    assert_eq!(lines(&env, &["ERROR", "code=4", "missing"]).len(), 1);
    let none = TestEnv::beside(&repo).with_variable("CLOSEOUT_LOG", "off");
    fs::remove_dir_all(env.at("state/log")).unwrap();
    assert_eq!(none.run(repo.path(), &["check", "missing"]).code, 4);
    assert!(!env.at("state/log").exists());
}

#[test]
fn the_newest_fifty_are_shown_or_all_since_a_moment() {
    let repo = Repo::new();
    let env = TestEnv::beside(&repo);
    repo.write("tasks.md", "- [ ] one\n");
    for _ in 0..30 {
        for word in ["open", "--clear"] {
            assert_eq!(env.run(repo.path(), &["mark", word]).code, 0);
        }
    }
    let n = |words: &[&str]| {
        let run = env.run(repo.path(), &[&["log", "--json"], words].concat());
        assert_eq!(run.code, 0, "{run:?}");
        run.out.lines().count()
    };
    assert_eq!((n(&[]), n(&["-n", "7"]), n(&["."])), (50, 7, 50));
    assert_eq!((n(&["--since", "1h"]), n(&["--since", "1h", "-n", "7"])), (60, 7));
}

/// Where others can write, a log would tell them what closeout sees, or be written where they like.
#[test]
fn no_log_is_written_into_a_folder_of_another_user_or_through_a_link() {
    let repo = Repo::new();
    let env = TestEnv::beside(&repo);
    let outside = env.at("outside");
    for folder in [&outside, &env.at("state")] {
        fs::create_dir(folder).unwrap();
    }
    symlink(&outside, env.at("state/log")).unwrap();
    assert_eq!(env.run(repo.path(), &["check", "missing"]).code, 4);
    assert_ne!(env.run(env.at("."), &["status", "missing"]).code, 0);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let theirs = env.at("theirs");
    fs::create_dir(&theirs).unwrap();
    fs::set_permissions(&theirs, fs::Permissions::from_mode(0o777)).unwrap();
    chown(&theirs, Some(12_345), None).unwrap();
    let env = env.with_variable("CLOSEOUT_STATE_DIR", &theirs);
    for arguments in [&["status"][..], &["check"], &["check", "missing"], &["log"]] {
        let run = env.run(repo.path(), arguments);
        assert_eq!(fs::read_dir(&theirs).unwrap().count(), 0, "{arguments:?}: {run:?}");
    }
}
