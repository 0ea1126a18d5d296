//! A question that an agent put to the person.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A question in the agent's own words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// The sentence or sentences that ask. Untrusted text.
    pub text: String,
    /// The answers it offers, in their order; empty when it offers none.
    pub choices: Vec<Choice>,
    /// Whether work waits for the answer.
    pub weight: QuestionWeight,
}

/// One answer that a question offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Choice {
    /// The mark before it (`1`, `A`, `-`), without punctuation.
    pub label: String,
    /// Its text. Untrusted.
    pub text: String,
}

/// Whether work waits for the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuestionWeight {
    /// The agent needs the answer in order to go on.
    Blocking,
    /// The deliverable is finished and the question proposes more.
    Offer,
}
