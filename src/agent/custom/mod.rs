//! An agent described in the user's configuration: where its output or its record is, its status file, its
//! commands.
//!
//! Anyone who works in a workspace can write the files an agent leaves there, so no symbolic link on the
//! way to them is followed. The user vouches for a place outside; there only the file itself must not be a
//! link.

mod agent;
mod jsonl;
mod read;
mod search;
mod status;

pub(super) use agent::Custom;
