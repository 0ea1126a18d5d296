//! Checks that a repository lists the work tree from which it was reached. A file `.git` can name anybody's
//! repository, and a rescue there would move someone else's branch and index.
//!
//! It must not change anything and must not guess: what cannot be proved is refused, naming both sides.

use std::path::Path;

use crate::action::rescue::base::{
    Journal, JournalEntry, Move, Place, RescueError, Saved, journal, older, record_objects, references,
    repository, worktrees,
};
use crate::action::rescue::survey::{Survey, WorkTree};
use crate::git::{Git, IndexEntry, Repository, Stdin, stored_refs};
use crate::model::{CommitId, RecordNotice, display_text};

/// Refuses a work tree that its repository does not list.
///
/// # Errors
/// [`RescueError::Refused`] names the work tree, the git directory and the way out.
pub(crate) fn check(git: &Git<'_>) -> Result<(), RescueError> {
    let repo = git.repo;
    if repo.git_dir != repo.common_dir {
        return check_linked(repo);
    }
    if repo.is_in_place() {
        return Ok(());
    }
    // The git directory of another folder's work tree, reached through a `.git` file or link.
    let owner = repo.git_dir.parent().filter(|_| repo.git_dir.ends_with(".git"));
    let Some(owner) = owner.filter(|owner| *owner != repo.top) else { return Ok(()) };
    // With `core.worktree` set, the comparison happens when the settings are read.
    if git.real(["config", "--get", "core.worktree"], Stdin::Lock)?.is_success() {
        return Ok(());
    }
    refused(repo, &format!("it belongs to the work tree {}; go there", display_text::path(owner)))
}

/// What tells whose repository a work tree uses.
pub(crate) enum Belonging {
    /// The repository is in the work tree, lists it or names it.
    Own,
    /// It knows files that are here, and names no work tree.
    Elsewhere(RecordNotice),
    /// It knows none of the files here. Holds why nothing is changed in it.
    Doubtful(String),
}

/// Whether the repository is this work tree's own. A git directory elsewhere does not name its work tree, but its index
/// remembers the files that it was made from. A clone that names somebody else's repository has none of those, unless
/// git was run in it: that renews what the index remembers. A file that has another name too may be the other's.
pub(crate) fn of(git: &Git<'_>, survey: &Survey) -> Result<Belonging, RescueError> {
    let repo = git.repo;
    if repo.git_dir != repo.common_dir || repo.is_in_place() {
        return Ok(Belonging::Own);
    }
    // The name was compared when the settings were read.
    if git.real(["config", "--get", "core.worktree"], Stdin::Lock)?.is_success() {
        return Ok(Belonging::Own);
    }
    // No folder on the way may be a link: it could lead to the files of the other.
    let tree = WorkTree::open(&repo.top, repo.format)?;
    let is_of_here = |entry: &IndexEntry| {
        let stamp = tree.stamp(&entry.path).ok().flatten();
        stamp.is_some_and(|stamp| stamp.has_one_name && stamp.is_file_of(entry))
    };
    let git_dir = display_text::path(&repo.git_dir);
    let is_new = survey.entries.is_empty() && survey.head.commit.is_none();
    if is_new || survey.entries.iter().any(is_of_here) {
        return Ok(Belonging::Elsewhere(RecordNotice::GitDirElsewhere { git_dir }));
    }
    let top = display_text::path(&repo.top);
    Ok(Belonging::Doubtful(format!(
        "{top} uses the repository {git_dir}, whose index knows none of the files here; if it belongs here, \
         `git config core.worktree {top}` says so"
    )))
}

/// Refuses a repository in which closeout moved a branch for another work tree that still uses it.
pub(crate) fn check_place(repo: &Repository, folder: &Path, journal: &Journal) -> Result<(), RescueError> {
    let Some(top) = worktrees::place_of(folder).filter(|top| *top != repo.top) else { return Ok(()) };
    let is_in_use = matches!(Repository::open(&top), Ok(Some(other)) if other.git_dir == repo.git_dir && other.top == top);
    if !is_in_use || journal::moves(&journal.read()?.entries).next().is_none() {
        return Ok(());
    }
    refused(repo, &format!("it belongs to the work tree {}; go there", display_text::path(&top)))
}

/// Whether the repository has anything that the journal of this place tells of: a reference, or, unless it is younger than all of
/// that, the commit of a record or a branch. Where that cannot be told, it has.
///
/// # Errors
/// Git was ended.
pub(crate) fn has_anything_of(git: &Git<'_>, place: &Place) -> Result<bool, RescueError> {
    let journal = Journal::at(&place.folder);
    let (Ok(read), Ok(pending)) = (journal.read(), journal.pending()) else { return Ok(true) };
    let moves: Vec<&Move> = journal::moves(&read.entries).collect();
    // Those whose deletion was cut off, too.
    let saved = read
        .entries
        .iter()
        .filter_map(|entry| if let JournalEntry::Saved(saved) = entry { Some(saved) } else { None });
    let saved: Vec<&Saved> = saved.chain(&pending).collect();
    let stored = stored_refs(git.repo, &["refs/closeout"]).unwrap_or_default();
    if read.n_unread() > 0 || saved.iter().any(|saved| stored.contains_key(&*saved.reference)) {
        return Ok(true);
    }
    let ids: Vec<String> = moves.iter().map(|made| made.id.clone()).collect();
    // The commits of other moves can be in a clone as well.
    let loose =
        moves.iter().filter(|made| made.is_branch_only && made.record.is_none()).filter_map(|made| made.to);
    let commits: Vec<CommitId> = saved.iter().map(|saved| saved.snapshot).chain(loose).collect();
    let is_older = older::is_older(&place.folder, &git.repo.common_dir);
    let found = references::pinned(git, &place.key, &ids)
        .and_then(|pinned| Ok(!pinned.is_empty() || !is_older && record_objects::has_any(git, &commits)?));
    match found {
        Err(error @ (RescueError::TimedOut(_) | RescueError::Cancelled)) => Err(error),
        found => Ok(found.unwrap_or(true)),
    }
}

/// Checks a linked worktree: its folder in the repository must name this work tree.
pub(crate) fn check_linked(repo: &Repository) -> Result<(), RescueError> {
    if repository::is_listed(repo)? {
        return Ok(());
    }
    let named = repository::named_by(&repo.git_dir)?;
    let other = named.parent().filter(|top| is_used_by(top, repo));
    let own = repository::folder_of(repo);
    refused(repo, &way_out(repo, &named, (other, own.as_deref())))
}

/// Whether the work tree uses this very git directory.
fn is_used_by(top: &Path, repo: &Repository) -> bool {
    matches!(Repository::open(top), Ok(Some(other)) if other.git_dir == repo.git_dir && other.top != repo.top)
}

/// What to do about a worktree whose folder in the repository names something else. `git worktree repair` would take the
/// folder away from the worktree that uses it.
fn way_out(repo: &Repository, named: &Path, of: (Option<&Path>, Option<&Path>)) -> String {
    let shown = |path: &Path| display_text::path(path);
    let (folder, dot_git) = (shown(&repo.git_dir), shown(&repo.top.join(".git")));
    match of {
        (_, Some(own)) => {
            format!("{folder} is not for it; {dot_git} has to say `gitdir: {}`", shown(own))
        }
        (Some(other), None) => format!(
            "{folder} is for the worktree {}, and none is for this one; do not run `git worktree repair` here, which takes it \
             away from there",
            shown(other)
        ),
        (None, None) => format!(
            "its folder names {:?}; if the worktree was moved, run `git worktree repair` in it",
            shown(named)
        ),
    }
}

fn refused(repo: &Repository, words: &str) -> Result<(), RescueError> {
    Err(RescueError::Refused(format!(
        "{} uses the repository {}, which does not list it: {words}",
        display_text::path(&repo.top),
        display_text::path(&repo.common_dir)
    )))
}
