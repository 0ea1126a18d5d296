//! What the files of a git directory say about references: HEAD, branches, logs. Costs microseconds.
//!
//! It must not be used if references are not plain files ([`super::RefStorage`]), and must not return
//! anything but names of references and object ids.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use super::file::{read, read_small, read_start};
use super::object_id::is_id;
use super::repository::Repository;
use super::trouble::{Read, trouble};
use crate::model::{CommitId, Head, ReadProblem, Unreadable, display_text};

/// The largest file of packed references read, in bytes.
const PACKED_CAP: u64 = 256 << 20;
/// How much of `FETCH_HEAD` is read, in bytes.
const FETCHED_CAP: u64 = 64 << 10;
/// How many symbolic references are followed in a row.
const MAX_HOPS: usize = 5;

/// What HEAD refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeadRef {
    /// A branch, by full name, with or without commits.
    Branch(String),
    /// A commit.
    Detached(CommitId),
}

/// What HEAD refers to.
///
/// # Errors
/// HEAD is damaged or cannot be read.
pub fn head_ref(repository: &Repository) -> Read<HeadRef> {
    let git_dir = &repository.git_dir;
    let path = git_dir.join("HEAD");
    let damaged = || trouble(ReadProblem::Invalid, format!("{} is damaged", display_text::path(&path)));
    let text = match read_small(git_dir, "HEAD") {
        Err(unreadable) if unreadable.problem == ReadProblem::Link => match path.read_link() {
            // In an old format HEAD is a symbolic link to the branch; only the link's text is used.
            Ok(target) if target.starts_with("refs") => {
                [b"ref: ".as_slice(), target.as_os_str().as_encoded_bytes()].concat()
            }
            Ok(_) | Err(_) => return Err(unreadable),
        },
        found => found?.ok_or_else(damaged)?,
    };
    let text = String::from_utf8_lossy(text.trim_ascii()).into_owned();
    match text.strip_prefix("ref:").map(str::trim_ascii) {
        Some(name) if is_name(name) => Ok(HeadRef::Branch(name.to_owned())),
        Some(_) => Err(damaged()),
        None => text.parse().map(HeadRef::Detached).map_err(|_| damaged()),
    }
}

/// The current branch and commit.
///
/// # Errors
/// As [`head_ref`], or the branch is damaged or cannot be read.
pub fn head(repository: &Repository) -> Read<Head> {
    let name = match head_ref(repository)? {
        HeadRef::Detached(commit) => return Ok(Head::Detached { commit }),
        HeadRef::Branch(name) => name,
    };
    let short = name.strip_prefix("refs/heads/").unwrap_or(&name).to_owned();
    Ok(match find_ref(repository, &name)? {
        Some(commit) => Head::Branch { name: short, commit },
        None => Head::Unborn { name: short },
    })
}

/// The commit that a branch resolves to; `None` if it does not exist.
///
/// # Errors
/// It is damaged or cannot be read.
pub fn find_ref(repository: &Repository, name: &str) -> Read<Option<CommitId>> {
    let mut name = name.to_owned();
    for _ in 0..MAX_HOPS {
        let Some(text) = stored_ref(repository, &name)? else { return Ok(None) };
        match text.strip_prefix("ref:") {
            Some(target) => target.trim_ascii().clone_into(&mut name),
            None => return text.parse().map(Some).map_err(|_| damaged_ref(&name)),
        }
    }
    let shown = display_text::line(&name);
    Err(trouble(ReadProblem::Invalid, format!("the reference {shown} stands for itself")))
}

/// The problem of a reference that holds neither an id nor another name.
pub fn damaged_ref(name: &str) -> Unreadable {
    let shown = display_text::line(name);
    trouble(ReadProblem::Invalid, format!("the reference {shown} is damaged: it holds no commit id"))
}

/// The text stored for a reference, in its own file or among the packed ones. `None` if there is none, or
/// if the name would leave the git directory.
///
/// # Errors
/// It cannot be read, or only through a link.
pub fn stored_ref(repository: &Repository, name: &str) -> Read<Option<String>> {
    match loose_ref(repository, name)? {
        None if is_inside(name) => Ok(PackedRefs::read(repository)?.id_of(name)),
        found => Ok(found),
    }
}

/// The text in a reference's own file; `None` if it has none, or if the name would leave the git directory.
fn loose_ref(repository: &Repository, name: &str) -> Read<Option<String>> {
    if !is_inside(name) {
        return Ok(None);
    }
    let is_own =
        ["refs/bisect/", "refs/worktree/", "refs/rewritten/"].iter().any(|own| name.starts_with(own))
            || !name.starts_with("refs/");
    let folder = if is_own { &repository.git_dir } else { &repository.common_dir };
    let is_folder = || folder.join(name).symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    let text = match read_small(folder, name) {
        Err(unreadable) if unreadable.problem == ReadProblem::NotAFile && is_folder() => None,
        found => found?,
    };
    Ok(text.map(|text| String::from_utf8_lossy(text.trim_ascii()).into_owned()))
}

/// The references called one of `names` or lying below it, by full name, each with the text stored for it: an id, or
/// `ref:` and another name. Those below that cannot be read are left out, as git does.
///
/// # Errors
/// One of `names` itself, or `packed-refs`, cannot be read, or only through a link.
pub fn stored_refs(repository: &Repository, names: &[&str]) -> Read<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    let is_asked = |packed: &str| {
        names.iter().any(|name| {
            packed.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    for (id, packed) in PackedRefs::read(repository)?.entries() {
        if let Some(packed) = std::str::from_utf8(packed).ok().filter(|packed| is_asked(packed)) {
            found.insert(packed.to_owned(), id.to_owned());
        }
    }
    // What is loose goes before what is packed.
    for name in names {
        loose_refs_below(repository, name, &mut found);
        if let Some(text) = loose_ref(repository, name)? {
            found.insert((*name).to_owned(), text);
        }
    }
    Ok(found)
}

fn loose_refs_below(repository: &Repository, name: &str, found: &mut BTreeMap<String, String>) {
    let mut folders = vec![name.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(repository.common_dir.join(&folder)) else { continue };
        for entry in entries.flatten() {
            let (Ok(kind), Ok(leaf)) = (entry.file_type(), entry.file_name().into_string()) else { continue };
            let name = format!("{folder}/{leaf}");
            if kind.is_dir() {
                folders.push(name);
            } else if leaf.strip_suffix(".lock").is_none()
                && let Ok(Some(text)) = read_small(&repository.common_dir, &name)
            {
                found.insert(name, String::from_utf8_lossy(text.trim_ascii()).into_owned());
            }
        }
    }
}

/// Whether a full reference name stays below `refs/`.
fn is_name(name: &str) -> bool {
    name.starts_with("refs/") && is_inside(name)
}

fn is_inside(name: &str) -> bool {
    !name.is_empty() && Path::new(name).components().all(|part| matches!(part, Component::Normal(_)))
}

/// The content of `packed-refs`.
#[derive(Debug)]
pub struct PackedRefs(Vec<u8>);

impl PackedRefs {
    /// Reads the file. A missing one counts as empty.
    ///
    /// # Errors
    /// The file cannot be read, or only through a link.
    pub fn read(repository: &Repository) -> Read<PackedRefs> {
        Ok(PackedRefs(read(&repository.common_dir, "packed-refs", PACKED_CAP)?.unwrap_or_default()))
    }

    /// The ids and names. `git pack-refs` writes `<id> <name>`; lines with `#` and `^` are skipped.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.split(|byte| *byte == b'\n').filter_map(packed_entry)
    }

    /// The content of the file without the reference called `name`; `None` if it is not there.
    pub fn without(&self, name: &str) -> Option<Vec<u8>> {
        let mut rest = Vec::with_capacity(self.0.len());
        let mut is_left_out = false;
        for line in self.0.split_inclusive(|byte| *byte == b'\n') {
            // After a tag, a line with `^` tells what it leads to.
            if !line.starts_with(b"^") {
                let entry = packed_entry(line.strip_suffix(b"\n").unwrap_or(line));
                is_left_out = entry.is_some_and(|(_, it)| it == name.as_bytes());
            }
            if !is_left_out {
                rest.extend_from_slice(line);
            }
        }
        (rest.len() < self.0.len()).then_some(rest)
    }

    /// Whether a reference stands where a folder of `name` would be, or below `name`: the two cannot coexist.
    pub fn is_in_the_way_of(&self, name: &str) -> bool {
        let is_below =
            |path: &[u8], folder: &[u8]| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with(b"/"));
        self.entries().any(|(_, it)| is_below(it, name.as_bytes()) || is_below(name.as_bytes(), it))
    }

    /// The id of the reference called `name`.
    pub fn id_of(&self, name: &str) -> Option<String> {
        self.entries().find(|(_, it)| *it == name.as_bytes()).map(|(id, _)| id.to_owned())
    }
}

fn packed_entry(line: &[u8]) -> Option<(&str, &[u8])> {
    let space = line.iter().position(|byte| *byte == b' ')?;
    let id = std::str::from_utf8(&line[..space]).ok().filter(|id| is_id(id))?;
    Some((id, &line[space + 1..]))
}

/// The folder and name of the file with a reference's log.
pub fn log_file<'r>(repository: &'r Repository, name: &str) -> (&'r Path, String) {
    let folder = if name == "HEAD" { &repository.git_dir } else { &repository.common_dir };
    (folder, format!("logs/{name}"))
}

/// Whether HEAD has a log. Assumed if references are not plain files.
pub fn has_head_log(repository: &Repository) -> bool {
    let (folder, name) = log_file(repository, "HEAD");
    !repository.has_ref_files()
        || folder.join(name).symlink_metadata().is_ok_and(|metadata| metadata.len() > 0)
}

/// The commits that the last fetch brought, as far as the start of the list shows.
///
/// # Errors
/// The list cannot be read.
pub fn fetched(repository: &Repository) -> Read<Vec<CommitId>> {
    let text = read_start(&repository.git_dir, "FETCH_HEAD", FETCHED_CAP)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    Ok(text.lines().filter_map(|line| line.split('\t').next()?.parse().ok()).collect())
}

/// Whether the repository is shallow.
pub fn is_shallow(repository: &Repository) -> bool {
    repository.common_dir.join("shallow").symlink_metadata().is_ok_and(|metadata| metadata.len() > 0)
}
