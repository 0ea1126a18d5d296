//! How tools are called: patterns of command words, looked up by first word. Must not know what a call means.
//!
//! In a pattern, `*` at the end of a word stands for the rest of that word.

use std::collections::HashMap;

/// Options before the name of a subcommand that take the next word as their value.
pub(super) const VALUE_OPTIONS: [&str; 16] = [
    "--prefix", "-C", "--dir", "--cwd", "--directory", "--manifest-path", "--filter", "-F", "-w",
    "--workspace", "--project", "--config", "--color", "-f", "--file", "--package",
];

/// A call as written in the file: `sed -i*`, `docker compose up !-d`.
#[derive(Debug, Clone)]
struct Pattern {
    /// The words that name it, in order.
    names: Vec<String>,
    /// Options that must be present.
    needed: Vec<String>,
    /// Options that must be absent.
    refused: Vec<String>,
}

/// Calls, each with what it stands for.
#[derive(Debug, Clone)]
pub(super) struct Calls<T> {
    by_first: HashMap<String, Vec<(Pattern, T)>>,
    /// Calls whose first word is given by its beginning only.
    by_stem: Vec<(Pattern, T)>,
}

impl<T> Default for Calls<T> {
    fn default() -> Self {
        Self { by_first: HashMap::new(), by_stem: Vec::new() }
    }
}

impl<T> Calls<T> {
    /// Adds a call that is named by all of its words.
    pub(super) fn add_named(&mut self, call: &str, value: T) {
        let names = call.split_whitespace().map(str::to_owned).collect();
        self.push(Pattern { names, needed: Vec::new(), refused: Vec::new() }, value);
    }

    /// Adds a call with options that must be present (`-i*`) or, after `!`, absent.
    pub(super) fn add(&mut self, call: &str, value: T) {
        let mut pattern = Pattern { names: Vec::new(), needed: Vec::new(), refused: Vec::new() };
        for part in call.split_whitespace() {
            match part.strip_prefix('!') {
                Some(refused) => pattern.refused.push(refused.to_owned()),
                None if part.starts_with('-') => pattern.needed.push(part.to_owned()),
                None => pattern.names.push(part.to_owned()),
            }
        }
        self.push(pattern, value);
    }

    fn push(&mut self, pattern: Pattern, value: T) {
        match pattern.names.first() {
            None => {}
            Some(first) if first.ends_with('*') => self.by_stem.push((pattern, value)),
            Some(first) => self.by_first.entry(first.clone()).or_default().push((pattern, value)),
        }
    }

    /// Everything that `words` call, in no particular order: for each, how many words name it and how many of
    /// `words` it takes.
    pub(super) fn of<'s>(&'s self, words: &[String]) -> impl Iterator<Item = (&'s T, usize, usize)> {
        let by_first = words.first().and_then(|first| self.by_first.get(first)).into_iter().flatten();
        by_first
            .chain(&self.by_stem)
            .filter_map(|(pattern, value)| Some((value, pattern.names.len(), pattern.named_by(words)?)))
    }

    /// Whether `words` call any of these.
    pub(super) fn has(&self, words: &[String]) -> bool {
        self.of(words).next().is_some()
    }
}

impl Pattern {
    /// How many of `words` the call takes, including options in between; `None` if the
    /// words call something else.
    fn named_by(&self, words: &[String]) -> Option<usize> {
        let mut at = 0;
        for part in &self.names {
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
        let has = |option: &String| words.iter().any(|word| is_word(option, word));
        (self.needed.iter().all(has) && !self.refused.iter().any(has)).then_some(at)
    }
}

fn is_word(part: &str, word: &str) -> bool {
    match part.strip_suffix('*') {
        Some(begin) => word.starts_with(begin),
        None => part == word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn calls_are_found_by_their_words_between_options() {
        let mut calls = Calls::default();
        calls.add("docker compose up !-d !--detach", "up");
        calls.add("sed -i*", "sed");
        calls.add("codemod*", "codemod");
        let found = |line: &str| calls.of(&words(line)).map(|(value, ..)| *value).collect::<Vec<_>>();
        assert_eq!(found("docker --color never compose -f x.yml up web"), ["up"]);
        assert_eq!(found("docker compose up --detach"), [""; 0]);
        assert_eq!(found("sed s/a/b/ -i.bak file"), ["sed"]);
        assert_eq!(found("sed s/a/b/ file"), [""; 0]);
        assert_eq!(found("codemod-cli run"), ["codemod"]);
        assert!(found("").is_empty());
    }

    #[test]
    fn it_is_told_how_many_words_name_a_call() {
        let mut calls = Calls::default();
        calls.add_named("npm run test*", ());
        let line = words("npm --prefix web run test:unit -- --bail");
        assert_eq!(calls.of(&line).collect::<Vec<_>>(), [(&(), 3, 5)]);
        assert!(!calls.has(&words("npm test")));
    }
}
