//! Writes a network in the form that `Network::read` takes. Part of the build script and of tests: the program
//! must only read the result.

use std::collections::{BTreeSet, HashMap};

use super::building::{Built, BuiltNode, NO_NODE, word_hash};
use super::forms::FormSet;
use super::network::{HAS_PATTERNS, IS_GAP, N_COUNTS, NONE};
use super::patterns::{ANY_LETTERS, DIGITS, N_LISTS};

/// The letter of each sign.
type Letters = HashMap<u64, usize>;

/// The bytes of some sections, and how many records each has.
type Written = Result<(Vec<u8>, Vec<usize>), String>;

/// The network as bytes.
///
/// # Errors
/// It has more of something than that form can number.
pub(super) fn write(network: &Built) -> Result<Vec<u8>, String> {
    let edges = network.nodes.iter().flat_map(|node| node.node.edges.keys());
    let signs: BTreeSet<u64> = edges.copied().collect();
    let letters = signs.iter().copied().zip(0..).collect();
    let sections =
        [of_letters(&signs, network)?, of_nodes(&network.nodes, &letters)?, of_patterns(network, &letters)?];
    let (bytes, counts): (Vec<_>, Vec<_>) = sections.into_iter().unzip();
    let mut out = Vec::new();
    for count in counts.concat().into_iter().take(N_COUNTS) {
        out.extend(u32::try_from(count).map_err(|error| error.to_string())?.to_le_bytes());
    }
    out.extend(bytes.concat());
    Ok(out)
}

/// The places of the letters, their signs, and where they lead from the root.
fn of_letters(signs: &BTreeSet<u64>, network: &Built) -> Written {
    let mut places = vec![0; (signs.len() * 2).next_power_of_two()];
    let last = places.len() - 1;
    for (sign, letter) in signs.iter().zip(1..) {
        let mut at = usize::try_from(sign & last as u64).unwrap_or(0);
        while places[at] != 0 {
            at = (at + 1) & last;
        }
        places[at] = letter;
    }
    let mut bytes = Vec::new();
    put(&mut bytes, &places)?;
    bytes.extend(signs.iter().flat_map(|sign| sign.to_le_bytes()));
    for sign in signs {
        let to = network.nodes.first().and_then(|root| root.node.edges.get(sign));
        put(&mut bytes, &[to.copied().unwrap_or(NONE) as usize])?;
    }
    Ok((bytes, vec![places.len(), signs.len()]))
}

/// The nodes, their edges and joins, and the sets of groups.
fn of_nodes(nodes: &[BuiltNode], letters: &Letters) -> Written {
    let mut sets = vec![FormSet::EMPTY];
    let (mut bytes, mut edges, mut joins) = (Vec::new(), Vec::new(), Vec::new());
    let (mut n_edges, mut n_joins) = (0, 0);
    for BuiltNode { node, joined, .. } in nodes {
        bytes.extend(node.leads_on().to_le_bytes());
        let any = if node.any == NO_NODE { NONE } else { node.any };
        put(&mut bytes, &[n_edges, n_joins, any as usize])?;
        for set in [node.found, node.found_at_end, node.group] {
            let place = sets.iter().position(|known| *known == set).unwrap_or(sets.len());
            if place == sets.len() {
                sets.push(set);
            }
            put(&mut bytes, &[place])?;
        }
        let flags = u32::from(node.is_gap) * IS_GAP + u32::from(node.has_patterns) * HAS_PATTERNS;
        put(&mut bytes, &[flags as usize])?;
        for (sign, to) in &node.edges {
            put(&mut edges, &[letters[sign], *to as usize])?;
        }
        for &to in joined {
            put(&mut joins, &[to as usize])?;
            joins.extend(nodes[to as usize].matters.to_le_bytes());
        }
        n_edges += node.edges.len();
        n_joins += joined.len();
    }
    // Where the edges and joins of the last node end.
    bytes.extend([0; 8]);
    put(&mut bytes, &[n_edges, n_joins, 0, 0, 0, 0, 0])?;
    for set in &sets {
        let mut bits = 0_u128;
        set.each(|number| bits |= 1 << number);
        joins.extend(bits.to_le_bytes());
    }
    Ok(([bytes, edges, joins].concat(), vec![nodes.len(), n_edges, n_joins, sets.len()]))
}

/// The lists of patterns, and the patterns.
fn of_patterns(network: &Built, letters: &Letters) -> Written {
    let mut lists = vec![Vec::new(); N_LISTS];
    for (number, pattern) in network.patterns.iter().enumerate() {
        for list in lists_of(pattern) {
            lists[list].push(number);
        }
    }
    let mut bytes = Vec::new();
    let mut start = 0;
    for list in &lists {
        put(&mut bytes, &[start])?;
        start += list.len();
    }
    put(&mut bytes, &[start])?;
    put(&mut bytes, &lists.concat())?;
    let mut end = 0;
    for pattern in &network.patterns {
        end += pattern.len();
        put(&mut bytes, &[letters.get(&word_hash(pattern)).copied().unwrap_or(NONE as usize), end])?;
    }
    bytes.extend(network.patterns.iter().flatten());
    Ok((bytes, vec![start, network.patterns.len()]))
}

/// The lists in which a pattern stands.
fn lists_of(pattern: &[u8]) -> Vec<usize> {
    match pattern {
        [DIGITS, ..] => (b'0'..=b'9').map(usize::from).collect(),
        [ANY_LETTERS, .., last] if *last > DIGITS => vec![256 + usize::from(*last)],
        [ANY_LETTERS, ..] => (256..N_LISTS).collect(),
        [first, ..] => vec![usize::from(*first)],
        [] => Vec::new(),
    }
}

/// Writes numbers of 16 bits.
fn put(bytes: &mut Vec<u8>, numbers: &[usize]) -> Result<(), String> {
    for number in numbers {
        let number = u16::try_from(*number).map_err(|_| format!("{number} is too large a number"))?;
        bytes.extend(number.to_le_bytes());
    }
    Ok(())
}
