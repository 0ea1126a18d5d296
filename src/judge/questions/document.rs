//! A text as the writer's own sentences, each with its position, its end and its phrases. Must not decide what
//! a sentence means.

use super::admission_model::{self, Doubt};
use super::forms::{Form, FormSet};
use super::language::{Language, Share};
use super::lexicon::Search;
use super::lines::{self, Line, Role};
use super::sentence::{self, End, Sentence};
use super::{clauses, exceptions, letters, normal};

/// A parsed text.
#[derive(Debug)]
pub(super) struct Document<'t> {
    /// The text itself.
    pub(super) text: &'t str,
    /// Its language.
    pub(super) language: Language,
    /// Its lines.
    pub(super) lines: Vec<Line>,
    /// Its sentences in the writer's own voice, in order.
    pub(super) sentences: Vec<Sentence>,
    /// How many sentences and rows of tables say something.
    pub(super) n_parts: usize,
    /// For each line, the first one below it that is neither blank nor a rule.
    below: Vec<usize>,
    /// Whether it ends inside a code fence.
    pub(super) open_fence: bool,
}

impl<'t> Document<'t> {
    /// Parses `text`.
    pub(super) fn read(text: &'t str) -> Self {
        let lines::Lines { mut lines, open_fence } = lines::read(text);
        let language = language_of(text, &lines);
        letters::mark(text, language, &mut lines);
        let mut sentences = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            if matches!(line.role, Role::Paragraph | Role::Heading | Role::Item) {
                sentence::split(text, index, line, &mut sentences);
            }
        }
        let n_parts = n_parts(&sentences, &lines);
        find_phrases(text, language, n_parts, &mut sentences);
        let below = next_visible(&lines);
        Self { text, language, lines, sentences, n_parts, below, open_fence }
    }

    /// The words of a sentence as they appear in the text.
    pub(super) fn words(&self, sentence: &Sentence) -> &'t str {
        &self.text[sentence.range.clone()]
    }

    /// The whole line of a sentence.
    pub(super) fn line_text(&self, sentence: &Sentence) -> &'t str {
        self.text[self.lines[sentence.line].range.clone()].trim()
    }

    /// The first line after `line` that is neither blank nor a rule.
    pub(super) fn line_below(&self, line: usize) -> Option<&Line> {
        self.lines.get(*self.below.get(line)?)
    }
}

/// For each line, the number of the first one below it that is neither blank nor a rule. Read once, because
/// many sentences on one line may be followed by many blank lines.
fn next_visible(lines: &[Line]) -> Vec<usize> {
    let mut next = lines.len();
    let mut below = vec![next; lines.len()];
    for (number, line) in lines.iter().enumerate().rev() {
        below[number] = next;
        if !matches!(line.role, Role::Blank | Role::Rule) {
            next = number;
        }
    }
    below
}

/// How many bytes of a text are used to determine its language.
const SAMPLE: usize = 16 * 1024;

/// The language of the writer's own words.
fn language_of(text: &str, lines: &[Line]) -> Language {
    let (mut share, mut read) = (Share::default(), 0);
    for line in lines.iter().filter(|line| matches!(line.role, Role::Paragraph | Role::Heading | Role::Item))
    {
        share.add(&text[line.content.min(line.range.end)..line.range.end]);
        read += line.range.len();
        if read > SAMPLE {
            break;
        }
    }
    share.of_text()
}

/// How many sentences and rows of tables say something; titles do not.
fn n_parts(sentences: &[Sentence], lines: &[Line]) -> usize {
    let n_sentences = sentences.iter().filter(|sentence| sentence.role != Role::Heading).count();
    n_sentences + lines.iter().filter(|line| line.role == Role::Table).count()
}

/// How many sentences at either end are searched for all phrases.
const EDGE: usize = 12;

/// What counts wherever it stands: admissions, and titles that say of what they are not.
const TOLD_ANYWHERE: [Form; 4] = [Form::Admits, Form::AdmitsNot, Form::Subordinate, Form::Counted];

/// Finds the phrases where they can matter: at both ends, around a sentence that asks, and above a list.
fn find_phrases(text: &str, language: Language, n_parts: usize, sentences: &mut [Sentence]) {
    let mut search = Search::default();
    for sentence in &mut *sentences {
        let mut share = Share::default();
        let words =
            if sentence.normal.spaced.is_empty() { &sentence.normal.joined } else { &sentence.normal.spaced };
        share.add(words);
        sentence.language = share.of_passage(language);
        sentence.forms = search.find(sentence.language, &sentence.normal.spaced, &sentence.normal.joined);
        let whole = if sentence.has_mask {
            let whole = normal::form(&text[sentence.range.clone()], &[]);
            search.find(sentence.language, &whole.spaced, &whole.joined)
        } else {
            sentence.forms
        };
        let said = &text[sentence.range.clone()];
        let denied = clauses::deny_what_is_left(said, sentence.language, sentence.forms, &mut search);
        let (forms, said) = denied.as_ref().map_or((sentence.forms, said), |(forms, rest)| (*forms, rest));
        sentence.forms = clauses::settle(said, sentence.language, forms, &mut search);
        sentence.names_questions = whole.has(Form::QuestionsMade);
        if sentence.end != End::Question && is_ticked(&text[sentence.range.clone()]) {
            sentence.forms = sentence.forms.with(FormSet::of(&[Form::Done]));
        }
        if matches!(sentence.role, Role::Paragraph | Role::Item) && sentence.end != End::Question {
            let doubt = admission_model::doubt(said, n_parts);
            let is_phrase = sentence.forms.has(Form::Admits);
            #[cfg(test)]
            {
                sentence.has_admitting_phrase = is_phrase;
            }
            sentence.doubt = matches!(doubt, Doubt::MayAdmit(_) if !is_phrase).then_some(doubt);
            let is_exception = exceptions::excepts_some(said);
            // "All but two pass now": the words of what passes take the exception not back.
            let forms = if is_exception { sentence.forms.without(Form::AdmitsNot) } else { sentence.forms };
            let admits = doubt == Doubt::Admits
                || is_phrase && doubt != Doubt::Denies
                || is_exception
                || exceptions::throws_unimplemented(said);
            let forms = forms.without(Form::Admits);
            sentence.forms = if admits { forms.with(FormSet::of(&[Form::Admits])) } else { forms };
        }
    }
    let count = sentences.len();
    let asks = |sentence: &Sentence| sentence.end == End::Question || sentence.forms.meets(FormSet::ASKING);
    let (mut before, mut this) = (false, sentences.first().is_some_and(asks));
    for index in 0..count {
        let next = sentences.get(index + 1);
        let after = next.is_some_and(asks);
        let above_list =
            sentences[index].role != Role::Item && next.is_some_and(|next| next.role == Role::Item);
        let at_edge = index < EDGE || index + EDGE >= count;
        if !(before || this || after || above_list || at_edge) {
            sentences[index].forms = sentences[index].forms.only(&TOLD_ANYWHERE);
        }
        (before, this) = (this, after);
    }
}

/// Whether the writer ticks off what the words name, in any language.
fn is_ticked(words: &str) -> bool {
    words.starts_with('✅') || words.trim_end_matches('*').ends_with(['✅', '🎉'])
}
