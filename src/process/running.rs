//! The children that run at present. None outlives this program: it ends them when it ends by itself, and a
//! guardian ends those that it could not ([`guardian`]).
//!
//! It must not start a guardian before a child needs one, nor wait for it.

use std::io::{PipeWriter, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread;

use super::clock::now;
use super::own_session::{MARK, unique};
use super::{BETWEEN_ROUNDS, Cancel, GRACE, KILLING, Launcher, guardian, set_nonblocking, spawn};

/// Cancelled when this program ends.
static CLOSING: LazyLock<Cancel> = LazyLock::new(Cancel::new);
/// The value of the variable that marks the children of this program that have no session of their own.
static OWN_MARK: LazyLock<String> = LazyLock::new(unique);
static N_RUNNING: AtomicUsize = AtomicUsize::new(0);
static GUARDIAN: Mutex<Guardian> = Mutex::new(Guardian { own: None, running: None });

struct Guardian {
    /// This program, which is the guardian's, too. `None` goes without one.
    own: Option<Launcher>,
    /// Its process, and the pipe that tells it what begins and ends; closed with this program.
    running: Option<(Child, PipeWriter)>,
}

/// From now on, a guardian sees to it that no child outlives this program, even if it is killed. `own` is
/// this program; its `main` calls [`super::run_if_launcher`].
pub fn guard_children(own: Launcher) {
    GUARDIAN.lock().unwrap_or_else(PoisonError::into_inner).own = Some(own);
}

/// Ends this program at once, with this exit code: for a signal that comes while the main thread waits for a
/// person's answer. The guardian ends the children that still run.
#[expect(clippy::disallowed_methods, reason = "the main thread cannot be woken from its reading")]
pub fn exit(code: u8) -> ! {
    std::process::exit(i32::from(code))
}

/// Ends every child that still runs, on whatever thread, and waits for that. For the end of this program: no
/// further child can be run.
pub fn end_all_children() {
    if N_RUNNING.load(Ordering::SeqCst) != 0 {
        CLOSING.cancel();
        let until = now() + GRACE + KILLING;
        while N_RUNNING.load(Ordering::SeqCst) != 0 && now() < until {
            thread::sleep(BETWEEN_ROUNDS);
        }
    }
    let guardian = GUARDIAN.lock().unwrap_or_else(PoisonError::into_inner).running.take();
    if let Some((mut process, news)) = guardian {
        drop(news);
        // It ends at once. Where nobody collects orphans, it would remain as a zombie.
        let until = now() + GRACE;
        while matches!(process.try_wait(), Ok(None)) && now() < until {
            thread::sleep(BETWEEN_ROUNDS);
        }
    }
}

/// The request to end that every run obeys.
pub(super) fn closing() -> &'static Cancel {
    &CLOSING
}

/// The variable that marks a child of this program; none if no guardian looks for it.
pub(super) fn mark() -> Option<(&'static str, &'static str)> {
    let guardian = GUARDIAN.lock().unwrap_or_else(PoisonError::into_inner);
    guardian.own.as_ref().map(|_| (MARK, OWN_MARK.as_str()))
}

/// A child that is about to be started, or runs.
pub(super) struct Running;

impl Running {
    /// Notes it, before it is started.
    pub(super) fn begin() -> Running {
        N_RUNNING.fetch_add(1, Ordering::SeqCst);
        GUARDIAN.lock().unwrap_or_else(PoisonError::into_inner).tell(guardian::BEGUN);
        Running
    }

    /// Leaves it to the guardian, which ends it after this program if it can be ended by then.
    pub(super) fn leave(self) {
        std::mem::forget(self);
        N_RUNNING.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        GUARDIAN.lock().unwrap_or_else(PoisonError::into_inner).tell(guardian::ENDED);
        N_RUNNING.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Guardian {
    fn tell(&mut self, sign: u8) {
        let told = |(_, news): &mut (Child, PipeWriter)| news.write_all(&[sign]).is_ok();
        if !self.running.as_mut().is_some_and(told) && sign == guardian::BEGUN {
            // None yet, or something ended it.
            self.running = self.own.as_ref().and_then(|own| start(own).ok());
            // It has just begun to read.
            let _ = self.running.as_mut().is_some_and(told);
        }
    }
}

/// Starts a guardian in a process group of its own, which the terminal's keys do not reach.
fn start(own: &Launcher) -> std::io::Result<(Child, PipeWriter)> {
    let (read, write) = std::io::pipe()?;
    set_nonblocking(write.as_fd())?;
    #[expect(clippy::disallowed_methods, reason = "this room is the one that spawns")]
    let mut command = Command::new(&own.program);
    command
        .args([guardian::ARGUMENT, &format!("{MARK}={}", *OWN_MARK)])
        .current_dir("/")
        .env_clear()
        .process_group(0)
        .stdin(Stdio::from(read))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Ok((spawn::one_at_a_time(&mut command)?, write))
}
