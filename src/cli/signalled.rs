//! Handles signals that end the program while an action runs: the action, with all that it started, must end
//! first.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use tokio::signal::unix::{SignalKind, signal};

use crate::process::Cancel;

/// Listens for signals, and remembers the first one.
#[derive(Debug, Clone)]
pub(super) struct Signalled(Arc<AtomicU8>);

impl Signalled {
    /// Starts to listen: the first signal cancels. If listening is not possible, a signal ends the program at
    /// once, and the launcher ends what was started.
    pub(super) fn listen(cancel: Cancel) -> Signalled {
        let heard = Signalled(Arc::default());
        let told = heard.clone();
        let (ready, is_ready) = channel();
        let listener = thread::Builder::new().spawn(move || hear(&told, &cancel, ready));
        if listener.is_ok() {
            // An error means that it cannot listen, so a signal ends the program.
            let _ = is_ready.recv();
        }
        heard
    }

    /// The number of the signal that arrived, if any.
    pub(super) fn signal(&self) -> Option<u8> {
        Some(self.0.load(Ordering::SeqCst)).filter(|signal| *signal != 0)
    }
}

/// Waits for a signal. Installs the handlers on this thread, which also answers them: if it cannot start,
/// there are none.
fn hear(told: &Signalled, cancel: &Cancel, ready: Sender<()>) -> io::Result<()> {
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
        told.0.store(u8::try_from(kind.as_raw_value()).unwrap_or(2), Ordering::SeqCst);
        cancel.cancel();
        // The action ends because it was cancelled, and the program ends with it.
        std::future::pending().await
    })
}
