//! Builds the network of a language from its phrases and serialises it. Part of the build script and of tests:
//! the program must only read the result.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::forms::FormSet;
use super::network::{
    HAS_ANY, HAS_FOUND, HAS_FOUND_AT_END, HAS_GROUP, HAS_JOINS, HAS_PATTERNS, IS_GAP, N_EDGES_AT, NONE, bit,
    word_hash,
};
use super::patterns::ANY_LETTERS;

/// A node under construction.
#[derive(Clone)]
struct Node {
    found: FormSet,
    found_at_end: FormSet,
    any: u32,
    is_gap: bool,
    group: FormSet,
    has_patterns: bool,
    edges: BTreeMap<u64, u32>,
}

const NEW: Node = Node {
    found: FormSet::EMPTY,
    found_at_end: FormSet::EMPTY,
    any: NONE,
    is_gap: false,
    group: FormSet::EMPTY,
    has_patterns: false,
    edges: BTreeMap::new(),
};

impl Node {
    /// One bit per sign that leads on; all bits if reaching the node matters by itself.
    fn matters(&self) -> u64 {
        let by_itself = self.found != FormSet::EMPTY
            || self.found_at_end != FormSet::EMPTY
            || self.any != NONE
            || self.is_gap
            || self.has_patterns;
        if by_itself { u64::MAX } else { self.edges.keys().fold(0, |bits, sign| bits | bit(*sign)) }
    }
}

/// A network under construction.
pub(super) struct Builder {
    nodes: Vec<Node>,
    /// Pairs of nodes: reaching the first also reaches the second. In the order added.
    joins: Vec<(u32, u32)>,
    patterns: BTreeSet<Vec<u8>>,
}

impl Builder {
    /// A network without phrases.
    pub(super) fn new() -> Self {
        Self { nodes: vec![NEW; 2], joins: Vec::new(), patterns: BTreeSet::new() }
    }

    /// A new node to which nothing leads yet.
    pub(super) fn node(&mut self) -> u32 {
        self.nodes.push(NEW);
        u32::try_from(self.nodes.len() - 1).unwrap_or(NONE)
    }

    /// A new node, in a phrase of the group, that stays reached until the end of the sentence.
    pub(super) fn gap(&mut self, group: FormSet) -> u32 {
        let node = self.node();
        self.at(node).is_gap = true;
        self.at(node).group = group;
        node
    }

    /// Whether the node stays reached until the end of the sentence.
    pub(super) fn is_gap(&self, node: u32) -> bool {
        self.nodes[node as usize].is_gap
    }

    fn at(&mut self, node: u32) -> &mut Node {
        &mut self.nodes[node as usize]
    }

    /// Makes every path that reaches `from` reach `to` as well.
    pub(super) fn join(&mut self, from: u32, to: u32) {
        self.joins.push((from, to));
    }

    /// The node to which exactly `sign` leads from `from`.
    pub(super) fn sign(&mut self, from: u32, sign: u64) -> u32 {
        if let Some(to) = self.at(from).edges.get(&sign) {
            return *to;
        }
        let to = self.node();
        self.at(from).edges.insert(sign, to);
        to
    }

    /// The node to which the words matching a pattern lead from `from`.
    pub(super) fn pattern(&mut self, from: u32, pattern: &[u8]) -> u32 {
        if pattern == [ANY_LETTERS] {
            if self.at(from).any == NONE {
                let to = self.node();
                self.at(from).any = to;
            }
            return self.at(from).any;
        }
        let hash = word_hash(pattern);
        self.patterns.insert(pattern.to_vec());
        self.at(from).has_patterns = true;
        self.sign(from, hash)
    }

    /// Lets a phrase of the group end at the node; with `at_end`, only where the sentence ends.
    pub(super) fn ends(&mut self, node: u32, group: FormSet, at_end: bool) {
        let node = self.at(node);
        let found = if at_end && !node.is_gap { &mut node.found_at_end } else { &mut node.found };
        *found = found.with(group);
    }

    /// For each node, one bit per sign that leads on from it or from a node reached together with it; all bits
    /// if reaching it matters by itself.
    fn matters(&self) -> Vec<u64> {
        let mut matters: Vec<u64> = self.nodes.iter().map(Node::matters).collect();
        loop {
            let mut is_settled = true;
            for &(from, to) in self.joins.iter().rev() {
                let both = matters[from as usize] | matters[to as usize];
                is_settled &= both == matters[from as usize];
                matters[from as usize] = both;
            }
            if is_settled {
                return matters;
            }
        }
    }

    /// The network in the form that `Network::read` takes.
    pub(super) fn write(mut self) -> Vec<u8> {
        self.joins.sort_unstable();
        self.joins.dedup();
        let matters = self.matters();
        let mut bytes = Vec::new();
        let alphabet: BTreeSet<u64> = self.nodes.iter().flat_map(|node| node.edges.keys().copied()).collect();
        put(&mut bytes, alphabet.len() as u64);
        bytes.extend(alphabet.iter().flat_map(|sign| sign.to_le_bytes()));
        put(&mut bytes, self.patterns.len() as u64);
        for pattern in &self.patterns {
            put(&mut bytes, pattern.len() as u64);
            bytes.extend(pattern);
        }
        put(&mut bytes, self.joins.len() as u64);
        for &(_, to) in &self.joins {
            let matters = matters[to as usize];
            put(&mut bytes, u64::from(to) << 1 | u64::from(matters == u64::MAX));
            if matters != u64::MAX {
                bytes.extend(matters.to_le_bytes());
            }
        }
        let letters: HashMap<u64, u64> = alphabet.into_iter().zip(0..).collect();
        let mut n_joins: HashMap<u32, u64> = HashMap::new();
        for (from, _) in &self.joins {
            *n_joins.entry(*from).or_default() += 1;
        }
        put(&mut bytes, self.nodes.len() as u64);
        for (number, node) in (0..).zip(&self.nodes) {
            node.write(n_joins.get(&number).copied(), &letters, &mut bytes);
        }
        bytes
    }
}

impl Node {
    fn write(&self, n_joins: Option<u64>, letters: &HashMap<u64, u64>, bytes: &mut Vec<u8>) {
        let sets = [(HAS_FOUND, self.found), (HAS_FOUND_AT_END, self.found_at_end), (HAS_GROUP, self.group)];
        let mut has = (self.edges.len() as u64) << N_EDGES_AT;
        let flags = [
            (HAS_ANY, self.any != NONE),
            (HAS_JOINS, n_joins.is_some()),
            (IS_GAP, self.is_gap),
            (HAS_PATTERNS, self.has_patterns),
        ];
        let sets_there = sets.map(|(flag, set)| (flag, set != FormSet::EMPTY));
        for (flag, _) in flags.into_iter().chain(sets_there).filter(|(_, is_there)| *is_there) {
            has |= u64::from(flag);
        }
        put(bytes, has);
        for (_, set) in sets.iter().filter(|(_, set)| *set != FormSet::EMPTY) {
            let mut bits = 0;
            set.each(|number| bits |= 1_u64 << number);
            put(bytes, bits);
        }
        if self.any != NONE {
            put(bytes, u64::from(self.any));
        }
        if let Some(n_joins) = n_joins {
            put(bytes, n_joins);
        }
        let mut before = 0;
        for (sign, to) in &self.edges {
            let letter = letters.get(sign).copied().unwrap_or_default();
            put(bytes, letter - before);
            put(bytes, u64::from(*to));
            before = letter;
        }
    }
}

/// Writes a number in groups of seven bits, lowest first.
fn put(bytes: &mut Vec<u8>, mut number: u64) {
    loop {
        let [low, ..] = (number & 0x7f).to_le_bytes();
        number >>= 7;
        bytes.push(if number == 0 { low } else { low | 0x80 });
        if number == 0 {
            return;
        }
    }
}
