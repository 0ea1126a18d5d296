//! Finding sessions: which there are on this machine, of which folder, and where new ones would show.

use std::path::Path;

use crate::model::{SessionPlace, Timestamp, Unreadable, WatchTarget};

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub struct SurveyAsk<'a> {
    /// Sessions whose record last grew before this moment are only counted, unless they are live.
    pub since: Timestamp,
    /// Only sessions that were begun in this folder (absolute, resolved) or below it; `None` is all.
    pub within: Option<&'a Path>,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// The sessions, in no order. Subagents and looks of closeout's own are none.
    pub found: Vec<FoundSession>,
    /// How many more are older than was asked for.
    pub n_older: usize,
    /// Where a session that is not found yet would show. An event there asks for another survey.
    pub watch_targets: Vec<WatchTarget>,
    /// What is there and could not be read.
    pub problems: Vec<Unreadable>,
}

/// A session that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSession {
    /// Where it is.
    pub place: SessionPlace,
    /// When its record last grew.
    pub moved_at: Timestamp,
}
