//! Stopping this program itself, as a shell's job control wants it (credentials(7), "Orphaned process
//! groups").

use std::fs;

use rustix::process::{Pid, Signal, getpid, kill_process, kill_process_group};

use crate::model::ProcessStat;

/// The group to stop: this program's own, if somebody is there who can let it go on, which is a shell in
/// the same session that made it a job. Without one, being stopped would be for ever, and the system does
/// not stop such a program either.
///
/// The numbers are read from `/proc`: the leader of the session can be outside of the container that this
/// runs in, and has the number 0 then, which the calls of `rustix` take for impossible.
fn job() -> Option<Pid> {
    let own = read("self")?;
    let parent = read(&own.parent.to_string())?;
    let is_job = own.session != 0 && own.group != own.session && parent.session == own.session;
    let group = i32::try_from(own.group).ok().filter(|group| is_job && *group > 0)?;
    Pid::from_raw(group)
}

fn read(process: &str) -> Option<ProcessStat> {
    ProcessStat::parse(&fs::read(format!("/proc/{process}/stat")).ok()?)
}

/// Asks the whole job to stop, as the terminal does on Ctrl-Z: this program hears it as a signal, too.
/// Nothing where there is nobody who could let it go on.
pub fn ask_job_to_stop() {
    if let Some(group) = job() {
        // The group is this program's own; it is there.
        let _ = kill_process_group(group, Signal::TSTP);
    }
}

/// Stops this program, and returns when it goes on. False, at once, where nobody could let it go on.
pub fn stop_this_program() -> bool {
    job().is_some() && kill_process(getpid(), Signal::STOP).is_ok()
}
