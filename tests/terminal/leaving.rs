//! However the program ends, the terminal is as it was. (That a panic leaves it so is tested beside
//! the guard itself, in `src/cli/tui/terminal.rs`: the program has no switch to make it panic.)

use rustix::process::Signal;

use super::{SMALL, on_demo};
use crate::support::desk::Desk;
use crate::support::pty::Terminal;

#[test]
fn quitting_puts_the_terminal_back() {
    let desk = Desk::with_demo();
    for key in ["q", "\x03"] {
        let mut terminal = on_demo(&desk, SMALL);
        terminal.press(key);
        assert_eq!(terminal.wait_for_end(), 0, "{key:?}");
        terminal.assert_put_back();
    }
}

/// How often the mouse was asked for, and let go.
fn mouse_modes(terminal: &Terminal) -> [usize; 4] {
    let bytes = terminal.bytes().escape_ascii().to_string();
    ["?1000h", "?1006h", "?1000l", "?1006l"].map(|mode| bytes.matches(mode).count())
}

#[test]
fn the_mouse_is_asked_for_once_and_let_go_once_or_not_touched() {
    let desk = Desk::with_demo();
    let mut terminal = on_demo(&desk, SMALL);
    assert_eq!(mouse_modes(&terminal), [1, 1, 0, 0]);
    terminal.press("q");
    terminal.wait_for_end();
    assert_eq!(mouse_modes(&terminal), [1, 1, 1, 1]);
    let file = desk.at("own.toml");
    std::fs::write(&file, "ui.mouse = false\n").unwrap();
    let desk = desk.with_variable("CLOSEOUT_CONFIG", &file);
    let mut terminal = on_demo(&desk, SMALL);
    terminal.press("q");
    terminal.wait_for_end();
    assert_eq!(mouse_modes(&terminal), [0, 0, 0, 0]);
    terminal.assert_put_back();
}

#[test]
fn signals_put_the_terminal_back_and_show_in_the_exit_code() {
    let desk = Desk::with_demo();
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        let terminal = on_demo(&desk, SMALL);
        terminal.signal(signal);
        assert_eq!(terminal.wait_for_end(), code, "{signal:?}");
        terminal.assert_put_back();
    }
}

#[test]
fn a_terminal_that_is_closed_ends_the_program() {
    let desk = Desk::with_demo();
    let terminal = on_demo(&desk, SMALL);
    assert_eq!(terminal.close(), 129);
}

#[test]
fn what_fails_before_the_screen_is_told_and_the_terminal_is_not_touched() {
    let desk = Desk::with_demo().with_variable("CLOSEOUT_CONFIG", "/nowhere/config.toml");
    let terminal = Terminal::start(&desk, &desk.shop(), &[], SMALL);
    assert_eq!(terminal.wait_for_end(), 5);
    assert!(terminal.shown().has("/nowhere/config.toml"), "{:?}", terminal.shown());
    assert!(!terminal.bytes().contains(&0x1b), "{}", terminal.bytes().escape_ascii());
    terminal.assert_put_back();
}

#[test]
fn outside_every_repository_the_screen_says_so() {
    let desk = Desk::new();
    let nowhere = desk.at("nowhere");
    std::fs::create_dir(&nowhere).unwrap();
    let mut terminal = Terminal::start(&desk, &nowhere, &[], SMALL);
    terminal.wait_for("the reason", |shown| shown.has("is in no git repository"));
    terminal.press("q");
    assert_eq!(terminal.wait_for_end(), 0);
    terminal.assert_put_back();
}
