//! The phrases of one language as a network of nodes connected by signs: words, or characters in languages that
//! do not separate words. `building` creates it from the language file when the program is built, and `walk`
//! finds the phrases in sentences. Must only be read here.
//!
//! A word is known by its hash. The worst that two words with the same hash can cause
//! is a phrase found by mistake.

use super::forms::FormSet;
use super::patterns::Patterns;

/// The node at which any phrase may begin, at any sign.
pub(super) const ROOT: u32 = 0;
/// The node at which phrases begin that must open the sentence.
pub(super) const BEGIN: u32 = 1;
/// No node.
pub(super) const NONE: u32 = u32::MAX;

/// A position between two signs of a phrase.
#[derive(Clone, Copy)]
pub(super) struct Node {
    /// The signs that lead on, one bit each, by hash.
    pub(super) leads_on: u64,
    /// The range of its signs and their targets in the [`Network`]'s `signs` and `targets`, end exclusive.
    edges: (u32, u32),
    /// The groups that have a phrase ending here.
    pub(super) found: FormSet,
    /// The groups that have a phrase ending here if the sentence ends here too.
    pub(super) found_at_end: FormSet,
    /// The node to which any sign leads.
    pub(super) any: u32,
    /// The range of nodes reached together with this one in [`Network::joins`], end exclusive.
    pub(super) joins: (u32, u32),
    /// Whether it stays reached until the end of the sentence.
    pub(super) is_gap: bool,
    /// The group of the phrase that contains the gap.
    pub(super) group: FormSet,
    /// Whether a word pattern leads on.
    pub(super) has_patterns: bool,
}

/// The phrases of one language.
#[derive(Default)]
pub(super) struct Network {
    /// The nodes, by number.
    pub(super) nodes: Vec<Node>,
    /// Nodes reached together with others, each with the bits of the signs that lead on from it; all bits if
    /// reaching the node matters by itself.
    pub(super) joins: Vec<(u32, u64)>,
    /// The signs that lead on, sorted within each node.
    signs: Vec<u64>,
    /// The node to which each of `signs` leads.
    targets: Vec<u32>,
    /// The word patterns.
    pub(super) patterns: Patterns,
    /// Each sign that leads on from any node, and where it leads from [`ROOT`] or [`NONE`], at a place
    /// that its hash determines, or at the next free one.
    alphabet: Vec<(u64, u32)>,
}

/// The hash of a word.
pub(super) fn word_hash(word: &[u8]) -> u64 {
    spread(word.iter().fold(START, |hash, &byte| take(hash, byte)))
}

/// The hash before any byte was added.
pub(super) const START: u64 = 0xcbf2_9ce4_8422_2325;

/// Adds a byte to a hash that is not yet spread.
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

/// The bit of a sign in a node's sets of signs.
pub(super) fn bit(sign: u64) -> u64 {
    1 << (sign >> 58)
}

impl Network {
    /// Where the sign leads from [`ROOT`], or [`NONE`]; `None` if it leads on from no node at all.
    pub(super) fn lead_from_root(&self, sign: u64) -> Option<u32> {
        let (known, to) = *self.alphabet.get(self.place(sign)?)?;
        (known == sign && sign != 0).then_some(to)
    }

    /// The place of a sign in the alphabet, or the free one where it would be.
    fn place(&self, sign: u64) -> Option<usize> {
        let last = self.alphabet.len().checked_sub(1)?;
        let mut at = usize::try_from(sign & last as u64).unwrap_or(0);
        // Half of the places are free, and their number is a power of two.
        while self.alphabet[at].0 != 0 && self.alphabet[at].0 != sign {
            at = (at + 1) & last;
        }
        Some(at)
    }

    /// Sets up the alphabet, at most half full.
    fn set_alphabet(&mut self, signs: &[u64]) {
        self.alphabet = vec![(0, NONE); (signs.len() * 2).next_power_of_two()];
        for &sign in signs {
            let to = self.nodes.first().and_then(|root| self.lead(root, sign)).unwrap_or(NONE);
            if let Some(at) = self.place(sign) {
                self.alphabet[at] = (sign, to);
            }
        }
    }

    /// The node to which the sign leads from `from`.
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
        network.set_alphabet(&alphabet);
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

/// What a node has, as written: these flags, and above them the number of its edges.
pub(super) const HAS_FOUND: u32 = 1;
pub(super) const HAS_FOUND_AT_END: u32 = 2;
pub(super) const HAS_GROUP: u32 = 4;
pub(super) const HAS_ANY: u32 = 8;
pub(super) const HAS_JOINS: u32 = 16;
pub(super) const IS_GAP: u32 = 32;
pub(super) const HAS_PATTERNS: u32 = 64;
/// The bit at which the number of edges begins, above the flags.
pub(super) const N_EDGES_AT: u32 = 7;

/// The bytes left to read, followed by endless zeros.
struct Bytes<'b>(&'b [u8]);

impl Bytes<'_> {
    /// Reads a number in groups of seven bits, lowest first.
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

    /// Reads eight bytes, lowest first.
    fn word(&mut self) -> u64 {
        let Some((word, rest)) = self.0.split_first_chunk() else { return 0 };
        self.0 = rest;
        u64::from_le_bytes(*word)
    }
}
