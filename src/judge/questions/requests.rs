//! Statements that ask: whether "send me the log" or "pick one" is a request to the reader, a step for the user
//! of the result, or a courtesy. Must not look at sentences with a question mark.

use super::answered::answered_by_next;
use super::document::Document;
use super::forms::{Form, FormSet};
use super::lines::Role;
use super::markers::Marker;
use super::reading::Asks;
use super::sentence::{End, Sentence};

/// How a statement asks: confirm, choose, let me know, send, waiting.
pub(super) fn request(sentence: &Sentence) -> Asks {
    let forms = sentence.forms;
    if forms.has(Form::NotARequest) || waits_for_others(forms) || reports_a_lack(sentence) {
        return Asks::No;
    }
    let plea = forms.has(Form::Plea) && !forms.any(&[Form::Instruction, Form::Done]);
    let asks = [Form::TellMe, Form::Confirm, Form::Choose, Form::WantsInput, Form::Waiting];
    if !forms.any(&asks) && !plea {
        return Asks::No;
    }
    if is_courtesy(sentence) { Asks::Empty } else { Asks::Reader }
}

/// Whether the sentence reports what was finished, and what was lacking is the cause of what was mended.
fn reports_a_lack(sentence: &Sentence) -> bool {
    sentence.says_done()
        && sentence.forms.has(Form::WantsInput)
        && !sentence.forms.any(&[
            Form::TellMe,
            Form::Confirm,
            Form::Choose,
            Form::Waiting,
            Form::Plea,
            Form::You,
            Form::Me,
        ])
}

/// Whether the writer waits for its own running work or a third person, not for the reader.
fn waits_for_others(forms: FormSet) -> bool {
    !forms.any(&[Form::TellMe, Form::Choose, Form::WantsInput, Form::You, Form::Plea])
        && forms.any(&[Form::Progress, Form::Elsewhere])
}

/// Rule 5: a request under a condition about questions, help, problems or feedback.
fn is_courtesy(sentence: &Sentence) -> bool {
    let forms = sentence.forms;
    if forms.has(Form::GoCondition) {
        return false;
    }
    if forms.has(Form::Indirect) && !forms.has(Form::LeadingCondition) {
        return false;
    }
    forms.has(Form::CourtesyCondition)
        || (forms.has(Form::Courtesy) && !forms.any(&[Form::Waiting, Form::WantsInput, Form::Choose]))
}

/// Whether the sentence is directly below a `Q:` line, and so an answer in a list of questions and answers.
fn answers_label(document: &Document<'_>, sentence: &Sentence) -> bool {
    document.lines[..sentence.line]
        .iter()
        .rev()
        .find(|line| line.role != Role::Blank)
        .is_some_and(|line| line.labelled_question)
}

/// Whether the heading above says how to use the result.
fn under_guide(document: &Document<'_>, index: usize) -> bool {
    document.sentences[..index]
        .iter()
        .rev()
        .find(|above| above.role == Role::Heading)
        .is_some_and(|heading| heading.forms.has(Form::Instruction))
}

/// At least this many letters before a request are a report, whatever their words.
const REPORT: usize = 120;
/// At least this many letters before a request for a case that need not come are one.
const SHORT_REPORT: usize = 40;

/// Whether something was finished or reported, and the request is only for the case
/// that it fails or that more is wanted. A request to say the word to begin counts
/// unless something was finished, since the text may be a plan.
fn depends_on_the_future(document: &Document<'_>, index: usize) -> bool {
    let forms = document.sentences[index].forms;
    let is_gate = forms.covers(FormSet::of(&[Form::GoCondition, Form::Waiting]));
    if forms.has(Form::Confirm) || is_gate {
        return false;
    }
    let goes_on = forms.has(Form::GoCondition);
    let reported = |least: usize| {
        let before = &document.sentences[..index];
        before.iter().map(|before| before.normal.letters).sum::<usize>() >= least
            && !before.iter().any(|before| before.forms.meets(FormSet::ASKING))
    };
    let delivered = || document.sentences[..=index].iter().any(Sentence::says_done);
    // A choice under a condition is no menu: "if a text is still in English, tell me which".
    if forms.has(Form::Condition) && (forms.has(Form::IfTrouble) || !goes_on) {
        return reported(SHORT_REPORT) || (index > 0 && delivered());
    }
    let wants = forms.has(Form::IfWants) && (!goes_on || forms.has(Form::CourtesyCondition));
    !forms.has(Form::Choose)
        && (forms.has(Form::IfTrouble) || wants)
        && (delivered() || (!goes_on && reported(REPORT)))
}

/// Whether a label in bold type opens the sentence ("**What I did:** …"), whose words are no request.
fn has_a_label(document: &Document<'_>, sentence: &Sentence) -> bool {
    let requests = [Form::TellMe, Form::WantsInput, Form::Confirm, Form::Waiting, Form::Plea];
    let label = document.words(sentence).strip_prefix("**").and_then(|rest| rest.split_once("**"));
    let is_label = |(label, rest): (&str, &str)| {
        !rest.trim().is_empty() && (label.ends_with([':', '\u{ff1a}']) || rest.starts_with([':', '\u{ff1a}']))
    };
    !sentence.forms.any(&requests)
        && sentence.forms.any(&[Form::Wh, Form::Explains])
        && label.is_some_and(is_label)
}

/// Whether finished work is handed over with steps in a list or in code below, or with one as the last word, which the
/// writer does not wait for.
fn hands_over_steps(document: &Document<'_>, index: usize) -> bool {
    let sentence = &document.sentences[index];
    let waits = [Form::TellMe, Form::Waiting, Form::Choose, Form::Confirm, Form::Me, Form::Plea];
    sentence.closes_line
        && sentence.forms.has(Form::Instruction)
        && !sentence.forms.any(&waits)
        && document
            .line_below(sentence.line)
            .is_none_or(|below| matches!(below.role, Role::Item | Role::Code))
        && document.sentences[..index].iter().any(Sentence::says_done)
}

/// Whether the writer looks for what is needed and continues in the next sentence.
fn helps_itself(document: &Document<'_>, index: usize) -> bool {
    let sentence = &document.sentences[index];
    !sentence.forms.any(&[Form::TellMe, Form::Choose, Form::You, Form::Waiting, Form::Plea])
        && document.sentences.get(index + 1).is_some_and(|next| {
            next.line == sentence.line
                && super::ending::announces(next)
                && !next.forms.any(&[Form::You, Form::Waiting, Form::TellMe, Form::WantsInput])
        })
}

/// Whether the writer did not wait: it announces one act after another, and the last words announce the next.
fn moves_on(document: &Document<'_>, index: usize) -> bool {
    /// So many sentences after the request are looked at.
    const NEAR: usize = 40;
    let announces = super::ending::announces;
    let is_open = document.sentences.last().is_some_and(|last| last.end == End::Colon && announces(last));
    is_open
        && document.sentences[index + 1..].iter().take(NEAR).filter(|next| announces(next)).take(2).count()
            == 2
}

/// Whether the sentence is in the first block of the text or in the last two. Only there does a bare need or
/// instruction ask for something.
fn stands_where_people_ask(document: &Document<'_>, index: usize) -> bool {
    let sentence = &document.sentences[index];
    if sentence.forms.any(&[Form::TellMe, Form::Choose, Form::Waiting, Form::Plea, Form::Me]) {
        return true;
    }
    let blocks = |one: usize, other: usize| other.saturating_sub(one);
    let first = document.sentences.first().map_or(0, |first| first.block);
    let last = document.sentences.last().map_or(0, |last| last.block);
    blocks(first, sentence.block) == 0 || blocks(sentence.block, last) <= 2
}

/// Adjusts a request for the label: requests inside lists and guides are steps for the user of the result.
pub(super) fn label_request(document: &Document<'_>, index: usize, request: Asks) -> Asks {
    let sentence = &document.sentences[index];
    if request != Asks::Reader {
        return request;
    }
    let forms = sentence.forms;
    if sentence.role == Role::Heading && !document.lines[sentence.line].bold {
        return Asks::No;
    }
    if helps_itself(document, index) || moves_on(document, index) || has_a_label(document, sentence) {
        return Asks::No;
    }
    if depends_on_the_future(document, index)
        || hands_over_steps(document, index)
        || !stands_where_people_ask(document, index)
    {
        return Asks::Empty;
    }
    let settles_itself = forms.any(&[Form::Deliberates, Form::Wh])
        && !forms.any(&[Form::TellMe, Form::WantsInput, Form::Waiting, Form::Confirm])
        && answered_by_next(document, index);
    if settles_itself || answers_label(document, sentence) {
        return Asks::Empty;
    }
    if sentence.role == Role::Item {
        return if item_asks(document, index) { Asks::Reader } else { Asks::No };
    }
    let told = forms.has(Form::ThirdPerson)
        && !forms.any(&[Form::Me, Form::You, Form::TellMe, Form::Choose, Form::Confirm, Form::Plea]);
    if told {
        return Asks::No;
    }
    let offers = forms.has(Form::Choose)
        && (forms.has(Form::Alternative) && sentence.normal.spaced.contains(" : ")
            || closes_alternatives(document, index));
    let menu_step = !offers
        && forms.any(&[Form::Instruction])
        && !forms.any(&[Form::TellMe, Form::WantsInput, Form::Waiting, Form::Confirm])
        && !super::signals::has_options(document);
    if menu_step {
        return Asks::Empty;
    }
    let begins = forms.covers(FormSet::of(&[Form::TellMe, Form::GoCondition]));
    if forms.has(Form::Optional) && !begins && !forms.any(&[Form::Choose, Form::WantsInput, Form::Waiting]) {
        return Asks::Empty;
    }
    Asks::Reader
}

/// Whether the sentence is the last one, and the one before it names what there is to choose from.
fn closes_alternatives(document: &Document<'_>, index: usize) -> bool {
    let before = index.checked_sub(1).and_then(|before| document.sentences.get(before));
    index + 1 == document.sentences.len()
        && before.is_some_and(|before| {
            before.line == document.sentences[index].line && before.forms.has(Form::Alternative)
        })
}

/// Whether an item of a list asks the reader. A bare step ("upload the file", "reply to the message") is for the user of
/// the result, unless it is done for the writer, and so is a choice that does not close the text.
fn item_asks(document: &Document<'_>, index: usize) -> bool {
    let sentence = &document.sentences[index];
    let forms = sentence.forms;
    let closes = document.sentences.last().is_some_and(|last| last.block == sentence.block);
    let addressed = forms.any(&[Form::Me, Form::You])
        || (forms.has(Form::Choose) && (closes || forms.has(Form::Alternative)));
    let asks = forms.any(&[Form::Choose, Form::Confirm, Form::WantsInput]);
    let told = forms.has(Form::TellMe) && (addressed || asks || forms.has(Form::Waiting));
    (told || (asks && addressed && !under_guide(document, index)))
        && !matches!(document.lines[sentence.line].marker, Some((Marker::OpenBox | Marker::DoneBox, _)))
        && !forms.any(&[Form::Instruction, Form::Optional])
}

#[cfg(test)]
mod tests {
    use crate::judge::questions::{Ask, Context, Label, classify};

    #[test]
    fn a_request_after_which_the_writer_goes_on_is_not_awaited() {
        let asks = "Please send me the error you see in the browser.";
        let judged = |text: &str| classify(text, &Context::default()).label;
        assert_eq!(judged(asks), Label::AwaitingResponse);
        let goes_on =
            format!("{asks} Let me check the imports.\n\nNow I'll fix the chart. Next I'll run the build:");
        assert_eq!(judged(&goes_on), Label::Incomplete);
    }

    #[test]
    fn a_choice_that_closes_what_there_is_to_choose_from_is_awaited() {
        let judged = |text: &str| classify(text, &Context::default()).label;
        let routes = "I see three routes for the cache: polling, sockets or webhooks. Please pick one.";
        assert_eq!(judged(routes), Label::AwaitingResponse);
        assert_eq!(judged("The menu is done. Open it and pick one."), Label::Complete);
    }

    #[test]
    fn a_word_to_begin_is_awaited_after_a_plan_and_none_after_finished_work() {
        let plan = "The plan for the new storage layer: copy the schema and the indexes, backfill the rows in batches of \
                    ten thousand, and switch the readers over behind a flag.\n\n";
        for asks in [
            "If you want me to proceed, reply yes.",
            "If you want me to start, just say go.",
            "Let me know if you want me to go ahead with step 1.",
            "Si tu veux que je commence, dis-moi oui.",
            "Wenn du willst, dass ich anfange, sag Bescheid.",
            "Si quieres que empiece, dímelo.",
        ] {
            let judged = classify(&format!("{plan}{asks}"), &Context::default());
            assert_eq!(judged.label, Label::AwaitingResponse, "{asks}");
            assert_eq!(judged.ask, Some(Ask::Blocking), "{asks}");
        }
        let report = "The readers are switched over and all 212 tests pass; the old tables are gone, and the backup of \
                      Monday holds their rows.\n\n";
        for asks in [
            "If you'd rather keep them for a week, tell me and I'll restore them.",
            "Si prefieres otro nombre, dime.",
        ] {
            assert_eq!(
                classify(&format!("{report}{asks}"), &Context::default()).label,
                Label::Complete,
                "{asks}"
            );
        }
    }
}
