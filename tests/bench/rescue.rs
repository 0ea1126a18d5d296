//! Records, visible commits and undos, beside `git stash create` and `git add -A && git commit`; the time
//! for which the index is locked; memory with a large file.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use closeout::action::rescue::{PlanRequest, RescueError, RescueStep, Rescuer};
use closeout::model::RecordOrder;

use super::Scope;
use super::samples::{Samples, shown};
use super::table::{Reference, Table};
use super::world::World;

/// The first argument of this program when it only makes one record, to be watched from outside.
pub(crate) const RECORD_ONLY: &str = "--record-only";

/// Runs the group.
pub(crate) fn run(scope: &Scope, table: &mut Table) -> Result<()> {
    one_size(table, "rescue: 50 files", (50, 10), scope.pick((100, 200), (20, 20)), ["≤ 300 ms", ""])?;
    let large = scope.pick((20_000, 5_000), (2_000, 500));
    let name = format!("rescue: {} files", large.0 + large.1);
    one_size(table, &name, large, scope.pick((10, 200), (3, 20)), ["≤ 3 s", "≤ 50 ms"])?;
    let size = scope.pick(2 << 30, 64 << 20);
    one_large_file(table, "sparse", size)?;
    one_large_file(table, "random", size)
}

/// A rescuer in this world. Without the sync its figures are those of the processor.
fn rescuer(world: &World, is_synced: bool) -> Result<Rescuer> {
    let settings = "[user]\n\tname = ReplyFixture\n\temail = bench@example.test\n";
    fs::write(world.home().join(".gitconfig"), settings)?;
    let state = world.home().join("state");
    Ok(Rescuer { is_synced, ..Rescuer::new(world.git_program().to_path_buf(), Some(world.home()), state) })
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands it over")]
fn failed(error: RescueError) -> anyhow::Error {
    anyhow::anyhow!("{error:?}")
}

/// Changes a tenth of the tracked files, and makes every new file anew.
fn make_dirty(top: &Path, (n_tracked, n_new): (usize, usize), number: usize) -> Result<()> {
    for file in 0..n_tracked / 10 {
        let path = top.join(super::world::file_name(file * 10));
        fs::write(path, format!("changed {number}\n"))?;
    }
    for file in 0..n_new {
        let folder = top.join(format!("new{}", file / 100));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(format!("f{file}")), format!("new {file}, {number}\n").repeat(20))?;
    }
    Ok(())
}

fn one_size(
    table: &mut Table,
    name: &str,
    size: (usize, usize),
    (count, n_moves): (usize, usize),
    goals: [&str; 2],
) -> Result<()> {
    let world = World::new()?;
    let (ours, theirs) = (world.repository("ours", size.0)?, world.repository("theirs", size.0)?);
    let (mut stash, mut git_commit) = (Samples::default(), Samples::default());
    let (mut quick, mut synced) = (Samples::default(), Samples::default());
    for number in 0..=count {
        make_dirty(&theirs, size, number)?;
        let stashed = timed(|| world.git(&theirs, &["stash", "create"]).map(drop))?;
        let committed = timed(|| {
            world.git(&theirs, &["add", "-A"])?;
            world.git(&theirs, &["commit", "-q", "-m", "theirs"]).map(drop)
        })?;
        make_dirty(&ours, size, number * 2)?;
        let rescuer_quick = rescuer(&world, false)?;
        let quickly =
            timed(|| rescuer_quick.record_ordered(&ours, RecordOrder::default()).map(drop).map_err(failed))?;
        make_dirty(&ours, size, number * 2 + 1)?;
        let rescuer_synced = rescuer(&world, true)?;
        let safely =
            timed(|| rescuer_synced.record_ordered(&ours, RecordOrder::default()).map(drop).map_err(failed))?;
        // The first round warms the page cache.
        if number > 0 {
            stash.push(stashed);
            git_commit.push(committed);
            quick.push(quickly);
            synced.push(safely);
        }
    }
    let stash = Reference::new("git stash create", &stash);
    let git_commit = Reference::new("git add -A, commit", &git_commit);
    table.times(&format!("{name}, record, no sync"), &quick, Some(&stash), goals[0]);
    table.times(&format!("{name}, record"), &synced, Some(&git_commit), "");
    there_and_back(&world, table, name, (&ours, count * 2, n_moves), &git_commit, goals[1])
}

fn timed(action: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let began = Instant::now();
    action()?;
    Ok(began.elapsed())
}

/// The visible commit and its undo, and how long the index is locked in each.
fn there_and_back(
    world: &World,
    table: &mut Table,
    name: &str,
    (top, count, n_moves): (&Path, usize, usize),
    reference: &Reference,
    goal: &str,
) -> Result<()> {
    let locked: Arc<Mutex<(Option<Instant>, Samples)>> = Arc::default();
    let watch = Arc::clone(&locked);
    let at_step = move |step: RescueStep| {
        let mut locked = watch.lock().unwrap();
        // Reached again when the lock was given back because the index was another one.
        if step == RescueStep::Checked {
            locked.0 = Some(Instant::now());
        } else if step == RescueStep::IndexMoved {
            let since = locked.0.take().unwrap().elapsed();
            locked.1.push(since);
        }
    };
    let rescuer = Rescuer { at_step: Some(Box::new(at_step)), ..rescuer(world, true)? };
    let (mut commits, mut undos) = (Samples::default(), Samples::default());
    for number in 0..count {
        // What the index remembers of the files is rewritten, as any `git status` does.
        world.git(top, &["status", "--porcelain"])?;
        let plan = rescuer.plan(top, "rescue: bench\n").map_err(failed)?;
        ensure!(plan.refusal.is_none(), "refused: {:?}", plan.refusal);
        let committed = timed(|| rescuer.commit(top, &plan).map(drop).map_err(failed))?;
        if number % 2 == 0 {
            world.git(top, &["status", "--porcelain"])?;
        }
        let back = rescuer.undo_plan(top).map_err(failed)?;
        let undone = timed(|| rescuer.turn_back(top, &back).map_err(failed))?;
        commits.push(committed);
        undos.push(undone);
    }
    // The lock is taken in the same way each time: by undos and redos alone it is measured often.
    let plan = rescuer.plan(top, "rescue: bench\n").map_err(failed)?;
    rescuer.commit(top, &plan).map_err(failed)?;
    for number in 0..n_moves {
        if number % 3 == 0 {
            world.git(top, &["status", "--porcelain"])?;
        }
        let turn = if number % 2 == 0 { rescuer.undo_plan(top) } else { rescuer.redo_plan(top) };
        rescuer.turn_back(top, &turn.map_err(failed)?).map_err(failed)?;
    }
    table.times(&format!("{name}, visible commit"), &commits, Some(reference), "");
    table.times(&format!("{name}, undo"), &undos, None, "");
    let locked = locked.lock().unwrap().1.clone();
    let name = format!("{name}, index.lock held {} times, at most {}", locked.len(), shown(locked.max()));
    table.times(&name, &locked, None, goal);
    Ok(())
}

/// A record with one large new file: time, and the most memory of the process and of any child.
fn one_large_file(table: &mut Table, kind: &str, size: u64) -> Result<()> {
    let world = World::new()?;
    let top = world.repository("large", 10)?;
    let mut file = fs::File::create(top.join("large"))?;
    if kind == "sparse" {
        file.set_len(size)?;
    } else {
        std::io::copy(&mut std::io::Read::take(fs::File::open("/dev/urandom")?, size), &mut file)?;
    }
    file.flush()?;
    drop(file);
    drop(rescuer(&world, true)?);
    let began = Instant::now();
    let mut child = world
        .command(std::env::current_exe()?)
        .arg(RECORD_ONLY)
        .args([&top, &world.home()])
        .stdout(Stdio::null())
        .spawn()?;
    let (mut own, mut children) = (0, 0);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        own = own.max(peak_kb(child.id()));
        children = children.max(peak_below_kb(child.id()));
        std::thread::sleep(Duration::from_millis(10));
    };
    ensure!(status.success(), "the record failed");
    let name = format!("rescue: {} MiB {kind} file", size >> 20);
    table.value(&format!("{name}, record and preview"), &shown(began.elapsed()), "");
    table.value(
        &format!("{name}, memory"),
        &format!("{} MB, largest child {} MB", own >> 10, children >> 10),
        "≤ 150 MB",
    );
    Ok(())
}

/// The most of any process that came of `pid` and still lives: git has children of its own.
fn peak_below_kb(pid: u32) -> u64 {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let children = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let pids: Vec<u32> =
        children.flat_map(|it| it.split_whitespace().flat_map(str::parse).collect::<Vec<_>>()).collect();
    pids.into_iter().map(|pid| peak_kb(pid).max(peak_below_kb(pid))).max().unwrap_or(0)
}

fn peak_kb(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// What the watched process does: a record and a preview of the first argument, with the second as its home.
/// The large file is allowed, as by a person who was asked.
pub(crate) fn record_only(arguments: &[String]) -> Result<()> {
    let [top, home] = arguments else { anyhow::bail!("{RECORD_ONLY} TOP HOME") };
    let git = closeout::process::find_program("git", std::env::var_os("PATH").as_deref());
    let (git, state) = (git.context("git is not on the PATH")?, Path::new(home).join("state"));
    let rescuer = Rescuer::new(git, Some(PathBuf::from(home)), state);
    let order = RecordOrder { is_size_allowed: true, ..RecordOrder::default() };
    let request = PlanRequest { order, ..PlanRequest::from("rescue: bench\n") };
    rescuer.plan(Path::new(top), request).map(drop).map_err(failed)
}
