//! The soak: random rescues, undos, redos and records on random states of real repositories, killed, signalled or
//! stopped at random moments, beside collections of garbage and an agent's loop. After each, the state must be the
//! one before or the one after, with no byte lost, nothing of ours left, and every undo possible that was (fault
//! K03).
//!
//! `cargo test --locked --test soak -- --cycles 2000 --seed 7`; `--world N` runs only that world of the seed.
//! The seed determines the states, the actions, who is killed, and how much of the action's time has passed by
//! then; the machine determines which step that falls on. Not part of a plain `cargo test`.
//!
//! `--power N` cuts the machine's power N times instead of killing processes; that needs root and a loop
//! device.
//!
//! `--follow N` instead changes N worlds while a monitor watches, and compares what it shows with a fresh look.

#![cfg(test)]
#![expect(clippy::disallowed_methods, reason = "it reads clocks and starts programs: that is what it is for")]

mod change;
mod cycle;
mod cycle_action;
mod disk;
mod follow;
mod photo;
mod random;
mod shot;
mod stored;
mod tally;
mod world;

use std::process::ExitCode;
use std::time::{Instant, SystemTime};

use anyhow::{Context as _, Result};

use disk::Disk;
use random::Random;
use shot::Pace;
use tally::Tally;

/// The number of cycles in one repository.
const CYCLES_IN_A_WORLD: usize = 25;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|word| word == cycle_action::WORD) {
        return cycle_action::run(&arguments[1..]);
    }
    let power = arguments.iter().any(|word| word == "--power");
    if power && arguments.first().is_none_or(|word| word != disk::WORD) {
        return power_cuts(&arguments);
    }
    match soak(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("soak: FAILED: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Continues in a process with mounts of its own.
fn power_cuts(arguments: &[String]) -> ExitCode {
    if let Some(words) = disk::is_missing() {
        println!("SKIPPED soak --power: {words}");
        return ExitCode::SUCCESS;
    }
    match disk::inside(arguments) {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(status) => {
            eprintln!("soak: FAILED: {status}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("soak: FAILED: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn soak(arguments: &[String]) -> Result<()> {
    let number = |name: &str| -> Result<Option<u64>> {
        let Some(place) = arguments.iter().position(|word| word == name) else { return Ok(None) };
        let word = arguments.get(place + 1).with_context(|| format!("{name} needs a number"))?;
        Ok(Some(word.parse().with_context(|| format!("{name} needs a number, not {word}"))?))
    };
    let power = number("--power")?;
    let disk = power.map(|_| Disk::here()).transpose()?;
    let n_cycles = usize::try_from(power.or(number("--cycles")?).unwrap_or(150))?;
    let seed = match number("--seed")? {
        Some(seed) => seed,
        None => SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_secs(),
    };
    if let Some(n_worlds) = number("--follow")? {
        let first = number("--world")?.unwrap_or_default();
        let mut followed = follow::Followed::default();
        for world in first..first + n_worlds {
            follow::world(&mut Random::new(seed, world), world, &mut followed)
                .with_context(|| format!("run again with --follow 1 --seed {seed} --world {world}"))?;
        }
        let follow::Followed { n_compared, n_changes, after_turn, in_turn } = followed;
        println!(
            "soak: {n_worlds} worlds followed through {n_changes} changes, {n_compared} times what was shown was what a \
             fresh look says, at most {} ms after a turn's end and {} ms within a turn",
            after_turn.as_millis(),
            in_turn.as_millis()
        );
        return Ok(());
    }
    println!("soak: {n_cycles} cycles, seed {seed}");
    let begun = Instant::now();
    let (mut tally, mut pace) = (Tally::default(), Pace::default());
    let worlds = match number("--world")? {
        Some(world) => world..=world,
        None => 0..=u64::try_from(n_cycles.saturating_sub(1) / CYCLES_IN_A_WORLD)?,
    };
    let mut n_left = n_cycles;
    for world in worlds {
        let count = n_left.min(CYCLES_IN_A_WORLD);
        n_left -= count;
        let mut random = Random::new(seed, world);
        cycle::world(&mut random, world, count, &mut pace, &mut tally, disk.as_ref())
            .with_context(|| format!("run again with --seed {seed} --world {world}"))?;
    }
    let took = begun.elapsed().as_secs_f64();
    println!("{tally}");
    let a_second = f64::from(u32::try_from(n_cycles)?) / took;
    println!("soak: {n_cycles} cycles in {took:.0} s, {a_second:.1} a second, seed {seed}");
    Ok(())
}
