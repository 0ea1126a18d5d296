//! The parts of the evidence that can be collected separately.

use bitflags::bitflags;

bitflags! {
    /// A set of parts. A file event names those it may have changed, and only these are read again.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    pub struct Parts: u8 {
        /// HEAD, branch, commits since the baseline, operation in progress, upstream, stash.
        const COMMITS = 1;
        /// The work tree: staged, unstaged, untracked, conflicted. The only expensive part.
        const CHANGES = 1 << 1;
        /// What the agent says: its sessions, the declared outputs, the decision file.
        const WORDS = 1 << 2;
        /// What can be verified: plan files, the closer's report, required files, test results.
        const CHECKS = 1 << 3;
    }
}
