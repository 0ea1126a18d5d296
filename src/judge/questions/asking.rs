//! Decides for each sentence whether it asks the reader for something, by rules 3 to 7 of the vectors and by
//! what the corpus shows of questions; `requests` covers requests. Must not decide the label.

use super::answered::{
    answered_by_next, answers_all, asks_itself, explained, followed_by_statement, is_undirected, muses,
    settled,
};
use super::document::Document;
use super::forms::{Form, FormSet};
use super::lines::Role;
use super::reading::{Asks, Reading};
use super::requests::{label_request, request};
use super::sentence::{End, Sentence};

/// Reads every sentence of the document.
pub(super) fn read(document: &Document<'_>) -> Vec<Reading> {
    let made = QuestionLists::read(document);
    let mut readings: Vec<Reading> =
        (0..document.sentences.len()).map(|index| sentence(document, &made, index)).collect();
    // A question is settled if its only answers are further questions that the writer settles.
    for index in (0..readings.len().saturating_sub(1)).rev() {
        let (this, next) = (readings[index], readings[index + 1]);
        let open = this.question && this.label == Asks::Reader;
        if open && next.question && next.label == Asks::Empty && is_undirected(&document.sentences[index]) {
            readings[index].label = Asks::Empty;
        }
    }
    readings
}

/// The lists and sections whose questions are themselves the result, by sentence.
struct QuestionLists {
    made: Vec<bool>,
    /// Whether at least two paragraphs open with a question in bold type and then answer it.
    lead_ins: bool,
    /// Whether all questions, at least two, open a paragraph that answers them.
    is_dialogue: bool,
}

impl QuestionLists {
    /// Reads the lists. A list belongs to the sentence that introduces it.
    fn read(document: &Document<'_>) -> Self {
        let mut made = Vec::with_capacity(document.sentences.len());
        let (mut open, mut titled) = (false, false);
        for sentence in &document.sentences {
            let asks = sentence.end == End::Question;
            let is_titled_question =
                titled && asks && !sentence.forms.any(&[Form::Direct, Form::Offer, Form::Confirm]);
            let belongs =
                sentence.role == Role::Item || (sentence.role != Role::Heading && is_titled_question);
            made.push(belongs && open);
            titled &= sentence.role != Role::Item || sentence.end != End::Open;
            let words = document.words(sentence);
            let framed = words.starts_with('【') && words.ends_with('】');
            let section = (sentence.role == Role::Heading || framed) && !asks && open;
            if !section && !(belongs && (open || sentence.role == Role::Item)) {
                open = introduces_made(sentence);
                titled = open && (sentence.role == Role::Heading || sentence.end == End::Colon);
            }
        }
        let answered = (0..document.sentences.len())
            .filter(|&index| document.sentences[index].end == End::Question && bold_lead_in(document, index));
        Self { made, lead_ins: answered.take(2).count() == 2, is_dialogue: answers_all(document) }
    }
}

fn introduces_made(lead: &Sentence) -> bool {
    lead.names_questions && !lead.forms.any(&[Form::WantsInput, Form::Confirm])
}

fn sentence(document: &Document<'_>, lists: &QuestionLists, index: usize) -> Reading {
    let sentence = &document.sentences[index];
    let forms = sentence.forms;
    let marked = sentence.end == End::Question;
    // "If you want a longer one, tell me": the words of the condition ask no question.
    let under_condition = forms.covers(FormSet::of(&[Form::Condition, Form::IfTrouble]));
    let direct =
        forms.has(Form::Direct) && !forms.any(&[Form::NotARequest, Form::IfWants]) && !under_condition;
    if marked || direct {
        let signal = question(document, index, false);
        let heading = lists.lead_ins && is_emphasised(document, sentence) && !forms.has(Form::Offer);
        let label = if lists.made[index] || heading || lists.is_dialogue && marked {
            Asks::Empty
        } else {
            question(document, index, true)
        };
        return Reading { question: true, signal, label };
    }
    let request = request(sentence);
    let label = if lists.made[index] { Asks::Empty } else { label_request(document, index, request) };
    Reading { question: false, signal: request, label }
}

/// Whether anybody has to answer a question.
fn question(document: &Document<'_>, index: usize, for_label: bool) -> Asks {
    let sentence = &document.sentences[index];
    let forms = sentence.forms;
    // As the whole reply, after no more than a greeting, "what can I do for you?" is what the turn is about.
    let closes = || !for_label || follows_content(document, index);
    if forms.has(Form::CourtesyQuestion) && !forms.has(Form::GoCondition) && closes() {
        return Asks::Empty;
    }
    if forms.has(Form::NotARequest) && sentence.end != End::Question {
        return Asks::No;
    }
    if heading_with_content(document, sentence, for_label) || labelled_with_content(document, sentence) {
        return Asks::Empty;
    }
    let is_answered = answered_by_next(document, index) && !(for_label && asks_for_a_fact(document, index));
    if is_answered || explained(document, index, for_label) {
        return Asks::Empty;
    }
    if bold_lead_in(document, index) || (for_label && asks_itself(document, index)) {
        return Asks::Empty;
    }
    if for_label && (settled(document, index) || muses(document, index)) {
        return Asks::Empty;
    }
    if for_label && opens_a_section(document, index) {
        return Asks::Empty;
    }
    let tag = forms.has(Form::Rhetorical)
        && !forms.any(&[Form::Understanding, Form::You, Form::Confirm, Form::Offer, Form::Direct]);
    if tag && for_label {
        return Asks::Empty;
    }
    if for_label
        && forms.has(Form::Explains)
        && !forms.any(&[Form::You, Form::Confirm])
        && followed_by_statement(document, index)
    {
        return Asks::Empty;
    }
    Asks::Reader
}

/// At least this many letters are more than a greeting.
const GREETING: usize = 12;

/// Whether something was finished or told before the sentence.
fn follows_content(document: &Document<'_>, index: usize) -> bool {
    let mut letters = 0;
    document.sentences[..index].iter().any(|sentence| {
        letters += sentence.normal.letters;
        letters >= GREETING || sentence.says_done()
    })
}

/// Whether one of the last questions asks for what only the reader knows: what follows is the reason for it.
fn asks_for_a_fact(document: &Document<'_>, index: usize) -> bool {
    let forms = document.sentences[index].forms;
    forms.has(Form::You)
        && forms.any(&[Form::Wh, Form::Interrogative])
        && !forms.any(&[Form::Explains, Form::Understanding])
        && index + 4 >= document.sentences.len()
}

/// Rule 4a for headings. A bold line that addresses the reader is a question in bold type, not a heading.
fn heading_with_content(document: &Document<'_>, sentence: &Sentence, for_label: bool) -> bool {
    if sentence.role != Role::Heading || !sentence.closes_line {
        return false;
    }
    let line = &document.lines[sentence.line];
    let directed = (sentence.forms.has(Form::Direct) && (line.bold || !sentence.forms.has(Form::Explains)))
        || sentence.forms.any(&[Form::Choose, Form::Confirm])
        || (line.bold && sentence.forms.any(&[Form::You, Form::Me]));
    if directed && (line.bold || for_label) {
        return false;
    }
    document.line_below(sentence.line).is_some_and(|below| below.role != Role::Heading || !line.bold)
}

/// Whether a what/why/how question addresses nobody and is followed by more blocks of text, as their title.
fn opens_a_section(document: &Document<'_>, index: usize) -> bool {
    let sentence = &document.sentences[index];
    let last = document.sentences.last().map_or(0, |last| last.block);
    sentence.closes_line
        && sentence.forms.any(&[Form::Wh, Form::Explains])
        && is_undirected(sentence)
        && !sentence.forms.has(Form::Me)
        && sentence.block < last
}

/// Whether the whole sentence is in bold or italic type.
fn is_emphasised(document: &Document<'_>, sentence: &Sentence) -> bool {
    let words = document.words(sentence);
    let end = words.trim_end_matches([':', '\u{ff1a}']);
    words.len() > 2 && ['*', '_'].iter().any(|&sign| words.starts_with(sign) && end.ends_with(sign))
}

/// Whether a bold question opens its line, and text follows on that line or directly below.
fn bold_lead_in(document: &Document<'_>, index: usize) -> bool {
    let sentence = &document.sentences[index];
    let bold = is_emphasised(document, sentence);
    let Some(next) = document.sentences.get(index + 1).filter(|_| bold && sentence.opens_line) else {
        return false;
    };
    let near = next.line == sentence.line || (next.line == sentence.line + 1 && next.role == Role::Paragraph);
    let put = (sentence.forms.any(&[Form::Choose, Form::Confirm, Form::Offer]) && next.line == sentence.line)
        || (sentence.forms.covers(FormSet::of(&[Form::You, Form::Direct]))
            && is_only_bold_question(document));
    near && !put
        && next.end != End::Question
        && !next.forms.any(&[Form::NeedsAnswer, Form::TellMe, Form::WantsInput, Form::Waiting])
}

/// Whether at most one question in bold type opens its line; several are headings that the text answers.
fn is_only_bold_question(document: &Document<'_>) -> bool {
    let bold = document.sentences.iter().filter(|sentence| {
        sentence.end == End::Question && sentence.opens_line && is_emphasised(document, sentence)
    });
    bold.take(2).count() < 2
}

/// Rule 4a for `Q:` lines: whether there is content below that is not the next question.
fn labelled_with_content(document: &Document<'_>, sentence: &Sentence) -> bool {
    document.lines[sentence.line].labelled_question
        && document
            .line_below(sentence.line)
            .is_some_and(|below| !below.labelled_question && below.role != Role::Heading)
}
