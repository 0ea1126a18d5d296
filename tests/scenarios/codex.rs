//! Records of Codex as its client 0.169.0 writes them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::claude::new_id;
use super::world::{Deed, iso, write_record};

pub(super) struct Codex {
    pub(super) id: String,
    work: PathBuf,
    lines: Vec<(i64, Value)>,
    turn: String,
    n_calls: u32,
}

impl Codex {
    pub(super) fn new(work: &Path) -> Codex {
        Codex { id: new_id(), work: work.to_owned(), lines: Vec::new(), turn: String::new(), n_calls: 0 }
    }

    fn line(&mut self, at: i64, kind: &str, payload: &Value) {
        if self.lines.is_empty() && kind != "session_meta" {
            let meta = json!({"session_id": self.id, "id": self.id, "timestamp": iso(at), "cwd": self.work,
                "originator": "codex_cli", "cli_version": "0.169.0", "source": "cli"});
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
    }
}
