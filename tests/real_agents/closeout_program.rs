//! The built `closeout`, run as a person would: in a repository that has nothing to do with the agents,
//! with nothing configured.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::client::Client;
use crate::tmux::Pane;
use crate::wait::{SHOWN, until};
use crate::world::World;

/// The program: the one that was built with this suite, or another one to measure, like a release build.
pub(crate) fn program() -> OsString {
    std::env::var_os("CLOSEOUT_REAL_AGENTS_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_closeout").into())
}

/// Its environment: what a person's shell in a pane of the same tmux would give it.
fn variables(world: &World) -> Result<Vec<(String, OsString)>> {
    let mut variables = world.plain_variables();
    variables.push(("TMUX".to_owned(), world.tmux.variable()?.into()));
    variables.push(("TMUX_PANE".to_owned(), "%0".into()));
    Ok(variables)
}

fn command(world: &World, arguments: &[&str]) -> Result<Command> {
    let mut command = Command::new(program());
    command
        .args(arguments)
        .current_dir(world.at("elsewhere"))
        .env_clear()
        .envs(variables(world)?)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    Ok(command)
}

/// Runs it to its end: its exit code, standard output and standard error.
pub(crate) fn run(world: &World, arguments: &[&str]) -> Result<(Option<i32>, String, String)> {
    let output = command(world, arguments)?.output()?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok((output.status.code(), text(output.stdout), text(output.stderr)))
}

/// The same with the environment that a client has, for what starts one.
pub(crate) fn run_as(
    world: &World,
    client: Client,
    arguments: &[&str],
) -> Result<(Option<i32>, String, String)> {
    let output = Command::new(program())
        .args(arguments)
        .current_dir(world.at("elsewhere"))
        .env_clear()
        .envs(world.variables_of(client))
        .stdin(Stdio::null())
        .output()?;
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok((output.status.code(), out, err))
}

/// `closeout status --json`: the workspace with this path, if it is told.
pub(crate) fn status(world: &World, path: &Path) -> Result<Option<Value>> {
    let (code, out, err) = run(world, &["status", "--json"])?;
    ensure!(code == Some(0), "status --json ended with {code:?}: {err}");
    let mut report: Value = serde_json::from_str(&out).with_context(|| out.clone())?;
    let workspaces = report["workspaces"].as_array_mut().context("no workspaces")?;
    let place = workspaces.iter().position(|row| row["path"] == *path.display().to_string());
    Ok(place.map(|place| workspaces.remove(place)))
}

/// Opens the screen of closeout in a pane.
pub(crate) fn open_screen(world: &World, size: (u16, u16)) -> Result<Pane> {
    open_screen_in(world, "elsewhere", size)
}

/// The same, started in this folder of the world.
pub(crate) fn open_screen_in(world: &World, folder: &str, size: (u16, u16)) -> Result<Pane> {
    let mut variables = variables(world)?;
    variables.retain(|(name, _)| !name.starts_with("TMUX"));
    world.tmux.open(&world.at(folder), size, &variables, &[program().display().to_string()])
}

/// `closeout status --follow --json`, its lines with the moment that each came. Ended with its value.
pub(crate) struct Follow {
    child: Child,
    seen: Arc<Mutex<Vec<Line>>>,
}

/// One line.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) came: Instant,
    pub(crate) json: Value,
}

/// A place in the stream: what comes after it is new.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark(usize);

impl Follow {
    /// Starts it.
    pub(crate) fn start(world: &World) -> Result<Follow> {
        let mut child =
            command(world, &["status", "--follow", "--json"])?.stderr(Stdio::inherit()).spawn()?;
        let stdout = BufReader::new(child.stdout.take().context("its output")?);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let lines = Arc::clone(&seen);
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let came = Instant::now();
                let json = serde_json::from_str(&line).unwrap_or(Value::String(line));
                lines.lock().unwrap_or_else(PoisonError::into_inner).push(Line { came, json });
            }
        });
        let follow = Follow { child, seen };
        follow.wait(Mark(0), &world.at("elsewhere"), "a first line", |_| true)?;
        Ok(follow)
    }

    fn seen(&self) -> MutexGuard<'_, Vec<Line>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The begin of the stream.
    #[expect(clippy::unused_self, reason = "a mark belongs to a stream")]
    pub(crate) fn since_start(&self) -> Mark {
        Mark(0)
    }

    /// The end of the stream now.
    pub(crate) fn mark(&self) -> Mark {
        Mark(self.seen().len())
    }

    /// How many lines came of this workspace since the mark, and the last of them.
    pub(crate) fn since(&self, mark: Mark, path: &Path) -> Vec<Line> {
        let path = path.display().to_string();
        self.seen()[mark.0..].iter().filter(|line| line.json["workspace"]["path"] == *path).cloned().collect()
    }

    /// Waits for a line of this workspace, after the mark, whose row is as wanted.
    pub(crate) fn wait(
        &self,
        mark: Mark,
        path: &Path,
        what: &str,
        is_wanted: impl Fn(&Value) -> bool,
    ) -> Result<Line> {
        self.wait_so_long(SHOWN, mark, path, what, is_wanted)
    }

    /// The same, with another limit.
    pub(crate) fn wait_so_long(
        &self,
        limit: Duration,
        mark: Mark,
        path: &Path,
        what: &str,
        is_wanted: impl Fn(&Value) -> bool,
    ) -> Result<Line> {
        let found = until(what, limit, || {
            self.since(mark, path).into_iter().find(|line| is_wanted(&line.json["workspace"]))
        });
        found.map_err(|error| {
            let told: Vec<String> = self
                .since(mark, path)
                .iter()
                .rev()
                .take(4)
                .rev()
                .map(|line| in_short(&line.json["workspace"]))
                .collect();
            error.context(format!(
                "of {} closeout told since:\n           {}",
                path.display(),
                told.join("\n           ")
            ))
        })
    }
}

impl Drop for Follow {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What matters of a row, in one line, for a report of a failure.
pub(crate) fn in_short(row: &Value) -> String {
    let sessions: Vec<String> = row["sessions"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|session| {
            format!(
                "{} {} {} {} todos {} process {} pane {}",
                session["agent"],
                session["session_id"],
                session["origin"],
                session["activity"],
                session["todos"],
                session["process"],
                session["pane"]
            )
        })
        .collect();
    format!(
        "{} activity {} words {} question {} sessions [{}]",
        row["state"],
        row["activity"],
        row["last_words"]["text"],
        row["question"]["text"],
        sessions.join(" | ")
    )
}

/// What the session does whose words count.
pub(crate) fn does(row: &Value, state: &str) -> bool {
    row["activity"]["state"] == state
}

/// Whether the last words that are told are these.
pub(crate) fn said(row: &Value, words: &str) -> bool {
    row["last_words"]["text"].as_str().is_some_and(|text| text.contains(words))
}
