//! What one client does in its own worktrees, and what closeout is to say of it. Each check begins where the
//! one before it left the client, and leaves it idle.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::client::Client;
use crate::closeout_program::{self as program, Follow, Mark, does, in_short, said};
use crate::outcome::{Tally, skip};
use crate::tmux::Pane;
use crate::wait::{CLIENT, QUIET, until};
use crate::witness::Witness;
use crate::world::World;

/// A client at its screen, and closeout beside it.
pub(crate) struct Story<'a> {
    pub(crate) tally: &'a mut Tally,
    pub(crate) client: Client,
    pub(crate) world: World,
    pub(crate) follow: Follow,
}

/// A delay that a check measured.
type Measured = Option<(&'static str, f64)>;

impl Story<'_> {
    /// Makes one check, and keeps what it measured.
    pub(crate) fn check(&mut self, name: &str, make: impl FnOnce(&Self) -> Result<Measured>) -> bool {
        let group = self.client.name();
        let mut measured = None;
        let empty = Tally::new(self.tally.begun);
        let mut tally = std::mem::replace(self.tally, empty);
        let is_passed = tally.check(group, name, || {
            measured = make(self)?;
            Ok(())
        });
        *self.tally = tally;
        if let Some((what, ms)) = measured {
            self.tally.measured(format!("{group:<9} {what:<12} {ms:7.1} ms"));
        }
        is_passed
    }

    /// The worktree that bears the client's name.
    pub(crate) fn path(&self) -> PathBuf {
        self.world.at(self.client.name())
    }

    /// Gives the client a prompt and waits for a row of its worktree. Measures the time from the agent's
    /// write of `words` to the line.
    fn prompt_and_see(
        &self,
        pane: &Pane,
        prompt: &str,
        (what, words): (&'static str, &str),
        is_wanted: impl Fn(&Value) -> bool,
    ) -> Result<Measured> {
        let mark = self.follow.mark();
        let witness = Witness::start(&self.client.records(&self.world.home()), words);
        self.world.prompt(pane, prompt)?;
        let line = self.follow.wait(mark, &self.path(), what, is_wanted)?;
        Ok(delay(what, witness, line.came))
    }
}

fn delay(what: &'static str, witness: Witness, came: Instant) -> Measured {
    let written = witness.found(came)?;
    let ms = came.saturating_duration_since(written).as_secs_f64() * 1000.0;
    Some((what, ms))
}

/// The words that the client writes first when a turn begins.
fn begins(client: Client) -> &'static str {
    match client {
        Client::Claude => r#""status":"busy""#,
        Client::Codex => "task_started",
        Client::Opencode | Client::Gemini => "Slow and steady",
    }
}

/// The words that the client writes when a turn with this answer is over.
fn ends(client: Client, answer: &str) -> &str {
    match client {
        Client::Claude => r#""status":"idle""#,
        Client::Codex => "task_complete",
        Client::Opencode | Client::Gemini => answer,
    }
}

const TODOS: &str = "its todo list is told with its progress";
const ONCE: &str = "`status --json` tells the same as the stream";

/// The whole story of a client.
pub(crate) fn tell(story: &mut Story<'_>) {
    let client = story.client;
    let mut pane = None;
    let is_started = story.check("starts against the mock model", |story| {
        pane = Some(story.world.start(client, client.name(), &[])?);
        Ok(None)
    });
    let Some(pane) = pane.filter(|_| is_started) else {
        story.tally.skip(client.name(), "all that needs the client at its screen");
        return;
    };
    turns(story, &pane);
    waits(story, &pane);
    if client == Client::Gemini {
        // With no process known, the newest of several sessions is not always the one that was asked last.
        story.check(TODOS, |story| todos(story, &pane));
        story.check(ONCE, once);
    }
    crate::replies::at_its_screen(story, &pane);
    crate::others::tell(story, &pane);
    crate::asked::at_its_screen(story);
    story.world.tmux.close(&pane);
    crate::replies::not_open(story);
    crate::asked::not_open(story);
    if client != Client::Gemini {
        // After the questions: an agent with open points on its list is not asked whether it is done.
        let mut pane = None;
        story.check(TODOS, |story| todos(story, pane.insert(story.world.start(client, client.name(), &[])?)));
        story.check(ONCE, once);
        if let Some(pane) = pane {
            story.world.tmux.close(&pane);
        }
    }
    crate::server::tell(story);
    crate::hooks::tell(story);
    crate::gated::tell(story);
    crate::supervised::tell(story);
    crate::killed::tell(story);
}

fn turns(story: &mut Story<'_>, pane: &Pane) {
    let client = story.client;
    let from = story.follow.mark();
    story.check("is found in its own worktree without configuration, and works while it answers", |story| {
        story.prompt_and_see(pane, "Slow and steady", ("working", begins(client)), |row| {
            row["agent"] == client.name() && does(row, "working")
        })
    });
    story.check("is idle with its last words when the turn is over", |story| {
        let answer = "A slow answer has come to its end.";
        let witness = Witness::start(&client.records(&story.world.home()), ends(client, answer));
        let line = story.follow.wait(from, &story.path(), "idle after the slow answer", |row| {
            does(row, "idle") && said(row, answer)
        })?;
        Ok(delay("idle", witness, line.came))
    });
    story.check("the words of the next turn take the place of the old ones", |story| {
        let ending = ends(client, "I fixed the parser");
        story.prompt_and_see(pane, "Fix the parser", ("last words", ending), |row| {
            does(row, "idle") && said(row, "I fixed the parser and all 12 tests pass.")
        })
    });
    story.check("a question in its last words is told as one", |story| {
        let ending = ends(client, "I see two ways");
        story.prompt_and_see(pane, "Plan the format", ("question", ending), |row| {
            row["question"]["text"]
                .as_str()
                .is_some_and(|text| text.contains("Which of the two would you like?"))
                && row["attention"] == "asks"
                && row["state"] == "AWAITING_RESPONSE"
        })
    });
}

fn waits(story: &mut Story<'_>, pane: &Pane) {
    let client = story.client;
    match client {
        Client::Claude | Client::Opencode => {
            story.check("a question that it asks by a tool is told while it waits", |story| {
                asks_by_tool(story, pane)
            });
        }
        // Neither has such a tool in the mode that it starts in.
        Client::Codex | Client::Gemini => {}
    }
    let name = match client {
        Client::Opencode => "while it waits for a leave it is not told as idle (no record of it tells more)",
        Client::Claude | Client::Codex | Client::Gemini => "needs permission, told without hooks",
    };
    story.check(name, |story| permission(story, pane));
}

fn asks_by_tool(story: &Story<'_>, pane: &Pane) -> Result<Measured> {
    let words = match story.client {
        Client::Claude => "input needed",
        Client::Codex | Client::Opencode | Client::Gemini => "Which database should I use?",
    };
    let measured = story.prompt_and_see(pane, "Ask me", ("asks", words), |row| {
        does(row, "asks")
            && [&row["question"]["text"], &row["activity"]["detail"]]
                .into_iter()
                .any(|text| text.as_str().is_some_and(|text| text.contains("Which database")))
    });
    let is_shown = |shown: &str| shown.contains("PostgreSQL");
    story.world.tmux.wait_for(pane, "the question", CLIENT, is_shown)?;
    let mark = story.follow.mark();
    let is_open = |shown: &str| shown.contains("SQLite");
    story.world.tmux.accept(pane, is_open)?;
    let answered = story.follow.wait(mark, &story.path(), "idle after the answer", |row| {
        does(row, "idle") && said(row, "I took the first.")
    });
    let measured = measured?;
    answered?;
    Ok(measured)
}

fn permission(story: &Story<'_>, pane: &Pane) -> Result<Measured> {
    let client = story.client;
    let mark = story.follow.mark();
    let words = if client == Client::Claude { "permission prompt" } else { "no such words" };
    let witness = Witness::start(&client.records(&story.world.home()), words);
    story.world.prompt(pane, "Run the tool")?;
    story
        .world
        .tmux
        .wait_for(pane, "the prompt for a leave", CLIENT, |shown| client.is_asking_for_leave(shown))?;
    let told = if client == Client::Opencode {
        let idle = story.follow.wait_so_long(QUIET, mark, &story.path(), "idle", |row| {
            does(row, "idle") && said(row, "I'll run it")
        });
        ensure!(idle.is_err(), "told as idle: {}", in_short(&idle?.json["workspace"]));
        Ok(None)
    } else {
        story
            .follow
            .wait(mark, &story.path(), "needs permission", |row| does(row, "needs_permission"))
            .map(|line| delay("permission", witness, line.came))
    };
    let mark = story.follow.mark();
    story.world.tmux.accept(pane, |shown| client.is_asking_for_leave(shown))?;
    let granted = story.follow.wait(mark, &story.path(), "idle after the leave", |row| {
        does(row, "idle") && said(row, "The tool has run.")
    });
    let told = told?;
    granted?;
    Ok(told)
}

fn todos(story: &Story<'_>, pane: &Pane) -> Result<Measured> {
    let is_told = |row: &Value| {
        let todos = &row["sessions"][0]["todos"];
        does(row, "idle")
            && said(row, "The plan is made.")
            && todos["n_done"] == 1
            && todos["n_all"] == 3
            && todos["active"].as_str().is_some_and(|text| text.contains("Fix the parser"))
    };
    let mark = story.follow.mark();
    let words = ends(story.client, "The plan is made.");
    let witness = Witness::start(&story.client.records(&story.world.home()), words);
    story.world.prompt(pane, "Make a plan")?;
    if story.client == Client::Gemini {
        // It asks for the leave to write its own list.
        let asks = |shown: &str| story.client.is_asking_for_leave(shown);
        story.world.tmux.wait_for(pane, "the prompt for a leave", CLIENT, asks)?;
        story.world.tmux.accept(pane, asks)?;
    }
    let line = story.follow.wait(mark, &story.path(), "todos", is_told)?;
    Ok(delay("todos", witness, line.came))
}

fn once(story: &Story<'_>) -> Result<Measured> {
    let row = program::status(&story.world, &story.path())?.context("the worktree is not told")?;
    ensure!(row["agent"] == story.client.name() && does(&row, "idle"), "{}", in_short(&row));
    ensure!(said(&row, "The plan is made."), "{}", in_short(&row));
    let version = &row["sessions"][0]["version"];
    ensure!(*version == story.client.version() || version.is_null(), "it is told as version {version}");
    Ok(None)
}

/// Waits until what closeout tells of a worktree is as wanted, with the last lines if it never is.
pub(crate) fn see(
    story: &Story<'_>,
    worktree: &str,
    mark: Mark,
    what: &str,
    is_wanted: impl Fn(&Value) -> bool,
) -> Result<Value> {
    let line = story.follow.wait(mark, &story.world.at(worktree), what, is_wanted)?;
    Ok(line.json["workspace"].clone())
}

/// Fails as skipped where closeout has no such command yet.
pub(crate) fn needs_command(story: &Story<'_>, command: &str) -> Result<()> {
    let (code, _, complaint) = program::run(&story.world, &["help", command])?;
    if code != Some(0) && complaint.contains("unrecognized subcommand") {
        return Err(skip(format!("this closeout has no command `{command}`")));
    }
    Ok(())
}

/// Waits for the end of a client without a screen.
pub(crate) fn ended(mut child: std::process::Child) -> Result<()> {
    let status = until("the end of the client", CLIENT, || child.try_wait().ok().flatten());
    if status.is_err() {
        let _ = child.kill();
    }
    let _ = child.wait();
    status.map(drop)
}
