//! Targets for files that closeout writes itself and reads again: the state folder, the rescue journal, and the
//! configuration. A crash cuts them, another version writes them, an agent that can write to the home folder
//! damages them.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use closeout::action::rescue::Rescuer;
use closeout::config::{LayerOrigin, parse_completion_check, parse_layer};
use closeout::git::Sha1;
use closeout::model::{Timestamp, WorkspaceId, display_text, stable_hash};
use closeout::store::{Store, StoreError};

use super::targets::holds;
use super::worlds::World;

/// The workspace that the seeds name.
const WORKSPACE: &str = "/w";
/// The files of the state folder that are not one for each workspace.
const SINGLE: [&str; 8] = [
    "audit.jsonl", "audit.index", "history.jsonl", "history.index", "history.older.jsonl",
    "history.older.index", "gates.json", "auto-probes.json",
];
/// The folders with one file for each workspace.
const FOLDERS: [&str; 8] = ["baselines", "reports", "held", "drafts", "runs", "breakers", "last", "trust"];

fn message(error: &StoreError) -> String {
    error.to_string()
}

/// Every file of the state folder has these bytes. Whatever is understood of them can be kept and is then
/// understood alike.
pub(crate) fn state(world: &mut World, bytes: &[u8]) -> Result<(), String> {
    let folder = world.folder("state");
    let store = Store::open(&folder).map_err(|error| message(&error))?;
    let name = format!("{:032x}.json", stable_hash(WORKSPACE.as_bytes()));
    let files = SINGLE.iter().map(PathBuf::from).chain(FOLDERS.iter().map(|it| Path::new(it).join(&name)));
    for file in files {
        world.file(&Path::new("state").join(file), bytes);
    }
    let workspace = WorkspaceId::local(WORKSPACE);
    let all = std::slice::from_ref(&workspace);
    let audit = store.audit(None).map_err(|error| message(&error))?;
    let newest = store.newest_audit(3).map_err(|error| message(&error))?;
    holds(newest.entries.len() <= 3, "more actions than were asked for")?;
    holds(audit.entries.starts_with(&newest.entries), "the newest actions are not the first of all")?;
    store.audit_of(all, 2).map_err(|error| message(&error))?;
    let history = store.history(None).map_err(|error| message(&error))?;
    let mut n_events = 0;
    store.each_event(&mut |_| n_events += 1).map_err(|error| message(&error))?;
    holds(n_events >= history.entries.len(), "events are listed that are not there")?;
    store.newest_history_of(all, 2, 5).map_err(|error| message(&error))?;
    // What cannot be read is an error or nothing; none of them may be a panic.
    let _ = (store.baselines(), store.last_runs(), store.trusted(Path::new(WORKSPACE)));
    let _ = (store.auto_budget(5, Timestamp(1)), store.block_row("claude", "s"), store.run(&workspace));
    let _ = (store.baselines_of(all), store.is_run_alive(&workspace), store.time_outs(&workspace));
    let (held, _) = store.held_of(all);
    holds(held.keys().all(|key| *key == workspace), "a reply that is another's")?;
    let (reports, _) = store.reports_of(all);
    if let Some(read) = reports.get(&workspace) {
        store.keep_reports(&workspace, read).map_err(|error| message(&error))?;
        holds(
            store.reports_of(all).0.get(&workspace) == Some(read),
            "reports that change when they are kept",
        )?;
    }
    let (drafts, _) = store.drafts_of(all);
    if let Some(read) = drafts.get(&workspace).filter(|read| !read.is_empty()) {
        store.keep_drafts(&workspace, read).map_err(|error| message(&error))?;
        holds(store.drafts_of(all).0.get(&workspace) == Some(read), "drafts that change when they are kept")?;
    }
    Ok(())
}

/// The journal of a worktree, first as it is, then with checksums that fit, so that the text behind them is read.
pub(crate) fn journal(world: &mut World, bytes: &[u8]) -> Result<(), String> {
    let state = world.folder("rescues");
    let top = b"/nowhere";
    // In hexadecimal: the top and its git directory.
    let place = "2f6e6f7768657265\n2f6e6f77686572652f2e676974";
    let in_place = Path::new("rescues/rescue/0123456789abcdef");
    let rescuer = Rescuer::new(PathBuf::from("/nowhere/git"), None, state);
    for (journal, place) in [(bytes, place.as_bytes()), (&summed(bytes), place.as_bytes()), (bytes, bytes)] {
        world.file(&in_place.join("journal"), journal);
        world.file(&in_place.join("place"), place);
        world.file(&in_place.join("pending"), bytes);
        world.file(&in_place.join("lock"), b"");
        let found = rescuer.unfinished();
        holds(found.len() <= 1, "one journal has two unfinished moves")?;
        let is_known = |found: &PathBuf| found.as_os_str().as_bytes() == top || place == bytes;
        holds(found.iter().all(is_known), "an unfinished move in a place that nobody named")?;
        rescuer.sweep();
    }
    Ok(())
}

/// The lines with the checksums that they should have.
fn summed(bytes: &[u8]) -> Vec<u8> {
    let line = |line: &[u8]| {
        let text = line.get(41..).filter(|text| text.starts_with(b"{")).unwrap_or(line);
        [Sha1::of(text).as_bytes(), b" ", text, b"\n"].concat()
    };
    bytes.split(|byte| *byte == b'\n').filter(|it| !it.is_empty()).take(500).flat_map(line).collect()
}

/// A configuration is accepted or refused; a message about it has nothing in it that a terminal interprets.
pub(crate) fn config(_: &mut World, bytes: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(bytes);
    let home = PathBuf::from(OsString::from_vec(b"/home/person".to_vec()));
    for origin in [LayerOrigin::BuiltIn, LayerOrigin::User, LayerOrigin::Workspace] {
        if let Err(error) = parse_layer(&text, "config.toml", origin, Some(&home)) {
            let message = error.to_string();
            let is_safe = |sign: char| sign == '\n' || !display_text::is_unsafe(sign);
            holds(message.chars().all(is_safe), "a message with a control")?;
            // A message quotes what it is about, and no more than that.
            holds(message.len() <= 4096 + 64 * text.len(), "a message without a limit")?;
        }
        let _ = parse_completion_check(&text, "config.json", origin);
    }
    Ok(())
}
