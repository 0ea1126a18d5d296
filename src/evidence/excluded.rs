//! Files that the exclude file of a repository hides, where it was written since the first prompt: an exclude that is
//! older is the person's own. `.gitignore` is work like any other file, and what it hides is named elsewhere.

use std::path::Path;

use super::git;
use super::required_files::matching_files;
use super::untrusted_file::WorkspaceDir;
use crate::model::{GitFacts, HiddenFile, Timestamp};

/// So many files are named.
const MOST_NAMED: usize = 20;

/// Adds them to the changes, where those were looked at.
pub(super) fn add(workspace: &Path, first_prompt_at: Option<Timestamp>, facts: &mut GitFacts) {
    let since = first_prompt_at.or(facts.baseline.commit_time);
    let Some(changes) = &mut facts.changes else { return };
    let Some(excludes) = git::excludes(workspace).filter(|excludes| Some(excludes.written_at) >= since)
    else {
        return;
    };
    let Ok(directory) = WorkspaceDir::open(&excludes.top) else { return };
    for pattern in &excludes.patterns {
        for path in matching_files(&directory, pattern, MOST_NAMED) {
            let on_disk = git::look(&excludes.top, &path);
            let hidden_at = Some(excludes.written_at);
            changes.hidden.push(HiddenFile { path, behind: "the exclude file", hidden_at, on_disk });
        }
    }
    changes.hidden.truncate(MOST_NAMED);
}
