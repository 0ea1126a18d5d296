//! Starts a child that can change files only below given folders, whatever links it meets on the way (Landlock, from
//! Linux 5.13 on). The folders count, not their paths: what another takes the place of is not changed.
//!
//! It must not be the only protection: other systems, and kernels without Landlock, start the child unconfined.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command};
use std::sync::Arc;

use super::spawn;

/// Starts `command` so that it changes files only below `folders`.
#[cfg(target_os = "linux")]
pub(super) fn spawn(command: &mut Command, folders: &[Arc<OwnedFd>]) -> io::Result<Child> {
    // A child inherits the limits of the thread that starts it, and these can never be lifted again.
    std::thread::scope(|scope| {
        let starter = std::thread::Builder::new().spawn_scoped(scope, || {
            if let Err(error) = confine(folders) {
                tracing::debug!("a child is not confined: {error}");
            }
            spawn::one_at_a_time(command)
        });
        starter?.join().unwrap_or_else(|_| Err(io::Error::other("the thread that starts it ended")))
    })
}

#[cfg(not(target_os = "linux"))]
pub(super) fn spawn(command: &mut Command, _folders: &[Arc<OwnedFd>]) -> io::Result<Child> {
    spawn::one_at_a_time(command)
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
