//! A client that is ended with SIGKILL in the middle of a turn: it leaves no word in any file.

use std::time::Instant;

use anyhow::{Result, ensure};

use crate::client::Client;
use crate::closeout_program::{does, said};
use crate::processes;
use crate::story::{Story, see};
use crate::tmux::Pane;
use crate::world::World;

/// The check.
pub(crate) fn tell(story: &mut Story<'_>) {
    story.check("is told as gone after SIGKILL in the middle of a turn", |story| {
        let mark = story.follow.mark();
        let pane = story.world.start(story.client, "killed", &[])?;
        story.world.prompt(&pane, "Fix the parser")?;
        // Not only at its prompt: what was killed before it said anything has left nothing to show.
        see(story, "killed", mark, "idle with words", |row| {
            does(row, "idle") && said(row, "I fixed the parser and all 12 tests pass.")
        })?;
        let mark = story.follow.mark();
        story.world.prompt(&pane, "Hang until the end")?;
        see(story, "killed", mark, "at work", |row| does(row, "working"))?;
        let mark = story.follow.mark();
        let killed = kill(&story.world, story.client, &pane)?;
        let line = story.follow.wait(mark, &story.world.at("killed"), "gone", |row| does(row, "gone"))?;
        let ms = line.came.saturating_duration_since(killed).as_secs_f64() * 1000.0;
        Ok(Some(("gone", ms)))
    });
}

/// Kills a client at its screen, and the server behind it that would go on with the turn.
pub(crate) fn kill(world: &World, client: Client, pane: &Pane) -> Result<Instant> {
    let below = processes::below(pane.pid);
    let pids: Vec<u32> = processes::of_home(&world.home())
        .into_iter()
        .filter(|pid| below.contains(pid) || client.is_server(&processes::command_line(*pid)))
        .collect();
    ensure!(!pids.is_empty(), "no process in the pane");
    let at = Instant::now();
    pids.into_iter().for_each(processes::kill);
    Ok(at)
}
