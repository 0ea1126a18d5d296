//! Keeps records as bundles in closeout's own folder, out of reach of anyone who can write to the repository. A
//! bundle is complete: no repository is needed to read it.
//!
//! It must not report a bundle as written before everything was found again in it.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::action::rescue::Rescuer;
use crate::action::rescue::base::worktrees::VAULT;
use crate::action::rescue::base::{RescueError, references, repository};
use crate::action::rescue::lock::WorktreeLock;
use crate::action::rescue::snapshot::{Commits, Draft, verify};
use crate::disk;
use crate::git::{Git, ObjectFormat, Repository, Shadow, Stdin, commit_id, line, succeeded};
use crate::model::CommitId;

/// How many bytes of a bundle are read for its object format.
const HEADER: u64 = 256;

/// The author and committer of a bundle's commits, as options of git.
const IDENTITY: [&str; 4] = ["-c", "user.name=closeout", "-c", "user.email=closeout@localhost"];

/// The folder for the bundles of one worktree.
pub(super) fn folder(own: &Path) -> PathBuf {
    own.join(VAULT)
}

/// Writes the record into the vault and returns the bundle's path.
pub(super) fn write(
    worktree: &WorktreeLock,
    shadow: &Shadow,
    id: &str,
    draft: &Draft,
    commits: &Commits,
) -> Result<PathBuf, RescueError> {
    // What git packs, it looks up in the attributes of the work tree that it knows: here one of our own.
    let repo = worktree.repo.clone().with_top(shadow.folder().to_owned(), worktree.repo.key.clone());
    let git = worktree.git();
    let git = git.on(&repo);
    let run = |args: &[&str], input| {
        let output = git.shadowed(shadow, IDENTITY.iter().chain(args), input)?;
        Ok::<String, RescueError>(line(&succeeded(args[0], output)?))
    };
    // Without parent commits, so that the bundle contains everything it needs.
    let record = run(&["commit-tree", &format!("{}^{{tree}}", commits.record)], message())?;
    let snapshot =
        run(&["commit-tree", &format!("{}^{{tree}}", commits.snapshot), "-p", &record], message())?;
    let name = references::of_record(&worktree.repo.key, id);
    run(&["update-ref", &name, &snapshot], Stdin::Lock)?;
    let vault = repository::own_folder(&worktree.folder, VAULT)?;
    let beside = shadow.file("bundle");
    let path = vault.join(format!("{id}.bundle"));
    let beside_text = beside.to_string_lossy().into_owned();
    run(&["bundle", "create", "-q", &beside_text, &name], Stdin::Lock)?;
    check(worktree, &beside, &shadow.file("opened"), draft)?;
    let synced = File::open(&beside).and_then(|file| file.sync_all());
    synced.map_err(RescueError::io("write", &beside))?;
    fs::rename(&beside, &path).map_err(RescueError::io("write", &path))?;
    Ok(path)
}

fn message() -> Stdin {
    Stdin::Bytes(b"closeout: record of uncommitted work, by itself\n".to_vec())
}

/// Checks that a bundle holds all that was read, and that nothing of it is damaged.
pub(super) fn check(
    worktree: &WorktreeLock,
    bundle: &Path,
    work: &Path,
    draft: &Draft,
) -> Result<(), RescueError> {
    let (opened, snapshot) = Opened::open(worktree.rescuer, bundle, work)?;
    verify::is_there(&opened.git(), draft, [snapshot.to_string(), format!("{snapshot}^")])
}

/// A bundle unpacked into a repository of our own, which is deleted on drop.
pub(super) struct Opened<'r> {
    rescuer: &'r Rescuer,
    repo: Repository,
    lock: Arc<File>,
    work: PathBuf,
}

impl<'r> Opened<'r> {
    /// Unpacks `bundle` into the folder `work`, replacing what is there. The commit is that of the work tree.
    pub(super) fn open(
        rescuer: &'r Rescuer,
        bundle: &Path,
        work: &Path,
    ) -> Result<(Opened<'r>, CommitId), RescueError> {
        let file = disk::open(bundle).map_err(RescueError::io("open", bundle))?;
        let mut header = Vec::new();
        (&file).take(HEADER).read_to_end(&mut header).map_err(RescueError::io("read", bundle))?;
        let is_sha256 = String::from_utf8_lossy(&header).lines().any(|it| it == "@object-format=sha256");
        let format = if is_sha256 { ObjectFormat::Sha256 } else { ObjectFormat::Sha1 };
        let _ = fs::remove_dir_all(work);
        let repo = Repository::create(work, format).map_err(RescueError::io("make", work))?;
        let opened = Opened { rescuer, repo, lock: Arc::new(file), work: work.to_owned() };
        let text = bundle.to_string_lossy().into_owned();
        let output = opened.git().real(["bundle", "unbundle", &text], Stdin::Lock)?;
        let heads = line(&succeeded("bundle", output)?);
        match heads.split_once(' ') {
            Some((id, name)) if references::is_of_record(name) => Ok((opened, commit_id("bundle", id)?)),
            _ => Err(RescueError::Damage("the bundle does not hold one record".to_owned())),
        }
    }

    /// The git runner for the unpacked repository.
    pub(super) fn git(&self) -> Git<'_> {
        // Nothing here makes git hang, and what hung elsewhere must not keep a bundle from being read.
        self.rescuer.runner(&self.repo, Some(&self.lock)).anew()
    }
}

impl Drop for Opened<'_> {
    fn drop(&mut self) {
        // What remains is removed when the folder is used next.
        let _ = fs::remove_dir_all(&self.work);
    }
}
