//! A learned reading of each sentence of a message: how likely it is what the turn waits for. A linear model over its words, its
//! place and what the rules read in it, in whole numbers; `tests/corpus/train.py` writes the weights. Must not know any
//! words, and decides nothing: the trees weigh its scores.

use super::document::Document;
use super::forms::FormSet;
use super::lines::Role;
use super::reading::{Asks, Reading};
use super::sentence::{End, Sentence};
use crate::judge::linear_model::LinearModel;
use crate::judge::sentence_features::{Kind, feature, features_of, tokens};

/// The model. Its head is empty: scores are only compared.
static MODEL: LinearModel = LinearModel(include_bytes!("../../../assets/questions/asks.bin"));

/// Where the trees see an ask that the first ones do not, five in six with such a sentence are one in cross-validation, and
/// fewer than two in three of the others.
const CLEAR: i64 = 128;

/// The scores of all sentences, in order; the higher, the likelier the sentence asks.
pub(super) fn scores(document: &Document<'_>, readings: &[Reading]) -> Vec<i64> {
    features_of_all(document, readings).map(|features| root(MODEL.score(&features).squared())).collect()
}

/// The features of all sentences, in order.
pub(super) fn features_of_all<'d>(
    document: &'d Document<'_>,
    readings: &'d [Reading],
) -> impl Iterator<Item = Vec<u32>> + 'd {
    let whole = Whole::of(document, readings);
    (0..readings.len()).map(move |at| whole.features(at))
}

/// The place of the highest score, the last one of several.
pub(super) fn most(scores: &[i64]) -> Option<usize> {
    (0..scores.len()).max_by_key(|&at| scores[at])
}

/// The place of the sentence that asks if any does, where its own score says so clearly.
pub(super) fn likeliest(scores: &[i64]) -> Option<usize> {
    most(scores).filter(|&at| scores[at] >= CLEAR)
}

/// The root of a score's size, with its sign.
fn root(score: i64) -> i64 {
    score.signum() * score.abs().isqrt()
}

/// A message, and how many of its sentences ask.
struct Whole<'d> {
    document: &'d Document<'d>,
    readings: &'d [Reading],
    n_asking: usize,
    n_marked: usize,
    /// The last line that is an item of a list.
    last_item: Option<usize>,
}

impl<'d> Whole<'d> {
    fn of(document: &'d Document<'_>, readings: &'d [Reading]) -> Self {
        let n_asking = readings.iter().filter(|reading| reading.label == Asks::Reader).count();
        let n_marked = document.sentences.iter().filter(|sentence| sentence.end == End::Question).count();
        let last_item = document.lines.iter().rposition(|line| line.role == Role::Item);
        Self { document, readings, n_asking, n_marked, last_item }
    }

    /// The features of the sentence at a place, each once, in order.
    fn features(&self, at: usize) -> Vec<u32> {
        let sentence = &self.document.sentences[at];
        let mut found = features_of(&tokens(self.document.words(sentence)));
        self.add_place(at, sentence, &mut found);
        self.add_rules(at, sentence, &mut found);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Adds where the sentence stands and how it looks.
    fn add_place(&self, at: usize, sentence: &Sentence, found: &mut Vec<u32>) {
        let sentences = &self.document.sentences;
        let last_block = sentences.last().map_or(0, |last| last.block);
        let (role, end) = (sentence.role as u32, sentence.end as u32);
        let from_end = bucket(sentences.len() - 1 - at);
        let blocks_behind = bucket(last_block.saturating_sub(sentence.block));
        let facts = [
            role,
            end,
            from_end,
            bucket(at),
            blocks_behind,
            bucket(sentences.len()),
            pair(sentence.opens_line, sentence.closes_line),
            u32::from(self.document.lines[sentence.line].bold),
            pair(sentence.has_mask, sentence.ends_masked),
            bucket(sentence.normal.words),
            u32::from(self.last_item.is_some_and(|last| last > sentence.line)),
        ];
        found.extend((0..).zip(facts).map(|(n, fact)| feature(Kind::Place, &[n, fact])));
        let together = [[end, from_end], [role, end], [end, blocks_behind]];
        found.extend((100..).zip(together).map(|(n, [one, other])| feature(Kind::Place, &[n, one, other])));
    }

    /// Adds what the rules read in the sentence and in those beside it.
    fn add_rules(&self, at: usize, sentence: &Sentence, found: &mut Vec<u32>) {
        let reading = self.readings[at];
        let from_end = bucket(self.readings.len() - 1 - at);
        let n_others = |all: usize, is_one: bool| bucket(all - usize::from(is_one));
        let facts = [
            reading.label as u32 * 2 + u32::from(reading.question),
            reading.label as u32 * 16 + from_end,
            reading.signal as u32,
            n_others(self.n_asking, reading.label == Asks::Reader),
            n_others(self.n_marked, sentence.end == End::Question),
        ];
        found.extend((0..).zip(facts).map(|(n, fact)| feature(Kind::Rule, &[n, fact])));
        let mut add_forms = |n: u32, forms: FormSet| {
            forms.each(|form| found.push(feature(Kind::Rule, &[n, u32::try_from(form).unwrap_or(u32::MAX)])));
        };
        add_forms(100, sentence.forms);
        let before = at.checked_sub(1).and_then(|before| self.document.sentences.get(before));
        let after = self.document.sentences.get(at + 1);
        for (n, beside) in [(101, before), (102, after)] {
            add_forms(n, beside.map_or(FormSet::EMPTY, |beside| beside.forms));
        }
    }
}

fn pair(one: bool, other: bool) -> u32 {
    u32::from(one) * 2 + u32::from(other)
}

/// A number as one of eight sizes.
fn bucket(number: usize) -> u32 {
    match number {
        0 => 0,
        1 => 1,
        2 => 2,
        3 => 3,
        4..=6 => 4,
        7..=12 => 5,
        13..=25 => 6,
        _ => 7,
    }
}
