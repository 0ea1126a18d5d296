//! Reads the sessions of a workspace from the database.

use std::path::PathBuf;
use std::sync::LazyLock;

use regex::Regex;

use super::row::{self, SessionRow};
use super::store::{self, Settling, Store};
use super::{DATABASE, LOG, NAME, is_session_id};
use crate::agent::record_text::shortened;
use crate::agent::turn_tracker::{SubagentSteps, join};
use crate::agent::{MAX_READ, SessionsAsk, SessionsRead};
use crate::model::{
    Names, Parts, SessionId, SessionObservation, SessionOrigin, SessionUsage, Subagent, Timestamp,
    WatchTarget,
};

/// How many subagents of a session are examined, the newest first.
const MAX_CHILDREN: u32 = 16;
/// How many messages of a subagent are read first. The newest one shows the state of its turn.
const OF_CHILD: usize = 1;
/// How many subagents of a session are read together with theirs, and how deep they go.
const MAX_TOLD: usize = 32;
const DEPTH: u32 = 3;
/// How many messages of a session are read, from the newest back, for the facts needed and the turns of its
/// task.
const MAX_MESSAGES: usize = 1_024;

/// A title the client generated itself (`session/session.ts` in opencode).
static DEFAULT_TITLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let day = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}";
    Regex::new(&format!(r"^(?:New|Child) session - {day}\.[0-9]{{3}}Z(?: \(fork #[0-9]+\))?$")).ok()
});
/// What the client appends to the title of a fork.
static FORK: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r" \(fork #[0-9]+\)$").ok());
/// The end of what the client appends to a subagent's title.
const OF_SUBAGENT: &str = " subagent)";

/// State kept between two reads of a workspace's sessions.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    settling: Settling,
    /// The sessions read last time.
    asked: Vec<SessionId>,
    sessions: Vec<SessionObservation>,
    /// When each of them, and each beyond [`MAX_READ`], moved, the newest first.
    moved_at: Vec<Timestamp>,
}

/// Reads the sessions at the places, the newest first. New sessions of the workspace are found by the
/// survey.
pub(in crate::agent) fn sessions(ask: &SessionsAsk<'_>, memory: &mut Memory) -> SessionsRead {
    let SessionsAsk { home: data_dir, places, .. } = *ask;
    let mut asked: Vec<SessionId> = places.iter().map(|place| place.session_id.clone()).collect();
    asked.retain(|id| is_session_id(id));
    if asked.is_empty() {
        *memory = Memory::default();
        return SessionsRead::default();
    }
    let database = store::database(data_dir);
    let names = Names::these([DATABASE, LOG]);
    let folder = database.parent().unwrap_or(data_dir).to_owned();
    let mut read = SessionsRead {
        watch_targets: vec![WatchTarget::new(folder, names, Parts::WORDS)],
        ..Default::default()
    };
    let outcome = store::stamp(&database).and_then(|stamp| {
        let Some(stamp) = stamp else { return Ok(Vec::new()) };
        if memory.asked == asked && memory.settling.is_unchanged(&stamp) {
            return Ok(memory.sessions.clone());
        }
        let (sessions, moved_at) = store::read(&database, &stamp, |store| read_all(store, &asked))?;
        memory.moved_at = moved_at;
        memory.settling.note(stamp);
        memory.asked.clone_from(&asked);
        memory.sessions.clone_from(&sessions);
        Ok(sessions)
    });
    match outcome {
        Ok(sessions) => {
            read.sessions = sessions;
            read.count_unread(memory.moved_at.iter().copied());
        }
        Err(unreadable) => {
            memory.settling.reset();
            read.trouble.push(unreadable);
        }
    }
    read
}

/// The newest sessions, and when each that was asked for moved.
fn read_all(
    store: &Store,
    asked: &[SessionId],
) -> rusqlite::Result<(Vec<SessionObservation>, Vec<Timestamp>)> {
    store.need("session", &["id"])?;
    let mut rows = Vec::new();
    for id in asked {
        rows.extend(row::session(store, id)?);
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.updated_at));
    let moved_at = rows.iter().filter_map(|row| row.updated_at).map(Timestamp).collect();
    rows.truncate(MAX_READ);
    let mut sessions = Vec::new();
    for row in rows {
        sessions.extend(observe(store, &row)?);
    }
    sessions.sort_by_key(|session| std::cmp::Reverse(session.written_at));
    Ok((sessions, moved_at))
}

/// One session; `None` if nothing was said in it.
fn observe(store: &Store, row: &SessionRow) -> rusqlite::Result<Option<SessionObservation>> {
    let Some(said) = row::conversation(store, &row.id, MAX_MESSAGES)? else { return Ok(None) };
    let todos = row::todos(store, &row.id)?;
    let mut session = SessionObservation {
        version: row.version.clone().filter(|version| !version.is_empty()),
        model: said.model,
        mode: said.mode,
        written_at: said.moved_at.max(row.updated_at.map(Timestamp)),
        n_skipped_lines: said.n_skipped,
        is_partial: said.is_cut,
        name: row.title.as_deref().and_then(name),
        folder: said.folder.or(row.directory.clone()).map(PathBuf::from),
        origin: origin(row),
        ..SessionObservation::named(NAME, row.id.as_str())
    };
    said.turns.tell(said.is_whole, &mut session);
    let mut children = Children { reach_to: session.history.reaches_to(), ..Children::default() };
    children.read(store, &row.id, 1)?;
    session.subagents = children.open;
    join(&mut session.history, &children.all, &mut Vec::new());
    said.turns.tell_todos(todos, false, &mut session);
    if let Some((at, words)) = said.earlier_prompt {
        (session.prompted_at, session.prompt) = (at, Some(shortened(&words)));
    }
    let n_turns = Some(row::n_prompts(store, &row.id)?);
    session.usage = SessionUsage { context_tokens: said.context_tokens, context_limit: None, n_turns };
    Ok(Some(session))
}

/// The subagents of a session.
#[derive(Default)]
struct Children {
    /// What ended before this was done in turns that are not read.
    reach_to: Option<Timestamp>,
    /// Those whose turn is open.
    open: Vec<Subagent>,
    /// What they and their own did.
    all: Vec<SubagentSteps>,
}

impl Children {
    /// Reads the subagents of the session `id`, which are `depth` steps away from the first.
    fn read(&mut self, store: &Store, id: &str, depth: u32) -> rusqlite::Result<()> {
        let children = row::children(store, id, MAX_CHILDREN + 1)?;
        for (n, child) in (1..).zip(children) {
            let moved_at = child.updated_at.map(Timestamp);
            if n > MAX_CHILDREN || depth > DEPTH || self.all.len() >= MAX_TOLD {
                // It is the newest of those that are not read.
                self.all.push(SubagentSteps::unread(&child.id, moved_at));
                break;
            }
            let Some(said) = row::conversation(store, &child.id, OF_CHILD)? else {
                self.all.push(SubagentSteps::unread(&child.id, moved_at));
                continue;
            };
            let moved_at = said.moved_at.max(moved_at);
            let is_open = said.turns.is_open();
            if self.reach_to.zip(moved_at).is_none_or(|(begin, moved_at)| moved_at >= begin) {
                let said = row::conversation(store, &child.id, MAX_MESSAGES)?.unwrap_or_default();
                let is_whole = said.is_whole && !said.has_unreadable;
                self.all.push(SubagentSteps::of(&child.id, &said.turns, None, is_whole, moved_at));
                self.read(store, &child.id, depth + 1)?;
            }
            if is_open && depth == 1 {
                let what = child.title.as_deref().and_then(name).map(|title| task(&title));
                self.open.push(Subagent { id: child.id, what, moved_at });
            }
        }
        Ok(())
    }
}

/// A subagent's title without what the client appends: ` (@general subagent)`.
fn task(title: &str) -> String {
    let cut = title.ends_with(OF_SUBAGENT).then(|| title.rfind(" (@")).flatten();
    cut.map_or(title, |at| &title[..at]).to_owned()
}

/// A title given by the user or the title model.
fn name(title: &str) -> Option<String> {
    let is_default = DEFAULT_TITLE.as_ref().is_some_and(|pattern| pattern.is_match(title));
    (!is_default && !title.trim().is_empty()).then(|| shortened(title))
}

/// How the session was started. `opencode run` denies questions in its sessions, since nobody could answer.
/// A fork does not inherit that rule, whoever made it.
fn origin(row: &SessionRow) -> SessionOrigin {
    let title = row.title.as_deref().unwrap_or_default();
    if FORK.as_ref().is_some_and(|pattern| pattern.is_match(title)) {
        return SessionOrigin::Fork { of: None };
    }
    let rules: Vec<serde_json::Value> =
        row.permission.as_deref().and_then(|rules| serde_json::from_str(rules).ok()).unwrap_or_default();
    let refuses_questions =
        rules.iter().any(|rule| rule["permission"] == "question" && rule["action"] == "deny");
    if refuses_questions { SessionOrigin::Headless } else { SessionOrigin::Unknown }
}
