//! The hooks that `closeout hook install` writes, run by the real client.

use anyhow::{Result, ensure};

use crate::client::Client;
use crate::closeout_program::{self as program, does, said};
use crate::story::{Story, needs_command, see};
use crate::wait::CLIENT;

/// The checks.
pub(crate) fn tell(story: &mut Story<'_>) {
    let is_installed = story.check("`hook install` writes its hooks into the client's settings", |story| {
        needs_command(story, "hook")?;
        let agent = story.client.name();
        let (code, out, err) = program::run(&story.world, &["hook", "install", "--agent", agent])?;
        ensure!(code == Some(0), "hook install --agent {agent} ended with {code:?}: {out}{err}");
        let (code, again, err) = program::run(&story.world, &["hook", "install", "--agent", agent])?;
        ensure!(code == Some(0), "the second install ended with {code:?}: {again}{err}");
        Ok(None)
    });
    if !is_installed {
        story.tally.skip(story.client.name(), "what the hooks tell: they are not installed");
        return;
    }
    story.check("needs permission and then idle, told by hooks", hooked);
    story.check("`hook remove` leaves a client that still starts", |story| {
        let (code, out, err) =
            program::run(&story.world, &["hook", "remove", "--agent", story.client.name()])?;
        ensure!(code == Some(0), "hook remove ended with {code:?}: {out}{err}");
        Ok(None)
    });
}

fn hooked(story: &Story<'_>) -> Result<Option<(&'static str, f64)>> {
    let client = story.client;
    // Codex runs no hook before a person has looked at it; this flag stands for that look.
    let trusted: &[&str] = if client == Client::Codex { &["--dangerously-bypass-hook-trust"] } else { &[] };
    let mark = story.follow.mark();
    let pane = story.world.start(client, "hooked", trusted)?;
    let run = || -> Result<()> {
        story.world.prompt(&pane, "Run the tool")?;
        let asks = |shown: &str| client.is_asking_for_leave(shown);
        story.world.tmux.wait_for(&pane, "the prompt for a leave", CLIENT, asks)?;
        see(story, "hooked", mark, "needs permission, by a hook", |row| {
            does(row, "needs_permission") && row["activity"]["source"] == "hook"
        })?;
        let mark = story.follow.mark();
        story.world.tmux.accept(&pane, asks)?;
        // Claude Code's registry tells the end a moment after its hook did, and the last word counts.
        see(story, "hooked", mark, "idle, by a hook or the registry", |row| {
            let source = &row["activity"]["source"];
            does(row, "idle") && (source == "hook" || source == "registry") && said(row, "The tool has run.")
        })?;
        Ok(())
    };
    let done = run();
    story.world.tmux.close(&pane);
    done.map(|()| None)
}
