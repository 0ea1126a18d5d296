//! What the rules found in a text, sentence by sentence, for `closeout classify --explain`. Must not judge.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

use super::document::Document;
use super::forms::{Form, FormSet};
use super::language::Language;
use super::reading::{Asks, Reading};
use super::sentence::Sentence;

/// A sentence about which a rule spoke.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Finding {
    /// Its line in the text, from 1.
    pub line: usize,
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// Its words.
    pub excerpt: String,
    /// Its language.
    pub language: Language,
    /// What the rules make of it.
    pub speech: Speech,
    /// The groups of phrases in it, by the names of the language files.
    pub groups: Vec<String>,
}

/// What a sentence does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Speech {
    /// It asks the reader.
    Asks,
    /// It is a question or a request that nobody has to answer.
    AsksNobody,
    /// It says what comes next, what runs, what is left or that the work was given up.
    Unfinished,
    /// It says that something was finished.
    Finished,
}

/// The groups that say that work is unfinished.
const UNFINISHED: FormSet = FormSet::of(&[
    Form::Announce,
    Form::AnnounceIng,
    Form::Progress,
    Form::Partial,
    Form::Admits,
    Form::Stuck,
    Form::Interrupted,
    Form::Placeholder,
    Form::OthersWork,
]);

/// The sentences to which a rule applied, in order.
pub(super) fn findings(document: &Document<'_>, readings: &[Reading]) -> Vec<Finding> {
    let starts = line_starts(document.text);
    let found = document.sentences.iter().zip(readings);
    found
        .filter_map(|(sentence, reading)| {
            let speech = speech(sentence, *reading)?;
            let mut groups = Vec::new();
            sentence.forms.each(|number| groups.extend(Form::name(number)));
            Some(Finding {
                line: starts.partition_point(|start| *start <= sentence.range.start),
                range: sentence.range.clone(),
                excerpt: document.words(sentence).to_owned(),
                language: sentence.language,
                speech,
                groups,
            })
        })
        .collect()
}

/// The groups of a sentence, without an admission that it takes back.
fn said_of_work(sentence: &Sentence) -> FormSet {
    let forms = sentence.forms;
    if forms.has(Form::AdmitsNot) { forms.without(Form::Admits) } else { forms }
}

fn speech(sentence: &Sentence, reading: Reading) -> Option<Speech> {
    match reading.label {
        Asks::Reader => Some(Speech::Asks),
        Asks::Empty => Some(Speech::AsksNobody),
        Asks::No if said_of_work(sentence).meets(UNFINISHED) => Some(Speech::Unfinished),
        Asks::No if sentence.forms.has(Form::Done) => Some(Speech::Finished),
        // "The rate limit is implemented" is no error.
        Asks::No => sentence.forms.has(Form::ErrorOnly).then_some(Speech::Unfinished),
    }
}

fn line_starts(text: &str) -> Vec<usize> {
    let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect()
}
