//! The way of an event: a record grows by one step of its agent, and what that means is judged anew. What was read
//! before must not be read again, however long the session is.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use closeout::agent::Adapter;
use closeout::engine::clock;
use closeout::evidence::{self, CollectContext, collect};
use closeout::judge::weigh::{self, WeighContext, weigh_again};
use closeout::model::{CollectRequest, Parts};
use serde_json::json;

use super::Scope;
use super::collecting::{collect_context, request};
use super::samples::{Samples, thread_cpu};
use super::table::{Reference, Table};
use super::world::World;

/// What agents run, again and again.
const COMMANDS: [&str; 8] = [
    "cargo test --locked 2>&1 | tail -20", "cargo build && cargo clippy", "rg -n reader src | head",
    "npm test -- --ci", "git status --short && git diff --stat", "python -m pytest -q tests/unit",
    "sed -i s/a/b/ src/lib.rs", "ls -la && cat Cargo.toml",
];
/// What persons write.
const PROMPTS: [&str; 5] = [
    "Write the parser and its tests, then run everything",
    "Why does the reader keep a copy of its input?",
    "Fix the failing test in the scanner",
    "go on",
    "Add a section on errors to the README",
];

/// Runs the group.
pub(crate) fn run(scope: &Scope, table: &mut Table) -> Result<()> {
    // The outputs are the same, so that only the length of the session differs.
    session("50 turns, 100 commands", 50, 100, 500, scope, table)?;
    session("1,000 turns, 1,500 commands", 1_000, 1_500, 500, scope, table)?;
    session("1 turn, 1,000 commands", 1, 1_000, 500, scope, table)?;
    session("1,000 turns, 1,500 commands of 4 KB", 1_000, 1_500, 4 << 10, scope, table)
}

/// What a session of so many turns and commands takes for each step more, beside reading it from nothing.
fn session(
    name: &str,
    n_turns: usize,
    n_commands: usize,
    n_bytes: usize,
    scope: &Scope,
    table: &mut Table,
) -> Result<()> {
    let world = World::new()?;
    let top = world.repository("main", 50)?;
    let path = world.transcript(&top);
    fs::create_dir_all(path.parent().context("no parent")?)?;
    let mut lines = Lines { top: &top, n_bytes, count: 0, text: String::new() };
    lines.prompt(0);
    fs::write(&path, lines.taken())?;
    let adapters = vec![Adapter::named("claude", world.home().join(".claude")).context("no adapter")?];
    let context = CollectContext { adapters, ..collect_context(&world) };
    let request = CollectRequest { parts: Parts::WORDS, ..request(&top)? };
    let mut file = OpenOptions::new().append(true).open(&path)?;
    let (mut read, mut weighed) = (evidence::Memory::default(), weigh::Memory::default());
    // As a monitor sees it grow: what one that begins later reads is the end of the record.
    look(&request, &context, &mut read, &mut weighed)?;
    for number in 0..n_commands {
        if number * n_turns / n_commands != (number + 1) * n_turns / n_commands {
            lines.end();
            lines.prompt(number);
        }
        lines.command(number);
        file.write_all(lines.taken().as_bytes())?;
        if number % 50 == 49 {
            look(&request, &context, &mut read, &mut weighed)?;
        }
    }
    let (mut steps, mut fresh) = (Samples::default(), Samples::default());
    for number in 0..scope.pick(400, 40) {
        lines.command(number);
        file.write_all(lines.taken().as_bytes())?;
        steps.push(look(&request, &context, &mut read, &mut weighed)?);
        if number % 50 == 0 {
            let mut read = evidence::Memory::default();
            fresh.push(look(&request, &context, &mut read, &mut weigh::Memory::default())?);
        }
    }
    let reference = Reference::new("its end from nothing", &fresh);
    table.times(&format!("one step more, {name} (CPU)"), &steps, Some(&reference), "≤ 500 µs");
    Ok(())
}

/// Reads the words and weighs them, in CPU time of the thread.
fn look(
    request: &CollectRequest,
    context: &CollectContext,
    read: &mut evidence::Memory,
    weighed: &mut weigh::Memory,
) -> Result<Duration> {
    let context = CollectContext { now: clock::now(), ..context.clone() };
    let weigh_context = WeighContext::new(request.task_kind, &request.policy, &request.settings);
    let before = thread_cpu();
    let sample = weigh_again(collect(request, &context, read)?, &weigh_context, weighed);
    let took = thread_cpu().saturating_sub(before);
    ensure!(sample.session_facts.is_some_and(|facts| facts.agent.is_some()), "no session was read");
    Ok(took)
}

/// Lines of a transcript.
struct Lines<'a> {
    top: &'a Path,
    n_bytes: usize,
    count: usize,
    text: String,
}

impl Lines<'_> {
    fn add(&mut self, kind: &str, more: serde_json::Value) {
        self.count += 1;
        let mut line = json!({"type": kind, "uuid": format!("u{}", self.count), "isSidechain": false,
            "sessionId": "session", "cwd": self.top, "version": "2.1.330",
            "timestamp": "2026-01-02T03:04:05.000Z"});
        if let (Some(line), serde_json::Value::Object(more)) = (line.as_object_mut(), more) {
            line.extend(more);
        }
        let _ = writeln!(self.text, "{line}");
    }

    fn prompt(&mut self, number: usize) {
        let prompt = format!("{}, part {number}", PROMPTS[number % PROMPTS.len()]);
        self.add(
            "user",
            json!({"promptSource": "typed", "origin": {"kind": "human"},
                "message": {"role": "user", "content": prompt}}),
        );
    }

    fn end(&mut self) {
        let id = format!("m{}", self.count);
        self.add(
            "assistant",
            json!({"message": {"id": id, "role": "assistant", "model": "bench-model",
                "stop_reason": "end_turn",
                "content": [{"type": "text", "text": "This part is done. More to do."}]}}),
        );
    }

    fn command(&mut self, number: usize) {
        let (id, call) = (format!("m{}", self.count), format!("t{}", self.count));
        let command = COMMANDS[number % COMMANDS.len()];
        self.add(
            "assistant",
            json!({"message": {"id": id, "role": "assistant", "model": "bench-model",
                "stop_reason": "tool_use", "content": [
                    {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}]}}),
        );
        let line = format!("test part{number}::reads_a_line ... ok\n    at src/part{number}.rs:12\n");
        let output = line.repeat(self.n_bytes / line.len());
        self.add(
            "user",
            json!({"message": {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": call, "content": output, "is_error": false}]},
                "toolUseResult": {"interrupted": false}}),
        );
    }

    /// The lines since the last time.
    fn taken(&mut self) -> String {
        std::mem::take(&mut self.text)
    }
}
