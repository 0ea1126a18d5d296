//! Finds out from `/proc` who holds one of git's locks. It must not touch the lock, because its ownership
//! cannot be proved.

use std::fs;
use std::path::Path;

use crate::git::Repository;

/// Describes a foreign lock: who holds it, or how to get rid of it.
pub(crate) fn label(repo: &Repository, lock: &Path) -> String {
    let name = lock.file_name().unwrap_or_default().to_string_lossy();
    match holder(repo, lock) {
        Some(holder) => format!("{name} is there: {holder} works in this repository; wait for its end"),
        None => format!(
            "{name} is there, and no git process of yours works in this repository: one was killed, or another \
             user's is running; if none is, remove the file yourself: {}",
            crate::model::display_text::path(lock)
        ),
    }
}

/// The process that has the lock open; otherwise a git process that works in the repository.
fn holder(repo: &Repository, lock: &Path) -> Option<String> {
    let mut in_here = None;
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().filter(|name| name.bytes().all(|byte| byte.is_ascii_digit())) else {
            continue;
        };
        let process = entry.path();
        let command = fs::read_to_string(process.join("comm")).unwrap_or_default();
        let command = command.trim();
        let has_it_open = fs::read_dir(process.join("fd")).is_ok_and(|files| {
            files.flatten().any(|file| fs::read_link(file.path()).is_ok_and(|target| target == lock))
        });
        if has_it_open {
            return Some(format!("{command} (process {pid})"));
        }
        let works_here = fs::read_link(process.join("cwd"))
            .is_ok_and(|folder| [&repo.top, &repo.git_dir].iter().any(|place| folder.starts_with(place)));
        if works_here && (command == "git" || command.starts_with("git-")) {
            in_here = Some(format!("{command} (process {pid})"));
        }
    }
    in_here
}
