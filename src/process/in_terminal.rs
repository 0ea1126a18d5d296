//! A program that gets this program's terminal, like a person's editor: their own choice, with their own
//! environment, and no time limit.
//!
//! It stays in this program's process group: the terminal's keys reach both, and a shell stops and
//! continues both as one job. Until it has ended, this program must neither read nor write the terminal.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Child, Command};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process};

use super::{End, ProcessError};

/// What is to be run.
#[derive(Debug, Clone)]
pub struct TerminalSpec {
    /// The program, by absolute path.
    pub program: PathBuf,
    /// Its arguments, handed over as they are.
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

/// Waits for the end of such a program, on a thread of its own.
#[derive(Debug, Clone, Copy)]
pub struct Ending {
    pid: Option<Pid>,
}

impl InTerminal {
    /// Starts it.
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
        match command.spawn() {
            Ok(child) => Ok(InTerminal { child, program }),
            Err(source) => Err(ProcessError::Start { program, source }),
        }
    }

    /// What waits for its end.
    pub fn ending(&self) -> Ending {
        Ending { pid: self.pid() }
    }

    /// Tells it that the terminal is gone: an editor keeps what it can of its text, and ends.
    pub fn hang_up(&self) {
        if let Some(pid) = self.pid() {
            // It was not waited for, so the number is still its own.
            let _ = kill_process(pid, Signal::HUP);
        }
    }

    /// How it ended; waits for that.
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
    /// Returns when the program has ended. It is not reaped here, so that its number stays its own.
    pub fn wait(self) {
        let Some(pid) = self.pid else { return };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(rustix::io::Errno::INTR) = rustix::process::waitid(WaitId::Pid(pid), options) {}
    }
}
