//! The questions judge: does an agent's last message wait for an answer, is the work delivered, or did it stop
//! half-way? It reads only the text (and the request, if known), is total, and takes time linear in the length.
//! Must not do I/O.
//!
//! The signals follow the rules of the test vectors, the three-way label those of the corpus. The phrases of
//! each language are in `assets/lang/`.

mod admission;
mod admission_model;
mod answered;
mod answers;
mod ask_model;
mod asking;
#[cfg(test)]
mod building;
mod choices;
mod clauses;
mod context;
mod correction;
mod document;
mod ending;
mod exceptions;
mod explain;
mod features;
mod forms;
mod han;
mod inline;
mod judgement;
mod label;
mod language;
#[cfg(test)]
#[expect(dead_code, reason = "the build reads the answers")]
mod language_file;
mod letters;
mod lexicon;
mod lines;
mod markers;
mod masks;
mod network;
mod normal;
#[cfg(test)]
mod notation;
mod patterns;
mod reading;
mod requests;
mod sentence;
mod shapes;
mod signals;
mod topic;
#[cfg(test)]
mod training;
mod truncation;
mod walk;
mod wording;
#[cfg(test)]
mod writing;

use serde::Serialize;

pub(crate) use choices::choices;
pub use context::{Context, ContextRecord, EndOfTurn};
pub use explain::{Finding, Speech};
pub use judgement::{Ask, Classification, Kind, Label};
pub use language::Language;
pub use signals::{PENDING_TENTHS, Signal, SignalHit};
pub use wording::Question;

use forms::Form;
use lines::Role;
use sentence::End;

use crate::model::TaskKind;

/// The status of an output according to its signals alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Status {
    /// There is an output, and it asks nothing.
    Complete,
    /// The signals reach the threshold.
    AwaitingResponse,
    /// There is no visible output.
    Incomplete,
    /// The run failed.
    Error,
    /// Tasks of this kind are decided by other evidence.
    NotJudged,
}

/// The status of an output according to the signals alone (rules 1 to 8 of the vectors).
pub fn status(task_kind: TaskKind, output: Option<&str>, execution_failed: bool) -> Status {
    if execution_failed {
        return Status::Error;
    }
    match task_kind {
        TaskKind::Implementation => return Status::NotJudged,
        TaskKind::ReadInfo | TaskKind::Report => {}
    }
    let Some(output) = output.filter(|output| has_visible(output)) else { return Status::Incomplete };
    if tenths(&signals(output)) >= PENDING_TENTHS { Status::AwaitingResponse } else { Status::Complete }
}

/// The signals in a text, each once, with the words that raised it first.
pub fn signals(text: &str) -> Vec<SignalHit> {
    let document = document::Document::read(text);
    let readings = asking::read(&document);
    signals::find(&document, &readings)
}

/// The sum of the signals' weights, in tenths.
pub fn tenths(hits: &[SignalHit]) -> u32 {
    hits.iter().map(|hit| hit.tenths).sum()
}

/// Classifies an agent's last message by its words and its context: what it wants of its reader.
pub fn classify(text: &str, context: &Context<'_>) -> Classification {
    let document = document::Document::read(text);
    label::classify(&document, &asking::read(&document), context)
}

/// What an agent's last message says of its work: as [`classify`], but what admits that something is open is not
/// complete, however finished the message is.
pub fn of_work(text: &str, context: &Context<'_>) -> Classification {
    of_work_with_unfinished(text, context).0
}

/// As [`of_work`], with the sentences that say that something is unfinished, in order.
pub(super) fn of_work_with_unfinished(text: &str, context: &Context<'_>) -> (Classification, Vec<Finding>) {
    let document = document::Document::read(text);
    let readings = asking::read(&document);
    let judged = label::with_admission(label::classify(&document, &readings, context));
    let mut said = explain::findings(&document, &readings);
    said.retain(|sentence| sentence.speech == Speech::Unfinished);
    (judged, said)
}

/// The sentences of a text to which a rule of [`classify`] applied, in order.
pub fn explain(text: &str) -> Vec<Finding> {
    let document = document::Document::read(text);
    let readings = asking::read(&document);
    explain::findings(&document, &readings)
}

/// Whether a text says that something was finished, and nothing in it says that something is unfinished.
pub fn reports_done(text: &str) -> bool {
    // The words of a link belong to no language: "Done: https://…" says that it is done.
    let said =
        |line: &str| line.split(' ').filter(|word| !word.contains("://")).collect::<Vec<_>>().join(" ");
    let found = explain(&text.lines().map(said).collect::<Vec<_>>().join("\n"));
    found.iter().any(|finding| finding.speech == Speech::Finished)
        && !found.iter().any(|finding| finding.speech == Speech::Unfinished)
}

/// Whether a sentence of the text says that the tests pass: as they are, not as they should be or were.
pub fn says_tests_pass(text: &str) -> bool {
    const NOT_SO: [Form; 7] = [
        Form::Announce,
        Form::Condition,
        Form::Deliberates,
        Form::Instruction,
        Form::LeadingCondition,
        Form::Subordinate,
        Form::Partial,
    ];
    document::Document::read(text).sentences.iter().any(|sentence| {
        sentence.forms.has(Form::TestsPass)
            && matches!(sentence.role, Role::Paragraph | Role::Item)
            && sentence.end != End::Question
            && !sentence.forms.any(&NOT_SO)
            && (!sentence.forms.has(Form::Admits) || sentence.forms.has(Form::AdmitsNot))
    })
}

/// The text with a blank for each byte of a passage that the writer quotes, and of code.
pub fn without_quotes_and_code(text: &str) -> String {
    let mut own = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let mut at = 0;
        for (range, _) in masks::find(line).into_iter().filter(|(_, what)| *what != masks::Masked::Url) {
            own.push_str(&line[at..range.start]);
            own.extend(std::iter::repeat_n(' ', range.len()));
            at = range.end;
        }
        own.push_str(&line[at..]);
    }
    own
}

/// Whether a line of the text is nothing but a mark that stands for text to come, such as `TODO`.
pub fn has_a_hole(text: &str) -> bool {
    ending::has_a_hole(&document::Document::read(text))
}

/// Whether the text has a visible character.
fn has_visible(text: &str) -> bool {
    text.chars().any(|c| {
        !c.is_whitespace()
            && !c.is_control()
            && !shapes::is_invisible(c)
            && !matches!(c, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{2800}' | '\u{ffa0}' | '\u{34f}')
    })
}
