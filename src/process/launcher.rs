//! What closeout does when it is started as a launcher, to give a program a session of its own: it leads
//! the session, starts the program in it, and adopts every process that the program leaves without a
//! parent, so that nothing it started gets out of sight.
//!
//! It lives as long as any descendant of the program, and ends them all if the process that started it goes
//! away. It must not read the program's input, write to its outputs, or touch the terminal.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};

use super::{GRACE, descendants, guardian};

/// The first argument, which appears in no help text.
pub(super) const ARGUMENT: &str = "__own-session";
/// How often the remaining processes are killed after the starter has gone.
const ROUNDS: u32 = 1000;
/// The time between two rounds.
const BETWEEN_ROUNDS: Duration = Duration::from_millis(5);

/// Runs the launcher for [`crate::process::Spec::own_session`], or the guardian of
/// [`crate::process::guard_children`], if these are its arguments, else returns `None`. It starts nothing if
/// no process is waiting for it, as when a user types the arguments.
pub fn run_if_launcher(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.into_iter().skip(1);
    let argument = arguments.next()?;
    if argument == guardian::ARGUMENT {
        return Some(guardian::run(arguments.next().as_deref()));
    }
    if argument != ARGUMENT {
        return None;
    }
    let report = arguments.next().and_then(|place| Report::open(&place));
    let Some((report, program)) = report.zip(arguments.next()) else {
        // Without standard error nobody can be told.
        let _ =
            writeln!(std::io::stderr(), "closeout: {ARGUMENT} is for closeout itself; try `closeout --help`");
        return Some(ExitCode::from(2));
    };
    Some(match keep(&program, arguments.collect(), report) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    })
}

/// The pipe to the starter: what happened to the program, one line per event.
struct Report {
    pipe: File,
}

impl Report {
    /// Opens the pipe at `place`: the starter's PID, a dot, and the number of its descriptor. It is not
    /// inherited, so no other child can get it.
    fn open(place: &OsStr) -> Option<Report> {
        let (parent, descriptor) = place.to_str()?.split_once('.')?;
        let (parent, descriptor): (i32, u32) = (parent.parse().ok()?, descriptor.parse().ok()?);
        let pipe = File::options()
            .write(true)
            .custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed())
            .open(format!("/proc/{parent}/fd/{descriptor}"))
            .ok()?;
        let is_pipe = pipe.metadata().ok()?.file_type().is_fifo();
        // Checked last: until now the PID cannot have been reused.
        let is_of_parent = rustix::process::getppid() == Pid::from_raw(parent);
        (is_pipe && is_of_parent).then_some(Report { pipe })
    }

    fn tell(&mut self, line: &str) {
        // The reader may be gone; that is noticed elsewhere.
        let _ = writeln!(self.pipe, "{line}");
    }

    /// Sleeps until nobody can read the pipe any more.
    fn wait_for_its_end(&self) {
        loop {
            let mut fds = [PollFd::new(&self.pipe, PollFlags::empty())];
            match rustix::event::poll(&mut fds, None) {
                Ok(_) => return,
                Err(Errno::INTR) => {}
                Err(_) => thread::sleep(BETWEEN_ROUNDS),
            }
        }
    }
}

/// Starts the program and stays until none of its descendants is left.
fn keep(program: &OsStr, arguments: Vec<OsString>, mut report: Report) -> std::io::Result<()> {
    // Reported first: if the program ends this process immediately, it has been started all the same.
    report.tell("starting");
    let child = match start(program, arguments, &report) {
        Ok(child) => child,
        Err(error) => {
            let errno = error.raw_os_error().unwrap_or_else(|| Errno::IO.raw_os_error());
            report.tell(&format!("failed {errno}"));
            return Err(error);
        }
    };
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == child => report.tell(&line_of(status)),
            Ok(_) | Err(Errno::INTR) => {}
            Err(Errno::CHILD) => return Ok(()),
            Err(errno) => return Err(errno.into()),
        }
    }
}

fn line_of(status: WaitStatus) -> String {
    match status.exit_status() {
        Some(code) => format!("code {code}"),
        None => format!("signal {}", status.terminating_signal().unwrap_or_default()),
    }
}

fn start(program: &OsStr, arguments: Vec<OsString>, report: &Report) -> std::io::Result<Pid> {
    rustix::process::setsid()?;
    take_over_orphans()?;
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    let watched = Report { pipe: report.pipe.try_clone()? };
    thread::Builder::new().name("parent".to_owned()).spawn(move || {
        watched.wait_for_its_end();
        end_all();
    })?;
    #[expect(clippy::disallowed_methods, reason = "this room is the one that spawns")]
    let child = Command::new(program)
        .args(arguments)
        // Not this process's group, which must not receive what the program signals to its own group. Not a
        // session leader either, which could acquire a terminal by opening one.
        .process_group(0)
        .spawn()?;
    // From now on only the program's descendants hold its outputs open. If this fails, the outputs merely
    // seem to be held and the program is running, which is no reason to end.
    let _ = rustix::stdio::dup2_stdin(&nothing);
    let _ = rustix::stdio::dup2_stdout(&nothing);
    let _ = rustix::stdio::dup2_stderr(&nothing);
    i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or_else(|| Errno::CHILD.into())
}

/// Ends all descendants of the program.
fn end_all() {
    let own = rustix::process::getpid().as_raw_nonzero().get().cast_unsigned();
    descendants::signal_below(own, Signal::TERM);
    thread::sleep(GRACE);
    for _ in 0..ROUNDS {
        // When the last one has ended, this process ends too.
        descendants::signal_below(own, Signal::KILL);
        thread::sleep(BETWEEN_ROUNDS);
    }
}

#[cfg(target_os = "linux")]
fn take_over_orphans() -> std::io::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?)
}

#[cfg(not(target_os = "linux"))]
fn take_over_orphans() -> std::io::Result<()> {
    Err(Errno::NOSYS.into())
}
