//! Reads the language files of `assets/lang/` and finds their phrases in a sentence.
//! The notation of the phrases is explained at the top of `assets/lang/en.toml`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use super::forms::{Form, FormSet};

/// The language files, by name.
const FILES: [(&str, &str); 7] = [
    ("en", include_str!("../../../assets/lang/en.toml")),
    ("ja", include_str!("../../../assets/lang/ja.toml")),
    ("zh", include_str!("../../../assets/lang/zh.toml")),
    ("ko", include_str!("../../../assets/lang/ko.toml")),
    ("es", include_str!("../../../assets/lang/es.toml")),
    ("de", include_str!("../../../assets/lang/de.toml")),
    ("fr", include_str!("../../../assets/lang/fr.toml")),
];

/// How a language separates words, which decides how its phrases are matched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Words {
    /// Words are separated by blanks; a phrase matches whole words.
    Spaced,
    /// Blanks carry no meaning; a phrase matches anywhere.
    Joined,
}

/// One language file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LanguageFile {
    words: Words,
    #[serde(default)]
    option_words: Vec<String>,
    #[serde(default)]
    question_labels: Vec<String>,
    /// Lists of words that phrases name in braces.
    #[serde(default)]
    lists: BTreeMap<String, String>,
    forms: BTreeMap<Form, GroupFile>,
}

/// One group of phrases in a language file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupFile {
    #[serde(default)]
    phrases: Vec<String>,
    /// Sentences in which a phrase of the group must be found; read by the tests.
    #[serde(default)]
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests read them"))]
    examples: Vec<String>,
    /// Sentences in which none may be found; read by the tests.
    #[serde(default)]
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests read them"))]
    counter_examples: Vec<String>,
}

/// The phrases of all languages that separate words in one way, group by group.
#[derive(Default)]
struct Family {
    groups: Vec<Phrases>,
}

/// The phrases of one group.
///
/// A gap in a phrase multiplies the states of the automaton, so a sentence has to pass a gate
/// without gaps first: the longest part of each phrase.
struct Phrases {
    form: Form,
    gate: Regex,
    /// The phrases as they are, where one of them has a gap.
    whole: Option<Regex>,
}

/// The phrases of one group, as expressions.
#[derive(Default)]
struct Group {
    gate: Vec<String>,
    whole: Vec<String>,
    has_gap: bool,
}

/// All phrases, ready to match.
#[derive(Default)]
pub(super) struct Lexicon {
    spaced: Family,
    joined: Family,
    /// Words that name an option and are followed by its number or letter, in lower case.
    pub(super) option_words: Vec<String>,
    /// Labels that open a question line ("q", "frage"), in lower case.
    pub(super) question_labels: Vec<String>,
}

/// The embedded language files, compiled at the first use.
pub(super) static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    // A file that does not compile leaves the detector without phrases; the tests of this module
    // make sure that this cannot be shipped.
    read(&FILES).unwrap_or_default()
});

impl Lexicon {
    /// The groups, of those wanted, whose phrases stand in a sentence: `spaced` with one blank
    /// between words and at both ends, `joined` without blanks (empty if the sentence has no such
    /// script).
    pub(super) fn find(&self, spaced: &str, joined: &str, wanted: FormSet) -> FormSet {
        let mut found = FormSet::default();
        if !spaced.is_empty() {
            self.spaced.find(spaced, wanted, &mut found);
        }
        if !joined.is_empty() {
            self.joined.find(joined, wanted, &mut found);
            if let Some(simple) = super::han::simplified(joined) {
                self.joined.find(&simple, wanted, &mut found);
            }
        }
        found
    }
}

impl Family {
    fn find(&self, text: &str, wanted: FormSet, found: &mut FormSet) {
        for group in self.groups.iter().filter(|group| wanted.has(group.form)) {
            let passes = group.gate.is_match(text);
            if passes && group.whole.as_ref().is_none_or(|whole| whole.is_match(text)) {
                found.insert(group.form);
            }
        }
    }

    fn compile(groups: &BTreeMap<Form, Group>) -> Result<Self, String> {
        let compile = |expressions: &[String]| {
            RegexBuilder::new(&expressions.join("|"))
                .size_limit(32 << 20)
                .dfa_size_limit(4 << 20)
                .build()
                .map_err(|error| error.to_string())
        };
        let groups = groups
            .iter()
            .filter(|(_, group)| !group.whole.is_empty())
            .map(|(form, group)| {
                let whole = if group.has_gap { Some(compile(&group.whole)?) } else { None };
                Ok(Phrases { form: *form, gate: compile(&group.gate)?, whole })
            })
            .collect::<Result<_, String>>()?;
        Ok(Self { groups })
    }
}

/// The parts of a phrase between its gaps; a gap inside brackets does not divide it.
fn parts(phrase: &str, words: Words) -> Vec<&str> {
    let gap = if words == Words::Spaced { " ... " } else { "..." };
    let mut parts = Vec::new();
    let (mut depth, mut from, mut at) = (0_usize, 0, 0);
    while let Some(c) = phrase[at..].chars().next() {
        if depth == 0 && phrase[at..].starts_with(gap) {
            parts.push(&phrase[from..at]);
            at += gap.len();
            from = at;
            continue;
        }
        match c {
            '\\' => at += 1,
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += phrase[at..].chars().next().map_or(1, char::len_utf8);
    }
    parts.push(&phrase[from.min(phrase.len())..]);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Parses and compiles the files; the error names the file.
fn read(files: &[(&str, &str)]) -> Result<Lexicon, String> {
    let mut lexicon = Lexicon::default();
    let (mut spaced, mut joined): (BTreeMap<Form, Group>, BTreeMap<Form, Group>) = Default::default();
    for (name, text) in files {
        let file: LanguageFile = toml::from_str(text).map_err(|error| format!("{name}: {error}"))?;
        let target = match file.words {
            Words::Spaced => &mut spaced,
            Words::Joined => &mut joined,
        };
        for (form, group) in &file.forms {
            let target: &mut Group = target.entry(*form).or_default();
            for phrase in &group.phrases {
                let phrase = with_lists(phrase, &file.lists);
                if phrase.split('{').skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase())) {
                    return Err(format!("{name}: no list of that name: {phrase}"));
                }
                let parts = parts(&phrase, file.words);
                target.has_gap |= parts.len() > 1;
                let longest = parts.into_iter().max_by_key(|part| part.len()).unwrap_or(&phrase);
                target.gate.push(translate(longest, file.words));
                target.whole.push(translate(&phrase, file.words));
            }
        }
        lexicon.option_words.extend(file.option_words);
        lexicon.question_labels.extend(file.question_labels);
    }
    lexicon.spaced = Family::compile(&spaced).map_err(|error| format!("spaced: {error}"))?;
    lexicon.joined = Family::compile(&joined).map_err(|error| format!("joined: {error}"))?;
    Ok(lexicon)
}

/// Puts the lists of the file in the place of their names in braces.
fn with_lists(phrase: &str, lists: &BTreeMap<String, String>) -> String {
    lists.iter().fold(phrase.to_owned(), |phrase, (name, words)| {
        phrase.replace(&format!("{{{name}}}"), &format!("({words})"))
    })
}

/// The end of a sentence without blanks: signs that close it, and nothing more.
const JOINED_END: &str = r"[.,:;!?)。、`\u{22}]*$";

/// Turns the notation of the language files into a regular expression.
fn translate(phrase: &str, words: Words) -> String {
    let (phrase, at_start) = phrase.strip_prefix('^').map_or((phrase, false), |rest| (rest, true));
    let (phrase, at_end) = phrase.strip_suffix('$').map_or((phrase, false), |rest| (rest, true));
    let spaced = words == Words::Spaced;
    let mut out = String::from(if at_start { "^" } else { "" });
    if spaced {
        out.push(' ');
    }
    // A gap at the end stands for the rest of the sentence.
    let (phrase, open_end) = if spaced {
        phrase.strip_suffix(" ...").map_or((phrase, false), |rest| (rest, true))
    } else {
        (phrase, false)
    };
    let mut rest = phrase;
    while let Some(c) = rest.chars().next() {
        let gap = if spaced { " ... " } else { "..." };
        if let Some(after) = rest.strip_prefix(gap) {
            out.push_str(if spaced { " (?:.* )?" } else { ".*" });
            rest = after;
            continue;
        }
        match c {
            '(' => out.push_str("(?:"),
            '#' if spaced => out.push_str("[0-9]+(?: [.,] [0-9]+)?"),
            '#' => out.push_str("[0-9一二三四五六七八九十百千万数]+"),
            ')' | '|' => out.push(c),
            '^' if !spaced => out.push(c),
            '$' if !spaced => out.push_str(JOINED_END),
            '*' if out.ends_with(')') => out.push('*'),
            '*' if spaced => out.push_str("[^ ]*"),
            '*' => out.push_str(".*"),
            '\\' => {
                rest = &rest[1..];
                let escaped = rest.chars().next().unwrap_or('\\');
                out.push_str(&regex::escape(escaped.encode_utf8(&mut [0; 4])));
                if rest.is_empty() {
                    break;
                }
                rest = &rest[escaped.len_utf8()..];
                continue;
            }
            _ => {
                let _ = write!(out, "{}", regex::escape(c.encode_utf8(&mut [0; 4])));
            }
        }
        rest = &rest[c.len_utf8()..];
    }
    if spaced {
        out.push(' ');
    }
    if open_end {
        out.push_str("(?:.* )?");
    }
    if at_end {
        out.push_str(if spaced { r"(?:[.,:;!?)`\u{22}] )*$" } else { JOINED_END });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::questions::document::Document;

    #[test]
    fn the_language_files_compile() {
        read(&FILES).unwrap();
    }

    #[test]
    fn every_example_in_a_language_file_is_found_and_every_counter_example_is_not() {
        let mut wrong = Vec::new();
        for (name, text) in FILES {
            let file: LanguageFile = toml::from_str(text).unwrap();
            for (form, group) in &file.forms {
                for (examples, expected) in [(&group.examples, true), (&group.counter_examples, false)] {
                    for example in examples {
                        let document = Document::read(example);
                        let found = document.sentences.iter().any(|sentence| sentence.forms.has(*form));
                        if found != expected {
                            wrong.push(format!("{name} {form:?}: {example:?} found={found}"));
                        }
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
