//! Processes and panes as sources: real processes with the names of agents, and a real tmux of the
//! test's own where one is installed. Nothing here sleeps: each test waits for what must come.

mod gone;
mod jump;
mod panes;
mod process_table;
mod processes;
mod sockets;
pub(crate) mod tmux;

use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use closeout::model::{
    CollectRequest, OfferPolicy, Parts, Policy, SessionObservation, SessionOrigin, SessionPlace, TaskKind,
    Timestamp, TurnState, WorkspaceId, WorkspaceSettings,
};

use crate::support::repo::Repo;
use crate::support::test_env::spawn;

/// What a scripted agent does: it says that it is there, and lives until its input ends.
pub(crate) const LIVES: &str = "echo there; read _";

/// A process with an agent's name. Killed when it is dropped.
pub(crate) struct Agent {
    child: Child,
    _input: ChildStdin,
}

impl Agent {
    /// A script of this name that works in `folder`. It has done `first` when this returns.
    pub(crate) fn start(repo: &Repo, name: &str, folder: &Path, first: &str) -> Agent {
        Agent::start_with(repo, name, folder, first, "NOTHING")
    }

    /// The same with this variable in its environment.
    #[expect(clippy::disallowed_methods, reason = "a process to be found")]
    fn start_with(repo: &Repo, name: &str, folder: &Path, first: &str, variable: &str) -> Agent {
        use std::io::Read as _;
        let script = repo.script(name, &format!("{first}\n{LIVES}"));
        let mut command = Command::new(script);
        command.current_dir(folder).env(variable, "1").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = spawn(&mut command);
        let mut said = [0; 6];
        child.stdout.take().unwrap().read_exact(&mut said).unwrap();
        assert_eq!(&said, b"there\n");
        let input = child.stdin.take().unwrap();
        Agent { child, _input: input }
    }

    fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Stops it, as Ctrl-Z does, and waits until it is.
    fn stop(&self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
        while !closeout::agent::process_stat::read(self.pid()).unwrap().is_stopped {
            std::thread::yield_now();
        }
    }

    /// Ends it as a crash does.
    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The resolved path of a folder.
fn resolved(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap()
}

/// A session in the middle of a turn, whose record last grew at `grew_at`.
fn open_session(agent: &str, id: &str, folder: &Path, grew_at: i64) -> SessionObservation {
    SessionObservation {
        turn: TurnState::Open { since: Some(Timestamp(grew_at)), tool: None, what: None },
        written_at: Some(Timestamp(grew_at)),
        folder: Some(folder.to_owned()),
        origin: SessionOrigin::Person,
        ..SessionObservation::named(agent, id)
    }
}

/// What asks for the words of a workspace.
fn request(workspace: &Path, sessions: Vec<SessionPlace>) -> CollectRequest {
    CollectRequest {
        workspace: WorkspaceId::local(workspace),
        generation: 1,
        parts: Parts::WORDS,
        settings: WorkspaceSettings::default(),
        policy: Policy {
            offers: OfferPolicy::Ask,
            stall_stage: 3,
            unreadable_limit: 3,
            silent_turn_ms: 600_000,
        },
        task_kind: TaskKind::Implementation,
        git_reader: None,
        baseline: None,
        named: None,
        task_at: None,
        sessions,
        prompted_at: None,
        not_before: Timestamp(0),
    }
}
