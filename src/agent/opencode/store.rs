//! Opens the database for one read in such a way that its owner does not notice.
//!
//! What that takes, and why:
//! - `mode=ro` and `query_only`: nothing is written to the database.
//! - `readonly_shm`: the index of the log (`-shm`) is not written either. While opencode runs, its index is
//!   used as it is; after it ended, `SQLite` builds one in memory. That is the usual case: opencode exits
//!   without closing its database and leaves a log that holds most of what is new.
//! - `immutable` if there is no log: any other mode would create one. This mode takes no lock, so a result
//!   counts only if the files are unchanged afterwards.
//! - A log without an index is not opened: `SQLite` would have to create the index.
//! - The wait for a lock is short, one read transaction covers everything, and no connection is kept.
//! - No checkpoint on close, and temporary tables in memory.
//!
//! Closing a file drops all POSIX locks this process holds on it, including those of a read in another
//! thread. So the database is examined by name only, and only one read at a time examines the index. A race
//! remains: someone who swaps the database between the check and the opening can make us open a FIFO, and
//! if the owner removes its log at that moment, an empty one is created again, which is harmless.

use std::collections::{HashMap, HashSet};
use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use std::{io, thread};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::DATABASE;
use super::log::{self, IndexHeader};
use crate::disk;
use crate::model::{ReadProblem, Unreadable};

/// How long to wait for a lock.
const PATIENCE: Duration = Duration::from_millis(50);
/// How often, and how long each time, to wait for a commit in the log to become visible.
const WAITS: usize = 20;
const WAIT: Duration = Duration::from_millis(1);
/// The longest value loaded into memory, in bytes.
const LONGEST_VALUE: i32 = 32 << 20;
/// The longest log read, in bytes. Without a running owner every opening reads all of it.
const LONGEST_LOG: u64 = 256 << 20;
/// After this many steps of `SQLite`'s virtual machine ...
const STEPS: i32 = 10_000;
/// ... this many times, the read is abandoned: a few seconds at most.
const MAX_PAUSES: u32 = 20_000;
/// How often a read without a lock is tried while the database keeps changing.
const TRIES: usize = 3;

/// Held while examining the index or keeping the database open.
static READING: Mutex<()> = Mutex::new(());

/// Selects the tables that are read.
const TABLES: &str = "SELECT name FROM sqlite_schema WHERE type = 'table' \
                      AND sql LIKE 'CREATE TABLE%' AND name IN ('session', 'message', 'part', 'todo')";

/// An open database, in a read transaction.
#[derive(Debug)]
pub(super) struct Store {
    connection: Connection,
    columns: HashMap<String, HashSet<String>>,
}

/// The state of the files, which differs after a change of the database. If the owner keeps no log, two
/// equal stamps can hide a change within one tick of the file system's clock; see [`Settling`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp {
    database: FileStamp,
    log: Option<FileStamp>,
    has_index: bool,
    index: Option<IndexHeader>,
    /// The rollback journal of an owner without a log: a transaction is running, or was cut short.
    journal: Option<FileStamp>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct FileStamp {
    file: (u64, u64),
    length: u64,
    modified: (i64, i64),
}

/// Tells whether a database can be taken for unchanged: two reads, further apart than a tick of the file
/// system's clock, found the same stamp.
#[derive(Debug, Default)]
pub(super) struct Settling {
    stamp: Option<Stamp>,
    is_settled: bool,
}

impl Settling {
    /// Whether the last two reads found the database with this stamp.
    pub(super) fn is_unchanged(&self, stamp: &Stamp) -> bool {
        self.is_settled && self.stamp.as_ref() == Some(stamp)
    }

    /// Records a read that started with this stamp.
    pub(super) fn note(&mut self, stamp: Stamp) {
        self.is_settled = self.stamp.as_ref() == Some(&stamp);
        self.stamp = Some(stamp);
    }

    /// Forces the next read.
    pub(super) fn reset(&mut self) {
        *self = Settling::default();
    }
}

/// The path of the database in `data_dir`, with symbolic links in the folder resolved.
pub(super) fn database(data_dir: &Path) -> PathBuf {
    disk::resolve(data_dir).unwrap_or_else(|_| data_dir.to_owned()).join(DATABASE)
}

/// The state of the files; `None` if there is no database.
pub(super) fn stamp(database: &Path) -> Result<Option<Stamp>, Unreadable> {
    let _alone = READING.lock().unwrap_or_else(PoisonError::into_inner);
    stamp_alone(database)
}

fn stamp_alone(database: &Path) -> Result<Option<Stamp>, Unreadable> {
    let Some(main) = look(database)? else { return Ok(None) };
    let log_path = beside(database, "-wal");
    let log = look(&log_path)?;
    if log.as_ref().is_some_and(|log| log.length > LONGEST_LOG) {
        let detail = "the log of opencode's database is too long to be read; end opencode and start it again";
        return Err(unreadable(&log_path, ReadProblem::TooLarge, detail));
    }
    let index_path = beside(database, "-shm");
    let has_index = look(&index_path)?.is_some();
    let index = if has_index { log::index_header(&index_path) } else { None };
    let journal = look(&beside(database, "-journal"))?;
    Ok(Some(Stamp { database: main, log, has_index, index, journal }))
}

/// Opens the database, runs `reading` and closes it. `stamp` is its state just before.
///
/// # Errors
/// The database has a log but no index, kept changing during the read, or cannot be read.
pub(super) fn read<T>(
    database: &Path,
    stamp: &Stamp,
    reading: impl Fn(&Store) -> rusqlite::Result<T>,
) -> Result<T, Unreadable> {
    let _alone = READING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut stamp = stamp.clone();
    for tries_left in (0..TRIES).rev() {
        let is_at_rest = stamp.is_at_rest();
        if stamp.log.is_some() && !is_at_rest && !stamp.has_index {
            let detail = "opencode's database has a log without an index (it was copied or is being opened); \
                          start opencode once";
            return Err(unreadable(database, ReadProblem::HalfWritten, detail));
        }
        if stamp.has_index {
            wait_for_commit(database);
        }
        let outcome = Store::open(database, is_at_rest).and_then(|store| reading(&store));
        if tries_left > 0 && outcome.as_ref().is_err_and(is_index_moving) {
            thread::sleep(WAIT);
        } else if !is_at_rest {
            return outcome.map_err(|error| trouble(database, &error));
        }
        match stamp_alone(database)? {
            Some(after) if after == stamp => return outcome.map_err(|error| trouble(database, &error)),
            Some(after) => stamp = after,
            None => break,
        }
    }
    let detail = "opencode's database changed while it was read; it is read again when it changes next";
    Err(unreadable(database, ReadProblem::HalfWritten, detail))
}

/// Whether the log's index was unusable: its owner is writing it, or was cut short while doing so.
fn is_index_moving(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::ReadOnly)
}

/// Waits briefly for a commit that is in the log but not visible yet.
fn wait_for_commit(database: &Path) {
    let (log, index) = (beside(database, "-wal"), beside(database, "-shm"));
    for _ in 0..WAITS {
        let header = log::index_header(&index);
        // Without a header, the index is being written or is not an index.
        if header.is_some_and(|header| !log::has_unseen_commit(&log, &header)) {
            return;
        }
        thread::sleep(WAIT);
    }
}

impl Stamp {
    /// Whether the database file holds everything: there is no log, or an empty one that nobody uses, and
    /// no journal.
    fn is_at_rest(&self) -> bool {
        self.journal.is_none() && self.log.as_ref().is_none_or(|log| log.length == 0 && !self.has_index)
    }
}

impl Store {
    fn open(database: &Path, is_at_rest: bool) -> rusqlite::Result<Store> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let mut connection = Connection::open_with_flags(uri(database, is_at_rest), flags)?;
        connection.busy_timeout(PATIENCE)?;
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        // Ends queries on a schema crafted to be slow.
        let mut n_pauses = 0;
        connection.progress_handler(
            STEPS,
            Some(move || {
                n_pauses += 1;
                n_pauses > MAX_PAUSES
            }),
        )?;
        connection.execute_batch("PRAGMA query_only = 1; PRAGMA temp_store = MEMORY; BEGIN")?;
        let columns = columns(&connection)?;
        Ok(Store { connection, columns })
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Whether the table exists and has all of these columns.
    pub(super) fn has(&self, table: &str, columns: &[&str]) -> bool {
        let known = self.columns.get(table);
        known.is_some_and(|known| columns.iter().all(|column| known.contains(*column)))
    }

    /// The expression for a column: its name, or `NULL` if the table lacks it.
    pub(super) fn column(&self, table: &str, column: &'static str) -> &'static str {
        if self.has(table, &[column]) { column } else { "NULL" }
    }

    /// Fails if the table or one of the columns is missing.
    pub(super) fn need(&self, table: &str, columns: &[&str]) -> rusqlite::Result<()> {
        if self.has(table, columns) {
            return Ok(());
        }
        if self.columns.is_empty() {
            // opencode makes its tables right after the file.
            return Err(rusqlite::Error::InvalidQuery);
        }
        Err(rusqlite::Error::InvalidColumnName(format!("{table}: {}", columns.join(", "))))
    }
}

fn columns(connection: &Connection) -> rusqlite::Result<HashMap<String, HashSet<String>>> {
    let mut found = HashMap::new();
    let mut tables = connection.prepare(TABLES)?;
    let names = tables.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
    for name in names {
        let mut of_table = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
        let columns = of_table.query_map([&name], |row| row.get(0))?.collect::<Result<_, _>>()?;
        found.insert(name, columns);
    }
    Ok(found)
}

/// The URI by which `SQLite` opens the database (sqlite.org/uri.html).
fn uri(database: &Path, is_at_rest: bool) -> String {
    let mut uri = "file:".to_owned();
    for byte in database.as_os_str().as_bytes() {
        let sign = char::from(*byte);
        if sign.is_ascii_alphanumeric() || "/-_.~".contains(sign) {
            uri.push(sign);
        } else {
            uri.extend(['%', hex(byte >> 4), hex(byte & 15)]);
        }
    }
    uri.push_str(if is_at_rest { "?mode=ro&immutable=1" } else { "?mode=ro&readonly_shm=1" });
    uri
}

fn hex(digit: u8) -> char {
    char::from_digit(u32::from(digit), 16).unwrap_or('0')
}

fn beside(database: &Path, end: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

/// The state of a file that must be a regular one, without opening it. `None` if it does not exist.
fn look(path: &Path) -> Result<Option<FileStamp>, Unreadable> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(Some(FileStamp::of(&metadata))),
        Ok(metadata) if metadata.is_symlink() => {
            let detail =
                "it is a link, which is not followed; set XDG_DATA_HOME to the folder that it leads to";
            Err(unreadable(path, ReadProblem::Link, detail))
        }
        Ok(_) => Err(unreadable(path, ReadProblem::NotAFile, "it is not a regular file")),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Err(unreadable(path, ReadProblem::Refused, "there is no permission to look at it"))
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(unreadable(path, ReadProblem::Io, &format!("it cannot be looked at: {error}"))),
    }
}

impl FileStamp {
    fn of(metadata: &Metadata) -> FileStamp {
        FileStamp {
            file: (metadata.dev(), metadata.ino()),
            length: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }
}

fn unreadable(path: &Path, problem: ReadProblem, detail: &str) -> Unreadable {
    Unreadable { name: path.display().to_string(), problem, detail: detail.to_owned() }
}

/// A failed read, with what the user can do about it.
fn trouble(database: &Path, error: &rusqlite::Error) -> Unreadable {
    let lacks = |missing: &str| {
        format!(
            "opencode's database lacks what closeout reads ({missing}): it is being changed by an update, or \
             its version is not known; start opencode once, or update closeout"
        )
    };
    if let rusqlite::Error::InvalidColumnName(missing) = error {
        return unreadable(database, ReadProblem::Invalid, &lacks(missing));
    }
    if matches!(error, rusqlite::Error::InvalidQuery) {
        return unreadable(database, ReadProblem::HalfWritten, &lacks("any table"));
    }
    let (problem, what) = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            (ReadProblem::TimedOut, "it is locked; it is read again when it changes")
        }
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => (
            ReadProblem::Invalid,
            "it is damaged or not a database; move it away, or restore it from a backup",
        ),
        Some(ErrorCode::OperationInterrupted | ErrorCode::TooBig | ErrorCode::OutOfMemory) => {
            (ReadProblem::TooLarge, "reading it takes too much")
        }
        Some(
            ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::AuthorizationForStatementDenied,
        ) => (ReadProblem::Refused, "it cannot be opened; check the permissions of the file and its folder"),
        Some(ErrorCode::ReadOnly) => {
            (ReadProblem::HalfWritten, "its last writer was cut off; start opencode once")
        }
        _ => (ReadProblem::Io, "it cannot be read"),
    };
    unreadable(database, problem, &format!("opencode's database: {what} ({error})"))
}
