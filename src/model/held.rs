//! Held replies, which wait until their agent's turn ends: what is held, what can be done with it, and the
//! outcome.
//!
//! Plain values. `monitor` decides when a reply is sent; the claim on disk that prevents sending it twice
//! belongs to `store`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{SessionName, Timestamp};

/// A claim older than this, in milliseconds, is from a closeout that ended while sending.
const CLAIM_MS: i64 = 10 * 60_000;

/// A reply that is sent once its agent's turn has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HeldReply {
    /// Its own id; empty until it is kept.
    pub id: String,
    /// To whom.
    pub session: SessionName,
    /// The whole text. Private: never in a log.
    pub text: String,
    /// Since when it is held.
    pub held_at: Timestamp,
    /// When an instance of closeout claimed it for sending; no other instance sends it from then on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_at: Option<Timestamp>,
    /// Why it could not be sent when it was tried last, in words. May hold untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hindrance: Option<String>,
}

/// What to do with a held reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldStep {
    /// Keep it until the turn has ended.
    Keep,
    /// Send it now.
    Send,
    /// Do not send it.
    Drop(HeldEnd),
}

/// Why a held reply is not sent: a closed set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldEnd {
    /// Its user said so.
    ByYou,
    /// Its session ended.
    SessionEnded,
    /// Its session received another prompt.
    PromptedAnew,
    /// Its agent asks a question, for which it was not written.
    Asks,
    /// Its turn did not end within a day.
    TooOld,
    /// A closeout ended while sending it, so the agent may have it.
    MaybeSent,
    /// It was refused, for this reason. May hold untrusted text.
    Refused(String),
}

/// The outcome of an action on a held reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldNow {
    /// It waits for the end of the turn.
    Kept,
    /// An attempt failed; it keeps waiting.
    WaitsOn,
    /// Another closeout has sent or dropped it, or is sending it.
    Taken,
    /// It is not sent.
    Dropped(HeldEnd),
}

impl HeldNow {
    /// The outcome in words, for the audit record. May hold untrusted text.
    pub fn label(&self) -> String {
        match self {
            HeldNow::Kept => "held".to_owned(),
            HeldNow::WaitsOn => "not sent yet".to_owned(),
            HeldNow::Taken => "another closeout has it".to_owned(),
            HeldNow::Dropped(end) => format!("not sent: {}", end.why()),
        }
    }
}

impl HeldEnd {
    /// The reason in words. May hold untrusted text.
    pub fn why(&self) -> &str {
        match self {
            HeldEnd::ByYou => "you cancelled it",
            HeldEnd::SessionEnded => "its session ended",
            HeldEnd::PromptedAnew => "its session was prompted anew",
            HeldEnd::Asks => "its agent asks a question now",
            HeldEnd::TooOld => "the turn did not end within a day",
            HeldEnd::MaybeSent => "closeout ended while it was sending it; look whether its agent has it",
            HeldEnd::Refused(why) => why,
        }
    }
}

impl HeldReply {
    /// When the closeout that claimed it counts as having ended while sending it; `None` if it is not
    /// claimed.
    pub fn abandoned_at(&self) -> Option<Timestamp> {
        self.claimed_at.map(|at| at.plus_millis(CLAIM_MS))
    }

    /// True if a closeout ended while sending it.
    pub fn is_abandoned(&self, now: Timestamp) -> bool {
        self.abandoned_at().is_some_and(|at| now >= at)
    }

    /// Appends `text` to `before`, unless `before` already contains it.
    pub fn joined(before: &str, text: &str) -> String {
        match before.trim_end() {
            "" => text.to_owned(),
            before if before.contains(text.trim()) => before.to_owned(),
            before => format!("{before}\n\n{text}"),
        }
    }
}
