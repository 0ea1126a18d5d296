//! Compares what git stored with what was read: names, modes, ids and sizes. Nothing is reported as saved
//! before. It must not trust git's exit code alone.

use std::ffi::OsStr;
use std::path::PathBuf;

use crate::action::rescue::base::{RescueError, Saved};
use crate::action::rescue::snapshot::{Commits, Draft};
use crate::action::rescue::survey::listing::{SIZES, next_object, trees};
use crate::action::rescue::survey::{StoredTree, Tree};
use crate::git::{Git, Stdin, succeeded};

/// Checks that the repository holds the whole record, and that its packs are sound.
pub(crate) fn verify(
    git: &Git<'_>,
    draft: &Draft,
    commits: &Commits,
    packs: &[PathBuf],
) -> Result<(), RescueError> {
    for pack in packs {
        // Makes git read every byte of the pack again.
        let pack = pack.with_extension("pack");
        let args = [OsStr::new("index-pack"), OsStr::new("--verify"), pack.as_os_str()];
        // A call that was ended says nothing of the pack.
        succeeded("index-pack", git.real(args, Stdin::Lock)?)
            .map_err(|error| RescueError::Damage(format!("the pack of the record: {error}")))?;
    }
    is_there(git, draft, commits.names())
}

/// Whether the record that was saved still has exactly this tree of the work tree. Each folder of it is read again.
///
/// # Errors
/// [`RescueError::Damage`] if the record's reference was changed, or a folder cannot be read.
pub(crate) fn is_still(git: &Git<'_>, saved: &Saved, tree: &Tree) -> Result<bool, RescueError> {
    let damaged = |words: &str| RescueError::Damage(words.to_owned());
    let stored = trees(git.repo.format, tree)?;
    let ids = stored.iter().map(|tree| &*tree.id);
    let names: Vec<&str> = [&*saved.reference].into_iter().chain(ids).chain([""]).collect();
    let answer = git.answer(["cat-file", "--batch"], Stdin::Bytes(names.join("\n").into_bytes()))?;
    let changed = || damaged("the reference of the record was changed or removed");
    let (commit, mut rest) =
        next_object(&answer, &saved.snapshot.to_string(), "commit").ok_or_else(changed)?;
    let top = stored.last().map(|top| format!("tree {}\n", top.id)).unwrap_or_default();
    if !commit.starts_with(top.as_bytes()) {
        return Ok(false);
    }
    for folder in &stored {
        match next_object(rest, &folder.id, "tree") {
            Some((content, next)) if content == folder.stored => rest = next,
            _ => return Err(damaged("the record in the repository is not complete any more")),
        }
    }
    Ok(true)
}

/// What git is asked about one object.
struct Part {
    /// What names it for git.
    name: String,
    /// Its id and its size in bytes, as computed here; `None` if only its being there counts.
    facts: Option<(String, u64)>,
}

impl Part {
    fn of((id, size): (String, u64)) -> Part {
        Part { name: id.clone(), facts: Some((id, size)) }
    }
}

/// Checks that the two commits with these names are in the repository with exactly the trees of `draft`, and so is each
/// folder of these and each content, with its size.
///
/// Their ids are computed here from what was read, so that equal ids mean equal names, modes and contents.
pub(crate) fn is_there(
    git: &Git<'_>,
    draft: &Draft,
    [snapshot, record]: [String; 2],
) -> Result<(), RescueError> {
    let mut parts: Vec<Part> = Vec::new();
    for (commit, tree) in [(snapshot, &draft.snapshot), (record, &draft.record)] {
        let stored = trees(git.repo.format, tree)?;
        let facts = stored.last().map(StoredTree::facts);
        let tree = Part { name: format!("{commit}^{{tree}}"), facts };
        parts.extend([Part { name: commit, facts: None }, tree]);
        parts.extend(stored.iter().map(StoredTree::facts).map(Part::of));
    }
    parts.extend(draft.sizes.iter().map(|(id, size)| Part::of((id.clone(), *size))));
    let names: Vec<&str> = parts.iter().map(|part| &*part.name).chain([""]).collect();
    let output = succeeded("cat-file", git.real(SIZES, Stdin::Bytes(names.join("\n").into_bytes()))?)?;
    let answer = String::from_utf8_lossy(&output.stdout);
    let mut lines = answer.lines();
    for part in &parts {
        let line = lines.next().unwrap_or_default();
        let is_as_read = match &part.facts {
            Some((id, size)) => line == format!("{id} {size}"),
            None => !line.is_empty() && !line.ends_with(" missing"),
        };
        if !is_as_read {
            let words = if part.name.ends_with('}') && !line.ends_with(" missing") {
                "the record does not hold what was read"
            } else {
                "contents of the record are missing from the repository"
            };
            // It names a pack that it cannot read.
            let said = String::from_utf8_lossy(&output.stderr);
            let said = said.lines().next().map(|said| format!(": {said}")).unwrap_or_default();
            return Err(RescueError::Damage(format!("{words}{said}")));
        }
    }
    Ok(())
}
