//! The circuit breaker of a workspace: it stops runs and smart checks that only time out.
//!
//! Must not count anything but genuine time-outs: an agent that works, waits or answers
//! "not done" has not timed out.

/// How many consecutive time-outs open the breaker.
pub const TIME_OUTS_TO_OPEN: u32 = 3;

/// How many consecutive times the agent has timed out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Breaker {
    /// Time-outs since the last end of another kind.
    pub n_time_outs: u32,
}

/// How a run or probe ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerNews {
    /// It genuinely timed out.
    TimedOut,
    /// The work is complete.
    Succeeded,
    /// Anything else.
    Other,
}

impl Breaker {
    /// The breaker after `news`. Only a success closes an open breaker.
    #[must_use]
    pub fn after(self, news: BreakerNews) -> Breaker {
        match news {
            BreakerNews::TimedOut => Breaker { n_time_outs: self.n_time_outs.saturating_add(1) },
            BreakerNews::Other if self.is_open() => self,
            BreakerNews::Succeeded | BreakerNews::Other => Breaker::default(),
        }
    }

    /// Whether nothing more may be started.
    pub fn is_open(self) -> bool {
        self.n_time_outs >= TIME_OUTS_TO_OPEN
    }
}
