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
    ensure!(output.status.success(), "closeout reply ended with {}: {out}{err}", output.status);
    serde_json::from_str(&out).with_context(|| format!("{out}{err}"))
}
