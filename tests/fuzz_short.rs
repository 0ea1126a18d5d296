//! A short run of every fuzz target, always with the same chance: the corpus, and a few hundred inputs made of it. Longer
//! ones: `tests/fuzz/main.rs`.

#[path = "fuzz/mutation.rs"]
mod mutation;
#[path = "fuzz/own_files.rs"]
mod own_files;
#[path = "fuzz/runner.rs"]
mod runner;
#[path = "fuzz/targets.rs"]
mod targets;
#[path = "fuzz/worlds.rs"]
mod worlds;

use std::time::Duration;

use runner::Length;
use targets::TARGETS;

/// So many inputs are made for each target, as long as there is time.
const CASES: u64 = 300;
const TIME: Duration = Duration::from_millis(600);

#[test]
fn no_input_makes_a_reader_fail_hang_or_answer_wrongly() {
    let length = Length { n_cases: CASES, time: TIME, is_alone: false };
    for target in &TARGETS {
        let ran = runner::run(target, 11, length).unwrap();
        assert!(ran.n_seeds > 0 && ran.n_cases > 0, "{} was not run: {ran:?}", target.name);
    }
}
