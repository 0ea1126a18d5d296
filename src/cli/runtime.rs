//! The runtime of long-running commands. It must not decide what runs on it.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{io, thread};

use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};

use crate::process::{self, Cancel};

use super::exit::{Failure, Outcome};

/// How many threads for blocking work are started in advance and never end. tokio panics if the system
/// refuses a thread while there is none; with at least one, work waits for it instead.
const HELD_THREADS: usize = 4;
/// Longer than any run of the program.
const NEVER: Duration = Duration::from_hours(24 * 365);

/// Builds a runtime on this thread.
///
/// # Errors
/// The system has no resources for it or for its threads.
pub(super) fn runtime() -> Result<Runtime, Failure> {
    start().map_err(|source| Failure::Stream { what: "cannot start".to_owned(), source })
}

fn start() -> io::Result<Runtime> {
    let runtime = Builder::new_current_thread().enable_all().thread_keep_alive(NEVER).build()?;
    // Each thread waits until all are started, since an idle thread would take the next one's work.
    let (sender, receiver) = channel::<()>();
    let receiver = Arc::new(Mutex::new(receiver));
    for _ in 0..HELD_THREADS {
        // Ask the system for a thread first, in a way that reports a refusal as an error.
        drop(thread::Builder::new().spawn(|| ())?.join());
        let receiver = Arc::clone(&receiver);
        runtime.spawn_blocking(move || receiver.lock().unwrap_or_else(PoisonError::into_inner).recv());
    }
    drop(sender);
    Ok(runtime)
}

/// Listens for signals, and remembers the first one.
#[derive(Debug, Clone)]
pub(super) struct Signalled(Arc<Heard>);

#[derive(Debug, Default)]
struct Heard {
    /// The number of the first signal; zero if none arrived.
    number: AtomicU8,
    /// Whether nothing runs that must end first.
    is_resting: AtomicBool,
}

impl Signalled {
    /// Starts to listen: the first signal cancels. If listening is not possible, a signal ends the program at
    /// once, and the launcher ends what was started.
    pub(super) fn listen(cancel: Cancel) -> Signalled {
        let signalled = Signalled(Arc::default());
        let by_listener = signalled.clone();
        let (ready, is_ready) = channel();
        let listener = thread::Builder::new().spawn(move || listen_for_signal(&by_listener, &cancel, ready));
        if listener.is_ok() {
            // An error means that it cannot listen, so a signal ends the program.
            let _ = is_ready.recv();
        }
        signalled
    }

    /// The number of the signal that arrived, if any.
    pub(super) fn signal(&self) -> Option<u8> {
        Some(self.0.number.load(Ordering::SeqCst)).filter(|signal| *signal != 0)
    }

    /// Sets whether the program is idle, for example while it asks the user: a signal then ends it at once.
    pub(super) fn set_resting(&self, is_resting: bool) {
        self.0.is_resting.store(is_resting, Ordering::SeqCst);
    }
}

/// Waits for a signal. Installs the handlers on this thread, which also answers them: if it cannot start,
/// there are none.
fn listen_for_signal(signalled: &Signalled, cancel: &Cancel, ready: Sender<()>) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let mut hangup = signal(SignalKind::hangup())?;
        let _ = ready.send(());
        drop(ready);
        let kind = tokio::select! {
            _ = interrupt.recv() => SignalKind::interrupt(),
            _ = terminate.recv() => SignalKind::terminate(),
            _ = hangup.recv() => SignalKind::hangup(),
        };
        let number = u8::try_from(kind.as_raw_value()).unwrap_or(2);
        signalled.0.number.store(number, Ordering::SeqCst);
        cancel.cancel();
        if signalled.0.is_resting.load(Ordering::SeqCst) {
            process::exit(Outcome::Signalled(number).code());
        }
        // The action ends because it was cancelled, and the program ends with it.
        std::future::pending().await
    })
}
