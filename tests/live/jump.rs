//! The jump to a session's pane, through the engine.

use closeout::engine::{Engine, FrontKind};
use closeout::evidence::LiveSources;
use closeout::evidence::panes::{PaneSource, Tmux};
use closeout::model::{Intent, JumpOutcome, Response, SessionName, WorkspaceId};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use super::gone::{engine_config, record, run, until};
use super::tmux::Server;
use crate::support::repo::Repo;
use crate::support::test_env::starting;

/// Starts an engine that sees the session's process, wants the jump after `before`, and tells what came.
fn outcome(repo: &Repo, tmux: Tmux, pid: u32, before: impl FnOnce()) -> JumpOutcome {
    let mut outcome = None;
    run(async {
        let live = LiveSources::new(Some(PaneSource::new(tmux)));
        let mut engine = Engine::start(engine_config(repo, live), FrontKind::Display);
        until(&mut engine, "its process", |view| {
            view.sessions.first().and_then(|session| session.process).map(|process| process.pid) == Some(pid)
        })
        .await;
        before();
        let workspace = WorkspaceId::local(repo.path());
        engine.want(Intent::JumpToPane { workspace, session: SessionName::new("claude", "s-1") });
        let telling = async {
            loop {
                if let Some(told) = engine.take_changes().responses.pop() {
                    break told;
                }
                engine.turn().await;
            }
        };
        let told = tokio::time::timeout(std::time::Duration::from_mins(1), telling).await.unwrap();
        let Response::Jump { outcome: told, .. } = told else { panic!("told of something else") };
        outcome = Some(told);
    });
    outcome.unwrap()
}

#[test]
fn outside_tmux_the_command_that_shows_the_pane_is_told() {
    let repo = Repo::new();
    let Some(server) = Server::start(&repo) else { return };
    record(&repo, "s-1");
    let pane = server.agent("claude", "");
    let told = outcome(&repo, server.tmux(None), server.pid(&pane), || ());
    let command = format!("tmux attach -t {pane} \\; select-window -t {pane} \\; select-pane -t {pane}");
    assert_eq!(told, JumpOutcome::Attach { command });
}

#[test]
fn inside_tmux_the_client_is_switched_to_the_pane() {
    let repo = Repo::new();
    let Some(server) = Server::start(&repo) else { return };
    record(&repo, "s-1");
    let pane = server.agent("claude", "");
    // Something else is in front there.
    server.run(&["new-window", "-t", "work:", "cat"]);
    let own = server.run(&["display-message", "-p", "-t", "other:", "#{pane_id}"]);
    let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
    let mut client = {
        let _turn = starting();
        let pair = native_pty_system().openpty(size).unwrap();
        let tmux = server.tmux(None);
        let mut command = CommandBuilder::new(&tmux.program);
        command.args(["-u", "-S"]);
        command.arg(&server.socket);
        command.args(["attach", "-t", "other"]);
        command.env_clear();
        command.env("TERM", "xterm-256color");
        let mut reader = pair.master.try_clone_reader().unwrap();
        std::thread::spawn(move || std::io::copy(&mut reader, &mut std::io::sink()));
        (pair.slave.spawn_command(command).unwrap(), pair.master)
    };
    server.wait_for("the client", &own, "#{session_attached}", "1");
    let told = outcome(&repo, server.tmux(Some(&own)), server.pid(&pane), || ());
    assert_eq!(told, JumpOutcome::Done);
    assert_eq!(server.run(&["list-clients", "-F", "#{client_session}"]), "work");
    assert_eq!(server.run(&["display-message", "-p", "-t", "work:", "#{pane_id}"]), pane);
    client.0.kill().unwrap();
    client.0.wait().unwrap();
}

#[test]
fn a_pane_that_is_gone_by_now_is_no_place_to_jump_to() {
    let repo = Repo::new();
    let Some(server) = Server::start(&repo) else { return };
    record(&repo, "s-1");
    let pane = server.agent("claude", "");
    let told = outcome(&repo, server.tmux(None), server.pid(&pane), || {
        // The process lives on; the pane is another program's.
        server.run(&["kill-pane", "-t", &pane]);
    });
    let JumpOutcome::Refused { reason } = told else { panic!("{told:?}") };
    assert!(
        ["its process has ended", "it no longer runs in its pane"].contains(&reason.as_str()),
        "{reason}"
    );
}

#[test]
fn a_session_outside_tmux_has_no_pane() {
    let repo = Repo::new();
    let Some(server) = Server::start(&repo) else { return };
    record(&repo, "s-1");
    let agent = super::Agent::start(&repo, "claude", repo.path(), "");
    let told = outcome(&repo, server.tmux(None), agent.pid(), || ());
    assert_eq!(told, JumpOutcome::Refused { reason: "it runs in no tmux pane".to_owned() });
}
