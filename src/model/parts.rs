//! The parts of the evidence that one collection can read apart from the others.

use bitflags::bitflags;

bitflags! {
    /// A set of parts. A file event names what it can have changed, and only that is read again.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct Parts: u8 {
        /// HEAD, branch, commits since the baseline, operation in progress, upstream, stash.
        const COMMITS = 1;
        /// The work tree: staged, unstaged, untracked, conflicted. The only costly part.
        const CHANGES = 1 << 1;
        /// What the agent says: its session, the declared outputs, the decision file.
        const WORDS = 1 << 2;
        /// What can be checked: plan files, the closer's report, required files, test results.
        const CHECKS = 1 << 3;
    }
}
