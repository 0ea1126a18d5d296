//! Checks that only allowed paths were changed since the baseline, and not too many lines. It must not run
//! anything that the repository names, so it uses libgit2.

use std::path::Path;

use git2::{DiffOptions, Oid, Repository, RepositoryOpenFlags};

use super::finding::CheckFinding;
use crate::disk::PathPatterns;
use crate::model::{CheckResult, CommitId};

/// How many paths outside the scope are named.
const MAX_NAMED: usize = 3;

/// What was changed.
struct Changed {
    paths: Vec<Vec<u8>>,
    n_lines: u64,
}

/// Checks what was changed since `baseline`, committed or not.
pub(super) fn look(
    workspace: &Path,
    baseline: Option<CommitId>,
    allowed: &[String],
    max_lines: Option<u64>,
) -> CheckFinding {
    let broken = |why: String| CheckFinding::new(CheckResult::Broken, why);
    let changed = match changed(workspace, baseline) {
        Ok(changed) => changed,
        Err(error) => return broken(format!("what was changed cannot be determined: {}", error.message())),
    };
    let Ok(patterns) = PathPatterns::parse(allowed) else {
        return broken("the patterns of `paths` are too long".to_owned());
    };
    let is_outside = |path: &&Vec<u8>| !patterns.is_empty() && !patterns.matches(path);
    let outside: Vec<String> = changed
        .paths
        .iter()
        .filter(is_outside)
        .map(|path| String::from_utf8_lossy(path).into_owned())
        .collect();
    if !outside.is_empty() {
        let named = outside.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join(", ");
        let more = if outside.len() > MAX_NAMED { ", ..." } else { "" };
        let feedback = format!("{} changed outside of what is allowed: {named}{more}", outside.len());
        return CheckFinding::new(CheckResult::Failed, feedback);
    }
    if let Some(most) = max_lines.filter(|most| changed.n_lines > *most) {
        let feedback = format!("{} lines were changed, and {most} are allowed", changed.n_lines);
        return CheckFinding::new(CheckResult::Failed, feedback);
    }
    let feedback = format!("{} paths and {} lines were changed", changed.paths.len(), changed.n_lines);
    CheckFinding::new(CheckResult::Passed, feedback)
}

fn changed(workspace: &Path, baseline: Option<CommitId>) -> Result<Changed, git2::Error> {
    let flags = RepositoryOpenFlags::NO_SEARCH;
    let repository = Repository::open_ext(workspace, flags, std::iter::empty::<&std::ffi::OsStr>())?;
    let tree = match baseline {
        Some(commit) => Some(repository.find_commit(Oid::from_bytes(commit.as_bytes())?)?.tree()?),
        None => None,
    };
    let mut options = DiffOptions::new();
    options.include_untracked(true).recurse_untracked_dirs(true).show_untracked_content(true);
    let diff = repository.diff_tree_to_workdir_with_index(tree.as_ref(), Some(&mut options))?;
    let stats = diff.stats()?;
    let mut paths: Vec<Vec<u8>> = diff
        .deltas()
        .flat_map(|delta| {
            let of = |path: Option<&[u8]>| path.map(<[u8]>::to_vec);
            [of(delta.old_file().path_bytes()), of(delta.new_file().path_bytes())]
        })
        .flatten()
        .collect();
    // Evidence does not count as work.
    paths.retain(|path| !path.starts_with(b".closeout/"));
    paths.sort();
    paths.dedup();
    Ok(Changed { paths, n_lines: (stats.insertions() + stats.deletions()) as u64 })
}
