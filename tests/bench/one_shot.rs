//! Whole processes: `check`, `status`, and the size of the program.

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};

use super::Scope;
use super::fleet::Fleet;
use super::program::closeout;
use super::samples::Samples;
use super::table::{Reference, Table};
use super::world::World;

/// What a person would write without closeout.
const LOOP: &str = r#"for top do
    git -C "$top" rev-list --count base..HEAD
    git -C "$top" --no-optional-locks status --porcelain
done"#;

/// Runs the group.
pub(crate) fn run(scope: &Scope, table: &mut Table) -> Result<()> {
    let size = fs::metadata(closeout())?.len();
    table.value(
        "size of the program",
        &format!("{}.{} MB", size >> 20, (size >> 10) % 1024 * 10 / 1024),
        "≤ 12 MB",
    );
    let alone = Fleet::new(1)?;
    compare(&alone.world, alone.main(), &[alone.main()], "check", scope.pick(60, 10), table)?;
    let fleet = Fleet::new(scope.pick(100, 20))?;
    let all: Vec<&Path> = fleet.tops.iter().map(std::path::PathBuf::as_path).collect();
    compare(&fleet.world, fleet.main(), &all, "status", scope.pick(20, 5), table)?;
    for n_files in scope.pick(vec![5_000, 100_000], vec![2_000]) {
        let world = World::new()?;
        let top = world.repository("large", n_files)?;
        std::thread::sleep(std::time::Duration::from_millis(1100));
        world.refresh_index(&top)?;
        let count = scope.pick(if n_files > 10_000 { 8 } else { 25 }, 5);
        compare(&world, &top, &[&top], &format!("check {n_files} files"), count, table)?;
    }
    Ok(())
}

/// A front and the shell's loop, one after the other.
fn compare(
    world: &World,
    top: &Path,
    tops: &[&Path],
    name: &str,
    count: usize,
    table: &mut Table,
) -> Result<()> {
    let front = name.split(' ').next().context("no name")?;
    let (mut ours, mut shell) = (Samples::default(), Samples::default());
    for _ in 0..count {
        let began = Instant::now();
        let output = world.command(closeout()).arg(front).current_dir(top).output()?;
        ours.push(began.elapsed());
        let code = output.status.code();
        ensure!(code <= Some(1), "{front} ended with {code:?}: {}", String::from_utf8_lossy(&output.stderr));
        let began = Instant::now();
        let output = world.command("sh").args(["-c", LOOP, "sh"]).args(tops).output()?;
        shell.push(began.elapsed());
        ensure!(output.status.success(), "the loop failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let goal = match (front, tops.len(), name) {
        ("check", _, "check") => "≤ 4 ms",
        ("status", 100, _) => "≤ 40 ms",
        ("check", ..) => "ratio ≤ 1.1",
        _ => "",
    };
    let reference = Reference::new("git in a shell loop", &shell);
    let name =
        if front == "status" { format!("status of {} worktrees", tops.len()) } else { name.to_owned() };
    table.times(&format!("closeout {name}"), &ours, Some(&reference), goal);
    Ok(())
}
