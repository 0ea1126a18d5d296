//! Builds the network of a language from its phrases. Part of the build script and of tests: the program must
//! only read what `writing` makes of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::forms::FormSet;
use super::network::{BEGIN, ROOT, START, bit, spread, take};
use super::patterns::ANY_LETTERS;

/// No node.
pub(super) const NO_NODE: u32 = u32::MAX;

/// A node, by the numbers of those to which it leads.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Node {
    /// The groups that have a phrase ending here.
    pub(super) found: FormSet,
    /// The groups that have a phrase ending here if the sentence ends here too.
    pub(super) found_at_end: FormSet,
    /// The node to which any sign leads, or [`NO_NODE`].
    pub(super) any: u32,
    /// Whether it stays reached until the end of the sentence.
    pub(super) is_gap: bool,
    /// The group of the phrase that contains the gap.
    pub(super) group: FormSet,
    /// Whether a word pattern leads on.
    pub(super) has_patterns: bool,
    /// The nodes to which signs lead, by the signs' hashes.
    pub(super) edges: BTreeMap<u64, u32>,
}

/// A network, ready to be written.
pub(super) struct Built {
    /// The nodes, by number.
    pub(super) nodes: Vec<BuiltNode>,
    /// The word patterns.
    pub(super) patterns: BTreeSet<Vec<u8>>,
}

/// A node of a network that is ready.
pub(super) struct BuiltNode {
    /// The node itself.
    pub(super) node: Node,
    /// The nodes reached together with it.
    pub(super) joined: Vec<u32>,
    /// One bit per sign that leads on from it or from a node reached together with it; all bits if reaching it
    /// matters by itself.
    pub(super) matters: u64,
}

const NEW: Node = Node {
    found: FormSet::EMPTY,
    found_at_end: FormSet::EMPTY,
    any: NO_NODE,
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
            || self.any != NO_NODE
            || self.is_gap
            || self.has_patterns;
        if by_itself { u64::MAX } else { self.leads_on() }
    }

    /// The signs that lead on, one bit each.
    pub(super) fn leads_on(&self) -> u64 {
        self.edges.keys().fold(0, |bits, sign| bits | bit(*sign))
    }
}

/// The hash of a word.
pub(super) fn word_hash(word: &[u8]) -> u64 {
    spread(word.iter().fold(START, |hash, &byte| take(hash, byte)))
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
        u32::try_from(self.nodes.len() - 1).unwrap_or(NO_NODE)
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
            if self.at(from).any == NO_NODE {
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

    /// The smallest network that finds the same.
    pub(super) fn finish(mut self) -> Built {
        let joined = self.merge();
        let matters = self.matters();
        let nodes = self.nodes.into_iter().zip(joined).zip(matters);
        let nodes = nodes.map(|((node, joined), matters)| BuiltNode { node, joined, matters }).collect();
        Built { nodes, patterns: self.patterns }
    }

    /// Merges nodes that find the same and lead on in the same way, and drops those that nothing leads to.
    /// Returns the nodes joined to each.
    fn merge(&mut self) -> Vec<Vec<u32>> {
        let mut merged: Vec<u32> = (0..).take(self.nodes.len()).collect();
        let mut n_left = self.nodes.len() + 1;
        loop {
            let joined = self.joined(&merged);
            let mut known: HashMap<(Node, Option<&BTreeSet<u32>>), u32> = HashMap::new();
            // What a node leads to was mostly made after it, so that one pass merges nearly all.
            for number in (0..merged.len()).rev() {
                let own = u32::try_from(number).unwrap_or(NO_NODE);
                if merged[number] == own && own != ROOT && own != BEGIN {
                    let node = self.nodes[number].leading(|to| merged[to as usize]);
                    merged[number] = *known.entry((node, joined.get(&own))).or_insert(own);
                }
            }
            for number in 0..merged.len() {
                merged[number] = merged[merged[number] as usize];
            }
            if known.len() == n_left {
                break;
            }
            n_left = known.len();
        }
        self.keep_reached(&merged)
    }

    /// The nodes joined to each, by the nodes that stand for them.
    fn joined(&self, merged: &[u32]) -> HashMap<u32, BTreeSet<u32>> {
        let mut joined: HashMap<u32, BTreeSet<u32>> = HashMap::new();
        for &(from, to) in &self.joins {
            joined.entry(from).or_default().insert(merged[to as usize]);
        }
        joined
    }

    /// Keeps the nodes that something leads to, numbered as they are met. Returns the nodes joined to each.
    fn keep_reached(&mut self, merged: &[u32]) -> Vec<Vec<u32>> {
        let old_joined = self.joined(merged);
        let mut met = vec![ROOT, BEGIN];
        let mut numbers = HashMap::from([(ROOT, ROOT), (BEGIN, BEGIN)]);
        let (mut nodes, mut joined): (Vec<Node>, Vec<Vec<u32>>) = (Vec::new(), Vec::new());
        while let Some(&old) = met.get(nodes.len()) {
            let mut number = |to: u32| {
                *numbers.entry(merged[to as usize]).or_insert_with_key(|to| {
                    met.push(*to);
                    u32::try_from(met.len() - 1).unwrap_or(NO_NODE)
                })
            };
            joined.push(old_joined.get(&old).into_iter().flatten().map(|to| number(*to)).collect());
            nodes.push(self.nodes[old as usize].leading(number));
        }
        self.nodes = nodes;
        self.joins = (0..).zip(&joined).flat_map(|(from, to)| to.iter().map(move |to| (from, *to))).collect();
        joined
    }
}

impl Node {
    /// The node with other numbers for those to which it leads.
    fn leading(&self, mut to: impl FnMut(u32) -> u32) -> Node {
        let any = if self.any == NO_NODE { NO_NODE } else { to(self.any) };
        let edges = self.edges.iter().map(|(sign, node)| (*sign, to(*node))).collect();
        Node { any, edges, ..self.clone() }
    }
}
