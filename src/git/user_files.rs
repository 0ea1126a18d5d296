//! Git's files in a person's home folder: settings, attributes and ignore rules. Git opens them without a look at what
//! stands there: it waits for ever for a FIFO, and takes as much memory as a file is long.
//!
//! It must not open what is no regular file. Links count as what they lead to: these files are often kept elsewhere.

use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use super::file::read_linked;
use super::format::Format;
use crate::disk;
use crate::model::{ReadProblem, display_text};

/// The files in which settings are, and from which others are named.
const SETTINGS: [&str; 2] = [".gitconfig", ".config/git/config"];
/// Files of rules that git reads where no setting names others.
const RULES: [&str; 2] = [".config/git/attributes", ".config/git/ignore"];
/// The longest file of settings, in bytes: git takes a minute for tens of megabytes.
const MAX_SETTINGS: u64 = 4 << 20;
/// The longest file of rules that keeps nobody from answering, in bytes.
pub(super) const MAX_WHOLE: u64 = 64 << 20;
/// How many files are read for those that they name: they can name each other.
const MAX_READ: usize = 32;

/// Whether git waits where this is opened for reading, for a FIFO or a device. It follows links there.
pub fn is_waited_for(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| {
        let kind = metadata.file_type();
        (kind.is_fifo() || kind.is_char_device() || kind.is_block_device()) && !is_nothing(&metadata)
    })
}

/// Why git cannot use the files in this home, in words that name the place and the way out; `None` if it can. It is run
/// without all of them then.
pub fn user_file_in_the_way(home: &Path) -> Option<String> {
    let settings = SETTINGS.map(|name| home.join(name));
    let rules = RULES.iter().find_map(|name| in_the_way(&home.join(name), MAX_WHOLE));
    rules
        .or_else(|| settings.iter().find_map(|path| in_the_way(path, MAX_SETTINGS)))
        .or_else(|| settings.iter().find_map(|path| named_in_the_way(path, Some(home))))
}

/// What is in git's way among the files that these settings name, and those name in turn, in words.
pub(super) fn named_in_the_way(settings: &Path, home: Option<&Path>) -> Option<String> {
    let mut left = vec![settings.to_owned()];
    let mut n_read = 0;
    while let Some(path) = left.pop().filter(|_| n_read < MAX_READ) {
        n_read += 1;
        for named in named_in(&path, home) {
            let words = in_the_way(&named, MAX_WHOLE);
            if words.is_some() {
                return words;
            }
            left.push(named);
        }
    }
    None
}

/// The same for the file of rules that a setting of the section `core` names, such as `excludesfile`; `None` for a setting
/// that names none. `top` is the work tree, in which git reads it.
pub fn rule_file_in_the_way(name: &str, value: &str, top: &Path, home: Option<&Path>) -> Option<String> {
    let named = name.ends_with("file").then(|| resolved(Path::new(value), top, home))?;
    in_the_way(&named, MAX_WHOLE)
}

/// The variable, with its value, that shows git the user's files, or keeps it from them all.
pub(super) fn home_variable(home: Option<&Path>) -> (&'static str, &Path) {
    match home.filter(|home| user_file_in_the_way(home).is_none()) {
        Some(home) => ("HOME", home),
        None => ("GIT_CONFIG_GLOBAL", Path::new("/dev/null")),
    }
}

/// The files that a file of settings names. One that cannot be read names none.
fn named_in(path: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let text = read_linked(path, MAX_SETTINGS).ok().flatten().unwrap_or_default();
    let named = Format::parse(&text).map(|format| format.named_files).unwrap_or_default();
    let folder = path.parent().unwrap_or(Path::new("/"));
    named.iter().map(|name| resolved(name, folder, home)).collect()
}

fn resolved(named: &Path, folder: &Path, home: Option<&Path>) -> PathBuf {
    match (named.strip_prefix("~/"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => folder.join(named),
    }
}

/// What stands in the place of a file of at most so many bytes, and what to do about it. A file that is missing or may not
/// be read is as none for git.
fn in_the_way(path: &Path, longest: u64) -> Option<String> {
    let shown = display_text::path(path);
    let what = match path.metadata() {
        Ok(metadata) if metadata.is_file() && metadata.len() > longest => {
            format!("has {} MiB", metadata.len() >> 20)
        }
        Ok(metadata) if metadata.is_file() || is_nothing(&metadata) => return None,
        Ok(_) => "is no file".to_owned(),
        Err(error) if disk::file_problem(&error) == ReadProblem::Link => {
            "is a link without an end".to_owned()
        }
        Err(_) => return None,
    };
    Some(format!("{shown} {what}, and git would hang on it or fail; put a file in its place, or remove it"))
}

/// Whether this is the device that is empty, to which people link files that they do not want.
pub(super) fn is_nothing(metadata: &Metadata) -> bool {
    let nothing = Path::new("/dev/null").metadata();
    metadata.file_type().is_char_device() && nothing.is_ok_and(|it| it.rdev() == metadata.rdev())
}
