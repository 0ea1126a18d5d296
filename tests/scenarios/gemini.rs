//! Chats of Gemini CLI as its client writes them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::claude::new_id;
use super::subagent::{End, Lead};
use super::world::{Deed, iso, write_record};

pub(super) struct Gemini {
    pub(super) id: String,
    work: PathBuf,
    lines: Vec<(i64, Value)>,
    is_subagent: bool,
    subagents: BTreeMap<usize, Gemini>,
}

impl Gemini {
    pub(super) fn new(work: &Path) -> Gemini {
        Gemini {
            id: new_id(),
            work: work.to_owned(),
            lines: Vec::new(),
            is_subagent: false,
            subagents: BTreeMap::new(),
        }
    }

    fn line(&mut self, at: i64, kind: &str, more: &Value) {
        if self.lines.is_empty() {
            let head = json!({"sessionId": self.id, "projectHash": "h", "startTime": iso(at),
                "lastUpdated": iso(at), "kind": if self.is_subagent { "subagent" } else { "main" }});
            self.lines.push((at, head));
        }
        let mut line = json!({"id": format!("m{}", self.lines.len()), "timestamp": iso(at), "type": kind});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.lines.push((at, line));
    }

    fn say(&mut self, at: i64, text: &str, calls: &Value) {
        let mut more = json!({"content": text, "thoughts": [], "model": "gemini-3.8-flash",
            "tokens": {"input": 100, "output": 20, "cached": 0, "thoughts": 0, "tool": 0, "total": 120}});
        if calls != &json!([]) {
            more["toolCalls"] = calls.clone();
        }
        self.line(at, "gemini", &more);
    }

    fn call(&mut self, at: i64, name: &str, args: &Value, status: &str, output: Option<&str>) {
        let id = format!("{name}_{}", self.lines.len());
        let mut call = json!({"id": id, "name": name, "args": args, "status": status, "timestamp": iso(at)});
        let answer = output.map(
            |output| json!({"functionResponse": {"id": id, "name": name, "response": {"output": output}}}),
        );
        if let Some(answer) = &answer {
            call["result"] = json!([answer]);
        }
        self.say(at, "", &json!([call]));
        if let Some(answer) = answer {
            self.line(at + 1, "user", &json!({"content": [answer]}));
        }
    }

    pub(super) fn tell(&mut self, at: i64, deed: &Deed<'_>) {
        match deed {
            Deed::Prompt(text) => self.line(at, "user", &json!({"content": [{"text": text}]})),
            Deed::Say(text) => self.say(at, text, &json!([])),
            Deed::Mid(text) => {
                self.say(at, text, &json!([]));
                self.call(at + 1, "read_file", &json!({"file_path": "README.md"}), "success", Some("hello"));
            }
            Deed::Run { command, code, output } => {
                let code = if *code == 0 { String::new() } else { format!("Exit Code: {code}\n") };
                let output = format!(
                    "<untrusted_context>\nOutput: {output}\n{code}Process Group PGID: 7160\n</untrusted_context>"
                );
                self.call(at, "run_shell_command", &json!({"command": command}), "success", Some(&output));
            }
            Deed::Pending { tool, with } => {
                let args = json!({"command": with, "question": with, "file_path": with});
                self.call(at, tool, &args, "awaiting_approval", None);
            }
            Deed::Edit(path) => {
                let path = self.work.join(path);
                let args = json!({"file_path": path, "content": "code"});
                self.call(
                    at,
                    "write_file",
                    &args,
                    "success",
                    Some("Successfully created and wrote to new file"),
                );
            }
            Deed::Todos(items) => {
                let status = |is_done: bool| if is_done { "completed" } else { "pending" };
                let todos: Vec<Value> = items
                    .iter()
                    .map(|(is_done, title)| json!({"description": title, "status": status(*is_done)}))
                    .collect();
                self.call(
                    at,
                    "write_todos",
                    &json!({"todos": todos}),
                    "success",
                    Some("Successfully updated"),
                );
            }
            Deed::Interrupt => self.line(at, "info", &json!({"content": "Request cancelled."})),
            Deed::Error { text, .. } => self.line(at, "error", &json!({"content": text})),
            Deed::Client(_) => panic!("not of Gemini"),
        }
    }

    pub(super) fn write(&self, home: &Path) {
        let Some((first, _)) = self.lines.first() else { return };
        let folder = home.join(".gemini/tmp/work/chats");
        fs::create_dir_all(&folder).unwrap();
        let projects = json!({"projects": {self.work.to_str().unwrap(): "work"}});
        fs::write(home.join(".gemini/projects.json"), projects.to_string()).unwrap();
        let day = iso(*first);
        let name = format!("session-{}-{}.jsonl", day[..16].replace(':', "-"), &self.id[..8]);
        write_record(&folder.join(name), &self.lines);
        for (number, subagent) in &self.subagents {
            let below = folder.join(&self.id);
            fs::create_dir_all(&below).unwrap();
            write_record(&below.join(format!("sub{number}.jsonl")), &subagent.lines);
        }
    }
}

impl Lead for Gemini {
    /// The session's record has the call once there is a result.
    fn send_off(&mut self, number: usize, at: i64, what: &str, _is_in_background: bool) {
        let mut record = Gemini { is_subagent: true, ..Gemini::new(&self.work) };
        record.tell(at, &Deed::Prompt(what));
        self.subagents.insert(number, record);
    }

    fn hear_of(&mut self, _number: usize, at: i64, end: &End<'_>) {
        let (status, words) = match end {
            End::Report(words) => ("success", *words),
            End::Killed => ("cancelled", ""),
            End::Failed => ("error", ""),
        };
        self.call(at, "generalist", &json!({"request": "A part"}), status, Some(words));
    }

    fn tell_subagent(&mut self, number: usize, at: i64, deed: &Deed<'_>) {
        self.subagents.get_mut(&number).unwrap().tell(at, deed);
    }

    fn place_subagent(&mut self, _number: usize, _folder: PathBuf) {
        panic!("not of Gemini");
    }
}
