//! A person answers with `closeout reply`: a session at its screen, then the same session when nobody has it
//! open. The words must stand in the agent's own record.

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::client::Client;
use crate::closeout_program::{self as program, does, in_short, said};
use crate::story::Story;
use crate::tmux::Pane;
use crate::wait::CLIENT;

/// What the model asks, and what it says to the answer (`mock_model/script.json`).
const ASK: &str = "形式を決めて";
const QUESTION: &str = "どちらにしますか";
const ANSWERED: &str = "2番を選びました";

/// The checks at the screen; the client is idle before and after.
pub(crate) fn at_its_screen(story: &mut Story<'_>, pane: &Pane) {
    story.check("a question in Japanese is answered with `2`, and the reply is consumed", |story| {
        answer(story, pane)
    });
    if let Some((column, keys)) = story.client.input_box() {
        story.check("a draft in its box is not sent with a reply, and stays", |story| {
            draft(story, pane, column, keys)
        });
    }
    if story.client == Client::Claude {
        story.check(
            "an option of its dialog is chosen by its key, and words are not typed into it",
            |story| dialog(story, pane),
        );
        story.check(
            "a dialog with several questions, or of which several can be chosen, is shown whole",
            |story| dialogs_for_its_pane(story, pane),
        );
    }
    if let Some(command) = story.client.begins_anew() {
        story.check("a reply does not reach another session that its screen shows now", |story| {
            elsewhere(story, pane, command)
        });
    }
}

/// The check for a session whose screen was closed.
pub(crate) fn not_open(story: &mut Story<'_>) {
    match story.client {
        Client::Claude | Client::Opencode => {
            story.check("a session that is not open is gone on with by a reply", resume);
        }
        Client::Gemini | Client::Codex => {}
    }
}

fn answer(story: &Story<'_>, pane: &Pane) -> Result<Option<(&'static str, f64)>> {
    let mark = story.follow.mark();
    story.world.prompt(pane, ASK)?;
    story.follow.wait(mark, &story.path(), "the question", |row| {
        does(row, "idle") && row["question"]["text"].as_str().is_some_and(|text| text.contains(QUESTION))
    })?;
    let mark = story.follow.mark();
    let told = reply(story, "2")?;
    ensure!(told["receipt"]["state"] == "consumed", "{told}");
    story.follow.wait(mark, &story.path(), "the answer", |row| does(row, "idle") && said(row, ANSWERED))?;
    Ok(None)
}

/// Somebody's half-written words stand in the box, the cursor behind them or before them.
fn draft(
    story: &Story<'_>,
    pane: &Pane,
    begin: usize,
    keys: [&str; 2],
) -> Result<Option<(&'static str, f64)>> {
    const DRAFT: &str = "half a draft of mine";
    let limit = std::time::Duration::from_secs(20);
    let tmux = &story.world.tmux;
    tmux.type_text(pane, DRAFT)?;
    tmux.wait_for(pane, "the draft", limit, |shown| shown.contains(DRAFT))?;
    for (key, column) in keys.into_iter().zip([begin + DRAFT.len(), begin]) {
        tmux.press(pane, key)?;
        tmux.wait_for_column(pane, column, limit)?;
        // There is no plan for it, and so nothing is told but why.
        let (code, out, err) = replied(story, "2")?;
        ensure!(code == Some(20) && err.contains("hold somebody's text"), "{code:?} {out}{err}");
        ensure!(tmux.screen(pane).contains(DRAFT), "{}", tmux.screen(pane));
    }
    tmux.press(pane, keys[0])?;
    tmux.press(pane, "C-u")?;
    tmux.wait_for(pane, "an empty box", limit, |shown| !shown.contains(DRAFT))?;
    answer(story, pane)
}

/// Waits until the session asks by its tool.
fn ask(story: &Story<'_>, pane: &Pane, prompt: &str, last: &str) -> Result<Value> {
    let mark = story.follow.mark();
    story.world.prompt(pane, prompt)?;
    story.world.tmux.wait_for(pane, "the dialog", CLIENT, |shown| shown.contains("Enter to select"))?;
    let line = story.follow.wait(mark, &story.path(), "its questions", |row| {
        let questions = row["sessions"][0]["asks"]["questions"].as_array().cloned().unwrap_or_default();
        does(row, "asks") && questions.last().is_some_and(|question| question["text"] == last)
    })?;
    Ok(line.json["workspace"]["sessions"][0]["asks"].clone())
}

fn dialog(story: &Story<'_>, pane: &Pane) -> Result<Option<(&'static str, f64)>> {
    let tmux = &story.world.tmux;
    let asks = ask(story, pane, "Ask me", "Which database should I use?")?;
    let option = |place: usize| &asks["questions"][0]["options"][place];
    ensure!(option(0)["label"] == "PostgreSQL" && option(1)["description"] == "A file", "{asks}");
    // Words of a person; and a key while somebody writes an answer in the dialog's own field.
    let (code, out, err) = replied(story, "use the second one")?;
    ensure!(code == Some(20) && err.contains("by number or name"), "{code:?} {out}{err}");
    for _ in 0..2 {
        tmux.press(pane, "Down")?;
    }
    let limit = std::time::Duration::from_secs(20);
    tmux.wait_for(pane, "the field", limit, |shown| shown.contains("❯ 3."))?;
    // A field that lost keys is left and entered again.
    tmux.type_until_shown(pane, "mine", "❯ 3. mine", || {
        tmux.press(pane, "C-u")?;
        tmux.press(pane, "Up")?;
        tmux.wait_for(pane, "an option", limit, |shown| shown.contains("❯ 2. SQLite"))?;
        tmux.press(pane, "Down")?;
        tmux.wait_for(pane, "the field", limit, |shown| shown.contains("❯ 3."))
    })?;
    let (code, out, err) = replied(story, "2")?;
    ensure!(code == Some(20) && err.contains("in its pane"), "{code:?} {out}{err}");
    ensure!(tmux.screen(pane).contains("❯ 3. mine"), "{}", tmux.screen(pane));
    tmux.press(pane, "Up")?;
    tmux.wait_for(pane, "an option", limit, |shown| shown.contains("❯ 2. SQLite"))?;
    let mark = story.follow.mark();
    let told = reply(story, "2")?;
    ensure!(told["receipt"]["state"] == "consumed", "{told}");
    let records = story.client.records(&story.world.home()).with_file_name("projects");
    let answers = answers_in(&records)?;
    ensure!(answers.last().is_some_and(|answer| answer == "SQLite"), "{answers:?}");
    story.follow.wait(mark, &story.path(), "the end of the turn", |row| {
        does(row, "idle") && said(row, "I took the first.")
    })?;
    Ok(None)
}

/// What was answered to the question in the client's own records, in the order of the lines.
fn answers_in(records: &std::path::Path) -> Result<Vec<String>> {
    let mut answers = Vec::new();
    for folder in std::fs::read_dir(records)? {
        for file in std::fs::read_dir(folder?.path())?.filter_map(Result::ok) {
            let text = std::fs::read_to_string(file.path()).unwrap_or_default();
            let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            answers.extend(lines.filter_map(|line| {
                Some(line["toolUseResult"]["answers"]["Which database should I use?"].as_str()?.to_owned())
            }));
        }
    }
    Ok(answers)
}

fn dialogs_for_its_pane(story: &Story<'_>, pane: &Pane) -> Result<Option<(&'static str, f64)>> {
    for (prompt, last, n_questions, why) in [
        ("Ask two things", "Which port should I use?", 2, "several questions at once"),
        ("Ask for several", "Which parts do you want?", 1, "several options can be chosen together"),
    ] {
        let asks = ask(story, pane, prompt, last)?;
        ensure!(asks["questions"].as_array().is_some_and(|all| all.len() == n_questions), "{asks}");
        let mark = story.follow.mark();
        let before = story.world.tmux.screen(pane);
        let (code, out, err) = replied(story, "1")?;
        ensure!(code == Some(20) && err.contains("answer it in its pane"), "{code:?} {out}{err}");
        let plan = looked(story)?;
        ensure!(plan["channel"]["kind"] == "nowhere" && plan["pane"].is_object(), "{plan}");
        ensure!(plan["warnings"][0].as_str().is_some_and(|words| words.contains(why)), "{plan}");
        ensure!(story.world.tmux.screen(pane) == before, "its screen changed");
        story.world.tmux.press(pane, "Escape")?;
        story.follow.wait(mark, &story.path(), "the end of the turn", |row| does(row, "idle"))?;
    }
    Ok(None)
}

/// How a reply would go.
fn looked(story: &Story<'_>) -> Result<Value> {
    let path = story.path().display().to_string();
    let (code, out, err) = program::run_as(&story.world, story.client, &["reply", &path, "--json"])?;
    ensure!(code == Some(0), "closeout reply ended with {code:?}: {out}{err}");
    let json: Value = serde_json::from_str(&out).with_context(|| format!("{out}{err}"))?;
    Ok(json["plan"].clone())
}

/// The same screen goes on to another session, and the person's is still the one that is known.
fn elsewhere(story: &Story<'_>, pane: &Pane, command: &str) -> Result<Option<(&'static str, f64)>> {
    let limit = std::time::Duration::from_secs(20);
    let tmux = &story.world.tmux;
    tmux.type_text(pane, command)?;
    tmux.wait_for(pane, "the command", limit, |shown| shown.contains(command))?;
    let old = |shown: &str| shown.contains(ANSWERED);
    ensure!(old(&tmux.screen(pane)), "{}", tmux.screen(pane));
    tmux.accept(pane, old)?;
    let (code, out, err) = replied(story, "2")?;
    ensure!(code == Some(20) && err.contains("another session"), "{code:?} {out}{err}");
    Ok(None)
}

fn resume(story: &Story<'_>) -> Result<Option<(&'static str, f64)>> {
    let mark = story.follow.since_start();
    story
        .follow
        .wait(mark, &story.path(), "its end", |row| row["sessions"][0]["activity"]["state"] == "gone")?;
    let mark = story.follow.mark();
    let told = reply(story, "Fix the parser")?;
    ensure!(told["plan"]["channel"]["kind"] == "resume", "{told}");
    ensure!(told["receipt"]["state"] == "consumed", "{told}");
    let words = "I fixed the parser and all 12 tests pass.";
    let line = story.follow.wait(mark, &story.path(), "the answer", |row| said(row, words))?;
    let row = &line.json["workspace"];
    ensure!(row["sessions"][0]["prompt"] == "Fix the parser", "{}", in_short(row));
    Ok(None)
}

/// Runs `closeout reply` on the client's worktree, with the environment that the client has.
fn reply(story: &Story<'_>, text: &str) -> Result<Value> {
    let (code, out, err) = replied(story, text)?;
    ensure!(code == Some(0), "closeout reply ended with {code:?}: {out}{err}");
    serde_json::from_str(&out).with_context(|| format!("{out}{err}"))
}

/// The same: its exit code, and what it printed and complained of.
fn replied(story: &Story<'_>, text: &str) -> Result<(Option<i32>, String, String)> {
    let path = story.path().display().to_string();
    let row = program::status(&story.world, &story.path())?.context("not told")?;
    let session = row["sessions"][0]["session_id"].as_str().unwrap_or_default().to_owned();
    let arguments = ["reply", &path, text, "--session", &session, "--yes", "--json", "--wait", "20"];
    program::run_as(&story.world, story.client, &arguments)
}
