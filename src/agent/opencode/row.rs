//! The rows of a session, read with limits on their number and on the size of a cell.

use rusqlite::{OptionalExtension, Row, params};

use super::conversation::{Conversation, Found};
use super::message::{Message, MessageCell, Part, PartCell};
use super::store::Store;
use crate::agent::turn_tracker::todo;
use crate::model::{ChecklistItem, Timestamp};

/// The longest cell parsed, in bytes. In practice the longest ones are tool results.
const LONGEST_CELL: u32 = 4 << 20;
/// The longest name, title or path read, in bytes.
const LONGEST_TEXT: u32 = 4 << 10;
/// How many parts of a message are read, the newest first.
const MAX_PARTS: u32 = 400;
/// How many todos are read.
const MAX_TODOS: u32 = 200;
/// How many messages are counted at most.
const MAX_COUNTED: u32 = 20_000;

/// A row of the table `session`.
#[derive(Debug, Default)]
pub(super) struct SessionRow {
    pub(super) id: String,
    pub(super) title: Option<String>,
    pub(super) directory: Option<String>,
    pub(super) version: Option<String>,
    pub(super) permission: Option<String>,
    pub(super) updated_at: Option<i64>,
}

/// Selects a text column: `NULL` if the text is too long or the table has no such column.
fn text(store: &Store, table: &str, column: &'static str, longest: u32) -> String {
    let column = store.column(table, column);
    format!("CASE WHEN octet_length({column}) <= {longest} THEN CAST({column} AS TEXT) END")
}

/// Selects a numeric column as an integer: `NULL` for any other value.
fn number(store: &Store, table: &str, column: &'static str) -> String {
    let column = store.column(table, column);
    format!("CASE WHEN typeof({column}) IN ('integer', 'real') THEN CAST({column} AS INTEGER) END")
}

/// The columns of a [`SessionRow`], in order.
fn session_columns(store: &Store) -> String {
    let texts = ["id", "title", "directory", "version", "permission"];
    let mut columns: Vec<String> =
        texts.iter().map(|column| text(store, "session", column, LONGEST_TEXT)).collect();
    columns.push(number(store, "session", "time_updated"));
    columns.join(", ")
}

fn session_row(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    Ok(SessionRow {
        id: lossy(row, 0)?.unwrap_or_default(),
        title: lossy(row, 1)?,
        directory: lossy(row, 2)?,
        version: lossy(row, 3)?,
        permission: lossy(row, 4)?,
        updated_at: row.get(5)?,
    })
}

/// A text that may not be valid UTF-8.
fn lossy(row: &Row<'_>, index: usize) -> rusqlite::Result<Option<String>> {
    let text = row.get_ref(index)?.as_bytes_or_null()?;
    Ok(text.map(|text| String::from_utf8_lossy(text).into_owned()))
}

pub(super) fn session(store: &Store, id: &str) -> rusqlite::Result<Option<SessionRow>> {
    let sql = format!("SELECT {} FROM session WHERE id = ?1", session_columns(store));
    store.connection().prepare_cached(&sql)?.query_row([id], session_row).optional()
}

/// The subagents of a session, the newest first.
pub(super) fn children(store: &Store, id: &str, most: u32) -> rusqlite::Result<Vec<SessionRow>> {
    if !store.has("session", &["parent_id", "time_updated"]) {
        return Ok(Vec::new());
    }
    let columns = session_columns(store);
    let sql =
        format!("SELECT {columns} FROM session WHERE parent_id = ?1 ORDER BY time_updated DESC LIMIT {most}");
    store.connection().prepare_cached(&sql)?.query_map([id], session_row)?.collect()
}

/// The todo list of a session, without cancelled items.
pub(super) fn todos(store: &Store, id: &str) -> rusqlite::Result<Vec<ChecklistItem>> {
    if !store.has("todo", &["session_id", "content", "status"]) {
        return Ok(Vec::new());
    }
    let content = text(store, "todo", "content", LONGEST_TEXT);
    let status = text(store, "todo", "status", LONGEST_TEXT);
    let position = store.column("todo", "position");
    let sql = format!(
        "SELECT {content}, {status} FROM todo WHERE session_id = ?1 ORDER BY {position}, rowid LIMIT {MAX_TODOS}"
    );
    let mut statement = store.connection().prepare_cached(&sql)?;
    let rows = statement.query_map([id], |row| Ok((lossy(row, 0)?, lossy(row, 1)?)))?;
    let mut items = Vec::new();
    for row in rows {
        let (title, status) = row?;
        let status = status.unwrap_or_default();
        if status != "cancelled" {
            items.push(todo(title.unwrap_or_default(), &status));
        }
    }
    Ok(items)
}

/// What the newest messages of a session say; at most `most` are read. `None` if it has none.
pub(super) fn conversation(store: &Store, id: &str, most: usize) -> rusqlite::Result<Option<Conversation>> {
    store.need("message", &["id", "session_id", "data"])?;
    let columns = message_columns(store);
    let created = store.column("message", "time_created");
    let sql = format!(
        "SELECT {columns} FROM message WHERE session_id = ?1 ORDER BY {created} DESC, id DESC LIMIT {most}"
    );
    let mut statement = store.connection().prepare_cached(&sql)?;
    let mut rows = statement.query([id])?;
    let (mut messages, mut found) = (Vec::new(), Found::default());
    let mut is_whole = true;
    while let Some(row) = rows.next()? {
        let mut message = message_row(row)?;
        message.parts = parts(store, &message.id)?;
        found.take(&message);
        messages.push(message);
        // The start of a task can be far back, and messages before it are rarely needed.
        is_whole = messages.len() < most && !(found.is_enough() && found.has_task());
        if !is_whole {
            break;
        }
    }
    if messages.is_empty() {
        return Ok(None);
    }
    let is_cut = messages.len() >= most && !(found.is_enough() && found.has_task());
    let mut conversation =
        Conversation { is_whole, is_cut, moved_at: found.moved_at, ..Conversation::default() };
    for message in messages.iter().rev() {
        conversation.take(message);
    }
    if let (false, Some(prompt_id)) = (conversation.turns.has_prompt(), conversation.prompt_id.clone())
        && let Some(prompt) = message(store, id, &prompt_id)?
    {
        conversation.earlier_prompt = prompt.spoken().map(|words| (prompt.created_at.map(Timestamp), words));
    }
    Ok(Some(conversation))
}

/// How many prompts the session got.
pub(super) fn n_prompts(store: &Store, id: &str) -> rusqlite::Result<u32> {
    let data = text(store, "message", "data", LONGEST_CELL);
    let sql = format!(
        "SELECT count(*) FROM (SELECT {data} AS cell FROM message WHERE session_id = ?1 LIMIT {MAX_COUNTED}) \
         WHERE json_valid(cell) AND cell ->> '$.role' = 'user'"
    );
    store.connection().prepare_cached(&sql)?.query_row([id], |row| row.get(0))
}

fn message(store: &Store, session_id: &str, id: &str) -> rusqlite::Result<Option<Message>> {
    let columns = message_columns(store);
    let sql = format!("SELECT {columns} FROM message WHERE id = ?1 AND session_id = ?2");
    let found = store
        .connection()
        .prepare_cached(&sql)?
        .query_row(params![id, session_id], message_row)
        .optional()?;
    let Some(mut message) = found else { return Ok(None) };
    message.parts = parts(store, &message.id)?;
    Ok(Some(message))
}

fn message_columns(store: &Store) -> String {
    let created = number(store, "message", "time_created");
    let updated = number(store, "message", "time_updated");
    let id = text(store, "message", "id", LONGEST_TEXT);
    format!("{id}, {created}, {updated}, {}", text(store, "message", "data", LONGEST_CELL))
}

fn message_row(row: &Row<'_>) -> rusqlite::Result<Message> {
    let cell = lossy(row, 3)?.as_deref().and_then(MessageCell::parse);
    let created_at = row.get::<_, Option<i64>>(1)?;
    Ok(Message {
        id: lossy(row, 0)?.unwrap_or_default(),
        created_at: created_at.or(cell.as_ref().and_then(|cell| cell.time.created)),
        updated_at: row.get(2)?,
        cell,
        parts: Vec::new(),
    })
}

/// The parts of a message, in order. Empty if the database has no such table.
fn parts(store: &Store, message_id: &str) -> rusqlite::Result<Vec<Part>> {
    if !store.has("part", &["id", "message_id", "data"]) {
        return Ok(Vec::new());
    }
    let updated = number(store, "part", "time_updated");
    let data = text(store, "part", "data", LONGEST_CELL);
    let sql = format!(
        "SELECT {updated}, {data} FROM part WHERE message_id = ?1 ORDER BY id DESC LIMIT {MAX_PARTS}"
    );
    let mut statement = store.connection().prepare_cached(&sql)?;
    let rows = statement.query_map([message_id], |row| {
        let cell = lossy(row, 1)?.as_deref().and_then(PartCell::parse);
        Ok(Part { updated_at: row.get(0)?, cell })
    })?;
    let mut parts = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    parts.reverse();
    Ok(parts)
}
