//! Starts one process at a time: one that begins between the making of another's pipes and its own program would hold
//! them open, so that the other's answer seems to be cut off.
//!
//! It must not let a program that cannot be loaded keep the others from starting.

use std::io;
use std::process::{Child, Command};
use std::time::Duration;

use parking_lot::Mutex;

/// How long to wait for the turn: far more than any start takes but one from a disk that hangs.
const PATIENCE: Duration = Duration::from_secs(2);

/// Starts the program; returns once it runs, so that it holds no pipe of another.
pub(super) fn one_at_a_time(command: &mut Command) -> io::Result<Child> {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.try_lock_for(PATIENCE);
    command.spawn()
}
