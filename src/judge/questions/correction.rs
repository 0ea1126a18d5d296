//! The learned correction: boosted trees over the numbers of [`super::features`], with whole numbers only, so that
//! the same text has the same label everywhere. `tests/corpus/train.py` writes the trees; the messages from which it
//! learns stand outside the repository. It knows no word of any text.

use super::features::{self, Features};
use super::judgement::Label;
use crate::model::Certainty;

/// The trees: a head, where each tree begins, and their nodes, all in little-endian numbers of 16 bits.
static TREES: &[u8] = include_bytes!("../../../assets/questions/trees.bin");

/// How many numbers stand before the beginnings of the trees.
const HEAD: usize = 14;
/// The feature of a node that is a leaf.
const LEAF: u16 = u16::MAX;
/// No tree is deeper.
const DEEPEST: usize = 64;
/// The labels in the order of their trees.
const LABELS: [Label; 3] = [Label::AwaitingResponse, Label::Complete, Label::Incomplete];

/// What the trees make of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Corrected {
    /// The label.
    pub(super) label: Label,
    /// How certain it is.
    pub(super) certainty: Certainty,
}

/// The label by the trees; none if they were made for other features.
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
    Some(Corrected { label: LABELS[best], certainty })
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

/// The number of 16 bits at a place.
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
