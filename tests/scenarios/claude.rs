//! Records of Claude Code as its client 2.1.330 writes them.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use super::subagent::{End, Lead};
use super::world::{Deed, iso, write_record};

pub(super) struct Claude {
    pub(super) id: String,
    work: PathBuf,
    lines: Vec<(i64, Value)>,
    /// Text behind the last line, which no client wrote whole.
    tail: String,
    n_ids: u32,
    /// Its id, if it is a subagent; `id` is then its session's.
    agent_id: Option<String>,
    subagents: BTreeMap<usize, Sent>,
}

/// A subagent with the call that sent it off.
struct Sent {
    call: String,
    is_in_background: bool,
    record: Claude,
}

/// An id that no other session of this run has.
pub(super) fn new_id() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    format!("{:08x}-0000-4000-8000-000000000000", NEXT.fetch_add(1, Ordering::Relaxed))
}

impl Claude {
    pub(super) fn new(work: &Path) -> Claude {
        Claude {
            id: new_id(),
            work: work.to_owned(),
            lines: Vec::new(),
            tail: String::new(),
            n_ids: 0,
            agent_id: None,
            subagents: BTreeMap::new(),
        }
    }

    fn next(&mut self, kind: &str) -> String {
        self.n_ids += 1;
        format!("{kind}{:04}", self.n_ids)
    }

    fn line(&mut self, at: i64, more: &Value) {
        let parent = self.lines.last().map(|(_, line)| line["uuid"].clone());
        // Only a fork has lines of another session.
        let uuid = format!("{}-{:04x}-4000-8000-000000000000", &self.id[..8], self.lines.len());
        let mut line = json!({
            "parentUuid": parent, "isSidechain": false, "uuid": uuid, "timestamp": iso(at),
            "userType": "external", "entrypoint": "cli", "cwd": self.work, "sessionId": self.id,
            "version": "2.1.330", "gitBranch": "main",
        });
        if let Some(agent_id) = &self.agent_id {
            line["isSidechain"] = json!(true);
            line["agentId"] = json!(agent_id);
        }
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.lines.push((at, line));
    }

    fn assistant(&mut self, at: i64, content: &Value, stop: &str) {
        let id = self.next("msg_");
        let message = json!({"id": id, "type": "message", "role": "assistant", "model": "claude-x",
            "content": [content], "stop_reason": stop});
        self.line(at, &json!({"type": "assistant", "message": message}));
    }

    fn call(&mut self, at: i64, tool: &str, input: &Value, answer: Option<(&str, bool, Value)>) {
        let id = self.next("toolu_");
        self.assistant(at, &json!({"type": "tool_use", "id": id, "name": tool, "input": input}), "tool_use");
        if let Some((text, is_error, result)) = answer {
            let content =
                json!([{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error}]);
            let message = json!({"role": "user", "content": content});
            self.line(at + 1, &json!({"type": "user", "message": message, "toolUseResult": result}));
        }
    }

    pub(super) fn tell(&mut self, at: i64, deed: &Deed<'_>) {
        match deed {
            Deed::Prompt(text) => {
                let message = json!({"role": "user", "content": text});
                let more = json!({"type": "user", "message": message, "promptSource": "typed", "origin": {"kind": "human"}});
                self.line(at, &more);
            }
            Deed::Say(text) => {
                self.assistant(at, &json!({"type": "text", "text": text}), "end_turn");
                self.line(at, &json!({"type": "system", "subtype": "turn_duration", "durationMs": 1000, "isMeta": false}));
            }
            Deed::Mid(text) => self.assistant(at, &json!({"type": "text", "text": text}), "tool_use"),
            Deed::Run { command, code: 0, output } => {
                let result = json!({"stdout": output, "stderr": "", "interrupted": false});
                self.call(at, "Bash", &json!({"command": command}), Some((output, false, result)));
            }
            Deed::Run { command, code, output } => {
                let text = format!("Exit code {code}\n{output}");
                let result = json!(format!("Error: {text}"));
                self.call(at, "Bash", &json!({"command": command}), Some((&text, true, result)));
            }
            Deed::Pending { tool: "AskUserQuestion", with } => {
                let mut parts = with.split(" | ");
                let question = parts.next().unwrap();
                let options: Vec<Value> =
                    parts.map(|label| json!({"label": label, "description": ""})).collect();
                let asked = json!({"question": question, "header": "Choice", "options": options, "multiSelect": false});
                self.call(at, "AskUserQuestion", &json!({"questions": [asked]}), None);
            }
            Deed::Pending { tool, with } => self.call(at, tool, &json!({"command": with}), None),
            Deed::Edit(path) => {
                let path = self.work.join(path);
                let result = json!({"type": "create", "filePath": path});
                let input = json!({"file_path": path, "content": "code"});
                self.call(at, "Write", &input, Some(("File created successfully", false, result)));
            }
            Deed::Todos(items) => {
                let status = |is_done: bool| if is_done { "completed" } else { "pending" };
                let todos: Vec<Value> = items
                    .iter()
                    .map(|(is_done, title)| json!({"content": title, "status": status(*is_done), "activeForm": title}))
                    .collect();
                self.call(at, "TodoWrite", &json!({"todos": todos}), Some(("ok", false, json!({}))));
            }
            Deed::Interrupt => {
                let text = json!([{"type": "text", "text": "[Request interrupted by user]"}]);
                self.line(at, &json!({"type": "user", "message": {"role": "user", "content": text}}));
            }
            Deed::Error { status, text } => self.fail(at, *status, text),
            Deed::Client(text) => self.client_command(at, text),
        }
    }

    /// An error in place of a reply.
    fn fail(&mut self, at: i64, status: u16, text: &str) {
        let message = json!({"id": "m", "type": "message", "role": "assistant", "model": "<synthetic>",
            "content": [{"type": "text", "text": text}], "stop_reason": "stop_sequence"});
        let more = json!({"type": "assistant", "isApiErrorMessage": true, "apiErrorStatus": status, "message": message});
        self.line(at, &more);
    }

    /// A command of the client itself, with what it printed.
    fn client_command(&mut self, at: i64, text: &str) {
        let command = format!(
            "<command-name>{text}</command-name>\n<command-message>{text}</command-message>\n<command-args></command-args>"
        );
        self.line(at, &json!({"type": "user", "message": {"role": "user", "content": command}}));
        let out = "<local-command-stdout>done</local-command-stdout>";
        self.line(at, &json!({"type": "user", "message": {"role": "user", "content": out}}));
    }

    /// Another session with the same history: the client copies every line, and gives only the id anew.
    pub(super) fn fork(&self) -> Claude {
        let id = new_id();
        let mut lines = self.lines.clone();
        for (_, line) in &mut lines {
            line["sessionId"] = json!(id);
        }
        let n_ids = self.n_ids + 1000;
        Claude { id, lines, n_ids, ..Claude::new(&self.work) }
    }

    /// Lines of kinds that are met seldom, by the verb of their step.
    pub(super) fn write_line_of(&mut self, verb: &str, at: i64, words: &str) {
        let user = |text: &str| json!({"role": "user", "content": text});
        match verb {
            "compact" => {
                self.line(at, &json!({"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"}));
                let summary =
                    "This session is being continued from a previous conversation that ran out of context.";
                self.line(at, &json!({"type": "user", "isCompactSummary": true, "message": user(summary)}));
                self.client_command(at, "/compact");
            }
            "queued" => {
                self.line(at, &json!({"type": "queue-operation", "operation": "enqueue", "content": words}));
            }
            "dequeued" => self.line(at, &json!({"type": "queue-operation", "operation": "dequeue"})),
            "blocked" => {
                let text =
                    format!("UserPromptSubmit operation blocked by hook:\nno\n\nOriginal prompt: {words}");
                let ending = json!({"ending": {"kind": "blocked_by_hook", "reason": "no"}});
                self.line(
                    at,
                    &json!({"type": "system", "subtype": "informational", "content": text, "isMeta": false,
                    "level": "warning", "preventContinuation": true, "promptSubmitEnding": ending}),
                );
            }
            "meta" => self.line(at, &json!({"type": "user", "isMeta": true, "message": user(words)})),
            "raw" => self.line(at, &serde_json::from_str(words).unwrap()),
            "broken" => self.lines.push((at, json!(words))),
            _ => words.clone_into(&mut self.tail),
        }
    }

    /// Its entry in the registry: `busy`, `idle`, or `waiting` with what for.
    pub(super) fn entry(&self, now: i64, words: &str) -> String {
        let (status, waits) =
            words.split_once(' ').map_or((words, None), |(status, waits)| (status, Some(waits)));
        let pid = std::process::id();
        let started_at = closeout::agent::process_stat::read(pid).unwrap().started_at;
        let mut entry = json!({
            "pid": pid, "sessionId": self.id, "cwd": self.work, "startedAt": (now - 7200) * 1000,
            "procStart": started_at.to_string(), "version": "2.1.330", "kind": "interactive", "entrypoint": "cli",
            "name": "x", "status": status, "statusUpdatedAt": (now - 100) * 1000,
        });
        if let Some(waits) = waits {
            entry["waitingFor"] = json!(waits);
        }
        entry.to_string()
    }

    pub(super) fn write(&self, home: &Path) {
        if self.lines.is_empty() {
            return;
        }
        let slug = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let slug: String = self.work.to_str().unwrap().chars().map(slug).collect();
        let folder = home.join(".claude/projects").join(slug);
        fs::create_dir_all(&folder).unwrap();
        self.write_to(&folder.join(format!("{}.jsonl", self.id)));
        for Sent { call, record, .. } in self.subagents.values().filter(|sent| !sent.record.lines.is_empty())
        {
            let below = folder.join(&self.id).join("subagents");
            fs::create_dir_all(&below).unwrap();
            let name = format!("agent-{}", record.agent_id.as_deref().unwrap());
            record.write_to(&below.join(format!("{name}.jsonl")));
            let meta = json!({"agentType": "general-purpose", "toolUseId": call, "spawnDepth": 1});
            fs::write(below.join(format!("{name}.meta.json")), meta.to_string()).unwrap();
        }
    }

    fn write_to(&self, file: &Path) {
        write_record(file, &self.lines);
        if !self.tail.is_empty() {
            fs::OpenOptions::new().append(true).open(file).unwrap().write_all(self.tail.as_bytes()).unwrap();
        }
    }

    /// The record of a subagent.
    pub(super) fn subagent(&mut self, number: usize) -> &mut Claude {
        &mut self.subagents.get_mut(&number).unwrap().record
    }

    /// Takes away all that was written.
    pub(super) fn lose(&mut self) {
        self.lines.clear();
    }

    fn result(&mut self, at: i64, call: &str, text: &str, result: &Value) {
        let content = json!([{"type": "tool_result", "tool_use_id": call, "content": [{"type": "text", "text": text}]}]);
        let message = json!({"role": "user", "content": content});
        self.line(at, &json!({"type": "user", "message": message, "toolUseResult": result}));
    }
}

impl Lead for Claude {
    fn send_off(&mut self, number: usize, at: i64, what: &str, is_in_background: bool) {
        let input = json!({"description": "A part", "prompt": what, "subagent_type": "general-purpose"});
        self.call(at, "Agent", &input, None);
        let call = format!("toolu_{:04}", self.n_ids - 1);
        let id = format!("a{number}d59d7c5eaf88b");
        if is_in_background {
            let result =
                json!({"isAsync": true, "status": "async_launched", "agentId": id, "description": "A part"});
            self.result(at, &call, "Async agent launched successfully.", &result);
        }
        let mut record =
            Claude { id: self.id.clone(), agent_id: Some(id), n_ids: 1000, ..Claude::new(&self.work) };
        let message = json!({"role": "user", "content": what});
        record.line(at, &json!({"type": "user", "message": message}));
        self.subagents.insert(number, Sent { call, is_in_background, record });
    }

    fn hear_of(&mut self, number: usize, at: i64, end: &End<'_>) {
        let Sent { call, is_in_background, record } = &self.subagents[&number];
        let (call, id) = (call.clone(), record.agent_id.clone().unwrap());
        let (status, words) = match end {
            End::Report(words) => ("completed", *words),
            End::Killed => ("killed", ""),
            End::Failed => ("failed", ""),
        };
        if *is_in_background {
            let text = format!(
                "<task-notification>\n<task-id>{id}</task-id>\n<tool-use-id>{call}</tool-use-id>\n<status>{status}</status>\n<result>{words}</result>\n</task-notification>"
            );
            let message = json!({"role": "user", "content": text});
            let more = json!({"type": "user", "message": message, "promptSource": "system", "origin": {"kind": "task-notification"}});
            return self.line(at, &more);
        }
        let result = json!({"status": status, "agentId": id, "content": [{"type": "text", "text": words}]});
        self.result(at, &call, words, &result);
    }

    fn tell_subagent(&mut self, number: usize, at: i64, deed: &Deed<'_>) {
        self.subagent(number).tell(at, deed);
    }

    fn place_subagent(&mut self, number: usize, folder: PathBuf) {
        self.subagent(number).work = folder;
    }
}
