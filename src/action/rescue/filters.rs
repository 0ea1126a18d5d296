//! Filters of a repository that a person trusts: their commands are taken over into the shadow as they were
//! trusted, and no other setting of the repository is.
//!
//! A filter must not fail quietly: git would store the content as it is, and the filter may be there to keep
//! something out.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;

use super::error::RescueError;
use super::settings::Settings;
use crate::git::{Repository, Shadow};

/// Folders of the git directory in which known filters keep what a commit refers to.
const KEPT: [&str; 3] = ["lfs", "git-crypt", "annex"];

/// Lets filters run in the shadow.
pub(super) fn allow(shadow: &Shadow, repo: &Repository, settings: &Settings) -> Result<(), RescueError> {
    let mut text = String::new();
    for name in &settings.filters {
        let values = settings.filter_values.iter().filter(|(filter, _, _)| filter == name);
        let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
        // Writing to a string cannot fail.
        let _ = writeln!(text, "[filter \"{quoted}\"]");
        let mut has_program = false;
        for (_, key, value) in values {
            let value =
                value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t");
            let _ = writeln!(text, "\t{key} = \"{value}\"");
            has_program |= key != "required" && !value.is_empty();
        }
        if has_program {
            text.push_str("\trequired = true\n");
        }
    }
    let path = shadow.git_dir.join("config");
    let failed = |error| RescueError::io("write", &path)(error);
    let mut file = File::options().append(true).open(&path).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    for name in KEPT {
        let real = repo.common_dir.join(name);
        if name == "lfs" && settings.filters.contains(name) {
            // The filter would make it: what it keeps there must outlive the shadow.
            fs::create_dir_all(&real).map_err(RescueError::io("make", &real))?;
        }
        let link = shadow.git_dir.join(name);
        if real.is_dir() && link.symlink_metadata().is_err() {
            std::os::unix::fs::symlink(&real, &link).map_err(RescueError::io("make", &link))?;
        }
    }
    Ok(())
}

/// Whether a filter has put something into the shadow that would be gone with it.
pub(super) fn have_kept_something(shadow: &Shadow) -> bool {
    let is_ours = |name: &str| {
        ["HEAD", "config", "index", "info", "logs", "packed-refs", "refs"].contains(&name)
            || name.starts_with("sharedindex.")
            || KEPT.contains(&name)
    };
    let entries = fs::read_dir(&shadow.git_dir).map_or_else(|_| Vec::new(), |it| it.flatten().collect());
    entries.iter().any(|entry| !is_ours(&entry.file_name().to_string_lossy()))
}
