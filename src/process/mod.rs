//! The only room that starts programs: a child with an environment built from nothing, in a process
//! group or a session of its own, with a time limit and capped outputs. It also stops this program for a
//! shell.
//!
//! It must not use a shell, search a program through the current directory, hand on the caller's
//! environment, or wait for anything but the child itself: a grandchild that holds the pipes open
//! is not waited for (`SECURITY.md` 1.5).

mod cancel;
mod child;
mod clock;
mod descendants;
mod environment;
mod in_terminal;
mod launcher;
mod own_session;
mod program_path;
mod run;
mod suspend;

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::Pid;

pub use cancel::{Cancel, Held};
pub use environment::environment;
pub use in_terminal::{Ending, InTerminal, TerminalSpec};
pub use launcher::run_if_launcher;
pub use program_path::find_program;
pub use run::run;
pub use suspend::{ask_job_to_stop, stop_this_program};

/// How long TERM has before KILL follows.
const GRACE: Duration = Duration::from_millis(500);

/// What is to be run, and within which bounds.
#[derive(Debug, Clone)]
pub struct Spec {
    /// The program, by absolute path.
    pub program: PathBuf,
    /// Its arguments, handed over as they are.
    pub args: Vec<OsString>,
    /// The working directory.
    pub folder: PathBuf,
    /// The whole environment; nothing is inherited.
    pub env: Vec<(OsString, OsString)>,
    /// Written to the child's input, which is then closed; `None` gives it an empty input.
    pub stdin: Option<Vec<u8>>,
    /// Handed to the child as its input in place of `stdin`: for input that is too large for memory,
    /// and for a locked file, whose lock then holds as long as the child lives.
    pub stdin_file: Option<Arc<File>>,
    /// Handed to the child as its standard output in place of a pipe: for output that is too large for
    /// memory. Nothing of it is kept here then.
    pub stdout_file: Option<Arc<File>>,
    /// The same for its standard error.
    pub stderr_file: Option<Arc<File>>,
    /// Starts the program in a session of its own, which has no terminal, and ends all that came of it
    /// when it has ended, however that hid. For agents and programs of the person. `None` gives it a
    /// process group, of which what leaves it can get away.
    pub own_session: Option<Launcher>,
    /// After this time it is ended with its group, or with all that came of it in a session of its own:
    /// TERM, half a second of grace, KILL.
    pub time_limit: Duration,
    /// Ends the run early, in the same way.
    pub cancel: Option<Cancel>,
    /// Before TERM it gets INT, and so long to end: for programs that clean up on Ctrl-C alone.
    pub interrupt_grace: Option<Duration>,
    /// So many bytes of standard output are kept; the rest is read and dropped.
    pub stdout_cap: usize,
    /// So many bytes of standard error are kept; the rest is read and dropped.
    pub stderr_cap: usize,
    /// Whether the run is ended when there is more standard output than is kept.
    pub is_ended_at_cap: bool,
}

/// closeout's own program, which gives a child a session of its own: it is started in between, and its
/// `main` calls [`run_if_launcher`]. Works on Linux only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launcher {
    /// Its absolute path.
    pub program: PathBuf,
}

impl Spec {
    /// A run of `program` in `folder`: no arguments, an empty environment and input, ten seconds,
    /// 1 MiB of output and 64 KiB of error output.
    pub fn new(program: impl Into<PathBuf>, folder: impl Into<PathBuf>) -> Spec {
        Spec {
            program: program.into(),
            args: Vec::new(),
            folder: folder.into(),
            env: Vec::new(),
            stdin: None,
            stdin_file: None,
            stdout_file: None,
            stderr_file: None,
            own_session: None,
            time_limit: Duration::from_secs(10),
            cancel: None,
            interrupt_grace: None,
            stdout_cap: 1 << 20,
            stderr_cap: 64 << 10,
            is_ended_at_cap: false,
        }
    }

    /// The same with these arguments added.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Spec {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// The same with one more variable in the environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Spec {
        self.env.push((name.into(), value.into()));
        self
    }
}

/// What became of a child.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each tells of another thing that can be missing")]
pub struct Output {
    /// How it ended.
    pub end: End,
    /// The beginning of its standard output.
    pub stdout: Vec<u8>,
    /// The beginning of its standard error.
    pub stderr: Vec<u8>,
    /// True when there was more standard output than was kept.
    pub is_stdout_cut: bool,
    /// True when there was more standard error than was kept.
    pub is_stderr_cut: bool,
    /// True when something else still held the outputs open after the child had ended; what it
    /// would have written is missing, and it was killed if it was in the child's process group or session.
    pub was_held: bool,
    /// True when something that came of the child lives on: another user's, or one that the system does
    /// not let go of. Known only where it had a session of its own.
    pub has_survivors: bool,
}

impl Output {
    /// True when the child ended by itself with exit code 0.
    pub fn is_success(&self) -> bool {
        self.end == End::Code(0)
    }
}

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself, with this exit code.
    Code(i32),
    /// By this signal, which was not ours.
    Signal(i32),
    /// It did not end within its time and was ended.
    TimedOut,
    /// It was ended because the caller did not want it any more ([`Spec::cancel`]).
    Cancelled,
    /// It was ended because it wrote more than is kept ([`Spec::is_ended_at_cap`]).
    AtCap,
}

/// Why nothing could be run.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The program is not named by an absolute path.
    #[error("{program:?} is not an absolute path")]
    NotAbsolute {
        /// The program.
        program: PathBuf,
    },
    /// It could not be started.
    #[error("cannot start {program:?}")]
    Start {
        /// The program, or the launcher where that is what cannot be started.
        program: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The system refused to wait for it or to read from it, or its launcher was ended by somebody else.
    #[error("lost track of {program:?}")]
    Lost {
        /// The program.
        program: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
}

fn set_nonblocking(fd: BorrowedFd<'_>) -> std::io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(fd)?;
    rustix::fs::fcntl_setfl(fd, flags | rustix::fs::OFlags::NONBLOCK)?;
    Ok(())
}

/// The kernel's handle on a process, which becomes readable when it ends (`pidfd_open(2)`).
#[cfg(target_os = "linux")]
fn open_pidfd(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn open_pidfd(_pid: Pid) -> Option<OwnedFd> {
    None
}
