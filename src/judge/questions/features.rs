//! What the rules found in a message, as numbers for the learned correction (`trees`): the rules' own label,
//! what is where, which phrases are in which part of the text, and how the turn ended. Must not judge.

use super::context::{Context, EndOfTurn};
use super::document::Document;
use super::forms::{Form, FormSet, LEARNED as FORMS};
use super::judgement::{Ask, Classification, Label};
use super::lines::Role;
use super::markers::Marker;
use super::reading::{Asks, Reading};
use super::sentence::{End, Sentence};
use super::{ending, signals, truncation};

/// The parts of a text in which phrases are counted, in order.
const PARTS: usize = 7;

/// How many numbers describe a message.
pub(super) const COUNT: usize = PLAIN + PARTS * FORMS;
/// How many of them are not counts of phrases.
const PLAIN: usize = 96;

/// The numbers of one message.
pub(super) struct Features {
    values: Vec<i16>,
}

impl Features {
    /// The numbers in order.
    pub(super) fn values(&self) -> &[i16] {
        &self.values
    }

    fn put(&mut self, value: usize) {
        self.values.push(i16::try_from(value.min(30_000)).unwrap_or(i16::MAX));
    }

    fn flag(&mut self, value: bool) {
        self.values.push(i16::from(value));
    }
}

/// Describes a message.
pub(super) fn of(
    document: &Document<'_>,
    readings: &[Reading],
    rules: &Classification,
    context: &Context<'_>,
) -> Features {
    let mut out = Features { values: Vec::with_capacity(COUNT) };
    let focus = focus(document, readings);
    put_rules(&mut out, document, rules);
    put_shape(&mut out, document);
    put_questions(&mut out, document, readings);
    put_sentence(&mut out, document, focus);
    put_sentence(&mut out, document, document.sentences.len().checked_sub(1));
    put_focus(&mut out, document, focus);
    put_context(&mut out, context);
    debug_assert!(out.values.len() <= PLAIN, "{}", out.values.len());
    out.values.resize(PLAIN, 0);
    put_forms(&mut out, document, focus);
    out
}

/// The sentence most likely to ask: the last one that asks by the rules, or else the last question.
pub(super) fn focus(document: &Document<'_>, readings: &[Reading]) -> Option<usize> {
    let last = |asks: &dyn Fn(usize) -> bool| (0..readings.len()).rev().find(|&index| asks(index));
    last(&|index| readings[index].label == Asks::Reader)
        .or_else(|| last(&|index| readings[index].question))
        .or_else(|| last(&|index| document.sentences[index].forms.meets(FormSet::ASKING)))
}

fn put_rules(out: &mut Features, document: &Document<'_>, rules: &Classification) {
    out.flag(rules.label == Label::AwaitingResponse);
    out.flag(rules.label == Label::Incomplete);
    out.put(rules.kind as usize);
    out.put(match rules.ask {
        None => 0,
        Some(Ask::Offer) => 1,
        Some(Ask::Blocking) => 2,
    });
    out.flag(document.open_fence);
    out.flag(truncation::cut_off(document, true));
    out.flag(truncation::cut_off(document, false));
    out.flag(ending::gives_up(document));
    out.put(ending::replaced(document).map_or(0, |kind| kind as usize));
    out.put(ending::unfinished(document).map_or(0, |kind| kind as usize));
    out.flag(signals::has_options(document));
}

fn put_shape(out: &mut Features, document: &Document<'_>) {
    let lines = || document.lines.iter().filter(|line| line.role != Role::Blank);
    let count = |role: Role| lines().filter(|line| line.role == role).count();
    let sentences = &document.sentences;
    out.put(sentences.len());
    out.put(lines().count());
    out.put(sentences.iter().map(|sentence| sentence.normal.letters).sum());
    for role in
        [Role::Paragraph, Role::Heading, Role::Item, Role::Table, Role::Quote, Role::Code, Role::Letter]
    {
        out.put(count(role));
    }
    let marked = |wanted: Marker| {
        lines().filter(|line| matches!(line.marker, Some((marker, _)) if marker == wanted)).count()
    };
    for marker in
        [Marker::Bullet, Marker::Number, Marker::Letter, Marker::Word, Marker::OpenBox, Marker::DoneBox]
    {
        out.put(marked(marker));
    }
    let last = lines().next_back();
    out.put(last.map_or(0, |line| line.role as usize));
    out.flag(last.is_some_and(|line| line.bold));
    let ends: Vec<usize> = [End::Question, End::Stop, End::Dots, End::Colon, End::Comma, End::Open]
        .into_iter()
        .map(|end| sentences.iter().filter(|sentence| sentence.end == end).count())
        .collect();
    for end in ends {
        out.put(end);
    }
    let joined: usize = sentences.iter().filter(|sentence| !sentence.normal.joined.is_empty()).count();
    out.flag(joined * 2 > sentences.len());
    out.put(sentences.iter().filter(|sentence| sentence.has_mask).count());
    let tail = document.text.trim_end();
    out.put(tail.chars().next_back().map_or(0, |c| match c {
        '.' | '。' => 1,
        '?' | '\u{ff1f}' => 2,
        '!' | '\u{ff01}' => 3,
        ':' | '\u{ff1a}' => 4,
        '`' => 5,
        ')' | '\u{ff09}' => 6,
        '*' => 7,
        '|' => 8,
        c if c.is_alphanumeric() => 9,
        c if u32::from(c) > 0x2190 => 10,
        _ => 11,
    }));
}

fn put_questions(out: &mut Features, document: &Document<'_>, readings: &[Reading]) {
    let sentences = &document.sentences;
    let count = sentences.len();
    let all = |test: &dyn Fn(usize) -> bool| (0..count).filter(|&index| test(index)).count();
    let from_end = |test: &dyn Fn(usize) -> bool| (0..count).rev().position(test).map_or(99, |at| at.min(98));
    let from_start = |test: &dyn Fn(usize) -> bool| (0..count).position(test).map_or(99, |at| at.min(98));
    let reader = |index: usize| readings[index].label == Asks::Reader;
    let marked = |index: usize| sentences[index].end == End::Question;
    let signal = |index: usize| readings[index].signal == Asks::Reader;
    let empty = |index: usize| readings[index].label == Asks::Empty;
    out.put(all(&|index| reader(index) && marked(index)));
    out.put(all(&|index| reader(index) && !marked(index)));
    out.put(all(&signal));
    out.put(all(&empty));
    out.put(from_end(&|index| reader(index) && marked(index)));
    out.put(from_end(&|index| reader(index) && !marked(index)));
    out.put(from_end(&marked));
    out.put(from_end(&signal));
    out.put(from_end(&empty));
    out.put(from_start(&reader));
    out.put(from_start(&marked));
    out.put(all(&|index| reader(index) && sentences[index].role == Role::Item));
    out.put(all(&|index| marked(index) && sentences[index].role == Role::Heading));
    out.put(all(&|index| marked(index) && sentences[index].role == Role::Item));
    out.put(all(&|index| signals::asks_to_choose(&sentences[index])));
    out.put(from_end(&|index| ending::announces(&sentences[index])));
    out.put(all(&|index| ending::announces(&sentences[index])));
    out.put(from_end(&|index| sentences[index].forms.has(Form::Done)));
    out.put(from_start(&|index| sentences[index].forms.has(Form::Done)));
}

fn put_sentence(out: &mut Features, document: &Document<'_>, index: Option<usize>) {
    let Some((index, sentence)) = index.and_then(|index| Some((index, document.sentences.get(index)?)))
    else {
        for _ in 0..12 {
            out.values.push(-1);
        }
        return;
    };
    out.put(sentence.role as usize);
    out.put(sentence.end as usize);
    out.put(sentence.normal.words);
    out.put(sentence.normal.letters);
    out.flag(sentence.has_mask);
    out.flag(sentence.ends_masked);
    out.flag(sentence.opens_line);
    out.flag(sentence.closes_line);
    out.flag(document.lines[sentence.line].bold);
    let last_block = document.sentences.last().map_or(0, |last| last.block);
    out.put(last_block.saturating_sub(sentence.block));
    out.put(document.sentences.len() - 1 - index);
    out.flag(sentence.forms.has(Form::Alternative));
}

fn put_focus(out: &mut Features, document: &Document<'_>, focus: Option<usize>) {
    let Some(sentence) = focus.and_then(|index| document.sentences.get(index)) else {
        for _ in 0..6 {
            out.values.push(-1);
        }
        return;
    };
    let below = &document.lines[sentence.line + 1..];
    for role in [Role::Item, Role::Code, Role::Table, Role::Heading, Role::Paragraph] {
        out.put(below.iter().filter(|line| line.role == role).count());
    }
    out.flag(super::answered::is_undirected(sentence));
}

/// Adds the context; −1 where it is unknown.
fn put_context(out: &mut Features, context: &Context<'_>) {
    out.flag(context.end == Some(EndOfTurn::ByItself));
    for count in [context.edits, context.commands, context.commits, context.todos_open] {
        out.values.push(count.map_or(-1, |count| i16::try_from(count).unwrap_or(i16::MAX)));
    }
}

/// Adds how often each group of phrases occurs in each part of the text.
fn put_forms(out: &mut Features, document: &Document<'_>, focus: Option<usize>) {
    let sentences = &document.sentences;
    let count = sentences.len();
    let last_block = sentences.last().map_or(0, |last| last.block);
    let heading = focus
        .or(count.checked_sub(1))
        .and_then(|index| sentences[..index].iter().rposition(|sentence| sentence.role == Role::Heading));
    let closing = sentences.iter().rposition(|sentence| sentence.block != last_block).map_or(0, |at| at + 1);
    let parts: [&[Sentence]; PARTS] = [
        sentences,
        &sentences[count.saturating_sub(1)..],
        &sentences[closing.max(count.saturating_sub(12))..],
        &sentences[..count.min(1)],
        focus.map_or(&[], |index| &sentences[index..=index]),
        focus.map_or(&[], |index| &sentences[(index + 1).min(count)..(index + 2).min(count)]),
        heading.map_or(&[], |index| &sentences[index..=index]),
    ];
    for part in parts {
        let mut counts = [0_i16; FORMS];
        for sentence in part {
            sentence.forms.each(|form| {
                if let Some(count) = counts.get_mut(form) {
                    *count = count.saturating_add(1);
                }
            });
        }
        out.values.extend(counts);
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use serde_json::{Value, json};

    use super::*;
    use crate::judge::questions::{asking, label};

    const CORPORA: [(&str, &str); 7] = [
        ("dev", include_str!("../../../tests/corpus/dev.jsonl")),
        ("own", include_str!("../../../tests/corpus/own.jsonl")),
        ("fresh-a", include_str!("../../../tests/corpus/fresh-a.jsonl")),
        ("fresh-b", include_str!("../../../tests/corpus/fresh-b.jsonl")),
        ("fresh-c", include_str!("../../../tests/corpus/fresh-c.jsonl")),
        ("fresh-d", include_str!("../../../tests/corpus/fresh-d.jsonl")),
        ("variants", include_str!("../../../tests/corpus/variants.jsonl")),
    ];

    /// The rules' label, whether the numbers cannot change it, and the numbers.
    fn described(text: &str, context: &Context<'_>) -> (Label, bool, Vec<i16>) {
        let document = Document::read(text);
        let readings = asking::read(&document);
        let rules = label::decide(&document, &readings, context);
        let holds = label::holds(&document, &readings, &rules);
        (rules.label, holds, of(&document, &readings, &rules, context).values)
    }

    /// The context of a natural message, without its request.
    fn context(message: &Value) -> Context<'static> {
        let did = |name: &str| message["did"][name].as_u64().and_then(|count| u32::try_from(count).ok());
        Context {
            request: None,
            end: serde_json::from_value(message["end"].clone()).ok(),
            edits: did("edits"),
            commands: did("commands"),
            commits: did("commits"),
            todos_open: did("todos_open"),
        }
    }

    #[test]
    fn every_message_has_the_same_number_of_features() {
        for text in ["", "Done.", "Which one?\n\n- a\n- b", "テストは通りました。続けますか？"]
        {
            assert_eq!(described(text, &Context::default()).2.len(), COUNT, "{text}");
        }
    }

    /// Writes the input of `tests/corpus/train.py`.
    #[test]
    #[ignore = "a tool: it needs the natural messages, which are no part of the repository"]
    fn write_features() {
        let folder = std::env::var_os("CLOSEOUT_NATURAL").unwrap();
        let mut files: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
        files.retain(|path| path.file_stem() != Some("check".as_ref()));
        files.sort();
        let natural: String = files.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
        let mut out = String::new();
        let sets = CORPORA.into_iter().map(|(_, text)| ("made", text)).chain([("natural", natural.as_str())]);
        for (set, line) in sets.flat_map(|(set, text)| text.lines().map(move |line| (set, line))) {
            let message: Value = serde_json::from_str(line).unwrap();
            // A rule decides whether an answer is off topic, since that takes the request.
            if message["kind"] == "off_task" {
                continue;
            }
            let text = message["text"].as_str().unwrap();
            let (rules, holds, alone) = described(text, &Context::default());
            let (_, _, full) = described(text, &context(&message));
            let row = json!({
                "id": message["id"], "set": set, "group": message["group"], "label": message["label"],
                "ambiguous": message["ambiguous"] == true, "random": message["random"] == true,
                "end": message["end"], "rules": rules, "holds": holds, "text": alone, "full": full,
            });
            writeln!(out, "{row}").unwrap();
        }
        std::fs::write(std::env::var_os("CLOSEOUT_FEATURES").unwrap(), out).unwrap();
    }
}
