//! The four signals of the question detector and their weights, as defined by the rules of the vectors. Must
//! not choose a label.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

use super::document::Document;
use super::forms::Form;
use super::inline;
use super::lines::Role;
use super::markers::Marker;
use super::reading::{Asks, Reading};
use super::sentence::{End, Sentence};
use super::wording::Question;

/// The sum of weights, in tenths, from which a text counts as waiting for an answer.
pub const PENDING_TENTHS: u32 = 6;

/// A sign that the writer waits for an answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// A question to the reader, 0.6.
    DirectQuestion,
    /// A request for approval or confirmation, 0.8.
    ConfirmationRequest,
    /// Options together with a request to choose, 0.9.
    OptionsSelection,
    /// A request for an answer ("let me know"), 0.7.
    LetMeKnow,
}

impl Signal {
    /// The weight in tenths.
    pub fn tenths(self) -> u32 {
        match self {
            Self::DirectQuestion => 6,
            Self::ConfirmationRequest => 8,
            Self::OptionsSelection => 9,
            Self::LetMeKnow => 7,
        }
    }
}

/// A signal and the words that raised it first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct SignalHit {
    /// Which signal.
    pub signal: Signal,
    /// Its weight in tenths.
    pub tenths: u32,
    /// The sentence that raised it, as it stands in the text.
    pub excerpt: String,
    /// The bytes of that sentence in the text.
    pub range: Range<usize>,
}

/// Each signal once, in the order of the enum, with the first sentence that raised it.
pub(super) fn find(document: &Document<'_>, readings: &[Reading]) -> Vec<SignalHit> {
    let options = has_options(document);
    let mut found: [Option<&Sentence>; 4] = [None; 4];
    for (sentence, reading) in document.sentences.iter().zip(readings) {
        if reading.signal != Asks::Reader {
            continue;
        }
        let forms = sentence.forms;
        let mut raise = |index: usize, raised: bool| {
            if raised && found[index].is_none() {
                found[index] = Some(sentence);
            }
        };
        raise(0, reading.question);
        raise(1, forms.has(Form::Confirm));
        raise(2, options && asks_to_choose(sentence));
        raise(3, forms.has(Form::TellMe));
    }
    let signals =
        [Signal::DirectQuestion, Signal::ConfirmationRequest, Signal::OptionsSelection, Signal::LetMeKnow];
    signals
        .into_iter()
        .zip(found)
        .filter_map(|(signal, sentence)| {
            let sentence = sentence?;
            let excerpt = document.words(sentence).to_owned();
            Some(SignalHit { signal, tenths: signal.tenths(), excerpt, range: sentence.range.clone() })
        })
        .collect()
}

/// The signal of a question without any of the phrases: it asks, whatever its words.
pub(super) fn of_question(question: &Question, text: &str) -> Option<SignalHit> {
    let range = question.ranges.first()?.clone();
    let excerpt = text.get(range.clone())?.to_owned();
    let asks = excerpt.trim_end().ends_with(['?', '\u{ff1f}']);
    let signal = if asks { Signal::DirectQuestion } else { Signal::LetMeKnow };
    Some(SignalHit { signal, tenths: signal.tenths(), excerpt, range })
}

/// Whether the sentence asks the reader to choose.
pub(super) fn asks_to_choose(sentence: &Sentence) -> bool {
    sentence.forms.has(Form::Choose)
        || (sentence.forms.has(Form::WhichOption) && sentence.end == End::Question)
}

/// Whether the text contains at least two options, in any form of list.
pub(super) fn has_options(document: &Document<'_>) -> bool {
    let items = document
        .lines
        .iter()
        .filter(|line| match &line.marker {
            Some((Marker::Bullet | Marker::Number | Marker::Letter | Marker::Word | Marker::OpenBox, _)) => {
                line.role == Role::Item
                    && !document.text[line.content.min(line.range.end)..line.range.end]
                        .trim_end()
                        .ends_with(['?', '\u{ff1f}'])
            }
            Some((Marker::DoneBox, _)) | None => false,
        })
        .take(2)
        .count();
    let choosing = document.sentences.iter().filter(|sentence| asks_to_choose(sentence));
    items == 2 || inline::first_with_options(document, choosing).is_some()
}
