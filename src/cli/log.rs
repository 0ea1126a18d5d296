//! `closeout log`: the actions on workspaces and the events in them, by whom, and how they ended. It must not
//! write.

use std::fmt::Write as _;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{AuditEntry, HistoryEntry, Timestamp, WorkspaceId, display_text};
use crate::present::json::{VERSION, line};
use crate::present::phrases::history as say;
use crate::present::{history, sets};
use crate::store::{Audit, History, Store};

use super::args::Log;
use super::environment::Environment;
use super::exit::{Ended, Failure, Outcome};
use super::{output, text};

/// How many lines are shown without `--number` and `--since`.
const NEWEST: usize = 50;

/// One action, for scripts.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct LogRow<'e> {
    /// The version of this form.
    version: u32,
    #[serde(flatten)]
    entry: &'e AuditEntry,
}

/// One thing that happened, for scripts.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EventRow<'e> {
    /// The version of this form.
    version: u32,
    #[serde(flatten)]
    entry: &'e HistoryEntry,
}

enum Entry<'a> {
    Action(&'a AuditEntry),
    Event(&'a HistoryEntry),
}

impl Entry<'_> {
    fn at(&self) -> Timestamp {
        match self {
            Entry::Action(entry) => entry.at,
            Entry::Event(entry) => entry.at,
        }
    }
}

pub(super) enum Part<'a> {
    /// All since a moment.
    Since(Option<Timestamp>),
    /// At most this many, the newest.
    Newest(usize),
    /// At most this many, the newest, of all workspaces that contain the path.
    NewestOf(&'a Path, usize),
}

pub(super) fn run(environment: &Environment, log: &Log) -> Ended {
    let path = log.path.as_ref().map(|path| environment.absolute(path));
    let path = path.map(|path| path.canonicalize().unwrap_or(path));
    let is_meant =
        |workspace: &WorkspaceId| path.as_ref().is_none_or(|path| path.starts_with(workspace.path()));
    let number = log.number.unwrap_or(if log.since.is_some() { usize::MAX } else { NEWEST });
    let part = match (log.since, &path) {
        (Some(since), _) => Part::Since(Some(since)),
        (None, None) => Part::Newest(number),
        (None, Some(path)) => Part::NewestOf(path, number),
    };
    let (audit, history) = read(environment, &part, log.all)?;
    let actions = audit.entries.iter().filter(|entry| is_meant(&entry.workspace));
    let events = history.entries.iter().filter(|entry| is_meant(&entry.workspace));
    let mut entries: Vec<Entry<'_>> =
        actions.rev().map(Entry::Action).chain(events.map(Entry::Event)).collect();
    if let Some(path) = path.as_ref().filter(|path| entries.is_empty() && !path.exists()) {
        let path = display_text::path(path);
        return Err(Failure::NoWorkspace(format!("{path} does not exist, and nothing was done there")));
    }
    if entries.is_empty() && !log.json {
        output::complain(if log.all { say::nothing_recorded() } else { say::no_actions() });
    }
    // Newest last, next to the prompt.
    entries.sort_by_key(Entry::at);
    let mut text = String::new();
    for entry in entries.iter().skip(entries.len().saturating_sub(number)) {
        match (entry, log.json) {
            (Entry::Action(entry), true) => {
                text.push_str(&(line(&LogRow { version: VERSION, entry }) + "\n"));
            }
            (Entry::Event(entry), true) => {
                text.push_str(&(line(&EventRow { version: VERSION, entry }) + "\n"));
            }
            (Entry::Action(entry), false) => write_entry(&mut text, entry),
            (Entry::Event(entry), false) => write_event(&mut text, entry),
        }
    }
    output::print(&text)?;
    Ok(Outcome::Done)
}

/// Reads this part of the actions, and of the events if they are wanted; unreadable lines are counted on standard
/// error.
pub(super) fn read(
    environment: &Environment,
    part: &Part<'_>,
    with_events: bool,
) -> Result<(Audit, History), Failure> {
    let store = store(environment)?;
    let above = |path: &Path| -> Vec<WorkspaceId> { path.ancestors().map(WorkspaceId::local).collect() };
    let audit = match *part {
        Part::Since(since) => store.audit(since),
        Part::Newest(most) => store.newest_audit(most),
        Part::NewestOf(path, most) => store.audit_of(&above(path), most),
    };
    let audit = audit?;
    let history = match *part {
        _ if !with_events => Ok(History::default()),
        Part::Since(since) => store.history(since),
        Part::Newest(most) => store.newest_history(most),
        Part::NewestOf(path, most) => store.newest_history_of(&above(path), most, most),
    };
    let history = history?;
    count_unread(audit.n_unread + history.n_unread);
    Ok((audit, history))
}

/// Passes every event there is to `visit`, oldest first; unreadable lines are counted on standard error.
pub(super) fn each_event(
    environment: &Environment,
    visit: &mut dyn FnMut(HistoryEntry),
) -> Result<(), Failure> {
    count_unread(store(environment)?.each_event(visit)?);
    Ok(())
}

fn store(environment: &Environment) -> Result<Store, Failure> {
    let folder = environment.state_folder().ok_or_else(|| {
        Failure::Usage("there is no state folder: set HOME or CLOSEOUT_STATE_DIR".to_owned())
    })?;
    Ok(Store::open(folder)?)
}

fn count_unread(n_unread: usize) {
    if n_unread > 0 {
        output::complain(&format!("closeout: {n_unread} lines of the log cannot be read"));
    }
}

fn write_entry(text: &mut String, entry: &AuditEntry) {
    let by = sets::actor(entry.by);
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{}  {:<9}  {}  ({by})  {}",
        text::local_second(entry.at),
        entry.kind.name(),
        entry.workspace,
        display_text::line(&entry.plan)
    );
    let end = match &entry.end {
        Some(end) if end.message.is_empty() => sets::action_class(end.class).to_owned(),
        Some(end) => format!("{}: {}", sets::action_class(end.class), display_text::line(&end.message)),
        None => "started; no end was recorded (closeout may have been killed)".to_owned(),
    };
    let _ = writeln!(text, "{:21}→ {end}", "");
}

fn write_event(text: &mut String, entry: &HistoryEntry) {
    let what = history::event(&entry.what);
    let agent = entry.agent.as_deref().map(|agent| format!("  ({})", display_text::line(agent)));
    let _ = writeln!(
        text,
        "{}  {:<9}  {}{}  {what}",
        text::local_second(entry.at),
        entry.what.name(),
        entry.workspace,
        agent.unwrap_or_default()
    );
}
