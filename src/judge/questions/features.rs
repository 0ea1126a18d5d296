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
use super::{ask_model, ending, signals, truncation};

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
    asks: &[i64],
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
    put_asks(&mut out, asks);
    debug_assert!(out.values.len() <= PLAIN, "{}", out.values.len());
    out.values.resize(PLAIN, 0);
    put_forms(&mut out, document, focus);
    out
}

/// The sentence most likely to ask: the last one that asks by the rules, or else the last question.
fn focus(document: &Document<'_>, readings: &[Reading]) -> Option<usize> {
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

/// Adds what was learned of the sentences one by one (`ask_model`): the two highest scores, how far from the end the highest
/// is, and the score of the last sentence.
fn put_asks(out: &mut Features, asks: &[i64]) {
    let most = ask_model::most(asks);
    let second = (0..asks.len()).filter(|&at| Some(at) != most).map(|at| asks[at]).max();
    let score = |score: Option<i64>| score.map_or(i16::MIN, |score| i16::try_from(score).unwrap_or(i16::MAX));
    out.values.push(score(most.map(|at| asks[at])));
    out.values.push(score(second));
    out.put(most.map_or(0, |at| asks.len() - 1 - at));
    out.values.push(score(asks.last().copied()));
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
    use std::fs;
    use std::ops::Range;
    use std::path::Path;

    use serde_json::{Value, json};

    use super::*;
    use crate::judge::questions::training::{files, folder, stem, unmarked, worlds};
    use crate::judge::questions::{asking, label};

    /// The corpora that the trees learn from.
    const CORPORA: [&str; 7] = ["dev", "own", "fresh-a", "fresh-b", "fresh-c", "fresh-d", "variants"];

    /// What the trainer has to know of a text: the rules' label, whether the numbers cannot change it, the numbers, and of each
    /// sentence the features and whether the rules read that it asks. Whether it does is left open.
    fn described(text: &str, context: &Context<'_>) -> (Value, Vec<Range<usize>>) {
        let document = Document::read(text);
        let readings = asking::read(&document);
        let rules = label::decide(&document, &readings, context);
        let asks = ask_model::scores(&document, &readings);
        let numbers = of(&document, &readings, &asks, &rules, context).values;
        assert_eq!(numbers.len(), COUNT, "{text}");
        let reads = readings.iter().map(|reading| reading.label == Asks::Reader);
        let sentences: Vec<Value> = ask_model::features_of_all(&document, &readings)
            .zip(reads)
            .map(|(features, reads)| json!({"features": features, "reads": reads, "asks": null}))
            .collect();
        let holds = label::holds(&document, &readings, &rules);
        let row = json!({"rules": rules.label, "holds": holds, "numbers": numbers, "sentences": sentences});
        (row, document.sentences.iter().map(|sentence| sentence.range.clone()).collect())
    }

    /// As [`described`], with the sentences in these places marked as what asks, where that is known.
    fn marked(text: &str, context: &Context<'_>, asking: Option<&[Range<usize>]>) -> Value {
        let (mut row, places) = described(text, context);
        for (sentence, place) in row["sentences"].as_array_mut().unwrap().iter_mut().zip(places) {
            let asks =
                asking.map(|asking| asking.iter().any(|it| it.start < place.end && place.start < it.end));
            sentence["asks"] = json!(asks);
        }
        row
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
            described(text, &Context::default());
        }
    }

    /// The messages of a file of JSON lines.
    fn of_lines(path: &Path, set: &str) -> Vec<Value> {
        let text = fs::read_to_string(path).unwrap();
        let messages = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        // A rule decides whether an answer is off topic, since that takes the request.
        let messages = messages.filter(|message| message["kind"] != "off_task");
        let described = messages.map(|message| {
            let text = message["text"].as_str().unwrap();
            let at =
                message["asks"].as_str().filter(|asks| !asks.is_empty()).and_then(|asks| text.find(asks));
            let place = at.map(|at| at..at + 1);
            let asking: Option<&[Range<usize>]> = match &message["label"] {
                label if label != "AWAITING_RESPONSE" => Some(&[]),
                _ => place.as_ref().map(std::slice::from_ref),
            };
            let mut row = marked(text, &Context::default(), asking);
            row["full"] = described(text, &context(&message)).0["numbers"].clone();
            for name in ["id", "group", "label", "ambiguous", "random", "end"] {
                row[name] = message[name].clone();
            }
            row["set"] = json!(set);
            row
        });
        described.collect()
    }

    /// Last words of finished work.
    fn of_world(words: &str) -> Value {
        let mut row = marked(words, &Context::default(), Some(&[]));
        row["full"] = row["numbers"].clone();
        for (field, value) in [("set", "worlds"), ("id", words), ("label", "COMPLETE")] {
            row[field] = json!(value);
        }
        row
    }

    /// The messages of a file of `tests/corpus/asks`.
    fn of_marked(path: &Path) -> Vec<Value> {
        let (name, text) = (stem(path), fs::read_to_string(path).unwrap());
        let messages = text.strip_prefix("@@ ").unwrap().split("\n@@ ").enumerate().map(|(n, message)| {
            let (head, message) = message.split_once('\n').unwrap();
            let [_, label, kind] = head.split(' ').collect::<Vec<_>>()[..] else { panic!("{name}: {head}") };
            let message = message.strip_prefix("> ").map_or(message, |it| it.split_once('\n').unwrap().1);
            let (text, marks) = unmarked(message.trim_end());
            let label = match label {
                "A" => "AWAITING_RESPONSE",
                "C" => "COMPLETE",
                "I" => "INCOMPLETE",
                _ => panic!("{name}: {head}"),
            };
            let asking = if label == "AWAITING_RESPONSE" { &marks[..] } else { &[] };
            let mut row = marked(&text, &Context::default(), Some(asking));
            row["full"] = row["numbers"].clone();
            let id = format!("{name}-{n} {kind}");
            for (field, value) in [("id", &id), ("group", &name), ("label", &label.to_owned())] {
                row[field] = json!(value);
            }
            row["set"] = json!(if name.starts_with("unseen") { "unseen" } else { "marked" });
            row
        });
        messages.collect()
    }

    /// Writes the input of `tests/corpus/train.py`.
    #[test]
    #[ignore = "a tool: it needs natural messages, which are no part of the repository"]
    fn write_features() {
        let corpus = folder("tests/corpus");
        let natural = files(Path::new(&std::env::var_os("CLOSEOUT_NATURAL").unwrap()), "jsonl");
        let made = CORPORA.iter().map(|name| of_lines(&corpus.join(name).with_extension("jsonl"), "made"));
        let natural = natural.iter().filter(|path| stem(path) != "check").map(|path| {
            let set = if stem(path) == "fit" { "read" } else { "unread" };
            of_lines(path, set)
        });
        let marked = files(&corpus.join("asks"), "txt");
        let worlds = [worlds().iter().map(|words| of_world(words)).collect()];
        let made = made.chain(worlds);
        let mut out = String::new();
        for row in made.chain(natural).chain(marked.iter().map(|path| of_marked(path))).flatten() {
            writeln!(out, "{row}").unwrap();
        }
        fs::write(std::env::var_os("CLOSEOUT_FEATURES").unwrap(), out).unwrap();
    }
}
