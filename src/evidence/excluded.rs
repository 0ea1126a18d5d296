//! Files hidden by a repository's exclude file, if that was written after the first prompt: an older one is
//! the user's own. `.gitignore` is work like any other file, and what it hides is listed elsewhere.

use super::git;
use super::required_files::Search;
use super::untrusted_file::WorkspaceDir;
use crate::model::{GitObservation, HiddenFile, Timestamp};

/// How many hidden files are named.
const MAX_NAMED: usize = 20;

/// Adds the hidden files to the changes, if those were read. `evidence` names files that are evidence and not
/// work, absolute or from the top.
pub(super) fn add(first_prompt_at: Option<Timestamp>, evidence: &[String], git: &mut GitObservation) {
    let since = first_prompt_at.or(git.facts.baseline.commit_time);
    let Some(changes) = &mut git.facts.changes else { return };
    let top = git.top.clone();
    let is_evidence = |path: &String| {
        path.starts_with(".closeout/") || evidence.iter().any(|name| top.join(name) == top.join(path))
    };
    let all = git::excludes(&git.common_dir, &git.top, git.excludes_file.as_deref(), since);
    if all.is_empty() {
        return;
    }
    let Ok(directory) = WorkspaceDir::open(&git.top) else { return };
    let mut search = Search::default();
    for excludes in all {
        let behind = if excludes.is_own { "the exclude file" } else { "core.excludesFile" };
        for pattern in &excludes.patterns {
            let paths = search.matching_files(&directory, pattern, MAX_NAMED).paths.into_iter();
            for path in paths.filter(|path| !is_evidence(path)) {
                let on_disk = git::look(&git.top, &path);
                let hidden_at = Some(excludes.written_at);
                changes.hidden.push(HiddenFile { path, behind, hidden_at, on_disk });
            }
        }
    }
    changes.hidden.truncate(MAX_NAMED);
}
