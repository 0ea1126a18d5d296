//! The checkers: they compare plan, files and tests with what must hold, alone or combined, and give feedback
//! to the agent.
//!
//! Must not look at anything but the given context, or take for done what cannot be verified. The rules are
//! those of `tests/vectors/checkers.json`.
//!
//! *Vacuous*: passed because there was nothing to check. Such a pass lets an agent stop but proves nothing.
//! *Skipped*: not checked at all.

mod checker;
mod composite;
pub mod configured;
pub mod criteria;
mod feedback;
mod row;
mod single;

pub use checker::{CheckContext, CheckOutcome, Checker, CompositeMode, PlanSource, TestCounts};
pub use composite::check;

#[cfg(test)]
mod tests;
