//! Starts one process at a time: one that begins between the making of another's pipes and its own program would hold
//! them open, so that the other's answer seems to be cut off.
//!
//! It must not let a program that cannot be loaded keep the others from starting.

use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

/// How long to wait for the turn: 2 s in all, far more than any start takes but one from a disk that hangs.
const TRIES: u32 = 1_000;
const PAUSE: Duration = Duration::from_millis(2);

/// Starts the program; returns once it runs, so that it holds no pipe of another.
pub(super) fn one_at_a_time(command: &mut Command) -> io::Result<Child> {
    let _turn = turn();
    command.spawn()
}

fn turn() -> Option<MutexGuard<'static, ()>> {
    static TURN: Mutex<()> = Mutex::new(());
    for _ in 0..TRIES {
        match TURN.try_lock() {
            Ok(turn) => return Some(turn),
            Err(TryLockError::Poisoned(turn)) => return Some(PoisonError::into_inner(turn)),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
    }
    None
}
