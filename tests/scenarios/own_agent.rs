//! Records of an agent that a person describes: lines with a role, a text and a time, and a status file.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::world::{Deed, iso, write_record};

/// How the person's configuration describes it.
pub(super) const DESCRIBED: &str = r#"
[[agent]]
name = "mine"
transcript = ".mine/*.jsonl"
format = "jsonl"
fields.role = "role"
fields.text = "text"
fields.time = "at"
status_file = ".mine/status.json"
"#;

pub(super) struct OwnAgent {
    work: PathBuf,
    name: String,
    lines: Vec<(i64, Value)>,
    /// Nothing tells git to ignore its records.
    pub(super) is_shown: bool,
}

impl OwnAgent {
    pub(super) fn new(work: &Path, name: &str) -> OwnAgent {
        OwnAgent { work: work.to_owned(), name: name.to_owned(), lines: Vec::new(), is_shown: false }
    }

    pub(super) fn tell(&mut self, at: i64, deed: &Deed<'_>) {
        let line = match deed {
            Deed::Prompt(text) => json!({"role": "user", "text": text, "at": iso(at)}),
            Deed::Say(text) | Deed::Mid(text) => json!({"role": "assistant", "text": text, "at": iso(at)}),
            Deed::Client(text) => json!({"role": "log", "text": text, "at": iso(at)}),
            // Its record tells nothing of tools.
            Deed::Edit(_) | Deed::Run { .. } => return,
            Deed::Pending { .. } | Deed::Todos(_) | Deed::Interrupt | Deed::Error { .. } => {
                panic!("not of an own agent")
            }
        };
        self.lines.push((at, line));
    }

    pub(super) fn write(&self) {
        let folder = self.work.join(".mine");
        fs::create_dir_all(&folder).unwrap();
        if !self.is_shown {
            fs::write(folder.join(".gitignore"), "*\n").unwrap();
        }
        write_record(&folder.join(format!("{}.jsonl", self.name)), &self.lines);
    }
}
