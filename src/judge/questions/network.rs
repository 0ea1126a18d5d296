//! The phrases of one language as a network of nodes connected by signs: words, or characters in languages that
//! do not separate words. `building` makes it from the language file when the program is built, and `walk`
//! finds the phrases in sentences. Must only be read here, where it lies: nothing is unpacked or allocated.
//!
//! A word is known by its hash. The worst that two words with the same hash can cause
//! is a phrase found by mistake.

use super::forms::FormSet;
use super::patterns::{Patterns, records};

/// The node at which any phrase may begin, at any sign.
pub(super) const ROOT: u32 = 0;
/// The node at which phrases begin that must open the sentence.
pub(super) const BEGIN: u32 = 1;
/// No node, and no place.
pub(super) const NONE: u32 = 0xffff;

/// A position between two signs of a phrase.
pub(super) struct Node {
    /// The signs that lead on, one bit each, by hash.
    pub(super) leads_on: u64,
    /// The range of its [`Network::edges`], end exclusive.
    edges: (u32, u32),
    /// The groups that have a phrase ending here, as a place in [`Network::sets`].
    found: u32,
    /// The groups that have a phrase ending here if the sentence ends here too.
    found_at_end: u32,
    /// The group of the phrase that contains the gap.
    group: u32,
    /// The node to which any sign leads, or [`NONE`].
    pub(super) any: u32,
    /// The range of nodes reached together with this one in [`Network::joins`], end exclusive.
    joins: (u32, u32),
    /// Whether it stays reached until the end of the sentence.
    pub(super) is_gap: bool,
    /// Whether a word pattern leads on.
    pub(super) has_patterns: bool,
}

/// How many numbers the header has: of places, letters, nodes, edges, joins, sets, entries in
/// lists of patterns, patterns.
pub(super) const N_COUNTS: usize = 8;
/// The bytes of a node: the signs that lead on, six places, and its flags.
const NODE: usize = 8 + 6 * 2 + 2;
/// Flags of a node.
pub(super) const IS_GAP: u32 = 1;
pub(super) const HAS_PATTERNS: u32 = 2;

/// The phrases of one language, as `building` wrote them: all numbers little-endian, all places 16 bits.
///
/// A letter is the number of a sign that leads on from any node.
pub(super) struct Network<'b> {
    /// By the hash of a sign, or at the next free place: its letter and one more, or 0.
    places: &'b [[u8; 2]],
    /// The hash of each letter.
    signs: &'b [[u8; 8]],
    /// Where each letter leads from [`ROOT`], or [`NONE`].
    roots: &'b [[u8; 2]],
    /// The nodes, by number, and one more where the last one's edges and joins end.
    nodes: &'b [[u8; NODE]],
    /// Letters that lead on, sorted within each node, each with its target.
    edges: &'b [[u8; 4]],
    /// Nodes reached together with others, each with the bits of the signs that lead on from it; all bits if
    /// reaching the node matters by itself.
    joins: &'b [[u8; 10]],
    /// The sets of groups that nodes name.
    sets: &'b [[u8; 16]],
    /// The word patterns.
    pub(super) patterns: Patterns<'b>,
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

/// The number at place `at` of a record.
const fn number(record: &[u8], at: usize) -> u32 {
    u16::from_le_bytes([record[at], record[at + 1]]) as u32
}

/// Eight bytes of a record as a number.
fn word(record: &[u8], at: usize) -> u64 {
    record[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

impl<'b> Network<'b> {
    /// The network in the bytes that `building` wrote.
    pub(super) const fn read(bytes: &'b [u8]) -> Network<'b> {
        let (header, bytes) = records::<4>(bytes, N_COUNTS);
        let mut counts = [0; N_COUNTS];
        let mut at = 0;
        while at < header.len() {
            counts[at] = u32::from_le_bytes(header[at]) as usize;
            at += 1;
        }
        let [n_places, n_letters, n_nodes, n_edges, n_joins, n_sets, n_listed, n_patterns] = counts;
        let (places, bytes) = records(bytes, n_places);
        let (signs, bytes) = records(bytes, n_letters);
        let (roots, bytes) = records(bytes, n_letters);
        let (nodes, bytes) = records(bytes, n_nodes + 1);
        let (edges, bytes) = records(bytes, n_edges);
        let (joins, bytes) = records(bytes, n_joins);
        let (sets, bytes) = records(bytes, n_sets);
        let patterns = Patterns::read(bytes, n_listed, n_patterns);
        Network { places, signs, roots, nodes, edges, joins, sets, patterns }
    }

    /// How many nodes there are.
    pub(super) fn n_nodes(&self) -> usize {
        self.nodes.len().saturating_sub(1)
    }

    /// The letter of a sign, and where it leads from [`ROOT`] or [`NONE`]; `None` if it leads on from no node at all.
    pub(super) fn letter(&self, sign: u64) -> Option<(u32, u32)> {
        let last = self.places.len().checked_sub(1)?;
        let mut at = usize::try_from(sign & last as u64).unwrap_or(0);
        // Some places are free, and their number is a power of two.
        loop {
            let letter = number(&self.places[at], 0).checked_sub(1)?;
            if u64::from_le_bytes(self.signs[letter as usize]) == sign {
                return Some((letter, number(&self.roots[letter as usize], 0)));
            }
            at = (at + 1) & last;
        }
    }

    /// The node of a number.
    pub(super) fn node(&self, number_of: u32) -> Node {
        let (node, next) = (&self.nodes[number_of as usize], &self.nodes[number_of as usize + 1]);
        let flags = number(node, 20);
        Node {
            leads_on: word(node, 0),
            edges: (number(node, 8), number(next, 8)),
            joins: (number(node, 10), number(next, 10)),
            any: number(node, 12),
            found: number(node, 14),
            found_at_end: number(node, 16),
            group: number(node, 18),
            is_gap: flags & IS_GAP != 0,
            has_patterns: flags & HAS_PATTERNS != 0,
        }
    }

    /// The node to which the letter leads from `from`.
    pub(super) fn lead(&self, from: &Node, letter: u32) -> Option<u32> {
        let edges = &self.edges[from.edges.0 as usize..from.edges.1 as usize];
        let at = edges.binary_search_by_key(&letter, |edge| number(edge, 0)).ok()?;
        Some(number(&edges[at], 2))
    }

    /// The nodes reached together with `node`, each with the bits of the signs that lead on from it.
    pub(super) fn joined(&self, node: &Node) -> impl Iterator<Item = (u32, u64)> {
        let joins = &self.joins[node.joins.0 as usize..node.joins.1 as usize];
        joins.iter().map(|join| (number(join, 0), word(join, 2)))
    }

    /// The groups that have a phrase ending at the node, where the sentence ends or not.
    pub(super) fn found(&self, node: &Node, is_end: bool) -> FormSet {
        let found = self.set(node.found);
        if is_end { found.with(self.set(node.found_at_end)) } else { found }
    }

    /// The group of the phrase that contains the gap.
    pub(super) fn group(&self, gap: &Node) -> FormSet {
        self.set(gap.group)
    }

    fn set(&self, number_of: u32) -> FormSet {
        FormSet::from_bits(u128::from_le_bytes(self.sets[number_of as usize]))
    }
}
