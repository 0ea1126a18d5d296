//! Stopped by a shell's job control, the program leaves the terminal as it was, and draws anew when it
//! goes on.

use rustix::process::{Pid, Signal, kill_process};

use super::{SMALL, is_judged};
use crate::support::pty::{Shown, Terminal};
use crate::support::test_env::TestEnv;

/// A shell with job control; `None`, said aloud, where there is no bash.
fn shell(env: &TestEnv) -> Option<Terminal> {
    if !std::path::Path::new("/bin/bash").exists() {
        eprintln!("SKIPPED: no /bin/bash, so nothing can suspend the program");
        return None;
    }
    let arguments = ["--norc", "--noprofile", "--noediting", "-i"];
    let terminal = Terminal::start_program("/bin/bash", env, &env.shop(), &arguments, SMALL);
    terminal.wait_for("the shell", is_prompt);
    Some(terminal)
}

/// Whether the shell waits for a command, and nobody else reads what is typed.
fn is_prompt(shown: &Shown) -> bool {
    !shown.is_alternate && shown.rows.iter().rfind(|row| !row.is_empty()).is_some_and(|row| row == "ready>")
}

fn is_drawn(shown: &Shown) -> bool {
    shown.is_alternate && shown.list().len() == 5 && is_judged(shown)
}

/// Starts the program by its name, and waits for its screen.
fn open(terminal: &mut Terminal) {
    terminal.press(&format!("{}\r", env!("CARGO_BIN_EXE_closeout")));
    terminal.wait_for("the screen", is_drawn);
}

fn assert_suspended(terminal: &Terminal) {
    let shown = terminal.wait_for("the shell again", |shown| is_prompt(shown) && shown.has("Stopped"));
    assert!(!shown.is_cursor_hidden && !shown.is_paste_bracketed, "{shown:?}");
}

/// Brings it back, and leaves it by its own key.
fn bring_back(terminal: &mut Terminal) {
    terminal.press("fg\r");
    let shown = terminal.wait_for("the screen drawn anew", is_drawn);
    assert!(shown.is_cursor_hidden && shown.is_paste_bracketed, "{shown:?}");
    terminal.press("q");
    terminal.wait_for("the shell at last", is_prompt);
    terminal.press("echo left with $?\r");
    terminal.wait_for("the exit code", |shown| shown.has("left with 0"));
    terminal.press("exit 0\r");
    assert_eq!(terminal.wait_for_end(), 0);
    terminal.assert_put_back();
}

#[test]
fn ctrl_z_gives_the_terminal_to_the_shell_and_fg_draws_anew() {
    let env = TestEnv::with_demo().with_variable("PS1", "ready> ");
    let Some(mut terminal) = shell(&env) else { return };
    open(&mut terminal);
    terminal.press("\x1a");
    assert_suspended(&terminal);
    bring_back(&mut terminal);
}

#[test]
fn the_signal_to_stop_does_as_the_key_does() {
    let env = TestEnv::with_demo().with_variable("PS1", "ready> ");
    let Some(mut terminal) = shell(&env) else { return };
    open(&mut terminal);
    let pid = child_of(terminal.pid());
    kill_process(pid, Signal::TSTP).unwrap();
    assert_suspended(&terminal);
    bring_back(&mut terminal);
}

#[test]
fn where_nobody_could_let_it_go_on_it_stays() {
    let env = TestEnv::with_demo();
    let mut terminal = super::on_demo(&env, SMALL);
    terminal.press("\x1a");
    terminal.signal(Signal::TSTP);
    terminal.press("?");
    terminal.wait_for("the help", |shown| shown.is_alternate && shown.has("Keys"));
    terminal.press("\x03");
    assert_eq!(terminal.wait_for_end(), 0);
    terminal.assert_put_back();
}

/// The one process that `parent` started.
fn child_of(parent: i32) -> Pid {
    let children = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap();
    Pid::from_raw(children.split_whitespace().next().unwrap().parse().unwrap()).unwrap()
}
