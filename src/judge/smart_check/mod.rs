//! The smart check: a state machine that finds out with few probes whether an agent is done.
//!
//! Must not act itself. It takes events and returns the next step; its driver counts commits, sends probes,
//! looks at changes, rescues and waits. The rules are those of `tests/vectors/smart_check.json`.
//!
//! A *round* is one probe and its consequences. A round that settles nothing is lost: the check waits, then
//! starts the next one.

mod machine;
mod probe;

pub use machine::SmartCheck;
pub use probe::{ProbeReport, read_probe, read_probe_doubting, read_probe_text};

pub use crate::model::{ProbeFailure, ProbeReading, ProbeWord, SmartOutcome, SmartStatus};

/// The limits of a smart check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmartCheckConfig {
    /// The most probes to send; 0 sends none.
    pub max_probes: u32,
    /// The wait between two probes, in seconds.
    pub probe_interval_seconds: u64,
    /// Whether changes that are left when time is up are rescued.
    pub has_final_rescue: bool,
    /// Whether a rescue may commit. One that only records cannot produce the commits that a further round
    /// would wait for, so time is up as soon as the agent says that it is done while changes are left.
    pub may_commit: bool,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Count the commits since the baseline, and answer with [`Happened::Commits`].
    CountCommits,
    /// Send a probe, and answer with [`Happened::Probed`].
    Probe {
        /// 1 for the first probe.
        number: u32,
    },
    /// Look for uncommitted changes, and answer with [`Happened::Changes`].
    LookAtChanges,
    /// Rescue the uncommitted changes, and answer with [`Happened::Rescued`].
    Rescue {
        /// Whether this is the last rescue: time is up, or the agent is done but rescues may not commit.
        is_final: bool,
    },
    /// Wait, and answer with [`Happened::Waited`].
    Wait {
        /// How long, in seconds.
        seconds: u64,
    },
    /// The check is over.
    Finish(SmartOutcome),
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happened {
    /// The number of commits since the baseline; `None` if git does not answer or the baseline is unknown.
    Commits(Option<u64>),
    /// A probe ended.
    Probed(ProbeReading),
    /// Whether there are uncommitted changes; `None` if git does not answer.
    Changes(Option<bool>),
    /// A rescue ended. The commits show what it achieved.
    Rescued,
    /// A wait ended.
    Waited,
}

#[cfg(test)]
mod tests;
