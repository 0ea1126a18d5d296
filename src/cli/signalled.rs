//! Signals that end the program while an action runs: the action is ended first, with all that it started.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;

use tokio::signal::unix::{SignalKind, signal};

use crate::process::Cancel;

/// Listens for signals, and remembers the first one.
#[derive(Debug, Clone)]
pub(super) struct Signalled(Arc<AtomicU8>);

impl Signalled {
    /// Listens from now on: the first signal cancels. Where listening cannot be begun a signal ends the
    /// program at once, and what was started is ended by its launcher.
    pub(super) fn listen(cancel: Cancel) -> Signalled {
        let heard = Signalled(Arc::default());
        let told = heard.clone();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let Ok(runtime) = runtime else { return heard };
        let entered = runtime.enter();
        let signals = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let mut listening = Vec::new();
        for kind in signals {
            let Ok(stream) = signal(kind) else { return heard };
            listening.push((kind, stream));
        }
        drop(entered);
        thread::spawn(move || {
            runtime.block_on(async {
                let [(first, one), (second, two), (third, three)] = listening.as_mut_slice() else { return };
                let kind = tokio::select! {
                    _ = one.recv() => first.as_raw_value(),
                    _ = two.recv() => second.as_raw_value(),
                    _ = three.recv() => third.as_raw_value(),
                };
                told.0.store(u8::try_from(kind).unwrap_or(2), Ordering::SeqCst);
                cancel.cancel();
                // The action answers to that, and the program ends with it.
                std::future::pending::<()>().await;
            });
        });
        heard
    }

    /// The signal that came, if one did.
    pub(super) fn signal(&self) -> Option<u8> {
        Some(self.0.load(Ordering::SeqCst)).filter(|signal| *signal != 0)
    }
}
