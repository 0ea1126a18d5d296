//! Compares what git stored with what was read: names, modes, ids and sizes. Nothing is reported as saved
//! before. It must not trust git's exit code alone.

use std::path::PathBuf;

use crate::action::rescue::base::error::RescueError;
use crate::action::rescue::snapshot::{Commits, Draft};
use crate::action::rescue::survey::listing;
use crate::git::{Git, Stdin, succeeded};

/// Checks that the repository holds the whole record.
pub(in crate::action::rescue) fn verify(
    git: &Git<'_>,
    draft: &Draft,
    commits: &Commits,
    packs: &[PathBuf],
) -> Result<(), RescueError> {
    for pack in packs {
        // Makes git read every byte of the pack again.
        let args = [std::ffi::OsStr::new("verify-pack"), std::ffi::OsStr::new("--"), pack.as_os_str()];
        succeeded("verify-pack", git.real(args, Stdin::Lock)?)
            .map_err(|error| RescueError::Damage(format!("the pack of the record: {error}")))?;
    }
    for (name, commit, expected) in
        [("work tree", &commits.snapshot, &draft.snapshot), ("index", &commits.record, &draft.record)]
    {
        let stored = listing::tree(git, commit)?;
        if &stored != expected {
            return Err(RescueError::Damage(format!("the {name} in the record is not what was read")));
        }
    }
    is_there(git, draft, &[&commits.snapshot, &commits.record])
}

/// Checks that `commits` and each content, with its size, are in the repository.
pub(in crate::action::rescue) fn is_there(
    git: &Git<'_>,
    draft: &Draft,
    commits: &[&str],
) -> Result<(), RescueError> {
    let ids: Vec<&str> = draft.sizes.keys().map(String::as_str).chain(commits.iter().copied()).collect();
    let args = ["cat-file", "--batch-check=%(objectname) %(objectsize)"];
    let output = git.real(args, Stdin::Bytes(format!("{}\n", ids.join("\n")).into_bytes()))?;
    let mut stored = listing::sizes(&succeeded("cat-file", output)?.stdout);
    if commits.iter().all(|id| stored.remove(*id).is_some()) && stored == draft.sizes {
        return Ok(());
    }
    Err(RescueError::Damage("contents of the record are missing from the repository".to_owned()))
}
