//! Determines where a visible commit can go: the checked-out branch, or a new one.
//!
//! It must not choose for a person: if the checked-out branch cannot or should not take the commit, a new
//! branch is only offered.

use std::os::unix::ffi::OsStrExt as _;

use crate::action::rescue::base::{RescueError, whole_file};
use crate::action::rescue::survey::Survey;
use crate::git::{self, Git, Repository, Stdin, operation};
use crate::model::{CommitId, CommitTarget, Operation, RefName, display_text};

/// The possible targets of a commit.
pub(crate) struct Targets {
    /// Everything that can be chosen; empty if no commit can be made at all.
    pub(crate) all: Vec<CommitTarget>,
    /// The target if nothing is chosen.
    pub(crate) usual: Option<CommitTarget>,
    /// Why there is no `usual` target.
    pub(crate) refusal: Option<String>,
}

impl Targets {
    /// No target at all, for this reason.
    pub(crate) fn none(words: impl Into<String>) -> Targets {
        Targets { all: Vec::new(), usual: None, refusal: Some(words.into()) }
    }

    /// Checks that `wanted` can be chosen.
    pub(crate) fn check(&self, git: &Git<'_>, wanted: Option<&CommitTarget>) -> Result<(), RescueError> {
        let refused = || {
            let words = self.refusal.clone().unwrap_or_else(|| "choose where the commit goes".to_owned());
            Err(RescueError::SavedOnly(words))
        };
        match wanted {
            Some(CommitTarget::NewBranch(name)) => {
                if !self.all.iter().any(|it| matches!(it, CommitTarget::NewBranch(_))) {
                    return refused();
                }
                check_new_branch(git, name)
            }
            Some(wanted) if self.all.contains(wanted) => Ok(()),
            Some(_) | None => refused(),
        }
    }
}

/// Checks a branch name that a person may have entered instead of the offered one.
pub(crate) fn check_new_branch(git: &Git<'_>, name: &RefName) -> Result<(), RescueError> {
    let refused = |words: String| Err(RescueError::Refused(words));
    let Some(short) = name.branch() else {
        return refused("a new branch has a name that begins with refs/heads/".to_owned());
    };
    let output = git.real(["check-ref-format", "--branch", short], Stdin::Lock)?;
    if !output.is_success() || short == "HEAD" {
        return refused("git does not take this name for a branch".to_owned());
    }
    if references(git, &[name.as_str()])?.is_empty() {
        Ok(())
    } else {
        refused(format!("there is a branch {short} already"))
    }
}

/// The references with these names or below them.
fn references(git: &Git<'_>, names: &[&str]) -> Result<Vec<Named>, RescueError> {
    let args = ["for-each-ref", "--format=%(refname) %(symref)"].iter().chain(names);
    let lines = git.lines(args)?;
    let listed = lines.iter().filter_map(|line| line.split_once(' '));
    Ok(listed.map(|(name, to)| Named { name: name.to_owned(), stands_for: to.to_owned() }).collect())
}

/// A reference, and the one that it stands for, or nothing.
struct Named {
    name: String,
    stands_for: String,
}

/// Below it are the branches that are offered for a commit.
const RESCUES: &str = "refs/heads/rescue";

/// The targets for a commit of this state. `id` is the last part of the record's name: a time and digits.
pub(crate) fn targets(
    git: &Git<'_>,
    survey: &Survey,
    protected: &[String],
    id: &str,
) -> Result<Targets, RescueError> {
    if let Some(words) = blocked(git, survey)? {
        return Ok(Targets::none(words));
    }
    let is_default_asked = protected.iter().any(|pattern| pattern == DEFAULT_OF_REMOTES);
    let patterns = if is_default_asked { &[RESCUES, "refs/remotes"][..] } else { &[RESCUES] };
    let names = references(git, patterns)?;
    let new_branch = CommitTarget::NewBranch(free_branch(&names, id));
    let elsewhere = |words: String| Targets {
        all: vec![new_branch.clone()],
        usual: None,
        refusal: Some(format!("{words}; the commit can go to a new branch")),
    };
    let Some(branch) = &survey.head.branch else {
        return Ok(elsewhere("HEAD is detached: no branch would keep the commit".to_owned()));
    };
    let name = branch.short();
    if has_other_worktrees(git.repo) && is_checked_out_twice(git, branch)? {
        return Ok(elsewhere(format!("the branch {name} is checked out in another worktree too")));
    }
    if is_protected(&names, protected, name) {
        return Ok(Targets {
            all: vec![new_branch, CommitTarget::ProtectedHead],
            usual: None,
            refusal: Some(format!(
                "the branch {name} is protected: a commit goes to a new branch, unless you choose this one"
            )),
        });
    }
    let all = vec![CommitTarget::Head, new_branch];
    Ok(Targets { all, usual: Some(CommitTarget::Head), refusal: None })
}

/// In a list of protected branches: the default branch of each remote, as far as it is known locally.
const DEFAULT_OF_REMOTES: &str = "*/HEAD";

/// Whether a pattern matches the branch: its name, a folder of branches (`release/*`), or
/// [`DEFAULT_OF_REMOTES`].
fn is_protected(names: &[Named], patterns: &[String], name: &str) -> bool {
    let is_named = |pattern: &String| match pattern.strip_suffix("/*") {
        Some(folder) => name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')),
        None => pattern == name,
    };
    let is_default = |named: &Named| {
        let remote = named.name.strip_suffix("/HEAD").filter(|it| it.starts_with("refs/remotes/"));
        let branch = remote.and_then(|remote| named.stands_for.strip_prefix(remote)?.strip_prefix('/'));
        branch == Some(name)
    };
    patterns.iter().any(is_named) || names.iter().any(is_default)
}

/// Why nothing moves while git is in the middle of something.
pub(crate) fn in_progress(begun: Operation) -> String {
    format!("git {} is in progress; finish or abort it first", begun.label())
}

/// Why no visible commit can be made of this state at all. The record is kept either way.
fn blocked(git: &Git<'_>, survey: &Survey) -> Result<Option<String>, RescueError> {
    let words = |words: &str| Ok(Some(words.to_owned()));
    if !survey.is_settled {
        return words("files change all the time");
    }
    if let Some(begun) = operation(git)? {
        return Ok(Some(in_progress(begun)));
    }
    if survey.entries.iter().any(|entry| entry.stage != 0) {
        return words("the index has conflicts");
    }
    if let Some(words) = &survey.index_problem {
        return Ok(Some(words.clone()));
    }
    if let Some(lost) = &survey.head.lost {
        return Ok(Some(format!("the repository is damaged: {lost}")));
    }
    Ok(None)
}

/// Whether there can be other worktrees: git has a folder for them then. Whatever this says, git is asked before a branch
/// is moved.
fn has_other_worktrees(repo: &Repository) -> bool {
    let found = repo.common_dir.join("worktrees").symlink_metadata();
    !found.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

/// Whether more than one worktree has the branch checked out: its files would look changed in the others.
pub(crate) fn is_checked_out_twice(git: &Git<'_>, branch: &RefName) -> Result<bool, RescueError> {
    Ok(n_checked_out(git, branch)? > 1)
}

/// How many worktrees have the branch checked out.
pub(crate) fn n_checked_out(git: &Git<'_>, branch: &RefName) -> Result<usize, RescueError> {
    let list = git.answer(["worktree", "list", "--porcelain", "-z"], Stdin::Lock)?;
    let wanted = format!("branch {branch}");
    Ok(list.split(|byte| *byte == 0).filter(|field| *field == wanted.as_bytes()).count())
}

/// The longest list of branches that a rebase moves at its end, in bytes.
const LIST_CAP: u64 = 1 << 20;

/// The rebase or bisection that will come back to the branch, and the worktree in which it is in progress: the branch is
/// checked out in none meanwhile.
pub(crate) fn used_by(
    repo: &Repository,
    branch: &RefName,
) -> Result<Option<(Operation, String)>, RescueError> {
    let mut places = vec![(repo.common_dir.clone(), "the main worktree".to_owned())];
    if has_other_worktrees(repo) {
        places.extend(whole_file::folders(&repo.common_dir.join("worktrees"))?.iter().map(|linked| {
            let name = display_text::bytes(linked.file_name().as_bytes());
            (linked.path(), format!("the worktree {name}"))
        }));
    }
    for (folder, place) in places {
        let has = |name: &str| -> Result<bool, RescueError> {
            let text = git::read(&folder, name, LIST_CAP)?.unwrap_or_default();
            Ok(text.split(|byte| *byte == b'\n').any(|line| {
                let line = line.trim_ascii();
                line == branch.as_str().as_bytes() || line == branch.short().as_bytes()
            }))
        };
        if has("rebase-merge/head-name")?
            || has("rebase-apply/head-name")?
            || has("rebase-merge/update-refs")?
        {
            return Ok(Some((Operation::Rebase, place)));
        }
        if has("BISECT_START")? {
            return Ok(Some((Operation::Bisect, place)));
        }
    }
    Ok(None)
}

/// A branch below that of rescues, or called like one, whose last commit has this tree and this parent alone.
pub(crate) fn with_commit(
    git: &Git<'_>,
    tree: &str,
    parent: Option<CommitId>,
) -> Result<Option<RefName>, RescueError> {
    let beside = format!("{RESCUES}-*");
    // Git opens no object for these: a branch can name one that is missing.
    let lines = git.lines(["for-each-ref", "--format=%(objectname) %(refname)", RESCUES, &beside])?;
    let branches: Vec<(&str, &str)> = lines.iter().filter_map(|line| line.split_once(' ')).collect();
    if branches.is_empty() {
        return Ok(None);
    }
    let asked = |id: &str| format!("{id}^{{tree}}\n{id}^1\n{id}^2\n");
    let asked: String = branches.iter().map(|(id, _)| asked(id)).collect();
    let answer = git.answer(["cat-file", "--batch-check"], Stdin::Bytes(asked.into_bytes()))?;
    let answer = String::from_utf8_lossy(&answer);
    let id = |line: &str| (!line.ends_with(" missing")).then(|| line.split(' ').next().map(str::to_owned));
    let found: Vec<Option<String>> = answer.lines().map(|line| id(line).flatten()).collect();
    let wanted = [Some(tree.to_owned()), parent.map(|id| id.to_string()), None];
    let mut are_it = branches.iter().zip(found.chunks_exact(3)).filter(|(_, found)| *found == wanted);
    Ok(are_it.find_map(|((_, name), _)| RefName::new(*name)))
}

/// A name for a new branch that does not collide with an existing one.
pub(crate) fn new_branch(git: &Git<'_>, id: &str) -> Result<RefName, RescueError> {
    Ok(free_branch(&references(git, &[RESCUES])?, id))
}

/// The same, where it is known which ones there are.
fn free_branch(taken: &[Named], id: &str) -> RefName {
    let time = id.split('-').next().unwrap_or(id);
    let is_free = |name: &RefName| {
        let below = format!("{name}/");
        !taken.iter().any(|it| it.name == name.as_str() || it.name.starts_with(&below))
    };
    // A branch named `rescue` rules out any branch below `rescue/`.
    let folder = if taken.iter().any(|it| it.name == RESCUES) { "rescue-" } else { "rescue/" };
    let usual = RefName::of_branch(&format!("{folder}{time}"));
    if is_free(&usual) { usual } else { RefName::of_branch(&format!("{folder}{id}")) }
}
