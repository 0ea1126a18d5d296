//! Repositories of closeout's own, with which git works where it cannot use the one of a workspace.
//!
//! They must not be made inside a repository.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::{self, DirEntry};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, symlink};
use std::path::{Path, PathBuf};

use super::object_folders::object_folders;
use super::object_id::ObjectFormat;
use super::refs::stored_refs;
use super::repository::Repository;

/// How many files are shown in the folder of packs of each folder of objects.
const MAX_PACK_FILES: usize = 20_000;

impl Repository {
    /// Creates an empty repository of closeout's own in the new folder `work`.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn create(work: &Path, format: ObjectFormat) -> io::Result<Repository> {
        let git_dir = work.join("git");
        for name in ["objects/pack", "refs"] {
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(git_dir.join(name))?;
        }
        std::fs::write(git_dir.join("HEAD"), "ref: refs/heads/unborn\n")?;
        std::fs::write(git_dir.join("config"), format.settings())?;
        at(work, git_dir)
    }

    /// The references and objects of `common_dir`, with a HEAD of closeout's own in the folder `work`: for reading where git
    /// takes the whole for no repository because of its HEAD.
    ///
    /// # Errors
    /// What is there cannot be used either, or any other I/O error.
    pub fn with_own_head(work: &Path, common_dir: &Path) -> io::Result<Repository> {
        if !["objects", "refs"].iter().all(|name| common_dir.join(name).is_dir()) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let git_dir = work.join("git");
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&git_dir)?;
        std::fs::write(git_dir.join("HEAD"), "ref: refs/heads/unborn\n")?;
        std::fs::write(git_dir.join("commondir"), common_dir.as_os_str().as_bytes())?;
        at(work, git_dir)
    }

    /// The objects of `common_dir`, and its references below `hidden` as far as they can be read without git, in the folder
    /// `work`, which is made anew: for reading where git would wait for another file there. It gets to see no such file.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn of_objects(
        work: &Path,
        common_dir: &Path,
        format: ObjectFormat,
        hidden: &str,
    ) -> io::Result<Repository> {
        let _ = fs::remove_dir_all(work);
        let made = Repository::create(work, format)?;
        let mut shown = String::new();
        for (n, folder) in object_folders(common_dir).iter().enumerate() {
            show_objects(folder, &work.join("shown").join(n.to_string()))?;
            // Writing to a string cannot fail.
            let _ = writeln!(shown, "../../shown/{n}");
        }
        let info = made.git_dir.join("objects/info");
        fs::create_dir(&info)?;
        fs::write(info.join("alternates"), shown)?;
        let real = made.clone().sharing_with(common_dir.to_owned());
        let references = stored_refs(&real, &[hidden]).unwrap_or_default();
        let is_id = |id: &&String| !id.starts_with("ref:");
        let mut packed = String::new();
        for (name, id) in references.iter().filter(|(_, id)| is_id(id)) {
            let _ = writeln!(packed, "{id} {name}");
        }
        fs::write(made.git_dir.join("packed-refs"), packed)?;
        Ok(made)
    }
}

/// Makes the folder `shown`, in which git finds the objects of `folder` and no file that it would wait for: of what every
/// search opens there, only packs with their lists.
fn show_objects(folder: &Path, shown: &Path) -> io::Result<()> {
    let packs = shown.join("pack");
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&packs)?;
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().take(MAX_PACK_FILES).flatten();
    let is_fan = |entry: &DirEntry| entry.file_name().len() == 2 && entry.path().is_dir();
    for entry in entries(folder).filter(is_fan) {
        symlink(entry.path(), shown.join(entry.file_name()))?;
    }
    let is_of_pack = |path: &Path| {
        path.extension().is_some_and(|end| end == OsStr::new("pack") || end == OsStr::new("idx"))
    };
    for entry in entries(&folder.join("pack")).filter(|entry| is_of_pack(&entry.path())) {
        if entry.path().is_file() {
            symlink(entry.path(), packs.join(entry.file_name()))?;
        }
    }
    Ok(())
}

fn at(top: &Path, git_dir: PathBuf) -> io::Result<Repository> {
    Repository::at(top.to_owned(), git_dir, PathBuf::new())
        .map_err(|unreadable| io::Error::other(unreadable.detail))
}
