//! Writes the phrases of `assets/tasks.toml` as Rust, sorted as `src/judge/task/phrases.rs` looks them up. Must not
//! know what a group means.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::Outcome;
use super::texts::Texts;

/// A phrase and the Rust of its group.
type Phrase = (String, String);

/// The phrases, by the names of their groups.
pub(crate) fn written(groups: &BTreeMap<String, Vec<String>>) -> Outcome<String> {
    let (mut spaced, mut stems, mut joined) = (Vec::new(), Vec::new(), Vec::new());
    for (name, phrases) in groups {
        for phrase in phrases {
            let group = format!("Group::{}", camel_case(name));
            let words: Vec<&str> = phrase.split_whitespace().collect();
            if phrase.chars().any(is_joined) {
                joined.push((words.concat(), group));
            } else if words.first().is_some_and(|first| first.ends_with('*')) {
                stems.push((words.join(" "), group));
            } else if !words.is_empty() {
                spaced.push((words.join(" "), group));
            }
        }
    }
    // A blank comes before all signs of a word: phrases of one first word stand together.
    spaced.sort();
    stems.sort();
    joined.sort_by_key(|(phrase, _)| Reverse(phrase.len()));
    let mut texts = Texts::default();
    let mut places = |phrases: &[Phrase]| -> Outcome<String> {
        let each = phrases.iter().map(|(text, group)| Ok(format!("({}, {group}),\n", texts.place(text)?)));
        each.collect()
    };
    let (spaced_at, stems_at) = (begins(&spaced), begins(&stems));
    let (spaced, stems, joined) = (places(&spaced)?, places(&stems)?, places(&joined)?);
    Ok(format!(
        "Phrases {{ texts: {}, spaced: &[{spaced}], spaced_at: {spaced_at:?}, stems: &[{stems}], stems_at: {stems_at:?}, \
         joined: &[{joined}] }}",
        texts.rust(),
    ))
}

/// Where the phrases of each first byte begin, and where the last ones end.
fn begins(phrases: &[Phrase]) -> Vec<usize> {
    let first = |(text, _): &Phrase| text.bytes().next().map(u16::from);
    (0..=256).map(|byte| phrases.partition_point(|phrase| first(phrase) < Some(byte))).collect()
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
