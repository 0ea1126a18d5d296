//! How tools are called: patterns of command words, looked up by first word. Must not know what a call means.
//!
//! In a pattern, `*` at the end of a word stands for the rest of that word, at its beginning for what precedes, and `$`
//! for the end: no word but options, their values and settings follows.

/// Options before the name of a subcommand that take the next word as their value.
pub(super) const VALUE_OPTIONS: [&str; 16] = [
    "--prefix", "-C", "--dir", "--cwd", "--directory", "--manifest-path", "--filter", "-F", "-w",
    "--workspace", "--project", "--config", "--color", "-f", "--file", "--package",
];

/// A call as written in the file: `sed -i*`, `docker compose up !-d`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pattern {
    /// The words that name it, in order.
    pub(super) names: &'static [&'static str],
    /// Options that must be present.
    pub(super) needed: &'static [&'static str],
    /// Options that must be absent.
    pub(super) refused: &'static [&'static str],
}

/// Calls, each with what it stands for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Calls<T: 'static> {
    /// Sorted by first word.
    pub(super) by_first: &'static [(Pattern, T)],
    /// Calls whose first word is given by its beginning only.
    pub(super) by_stem: &'static [(Pattern, T)],
}

impl<T: 'static> Calls<T> {
    /// Everything that `words` call, in no particular order: for each, how many words name it and how many of
    /// `words` it takes.
    pub(super) fn of<'s>(&'s self, words: &[String]) -> impl Iterator<Item = (&'s T, usize, usize)> {
        let order = |(pattern, _): &(Pattern, T)| {
            let first = words.first().map(String::as_str);
            pattern.names.first().copied().cmp(&first)
        };
        let from = self.by_first.partition_point(|call| order(call).is_lt());
        let to = self.by_first.partition_point(|call| order(call).is_le());
        self.by_first[from..to]
            .iter()
            .chain(self.by_stem)
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
        for part in self.names {
            if *part == "$" {
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
        let has = |option: &&str| words.iter().any(|word| is_word(option, word));
        (self.needed.iter().all(has) && !self.refused.iter().any(has)).then_some(at)
    }
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

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn calls_are_found_by_their_words_between_options() {
        let call = |names, needed, refused| Pattern { names, needed, refused };
        let calls: Calls<&str> = Calls {
            by_first: Box::leak(Box::new([
                (call(&["docker", "compose", "up"], &[], &["-d", "--detach"]), "up"),
                (call(&["sed"], &["-i*"], &[]), "sed"),
            ])),
            by_stem: Box::leak(Box::new([(call(&["codemod*"], &[], &[]), "codemod")])),
        };
        let found = |line: &str| calls.of(&words(line)).map(|(value, ..)| *value).collect::<Vec<_>>();
        assert_eq!(found("docker --color never compose -f x.yml up web"), ["up"]);
        assert_eq!(found("docker compose up --detach"), [""; 0]);
        assert_eq!(found("sed s/a/b/ -i.bak file"), ["sed"]);
        assert_eq!(found("sed s/a/b/ file"), [""; 0]);
        assert_eq!(found("codemod-cli run"), ["codemod"]);
        assert!(found("").is_empty());
    }

    #[test]
    fn a_call_may_be_all_there_is() {
        let pattern = Pattern { names: &["make", "$"], needed: &[], refused: &[] };
        let calls: Calls<()> = Calls { by_first: Box::leak(Box::new([(pattern, ())])), by_stem: &[] };
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
        let pattern = Pattern { names: &["npm", "run", "test*"], needed: &[], refused: &[] };
        let calls: Calls<()> = Calls { by_first: Box::leak(Box::new([(pattern, ())])), by_stem: &[] };
        let line = words("npm --prefix web run test:unit -- --bail");
        assert_eq!(calls.of(&line).collect::<Vec<_>>(), [(&(), 3, 5)]);
        assert!(!calls.has(&words("npm test")));
    }
}
