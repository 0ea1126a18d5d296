//! Whether a question is answered on the spot: by the next sentence, by a conclusion, or by itself. Must not
//! look beyond the question and the sentences around it, or decide whether it asks.

use super::document::Document;
use super::forms::Form;
use super::lines::Role;
use super::sentence::{End, Sentence};

/// Whether nothing in the sentence addresses the reader or considers what the writer should do.
pub(super) fn is_undirected(sentence: &Sentence) -> bool {
    !sentence.forms.any(&[
        Form::You,
        Form::Direct,
        Form::Choose,
        Form::Confirm,
        Form::Offer,
        Form::TellMe,
        Form::WantsInput,
        Form::Deliberates,
        Form::WhichOption,
    ]) && !sentence.forms.has(Form::Alternative)
}

/// Whether the sentences after the question say what was done about it.
pub(super) fn settled(document: &Document<'_>, index: usize) -> bool {
    let sentence = &document.sentences[index];
    if sentence.forms.any(&[Form::Offer, Form::Confirm]) {
        return false;
    }
    let directed = sentence.forms.any(&[Form::You, Form::Direct]);
    for next in document.sentences[index + 1..].iter().take(3) {
        let same =
            next.block == sentence.block && (next.line == sentence.line || next.role == Role::Paragraph);
        let asks =
            next.forms.any(&[Form::TellMe, Form::WantsInput, Form::Waiting, Form::Choose, Form::Confirm]);
        if !same || next.end == End::Question || asks {
            return false;
        }
        if next.forms.has(Form::SelfDecided)
            || (!directed && next.forms.has(Form::Settled) && !next.forms.has(Form::NeedsAnswer))
        {
            return true;
        }
    }
    false
}

/// Whether the writer thinks aloud.
pub(super) fn muses(document: &Document<'_>, index: usize) -> bool {
    let sentence = &document.sentences[index];
    let until = (index + 2).min(document.sentences.len());
    let around = &document.sentences[index.saturating_sub(3)..until];
    is_undirected(sentence)
        && around.iter().any(|near| near.block == sentence.block && near.forms.has(Form::Musing))
}

/// Rule 4c: an undirected question, followed in its paragraph by a statement that does not ask for the answer.
pub(super) fn explained(document: &Document<'_>, index: usize, for_label: bool) -> bool {
    let sentence = &document.sentences[index];
    let forms = sentence.forms;
    if !forms.has(Form::Wh) || forms.any(&[Form::You, Form::Me, Form::Direct, Form::Choose, Form::Offer]) {
        return false;
    }
    if for_label
        && (forms.has(Form::Alternative) || (forms.has(Form::Deliberates) && !forms.has(Form::Explains)))
    {
        return false;
    }
    document.sentences.get(index + 1).is_some_and(|next| {
        let same =
            next.block == sentence.block && (next.line == sentence.line || next.role == Role::Paragraph);
        // What the writer did or needs does not answer a question about something else.
        let own = for_label && next.forms.has(Form::Me) && !forms.has(Form::Explains);
        same && next.end != End::Question
            && !own
            && !next.forms.any(&[Form::TellMe, Form::WantsInput, Form::Waiting])
            && !needs_answer(sentence, next)
    })
}

/// Whether the sentence behind a question gives a lack as the reason for asking it ("the plan does not say"). Behind a
/// question for a reason, a lack is the answer: "Why did it happen? The key did not contain the locale."
fn needs_answer(question: &Sentence, next: &Sentence) -> bool {
    next.forms.has(Form::NeedsAnswer)
        && (!question.forms.has(Form::Explains) || next.forms.any(&[Form::Me, Form::You]))
}

pub(super) fn followed_by_statement(document: &Document<'_>, index: usize) -> bool {
    document.sentences.get(index + 1).is_some_and(|next| {
        next.end != End::Question
            && next.role != Role::Heading
            && !next.forms.any(&[Form::TellMe, Form::WantsInput, Form::Waiting, Form::Choose])
            && !needs_answer(&document.sentences[index], next)
    })
}

/// Whether the text asks at least two questions and answers each in the same paragraph, without asking the reader for
/// anything: the writer tells by questions what a reader may wonder.
pub(super) fn answers_all(document: &Document<'_>) -> bool {
    const ASKED: [Form; 7] = [
        Form::Direct,
        Form::Offer,
        Form::Confirm,
        Form::Choose,
        Form::WhichOption,
        Form::Deliberates,
        Form::Alternative,
    ];
    const OPEN: [Form; 8] = [
        Form::NeedsAnswer,
        Form::TellMe,
        Form::WantsInput,
        Form::Waiting,
        Form::Choose,
        Form::Admits,
        Form::Partial,
        Form::Stuck,
    ];
    let mut n_questions = 0;
    for (index, sentence) in document.sentences.iter().enumerate() {
        if sentence.end != End::Question {
            continue;
        }
        let answers = |next: &Sentence| {
            next.line == sentence.line && next.end != End::Question && !next.forms.any(&OPEN)
        };
        let is_answered = document.sentences.get(index + 1).is_some_and(answers);
        let is_told = sentence.role == Role::Paragraph && sentence.opens_line && !sentence.forms.any(&ASKED);
        if !is_answered || !is_told {
            return false;
        }
        n_questions += 1;
    }
    n_questions >= 2
}

/// Rule 4b: the next sentence opens with an answer.
pub(super) fn answered_by_next(document: &Document<'_>, index: usize) -> bool {
    let sentence = &document.sentences[index];
    let Some(next) = document.sentences.get(index + 1) else { return false };
    if next.role == Role::Item && next.line != sentence.line {
        return false;
    }
    if next.role == Role::Heading && next.line != sentence.line {
        return false;
    }
    let answers =
        next.forms.has(Form::AnswerOpen) && !next.forms.has(Form::Choose) && !awaits_answer(document, index);
    let decided = next.forms.has(Form::SelfDecided) && !sentence.forms.has(Form::Offer);
    (answers || decided) && next.end != End::Question
}

/// Whether what follows the question in its paragraph says that the writer needs the reader's answer to it: "I left that
/// branch empty and need your decision".
fn awaits_answer(document: &Document<'_>, index: usize) -> bool {
    /// So many sentences behind the question are looked at.
    const NEAR: usize = 3;
    let line = document.sentences[index].line;
    let mut behind = document.sentences[index + 1..].iter().take(NEAR).take_while(|next| next.line == line);
    behind.any(|next| {
        next.end != End::Question
            && next.forms.has(Form::You)
            && next.forms.any(&[Form::WantsInput, Form::Waiting])
            && !next.forms.any(&[Form::NotARequest, Form::IfWants, Form::IfTrouble])
    })
}

/// Whether the writer goes on to look into an undirected question.
pub(super) fn asks_itself(document: &Document<'_>, index: usize) -> bool {
    let forms = document.sentences[index].forms;
    document.sentences.get(index + 1).is_some_and(|next| {
        super::ending::announces(next)
            && !next.forms.any(&[Form::You, Form::Waiting, Form::TellMe])
            && forms.any(&[Form::Wh, Form::Explains])
            && !forms.has(Form::You)
    })
}
