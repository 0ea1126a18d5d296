//! All four clients at work in four worktrees, closeout's screen beside them, then all of them killed.

use std::fs;
use std::path::Path;

use anyhow::{Result, bail, ensure};

use crate::client::Client;
use crate::closeout_program::{Follow, does, open_screen};
use crate::killed::kill;
use crate::outcome::Tally;
use crate::tmux::Pane;
use crate::wait::SHOWN;
use crate::world::World;

/// What each is asked, and what its row shows then.
const ASKED: [(Client, &str, &str); 4] = [
    (Client::Claude, "Run the tool", "needs_permission"),
    (Client::Codex, "Hang until the end", "working"),
    (Client::Opencode, "Plan the format", "idle"),
    (Client::Gemini, "Fix the parser", "idle"),
];

/// The checks.
pub(crate) fn tell(tally: &mut Tally, programs: &Path, clients: &[Client], keep: &Path) {
    if clients.len() < Client::ALL.len() {
        tally.skip("together", "not all four clients can be run");
        return;
    }
    let mut made = None;
    let is_made = tally.check("together", "the four start side by side", || {
        let world = World::new(programs, clients)?;
        let follow = Follow::start(&world)?;
        let panes = start(&world)?;
        made = Some((world, follow, panes));
        Ok(())
    });
    let Some((world, follow, panes)) = made.filter(|_| is_made) else { return };
    for (client, _, state) in ASKED {
        tally.check("together", &format!("{} is told as {state}", client.name()), || {
            let all = follow.since_start();
            follow.wait(all, &world.at(client.name()), state, |row| does(row, state)).map(drop)
        });
    }
    let screens: Vec<((u16, u16), Result<Pane>)> =
        [(80, 24), (120, 40), (200, 60)].map(|size| (size, open_screen(&world, size))).into();
    for (size, screen) in &screens {
        tally.check("together", &format!("the screen of {} x {} shows all four", size.0, size.1), || {
            let Ok(pane) = screen else { bail!("it did not start") };
            let shown = world.tmux.wait_for(pane, "all four and what they do", SHOWN, shows_all);
            kept(keep, &format!("at-work-{}x{}", size.0, size.1), &world.tmux.screen(pane));
            shown
        });
    }
    tally.check("together", "all are told as gone after SIGKILL", || all_gone(&world, &follow, &panes));
    for (size, screen) in &screens {
        tally.check(
            "together",
            &format!("the screen of {} x {} shows as gone what was in a turn", size.0, size.1),
            || {
                let Ok(pane) = screen else { bail!("it did not start") };
                let shown = world.tmux.wait_for(pane, "those in a turn gone", SHOWN, |shown| {
                    // A session whose turn was over has lost nothing: only its detail says that it ended.
                    [Client::Claude, Client::Codex].into_iter().all(|client| is_gone(shown, client.name()))
                });
                kept(keep, &format!("gone-{}x{}", size.0, size.1), &world.tmux.screen(pane));
                shown
            },
        );
    }
    drop(follow);
}

/// Starts the four, each in its worktree and with its prompt.
pub(crate) fn start(world: &World) -> Result<Vec<(Client, Pane)>> {
    let mut panes = Vec::new();
    for (client, prompt, _) in ASKED {
        let pane = world.start(client, client.name(), &[])?;
        world.prompt(&pane, prompt)?;
        panes.push((client, pane));
    }
    Ok(panes)
}

fn shows_all(screen: &str) -> bool {
    let rows =
        |name: &str| screen.lines().find(|line| line.contains(name)).unwrap_or_default().to_lowercase();
    Client::ALL.into_iter().all(|client| rows(client.name()).contains(client.name()))
        && screen.contains("WORKING")
        && screen.contains("ASKS")
}

/// Whether the client's row tells that it ended in its turn, in the row or in the line below it: a narrow row has no
/// room for why.
fn is_gone(screen: &str, name: &str) -> bool {
    let lines: Vec<&str> = screen.lines().collect();
    lines.windows(2).any(|pair| {
        let tells = |line: &str| line.contains("gone") || line.contains("stopped in mid-turn");
        pair[0].matches(name).count() >= 2 && pair.iter().any(|line| tells(line))
    })
}

fn all_gone(world: &World, follow: &Follow, panes: &[(Client, Pane)]) -> Result<()> {
    let mark = follow.mark();
    for (client, pane) in panes {
        kill(world, *client, pane)?;
    }
    let missing: Vec<String> = panes
        .iter()
        .filter_map(|(client, _)| {
            follow.wait(mark, &world.at(client.name()), "gone", |row| does(row, "gone")).err()
        })
        .map(|error| format!("{error:#}"))
        .collect();
    ensure!(missing.is_empty(), "{}", missing.join("\n         "));
    Ok(())
}

/// Keeps what a screen showed, for a person to look at.
pub(crate) fn kept(keep: &Path, name: &str, screen: &str) {
    let _ = fs::create_dir_all(keep);
    let _ = fs::write(keep.join(format!("{name}.txt")), screen);
    if std::env::var_os("CLOSEOUT_REAL_AGENTS_SHOW").is_some() {
        println!("--- {name}\n{screen}");
    }
}
