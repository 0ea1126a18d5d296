//! Writes the work tree of a record into a new, empty folder. It must not write into a folder that holds
//! anything, nor through a link.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File};
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use super::Rescuer;
use super::error::RescueError;
use super::git::{Git, Input, succeeded};
use super::listing::{self, TreeEntry};
use super::names;
use super::turn::Turn;
use crate::model::display_text;

/// The most that is read from git at once, in bytes.
const AT_ONCE: u64 = 64 << 20;
/// The largest content that can be restored, in bytes; it must fit into an answer of git's.
const LARGEST: u64 = 200 << 20;
/// Below the new folder: what has a name that git refuses, under its number in the record.
const REFUSED_NAMES: &str = "names-that-git-refuses";

impl Rescuer {
    /// Writes the files of the record `reference` into `into`, which must be empty or not there; how
    /// many were written. Times are those of now, and what others could read is for this user only.
    ///
    /// # Errors
    /// [`RescueError::Refused`] when `into` holds something or a name in the record is not safe; then
    /// nothing is written.
    pub fn restore(&self, workspace: &Path, reference: &str, into: &Path) -> Result<usize, RescueError> {
        let turn = Turn::take(self, workspace)?;
        let git = turn.git(self);
        if !reference.starts_with("refs/closeout/rescue/") {
            return Err(RescueError::Refused("this is no reference of a record".to_owned()));
        }
        let mut files: BTreeMap<PathBuf, TreeEntry> = BTreeMap::new();
        for (path, entry) in listing::tree(&git, reference)? {
            if names::is_refused(&path) {
                return Err(RescueError::Refused("the record holds a name that is not safe".to_owned()));
            }
            if entry.mode != "160000" {
                files.insert(PathBuf::from(std::ffi::OsStr::from_bytes(&path)), entry);
            }
        }
        // On an unborn branch the only parent is the record.
        let parents =
            succeeded("rev-parse", git.real(["rev-parse", &format!("{reference}^@")], Input::Lock)?)?;
        let parents = String::from_utf8_lossy(&parents.stdout).into_owned();
        let record = parents.lines().last().unwrap_or_default().to_owned();
        for (path, entry) in listing::tree(&git, &record)? {
            if let Some(number) = path.strip_prefix(b"x/") {
                let path = Path::new(REFUSED_NAMES).join(std::ffi::OsStr::from_bytes(number));
                if files.insert(path, entry).is_some() {
                    return Err(RescueError::Refused(format!(
                        "the record has a file {REFUSED_NAMES} itself"
                    )));
                }
            }
        }
        let sizes = sizes(&git, &files)?;
        new_folder(into)?;
        let (links, plain): (Vec<_>, Vec<_>) = files.iter().partition(|(_, entry)| entry.mode == "120000");
        // Links come last: nothing can be written through them.
        for group in groups(plain.into_iter().chain(links), &sizes) {
            write_group(&git, into, &group)?;
        }
        turn.sync(self)?;
        Ok(files.len())
    }
}

fn new_folder(into: &Path) -> Result<(), RescueError> {
    match DirBuilder::new().mode(0o700).create(into) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let is_folder = into.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
            if is_folder && fs::read_dir(into).is_ok_and(|mut entries| entries.next().is_none()) {
                return Ok(());
            }
            Err(RescueError::Refused("a record is restored only into a new or empty folder".to_owned()))
        }
        Err(error) => Err(RescueError::io("make", into)(error)),
    }
}

fn sizes(git: &Git<'_>, files: &BTreeMap<PathBuf, TreeEntry>) -> Result<BTreeMap<String, u64>, RescueError> {
    let ids: String = files.values().map(|entry| entry.id.clone() + "\n").collect();
    let args = ["cat-file", "--batch-check=%(objectname) %(objectsize)"];
    let output = succeeded("cat-file", git.real(args, Input::Bytes(ids.into_bytes()))?)?;
    let sizes = super::verify::sizes(&output.stdout);
    for (path, entry) in files {
        match sizes.get(&entry.id) {
            None => {
                return Err(RescueError::Damage(format!(
                    "the content of {} is missing",
                    display_text::path(path)
                )));
            }
            Some(size) if *size > LARGEST => {
                let words = format!(
                    "{} is too large; take it with: git cat-file blob {}",
                    display_text::path(path),
                    entry.id
                );
                return Err(RescueError::Refused(words));
            }
            Some(_) => {}
        }
    }
    Ok(sizes)
}

/// Files that are read together.
fn groups<'f>(
    files: impl Iterator<Item = (&'f PathBuf, &'f TreeEntry)>,
    sizes: &BTreeMap<String, u64>,
) -> Vec<Vec<(&'f PathBuf, &'f TreeEntry)>> {
    let mut groups: Vec<Vec<_>> = Vec::new();
    let mut n_bytes = AT_ONCE;
    for file in files {
        let size = sizes.get(&file.1.id).copied().unwrap_or(0) + 100;
        if n_bytes + size > AT_ONCE || groups.is_empty() {
            groups.push(Vec::new());
            n_bytes = 0;
        }
        n_bytes += size;
        if let Some(group) = groups.last_mut() {
            group.push(file);
        }
    }
    groups
}

fn write_group(git: &Git<'_>, into: &Path, group: &[(&PathBuf, &TreeEntry)]) -> Result<(), RescueError> {
    let ids: String = group.iter().map(|(_, entry)| entry.id.clone() + "\n").collect();
    let output = succeeded("cat-file", git.real(["cat-file", "--batch"], Input::Bytes(ids.into_bytes()))?)?;
    let mut answer = &output.stdout[..];
    for (path, entry) in group {
        let Some((content, rest)) = next_content(answer, &entry.id) else {
            return Err(RescueError::Damage(format!(
                "the content of {} is not as listed",
                display_text::path(path)
            )));
        };
        answer = rest;
        write_one(&into.join(path), entry, content)?;
    }
    Ok(())
}

/// The content that stands next in the answer of `cat-file --batch`, and what follows it.
fn next_content<'a>(answer: &'a [u8], id: &str) -> Option<(&'a [u8], &'a [u8])> {
    let end = answer.iter().position(|byte| *byte == b'\n')?;
    let header = std::str::from_utf8(&answer[..end]).ok()?;
    let size: usize = header.strip_prefix(id)?.strip_prefix(" blob ")?.parse().ok()?;
    let content = answer.get(end + 1..end + 1 + size)?;
    let mut sum = super::sha1::Sha1::of_blob(size as u64);
    sum.update(content);
    (sum.hex() == id).then_some((content, answer.get(end + 2 + size..)?))
}

fn write_one(path: &Path, entry: &TreeEntry, content: &[u8]) -> Result<(), RescueError> {
    if let Some(folder) = path.parent() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(RescueError::io("make", folder))?;
    }
    if entry.mode == "120000" {
        let target = std::ffi::OsStr::from_bytes(content);
        return std::os::unix::fs::symlink(target, path).map_err(RescueError::io("make", path));
    }
    let mode = if entry.mode == "100755" { 0o700 } else { 0o600 };
    let mut file = File::options()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)
        .map_err(RescueError::io("make", path))?;
    file.write_all(content).map_err(RescueError::io("write", path))
}
