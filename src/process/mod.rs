//! The only room that starts programs: as a child with an environment built from nothing, in a process
//! group or a session of its own, with a time limit and capped outputs. It also suspends closeout for a
//! shell's job control.
//!
//! It must not use a shell, look programs up in the current directory, pass on the caller's environment, or
//! wait for anything but the child itself: a grandchild that keeps the pipes open is not waited for
//! (`SECURITY.md` 1.5).

mod budget;
mod cancel;
mod child;
mod clock;
mod descendants;
mod environment;
mod guardian;
mod in_terminal;
mod launcher;
mod own_session;
mod progress;
mod run;
mod running;
mod spawn;

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::Pid;

pub use budget::Budget;
pub use cancel::{Cancel, Held};
pub use environment::{environment, find_program};
pub use in_terminal::{Ending, InTerminal, TerminalSpec, ask_job_to_stop, n_unread, stop_this_program};
pub use launcher::run_if_launcher;
pub use run::run;
pub use running::{end_all_children, exit, guard_children};

/// How long a process has between TERM and KILL.
const GRACE: Duration = Duration::from_millis(500);
/// How long to keep killing what is left.
const KILLING: Duration = Duration::from_secs(2);
/// The time between two rounds of killing.
const BETWEEN_ROUNDS: Duration = Duration::from_millis(2);

/// What to run, and within which limits.
#[derive(Debug, Clone)]
pub struct Spec {
    /// The program, by absolute path.
    pub program: PathBuf,
    /// Its arguments, passed unchanged.
    pub args: Vec<OsString>,
    /// The working directory.
    pub folder: PathBuf,
    /// The whole environment; nothing is inherited.
    pub env: Vec<(OsString, OsString)>,
    /// Written to the child's standard input, which is then closed. `None` gives it an empty input.
    pub stdin: Option<Vec<u8>>,
    /// The child's standard input instead of `stdin`: for input too large for memory, and for a locked
    /// file, which stays locked as long as the child lives.
    pub stdin_file: Option<Arc<File>>,
    /// The child's standard output instead of a pipe: for output too large for memory. None of it is kept
    /// here then.
    pub stdout_file: Option<Arc<File>>,
    /// The child's standard error instead of a pipe.
    pub stderr_file: Option<Arc<File>>,
    /// Starts the program in a session of its own, without a terminal, and ends all its descendants when it
    /// has ended, however they hide. For agents and users' programs. `None` gives it a process group;
    /// processes that leave the group can then escape.
    pub own_session: Option<Launcher>,
    /// Where it may change files: below these folders, which count as they are and not by their paths. `None` sets no
    /// limit. Where the kernel lacks Landlock, and with a session of its own, there is no limit either.
    pub may_change: Option<Vec<Arc<OwnedFd>>>,
    /// How much memory of its own it and each of its children may take, in bytes: what it maps from files does not count.
    /// Systems other than Linux set no limit.
    pub max_memory: Option<u64>,
    /// How long it may run. After that it is ended together with its group, or with all its descendants if
    /// it has a session of its own: TERM, half a second of grace, KILL.
    pub time_limit: Duration,
    /// Ends the run early, in the same way.
    pub cancel: Option<Cancel>,
    /// Ends the run as one that timed out, too: if the program hangs, and it may lose no more time.
    pub budget: Option<Budget>,
    /// Asked at most once, if it has a budget and has done nothing for half a second: whether what it waits for never
    /// comes. Then it hangs.
    pub waits_in_vain: Option<Question>,
    /// Sends INT before TERM, and waits this long in between: for programs that clean up only on Ctrl-C.
    pub interrupt_grace: Option<Duration>,
    /// How many bytes of standard output are kept; the rest is read and dropped.
    pub stdout_cap: usize,
    /// How many bytes of standard error are kept; the rest is read and dropped.
    pub stderr_cap: usize,
    /// Whether to end the run when standard output exceeds its cap.
    pub is_ended_at_cap: bool,
}

/// A question that is asked only when the answer is needed, because it takes time.
#[derive(Clone)]
pub struct Question(Arc<dyn Fn() -> bool + Send + Sync>);

impl Question {
    /// The question that this answers.
    pub fn new(answer: impl Fn() -> bool + Send + Sync + 'static) -> Question {
        Question(Arc::new(answer))
    }

    fn ask(&self) -> bool {
        (self.0)()
    }
}

impl fmt::Debug for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Question")
    }
}

/// closeout's own program, started in between to give a child a session of its own. Its `main` calls
/// [`run_if_launcher`]. Linux only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launcher {
    /// Its absolute path.
    pub program: PathBuf,
}

impl Spec {
    /// A run of `program` in `folder` with no arguments, an empty environment and input, a limit of ten
    /// seconds, 1 MiB of output and 64 KiB of error output.
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
            may_change: None,
            max_memory: None,
            time_limit: Duration::from_secs(10),
            cancel: None,
            budget: None,
            waits_in_vain: None,
            interrupt_grace: None,
            stdout_cap: 1 << 20,
            stderr_cap: 64 << 10,
            is_ended_at_cap: false,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Spec {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Adds an environment variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Spec {
        self.env.push((name.into(), value.into()));
        self
    }
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each tells of another thing that can be missing")]
pub struct Output {
    /// How it ended.
    pub end: End,
    /// The start of its standard output, up to the cap.
    pub stdout: Vec<u8>,
    /// The start of its standard error, up to the cap.
    pub stderr: Vec<u8>,
    /// Whether there was more standard output than was kept.
    pub is_stdout_cut: bool,
    /// Whether there was more standard error than was kept.
    pub is_stderr_cut: bool,
    /// Whether another process still held the outputs open after the child had ended. What it would have
    /// written is missing; it was killed if it was in the child's process group or session.
    pub was_held: bool,
    /// Whether a descendant is still alive: another user's process, or one the system does not let go of.
    /// Known only if the child had a session of its own.
    pub has_survivors: bool,
}

impl Output {
    fn of_nothing(end: End) -> Output {
        Output {
            end,
            stdout: Vec::new(),
            stderr: Vec::new(),
            is_stdout_cut: false,
            is_stderr_cut: false,
            was_held: false,
            has_survivors: false,
        }
    }

    /// Whether the child ended by itself with exit code 0.
    pub fn is_success(&self) -> bool {
        self.end == End::Code(0)
    }
}

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself, with this exit code.
    Code(i32),
    /// By this signal, which we did not send.
    Signal(i32),
    /// It exceeded its time limit or its budget and was ended, or the budget left it no time to start.
    TimedOut,
    /// It was ended because the caller cancelled it ([`Spec::cancel`]).
    Cancelled,
    /// It was ended because it wrote more than the cap ([`Spec::is_ended_at_cap`]).
    AtCap,
}

/// Why a program could not be run.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The program's path is not absolute.
    #[error("{program:?} is not an absolute path")]
    NotAbsolute {
        /// The program.
        program: PathBuf,
    },
    /// It could not be started.
    #[error("cannot start {program:?}")]
    Start {
        /// The program, or the launcher if that could not be started.
        program: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// It was killed and is still there: the system does not let it go, as one that waits for a disk or another machine.
    #[error("{program:?} was killed but does not exit (process {pid})")]
    Stays {
        /// The program.
        program: PathBuf,
        /// Its process, or that of its launcher.
        pid: u32,
    },
    /// The system refused to wait for it or to read from it, or something ended its launcher.
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

/// A kernel handle for a process, readable once it has ended (`pidfd_open(2)`).
#[cfg(target_os = "linux")]
fn open_pidfd(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn open_pidfd(_pid: Pid) -> Option<OwnedFd> {
    None
}
