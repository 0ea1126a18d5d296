//! The hook that agents wait for: the whole program, from its start to its end.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use super::Scope;
use super::program::closeout;
use super::samples::Samples;
use super::table::{Reference, Table};
use super::world::World;

/// What a person would write without closeout: the same fields, picked by jq.
const WITH_JQ: &str = r#"mkdir -p "$HOME/hooks" && jq -c '{at: now, session_id, hook_event_name, cwd, tool_name, tool_use_id, what: .tool_input.command}' >> "$HOME/hooks/events.jsonl""#;
/// The same without jq: the whole payload.
const WITH_CAT: &str = r#"mkdir -p "$HOME/hooks" && cat >> "$HOME/hooks/events.jsonl""#;

/// Runs the group.
pub(crate) fn run(scope: &Scope, table: &mut Table) -> Result<()> {
    let world = World::new()?;
    let has_jq = closeout::process::find_program("jq", std::env::var_os("PATH").as_deref()).is_some();
    let (script, words) =
        if has_jq { (WITH_JQ, "sh with jq") } else { (WITH_CAT, "sh with cat (no jq here)") };
    let plain = payload("cargo test --workspace", "");
    let large = payload("cargo test", &"x".repeat(1 << 20));
    for (name, payload, goal) in [
        ("closeout hook event", &plain, "≤ 5 ms p50, ≤ 15 ms p99; ratio ≤ 0.1"),
        ("closeout hook event, 1 MB", &large, ""),
    ] {
        let (mut ours, mut shell) = (Samples::default(), Samples::default());
        for _ in 0..scope.pick(300, 30) {
            let event = ["hook", "event", "--agent", "claude"];
            ours.push(time(world.command(closeout()).args(event), payload)?);
            shell.push(time(world.command("sh").args(["-c", script]), payload)?);
        }
        table.times(name, &ours, Some(&Reference::new(words, &shell)), goal);
    }
    ensure!(left_something(&world.home()), "the hook left nothing");
    Ok(())
}

fn payload(command: &str, response: &str) -> String {
    format!(
        r#"{{"session_id":"5e3c6d27-f91a-4d5d-9f33-af66db01304c","transcript_path":"/home/user/.claude/projects/-home-user-project/5e3c6d27.jsonl","cwd":"/home/user/project","permission_mode":"default","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{{"command":"{command}"}},"tool_response":{{"stdout":"{response}"}},"tool_use_id":"toolu_1"}}"#
    )
}

/// From the start of the program until it has ended, as an agent waits for it.
fn time(command: &mut Command, payload: &str) -> Result<Duration> {
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let began = Instant::now();
    let mut child = command.spawn()?;
    child.stdin.take().context("no pipe")?.write_all(payload.as_bytes())?;
    let status = child.wait()?;
    let took = began.elapsed();
    ensure!(status.success(), "the hook failed: {status}");
    Ok(took)
}

fn left_something(home: &Path) -> bool {
    let mut open = vec![home.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.to_string_lossy().contains("hooks/claude/") {
                return true;
            }
        }
    }
    false
}
