//! What a second model makes of an agent's last words, where closeout's own reading of them is not certain.

use serde::{Deserialize, Serialize};

use super::{Timestamp, stable_hash};

/// A second opinion on some words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opinion {
    /// The agent whose program gave it.
    pub by: String,
    /// A name for the words that it is about, see [`name_of_words`].
    pub words: String,
    /// What they are.
    pub reading: OpinionReading,
    /// The part of the words that it rests on. Untrusted text.
    pub quote: String,
    /// When it was given.
    pub at: Timestamp,
}

/// What the words are to the person who reads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpinionReading {
    /// They ask something that has to be answered first.
    Asks,
    /// They leave open what was asked for.
    Unfinished,
    /// Neither.
    Finished,
}

/// A name for some words, the same wherever and whenever they are read.
pub fn name_of_words(words: &str) -> String {
    format!("{:016x}", stable_hash(words.trim().as_bytes()))
}
