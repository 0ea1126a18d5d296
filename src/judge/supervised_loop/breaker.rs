//! The circuit breaker of a workspace: it stops runs and smart checks that only time out.
//!
//! Only genuine time-outs count: an agent that is at work, waits or answers "not done" is none.

/// So many time-outs in a row open it.
pub const TIME_OUTS_TO_OPEN: u32 = 3;

/// How often in a row it timed out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Breaker {
    /// Time-outs since the last end of another kind.
    pub n_time_outs: u32,
}

/// What it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerNews {
    /// A genuine time-out.
    TimedOut,
    /// The work is complete.
    Succeeded,
    /// Anything else.
    Other,
}

impl Breaker {
    /// The breaker after `news`. One that is open is closed by a success only.
    #[must_use]
    pub fn after(self, news: BreakerNews) -> Breaker {
        match news {
            BreakerNews::TimedOut => Breaker { n_time_outs: self.n_time_outs.saturating_add(1) },
            BreakerNews::Other if self.is_open() => self,
            BreakerNews::Succeeded | BreakerNews::Other => Breaker::default(),
        }
    }

    /// Whether nothing more is to be started.
    pub fn is_open(self) -> bool {
        self.n_time_outs >= TIME_OUTS_TO_OPEN
    }
}
