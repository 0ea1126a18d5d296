//! Where a change of what git says would show: at most three folders a workspace and three a
//! repository, none of them recursively (`tests/evidence_git/places.rs` has which change shows where).
//!
//! `HEAD.lock` is the sign for everything that moves the branch: git makes it for each such action,
//! even where HEAD itself is not rewritten, and deletes it after the reference is in place. The log
//! is written before, so it is no trigger.

use std::path::Path;
use std::sync::LazyLock;

use crate::git::{RefStorage, Repository};
use crate::model::{Head, Names, Parts, WatchTarget};

/// The entries of a worktree's git directory that tell of HEAD and of operations.
static HEAD_NAMES: LazyLock<Names> = LazyLock::new(|| {
    Names::these([
        "HEAD", "HEAD.lock", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge",
        "rebase-apply", "sequencer", "gitdir",
    ])
});
static INDEX: LazyLock<Names> = LazyLock::new(|| Names::these(["index"]));
static PACKED: LazyLock<Names> = LazyLock::new(|| Names::these(["packed-refs"]));

/// The places for a workspace whose HEAD and upstream (full name) are these.
pub(super) fn of(repository: &Repository, head: &Head, upstream: Option<&str>) -> Vec<WatchTarget> {
    let both = Parts::COMMITS | Parts::CHANGES;
    let mut targets = vec![
        WatchTarget::new(&repository.git_dir, HEAD_NAMES.clone(), both),
        WatchTarget::new(&repository.git_dir, INDEX.clone(), Parts::CHANGES),
    ];
    if repository.refs == RefStorage::Reftable {
        // A worktree of its own keeps its HEAD in a stack of its own.
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

/// The folder of a loose reference.
fn loose(common_dir: &Path, name: &str) -> Option<WatchTarget> {
    let path = common_dir.join(name);
    Some(WatchTarget::new(path.parent()?, Names::these([path.file_name()?]), Parts::COMMITS))
}
