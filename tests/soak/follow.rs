//! Checks that no verdict is stale: a monitor follows a work tree during random changes, and once it is quiet,
//! what the monitor shows must equal the answer of a fresh `check`.

use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::change;
use super::random::Random;
use super::world::World;

/// How many times a world is changed and then left alone.
const ROUNDS: usize = 5;
/// The largest number of changes in a round; some rounds have a storm of changes.
const CHANGES: usize = 9;
const STORM: usize = 200;
/// How long the monitor may show something other than a fresh check. It looks at a work tree when a turn ends, and every
/// two seconds while a session moves, if a look costs little; a fresh check itself takes its time on a busy machine.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(100);

/// What following a world has shown.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    pub(crate) n_compared: usize,
    pub(crate) n_changes: usize,
    /// The longest time until what was shown was right: after a turn that ended, and during one.
    pub(crate) after_turn: Duration,
    pub(crate) in_turn: Duration,
}

/// The last view that was shown.
type Shown = Arc<Mutex<Option<Value>>>;

/// Follows one new world. In some rounds the turn goes on: what changes the tree then is no tool of the session.
pub(crate) fn world(random: &mut Random, number: u64, followed: &mut Followed) -> Result<()> {
    let world = World::new(random)?;
    let session = Session::begin(&world)?;
    let mut monitor = Monitor::start(&world)?;
    let outcome = (0..ROUNDS).try_for_each(|round| {
        let most = if random.percent(25) { STORM } else { CHANGES };
        for _ in 0..=random.below(most - 1) {
            change::make(&world, random)?;
            followed.n_changes += 1;
            if random.percent(40) {
                session.say(random, false)?;
            }
            if random.percent(30) {
                thread::sleep(Duration::from_millis(random.next() % 60));
            }
        }
        let ends = random.percent(60);
        session.say(random, ends)?;
        let goes_on = || if ends || random.percent(70) { Ok(()) } else { session.say(random, false) };
        let took = compare(&world, &monitor.shown, goes_on).with_context(|| {
            format!("round {round} of world {number} ({:?}), turn over: {ends}", world.kind)
        })?;
        let longest = if ends { &mut followed.after_turn } else { &mut followed.in_turn };
        *longest = took.max(*longest);
        followed.n_compared += 1;
        Ok(())
    });
    // It may have ended by itself, which a comparison has already reported.
    let _ = monitor.child.kill();
    monitor.child.wait()?;
    if outcome.is_err() {
        eprintln!("soak: the world is kept in {}", world.keep().display());
    }
    outcome
}

/// Waits until the monitor shows the answer of a fresh check, and returns how long that took. Does `meanwhile` before
/// each look that follows another.
fn compare(world: &World, shown: &Shown, mut meanwhile: impl FnMut() -> Result<()>) -> Result<Duration> {
    let begun = Instant::now();
    loop {
        let fresh = fresh(world)?;
        let now = shown.lock().ok().and_then(|shown| shown.clone()).map(|view| essence(&view));
        if now.as_ref() == Some(&fresh) {
            return Ok(begun.elapsed());
        }
        if begun.elapsed() > PATIENCE {
            bail!("what is shown is stale:\n{now:#?}\na fresh look says\n{fresh:#?}");
        }
        thread::sleep(PAUSE);
        meanwhile()?;
    }
}

/// The answer of `check` for the world.
fn fresh(world: &World) -> Result<Value> {
    let output = command(world)?.args(["check", "--json"]).stderr(Stdio::inherit()).output()?;
    let answer: Value = serde_json::from_slice(&output.stdout).context("check printed no JSON")?;
    Ok(essence(&answer["workspaces"][0]))
}

/// The state and everything it follows from, without times.
fn essence(view: &Value) -> Value {
    let evidence = view["evidence"].as_array().into_iter().flatten();
    let evidence: Vec<Value> = evidence
        .map(|it| json!([it["source"], it["name"], it["role"], it["claim"], it["rejection"], it["reasons"]]))
        .collect();
    json!({"state": view["state"], "rule": view["rule"], "why": view["why"], "evidence": evidence})
}

fn command(world: &World) -> Result<Command> {
    let root = world.root()?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_closeout"));
    command
        .current_dir(world.top())
        .env_clear()
        .env("HOME", root.join("home"))
        .env("CLOSEOUT_STATE_DIR", root.join("state"))
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("LC_ALL", "C")])
        .stdin(Stdio::null());
    Ok(command)
}

/// A running monitor.
struct Monitor {
    child: Child,
    shown: Shown,
}

impl Monitor {
    fn start(world: &World) -> Result<Monitor> {
        let mut child =
            command(world)?.args(["status", "--follow", "--json"]).stdout(Stdio::piped()).spawn()?;
        let lines = BufReader::new(child.stdout.take().context("no output")?).lines();
        let top = world.top().display().to_string();
        let shown = Shown::default();
        let seen = Arc::clone(&shown);
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let Ok(event) = serde_json::from_str::<Value>(&line) else { continue };
                let view = &event["workspace"];
                if view["path"] == *top
                    && let Ok(mut seen) = seen.lock()
                {
                    *seen = Some(view.clone());
                }
            }
        });
        Ok(Monitor { child, shown })
    }
}

/// A Claude Code session in the world.
struct Session {
    record: PathBuf,
    top: String,
}

impl Session {
    fn begin(world: &World) -> Result<Session> {
        let top = world.top().display().to_string();
        let folder: String =
            top.chars().map(|sign| if sign.is_ascii_alphanumeric() { sign } else { '-' }).collect();
        let folder = world.root()?.join("home/.claude/projects").join(folder);
        fs::create_dir_all(&folder)?;
        let session = Session { record: folder.join("session.jsonl"), top };
        session.write(
            "user",
            &json!({"promptSource": "typed", "origin": {"kind": "human"},
                "message": {"role": "user", "content": "Write the parser and its tests"}}),
        )?;
        Ok(session)
    }

    /// Lets the agent say something; `ends` says whether that ends its turn.
    fn say(&self, random: &mut Random, ends: bool) -> Result<()> {
        let text = *random.one_of(&[
            "The parser is written and all tests pass.", "Which of the two readers do you want?",
            "I have not written the tests yet.", "This part is done.",
        ]);
        let id = format!("m{}", random.next());
        let stop = if ends { "end_turn" } else { "tool_use" };
        self.write(
            "assistant",
            &json!({"message": {"id": id, "role": "assistant", "model": "soak", "stop_reason": stop,
                "content": [{"type": "text", "text": text}]}}),
        )
    }

    fn write(&self, kind: &str, more: &Value) -> Result<()> {
        let mut line = json!({"type": kind, "uuid": format!("{kind}-{}", more["message"]["id"]),
            "isSidechain": false, "sessionId": "session", "cwd": self.top, "version": "2.1.330",
            "timestamp": "2026-01-02T03:04:05.000Z"});
        if let (Some(line), Some(more)) = (line.as_object_mut(), more.as_object()) {
            line.extend(more.clone());
        }
        let mut file = OpenOptions::new().create(true).append(true).open(&self.record)?;
        Ok(writeln!(file, "{line}")?)
    }
}
