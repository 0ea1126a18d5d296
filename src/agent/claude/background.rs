//! Subagents that a session sent off into the background: the turn ends while they work.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agent::record_text::shortened_if_any;
use crate::model::Timestamp;

/// The start of the text by which the client tells the agent how a background task ended.
const REPORT: &str = "<task-notification>";
/// More are not followed.
const MOST: usize = 64;

/// What the tool `Agent` gives back when its subagent runs in the background.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Launched {
    status: String,
    agent_id: String,
    description: Option<String>,
}

/// The subagents that have not reported.
#[derive(Debug, Default)]
pub(super) struct Background {
    subagents: Vec<SentOff>,
}

/// A subagent that was sent off into the background.
#[derive(Debug)]
pub(super) struct SentOff {
    /// Its id, which can stand in a file's name.
    pub(super) id: String,
    /// What it was sent to do, where the answer tells.
    pub(super) what: Option<String>,
    /// When it was sent off.
    pub(super) at: Option<Timestamp>,
}

impl Background {
    /// A tool gave this back.
    pub(super) fn answer(&mut self, result: Option<&RawValue>, at: Option<Timestamp>) {
        let launched = result.and_then(|result| serde_json::from_str::<Launched>(result.get()).ok());
        let Some(launched) = launched.filter(|launched| launched.status == "async_launched") else { return };
        // The id becomes part of a file's name.
        let is_id = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if launched.agent_id.bytes().all(is_id) && self.subagents.len() < MOST {
            self.subagents.retain(|subagent| subagent.id != launched.agent_id);
            let what = launched.description.as_deref().and_then(shortened_if_any);
            self.subagents.push(SentOff { id: launched.agent_id, what, at });
        }
    }

    /// The agent was told this.
    pub(super) fn hear(&mut self, text: &str) {
        if text.contains(REPORT) {
            let has_reported =
                |subagent: &SentOff| text.contains(&format!("<task-id>{}</task-id>", subagent.id));
            self.subagents.retain(|subagent| !has_reported(subagent));
        }
    }

    /// Those that have not reported.
    pub(super) fn subagents(&self) -> &[SentOff] {
        &self.subagents
    }
}
