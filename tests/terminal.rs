//! The built program in a terminal, on real repositories: what it shows, what its keys do, and how it
//! leaves. Each test waits for what must come on the screen; none sleeps.

mod actions;
mod changes;
mod ends;
mod hostile;
mod keys;
mod leaving;
mod replying;
mod runs;
mod sizes;
mod suspending;

use crate::support::pty::{Shown, Terminal};
use crate::support::test_env::TestEnv;

/// The usual size.
const SMALL: (u16, u16) = (80, 24);
/// A large screen.
const LARGE: (u16, u16) = (200, 60);

/// The states of the demonstration as the list shows them.
const STATES: [(&str, &str); 5] = [
    ("finished", "COMPLETE"),
    ("asks", "ASKS"),
    ("uncommitted", "RESCUE"),
    ("failing", "INCOMPLETE"),
    ("working", "WORKING"),
];

/// The screen on the demonstration, with everything judged.
fn on_demo(env: &TestEnv, size: (u16, u16)) -> Terminal {
    let terminal = Terminal::start(env, &env.shop(), &[], size);
    terminal.wait_for("a verdict on each worktree", is_all_judged);
    terminal
}

/// Whether all worktrees of the demonstration are judged: in one of them nobody was asked, and it is folded away.
fn is_all_judged(shown: &Shown) -> bool {
    let n_rows = shown.list().len();
    (n_rows == STATES.len() && shown.has("1 quiet") || n_rows > STATES.len()) && is_judged(shown)
}

fn is_judged(shown: &Shown) -> bool {
    shown.list().iter().all(|(state, _)| *state != "READING")
}

/// Waits for the state of a workspace.
fn wait_for_state(terminal: &Terminal, name: &str, state: &str) -> Shown {
    terminal.wait_for(&format!("{name} {state}"), |shown| shown.state_of(name) == Some(state))
}
