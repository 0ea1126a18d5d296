//! Closeout's own folders: they belong to this user, nobody else can read or change them, and below the one that a person
//! named none is a link.

use std::fs::{DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::Mode;
use rustix::io::Errno;

use super::folder_in;
use crate::disk::Folder;
use crate::model::display_text;

/// Why a folder is not used as closeout's own.
#[derive(Debug, thiserror::Error)]
pub enum NotOwn {
    /// It belongs to another user.
    #[error("{} belongs to another user (id {owner})", display_text::path(path))]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// The owner's user id.
        owner: u32,
    },
    /// A link or a file is in its place.
    #[error("{} is not a folder, or is a link to one", display_text::path(path))]
    InTheWay {
        /// The path.
        path: PathBuf,
    },
    /// The system refused.
    #[error("cannot {what} {}: {source}", display_text::path(path))]
    Io {
        /// What was attempted.
        what: &'static str,
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Makes sure that the folder `state` and every folder of the relative path `below` in it exist (0700), belong to this
/// user, and are closed to all others. `state` itself may be a link.
///
/// # Errors
/// One of them is not closeout's own, or cannot be made so.
pub fn own_folder(state: &Path, below: &Path) -> Result<(), NotOwn> {
    let mut path = state.to_owned();
    let opened = match Folder::open(state) {
        Err(Errno::NOENT) => {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(state);
            made.map_err(|source| NotOwn::Io { what: "make the folder", path: path.clone(), source })?;
            Folder::open(state)
        }
        opened => opened,
    };
    let mut folder = opened.map_err(|errno| refusal(&path, path.metadata(), errno))?;
    restrict(&folder, &path)?;
    for name in below {
        path.push(name);
        folder = folder_in(&folder, name).map_err(|errno| refusal(&path, path.symlink_metadata(), errno))?;
        restrict(&folder, &path)?;
    }
    Ok(())
}

/// Why the folder cannot be opened, by what is there.
fn refusal(path: &Path, there: io::Result<Metadata>, errno: Errno) -> NotOwn {
    let path = path.to_owned();
    match there {
        Ok(there) if there.uid() != this_user() => NotOwn::Foreign { path, owner: there.uid() },
        Ok(there) if !there.is_dir() => NotOwn::InTheWay { path },
        Ok(_) | Err(_) => NotOwn::Io { what: "open the folder", path, source: errno.into() },
    }
}

/// Closes the folder to all others. It must be this user's.
fn restrict(folder: &Folder, path: &Path) -> Result<(), NotOwn> {
    let failed = |what| move |errno: Errno| NotOwn::Io { what, path: path.to_owned(), source: errno.into() };
    let stat = folder.stat(".").map_err(failed("look at"))?;
    if stat.st_uid != this_user() {
        return Err(NotOwn::Foreign { path: path.to_owned(), owner: stat.st_uid });
    }
    if Mode::from_raw_mode(stat.st_mode).intersects(Mode::RWXG | Mode::RWXO) {
        rustix::fs::fchmod(folder, Mode::RWXU).map_err(failed("restrict the permissions of"))?;
    }
    Ok(())
}

fn this_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, chown, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn what_is_missing_is_made_and_what_is_open_to_others_is_closed() {
        let temp = tempfile::tempdir().unwrap();
        let state = temp.path().join("a/state");
        own_folder(&state, Path::new("log/x")).unwrap();
        for below in ["", "log", "log/x"] {
            assert_eq!(mode(&state.join(below)), 0o700, "{below}");
            fs::set_permissions(state.join(below), Permissions::from_mode(0o777)).unwrap();
        }
        // The one that a person named may be a link.
        symlink(&state, temp.path().join("link")).unwrap();
        own_folder(&temp.path().join("link"), Path::new("log/x")).unwrap();
        for below in ["", "log", "log/x"] {
            assert_eq!(mode(&state.join(below)), 0o700, "{below}");
        }
    }

    #[test]
    fn a_link_or_a_file_below_is_refused_and_nothing_is_made_behind_it() {
        let temp = tempfile::tempdir().unwrap();
        let (state, outside) = (temp.path().join("state"), temp.path().join("outside"));
        fs::create_dir_all(state.join("rescue")).unwrap();
        fs::create_dir(&outside).unwrap();
        symlink(&outside, state.join("log")).unwrap();
        symlink(&outside, state.join("rescue/key")).unwrap();
        symlink("nowhere", state.join("runs")).unwrap();
        fs::write(state.join("file"), "").unwrap();
        for below in ["log", "log/x", "rescue/key", "rescue/key/vault", "runs", "file", "file/x"] {
            let refused = own_folder(&state, Path::new(below)).unwrap_err();
            assert!(matches!(refused, NotOwn::InTheWay { .. }), "{below}: {refused}");
        }
        assert_eq!(fs::read_dir(outside).unwrap().count(), 0);
        assert!(!temp.path().join("nowhere").exists());
    }

    /// Only root can give a folder away.
    #[test]
    fn a_folder_of_another_user_is_refused_wherever_it_is() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        for foreign in ["", "rescue", "rescue/key"] {
            let temp = tempfile::tempdir().unwrap();
            fs::create_dir_all(temp.path().join("rescue/key")).unwrap();
            let foreign = temp.path().join(foreign);
            fs::set_permissions(&foreign, Permissions::from_mode(0o777)).unwrap();
            chown(&foreign, Some(12_345), None).unwrap();
            let refused = own_folder(temp.path(), Path::new("rescue/key/vault")).unwrap_err();
            assert!(matches!(refused, NotOwn::Foreign { owner: 12_345, .. }), "{refused}");
            assert_eq!(mode(&foreign), 0o777, "it is left as it is");
            assert!(!temp.path().join("rescue/key/vault").exists());
        }
    }
}
