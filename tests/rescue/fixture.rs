//! A repository under test: its state before and after, compared as a whole, and a rescuer with its own state
//! folder.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use closeout::action::rescue::{RescueError, RescueStep, Rescuer};
use closeout::model::{RecordOrder, RescuePlan, RescueRecord};

use crate::support::plain;
use crate::support::repo::{Repo, git_program};

/// Seconds and nanoseconds since the epoch.
type Time = (i64, i64);

/// Every path with mode, content (or link target) and modification time.
type Paths = BTreeMap<Vec<u8>, (u32, Vec<u8>, Time)>;

/// Everything that an action must leave unchanged.
#[derive(Debug, PartialEq, Eq, Clone)]
pub(super) struct Fingerprint {
    /// Every path with mode, content (or link target) and modification time.
    pub(super) work_tree: Paths,
    /// The bytes and modification time of the index.
    pub(super) index: Option<(Vec<u8>, Time)>,
    /// HEAD and every reference except our hidden ones.
    pub(super) references: String,
    /// The lock files.
    pub(super) locks: Vec<String>,
}

/// The current state of a repository.
pub(super) fn fingerprint(repo: &Repo) -> Fingerprint {
    let mut work_tree = BTreeMap::new();
    walk(repo.path(), repo.path(), &mut work_tree);
    let (git_dir, common_dir) =
        plain::git_dirs(repo.path()).unwrap_or_else(|| (repo.git_dir(), repo.git_dir()));
    let index = git_dir.join("index");
    let index = fs::read(&index).ok().map(|bytes| {
        let metadata = fs::metadata(&index).unwrap();
        (bytes, (metadata.mtime(), metadata.mtime_nsec()))
    });
    let references = match plain::references(&git_dir, &common_dir) {
        Some(all) => {
            let others = all.iter().filter(|(name, _)| !name.starts_with("refs/closeout/"));
            others.fold(String::new(), |text, (name, id)| text + &format!("{id}\t{name}\n"))
        }
        None => repo.git(["for-each-ref", "--exclude=refs/closeout", "--format=%(objectname)%09%(refname)"]),
    };
    let head = fs::read_to_string(git_dir.join("HEAD")).unwrap();
    let mut locks = Vec::new();
    find_locks(&git_dir, &mut locks);
    super::hostile::assert_silent(repo);
    Fingerprint { work_tree, index, references: head + &references, locks }
}

fn walk(top: &Path, folder: &Path, found: &mut Paths) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if folder == top && path.file_name().unwrap() == ".git" {
            continue;
        }
        let metadata = path.symlink_metadata().unwrap();
        let content = if metadata.is_symlink() {
            fs::read_link(&path).unwrap().as_os_str().as_bytes().to_vec()
        } else if metadata.is_file() {
            fs::read(&path).unwrap()
        } else {
            Vec::new()
        };
        let name = path.strip_prefix(top).unwrap().as_os_str().as_bytes().to_vec();
        found.insert(name, (metadata.mode(), content, (metadata.mtime(), metadata.mtime_nsec())));
        if metadata.is_dir() {
            walk(top, &path, found);
        }
    }
}

fn find_locks(folder: &Path, locks: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.display().to_string();
        if path.extension().is_some_and(|extension| extension == "lock") || name.contains(".closeout-") {
            locks.push(name);
        } else if path.is_dir() {
            find_locks(&path, locks);
        }
    }
}

/// A rescuer whose state folder lies beside the repository.
pub(super) fn rescuer(repo: &Repo) -> Rescuer {
    let settings = "[user]\n\tname = A Person\n\temail = person@example.com\n";
    let file = repo.home().join(".gitconfig");
    if !file.exists() {
        fs::write(file, settings).unwrap();
        super::hostile::arm_unless_armed(repo);
    }
    Rescuer { is_synced: false, ..Rescuer::new(git_program(), Some(repo.home()), repo.root().join("state")) }
}

/// The same, calling `action` when the step is complete.
pub(super) fn rescuer_at(
    repo: &Repo,
    step: RescueStep,
    action: impl Fn() + Send + Sync + 'static,
) -> Rescuer {
    let at_step = move |reached: RescueStep| {
        if reached == step {
            action();
        }
    };
    Rescuer { at_step: Some(Box::new(at_step)), ..rescuer(repo) }
}

/// A whole action, with nothing chosen or shown.
pub(super) trait WholeActions {
    /// Records all uncommitted work.
    fn record(&self, workspace: &Path) -> Result<RescueRecord, RescueError>;
    /// Writes all files of a record; how many there are.
    fn restore(&self, workspace: &Path, reference: &str, into: &Path) -> Result<usize, RescueError>;
    /// Takes back the last rescue.
    fn undo(&self, workspace: &Path) -> Result<(), RescueError>;
    /// Makes the rescue again that was last undone.
    fn redo(&self, workspace: &Path) -> Result<(), RescueError>;
}

impl WholeActions for Rescuer {
    fn record(&self, workspace: &Path) -> Result<RescueRecord, RescueError> {
        self.record_ordered(workspace, RecordOrder::default())
    }

    fn restore(&self, workspace: &Path, reference: &str, into: &Path) -> Result<usize, RescueError> {
        self.restore_paths(workspace, reference, &[], into).map(|restored| restored.n_files())
    }

    fn undo(&self, workspace: &Path) -> Result<(), RescueError> {
        self.turn_back(workspace, &self.undo_plan(workspace)?)
    }

    fn redo(&self, workspace: &Path) -> Result<(), RescueError> {
        self.turn_back(workspace, &self.redo_plan(workspace)?)
    }
}

/// Makes a record and checks that nothing else changed.
pub(super) fn record(repo: &Repo) -> RescueRecord {
    let before = fingerprint(repo);
    let record = rescuer(repo).record(repo.path()).unwrap();
    assert_eq!(fingerprint(repo), before);
    assert!(record.is_settled);
    record
}

/// The content of a path in a commit, byte for byte.
pub(super) fn content(repo: &Repo, commit: &(impl Display + ?Sized), path: &[u8]) -> Option<Vec<u8>> {
    listed(repo, commit).get(path).map(|(_, id)| {
        let output = repo.try_git(&["cat-file", "blob", id], &[]);
        assert!(output.status.success());
        output.stdout
    })
}

/// Mode and object id of each path in a commit.
pub(super) fn listed(repo: &Repo, commit: &(impl Display + ?Sized)) -> BTreeMap<Vec<u8>, (String, String)> {
    let output = repo.try_git(&["ls-tree", "-r", "-z", "--full-tree", &commit.to_string()], &[]);
    output
        .stdout
        .split(|byte| *byte == 0)
        .filter(|record| !record.is_empty())
        .map(|record| {
            let tab = record.iter().position(|byte| *byte == b'\t').unwrap();
            let fields: Vec<&str> = std::str::from_utf8(&record[..tab]).unwrap().split(' ').collect();
            (record[tab + 1..].to_vec(), (fields[0].to_owned(), fields[2].to_owned()))
        })
        .collect()
}

/// Asserts that a record holds every file and link of the work tree with its bytes and executable bit, and
/// nothing else.
pub(super) fn assert_holds_the_work_tree(repo: &Repo, record: &RescueRecord) {
    let mut expected = BTreeMap::new();
    walk(repo.path(), repo.path(), &mut expected);
    let stored = super::oracle::stored(repo, &record.snapshot);
    let expected: BTreeMap<Vec<u8>, (String, Vec<u8>)> = expected
        .into_iter()
        .filter_map(|(path, (mode, bytes, _))| {
            let mode = match mode & 0o170_000 {
                0o120_000 => "120000",
                0o100_000 if mode & 0o100 != 0 => "100755",
                0o100_000 => "100644",
                _ => return None,
            };
            Some((path, (mode.to_owned(), bytes)))
        })
        .collect();
    assert_eq!(stored, expected);
}

/// Makes a file executable.
pub(super) fn make_executable(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A repository with every plain kind of work: staged and unstaged, new, deleted, renamed, a link.
pub(super) fn rich() -> Repo {
    let repo = Repo::prepared("rich", make_rich);
    // Writes the person's name to the configuration, for other processes too.
    drop(rescuer(&repo));
    repo
}

fn make_rich() -> Repo {
    let repo = Repo::new();
    for name in ["a", "b", "c", "d", "split"] {
        repo.write(name, format!("content of {name}\n1\n2\n3\n"));
    }
    repo.commit("more");
    repo.write("split", "first\n1\n2\n3\n").git(["add", "split"]);
    repo.write("split", "first\n1\n2\nlast\n");
    repo.write("new/deep/x", "x\n").write("e", "");
    repo.write("intended", "later\n").git(["add", "-N", "intended"]);
    fs::remove_file(repo.at("a")).unwrap();
    repo.git(["rm", "-q", "--cached", "b"]);
    repo.git(["mv", "c", "c2"]);
    std::os::unix::fs::symlink("nowhere", repo.at("link")).unwrap();
    repo
}

/// A plan that can be committed.
pub(super) fn plan(repo: &Repo) -> RescuePlan {
    let plan = rescuer(repo).plan(repo.path(), "rescue: work\n").unwrap();
    assert_eq!(plan.refusal, None);
    plan
}

/// Plans and commits; returns the id of the commit.
pub(super) fn commit(repo: &Repo) -> String {
    let plan = plan(repo);
    let before = fingerprint(repo);
    let rescued = rescuer(repo).commit(repo.path(), &plan).unwrap();
    let commit = rescued.commits.last().unwrap().to_string();
    let after = fingerprint(repo);
    assert_eq!(after.work_tree, before.work_tree);
    assert_eq!(after.locks, before.locks);
    assert_eq!(repo.head(), commit);
    commit
}

/// The output of `git status`, without refreshing the index.
pub(super) fn status(repo: &Repo) -> String {
    repo.git(["--no-optional-locks", "status", "--porcelain=v2", "--branch"])
}

/// Puts a repository into the state of an unfinished merge.
pub(super) fn begin_merge(repo: &Repo) {
    fs::write(repo.git_dir().join("MERGE_HEAD"), repo.head() + "\n").unwrap();
}

/// The full path of every file below a folder.
pub(super) fn files_below(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.symlink_metadata().unwrap().is_dir() {
            found.extend(files_below(&path));
        } else {
            found.push(path.display().to_string());
        }
    }
    found
}
