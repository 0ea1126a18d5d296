//! A program that gets this program's terminal, such as the user's editor: the user's choice, with the
//! user's environment and no time limit.
//!
//! It stays in this program's process group, so the terminal's keys reach both, and a shell stops and
//! continues both as one job. Until it has ended, this program must neither read from nor write to the
//! terminal. Closeout itself is suspended here too, as a shell's job control expects (credentials(7), "Orphaned process
//! groups").

use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getpid, kill_process, kill_process_group};

use super::{End, ProcessError, spawn};
use crate::model::ProcessStat;

/// What to run.
#[derive(Debug, Clone)]
pub struct TerminalSpec {
    /// The program, by absolute path.
    pub program: PathBuf,
    /// Its arguments, passed unchanged.
    pub args: Vec<OsString>,
    /// The working directory.
    pub folder: PathBuf,
    /// The whole environment; nothing is inherited.
    pub env: Vec<(OsString, OsString)>,
}

/// A program that has the terminal.
#[derive(Debug)]
pub struct InTerminal {
    child: Child,
    program: PathBuf,
}

/// Waits for such a program to end, on a thread of its own.
#[derive(Debug, Clone, Copy)]
pub struct Ending {
    pid: Option<Pid>,
}

impl InTerminal {
    /// Starts the program.
    ///
    /// # Errors
    /// The path is not absolute, or the program cannot be started.
    pub fn start(spec: &TerminalSpec) -> Result<InTerminal, ProcessError> {
        let program = spec.program.clone();
        if !program.is_absolute() {
            return Err(ProcessError::NotAbsolute { program });
        }
        #[expect(clippy::disallowed_methods, reason = "this room is the one that spawns")]
        let mut command = Command::new(&program);
        command
            .args(&spec.args)
            .current_dir(&spec.folder)
            .env_clear()
            .envs(spec.env.iter().map(|(name, value)| (name, value)));
        match spawn::one_at_a_time(&mut command) {
            Ok(child) => Ok(InTerminal { child, program }),
            Err(source) => Err(ProcessError::Start { program, source }),
        }
    }

    /// A handle that waits for the program to end.
    pub fn ending(&self) -> Ending {
        Ending { pid: self.pid() }
    }

    /// Tells the program that the terminal is gone. An editor saves what it can and exits.
    pub fn hang_up(&self) {
        if let Some(pid) = self.pid() {
            // It has not been reaped, so the PID is still its own.
            let _ = kill_process(pid, Signal::HUP);
        }
    }

    /// Waits for the program to end and returns how it did.
    ///
    /// # Errors
    /// The system lost track of the program.
    pub fn finish(mut self) -> Result<End, ProcessError> {
        match self.child.wait() {
            Ok(status) => Ok(match status.code() {
                Some(code) => End::Code(code),
                None => End::Signal(status.signal().unwrap_or_default()),
            }),
            Err(source) => Err(ProcessError::Lost { program: self.program, source }),
        }
    }

    fn pid(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }
}

impl Ending {
    /// Returns when the program has ended. It is not reaped here, so its PID stays its own.
    pub fn wait(self) {
        let Some(pid) = self.pid else { return };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(rustix::io::Errno::INTR) = rustix::process::waitid(WaitId::Pid(pid), options) {}
    }
}

/// How many bytes were typed at this terminal that no program has read yet; `None` if that cannot be told.
pub fn n_unread(terminal: &Path) -> Option<u64> {
    let flags = OFlags::RDONLY | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let terminal = rustix::fs::open(terminal, flags, Mode::empty()).ok()?;
    rustix::io::ioctl_fionread(&terminal).ok()
}

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
