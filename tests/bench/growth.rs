//! How what is measured grows with what there is: the exponent of the line through the points, by least squares of the
//! logarithms. 0 is flat, 1 grows as what there is.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::Scope;
use super::fleet::Fleet;
use super::program::closeout;
use super::samples::{Samples, shown};
use super::table::Table;

/// Runs the group.
pub(crate) fn run(scope: &Scope, table: &mut Table) -> Result<()> {
    let sizes = scope.pick(vec![1, 10, 100, 1_000], vec![1, 10, 40]);
    let (mut one, mut all) = (Vec::new(), Vec::new());
    for count in sizes {
        let fleet = Fleet::new(count)?;
        one.push((count, front(&fleet, "check", scope.pick(40, 10))?));
        all.push((count, front(&fleet, "status", scope.pick(10, 4))?));
    }
    row(table, "check of one among N worktrees", &one, "exponent ≤ 0.05");
    row(table, "status of N worktrees", &all, "exponent ≤ 1");
    Ok(())
}

/// What a front takes that ends by itself.
fn front(fleet: &Fleet, front: &str, count: usize) -> Result<Duration> {
    let mut samples = Samples::default();
    for _ in 0..=count {
        let began = Instant::now();
        let output = fleet.world.command(closeout()).arg(front).current_dir(fleet.main()).output()?;
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
