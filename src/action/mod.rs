//! Changes a workspace: only at a person's request, or as trusted configuration says.
//!
//! It must not judge whether work is finished, draw, or run a program that a repository names unless a person
//! trusts it. Rescues and replies write a journal outside the repository before they change anything.

pub mod asking;
pub mod checking;
mod clock;
pub mod decision;
pub mod reply;
pub mod rescue;
