//! `closeout log`: what was done, by whom, to which workspace, and how it ended.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use crate::config::Flags;
use crate::model::{ActionKind, Actor, AuditEntry, Timestamp, WorkspaceId, display_text};
use crate::present::json::{VERSION, line};
use crate::present::sets;
use crate::store::Store;

use super::args::Log;
use super::environment::Environment;
use super::exit::Ended;
use super::exit::{Failure, Outcome};
use super::{local_time, output};

/// One action, for scripts.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct LogRow {
    /// The version of this form.
    version: u32,
    /// An id of its own.
    id: String,
    /// When it began.
    at: Timestamp,
    /// Who wanted it.
    by: Actor,
    /// The workspace.
    workspace: String,
    /// What it was.
    kind: ActionKind,
    /// What was confirmed, in words.
    plan: String,
    /// How it ended; null while it runs, and for ever if closeout was killed in it.
    end: Option<crate::model::ActionEnd>,
}

/// Prints it.
pub(super) fn run(environment: &Environment, log: &Log) -> Ended {
    let folder = environment.sources(Flags::default()).state_folder().ok_or_else(|| {
        Failure::Usage("there is no state folder: set HOME or CLOSEOUT_STATE_DIR".to_owned())
    })?;
    let failed = |error: crate::store::StoreError| Failure::Unreadable(error.to_string());
    let audit = Store::open(folder).and_then(|store| store.audit()).map_err(failed)?;
    if audit.n_unread > 0 {
        output::complain(&format!("closeout: {} lines of the record cannot be read", audit.n_unread));
    }
    let path = log.path.as_ref().map(|path| environment.absolute(path));
    let path = path.map(|path| path.canonicalize().unwrap_or(path));
    let is_meant =
        |workspace: &WorkspaceId| path.as_ref().is_none_or(|path| path.starts_with(workspace.path()));
    let entries: Vec<&AuditEntry> =
        audit.entries.iter().filter(|entry| is_meant(&entry.workspace)).take(log.number).collect();
    if let Some(path) = path.as_ref().filter(|path| entries.is_empty() && !path.exists()) {
        let path = display_text::path(path);
        return Err(Failure::NoWorkspace(format!("{path} does not exist, and nothing was done there")));
    }
    let mut text = String::new();
    // The newest last, where a terminal ends.
    for entry in entries.into_iter().rev() {
        if log.json {
            text.push_str(&line(&row(entry)));
            text.push('\n');
        } else {
            write_entry(&mut text, entry);
        }
    }
    output::print(&text)?;
    Ok(Outcome::Done)
}

fn row(entry: &AuditEntry) -> LogRow {
    LogRow {
        version: VERSION,
        id: entry.id.clone(),
        at: entry.at,
        by: entry.by,
        workspace: entry.workspace.to_string(),
        kind: entry.kind,
        plan: entry.plan.clone(),
        end: entry.end.clone(),
    }
}

fn write_entry(text: &mut String, entry: &AuditEntry) {
    let by = sets::actor(entry.by);
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{}  {:<8}  {}  ({by})  {}",
        local_time::second(entry.at),
        entry.kind.name(),
        entry.workspace,
        display_text::line(&entry.plan)
    );
    let end = match &entry.end {
        Some(end) => format!("{}: {}", end.class.label(), display_text::line(&end.message)),
        None => "begun; it did not end, or closeout was ended in it".to_owned(),
    };
    let _ = writeln!(text, "{:21}→ {end}", "");
}
