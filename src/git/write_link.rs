//! Finds links where a write below a git directory would leave it. Git follows such links, and so does every
//! program that writes to a path; a hostile clone can therefore make both write anywhere.
//!
//! It must not change anything and must not follow a link. It covers all that closeout or the git that it
//! starts changes: packs, references, their logs, the index, and nothing else.

use std::fmt;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::refs::{HeadRef, head_ref};
use super::repository::Repository;
use crate::model::display_text;

/// Where references of closeout's own are, without the key of the worktree.
const HIDDEN: [&str; 3] = ["refs/closeout/rescue", "refs/closeout/visible", "refs/closeout/moved"];
/// What all worktrees share and a move of any reference may change.
const SHARED: [&str; 5] =
    ["objects/pack", "packed-refs", "refs/heads", "logs/refs/heads", "reftable/tables.list"];
/// What each worktree has for itself.
const OWN: [&str; 5] = ["index", "logs/HEAD", "logs/refs", "refs", "reftable/tables.list"];

/// Something that leads a write out of the git directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteLink {
    /// Its path.
    pub path: PathBuf,
    /// Where the symbolic link leads, as it says; `None` for a file that has another name elsewhere (a hard
    /// link).
    pub target: Option<PathBuf>,
}

impl fmt::Display for WriteLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = display_text::path(&self.path);
        match &self.target {
            Some(target) => write!(f, "{path} is a symbolic link to {}", display_text::path(target)),
            None => write!(f, "{path} is a hard link: the same file has another name too"),
        }
    }
}

impl Repository {
    /// Checks that no link is on the way to what a rescue or its undo changes in this repository: in no component
    /// below the git directory, or below the one that all worktrees share. `references` are full names that are
    /// about to be written beside closeout's own and the branch that is checked out.
    ///
    /// # Errors
    /// The first link.
    pub fn check_writes(&self, references: &[&str]) -> Result<(), WriteLink> {
        self.write_link(references).map_or(Ok(()), Err)
    }

    /// Checks that git, when it changes these references, appends to no log that has a second name elsewhere.
    ///
    /// # Errors
    /// The first such log.
    pub fn check_logs(&self, references: &[&str]) -> Result<(), WriteLink> {
        let head = head_ref(self).ok();
        let is_checked_out = references.iter().any(|name| head == Some(HeadRef::Branch((*name).to_owned())));
        let of_head = is_checked_out.then(|| second_name(&self.git_dir, "HEAD")).flatten();
        let mut others = references.iter().filter_map(|name| second_name(&self.common_dir, name));
        of_head.or_else(|| others.next()).map_or(Ok(()), Err)
    }

    /// Checks the same as [`Repository::check_writes`] for a file or folder `below` the git directory that all worktrees share.
    ///
    /// # Errors
    /// The first link.
    pub fn check_write_to(&self, below: &str) -> Result<(), WriteLink> {
        on_the_way(&self.common_dir, Path::new(below)).map_or(Ok(()), Err)
    }

    fn write_link(&self, references: &[&str]) -> Option<WriteLink> {
        let hidden = HIDDEN.iter().map(|folder| format!("{folder}/{}", self.key));
        let mut names: Vec<String> = hidden.chain(references.iter().map(|&name| name.to_owned())).collect();
        if let Ok(HeadRef::Branch(name)) = head_ref(self) {
            names.push(name);
        }
        let with_logs = names.iter().flat_map(|name| [name.clone(), format!("logs/{name}")]);
        let mut shared = SHARED.iter().map(|&name| name.to_owned()).chain(with_logs);
        shared
            .find_map(|name| on_the_way(&self.common_dir, Path::new(&name)))
            .or_else(|| OWN.iter().find_map(|name| on_the_way(&self.git_dir, Path::new(name))))
            .or_else(|| among(&self.common_dir.join("objects"), |_| true))
            .or_else(|| among(&self.common_dir.join("refs"), |name| name.starts_with(b"closeout")))
    }
}

/// The first component of `below` that is a link, starting in `folder`.
fn on_the_way(folder: &Path, below: &Path) -> Option<WriteLink> {
    let mut path = folder.to_owned();
    for name in below {
        path.push(name);
        match path.symlink_metadata() {
            Ok(metadata) if metadata.is_symlink() => return Some(symbolic(path)),
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) | Err(_) => return None,
        }
    }
    None
}

/// The first link in `folder` whose name `is_looked_at`.
fn among(folder: &Path, is_looked_at: fn(&[u8]) -> bool) -> Option<WriteLink> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut links = entries.filter(|entry| {
        is_looked_at(entry.file_name().as_encoded_bytes())
            && entry.file_type().is_ok_and(|kind| kind.is_symlink())
    });
    links.next().map(|entry| symbolic(entry.path()))
}

fn symbolic(path: PathBuf) -> WriteLink {
    // One that vanished meanwhile is named all the same.
    let target = path.read_link().unwrap_or_default();
    WriteLink { path, target: Some(target) }
}

/// The log of a reference if it has a second name. Logs are the only files that git appends to; everything else is
/// replaced, which leaves the file behind the other name as it is.
fn second_name(folder: &Path, reference: &str) -> Option<WriteLink> {
    let path = folder.join("logs").join(reference);
    let metadata = path.symlink_metadata().ok()?;
    (metadata.is_file() && metadata.nlink() > 1).then_some(WriteLink { path, target: None })
}
