//! A tmux server of a test's own.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use closeout::evidence::panes::{InsideTmux, Tmux};
use closeout::process::find_program;

use super::LIVES;
use crate::support::repo::Repo;
use crate::support::test_env::{finish, spawn};

/// How often a condition is asked for before a test gives up; each question is a run of tmux.
const PATIENCE: u32 = 5000;

/// A server with a socket and a configuration of its own; ended when it is dropped.
pub(crate) struct Server {
    repo: Repo,
    program: PathBuf,
    pub(crate) socket: PathBuf,
}

impl Server {
    /// Starts one with a session `other` whose one pane waits; `None`, said aloud, without tmux.
    pub(crate) fn start(repo: &Repo) -> Option<Server> {
        let Some(program) = find_program("tmux", std::env::var_os("PATH").as_deref()) else {
            eprintln!("SKIPPED: tmux is not installed, so panes are not tested");
            return None;
        };
        let server = Server { repo: repo.clone(), program, socket: repo.root().join("tmux.sock") };
        server.run(&["new-session", "-d", "-s", "other", "-x", "80", "-y", "24", "cat"]);
        Some(server)
    }

    /// Runs tmux against this server; what it printed.
    #[expect(clippy::disallowed_methods, reason = "the tests' own tmux")]
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(&self.program);
        command.args(["-u", "-f", "/dev/null", "-S"]).arg(&self.socket).args(arguments);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("LC_ALL", "C.UTF-8");
        command.env("HOME", self.repo.home()).env("TERM", "xterm-256color");
        command.current_dir(self.repo.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let run = finish(spawn(&mut command));
        assert_eq!(run.code, 0, "{arguments:?}: {}", run.err);
        run.out.trim_end().to_owned()
    }

    /// A pane of the session `work` in which a script with an agent's name lives; its id. It runs by then: what is
    /// there before is tmux itself, or a shell, and no agent.
    pub(crate) fn agent(&self, name: &str, first: &str) -> String {
        let script = self.repo.script(name, &format!("echo runs\n{first}\n{LIVES}\nread _"));
        let script = script.display().to_string();
        let pane = self.run(&["new-session", "-d", "-P", "-F", "#{pane_id}", "-s", "work", &script]);
        let is_running = || self.run(&["capture-pane", "-p", "-t", &pane]).contains("runs");
        assert!((0..PATIENCE).any(|_| is_running()), "{name} never said that it runs");
        pane
    }

    /// Waits until tmux tells this of a pane.
    pub(crate) fn wait_for(&self, what: &str, pane: &str, format: &str, wanted: &str) {
        let mut told = String::new();
        for _ in 0..PATIENCE {
            told = self.run(&["display-message", "-p", "-t", pane, format]);
            if told == wanted {
                return;
            }
        }
        panic!("never came: {what}; {format} is {told:?}");
    }

    /// The number of a pane's process.
    pub(crate) fn pid(&self, pane: &str) -> u32 {
        self.run(&["display-message", "-p", "-t", pane, "#{pane_pid}"]).parse().unwrap()
    }

    /// How closeout reaches it, as the default server, standing in the pane `inside` of it.
    pub(crate) fn tmux(&self, inside: Option<&str>) -> Tmux {
        let inside = inside.map(|pane| InsideTmux {
            socket: self.socket.clone(),
            variable: self.run(&["display-message", "-p", "-t", pane, "#{socket_path},#{pid},0"]).into(),
            pane: pane.into(),
        });
        Tmux { program: self.program.clone(), default_socket: self.socket.clone(), inside }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
    }
}
