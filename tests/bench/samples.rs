//! Durations that were measured, and what is said of them.

use std::time::{Duration, Instant};

/// Durations of the same thing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    /// Adds one.
    pub(crate) fn push(&mut self, took: Duration) {
        self.0.push(took);
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The median.
    pub(crate) fn p50(&self) -> Duration {
        self.quantile(50)
    }

    /// The 99th percentile; the largest of fewer than a hundred.
    pub(crate) fn p99(&self) -> Duration {
        self.quantile(99)
    }

    /// The largest.
    pub(crate) fn max(&self) -> Duration {
        self.0.iter().max().copied().unwrap_or_default()
    }

    fn quantile(&self, percent: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort();
        let position = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
        sorted.get(position).copied().unwrap_or_default()
    }
}

/// What an action takes, each time.
pub(crate) fn time(count: usize, mut action: impl FnMut()) -> Samples {
    let mut samples = Samples::default();
    for _ in 0..count {
        let began = Instant::now();
        action();
        samples.push(began.elapsed());
    }
    samples
}

/// What an action takes when it is too short to be timed alone: the mean of each batch.
pub(crate) fn time_in_batches(count: usize, batch: u32, mut action: impl FnMut()) -> Samples {
    let mut samples = Samples::default();
    for _ in 0..count {
        let began = Instant::now();
        for _ in 0..batch {
            action();
        }
        samples.push(began.elapsed() / batch);
    }
    samples
}

/// The CPU time that this thread has taken; children are not in it.
pub(crate) fn thread_cpu() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0))
}

/// A duration with the unit that fits it.
pub(crate) fn shown(span: Duration) -> String {
    let micros = span.as_secs_f64() * 1e6;
    match micros {
        ..1.0 => format!("{:.0} ns", micros * 1e3),
        ..100.0 => format!("{micros:.1} µs"),
        ..1e3 => format!("{micros:.0} µs"),
        ..1e5 => format!("{:.2} ms", micros / 1e3),
        ..1e6 => format!("{:.0} ms", micros / 1e3),
        _ => format!("{:.2} s", micros / 1e6),
    }
}
