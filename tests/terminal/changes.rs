//! What is on the screen at the start, and that each change on disk is seen.

use std::fs;

use super::{LARGE, SMALL, STATES, on_demo, wait_for_state};
use crate::support::pty::Terminal;
use crate::support::test_env::{TestEnv, replace};

#[test]
fn the_five_worktrees_show_their_states_on_a_small_screen() {
    shows_the_five_states(SMALL);
}

#[test]
fn the_five_worktrees_show_their_states_on_a_large_screen() {
    shows_the_five_states(LARGE);
}

fn shows_the_five_states(size: (u16, u16)) {
    let env = TestEnv::with_demo();
    let terminal = on_demo(&env, size);
    let shown = terminal.shown();
    for (name, state) in STATES {
        assert_eq!(shown.state_of(name), Some(state), "{name}\n{}", shown.rows.join("\n"));
    }
    // The most urgent first, selected, with its question in its own words.
    assert_eq!(shown.list()[0], ("ASKS", "asks"));
    assert_eq!(shown.selected(), Some("asks"));
    assert!(shown.has("どちらにしますか"), "{}", shown.rows.join("\n"));
    assert!(shown.is_alternate && shown.is_cursor_hidden && shown.is_paste_bracketed);
    assert!(!terminal.has_modes_of_before(), "keys come one by one");
}

#[test]
fn committing_the_uncommitted_work_makes_it_complete() {
    let env = TestEnv::with_demo();
    let terminal = on_demo(&env, SMALL);
    wait_for_state(&terminal, "uncommitted", "RESCUE");
    let worktree = env.demo("uncommitted");
    worktree.git(["add", "src", "docs"]);
    worktree.git(["commit", "-qm", "Say hi"]);
    wait_for_state(&terminal, "uncommitted", "COMPLETE");
}

#[test]
fn a_decision_file_that_is_replaced_changes_the_verdict() {
    let env = TestEnv::with_demo();
    let terminal = on_demo(&env, SMALL);
    let file = env.demo("failing").at(".closeout/decision.json");
    replace(&file, r#"{"decision":"complete"}"#);
    wait_for_state(&terminal, "failing", "COMPLETE");
    replace(&file, r#"{"decision":"incomplete","reasons":["the docs are missing"]}"#);
    let shown = wait_for_state(&terminal, "failing", "INCOMPLETE");
    assert!(shown.has("docs are miss"), "{}", shown.rows.join("\n"));
}

#[test]
fn a_failing_decision_that_is_removed_counts_no_more() {
    let env = TestEnv::with_demo();
    let terminal = on_demo(&env, SMALL);
    wait_for_state(&terminal, "failing", "INCOMPLETE");
    env.demo("failing").remove(".closeout/decision.json");
    terminal.wait_for("one more quiet row", |shown| shown.has("2 quiet"));
}

#[test]
fn a_decision_file_in_a_new_folder_is_seen() {
    let env = TestEnv::with_demo();
    let terminal = on_demo(&env, SMALL);
    terminal.wait_for("a quiet row", |shown| shown.has("1 quiet"));
    env.demo("shop").write(".closeout/decision.json", r#"{"decision":"complete"}"#);
    wait_for_state(&terminal, "shop", "COMPLETE");
}

#[test]
fn what_the_agent_says_is_seen() {
    let env = TestEnv::with_demo();
    let terminal = on_demo(&env, LARGE);
    wait_for_state(&terminal, "working", "WORKING");
    env.agent_says("working", "Which database should I use, PostgreSQL or SQLite?");
    let shown = wait_for_state(&terminal, "working", "ASKS");
    assert!(shown.has("Which database should I use, PostgreSQL or SQLite?"), "{}", shown.rows.join("\n"));
    env.person_says("working", "SQLite.");
    wait_for_state(&terminal, "working", "WORKING");
    env.agent_says("working", "SQLite is in place.");
    wait_for_state(&terminal, "working", "INCOMPLETE");
}

#[test]
fn a_file_that_nobody_told_of_is_seen_when_the_person_looks_again() {
    let env = TestEnv::with_demo();
    let mut terminal = on_demo(&env, SMALL);
    let shop = env.demo("shop");
    shop.write(".closeout/decision.json", r#"{"decision":"complete"}"#);
    wait_for_state(&terminal, "shop", "COMPLETE");
    // The folder is no new one, and none of those that are watched.
    shop.write("docs/left-behind.md", "words\n");
    terminal.press("\x1b[I");
    wait_for_state(&terminal, "shop", "RESCUE");
    shop.remove("docs/left-behind.md");
    terminal.press("\x1b[I");
    wait_for_state(&terminal, "shop", "COMPLETE");
    terminal.press("q");
    assert_eq!(terminal.wait_for_end(), 0);
    terminal.assert_put_back();
}

#[test]
fn a_new_file_at_the_top_of_the_tree_is_seen_by_itself() {
    let env = TestEnv::with_demo();
    let terminal = on_demo(&env, SMALL);
    let shop = env.demo("shop");
    shop.write(".closeout/decision.json", r#"{"decision":"complete"}"#);
    wait_for_state(&terminal, "shop", "COMPLETE");
    shop.write("left-behind.md", "words\n");
    wait_for_state(&terminal, "shop", "RESCUE");
}

#[test]
fn a_new_worktree_appears_and_goes() {
    let env = TestEnv::with_demo();
    let terminal = on_demo(&env, SMALL);
    let shop = env.demo("shop");
    shop.git(["worktree", "add", "-q", "-b", "search", "../search"]);
    terminal.wait_for("one more quiet row", |shown| shown.has("2 quiet"));
    env.demo("search").write(".closeout/decision.json", r#"{"decision":"complete"}"#);
    wait_for_state(&terminal, "search", "COMPLETE");
    shop.git(["worktree", "remove", "--force", "../search"]);
    terminal.wait_for("search gone", |shown| shown.state_of("search").is_none());
    assert_eq!(terminal.shown().list().len(), 5);
}

#[test]
fn a_workspace_that_vanishes_says_so_and_returns() {
    let env = TestEnv::with_demo();
    let terminal = on_demo(&env, SMALL);
    wait_for_state(&terminal, "finished", "COMPLETE");
    fs::rename(env.at("demo/finished"), env.at("demo/away")).unwrap();
    terminal.wait_for("finished is not complete any more", |shown| {
        shown.state_of("finished") != Some("COMPLETE")
    });
    // The others go on.
    env.demo("failing").remove(".closeout/decision.json");
    terminal.wait_for("one more quiet row", |shown| shown.has("2 quiet"));
    fs::rename(env.at("demo/away"), env.at("demo/finished")).unwrap();
    wait_for_state(&terminal, "finished", "COMPLETE");
}

#[test]
fn a_path_that_was_given_is_watched_beside_the_worktrees() {
    let env = TestEnv::with_demo();
    let other = env.demo("other");
    other.git(["init", "-q", "-b", "main"]);
    other.write("README", "hello\n").commit("first");
    let path = other.path().display().to_string();
    let terminal = Terminal::start(&env, &env.shop(), &["watch", &path], SMALL);
    terminal.wait_for("one more quiet row", |shown| shown.has("2 quiet"));
    other.write(".closeout/decision.json", r#"{"decision":"complete"}"#);
    wait_for_state(&terminal, "other", "COMPLETE");
}

#[test]
fn looking_leaves_no_trace_in_the_repository() {
    let env = TestEnv::with_demo();
    let before = crate::support::test_env::traces(&env.at("demo"));
    let mut terminal = on_demo(&env, SMALL);
    terminal.press("GRq");
    assert_eq!(terminal.wait_for_end(), 0);
    assert_eq!(crate::support::test_env::traces(&env.at("demo")), before);
}

/// What a person said in a shell, and what agents answered there, counts on every open screen, with no key.
#[test]
fn a_mark_given_in_a_shell_is_seen_on_an_open_screen() {
    let env = TestEnv::with_demo();
    let terminal = on_demo(&env, SMALL);
    wait_for_state(&terminal, "finished", "COMPLETE");
    let finished = env.demo("finished");
    let mark = |arguments: &[&str]| assert_eq!(env.run(finished.path(), arguments).code, 0);
    mark(&["mark", "open", "--reason", "not yet"]);
    wait_for_state(&terminal, "finished", "INCOMPLETE");
    mark(&["mark", "--clear"]);
    wait_for_state(&terminal, "finished", "COMPLETE");
}
