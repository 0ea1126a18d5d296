//! The phrases of one language as one network of nodes, between which signs lead: words, or characters where words
//! are not separated. It is built from the language file when the program is built (`building`), and only read
//! here; `walk` finds the phrases in sentences.
//!
//! A word is known by its hash: nothing worse than a phrase found in vain can come of two words with one.

use super::forms::FormSet;
use super::patterns::Patterns;

/// The node at which every phrase may begin at every sign.
pub(super) const ROOT: u32 = 0;
/// The node at which a phrase begins that stands first in the sentence.
pub(super) const BEGIN: u32 = 1;
/// The place of no node.
pub(super) const NONE: u32 = u32::MAX;

/// A point between two signs of a phrase.
#[derive(Clone, Copy)]
pub(super) struct Node {
    /// A bit for each sign that leads on, by its hash.
    pub(super) leads_on: u64,
    /// The signs that lead on and where, in `signs` and `targets` of the [`Network`]: from the first to before the last.
    edges: (u32, u32),
    /// The groups whose phrase ends here.
    pub(super) found: FormSet,
    /// The groups whose phrase ends here if the sentence does.
    pub(super) found_at_end: FormSet,
    /// Where any sign leads.
    pub(super) any: u32,
    /// The nodes that are reached with this one, in [`Network::joins`]: from the first to before the last.
    pub(super) joins: (u32, u32),
    /// Whether it stays reached to the end of the sentence.
    pub(super) is_gap: bool,
    /// The group of the phrase that a gap is in.
    pub(super) group: FormSet,
    /// Whether the pattern of a word leads on.
    pub(super) has_patterns: bool,
}

/// The phrases of one language.
#[derive(Default)]
pub(super) struct Network {
    /// By their numbers.
    pub(super) nodes: Vec<Node>,
    /// Nodes reached together with others, and a bit for each sign that leads on from there; all bits
    /// where reaching the node matters by itself.
    pub(super) joins: Vec<(u32, u64)>,
    /// The signs that lead on, those of each node in order.
    signs: Vec<u64>,
    /// Where each of `signs` leads.
    targets: Vec<u32>,
    /// The patterns of words.
    pub(super) patterns: Patterns,
}

/// The hash of a word.
pub(super) fn word_hash(word: &[u8]) -> u64 {
    spread(word.iter().fold(START, |hash, &byte| take(hash, byte)))
}

/// The hash of a word of which no byte was taken.
pub(super) const START: u64 = 0xcbf2_9ce4_8422_2325;

/// The hash with one more byte, before it is spread.
pub(super) fn take(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}

/// Spreads a hash over all bits.
pub(super) fn spread(hash: u64) -> u64 {
    let mixed = (hash ^ (hash >> 32)).wrapping_mul(0x9fb2_1c65_1e98_df25);
    mixed ^ (mixed >> 28)
}

/// The hash of a character.
pub(super) fn character_hash(c: char) -> u64 {
    spread(u64::from(u32::from(c)).wrapping_add(START).wrapping_mul(0x0100_0000_01b3))
}

/// The bit for a sign in the sets of signs of a node.
pub(super) fn bit(sign: u64) -> u64 {
    1 << (sign >> 58)
}

impl Network {
    /// Where the sign leads from the node.
    pub(super) fn lead(&self, from: &Node, sign: u64) -> Option<u32> {
        let (first, end) = (from.edges.0 as usize, from.edges.1 as usize);
        let at = self.signs[first..end].binary_search(&sign).ok()?;
        Some(self.targets[first + at])
    }

    /// Reads what `building` wrote.
    pub(super) fn read(bytes: &[u8]) -> Network {
        let mut bytes = Bytes(bytes);
        let mut network = Network::default();
        let alphabet: Vec<u64> = (0..bytes.number()).map(|_| bytes.word()).collect();
        for _ in 0..bytes.number() {
            let length = bytes.number() as usize;
            let (pattern, rest) = bytes.0.split_at(length.min(bytes.0.len()));
            bytes.0 = rest;
            network.patterns.add(pattern, word_hash(pattern));
        }
        for _ in 0..bytes.number() {
            let to = bytes.number();
            let matters = if to & 1 == 1 { u64::MAX } else { bytes.word() };
            network.joins.push((to >> 1, matters));
        }
        let n_nodes = bytes.number() as usize;
        network.nodes.reserve_exact(n_nodes);
        let mut n_joins = 0;
        for _ in 0..n_nodes {
            let node = network.read_node(&mut bytes, &alphabet, &mut n_joins);
            network.nodes.push(node);
        }
        network
    }

    fn read_node(&mut self, bytes: &mut Bytes<'_>, alphabet: &[u64], n_joins: &mut u32) -> Node {
        let has = bytes.number();
        let mut set =
            |flag: u32| if has & flag == 0 { FormSet::EMPTY } else { FormSet::from_bits(bytes.long()) };
        let (found, found_at_end, group) = (set(HAS_FOUND), set(HAS_FOUND_AT_END), set(HAS_GROUP));
        let any = if has & HAS_ANY == 0 { NONE } else { bytes.number() };
        let first_join = *n_joins;
        *n_joins += if has & HAS_JOINS == 0 { 0 } else { bytes.number() };
        let first_edge = u32::try_from(self.signs.len()).unwrap_or(NONE);
        let (mut leads_on, mut letter) = (0, 0);
        for _ in 0..(has >> N_EDGES_AT) {
            letter += bytes.number() as usize;
            let sign = alphabet.get(letter).copied().unwrap_or_default();
            leads_on |= bit(sign);
            self.signs.push(sign);
            self.targets.push(bytes.number());
        }
        Node {
            leads_on,
            edges: (first_edge, u32::try_from(self.signs.len()).unwrap_or(NONE)),
            found,
            found_at_end,
            any,
            joins: (first_join, *n_joins),
            is_gap: has & IS_GAP != 0,
            group,
            has_patterns: has & HAS_PATTERNS != 0,
        }
    }
}

/// What a node has, as it is written: the flags, and above them the number of its edges.
pub(super) const HAS_FOUND: u32 = 1;
pub(super) const HAS_FOUND_AT_END: u32 = 2;
pub(super) const HAS_GROUP: u32 = 4;
pub(super) const HAS_ANY: u32 = 8;
pub(super) const HAS_JOINS: u32 = 16;
pub(super) const IS_GAP: u32 = 32;
pub(super) const HAS_PATTERNS: u32 = 64;
/// How far the number of edges stands above the flags, in bits.
pub(super) const N_EDGES_AT: u32 = 7;

/// What is left to read. Behind the end there are only zeros.
struct Bytes<'b>(&'b [u8]);

impl Bytes<'_> {
    /// A number in groups of seven bits, the lowest first.
    fn long(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        while let Some((&byte, rest)) = self.0.split_first() {
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 || shift > 63 {
                break;
            }
        }
        number
    }

    fn number(&mut self) -> u32 {
        u32::try_from(self.long()).unwrap_or_default()
    }

    /// Eight bytes, the lowest first.
    fn word(&mut self) -> u64 {
        let Some((word, rest)) = self.0.split_first_chunk() else { return 0 };
        self.0 = rest;
        u64::from_le_bytes(*word)
    }
}
