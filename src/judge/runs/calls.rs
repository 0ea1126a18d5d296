//! How tools are called: patterns of command words, looked up by first word. Must not know what a call means.
//!
//! A call is written as in `assets/checks.toml`: the words that name it, in order and with a blank between them; behind a tab
//! the options that must be there, and those with `!` that must not (`sed\t-i*`, `docker compose up\t!-d`).
//! In a pattern, `*` at the end of a word stands for the rest of that word, at its beginning for what precedes, and `$`
//! for the end: no word but options, their values and settings follows.

use crate::model::TextList;

/// Options before the name of a subcommand that take the next word as their value.
pub(super) const VALUE_OPTIONS: [&str; 16] = [
    "--prefix", "-C", "--dir", "--cwd", "--directory", "--manifest-path", "--filter", "-F", "-w",
    "--workspace", "--project", "--config", "--color", "-f", "--file", "--package",
];

/// Between the words that name a call and its options.
const BEFORE_OPTIONS: char = '\t';

/// Calls, each with what it stands for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Calls<T: 'static> {
    pub(super) texts: TextList,
    /// The places of the calls among the texts, sorted by text.
    pub(super) by_first: &'static [(u32, T)],
    /// Calls whose first word is given by its beginning only.
    pub(super) by_stem: &'static [(u32, T)],
}

impl<T: Copy> Calls<T> {
    /// Everything that `words` call, in no particular order: for each, how many words name it and how many of
    /// `words` it takes.
    pub(super) fn of(&self, words: &[String]) -> impl Iterator<Item = (T, usize, usize)> {
        let first = words.first().map_or("", String::as_str);
        let from = self.by_first.partition_point(|(place, _)| self.texts.at(*place) < first);
        // Behind its first word, a call ends or has a sign that comes before all signs of a word.
        let is_end = |rest: &str| rest.is_empty() || rest.starts_with([' ', BEFORE_OPTIONS]);
        let begins =
            move |(place, _): &&(u32, T)| self.texts.at(*place).strip_prefix(first).is_some_and(is_end);
        self.by_first[from..].iter().take_while(begins).chain(self.by_stem).filter_map(|(place, value)| {
            let (n_names, n_words) = named_by(self.texts.at(*place), words)?;
            Some((*value, n_names, n_words))
        })
    }

    /// Whether `words` call any of these.
    pub(super) fn has(&self, words: &[String]) -> bool {
        self.of(words).next().is_some()
    }
}

/// How many words name this call, and how many of `words` it takes, including options in between; `None` if the
/// words call something else.
fn named_by(call: &str, words: &[String]) -> Option<(usize, usize)> {
    let (names, options) = call.split_once(BEFORE_OPTIONS).unwrap_or((call, ""));
    let (mut n_names, mut at) = (0, 0);
    for part in names.split(' ') {
        n_names += 1;
        if part == "$" {
            if !are_options(words.get(at..)?) {
                return None;
            }
            continue;
        }
        if at > 0 {
            while let Some(word) = words.get(at).filter(|word| word.starts_with(['-', '+'])) {
                let takes_value = VALUE_OPTIONS.contains(&word.as_str());
                at += if takes_value { 2 } else { 1 };
            }
        }
        if !is_word(part, words.get(at)?) {
            return None;
        }
        at += 1;
    }
    let has = |option: &str| words.iter().any(|word| is_word(option, word));
    let is_as_must_be = |option: &str| option.strip_prefix('!').map_or_else(|| has(option), |it| !has(it));
    options.split_whitespace().all(is_as_must_be).then_some((n_names, at))
}

/// Whether words name nothing: options, with numbers and other values of theirs, and settings such as `CC=clang`.
fn are_options(words: &[String]) -> bool {
    let mut is_value = false;
    words.iter().all(|word| {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let names_nothing = is_value || is_number || word.starts_with(['-', '+']) || word.contains('=');
        is_value = VALUE_OPTIONS.contains(&word.as_str());
        names_nothing
    })
}

fn is_word(part: &str, word: &str) -> bool {
    match (part.strip_suffix('*'), part.strip_prefix('*')) {
        (Some(begin), _) => word.starts_with(begin),
        (None, Some(end)) => word.ends_with(end),
        (None, None) => part == word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TextListWriter;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    /// Calls that stand for themselves; the last is known by its beginning only.
    fn calls(written: &[&str]) -> Calls<u32> {
        let mut writer = TextListWriter::default();
        let places: Vec<u32> = written.iter().map(|call| writer.add(call).unwrap()).collect();
        let calls: &[(u32, u32)] = places.iter().map(|place| (*place, *place)).collect::<Vec<_>>().leak();
        let (by_stem, by_first) = calls.split_last().unwrap();
        Calls {
            texts: TextList::of(writer.written().leak()),
            by_first,
            by_stem: std::slice::from_ref(by_stem),
        }
    }

    #[test]
    fn calls_are_found_by_their_words_between_options() {
        let calls =
            calls(&["docker", "docker compose up\t!-d !--detach", "docker-x", "sed\t-i*", "codemod*"]);
        let found = |line: &str| {
            let of = words(line);
            calls.of(&of).map(|(place, ..)| calls.texts.at(place)).collect::<Vec<_>>()
        };
        let up = "docker compose up\t!-d !--detach";
        assert_eq!(found("docker --color never compose -f x.yml up web"), ["docker", up]);
        assert_eq!(found("docker compose up --detach"), ["docker"]);
        assert_eq!(found("docker-x"), ["docker-x"]);
        assert_eq!(found("sed s/a/b/ -i.bak file"), ["sed\t-i*"]);
        assert_eq!(found("sed s/a/b/ file"), [""; 0]);
        assert_eq!(found("codemod-cli run"), ["codemod*"]);
        assert!(found("").is_empty());
    }

    #[test]
    fn a_call_may_be_all_there_is() {
        let calls = calls(&["make $", "none*"]);
        for (line, is_all) in [
            ("make", true),
            ("make -j 8 -C web CC=clang", true),
            ("make clean", false),
            ("make -C web install", false),
        ] {
            assert_eq!(calls.has(&words(line)), is_all, "{line}");
        }
    }

    #[test]
    fn it_is_told_how_many_words_name_a_call() {
        let calls = calls(&["npm run test*", "none*"]);
        let line = words("npm --prefix web run test:unit -- --bail");
        assert_eq!(calls.of(&line).collect::<Vec<_>>(), [(0, 3, 5)]);
        assert!(!calls.has(&words("npm test")));
    }
}
