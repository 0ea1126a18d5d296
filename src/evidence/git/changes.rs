//! From the paths that differ to what is shown of them: counted, sorted, capped, evidence left out.

use std::path::{Component, Path};

use super::reader::{Entry, Repo};
use super::submodules::Walk;
use crate::git::{Read, Repository};
use crate::model::{ChangeKind, ChangedFile, Changes};

/// So many paths are listed; all are counted.
const MAX_FILES: usize = 200;

/// The uncommitted changes. `evidence` are paths from the workspace that are evidence and not work
/// as long as they are untracked.
pub(super) fn read(
    repo: &dyn Repo,
    repository: &Repository,
    evidence: &[String],
    walk: &mut Walk<'_>,
) -> Read<Changes> {
    let evidence: Vec<Vec<u8>> =
        evidence.iter().filter_map(|name| from_top(&repository.prefix, name)).collect();
    let (kept, n_evidence_files) = entries(repo, repository, &evidence, walk)?;
    let mut changes = Changes { n_evidence_files, ..Changes::default() };
    for entry in &kept {
        changes.n_staged += u32::from(entry.staged.is_some());
        match entry.unstaged {
            Some(ChangeKind::Untracked) => changes.n_untracked += 1,
            Some(ChangeKind::Conflicted) => changes.n_conflicted += 1,
            Some(
                ChangeKind::Added
                | ChangeKind::Modified
                | ChangeKind::Deleted
                | ChangeKind::Renamed
                | ChangeKind::TypeChanged,
            ) => changes.n_unstaged += 1,
            None => {}
        }
    }
    changes.n_paths = u32::try_from(kept.len()).unwrap_or(u32::MAX);
    changes.files = kept
        .into_iter()
        .take(MAX_FILES)
        .map(|entry| ChangedFile { path: shown(&entry.path), staged: entry.staged, unstaged: entry.unstaged })
        .collect();
    Ok(changes)
}

/// The paths that differ, sorted, each once, and how many evidence files were left out. `evidence`
/// are paths from the top.
pub(super) fn entries(
    repo: &dyn Repo,
    repository: &Repository,
    evidence: &[Vec<u8>],
    walk: &mut Walk<'_>,
) -> Read<(Vec<Entry>, u32)> {
    let gitlinks = repo.gitlinks()?;
    let (mut kept, mut n_evidence_files) = walk.look(repository, &gitlinks, evidence)?;
    for mut entry in repo.status(&gitlinks)? {
        if entry.unstaged == Some(ChangeKind::Untracked) {
            let (n_evidence, is_all) = evidence_in(repo, &entry, evidence)?;
            n_evidence_files += n_evidence;
            if is_all {
                entry.unstaged = None;
            }
        }
        if entry.staged.is_some() || entry.unstaged.is_some() {
            kept.push(entry);
        }
    }
    kept.sort_by(|one, other| one.path.cmp(&other.path));
    // A file that was only taken out of the index is deleted there and untracked in the work tree.
    kept.dedup_by(|next, entry| {
        let is_same = next.path == entry.path;
        if is_same {
            entry.staged = entry.staged.or(next.staged);
            entry.unstaged = entry.unstaged.or(next.unstaged);
        }
        is_same
    });
    Ok((kept, n_evidence_files))
}

/// How many evidence files an untracked entry is or holds, and whether it holds nothing else.
fn evidence_in(repo: &dyn Repo, entry: &Entry, evidence: &[Vec<u8>]) -> Read<(u32, bool)> {
    if !entry.path.ends_with(b"/") {
        let is_evidence = evidence.contains(&entry.path);
        return Ok((u32::from(is_evidence), is_evidence));
    }
    if !evidence.iter().any(|path| path.starts_with(&entry.path)) {
        return Ok((0, false));
    }
    let files = repo.untracked_below(&entry.path)?;
    let n_evidence = files.iter().filter(|file| evidence.contains(file)).count();
    Ok((u32::try_from(n_evidence).unwrap_or(u32::MAX), n_evidence == files.len()))
}

/// The path `name`, given from `prefix`, from the top; `None` when it leaves the workspace.
fn from_top(prefix: &Path, name: &str) -> Option<Vec<u8>> {
    let mut path = prefix.to_path_buf();
    for part in Path::new(name).components() {
        match part {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path.into_os_string().into_encoded_bytes())
}

/// A path as text, invalid UTF-8 as `\xNN`. Control characters stay: they are cleaned for a screen.
fn shown(path: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(path.len());
    for chunk in path.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
    text
}
