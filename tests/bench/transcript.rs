//! Sessions of agents: the end of a long transcript, what is appended to one, and finding thousands.

use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use closeout::agent::{self, Adapter, Memories, SurveyAsk};
use closeout::model::Timestamp;

use super::Scope;
use super::fleet::said;
use super::samples::{Samples, thread_cpu, time};
use super::table::{Reference, Table};
use super::world::World;

/// The piece that `tail` is asked for: as much as is read of most transcripts.
const TAIL: &str = "65536";
/// Sessions on disk, and how many of them live.
const N_SESSIONS: usize = 2_000;
const N_LIVING: usize = 30;
/// A folder that sessions were begun in has so many.
const N_PER_FOLDER: usize = 20;

/// Runs the group.
pub(crate) fn run(scope: &Scope, table: &mut Table) -> Result<()> {
    ends(scope, table)?;
    discovery(scope, table)
}

fn adapter(world: &World) -> Adapter {
    Adapter::named("claude", world.home().join(".claude")).unwrap()
}

/// What the sessions of a workspace take to be read, with what `memory` knows of them.
fn read(world: &World, top: &Path, memory: &mut Memories) -> Result<Duration> {
    let adapters = [adapter(world)];
    let began = Instant::now();
    let found = agent::sessions(&adapters, top, &[], memory);
    let took = began.elapsed();
    ensure!(found.sessions.iter().any(|session| session.last_message.is_some()), "nothing was read");
    Ok(took)
}

/// The end of a transcript of real lines, by its size.
fn ends(scope: &Scope, table: &mut Table) -> Result<()> {
    let world = World::new()?;
    let count = scope.pick(100, 20);
    let mut small = None;
    for megabytes in scope.pick([5_u64, 500], [5, 50]) {
        let top = world.home().join(format!("project{megabytes}"));
        fs::create_dir(&top)?;
        let path = world.transcript(&top);
        fs::create_dir_all(path.parent().context("no parent")?)?;
        write_lines(&path, megabytes << 20, &top)?;
        let (mut tails, mut opened, mut cpu) = (Samples::default(), Samples::default(), Samples::default());
        for _ in 0..count {
            tails.push(tail_and_parse(&world, &path)?);
            let before = thread_cpu();
            opened.push(read(&world, &top, &mut Memories::default())?);
            cpu.push(thread_cpu().saturating_sub(before));
        }
        let by_tail = Reference::new("tail -c + parse", &tails);
        table.times(&format!("open, {megabytes} MB"), &opened, Some(&by_tail), "ratio ≤ 1");
        table.times(&format!("open, {megabytes} MB (CPU)"), &cpu, small.as_ref(), "ratio ≤ 1.2");
        small = small.or_else(|| Some(Reference::new("open, 5 MB (CPU)", &cpu)));
        follow(&world, &top, &path, megabytes, table)?;
        whole(&path, megabytes, &opened, table);
    }
    Ok(())
}

/// Lines of an agent, up to a size. Each message has an id of its own, as a real one has.
fn write_lines(path: &Path, size: u64, top: &Path) -> Result<()> {
    let filler = "One more step is done, and there is more to do. ".repeat(20);
    let mut file = BufWriter::new(File::create(path)?);
    let (mut written, mut number) = (0, 0);
    while written < size {
        let lines = said(top, &format!("Step {number}. {filler}"));
        file.write_all(lines.as_bytes())?;
        written += lines.len() as u64;
        number += 1;
    }
    file.flush().map_err(Into::into)
}

/// What a script would do: `tail` as a child, and each line as JSON.
fn tail_and_parse(world: &World, path: &Path) -> Result<Duration> {
    let began = Instant::now();
    let output = world.command("tail").args(["-c", TAIL]).arg(path).output()?;
    let mut n_lines = 0;
    for line in output.stdout.split(|byte| *byte == b'\n') {
        n_lines += usize::from(serde_json::from_slice::<serde_json::Value>(line).is_ok());
    }
    ensure!(n_lines > 1, "tail gave no lines");
    Ok(began.elapsed())
}

/// One line more since the last reading, in CPU time of the thread.
fn follow(world: &World, top: &Path, path: &Path, megabytes: u64, table: &mut Table) -> Result<()> {
    let mut memory = Memories::default();
    read(world, top, &mut memory)?;
    let mut file = OpenOptions::new().append(true).open(path)?;
    let mut samples = Samples::default();
    for number in 0..100 {
        file.write_all(said(top, &format!("Step {number} is done.")).as_bytes())?;
        let before = thread_cpu();
        read(world, top, &mut memory)?;
        samples.push(thread_cpu().saturating_sub(before));
    }
    table.times(&format!("follow two lines, {megabytes} MB (CPU)"), &samples, None, "≤ 100 µs");
    Ok(())
}

/// The whole file as JSON, once.
fn whole(path: &Path, megabytes: u64, opened: &Samples, table: &mut Table) {
    let samples = time(1, || {
        let bytes = fs::read(path).unwrap_or_default();
        let lines = bytes.split(|byte| *byte == b'\n');
        let n_lines = lines.filter(|line| serde_json::from_slice::<serde_json::Value>(line).is_ok()).count();
        assert!(n_lines > 1, "no lines");
    });
    let opening = Reference::new("open", opened);
    table.times(&format!("serde_json of all {megabytes} MB"), &samples, Some(&opening), "");
}

/// Processes that live until they are dropped.
struct Living(Vec<Child>);

impl Drop for Living {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Thousands of sessions on disk, of which some live.
fn discovery(scope: &Scope, table: &mut Table) -> Result<()> {
    let world = World::new()?;
    let paths = sessions(&world)?;
    let living = living(&world, &paths)?;
    let adapters = [adapter(&world)];
    let ask = SurveyAsk { since: Timestamp(0), all_of: &[], within: None };
    let (mut first, mut again, mut heads, mut times) =
        (Samples::default(), Samples::default(), Samples::default(), Samples::default());
    for number in 0..=scope.pick(20, 5) {
        let mut memory = Memories::default();
        let cpu = |action: &mut dyn FnMut() -> Result<()>| -> Result<Duration> {
            let before = thread_cpu();
            action()?;
            Ok(thread_cpu().saturating_sub(before))
        };
        let mut look = || -> Result<()> {
            let found = agent::survey(&adapters, &ask, &mut memory).found.len();
            ensure!(found == N_SESSIONS, "{found} sessions were found");
            Ok(())
        };
        let (fresh, kept) = (cpu(&mut look)?, cpu(&mut look)?);
        let by_heads = cpu(&mut || read_heads(&paths))?;
        let by_times = cpu(&mut || look_at_times(&paths))?;
        // The first round warms the page cache.
        if number > 0 {
            first.push(fresh);
            again.push(kept);
            heads.push(by_heads);
            times.push(by_times);
        }
    }
    let what = format!("{N_SESSIONS} sessions, {N_LIVING} live (CPU)");
    let by_heads = Reference::new("8 KiB of each, cwd by serde_json", &heads);
    table.times(&format!("discovery, {what}"), &first, Some(&by_heads), "≤ 150 ms");
    table.times(
        &format!("discovery again, {what}"),
        &again,
        Some(&Reference::new("stat of each", &times)),
        "",
    );
    drop(living);
    Ok(())
}

/// What finding the folders takes at least: the head of each, and a line of it as JSON.
fn read_heads(paths: &[PathBuf]) -> Result<()> {
    for path in paths {
        let mut head = Vec::new();
        std::io::Read::read_to_end(&mut std::io::Read::take(File::open(path)?, 8 << 10), &mut head)?;
        let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let line: serde_json::Value = serde_json::from_slice(line)?;
        ensure!(line["cwd"].is_string(), "no folder");
    }
    Ok(())
}

/// What noticing growth takes at least.
fn look_at_times(paths: &[PathBuf]) -> Result<()> {
    let mut newest = None;
    for path in paths {
        newest = newest.max(path.symlink_metadata()?.modified().ok());
    }
    newest.map(drop).context("no file has a time")
}

/// Writes the sessions, each of about 20 KiB.
fn sessions(world: &World) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for number in 0..N_SESSIONS {
        let top = world.home().join(format!("project{}", number / N_PER_FOLDER));
        let path = world.transcript(&top).with_file_name(format!("session-{number}.jsonl"));
        fs::create_dir_all(path.parent().context("no parent")?)?;
        write_lines(&path, 20 << 10, &top)?;
        paths.push(path);
    }
    Ok(paths)
}

/// Enters the first sessions as those of living processes.
fn living(world: &World, paths: &[PathBuf]) -> Result<Living> {
    let registry = world.home().join(".claude/sessions");
    fs::create_dir_all(&registry)?;
    let mut living = Living(Vec::new());
    for path in paths.iter().take(N_LIVING) {
        let child = world.command("sleep").arg("600").stdin(Stdio::null()).spawn()?;
        let pid = child.id();
        living.0.push(child);
        let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
        let after_name = stat.rsplit_once(')').context("no name in stat")?.1;
        let started_at = after_name.split_whitespace().nth(19).context("no begin in stat")?;
        let id = path.file_stem().context("no name")?.to_string_lossy();
        let entry = serde_json::json!({"pid": pid, "sessionId": id, "procStart": started_at,
            "cwd": world.home(), "kind": "interactive", "entrypoint": "cli", "status": "idle",
            "statusUpdatedAt": 1});
        fs::write(registry.join(format!("{pid}.json")), entry.to_string())?;
    }
    Ok(living)
}
