//! The hooks that `closeout hook install` writes, run by the real client.

use anyhow::{Result, ensure};

use crate::client::Client;
use crate::closeout_program::{self as program, Mark, does, said};
use crate::story::{Story, needs_command, see};
use crate::tmux::Pane;
use crate::wait::CLIENT;

const WORKTREE: &str = "hooked";

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
    let mut pane = None;
    story.check("needs permission and then idle, told by hooks", |story| {
        // Codex runs no hook before a person has looked at it; this flag stands for that look.
        let is_codex = story.client == Client::Codex;
        let trusted: &[&str] = if is_codex { &["--dangerously-bypass-hook-trust"] } else { &[] };
        let opened = story.world.start(story.client, WORKTREE, trusted)?;
        hooked(story, pane.insert(opened))
    });
    if let Some(pane) = pane {
        story.check("a permission that its hook names is given and refused by a key", |story| {
            answered(story, &pane)
        });
        story.world.tmux.close(&pane);
    }
    crate::screen::tell(story);
    story.check("`hook remove` leaves a client that still starts", |story| {
        let (code, out, err) =
            program::run(&story.world, &["hook", "remove", "--agent", story.client.name()])?;
        ensure!(code == Some(0), "hook remove ended with {code:?}: {out}{err}");
        Ok(None)
    });
}

/// The client asks for a leave, and closeout knows of it by the hook.
fn asks(story: &Story<'_>, pane: &Pane, mark: Mark) -> Result<()> {
    story.world.prompt(pane, "Run the tool")?;
    let asks = |shown: &str| story.client.is_asking_for_leave(shown);
    story.world.tmux.wait_for(pane, "the prompt for a leave", CLIENT, asks)?;
    see(story, WORKTREE, mark, "needs permission, by a hook", |row| {
        does(row, "needs_permission") && row["activity"]["source"] == "hook"
    })?;
    Ok(())
}

fn hooked(story: &Story<'_>, pane: &Pane) -> Result<Option<(&'static str, f64)>> {
    asks(story, pane, story.follow.mark())?;
    let mark = story.follow.mark();
    story.world.tmux.accept(pane, |shown| story.client.is_asking_for_leave(shown))?;
    // Claude Code's registry tells the end a moment after its hook did, and the last word counts.
    see(story, WORKTREE, mark, "idle, by a hook or the registry", |row| {
        let source = &row["activity"]["source"];
        does(row, "idle") && (source == "hook" || source == "registry") && said(row, "The tool has run.")
    })?;
    Ok(None)
}

fn answered(story: &Story<'_>, pane: &Pane) -> Result<Option<(&'static str, f64)>> {
    let made = story.world.at(WORKTREE).join("made-by-tool");
    for (flag, is_allowed) in [("--deny", false), ("--allow", true)] {
        let _ = std::fs::remove_file(&made);
        let mark = story.follow.mark();
        asks(story, pane, mark)?;
        let path = story.world.at(WORKTREE).display().to_string();
        let arguments = ["reply", &path, flag, "--yes", "--json", "--wait", "4"];
        let run = || program::run_as(&story.world, story.client, &arguments);
        let (mut code, mut out, mut err) = run()?;
        // A client can lose a key that comes while it draws its prompt; closeout says so, and a person tries again.
        if code == Some(23) && out.contains("the prompt is still open") {
            (code, out, err) = run()?;
        }
        ensure!(code == Some(0), "closeout reply {flag} ended with {code:?}: {out}{err}");
        ensure!(out.contains(r#""kind":"pane""#) && out.contains(r#""state":"delivered""#), "{out}");
        see(story, WORKTREE, mark, "the end of the turn", |row| {
            does(row, "idle") && (!is_allowed || said(row, "The tool has run."))
        })?;
        ensure!(made.exists() == is_allowed, "after {flag} the tool has run: {}", made.exists());
    }
    Ok(None)
}
