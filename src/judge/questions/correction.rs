//! The learned correction: boosted trees over the numbers of [`super::features`]. It uses only integers, so
//! that the same text has the same label everywhere. `tests/corpus/train.py` writes the trees; the messages it
//! learns from are not in the repository. Must not know any words.

use super::features::{self, Features};
use super::judgement::Label;
use crate::model::Certainty;

/// The trees: a head, the position of each tree, and their nodes, all as little-endian 16-bit numbers.
static TREES: &[u8] = include_bytes!("../../../assets/questions/trees.bin");

/// How many numbers precede the positions of the trees.
const HEAD: usize = 14;
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

/// The trees' label; `None` if they were made for other features.
pub(super) fn correct(features: &Features) -> Option<Corrected> {
    let made_for = usize::from(number(0)?) == features::COUNT;
    if !made_for {
        return None;
    }
    let scores = scores(features)?;
    let best = (0..LABELS.len()).max_by_key(|&label| scores[label])?;
    let second = (0..LABELS.len()).filter(|&label| label != best).map(|label| scores[label]).max()?;
    let margin = scores[best] - second;
    let bound = |place: usize| Some(i32::from(signed(place)?));
    let certainty = if margin >= bound(5 + best)? {
        Certainty::High
    } else if margin >= bound(8 + best)? {
        Certainty::Medium
    } else {
        Certainty::Low
    };
    Some(Corrected { label: LABELS[best], certainty, margin })
}

/// The sums of the leaves for each label.
fn scores(features: &Features) -> Option<[i32; 3]> {
    let trees = usize::from(number(1)?);
    let mut scores = [0_i32; 3];
    for (label, score) in scores.iter_mut().enumerate() {
        *score = i32::from(signed(2 + label)?);
    }
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
    }
    Some(scores)
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
