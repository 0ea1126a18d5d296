//! Finds the phrases of a network in sentences. It advances sign by sign, keeping the set of nodes reached so
//! far, so that the time is linear in the sentence, whatever its content. Must not know what a phrase means.

use super::forms::FormSet;
use super::network::{BEGIN, NONE, Network, Node, ROOT, START, bit, character_hash, spread, take};

/// Buffers reused from sentence to sentence.
#[derive(Default)]
pub(super) struct Walk {
    /// The signs of the sentence: their hashes and, for words, their bytes.
    signs: Vec<(u64, u32, u32)>,
    reached: Vec<u32>,
    next: Vec<u32>,
    gaps: Vec<u32>,
    /// Gaps in phrases of groups that were already found.
    done_gaps: Vec<u32>,
    found_before: FormSet,
    open: Vec<u32>,
    /// One bit per node reached in this step; for gaps, in this sentence.
    seen: Vec<u64>,
    visited: Vec<u32>,
    patterns: Vec<u32>,
    /// How many edges and nodes were visited.
    #[cfg(test)]
    pub(super) work: u64,
}

impl Walk {
    /// The groups with a phrase in a sentence whose words are separated by single spaces.
    pub(super) fn words(&mut self, network: &Network<'_>, text: &str) -> FormSet {
        self.signs.clear();
        let mut start = 0;
        let mut hash = START;
        let mut ends = 0;
        for (at, &byte) in text.as_bytes().iter().enumerate() {
            if byte != b' ' {
                hash = take(hash, byte);
                continue;
            }
            if at > start {
                self.signs.push((spread(hash), place(start), place(at)));
                let closes = at == start + 1 && is_closing(char::from(text.as_bytes()[start]));
                if !closes {
                    ends = self.signs.len();
                }
            }
            (start, hash) = (at + 1, START);
        }
        self.walk(network, text.as_bytes(), ends)
    }

    /// The groups with a phrase in a sentence without spaces.
    pub(super) fn characters(&mut self, network: &Network<'_>, text: &str) -> FormSet {
        self.signs.clear();
        let mut ends = 0;
        for c in text.chars() {
            self.signs.push((character_hash(c), 0, 0));
            if !is_closing(c) && !matches!(c, '。' | '、') {
                ends = self.signs.len();
            }
        }
        self.walk(network, &[], ends)
    }

    /// Walks the signs. After the first `ends` of them, only closing punctuation follows.
    fn walk(&mut self, network: &Network<'_>, text: &[u8], ends: usize) -> FormSet {
        self.seen.resize(network.n_nodes().div_ceil(64), 0);
        let following = |signs: &[(u64, u32, u32)], at: usize| signs.get(at).map_or(0, |sign| bit(sign.0));
        let first = following(&self.signs, 0);
        let mut step = Step { network, found: FormSet::EMPTY, is_end: ends == 0, following: first };
        step.enter(BEGIN, self);
        self.turn();
        let root = network.node(ROOT);
        for at in 0..self.signs.len() {
            let (sign, from, to) = self.signs[at];
            step.is_end = at + 1 >= ends;
            step.following = following(&self.signs, at + 1);
            self.patterns.clear();
            let word = &text[from as usize..to as usize];
            self.patterns.extend(network.patterns.of(word));
            let gaps = self.gaps.len();
            let letter = network.letter(sign);
            if let Some((_, to)) = letter.filter(|(_, to)| *to != NONE) {
                step.enter(to, self);
            }
            let sign = letter.map(|(letter, _)| (bit(sign), letter));
            step.otherwise(&root, self);
            for index in 0..self.reached.len() {
                step.leave(self.reached[index], sign, self);
            }
            for index in 0..gaps {
                step.leave(self.gaps[index], sign, self);
            }
            self.forget_gaps(network, step.found);
            self.turn();
        }
        self.reached.clear();
        self.found_before = FormSet::EMPTY;
        self.gaps.append(&mut self.done_gaps);
        while let Some(gap) = self.gaps.pop() {
            self.seen[gap as usize / 64] &= !(1 << (gap % 64));
        }
        step.found
    }

    /// Drops the gaps of groups that were found: one phrase per group is enough.
    fn forget_gaps(&mut self, network: &Network<'_>, found: FormSet) {
        if found == self.found_before {
            return;
        }
        self.found_before = found;
        let done = |gap: &mut u32| found.covers(network.group(&network.node(*gap)));
        self.done_gaps.extend(self.gaps.extract_if(.., done));
    }

    /// Makes the nodes just reached the start of the next step.
    fn turn(&mut self) {
        std::mem::swap(&mut self.reached, &mut self.next);
        self.next.clear();
        while let Some(node) = self.visited.pop() {
            self.seen[node as usize / 64] &= !(1 << (node % 64));
        }
    }
}

/// A position as 32 bits. A sentence is shorter than 4 GB because it is part of a window of [`super::lines`].
fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Punctuation that may follow the end of a sentence.
fn is_closing(c: char) -> bool {
    matches!(c, '.' | ',' | ':' | ';' | '!' | '?' | ')' | '`' | '"')
}

/// One sign of a sentence.
struct Step<'n> {
    network: &'n Network<'n>,
    found: FormSet,
    is_end: bool,
    /// The bit of the next sign; 0 if this is the last one.
    following: u64,
}

impl Step<'_> {
    /// Follows the sign, given by its bit and its letter, from a node; `None` stands for one that leads on from no
    /// node.
    fn leave(&mut self, node: u32, sign: Option<(u64, u32)>, walk: &mut Walk) {
        #[cfg(test)]
        {
            walk.work += 1;
        }
        let from = self.network.node(node);
        if let Some((bit, letter)) = sign
            && from.leads_on & bit != 0
            && let Some(to) = self.network.lead(&from, letter)
        {
            self.enter(to, walk);
        }
        self.otherwise(&from, walk);
    }

    /// Follows the sign from a node as any sign, and as one that matches a pattern.
    fn otherwise(&mut self, from: &Node, walk: &mut Walk) {
        if from.any != NONE {
            self.enter(from.any, walk);
        }
        if from.has_patterns && !walk.patterns.is_empty() {
            for index in 0..walk.patterns.len() {
                if let Some(to) = self.network.lead(from, walk.patterns[index]) {
                    self.enter(to, walk);
                }
            }
        }
    }

    /// Reaches a node and all nodes joined to it.
    fn enter(&mut self, node: u32, walk: &mut Walk) {
        self.reach(node, walk);
        while let Some(node) = walk.open.pop() {
            self.reach(node, walk);
        }
    }

    fn reach(&mut self, node: u32, walk: &mut Walk) {
        let (place, mask) = (node as usize / 64, 1 << (node % 64));
        if walk.seen[place] & mask != 0 {
            return;
        }
        #[cfg(test)]
        {
            walk.work += 1;
        }
        let reached = self.network.node(node);
        self.found = self.found.with(self.network.found(&reached, self.is_end));
        let leads_on = reached.any != NONE || reached.has_patterns || reached.leads_on & self.following != 0;
        if reached.is_gap {
            if self.found.covers(self.network.group(&reached)) {
                return;
            }
            walk.seen[place] |= mask;
            walk.gaps.push(node);
        } else if leads_on {
            // Visiting a node that leads nowhere twice does no harm.
            walk.seen[place] |= mask;
            walk.visited.push(node);
            walk.next.push(node);
        }
        let mut joined = self.network.joined(&reached).peekable();
        if joined.peek().is_none() {
            return;
        }
        if !reached.is_gap && !leads_on {
            walk.seen[place] |= mask;
            walk.visited.push(node);
        }
        for (to, matters) in joined {
            if matters == u64::MAX || matters & self.following != 0 {
                walk.open.push(to);
            }
        }
    }
}
