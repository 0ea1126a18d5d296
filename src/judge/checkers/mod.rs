//! The checkers: plan, files and tests against what must hold, alone or combined, with feedback for the agent.
//!
//! Must not: look at anything but the context it is given, or take what cannot be verified for done. The rules are
//! those of `tests/vectors/checkers.json`.
//!
//! *Vacuous*: passed, because there was nothing to check. Such a pass lets an agent stop and proves nothing.
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
