//! The gate that `closeout hook install --gate` writes, asked by the real client: it is held back while steps of the plan
//! are open, told which, and let go when all are done.

use std::fs;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::client::Client;
use crate::closeout_program as program;
use crate::story::Story;

const PLAN: &str = "# Tasks\n\n- [ ] the first step\n- [ ] the second step\n";

/// The checks.
pub(crate) fn tell(story: &mut Story<'_>) {
    // `opencode run` ends with its first idle session, before anybody could send it on.
    if story.client == Client::Opencode {
        return;
    }
    story.check("a gate holds it back twice and lets it go when its plan is done", |story| {
        let held = held_twice(story);
        let (code, out, err) =
            program::run(&story.world, &["hook", "remove", "--gate", "--agent", story.client.name()])?;
        ensure!(code == Some(0), "hook remove --gate ended with {code:?}: {out}{err}");
        held.map(|()| None)
    });
}

fn held_twice(story: &Story<'_>) -> Result<()> {
    let (world, client) = (&story.world, story.client);
    let folder = world.at("gated");
    let plan = folder.join("tasks.md");
    fs::write(&plan, PLAN)?;
    let config = world.home().join(".config/closeout/config.toml");
    fs::create_dir_all(config.parent().context("no folder")?)?;
    let gate = format!("[[workspace]]\npath = \"{}\"\ngate.enabled = true\n", folder.display());
    fs::write(&config, gate)?;
    let (code, out, err) = program::run(world, &["hook", "install", "--gate", "--agent", client.name()])?;
    ensure!(code == Some(0), "hook install --gate ended with {code:?}: {out}{err}");
    let mut command = client.headless("Follow the plan");
    let more: &[&str] = match client {
        Client::Claude => &["--allowedTools", "Bash"],
        // No sandbox, since it may not work where this runs; and a look at new hooks that nobody can take here.
        Client::Codex => &["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"],
        Client::Gemini => &["--approval-mode", "yolo"],
        Client::Opencode => &[],
    };
    // Behind the subcommand, and before the prompt where there is one.
    let at = command.len() - usize::from(client == Client::Codex);
    command.splice(at..at, more.iter().map(|&word| word.to_owned()));
    let output = world.run(client, "gated", &command)?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(said.contains("All steps are done."), "its last words are others: {said}");
    ensure!(!fs::read_to_string(&plan)?.contains("[ ]"), "the plan is not done");
    let left = |words: &str| world.mock.n_requests(words);
    ensure!(left("2 points are left to do") > 0, "it was not told of both steps");
    ensure!(left("1 point is left to do") > 0, "it was not told of the second step");
    let (_, log, _) = program::run(world, &["log", "--json", &folder.display().to_string()])?;
    let entries = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let n_blocks = entries.filter(|entry| entry["kind"] == "gate").count();
    ensure!(n_blocks == 2, "{n_blocks} blocks stand in the log: {log}");
    Ok(())
}
