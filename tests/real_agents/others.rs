//! Sessions beside the person's: a second one in the same worktree, one without a screen, a copy, a probe, a
//! subagent.

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::client::Client;
use crate::closeout_program::{does, in_short, said};
use crate::story::{Story, ended, see};
use crate::tmux::Pane;
use crate::wait::until;

/// The checks.
pub(crate) fn tell(story: &mut Story<'_>, pane: &Pane) {
    story.check("a probe changes nothing of what is told of the session, and is not told", probe);
    story.check("a session without a screen is told as one", headless);
    story.check("a copy of a session without a screen is told as what it is", fork);
    if story.client == Client::Claude {
        story.check("a subagent is told under its session", |story| subagent(story, pane));
    }
    story.check("two sessions in one worktree are both told", second);
}

fn sessions(row: &Value) -> &[Value] {
    row["sessions"].as_array().map_or(&[], Vec::as_slice)
}

/// The row of the person's worktree as it was told last, and the id of the session in it.
fn person(story: &Story<'_>) -> Result<(Value, String)> {
    let row = crate::closeout_program::status(&story.world, &story.path())?.context("not told")?;
    let id = sessions(&row).first().context("no session is told")?["session_id"].as_str().unwrap_or_default();
    let id = id.to_owned();
    Ok((row, id))
}

fn probe(story: &Story<'_>) -> Result<Option<(&'static str, f64)>> {
    let (before, id) = person(story)?;
    let Some(command) = story.client.probe(&id, "Long probe of the state") else { return Ok(None) };
    let mark = story.follow.mark();
    let child = story.world.spawn(story.client, story.client.name(), &command)?;
    let n_asked = || story.world.mock.n_requests("Long probe");
    until("the probe at the model", crate::wait::CLIENT, || (n_asked() > 0).then_some(()))?;
    // While the probe runs, and when it has ended, the session is the person's alone.
    let during = person(story)?.0;
    ended(child)?;
    let after = person(story)?.0;
    for row in [&during, &after] {
        ensure!(sessions(row).len() == sessions(&before).len(), "{}", in_short(row));
        let is_same = row["last_words"]["text"] == before["last_words"]["text"];
        ensure!(does(row, "idle") && is_same, "{}", in_short(row));
    }
    let wrong = story.follow.since(mark, &story.path()).into_iter().find(|line| {
        let row = &line.json["workspace"];
        !does(row, "idle") || sessions(row).len() != sessions(&before).len()
    });
    ensure!(
        wrong.is_none(),
        "told: {}",
        wrong.map(|line| in_short(&line.json["workspace"])).unwrap_or_default()
    );
    Ok(None)
}

fn headless(story: &Story<'_>) -> Result<Option<(&'static str, f64)>> {
    let mark = story.follow.mark();
    story.world.run(story.client, "headless", &story.client.headless("Headless work"))?;
    see(story, "headless", mark, "a session without a screen", |row| {
        said(row, "Done without a screen.") && sessions(row)[0]["origin"]["kind"] != "person"
    })?;
    Ok(None)
}

fn fork(story: &Story<'_>) -> Result<Option<(&'static str, f64)>> {
    let (_, id) = person(story)?;
    let Some(command) = story.client.fork(&id, "Forked work") else { return Ok(None) };
    let mark = story.follow.mark();
    story.world.run(story.client, story.client.name(), &command)?;
    // Until its first lines are read nothing tells what it is, which is no claim that a person began it.
    let is_copy = |session: &&Value| session["session_id"] != *id && session["session_id"] != Value::Null;
    let row = see(story, story.client.name(), mark, "the copy", |row| {
        let mut copies = sessions(row).iter().filter(is_copy);
        copies.any(|copy| matches!(copy["origin"]["kind"].as_str(), Some("fork" | "headless")))
    })?;
    ensure!(
        sessions(&row).iter().any(|one| one["session_id"] == *id),
        "the person's is not told: {}",
        in_short(&row)
    );
    let wrong = story.follow.since(mark, &story.path()).into_iter().find(|line| {
        let row = &line.json["workspace"];
        sessions(row).iter().filter(is_copy).any(|copy| copy["origin"]["kind"] == "person")
    });
    ensure!(
        wrong.is_none(),
        "told: {}",
        wrong.map(|line| in_short(&line.json["workspace"])).unwrap_or_default()
    );
    Ok(None)
}

fn subagent(story: &Story<'_>, pane: &Pane) -> Result<Option<(&'static str, f64)>> {
    let mark = story.follow.mark();
    story.world.prompt(pane, "Send a helper")?;
    let row = see(story, story.client.name(), mark, "a subagent under its session", |row| {
        said(row, "The helper was sent.")
            && sessions(row)[0]["subagents"].as_array().is_some_and(|subagents| subagents.len() == 1)
    })?;
    let what = &sessions(&row)[0]["subagents"][0]["what"];
    ensure!(what.as_str().is_some_and(|what| what.contains("Look for bugs")), "it is told as {what}");
    // Its own registry calls the session busy for as long as the subagent runs.
    ensure!(does(&row, "background") || does(&row, "working"), "{}", in_short(&row));
    Ok(None)
}

fn second(story: &Story<'_>) -> Result<Option<(&'static str, f64)>> {
    let n_before = sessions(&person(story)?.0).len();
    let mark = story.follow.mark();
    let other = story.world.start(story.client, story.client.name(), &[])?;
    let prompted = story.world.prompt(&other, "Second session");
    let seen = prompted.and_then(|()| {
        see(story, story.client.name(), mark, "a second session", |row| {
            sessions(row).len() > n_before
                && sessions(row)
                    .iter()
                    .filter(|session| {
                        session["agent"] == story.client.name() && session["origin"]["kind"] != "headless"
                    })
                    .count()
                    >= 2
                && said(row, "The second session has answered.")
        })
    });
    story.world.tmux.close(&other);
    seen.map(|_| None)
}
