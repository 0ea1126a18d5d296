//! A started child: whether it has ended, and how to end it together with everything it started.
//!
//! It must not wait for a child without a time limit, except to reap one that has ended.

use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus};

use super::clock::now;
use super::own_session::{LauncherReport, OwnSession};
use super::{
    BETWEEN_ROUNDS, End, GRACE, KILLING, Launcher, ProcessError, Spec, descendants, open_pidfd, running,
    spawn,
};
use crate::model::ProcessId;

/// How long the launcher may outlive the program if nothing else is left.
const MOMENT: Duration = Duration::from_millis(20);
/// The longest wait if the system cannot report the child's end through a descriptor.
const NO_PIDFD_STEP: Duration = Duration::from_millis(5);

/// The child, which is the launcher if the program has a session of its own.
pub(super) struct Started {
    /// Its handle. The caller takes the pipes from it.
    pub(super) child: Child,
    pid: Option<Pid>,
    pidfd: Option<OwnedFd>,
    own_session: Option<OwnSession>,
    /// Its descendants when it was asked to end, if there is no launcher to adopt those that lose their
    /// parent.
    known: Vec<ProcessId>,
}

impl Started {
    /// Starts the program described by `spec`.
    pub(super) fn start(spec: &Spec) -> Result<Started, ProcessError> {
        if let Some(program) = [Some(&spec.program), spec.own_session.as_ref().map(|it| &it.program)]
            .into_iter()
            .flatten()
            .find(|program| !program.is_absolute())
        {
            return Err(ProcessError::NotAbsolute { program: program.clone() });
        }
        let failed = |source| ProcessError::Start { program: spec.program.clone(), source };
        let input = match &spec.stdin_file {
            Some(file) => Stdio::from(file.try_clone().map_err(failed)?),
            None if spec.stdin.is_some() => Stdio::piped(),
            None => Stdio::null(),
        };
        let output = match &spec.stdout_file {
            Some(file) => Stdio::from(file.try_clone().map_err(failed)?),
            None => Stdio::piped(),
        };
        let errors = match &spec.stderr_file {
            Some(file) => Stdio::from(file.try_clone().map_err(failed)?),
            None => Stdio::piped(),
        };
        let (mut command, own_session) = match &spec.own_session {
            Some(launcher) => {
                let (command, own_session) = OwnSession::prepare(spec, launcher).map_err(failed)?;
                (command, Some(own_session))
            }
            None => (directly(spec), None),
        };
        command
            .current_dir(&spec.folder)
            .env_clear()
            .envs(spec.env.iter().map(|(name, value)| (name, value)))
            .envs(match &own_session {
                Some(own_session) => Some(own_session.variable()),
                None => running::mark(),
            })
            .stdin(input)
            .stdout(output)
            .stderr(errors);
        let started = match &spec.may_change {
            Some(folders) if own_session.is_none() => spawn::confined(&mut command, folders),
            Some(_) | None => spawn::one_at_a_time(&mut command),
        };
        let child = started.map_err(|source| {
            let launcher = spec.own_session.as_ref().filter(|launcher| !launcher.program.exists());
            let program = launcher.map_or(&spec.program, |launcher| &launcher.program).clone();
            ProcessError::Start { program, source }
        })?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        limit_memory(pid, spec.max_memory);
        Ok(Started { child, pid, pidfd: pid.and_then(open_pidfd), own_session, known: Vec::new() })
    }

    /// Whether the program has ended. It is not reaped here: as long as it is a zombie its PID cannot be
    /// reused, so signals to its group reach no other process.
    pub(super) fn has_ended(&mut self) -> std::io::Result<bool> {
        // Checked before the report is read, so that a report written at the very end is not missed.
        let has_child_ended = self.ended_child()?.is_some();
        let Some(own_session) = &mut self.own_session else { return Ok(has_child_ended) };
        own_session.listen();
        Ok(has_child_ended || matches!(own_session.launcher_report, LauncherReport::Ended(_)))
    }

    /// The descriptors that wake a caller waiting for the running program to end, and how long it may sleep
    /// at once.
    pub(super) fn bells(&self, limit: Duration) -> (impl Iterator<Item = PollFd<'_>>, Duration) {
        let pidfd = self.pidfd.as_ref().map(|pidfd| PollFd::new(pidfd, PollFlags::IN));
        let ear = self.own_session.as_ref().map(OwnSession::ear);
        let limit = if pidfd.is_some() { limit } else { limit.min(NO_PIDFD_STEP) };
        (pidfd.into_iter().chain(ear), limit)
    }

    /// Interrupts the program and its descendants, as Ctrl-C does.
    pub(super) fn interrupt(&mut self) {
        if self.own_session.is_some() {
            descendants::signal_below(self.child.id(), Signal::INT);
        } else {
            self.signal_group(Signal::INT);
        }
    }

    /// Asks the program and its descendants to end.
    pub(super) fn ask_to_end(&mut self) {
        if self.own_session.is_some() {
            descendants::signal_below(self.child.id(), Signal::TERM);
        } else {
            self.known = descendants::below(self.child.id());
            self.signal_group(Signal::TERM);
        }
    }

    /// Kills the program and its descendants until it has ended, and tells whether it has: not if the system does not let
    /// it go.
    pub(super) fn kill_until_ended(&mut self) -> bool {
        let kill = |limit| {
            self.kill();
            self.is_over_within(limit)
        };
        until_ended(kill, now)
    }

    /// Whether the program ends within `limit`, or nothing can be learnt of it any more.
    fn is_over_within(&mut self, limit: Duration) -> bool {
        let until = now() + limit;
        loop {
            if !matches!(self.has_ended(), Ok(false)) {
                return true;
            }
            let left = until.saturating_duration_since(now());
            if left.is_zero() {
                return false;
            }
            let (bells, left) = self.bells(left);
            let timeout = Timespec::try_from(left).unwrap_or(Timespec { tv_sec: 1, tv_nsec: 0 });
            // Interrupted or not, the program is checked again.
            let _ = rustix::event::poll(&mut bells.collect::<Vec<_>>(), Some(&timeout));
        }
    }

    /// Kills the program and its descendants, once.
    fn kill(&mut self) {
        if self.own_session.is_some() {
            if descendants::signal_below(self.child.id(), Signal::KILL) == 0 {
                // Only the launcher is there: it was stopped, or never got as far as starting anything.
                self.kill_child();
            }
            return;
        }
        let mut all = std::mem::take(&mut self.known);
        all.extend(descendants::below(self.child.id()));
        self.known = descendants::with_theirs(all);
        self.signal_group(Signal::KILL);
        for process in &self.known {
            descendants::signal(*process, Signal::KILL);
        }
    }

    /// Ends whatever is left of a program that has ended. Returns whether something could not be ended.
    /// Without a session of its own only the program's group can be found, and it is killed only if
    /// `is_by_force`.
    pub(super) fn end_the_rest(&mut self, is_by_force: bool) -> bool {
        let launcher = self.child.id();
        let Some(mark) = self.own_session.as_ref().map(|own_session| own_session.mark.clone()) else {
            if is_by_force {
                self.kill();
            }
            return false;
        };
        if !self.ends_within(MOMENT) && !is_by_force {
            // A server that the program started, or a part of it that outlived it, is asked as politely as
            // the program.
            descendants::signal_below(launcher, Signal::TERM);
            self.ends_within(GRACE);
        }
        let until = now() + KILLING;
        // The launcher ends once nothing is left. It knows that better than a list read while processes
        // start and end.
        while !self.ends_within(BETWEEN_ROUNDS) && now() < until {
            if descendants::signal_below(launcher, Signal::KILL) == 0 {
                self.let_child_go_on();
            }
        }
        let has_ended = self.ends_within(Duration::ZERO);
        if has_ended && self.has_child_succeeded() {
            return false;
        }
        let is_nothing_found = self.end_what_was_left_behind(mark.as_bytes(), now() + GRACE);
        !(has_ended && is_nothing_found)
    }

    /// Whether the launcher ended with success, which means that nothing is left.
    fn has_child_succeeded(&self) -> bool {
        self.ended_child().ok().flatten().is_some_and(|status| status.exit_status() == Some(0))
    }

    /// Kills what the launcher can no longer adopt. Returns whether nothing is left.
    fn end_what_was_left_behind(&mut self, mark: &[u8], until: Instant) -> bool {
        self.kill_child();
        self.ends_within(GRACE);
        loop {
            let left = descendants::left_behind(self.child.id(), mark);
            if left.is_empty() || now() >= until {
                return left.is_empty();
            }
            for process in left {
                descendants::signal(process, Signal::KILL);
            }
            std::thread::sleep(BETWEEN_ROUNDS);
        }
    }

    /// The error for a child that nothing ends.
    pub(super) fn stays(&self, spec: &Spec) -> ProcessError {
        ProcessError::Stays { program: spec.program.clone(), pid: self.child.id() }
    }

    /// How the program ended. Reaps the child, which must have ended or be about to.
    pub(super) fn end(mut self, spec: &Spec) -> Result<End, ProcessError> {
        if !self.ends_within(KILLING) {
            return Err(self.stays(spec));
        }
        let status = self.child.wait().map_err(|source| lost(spec, source))?;
        let Some((own_session, launcher)) = self.own_session.as_mut().zip(spec.own_session.as_ref()) else {
            return Ok(end_of(status));
        };
        own_session.listen();
        match own_session.launcher_report {
            LauncherReport::Ended(end) => Ok(end),
            LauncherReport::Starting => {
                let source =
                    std::io::Error::other(format!("what gave it a session of its own ended ({status})"));
                Err(lost(spec, source))
            }
            LauncherReport::Failed(errno) => {
                let source = std::io::Error::from_raw_os_error(errno);
                Err(ProcessError::Start { program: spec.program.clone(), source })
            }
            LauncherReport::Nothing => Err(not_launched(launcher, status)),
        }
    }

    /// Whether the child itself ends within `limit`.
    fn ends_within(&self, limit: Duration) -> bool {
        let until = now() + limit;
        loop {
            match self.ended_child() {
                Ok(None) => {}
                Ok(Some(_)) | Err(_) => return true,
            }
            let left = until.saturating_duration_since(now());
            if left.is_zero() {
                return false;
            }
            match &self.pidfd {
                Some(pidfd) => {
                    let timeout = Timespec::try_from(left).unwrap_or(Timespec { tv_sec: 1, tv_nsec: 0 });
                    // Interrupted or not, the child is checked again.
                    let _ = rustix::event::poll(&mut [PollFd::new(pidfd, PollFlags::IN)], Some(&timeout));
                }
                None => std::thread::sleep(left.min(NO_PIDFD_STEP)),
            }
        }
    }

    /// How the child ended; `None` while it runs.
    fn ended_child(&self) -> std::io::Result<Option<WaitIdStatus>> {
        let pid = self.pid.ok_or(rustix::io::Errno::CHILD)?;
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        match rustix::process::waitid(WaitId::Pid(pid), options) {
            Ok(status) => Ok(status),
            Err(rustix::io::Errno::INTR) => Ok(None),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Resumes a launcher that the program has stopped.
    fn let_child_go_on(&self) {
        if let Some(pid) = self.pid {
            // It may have ended by now. Its PID is not reused until it is reaped.
            let _ = rustix::process::kill_process(pid, Signal::CONT);
        }
    }

    fn kill_child(&mut self) {
        // It may have ended by now.
        let _ = self.child.kill();
    }

    fn signal_group(&self, signal: Signal) {
        if let Some(pid) = self.pid {
            // The group may be gone already; then there is nothing to signal.
            let _ = rustix::process::kill_process_group(pid, signal);
        }
    }
}

/// Kills again and again, at most for [`KILLING`] and at least once, until something has ended, and tells whether it has.
/// `kill` kills once and tells whether that came to an end within the time that it is given. Only a process in a call that
/// nothing interrupts survives it.
fn until_ended(mut kill: impl FnMut(Duration) -> bool, now: impl Fn() -> Instant) -> bool {
    let first = now();
    loop {
        if kill(GRACE) {
            return true;
        }
        if now().saturating_duration_since(first) >= KILLING {
            return false;
        }
    }
}

/// The command that starts the program directly, in a process group of its own.
fn directly(spec: &Spec) -> Command {
    #[expect(clippy::disallowed_methods, reason = "this room is the one that spawns")]
    let mut command = Command::new(&spec.program);
    command.args(&spec.args).process_group(0);
    command
}

/// Limits the memory of a program that has just started: it has taken next to none by now.
#[cfg(target_os = "linux")]
fn limit_memory(pid: Option<Pid>, most: Option<u64>) {
    use rustix::process::{Resource, Rlimit, prlimit};
    let (Some(pid), Some(_)) = (pid, most) else { return };
    // It may have ended by now.
    if let Err(errno) = prlimit(Some(pid), Resource::Data, Rlimit { current: most, maximum: most }) {
        tracing::debug!("the memory of a child is not limited: {errno}");
    }
}

#[cfg(not(target_os = "linux"))]
fn limit_memory(_pid: Option<Pid>, _most: Option<u64>) {}

fn end_of(status: ExitStatus) -> End {
    status.code().map_or_else(|| End::Signal(status.signal().unwrap_or_default()), End::Code)
}

fn not_launched(launcher: &Launcher, status: ExitStatus) -> ProcessError {
    let source = std::io::Error::other(format!("it gave the program no session of its own ({status})"));
    ProcessError::Start { program: launcher.program.clone(), source }
}

/// The error for a child whose state the system refused to report.
pub(super) fn lost(spec: &Spec, source: std::io::Error) -> ProcessError {
    ProcessError::Lost { program: spec.program.clone(), source }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// How often it is killed, and what comes of it, if it ends after so many times and each takes as long as it may and
    /// `more` besides.
    fn killed(ends_after: usize, more: Duration) -> (usize, bool, Duration) {
        let (began, n, passed) = (now(), Cell::new(0), Cell::new(Duration::ZERO));
        let kill = |limit: Duration| {
            assert!(limit >= Duration::from_millis(100), "it never spins");
            n.set(n.get() + 1);
            let has_ended = n.get() > ends_after;
            passed.set(passed.get() + more + if has_ended { Duration::ZERO } else { limit });
            has_ended
        };
        let has_ended = until_ended(kill, || began + passed.get());
        (n.get(), has_ended, passed.get())
    }

    #[test]
    fn what_does_not_end_although_it_is_killed_is_given_up() {
        assert_eq!(killed(0, Duration::ZERO), (1, true, Duration::ZERO));
        assert!(killed(2, Duration::ZERO).1);
        let (n, has_ended, passed) = killed(usize::MAX, Duration::ZERO);
        assert!(!has_ended && n < 6 && passed <= KILLING + GRACE, "{n} {passed:?}");
        // Where killing takes long, as among many processes.
        assert_eq!(killed(usize::MAX, Duration::from_mins(1)).0, 1);
    }
}
