//! Versions of the client: which were tried, and from which one on it keeps a registry.

use std::ops::RangeInclusive;

/// A version as the client writes it: three numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(u32, u32, u32);

/// From the oldest to the newest version whose files were read in real runs: 1.0.128, 2.1.197 and
/// 2.1.330.
pub(super) const TRIED: RangeInclusive<Version> = Version(1, 0, 128)..=Version(2, 1, 330);

/// The oldest version that was seen to enter each of its processes under `sessions/`.
const ENTERS_PROCESSES: Version = Version(2, 1, 330);

impl Version {
    /// Reads a version; what follows the third number after a `-` or a `+` is left out.
    pub(super) fn parse(text: &str) -> Option<Version> {
        let plain = text.split(['-', '+']).next()?;
        let mut numbers = plain.split('.').map(|number| number.parse().ok());
        let version = Version(numbers.next()??, numbers.next()??, numbers.next()??);
        numbers.next().is_none().then_some(version)
    }

    /// Whether a session of this version that has no entry in the registry has no process.
    pub(super) fn enters_processes(self) -> bool {
        self >= ENTERS_PROCESSES
    }
}

/// Whether a version lies between those that were tried.
pub(in crate::agent) fn is_known_version(version: &str) -> bool {
    Version::parse(version).is_some_and(|version| TRIED.contains(&version))
}
