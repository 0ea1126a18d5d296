//! A person answers with `closeout reply`: a session at its screen, then the same session when nobody has it
//! open. The words must stand in the agent's own record.

use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::client::Client;
use crate::closeout_program::{self as program, does, in_short, said};
use crate::story::Story;
use crate::tmux::Pane;

/// What the model asks, and what it says to the answer (`mock_model/script.json`).
const ASK: &str = "形式を決めて";
const QUESTION: &str = "どちらにしますか";
const ANSWERED: &str = "2番を選びました";

/// The checks at the screen; the client is idle before and after.
pub(crate) fn at_its_screen(story: &mut Story<'_>, pane: &Pane) {
    story.check("a question in Japanese is answered with `2`, and the reply is consumed", |story| {
        answer(story, pane)
    });
    if story.client == Client::Claude {
        story.check("a draft in its box is not sent with a reply, and stays", |story| draft(story, pane));
    }
}

/// The check for a session whose screen was closed.
pub(crate) fn not_open(story: &mut Story<'_>) {
    if story.client == Client::Claude {
        story.check("a session that is not open is gone on with by a reply", resume);
    }
}

fn answer(story: &Story<'_>, pane: &Pane) -> Result<Option<(&'static str, f64)>> {
    let mark = story.follow.mark();
    story.world.prompt(pane, ASK)?;
    story.follow.wait(mark, &story.path(), "the question", |row| {
        does(row, "idle") && row["question"]["text"].as_str().is_some_and(|text| text.contains(QUESTION))
    })?;
    let mark = story.follow.mark();
    let told = reply(story, "2")?;
    ensure!(told["receipt"]["state"] == "consumed", "{told}");
    story.follow.wait(mark, &story.path(), "the answer", |row| does(row, "idle") && said(row, ANSWERED))?;
    Ok(None)
}

/// Somebody's half-written words stand in the box, the cursor behind them or before them.
fn draft(story: &Story<'_>, pane: &Pane) -> Result<Option<(&'static str, f64)>> {
    const DRAFT: &str = "half a draft of mine";
    let limit = std::time::Duration::from_secs(20);
    let tmux = &story.world.tmux;
    tmux.type_text(pane, DRAFT)?;
    tmux.wait_for(pane, "the draft", limit, |shown| shown.contains(DRAFT))?;
    for key in ["End", "Home"] {
        tmux.press(pane, key)?;
        let column = if key == "End" { 2 + DRAFT.len() } else { 2 };
        tmux.wait_for_column(pane, column, limit)?;
        // There is no plan for it, and so nothing is told but why.
        let (code, out, err) = replied(story, "2")?;
        ensure!(code == Some(20) && err.contains("stand in its input box"), "{code:?} {out}{err}");
        ensure!(tmux.screen(pane).contains(DRAFT), "{}", tmux.screen(pane));
    }
    tmux.press(pane, "End")?;
    tmux.press(pane, "C-u")?;
    tmux.wait_for(pane, "an empty box", limit, |shown| !shown.contains(DRAFT))?;
    answer(story, pane)
}

fn resume(story: &Story<'_>) -> Result<Option<(&'static str, f64)>> {
    let mark = story.follow.since_start();
    story
        .follow
        .wait(mark, &story.path(), "its end", |row| row["sessions"][0]["activity"]["state"] == "gone")?;
    let mark = story.follow.mark();
    let told = reply(story, "Fix the parser")?;
    ensure!(told["plan"]["channel"]["kind"] == "resume", "{told}");
    ensure!(told["receipt"]["state"] == "consumed", "{told}");
    let words = "I fixed the parser and all 12 tests pass.";
    let line = story.follow.wait(mark, &story.path(), "the answer", |row| said(row, words))?;
    let row = &line.told["workspace"];
    ensure!(row["sessions"][0]["prompt"] == "Fix the parser", "{}", in_short(row));
    Ok(None)
}

/// Runs `closeout reply` on the client's worktree, with the environment that the client has.
fn reply(story: &Story<'_>, text: &str) -> Result<Value> {
    let (code, out, err) = replied(story, text)?;
    ensure!(code == Some(0), "closeout reply ended with {code:?}: {out}{err}");
    serde_json::from_str(&out).with_context(|| format!("{out}{err}"))
}

/// The same: its exit code, and what it printed and complained of.
fn replied(story: &Story<'_>, text: &str) -> Result<(Option<i32>, String, String)> {
    let path = story.path().display().to_string();
    let row = program::status(&story.world, &story.path())?.context("not told")?;
    let session = row["sessions"][0]["session_id"].as_str().unwrap_or_default().to_owned();
    let output = Command::new(program::program())
        .args(["reply", &path, text, "--session", &session, "--yes", "--json", "--wait", "20"])
        .current_dir(story.world.at("elsewhere"))
        .env_clear()
        .envs(story.world.variables_of(story.client))
        .stdin(Stdio::null())
        .output()?;
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok((output.status.code(), out, err))
}
