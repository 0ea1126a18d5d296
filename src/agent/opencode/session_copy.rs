//! Copies one session into a separate database, for a probe that must leave no trace in the user's.
//!
//! The source is read as [`store`] reads it; nothing is written except the new file, which belongs to the
//! caller. Tables with the content of other sessions are left empty; small tables that the client may need
//! (its account, the project, the applied migrations) are copied in full.

use std::path::Path;

use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, params_from_iter};

use super::store::{self, Store};
use super::{is_session_id, row};
use crate::model::{ReadProblem, Unreadable};

/// The largest copy made, in bytes.
const LARGEST: u64 = 256 << 20;
/// How many tables and indexes are copied.
const MAX_TABLES: u32 = 200;
/// Event logs of all sessions, from which the client derives nothing that a probe needs.
const LEFT_EMPTY: [&str; 2] = ["event", "event_sequence"];
/// Selects the ordinary tables and indexes, tables first. Nothing in them can execute code.
const SCHEMA: &str = "SELECT type, name, sql FROM sqlite_master WHERE type IN ('table', 'index') AND sql IS NOT \
                      NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type DESC, rootpage";

/// Copies session `id` into `to`, an empty file.
///
/// # Errors
/// The database or the session cannot be read, or is too large, or the copy cannot be written.
pub(in crate::agent) fn copy_session(data_dir: &Path, id: &str, to: &Path) -> Result<(), Unreadable> {
    let database = store::database(data_dir);
    let trouble = |detail: &str| Unreadable {
        name: database.display().to_string(),
        problem: ReadProblem::Invalid,
        detail: format!("opencode's database: the session cannot be copied: {detail}"),
    };
    if !is_session_id(id) {
        return Err(trouble("its id is not one of opencode's"));
    }
    let stamp = store::stamp(&database)?.ok_or_else(|| trouble("it is not there"))?;
    let copy = open(to).map_err(|error| trouble(&error.to_string()))?;
    // The closure runs again if the database changed during the read, so each run starts the transaction
    // anew.
    let is_there = store::read(&database, &stamp, |store| {
        if !copy.is_autocommit() {
            copy.execute_batch("ROLLBACK")?;
        }
        copy.execute_batch("BEGIN")?;
        if row::session(store, id)?.is_none() {
            return Ok(false);
        }
        copy_tables(store, &copy, id)?;
        Ok(true)
    })?;
    if !is_there {
        return Err(trouble("it no longer exists"));
    }
    copy.execute_batch("COMMIT").map_err(|error| trouble(&error.to_string()))
}

/// Whether the user's database contains session `id`.
pub(in crate::agent) fn has_session(data_dir: &Path, id: &str) -> bool {
    let database = store::database(data_dir);
    let Ok(Some(stamp)) = store::stamp(&database) else { return false };
    is_session_id(id)
        && store::read(&database, &stamp, |store| row::session(store, id)).is_ok_and(|row| row.is_some())
}

fn open(to: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let copy = Connection::open_with_flags(to, flags)?;
    // Whatever the copied schema contains, no other file can be reached from here.
    copy.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    copy.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY")?;
    Ok(copy)
}

fn copy_tables(store: &Store, copy: &Connection, id: &str) -> rusqlite::Result<()> {
    for name in ["user_version", "application_id"] {
        let value: i64 = store.connection().query_row(&format!("PRAGMA {name}"), [], |row| row.get(0))?;
        copy.execute_batch(&format!("PRAGMA {name} = {value}"))?;
    }
    let mut n_bytes = 0;
    let mut schema = store.connection().prepare(&format!("{SCHEMA} LIMIT {MAX_TABLES}"))?;
    let mut rows = schema.query([])?;
    while let Some(row) = rows.next()? {
        let (kind, name, sql): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let begins =
            |words: &str| sql.get(..words.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(words));
        if !["CREATE TABLE", "CREATE INDEX", "CREATE UNIQUE INDEX"].into_iter().any(begins) {
            continue;
        }
        // A prepared statement is a single one: anything after it is not run.
        copy.prepare(&sql)?.execute([])?;
        if kind == "table" && !LEFT_EMPTY.contains(&name.as_str()) {
            copy_rows(store, copy, &name, id, &mut n_bytes)?;
        }
    }
    Ok(())
}

/// Copies the rows of a table. If its rows belong to sessions, only those of session `id`.
fn copy_rows(
    store: &Store,
    copy: &Connection,
    table: &str,
    id: &str,
    n_bytes: &mut u64,
) -> rusqlite::Result<()> {
    let mut names = store.connection().prepare("SELECT name FROM pragma_table_info(?1)")?;
    let names = names.query_map([table], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
    let key = if table == "session" { "id" } else { "session_id" };
    let is_of_session = names.iter().any(|name| name == key);
    let columns = names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
    let table = quoted(table);
    let which = if is_of_session { format!(" WHERE {} = ?1", quoted(key)) } else { String::new() };
    let mut read = store.connection().prepare(&format!("SELECT {columns} FROM {table}{which}"))?;
    let places = vec!["?"; names.len()].join(", ");
    let mut write = copy.prepare(&format!("INSERT INTO {table} ({columns}) VALUES ({places})"))?;
    let mut rows = if is_of_session { read.query([id])? } else { read.query([])? };
    while let Some(row) = rows.next()? {
        let values: Vec<ValueRef<'_>> = (0..names.len()).map(|n| row.get_ref(n)).collect::<Result<_, _>>()?;
        *n_bytes += values.iter().map(length).sum::<u64>();
        if *n_bytes > LARGEST {
            return Err(too_big());
        }
        write.execute(params_from_iter(
            values.iter().map(|value| rusqlite::types::ToSqlOutput::Borrowed(*value)),
        ))?;
    }
    Ok(())
}

fn length(value: &ValueRef<'_>) -> u64 {
    match value {
        ValueRef::Null => 1,
        ValueRef::Integer(_) | ValueRef::Real(_) => 8,
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => u64::try_from(bytes.len()).unwrap_or(u64::MAX),
    }
}

fn too_big() -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_TOOBIG), None)
}

/// A name quoted as an `SQLite` identifier, whatever it contains.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
