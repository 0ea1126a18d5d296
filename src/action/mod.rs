//! What changes a workspace, and only on a person's word or by trusted configuration.
//!
//! It must not judge whether work is finished, draw, or run anything that a repository names. Every
//! action is written to a journal outside the repository before it moves something.

pub mod asking;
pub mod checking;
mod clock;
pub mod decision;
pub mod reply;
pub mod rescue;
