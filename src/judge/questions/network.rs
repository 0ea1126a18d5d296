//! The phrases of one way of separating words as one network of nodes, between which signs lead: words, or
//! characters where words are not separated. What a phrase looks like is known to `notation`; `walk` finds
//! the phrases in sentences.
//!
//! A word is known by its hash: nothing worse than a phrase found in vain can come of two words with one.

use super::forms::FormSet;
use super::patterns::{ANY_LETTERS, Patterns};

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

const NEW: Node = Node {
    leads_on: 0,
    found: FormSet::EMPTY,
    found_at_end: FormSet::EMPTY,
    any: NONE,
    joins: (0, 0),
    is_gap: false,
    group: FormSet::EMPTY,
    has_patterns: false,
};

impl Node {
    /// A bit for each sign that leads on; all bits if reaching the node matters by itself.
    fn matters(&self) -> u64 {
        let by_itself = self.found != FormSet::EMPTY
            || self.found_at_end != FormSet::EMPTY
            || self.any != NONE
            || self.is_gap
            || self.has_patterns;
        if by_itself { u64::MAX } else { self.leads_on }
    }
}

/// The phrases of one way of separating words.
pub(super) struct Network {
    /// By their numbers.
    pub(super) nodes: Vec<Node>,
    /// Nodes reached together with others, and a bit for each sign that leads on from there; all bits
    /// where reaching the node matters by itself.
    pub(super) joins: Vec<(u32, u64)>,
    /// Which node is reached with which, as added.
    added_joins: Vec<(u32, u32)>,
    /// Where a sign leads.
    pub(super) edges: Edges,
    /// The patterns of words.
    pub(super) patterns: Patterns,
}

/// Where a sign leads from a node, by a hash of both.
pub(super) struct Edges {
    /// Open addressing with linear steps; 0 marks a free place. The length is a power of two.
    places: Vec<(u64, u32)>,
    count: usize,
}

impl Edges {
    fn key(node: u32, sign: u64) -> u64 {
        (sign ^ u64::from(node).wrapping_mul(0x9e37_79b9_7f4a_7c15)) | 1
    }

    /// The place of the key, or the free one where it belongs.
    fn place(&self, key: u64) -> usize {
        let mask = self.places.len() - 1;
        let mut at = low_bits(key.wrapping_mul(0xff51_afd7_ed55_8ccd) >> 32) & mask;
        while self.places[at].0 != 0 && self.places[at].0 != key {
            at = (at + 1) & mask;
        }
        at
    }

    /// Where the sign leads from the node.
    pub(super) fn get(&self, node: u32, sign: u64) -> Option<u32> {
        let (key, to) = self.places[self.place(Self::key(node, sign))];
        (key != 0).then_some(to)
    }

    fn insert(&mut self, node: u32, sign: u64, to: u32) {
        if self.count * 4 >= self.places.len() * 3 {
            let doubled = vec![(0, 0); self.places.len() * 2];
            for (key, to) in std::mem::replace(&mut self.places, doubled) {
                if key != 0 {
                    let at = self.place(key);
                    self.places[at] = (key, to);
                }
            }
        }
        let key = Self::key(node, sign);
        let at = self.place(key);
        self.places[at] = (key, to);
        self.count += 1;
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the low bits are what is wanted")]
fn low_bits(hash: u64) -> usize {
    hash as usize
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
    /// A network without phrases, with room for so many edges.
    pub(super) fn new(room: usize) -> Self {
        let edges = Edges { places: vec![(0, 0); (room * 2).next_power_of_two()], count: 0 };
        let mut nodes = Vec::with_capacity(room);
        nodes.extend([NEW, NEW]);
        let patterns = Patterns::new();
        Self { nodes, joins: Vec::new(), added_joins: Vec::new(), edges, patterns }
    }

    /// A new node that nothing leads to.
    pub(super) fn node(&mut self) -> u32 {
        self.nodes.push(NEW);
        u32::try_from(self.nodes.len() - 1).unwrap_or(NONE)
    }

    /// A new node in a phrase of the group that stays reached to the end of the sentence.
    pub(super) fn gap(&mut self, group: FormSet) -> u32 {
        let node = self.node();
        self.at(node).is_gap = true;
        self.at(node).group = group;
        node
    }

    /// Whether the node stays reached to the end of the sentence.
    pub(super) fn is_gap(&self, node: u32) -> bool {
        self.nodes[node as usize].is_gap
    }

    fn at(&mut self, node: u32) -> &mut Node {
        &mut self.nodes[node as usize]
    }

    /// Whoever reaches `from` has reached `to`.
    pub(super) fn join(&mut self, from: u32, to: u32) {
        self.added_joins.push((from, to));
    }

    /// Makes the network ready to be walked.
    pub(super) fn finish(mut self) -> Self {
        self.added_joins.sort_unstable();
        self.added_joins.dedup();
        let mut matters: Vec<u64> = self.nodes.iter().map(Node::matters).collect();
        loop {
            let mut is_settled = true;
            for &(from, to) in self.added_joins.iter().rev() {
                let both = matters[from as usize] | matters[to as usize];
                is_settled &= both == matters[from as usize];
                matters[from as usize] = both;
            }
            if is_settled {
                break;
            }
        }
        for (index, &(from, to)) in self.added_joins.iter().enumerate() {
            let index = u32::try_from(index).unwrap_or(NONE);
            let joins = &mut self.nodes[from as usize].joins;
            *joins = if joins.1 == 0 { (index, index + 1) } else { (joins.0, index + 1) };
            self.joins.push((to, matters[to as usize]));
        }
        self.added_joins = Vec::new();
        self
    }

    /// The node to which `sign` and nothing else leads from `from`.
    pub(super) fn sign(&mut self, from: u32, sign: u64) -> u32 {
        if let Some(to) = self.edges.get(from, sign) {
            return to;
        }
        let to = self.node();
        self.at(from).leads_on |= bit(sign);
        self.edges.insert(from, sign, to);
        to
    }

    /// The node to which the words of a pattern lead from `from`.
    pub(super) fn pattern(&mut self, from: u32, pattern: &[u8]) -> u32 {
        if pattern == [ANY_LETTERS] {
            if self.at(from).any == NONE {
                let to = self.node();
                self.at(from).any = to;
            }
            return self.at(from).any;
        }
        let hash = word_hash(pattern);
        self.patterns.add(pattern, hash);
        self.at(from).has_patterns = true;
        self.sign(from, hash)
    }

    /// A phrase of the group ends at the node; with `at_end` only where the sentence does.
    pub(super) fn ends(&mut self, node: u32, group: FormSet, at_end: bool) {
        let node = self.at(node);
        let found = if at_end && !node.is_gap { &mut node.found_at_end } else { &mut node.found };
        *found = found.with(group);
    }
}
