//! The log of a reference: what moved it, by whom, when. Which commits were made here and which
//! only came here is known from nothing else.

use std::path::Path;

use super::layout;
use super::reader::Id;
use super::trouble::Read;

/// Older entries of a longer log are not read.
const CAP: u64 = 2 << 20;

/// One entry of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LogEntry {
    /// Where the reference stood before; all zeros when it was not there.
    pub(super) old: Id,
    /// Where it stands after.
    pub(super) new: Id,
    /// Seconds since the epoch.
    pub(super) time: i64,
    /// What moved it.
    pub(super) action: Action,
}

/// What moved a reference, as far as it tells made from received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// A commit was made.
    Commit,
    /// A commit was made in place of the one before.
    Amend,
    /// A merge was ended by hand.
    MergeByHand,
    /// A merge was made by git alone.
    Merge,
    /// A commit was made from another: cherry-pick, revert, am, a step of a rebase.
    Replay,
    /// A step of a rebase put a commit in place of the one before: squash, fixup, reword.
    ReplayOver,
    /// A rebase began.
    RebaseStart,
    /// A rebase ended well.
    RebaseFinish,
    /// A rebase was given up.
    RebaseAbort,
    /// Commits of another came by a fast-forward.
    FastForward,
    /// Anything else: checkout, reset, branch, clone, …
    Move,
}

impl Action {
    /// The action that a log message names. Before its colon stands the command as it was given,
    /// which may have colons of its own (`pull https://…`).
    pub(super) fn parse(message: &str) -> Action {
        let command = message.split([' ', ':']).next().unwrap_or_default();
        let is = |end: &str| message.contains(end);
        match command {
            "commit" if message.starts_with("commit (amend)") => Action::Amend,
            "commit" if message.starts_with("commit (merge)") => Action::MergeByHand,
            "commit" => Action::Commit,
            "clone" | "initial" => Action::FastForward,
            "merge" | "pull" | "cherry-pick" | "revert" | "rebase" if is_fast_forward(message) => {
                Action::FastForward
            }
            "merge" | "pull" if is(": Merge made by") || is(": In-index merge") => Action::Merge,
            "rebase" | "pull" if step_of(message).is_some() => {
                Action::of_rebase(step_of(message).unwrap_or_default())
            }
            "rebase" if message.starts_with("rebase finished") => Action::RebaseFinish,
            "rebase" if message.starts_with("rebase: checkout ") => Action::RebaseStart,
            "rebase" if message.starts_with("rebase: aborting") => Action::RebaseAbort,
            "am" if message.starts_with("am (abort)") => Action::Move,
            "cherry-pick" | "revert" | "am" | "rebase" => Action::Replay,
            _ => Action::Move,
        }
    }

    fn of_rebase(step: &str) -> Action {
        match step {
            "start" => Action::RebaseStart,
            "finish" => Action::RebaseFinish,
            "abort" => Action::RebaseAbort,
            "squash" | "fixup" | "reword" => Action::ReplayOver,
            "pick" | "edit" | "continue" | "revert" => Action::Replay,
            "merge" => Action::Merge,
            _ => Action::Move,
        }
    }

    /// Whether it made the commit that the reference stands at after.
    pub(super) fn is_making(self) -> bool {
        match self {
            Action::Commit
            | Action::Amend
            | Action::MergeByHand
            | Action::Merge
            | Action::Replay
            | Action::ReplayOver => true,
            Action::RebaseStart
            | Action::RebaseFinish
            | Action::RebaseAbort
            | Action::FastForward
            | Action::Move => false,
        }
    }
}

/// `merge x: Fast-forward`, `cherry-pick: fast-forward`.
fn is_fast_forward(message: &str) -> bool {
    message.ends_with(": Fast-forward") || message.ends_with(": fast-forward")
}

/// `pick` of `rebase -i (pick): subject`.
fn step_of(message: &str) -> Option<&str> {
    let (before, _) = message.split_once("): ")?;
    before.rsplit_once(" (").map(|(_, step)| step)
}

/// Reads a log file, oldest entry first; lines that are no entries are passed over.
pub(super) fn read(path: &Path) -> Read<Vec<LogEntry>> {
    read_last(path, CAP)
}

/// Reads the end of a log file, about the last thirty entries.
pub(super) fn read_end(path: &Path) -> Read<Vec<LogEntry>> {
    read_last(path, 8 << 10)
}

fn read_last(path: &Path, cap: u64) -> Read<Vec<LogEntry>> {
    let Some((content, is_whole)) = layout::read_tail(path, cap)? else { return Ok(Vec::new()) };
    let mut lines = content.split(|byte| *byte == b'\n');
    if !is_whole {
        lines.next();
    }
    Ok(lines.filter_map(parse).collect())
}

/// How many entries a log file has.
pub(super) fn count(path: &Path) -> Read<u32> {
    let content = layout::read_tail(path, CAP)?.map(|(content, _)| content).unwrap_or_default();
    let n_lines = content.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
    Ok(u32::try_from(n_lines).unwrap_or(u32::MAX))
}

/// `OLD NEW Name <mail> TIME ZONE\tMESSAGE`.
fn parse(line: &[u8]) -> Option<LogEntry> {
    let tab = line.iter().position(|byte| *byte == b'\t').unwrap_or(line.len());
    let head = String::from_utf8_lossy(&line[..tab]);
    let message = String::from_utf8_lossy(line.get(tab + 1..).unwrap_or_default());
    let (old, rest) = head.split_once(' ')?;
    let (new, rest) = rest.split_once(' ')?;
    if !is_id(old) || !is_id(new) {
        return None;
    }
    let time = rest.rsplit_once("> ")?.1.split(' ').next()?.parse().ok()?;
    Some(LogEntry { old: old.to_owned(), new: new.to_owned(), time, action: Action::parse(&message) })
}

/// Whether this is a full object id in hexadecimal.
pub(super) fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_every_git_version_name_their_action() {
        for (message, action) in [
            ("commit: x", Action::Commit),
            ("commit (initial): x", Action::Commit),
            ("commit (cherry-pick): x", Action::Commit),
            ("commit (amend): x (y): z", Action::Amend),
            ("commit (merge): Merge branch 'x'", Action::MergeByHand),
            ("cherry-pick: x", Action::Replay),
            ("cherry-pick: fast-forward", Action::FastForward),
            ("am: x", Action::Replay),
            ("rebase (start): checkout main", Action::RebaseStart),
            ("rebase (pick): x", Action::Replay),
            ("rebase -i (fixup): x", Action::ReplayOver),
            ("rebase (finish): returning to refs/heads/f", Action::RebaseFinish),
            ("rebase -i (finish): returning to refs/heads/f", Action::RebaseFinish),
            ("rebase finished: returning to refs/heads/f", Action::RebaseFinish),
            ("rebase (abort): returning to refs/heads/f", Action::RebaseAbort),
            ("pull --rebase origin main (pick): x", Action::Replay),
            ("pull --rebase (start): checkout 12", Action::RebaseStart),
            ("pull: Fast-forward", Action::FastForward),
            ("pull https://host:80/a b:c: Fast-forward", Action::FastForward),
            ("pull --rebase ssh://host/a (pick): x: y", Action::Replay),
            ("pull https://host/a main: Merge made by the 'ort' strategy.", Action::Merge),
            ("initial pull", Action::FastForward),
            ("rebase: fast-forward", Action::FastForward),
            ("commit: fix (amend): x", Action::Commit),
            ("pull origin main: Merge made by the 'ort' strategy.", Action::Merge),
            ("merge f: Fast-forward", Action::FastForward),
            ("merge f: Merge made by the 'ort' strategy.", Action::Merge),
            ("checkout: moving from a to b", Action::Move),
            ("reset: moving to HEAD~1", Action::Move),
            ("clone: from x", Action::FastForward),
            ("", Action::Move),
        ] {
            assert_eq!(Action::parse(message), action, "{message}");
        }
    }
}
