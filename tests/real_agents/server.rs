//! opencode with a server of its own (`--port`): replies and permissions go by it, and never to the server of
//! another process.

use std::net::TcpListener;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::client::Client;
use crate::closeout_program::{self as program, does, said};
use crate::story::{Story, see};
use crate::tmux::Pane;
use crate::wait::CLIENT;

const WORKTREE: &str = "served";

/// The checks; a client of their own.
pub(crate) fn tell(story: &mut Story<'_>) {
    if story.client != Client::Opencode {
        return;
    }
    let mut pane = None;
    story.check("a reply goes by the server of its own process, and is consumed", |story| {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let opened = story.world.start(story.client, WORKTREE, &["--port", &port.to_string()])?;
        reply(story, pane.insert(opened), port)
    });
    let Some(pane) = pane else { return };
    story.check("while it works a reply waits in its queue", |story| queued(story, &pane));
    story.check("a permission is given by its server", |story| permission(story, &pane));
    story.world.tmux.close(&pane);
}

fn session(story: &Story<'_>) -> Result<String> {
    let row = program::status(&story.world, &story.world.at(WORKTREE))?.context("not told")?;
    Ok(row["sessions"][0]["session_id"].as_str().context("no session")?.to_owned())
}

fn replied(story: &Story<'_>, words: &[&str]) -> Result<Value> {
    let path = story.world.at(WORKTREE).display().to_string();
    let session = session(story)?;
    let fixed = ["--session", &session, "--yes", "--json", "--wait", "20"];
    let arguments = [&["reply", path.as_str()][..], words, &fixed[..]].concat();
    let (code, out, err) = program::run_as(&story.world, story.client, &arguments)?;
    ensure!(code == Some(0), "closeout reply ended with {code:?}: {out}{err}");
    serde_json::from_str(&out).with_context(|| format!("{out}{err}"))
}

fn reply(story: &Story<'_>, pane: &Pane, port: u16) -> Result<Option<(&'static str, f64)>> {
    let mark = story.follow.mark();
    story.world.prompt(pane, "Plan the format")?;
    see(story, WORKTREE, mark, "the question", |row| does(row, "idle") && said(row, "Which of the two"))?;
    // Somebody's draft stands in its box, and stays there.
    story.world.tmux.type_text(pane, "half a draft")?;
    story.world.tmux.wait_for(pane, "the draft", CLIENT, |shown| shown.contains("half a draft"))?;
    let mark = story.follow.mark();
    let told = replied(story, &["2"])?;
    let channel = &told["plan"]["channel"];
    ensure!(channel["kind"] == "api" && channel["port"] == port, "{told}");
    ensure!(told["receipt"]["state"] == "consumed", "{told}");
    see(story, WORKTREE, mark, "the answer", |row| does(row, "idle") && said(row, "2番を選びました"))?;
    let screen = story.world.tmux.screen(pane);
    ensure!(screen.contains("half a draft"), "{screen}");
    story.world.tmux.press(pane, "C-u")?;
    story.world.tmux.wait_for(pane, "an empty box", CLIENT, |shown| !shown.contains("half a draft"))?;
    Ok(None)
}

fn queued(story: &Story<'_>, pane: &Pane) -> Result<Option<(&'static str, f64)>> {
    let mark = story.follow.mark();
    story.world.prompt(pane, "Slow and steady")?;
    see(story, WORKTREE, mark, "at work", |row| does(row, "working"))?;
    let told = replied(story, &["Fix the parser"])?;
    ensure!(told["plan"]["channel"]["kind"] == "api", "{told}");
    ensure!(told["plan"]["warnings"].to_string().contains("until its turn is over"), "{told}");
    see(story, WORKTREE, mark, "the second answer", |row| {
        does(row, "idle") && said(row, "I fixed the parser")
    })?;
    Ok(None)
}

fn permission(story: &Story<'_>, pane: &Pane) -> Result<Option<(&'static str, f64)>> {
    let mark = story.follow.mark();
    story.world.prompt(pane, "Run the tool")?;
    let asks = |shown: &str| story.client.is_asking_for_leave(shown);
    story.world.tmux.wait_for(pane, "the prompt for a leave", CLIENT, asks)?;
    let told = replied(story, &["--allow"])?;
    ensure!(told["plan"]["permission"]["what"] == "bash: touch made-by-tool", "{told}");
    ensure!(told["receipt"]["state"] == "delivered", "{told}");
    see(story, WORKTREE, mark, "the end of the tool", |row| {
        does(row, "idle") && said(row, "The tool has run.")
    })?;
    ensure!(story.world.at(WORKTREE).join("made-by-tool").exists(), "the tool has not run");
    Ok(None)
}
