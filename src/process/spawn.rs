//! Starts one process at a time: one that begins between the making of another's pipes and its own program would hold
//! them open, so that the other's answer seems to be cut off.
//!
//! A child can also be confined: it changes files only below given folders, whatever links it meets on the way (Landlock,
//! from Linux 5.13 on). The folders count, not their paths: what another takes the place of is not changed. That must not
//! be the only protection: other systems, and kernels without Landlock, start the child unconfined.
//!
//! It must not let a program that cannot be loaded keep the others from starting.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command};
use std::sync::Arc;
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

/// Starts `command` so that it changes files only below `folders`.
#[cfg(target_os = "linux")]
pub(super) fn confined(command: &mut Command, folders: &[Arc<OwnedFd>]) -> io::Result<Child> {
    // A child inherits the limits of the thread that starts it, and these can never be lifted again.
    std::thread::scope(|scope| {
        let starter = std::thread::Builder::new().spawn_scoped(scope, || {
            if let Err(error) = confine(folders) {
                tracing::debug!("a child is not confined: {error}");
            }
            one_at_a_time(command)
        });
        starter?.join().unwrap_or_else(|_| Err(io::Error::other("the thread that starts it ended")))
    })
}

#[cfg(not(target_os = "linux"))]
pub(super) fn confined(command: &mut Command, _folders: &[Arc<OwnedFd>]) -> io::Result<Child> {
    one_at_a_time(command)
}

/// Confines this thread and what it starts.
#[cfg(target_os = "linux")]
fn confine(folders: &[Arc<OwnedFd>]) -> Result<(), landlock::RulesetError> {
    use landlock::{ABI, AccessFs, PathBeneath, PathFd, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _};
    // What older kernels lack of this is left out. Kernels before ABI 3 cannot keep a file from being cut off.
    let changes = AccessFs::from_write(ABI::V3);
    let mut ruleset = Ruleset::default().handle_access(changes)?.create()?;
    // Git opens it for writing at every start.
    if let Ok(nothing) = PathFd::new("/dev/null") {
        ruleset = ruleset.add_rule(PathBeneath::new(nothing, AccessFs::WriteFile))?;
    }
    for folder in folders {
        ruleset = ruleset.add_rule(PathBeneath::new(folder, changes))?;
    }
    ruleset.restrict_self().map(drop)
}
