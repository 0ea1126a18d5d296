//! Asks an agent by a program of its own: one command line, carried out within bounds, and its answer read
//! out of what the client printed.
//!
//! It must not decide what an answer means (the judges do), must not use anything of an answer as a command,
//! a path or an approval, and must leave nothing behind: temporary files go with the run, and of an agent's
//! records only a copy that this very run made is removed.

mod answer;
mod files;
mod run;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

pub use answer::{Answer, FoundAnswer, NoAnswer, read_answer};
pub use run::shown;

use crate::model::AskCost;
use crate::process::{Cancel, Launcher};

/// What a client may print, in bytes; one that prints more is ended.
const MOST_OUTPUT: usize = 1 << 20;
/// What is kept of its complaints, in bytes.
const MOST_COMPLAINTS: usize = 64 << 10;

/// How agents are asked: the machine and the bounds.
#[derive(Debug, Clone)]
pub struct Asker {
    /// The whole environment of the client: what it may know of ours, by an allow-list.
    pub environment: Vec<(OsString, OsString)>,
    /// Gives the client a session of its own; without it there is only a process group.
    pub launcher: Option<Launcher>,
    /// An attempt is given up after this time.
    pub time_limit: Duration,
    /// Ends an attempt early.
    pub cancel: Cancel,
    /// The session's record, for clients that are given a copy of it.
    pub record: Option<PathBuf>,
}

/// What came of asking once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The answer, or why there is none.
    pub answer: Result<Answer, NoAnswer>,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// What it cost, where the client tells.
    pub cost: AskCost,
    /// What else a person should know, a sentence each. May hold untrusted text.
    pub notes: Vec<String>,
}
