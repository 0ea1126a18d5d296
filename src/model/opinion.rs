//! A second model's reading of an agent's last words, for words that closeout cannot read with certainty.

use serde::{Deserialize, Serialize};

use super::{Timestamp, stable_hash};

/// A second opinion on an agent's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opinion {
    /// The agent whose program gave the opinion.
    pub by: String,
    /// The name of the words that it concerns, see [`name_of_words`].
    pub words: String,
    /// The reading.
    pub reading: OpinionReading,
    /// The part of the words that supports it. Untrusted text.
    pub quote: String,
    /// When the opinion was given.
    pub at: Timestamp,
}

/// What the words mean for the user who reads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpinionReading {
    /// They ask something that must be answered first.
    Asks,
    /// They leave part of the request undone.
    Unfinished,
    /// Neither.
    Finished,
}

/// A name for some words (a hash): the same whenever and wherever the same words are read.
pub fn name_of_words(words: &str) -> String {
    format!("{:016x}", stable_hash(words.trim().as_bytes()))
}
