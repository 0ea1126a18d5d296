//! A reply that waits for the end of its agent's turn: what is held, what can be done with it, and what came of that.
//!
//! Plain values. When it is sent is for `monitor` to say; the claim on disk that keeps it from being sent twice is
//! `store`'s.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{SessionName, Timestamp};

/// A claim older than this, in milliseconds, was left by a closeout that ended while it was sending.
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
    /// When a closeout took it to send it; nobody else sends it from then on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_at: Option<Timestamp>,
    /// Why it could not be sent when it was tried last, in words. May hold untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hindrance: Option<String>,
}

/// What is to be done with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldStep {
    /// Keep it until the turn has ended.
    Keep,
    /// Send it now.
    Send,
    /// Do not send it.
    Drop(HeldEnd),
}

/// Why a reply that was held is not sent. A closed set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldEnd {
    /// Its person said so.
    ByYou,
    /// Its session ended.
    SessionEnded,
    /// Its session was prompted anew.
    PromptedAnew,
    /// Its agent asks a question, which it was not written for.
    Asks,
    /// Its turn did not end within a day.
    TooOld,
    /// A closeout ended while it was sending it.
    MaybeSent,
    /// It was refused: why, in words. May hold untrusted text.
    Refused(String),
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldNow {
    /// It waits for the end of the turn.
    Kept,
    /// It was tried, and waits on.
    WaitsOn,
    /// Another closeout has sent or dropped it, or is sending it.
    Taken,
    /// It is not sent.
    Dropped(HeldEnd),
}

impl HeldNow {
    /// What became of it, in words for the record of what was done. May hold untrusted text.
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
    /// Why it is not sent, in words. May hold untrusted text.
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
    /// From when on the closeout that claimed it is taken for one that ended while it was sending.
    pub fn abandoned_at(&self) -> Option<Timestamp> {
        self.claimed_at.map(|at| at.plus_millis(CLAIM_MS))
    }

    /// Whether a closeout that ended was sending it.
    pub fn is_abandoned(&self, now: Timestamp) -> bool {
        self.abandoned_at().is_some_and(|at| now >= at)
    }

    /// The text with another one before it, unless that says the same already.
    pub fn joined(before: &str, text: &str) -> String {
        match before.trim_end() {
            "" => text.to_owned(),
            before if before.contains(text.trim()) => before.to_owned(),
            before => format!("{before}\n\n{text}"),
        }
    }
}
