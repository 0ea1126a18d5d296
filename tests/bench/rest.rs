//! What the program costs while nothing happens: CPU, wake-ups, memory, watches.

use std::time::Duration;

use anyhow::Result;

use super::fleet::Fleet;
use super::machine::{Usage, n_threads, n_watches, pss_kb};
use super::samples::shown;
use super::table::Table;
use super::{Scope, start};

/// Threads that the runtime keeps for the next piece of work end after ten seconds.
const UNTIL_REST: Duration = Duration::from_secs(14);

/// Runs the group. Memory is taken while one program runs alone, since two share the pages of their code; then all rest
/// beside each other for the same span.
pub(crate) fn run(scope: &Scope, table: &mut Table) -> Result<()> {
    let span = Duration::from_secs(scope.pick(60, 5));
    let (mut shares, mut at_rest) = (Vec::new(), Vec::new());
    for n in scope.pick(vec![1, 100, 1000], vec![1, 20]) {
        let fleet = Fleet::new(n)?;
        shares.push((n, alone(scope, table, &fleet)?));
        at_rest.push((n, fleet));
    }
    let mut screens = Vec::new();
    for (n, fleet) in &at_rest {
        let (mut screen, _, _) = start::started(fleet)?;
        screen.settle(Duration::from_secs(1));
        screens.push((*n, screen));
    }
    std::thread::sleep(scope.pick(UNTIL_REST, Duration::from_secs(2)));
    let before = screens.iter().map(|(_, screen)| Usage::of(screen.pid()?)).collect::<Result<Vec<_>>>()?;
    for (_, screen) in &mut screens {
        screen.settle(Duration::from_millis(10));
    }
    std::thread::sleep(span);
    for ((n, screen), before) in screens.iter_mut().zip(before) {
        let used = Usage::of(screen.pid()?)?.since(before);
        let n_bytes = screen.settle(Duration::from_millis(10));
        table.value(
            &format!("at rest for {} s, {n} workspaces", span.as_secs()),
            &format!("{} CPU, {} switches, {n_bytes} bytes drawn", shown(used.cpu), used.n_switches),
            "0 ticks, ≤ 2 switches (60 s; an age that changes is one more)",
        );
    }
    if let (Some((n_first, first)), Some((n_last, last))) = (shares.first(), shares.last()) {
        let each = last.saturating_sub(*first) / u64::try_from((n_last - n_first).max(1))?;
        table.value("memory for each further workspace", &format!("{each} kB"), "≤ 8 kB");
    }
    Ok(())
}

/// Memory and watches of the one program that runs; the memory in kB.
fn alone(scope: &Scope, table: &mut Table, fleet: &Fleet) -> Result<u64> {
    let n = fleet.tops.len();
    let (mut screen, _, _) = start::started(fleet)?;
    let pid = screen.pid()?;
    screen.settle(Duration::from_secs(1));
    let busy_kb = pss_kb(pid)?;
    std::thread::sleep(scope.pick(UNTIL_REST, Duration::from_secs(2)));
    let pss_kb = pss_kb(pid)?;
    let goal = match n {
        1 => "≤ 10 MB",
        100 => "≤ 12 MB",
        1000 => "≤ 16 MB",
        _ => "",
    };
    table.value(
        &format!("memory (PSS), {n} workspaces"),
        &format!("{} ({} just after the start)", megabytes(pss_kb), megabytes(busy_kb)),
        goal,
    );
    table.value(
        &format!("watches, {n} workspaces"),
        &format!("{} ({} threads)", n_watches(pid)?, n_threads(pid)?),
        &format!("≤ {}", 3 * n + 3),
    );
    Ok(pss_kb)
}

#[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
fn megabytes(kilobytes: u64) -> String {
    format!("{:.1} MB", kilobytes as f64 / 1024.0)
}
