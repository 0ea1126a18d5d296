//! Suspends closeout itself, as a shell's job control expects (credentials(7), "Orphaned process groups").

use std::fs;

use rustix::process::{Pid, Signal, getpid, kill_process, kill_process_group};

use crate::model::ProcessStat;

/// The process group to stop: this program's own, provided that someone can resume it, which is a shell in
/// the same session that made it a job. Otherwise the stop would be permanent; the system does not stop
/// such a program either.
///
/// The numbers are read from `/proc`, because the session leader may be outside the container this runs in.
/// It then has the number 0, which `rustix` considers impossible.
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

/// Asks the whole job to stop, as the terminal does on Ctrl-Z. This program receives the signal too. Does
/// nothing if nobody could resume the job.
pub fn ask_job_to_stop() {
    if let Some(group) = job() {
        // The group is this program's own, so it exists.
        let _ = kill_process_group(group, Signal::TSTP);
    }
}

/// Stops this program and returns once it is resumed. Returns false immediately if nobody could resume it.
pub fn stop_this_program() -> bool {
    job().is_some() && kill_process(getpid(), Signal::STOP).is_ok()
}
