//! Subagents that a session sent off into the background: the turn ends while they work.

use serde::Deserialize;
use serde_json::value::RawValue;

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
}

/// The subagents that have not reported, each with the time at which it was sent off.
#[derive(Debug, Default)]
pub(super) struct Background {
    subagents: Vec<(String, Option<Timestamp>)>,
}

impl Background {
    /// A tool gave this back.
    pub(super) fn answer(&mut self, result: Option<&RawValue>, at: Option<Timestamp>) {
        let launched = result.and_then(|result| serde_json::from_str::<Launched>(result.get()).ok());
        let Some(launched) = launched.filter(|launched| launched.status == "async_launched") else { return };
        // The id becomes part of a file's name.
        let is_id = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if launched.agent_id.bytes().all(is_id) && self.subagents.len() < MOST {
            self.subagents.retain(|(id, _)| *id != launched.agent_id);
            self.subagents.push((launched.agent_id, at));
        }
    }

    /// The agent was told this.
    pub(super) fn hear(&mut self, text: &str) {
        if text.contains(REPORT) {
            self.subagents.retain(|(id, _)| !text.contains(&format!("<task-id>{id}</task-id>")));
        }
    }

    /// Those that have not reported.
    pub(super) fn subagents(&self) -> &[(String, Option<Timestamp>)] {
        &self.subagents
    }
}
