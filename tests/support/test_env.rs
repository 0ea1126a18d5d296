//! The environment of one person: the built program, started with its own home, state folder and agents'
//! records, and the demonstration repository with its five worktrees.
//!
//! Nothing here touches the machine's own configuration, sessions or state.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use closeout::engine::clock;
use serde_json::{Value, json};

use super::canary;
use super::repo::{Copied, Repo};

/// How long a test waits for something that must happen. Generous, because the machine may be busy; a passing
/// test never waits this long.
pub(crate) const LIMIT: Duration = Duration::from_secs(20);

/// How long the demonstration is copied instead of made.
const OLD: Duration = Duration::from_secs(30);

/// The environment of one test.
pub(crate) struct TestEnv {
    scratch: Repo,
    more: Vec<(OsString, OsString)>,
}

/// The result of a run of the program.
#[must_use]
#[derive(Debug)]
pub(crate) struct Run {
    /// The exit code.
    pub(crate) code: i32,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

impl Run {
    /// The output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The only workspace in the output.
    pub(crate) fn workspace(&self) -> Value {
        let mut report = self.json();
        let workspaces = report["workspaces"].as_array_mut().unwrap();
        assert_eq!(workspaces.len(), 1, "{workspaces:?}");
        workspaces.remove(0)
    }
}

impl TestEnv {
    /// An environment with an empty repository.
    pub(crate) fn new() -> TestEnv {
        TestEnv::beside(&Repo::unborn())
    }

    /// An environment in the scratch folder of a repository.
    pub(crate) fn beside(repo: &Repo) -> TestEnv {
        TestEnv { scratch: repo.clone(), more: Vec::new() }
    }

    /// An environment with the repository that `assets/demo/five-worktrees.sh` makes. The script runs again once what it
    /// made is old: its records are of the time at which it runs.
    pub(crate) fn with_demo() -> TestEnv {
        static MADE: Mutex<Option<Arc<Copied>>> = Mutex::new(None);
        let env = TestEnv::new();
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        let known = made.clone().filter(|made| made.age() < OLD);
        if known.is_none() {
            env.make_demo();
            *made = Some(Arc::new(Copied::of(&env.scratch, "demo")));
        }
        drop(made);
        if let Some(known) = known {
            known.write(&env.scratch);
        }
        if canary::is_wanted() {
            canary::arm(&env.at("."), &env.shop().join(".git"));
        }
        env
    }

    #[expect(clippy::disallowed_methods, reason = "tests make their repositories by the real program")]
    fn make_demo(&self) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo/five-worktrees.sh");
        let output = Command::new("sh")
            .arg(script)
            .arg(self.at("demo"))
            .env_clear()
            .envs(self.variables())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// The same environment with one more variable.
    pub(crate) fn with_variable(mut self, name: &str, value: impl AsRef<OsStr>) -> TestEnv {
        self.more.push((name.into(), value.as_ref().to_owned()));
        self
    }

    /// A path in the scratch folder.
    pub(crate) fn at(&self, name: impl AsRef<Path>) -> PathBuf {
        self.scratch.root().join(name)
    }

    /// Writes the person's own configuration.
    pub(crate) fn configure(&self, config: &str) {
        let file = self.at("home/config/closeout/config.toml");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, config).unwrap();
    }

    /// A worktree of the demonstration.
    pub(crate) fn demo(&self, name: &str) -> Repo {
        self.scratch.beside(&format!("demo/{name}"))
    }

    /// The folder from which the demonstration is run.
    pub(crate) fn shop(&self) -> PathBuf {
        self.at("demo/shop")
    }

    /// The environment variables of the program.
    pub(crate) fn variables(&self) -> Vec<(OsString, OsString)> {
        let path = |name: &str| self.at(name).into_os_string();
        let mut variables: Vec<(OsString, OsString)> = [
            ("HOME", self.scratch.home().into_os_string()),
            ("CLOSEOUT_STATE_DIR", path("state")),
            ("XDG_CONFIG_HOME", path("home/config")),
            ("XDG_STATE_HOME", path("home/state")),
            ("XDG_CACHE_HOME", path("home/cache")),
            ("XDG_DATA_HOME", path("home/data")),
            ("CLAUDE_CONFIG_DIR", path("demo/claude")),
            ("GIT_CONFIG_GLOBAL", "/dev/null".into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("LC_ALL", "C.UTF-8".into()),
            ("TERM", "xterm-256color".into()),
            ("PATH", std::env::var_os("PATH").unwrap_or_default()),
        ]
        .map(|(name, value)| (name.into(), value))
        .into();
        for (name, value) in &self.more {
            variables.retain(|(known, _)| known != name);
            variables.push((name.clone(), value.clone()));
        }
        variables
    }

    /// The program with these arguments, in the folder `here`, with pipes as standard streams.
    #[expect(clippy::disallowed_methods, reason = "it is the program that is tested")]
    pub(crate) fn command(&self, here: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_closeout"));
        command
            .args(arguments)
            .current_dir(here)
            .env_clear()
            .envs(self.variables())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the program until it ends.
    pub(crate) fn run(&self, here: impl AsRef<Path>, arguments: &[&str]) -> Run {
        finish(spawn(&mut self.command(here.as_ref(), arguments)))
    }

    /// Runs the program with this input on stdin.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Run {
        let mut command = self.command(&self.at("."), arguments);
        let mut child = spawn(command.stdin(Stdio::piped()));
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_owned();
        // If the program stops reading, writing fails; that is fine.
        let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let run = finish(child);
        writer.join().unwrap();
        run
    }

    /// The record of a demonstration session.
    pub(crate) fn record(&self, name: &str) -> PathBuf {
        let projects = fs::read_dir(self.at("demo/claude/projects")).unwrap();
        projects
            .map(|folder| folder.unwrap().path().join(format!("demo-{name}.jsonl")))
            .find(|path| path.is_file())
            .unwrap_or_else(|| panic!("no record of {name}"))
    }

    /// Makes the agent of a demonstration session say something and end its turn.
    pub(crate) fn agent_says(&self, name: &str, text: &str) {
        let message = json!({
            "id": unique("m"), "role": "assistant", "model": "demo-model", "stop_reason": "end_turn",
            "content": [{"type": "text", "text": text}],
        });
        self.append(name, json!({"type": "assistant", "message": message}));
    }

    /// Makes the person answer in a demonstration session.
    pub(crate) fn person_says(&self, name: &str, text: &str) {
        let message = json!({"role": "user", "content": text});
        let line = json!({
            "type": "user", "promptSource": "typed", "origin": {"kind": "human"}, "message": message,
        });
        self.append(name, line);
    }

    fn append(&self, name: &str, mut line: Value) {
        let now = jiff::Timestamp::from_millisecond(clock::now().0).unwrap();
        line["sessionId"] = json!(format!("demo-{name}"));
        line["cwd"] = json!(self.at("demo").join(name));
        line["uuid"] = json!(unique("u"));
        line["parentUuid"] = json!("u1");
        line["isSidechain"] = json!(false);
        line["version"] = json!("2.1.330");
        line["timestamp"] = json!(now.to_string());
        let mut record = fs::OpenOptions::new().append(true).open(self.record(name)).unwrap();
        record.write_all(format!("{line}\n").as_bytes()).unwrap();
    }
}

/// An id that no other record of this run has: records with the same id are parts of one message.
fn unique(begin: &str) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(100);
    format!("{begin}{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Replaces a file as careful programs do: written beside it, then renamed.
pub(crate) fn replace(path: &Path, content: impl AsRef<[u8]>) {
    let beside = path.with_extension("new");
    fs::write(&beside, content).unwrap();
    fs::rename(beside, path).unwrap();
}

/// Everything below a folder with the attributes that must not change: kind, mode, modification time, content.
pub(crate) fn traces(folder: &Path) -> Vec<String> {
    use std::os::unix::fs::MetadataExt as _;
    let mut lines = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        let metadata = fs::symlink_metadata(&path).unwrap();
        let content = if metadata.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        let (mode, seconds, nanos) = (metadata.mode(), metadata.mtime(), metadata.mtime_nsec());
        lines.push(format!("{} {mode:o} {seconds}.{nanos} {}", path.display(), content.escape_ascii()));
        if metadata.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    lines.sort();
    lines
}

/// Allows one start at a time: a process started between the opening of a pipe or terminal and its
/// close-on-exec flag would inherit it and keep it open.
pub(crate) fn starting() -> MutexGuard<'static, ()> {
    static STARTING: Mutex<()> = Mutex::new(());
    STARTING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a program.
pub(crate) fn spawn(command: &mut Command) -> Child {
    let _turn = starting();
    command.spawn().unwrap()
}

/// Waits for a program's end and collects its output.
pub(crate) fn finish(child: Child) -> Run {
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code().unwrap_or_else(|| panic!("ended by {}", output.status)),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}
