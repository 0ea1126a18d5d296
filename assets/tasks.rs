//! Writes the phrases of `assets/tasks.toml` as Rust, sorted as `src/judge/task/phrases.rs` looks them up. Must not
//! know what a group means.

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A phrase and the Rust of its group.
type Phrase<'p> = (Vec<&'p str>, String);

/// The phrases, by the names of their groups.
pub(crate) fn written(groups: &BTreeMap<String, Vec<String>>) -> String {
    let (mut spaced, mut stems): (Vec<Phrase<'_>>, Vec<Phrase<'_>>) = (Vec::new(), Vec::new());
    let mut joined: Vec<(String, String)> = Vec::new();
    for (name, phrases) in groups {
        for phrase in phrases {
            let group = format!("Group::{}", camel_case(name));
            let words: Vec<&str> = phrase.split_whitespace().collect();
            if phrase.chars().any(is_joined) {
                joined.push((words.concat(), group));
            } else if words.first().is_some_and(|first| first.ends_with('*')) {
                stems.push((words, group));
            } else if !words.is_empty() {
                spaced.push((words, group));
            }
        }
    }
    spaced.sort_by_key(|(words, _)| words.first().copied());
    stems.sort_by_key(|(words, _)| words.first().and_then(|stem| stem.bytes().next()));
    joined.sort_by_key(|(phrase, _)| Reverse(phrase.len()));
    let (spaced_at, stems_at) = (begins(&spaced), begins(&stems));
    let of_words = |phrases: Vec<Phrase<'_>>| {
        let each = phrases.iter().map(|(words, group)| format!("(&{words:?}, {group}),\n"));
        each.collect::<Vec<String>>().concat()
    };
    let joined = joined.iter().map(|(phrase, group)| format!("({phrase:?}, {group}),\n"));
    let joined = joined.collect::<Vec<String>>().concat();
    let (spaced, stems) = (of_words(spaced), of_words(stems));
    format!(
        "Phrases {{ spaced: &[{spaced}], spaced_at: {spaced_at:?}, stems: &[{stems}], stems_at: {stems_at:?}, \
         joined: &[{joined}] }}"
    )
}

/// Where the phrases of each first byte begin, and where the last ones end.
fn begins(phrases: &[Phrase<'_>]) -> Vec<usize> {
    let first = |(words, _): &Phrase<'_>| words.first().and_then(|word| word.bytes().next());
    (0..=256_u16)
        .map(|byte| phrases.partition_point(|phrase| first(phrase).map(u16::from) < Some(byte)))
        .collect()
}

/// Whether this character belongs to a script whose phrases are found inside words, as `src/judge/task/sentence.rs`
/// decides it.
fn is_joined(sign: char) -> bool {
    matches!(sign, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{1100}'..='\u{11ff}')
}

/// The name of a variant: `no_change` is `NoChange`.
pub(crate) fn camel_case(name: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('_').filter(|word| !word.is_empty()).map(capital).collect()
}
