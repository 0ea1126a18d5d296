//! The phrases of `assets/tasks.toml`, indexed so that they can be found in a sentence. Must not know what
//! the groups mean.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::sentence::is_joined;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Group {
    Thanks,
    Praise,
    Greeting,
    Filler,
    Yes,
    No,
    GoOn,
    Addition,
    Repair,
    PointsAt,
    Finish,
    Drop,
    Question,
    Look,
    Request,
    Wish,
    Work,
    NoChange,
    Embedded,
    Joint,
}

/// The groups by their names in the file.
const GROUPS: [(&str, Group); 20] = [
    ("thanks", Group::Thanks),
    ("praise", Group::Praise),
    ("greeting", Group::Greeting),
    ("filler", Group::Filler),
    ("yes", Group::Yes),
    ("no", Group::No),
    ("go_on", Group::GoOn),
    ("addition", Group::Addition),
    ("repair", Group::Repair),
    ("points_at", Group::PointsAt),
    ("finish", Group::Finish),
    ("drop", Group::Drop),
    ("question", Group::Question),
    ("look", Group::Look),
    ("request", Group::Request),
    ("wish", Group::Wish),
    ("work", Group::Work),
    ("no_change", Group::NoChange),
    ("embedded", Group::Embedded),
    ("joint", Group::Joint),
];

/// The phrases by group name, generated from the file by the build script.
static FILE: &[(&str, &[&str])] = &include!(concat!(env!("OUT_DIR"), "/tasks.rs"));

/// All phrases.
pub(super) static PHRASES: LazyLock<Phrases> = LazyLock::new(Phrases::built_in);

/// The phrases, indexed by how they begin.
#[derive(Debug, Default)]
pub(super) struct Phrases {
    /// Phrases of whole words, by first word.
    spaced: HashMap<String, Vec<(Vec<String>, Group)>>,
    /// Phrases whose first word is a stem, by its first byte.
    stems: HashMap<u8, Vec<(Vec<String>, Group)>>,
    /// Phrases that match anywhere, longest first.
    joined: Vec<(String, Group)>,
}

impl Phrases {
    fn built_in() -> Phrases {
        let mut phrases = Phrases::default();
        for (name, group) in GROUPS {
            let of_group = FILE.iter().filter(|(known, _)| *known == name).flat_map(|(_, phrases)| *phrases);
            for phrase in of_group {
                phrases.add(phrase, group);
            }
        }
        phrases.joined.sort_by_key(|(phrase, _)| std::cmp::Reverse(phrase.len()));
        phrases
    }

    fn add(&mut self, phrase: &str, group: Group) {
        if phrase.chars().any(is_joined) {
            let phrase = phrase.chars().filter(|sign| !sign.is_whitespace()).collect();
            self.joined.push((phrase, group));
            return;
        }
        let words: Vec<String> = phrase.split_whitespace().map(str::to_owned).collect();
        let Some(first) = words.first().cloned() else { return };
        if first.ends_with('*') {
            let begin = first.as_bytes().first().copied().unwrap_or_default();
            self.stems.entry(begin).or_default().push((words, group));
        } else {
            self.spaced.entry(first).or_default().push((words, group));
        }
    }

    /// The length in words of the longest phrase from `groups` with which `words`
    /// begin; `None` if there is none.
    pub(super) fn starts(&self, words: &[String], groups: &[Group]) -> Option<usize> {
        let first = words.first()?;
        let exact = self.spaced.get(first).into_iter().flatten();
        let stems = first.as_bytes().first().and_then(|begin| self.stems.get(begin)).into_iter().flatten();
        let found = exact.chain(stems).filter(|(_, group)| groups.contains(group));
        found.filter(|(phrase, _)| begins_with(words, phrase)).map(|(phrase, _)| phrase.len()).max()
    }

    /// Whether the words contain a phrase of `group`.
    pub(super) fn has(&self, words: &[String], group: Group) -> bool {
        (0..words.len()).any(|at| self.starts(&words[at..], &[group]).is_some())
    }

    /// The phrases of `group` that match anywhere, longest first.
    pub(super) fn joined(&self, group: Group) -> impl Iterator<Item = &str> {
        self.joined.iter().filter(move |(_, of)| *of == group).map(|(phrase, _)| phrase.as_str())
    }

    /// Removes the phrases of `groups` from a text, longest first.
    pub(super) fn without(&self, text: &str, groups: &[Group]) -> String {
        let of_groups = self.joined.iter().filter(|(_, group)| groups.contains(group));
        of_groups.fold(text.to_owned(), |left, (phrase, _)| {
            if left.contains(phrase.as_str()) { left.replace(phrase.as_str(), "") } else { left }
        })
    }
}

fn begins_with(words: &[String], phrase: &[String]) -> bool {
    words.len() >= phrase.len()
        && phrase.iter().zip(words).all(|(part, word)| match part.strip_suffix('*') {
            Some(stem) => word.starts_with(stem),
            None => part == word,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_every_group_and_no_other() {
        let mut names = GROUPS.map(|(name, _)| name);
        names.sort_unstable();
        assert!(FILE.iter().map(|(name, _)| *name).eq(names));
        assert!(FILE.iter().all(|(_, phrases)| !phrases.is_empty()));
    }

    #[test]
    fn phrases_are_in_lower_case_and_hold_no_empty_word() {
        let lower = |text: &str| text.to_lowercase() == text && !text.trim().is_empty();
        let spaced = PHRASES.spaced.values().flatten().chain(PHRASES.stems.values().flatten());
        assert!(spaced.flat_map(|(words, _)| words).all(|word| lower(word)));
        assert!(PHRASES.joined.iter().all(|(phrase, _)| !phrase.is_empty()));
    }
}
