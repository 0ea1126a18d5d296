//! A repository of a random kind in a temporary folder, isolated from the user's configuration.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context as _, Result, ensure};

use super::random::Random;

/// File names, some of them odd.
pub(crate) const NAMES: [&str; 16] = [
    "a", "b", "c.txt", "run.sh", "src/main.rs", "src/deep/er/mod.rs", "docs/read me", "-rf", ":(top)x",
    "line\nfeed", "tab\tquote\"back\\slash", "日本語/ファイル", "esc\u{1b}[31m", "bidi\u{202e}txt", "*",
    "x.ign",
];

/// The kind of repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// On a branch.
    Plain,
    /// On a branch with a slash in its name, with all references packed.
    Packed,
    /// Before the first commit.
    Unborn,
    /// With a detached HEAD.
    Detached,
    /// With a merge conflict.
    Conflict,
    /// A linked worktree.
    Linked,
    /// With version 4 of the index format.
    IndexV4,
    /// With line-ending conversion.
    Crlf,
}

const KINDS: [Kind; 14] = [
    Kind::Plain,
    Kind::Plain,
    Kind::Plain,
    Kind::Plain,
    Kind::Packed,
    Kind::Packed,
    Kind::Unborn,
    Kind::Unborn,
    Kind::Detached,
    Kind::Conflict,
    Kind::Linked,
    Kind::Linked,
    Kind::IndexV4,
    Kind::Crlf,
];

/// A repository, with a home and a state folder beside it.
pub(crate) struct World {
    folder: tempfile::TempDir,
    top: PathBuf,
    git_dir: PathBuf,
    common_dir: PathBuf,
    git: PathBuf,
    pub(crate) kind: Kind,
}

/// The git program on this machine.
pub(crate) fn git_program() -> PathBuf {
    closeout::process::find_program("git", std::env::var_os("PATH").as_deref()).expect("the soak needs git")
}

impl World {
    /// Creates a world of a random kind.
    pub(crate) fn new(random: &mut Random) -> Result<World> {
        let folder = tempfile::tempdir()?;
        let root = folder.path().canonicalize()?;
        let top = root.join("repo");
        fs::create_dir(&top)?;
        fs::create_dir(root.join("home"))?;
        fs::write(root.join("home/.gitconfig"), "[user]\n\tname = A Person\n\temail = person@example.com\n")?;
        let kind = *random.one_of(&KINDS);
        let git_dir = top.join(".git");
        let mut world = World { folder, top, common_dir: git_dir.clone(), git_dir, git: git_program(), kind };
        world.git(&["init", "-q", "-b", if kind == Kind::Packed { "work/on/it" } else { "work" }])?;
        fs::write(world.git_dir.join("info/exclude"), "*.ign\n")?;
        if kind == Kind::Crlf {
            world.git(&["config", "core.autocrlf", "true"])?;
        }
        if kind != Kind::Unborn {
            for name in &NAMES[..12] {
                if random.percent(70) {
                    world.write(name, format!("{name}\n1\n2\n3\n").as_bytes())?;
                }
            }
            world.git(&["add", "-A"])?;
            world.git(&["commit", "-q", "--allow-empty", "-m", "first"])?;
        }
        world.become_its_kind()?;
        Ok(world)
    }

    fn become_its_kind(&mut self) -> Result<()> {
        match self.kind {
            Kind::Plain | Kind::Unborn | Kind::Crlf => {}
            Kind::Packed => drop(self.git(&["pack-refs", "--all"])?),
            Kind::Detached => drop(self.git(&["checkout", "-q", "--detach"])?),
            Kind::IndexV4 => drop(self.git(&["update-index", "--index-version", "4"])?),
            Kind::Conflict => {
                self.git(&["checkout", "-q", "-b", "other"])?;
                self.write("both", b"theirs\n")?;
                self.git(&["add", "both"])?;
                self.git(&["commit", "-q", "-m", "theirs"])?;
                self.git(&["checkout", "-q", "work"])?;
                self.write("both", b"ours\n")?;
                self.git(&["add", "both"])?;
                self.git(&["commit", "-q", "-m", "ours"])?;
                // It fails because of the conflict, as intended.
                self.try_git(&["merge", "-q", "other"])?;
            }
            Kind::Linked => {
                let linked = self.root()?.join("linked");
                self.git(&["worktree", "add", "-q", "-b", "linked", &linked.display().to_string()])?;
                self.git_dir = self.common_dir.join("worktrees/linked");
                self.top = linked;
            }
        }
        Ok(())
    }

    /// The folder that holds everything.
    pub(crate) fn root(&self) -> Result<PathBuf> {
        Ok(self.folder.path().canonicalize()?)
    }

    /// The top of the work tree.
    pub(crate) fn top(&self) -> &Path {
        &self.top
    }

    /// The git directory of this worktree.
    pub(crate) fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// The git directory that worktrees share.
    pub(crate) fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// The full name of the branch that HEAD names, which is also its path below the common directory; `None`
    /// if HEAD is detached.
    pub(crate) fn branch(&self) -> Result<Option<String>> {
        let head = fs::read_to_string(self.git_dir.join("HEAD"))?;
        Ok(head.strip_prefix("ref: ").map(|name| name.trim().to_owned()))
    }

    /// Runs git, which may fail.
    pub(crate) fn try_git<A: AsRef<OsStr>>(&self, args: &[A]) -> Result<Output> {
        let mut command = Command::new(&self.git);
        command
            .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "gc.auto=0"])
            .args(args)
            .current_dir(&self.top)
            .env_clear()
            .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null"), ("LC_ALL", "C")])
            .envs([("GIT_EDITOR", "true"), ("GIT_LITERAL_PATHSPECS", "1")])
            .env("HOME", self.folder.path().join("home"))
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .stdin(Stdio::null());
        Ok(command.output()?)
    }

    /// Starts a garbage collection without a grace period.
    pub(crate) fn collecting(&self) -> Result<std::process::Child> {
        let mut command = Command::new(&self.git);
        command.args(["gc", "-q", "--prune=now"]);
        self.beside(command)
    }

    /// Starts an agent's loop that makes, packs and removes a branch and an object, and leaves nothing.
    pub(crate) fn agent(&self) -> Result<std::process::Child> {
        let mut command = Command::new("sh");
        let script = "for n in 1 2 3 4 5 6 7 8; do
                git update-ref refs/agent/loop HEAD; git pack-refs --all
                git update-ref -d refs/agent/loop; echo $n | git hash-object -w --stdin
                git --no-optional-locks status
            done";
        command.args(["-c", script]);
        self.beside(command)
    }

    fn beside(&self, mut command: Command) -> Result<std::process::Child> {
        command
            .current_dir(&self.top)
            .env_clear()
            .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null"), ("LC_ALL", "C")])
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Ok(command.spawn()?)
    }

    /// Runs git, which must succeed.
    pub(crate) fn git(&self, args: &[&str]) -> Result<String> {
        let output = self.try_git(args)?;
        let words = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "git {args:?}: {words}");
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs git with this input; returns its output bytes.
    pub(crate) fn git_with(&self, args: &[&str], input: &[u8]) -> Result<Vec<u8>> {
        use std::io::Write as _;
        let mut child = Command::new(&self.git)
            .args(args)
            .current_dir(&self.top)
            .env_clear()
            .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null"), ("LC_ALL", "C")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut stdin = child.stdin.take().context("no input")?;
        let input = input.to_vec();
        let writer = std::thread::spawn(move || stdin.write_all(&input));
        let output = child.wait_with_output()?;
        // Git may end without reading all its input.
        let _ = writer.join();
        ensure!(output.status.success(), "git {args:?} failed");
        Ok(output.stdout)
    }

    /// Writes a file. If a parent is a file, nothing is written, which is no error.
    pub(crate) fn write(&self, name: &str, content: &[u8]) -> Result<()> {
        let path = self.top.join(name);
        if let Some(folder) = path.parent()
            && fs::create_dir_all(folder).is_ok()
            && !path.is_dir()
            && !path.is_symlink()
        {
            fs::write(&path, content)?;
        }
        Ok(())
    }

    /// Keeps the folder for inspection; returns its path.
    pub(crate) fn keep(self) -> PathBuf {
        self.folder.keep()
    }
}
