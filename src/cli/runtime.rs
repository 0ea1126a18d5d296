//! The runtime of long-running commands. It must not decide what runs on it.

use std::io;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use super::exit::Failure;

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
