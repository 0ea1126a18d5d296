//! The phrases of `assets/tasks.toml`, indexed so that they can be found in a sentence. Must not know what
//! the groups mean.

use crate::model::TextList;

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

/// The phrases, indexed by how they begin: each by its place in the list of texts, with its group. A word that ends with `*`
/// is a stem.
#[derive(Debug)]
pub(in crate::judge) struct Phrases {
    /// Each phrase, with a blank between its words.
    texts: TextList,
    /// Phrases of whole words, sorted by text.
    spaced: &'static [(u32, Group)],
    /// Where those of each first byte begin, and where the last ones end.
    spaced_at: [u16; 257],
    /// Phrases whose first word is a stem, sorted by text.
    stems: &'static [(u32, Group)],
    /// As `spaced_at`.
    stems_at: [u16; 257],
    /// Phrases that match anywhere, longest first.
    joined: &'static [(u32, Group)],
}

/// The phrases that begin with a byte.
fn beginning(phrases: &'static [(u32, Group)], at: &[u16; 257], byte: u8) -> &'static [(u32, Group)] {
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
        let from = of_byte.partition_point(|(place, _)| self.texts.at(*place) < first);
        // A blank comes before all signs of a word: the phrases with this first word stand together.
        let is_end = |rest: &str| rest.is_empty() || rest.starts_with(' ');
        let is_first =
            |(place, _): &&(u32, Group)| self.texts.at(*place).strip_prefix(first).is_some_and(is_end);
        let exact = of_byte[from..].iter().take_while(is_first);
        let stems = beginning(self.stems, &self.stems_at, begin);
        let found = exact.chain(stems).filter(|(_, group)| groups.contains(group));
        found.filter_map(|(place, _)| n_begun(words, self.texts.at(*place))).max()
    }

    /// Whether the words contain a phrase of `group`.
    pub(in crate::judge) fn has(&self, words: &[String], group: Group) -> bool {
        (0..words.len()).any(|at| self.starts(&words[at..], &[group]).is_some())
    }

    /// The phrases of `group` that match anywhere, longest first.
    pub(in crate::judge) fn joined(&self, group: Group) -> impl Iterator<Item = &str> {
        self.joined.iter().filter(move |(_, of)| *of == group).map(|(place, _)| self.texts.at(*place))
    }

    /// Removes the phrases of `groups` from a text, longest first.
    pub(in crate::judge) fn without(&self, text: &str, groups: &[Group]) -> String {
        let of_groups = self.joined.iter().filter(|(_, group)| groups.contains(group));
        of_groups.map(|(place, _)| self.texts.at(*place)).fold(text.to_owned(), |left, phrase| {
            if left.contains(phrase) { left.replace(phrase, "") } else { left }
        })
    }
}

/// The length of a phrase in words, if `words` begin with it.
fn n_begun(words: &[String], phrase: &str) -> Option<usize> {
    let mut parts = phrase.as_bytes().split(|byte| *byte == b' ');
    parts.try_fold(0, |n, part| {
        let word = words.get(n)?.as_bytes();
        let is_part = part.strip_suffix(b"*").map_or(part == word, |stem| word.starts_with(stem));
        is_part.then_some(n + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_in_lower_case_and_hold_no_empty_word() {
        let lower = |text: &str| text.to_lowercase() == text && !text.trim().is_empty();
        let spaced = PHRASES.spaced.iter().chain(PHRASES.stems);
        let mut words = spaced.flat_map(|(place, _)| PHRASES.texts.at(*place).split(' '));
        assert!(words.all(lower));
        assert!(PHRASES.joined.iter().all(|(place, _)| !PHRASES.texts.at(*place).is_empty()));
    }
}
