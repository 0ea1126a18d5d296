//! Refreshes what an index knows of unchanged files, as `git update-index --refresh` does, without a start of git: only
//! the times, owners and numbers of the files are written anew, so that everything else stays byte for byte.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use sha1_checked::{Digest as _, Sha1};

/// The length of a SHA-1.
const ID: usize = 20;
/// Where an entry has its mode, its id, its flags, and its name, which two more bytes of flags may precede.
const MODE: usize = 24;
const ID_AT: usize = 40;
const FLAGS: usize = 60;
const NAME: usize = 62;

/// Refreshes the index at `index` of the work tree at `top`. False if there is anything in it that only git understands;
/// it is as it was then.
pub(crate) fn refresh(index: &Path, top: &Path) -> bool {
    let Ok(mut bytes) = fs::read(index) else { return !index.exists() };
    let is_done = refreshed(&mut bytes, top).is_some();
    if is_done {
        fs::write(index, bytes).unwrap();
    }
    is_done
}

fn refreshed(index: &mut [u8], top: &Path) -> Option<()> {
    let end = index.len().checked_sub(ID)?;
    let version = number(index, 4)?;
    let is_whole = Sha1::digest(&index[..end]).as_slice() == &index[end..];
    if !index.starts_with(b"DIRC") || !(2..=3).contains(&version) || !is_whole {
        return None;
    }
    let mut at = 12;
    for _ in 0..number(index, 8)? {
        let flags = index.get(at + FLAGS)?;
        // Neither one side of a conflict nor a file that git was told to skip.
        if flags & 0b1011_0000 != 0 {
            return None;
        }
        let name_at = at + NAME + if flags & 0b0100_0000 == 0 { 0 } else { 2 };
        let name_end = name_at + index[name_at..end].iter().position(|byte| *byte == 0)?;
        let path = top.join(std::ffi::OsStr::from_bytes(&index[name_at..name_end]));
        refresh_entry(&mut index[at..name_at], &path)?;
        at += (name_end - at + 8) & !7;
    }
    while at < end {
        // Split indexes, sparse folders, and caches of times.
        let is_plain = matches!(index.get(at..at + 4)?, b"TREE" | b"REUC" | b"EOIE" | b"IEOT");
        at += 8 + usize::try_from(number(index, at + 4)?).ok().filter(|_| is_plain)?;
    }
    let sum = Sha1::digest(&index[..end]);
    index[end..].copy_from_slice(&sum);
    Some(())
}

/// Gives an entry the data of its file, if that is as it was staged.
fn refresh_entry(entry: &mut [u8], path: &Path) -> Option<()> {
    let mode = number(entry, MODE)?;
    let Ok(metadata) = path.symlink_metadata() else { return Some(()) };
    let content = match mode & 0o170_000 {
        0o120_000 if metadata.is_symlink() => fs::read_link(path).ok()?.as_os_str().as_bytes().to_vec(),
        0o100_000 if metadata.is_file() && (metadata.mode() ^ mode) & 0o100 == 0 => fs::read(path).ok()?,
        0o120_000 | 0o100_000 => return Some(()),
        _ => return None,
    };
    let header = format!("blob {}\0", content.len());
    if Sha1::digest([header.as_bytes(), &content].concat()).as_slice() != &entry[ID_AT..ID_AT + ID] {
        return Some(());
    }
    let whole = |wide: i64| u32::try_from(wide).ok();
    let low = |wide: u64| u32::try_from(wide & u64::from(u32::MAX)).ok();
    let of_file = [
        (0, whole(metadata.ctime())?),
        (4, whole(metadata.ctime_nsec())?),
        (8, whole(metadata.mtime())?),
        (12, whole(metadata.mtime_nsec())?),
        (16, low(metadata.dev())?),
        (20, low(metadata.ino())?),
        (28, metadata.uid()),
        (32, metadata.gid()),
        (36, low(metadata.size())?),
    ];
    for (at, value) in of_file {
        entry[at..at + 4].copy_from_slice(&value.to_be_bytes());
    }
    Some(())
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[test]
fn an_index_is_refreshed_as_by_git() {
    let repo = super::repo::Repo::new();
    for name in ["same", "other", "gone", "run.sh", "deep/er/file"] {
        repo.write(name, format!("content of {name}\n"));
    }
    std::os::unix::fs::symlink("nowhere", repo.at("link")).unwrap();
    repo.commit("more");
    repo.write("announced", "later\n").git(["add", "-N", "announced"]);
    repo.write("other", "not as staged\n").remove("gone");
    // Files that are new to the index, as in a copy.
    for name in ["same", "run.sh", "deep/er/file", "README"] {
        let content = fs::read(repo.at(name)).unwrap();
        repo.remove(name).write(name, content);
    }
    let index = repo.git_dir().join("index");
    let stale = fs::read(&index).unwrap();
    assert!(refresh(&index, repo.path()));
    let here = fs::read(&index).unwrap();
    fs::write(&index, &stale).unwrap();
    repo.try_git(&["update-index", "-q", "--refresh"], &[]);
    assert!(here != stale && here == fs::read(&index).unwrap());
    repo.git(["update-index", "--split-index"]);
    assert!(!refresh(&index, repo.path()), "only git knows");
}
