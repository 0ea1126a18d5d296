//! Throw-away repositories made by the real git program, isolated from user and system configuration: a home of
//! their own, fixed names, and a clock that advances by a minute with each call.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use closeout::model::Timestamp;

use super::{canary, index_refresh, plain};

/// The start of every scratch folder's clock, in seconds since the epoch.
const START: i64 = 1_700_000_000;

/// Stops git from starting background maintenance after a commit, which no test waits for.
const NO_MAINTENANCE: &str = "'maintenance.auto=false' 'gc.auto=0'";

/// Settings that override those of a hostile repository.
const HARMLESS: [(&str, &str); 13] = [
    ("GIT_CONFIG_COUNT", "6"),
    ("GIT_CONFIG_KEY_0", "core.hooksPath"),
    ("GIT_CONFIG_VALUE_0", "/dev/null"),
    ("GIT_CONFIG_KEY_1", "core.fsmonitor"),
    ("GIT_CONFIG_VALUE_1", "false"),
    ("GIT_CONFIG_KEY_2", "log.showSignature"),
    ("GIT_CONFIG_VALUE_2", "false"),
    ("GIT_CONFIG_KEY_3", "commit.gpgSign"),
    ("GIT_CONFIG_VALUE_3", "false"),
    ("GIT_CONFIG_KEY_4", "core.alternateRefsCommand"),
    ("GIT_CONFIG_VALUE_4", "true"),
    ("GIT_CONFIG_KEY_5", "diff.external"),
    ("GIT_CONFIG_VALUE_5", ""),
];

/// The folder of one test, with a home and a clock. Deleted when the last repository in it is dropped.
pub(crate) struct Scratch {
    folder: tempfile::TempDir,
    clock: AtomicI64,
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A second panic would end the whole run.
        if !std::thread::panicking() {
            canary::assert_silent(self.folder.path());
        }
    }
}

/// A work tree in a scratch folder: a repository, clone, linked worktree or submodule.
#[derive(Clone)]
pub(crate) struct Repo {
    scratch: Arc<Scratch>,
    top: PathBuf,
}

/// The files of a scratch folder, to be rewritten for the next test: starting git once costs more than writing
/// thirty files.
struct Prepared {
    entries: Vec<(PathBuf, Entry)>,
    clock: i64,
}

enum Entry {
    Folder,
    File(Vec<u8>, std::fs::Permissions),
    Link(PathBuf),
}

impl Prepared {
    fn of(repo: &Repo) -> Prepared {
        let mut entries = Vec::new();
        read_below(&repo.root(), &repo.root(), &mut entries);
        Prepared { entries, clock: repo.scratch.clock.load(Ordering::Relaxed) }
    }

    /// Writes the same files into a new scratch folder. Refreshes the index for the new files, as git would
    /// have.
    fn again(&self) -> Repo {
        let repo = Repo::in_new_folder(self.clock);
        for (path, entry) in &self.entries {
            let path = repo.root().join(path);
            match entry {
                Entry::Folder => std::fs::create_dir_all(&path).unwrap(),
                Entry::Link(target) => std::os::unix::fs::symlink(target, &path).unwrap(),
                Entry::File(bytes, permissions) => {
                    std::fs::write(&path, bytes).unwrap();
                    std::fs::set_permissions(&path, permissions.clone()).unwrap();
                }
            }
        }
        if !index_refresh::refresh(&repo.at(".git/index"), repo.path()) {
            // Fails if a file differs from its staged version, but refreshes the others first.
            repo.try_git(&["update-index", "-q", "--refresh"], &[]);
        }
        repo.scratch.clock.store(self.clock, Ordering::Relaxed);
        repo
    }
}

/// A folder with worktrees, to be written again in another scratch folder: unlike what is [`Repo::prepared`], its files
/// may contain its own path.
pub(crate) struct Copied {
    root: PathBuf,
    entries: Vec<(PathBuf, Entry)>,
    made_at: SystemTime,
}

impl Copied {
    /// Takes everything below the folder `name` of a scratch folder.
    pub(crate) fn of(repo: &Repo, name: &str) -> Copied {
        let root = repo.root();
        let mut entries = Vec::new();
        read_below(&root, &root.join(name), &mut entries);
        #[expect(clippy::disallowed_methods, reason = "what is old is made anew")]
        let made_at = SystemTime::now();
        Copied { root, entries, made_at }
    }

    /// How long ago it was made.
    pub(crate) fn age(&self) -> Duration {
        self.made_at.elapsed().unwrap_or(Duration::MAX)
    }

    /// Writes it again, with every mention of the former place replaced.
    pub(crate) fn write(&self, to: &Repo) {
        let root = to.root();
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        let slug = |path: &Path| text(path).replace(|sign: char| !sign.is_ascii_alphanumeric(), "-");
        let mut indexes = Vec::new();
        for (path, entry) in &self.entries {
            let path = root.join(text(path).replace(&slug(&self.root), &slug(&root)));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            match entry {
                Entry::Folder => std::fs::create_dir_all(&path).unwrap(),
                Entry::Link(target) => std::os::unix::fs::symlink(target, &path).unwrap(),
                Entry::File(bytes, permissions) => {
                    let place = text(&self.root);
                    let moved = std::str::from_utf8(bytes).ok().filter(|bytes| bytes.contains(&place));
                    let moved = moved.map(|bytes| bytes.replace(&place, &text(&root)));
                    std::fs::write(&path, moved.as_ref().map_or(&bytes[..], |moved| moved.as_bytes()))
                        .unwrap();
                    std::fs::set_permissions(&path, permissions.clone()).unwrap();
                    if path.ends_with("index") {
                        indexes.push(path);
                    }
                }
            }
        }
        for index in indexes {
            let git_dir = index.parent().unwrap();
            let top = match std::fs::read_to_string(git_dir.join("gitdir")) {
                Ok(dot_git) => Path::new(dot_git.trim_end()).parent().unwrap().to_owned(),
                Err(_) => git_dir.parent().unwrap().to_owned(),
            };
            assert!(index_refresh::refresh(&index, &top), "{}", index.display());
        }
    }
}

/// Reads everything below `folder` except git's sample hooks, each folder before its contents.
fn read_below(root: &Path, folder: &Path, entries: &mut Vec<(PathBuf, Entry)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_owned();
        let metadata = path.symlink_metadata().unwrap();
        if metadata.is_dir() {
            entries.push((name, Entry::Folder));
            read_below(root, &path, entries);
        } else if metadata.is_symlink() {
            entries.push((name, Entry::Link(std::fs::read_link(&path).unwrap())));
        } else if path.extension().is_none_or(|end| end != "sample") {
            entries.push((name, Entry::File(std::fs::read(&path).unwrap(), metadata.permissions())));
        }
    }
}

/// The git program on this machine.
pub(crate) fn git_program() -> PathBuf {
    closeout::process::find_program("git", std::env::var_os("PATH").as_deref()).expect("these tests need git")
}

impl Repo {
    /// An empty repository on the unborn branch `main`.
    pub(crate) fn unborn() -> Repo {
        Repo::prepared("unborn", || Repo::with_format(&[]))
    }

    /// The repository that `make` creates, under this name. It is created once per process and rewritten from
    /// then on, so nothing in it may contain its own path.
    pub(crate) fn prepared(name: &'static str, make: impl FnOnce() -> Repo) -> Repo {
        static ALL: Mutex<BTreeMap<(&str, bool), Arc<Prepared>>> = Mutex::new(BTreeMap::new());
        let key = (name, canary::is_wanted());
        let known = ALL.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(prepared) = known {
            return prepared.again();
        }
        let repo = make();
        let prepared = Arc::new(Prepared::of(&repo));
        ALL.lock().unwrap_or_else(PoisonError::into_inner).insert(key, prepared);
        repo
    }

    /// A repository on `main` with one commit of the file `README`.
    pub(crate) fn new() -> Repo {
        Repo::prepared("first commit", || {
            let repo = Repo::unborn();
            repo.write("README", "hello\n").commit("first");
            repo
        })
    }

    /// The same, created with more options of `git init`.
    pub(crate) fn with_format(options: &[&str]) -> Repo {
        let repo = Repo::in_new_folder(START);
        repo.git(["init", "-q", "-b", "main"].iter().chain(options));
        if canary::is_wanted() {
            canary::arm(&repo.root(), &repo.at(".git"));
        }
        repo
    }

    fn in_new_folder(clock: i64) -> Repo {
        let folder = crate::support::scratch::folder();
        // Tests compare resolved paths.
        let top = folder.path().canonicalize().unwrap().join("repo");
        std::fs::create_dir(&top).unwrap();
        std::fs::create_dir(folder.path().join("home")).unwrap();
        Repo { scratch: Arc::new(Scratch { folder, clock: AtomicI64::new(clock) }), top }
    }

    /// Another folder in the same scratch folder, not yet a repository.
    pub(crate) fn beside(&self, name: &str) -> Repo {
        let top = self.root().join(name);
        std::fs::create_dir_all(&top).unwrap();
        Repo { scratch: Arc::clone(&self.scratch), top }
    }

    /// A repository with a submodule `sub`, which has one commit with the file `f`.
    pub(crate) fn with_submodule() -> Repo {
        let repo = Repo::new();
        let inner = repo.beside("inner");
        inner.git(["init", "-q", "-b", "main"]);
        inner.write("f", "1\n").commit("inner");
        let url = inner.path().display().to_string();
        repo.git(["-c", "protocol.file.allow=always", "submodule", "add", "-q", &url, "sub"]);
        repo.commit("submodule");
        repo
    }

    /// A clone of this repository, in a folder beside it.
    pub(crate) fn clone_to(&self, name: &str) -> Repo {
        let clone = self.beside(name);
        clone.git(["clone", "-q", &self.top.display().to_string(), "."]);
        clone
    }

    /// A linked worktree beside this one, on a new branch of the same name.
    pub(crate) fn worktree(&self, name: &str) -> Repo {
        let top = self.root().join(name);
        self.git(["worktree", "add", "-q", "-b", name, &top.display().to_string()]);
        Repo { scratch: Arc::clone(&self.scratch), top }
    }

    /// The resolved path of the scratch folder.
    pub(crate) fn root(&self) -> PathBuf {
        self.scratch.folder.path().canonicalize().unwrap()
    }

    /// The home folder that git sees here.
    pub(crate) fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// The top of the work tree.
    pub(crate) fn path(&self) -> &Path {
        &self.top
    }

    /// A path in the work tree.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.top.join(name)
    }

    /// The git directory of this worktree.
    pub(crate) fn git_dir(&self) -> PathBuf {
        self.tick();
        let by_git = || PathBuf::from(self.git(["rev-parse", "--absolute-git-dir"]));
        plain::git_dirs(&self.top).map_or_else(by_git, |(git_dir, _)| git_dir)
    }

    /// Advances the clock; returns the seconds before.
    fn tick(&self) -> i64 {
        self.scratch.clock.fetch_add(60, Ordering::Relaxed)
    }

    /// The current time of the clock.
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp(self.scratch.clock.load(Ordering::Relaxed) * 1000)
    }

    /// Runs git, which must succeed; returns its output without the last line feed.
    pub(crate) fn git<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> String {
        let args: Vec<A> = args.into_iter().collect();
        let output = self.try_git(&args, &[]);
        let words: Vec<_> = args.iter().map(|arg| arg.as_ref().to_string_lossy()).collect();
        assert!(
            output.status.success(),
            "git {}: {}",
            words.join(" "),
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(output.stdout.trim_ascii_end()).into_owned()
    }

    /// Runs git with this input; it must succeed.
    pub(crate) fn git_with_input(&self, args: &[&str], input: impl AsRef<[u8]>) -> Output {
        let path = self.root().join("input");
        std::fs::write(&path, input).unwrap();
        let input = std::fs::File::open(path).unwrap();
        let output = self.command(args).stdin(input).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output
    }

    /// Runs git with additional environment variables; it may fail.
    pub(crate) fn try_git<A: AsRef<OsStr>>(&self, args: &[A], env: &[(&str, &str)]) -> Output {
        self.command(args).envs(env.iter().copied()).output().unwrap()
    }

    #[expect(clippy::disallowed_methods, reason = "tests make their repositories by the real program")]
    fn command<A: AsRef<OsStr>>(&self, args: &[A]) -> Command {
        // In a repository made hostile for closeout, the test's own git must not set off the trap.
        let root = self.root();
        let is_hostile = canary::is_armed(&root) || root.join("hostile").exists();
        let harmless = if is_hostile { HARMLESS.as_slice() } else { &[] };
        let seconds = self.tick();
        let date = format!("{seconds} +0000");
        let mut command = Command::new(git_program());
        command
            .args(args)
            .current_dir(&self.top)
            .env_clear()
            .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null"), ("LC_ALL", "C")])
            .envs([("GIT_AUTHOR_NAME", "Ada"), ("GIT_AUTHOR_EMAIL", "ada@example.org")])
            .envs([("GIT_COMMITTER_NAME", "Ada"), ("GIT_COMMITTER_EMAIL", "ada@example.org")])
            .envs([("GIT_AUTHOR_DATE", date.as_str()), ("GIT_COMMITTER_DATE", date.as_str())])
            .envs([
                ("GIT_EDITOR", "true"),
                ("GIT_SEQUENCE_EDITOR", "true"),
                ("GIT_TERMINAL_PROMPT", "0"),
                ("GIT_ALLOW_PROTOCOL", "file"),
            ])
            .env("GIT_CONFIG_PARAMETERS", NO_MAINTENANCE)
            .env("HOME", self.home())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .envs(harmless.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Writes a file, creating its folders.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Repo {
        self.write_bytes(name.as_bytes(), content)
    }

    /// Writes a file whose name need not be UTF-8.
    pub(crate) fn write_bytes(&self, name: &[u8], content: impl AsRef<[u8]>) -> &Repo {
        let path = self.top.join(OsStr::from_bytes(name));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    /// Removes a file.
    pub(crate) fn remove(&self, name: &str) -> &Repo {
        std::fs::remove_file(self.at(name)).unwrap();
        self
    }

    /// Stages one path.
    pub(crate) fn stage(&self, name: &str) -> &Repo {
        self.git(["add", "--", name]);
        self
    }

    /// Commits everything; returns the id.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(["add", "-A"]);
        self.git(["commit", "-q", "--allow-empty", "-m", message]);
        self.head()
    }

    /// Commits one new file of this name; returns the id.
    pub(crate) fn commit_file(&self, name: &str) -> String {
        self.write(name, format!("content of {name}\n")).stage(name);
        self.git(["commit", "-q", "-m", &format!("add {name}")]);
        self.head()
    }

    /// Makes an empty commit; returns the id.
    pub(crate) fn commit_nothing(&self, message: &str) -> String {
        self.git(["commit", "-q", "--allow-empty", "-m", message]);
        self.head()
    }

    /// The commit of HEAD.
    pub(crate) fn head(&self) -> String {
        self.tick();
        let read = plain::git_dirs(&self.top).and_then(|(git_dir, common)| plain::head(&git_dir, &common));
        read.unwrap_or_else(|| self.git(["rev-parse", "HEAD"]))
    }

    /// Switches to a branch, creating it if necessary.
    pub(crate) fn switch(&self, branch: &str) -> &Repo {
        if self.try_git(&["checkout", "-q", branch, "--"], &[]).status.success() {
            return self;
        }
        self.git(["checkout", "-q", "-b", branch]);
        self
    }

    /// Puts a named pipe at a path, replacing what is there.
    pub(crate) fn fifo(&self, path: &Path) -> &Repo {
        let _ = std::fs::remove_file(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            path,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        self
    }

    /// Writes an executable script; returns its path.
    pub(crate) fn script(&self, name: &str, body: &str) -> PathBuf {
        let path = self.root().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }
}
