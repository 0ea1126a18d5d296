//! An agent that a person described in their configuration: where its output or its record is, its status
//! file, its commands.
//!
//! What it leaves below a workspace can be written by anybody who works there, so no link is followed on
//! the way to it. A place outside is the person's word; there only the file itself may be no link.

mod agent;
mod command;
mod jsonl;
mod read;
mod search;
mod status;

pub(super) use agent::Custom;
