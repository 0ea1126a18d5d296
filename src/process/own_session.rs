//! The launcher's counterpart: starts the launcher and reads what happened to the program.
//!
//! It must not mistake the launcher's own end for the program's.

use std::io::{PipeReader, PipeWriter, Read as _};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::event::{PollFd, PollFlags};
use rustix::time::ClockId;

use super::{End, Launcher, Spec, launcher, set_nonblocking};

/// The variable that marks the descendants of a run.
pub(super) const MARK: &str = "CLOSEOUT_RUN";

/// A program's own session.
pub(super) struct OwnSession {
    report: PipeReader,
    /// The writing end of the pipe, which the launcher opens by number; kept open until it has.
    given: Option<PipeWriter>,
    unread: Vec<u8>,
    /// The launcher's last report.
    pub(super) launcher_report: LauncherReport,
    /// A variable in the environment of this program and of no other run's.
    pub(super) mark: String,
}

/// A launcher's report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LauncherReport {
    /// None so far: nothing was started.
    Nothing,
    /// The program could not be started; the value is its error number (errno(3)).
    Failed(i32),
    /// The program is being started and may be running.
    Starting,
    /// The program ended.
    Ended(End),
}

impl OwnSession {
    /// The command that starts the program of `spec` through `launcher`.
    pub(super) fn prepare(spec: &Spec, launcher: &Launcher) -> std::io::Result<(Command, OwnSession)> {
        let (report, given) = std::io::pipe()?;
        set_nonblocking(report.as_fd())?;
        let mark = format!("{MARK}={}", unique());
        #[expect(clippy::disallowed_methods, reason = "this room is the one that spawns")]
        let mut command = Command::new(&launcher.program);
        command
            .arg0("closeout")
            .arg(launcher::ARGUMENT)
            .arg(format!("{}.{}", std::process::id(), given.as_raw_fd()))
            .arg(&spec.program)
            .args(&spec.args);
        let launcher_report = LauncherReport::Nothing;
        Ok((command, OwnSession { report, given: Some(given), unread: Vec::new(), launcher_report, mark }))
    }

    /// The mark as a name and a value.
    pub(super) fn variable(&self) -> (&str, &str) {
        self.mark.split_once('=').unwrap_or((MARK, ""))
    }

    /// Reads the reports that have arrived.
    pub(super) fn listen(&mut self) {
        let mut buffer = [0_u8; 256];
        loop {
            match self.report.read(&mut buffer) {
                Ok(0) => break,
                Ok(n_read) => self.unread.extend_from_slice(&buffer[..n_read]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        while let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.unread.drain(..=end).collect();
            if let Some(reported) = LauncherReport::parse(&line) {
                self.given = None;
                self.launcher_report = reported;
            }
        }
    }

    /// The descriptor that becomes readable when there is a report.
    pub(super) fn ear(&self) -> PollFd<'_> {
        PollFd::new(&self.report, PollFlags::IN)
    }
}

impl LauncherReport {
    fn parse(line: &[u8]) -> Option<LauncherReport> {
        let line = std::str::from_utf8(line).ok()?.trim_end();
        let number = |text: &str| text.parse::<i32>().ok();
        Some(match line.split_once(' ') {
            None if line == "starting" => LauncherReport::Starting,
            Some(("failed", errno)) => LauncherReport::Failed(number(errno)?),
            Some(("code", code)) => LauncherReport::Ended(End::Code(number(code)?)),
            Some(("signal", signal)) => LauncherReport::Ended(End::Signal(number(signal)?)),
            _ => return None,
        })
    }
}

/// A text that no other run since the machine was started has.
#[expect(clippy::disallowed_methods, reason = "it is part of a name, and no time")]
pub(super) fn unique() -> String {
    static RUNS: AtomicU64 = AtomicU64::new(0);
    let since_boot = rustix::time::clock_gettime(ClockId::Boottime);
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    format!("{}.{}.{:09}.{run}", std::process::id(), since_boot.tv_sec, since_boot.tv_nsec)
}
