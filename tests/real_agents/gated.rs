//! The gate that `closeout hook install --gate` writes, asked by the real client: it is held back while steps of the plan
//! are open, told which, and let go when all are done.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::client::Client;
use crate::closeout_program as program;
use crate::story::Story;
use crate::wait::{CLIENT, until};
use crate::world::World;

const PLAN: &str = "# Tasks\n\n- [ ] the first step\n- [ ] the second step\n";

/// The checks.
pub(crate) fn tell(story: &mut Story<'_>) {
    story.check("a gate holds it back twice and lets it go when its plan is done", |story| {
        let held = held_twice(story);
        let (code, out, err) =
            program::run(&story.world, &["hook", "remove", "--gate", "--agent", story.client.name()])?;
        ensure!(code == Some(0), "hook remove --gate ended with {code:?}: {out}{err}");
        held.map(|()| None)
    });
    if story.client == Client::Claude {
        story.check("a task stays open until a machine check passes", |story| {
            let held = task_kept_open(story);
            // The hook is in no settings of closeout's, and the check is of this story alone.
            fs::remove_file(settings(&story.world))?;
            fs::remove_file(story.world.home().join(".config/closeout/config.toml"))?;
            held.map(|()| None)
        });
    }
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
    // `opencode run` ends with its first idle session, before anybody could send it on.
    if client == Client::Opencode {
        at_its_screen(story)?;
    } else {
        without_a_screen(story)?;
    }
    ensure!(!fs::read_to_string(&plan)?.contains("[ ]"), "the plan is not done");
    let left = |words: &str| world.mock.n_requests(words);
    ensure!(left("2 points are left to do") > 0, "it was not told of both steps");
    ensure!(left("1 point is left to do") > 0, "it was not told of the second step");
    let n_blocks = n_blocks(world, &folder)?;
    ensure!(n_blocks == 2, "{n_blocks} blocks stand in the log");
    Ok(())
}

fn n_blocks(world: &World, folder: &Path) -> Result<usize> {
    let (_, log, _) = program::run(world, &["log", "--json", &folder.display().to_string()])?;
    let entries = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    Ok(entries.filter(|entry| entry["kind"] == "gate").count())
}

/// One prompt at a screen, each of the two commands allowed.
fn at_its_screen(story: &Story<'_>) -> Result<()> {
    let (world, client) = (&story.world, story.client);
    let pane = world.start(client, "gated", &[])?;
    world.prompt(&pane, "Follow the plan")?;
    for _ in 0..2 {
        world
            .tmux
            .wait_for(&pane, "a command to be allowed", CLIENT, |shown| client.is_asking_for_leave(shown))?;
        world.tmux.accept(&pane, |shown| client.is_asking_for_leave(shown))?;
    }
    let said =
        world.tmux.wait_for(&pane, "its last words", CLIENT, |shown| shown.contains("All steps are done."));
    // It is asked once more, and let go.
    until("the gate to let it go", CLIENT, || {
        let (_, log, _) =
            program::run(world, &["log", "--all", "--json", &world.at("gated").display().to_string()])
                .ok()?;
        log.contains("gate_passed").then_some(())
    })?;
    world.tmux.close(&pane);
    said
}

/// The same without a screen: nobody has to allow anything.
fn without_a_screen(story: &Story<'_>) -> Result<()> {
    let (world, client) = (&story.world, story.client);
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
    Ok(())
}

/// The settings that the person would write by hand: this event is no part of what the gate installs.
fn settings(world: &World) -> PathBuf {
    world.at("gated").join(".claude/settings.local.json")
}

/// A task is ticked off while a check of the person's own fails: exit code 2 keeps it open and tells why.
fn task_kept_open(story: &Story<'_>) -> Result<()> {
    let (world, client) = (&story.world, story.client);
    let folder = world.at("gated");
    let config = format!(
        "[[workspace]]\npath = \"{}\"\ngate.enabled = true\n[[check]]\nname = \"unit\"\nkind = \"command\"\n\
         command = [\"sh\", \"-c\", \"test -f passed.txt || (echo no test passed; exit 1)\"]\n",
        folder.display()
    );
    fs::write(world.home().join(".config/closeout/config.toml"), config)?;
    let gate = format!("'{}' hook task-completed --agent claude", Path::new(&program::program()).display());
    let hooks =
        serde_json::json!({"hooks": {"TaskCompleted": [{"hooks": [{"type": "command", "command": gate}]}]}});
    fs::create_dir_all(folder.join(".claude"))?;
    fs::write(settings(world), hooks.to_string())?;
    let n_before = n_blocks(world, &folder)?;
    let mut command = client.headless("Finish the list");
    command.extend(["--tools", "Bash,TaskCreate,TaskUpdate", "--allowedTools", "Bash"].map(str::to_owned));
    let output = world.run(client, "gated", &command)?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(said.contains("The list is finished."), "its last words are others: {said}");
    ensure!(folder.join("passed.txt").exists(), "it was not told why: {said}");
    let mut record = Command::new("grep");
    record.args(["-rqs", "no test passed"]).arg(client.conversations(&world.home()));
    ensure!(record.status()?.success(), "the reason did not reach the agent");
    let n_held = n_blocks(world, &folder)? - n_before;
    ensure!(n_held == 1, "the task was held {n_held} times");
    Ok(())
}
