//! A workspace with a session of an agent, shown in a real tmux; the agent is a script that writes every byte
//! that it is given to a file.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::MutexGuard;
use std::time::Duration;

use closeout::agent::{Adapter, claude_folder_name};
use closeout::config::{Config, Sources};
use closeout::engine::{EngineConfig, OneShot, Overrides, Scope, clock};
use closeout::evidence::LiveSources;
use closeout::evidence::panes::{PaneSource, Tmux};
use closeout::judge::runs::Catalog;
use closeout::model::{
    Action, ActionOutcome, ActionProblem, Receipt, ReplyBody, ReplyPlan, SessionName, Timestamp, WorkspaceId,
};
use serde_json::json;

use crate::live::tmux::Server;
use crate::support::repo::{Repo, git_program};

/// The session of a test.
pub(super) const SESSION: &str = "5e3c6d27-f91a-4d5d-9f33-af66db01304c";
/// What a paste in brackets begins and ends with (xterm, "Bracketed Paste Mode").
pub(super) const BEGIN: &str = "\x1b[200~";
pub(super) const END: &str = "\x1b[201~";
/// How long a test waits for what must come.
const PATIENCE_MS: i64 = 20_000;

/// Where the scripted agent is to be entered, and what it does with what it is given. It shows the empty
/// input box of Claude Code.
const AGENT: &str = r#"
stty raw -echo
printf '\033[?2004h'
printf '\033[H\033[2J\n──────\r\n❯ \r\n──────\033[3;3H'
start=$(sed 's/.*) //' /proc/$$/stat | cut -d' ' -f20)
mkdir -p "$HOME/.claude/sessions"
entry="$HOME/.claude/sessions/$$.json"
printf '{"pid":%s,"sessionId":"%s","cwd":"%s","procStart":"%s","kind":"interactive","entrypoint":"cli","version":"2.1.330","status":"idle","statusUpdatedAt":%s000,"updatedAt":%s000}' \
  $$ "$SESSION" "$PWD" "$start" "$(date +%s)" "$(date +%s)" > "$entry.new"
mv "$entry.new" "$entry"
cat > "$BYTES"
"#;

/// The workspace, its agent and its tmux.
pub(super) struct ReplyFixture {
    pub(super) repo: Repo,
    pub(super) server: Server,
    /// Held by a test whose processes must be the only ones that name the session.
    pub(super) _turn: Option<MutexGuard<'static, ()>>,
}

impl ReplyFixture {
    /// With an agent in a pane; `None`, said aloud, without tmux.
    pub(super) fn new() -> Option<ReplyFixture> {
        let fixture = ReplyFixture::without_agent()?;
        fixture.say("begin", "Which of the two would you like?\n\n1) Keep it.\n2) Drop it.");
        Some(fixture)
    }

    /// Without an agent and without a record.
    pub(super) fn without_agent() -> Option<ReplyFixture> {
        let repo = Repo::new();
        let server = Server::start(&repo)?;
        Some(ReplyFixture { repo, server, _turn: None })
    }

    /// Starts the agent in a pane, and waits until it listens; the pane and its process.
    pub(super) fn start(&self) -> (String, u32) {
        self.start_script(&self.script(SESSION, "work"), "work")
    }

    /// A script of the name `claude` that is entered as the process of this session.
    pub(super) fn script(&self, session: &str, name: &str) -> PathBuf {
        let folder = self.repo.root().join(format!("bin-{name}"));
        fs::create_dir_all(&folder).unwrap();
        let head = format!("SESSION={session}; BYTES='{}'", self.bytes_file(name).display());
        let made = self.repo.script(&format!("bin-{name}/claude"), &format!("{head}\n{AGENT}"));
        assert!(made.starts_with(&folder));
        made
    }

    /// Starts a script in a tmux session of this name.
    pub(super) fn start_script(&self, script: &Path, name: &str) -> (String, u32) {
        let command = format!("cd '{}' && exec '{}'", self.repo.path().display(), script.display());
        let format = "#{pane_id}";
        let arguments =
            ["new-session", "-d", "-P", "-F", format, "-s", name, "-x", "200", "-y", "50", &command];
        let pane = self.server.run(&arguments);
        let pid = self.server.pid(&pane);
        wait("the agent", || self.bytes_file(name).exists().then_some(()));
        (pane, pid)
    }

    fn bytes_file(&self, name: &str) -> PathBuf {
        self.repo.root().join(format!("bytes-{name}"))
    }

    /// What the agent was given so far.
    pub(super) fn bytes(&self) -> String {
        String::from_utf8(fs::read(self.bytes_file("work")).unwrap_or_default()).unwrap()
    }

    /// Draws these lines at the top of the agent's screen, puts the cursor into the row (from 0) and column, and
    /// waits until tmux shows it.
    pub(super) fn draw(&self, pane: &str, lines: &[&str], (column, row): (u32, u32)) {
        let tty = self.server.run(&["display-message", "-p", "-t", pane, "#{pane_tty}"]);
        let mut tty = fs::OpenOptions::new().write(true).open(tty.trim()).unwrap();
        let lines = lines.join("\r\n");
        write!(tty, "\x1b[H\x1b[2J{lines}\x1b[{};{}H", row + 1, column + 1).unwrap();
        let wanted = format!("{column} {row}\n{}", lines.replace("\r\n", "\n"));
        let place = ["display-message", "-p", "-t", pane, "#{cursor_x} #{cursor_y}", ";"];
        let arguments = [&place[..], &["capture-pane", "-p", "-t", pane]].concat();
        wait("the screen", || (self.server.run(&arguments).trim_end() == wanted.trim_end()).then_some(()));
    }

    /// Draws the agent's input box with these words in it, and the cursor at a column, and waits until tmux
    /// shows it.
    pub(super) fn draw_box(&self, pane: &str, words: &str, column: u32) {
        let tty = self.server.run(&["display-message", "-p", "-t", pane, "#{pane_tty}"]);
        let mut tty = fs::OpenOptions::new().write(true).open(tty.trim()).unwrap();
        write!(tty, "\x1b[3;1H\x1b[2K❯ {words}\x1b[3;{}H", column + 1).unwrap();
        let wanted = format!("{column} 2\n❯ {words}");
        let place = ["display-message", "-p", "-t", pane, "#{cursor_x} #{cursor_y}", ";"];
        let line = ["capture-pane", "-p", "-t", pane, "-S", "2", "-E", "2"];
        let arguments = [&place[..], &line[..]].concat();
        wait("the box", || (self.server.run(&arguments).trim_end() == wanted.trim_end()).then_some(()));
    }

    /// Waits until the agent was given so many bytes.
    pub(super) fn wait_for_bytes(&self, n: usize) -> String {
        wait("the bytes", || Some(self.bytes()).filter(|bytes| bytes.len() >= n))
    }

    /// Appends a prompt to the record, and an answer if there is one.
    pub(super) fn say(&self, prompt: &str, answer: &str) {
        self.say_in(SESSION, prompt, answer);
    }

    /// The same of another session.
    pub(super) fn say_in(&self, session: &str, prompt: &str, answer: &str) {
        self.append(session, &self.lines(session, prompt, answer));
    }

    /// Appends a line with this message to the record; `beside` is put into the line.
    pub(super) fn record(&self, kind: &str, message: &serde_json::Value, beside: &serde_json::Value) {
        let mut line = self.common(SESSION);
        line["type"] = json!(kind);
        line["message"] = message.clone();
        for (name, value) in beside.as_object().unwrap() {
            line[name] = value.clone();
        }
        self.append(SESSION, &[line]);
    }

    fn append(&self, session: &str, lines: &[serde_json::Value]) {
        let folder = self.repo.home().join(".claude/projects").join(claude_folder_name(self.repo.path()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("{session}.jsonl"));
        let mut file = fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        for line in lines {
            file.write_all(format!("{line}\n").as_bytes()).unwrap();
        }
    }

    fn common(&self, session: &str) -> serde_json::Value {
        let now = jiff::Timestamp::from_millisecond(clock::now().0).unwrap().to_string();
        json!({
            "sessionId": session, "cwd": self.repo.path(), "version": "2.1.330", "isSidechain": false,
            "parentUuid": null, "timestamp": now,
        })
    }

    fn lines(&self, session: &str, prompt: &str, answer: &str) -> Vec<serde_json::Value> {
        let common = self.common(session);
        let now = common["timestamp"].as_str().unwrap().to_owned();
        let mut user = common.clone();
        user["type"] = json!("user");
        user["promptSource"] = json!("typed");
        user["origin"] = json!({"kind": "human"});
        user["message"] = json!({"role": "user", "content": prompt});
        if answer.is_empty() {
            return vec![user];
        }
        let mut assistant = common;
        assistant["type"] = json!("assistant");
        assistant["message"] = json!({
            "id": format!("m-{now}-{}", prompt.len()), "role": "assistant", "model": "mock",
            "stop_reason": "end_turn", "content": [{"type": "text", "text": answer}],
        });
        vec![user, assistant]
    }

    /// Writes another status into the agent's registry entry.
    pub(super) fn set_status(&self, pid: u32, status: &str, waiting_for: Option<&str>) {
        let path = self.repo.home().join(format!(".claude/sessions/{pid}.json"));
        let mut entry: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        entry["status"] = json!(status);
        entry["waitingFor"] = json!(waiting_for);
        entry["statusUpdatedAt"] = json!(clock::now().0);
        crate::support::test_env::replace(&path, entry.to_string());
    }

    pub(super) fn state(&self) -> PathBuf {
        self.repo.root().join("state")
    }

    /// What closeout is started with.
    pub(super) fn engine_config(&self, path: &[&Path]) -> EngineConfig {
        self.launch_with(
            self.server.tmux(None),
            Adapter::named("claude", self.repo.home().join(".claude")).unwrap(),
            path,
        )
    }

    pub(super) fn launch_with(&self, tmux: Tmux, adapter: Adapter, path: &[&Path]) -> EngineConfig {
        let sources =
            Sources { environment: BTreeMap::new(), home: Some(self.repo.home()), ..Sources::default() };
        let own = std::env::var_os("PATH").unwrap();
        let folders = path.iter().map(|path| path.to_path_buf()).chain(std::env::split_paths(&own));
        let search_path = std::env::join_paths(folders).unwrap();
        EngineConfig {
            config: Config::load(&sources).unwrap(),
            catalog: Catalog::built_in(),
            scope: Scope::One(self.repo.path().to_owned()),
            overrides: Overrides::default(),
            home: Some(self.repo.home()),
            temporary_folders: Vec::new(),
            adapters: vec![adapter],
            variables: [("PATH".into(), search_path), ("HOME".into(), self.repo.home().into())].into(),
            git_program: Some(git_program()),
            live: Some(LiveSources::new(Some(PaneSource::new(tmux)))),
            state_folder: Some(self.state()),
            has_terminal: false,
            own_program: Some(env!("CARGO_BIN_EXE_closeout").into()),
        }
    }

    /// A plan by a run of its own, as the screen or the command makes it.
    pub(super) fn plan(&self) -> Result<ReplyPlan, ActionProblem> {
        plan(&self.engine_config(&[]), SESSION)
    }

    /// Sends words by a plan.
    pub(super) fn send(&self, plan: &ReplyPlan, text: &str) -> Result<Receipt, ActionProblem> {
        send(&self.engine_config(&[]), plan, text)
    }
}

/// A plan.
pub(super) fn plan(engine_config: &EngineConfig, session: &str) -> Result<ReplyPlan, ActionProblem> {
    let outcome = action(engine_config, Action::PlanReply { session: name(engine_config, session) });
    if let ActionOutcome::ReplyPlanned(plan) = outcome {
        return Ok(*plan);
    }
    let ActionOutcome::Failed(problem) = outcome else { panic!("{outcome:?}") };
    Err(problem)
}

/// Words by a plan.
pub(super) fn send(
    engine_config: &EngineConfig,
    plan: &ReplyPlan,
    text: &str,
) -> Result<Receipt, ActionProblem> {
    send_body(engine_config, plan, ReplyBody::Text { text: text.to_owned() })
}

pub(super) fn send_body(
    engine_config: &EngineConfig,
    plan: &ReplyPlan,
    body: ReplyBody,
) -> Result<Receipt, ActionProblem> {
    let outcome = action(engine_config, Action::Reply { plan: Box::new(plan.clone()), body });
    if let ActionOutcome::Replied(receipt) = outcome {
        return Ok(*receipt);
    }
    let ActionOutcome::Failed(problem) = outcome else { panic!("{outcome:?}") };
    Err(problem)
}

pub(super) fn name(engine_config: &EngineConfig, session: &str) -> SessionName {
    SessionName::new(engine_config.adapters[0].name(), session)
}

pub(super) fn action(engine_config: &EngineConfig, action: Action) -> ActionOutcome {
    let Scope::One(workspace) = &engine_config.scope else { panic!("one workspace") };
    OneShot::judge(engine_config).action(&WorkspaceId::local(workspace), action, &|_| ())
}

/// Waits until there is something.
pub(super) fn wait<T>(what: &str, look: impl Fn() -> Option<T>) -> T {
    let begun: Timestamp = clock::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(clock::now().millis_since(begun) < PATIENCE_MS, "never came: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
