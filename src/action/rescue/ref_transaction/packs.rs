//! Moves packs from our own object directory into the repository. Each gets a `.keep` file until a reference
//! holds its contents, so that no garbage collection removes it in between.
//!
//! It must not touch a pack or `.keep` file of git's or of a closeout with another state folder.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::action::rescue::base::whole_file::{entries, read_small};
use crate::action::rescue::base::{RescueError, git_files, worktrees};
use crate::action::rescue::lock::{self, WorktreeLock};
use crate::disk::Folder;
use crate::disk::write::{Below, Missing, Sharing};
use crate::git::{Git, GitError, Shadow, Stdin, commit_id, succeeded};
use crate::model::CommitId;

/// Moves the packs of our own object directory into the repository. Returns the paths of their index files
/// there.
pub(crate) fn move_packs(shadow: &Shadow, worktree: &WorktreeLock) -> Result<Vec<PathBuf>, RescueError> {
    let from = shadow.objects.join("pack");
    let to = worktree.repo.common_dir.join("objects/pack");
    worktree.repo.check_writes(&[])?;
    let sharing = worktree.git().sharing()?;
    let [_, top] = worktree.repo.held().map_err(RescueError::io("open", &to))?;
    let mut names: Vec<String> = entries(&from)?
        .into_iter()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.starts_with("pack-"))
        .collect();
    // The `.idx` file comes last, because git uses a pack as soon as it is there.
    names.sort_by_key(|name| (is_list(name), name.clone()));
    let mut packs = Vec::new();
    for name in names {
        if is_list(&name) {
            // A garbage collection between the pack and its reference must leave the pack alone.
            let keep = Path::new(&name).with_extension("keep");
            let source = from.join(&keep);
            write_whole(&source, keep_text(&worktree.owner).as_bytes())
                .map_err(RescueError::io("write", &source))?;
            move_in(&top, &source, Sharing::Masked).map_err(RescueError::io("write", &to.join(&keep)))?;
        }
        let target = to.join(&name);
        move_in(&top, &from.join(&name), sharing).map_err(RescueError::io("write", &target))?;
        if is_list(&name) {
            packs.push(target);
        }
    }
    Ok(packs)
}

fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(content)?;
    file.sync_all()
}

/// Moves a file of our own into the packs of the repository whose shared git directory is `top`. Only the whole
/// file ever has its name there.
fn move_in(top: &Folder, source: &Path, sharing: Sharing) -> io::Result<()> {
    sharing.share(File::open(source)?)?;
    let name = source.file_name().unwrap_or_default().to_string_lossy();
    let missing = Missing::Create(sharing);
    let place = |name: &str| Below::open(top, &Path::new("objects/pack").join(name), missing);
    place(&name).and_then(|place| place.take(source)).or_else(|_| {
        // Another file system. If we crash here, git removes files with such a name.
        let temporary = format!("tmp_closeout_{name}");
        let beside = place(&temporary)?;
        let _ = beside.remove();
        let mut copy = beside.create(0o444)?;
        io::copy(&mut File::open(source)?, &mut copy)?;
        sharing.share(&copy)?;
        place(&name)?.replace_by(temporary.as_ref())
    })
}

/// What a commit needs beyond the commits that are already kept.
pub(crate) struct Needed {
    pub(crate) commit: CommitId,
    /// The commits that are already kept, as `rev-list` takes them.
    pub(crate) others: Vec<String>,
    /// Whether the repository is a partial clone.
    pub(crate) is_partial: bool,
}

impl Needed {
    /// The git command that lists it.
    fn arguments(&self) -> Vec<String> {
        let mut args = ["rev-list", "--objects", "--no-object-names"].map(str::to_owned).to_vec();
        if self.is_partial {
            // What a partial clone has not fetched does not count as missing.
            args.push("--missing=allow-any".to_owned());
        }
        args.extend([self.commit.to_string(), "--not".to_owned()]);
        args.extend_from_slice(&self.others);
        args
    }

    /// Checks that the repository has all of it. Returns the commits among it.
    ///
    /// # Errors
    /// [`RescueError::SavedOnly`] if something is missing.
    pub(crate) fn check(&self, git: &Git<'_>) -> Result<Vec<Listed>, RescueError> {
        let mut args = self.arguments();
        args.splice(1..1, ["--format=%T %cn <%ce> %cd", "--date=raw"].map(str::to_owned));
        args.splice(..0, ["-c", "i18n.logOutputEncoding=UTF-8"].map(str::to_owned));
        let listed = git.real(args, Stdin::Lock)?;
        let text = succeeded("rev-list", listed).map_err(|error| collected(&error))?.stdout;
        let text = String::from_utf8_lossy(&text).into_owned();
        let mut lines = text.lines();
        let mut commits = Vec::new();
        while let Some(line) = lines.next() {
            if let Some(id) = line.strip_prefix("commit ")
                && let Some((tree, who)) = lines.next().and_then(|facts| facts.split_once(' '))
            {
                commits.push(Listed {
                    id: commit_id("rev-list", id)?,
                    tree: tree.to_owned(),
                    who: who.to_owned(),
                });
            }
        }
        Ok(commits)
    }
}

/// A commit as git lists it.
pub(crate) struct Listed {
    pub(crate) id: CommitId,
    /// The id of its tree.
    pub(crate) tree: String,
    /// Its committer, with the time, as in a reflog.
    pub(crate) who: String,
}

/// Puts everything that `commit` needs into one pack of the repository that garbage collection does not touch
/// until it is released. Unreachable loose objects have no such protection.
///
/// # Errors
/// [`RescueError::SavedOnly`] if something was already collected.
pub(crate) fn keep_commit(
    git: &Git<'_>,
    shadow: &Shadow,
    worktree: &WorktreeLock,
    commit: &Needed,
) -> Result<Vec<PathBuf>, RescueError> {
    let ids = git.with_objects(&shadow.objects).real(commit.arguments(), Stdin::Lock)?;
    let ids = succeeded("rev-list", ids).map_err(|error| collected(&error))?.stdout;
    let folder = shadow.objects.join("pack");
    let base = folder.join("pack");
    let args = [OsStr::new("pack-objects"), OsStr::new("-q"), OsStr::new("--"), base.as_os_str()];
    // Git creates the pack's temporary files in its object directory, which may be on another file system.
    let packed = git.shadowed(shadow, args, Stdin::Bytes(ids))?;
    succeeded("pack-objects", packed).map_err(|error| collected(&error))?;
    move_packs(shadow, worktree)
}

fn collected(error: &GitError) -> RescueError {
    RescueError::SavedOnly(format!(
        "a part of the commit is gone, as when git collects garbage meanwhile; nothing was moved, try again: {error}"
    ))
}

/// The size in bytes of the packs in our own object directory.
pub(crate) fn pack_bytes(shadow: &Shadow) -> Result<u64, RescueError> {
    let folder = shadow.objects.join("pack");
    let files = entries(&folder)?;
    Ok(files.iter().filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum())
}

/// Lets git treat the packs normally again, once a reference keeps them or they are no longer wanted.
pub(crate) fn release_packs(worktree: &WorktreeLock, packs: &[PathBuf]) {
    for pack in packs {
        // A `.keep` that remains only stops git from merging this pack with others.
        let _ = remove_keep(worktree, &pack.with_extension("keep"));
    }
}

fn remove_keep(worktree: &WorktreeLock, keep: &Path) -> io::Result<()> {
    git_files::remove(&worktree.repo, keep)
}

/// Releases packs that a killed rescue of this state folder left in the repository.
pub(crate) fn release_left_packs(worktree: &WorktreeLock) {
    for entry in fs::read_dir(worktree.repo.common_dir.join("objects/pack")).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "keep") {
            continue;
        }
        let Some(text) = read_small(&path).ok().flatten().filter(|text| text.starts_with(b"closeout "))
        else {
            continue;
        };
        let is_own = text == keep_text(&worktree.owner).as_bytes();
        let beside = if is_own { None } else { idle_owner(worktree, &text) };
        if is_own || beside.is_some() {
            // What cannot be removed is tried again next time.
            let _ = remove_keep(worktree, &path);
        }
    }
}

/// The lock of another worktree's folder of ours, if this text names its owner and nobody works there. The worktree may be
/// gone, and then no later action would release its packs.
fn idle_owner(worktree: &WorktreeLock, text: &[u8]) -> Option<File> {
    let places = worktree.places().ok()?;
    let place = places.iter().find(|place| {
        let owner = worktrees::owner_in(&place.folder).ok().flatten();
        place.key != worktree.repo.key && owner.is_some_and(|owner| keep_text(&owner).as_bytes() == text)
    });
    lock::lock_if_free(&place?.folder).ok().flatten()
}

/// The text of a `.keep` file, which names its owner.
fn keep_text(owner: &str) -> String {
    format!("closeout {owner}\n")
}

/// Whether this is a pack's index file (`.idx`).
fn is_list(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "idx")
}
