//! The benchmark: what closeout takes, beside a reference measured in the same run and the goal.
//!
//! `cargo bench` runs everything; `cargo bench -- --quick` takes fewer samples of smaller worlds;
//! `cargo bench -- screen storm` runs the groups whose names hold one of the words, one group after the other. `--json FILE`
//! writes the figures, `--compare FILE` holds them against such a file of another commit, and `--program FILE` measures
//! another build of the program. It prints as it goes and ends with one table. Nothing here fails because something is slow: a busy machine is no defect.
//!
//! Worlds are made in a temporary folder and removed at the end; nothing of the user's is read.

#![cfg(test)]
#![expect(clippy::disallowed_methods, reason = "a benchmark reads clocks and starts programs")]

mod busy;
mod calls;
mod collecting;
mod events;
mod fleet;
mod growth;
mod hooks;
mod judging;
mod latency;
mod machine;
mod one_shot;
mod program;
mod rescue;
mod rest;
mod samples;
mod screen;
mod start;
mod store;
mod storm;
mod table;
mod transcript;
mod world;

use anyhow::Result;

use table::Table;

/// How much is measured.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scope {
    is_quick: bool,
    /// Words of which a group's name has to hold one; without any, all groups run.
    groups: Vec<String>,
    json: Option<String>,
    compare: Option<String>,
    program: Option<String>,
}

impl Scope {
    /// Reads the arguments; those that cargo adds are passed over.
    fn read() -> Scope {
        let mut scope = Scope::default();
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => scope.is_quick = true,
                "--json" => scope.json = arguments.next(),
                "--compare" => scope.compare = arguments.next(),
                "--program" => scope.program = arguments.next(),
                _ if argument.starts_with("--") => {}
                _ => scope.groups.push(argument),
            }
        }
        scope
    }

    /// Whether a group is wanted.
    fn wants(&self, group: &str) -> bool {
        self.groups.is_empty() || self.groups.iter().any(|word| group.contains(word))
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
    let _copy = program::take_copy(scope.program.as_deref()).unwrap();
    let mut table = Table::default();
    let groups: [(&str, Group); 14] = [
        ("judge", judging::run),
        ("collect", collecting::run),
        ("transcript", transcript::run),
        ("event", events::run),
        ("one-shot", one_shot::run),
        ("growth", growth::run),
        ("hook", hooks::run),
        ("rescue", rescue::run),
        ("store", store::run),
        ("calls", calls::run),
        ("screen", latency::run),
        ("busy", busy::run),
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
    if let Some(file) = &scope.json {
        table.write(file).unwrap();
    }
    if let Some(file) = &scope.compare {
        println!("{}", table.compare(file).unwrap());
    }
    machine::print_facts();
}
