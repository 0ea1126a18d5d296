//! The first line of a rollout, `session_meta`: which thread it belongs to. The client's instructions
//! follow the few fields used (22 kB in a run of 0.169.0), so the line is read only as far as needed.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::agent::fields::Fields;
use crate::agent::record::read_range;
use crate::model::SessionOrigin;

/// The sizes of the leading piece, tried in turn until the fields are found, in bytes.
const STEPS: [u64; 4] = [4 << 10, 64 << 10, 1 << 20, 8 << 20];

/// The fields that every recent client writes. Others may be missing.
const USED: [&str; 4] = ["id", "cwd", "cli_version", "source"];
const PAYLOAD: &str = "\"payload\":";
const INSTRUCTIONS: &str = "\"base_instructions\":";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Head {
    /// A thread's rollout.
    Thread(Meta),
    /// The first line is still being written.
    Unfinished,
    /// Not a rollout, or its first line is longer than the last of [`STEPS`].
    Foreign,
}

/// The thread a rollout belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Meta {
    /// The thread's id. Untrusted.
    pub(super) id: String,
    /// The folder the thread was started in, absolute. Untrusted.
    pub(super) folder: PathBuf,
    /// The client's version. Untrusted.
    pub(super) version: Option<String>,
    pub(super) origin: SessionOrigin,
    /// Whether the client or another thread started it. Such a thread is not a user's session.
    pub(super) is_beside: bool,
}

pub(super) fn read_head(file: &File) -> io::Result<Head> {
    for step in STEPS {
        let begin = read_range(file, 0, step)?;
        let is_end = (begin.len() as u64) < step;
        let head = head_of(&begin);
        if head != Head::Unfinished || is_end {
            return Ok(head);
        }
    }
    Ok(Head::Foreign)
}

pub(super) fn head_of(begin: &[u8]) -> Head {
    let end = begin.iter().position(|byte| *byte == b'\n');
    let line = &begin[..end.unwrap_or(begin.len())];
    if line.first().is_some_and(|byte| *byte != b'{') {
        return Head::Foreign;
    }
    let (frame, payload) = (Fields::read(line), Fields::read(behind(line, PAYLOAD).unwrap_or_default()));
    let is_whole = serde_json::from_slice::<IgnoredAny>(line).is_ok();
    // The client (0.169.0) writes all fields used here before the instructions.
    let is_enough =
        USED.iter().all(|name| payload.raw(name).is_some()) && behind(line, INSTRUCTIONS).is_some();
    if is_whole || is_enough {
        meta(&frame, &payload).map_or(Head::Foreign, Head::Thread)
    } else if end.is_some() {
        Head::Foreign
    } else {
        Head::Unfinished
    }
}

/// What follows the first `key` in the text of an object.
fn behind<'l>(line: &'l [u8], key: &str) -> Option<&'l [u8]> {
    let at = line.windows(key.len()).position(|part| part == key.as_bytes())?;
    Some(&line[at + key.len()..])
}

fn meta(frame: &Fields<'_>, payload: &Fields<'_>) -> Option<Meta> {
    let is_meta = frame.text("type").as_deref() == Some("session_meta");
    let id = payload.text("id").filter(|id| is_meta && !id.is_empty())?;
    let folder = payload.get("cwd").filter(|folder: &PathBuf| folder.is_absolute())?;
    let source: Value = payload.get("source").unwrap_or_default();
    let is_beside = payload.text("parent_thread_id").is_some()
        || source.get("subagent").is_some()
        || source.get("internal").is_some();
    let origin = match (payload.text("forked_from_id"), source.as_str()) {
        (Some(of), _) => SessionOrigin::Fork { of: Some(of.into()) },
        (None, Some("exec")) => SessionOrigin::Headless,
        // The client's own screen reports `vscode` since it runs on the app server.
        (None, Some("cli" | "vscode")) => SessionOrigin::Person,
        (None, _) => SessionOrigin::Unknown,
    };
    Some(Meta { id, folder, version: payload.text("cli_version"), origin, is_beside })
}
