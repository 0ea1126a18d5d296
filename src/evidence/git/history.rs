//! Reads the logs of HEAD and of the branch: which commits were made here, which of them were replaced, and
//! which were made since the baseline.

use std::collections::{HashMap, HashSet};

use super::rebased::Rebase;
use crate::git::{LogEntry, ReflogAction};
use crate::model::{Baseline, BaselineOrigin, CommitId};

/// At most this many commits that a rebase left are followed back.
const MAX_LEFT: usize = 500;

/// What was made in this worktree and on this branch.
#[derive(Debug, Default)]
pub(super) struct History {
    /// Commits that the log records as made here, as far back as this baseline requires.
    pub(super) made: HashMap<CommitId, ReflogAction>,
    /// Commits made here since the baseline, oldest first, without those that an amend or the like replaced.
    pub(super) standing: Vec<CommitId>,
    /// When each of those was made, in seconds.
    pub(super) stood_at: HashMap<CommitId, i64>,
    /// When HEAD left each of those that it does not hold any more, in seconds.
    pub(super) left_at: HashMap<CommitId, i64>,
    /// Those of them that HEAD left by a reset.
    pub(super) reset: HashSet<CommitId>,
    /// The rebases since the baseline. What they left stands too, unless it was carried over.
    pub(super) rebases: Vec<Rebase>,
    /// For each commit made here, where HEAD stood before it.
    pub(super) before: HashMap<CommitId, Option<CommitId>>,
    /// Amended commits: new id to old id.
    pub(super) amended: HashMap<CommitId, CommitId>,
    /// Tips that arrived by a fast-forward.
    pub(super) received: HashSet<CommitId>,
    /// True if HEAD has no log, so that it is unknown what was made here.
    pub(super) is_blind: bool,
}

impl History {
    /// Evaluates the log of HEAD and the log of the current branch.
    pub(super) fn of(head_log: &[LogEntry], branch_log: &[LogEntry], baseline: &Baseline) -> History {
        let start = start_of(head_log, baseline, Log::Head);
        let mut history = History { is_blind: head_log.is_empty(), ..History::default() };
        let branch_start = start_of(branch_log, baseline, Log::Branch);
        // After a branch point every commit is the branch's own work, whenever it was made. After a first look
        // only what was made since then counts.
        let counts_all = match baseline.origin {
            BaselineOrigin::FirstSeen => baseline.commit.is_none(),
            BaselineOrigin::Flag
            | BaselineOrigin::Configuration
            | BaselineOrigin::Workspace
            | BaselineOrigin::BranchPoint(_) => true,
        };
        for (log, start) in [(branch_log, branch_start), (head_log, start)] {
            for entry in &log[if counts_all { 0 } else { start }..] {
                history.note(entry);
            }
        }
        let (replaced, rebases) = replaced(&head_log[start..], &history.before);
        history.rebases = rebases;
        history.date(&head_log[start..]);
        let mut seen = HashSet::new();
        history.standing = head_log[start..]
            .iter()
            // An automatic merge contains nothing that its parents lack.
            .filter(|entry| entry.action.is_making() && entry.action != ReflogAction::Merge)
            .filter_map(|entry| entry.new)
            .filter(|made| !replaced.contains(made) && seen.insert(*made))
            .collect();
        history
    }

    /// Reads when each commit was made, and when HEAD left it for the last time.
    fn date(&mut self, log: &[LogEntry]) {
        let mut left_at = HashMap::new();
        for entry in log {
            if let Some(new) = entry.new {
                self.stood_at.entry(new).or_insert(entry.time);
                if self.before.get(&new) == Some(&entry.old) {
                    continue;
                }
            }
            let holds: HashSet<CommitId> = self.chain(entry.new).collect();
            left_at.retain(|id, _| !holds.contains(id));
            for left in self.chain(entry.old).filter(|id| !holds.contains(id)) {
                left_at.insert(left, (entry.time, entry.action));
            }
        }
        let by_reset = left_at.iter().filter(|(_, (_, action))| *action == ReflogAction::Reset);
        self.reset = by_reset.map(|(id, _)| *id).collect();
        self.left_at = left_at.into_iter().map(|(id, (at, _))| (id, at)).collect();
    }

    fn note(&mut self, entry: &LogEntry) {
        let Some(new) = entry.new else { return };
        if entry.action == ReflogAction::FastForward {
            self.received.insert(new);
        }
        if !entry.action.is_making() || entry.old == entry.new {
            return;
        }
        self.made.insert(new, entry.action);
        self.before.insert(new, entry.old);
        if let (ReflogAction::Amend, Some(old)) = (entry.action, entry.old) {
            self.amended.insert(new, old);
        }
    }

    /// `tip` and the commits made here directly before it, as one chain; empty if `tip` was not made here.
    pub(super) fn chain(&self, tip: Option<CommitId>) -> impl Iterator<Item = CommitId> {
        let mut n_left = self.before.len() + 1;
        std::iter::successors(tip.filter(|tip| self.before.contains_key(tip)), move |id| {
            n_left = n_left.checked_sub(1)?;
            self.before.get(id)?.filter(|before| self.before.contains_key(before))
        })
    }
}

/// Which log is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Log {
    Head,
    Branch,
}

/// The index of the first log entry since the baseline. Log times have whole seconds only, so position decides
/// where it can: entries after HEAD's arrival at the baseline commit are since the baseline. For a first look
/// this is HEAD's last arrival, otherwise the first. A branch can have left that commit long before a first
/// look, so its log goes by time then.
fn start_of(log: &[LogEntry], baseline: &Baseline, whose: Log) -> usize {
    let Some(commit) = baseline.commit else { return 0 };
    let seconds = match baseline.origin {
        BaselineOrigin::FirstSeen => Some(baseline.set_at.0.div_euclid(1000)),
        BaselineOrigin::Flag
        | BaselineOrigin::Configuration
        | BaselineOrigin::Workspace
        | BaselineOrigin::BranchPoint(_) => baseline.commit_time.map(|time| time.0.div_euclid(1000)),
    };
    let is_first_seen = baseline.origin == BaselineOrigin::FirstSeen;
    let after_time = match seconds {
        // Within the second of the first look, time cannot decide; position does.
        Some(seconds) if is_first_seen => log.iter().position(|entry| entry.time > seconds),
        Some(seconds) => log.iter().position(|entry| entry.time >= seconds),
        None => None,
    };
    let mut arrivals = log.iter().enumerate().filter(|(_, entry)| entry.new == Some(commit));
    let arrival = match whose {
        Log::Branch if is_first_seen => None,
        Log::Head if is_first_seen => arrivals.next_back(),
        Log::Head | Log::Branch => arrivals.next(),
    };
    let after_arrival = arrival.map(|(position, _)| position + 1);
    match (after_arrival, after_time) {
        (Some(arrival), Some(time)) if is_first_seen => arrival.min(time),
        (Some(arrival), _) => arrival,
        (None, Some(time)) => time,
        (None, None) => log.len(),
    }
}

/// Commits replaced by an amend or by a step of a rebase, and the rebases that came to their end.
fn replaced(
    log: &[LogEntry],
    before: &HashMap<CommitId, Option<CommitId>>,
) -> (HashSet<CommitId>, Vec<Rebase>) {
    let mut replaced = HashSet::new();
    let mut rebases = Vec::new();
    let mut rebase: Option<(Option<CommitId>, Vec<CommitId>)> = None;
    for entry in log {
        #[expect(clippy::wildcard_enum_match_arm, reason = "no other action replaces a commit")]
        match entry.action {
            ReflogAction::Amend | ReflogAction::ReplayOver => replaced.extend(entry.old),
            ReflogAction::RebaseStart => rebase = Some((entry.old, Vec::new())),
            ReflogAction::RebaseFinish => {
                let Some((mut next, made)) = rebase.take() else { continue };
                let mut left = HashSet::new();
                while let Some((id, parent)) = next.and_then(|id| Some((id, before.get(&id)?))) {
                    if left.len() == MAX_LEFT || !left.insert(id) {
                        break;
                    }
                    next = *parent;
                }
                rebases.push(Rebase { left, made });
            }
            ReflogAction::RebaseAbort => {
                replaced.extend(rebase.take().into_iter().flat_map(|(_, steps)| steps));
            }
            _ => {}
        }
        if let Some((_, steps)) = rebase.as_mut().filter(|_| entry.action.is_making()) {
            steps.extend(entry.new);
        }
    }
    (replaced, rebases)
}
