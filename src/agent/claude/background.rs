//! Subagents that a session started in the background. The turn ends while they are still working. Some are
//! stopped, or fail.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agent::record_text::shortened_if_any;
use crate::agent::subagent_records::is_id;
use crate::model::Timestamp;

/// Opens the text in which the client tells the agent how a background task ended.
const REPORT: &str = "<task-notification>";
/// How a background task is, in the result of a tool that asks for it, once it is over.
const OVER: [&str; 3] = ["\"completed\"", "\"failed\"", "\"killed\""];
/// How a background task ended that did not do its work, in the client's report.
const UNDONE: [&str; 3] = ["<status>killed</status>", "<status>failed</status>", "<status>stopped</status>"];
/// Tools by which the agent itself ends a background task.
const STOPPERS: [&str; 3] = ["TaskStop", "KillShell", "KillBash"];
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
    stopped: Vec<SentOff>,
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
        if is_id(&launched.agent_id) && self.subagents.len() < MAX {
            self.subagents.retain(|subagent| subagent.id != launched.agent_id);
            let what = launched.description.as_deref().and_then(shortened_if_any);
            self.subagents.push(SentOff { id: launched.agent_id, what, at });
        }
    }

    /// Takes a call of the agent: a subagent that it ends itself is no longer awaited.
    pub(super) fn call(&mut self, tool: &str, input: &RawValue) {
        if STOPPERS.contains(&tool) {
            let is_named = |subagent: &SentOff| input.get().contains(&format!("\"{}\"", subagent.id));
            self.subagents.retain(|subagent| !is_named(subagent));
        }
    }

    /// Takes a text sent to the agent. Subagents that report in it are dropped.
    pub(super) fn hear(&mut self, text: &str, at: Option<Timestamp>) {
        for report in text.split(REPORT).skip(1) {
            let is_undone = UNDONE.iter().any(|status| report.contains(status));
            let has_reported =
                |subagent: &mut SentOff| report.contains(&format!("<task-id>{}</task-id>", subagent.id));
            let reported: Vec<SentOff> = self.subagents.extract_if(.., has_reported).collect();
            let n_more = if is_undone { MAX.saturating_sub(self.stopped.len()) } else { 0 };
            self.stopped.extend(reported.into_iter().take(n_more).map(|it| SentOff { at, ..it }));
        }
    }

    pub(super) fn subagents(&self) -> &[SentOff] {
        &self.subagents
    }

    /// Those that were stopped by somebody else or failed, with the time of the report.
    pub(super) fn stopped(&self) -> &[SentOff] {
        &self.stopped
    }
}
