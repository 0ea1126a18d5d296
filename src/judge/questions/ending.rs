//! Decides whether a text that asks nothing is unfinished: an error instead of an answer, or work that is
//! merely announced, still running, partly done, given up, or a stub. Must not judge questions.

use super::document::Document;
use super::forms::Form;
use super::judgement::Kind;
use super::lines::{Line, Role};
use super::markers::Marker;
use super::sentence::{End, Sentence};

/// Up to this many letters, a text with an error counts as nothing but that error.
const SHORT: usize = 240;

/// The kind of a text that is nothing but an error or an interruption.
pub(super) fn replaced(document: &Document<'_>) -> Option<Kind> {
    let sentences = &document.sentences;
    if let Some(last) = sentences.last()
        && last.forms.has(Form::Interrupted)
        && last.normal.letters <= 120
        && closes_text(document, last)
    {
        return Some(Kind::Interrupted);
    }
    if document.text.trim().starts_with("^C") && document.text.trim().len() <= 12 {
        return Some(Kind::Interrupted);
    }
    let letters: usize = sentences.iter().map(|sentence| sentence.normal.letters).sum();
    let interrupted = sentences.iter().any(|sentence| sentence.forms.has(Form::Interrupted));
    if interrupted && letters <= 120 && !sentences.iter().any(|sentence| sentence.forms.has(Form::Done)) {
        return Some(Kind::Interrupted);
    }
    let first = sentences.first()?;
    let lines = document.lines.iter().filter(|line| line.role != Role::Blank).count();
    let error = first.forms.has(Form::ErrorOnly)
        && !first.forms.has(Form::AdmitsNot)
        && first.role != Role::Item
        && (!first.has_mask || (sentences.len() == 1 && first.normal.words <= 14))
        && !sentences.iter().any(|sentence| sentence.end == End::Question);
    let reported = sentences.iter().any(|sentence| sentence.forms.has(Form::Done));
    let own = sentences.iter().any(|sentence| {
        sentence.forms.any(&[
            Form::Me,
            Form::Waiting,
            Form::Choose,
            Form::Confirm,
            Form::TellMe,
            Form::WantsInput,
        ])
    });
    (error && letters <= SHORT && lines <= 4 && !own && !reported).then_some(Kind::ErrorText)
}

/// The way in which a text is unfinished, judging by its last words.
pub(super) fn unfinished(document: &Document<'_>) -> Option<Kind> {
    let sentences = &document.sentences;
    let Some(last) = closing_sentence(document) else { return unspoken(document) };
    if is_placeholder(document) {
        return Some(Kind::Placeholder);
    }
    let ends_text = closes_text(document, last);
    if ends_text && last.end == End::Colon && last.role == Role::Paragraph {
        return Some(Kind::Announce);
    }
    if last.role != Role::Heading
        && announces(last)
        && !under_question(document, last)
        && (ends_text || last.end == End::Colon)
    {
        return Some(if last.forms.has(Form::Progress) { Kind::Progress } else { Kind::Announce });
    }
    if plan_is_open(document) {
        return Some(Kind::Announce);
    }
    let finished = sentences.iter().any(|sentence| {
        sentence.says_done()
            && !sentence.forms.any(&[Form::Partial, Form::Stuck, Form::Progress, Form::Announce])
    });
    let structure = document.lines.iter().any(|line| matches!(line.role, Role::Table | Role::Code))
        || document.lines.iter().filter(|line| line.role == Role::Item).count() > 3;
    let in_an_act =
        last.forms.has(Form::Doing) && !last.forms.has(Form::IfWants) && last.end != End::Question;
    if ends_text && in_an_act && !sentences.iter().any(|sentence| sentence.forms.has(Form::Done)) {
        return Some(Kind::Announce);
    }
    if in_progress(document, finished) {
        return Some(Kind::Progress);
    }
    if is_partial(document) {
        return Some(Kind::Partial);
    }
    let trails = last.end == End::Question || (last.end == End::Dots && last.forms.has(Form::Musing));
    if ends_text && trails && muses_only(sentences) {
        return Some(Kind::Announce);
    }
    if is_stuck(document, last, finished, structure) {
        return Some(Kind::Stuck);
    }
    if !structure && !finished && sentences.len() <= 4 && sentences.iter().any(announces) {
        return Some(Kind::Announce);
    }
    // Thinking aloud that ends in a question to itself.
    (ends_text
        && last.end == End::Question
        && !finished
        && !structure
        && sentences.len() <= 3
        && last.forms.any(&[Form::Wh, Form::Explains]))
    .then_some(Kind::Announce)
}

/// Whether the work was given up: at the end, or at once with a word that nothing was changed.
fn is_stuck(document: &Document<'_>, last: &Sentence, finished: bool, structure: bool) -> bool {
    let sentences = &document.sentences;
    let stuck = |sentence: &Sentence| {
        sentence.forms.has(Form::Stuck)
            && !sentence.forms.any(&[
                Form::Elsewhere,
                Form::IfTrouble,
                Form::Condition,
                Form::CourtesyCondition,
            ])
    };
    let failed = sentences.first().is_some_and(stuck) && !finished;
    let nothing_done = sentences.iter().any(|sentence| sentence.forms.has(Form::NothingDone));
    if gives_up(document) || (failed && nothing_done) {
        return true;
    }
    let late = sentences.iter().rev().take(2).any(stuck) && !finished && sentences.len() <= 4;
    let first = failed && sentences.len() <= 2;
    ((stuck(last) && sentences.len() <= 4) || late || first) && !structure
}

/// Whether the writer thinks aloud without having delivered anything before.
fn muses_only(sentences: &[Sentence]) -> bool {
    let first = sentences.iter().position(|sentence| sentence.forms.has(Form::Musing));
    sentences.len() <= 6
        && first.is_some_and(|first| !sentences[..first].iter().any(|before| before.forms.has(Form::Done)))
}

/// Whether each of the last two sentences says that the work was given up.
pub(super) fn gives_up(document: &Document<'_>) -> bool {
    let mut last = document.sentences.iter().rev().take(2);
    let stuck = |sentence: &Sentence| {
        sentence.forms.has(Form::Stuck)
            && sentence.end != End::Question
            && !sentence.forms.has(Form::Elsewhere)
    };
    document.sentences.len() > 1 && last.all(stuck)
}

/// The kind of a text without a sentence in the writer's own voice.
fn unspoken(document: &Document<'_>) -> Option<Kind> {
    let visible = document.lines.iter().any(|line| line.role != Role::Blank);
    let code_stub = is_stub_code(document);
    (!visible || code_stub).then_some(if code_stub { Kind::Placeholder } else { Kind::Empty })
}

/// The last sentence that is not a courtesy, a bracketed remark or a request to wait.
fn closing_sentence<'d>(document: &'d Document<'_>) -> Option<&'d Sentence> {
    let mut seen = None;
    for sentence in document.sentences.iter().rev().take(4) {
        seen = seen.or(Some(sentence));
        let forms = sentence.forms;
        let aside = document.words(sentence).starts_with(['(', '\u{ff08}']);
        let polite = forms.any(&[Form::Courtesy, Form::CourtesyQuestion]) && !announces(sentence);
        if !aside && !polite {
            return Some(sentence);
        }
    }
    seen
}

/// Whether no code, table or list of another kind follows the sentence.
fn closes_text(document: &Document<'_>, sentence: &Sentence) -> bool {
    !document.lines[sentence.line + 1..].iter().any(|line| {
        matches!(
            line.role,
            Role::Code | Role::Table | Role::Quote | Role::Item | Role::Heading | Role::Letter
        )
    })
}

/// Whether the sentence answers a heading that asks.
fn under_question(document: &Document<'_>, sentence: &Sentence) -> bool {
    document
        .sentences
        .iter()
        .rev()
        .find(|above| above.role == Role::Heading && above.line < sentence.line)
        .is_some_and(|above| above.end == End::Question)
}

/// Whether the sentence says what the writer will do next.
pub(super) fn announces(sentence: &Sentence) -> bool {
    let forms = sentence.forms;
    let announced = forms.has(Form::Announce) || (forms.has(Form::AnnounceIng) && !forms.has(Form::Finite));
    announced && !forms.any(&[Form::AnnounceNot, Form::LeadingCondition]) && sentence.end != End::Question
}

/// Whether the text ends with a plan, or with a list that has open boxes.
fn plan_is_open(document: &Document<'_>) -> bool {
    let Some(last) = document.lines.iter().rev().find(|line| line.role != Role::Blank) else { return false };
    if last.role != Role::Item {
        return false;
    }
    let lead = document.sentences.iter().rev().find(|sentence| sentence.role != Role::Item);
    let open = document
        .lines
        .iter()
        .rev()
        .take_while(|line| matches!(line.role, Role::Item | Role::Blank))
        .any(|line| matches!(line.marker, Some((Marker::OpenBox, _))));
    let delivered = lead.is_some_and(|lead| lead.forms.has(Form::Done) && !lead.forms.has(Form::PlanLead));
    if open && !delivered {
        return true;
    }
    lead.is_some_and(|lead| {
        (lead.forms.has(Form::PlanLead) || announces(lead))
            && !lead.forms.any(&[Form::Elsewhere, Form::Optional])
            && !lead.forms.has(Form::Done)
    })
}

/// Whether work is still under way, judging by the first or the last words.
fn in_progress(document: &Document<'_>, finished: bool) -> bool {
    let sentences = &document.sentences;
    let running = |sentence: &Sentence| {
        sentence.forms.has(Form::Progress)
            && sentence.end != End::Question
            && sentence.role != Role::Item
            && !sentence.forms.any(&[
                Form::Partial,
                Form::Elsewhere,
                Form::Instruction,
                Form::Optional,
                Form::Condition,
            ])
    };
    // Helpers that are still running will report, whatever was finished before.
    let others = |sentence: &Sentence| {
        sentence.forms.has(Form::OthersWork)
            && sentence.end != End::Question
            && !sentence.forms.any(&[Form::IfTrouble, Form::Instruction])
    };
    let helpers = sentences.iter().filter(|sentence| others(sentence)).take(2).count();
    if helpers == 2 || sentences.last().is_some_and(others) {
        return true;
    }
    let at_end = sentences.iter().rev().take(2).any(running);
    let at_start = sentences.iter().take(2).any(running);
    (at_end && (!finished || sentences.len() <= 4)) || (at_start && !finished && sentences.len() <= 6)
}

fn is_partial(document: &Document<'_>) -> bool {
    let sentences = &document.sentences;
    let partial = |sentence: &&Sentence| {
        sentence.forms.has(Form::Partial)
            && !under_question(document, sentence)
            && !sentence.forms.any(&[Form::Elsewhere, Form::NotARequest, Form::Condition])
    };
    // A section of its own for what is left.
    let titled = sentences
        .windows(2)
        .any(|pair| pair[0].role == Role::Heading && pair.iter().all(|sentence| partial(&sentence)));
    titled
        || has_a_mixed_checklist(document)
        || sentences.iter().rev().take(3).any(|sentence| partial(&sentence))
        || (sentences.len() <= 6 && sentences.iter().any(|sentence| partial(&sentence)))
}

/// Whether a list of tasks has ticked boxes and open ones.
fn has_a_mixed_checklist(document: &Document<'_>) -> bool {
    let boxes = |line: &&Line| matches!(line.marker, Some((Marker::OpenBox | Marker::DoneBox, _)));
    document.lines.chunk_by(|one, other| one.block == other.block).any(|block| {
        let kinds =
            || block.iter().filter(boxes).filter_map(|line| line.marker.as_ref().map(|(kind, _)| *kind));
        kinds().any(|kind| kind == Marker::OpenBox) && kinds().any(|kind| kind == Marker::DoneBox)
    })
}

/// Whether the text is a stub: a bare word of consent, a heading with a placeholder, or
/// code with nothing in it.
fn is_placeholder(document: &Document<'_>) -> bool {
    let body: Vec<&Sentence> =
        document.sentences.iter().filter(|sentence| sentence.role != Role::Heading).collect();
    let stub = |sentence: &Sentence| {
        is_mark_of_a_stub(document.words(sentence))
            || (sentence.forms.any(&[Form::Placeholder, Form::Acknowledgement])
                && !sentence.forms.any(&[Form::Partial, Form::AdmitsNot])
                && sentence.normal.letters <= 60)
    };
    if document.sentences.iter().any(|sentence| sentence.normal.spaced.contains(" lorem ipsum dolor ")) {
        return true;
    }
    if document.lines.iter().any(|line| line.role == Role::Code) {
        return body.len() <= 1
            && body.iter().all(|sentence| !sentence.forms.has(Form::Done))
            && is_stub_code(document);
    }
    let other = document.lines.iter().any(|line| matches!(line.role, Role::Table | Role::Quote));
    let headings = document.sentences.len() - body.len();
    (!body.is_empty() || headings > 2) && !other && body.iter().all(|sentence| stub(sentence))
}

/// Whether the words are one of the marks that stand for text to come, in any language.
fn is_mark_of_a_stub(words: &str) -> bool {
    const MARKS: [&str; 7] = ["TODO", "TBD", "TBA", "FIXME", "WIP", "XXX", "N/A"];
    let is_frame =
        |c: char| c.is_whitespace() || matches!(c, '*' | '_' | '.' | ':' | '(' | ')' | '[' | ']' | '<' | '>');
    MARKS.contains(&words.trim_matches(is_frame))
}

/// Whether a line outside all code is nothing but a mark that stands for text to come.
pub(super) fn has_a_hole(document: &Document<'_>) -> bool {
    document.lines.iter().any(|line| {
        let words = document.text[line.range.clone()].trim_start_matches(['-', '+', '#', '>', ' ']);
        matches!(line.role, Role::Paragraph | Role::Item)
            && is_mark_of_a_stub(words)
            && !words.contains("N/A")
    })
}

/// Whether comments in the code say that the content is still to be written.
fn is_stub_code(document: &Document<'_>) -> bool {
    const STUBS: [&str; 18] = [
        "todo", "fixme", "goes here", "implement", "placeholder", "your code", "not implemented",
        "notimplemented", "unimplemented!", "fill in", "tbd", "ここに", "実装予定", "未実装", "在此",
        "여기에", "stub", "logic here",
    ];
    let mut lines = 0;
    let mut stub = false;
    for line in document.lines.iter().filter(|line| line.role == Role::Code).take(40) {
        let text = document.text[line.range.clone()].to_lowercase();
        let is_object = text.starts_with("{\"");
        if is_object || text.trim_start().starts_with(['`', '~']) || text.trim().is_empty() {
            continue;
        }
        lines += 1;
        stub |= STUBS.iter().any(|word| text.contains(word));
    }
    stub && lines <= 12
}
