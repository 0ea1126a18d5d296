//! The attributes of paths that decide in which form git stores contents. It must not run what an attribute names.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::action::rescue::base::RescueError;
use crate::action::rescue::survey::listing;
use crate::git::{self, Git, Shadow, Stdin, succeeded};

/// Attributes that make git store a content in another form than the work tree has.
const CONVERSIONS: [&str; 5] = ["text", "eol", "crlf", "ident", "working-tree-encoding"];

/// The attributes set for each path, by name.
pub(crate) type Attributes = BTreeMap<Vec<u8>, BTreeMap<String, String>>;

/// Asks git for the attributes that decide how contents are stored. Runs nothing of the repository's.
///
/// # Errors
/// [`RescueError::SavedOnly`] if git would wait for a file of attributes.
pub(crate) fn attributes<'p>(
    git: &Git<'_>,
    shadow: &Shadow,
    paths: impl Iterator<Item = &'p [u8]>,
) -> Result<Attributes, RescueError> {
    let paths: Vec<&[u8]> = paths.collect();
    if let Some(path) = hanging_attributes(&git.repo.top, &paths) {
        return Err(RescueError::SavedOnly(git::says_waiting(&git::says_no_file(&path))));
    }
    let input: Vec<u8> = paths.into_iter().flat_map(|path| [path, &b"\0"[..]].concat()).collect();
    let args = ["check-attr", "-z", "--stdin", "filter"].iter().chain(&CONVERSIONS);
    let output = git.shadowed(shadow, args, Stdin::Bytes(input))?;
    let output = succeeded("check-attr", output)?;
    let fields: Vec<&[u8]> = output.stdout.split(|byte| *byte == 0).collect();
    let mut found = Attributes::new();
    for triple in fields.chunks_exact(3) {
        let attributes = found.entry(triple[0].to_vec()).or_default();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if triple[2] != b"unspecified" && triple[2] != b"unset" {
            attributes.insert(text(triple[1]), text(triple[2]));
        }
    }
    Ok(found)
}

/// The first file of attributes that git would wait for when it is asked about these paths.
fn hanging_attributes(top: &Path, paths: &[&[u8]]) -> Option<PathBuf> {
    let above = paths.iter().flat_map(|path| listing::folders(path));
    let folders: BTreeSet<&[u8]> = above.chain([&[][..]]).collect();
    let mut files =
        folders.into_iter().map(|folder| top.join(OsStr::from_bytes(folder)).join(".gitattributes"));
    // Git opens no link there.
    files.find(|path| !path.is_symlink() && git::is_waited_for(path))
}

/// Whether an attribute of the path makes git store another form than the work tree has.
pub(crate) fn is_converted(attributes: &BTreeMap<String, String>) -> bool {
    CONVERSIONS.iter().any(|it| attributes.contains_key(*it))
}
