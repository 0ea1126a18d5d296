//! The world of one client: a home, repositories, a mock model, a tmux server, and every process that was
//! started in it. All of it ends with its value.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context as _, Result, ensure};

use crate::client::{Client, Setting};
use crate::mock::Mock;
use crate::processes;
use crate::tmux::{Pane, Tmux};
use crate::wait::{CLIENT, until};

/// The size of the clients' screens.
const SCREEN: (u16, u16) = (120, 40);

/// The worktrees that clients work in.
pub(crate) const WORKTREES: [&str; 13] = [
    "claude", "codex", "opencode", "gemini", "together", "headless", "hooked", "gated", "supervised",
    "killed", "helped", "served", "screened",
];

/// A world. The fields are dropped in this order: first the screens, then what is left of the processes.
pub(crate) struct World {
    pub(crate) tmux: Tmux,
    pub(crate) mock: Mock,
    programs: PathBuf,
    leftover: Leftover,
    scratch: tempfile::TempDir,
}

/// Ends the processes of a home when it is dropped.
struct Leftover(PathBuf);

impl Drop for Leftover {
    fn drop(&mut self) {
        processes::end_all(&self.0);
    }
}

impl World {
    /// Makes the world, with the settings of these clients.
    pub(crate) fn new(programs: &Path, clients: &[Client]) -> Result<World> {
        let scratch = tempfile::Builder::new().prefix("co-").tempdir()?;
        let root = scratch.path().canonicalize()?;
        for name in ["home", "tmp"] {
            fs::create_dir(root.join(name))?;
        }
        let mock = Mock::start(&root)?;
        let tmux = Tmux::start(&root)?;
        let leftover = Leftover(root.join("home"));
        let world = World { tmux, mock, programs: programs.to_owned(), leftover, scratch };
        world.make_repositories()?;
        for client in clients {
            let folders: Vec<PathBuf> =
                WORKTREES.iter().chain(&["shop"]).map(|name| world.at(name)).collect();
            let setting = Setting { folders: &folders, ..world.setting() };
            client.configure(&setting)?;
        }
        Ok(world)
    }

    fn setting(&self) -> Setting<'_> {
        Setting { home: self.home_ref(), scratch: self.scratch.path(), folders: &[], url: &self.mock.url }
    }

    fn home_ref(&self) -> &Path {
        &self.leftover.0
    }

    /// The home.
    pub(crate) fn home(&self) -> PathBuf {
        self.home_ref().to_owned()
    }

    /// A path in the scratch folder: a worktree, or `elsewhere`.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.home_ref().with_file_name(name)
    }

    fn make_repositories(&self) -> Result<()> {
        for name in ["shop", "elsewhere"] {
            fs::create_dir(self.at(name))?;
            self.git(name, &["init", "-q", "-b", "main"])?;
            self.git(name, &["commit", "-q", "--allow-empty", "-m", "first"])?;
        }
        WORKTREES.iter().try_for_each(|name| self.add_worktree(name))
    }

    /// Adds a worktree of the repository.
    pub(crate) fn add_worktree(&self, name: &str) -> Result<()> {
        let path = self.at(name).display().to_string();
        self.git("shop", &["worktree", "add", "-q", "-b", name, &path])
    }

    /// Runs git, which must succeed.
    fn git(&self, name: &str, arguments: &[&str]) -> Result<()> {
        let output = Command::new("git")
            .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
            .args(arguments)
            .current_dir(self.at(name))
            .env_clear()
            .envs(self.plain_variables())
            .output()
            .context("git")?;
        let complaint = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "git {}: {complaint}", arguments.join(" "));
        Ok(())
    }

    /// The variables of every program here.
    pub(crate) fn plain_variables(&self) -> Vec<(String, OsString)> {
        let mut path = self.programs.clone().into_os_string();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        vec![
            ("PATH".to_owned(), path),
            ("HOME".to_owned(), self.home().into()),
            ("TMPDIR".to_owned(), self.at("tmp").into()),
            ("TERM".to_owned(), "xterm-256color".into()),
            ("LANG".to_owned(), "C.UTF-8".into()),
            ("GIT_CONFIG_GLOBAL".to_owned(), "/dev/null".into()),
            ("GIT_CONFIG_NOSYSTEM".to_owned(), "1".into()),
        ]
    }

    /// The variables of a client.
    pub(crate) fn variables_of(&self, client: Client) -> Vec<(String, OsString)> {
        let mut variables = self.plain_variables();
        let own = client.variables(&self.setting());
        variables.extend(own.into_iter().map(|(name, value)| (name, value.into())));
        variables
    }

    /// Starts a client at a screen in a worktree, and waits until it waits for a prompt.
    pub(crate) fn start(&self, client: Client, worktree: &str, more: &[&str]) -> Result<Pane> {
        let mut command = client.at_a_screen();
        command.extend(more.iter().map(|&word| word.to_owned()));
        let pane = self.tmux.open(&self.at(worktree), SCREEN, &self.variables_of(client), &command)?;
        self.tmux.wait_for(&pane, "the client's first screen", CLIENT, |shown| client.is_ready(shown))?;
        Ok(pane)
    }

    /// Gives a prompt to a client at its screen.
    pub(crate) fn prompt(&self, pane: &Pane, text: &str) -> Result<()> {
        let before = self.mock.n_requests(text);
        self.tmux.submit(pane, text, || self.mock.n_requests(text) > before)
    }

    /// Starts a client without a screen.
    pub(crate) fn spawn(
        &self,
        client: Client,
        worktree: &str,
        command: &[String],
    ) -> Result<std::process::Child> {
        Command::new(self.programs.join(&command[0]))
            .args(&command[1..])
            .current_dir(self.at(worktree))
            .env_clear()
            .envs(self.variables_of(client))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| command.join(" "))
    }

    /// Runs a client without a screen to its end.
    pub(crate) fn run(&self, client: Client, worktree: &str, command: &[String]) -> Result<Output> {
        let mut child = self.spawn(client, worktree, command)?;
        until(&command.join(" "), CLIENT, || child.try_wait().ok().flatten()).inspect_err(|_| {
            let _ = child.kill();
        })?;
        let output = child.wait_with_output()?;
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        ensure!(output.status.success(), "{} ended with {}: {out}{err}", command.join(" "), output.status);
        Ok(output)
    }
}
