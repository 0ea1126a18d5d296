//! The learned correction: boosted trees over the numbers of [`super::features`]. It uses only integers, so
//! that the same text has the same label everywhere. `tests/corpus/train.py` writes the trees; the messages it
//! learns from are not in the repository. Must not know any words.

use super::features::{self, Features};
use super::judgement::Label;
use crate::model::Certainty;

/// The trees: a head, the position of each tree, and their nodes, all as little-endian 16-bit numbers.
static TREES: &[u8] = include_bytes!("../../../assets/questions/trees.bin");

/// How many numbers precede the positions of the trees: those below, behind the numbers of features and of trees.
const HEAD: usize = 14;
/// The place of the number of trees that judge first.
const N_FIRST: usize = 2;
/// The place of the margin by which all trees have to lead the first ones' label to change it.
const LEAD: usize = 3;
/// The places of the margins from which each label is of high and of medium certainty.
const HIGH: usize = 5;
const MEDIUM: usize = 8;
/// Such a margin is that of the first trees, and so many times that of all trees: together they tell right asks and finished
/// work from wrong ones better than either does. That something is unfinished, the first trees alone say.
const ALL_WEIGH: i32 = 2;
/// The feature of a leaf node.
const LEAF: u16 = u16::MAX;
/// The greatest depth of a tree.
const DEEPEST: usize = 64;
/// The labels in the order of their trees.
const LABELS: [Label; 3] = [Label::AwaitingResponse, Label::Complete, Label::Incomplete];

/// The trees' result for a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Corrected {
    /// The label.
    pub(super) label: Label,
    /// How certain it is.
    pub(super) certainty: Certainty,
    /// By how much it leads the next one.
    pub(super) margin: i32,
}

/// From this margin on, a label is e times as likely as the next one.
pub(super) const SURE: i32 = 256;

/// The trees' label; `None` if they were made for other features. The first trees have learned from the most real messages.
/// All of them, which know more unusual ones too, have the last word where they lead the first ones' label clearly.
pub(super) fn correct(features: &Features) -> Option<Corrected> {
    let made_for = usize::from(number(0)?) == features::COUNT;
    if !made_for {
        return None;
    }
    let (first, all) = scores(features)?;
    let (label, other) = (best(first)?, best(all)?);
    // What was learned later tells asks from what looks like one, and says nothing of unfinished work.
    let is_contested = other != label && [label, other].iter().all(|&it| LABELS[it] != Label::Incomplete);
    if is_contested && all[other] - all[label] >= i32::from(signed(LEAD)?) {
        let margin = lead(all, other);
        return Some(Corrected { label: LABELS[other], certainty: Certainty::Medium, margin });
    }
    let margin = lead(first, label);
    let is_unfinished = LABELS[label] == Label::Incomplete;
    let together = if is_unfinished { margin } else { margin + ALL_WEIGH * lead(all, label) };
    let bound = |place: usize| Some(i32::from(signed(place + label)?));
    let certainty = if together >= bound(HIGH)? {
        Certainty::High
    } else if together >= bound(MEDIUM)? {
        Certainty::Medium
    } else {
        Certainty::Low
    };
    Some(Corrected { label: LABELS[label], certainty, margin })
}

/// The label with the highest score.
fn best(scores: [i32; 3]) -> Option<usize> {
    (0..LABELS.len()).max_by_key(|&label| scores[label])
}

/// By how much the score of a label leads that of the next one; below zero if another leads it.
fn lead(scores: [i32; 3], label: usize) -> i32 {
    let others = (0..LABELS.len()).filter(|&other| other != label).map(|other| scores[other]);
    others.fold(i32::MAX, |least, other| least.min(scores[label] - other))
}

/// The sums of the leaves for each label: of the first trees alone, and of all.
fn scores(features: &Features) -> Option<([i32; 3], [i32; 3])> {
    let trees = usize::from(number(1)?);
    let n_first = usize::from(number(N_FIRST)?);
    let (mut first, mut scores) = ([0_i32; 3], [0_i32; 3]);
    let nodes = HEAD + trees;
    for tree in 0..trees {
        let mut node = usize::from(number(HEAD + tree)?);
        for _ in 0..DEEPEST {
            let place = nodes + node * 3;
            let (feature, value) = (number(place)?, signed(place + 1)?);
            if feature == LEAF {
                scores[tree % LABELS.len()] += i32::from(value);
                break;
            }
            let goes_left = *features.values().get(usize::from(feature))? <= value;
            node = if goes_left { node + 1 } else { usize::from(number(place + 2)?) };
        }
        if tree + 1 == n_first {
            first = scores;
        }
    }
    Some((first, scores))
}

/// The 16-bit number at a position.
fn number(place: usize) -> Option<u16> {
    let bytes = TREES.get(place * 2..place * 2 + 2)?;
    Some(u16::from_le_bytes([bytes[0], bytes[1]]))
}

fn signed(place: usize) -> Option<i16> {
    number(place).map(u16::cast_signed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trees_were_made_for_these_features_and_are_small() {
        assert_eq!(number(0).map(usize::from), Some(features::COUNT));
        assert!(TREES.len() < 100_000);
    }
}
