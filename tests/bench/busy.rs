//! Agents at work: some of many workspaces append to their records all the time. What that costs, and how late a
//! decision of another workspace is on the screen meanwhile.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use super::fleet::{Fleet, decide, said};
use super::machine::Usage;
use super::samples::Samples;
use super::table::Table;
use super::{Scope, start};

/// Between two decisions, at least.
const GAP: Duration = Duration::from_millis(150);

/// Runs the group.
pub(crate) fn run(scope: &Scope, table: &mut Table) -> Result<()> {
    load(table, scope.pick((20, 100), (5, 20)), 10, scope.pick(10, 4), "≤ 4 % of a core")?;
    if !scope.is_quick {
        load(table, (100, 1_000), 5, 10, "≤ 6 % of a core")?;
    }
    Ok(())
}

/// `n_busy` of `n` workspaces append so many times a second, for some seconds.
fn load(table: &mut Table, (n_busy, n): (usize, usize), rate: u32, seconds: u64, goal: &str) -> Result<()> {
    let fleet = Fleet::new(n)?;
    let (mut screen, _, _) = start::started(&fleet)?;
    screen.settle(Duration::from_secs(2));
    let pid = screen.pid()?;
    let records: Vec<(PathBuf, PathBuf)> =
        fleet.tops[1..=n_busy].iter().map(|top| (fleet.world.transcript(top), top.clone())).collect();
    let is_over = Arc::new(AtomicBool::new(false));
    let writer = {
        let is_over = Arc::clone(&is_over);
        std::thread::spawn(move || write(&records, rate, &is_over))
    };
    screen.take_in_for(Duration::from_secs(1));
    let (before, began, mut samples) = (Usage::of(pid)?, Instant::now(), Samples::default());
    for number in 0.. {
        if began.elapsed() > Duration::from_secs(seconds) {
            break;
        }
        let word = format!("BUSY{number}END");
        let changed = Instant::now();
        decide(fleet.main(), &word)?;
        samples.push(screen.wait_for(|text| text.contains(&word))?.saturating_duration_since(changed));
        screen.take_in_for(GAP + Duration::from_millis(number % 7 * 5));
    }
    let (used, took) = (Usage::of(pid)?.since(before), began.elapsed());
    is_over.store(true, Ordering::Relaxed);
    let n_written = writer.join().ok().context("the writer broke")??;
    let name = format!("{n_busy} of {n} workspaces, {rate} lines/s each");
    table.times(&format!("decision to screen, {name}"), &samples, None, "≤ 20 ms, at most 50");
    let share = used.cpu.as_secs_f64() / took.as_secs_f64() * 100.0;
    table.value(&format!("load, {name}"), &format!("{share:.1} % of a core, {n_written} lines"), goal);
    Ok(())
}

/// Appends a line to each record in turn until it is over; how many those were.
fn write(records: &[(PathBuf, PathBuf)], rate: u32, is_over: &AtomicBool) -> Result<u32> {
    let gap = Duration::from_secs(1) / rate / u32::try_from(records.len())?;
    let began = Instant::now();
    let mut n_written = 0;
    for (record, top) in records.iter().cycle() {
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        let line = said(top, &format!("Step {n_written} is done, more to do."));
        OpenOptions::new().append(true).open(record)?.write_all(line.as_bytes())?;
        n_written += 1;
        std::thread::sleep((began + gap * n_written).saturating_duration_since(Instant::now()));
    }
    Ok(n_written)
}
