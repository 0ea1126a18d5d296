//! System calls, which no load changes: `check` of one workspace among many, `status` for each workspace, and one line
//! appended to a record on the screen. Counted by strace; without it the group says so.
//!
//! A build with debug assertions makes more: it asks for the flags of each file that it closes.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use closeout::process::find_program;
use rustix::process::{Pid, Signal, kill_process};

use super::fleet::{Fleet, said};
use super::program::closeout;
use super::table::Table;
use super::{Scope, start};

/// Between two appends, and until what one begins has ended.
const GAP: Duration = Duration::from_millis(200);

/// Runs the group.
pub(crate) fn run(scope: &Scope, table: &mut Table) -> Result<()> {
    let Some(strace) = find_program("strace", std::env::var_os("PATH").as_deref()) else {
        table.note("no system calls were counted: there is no strace".to_owned());
        return Ok(());
    };
    let n = scope.pick(100, 20);
    let fleet = Fleet::new(n)?;
    // The second look has the baselines of the first.
    fronts(&strace, &fleet, "status", &fleet.tops[0])?;
    let one = fronts(&strace, &fleet, "check", &fleet.tops[n / 2])?;
    table.value(&format!("system calls, check of one among {n}"), &one.to_string(), "≤ 250");
    let all = fronts(&strace, &fleet, "status", &fleet.tops[0])?;
    table.value(&format!("system calls, status, each of {n} workspaces"), &(all / n).to_string(), "≤ 150");
    let n_appends = scope.pick(50, 20);
    let calls = appends(&strace, n_appends)?;
    table.value("system calls, one line appended", &(calls / n_appends).to_string(), "≤ 40");
    Ok(())
}

/// The calls of a front that ends by itself.
fn fronts(strace: &Path, fleet: &Fleet, front: &str, top: &Path) -> Result<usize> {
    let folder = tempfile::tempdir()?;
    let trace = folder.path().join("trace");
    let mut command = fleet.world.command(strace);
    command.args(["-f", "-qq", "-o"]).arg(&trace).arg(closeout()).arg(front).current_dir(top);
    let output = command.output()?;
    ensure!(output.status.code() <= Some(1), "{front}: {}", String::from_utf8_lossy(&output.stderr));
    count(&trace)
}

/// The calls that a number of appended lines cost a screen.
fn appends(strace: &Path, n_appends: usize) -> Result<usize> {
    let fleet = Fleet::new(20)?;
    let (mut screen, _, _) = start::started(&fleet)?;
    screen.settle(Duration::from_secs(2));
    // Not in the home: what is written there is an event for the program, and would be traced in its turn.
    let folder = tempfile::tempdir()?;
    let trace = folder.path().join("trace");
    let mut tracing = attach(strace, screen.pid()?, &trace)?;
    screen.settle(Duration::from_secs(1));
    let before = count(&trace)?;
    let transcript = fleet.world.transcript(fleet.main());
    for number in 0..n_appends {
        let line = said(fleet.main(), &format!("Step {number} is done, more to do."));
        OpenOptions::new().append(true).open(&transcript)?.write_all(line.as_bytes())?;
        screen.take_in_for(GAP);
    }
    let process = Pid::from_raw(i32::try_from(tracing.id())?).context("no process")?;
    kill_process(process, Signal::INT)?;
    tracing.wait()?;
    Ok(count(&trace)?.saturating_sub(before))
}

fn attach(strace: &Path, pid: u32, trace: &PathBuf) -> Result<Child> {
    let mut command = std::process::Command::new(strace);
    command.args(["-f", "-qq", "-o"]).arg(trace).args(["-p", &pid.to_string()]);
    command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().map_err(Into::into)
}

/// The calls in a trace. One that another thread interrupts has two lines.
fn count(trace: &Path) -> Result<usize> {
    let text = fs::read(trace)?;
    let text = String::from_utf8_lossy(&text);
    let is_call = |line: &&str| line.contains('(') && !line.contains(" resumed>");
    Ok(text.lines().filter(is_call).count())
}
