//! Stopping this program itself, as a shell's job control wants it (credentials(7), "Orphaned process
//! groups").

use rustix::process::{Signal, getpgrp, getpid, getppid, getsid, kill_process, kill_process_group};

/// Whether somebody is there who can let the program go on: a shell in the same session that made it a
/// job. Without one, being stopped would be for ever, and the system does not stop such a program either.
fn is_a_job() -> bool {
    let Ok(session) = getsid(None) else { return false };
    let parent_session = getppid().and_then(|parent| getsid(Some(parent)).ok());
    getpgrp() != session && parent_session == Some(session)
}

/// Asks the whole job to stop, as the terminal does on Ctrl-Z: this program hears it as a signal, too.
/// Nothing where there is nobody who could let it go on.
pub fn ask_job_to_stop() {
    if is_a_job() {
        // The group is this program's own; it is there.
        let _ = kill_process_group(getpgrp(), Signal::TSTP);
    }
}

/// Stops this program, and returns when it goes on. False, at once, where nobody could let it go on.
pub fn stop_this_program() -> bool {
    is_a_job() && kill_process(getpid(), Signal::STOP).is_ok()
}
