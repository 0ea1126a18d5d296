//! When the parts of one workspace are read again: one collection at a time, at most one per frame, and a costly
//! scan of the work tree on its own.
//!
//! Knows times and parts only; what was read is not looked at here.

use crate::model::{Parts, Timestamp};

/// The least time between the starts of two collections of one workspace: one frame.
const FRAME_MS: i64 = 33;
/// A work tree scan waits until ten times the cost of the last one has passed since it.
const SCAN_SPACING: i64 = 10;
/// What a reading of records counts for, in milliseconds: more than twenty a second, over all workspaces, are a load.
const READING_MS: i64 = 50;
/// So far such readings may run ahead, in milliseconds, before those of the workspaces in a rush wait for each other.
const MAX_AHEAD_MS: i64 = 1000;
/// So many readings of the records in a row may follow each other at that pace; then those of the records alone wait. An agent at work writes to them many times a
/// second, and what the last line of a rush leaves is what counts.
const RUSH_AFTER: u32 = 4;
/// The least time between two such readings after that.
const RUSH_MS: i64 = 300;
/// A reading of the records that begins so soon after the one before belongs to the same rush.
const SAME_RUSH_MS: i64 = 600;
/// The least time between work tree scans that no change of git's files calls for: an agent writes to its
/// transcript many times a second.
const SCAN_PAUSE_MS: i64 = 1000;
/// The same pause once two such scans in a row have found the work tree as it was. It is how old a count of changes can
/// get while a session moves; no COMPLETE rests on a tree that may have changed.
const LONG_SCAN_PAUSE_MS: i64 = 2000;
/// A work tree scan that costs no more than this, in milliseconds, may run together with the other parts.
const CHEAP_SCAN_MS: u32 = 10;

/// What is being read, and what to read again.
#[derive(Debug, Default)]
pub(super) struct Collecting {
    /// The number of the last collection; 0 before the first.
    generation: u64,
    running: Option<Parts>,
    started_at: Option<Timestamp>,
    /// The parts to read once no collection runs.
    again: Parts,
    /// Commits may have changed; `hurried_at` is when such a change last skipped the frame limit.
    is_hurried: bool,
    hurried_at: Option<Timestamp>,
    records: Rush,
    tree: TreeScan,
}

/// The collections that were started in all workspaces.
#[derive(Debug)]
pub(super) struct Started {
    /// The number of the last one. Numbers are not used again when a workspace returns.
    last: u64,
    /// How far readings of records have run ahead of twenty a second, in milliseconds, and when that was so.
    ahead_ms: i64,
    read_at: Timestamp,
}

/// The readings of the sessions' records in a row, none long after the one before.
#[derive(Debug, Default)]
struct Rush {
    read_at: Option<Timestamp>,
    n_readings: u32,
}

/// The scans of the work tree.
#[derive(Debug)]
struct TreeScan {
    /// The work tree may have changed since it was read.
    is_outdated: bool,
    /// Git's own files changed, or a turn began or ended, so the scan should come sooner.
    is_urgent: bool,
    /// When the last one began or ended.
    at: Option<Timestamp>,
    took_ms: u32,
    /// How many scans in a row found the work tree as it was.
    n_vain: u32,
}

impl Default for TreeScan {
    fn default() -> TreeScan {
        TreeScan { is_outdated: true, is_urgent: true, at: None, took_ms: 0, n_vain: 0 }
    }
}

/// A collection to start.
#[derive(Debug)]
pub(super) struct Start {
    pub(super) generation: u64,
    pub(super) parts: Parts,
    /// It may not begin before this time.
    pub(super) not_before: Timestamp,
}

impl Collecting {
    /// True while nothing was ever asked for.
    pub(super) fn is_new(&self) -> bool {
        self.generation == 0 && self.again.is_empty()
    }

    pub(super) fn is_running(&self) -> bool {
        self.running.is_some()
    }

    pub(super) fn is_tree_outdated(&self) -> bool {
        self.tree.is_outdated
    }

    /// A hint that `parts` may have changed. Any change may be one of the work tree, too.
    pub(super) fn changed(&mut self, parts: Parts, now: Timestamp) {
        self.again |= parts - Parts::CHANGES;
        self.tree.is_outdated = true;
        self.tree.is_urgent |= parts.intersects(Parts::COMMITS | Parts::CHANGES);
        // Words alone say nothing of the tree; what comes at its top concerns no part.
        if parts.is_empty() || self.tree.is_urgent {
            self.tree.n_vain = 0;
        }
        self.is_hurried |= parts.contains(Parts::COMMITS);
        if self.tree.is_due(now) {
            self.again |= Parts::CHANGES;
        }
    }

    /// Asks for these parts as well, without a hint that they changed.
    pub(super) fn add(&mut self, parts: Parts) {
        self.again |= parts;
    }

    /// Schedules everything to be read now, at a person's request or after an action.
    pub(super) fn refresh(&mut self) {
        self.records = Rush::default();
        self.again = Parts::all();
        self.tree.is_outdated = true;
    }

    /// Requests the current state of the work tree. A scan that is running may have passed what has changed since: another
    /// follows after its pause.
    pub(super) fn look_at_tree(&mut self, now: Timestamp) {
        self.tree.n_vain = 0;
        self.tree.is_outdated = true;
        let is_looking = self.running.is_some_and(|parts| parts.contains(Parts::CHANGES));
        if !is_looking && self.tree.is_due(now) {
            self.again |= Parts::CHANGES;
        }
    }

    /// Asks for the work tree again, however short ago it was read.
    pub(super) fn scan_again(&mut self) {
        self.again |= Parts::CHANGES;
        self.tree.at = None;
    }

    /// A scan found the work tree as it was, or in another state.
    pub(super) fn tree_read(&mut self, is_news: bool) {
        self.tree.n_vain = if is_news { 0 } else { self.tree.n_vain.saturating_add(1) };
    }

    /// A turn began or ended: what is shown of it must not rest on an older look at the tree than this moment.
    pub(super) fn turned(&mut self) {
        self.tree.is_urgent |= self.tree.is_outdated;
    }

    /// What was read held a new decision: whoever decides waits for the verdict, so the next reading is at once.
    pub(super) fn decided(&mut self) {
        self.records = Rush::default();
    }

    /// A tool began or ended, which may have written anything.
    pub(super) fn stirred(&mut self) {
        self.tree.n_vain = 0;
    }

    /// The time until which a reading is postponed, if one is: of the work tree, or of records in a rush.
    pub(super) fn put_off_until(&self) -> Option<Timestamp> {
        if self.running.is_some() {
            return None;
        }
        let tree = self.tree.is_outdated.then(|| self.tree.due_at());
        let records = (self.again == Parts::WORDS).then(|| self.records.due_at());
        tree.into_iter().chain(records).min()
    }

    /// Deletes when something was last done: these times are of the clock as it was before.
    pub(super) fn clock_set_back(&mut self) {
        (self.started_at, self.tree.at, self.hurried_at) = (None, None, None);
        self.records = Rush::default();
    }

    /// A collection has answered. Returns false if it is not the last one that was started.
    pub(super) fn ended(&mut self, generation: u64, took_ms: u32, now: Timestamp) -> bool {
        if generation != self.generation {
            return false;
        }
        if self.running.take().is_some_and(|parts| parts.contains(Parts::CHANGES)) {
            self.tree.at = Some(now);
            self.tree.took_ms = took_ms;
        }
        true
    }

    /// The collection to start now, if one is wanted and none is running. Where all workspaces together are a load, one in a
    /// rush waits.
    pub(super) fn start(&mut self, started: &mut Started, now: Timestamp) -> Option<Start> {
        if self.running.is_some() {
            return None;
        }
        if self.tree.is_outdated && self.tree.is_due(now) {
            self.again |= Parts::CHANGES;
        }
        if self.again.is_empty()
            || self.again == Parts::WORDS && started.is_load(now) && self.records.waits(now)
        {
            return None;
        }
        let mut parts = std::mem::take(&mut self.again);
        if parts.contains(Parts::CHANGES) {
            let rest = parts - Parts::CHANGES;
            if self.tree.took_ms > CHEAP_SCAN_MS && !rest.is_empty() {
                // A costly scan never delays the other parts: it follows on its own.
                self.again = Parts::CHANGES;
                parts = rest;
            } else {
                // The tree is read with git's other facts, so that both are from the same moment.
                parts |= Parts::COMMITS;
                self.tree.is_outdated = false;
                self.tree.is_urgent = false;
            }
        }
        started.last += 1;
        self.generation = started.last;
        self.running = Some(parts);
        let not_before = self.not_before(now);
        self.started_at = Some(not_before);
        if parts.contains(Parts::WORDS) {
            self.records.read(not_before);
            started.read(now);
        }
        if parts.contains(Parts::CHANGES) {
            self.tree.at = Some(not_before);
        }
        Some(Start { generation: self.generation, parts, not_before })
    }

    /// The time at which the next collection may begin: one frame after the start of the last. A commit
    /// writes the index first and the branch last, so reading the branch does not wait for the frame of the
    /// index; but only one reading per frame may skip the limit.
    fn not_before(&mut self, now: Timestamp) -> Timestamp {
        let is_hurried = std::mem::take(&mut self.is_hurried);
        if is_hurried && self.hurried_at.is_none_or(|at| now >= at.plus_millis(FRAME_MS)) {
            self.hurried_at = Some(now);
            return now;
        }
        self.started_at.map_or(now, |started_at| now.max(started_at.plus_millis(FRAME_MS)))
    }
}

impl Started {
    /// None was started yet.
    pub(super) fn none() -> Started {
        Started { last: 0, ahead_ms: 0, read_at: Timestamp(0) }
    }

    fn read(&mut self, now: Timestamp) {
        self.ahead_ms = self.ahead_ms_at(now).min(2 * MAX_AHEAD_MS) + READING_MS;
        self.read_at = now;
    }

    fn ahead_ms_at(&self, now: Timestamp) -> i64 {
        (self.ahead_ms - now.millis_since(self.read_at).max(0)).max(0)
    }

    fn is_load(&self, now: Timestamp) -> bool {
        self.ahead_ms_at(now) > MAX_AHEAD_MS
    }
}

impl Rush {
    fn read(&mut self, at: Timestamp) {
        let is_same = self.read_at.is_some_and(|before| at.millis_since(before) <= SAME_RUSH_MS);
        self.n_readings = if is_same { self.n_readings.saturating_add(1) } else { 1 };
        self.read_at = Some(at);
    }

    /// Whether the next reading is not due yet. A clock that was set back a little makes nothing wait longer.
    fn waits(&self, now: Timestamp) -> bool {
        (1..=RUSH_MS + FRAME_MS).contains(&self.due_at().millis_since(now))
    }

    fn due_at(&self) -> Timestamp {
        let is_rush = self.n_readings > RUSH_AFTER;
        self.read_at.filter(|_| is_rush).map_or(Timestamp(0), |at| at.plus_millis(RUSH_MS))
    }
}

impl TreeScan {
    fn due_at(&self) -> Timestamp {
        let pause = match (self.is_urgent, self.n_vain) {
            (true, _) => FRAME_MS,
            (false, 0..=1) => SCAN_PAUSE_MS,
            (false, _) => LONG_SCAN_PAUSE_MS,
        };
        let spacing = (i64::from(self.took_ms) * SCAN_SPACING).max(pause);
        self.at.map_or(Timestamp(0), |at| at.plus_millis(spacing))
    }

    fn is_due(&self, now: Timestamp) -> bool {
        now >= self.due_at()
    }
}
