//! Subagents that a session started in the background. The turn ends while they are still working.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agent::record_text::shortened_if_any;
use crate::model::Timestamp;

/// Opens the text in which the client tells the agent how a background task ended.
const REPORT: &str = "<task-notification>";
/// How a background task is, in the result of a tool that asks for it, once it is over.
const OVER: [&str; 3] = ["\"completed\"", "\"failed\"", "\"killed\""];
/// Further subagents are not tracked.
const MAX: usize = 64;

/// The result of the tool `Agent` when its subagent runs in the background.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Launched {
    status: String,
    agent_id: String,
    description: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Background {
    subagents: Vec<SentOff>,
}

#[derive(Debug)]
pub(super) struct SentOff {
    /// Its id, checked to be safe in a file name.
    pub(super) id: String,
    /// Its assignment, if the tool's result names it.
    pub(super) what: Option<String>,
    pub(super) at: Option<Timestamp>,
}

impl Background {
    /// Takes a tool result. One that started a background subagent adds it.
    pub(super) fn answer(&mut self, result: Option<&RawValue>, at: Option<Timestamp>) {
        let Some(result) = result else { return };
        // The agent can ask how one goes: the answer then stands in place of its report.
        let is_over = |subagent: &SentOff| {
            OVER.iter().any(|word| result.get().contains(word))
                && result.get().contains(&format!("\"{}\"", subagent.id))
        };
        self.subagents.retain(|subagent| !is_over(subagent));
        let launched = serde_json::from_str::<Launched>(result.get()).ok();
        let Some(launched) = launched.filter(|launched| launched.status == "async_launched") else { return };
        // The id becomes part of a file's name.
        let is_id = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if launched.agent_id.bytes().all(is_id) && self.subagents.len() < MAX {
            self.subagents.retain(|subagent| subagent.id != launched.agent_id);
            let what = launched.description.as_deref().and_then(shortened_if_any);
            self.subagents.push(SentOff { id: launched.agent_id, what, at });
        }
    }

    /// Takes a text sent to the agent. Subagents that report in it are dropped.
    pub(super) fn hear(&mut self, text: &str) {
        if text.contains(REPORT) {
            let has_reported =
                |subagent: &SentOff| text.contains(&format!("<task-id>{}</task-id>", subagent.id));
            self.subagents.retain(|subagent| !has_reported(subagent));
        }
    }

    pub(super) fn subagents(&self) -> &[SentOff] {
        &self.subagents
    }
}
