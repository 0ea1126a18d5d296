//! Fuzzing: feeds every reader of bytes that closeout did not write with inputs derived from the corpus. No
//! input may take long or much memory, no reader may fail other than by an error, and the properties in
//! `targets.rs` must hold.
//!
//! `cargo test --locked --test fuzz -- --seconds 60 --seed 7`; `--target NAME` runs one target, `--cases N`
//! stops after that many inputs. Not part of a plain `cargo test`, which includes a short run
//! (`tests/fuzz_short.rs`). An input that reveals a bug goes into `tests/fuzz/corpus/NAME`.

#![cfg(test)]

mod mutation;
mod own_files;
mod runner;
mod targets;
mod worlds;

use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use runner::Length;
use targets::TARGETS;

#[expect(clippy::disallowed_methods, reason = "a run without a seed takes the time for one")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let word = |name: &str| {
        let place = arguments.iter().position(|word| word == name)?;
        arguments.get(place + 1).cloned()
    };
    let number = |name: &str| word(name).and_then(|word| word.parse::<u64>().ok());
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |now| now.as_secs());
    let (seed, n_cases, only) = (number("--seed").unwrap_or(now), number("--cases"), word("--target"));
    let seconds = number("--seconds").unwrap_or(if n_cases.is_some() { 3600 } else { 10 });
    let length =
        Length { n_cases: n_cases.unwrap_or(u64::MAX), time: Duration::from_secs(seconds), is_alone: true };
    let mut n_failed = 0;
    println!("fuzz: seed {seed}");
    for target in TARGETS.iter().filter(|target| only.as_ref().is_none_or(|name| name == target.name)) {
        match runner::run(target, seed, length) {
            Ok(ran) => println!(
                "  {:<12} {} seeds, {} inputs, the slowest took {:.1?}",
                target.name, ran.n_seeds, ran.n_cases, ran.slowest
            ),
            Err(what) => {
                n_failed += 1;
                println!("  FAILED {what}");
            }
        }
    }
    if n_failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
