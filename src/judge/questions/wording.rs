//! The question in its own words, with the options that belong to it. Must not decide whether a sentence asks.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

use super::answers::trimmed;
use super::document::Document;
use super::inline;
use super::lines::{Line, Role};
use super::markers::Marker;
use super::sentence::Sentence;
use crate::model::Choice;

/// How many sentences are quoted as the question, at most.
const SENTENCES: usize = 6;
/// How many options are listed, at most.
const OPTIONS: usize = 20;

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Question {
    /// The asking sentences as they stand in the text, joined by line ends.
    pub text: String,
    /// The bytes of each asking sentence in the text.
    pub ranges: Vec<Range<usize>>,
    /// The options to choose from, where there is a list of them.
    pub options: Vec<Choice>,
}

/// The question of the given sentences; `with_options` if they ask to choose. An option that is itself a
/// request ("2. Drop it.") does not count among the asking words.
pub(super) fn question(document: &Document<'_>, asking: &[usize], with_options: bool) -> Question {
    let sentences: Vec<&Sentence> =
        asking.iter().filter_map(|&index| document.sentences.get(index)).collect();
    let anchor = sentences.iter().find(|sentence| sentence.role != Role::Item).or(sentences.first());
    let options = anchor.filter(|_| with_options).map_or_else(Vec::new, |anchor| options(document, anchor));
    if options.is_empty()
        && with_options
        && let Some(sentence) = inline::first_with_options(document, sentences.iter().copied())
    {
        return menu_question(document, sentence);
    }
    let is_option = |sentence: &Sentence| options.iter().any(|(line, _)| *line == sentence.line);
    let has_words = sentences.iter().any(|sentence| !is_option(sentence));
    let quoted: Vec<&Sentence> =
        sentences.into_iter().filter(|sentence| !has_words || !is_option(sentence)).take(SENTENCES).collect();
    let text = quoted.iter().map(|sentence| document.words(sentence)).collect::<Vec<_>>().join("\n");
    let ranges = quoted.iter().map(|sentence| sentence.range.clone()).collect();
    Question { text, ranges, options: options.into_iter().map(|(_, choice)| choice).collect() }
}

/// The question of a line that contains its options.
fn menu_question(document: &Document<'_>, sentence: &Sentence) -> Question {
    let line = document.lines[sentence.line].range.clone();
    let text = document.line_text(sentence);
    let start = line.start + (document.text[line.clone()].len() - document.text[line].trim_start().len());
    let range = start..start + text.len();
    Question { text: text.to_owned(), ranges: Vec::from([range]), options: inline_choices(text) }
}

/// The options in one line or sentence.
pub(super) fn inline_choices(text: &str) -> Vec<Choice> {
    let choice = |option: inline::Inline<'_>| Choice {
        label: option.label.to_owned(),
        text: trimmed(&text[option.words]),
    };
    inline::options(text).into_iter().map(choice).collect()
}

/// The nearest list below the sentence, or else above it: each option with its line.
fn options(document: &Document<'_>, sentence: &Sentence) -> Vec<(usize, Choice)> {
    let lines = &document.lines;
    let is_item =
        |line: &Line| line.role == Role::Item && !matches!(line.marker, None | Some((Marker::DoneBox, _)));
    let below = lines
        .iter()
        .enumerate()
        .skip(sentence.line + 1)
        .find(|(_, line)| is_item(line))
        .map(|(index, _)| index);
    let above = lines.iter().take(sentence.line).rposition(is_item);
    let start = match (below, above) {
        (Some(below), Some(above)) if sentence.line - above < below - sentence.line => first_of(lines, above),
        (Some(below), _) => below,
        (None, Some(above)) => first_of(lines, above),
        (None, None) => return Vec::new(),
    };
    let indent = lines[start].content - lines[start].range.start;
    let items: Vec<(usize, Choice)> = lines
        .iter()
        .enumerate()
        .skip(start)
        .take_while(|(_, line)| {
            matches!(line.role, Role::Item | Role::Blank | Role::Code) || line.content > line.range.start + 1
        })
        .filter(|(_, line)| is_item(line) && line.content - line.range.start <= indent + 1)
        .take(OPTIONS)
        .map(|(index, line)| (index, choice(document, line)))
        .collect();
    match items[..] {
        [(only, _)] => in_one_line(document, only).unwrap_or(items),
        _ => items,
    }
}

/// The options of a list on one line: `A) keep it B) drop it`.
fn in_one_line(document: &Document<'_>, line: usize) -> Option<Vec<(usize, Choice)>> {
    let text = document.text[document.lines[line].range.clone()].trim();
    let found = inline_choices(text);
    (!found.is_empty()).then(|| found.into_iter().map(|choice| (line, choice)).collect())
}

/// The first item of the list that ends at `last`.
fn first_of(lines: &[Line], last: usize) -> usize {
    let mut first = last;
    for index in (0..=last).rev() {
        match lines[index].role {
            Role::Item => first = index,
            Role::Blank | Role::Code => {}
            Role::Paragraph if lines[index].content > lines[index].range.start + 1 => {}
            Role::Paragraph | Role::Heading | Role::Table | Role::Quote | Role::Rule | Role::Letter => break,
        }
    }
    first
}

fn choice(document: &Document<'_>, line: &Line) -> Choice {
    let text = document.text[line.content.min(line.range.end)..line.range.end].trim().to_owned();
    let label = match &line.marker {
        Some((Marker::Number | Marker::Letter | Marker::Word, range)) => {
            document.text[range.clone()].to_owned()
        }
        Some((Marker::Bullet | Marker::OpenBox | Marker::DoneBox, _)) | None => String::new(),
    };
    Choice { label, text }
}

#[cfg(test)]
mod tests {
    use crate::judge::questions::{Context, classify};

    #[test]
    fn an_option_that_is_a_request_is_no_part_of_the_question() {
        let text =
            "I see two ways:\n\n1. Keep the old format.\n2. Drop it.\n\nWhich of the two would you like?";
        let question = classify(text, &Context::default()).question.unwrap();
        assert_eq!(question.text, "Which of the two would you like?");
        let options: Vec<&str> = question.options.iter().map(|choice| choice.text.as_str()).collect();
        assert_eq!(options, ["Keep the old format.", "Drop it."]);
    }
}
