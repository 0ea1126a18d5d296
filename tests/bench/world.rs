//! Synthetic repositories in a temporary folder, cut off from the user's configuration.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

/// Fixed, so that every run makes the same commits.
const EPOCH: u64 = 1_700_000_000;

/// A temporary folder with a home of its own; removed when it is dropped.
#[derive(Debug)]
pub(crate) struct World {
    /// Removes everything when it is dropped.
    _folder: tempfile::TempDir,
    root: PathBuf,
    git: PathBuf,
}

impl World {
    /// An empty world.
    pub(crate) fn new() -> Result<World> {
        let folder = tempfile::tempdir()?;
        let root = folder.path().canonicalize()?;
        fs::create_dir(root.join("home"))?;
        let git = closeout::process::find_program("git", std::env::var_os("PATH").as_deref());
        Ok(World { _folder: folder, root, git: git.context("git is not on the PATH")? })
    }

    /// The home of git, of the agents and of closeout.
    pub(crate) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// The git program.
    pub(crate) fn git_program(&self) -> &Path {
        &self.git
    }

    /// A program that sees nothing but this world.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.environment()).stdin(Stdio::null());
        command
    }

    /// The environment of everything in this world.
    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        let home = self.home().display().to_string();
        let path = std::env::var("PATH").unwrap_or_default();
        [
            ("HOME", home.as_str()),
            ("PATH", &path),
            ("TERM", "xterm-256color"),
            ("LANG", "C.UTF-8"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_AUTHOR_NAME", "ReplyFixture"),
            ("GIT_AUTHOR_EMAIL", "bench@example.test"),
            ("GIT_COMMITTER_NAME", "ReplyFixture"),
            ("GIT_COMMITTER_EMAIL", "bench@example.test"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
    }

    /// Runs git and gives what it printed.
    pub(crate) fn git(&self, folder: &Path, arguments: &[&str]) -> Result<String> {
        let output = self.command(&self.git).arg("-C").arg(folder).args(arguments).output()?;
        let words = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "git {arguments:?}: {words}");
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// A repository with `n_files` tracked files in folders of ten, and three commits after the first
    /// one, which has the tag `base`.
    pub(crate) fn repository(&self, name: &str, n_files: usize) -> Result<PathBuf> {
        let top = self.root.join(name);
        fs::create_dir(&top)?;
        self.git(&top, &["init", "-q", "-b", "main"])?;
        self.import(&top, &history(n_files))?;
        self.git(&top, &["reset", "-q", "--hard"])?;
        self.git(&top, &["tag", "base", "main~3"])?;
        Ok(top)
    }

    /// Adds `count` commits of one file each, a minute apart, and a log in which HEAD went back and forth again after
    /// every tenth of them. Returns when the first and the last one were made, in seconds since the epoch.
    pub(crate) fn many_moves(&self, top: &Path, count: usize) -> Result<(u64, u64)> {
        let at = |number: usize| EPOCH + 3_600 + number as u64 * 60;
        let mut stream = String::new();
        for number in 0..count {
            let (message, content) = (format!("change {number}"), format!("{number}\n"));
            let _ = write!(
                stream,
                "commit refs/heads/main\ncommitter ReplyFixture <bench@example.test> {} +0000\ndata {}\n{message}\n{}\
                 M 100644 inline {}\ndata {}\n{content}\n",
                at(number),
                message.len(),
                if number == 0 { "from refs/heads/main^0\n" } else { "" },
                file_name(number % 10),
                content.len()
            );
        }
        self.import(top, &stream)?;
        self.git(top, &["reset", "-q", "--hard"])?;
        let ids = self.git(top, &["rev-list", "--reverse", "base..main"])?;
        let mut before = "0".repeat(40);
        let mut log = String::new();
        let mut enter = |to: &str, time: u64, words: &str| {
            let from = std::mem::replace(&mut before, to.to_owned());
            let _ = writeln!(log, "{from} {to} ReplyFixture <bench@example.test> {time} +0000\t{words}");
            from
        };
        for (number, id) in ids.lines().skip(3).enumerate() {
            let from = enter(id, at(number), "commit: a change");
            if number % 10 == 9 {
                enter(&from, at(number) + 1, "reset: moving to HEAD~1");
                enter(id, at(number) + 2, "reset: moving to main");
            }
        }
        fs::write(top.join(".git/logs/HEAD"), log)?;
        Ok((at(0), at(count)))
    }

    fn import(&self, top: &Path, stream: &str) -> Result<()> {
        let mut import = self
            .command(&self.git)
            .arg("-C")
            .arg(top)
            .args(["fast-import", "--quiet"])
            .stdin(Stdio::piped())
            .spawn()?;
        import.stdin.take().context("no stdin")?.write_all(stream.as_bytes())?;
        ensure!(import.wait()?.success(), "git fast-import failed");
        Ok(())
    }

    /// Lets the index be newer than the files, so that git and its libraries trust it.
    pub(crate) fn refresh_index(&self, top: &Path) -> Result<()> {
        self.git(top, &["update-index", "-q", "--really-refresh"]).map(drop)
    }

    /// Adds `n_linked` linked worktrees on branches of their own.
    pub(crate) fn worktrees(&self, main: &Path, n_linked: usize) -> Result<Vec<PathBuf>> {
        let mut tops = Vec::with_capacity(n_linked);
        for number in 0..n_linked {
            let name = format!("w{number:04}");
            let top = self.root.join(&name);
            let path = top.display().to_string();
            self.git(main, &["worktree", "add", "-q", "-b", &name, &path])?;
            tops.push(top);
        }
        Ok(tops)
    }

    /// Writes a new commit of one file.
    pub(crate) fn commit(&self, top: &Path, content: &str) -> Result<()> {
        fs::write(top.join("d0/f0.txt"), content)?;
        self.git(top, &["commit", "-q", "-a", "-m", content]).map(drop)
    }

    /// Half of `count` tracked files changed, and as many new ones.
    #[expect(clippy::unused_self, reason = "what is done to a world is asked of it")]
    pub(crate) fn make_dirty(&self, top: &Path, count: usize) -> Result<()> {
        for number in 0..count / 2 {
            fs::write(top.join(file_name(number)), "changed\n")?;
            fs::write(top.join(format!("new{number}.txt")), "new\n")?;
        }
        Ok(())
    }

    /// The transcript of a session in the workspace `top`.
    pub(crate) fn transcript(&self, top: &Path) -> PathBuf {
        let slug: String = top
            .display()
            .to_string()
            .chars()
            .map(|sign| if sign.is_ascii_alphanumeric() { sign } else { '-' })
            .collect();
        self.home().join(".claude/projects").join(slug).join("session.jsonl")
    }
}

/// A tracked file.
pub(crate) fn file_name(number: usize) -> String {
    let folder = number / 10;
    // Folders of ten in folders of ten, as in a real tree.
    if folder == 0 {
        format!("d0/f{number}.txt")
    } else {
        format!("d{}/s{folder}/f{number}.txt", folder / 10)
    }
}

fn history(n_files: usize) -> String {
    let mut stream = String::new();
    for number in 0..4_u64 {
        let at = EPOCH + number * 60;
        let message = format!("commit {number}");
        let _ = write!(
            stream,
            "commit refs/heads/main\nmark :{}\ncommitter ReplyFixture <bench@example.test> {at} +0000\ndata {}\n{message}\n",
            number + 1,
            message.len()
        );
        if number > 0 {
            let _ = writeln!(stream, "from :{number}");
        }
        let changed = if number == 0 { n_files } else { 1 };
        for file in 0..changed {
            let content = format!("file {file} of commit {number}\n");
            let _ =
                write!(stream, "M 100644 inline {}\ndata {}\n{content}\n", file_name(file), content.len());
        }
        stream.push('\n');
    }
    stream
}
