//! Tests of the adapter for opencode: databases made from the rows of real runs, and as they go wrong.

mod bounds;
mod reading;
mod turns;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use closeout::agent::{self, Adapter, Memories, SessionsRead, Survey, SurveyAsk};
use closeout::model::{SessionObservation, SessionPlace, Timestamp};
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The session that `add` functions write to.
const ID: &str = "ses_e002c0385ffe2ZMA6nEoGgjs9c";
/// The indexes of a real database, which the rows do not bring.
const INDEXES: &str = "
    CREATE INDEX `session_parent_idx` ON `session` (`parent_id`);
    CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
    CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
    CREATE INDEX `part_session_idx` ON `part` (`session_id`);";

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agents/opencode");
    fs::read(folder.join(name)).unwrap()
}

/// A machine of its own: a data folder, and the owner's connection to the database in it.
struct Machine {
    _temp: TempDir,
    data_dir: PathBuf,
    database: PathBuf,
    owner: Option<Connection>,
    memory: Memories,
    surveyed: Memories,
}

impl Machine {
    /// With an empty data folder.
    fn without_database() -> Machine {
        let temp = crate::support::scratch::folder();
        let data_dir = temp.path().canonicalize().unwrap().join("a b#c%41");
        fs::create_dir(&data_dir).unwrap();
        let database = data_dir.join("opencode.db");
        let (memory, surveyed) = (Memories::default(), Memories::default());
        Machine { _temp: temp, data_dir, database, owner: None, memory, surveyed }
    }

    /// With a database of the real schema; its owner has it open.
    fn new() -> Machine {
        let mut machine = Machine::without_database();
        let owner = machine.connect();
        owner.execute_batch(std::str::from_utf8(&fixture("opencode-db.sql")).unwrap()).unwrap();
        owner.execute_batch(INDEXES).unwrap();
        machine.owner = Some(owner);
        machine
    }

    /// A connection as the client makes it.
    fn connect(&self) -> Connection {
        let connection = Connection::open(&self.database).unwrap();
        connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL").unwrap();
        connection
    }

    fn owner(&self) -> &Connection {
        self.owner.as_ref().unwrap()
    }

    /// The owner ends, closing its database.
    fn close(&mut self) {
        self.owner.take().unwrap().close().unwrap();
    }

    fn adapters(&self) -> [Adapter; 1] {
        [Adapter::named("opencode", self.data_dir.clone()).unwrap()]
    }

    fn places(&self, ids: &[&str]) -> Vec<SessionPlace> {
        let place = |id: &&str| SessionPlace {
            agent: "opencode".to_owned(),
            session_id: (*id).into(),
            folder: "/home/user/project".into(),
            record: self.database.clone(),
        };
        ids.iter().map(place).collect()
    }

    fn read(&mut self, ids: &[&str]) -> SessionsRead {
        let places = self.places(ids);
        agent::sessions(&self.adapters(), Path::new("/home/user/project"), &places, &mut self.memory)
    }

    /// The one session with this id.
    fn session(&mut self, id: &str) -> SessionObservation {
        let mut read = self.read(&[id]);
        assert_eq!(read.trouble, []);
        assert_eq!(read.sessions.len(), 1);
        read.sessions.pop().unwrap()
    }

    fn survey(&mut self, since: i64, within: Option<&Path>) -> Survey {
        let ask = SurveyAsk { since: Timestamp(since), all_of: &[], within };
        agent::survey(&self.adapters(), &ask, &mut self.surveyed)
    }

    fn is_news(&mut self) -> bool {
        agent::is_news(&self.adapters(), &self.data_dir, &mut self.surveyed)
    }

    fn add_session(&self, id: &str, parent: Option<&str>, title: &str, at: i64) {
        let sql = "INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, time_created, \
                   time_updated) VALUES (?1, 'global', ?2, 's', '/home/user/project', ?3, '1.18.33', ?4, ?4)";
        self.owner().execute(sql, params![id, parent, title, at]).unwrap();
    }

    fn add_message(&self, session: &str, id: &str, at: i64, data: &Value) {
        let sql = "INSERT INTO message VALUES (?1, ?2, ?3, ?3, ?4)";
        self.owner().execute(sql, params![id, session, at, data.to_string()]).unwrap();
    }

    fn add_part(&self, session: &str, message: &str, id: &str, at: i64, data: &Value) {
        let sql = "INSERT INTO part VALUES (?1, ?2, ?3, ?4, ?4, ?5)";
        self.owner().execute(sql, params![id, message, session, at, data.to_string()]).unwrap();
    }

    /// A session of one prompt at 1000, and the begin of an answer at 2000.
    fn asked(&self) -> &Machine {
        self.add_session(ID, None, "New session - 2026-11-21T20:31:33.000Z", 1000);
        self.add_message(ID, "msg_1", 1000, &json!({"role": "user", "time": {"created": 1000}}));
        self.add_part(ID, "msg_1", "prt_1", 1000, &json!({"type": "text", "text": "Do it\n"}));
        self
    }

    /// The answer to that prompt.
    fn answered(&self, fields: &Value, parts: &[Value]) {
        let mut data = json!({"parentID": "msg_1", "role": "assistant", "time": {"created": 2000},
            "path": {"cwd": "/home/user/project/sub"}, "providerID": "mock", "modelID": "m"});
        data.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.add_message(ID, "msg_2", 2000, &data);
        for (at, part) in (0..).zip(parts) {
            self.add_part(ID, "msg_2", &format!("prt_2{at}"), 2100 + at, part);
        }
    }

    /// The files of the data folder: name, inode, length and time of the last change.
    fn files(&self) -> Vec<(String, u64, u64, i64)> {
        let entries = fs::read_dir(&self.data_dir).unwrap().map(|entry| {
            let entry = entry.unwrap();
            let metadata = entry.metadata().unwrap();
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, metadata.ino(), metadata.len(), metadata.mtime_nsec())
        });
        let mut files: Vec<_> = entries.collect();
        files.sort();
        files
    }
}
