//! Makes the trusted filters of a repository available in the shadow: their commands as trusted, with the files that
//! they call replaced by copies, and no other setting.
//!
//! A filter must not fail silently: git would then store the unfiltered content, and the filter may exist to
//! keep something out.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;

use crate::action::rescue::base::whole_file::entries;
use crate::action::rescue::base::{RescueError, Settings};
use crate::action::rescue::trust::{Copies, Programs};
use crate::git::{Repository, Shadow};

/// Folders of the git directory in which known filters store what a commit refers to.
const KEPT: [&str; 3] = ["lfs", "git-crypt", "annex"];

/// Enables the filters in the shadow.
pub(crate) fn allow(
    shadow: &Shadow,
    repo: &Repository,
    settings: &Settings,
    programs: &Programs,
) -> Result<(), RescueError> {
    let copies = Copies::write(programs, shadow.file("programs"))?;
    let mut text = String::new();
    for name in &settings.filters {
        let values = settings.filter_values.iter().filter(|(filter, _, _)| filter == name);
        let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
        // Writing to a string cannot fail.
        let _ = writeln!(text, "[filter \"{quoted}\"]");
        let mut has_program = false;
        for (_, key, value) in values {
            let value = copies.in_text(value);
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
            repo.check_write_to("lfs/objects")?;
            // Created here because the filter would otherwise create it inside the shadow, where it is lost.
            fs::create_dir_all(&real).map_err(RescueError::io("make", &real))?;
        }
        let link = shadow.git_dir.join(name);
        if real.is_dir() && link.symlink_metadata().is_err() {
            std::os::unix::fs::symlink(&real, &link).map_err(RescueError::io("make", &link))?;
        }
    }
    Ok(())
}

/// Whether a filter stored something in the shadow that would disappear with it. What cannot be listed counts as such.
pub(crate) fn have_kept_something(shadow: &Shadow) -> bool {
    let is_ours = |name: &str| {
        ["HEAD", "config", "index", "info", "logs", "packed-refs", "refs"].contains(&name)
            || name.starts_with("sharedindex.")
            || KEPT.contains(&name)
    };
    entries(&shadow.git_dir)
        .map_or(true, |all| all.iter().any(|entry| !is_ours(&entry.file_name().to_string_lossy())))
}
