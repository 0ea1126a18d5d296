//! Combines the readings into the three-way label, with offer or blocking, kind and
//! reasons. Must not read sentences itself.

use super::answered;
use super::context::{Context, EndOfTurn};
use super::correction::{self, Corrected};
use super::document::Document;
use super::forms::{Form, FormSet};
use super::judgement::{Ask, Classification, Kind, Label};
use super::language::Language;
use super::reading::{Asks, Reading};
use super::sentence::{End, Sentence};
use super::{admission, ask_model, ending, features, language, lines, signals, topic, truncation, wording};
use crate::model::Certainty;

/// Classifies a text; see [`super::classify`].
pub(super) fn classify(
    document: &Document<'_>,
    readings: &[Reading],
    context: &Context<'_>,
) -> Classification {
    let text = document.text;
    let rules = decide(document, readings, context);
    let asks = ask_model::scores(document, readings);
    let features = features::of(document, readings, &asks, &rules, context);
    let admits = admission::admits(document);
    let mut result = match correction::correct(&features) {
        // What admits that something is open asks in words that the rules know, or not at all.
        Some(Corrected { label: Label::AwaitingResponse, .. })
            if admits && rules.label != Label::AwaitingResponse =>
        {
            rules
        }
        Some(corrected) => corrected_by(document, readings, rules, corrected, ask_model::likeliest(&asks)),
        None => rules,
    };
    if !language::can_be_read(text) {
        result.certainty = result.certainty.min(Certainty::Medium);
    }
    result.admits = admits;
    let doubtful = if result.admits { None } else { admission::may_admit(document) };
    result.may_admit = doubtful.map(str::to_owned);
    end_of_turn(&mut result, context.end);
    result.language = document.language;
    result.signals = signals::find(document, readings);
    if let (true, Some(question)) = (result.signals.is_empty(), &result.question) {
        result.signals.extend(signals::of_question(question, text));
    }
    result.tenths = result.signals.iter().map(|hit| hit.tenths).sum();
    result
}

/// Whether it takes more than a few numbers to change the rules' label: the text is empty, a stub or off topic, has a
/// question that both its mark and its words put to the reader, or ends with a menu of keys.
pub(super) fn holds(document: &Document<'_>, readings: &[Reading], rules: &Classification) -> bool {
    let last = document.sentences.last().map_or(0, |last| last.line);
    let puts_a_question = || {
        document.sentences.iter().zip(readings).any(|(sentence, reading)| {
            let marked = sentence.end == End::Question
                && sentence.forms.any(&[Form::Direct, Form::Choose, Form::Confirm, Form::Offer]);
            let is_menu = || {
                sentence.line == last
                    && sentence.forms.has(Form::Choose)
                    && document.line_text(sentence).trim_start_matches('*').starts_with('[')
            };
            reading.label == Asks::Reader && (marked || asks_leave(sentence) || is_menu())
        })
    };
    match rules.label {
        Label::AwaitingResponse => puts_a_question(),
        Label::Incomplete => matches!(rules.kind, Kind::Empty | Kind::OffTask | Kind::Placeholder),
        Label::Complete => false,
    }
}

/// Whether a request is to confirm what the writer itself may do: the act is not done without it.
fn asks_leave(sentence: &Sentence) -> bool {
    sentence.forms.covers(FormSet::of(&[Form::Confirm, Form::Me]))
        && !sentence.forms.any(&[Form::IfWants, Form::IfTrouble, Form::Optional])
}

/// The rules' judgement with the learned label.
fn corrected_by(
    document: &Document<'_>,
    readings: &[Reading],
    rules: Classification,
    corrected: Corrected,
    asking: Option<usize>,
) -> Classification {
    let Corrected { label, certainty, .. } = corrected;
    if label == rules.label {
        // A question with its mark prevents COMPLETE, however unusual the rest of the message is, and so does a request for
        // leave to act.
        let is_marked = document.sentences.iter().zip(readings).any(|(sentence, reading)| {
            reading.label == Asks::Reader && (sentence.end == End::Question || asks_leave(sentence))
        });
        let least =
            if label == Label::AwaitingResponse && is_marked { Certainty::Medium } else { Certainty::Low };
        return Classification { certainty: certainty.max(least), ..rules };
    }
    // Of texts that are not read as a whole the trees know none.
    let is_sure = rules.label == Label::AwaitingResponse
        && corrected.margin >= correction::SURE
        && document.text.len() <= lines::WHOLE_UP_TO;
    if !is_sure && holds(document, readings, &rules) {
        return rules;
    }
    let mut result = match label {
        Label::AwaitingResponse => {
            let Some(asking) = asking else { return Classification { certainty: Certainty::Low, ..rules } };
            awaiting(document, readings, &[asking])
        }
        Label::Complete => complete(document, readings),
        Label::Incomplete => {
            let kind = ending::unfinished(document).unwrap_or(Kind::Announce);
            plain(Label::Incomplete, kind, reason(kind))
        }
    };
    result.certainty = certainty;
    result.reasons.push(match rules.label {
        Label::AwaitingResponse => "real messages with these marks ask nothing that matters",
        Label::Complete => "real messages with these marks leave something open",
        Label::Incomplete => "real messages with these marks are whole",
    });
    result
}

/// The judgement with what the message admits: no label makes finished work of it, and a question beside it is no mere
/// offer.
pub(super) fn with_admission(mut result: Classification) -> Classification {
    match result.label {
        _ if !result.admits => {}
        Label::AwaitingResponse if result.certainty > Certainty::Low => {
            result.ask = result.ask.map(|_| Ask::Blocking);
        }
        Label::Incomplete => result.certainty = Certainty::High,
        Label::AwaitingResponse | Label::Complete => {
            let partial = plain(Label::Incomplete, Kind::Partial, reason(Kind::Partial));
            let Classification { admits, signals, tenths, language, .. } = result;
            return Classification {
                certainty: Certainty::High,
                admits,
                signals,
                tenths,
                language,
                ..partial
            };
        }
    }
    result
}

/// Applies what the end of the turn says about its last words.
fn end_of_turn(result: &mut Classification, end: Option<EndOfTurn>) {
    let (kind, reason) = match end {
        None | Some(EndOfTurn::ByItself) => return,
        Some(EndOfTurn::ToolCall) => (Kind::Announce, "the turn ended in a tool call: nothing was delivered"),
        Some(EndOfTurn::Interrupted) => (Kind::Interrupted, "the turn was interrupted"),
        Some(EndOfTurn::Error) => (Kind::ErrorText, "the turn ended with an error"),
    };
    match result.label {
        Label::Incomplete => result.certainty = Certainty::High,
        // A clear question stays a question, however the turn ended.
        Label::AwaitingResponse if result.certainty == Certainty::High => {
            result.certainty = Certainty::Medium;
        }
        label @ (Label::AwaitingResponse | Label::Complete) => {
            // Words that are whole although the record breaks off were the last ones in one of four such turns.
            let failed = label == Label::Complete && end == Some(EndOfTurn::Error);
            let certainty = if failed { Certainty::High } else { Certainty::Medium };
            *result = Classification { certainty, ..plain(Label::Incomplete, kind, reason) };
        }
    }
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
        language: Language::default(),
        reasons: vec![reason],
        admits: false,
        may_admit: None,
    }
}

/// The judgement by the rules alone.
pub(super) fn decide(document: &Document<'_>, readings: &[Reading], context: &Context<'_>) -> Classification {
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
    if let [only] = asking[..]
        && only + 1 == readings.len()
        && truncation::breaks_off(document)
    {
        return plain(Label::Incomplete, Kind::Truncated, "the text breaks off");
    }
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
    // "Yes, all seven are there": an answer to the request shares its subject without its words.
    let answers = document.sentences.first().is_some_and(|first| first.forms.has(Form::AnswerOpen));
    if !answers
        && !context.acted()
        && context.request.is_some_and(|request| topic::is_off(document.text, request))
    {
        return plain(Label::Incomplete, Kind::OffTask, "the text does not speak of what was asked for");
    }
    complete(document, readings)
}

/// Whether an asking sentence asks nobody once the work was given up.
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
    // A choice between two things is not an offer of more.
    let offer = !chooses && is_offer(document, asking);
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
        ask: Some(if offer { Ask::Offer } else { Ask::Blocking }),
        question: Some(question),
        ..plain(Label::AwaitingResponse, kind, reason)
    }
}

/// Whether something was finished and every question proposes more, to be answered with yes or no. A question
/// about which, how many, or this or that concerns the work itself, however politely it proposes to do it.
fn is_offer(document: &Document<'_>, asking: &[usize]) -> bool {
    let Some(&first) = asking.first() else { return false };
    let proposes = asking.iter().all(|&index| {
        let sentence = &document.sentences[index];
        sentence.forms.has(Form::Offer)
            && (sentence.end == End::Question || !asks_leave(sentence))
            && !signals::asks_to_choose(sentence)
            && !sentence.forms.any(&[
                Form::WantsInput,
                Form::Waiting,
                Form::Wh,
                Form::Alternative,
                Form::Interrogative,
            ])
    });
    let done = document.sentences[..first]
        .iter()
        .any(|sentence| sentence.says_done() && sentence.end != End::Question);
    proposes && done
}
