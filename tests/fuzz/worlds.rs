//! The places of inputs that are read from files: a repository made without git, a Gemini folder, an opencode
//! database. Created once, rewritten for each input.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use closeout::agent::{self, Adapter, Memories};
use closeout::git::Repository;
use closeout::model::{SessionObservation, SessionPlace};
use rusqlite::{Connection, params};
use tempfile::TempDir;

/// An id for any purpose.
const ID: &str = "0123456789abcdef0123456789abcdef01234567";
/// The id of the session in the database.
const SESSION: &str = "ses_0123456789abcdefghijklmnop";

/// All places of inputs.
pub(crate) struct World {
    folder: TempDir,
    database: Option<Connection>,
}

impl World {
    /// The message if a repository created here is not found.
    pub(crate) const GONE: &str = "there is no repository";
    /// The content of a file outside the repository, to which a link leads.
    pub(crate) const PRIVATE: &str = "private-words-of-a-person";

    /// Creates the places in a new folder.
    pub(crate) fn new() -> World {
        let folder = match fs::metadata("/dev/shm") {
            Ok(_) => tempfile::tempdir_in("/dev/shm"),
            Err(_) => tempfile::tempdir(),
        };
        World { folder: folder.unwrap(), database: None }
    }

    fn place(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// A folder for this purpose.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        let folder = self.place(name);
        fs::create_dir_all(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        folder
    }

    /// Writes a file with these bytes, readable by this user only.
    pub(crate) fn file(&self, name: &Path, bytes: &[u8]) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    }

    /// A repository whose file `name` has these bytes; `None` if that makes it no repository.
    pub(crate) fn repository(&mut self, name: &str, bytes: &[u8]) -> Option<Repository> {
        let top = self.place(&name.replace('/', "-"));
        let git_dir = top.join(".git");
        if !git_dir.exists() {
            for folder in ["objects/pack", "refs/heads", "logs"] {
                fs::create_dir_all(git_dir.join(folder)).unwrap();
            }
            let config = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n";
            for (file, text) in [("HEAD", "ref: refs/heads/main\n"), ("config", config)] {
                fs::write(git_dir.join(file), text).unwrap();
            }
            fs::write(git_dir.join("refs/heads/main"), format!("{ID}\n")).unwrap();
            fs::write(self.folder.path().join("private"), format!("{}\n", Self::PRIVATE)).unwrap();
            std::os::unix::fs::symlink("../../../../private", git_dir.join("refs/heads/link")).unwrap();
        }
        fs::write(git_dir.join(name), bytes).unwrap();
        Repository::open(&top).ok().flatten()
    }

    /// A folder whose `.git` is a file with these bytes.
    pub(crate) fn with_git_file(&mut self, bytes: &[u8]) -> PathBuf {
        self.repository("packed-refs", b"");
        let top = self.place("linked");
        fs::create_dir_all(&top).unwrap();
        fs::write(top.join(".git"), bytes).unwrap();
        top
    }

    /// The session read from a chat file with these bytes.
    pub(crate) fn gemini(&mut self, bytes: &[u8]) -> Vec<SessionObservation> {
        let (home, work) = (self.place("gemini"), self.place("work"));
        let chats = home.join("tmp/work/chats");
        fs::create_dir_all(&chats).unwrap();
        let record = chats.join("session-2026-11-21T20-38-01234567.jsonl");
        fs::write(&record, bytes).unwrap();
        read("gemini", home, &work, "01234567", record)
    }

    /// The session read from a database with these rows: a line that begins with `m` is a message, with `p` a
    /// part of the message before, with `t` the title. Anything that is not text is stored as a blob.
    pub(crate) fn opencode(&mut self, bytes: &[u8]) -> Vec<SessionObservation> {
        let home = self.place("opencode");
        let path = home.join("opencode.db");
        let connection = self.database.get_or_insert_with(|| {
            fs::create_dir_all(&home).unwrap();
            new_database(&path)
        });
        fill(connection, bytes).unwrap();
        read("opencode", home, Path::new("/home/user/project"), SESSION, path)
    }
}

/// The sessions that an agent's adapter reads at one place.
fn read(name: &str, home: PathBuf, work: &Path, id: &str, record: PathBuf) -> Vec<SessionObservation> {
    let adapters = [Adapter::named(name, home).unwrap()];
    let place = SessionPlace { agent: name.to_owned(), session_id: id.into(), folder: work.into(), record };
    agent::sessions(&adapters, work, &[place], &mut Memories::default()).sessions
}

/// A database with the real schema and no rows.
fn new_database(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF").unwrap();
    let rows = include_str!("../fixtures/agents/opencode/opencode-db.sql");
    connection.execute_batch(rows).unwrap();
    connection
}

fn fill(connection: &Connection, bytes: &[u8]) -> rusqlite::Result<()> {
    connection.execute_batch("BEGIN; DELETE FROM part; DELETE FROM message; DELETE FROM session")?;
    let session = "INSERT INTO session (id, project_id, slug, directory, title, version, time_created, time_updated) \
                   VALUES (?1, 'global', 's', '/home/user/project', 'A title', '1.18.33', 1000, 1000)";
    connection.execute(session, params![SESSION])?;
    let mut message = String::new();
    for (at, line) in (1_i64..).zip(bytes.split(|byte| *byte == b'\n').take(500)) {
        let Some((kind, data)) = line.split_first() else { continue };
        let data = match std::str::from_utf8(data) {
            Ok(text) => rusqlite::types::Value::Text(text.to_owned()),
            Err(_) => rusqlite::types::Value::Blob(data.to_vec()),
        };
        match kind {
            b'm' => {
                message = format!("msg_{at}");
                let sql = "INSERT INTO message VALUES (?1, ?2, ?3, ?3, ?4)";
                connection.execute(sql, params![message, SESSION, at * 1000, data])?;
            }
            b'p' => {
                let sql = "INSERT INTO part VALUES (?1, ?2, ?3, ?4, ?4, ?5)";
                connection.execute(sql, params![format!("prt_{at}"), message, SESSION, at * 1000, data])?;
            }
            _ => drop(connection.execute("UPDATE session SET title = ?1", params![data])?),
        }
    }
    connection.execute_batch("COMMIT")
}
