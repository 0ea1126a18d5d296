//! Lists what to watch for changes of git's state: one folder per workspace and at most three per repository (reftable:
//! two and one), none recursively (`tests/evidence_git/places.rs` lists which change shows where). The one of the
//! workspace cannot go: a checkout, a detached commit or `git add` shows nowhere else.
//!
//! `HEAD.lock` signals everything that moves the branch: git creates it for each such action, even if HEAD
//! itself is not rewritten, and deletes it once the reference is in place. The log is written earlier, so it is
//! no trigger.

use std::path::Path;
use std::sync::LazyLock;

use crate::git::{RefStorage, Repository};
use crate::model::{Head, Names, Parts, WatchTarget};

/// Entries of a worktree's git directory that show changes of HEAD and of operations.
static HEAD_NAMES: LazyLock<Names> = LazyLock::new(|| {
    Names::these([
        "HEAD", "HEAD.lock", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge",
        "rebase-apply", "sequencer", "gitdir",
    ])
});
static INDEX: LazyLock<Names> = LazyLock::new(|| Names::these(["index"]));
static PACKED: LazyLock<Names> = LazyLock::new(|| Names::these(["packed-refs"]));

/// What to watch for a workspace with this HEAD and upstream (full name).
pub(super) fn of(repository: &Repository, head: &Head, upstream: Option<&str>) -> Vec<WatchTarget> {
    let both = Parts::COMMITS | Parts::CHANGES;
    let mut targets = vec![
        WatchTarget::new(&repository.git_dir, HEAD_NAMES.clone(), both),
        WatchTarget::new(&repository.git_dir, INDEX.clone(), Parts::CHANGES),
    ];
    if repository.refs == RefStorage::Reftable {
        // A linked worktree keeps its HEAD in a reftable stack of its own.
        for folder in [&repository.git_dir, &repository.common_dir] {
            targets.push(WatchTarget::new(folder.join("reftable"), Names::these(["tables.list"]), both));
        }
    } else {
        targets.push(WatchTarget::new(&repository.common_dir, PACKED.clone(), Parts::COMMITS));
        let branch = head.branch().map(|name| format!("refs/heads/{name}"));
        for name in branch.as_deref().into_iter().chain(upstream) {
            targets.extend(loose(&repository.common_dir, name));
        }
    }
    targets.sort();
    targets.dedup();
    targets
}

/// The folder of a loose reference, watched for that name.
fn loose(common_dir: &Path, name: &str) -> Option<WatchTarget> {
    let path = common_dir.join(name);
    Some(WatchTarget::new(path.parent()?, Names::these([path.file_name()?]), Parts::COMMITS))
}
