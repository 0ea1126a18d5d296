//! The phrases of `assets/tasks.toml`, indexed so that they can be found in a sentence. Must not know what
//! the groups mean.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::judge) enum Group {
    Thanks,
    Praise,
    Thinks,
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
    Hence,
    RunsWhat,
    IsRun,
    WantsPass,
    Passes,
    Must,
    BetweenMust,
    MustPass,
    BesideOrder,
    BeginsOrder,
    EndsOrder,
    NoOrder,
    Articles,
    Tests,
    Linters,
    Builds,
    Typechecks,
    CommitsToo,
    Pushes,
    Deploys,
    Publishes,
    Tags,
    Opens,
    PullRequests,
    Sent,
    Published,
    Destinations,
    Towards,
    LeavesOpen,
    PersonsOwn,
    RefusesAct,
    Merges,
    Into,
    Criteria,
    Pushed,
    Merged,
    Deployed,
    Tagged,
    Requested,
    OpensLast,
    Uses,
    Instead,
    PutsInWords,
    Texts,
}

/// All phrases, as the build script (`assets/tasks.rs`) wrote them.
pub(in crate::judge) static PHRASES: Phrases = include!(concat!(env!("OUT_DIR"), "/tasks.rs"));

/// A phrase as its words. A word that ends with `*` is a stem.
type PhraseWords = &'static [&'static str];

/// The phrases, indexed by how they begin.
#[derive(Debug)]
pub(in crate::judge) struct Phrases {
    /// Phrases of whole words, sorted by first word.
    spaced: &'static [(PhraseWords, Group)],
    /// Where those of each first byte begin, and where the last ones end.
    spaced_at: [u16; 257],
    /// Phrases whose first word is a stem, sorted by its first byte.
    stems: &'static [(PhraseWords, Group)],
    /// As `spaced_at`.
    stems_at: [u16; 257],
    /// Phrases that match anywhere, longest first.
    joined: &'static [(&'static str, Group)],
}

/// The phrases that begin with a byte.
fn beginning(
    phrases: &'static [(PhraseWords, Group)],
    at: &[u16; 257],
    byte: u8,
) -> &'static [(PhraseWords, Group)] {
    let byte = usize::from(byte);
    &phrases[usize::from(at[byte])..usize::from(at[byte + 1])]
}

impl Phrases {
    /// The length in words of the longest phrase from `groups` with which `words`
    /// begin; `None` if there is none.
    pub(in crate::judge) fn starts(&self, words: &[String], groups: &[Group]) -> Option<usize> {
        let first = words.first()?.as_str();
        let begin = *first.as_bytes().first()?;
        let of_byte = beginning(self.spaced, &self.spaced_at, begin);
        let from = of_byte.partition_point(|(words, _)| words.first().is_some_and(|word| *word < first));
        let exact = of_byte[from..].iter().take_while(|(words, _)| words.first() == Some(&first));
        let stems = beginning(self.stems, &self.stems_at, begin);
        let found = exact.chain(stems).filter(|(_, group)| groups.contains(group));
        found.filter(|(phrase, _)| begins_with(words, phrase)).map(|(phrase, _)| phrase.len()).max()
    }

    /// Whether the words contain a phrase of `group`.
    pub(in crate::judge) fn has(&self, words: &[String], group: Group) -> bool {
        (0..words.len()).any(|at| self.starts(&words[at..], &[group]).is_some())
    }

    /// The phrases of `group` that match anywhere, longest first.
    pub(in crate::judge) fn joined(&self, group: Group) -> impl Iterator<Item = &str> {
        self.joined.iter().filter(move |(_, of)| *of == group).map(|(phrase, _)| *phrase)
    }

    /// Removes the phrases of `groups` from a text, longest first.
    pub(in crate::judge) fn without(&self, text: &str, groups: &[Group]) -> String {
        let of_groups = self.joined.iter().filter(|(_, group)| groups.contains(group));
        of_groups.fold(
            text.to_owned(),
            |left, (phrase, _)| {
                if left.contains(phrase) { left.replace(phrase, "") } else { left }
            },
        )
    }
}

fn begins_with(words: &[String], phrase: &[&str]) -> bool {
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
    fn phrases_are_in_lower_case_and_hold_no_empty_word() {
        let lower = |text: &str| text.to_lowercase() == text && !text.trim().is_empty();
        let spaced = PHRASES.spaced.iter().chain(PHRASES.stems);
        assert!(spaced.flat_map(|(words, _)| *words).all(|word| lower(word)));
        assert!(PHRASES.joined.iter().all(|(phrase, _)| !phrase.is_empty()));
    }
}
