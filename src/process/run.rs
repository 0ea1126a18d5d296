//! Runs one child until it ends or its time limit passes, and reads its outputs for 0.3 s more if something
//! still holds them open.

use std::io::Write as _;
use std::os::fd::AsFd;
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};

use super::child::{self, Started};
use super::clock::now;
use super::progress::Progress;
use super::running::{self, Running};
use super::{Budget, Cancel, End, GRACE, Output, ProcessError, Spec, descendants, set_nonblocking};

/// How many times its limit a child may run on a machine that is too busy for it.
const MAX_STARVED: u32 = 6;
/// How long to keep reading the outputs after the child has ended.
const AFTER_EXIT: Duration = Duration::from_millis(300);

/// Runs `spec` and waits for the result. Blocks for at most the time limit and about a second more; for about five if
/// the system does not let go of the program.
///
/// # Errors
/// The program cannot be started, does not end although it was killed, or the system lost track of it. A program that
/// ends with an error is not one; see [`Output::end`].
pub fn run(spec: &Spec) -> Result<Output, ProcessError> {
    if spec.budget.as_ref().is_some_and(|budget| budget.left().is_zero()) {
        return Ok(Output::of_nothing(End::TimedOut));
    }
    let running = Running::begin();
    let mut run = Run::start(spec)?;
    let outcome = run.follow();
    if run.stays {
        running.leave();
        return Err(run.started.stays(spec));
    }
    let is_by_force = outcome.is_err() || run.was_held || run.ended_as.is_some();
    let has_survivors = run.started.end_the_rest(is_by_force);
    let end = run.started.end(spec);
    if matches!(end, Err(ProcessError::Stays { .. })) {
        running.leave();
    }
    outcome.map_err(|source| child::lost(spec, source))?;
    Ok(Output {
        end: run.ended_as.map_or(end, Ok)?,
        is_stdout_cut: run.stdout.is_cut,
        is_stderr_cut: run.stderr.is_cut,
        stdout: run.stdout.kept,
        stderr: run.stderr.kept,
        was_held: run.was_held,
        has_survivors,
    })
}

/// One output of the child.
struct Stream<T> {
    pipe: Option<T>,
    kept: Vec<u8>,
    cap: usize,
    is_cut: bool,
}

impl<T: AsFd + std::io::Read> Stream<T> {
    fn new(pipe: Option<T>, cap: usize) -> std::io::Result<Stream<T>> {
        if let Some(pipe) = &pipe {
            set_nonblocking(pipe.as_fd())?;
        }
        Ok(Stream { pipe, kept: Vec::new(), cap, is_cut: false })
    }

    /// Reads what is available. Anything beyond the cap is dropped.
    fn drain(&mut self) {
        let mut buffer = [0_u8; 16 << 10];
        // Bounded, so that a flood of output cannot keep the loop from its deadlines.
        for _ in 0..64 {
            let Some(pipe) = &mut self.pipe else { return };
            match pipe.read(&mut buffer) {
                Ok(0) => self.pipe = None,
                Ok(n_read) => {
                    let n_kept = n_read.min(self.cap - self.kept.len());
                    self.kept.extend_from_slice(&buffer[..n_kept]);
                    self.is_cut |= n_kept < n_read;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return,
                Err(_) => self.pipe = None,
            }
        }
    }
}

/// A running child.
struct Run<'a> {
    spec: &'a Spec,
    started: Started,
    stdin: Option<ChildStdin>,
    n_written: usize,
    stdout: Stream<ChildStdout>,
    stderr: Stream<ChildStderr>,
    /// Why it was ended, if it was.
    ended_as: Option<End>,
    was_held: bool,
    /// Whether it was killed and is given up.
    stays: bool,
    /// Whether it gets on, if it has a budget.
    progress: Option<Progress>,
}

impl<'a> Run<'a> {
    fn start(spec: &'a Spec) -> Result<Run<'a>, ProcessError> {
        let mut started = Started::start(spec)?;
        let failed = |source| child::lost(spec, source);
        let stdin = started.child.stdin.take();
        if let Some(stdin) = &stdin {
            set_nonblocking(stdin.as_fd()).map_err(failed)?;
        }
        Ok(Run {
            spec,
            stdin,
            n_written: 0,
            stdout: Stream::new(started.child.stdout.take(), spec.stdout_cap).map_err(failed)?,
            stderr: Stream::new(started.child.stderr.take(), spec.stderr_cap).map_err(failed)?,
            started,
            ended_as: None,
            was_held: false,
            stays: false,
            progress: spec
                .budget
                .as_ref()
                .map(|budget| Progress::new(now(), budget.left(), spec.waits_in_vain.clone())),
        })
    }

    /// Moves bytes until the child has ended and its outputs are closed, or have been held too long.
    fn follow(&mut self) -> std::io::Result<()> {
        let begun = now();
        let mut phase = Phase::Running { until: begun + self.spec.time_limit };
        loop {
            self.write_some();
            self.stdout.drain();
            self.stderr.drain();
            let has_ended = self.started.has_ended()?;
            if has_ended && self.stdout.pipe.is_none() && self.stderr.pipe.is_none() {
                return Ok(());
            }
            if has_ended && !matches!(phase, Phase::Ended { .. }) {
                phase = Phase::Ended { until: now() + AFTER_EXIT };
            }
            let now = now();
            match phase {
                Phase::Ended { until } if now >= until => {
                    self.was_held = true;
                    return Ok(());
                }
                Phase::Running { until } if now >= until && self.is_starved(begun, now) => {
                    phase = Phase::Running { until: now + self.spec.time_limit / 4 };
                }
                Phase::Running { until } => {
                    let hang = self.progress.as_mut().and_then(|it| it.hang(self.started.child.id(), now));
                    self.ended_as = self.reason_to_end(now >= until || hang.is_some());
                    if self.ended_as == Some(End::TimedOut)
                        && let Some(budget) = &self.spec.budget
                    {
                        budget.lose(hang.unwrap_or(self.spec.time_limit));
                    }
                    phase = match (self.ended_as, self.spec.interrupt_grace) {
                        (None, _) => phase,
                        (Some(_), Some(grace)) => {
                            self.started.interrupt();
                            Phase::Interrupted { until: now + grace }
                        }
                        (Some(_), None) => self.warn(now),
                    };
                }
                Phase::Interrupted { until } if now >= until => phase = self.warn(now),
                Phase::Warned { until } if now >= until => {
                    if !self.started.kill_until_ended() {
                        self.stays = true;
                        return Ok(());
                    }
                }
                Phase::Interrupted { .. } | Phase::Warned { .. } | Phase::Ended { .. } => {}
            }
            let look = self.progress.as_ref().filter(|_| matches!(phase, Phase::Running { .. }));
            let until = look.into_iter().map(Progress::next_look).chain([phase.until()]).min().unwrap_or(now);
            self.wait_for_something(until.saturating_duration_since(now), has_ended)?;
        }
    }

    /// Whether the child, which may lose only what its budget allows, had no processor for so long that without that wait
    /// it would still have time.
    fn is_starved(&self, begun: Instant, now: Instant) -> bool {
        let passed = now.saturating_duration_since(begun);
        self.spec.budget.is_some()
            && passed < self.spec.time_limit * MAX_STARVED
            && passed.saturating_sub(descendants::time_without_processor(self.started.child.id()))
                < self.spec.time_limit
    }

    /// Asks the child to end.
    fn warn(&mut self, now: Instant) -> Phase {
        self.started.ask_to_end();
        Phase::Warned { until: now + GRACE }
    }

    /// The requests to end that it obeys.
    fn cancels(&self) -> impl Iterator<Item = &'a Cancel> {
        self.spec.cancel.iter().chain([running::closing()])
    }

    /// Why the running child has to be ended now, if so.
    fn reason_to_end(&self, is_late: bool) -> Option<End> {
        if self.cancels().any(Cancel::is_cancelled) {
            Some(End::Cancelled)
        } else if self.spec.budget.as_ref().is_some_and(|budget| budget.closed().is_cancelled()) {
            Some(End::TimedOut)
        } else if self.spec.is_ended_at_cap && self.stdout.is_cut {
            Some(End::AtCap)
        } else {
            is_late.then_some(End::TimedOut)
        }
    }

    /// Sleeps until a pipe or the child's end needs attention, at most for `limit`.
    fn wait_for_something(&self, limit: Duration, has_ended: bool) -> std::io::Result<()> {
        let mut fds: Vec<PollFd<'_>> = Vec::with_capacity(7);
        if let Some(pipe) = &self.stdout.pipe {
            fds.push(PollFd::new(pipe, PollFlags::IN));
        }
        if let Some(pipe) = &self.stderr.pipe {
            fds.push(PollFd::new(pipe, PollFlags::IN));
        }
        if let Some(pipe) = &self.stdin {
            fds.push(PollFd::new(pipe, PollFlags::OUT));
        }
        let (bells, bells_limit) = self.started.bells(limit);
        let limit = if has_ended {
            limit
        } else {
            fds.extend(bells);
            bells_limit
        };
        // Once signalled it stays readable, and would keep this from sleeping.
        let closed = self.spec.budget.as_ref().map(Budget::closed);
        let cancels = self.cancels().chain(closed).filter(|_| self.ended_as.is_none() && !has_ended);
        let limit = cancels.fold(limit, |limit, cancel| {
            fds.extend(cancel.bell());
            cancel.longest_sleep(limit)
        });
        let timeout = Timespec::try_from(limit.max(Duration::from_millis(1)))
            .unwrap_or(Timespec { tv_sec: 1, tv_nsec: 0 });
        match rustix::event::poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    fn write_some(&mut self) {
        let Some(bytes) = &self.spec.stdin else { return };
        while let Some(pipe) = &mut self.stdin {
            match pipe.write(&bytes[self.n_written..]) {
                Ok(n_written) => self.n_written += n_written,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return,
                // The child does not read the rest.
                Err(_) => self.stdin = None,
            }
            if self.n_written >= bytes.len() {
                self.stdin = None;
            }
        }
    }
}

/// What the run is waiting for.
#[derive(Clone, Copy)]
enum Phase {
    /// The child to end by itself.
    Running { until: Instant },
    /// The child to end after INT.
    Interrupted { until: Instant },
    /// The child to end after TERM.
    Warned { until: Instant },
    /// The outputs to close after the child ended.
    Ended { until: Instant },
}

impl Phase {
    fn until(self) -> Instant {
        match self {
            Phase::Running { until }
            | Phase::Interrupted { until }
            | Phase::Warned { until }
            | Phase::Ended { until } => until,
        }
    }
}
