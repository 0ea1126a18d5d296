//! An action that cannot be entered in the record of what was done is not carried out, and none without its lock.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::Path;

use super::rescue::{dirty, run};
use crate::support::pty::Terminal;
use crate::support::repo::Repo;
use crate::support::test_env::{TestEnv, traces};

/// Every command that changes something in a workspace or writes work into a folder.
const COMMANDS: [&[&str]; 10] = [
    &["rescue", "--record-only"],
    &["rescue", "--record-only", "--vault"],
    &["rescue", "--dry-run"],
    &["rescue", "--yes"],
    &["undo", "--yes"],
    &["restore", "RECORD", "INTO"],
    &["forget", "RECORD", "--yes"],
    &["trust", "--yes"],
    &["mark", "done"],
    &["decide", "complete"],
];

/// Work with a commit of closeout's before it, a hook to trust, and the reference of its record.
fn repo(env: &TestEnv) -> (Repo, String) {
    let repo = dirty();
    fs::create_dir_all(repo.at(".git/hooks")).unwrap();
    repo.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n");
    fs::set_permissions(repo.at(".git/hooks/pre-commit"), Permissions::from_mode(0o755)).unwrap();
    let made = run(env, &repo, &["rescue", "--yes"]);
    assert_eq!(made.code, 0, "{made:?}");
    repo.write("more.rs", "more\n");
    let listed = run(env, &repo, &["rescues", "--json"]).json();
    let reference = listed["records"][0]["reference"].as_str().unwrap().to_owned();
    (repo, reference)
}

/// The kept files of rescues. A lock comes and goes in their folders, which moves only a folder's time.
fn kept(env: &TestEnv) -> Vec<String> {
    let state = env.at("state").join("rescue");
    let is_file = |line: &String| !line.split(' ').nth(1).is_some_and(|mode| mode.starts_with("40"));
    traces(&state).into_iter().filter(is_file).collect()
}

/// What can stand in the place of a file of closeout's own, as it is said.
const OBSTACLES: [&str; 4] = ["a directory", "a symbolic link", "a FIFO", "a file of another user"];

/// Puts it there; false if only root can.
fn put(obstacle: &str, at: &Path, (env, repo): (&TestEnv, &Repo)) -> bool {
    fs::write(env.at("elsewhere"), "").unwrap();
    match obstacle {
        "a directory" => fs::create_dir(at).unwrap(),
        "a symbolic link" => symlink(env.at("elsewhere"), at).unwrap(),
        "a FIFO" => drop(repo.fifo(at)),
        _ => {
            fs::write(at, "theirs").unwrap();
            fs::set_permissions(at, Permissions::from_mode(0o666)).unwrap();
            return chown(at, Some(12_345), None).is_ok();
        }
    }
    true
}

/// Nothing was written through it.
fn assert_untouched(obstacle: &str, at: &Path, env: &TestEnv) {
    assert_eq!(fs::read(env.at("elsewhere")).unwrap(), b"", "{obstacle}");
    if obstacle == "a file of another user" {
        assert_eq!(fs::read(at).unwrap(), b"theirs");
    }
}

/// The look at the workspace, which needs none of the files.
fn assert_is_judged(env: &TestEnv, repo: &Repo, told: &Path, obstacle: &str) {
    for front in ["check", "status"] {
        let judged = env.run(repo.path(), &[front]);
        assert!(judged.code <= 1 && judged.out.contains("NO_TASK"), "{obstacle}: {front}: {judged:?}");
        // A log is read whoever owns it; a lock is taken only to remember something.
        if told.ends_with("audit.jsonl") && obstacle != "a file of another user" {
            assert!(judged.err.contains(&told.display().to_string()), "{obstacle}: {front}: {judged:?}");
        }
    }
}

#[test]
fn nothing_is_done_that_cannot_be_recorded() {
    for obstacle in OBSTACLES {
        let env = TestEnv::new();
        let (repo, reference) = repo(&env);
        let log = env.at("state").join("audit.jsonl");
        fs::rename(&log, env.at("audit-before")).unwrap();
        if !put(obstacle, &log, (&env, &repo)) {
            continue;
        }
        let into = env.at("into");
        let (before, rescues) = (traces(repo.path()), kept(&env));
        for command in COMMANDS {
            let words: Vec<String> = command
                .iter()
                .map(|word| word.replace("RECORD", &reference).replace("INTO", &into.display().to_string()))
                .collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let refused = env.run(repo.path(), &words);
            let told = [
                "the audit log cannot be written", "audit.jsonl", obstacle, "move away", "CLOSEOUT_STATE_DIR",
            ];
            assert!(
                refused.code != 0 && told.iter().all(|words| refused.err.contains(words)),
                "{obstacle}: {words:?}: {refused:?}"
            );
            assert_eq!(traces(repo.path()), before, "{obstacle}: {words:?}");
            assert_eq!(kept(&env), rescues, "{obstacle}: {words:?}");
            assert!(!into.exists(), "{obstacle}: {words:?}");
        }
        assert_is_judged(&env, &repo, &log, obstacle);
        assert_untouched(obstacle, &log, &env);
    }
}

/// A file of closeout's own that only one may hold, and what needs it.
#[test]
fn what_needs_a_lock_that_is_none_is_refused_and_records_are_read_without() {
    for obstacle in OBSTACLES {
        let env = TestEnv::new();
        let (repo, reference) = repo(&env);
        let folders = fs::read_dir(env.at("state/rescue")).unwrap().map(|entry| entry.unwrap().path());
        let of_worktree = folders.map(|folder| folder.join("lock")).find(|lock| lock.exists()).unwrap();
        let cases: [(_, &[&[&str]]); 2] = [
            (env.at("state/lock"), &[&["mark", "done"], &["trust", "--yes"]]),
            (of_worktree, &[&["rescue", "--record-only"], &["rescue", "--yes"], &["undo", "--yes"]]),
        ];
        for (lock, commands) in cases {
            fs::remove_file(&lock).unwrap();
            if !put(obstacle, &lock, (&env, &repo)) {
                continue;
            }
            let (before, shown) = (traces(repo.path()), lock.display().to_string());
            for command in commands {
                let refused = env.run(repo.path(), command);
                let is_told = [&*shown, obstacle].iter().all(|words| refused.err.contains(words));
                let ways = ["move it away", "CLOSEOUT_STATE_DIR"];
                assert!(
                    refused.code != 0 && is_told && ways.iter().any(|words| refused.err.contains(words)),
                    "{obstacle}: {command:?}: {refused:?}"
                );
                assert_eq!(traces(repo.path()), before, "{obstacle}: {command:?}");
            }
            let listed = env.run(repo.path(), &["rescues"]);
            assert!(listed.code == 0 && listed.out.contains("1 record,"), "{obstacle}: {listed:?}");
            let into = env.at(format!("into-{}", shown.len()));
            let restored = env.run(repo.path(), &["restore", &reference, into.to_str().unwrap()]);
            assert_eq!(restored.code, 0, "{obstacle}: {restored:?}");
            assert_is_judged(&env, &repo, &lock, obstacle);
            assert_untouched(obstacle, &lock, &env);
            let _ = fs::remove_file(&lock).or_else(|_| fs::remove_dir(&lock));
        }
    }
}

#[test]
fn the_screen_shows_the_workspace_and_says_what_stands_in_the_place_of_the_log() {
    let env = TestEnv::new();
    let (repo, _) = repo(&env);
    let log = env.at("state").join("audit.jsonl");
    fs::remove_file(&log).unwrap();
    repo.fifo(&log);
    let mut terminal = Terminal::start(&env, repo.path(), &[], (120, 30));
    terminal.wait_for("the state and the notice", |shown| shown.has("NO_TASK") && shown.has("audit.jsonl"));
    terminal.press("q");
    assert_eq!(terminal.wait_for_end(), 0);
}
