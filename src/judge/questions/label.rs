//! Puts the readings together into the three-way label, with offer or blocking, kind and reasons.

use schemars::JsonSchema;
use serde::Serialize;

use super::answered;
use super::asking::{self, Asks, Reading};
use super::context::Context;
use super::document::{Document, End, Sentence};
use super::ending;
use super::forms::Form;
use super::signals::{self, SignalHit};
use super::topic;
use super::truncation;
use super::wording::{self, Question};
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
    /// Approve a plan, an action or an understanding.
    Confirm,
    /// Something is missing that the reader has.
    MissingInfo,
    /// The writer holds until the reader actions.
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
    /// The reasons in words.
    pub reasons: Vec<&'static str>,
}

/// Classifies a text; see [`super::classify`].
pub(super) fn classify(text: &str, context: &Context<'_>) -> Classification {
    let document = Document::read(text);
    let readings = asking::read(&document);
    let hits = signals::find(&document, &readings);
    let mut result = decide(&document, &readings, context);
    result.tenths = hits.iter().map(|hit| hit.tenths).sum();
    result.signals = hits;
    result
}

fn plain(label: Label, kind: Kind, reason: &'static str) -> Classification {
    Classification {
        label,
        certainty: Certainty::Medium,
        kind,
        ask: None,
        question: None,
        signals: Vec::new(),
        tenths: 0,
        reasons: vec![reason],
    }
}

pub(super) fn decide(
    document: &Document<'_>,
    readings: &[Reading],
    context: &Context<'_>,
) -> Classification {
    if !document.text.chars().any(char::is_alphanumeric) {
        return plain(Label::Incomplete, Kind::Empty, "the text has no words");
    }
    match ending::replaced(document) {
        Some(Kind::ErrorText) => {
            return plain(Label::Incomplete, Kind::ErrorText, "an error is all there is");
        }
        Some(kind) => return plain(Label::Incomplete, kind, "the turn was interrupted"),
        None => {}
    }
    if truncation::cut_off(document, true) {
        return plain(Label::Incomplete, Kind::Truncated, "the text breaks off");
    }
    let asking: Vec<usize> =
        (0..readings.len()).filter(|&index| readings[index].label == Asks::Reader).collect();
    let idle = ending::gives_up(document)
        && asking.iter().all(|&index| may_stand_idle(&document.sentences[index], readings[index]));
    if !asking.is_empty() && !idle {
        return awaiting(document, readings, &asking);
    }
    if truncation::cut_off(document, false) {
        return plain(Label::Incomplete, Kind::Truncated, "the text breaks off");
    }
    if let Some(kind) = ending::unfinished(document) {
        return plain(Label::Incomplete, kind, reason(kind));
    }
    if !context.acted() && context.request.is_some_and(|request| topic::is_off(document.text, request)) {
        return plain(Label::Incomplete, Kind::OffTask, "the text does not speak of what was asked for");
    }
    complete(document, readings)
}

/// Whether a sentence that asks asks nobody once the work has been given up.
fn may_stand_idle(sentence: &Sentence, reading: Reading) -> bool {
    sentence.forms.has(Form::Stuck) || (answered::is_undirected(sentence) && reading.question)
}

fn reason(kind: Kind) -> &'static str {
    match kind {
        Kind::Announce => "says what comes next and stops",
        Kind::Progress => "the work is still running",
        Kind::Partial => "a part of the work is not done",
        Kind::Stuck => "the work was given up",
        Kind::Placeholder => "a stub stands in place of the result",
        Kind::Empty => "the text has no words",
        Kind::Question
        | Kind::Options
        | Kind::Confirm
        | Kind::MissingInfo
        | Kind::Blocked
        | Kind::Offer
        | Kind::Plain
        | Kind::Courtesy
        | Kind::Rhetorical
        | Kind::Truncated
        | Kind::Interrupted
        | Kind::ErrorText
        | Kind::OffTask => "the work is not finished",
    }
}

fn complete(document: &Document<'_>, readings: &[Reading]) -> Classification {
    if readings.iter().any(|reading| reading.question && reading.label == Asks::Empty) {
        return plain(Label::Complete, Kind::Rhetorical, "its questions need no answer");
    }
    if document.sentences.iter().any(|sentence| sentence.forms.has(Form::Courtesy)) {
        return plain(Label::Complete, Kind::Courtesy, "it closes with a courtesy and asks nothing");
    }
    plain(Label::Complete, Kind::Plain, "a result is there and nothing is asked")
}

fn awaiting(document: &Document<'_>, readings: &[Reading], asking: &[usize]) -> Classification {
    let forms = |form: Form| asking.iter().any(|&index| document.sentences[index].forms.has(form));
    let chooses = asking.iter().any(|&index| signals::asks_to_choose(&document.sentences[index]));
    let question = wording::question(document, asking, chooses);
    let offer = is_offer(document, asking);
    let kind = if offer {
        Kind::Offer
    } else if chooses {
        Kind::Options
    } else if forms(Form::Confirm) {
        Kind::Confirm
    } else if asking.iter().any(|&index| readings[index].question) {
        Kind::Question
    } else if forms(Form::WantsInput) {
        Kind::MissingInfo
    } else {
        Kind::Blocked
    };
    let reason =
        if offer { "finished, and a question proposes more" } else { "something is asked of the reader" };
    Classification {
        label: Label::AwaitingResponse,
        certainty: Certainty::Medium,
        kind,
        ask: Some(if offer { Ask::Offer } else { Ask::Blocking }),
        question: Some(question),
        signals: Vec::new(),
        tenths: 0,
        reasons: vec![reason],
    }
}

/// Something was finished, and every question proposes more.
fn is_offer(document: &Document<'_>, asking: &[usize]) -> bool {
    let Some(&first) = asking.first() else { return false };
    let proposes = asking.iter().all(|&index| {
        let sentence = &document.sentences[index];
        sentence.forms.has(Form::Offer) && !sentence.forms.any(&[Form::WantsInput, Form::Waiting])
    });
    let done = document.sentences[..first]
        .iter()
        .any(|sentence| sentence.forms.has(Form::Done) && sentence.end != End::Question);
    proposes && done
}
