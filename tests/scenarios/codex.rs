//! Records of Codex as its client 0.169.0 writes them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::claude::new_id;
use super::subagent::{End, Lead};
use super::world::{Deed, iso, write_record};

pub(super) struct Codex {
    pub(super) id: String,
    work: PathBuf,
    lines: Vec<(i64, Value)>,
    turn: String,
    n_calls: u32,
    /// The thread that sent it off, if it is a subagent's.
    parent: Option<String>,
    subagents: BTreeMap<usize, Codex>,
}

impl Codex {
    pub(super) fn new(work: &Path) -> Codex {
        Codex {
            id: new_id(),
            work: work.to_owned(),
            lines: Vec::new(),
            turn: String::new(),
            n_calls: 0,
            parent: None,
            subagents: BTreeMap::new(),
        }
    }

    fn line(&mut self, at: i64, kind: &str, payload: &Value) {
        if self.lines.is_empty() && kind != "session_meta" {
            let mut meta = json!({"session_id": self.id, "id": self.id, "timestamp": iso(at), "cwd": self.work,
                "originator": "codex_cli", "cli_version": "0.169.0", "source": "cli"});
            if let Some(parent) = &self.parent {
                meta["parent_thread_id"] = json!(parent);
                meta["source"] =
                    json!({"subagent": {"thread_spawn": {"parent_thread_id": parent, "depth": 1}}});
            }
            self.line(at, "session_meta", &meta);
        }
        let line =
            json!({"timestamp": iso(at), "ordinal": self.lines.len() + 1, "type": kind, "payload": payload});
        self.lines.push((at, line));
    }

    fn call(&mut self, at: i64, kind: &str, name: &str, with: &Value, answer: &str) {
        self.n_calls += 1;
        let call = format!("call_{}", self.n_calls);
        let field = if kind == "function_call" { "arguments" } else { "input" };
        let mut payload = json!({"type": kind, "status": "completed", "name": name, "call_id": call});
        payload[field] = with.clone();
        self.line(at, "response_item", &payload);
        let output = json!({"type": format!("{kind}_output"), "call_id": call, "output": answer});
        self.line(at + 1, "response_item", &output);
    }

    fn begin_turn(&mut self, at: i64, text: &str) {
        self.turn = new_id();
        let turn = self.turn.clone();
        self.line(at, "event_msg", &json!({"type": "task_started", "turn_id": turn}));
        let setting =
            json!({"turn_id": turn, "cwd": self.work, "approval_policy": "never", "model": "gpt-5.5"});
        self.line(at, "turn_context", &setting);
        let content = json!([{"type": "input_text", "text": text}]);
        self.line(at, "response_item", &json!({"type": "message", "role": "user", "content": content}));
        let item = json!({"type": "UserMessage", "id": "u", "content": [{"type": "text", "text": text}]});
        let told = json!({"type": "item_completed", "thread_id": self.id, "turn_id": turn, "item": item});
        self.line(at, "event_msg", &told);
    }

    fn say(&mut self, at: i64, text: &str, is_end: bool) {
        let content = json!([{"type": "output_text", "text": text}]);
        let message = json!({"type": "message", "status": "completed", "id": "m", "role": "assistant", "content": content});
        self.line(at, "response_item", &message);
        if is_end {
            let turn = self.turn.clone();
            let told = json!({"type": "task_complete", "turn_id": turn, "last_agent_message": text});
            self.line(at, "event_msg", &told);
        }
    }

    pub(super) fn tell(&mut self, at: i64, deed: &Deed<'_>) {
        match deed {
            Deed::Prompt(text) => self.begin_turn(at, text),
            Deed::Say(text) => self.say(at, text, true),
            Deed::Mid(text) => self.say(at, text, false),
            Deed::Run { command, code, output } => {
                let answer = format!(
                    "Chunk ID: abc\nWall time: 0.1000 seconds\nProcess exited with code {code}\nOriginal token count: 4\nOutput:\n{output}"
                );
                self.call(
                    at,
                    "function_call",
                    "exec_command",
                    &json!(json!({"cmd": command}).to_string()),
                    &answer,
                );
            }
            Deed::Edit(path) => {
                let text = format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n");
                let answer = format!(
                    "Exit code: 0\nWall time: 0.3 seconds\nOutput:\nSuccess. Updated the following files:\nA {path}\n"
                );
                self.call(at, "custom_tool_call", "apply_patch", &json!(text), &answer);
            }
            Deed::Todos(items) => {
                let status = |is_done: bool| if is_done { "completed" } else { "pending" };
                let plan: Vec<Value> = items
                    .iter()
                    .map(|(is_done, title)| json!({"step": title, "status": status(*is_done)}))
                    .collect();
                self.call(
                    at,
                    "function_call",
                    "update_plan",
                    &json!(json!({"plan": plan}).to_string()),
                    "Plan updated",
                );
            }
            Deed::Interrupt => {
                let turn = self.turn.clone();
                self.line(
                    at,
                    "event_msg",
                    &json!({"type": "turn_aborted", "turn_id": turn, "reason": "interrupted"}),
                );
            }
            Deed::Pending { .. } | Deed::Error { .. } | Deed::Client(_) => panic!("not of Codex"),
        }
    }

    pub(super) fn write(&self, home: &Path) {
        let Some((first, _)) = self.lines.first() else { return };
        let day = iso(*first);
        let folder = home.join(".codex/sessions").join(day[..10].replace('-', "/"));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join(format!("rollout-{}-{}.jsonl", day[..19].replace(':', "-"), self.id));
        write_record(&file, &self.lines);
        for subagent in self.subagents.values() {
            subagent.write(home);
        }
    }

    /// A word of the client about a subagent.
    fn hear_activity(&mut self, number: usize, at: i64, kind: &str) {
        let item = json!({"type": "SubAgentActivity", "id": format!("{kind}{number}"), "kind": kind,
            "agent_thread_id": self.subagents[&number].id, "agent_path": format!("/lead/part{number}")});
        let turn = self.turn.clone();
        let told = json!({"type": "item_completed", "thread_id": self.id, "turn_id": turn, "item": item});
        self.line(at, "event_msg", &told);
    }
}

impl Lead for Codex {
    fn send_off(&mut self, number: usize, at: i64, what: &str, _is_in_background: bool) {
        let mut record = Codex { parent: Some(self.id.clone()), ..Codex::new(&self.work) };
        record.begin_turn(at, what);
        self.subagents.insert(number, record);
        let with = json!(json!({"message": what, "task_name": format!("part{number}")}).to_string());
        self.hear_activity(number, at, "started");
        self.call(at, "function_call", "spawn_agent", &with, "{\"task_name\":\"/lead/part\"}");
    }

    fn hear_of(&mut self, number: usize, at: i64, end: &End<'_>) {
        let kind = match end {
            End::Report(_) => "completed",
            End::Killed => "interrupted",
            End::Failed => "failed",
        };
        self.hear_activity(number, at, kind);
    }

    fn tell_subagent(&mut self, number: usize, at: i64, deed: &Deed<'_>) {
        self.subagents.get_mut(&number).unwrap().tell(at, deed);
    }

    fn place_subagent(&mut self, number: usize, folder: PathBuf) {
        let record = self.subagents.get_mut(&number).unwrap();
        record.work = folder;
        // The next turn context names the folder.
        let at = record.lines.last().unwrap().0;
        let setting = json!({"turn_id": record.turn, "cwd": record.work, "model": "gpt-5.5"});
        record.line(at, "turn_context", &setting);
    }
}
