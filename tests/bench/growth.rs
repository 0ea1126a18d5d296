//! How what is measured grows with what there is: the exponent of the line through the points, by least squares of the
//! logarithms. 0 is flat, 1 grows as what there is.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use super::Scope;
use super::fleet::{Fleet, long_transcript, said};
use super::program::closeout;
use super::samples::{Samples, shown};
use super::table::Table;
use super::world::World;

/// Runs the group.
pub(crate) fn run(scope: &Scope, table: &mut Table) -> Result<()> {
    let sizes = scope.pick(vec![1, 10, 100, 1_000], vec![1, 10, 40]);
    let (mut one, mut all) = (Vec::new(), Vec::new());
    for count in sizes {
        let fleet = Fleet::new(count)?;
        one.push((count, front(&fleet.world, fleet.main(), "check", scope.pick(40, 10))?));
        all.push((count, front(&fleet.world, fleet.main(), "status", scope.pick(10, 4))?));
    }
    row(table, "check of one among N worktrees", &one, "exponent ≤ 0.05");
    row(table, "status of N worktrees", &all, "exponent ≤ 1");
    files(scope, table)?;
    sessions(scope, table)?;
    record_size(scope, table)
}

/// One workspace by its files.
fn files(scope: &Scope, table: &mut Table) -> Result<()> {
    let mut points = Vec::new();
    for count in scope.pick(vec![50, 500, 5_000, 50_000], vec![50, 500, 2_000]) {
        let world = World::new()?;
        let top = world.repository("main", count)?;
        // In the same second as its files the index would be trusted by nobody.
        std::thread::sleep(Duration::from_millis(1100));
        world.refresh_index(&top)?;
        points.push((count, front(&world, &top, "check", scope.pick(10, 4))?));
    }
    row(table, "check by the files", &points, "exponent ≤ 1");
    Ok(())
}

/// One workspace by the sessions that worked in it.
fn sessions(scope: &Scope, table: &mut Table) -> Result<()> {
    let mut points = Vec::new();
    for count in scope.pick(vec![1, 10, 100, 1_000], vec![1, 10, 100]) {
        let fleet = Fleet::new(1)?;
        let record = fleet.world.transcript(fleet.main());
        let folder = record.parent().context("no parent")?;
        for number in 1..count {
            let text = said(fleet.main(), &format!("Step {number} is done, more to do."));
            fs::write(folder.join(format!("session{number}.jsonl")), text)?;
        }
        points.push((count, front(&fleet.world, fleet.main(), "check", scope.pick(20, 5))?));
    }
    row(table, "check by the sessions of the workspace", &points, "exponent ≤ 0.5");
    Ok(())
}

/// One workspace by the size of its session's record.
fn record_size(scope: &Scope, table: &mut Table) -> Result<()> {
    let fleet = Fleet::new(1)?;
    let mut points = Vec::new();
    for megabytes in scope.pick(vec![1, 10, 100, 1_000], vec![1, 10, 100]) {
        let record = fleet.world.transcript(fleet.main());
        long_transcript(&record, (megabytes as u64) << 20, fleet.main())?;
        points.push((megabytes, front(&fleet.world, fleet.main(), "check", scope.pick(20, 5))?));
    }
    row(table, "check by the megabytes of the record", &points, "exponent ≤ 0.05");
    Ok(())
}

/// What a front takes that ends by itself.
fn front(world: &World, top: &Path, front: &str, count: usize) -> Result<Duration> {
    let mut samples = Samples::default();
    for _ in 0..=count {
        let began = Instant::now();
        let output = world.command(closeout()).arg(front).current_dir(top).output()?;
        samples.push(began.elapsed());
        ensure!(output.status.code() <= Some(1), "{front}: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(samples.p50())
}

/// A row with all points and their exponent.
pub(crate) fn row(table: &mut Table, name: &str, points: &[(usize, Duration)], goal: &str) {
    let shown: Vec<String> = points.iter().map(|(size, took)| format!("{size}: {}", shown(*took))).collect();
    table.value(name, &format!("{}; exponent {:.2}", shown.join(", "), exponent(points)), goal);
}

#[expect(clippy::cast_precision_loss, reason = "sizes are small")]
fn exponent(points: &[(usize, Duration)]) -> f64 {
    let logs = || points.iter().map(|(size, took)| ((*size as f64).ln(), took.as_secs_f64().max(1e-9).ln()));
    let n = points.len().max(1) as f64;
    let (mean_x, mean_y) = (logs().map(|(x, _)| x).sum::<f64>() / n, logs().map(|(_, y)| y).sum::<f64>() / n);
    let spread: f64 = logs().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let together: f64 = logs().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    if spread == 0.0 { 0.0 } else { together / spread }
}
