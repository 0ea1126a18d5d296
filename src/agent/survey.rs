//! Finding sessions: which there are on this machine, of which folder, and where new ones would show.

use std::path::Path;

use super::Adapter;
use super::memory::Memories;
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

/// Finds the sessions of all `adapters`.
pub fn survey(adapters: &[Adapter], ask: &SurveyAsk<'_>, memory: &mut Memories) -> Survey {
    let mut all = Survey::default();
    for adapter in adapters {
        let one = adapter.survey(ask, memory);
        all.found.extend(one.found);
        all.n_older += one.n_older;
        all.watch_targets.extend(one.watch_targets);
        all.problems.extend(one.problems);
    }
    all
}

/// Whether an event in `folder`, one of the watch targets of a survey, asks for another survey. False
/// only where an agent could tell cheaply that nothing but known sessions moved.
pub fn is_news(adapters: &[Adapter], folder: &Path, memory: &mut Memories) -> bool {
    adapters.iter().find_map(|adapter| adapter.is_news(folder, memory)).unwrap_or(true)
}
