//! The benchmark: what closeout takes, beside a reference measured in the same run and the goal.
//!
//! `cargo bench` runs everything; `cargo bench -- --quick` takes fewer samples of smaller worlds;
//! `cargo bench -- screen` runs the groups and rows whose names hold the word. It prints as it goes and
//! ends with one table. Nothing here fails because something is slow: a busy machine is no defect.
//!
//! Worlds are made in a temporary folder and removed at the end; nothing of the user's is read.

#![cfg(test)]
#![expect(clippy::disallowed_methods, reason = "a benchmark reads clocks and starts programs")]

mod collecting;
mod events;
mod fleet;
mod hooks;
mod judging;
mod latency;
mod machine;
mod one_shot;
mod rescue;
mod rest;
mod samples;
mod screen;
mod start;
mod storm;
mod table;
mod transcript;
mod world;

use anyhow::Result;

use table::Table;

/// How much is measured.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    is_quick: bool,
    filter: Option<String>,
}

impl Scope {
    /// Reads the arguments; those that cargo adds are passed over.
    fn read() -> Scope {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        Scope {
            is_quick: arguments.iter().any(|argument| argument == "--quick"),
            filter: arguments.into_iter().find(|argument| !argument.starts_with("--")),
        }
    }

    /// Whether a group is wanted.
    fn wants(&self, group: &str) -> bool {
        self.filter.as_deref().is_none_or(|word| group.contains(word))
    }

    /// One of two values, for a full and for a quick run.
    fn pick<T>(&self, full: T, quick: T) -> T {
        if self.is_quick { quick } else { full }
    }
}

/// One group of measurements.
type Group = fn(&Scope, &mut Table) -> Result<()>;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|word| word == rescue::RECORD_ONLY) {
        rescue::record_only(&arguments[1..]).unwrap();
        return;
    }
    let scope = Scope::read();
    machine::print_facts();
    let mut table = Table::default();
    let groups: [(&str, Group); 10] = [
        ("judge", judging::run),
        ("collect", collecting::run),
        ("transcript", transcript::run),
        ("event", events::run),
        ("one-shot", one_shot::run),
        ("hook", hooks::run),
        ("rescue", rescue::run),
        ("screen", latency::run),
        ("storm", storm::run),
        ("rest", rest::run),
    ];
    for (name, group) in groups {
        if scope.wants(name) {
            println!("\n== {name}");
            if let Err(error) = group(&scope, &mut table) {
                table.note(format!("{name} was cut short: {error:#}"));
            }
        }
    }
    println!("\n{table}");
    machine::print_facts();
}
