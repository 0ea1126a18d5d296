//! `closeout run` with Claude Code: it stalls with its diagnosis, asks and is answered from another terminal's screen,
//! is killed and resumed; a notice of it reaches the outer terminal once; and the figures agree with the log.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::client::Client;
use crate::closeout_program::{self as program, Follow};
use crate::outcome::Tally;
use crate::processes;
use crate::screen::select;
use crate::story::Story;
use crate::wait::{CLIENT, SHOWN, until};
use crate::world::World;
use crate::{gated, loops_screen, outer};

pub(crate) const GROUP: &str = "loop";
/// What Claude Code may do where nobody could allow it.
const ALLOWED: [&str; 3] = ["--", "--allowedTools", "Bash"];

/// The checks; each has a worktree of its own.
pub(crate) fn tell(tally: &mut Tally, programs: &Path, keep: &Path) {
    let mut made = None;
    tally.check(GROUP, "its world is made", || {
        let world = World::new(programs, &[Client::Claude])?;
        let follow = Follow::start(&world)?;
        made = Some((world, follow));
        Ok(())
    });
    let Some((world, follow)) = made else { return };
    tally.check(GROUP, "a run whose points stay ends STALLED with its diagnosis", || stalled(&world));
    tally.check(
        GROUP,
        "a run that asks is answered from another terminal's screen, and ends complete",
        || answered(&world, keep),
    );
    tally.check(GROUP, "a run that is killed leaves no client, and goes on where it was", || killed(&world));
    loops_screen::tell(tally, &world, keep);
    outer::tell(tally, &world);
    let mut story = Story { tally, client: Client::Claude, world, follow };
    gated::tell(&mut story);
    let Story { tally, world, .. } = story;
    tally.check(GROUP, "the figures of `stats` are those of the log", || counted(&world));
}

/// A run of Claude Code in this worktree.
fn run(world: &World, worktree: &str, prompt: &str) -> Result<Child> {
    let folder = world.at(worktree).display().to_string();
    let words =
        ["run", "-C", &folder, "--agent", "claude", "--prompt", prompt, "--deadline", "90s", "--json"];
    spawned(world, &[&words[..], &ALLOWED].concat())
}

fn spawned(world: &World, words: &[&str]) -> Result<Child> {
    Command::new(program::program())
        .args(words)
        .current_dir(world.at("elsewhere"))
        .env_clear()
        .envs(world.variables_of(Client::Claude))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("closeout run")
}

/// Whether a line of Claude Code's records matches.
fn is_in_records(world: &World, pattern: &str) -> bool {
    let mut record = Command::new("grep");
    record.args(["-rqs", pattern]).arg(Client::Claude.conversations(&world.home()));
    record.status().is_ok_and(|status| status.success())
}

/// Its exit code and its lines, once it has ended.
fn ended(mut child: Child) -> Result<(Option<i32>, Vec<Value>)> {
    let waited = until("the end of the run", CLIENT * 2, || child.try_wait().ok().flatten());
    if waited.is_err() {
        let _ = child.kill();
    }
    let output = child.wait_with_output()?;
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    waited.with_context(|| out.clone())?;
    let lines: Vec<Value> = out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    ensure!(!lines.is_empty(), "{out}{}", String::from_utf8_lossy(&output.stderr));
    Ok((output.status.code(), lines))
}

fn stalled(world: &World) -> Result<()> {
    let (code, lines) = ended(run(world, "supervised", "Polish the counter.")?)?;
    let result = lines.last().context("no result")?;
    ensure!(code == Some(51) && result["status"] == "stalled", "{code:?}: {result}");
    ensure!(result["verdict"] == "STALLED" && result["iterations"] == 3, "{result}");
    ensure!(result["repeated"].to_string().contains("the counter has no lock"), "{result}");
    // The third prompt quotes what came back.
    ensure!(is_in_records(world, "smallest change"), "it was not asked for the smallest change");
    Ok(())
}

fn answered(world: &World, keep: &Path) -> Result<()> {
    let tmux = &world.tmux;
    let screen = program::open_screen_in(world, "shop", (80, 24))?;
    let run = run(world, "helped", "Paint the counter.")?;
    let asks = |shown: &str| shown.contains("asks: Which colour");
    tmux.wait_for(&screen, "the question of the run", CLIENT, asks)?;
    crate::together::kept(keep, "loop-question-80x24", &tmux.screen(&screen));
    select(world, &screen, "helped", "i answer")?;
    tmux.press(&screen, "i")?;
    tmux.wait_for(&screen, "the box", SHOWN, |shown| shown.contains("handed to the supervised run"))?;
    tmux.type_text(&screen, "blue")?;
    let counts = |shown: &str| shown.contains("blue") && shown.contains("Enter send");
    tmux.wait_for(&screen, "that Enter counts", SHOWN, counts)?;
    tmux.press(&screen, "Enter")?;
    let (code, lines) = ended(run)?;
    let result = lines.last().context("no result")?;
    ensure!(code == Some(0) && result["status"] == "complete" && result["new_commits"] == 1, "{result}");
    ensure!(lines.iter().any(|line| line["event"] == "answered"), "{lines:?}");
    tmux.close(&screen);
    Ok(())
}

fn killed(world: &World) -> Result<()> {
    let prompt = "Lift the counter.";
    let child = run(world, "killed", prompt)?;
    until("the second iteration", CLIENT, || {
        is_in_records(world, "Lift the counter.*Iteration 2 of").then_some(())
    })?;
    let clients = processes::below(child.id());
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).context("no process")?;
    kill_process(pid, Signal::KILL)?;
    let output = child.wait_with_output()?;
    ensure!(output.status.code().is_none(), "it ended by itself: {output:?}");
    let left = || processes::of_home(&world.home()).into_iter().filter(|pid| clients.contains(pid));
    until("the end of the client", Duration::from_secs(10), || left().next().is_none().then_some(()))
        .with_context(|| left().map(processes::command_line).collect::<Vec<_>>().join("\n"))?;
    let folder = world.at("killed").display().to_string();
    let (code, lines) = ended(spawned(world, &["run", "-C", &folder, "--resume", "--json"])?)?;
    let result = lines.last().context("no result")?;
    ensure!(code == Some(0) && result["status"] == "complete", "{lines:?}");
    ensure!(lines[0]["is_resumed"] == true, "{}", lines[0]);
    ensure!(result["iterations"] == 2 && result["new_commits"] == 2, "{result}");
    ensure!(is_in_records(world, "the command was cut off"), "it was not told that it was cut off");
    Ok(())
}

/// Each figure, counted here from the lines of the log.
fn counted(world: &World) -> Result<()> {
    let (_, log, err) = program::run(world, &["log", "--all", "--json", "--since", "1h"])?;
    let lines: Vec<Value> = log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    ensure!(!lines.is_empty(), "no log: {err}");
    let (_, figures, err) = program::run(world, &["stats", "--json"])?;
    let figures: Value = serde_json::from_str(&figures).with_context(|| err)?;
    let all = &figures["all"];
    let count = |is_one: &dyn Fn(&Value) -> bool| lines.iter().filter(|line| is_one(line)).count();
    let event = |name: &'static str| move |line: &Value| line["event"] == name;
    let kind = |name: &'static str| move |line: &Value| line["kind"] == name;
    let counts = [
        ("iterations", count(&event("iteration"))),
        ("gate_blocks", count(&kind("gate"))),
        ("gate_passes", count(&event("gate_passed"))),
        ("rescues", count(&kind("rescue"))),
        ("replies", count(&kind("reply"))),
        ("completed", count(&|line| event("verdict")(line) && line["state"] == "COMPLETE")),
    ];
    for (name, n) in counts {
        ensure!(n > 0 && all[name] == n, "{name}: {n} in the log, {} in stats", all[name]);
    }
    let mut runs: BTreeMap<&str, usize> = BTreeMap::new();
    for line in lines.iter().filter(|line| event("run_ended")(line)) {
        *runs.entry(line["status"].as_str().unwrap_or_default()).or_default() += 1;
    }
    ensure!(runs.len() == 2 && runs["stalled"] == 1 && runs["complete"] == 2, "{runs:?}");
    ensure!(serde_json::to_value(&runs)? == all["runs"], "{runs:?} in the log, {} in stats", all["runs"]);
    // 3 of the run that stalled, 2 of the one that asked, 2 of the one that was killed, whose cut one never ended.
    ensure!(all["iterations"] == 7 && all["gate_blocks"].as_u64() >= Some(2), "{all}");
    ensure!(all["rescues"] == 2 && all["rescued"] == 2 && all["replies"] == 1, "{all}");
    ensure!(figures["agents"]["claude"]["iterations"] == all["iterations"], "{figures}");
    Ok(())
}
