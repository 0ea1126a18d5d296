//! Rows of opencode's database as its client 1.18.33 writes them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rusqlite::{Connection, params};
use serde_json::{Value, json};

use super::claude::new_id;
use super::subagent::{End, Lead};
use super::world::Deed;

/// The indexes of a real database, which the rows of the fixture do not bring.
const INDEXES: &str = "
    CREATE INDEX `session_parent_idx` ON `session` (`parent_id`);
    CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
    CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
    CREATE INDEX `part_session_idx` ON `part` (`session_id`);";

struct Message {
    at: i64,
    data: Value,
    parts: Vec<Value>,
}

pub(super) struct Opencode {
    pub(super) id: String,
    work: PathBuf,
    messages: Vec<Message>,
    todos: Option<(i64, Vec<(bool, String)>)>,
    /// The session that sent it off, if it is a subagent's.
    parent: Option<String>,
    /// Each with the place of the message that sent it off.
    subagents: BTreeMap<usize, (usize, Opencode)>,
}

impl Opencode {
    pub(super) fn new(work: &Path) -> Opencode {
        let id = format!("ses_{}", new_id().replace('-', ""));
        Opencode {
            id,
            work: work.to_owned(),
            messages: Vec::new(),
            todos: None,
            parent: None,
            subagents: BTreeMap::new(),
        }
    }

    /// An answer that is completed, with how it ended.
    fn answer(&mut self, at: i64, more: &Value, parts: Vec<Value>) {
        let mut data = json!({"parentID": "x", "role": "assistant", "mode": "build", "agent": "build",
            "path": {"cwd": self.work, "root": self.work}, "providerID": "mock", "modelID": "m",
            "time": {"created": at * 1000, "completed": at * 1000 + 500}});
        data.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.messages.push(Message { at, data, parts });
    }

    fn call(&mut self, at: i64, tool: &str, state: &Value) {
        let mut state = state.clone();
        let time = json!({"start": at * 1000, "end": at * 1000 + 400});
        state.as_object_mut().unwrap().extend([("time".to_owned(), time)]);
        let part = json!({"type": "tool", "tool": tool, "callID": format!("c{}", self.messages.len()), "state": state});
        self.answer(at, &json!({"finish": "tool-calls"}), vec![part]);
    }

    pub(super) fn tell(&mut self, at: i64, deed: &Deed<'_>) {
        match deed {
            Deed::Prompt(text) => {
                let data = json!({"role": "user", "time": {"created": at * 1000}, "agent": "build"});
                let parts = vec![json!({"type": "text", "text": text})];
                self.messages.push(Message { at, data, parts });
            }
            Deed::Say(text) => {
                self.answer(at, &json!({"finish": "stop"}), vec![json!({"type": "text", "text": text})]);
            }
            Deed::Mid(text) => {
                self.answer(at, &json!({"finish": "tool-calls"}), vec![json!({"type": "text", "text": text})]);
            }
            Deed::Run { command, code, output } => self.call(
                at,
                "bash",
                &json!({"status": "completed", "input": {"command": command, "description": "x"}, "output": output,
                    "metadata": {"output": output, "exit": code, "truncated": false}}),
            ),
            Deed::Pending { tool, with } => {
                let input = if *tool == "question" {
                    let mut parts = with.split(" | ");
                    let question = parts.next().unwrap();
                    let options: Vec<Value> = parts.map(|label| json!({"label": label})).collect();
                    json!({"questions": [{"question": question, "options": options}]})
                } else {
                    json!({"command": with, "filePath": with})
                };
                let state = json!({"status": "running", "input": input, "time": {"start": at * 1000}});
                let part = json!({"type": "tool", "tool": tool, "callID": "open", "state": state});
                self.answer(at, &json!({"time": {"created": at * 1000}}), vec![part]);
            }
            Deed::Edit(path) => {
                let path = self.work.join(path);
                let input = json!({"filePath": path, "content": "code"});
                self.call(at, "write", &json!({"status": "completed", "input": input, "output": "Wrote file successfully."}));
            }
            Deed::Todos(items) => {
                self.todos =
                    Some((at, items.iter().map(|(done, title)| (*done, (*title).to_owned())).collect()));
                self.call(at, "todowrite", &json!({"status": "completed", "input": {"todos": []}, "output": "[]"}));
            }
            Deed::Interrupt => {
                let error = json!({"name": "MessageAbortedError", "data": {"message": "Aborted"}});
                self.answer(at, &json!({"error": error}), Vec::new());
            }
            Deed::Error { status, text } => {
                let error = json!({"name": "APIError", "data": {"message": text, "statusCode": status}});
                self.answer(at, &json!({"error": error}), Vec::new());
            }
            Deed::Client(_) => panic!("not of opencode"),
        }
    }

    pub(super) fn write(&self, home: &Path) {
        static EMPTY: OnceLock<tempfile::TempDir> = OnceLock::new();
        let empty = EMPTY.get_or_init(|| {
            let folder = crate::support::scratch::folder();
            let fixture =
                Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agents/opencode/opencode-db.sql");
            let database = Connection::open(folder.path().join("opencode.db")).unwrap();
            database.execute_batch(&fs::read_to_string(fixture).unwrap()).unwrap();
            database.execute_batch(INDEXES).unwrap();
            database
                .execute_batch("DELETE FROM part; DELETE FROM message; DELETE FROM todo; DELETE FROM session")
                .unwrap();
            folder
        });
        if self.messages.is_empty() {
            return;
        }
        let folder = home.join(".local/share/opencode");
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("opencode.db");
        if !file.exists() {
            fs::copy(empty.path().join("opencode.db"), &file).unwrap();
        }
        let mut database = Connection::open(&file).unwrap();
        let rows = database.transaction().unwrap();
        // A world is written again at each look.
        for table in ["session", "message", "part", "todo"] {
            let column = if table == "session" { "id" } else { "session_id" };
            rows.execute(&format!("DELETE FROM {table} WHERE {column} = ?1"), params![self.id]).unwrap();
        }
        let (first, last) = (self.messages.first().unwrap().at, self.messages.last().unwrap().at);
        let sql = "INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, time_created, \
                   time_updated) VALUES (?1, 'global', ?5, 's', ?2, 'x', '1.18.33', ?3, ?4)";
        let work = self.work.to_str().unwrap();
        rows.execute(sql, params![self.id, work, first * 1000, last * 1000, self.parent]).unwrap();
        for (at, message) in self.messages.iter().enumerate() {
            let id = format!("msg_{at:06}{}", self.id);
            let made = message.at * 1000;
            let sql = "INSERT INTO message VALUES (?1, ?2, ?3, ?3, ?4)";
            rows.execute(sql, params![id, self.id, made, message.data.to_string()]).unwrap();
            for (n, part) in message.parts.iter().enumerate() {
                let sql = "INSERT INTO part VALUES (?1, ?2, ?3, ?4, ?4, ?5)";
                rows.execute(
                    sql,
                    params![format!("prt_{at:06}{n}{}", self.id), id, self.id, made, part.to_string()],
                )
                .unwrap();
            }
        }
        for (position, (is_done, title)) in self.todos.iter().flat_map(|(_, items)| items).enumerate() {
            let at = self.todos.as_ref().unwrap().0 * 1000;
            let status = if *is_done { "completed" } else { "pending" };
            let sql = "INSERT INTO todo VALUES (?1, ?2, ?3, 'high', ?4, ?5, ?5)";
            rows.execute(sql, params![self.id, title, status, i64::try_from(position).unwrap(), at]).unwrap();
        }
        rows.commit().unwrap();
        drop(database);
        for (_, subagent) in self.subagents.values() {
            subagent.write(home);
        }
    }
}

impl Lead for Opencode {
    fn send_off(&mut self, number: usize, at: i64, what: &str, _is_in_background: bool) {
        let mut record = Opencode { parent: Some(self.id.clone()), ..Opencode::new(&self.work) };
        record.tell(at, &Deed::Prompt(what));
        let input = json!({"description": "A part", "prompt": what, "subagent_type": "general"});
        let state = json!({"status": "running", "input": input, "time": {"start": at * 1000},
            "metadata": {"sessionId": record.id}});
        let part = json!({"type": "tool", "tool": "task", "callID": format!("sub{number}"), "state": state});
        self.answer(at, &json!({"finish": null, "time": {"created": at * 1000}}), vec![part]);
        self.subagents.insert(number, (self.messages.len() - 1, record));
    }

    fn hear_of(&mut self, number: usize, at: i64, end: &End<'_>) {
        let message = &mut self.messages[self.subagents[&number].0];
        message.data["finish"] = json!("tool-calls");
        message.data["time"]["completed"] = json!(at * 1000);
        let state = &mut message.parts[0]["state"];
        match end {
            End::Report(words) => {
                state["status"] = json!("completed");
                state["output"] = json!(words);
            }
            End::Killed | End::Failed => {
                state["status"] = json!("error");
                state["error"] = json!("Tool execution aborted");
            }
        }
    }

    fn tell_subagent(&mut self, number: usize, at: i64, deed: &Deed<'_>) {
        self.subagents.get_mut(&number).unwrap().1.tell(at, deed);
    }

    fn place_subagent(&mut self, number: usize, folder: PathBuf) {
        self.subagents.get_mut(&number).unwrap().1.work = folder;
    }
}
