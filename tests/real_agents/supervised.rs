//! A supervised run of the real client: its first iteration leaves a point open, the second is told which, and mends it:
//! the model does so only where the prompt names the point.

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::client::Client;
use crate::closeout_program as program;
use crate::story::Story;

/// The checks.
pub(crate) fn tell(story: &mut Story<'_>) {
    // Its settings here ask for each command, which nobody allows where there is no screen.
    if story.client == Client::Opencode {
        return;
    }
    story.check("a supervised run mends what its check found, and ends complete", |story| {
        mended(story).map(|()| None)
    });
}

fn mended(story: &Story<'_>) -> Result<()> {
    let (world, client) = (&story.world, story.client);
    let folder = world.at("supervised").display().to_string();
    // Nobody sits there who could allow a command, and a sandbox may not work where this runs.
    let more: &[&str] = match client {
        Client::Claude => &["--allowedTools", "Bash"],
        Client::Codex => &["--dangerously-bypass-approvals-and-sandbox"],
        Client::Opencode => &[],
        Client::Gemini => &["-m", "gemini-2.5-pro", "--yolo"],
    };
    let begin = [
        "run",
        "--workspace",
        &folder,
        "--agent",
        client.name(),
        "--prompt",
        "Repair the counter.",
        "--max-iterations",
        "3",
        "--deadline",
        "60s",
        "--json",
        "--",
    ];
    let (code, out, err) = program::run_as(world, client, &[&begin, more].concat())?;
    let lines: Vec<Value> = out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let result = lines.last().with_context(|| format!("no result: {out}{err}"))?;
    ensure!(code == Some(0) && result["status"] == "complete", "it ended with {code:?}: {out}{err}");
    ensure!(result["iterations"] == 2 && result["new_commits"] == 2, "{result}");
    let checked = lines.iter().find(|line| line["event"] == "checked").context("no check")?;
    ensure!(checked["open_points"].to_string().contains("the counter has no test"), "{checked}");
    Ok(())
}
