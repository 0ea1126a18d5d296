//! The reply box in a terminal: what is typed and pasted, where the cursor stands, the person's own
//! editor, and a draft that outlives the program.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Instant;

use rustix::process::Signal;

use super::{LARGE, SMALL, wait_for_state};
use crate::support::pty::{Shown, Terminal};
use crate::support::test_env::{LIMIT, TestEnv};

/// The screen on the demonstration with the box open for the workspace that asks.
fn open(env: &TestEnv, size: (u16, u16)) -> Terminal {
    let mut terminal = super::on_demo(env, size);
    wait_for_state(&terminal, "asks", "ASKS");
    terminal.press("/どちら\r");
    terminal.wait_for("asks selected", |shown| shown.selected() == Some("asks"));
    terminal.press("i");
    terminal.wait_for("the box", |shown| is_open(shown) && !shown.has("checking how"));
    terminal
}

fn is_open(shown: &Shown) -> bool {
    shown.has("── Reply  asks") && !shown.is_cursor_hidden
}

/// The rows of the text, without their mark.
fn written(shown: &Shown) -> Vec<&str> {
    let rows = shown.rows.iter().skip_while(|row| !row.contains("── Reply"));
    rows.filter_map(|row| row.strip_prefix(" ▌")).map(str::trim).filter(|row| !row.is_empty()).collect()
}

fn wait_for_text(terminal: &Terminal, text: &[&str]) -> Shown {
    terminal.wait_for(&format!("{text:?} in the box"), |shown| written(shown) == text)
}

/// Waits until the drafts on disk hold this text.
#[expect(clippy::disallowed_methods, reason = "a wait that never ends would say nothing")]
fn wait_for_draft(env: &TestEnv, text: &str) {
    let until = Instant::now() + LIMIT;
    let is_there = || {
        let files = fs::read_dir(env.at("state/drafts")).into_iter().flatten();
        files.flatten().any(|file| fs::read_to_string(file.path()).is_ok_and(|draft| draft.contains(text)))
    };
    while !is_there() {
        assert!(Instant::now() < until, "no draft with {text:?}");
        std::thread::yield_now();
    }
}

#[test]
fn what_is_typed_and_pasted_stands_in_the_box() {
    let env = TestEnv::with_demo();
    for size in [SMALL, LARGE] {
        let mut terminal = open(&env, size);
        terminal.press("日本語 e\u{301}");
        wait_for_text(&terminal, &["日本語 e\u{301}"]);
        // Alt-Enter and Ctrl-J begin a line; Enter in a paste sends nothing.
        terminal.press("\x1b\rtwo\n");
        terminal.press("\x1b[200~three\rfour\x07\x1b[201~");
        wait_for_text(&terminal, &["日本語 e\u{301}", "two", "three", "four"]);
        terminal.wait_for("what was left out", |shown| shown.has("left out: 1 control character"));
        // Alt-u takes back, Ctrl-Y makes again, Ctrl-W erases a word, and arrows move.
        terminal.press("\x1bu");
        wait_for_text(&terminal, &["日本語 e\u{301}", "two"]);
        terminal.press("\x19\x17\x1b[A\x1b[A\x1b[A\x1b[H1");
        wait_for_text(&terminal, &["1日本語 e\u{301}", "two", "three"]);
        // Escape leaves and keeps; the next one begins empty again when all is erased.
        terminal.press("\x1b");
        terminal
            .wait_for("the draft is kept", |shown| shown.has("the draft is kept") && shown.is_cursor_hidden);
        terminal.press("i");
        wait_for_text(&terminal, &["1日本語 e\u{301}", "two", "three"]);
        terminal.press(&"\x15".repeat(6));
        terminal.wait_for("an empty box", |shown| is_open(shown) && written(shown).is_empty());
        terminal.press("\x03");
        assert_eq!(terminal.wait_for_end(), 0);
        terminal.assert_put_back();
    }
}

#[test]
fn a_long_paste_comes_whole() {
    let env = TestEnv::with_demo();
    let mut terminal = open(&env, SMALL);
    let lines: Vec<String> = (0..5000).map(|number| format!("line {number} 日本語")).collect();
    terminal.press(&format!("\x1b[200~{}\x1b[201~", lines.join("\r")));
    terminal.wait_for("the end of the paste", |shown| written(shown).last() == Some(&"line 4999 日本語"));
    wait_for_draft(&env, &lines.join("\\n"));
    terminal.press("\x03");
    assert_eq!(terminal.wait_for_end(), 0);
}

#[test]
fn a_draft_outlives_the_program_that_is_killed() {
    let env = TestEnv::with_demo();
    let mut terminal = open(&env, SMALL);
    terminal.press("二番目 please");
    wait_for_draft(&env, "二番目 please");
    terminal.signal(Signal::KILL);
    terminal.wait_for_end();
    let again = open(&env, SMALL);
    wait_for_text(&again, &["二番目 please"]);
}

/// An env whose editor is this script; `$1` is the file.
fn with_editor(script: &str) -> TestEnv {
    let env = TestEnv::with_demo();
    let path = env.at("my editor.sh");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let command = format!("'{}' --wait", path.display());
    env.with_variable("EDITOR", "/nowhere").with_variable("VISUAL", command)
}

#[test]
fn the_editor_has_the_terminal_and_the_text_comes_back() {
    // It sees the draft, reads a line of the person's in the terminal's own mode, and saves.
    let env = with_editor(
        "[ \"$1\" = --wait ] || exit 9\n\
         stat -c 'mode %a' \"$2\"\nprintf 'editing: '; cat \"$2\"; echo\n\
         read -r line\nprintf '%s\\nsecond\\n' \"$line\" >> \"$2\"",
    );
    let mut terminal = open(&env, SMALL);
    terminal.press("draft ");
    wait_for_text(&terminal, &["draft"]);
    terminal.press("\x05");
    let shown = terminal.wait_for("the editor", |shown| shown.has("editing: draft"));
    assert!(!shown.is_alternate && !shown.is_paste_bracketed && shown.has("mode 600"), "{shown:?}");
    assert!(terminal.has_modes_of_before());
    // Keys that mean something to the box are the editor's now; and Ctrl-C is none of closeout's.
    terminal.press("はい q\r");
    wait_for_text(&terminal, &["draft はい q", "second"]);
    assert!(terminal.shown().is_paste_bracketed);
    wait_for_draft(&env, "draft はい q\\nsecond");
    assert_eq!(fs::read_dir(env.at("state/editing")).unwrap().count(), 0, "nothing is left of it");
    // It goes on as before.
    terminal.press("!");
    wait_for_text(&terminal, &["draft はい q", "second!"]);
    terminal.press("\x03");
    assert_eq!(terminal.wait_for_end(), 0);
    terminal.assert_put_back();
}

#[test]
fn an_editor_that_fails_loses_nothing() {
    let env = with_editor("printf 'lost?' >> \"$2\"; exit 3");
    let mut terminal = open(&env, SMALL);
    terminal.press("draft");
    wait_for_text(&terminal, &["draft"]);
    terminal.press("\x05");
    let shown = terminal.wait_for("what went wrong", |shown| shown.has("the editor ended with 3"));
    assert_eq!(written(&shown), ["draft"]);
    let folder = fs::read_dir(env.at("state/editing")).unwrap().next().unwrap().unwrap().path();
    assert_eq!(fs::read_to_string(folder.join("reply.md")).unwrap(), "draftlost?");
}

#[test]
fn an_editor_that_is_not_there_is_said() {
    let env = TestEnv::with_demo().with_variable("VISUAL", "no-such-editor -x");
    let mut terminal = open(&env, SMALL);
    terminal.press("draft");
    wait_for_text(&terminal, &["draft"]);
    terminal.press("\x05");
    let shown = terminal.wait_for("why", |shown| shown.has("$VISUAL: no-such-editor is not there"));
    assert_eq!(written(&shown), ["draft"]);
    terminal.press("\x03");
    assert_eq!(terminal.wait_for_end(), 0);
    terminal.assert_put_back();
}

#[test]
fn a_signal_while_the_editor_is_open_ends_both() {
    let env = with_editor("trap 'echo hung up; exit 0' HUP; echo ready; while :; do read -r line; done");
    let mut terminal = open(&env, SMALL);
    terminal.press("kept\x05");
    terminal.wait_for("the editor", |shown| shown.has("ready"));
    // The terminal's own interrupt is the editor's affair.
    terminal.signal(Signal::INT);
    terminal.signal(Signal::TERM);
    terminal.wait_for("the editor's end", |shown| shown.has("hung up"));
    assert_eq!(terminal.wait_for_end(), 143);
    wait_for_draft(&env, "kept");
}
