//! Reads commits for a plan that shows them. It must not judge them.

use std::collections::BTreeSet;

use crate::action::rescue::base::RescueError;
use crate::action::rescue::survey::listing;
use crate::git::{Git, Stdin, commit_id};
use crate::model::{CommitId, ShownCommit};

/// Those of `ids` that the repository lacks: it was replaced by another repository, or lost them.
pub(crate) fn lost(git: &Git<'_>, ids: &[CommitId]) -> Result<Vec<CommitId>, RescueError> {
    let there = listing::sizes(git, ids.iter())?;
    Ok(ids.iter().copied().filter(|id| !there.contains_key(&id.to_string())).collect())
}

/// Refuses for a commit that is [`lost`].
pub(crate) fn not_there(commit: CommitId) -> RescueError {
    RescueError::Refused(format!(
        "the commit {commit} is not in this repository any more; it was made anew, or its objects were removed"
    ))
}

/// Whether a branch, a remote branch or a tag reaches the commit.
pub(crate) fn is_held(git: &Git<'_>, commit: CommitId) -> Result<bool, RescueError> {
    let commit = commit.to_string();
    let args = [
        "for-each-ref", "--count=1", "--format=%(refname)", "--contains", &commit, "refs/heads",
        "refs/remotes", "refs/tags",
    ];
    Ok(!git.answer(args, Stdin::Lock)?.is_empty())
}

/// A commit as a plan shows it, with what was compared to count its paths.
pub(crate) struct Listed {
    pub(crate) shown: ShownCommit,
    /// Its first parent.
    pub(crate) parent: Option<CommitId>,
    /// The paths that differ from that parent, sorted by bytes.
    pub(crate) paths: Vec<Vec<u8>>,
}

/// The commits that `rev-list` lists for these arguments.
pub(crate) fn listed(git: &Git<'_>, which: &[String]) -> Result<Vec<Listed>, RescueError> {
    let args = ["-c", "i18n.logOutputEncoding=UTF-8", "rev-list", "--header"];
    let args = args.map(str::to_owned);
    let listed = git.answer(args.iter().chain(which), Stdin::Lock)?;
    String::from_utf8_lossy(&listed)
        .split('\0')
        .filter_map(|commit| commit.split_once('\n'))
        .map(|(id, text)| read(git, id, text))
        .collect()
}

/// A commit of which `rev-list --header` has this text: it indents the message.
fn read(git: &Git<'_>, id: &str, text: &str) -> Result<Listed, RescueError> {
    let (head, message) = text.split_once("\n\n").unwrap_or((text, ""));
    let subject = message.lines().next().unwrap_or_default();
    let subject = subject.strip_prefix("    ").unwrap_or(subject).to_owned();
    let commit = commit_id("rev-list", id)?;
    let parent = head.lines().find_map(|line| line.strip_prefix("parent "));
    let parent = parent.map(|parent| commit_id("rev-list", parent)).transpose()?;
    let paths = differing(git, parent, commit)?;
    let shown = ShownCommit { commit, subject, n_paths: paths.len() };
    Ok(Listed { shown, parent, paths })
}

/// The paths that differ between two commits, sorted by bytes; `None` has no files.
pub(crate) fn differing(
    git: &Git<'_>,
    before: Option<CommitId>,
    after: CommitId,
) -> Result<Vec<Vec<u8>>, RescueError> {
    let before = before.map_or_else(|| git.repo.format.empty_tree().to_owned(), |id| id.to_string());
    let after = after.to_string();
    let args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--ignore-submodules=none"];
    let args = args.into_iter().chain(["--end-of-options", &before, &after]);
    let listed = git.answer(args, Stdin::Lock)?;
    let paths = listed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    Ok(paths.map(<[u8]>::to_vec).collect::<BTreeSet<_>>().into_iter().collect())
}
