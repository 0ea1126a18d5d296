//! The end of an agent's process reaches the screen by itself: through the kernel's handle on it.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use closeout::agent::{Adapter, claude_folder_name};
use closeout::config::{Config, Sources};
use closeout::engine::{Engine, EngineConfig, FrontKind, Overrides, Scope};
use closeout::evidence::LiveSources;
use closeout::judge::runs::Catalog;
use closeout::model::{ActivitySource, ActivityState, WorkspaceView};
use serde_json::json;

use super::Agent;
use crate::support::repo::{Repo, git_program};

const PATIENCE: Duration = Duration::from_mins(1);

/// Writes the record of a session in the middle of a turn, which fell silent a while ago.
pub(super) fn record(repo: &Repo, id: &str) {
    let folder = repo.home().join(".claude/projects").join(claude_folder_name(repo.path()));
    fs::create_dir_all(&folder).unwrap();
    let line = json!({
        "cwd": repo.path(), "version": "2.1.330", "isSidechain": false, "type": "user", "sessionId": id,
        "timestamp": "2026-11-22T01:00:00.000Z", "promptSource": "typed",
        "message": {"role": "user", "content": "go on"},
    });
    let path = folder.join(format!("{id}.jsonl"));
    fs::write(&path, format!("{line}\n")).unwrap();
    // Later than any process of these tests starts: one that started after the record grew is no writer of it.
    let later = std::time::UNIX_EPOCH + Duration::from_secs(4_000_000_000);
    fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
}

/// An engine that sees the processes of this machine.
pub(super) fn engine_config(repo: &Repo, live: LiveSources) -> EngineConfig {
    let sources = Sources { environment: BTreeMap::new(), home: Some(repo.home()), ..Sources::default() };
    EngineConfig {
        config: Config::load(&sources).unwrap(),
        catalog: Catalog::built_in(),
        scope: Scope::One(repo.path().to_owned()),
        overrides: Overrides::default(),
        home: Some(repo.home()),
        temporary_folders: Vec::new(),
        adapters: vec![Adapter::named("claude", repo.home().join(".claude")).unwrap()],
        variables: BTreeMap::new(),
        git_program: Some(git_program()),
        own_program: Some(env!("CARGO_BIN_EXE_closeout").into()),
        live: Some(live),
        state_folder: None,
        has_terminal: false,
    }
}

/// Turns the engine until the only view is as wanted.
pub(super) async fn until(engine: &mut Engine, what: &str, is_so: impl Fn(&WorkspaceView) -> bool) {
    let mut last = None;
    let turning = async {
        loop {
            if let Some(view) = engine.take_changes().views.pop() {
                let is_there = is_so(&view);
                last = Some(view);
                if is_there {
                    break;
                }
            }
            engine.turn().await;
        }
    };
    let is_done = tokio::time::timeout(PATIENCE, turning).await.is_ok();
    assert!(is_done, "never came: {what}; last: {:?}", last.map(|view| view.sessions));
}

pub(super) fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(test);
    runtime.shutdown_background();
}

#[test]
fn an_agent_that_is_killed_is_shown_as_gone_by_itself() {
    let repo = Repo::new();
    record(&repo, "s-1");
    let mut agent = Agent::start(&repo, "claude", repo.path(), "");
    run(async {
        let mut engine = Engine::start(engine_config(&repo, LiveSources::default()), FrontKind::Display);
        let pid = agent.pid();
        until(&mut engine, "its process", |view| {
            view.sessions.first().and_then(|session| session.process).map(|process| process.pid) == Some(pid)
        })
        .await;
        agent.kill();
        until(&mut engine, "that it is gone", |view| {
            view.activity.state == ActivityState::Gone && view.activity.source == ActivitySource::Process
        })
        .await;
    });
}
