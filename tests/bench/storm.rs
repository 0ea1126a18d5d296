//! A storm of file events: the keys go on being answered, and what is shown at its end is right.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use super::fleet::{Fleet, decide, said};
use super::samples::Samples;
use super::table::Table;
use super::{Scope, start};

/// Workspaces in the storm.
const N_WORKSPACES: usize = 20;
/// Between two changes.
const GAP: Duration = Duration::from_millis(1);
/// Between two keys.
const KEY_GAP: Duration = Duration::from_millis(50);
/// What only the help page says.
const HELP: &str = "show or hide this page";

/// Runs the group.
pub(crate) fn run(scope: &Scope, table: &mut Table) -> Result<()> {
    let n_events = scope.pick(10_000, 2_000);
    let fleet = Fleet::new(N_WORKSPACES)?;
    let (mut screen, _, _) = start::started(&fleet)?;
    screen.settle(Duration::from_millis(1500));
    let tops = fleet.tops.clone();
    let transcripts: Vec<PathBuf> = tops.iter().map(|top| fleet.world.transcript(top)).collect();
    let storm = std::thread::spawn(move || blow(n_events, &tops, &transcripts));
    let mut samples = Samples::default();
    let mut is_help = false;
    while !storm.is_finished() {
        screen.settle(KEY_GAP);
        is_help = !is_help;
        let pressed = Instant::now();
        screen.press(b"?")?;
        samples.push(screen.wait_for(|text| text.contains(HELP) == is_help)? - pressed);
    }
    let took = storm.join().ok().context("the storm broke")??;
    if is_help {
        screen.press(b"?")?;
        screen.wait_for(|text| !text.contains(HELP))?;
    }
    let ended = Instant::now();
    decide(fleet.main(), "LASTWORDOFALL")?;
    let shown = screen.wait_for(|text| text.contains("LASTWORDOFALL"))?;
    let name = format!("{n_events} events in {:.1} s, {N_WORKSPACES} workspaces", took.as_secs_f64());
    table.value(&format!("key to frame p95, {name}"), &super::samples::shown(samples.p95()), "≤ 50 ms");
    let right = super::samples::shown(shown.saturating_duration_since(ended));
    table.value(&format!("last event to right verdict, {name}"), &right, "≤ 2 s");
    Ok(())
}

/// Changes files one after the other: records grow, decisions are replaced, files of the work tree are written.
fn blow(n_events: usize, tops: &[PathBuf], transcripts: &[PathBuf]) -> Result<Duration> {
    let began = Instant::now();
    for number in 0..n_events {
        let (top, transcript) = (&tops[number % tops.len()], &transcripts[number % tops.len()]);
        match number / tops.len() % 3 {
            0 => {
                let line = said(top, &format!("Step {number} is done, more to do."));
                OpenOptions::new().append(true).open(transcript)?.write_all(line.as_bytes())?;
            }
            1 => decide(top, &format!("step {number}"))?,
            _ => fs::write(top.join("d0/f1.txt"), format!("{number}\n"))?,
        }
        let next = began + GAP * u32::try_from(number + 1)?;
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
    Ok(began.elapsed())
}
