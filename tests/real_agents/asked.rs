//! A person asks with `closeout probe`: the answer is read, and the agent's own records are the same
//! afterwards, down to the rows of a database.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use crate::client::Client;
use crate::closeout_program as program;
use crate::story::Story;
use crate::wait::{CLIENT, QUIET, until};

/// Each record of a client by its name: the content of a file, a row of a table.
type Records = BTreeMap<String, Vec<u8>>;

/// The check of a session that is idle at its screen. Gemini CLI leaves a trace, and which of its processes has
/// a session is not always known: it is not asked here.
pub(crate) fn at_its_screen(story: &mut Story<'_>) {
    if story.client != Client::Gemini {
        story.check("`closeout probe` is answered by a live session, and leaves no trace", without_trace);
    }
}

/// The check of a session whose screen was closed.
pub(crate) fn not_open(story: &mut Story<'_>) {
    if story.client != Client::Gemini {
        story.check(
            "`closeout probe` is answered by a session that is not open, and leaves no trace",
            without_trace,
        );
    }
}

fn without_trace(story: &Story<'_>) -> Result<Option<(&'static str, f64)>> {
    let before = at_rest(story)?;
    ensure!(!before.is_empty(), "there are no records");
    let (code, out, err) = probe(story)?;
    ensure!(code == Some(0), "it ended with {code:?}: {out}{err}");
    let told: Value = serde_json::from_str(&out).with_context(|| format!("{out}{err}"))?;
    let attempt = told.to_string();
    ensure!(attempt.contains("\"complete\"") && attempt.contains("input_tokens"), "{told}");
    ensure!(!attempt.contains("a copy of the session stays"), "{told}");
    let after = records(story)?;
    let changed: Vec<&String> =
        before.keys().chain(after.keys()).filter(|name| before.get(*name) != after.get(*name)).collect();
    ensure!(changed.is_empty(), "changed: {changed:?}");
    Ok(None)
}

/// The records, once the client has not written for a while: it goes on writing after its turn.
fn at_rest(story: &Story<'_>) -> Result<Records> {
    let mut last: Option<(Records, Instant)> = None;
    until("records that are at rest", CLIENT, || {
        let now = records(story).ok()?;
        match &last {
            Some((before, since)) if *before == now => (since.elapsed() > QUIET).then_some(now),
            _ => {
                last = Some((now, Instant::now()));
                None
            }
        }
    })
}

/// Runs `closeout probe` on the newest session of the client's worktree.
fn probe(story: &Story<'_>) -> Result<(Option<i32>, String, String)> {
    let row = program::status(&story.world, &story.path())?.context("not told")?;
    let session = row["sessions"][0]["session_id"].as_str().context("no session")?.to_owned();
    program::run_as(&story.world, story.client, &["probe", &session, "--yes", "--json"])
}

/// All that the client has of sessions.
fn records(story: &Story<'_>) -> Result<Records> {
    let folder = story.client.conversations(&story.world.home());
    let mut records = Records::new();
    collect(&folder, &mut records)?;
    let database = folder.join("opencode.db");
    if database.exists() {
        // opencode packs the objects of its own snapshots whenever it likes.
        let packed = |name: &str| {
            name.contains("/snapshot/")
                && ["/objects/", "/info/", "packed-refs"].iter().any(|part| name.contains(part))
        };
        records.retain(|name, _| !name.contains("opencode.db") && !name.contains("/log/") && !packed(name));
        rows(&database, &mut records)?;
    }
    Ok(records)
}

fn collect(folder: &Path, records: &mut Records) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, records)?;
        } else if path.is_file() {
            records.insert(path.display().to_string(), fs::read(&path)?);
        }
    }
    Ok(())
}

fn rows(database: &Path, records: &mut Records) -> Result<()> {
    let database = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'")?;
    for table in tables.query_map([], |row| row.get::<_, String>(0))? {
        let table = table?;
        let mut statement = database.prepare(&format!("SELECT * FROM \"{table}\""))?;
        let n_columns = statement.column_count();
        let mut rows = statement.query([])?;
        let mut n = 0;
        while let Some(row) = rows.next()? {
            let cells: Result<Vec<String>, _> =
                (0..n_columns).map(|column| row.get_ref(column).map(|cell| format!("{cell:?}"))).collect();
            records.insert(format!("{table} {n}"), cells?.join("|").into_bytes());
            n += 1;
        }
    }
    Ok(())
}
