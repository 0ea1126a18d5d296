//! The result of the questions judge: label, kind, certainty, question, signals. Must not decide anything.

use schemars::JsonSchema;
use serde::Serialize;

use super::language::Language;
use super::signals::SignalHit;
use super::wording::Question;
use crate::model::Certainty;

/// What the last message of a turn leaves the reader with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Label {
    /// The writer needs something from the reader.
    AwaitingResponse,
    /// The deliverable is there and nothing is asked that matters.
    Complete,
    /// Nothing was delivered, or the text stops half-way.
    Incomplete,
}

/// How much hangs on the answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// The work is finished and more is proposed; nothing blocks.
    Offer,
    /// The writer cannot go on without the answer.
    Blocking,
}

/// Why the label was given, where the rules tell; the words of the corpus.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An open question.
    Question,
    /// Pick one of several.
    Options,
    /// Approve a plan, an act or an understanding.
    Confirm,
    /// Something is missing that the reader has.
    MissingInfo,
    /// The writer holds until the reader acts.
    Blocked,
    /// Finished, and more is proposed.
    Offer,
    /// A result, with no more to say.
    Plain,
    /// Closing courtesies.
    Courtesy,
    /// Questions that nobody has to answer.
    Rhetorical,
    /// Nothing visible.
    Empty,
    /// Says what comes next, and stops.
    Announce,
    /// Still running.
    Progress,
    /// Cut off.
    Truncated,
    /// Interrupted.
    Interrupted,
    /// An error is all there is.
    ErrorText,
    /// A part is left undone.
    Partial,
    /// Given up.
    Stuck,
    /// A stub.
    Placeholder,
    /// About something else than the request.
    OffTask,
}

/// The judgement on one message.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Classification {
    /// The three-way label.
    pub label: Label,
    /// How certain the label is.
    pub certainty: Certainty,
    /// Why, in one word.
    pub kind: Kind,
    /// What kind of answer is awaited; none unless the label is `AwaitingResponse`.
    pub ask: Option<Ask>,
    /// What is asked; none unless the label is `AwaitingResponse`.
    pub question: Option<Question>,
    /// The signals of the question detector; they may be raised under any label.
    pub signals: Vec<SignalHit>,
    /// The sum of their weights, in tenths.
    pub tenths: u32,
    /// The language of most of the text.
    pub language: Language,
    /// The reasons in words.
    pub reasons: Vec<&'static str>,
    /// True if the message admits that something of the work fails, is not done or was not verified, whatever its
    /// label says that it wants of its reader.
    pub admits: bool,
    /// The sentence that may admit something, in words that are not certain; `None` if the message admits anyway.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub may_admit: Option<String>,
}
