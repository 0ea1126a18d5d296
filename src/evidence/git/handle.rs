//! libgit2's handle on one worktree. libgit2 takes longer to find a git directory and its settings than to read a small
//! worktree, so a handle is made of the parts that are known: object database, configuration, index, work tree. Worktrees
//! of one repository that are read one after another share the first two, and what was read of the objects.
//!
//! Such a handle knows no git directory, and so no references. It must not be made where that would change an answer.

use std::cell::Cell;
use std::fmt;
use std::path::{Path, PathBuf};

use git2::{Config, Index, Odb, RepositoryOpenFlags};

use super::file_state::FileState;
use super::libgit2::{config_of, use_home};
use crate::disk;
use crate::git::{self, Repository};

/// How much of the exclude file is searched for rules, in bytes.
const EXCLUDES_CAP: u64 = 64 << 10;

/// An open worktree.
pub(super) struct Handle {
    pub(super) repo: git2::Repository,
    /// The object database alone, with what was read of it for the siblings before this one.
    objects: Option<git2::Repository>,
    /// It knows its git directory, and so has references.
    pub(super) has_refs: bool,
    /// The index before libgit2 read it.
    pub(super) index: FileState,
    /// The home whose configuration it has.
    home: Option<PathBuf>,
}

impl Handle {
    /// Opens the worktree, beside `sibling` if that is of the same repository.
    pub(super) fn open(
        repository: &Repository,
        home: Option<&Path>,
        sibling: Option<&Sibling>,
    ) -> Result<Handle, git2::Error> {
        let has_own = |name: &str| repository.git_dir.join(name).symlink_metadata().is_ok();
        if !repository.has_ref_files() || has_own("config.worktree") {
            return Handle::open_whole(repository, home);
        }
        let of_parts = match sibling.filter(|sibling| sibling.is_of(repository, home)) {
            Some(sibling) => sibling.parts(),
            None => parts(repository, home),
        };
        let handle = of_parts.and_then(|(odb, config)| of_parts_at(repository, home, odb, &config).ok());
        // Whatever is wrong with a part, libgit2 says it best by itself.
        let Some(mut handle) = handle else { return Handle::open_whole(repository, home) };
        handle.objects = match sibling.filter(|sibling| sibling.is_of(repository, home)) {
            Some(sibling) => sibling.objects.take().or_else(|| objects(repository, &handle.repo)),
            None => None,
        };
        Ok(handle)
    }

    /// What reads commits, trees and blobs. An object never changes, so one that was read for a sibling is not read again.
    pub(super) fn objects(&self) -> &git2::Repository {
        self.objects.as_ref().unwrap_or(&self.repo)
    }

    /// The home whose configuration it has.
    pub(super) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// Opens the worktree with its git directory.
    pub(super) fn open_whole(repository: &Repository, home: Option<&Path>) -> Result<Handle, git2::Error> {
        let index = FileState::now(repository.index());
        let repo =
            git2::Repository::open_ext(&repository.top, RepositoryOpenFlags::NO_SEARCH, [] as [&Path; 0])?;
        use_home(&repo, repository, home)?;
        // A `core.worktree` that points elsewhere is not followed: the workspace is what we look at.
        let is_top = |path: &Path| {
            path == repository.top || disk::resolve(path).is_ok_and(|resolved| resolved == repository.top)
        };
        if !repo.workdir().is_some_and(is_top) {
            repo.set_workdir(&repository.top, false)?;
        }
        // Without a snapshot, libgit2 checks every configuration file again for each setting it needs.
        let config = repo.config()?.snapshot()?;
        repo.set_config(&config)?;
        Ok(Handle { repo, objects: None, has_refs: true, index, home: home.map(Path::to_owned) })
    }
}

fn of_parts_at(
    repository: &Repository,
    home: Option<&Path>,
    odb: Odb<'_>,
    config: &Config,
) -> Result<Handle, git2::Error> {
    let repo = git2::Repository::from_odb(odb)?;
    repo.set_config(config)?;
    repo.set_workdir(&repository.top, false)?;
    let index = FileState::now(repository.index());
    repo.set_index(&mut Index::open(&repository.index())?)?;
    Ok(Handle { repo, objects: None, has_refs: false, index, home: home.map(Path::to_owned) })
}

/// The object database and the configuration of a repository; `None` if libgit2 has to know its git directory.
fn parts(repository: &Repository, home: Option<&Path>) -> Option<(Odb<'static>, Config)> {
    if !has_no_files_of_its_own(&repository.common_dir) || !repository.common_dir.join("objects").is_dir() {
        return None;
    }
    let config = config_of(repository, home).and_then(|mut config| config.snapshot()).ok()?;
    if !has_plain_settings(&config).unwrap_or(false) {
        return None;
    }
    Some((database(repository)?, config))
}

fn database(repository: &Repository) -> Option<Odb<'static>> {
    let odb = Odb::new().ok()?;
    odb.add_disk_alternate(repository.common_dir.join("objects").to_str()?).ok()?;
    Some(odb)
}

/// A handle without index and work tree, with the configuration of `beside`. It has a database of its own, because
/// libgit2 forgets what was read of one as soon as another handle takes it over.
fn objects(repository: &Repository, beside: &git2::Repository) -> Option<git2::Repository> {
    let objects = git2::Repository::from_odb(database(repository)?).ok()?;
    objects.set_config(&beside.config().ok()?).ok()?;
    Some(objects)
}

/// An open worktree beside which others of its repository are opened. It is kept only from one collection to the next of
/// the same thread, so that what changes on disk is seen.
pub(super) struct Sibling {
    repository: Repository,
    handle: Handle,
    /// [`Handle::objects`], until the next worktree takes it.
    objects: Cell<Option<git2::Repository>>,
}

impl Sibling {
    /// Keeps a handle that was made of parts; `None` for another.
    pub(super) fn new(repository: &Repository, mut handle: Handle) -> Option<Sibling> {
        let objects = Cell::new(handle.objects.take());
        (!handle.has_refs).then(|| Sibling { repository: repository.clone(), handle, objects })
    }

    pub(super) fn repository(&self) -> &Repository {
        &self.repository
    }

    fn is_of(&self, repository: &Repository, home: Option<&Path>) -> bool {
        self.repository.common_dir == repository.common_dir && self.handle.home.as_deref() == home
    }

    fn parts(&self) -> Option<(Odb<'_>, Config)> {
        Some((self.handle.repo.odb().ok()?, self.handle.repo.config().ok()?))
    }
}

impl fmt::Debug for Sibling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sibling").field("repository", &self.repository).finish_non_exhaustive()
    }
}

/// Whether the shared git directory is complete, and has none of the files that libgit2 looks for there while it
/// compares: a cut history, attributes, excludes.
fn has_no_files_of_its_own(common_dir: &Path) -> bool {
    let has = |name: &str| common_dir.join(name).symlink_metadata().is_ok();
    let excludes = || git::read_start(common_dir, "info/exclude", EXCLUDES_CAP).ok();
    let is_rule = |line: &[u8]| !line.trim_ascii().is_empty() && !line.starts_with(b"#");
    common_dir.join("refs").is_dir()
        && !["shallow", "info/grafts", "info/attributes"].into_iter().any(has)
        && excludes().is_some_and(|text| {
            let text = text.unwrap_or_default();
            (text.len() as u64) < EXCLUDES_CAP && !text.split(|byte| *byte == b'\n').any(is_rule)
        })
}

/// Whether no setting depends on the place of the git directory, asks for a format that libgit2 might not know, or
/// concerns an index that is given to a handle.
fn has_plain_settings(config: &Config) -> Result<bool, git2::Error> {
    let is_missing = |error: &git2::Error| error.code() == git2::ErrorCode::NotFound;
    let is_default = |name: &str, default: bool| match config.get_bool(name) {
        Ok(value) => value == default,
        Err(error) => is_missing(&error),
    };
    let has = |names: &str| Ok::<_, git2::Error>(config.entries(Some(names))?.next().is_some());
    let is_known = match config.get_i32("core.repositoryformatversion") {
        Ok(version) => (0..=1).contains(&version),
        Err(error) => is_missing(&error),
    };
    let defaults = [("core.ignorecase", false), ("core.filemode", true), ("core.symlinks", true)];
    Ok(is_known
        && !has("^includeif\\.")?
        && !has("^extensions\\.")?
        && defaults.into_iter().all(|(name, default)| is_default(name, default)))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::thread::sleep;
    use std::time::Duration;

    use crate::evidence::git::in_process::InProcess;
    use crate::evidence::git::reader::{Compared, Repo as _};
    use crate::git;
    use crate::model::{ChangeKind, CommitId};

    // The change is staged when libgit2 reads the index, and unstaged when its cached tree is read: neither may hide it.
    #[test]
    fn what_is_unstaged_between_two_readings_of_the_index_is_no_clean_tree() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let made = git2::Repository::init(&top).unwrap();
        let mut index = made.index().unwrap();
        let mut add = |content: &str| {
            fs::write(top.join("f"), content).unwrap();
            index.add_path(Path::new("f")).unwrap();
            index.write().unwrap();
            index.write_tree().unwrap()
        };
        let tree = made.find_tree(add("1\n")).unwrap();
        let who = git2::Signature::new("A", "a@example.test", &git2::Time::new(1, 0)).unwrap();
        let head = made.commit(Some("HEAD"), &who, &who, "one", &tree, &[]).unwrap();
        add("changed\n");
        sleep(Duration::from_millis(30));

        let repository = git::Repository::open(&top).unwrap().unwrap();
        let reader = InProcess::open(&repository, None, None).unwrap();
        index.read_tree(&tree).unwrap();
        index.write().unwrap();
        let marks = git::index_marks(&repository).unwrap();
        assert_eq!(marks.tree, Some(tree.id().to_string()));
        let of = Compared {
            head: CommitId::of_bytes(head.as_bytes()),
            gitlinks: &[],
            index_tree: marks.tree.as_deref(),
        };
        let entries = reader.status(&of).unwrap();
        assert_eq!(entries.len(), 1, "{entries:?}");
        assert_eq!(entries[0].staged, Some(ChangeKind::Modified));
    }
}
