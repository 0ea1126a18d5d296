//! A person at closeout's screen, at 80x24, with nothing but its hints: answers a permission, has a reply held until a
//! busy client has ended its turn, and rescues and undoes what was left uncommitted.

use std::time::Duration;

use anyhow::{Result, ensure};

use crate::client::Client;
use crate::closeout_program::{self as program, does, said};
use crate::story::{Story, see};
use crate::tmux::{Pane, Tmux};
use crate::wait::CLIENT;
use crate::world::World;

const WORKTREE: &str = "screened";
/// A key counts in a dialog only after it has stood for a moment without one.
pub(crate) const READ: Duration = Duration::from_millis(900);

/// The checks; a client and a screen of their own. Its hooks are installed.
pub(crate) fn tell(story: &mut Story<'_>) {
    let mut panes = None;
    story.check("a permission is given from the screen by its number and `y`", |story| {
        // Codex runs no hook before a person has looked at it; this flag stands for that look.
        let is_codex = story.client == Client::Codex;
        let trusted: &[&str] = if is_codex { &["--dangerously-bypass-hook-trust"] } else { &[] };
        let client = story.world.start(story.client, WORKTREE, trusted)?;
        let screen = program::open_screen(&story.world, (80, 24))?;
        let (client, screen) = panes.insert((client, screen));
        allowed(story, client, screen)
    });
    let Some((client, screen)) = panes else { return };
    story.check("what the tool left is rescued by `c` and undone by `z`", |story| rescued(story, &screen));
    if story.client == Client::Claude {
        story.check("a reply that is held for a busy client is sent when its turn has ended", |story| {
            held(story, &client, &screen)
        });
    }
    story.world.tmux.close(&screen);
    story.world.tmux.close(&client);
}

/// Selects the row by the filter, and waits for the words below it. What stood open before may take the first Escape,
/// and the filter of the check before may still be kept: it is wiped, and all of it is done again until it stands.
pub(crate) fn select(world: &World, screen: &Pane, worktree: &str, hint: &str) -> Result<()> {
    let tmux = &world.tmux;
    let filter = format!("/{worktree}");
    let stands = |shown: &str| shown.split_whitespace().any(|word| word == filter);
    for attempt in 1.. {
        for key in ["Escape", "/", "C-u"] {
            tmux.press(screen, key)?;
        }
        tmux.type_text(screen, worktree)?;
        match tmux.wait_for(screen, "the filter", Duration::from_secs(5), stands) {
            Ok(()) => break,
            Err(error) if attempt == 3 => return Err(error),
            Err(_) => {}
        }
    }
    tmux.press(screen, "Enter")?;
    tmux.wait_for(screen, hint, CLIENT, |shown| shown.lines().last().is_some_and(|last| last.contains(hint)))
}

fn allowed(story: &Story<'_>, client: &Pane, screen: &Pane) -> Result<Option<(&'static str, f64)>> {
    let tmux = &story.world.tmux;
    let mark = story.follow.mark();
    story.world.prompt(client, "Run the tool")?;
    let asks = |shown: &str| story.client.is_asking_for_leave(shown);
    tmux.wait_for(client, "the prompt for a leave", CLIENT, asks)?;
    select(&story.world, screen, WORKTREE, "i answer")?;
    tmux.press(screen, "i")?;
    tmux.wait_for(screen, "the options", CLIENT, |shown| shown.contains("1  allow once"))?;
    std::thread::sleep(READ);
    tmux.press(screen, "1")?;
    tmux.wait_for(screen, "what is asked", CLIENT, |shown| shown.contains("Answer “allow once”?"))?;
    std::thread::sleep(READ);
    tmux.press(screen, "y")?;
    see(story, WORKTREE, mark, "the end of the tool", |row| {
        does(row, "idle") && said(row, "The tool has run.")
    })?;
    ensure!(story.world.at(WORKTREE).join("made-by-tool").exists(), "{}", tmux.screen(client));
    Ok(None)
}

/// Confirms the commit of a rescue where git knows no name: `y` asks for the author first.
pub(crate) fn commit_as_ada(tmux: &Tmux, screen: &Pane) -> Result<()> {
    tmux.press(screen, "y")?;
    tmux.wait_for(screen, "the author's field", CLIENT, |shown| shown.contains("author"))?;
    tmux.type_text(screen, "Ada <ada@example.org>")?;
    tmux.press(screen, "Enter")?;
    std::thread::sleep(READ);
    tmux.press(screen, "y")?;
    tmux.wait_for(screen, "the commit", CLIENT, |shown| shown.contains("z undoes it"))
}

fn rescued(story: &Story<'_>, screen: &Pane) -> Result<Option<(&'static str, f64)>> {
    let tmux = &story.world.tmux;
    select(&story.world, screen, WORKTREE, "c rescue")?;
    tmux.press(screen, "c")?;
    tmux.wait_for(screen, "the preview", CLIENT, |shown| shown.contains("made-by-tool"))?;
    std::thread::sleep(READ);
    commit_as_ada(tmux, screen)?;
    tmux.press(screen, "z")?;
    tmux.wait_for(screen, "the undo", CLIENT, |shown| shown.contains("Undo a rescue"))?;
    std::thread::sleep(READ);
    tmux.press(screen, "y")?;
    tmux.wait_for(screen, "the commit taken back", CLIENT, |shown| shown.contains("undid 1 commit"))?;
    ensure!(story.world.at(WORKTREE).join("made-by-tool").exists(), "{}", tmux.screen(screen));
    Ok(None)
}

fn held(story: &Story<'_>, client: &Pane, screen: &Pane) -> Result<Option<(&'static str, f64)>> {
    let tmux = &story.world.tmux;
    let mark = story.follow.mark();
    story.world.prompt(client, "Slow and steady")?;
    select(&story.world, screen, WORKTREE, "quit")?;
    tmux.press(screen, "i")?;
    tmux.wait_for(screen, "the box", CLIENT, |shown| shown.contains("Ctrl-S send when idle"))?;
    tmux.type_text(screen, "Fix the parser")?;
    tmux.wait_for(screen, "the words", CLIENT, |shown| shown.contains("Fix the parser"))?;
    tmux.press(screen, "C-s")?;
    tmux.wait_for(screen, "that it is held", CLIENT, |shown| shown.contains("x cancels it"))?;
    see(story, WORKTREE, mark, "the answer to it", |row| {
        does(row, "idle") && said(row, "I fixed the parser and all 12 tests pass.")
    })?;
    ensure!(story.world.mock.n_requests("Fix the parser") > 0, "it was not sent");
    Ok(None)
}
