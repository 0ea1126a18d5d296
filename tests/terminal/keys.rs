//! The keys do what help says.

use super::{SMALL, on_demo, wait_for_state};
use crate::support::pty::{Shown, Terminal};
use crate::support::test_env::TestEnv;

/// Presses keys and waits until this row is selected.
fn select(terminal: &mut Terminal, keys: &str, name: &str) -> Shown {
    terminal.press(keys);
    terminal.wait_for(&format!("{name} selected by {keys:?}"), |shown| shown.selected() == Some(name))
}

#[test]
fn the_selection_moves_by_letters_arrows_and_numbers() {
    let env = TestEnv::with_demo();
    let mut terminal = on_demo(&env, SMALL);
    // Each with the number of the row that is selected then. There is no row before the first, and
    // none after the last.
    for (keys, row) in [
        ("j", 2),
        ("\x1b[B", 3),
        ("k", 2),
        ("\x1b[A", 1),
        ("kj", 2),
        ("G", 5),
        ("jk", 4),
        ("g", 1),
        // The finished one was seen and is folded.
        ("\x1b[F", 4),
        ("\x1b[H", 1),
    ] {
        terminal.press(keys);
        terminal.wait_for(&format!("row {row} selected by {keys:?}"), |shown| {
            shown.list().get(row - 1).is_some_and(|(_, name)| shown.selected() == Some(name))
        });
    }
}

#[test]
fn w_goes_to_the_next_that_waits_for_a_person() {
    let env = TestEnv::with_demo();
    let mut terminal = on_demo(&env, SMALL);
    wait_for_state(&terminal, "asks", "ASKS");
    select(&mut terminal, "g", "asks");
    select(&mut terminal, "w", "uncommitted");
    select(&mut terminal, "w", "asks");
    select(&mut terminal, "Gw", "asks");
}

#[test]
fn a_filter_narrows_the_list_and_escape_clears_it() {
    let env = TestEnv::with_demo();
    let mut terminal = on_demo(&env, SMALL);
    terminal.press("/fail");
    terminal.wait_for("one row", |shown| shown.list() == [("INCOMPLETE", "failing")]);
    // While the filter is written, letters are part of it: q does not quit.
    terminal.press("q");
    terminal.wait_for("no row", |shown| shown.list().is_empty());
    terminal.press("\x7f\r");
    terminal.wait_for("one row", |shown| shown.list() == [("INCOMPLETE", "failing")]);
    terminal.press("\x1b");
    terminal.wait_for("all rows", |shown| shown.list().len() == 5);
    // A filter can be in any script, and can be pasted.
    terminal.press("/\x1b[200~どちらに\x1b[201~");
    terminal.wait_for("the row that asks", |shown| shown.list() == [("ASKS", "asks")]);
}

#[test]
fn enter_opens_the_evidence_and_escape_closes_it() {
    let env = TestEnv::with_demo();
    let mut terminal = on_demo(&env, SMALL);
    terminal.press("/fail\r\r");
    let shown = terminal.wait_for("the detail on the whole screen", |shown| {
        shown.list().is_empty() && shown.has("no changelog entry")
    });
    assert!(shown.has("decided   NO"), "{}", shown.rows.join("\n"));
    terminal.press("G");
    terminal.wait_for("the end of the detail", |shown| shown.has("task kind  IMPLEMENTATION"));
    terminal.press("\x1b");
    terminal.wait_for("the list", |shown| shown.state_of("failing") == Some("INCOMPLETE"));
}

#[test]
fn the_question_mark_shows_and_hides_the_help() {
    let env = TestEnv::with_demo();
    let mut terminal = on_demo(&env, SMALL);
    for close in ["?", "\x1b", "q"] {
        terminal.press("?");
        terminal.wait_for("help", |shown| {
            shown.has("ask the agent whether it is done") && shown.list().is_empty()
        });
        terminal.press(close);
        terminal.wait_for("the list", |shown| shown.list().len() == 5);
    }
}

#[test]
fn a_refresh_looks_again() {
    let env = TestEnv::with_demo();
    let mut terminal = on_demo(&env, SMALL);
    wait_for_state(&terminal, "finished", "COMPLETE");
    terminal.press("/finished\r");
    terminal.wait_for("finished selected", |shown| shown.selected() == Some("finished"));
    // Work trees are not watched, so this is not seen by itself.
    env.demo("finished").write("src/late.rs", "fn late() {}\n");
    terminal.press("R");
    terminal.wait_for("the new file", |shown| shown.has("1 file not committed"));
    env.demo("finished").remove("src/late.rs");
    terminal.press("\x12");
    terminal.wait_for("no new file", |shown| !shown.has("1 file not committed"));
}

#[test]
fn a_click_selects_and_the_wheel_scrolls() {
    let env = TestEnv::with_demo();
    let mut terminal = on_demo(&env, SMALL);
    // On the upper rows: a finished one that was looked at moves down when it is left.
    // Reports of xterm's mode 1006, columns and rows from 1: the rows of the list begin in the third.
    // Each section has a heading, and the third row stands in the eighth line.
    for (report, row) in
        [("\x1b[<0;20;6M\x1b[<0;20;6m", 2), ("\x1b[<65;20;4M", 3), ("\x1b[<64;20;4M\x1b[<64;20;4M", 1)]
    {
        terminal.press(report);
        terminal.wait_for(&format!("row {row} selected by {report:?}"), |shown| {
            shown.list().get(row - 1).is_some_and(|(_, name)| shown.selected() == Some(name))
        });
    }
    assert!(terminal.shown().is_mouse_told);
    // No report of mere moves was asked for: they would wake a screen at rest.
    let bytes = terminal.bytes().escape_ascii().to_string();
    assert!(!bytes.contains("[?1002h") && !bytes.contains("[?1003h"), "{bytes}");
}
