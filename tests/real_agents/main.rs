//! The real clients: Claude Code, Codex, opencode and Gemini CLI at pinned versions, run against a scripted
//! model in a home of their own, with closeout beside them. README.md in this folder tells how to run it.
//!
//! `cargo test --test real_agents` runs all but `crowd` and `loop`; `-- codex crowd` the groups so named. It is no part of a
//! plain `cargo test`: it takes minutes, and the first time 1.2 GB. What cannot be run is told as skipped in
//! a line of its own on standard error and counted in the last line; with `CLOSEOUT_REAL_AGENTS=required`
//! that is a failure.

#![cfg(test)]
#![expect(clippy::disallowed_methods, reason = "it reads clocks and starts programs: that is what it is for")]

mod asked;
mod client;
mod closeout_program;
mod crowd;
mod gated;
mod hooks;
mod killed;
mod loops;
mod loops_screen;
mod machine;
mod mock;
mod others;
mod outcome;
mod outer;
mod processes;
mod replies;
mod screen;
mod server;
mod story;
mod supervised;
mod tmux;
mod together;
mod wait;
mod witness;
mod world;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, ensure};

use client::Client;
use closeout_program::Follow;
use outcome::Tally;
use story::Story;
use world::World;

fn main() -> ExitCode {
    let begun = Instant::now();
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_wanted = |group: &str| wanted.is_empty() || wanted.iter().any(|word| word == group);
    let is_required = std::env::var("CLOSEOUT_REAL_AGENTS").is_ok_and(|word| word == "required");
    let mut tally = Tally::new(begun);
    let mut programs = None;
    tally.check("machine", "the clients are installed", || {
        machine::has_what_is_needed()?;
        programs = Some(machine::install()?);
        Ok(())
    });
    if let Some(programs) = programs {
        let clients = usable(&mut tally, &programs, is_wanted);
        for client in clients.iter().copied().filter(|client| is_wanted(client.name())) {
            tally.look_twice(client.name(), |tally| alone(tally, client, &programs));
        }
        let screens: PathBuf = programs.join("../../screens");
        // Longer than the others, and so only by their names.
        if wanted.iter().any(|word| word == "crowd") {
            tally.look_twice("crowd", |tally| crowd::tell(tally, &programs, &clients, &screens));
        }
        if wanted.iter().any(|word| word == loops::GROUP) && clients.contains(&Client::Claude) {
            tally.look_twice(loops::GROUP, |tally| loops::tell(tally, &programs, &screens));
        }
        if is_wanted("together") {
            tally.look_twice("together", |tally| {
                together::tell(tally, &programs, &clients, &screens);
            });
        }
    }
    println!("took {:.0} s", begun.elapsed().as_secs_f32());
    if tally.conclude(is_required) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The clients that start here, at the versions that are pinned.
fn usable(tally: &mut Tally, programs: &Path, is_wanted: impl Fn(&str) -> bool) -> Vec<Client> {
    let mut usable = Vec::new();
    for client in Client::ALL.into_iter().filter(|client| {
        let is_of_loop = *client == Client::Claude && is_wanted(loops::GROUP);
        is_of_loop || [client.name(), "together", "crowd"].into_iter().any(&is_wanted)
    }) {
        let is_usable = tally.check(client.name(), "is the pinned version", || {
            let version = machine::version(programs, client.name())
                .map_err(|error| outcome::skip(format!("it does not run here: {error:#}")))?;
            ensure!(version.contains(client.version()), "it is {version}, not {}", client.version());
            Ok(())
        });
        if is_usable {
            usable.push(client);
        }
    }
    usable
}

/// One client in a world of its own.
fn alone(tally: &mut Tally, client: Client, programs: &Path) {
    let made: Result<(World, Follow)> = World::new(programs, &[client]).and_then(|world| {
        let follow = Follow::start(&world)?;
        Ok((world, follow))
    });
    match made {
        Ok((world, follow)) => story::tell(&mut Story { tally, client, world, follow }),
        Err(error) => drop(tally.check(client.name(), "its world is made", || Err(error))),
    }
}
