//! Asks an agent by running one command line of its own program within limits and extracting the answer from
//! the output.
//!
//! It must not decide what an answer means (the judges do), must not use any part of an answer as a command,
//! path or approval, and must leave nothing behind: temporary files are deleted with the run, and among an
//! agent's records only a copy that this very run made is removed.

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

/// The most that a client may print to stdout, in bytes; beyond that it is killed.
const MAX_OUTPUT: usize = 1 << 20;
/// How much of its stderr is kept, in bytes.
const MAX_COMPLAINTS: usize = 64 << 10;

/// How agents are asked: environment and limits.
#[derive(Debug, Clone)]
pub struct Asker {
    /// The whole environment of the client, selected by an allow-list.
    pub environment: Vec<(OsString, OsString)>,
    /// Starts the client in a session of its own; if `None`, it gets only a process group.
    pub launcher: Option<Launcher>,
    /// The time limit of one attempt.
    pub time_limit: Duration,
    /// Cancels an attempt.
    pub cancel: Cancel,
    /// The session's record, for clients that work on a copy of it.
    pub record: Option<PathBuf>,
}

/// The outcome of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The answer, or why there is none.
    pub answer: Result<Answer, NoAnswer>,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// The cost, as far as the client reports it.
    pub cost: AskCost,
    /// Other facts that a person should know, one sentence each. May contain untrusted text.
    pub notes: Vec<String>,
}
