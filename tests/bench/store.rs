//! The history with a million events: what is asked of it, and what one event costs to be written down.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Result, ensure};
use closeout::engine::clock;
use closeout::model::{HistoryEntry, HistoryEvent, WorkspaceId};
use closeout::store::Store;

use super::Scope;
use super::samples::time;
use super::table::{Reference, Table};
use super::world::World;

/// So many workspaces have events, in turns.
const N_WORKSPACES: usize = 50;
/// Between two events, in milliseconds.
const BETWEEN_MS: i64 = 30_000;

/// Runs the group.
pub(crate) fn run(scope: &Scope, table: &mut Table) -> Result<()> {
    let world = World::new()?;
    let folder = world.home().join("state");
    let store = Store::open(&folder)?;
    let n_events = scope.pick(1_000_000, 100_000);
    let now = clock::now();
    let mut text = String::new();
    for number in 0..n_events {
        let at = now.0 - i64::try_from(n_events - number)? * BETWEEN_MS;
        let place = number % N_WORKSPACES;
        writeln!(
            text,
            r#"{{"version":1,"at":{at},"host":"local","path":"/srv/w{place}","agent":"claude","event":"verdict","state":"COMPLETE","before":"WORKING","proof":"checked"}}"#
        )?;
    }
    // Set aside at half, as the store itself does.
    let middle = text.len() / 2 + text[text.len() / 2..].find('\n').unwrap_or(0) + 1;
    fs::write(folder.join("history.older.jsonl"), &text[..middle])?;
    fs::write(folder.join("history.jsonl"), &text[middle..])?;
    let tail = time(20, || drop(fs::read(folder.join("history.jsonl"))));
    let reference = Reference::new("reading the newer half", &tail);
    let named = |name: String| WorkspaceId::local(format!("/srv/{name}"));
    let all: Vec<WorkspaceId> = (0..N_WORKSPACES).map(|place| named(format!("w{place}"))).collect();
    let one = all[7].clone();
    let newest = store.newest_history(100)?;
    ensure!(newest.entries.len() == 100, "{} events", newest.entries.len());
    let count = scope.pick(50, 20);
    let any = time(count, || drop(store.newest_history(100)));
    table.times("store: the newest 100 events", &any, Some(&reference), "≤ 10 ms");
    let cold = time(1, || drop(store.newest_history_of(&all, 50, 1_000)));
    table.times("store: the first look of all, which makes the index", &cold, Some(&reference), "");
    let own = time(count, || drop(store.newest_history_of(&all[7..8], 50, 1_000)));
    table.times("store: the newest 50 of one of 50 workspaces", &own, Some(&reference), "≤ 10 ms");
    let screen = time(count, || drop(store.newest_history_of(&all, 50, 1_000)));
    table.times("store: the newest 50 of each of 50, at most 1000", &screen, Some(&reference), "≤ 10 ms");
    let none = [named("none".to_owned())];
    let none = time(count, || drop(store.newest_history_of(&none, 50, 1_000)));
    table.times("store: of a workspace without events", &none, Some(&reference), "≤ 10 ms");
    let day = store.history(Some(now.plus_millis(-86_400_000)))?;
    ensure!(day.entries.len() == 2_880 - 1 || day.entries.len() == 2_880, "{} events", day.entries.len());
    let day = time(count, || drop(store.history(Some(now.plus_millis(-3_600_000)))));
    table.times("store: the last hour", &day, Some(&reference), "≤ 10 ms");
    let every = time(scope.pick(3, 2), || {
        let mut n_events = 0;
        drop(store.each_event(&mut |_| n_events += 1));
        assert!(n_events > 0);
    });
    table.times("store: every event, as `stats` reads them", &every, Some(&reference), "");
    let what = HistoryEvent::Seen { after_ms: 1 };
    let entry = HistoryEntry { at: now, workspace: one, agent: None, what };
    let append = time(scope.pick(1_000, 200), || drop(store.add_history(&entry)));
    table.times("store: one event written down", &append, None, "");
    Ok(())
}
