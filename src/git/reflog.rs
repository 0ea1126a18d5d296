//! The log of a reference: what moved it, by whom and when. Nothing else shows which commits were made here
//! and which merely arrived.

use std::path::Path;

use super::file::{read_start, read_tail};
use super::object_id::is_id;
use super::refs::log_file;
use super::repository::Repository;
use super::trouble::Read;
use crate::model::CommitId;

/// How much of the end of a log is read, in bytes.
const CAP: u64 = 2 << 20;

/// The longest first line of a log that is read as a whole, in bytes.
const LONGEST_LINE: u64 = 8 << 10;

/// An entry of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    /// The commit before; `None` if the reference did not exist.
    pub old: Option<CommitId>,
    /// The commit after; `None` if the reference was removed, as that of the branch by `git update-ref -d HEAD`.
    pub new: Option<CommitId>,
    /// Seconds since the Unix epoch.
    pub time: i64,
    /// What moved the reference.
    pub action: ReflogAction,
    /// What was merged, as the command named it. Untrusted text.
    pub merged: Option<String>,
    /// Which branch, or commit, HEAD left. Untrusted text.
    pub from: Option<String>,
}

/// What moved a reference, as far as it distinguishes commits made here from commits received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReflogAction {
    /// A commit was made.
    Commit,
    /// A commit replaced the previous one.
    Amend,
    /// A merge was completed by hand.
    MergeByHand,
    /// Git made a merge commit by itself.
    Merge,
    /// A commit was made from another one: cherry-pick, revert, am, a rebase step.
    Replay,
    /// A rebase step replaced the previous commit: squash, fixup, reword.
    ReplayOver,
    /// A rebase started.
    RebaseStart,
    /// A rebase completed.
    RebaseFinish,
    /// A rebase was aborted.
    RebaseAbort,
    /// Commits arrived by a fast-forward.
    FastForward,
    /// The branch was set to another commit.
    Reset,
    /// Anything else: checkout, branch, clone, …
    Move,
}

impl ReflogAction {
    /// Parses the message of a log entry. The part before the colon is the command as entered, which may
    /// itself contain colons (`pull https://…`).
    pub fn parse(message: &str) -> ReflogAction {
        let command = message.split([' ', ':']).next().unwrap_or_default();
        let is = |end: &str| message.contains(end);
        match command {
            "commit" if message.starts_with("commit (amend)") => ReflogAction::Amend,
            "commit" if message.starts_with("commit (merge)") => ReflogAction::MergeByHand,
            "commit" => ReflogAction::Commit,
            "clone" | "initial" => ReflogAction::FastForward,
            "merge" | "pull" | "cherry-pick" | "revert" | "rebase" if is_fast_forward(message) => {
                ReflogAction::FastForward
            }
            "merge" | "pull" if is(": Merge made by") || is(": In-index merge") => ReflogAction::Merge,
            "rebase" | "pull" if step_of(message).is_some() => {
                ReflogAction::of_rebase(step_of(message).unwrap_or_default())
            }
            "rebase" if message.starts_with("rebase finished") => ReflogAction::RebaseFinish,
            "rebase" if message.starts_with("rebase: checkout ") => ReflogAction::RebaseStart,
            "rebase" if message.starts_with("rebase: aborting") => ReflogAction::RebaseAbort,
            "am" if message.starts_with("am (abort)") => ReflogAction::Move,
            "cherry-pick" | "revert" | "am" | "rebase" => ReflogAction::Replay,
            "reset" => ReflogAction::Reset,
            _ => ReflogAction::Move,
        }
    }

    fn of_rebase(step: &str) -> ReflogAction {
        match step {
            "start" => ReflogAction::RebaseStart,
            "finish" => ReflogAction::RebaseFinish,
            "abort" => ReflogAction::RebaseAbort,
            "squash" | "fixup" | "reword" => ReflogAction::ReplayOver,
            "pick" | "edit" | "continue" | "revert" => ReflogAction::Replay,
            "merge" => ReflogAction::Merge,
            _ => ReflogAction::Move,
        }
    }

    /// Whether this action created the commit that the reference then points to.
    pub fn is_making(self) -> bool {
        match self {
            ReflogAction::Commit
            | ReflogAction::Amend
            | ReflogAction::MergeByHand
            | ReflogAction::Merge
            | ReflogAction::Replay
            | ReflogAction::ReplayOver => true,
            ReflogAction::RebaseStart
            | ReflogAction::RebaseFinish
            | ReflogAction::RebaseAbort
            | ReflogAction::FastForward
            | ReflogAction::Reset
            | ReflogAction::Move => false,
        }
    }
}

/// Matches `merge x: Fast-forward` and `cherry-pick: fast-forward`.
fn is_fast_forward(message: &str) -> bool {
    message.ends_with(": Fast-forward") || message.ends_with(": fast-forward")
}

/// The `pick` in `rebase -i (pick): subject`.
fn step_of(message: &str) -> Option<&str> {
    let (before, _) = message.split_once("): ")?;
    before.rsplit_once(" (").map(|(_, step)| step)
}

/// The log of HEAD (of this worktree) or of a shared reference, oldest entry first. Lines that are not
/// entries are skipped.
///
/// # Errors
/// The log cannot be read.
pub fn reflog(repository: &Repository, name: &str) -> Read<Vec<LogEntry>> {
    read_last(repository, name, CAP)
}

/// The end of the log of HEAD: about the last thirty entries.
///
/// # Errors
/// The log cannot be read.
pub fn recent_log(repository: &Repository) -> Read<Vec<LogEntry>> {
    read_last(repository, "HEAD", 8 << 10)
}

/// When HEAD of the main worktree got its first commit, in seconds since the Unix epoch. `None` if its log does not tell: there
/// is none, or its beginning is gone.
pub fn first_commit_at(common_dir: &Path) -> Option<i64> {
    let start = read_start(common_dir, "logs/HEAD", LONGEST_LINE).ok()??;
    let first = parse(start.split(|byte| *byte == b'\n').next()?)?;
    first.old.is_none().then_some(first.time)
}

fn read_last(repository: &Repository, name: &str, cap: u64) -> Read<Vec<LogEntry>> {
    let (folder, file) = log_file(repository, name);
    let Some((content, is_whole)) = read_tail(folder, file, cap)? else { return Ok(Vec::new()) };
    let mut lines = content.split(|byte| *byte == b'\n');
    if !is_whole {
        lines.next();
    }
    Ok(lines.filter_map(parse).collect())
}

/// Parses `OLD NEW Name <mail> TIME ZONE\tMESSAGE`.
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
    Some(LogEntry {
        old: old.parse().ok(),
        new: new.parse().ok(),
        time,
        action: ReflogAction::parse(&message),
        merged: merged(&message),
        from: moved_from(&message),
    })
}

/// The `x` in `merge x: Fast-forward`; `None` for any other command, and for a merge of several.
pub fn merged(message: &str) -> Option<String> {
    let (name, _) = message.strip_prefix("merge ")?.split_once(": ")?;
    (!name.contains(' ')).then(|| name.to_owned())
}

/// The `a` in `checkout: moving from a to b`, and the old name of a branch that was renamed.
pub fn moved_from(message: &str) -> Option<String> {
    let moved = message.strip_prefix("checkout: moving from ");
    let renamed = || message.strip_prefix("Branch: renamed refs/heads/");
    let (name, _) = moved.or_else(renamed)?.split_once(" to ")?;
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_names_what_head_left() {
        assert_eq!(moved_from("checkout: moving from a/b to c").as_deref(), Some("a/b"));
        assert_eq!(moved_from("Branch: renamed refs/heads/a to refs/heads/b").as_deref(), Some("a"));
        assert_eq!(moved_from("commit: moving from a to b"), None);
    }

    #[test]
    fn a_merge_names_its_branch() {
        assert_eq!(merged("merge a/b: Fast-forward").as_deref(), Some("a/b"));
        assert_eq!(merged("merge f: Merge made by the 'ort' strategy.").as_deref(), Some("f"));
        assert_eq!(merged("merge f g: Merge made by the 'octopus' strategy."), None);
        assert_eq!(merged("commit: merge f: Fast-forward"), None);
        assert_eq!(merged("pull: Fast-forward"), None);
    }

    #[test]
    fn messages_of_every_git_version_name_their_action() {
        for (message, action) in [
            ("commit: x", ReflogAction::Commit),
            ("commit (initial): x", ReflogAction::Commit),
            ("commit (cherry-pick): x", ReflogAction::Commit),
            ("commit (amend): x (y): z", ReflogAction::Amend),
            ("commit (merge): Merge branch 'x'", ReflogAction::MergeByHand),
            ("cherry-pick: x", ReflogAction::Replay),
            ("cherry-pick: fast-forward", ReflogAction::FastForward),
            ("am: x", ReflogAction::Replay),
            ("rebase (start): checkout main", ReflogAction::RebaseStart),
            ("rebase (pick): x", ReflogAction::Replay),
            ("rebase -i (fixup): x", ReflogAction::ReplayOver),
            ("rebase (finish): returning to refs/heads/f", ReflogAction::RebaseFinish),
            ("rebase -i (finish): returning to refs/heads/f", ReflogAction::RebaseFinish),
            ("rebase finished: returning to refs/heads/f", ReflogAction::RebaseFinish),
            ("rebase (abort): returning to refs/heads/f", ReflogAction::RebaseAbort),
            ("pull --rebase origin main (pick): x", ReflogAction::Replay),
            ("pull --rebase (start): checkout 12", ReflogAction::RebaseStart),
            ("pull: Fast-forward", ReflogAction::FastForward),
            ("pull https://host:80/a b:c: Fast-forward", ReflogAction::FastForward),
            ("pull --rebase ssh://host/a (pick): x: y", ReflogAction::Replay),
            ("pull https://host/a main: Merge made by the 'ort' strategy.", ReflogAction::Merge),
            ("initial pull", ReflogAction::FastForward),
            ("rebase: fast-forward", ReflogAction::FastForward),
            ("commit: fix (amend): x", ReflogAction::Commit),
            ("pull origin main: Merge made by the 'ort' strategy.", ReflogAction::Merge),
            ("merge f: Fast-forward", ReflogAction::FastForward),
            ("merge f: Merge made by the 'ort' strategy.", ReflogAction::Merge),
            ("checkout: moving from a to b", ReflogAction::Move),
            ("reset: moving to HEAD~1", ReflogAction::Reset),
            ("clone: from x", ReflogAction::FastForward),
            ("", ReflogAction::Move),
        ] {
            assert_eq!(ReflogAction::parse(message), action, "{message}");
        }
    }
}
