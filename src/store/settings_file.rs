//! An agent's settings file, replaced as a whole at the user's request, with a copy of the previous content
//! in `backups/` of the state folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode};
use rustix::io::Errno;

use super::StoreError;
use super::folder::{own_folder, replace_record};
use crate::disk::write::{Below, Missing, NewFile, Over, Sharing};
use crate::disk::{self, Folder, file_problem};
use crate::model::{ReadProblem, stable_hash};

/// The longest settings file read, in bytes.
const LONGEST: u64 = 8 << 20;
/// The extension of a copy that means there was no file.
const ABSENT: &str = "absent";

/// The folder of the state folder with the copies.
const BACKUPS: &str = "backups";

/// A settings file of an agent.
#[derive(Debug)]
pub struct SettingsFile {
    path: PathBuf,
    /// For one in a project: the project, held open. `None` for the person's own, which may be a link.
    project: Option<Folder>,
    /// Its path below the project.
    below: PathBuf,
}

impl SettingsFile {
    /// A file of the person's own. If it is a link, its target is meant.
    pub fn of_person(path: PathBuf) -> SettingsFile {
        SettingsFile { path, project: None, below: PathBuf::new() }
    }

    /// The file at `path` in a project. Agents write there, so no link is followed, whenever it comes.
    ///
    /// # Errors
    /// The project cannot be opened, or the file is not below it.
    pub fn in_project(project: &Path, path: PathBuf) -> Result<SettingsFile, StoreError> {
        let folder =
            Folder::open_resolved(project).map_err(|errno| StoreError::io("open", project)(errno.into()))?;
        let below = path.strip_prefix(project).map(Path::to_owned);
        let below = below.map_err(|error| StoreError::io("find", &path)(io::Error::other(error)))?;
        Ok(SettingsFile { path, project: Some(folder), below })
    }

    /// Its path, for display.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The content of the file; `None` if there is none.
    ///
    /// # Errors
    /// It cannot be read, is not a regular file, or is too long. In a project also if it is reached by a link.
    pub fn read(&self) -> Result<Option<Vec<u8>>, StoreError> {
        let read = match &self.project {
            Some(project) => project.read(&self.below, LONGEST),
            None => disk::read_linked(&self.path, LONGEST),
        };
        read.map_err(|source| self.refusal("open", source))
    }

    /// Replaces the file by `content`, or deletes it (`None`), and keeps a copy of its previous content. A link of
    /// the person's stays a link: its target is replaced. The copy's name begins with `stamp`, a plain text. Returns
    /// the copy's path.
    ///
    /// # Errors
    /// The copy or the file cannot be written. The file is then unchanged.
    pub fn replace(
        &self,
        state_folder: &Path,
        content: Option<&[u8]>,
        stamp: &str,
    ) -> Result<PathBuf, StoreError> {
        let copy = self.keep_copy(state_folder, stamp)?;
        let place = self.place()?;
        match content {
            None => place.remove().map_err(|source| self.refusal("remove", source))?,
            Some(content) => put(&place, content).map_err(|source| self.refusal("replace", source))?,
        }
        Ok(copy)
    }

    /// The copies kept of the file, newest first; `None` stands for "there was no file".
    pub fn copies(&self, state_folder: &Path) -> Vec<Option<Vec<u8>>> {
        let Ok(path) = self.resolved() else { return Vec::new() };
        let mark = mark(&path);
        let entries = fs::read_dir(state_folder.join(BACKUPS)).into_iter().flatten().filter_map(Result::ok);
        let mut names: Vec<PathBuf> = entries
            .map(|entry| entry.path())
            .filter(|copy| copy.file_name().is_some_and(|name| name.to_string_lossy().contains(&mark)))
            .collect();
        names.sort_unstable();
        let is_absent = |copy: &Path| copy.extension().is_some_and(|extension| extension == ABSENT);
        let content = |copy: PathBuf| {
            if is_absent(&copy) { Some(None) } else { disk::read(&copy, LONGEST).ok().flatten().map(Some) }
        };
        names.into_iter().rev().filter_map(content).collect()
    }

    /// The path of the file, with the person's links resolved as far as they exist.
    fn resolved(&self) -> Result<PathBuf, StoreError> {
        let path = &self.path;
        if self.project.is_some() {
            return Ok(path.clone());
        }
        match fs::canonicalize(path) {
            Ok(path) => Ok(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::read_link(path) {
                // A link to a file that does not exist yet.
                Ok(target) => Ok(path.parent().unwrap_or(Path::new(".")).join(target)),
                Err(_) => Ok(path.clone()),
            },
            Err(source) => Err(StoreError::Io { what: "find", path: path.clone(), source }),
        }
    }

    /// The file's folder, which is made if it is missing, with its name.
    fn place(&self) -> Result<Below, StoreError> {
        let failed = |source| self.refusal("make the folder of", source);
        if let Some(project) = &self.project {
            return Below::open(project, &self.below, Missing::Create(Sharing::Masked)).map_err(failed);
        }
        let path = self.resolved()?;
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(failed)?;
        let folder = Folder::open(folder).map_err(|errno| failed(errno.into()))?;
        let name = Path::new(path.file_name().unwrap_or_default());
        Below::open(&folder, name, Missing::Fail).map_err(failed)
    }

    fn keep_copy(&self, state_folder: &Path, stamp: &str) -> Result<PathBuf, StoreError> {
        let folder = own_folder(state_folder, BACKUPS)?;
        let path = self.resolved()?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut copy = format!("{stamp}{}{name}", mark(&path));
        let content = self.read()?;
        if content.is_none() {
            copy.push('.');
            copy.push_str(ABSENT);
        }
        let copy = folder.join(copy);
        replace_record(&copy, &content.unwrap_or_default())?;
        Ok(copy)
    }

    fn refusal(&self, what: &'static str, source: io::Error) -> StoreError {
        let path = self.path.clone();
        if matches!(file_problem(&source), ReadProblem::NotAFile | ReadProblem::TooLarge) {
            return StoreError::WrongKind { path, expected: "a file of settings" };
        }
        let is_link = matches!(Errno::from_io_error(&source), Some(Errno::LOOP | Errno::NOTDIR));
        match self.link().filter(|_| is_link) {
            Some(path) => StoreError::Link { path },
            None => StoreError::Io { what, path, source },
        }
    }

    /// The first link on the way from the project to the file, for the message alone.
    fn link(&self) -> Option<PathBuf> {
        let mut place = self.path.clone();
        let mut places = Vec::new();
        for _ in self.below.components() {
            places.push(place.clone());
            place.pop();
        }
        places.into_iter().rev().find(|place| place.is_symlink())
    }
}

/// The part of the copies' names that identifies the file.
fn mark(path: &Path) -> String {
    format!("-{:032x}-", stable_hash(path.as_os_str().as_encoded_bytes()))
}

/// Writes beside the file and renames: after a crash the old or the new content is there.
fn put(place: &Below, content: &[u8]) -> io::Result<()> {
    let before = place.folder().stat(place.name()).ok();
    let before = before.filter(|before| FileType::from_raw_mode(before.st_mode).is_file());
    let file = NewFile::create(place.folder(), 0o600, content)?;
    if let Some(before) = before {
        // Another user's file keeps its owner if this process may set that.
        let _ = std::os::unix::fs::fchown(file.as_file(), Some(before.st_uid), Some(before.st_gid));
        rustix::fs::fchmod(file.as_file(), Mode::from_raw_mode(before.st_mode))?;
    }
    file.put_synced(place.name(), Over::Any)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// An agent that swaps a folder for a link in the middle gets nothing written behind it.
    #[test]
    fn no_link_is_followed_in_a_project_whenever_it_comes() {
        let temp = tempfile::tempdir().unwrap();
        let temp = temp.path().canonicalize().unwrap();
        let (state, outside) = (temp.join("state"), temp.join("outside"));
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("settings.json"), "private").unwrap();
        let is_untouched = || {
            fs::read_dir(&outside).unwrap().count() == 1
                && fs::read(outside.join("settings.json")).unwrap() == b"private"
        };
        for (case, swapped, to) in [
            ("the folder", ".claude", outside.clone()),
            ("the file", ".claude/settings.json", outside.join("settings.json")),
            ("a folder that was missing", ".claude", outside.clone()),
            ("the project", "", outside.clone()),
        ] {
            let project = temp.join(case);
            let path = project.join(".claude/settings.json");
            fs::create_dir(&project).unwrap();
            if !case.contains("missing") {
                fs::create_dir(project.join(".claude")).unwrap();
                fs::write(&path, "{}").unwrap();
            }
            let file = SettingsFile::in_project(&project, path).unwrap();
            assert_eq!(file.read().unwrap().is_none(), case.contains("missing"), "{case}");
            let swapped: PathBuf = project.join(swapped).components().collect();
            let _ = fs::rename(&swapped, temp.join("away"));
            symlink(&to, &swapped).unwrap();
            let replaced = file.replace(&state, Some(b"new"), "0");
            if case == "the project" {
                replaced.unwrap();
                assert_eq!(fs::read(temp.join("away/.claude/settings.json")).unwrap(), b"new");
            } else {
                let refused = replaced.unwrap_err();
                let told = refused.to_string();
                assert!(
                    matches!(refused, StoreError::Link { .. }) && told.contains(".claude"),
                    "{case}: {told}"
                );
            }
            assert!(is_untouched(), "{case}");
            let away = temp.join("away");
            let _ = fs::remove_file(&away).or_else(|_| fs::remove_dir_all(&away));
        }
        let kept: Vec<_> = fs::read_dir(state.join("backups")).into_iter().flatten().flatten().collect();
        assert!(kept.iter().all(|copy| fs::read(copy.path()).unwrap() != b"private"), "{kept:?}");
    }
}
