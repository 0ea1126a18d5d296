//! A rescue, its undo and its redo by keys, on a real repository with real git.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use closeout::engine::clock;

use super::{LARGE, SMALL, on_demo, wait_for_state};
use crate::support::pty::{Shown, Terminal};
use crate::support::repo::Repo;
use crate::support::test_env::TestEnv;

/// What git says of the tree, the branch and the index.
pub(super) fn state_of(repo: &Repo) -> (String, String, String) {
    let git = |arguments: &[&str]| repo.git(arguments);
    (
        git(&["status", "--porcelain=v2", "--branch", "--untracked-files=all"]),
        git(&["rev-parse", "HEAD"]),
        git(&["ls-files", "-s", "-v"]),
    )
}

/// The demonstration, in which git knows whose name a commit bears.
pub(super) fn demo() -> (TestEnv, Repo) {
    let env = TestEnv::with_demo();
    let repo = env.demo("uncommitted");
    repo.git(["config", "user.name", "Ada"]);
    repo.git(["config", "user.email", "ada@example.org"]);
    (env, repo)
}

/// Selects the worktree with work that is not committed.
pub(super) fn on_uncommitted(env: &TestEnv, size: (u16, u16)) -> Terminal {
    let mut terminal = on_demo(env, size);
    wait_for_state(&terminal, "uncommitted", "RESCUE");
    terminal.press("/uncommitted\r");
    terminal.wait_for("uncommitted selected", |shown| shown.selected() == Some("uncommitted"));
    terminal
}

/// The last line says that `y` counts.
pub(super) fn is_asked(shown: &Shown, word: &str) -> bool {
    shown.rows.last().is_some_and(|row| row.contains(&format!("y {word}")))
}

#[test]
fn c_previews_y_commits_z_undoes_exactly_and_redoes() {
    let env = TestEnv::with_demo();
    let repo = env.demo("uncommitted");
    let before = state_of(&repo);
    let mut terminal = on_uncommitted(&env, SMALL);
    terminal.press("c");
    // Here git knows no name: nothing is committed under a name that nobody gave.
    terminal.wait_for("the preview", |shown| {
        shown.has("git knows no author for the commit: press a to name one.")
    });
    terminal.press("ya");
    terminal.wait_for("the field", |shown| shown.has("author  "));
    terminal.press("Ada <ada@example.org>\r");
    let shown = terminal.wait_for("the question", |shown| is_asked(shown, "commit"));
    assert!(shown.has("Rescue  uncommitted") && shown.has("Commit "), "{}", shown.rows.join("\n"));
    assert_eq!(state_of(&repo), before, "a look changes nothing that a person sees");

    terminal.press("y");
    terminal.wait_for("the commit", |shown| shown.has("committed ") && shown.has("z undoes it"));
    let after = state_of(&repo);
    assert_ne!(after.1, before.1);
    terminal.wait_for("no rescue is needed", |shown| shown.state_of("uncommitted") != Some("RESCUE"));

    terminal.press("z");
    let shown = terminal.wait_for("the undo", |shown| is_asked(shown, "do it"));
    assert!(shown.has("Undo a rescue  uncommitted"), "{}", shown.rows.join("\n"));
    terminal.press("y");
    terminal.wait_for("taken back", |shown| shown.has("undid 1 commit"));
    assert_eq!(state_of(&repo), before);
    wait_for_state(&terminal, "uncommitted", "RESCUE");

    terminal.press("Z");
    terminal.wait_for("the redo", |shown| is_asked(shown, "do it"));
    terminal.press("y");
    terminal.wait_for("made again", |shown| shown.has("redid 1 commit on"));
    assert_eq!(state_of(&repo), after);
    terminal.press("6");
    terminal.wait_for("the history", |shown| shown.has("redo") && shown.has("undo") && shown.has("rescue"));
}

#[test]
fn what_is_left_commits_nothing_and_the_record_stays() {
    let (env, repo) = demo();
    let before = state_of(&repo);
    let mut terminal = on_uncommitted(&env, LARGE);
    terminal.press("c");
    terminal.wait_for("the preview", |shown| is_asked(shown, "commit"));
    terminal.press("\r");
    terminal.wait_for("what is kept", |shown| {
        shown.has("Nothing was committed. The record of the work is kept: refs/closeout/rescue/")
    });
    assert_eq!(state_of(&repo), before);
    let records = repo.git(["for-each-ref", "--format=%(refname)", "refs/closeout/rescue/"]);
    assert_eq!(records.lines().count(), 1, "{records}");
}

/// RESCUE.md 2: "changed since the snapshot". What was shown is done, or nothing.
#[test]
fn work_that_changed_since_it_was_shown_is_not_committed() {
    let (env, repo) = demo();
    let head = repo.git(["rev-parse", "HEAD"]);
    let mut terminal = on_uncommitted(&env, SMALL);
    terminal.press("c");
    terminal.wait_for("the preview", |shown| is_asked(shown, "commit"));
    repo.write("src/late.rs", "fn late() {}\n");
    terminal.press("y");
    let shown = terminal.wait_for("the refusal", |shown| {
        shown.rows.last().is_some_and(|row| row.contains("Enter Esc close"))
    });
    assert!(shown.has("changed since"), "{}", shown.rows.join("\n"));
    assert_eq!(repo.git(["rev-parse", "HEAD"]), head);
    terminal.press("\x1b");
    terminal.wait_for("the list", |shown| shown.selected() == Some("uncommitted"));
}

/// SECURITY.md 1.1: the plan opens under the fingers of somebody who types on.
#[test]
fn a_y_that_was_typed_ahead_commits_nothing() {
    let (env, repo) = demo();
    let before = state_of(&repo);
    // Where this test itself was held up, the box stood still for long enough to be read.
    for _ in 0..5 {
        let mut terminal = on_uncommitted(&env, SMALL);
        terminal.press("c");
        let (mut longest, mut last) = (0, clock::now());
        let said = loop {
            terminal.press("y");
            let now = clock::now();
            longest = longest.max(now.millis_since(last));
            last = now;
            let said = terminal.wait_for("a frame", |_| true);
            if said.has("Not yet") || said.has("z undoes it") {
                break said;
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        if said.has("Not yet") {
            assert_eq!(state_of(&repo), before);
            return;
        }
        assert!(longest > 200, "a y that was typed {longest} ms after the one before has committed");
        terminal.press("z");
        terminal.wait_for("the undo", |shown| is_asked(shown, "do it"));
        terminal.press("y");
        terminal.wait_for("taken back", |shown| shown.has("undid 1 commit"));
    }
    panic!("this machine is too slow for this test");
}

/// An agent can write the script that a check runs: it runs once it was shown and trusted, and only as it was shown.
#[test]
fn a_script_of_the_workspace_is_shown_and_trusted_before_a_check_runs_it() {
    let (env, repo) = demo();
    env.configure("[[check]]\nname = \"ci\"\nkind = \"command\"\ncommand = [\"./ci.sh\"]\n");
    let mark = env.at("it-ran");
    let script = |more: &str| {
        repo.write("ci.sh", format!("#!/bin/sh\n{more}\ntouch '{}'\n", mark.display()));
        std::fs::set_permissions(repo.at("ci.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    script("# one");
    let mut terminal = on_demo(&env, SMALL);
    terminal.press("/uncommitted\r");
    terminal.wait_for("uncommitted selected", |shown| shown.selected() == Some("uncommitted"));
    terminal.press("C");
    let shown = terminal.wait_for("the question", |shown| is_asked(shown, "do it"));
    assert!(shown.has("you do not trust yet") && shown.has("file  ci.sh"), "{}", shown.rows.join("\n"));
    script("# two");
    terminal.press("y");
    terminal.wait_for("the refusal", |shown| shown.has("changed since you looked"));
    terminal.press("\r");
    terminal.wait_for("the list again", |shown| !shown.has("changed since you looked"));
    terminal.press("C");
    terminal.wait_for("the question", |shown| is_asked(shown, "do it"));
    assert!(!mark.exists());
    terminal.press("y");
    terminal.wait_for("the result", |shown| shown.has("1 of 1 checks"));
    assert!(mark.exists());
    // From now on there is nothing to trust.
    terminal.press("C");
    let shown = terminal.wait_for("the question", |shown| is_asked(shown, "do it"));
    assert!(!shown.has("you do not trust yet"), "{}", shown.rows.join("\n"));
}

#[test]
fn x_ends_a_check_that_runs_and_all_that_it_started() {
    let (env, repo) = demo();
    let pid = env.at("pid");
    let script = format!("sleep 600 & echo $! > '{}'; wait", pid.display());
    env.configure(&format!(
        "[[check]]\nname = \"slow\"\nkind = \"command\"\ncommand = [\"sh\", \"-c\", {script:?}]\n"
    ));
    let mut terminal = on_demo(&env, SMALL);
    terminal.press("/uncommitted\r");
    terminal.wait_for("uncommitted selected", |shown| shown.selected() == Some("uncommitted"));
    terminal.press("C");
    terminal.wait_for("the question", |shown| is_asked(shown, "do it"));
    terminal.press("y");
    terminal.wait_for("that it runs", |_| std::fs::read_to_string(&pid).is_ok_and(|pid| pid.ends_with('\n')));
    terminal.press("x");
    let left = std::fs::read_to_string(&pid).unwrap();
    let stat = format!("/proc/{}/stat", left.trim());
    terminal.wait_for("the end of what it started", |_| {
        std::fs::read_to_string(&stat).map_or(true, |stat| stat.contains(" Z "))
    });
    // Nothing says that it passed.
    let check = env.run(repo.path(), &["check", "--json"]).workspace();
    let rows = check["evidence"].as_array().unwrap();
    let row = rows.iter().find(|row| row["name"] == "check slow").unwrap();
    assert_eq!(row["claim"], "NO", "{row}");
}
