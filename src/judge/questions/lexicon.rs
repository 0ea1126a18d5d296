//! The phrases of the language files of `assets/lang/` and where they stand in a sentence.
//! The notation of the phrases is explained at the top of `assets/lang/en.toml`.
//!
//! The files are embedded. The phrases of the languages that separate words and of those that do not are
//! made ready apart from each other, each when the first sentence needs them.

use std::sync::LazyLock;

use super::files::{self, FILES};
use super::forms::FormSet;
use super::language::Language;
use super::network::Network;
use super::notation;
use super::walk::Walk;

/// What the language files say besides their phrases.
#[derive(Default)]
pub(super) struct Lexicon {
    /// Words that name an option and are followed by its number or letter, in lower case.
    pub(super) option_words: Vec<String>,
    /// Labels that open a question line ("q", "frage"), in lower case.
    pub(super) question_labels: Vec<String>,
}

/// The option words and question labels of all languages.
pub(super) static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut lexicon = Lexicon::default();
    for (_, text) in FILES {
        let head = files::head(text);
        lexicon.option_words.extend(head.option_words);
        lexicon.question_labels.extend(head.question_labels);
    }
    lexicon
});

/// The phrases of each language, by its number, each made ready when the first sentence needs it.
static NETWORKS: [LazyLock<Network>; FILES.len()] = {
    const LANGUAGES: [Language; FILES.len()] = Language::ALL;
    [
        LazyLock::new(|| network(LANGUAGES[0])),
        LazyLock::new(|| network(LANGUAGES[1])),
        LazyLock::new(|| network(LANGUAGES[2])),
        LazyLock::new(|| network(LANGUAGES[3])),
        LazyLock::new(|| network(LANGUAGES[4])),
        LazyLock::new(|| network(LANGUAGES[5])),
        LazyLock::new(|| network(LANGUAGES[6])),
        LazyLock::new(|| network(LANGUAGES[7])),
    ]
};

/// The phrases of a language. What cannot be read is left out; the tests make sure that there is no such phrase.
fn network(language: Language) -> Network {
    let mut network = Network::new(16 * 1024);
    for (_, text) in FILES.into_iter().filter(|(known, _)| *known == language) {
        let words = files::head(text).words;
        files::phrases(text, |form, phrase| {
            let _ = notation::add(&mut network, phrase, words, FormSet::of(&[form]));
        });
    }
    network.finish()
}

/// A search for phrases, sentence by sentence.
#[derive(Default)]
pub(super) struct Search {
    walks: [Walk; FILES.len()],
}

impl Search {
    /// The groups whose phrases stand in a sentence of `language`: `spaced` with one blank between words and at
    /// both ends, `joined` without blanks (empty if the sentence has no such script).
    pub(super) fn find(&mut self, language: Language, spaced: &str, joined: &str) -> FormSet {
        let network = &NETWORKS[language as usize];
        let walk = &mut self.walks[language as usize];
        if !language.is_joined() {
            return if spaced.is_empty() { FormSet::EMPTY } else { walk.words(network, spaced) };
        }
        if joined.is_empty() {
            return FormSet::EMPTY;
        }
        let found = walk.characters(network, joined);
        match super::han::simplified(joined).filter(|_| language == Language::Chinese) {
            Some(simple) => found.with(walk.characters(network, &simple)),
            None => found,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Write as _;

    use regex::RegexBuilder;

    use super::*;
    use crate::judge::questions::document::Document;
    use crate::judge::questions::forms::Form;
    use crate::judge::questions::notation::Words;

    #[test]
    fn every_phrase_can_be_read() {
        for (name, text) in FILES {
            let words = files::head(text).words;
            files::phrases(text, |form, phrase| {
                let added = notation::add(&mut Network::new(64), phrase, words, FormSet::of(&[form]));
                assert_eq!(added, Ok(()), "{name:?} {form:?}: {phrase}");
            });
        }
    }

    /// What the notation means, said as a regular expression.
    fn expression(phrase: &str, words: Words) -> String {
        let (phrase, at_start) = phrase.strip_prefix('^').map_or((phrase, false), |rest| (rest, true));
        let (phrase, at_end) = phrase.strip_suffix('$').map_or((phrase, false), |rest| (rest, true));
        let spaced = words == Words::Spaced;
        let (gap, between) = if spaced { (" ... ", " (?:.* )?") } else { ("...", ".*") };
        let open = if spaced { phrase.strip_suffix(" ...") } else { None };
        let mut out = String::from(if at_start { "^" } else { "" });
        out.push_str(if spaced { " " } else { "" });
        let mut rest = open.unwrap_or(phrase);
        while let Some(c) = rest.chars().next() {
            if let Some(after) = rest.strip_prefix(gap) {
                out.push_str(between);
                rest = after;
                continue;
            }
            rest = &rest[c.len_utf8()..];
            match c {
                '(' => out.push_str("(?:"),
                '#' if spaced => out.push_str("[0-9]+(?: [.,] [0-9]+)?"),
                '#' => out.push_str("[0-9一二三四五六七八九十百千万数]+"),
                ')' | '|' => out.push(c),
                '^' if !spaced => out.push(c),
                '$' if !spaced => out.push_str(r"[.,:;!?)。、`\u{22}]*$"),
                '*' if out.ends_with(')') => out.push('*'),
                '*' => out.push_str(if spaced { "[^ ]*" } else { ".*" }),
                '\\' => {
                    let escaped = rest.chars().next().unwrap();
                    out.push_str(&regex::escape(escaped.encode_utf8(&mut [0; 4])));
                    rest = &rest[escaped.len_utf8()..];
                }
                _ => write!(out, "{}", regex::escape(c.encode_utf8(&mut [0; 4]))).unwrap(),
            }
        }
        out.push_str(if spaced { " " } else { "" });
        out.push_str(if open.is_some() { "(?:.* )?" } else { "" });
        if at_end {
            out.push_str(if spaced { r"(?:[.,:;!?)`\u{22}] )*$" } else { r"[.,:;!?)。、`\u{22}]*$" });
        }
        out
    }

    #[test]
    fn the_network_finds_what_the_phrases_find_as_regular_expressions() {
        let corpora = [
            include_str!("../../../tests/corpus/dev.jsonl"),
            include_str!("../../../tests/corpus/own.jsonl"),
        ];
        let mut texts = String::new();
        for line in corpora.iter().flat_map(|corpus| corpus.lines()) {
            let message: serde_json::Value = serde_json::from_str(line).unwrap();
            texts.push_str(message["text"].as_str().unwrap());
            texts.push_str("\n\n");
        }
        let sentences: Vec<_> = texts.split("\n\n").flat_map(|text| Document::read(text).sentences).collect();
        for (language, text) in FILES {
            let words = files::head(text).words;
            let mut groups: BTreeMap<Form, Vec<String>> = BTreeMap::new();
            files::phrases(text, |form, phrase| {
                groups.entry(form).or_default().push(expression(phrase, words));
            });
            let groups: Vec<_> = groups
                .into_iter()
                .map(|(form, all)| {
                    let all = RegexBuilder::new(&all.join("|")).size_limit(64 << 20).build().unwrap();
                    (form, all)
                })
                .collect();
            let mut search = Search::default();
            for sentence in &sentences {
                let (spaced, joined) = (sentence.normal.spaced.as_str(), sentence.normal.joined.as_str());
                let found = search.find(language, spaced, joined);
                let mut texts = vec![if words == Words::Spaced { spaced } else { joined }.to_owned()];
                if language == Language::Chinese {
                    texts.extend(crate::judge::questions::han::simplified(joined));
                }
                texts.retain(|text| !text.is_empty());
                for (form, expression) in &groups {
                    let expected = texts.iter().any(|text| expression.is_match(text));
                    assert_eq!(found.has(*form), expected, "{form:?}: {texts:?}");
                }
            }
        }
    }

    #[test]
    fn the_work_for_each_sign_has_a_bound_whatever_the_text_says() {
        let pieces = [
            "which ",
            "which one do you ",
            "if you ",
            "let me know if ",
            "i will ",
            "the ",
            "should i ... ",
            "please send me ",
            "so then now ",
            "1 of 2 . 5 ",
            "i'll you're ",
            "could you run it and ",
            "que vous l' ",
            "wenn du ",
            "どちら",
            "確認して",
            "お願いします",
            "请您告诉我",
            "알려주세요",
            "一二三",
            "ください、",
        ];
        for piece in pieces {
            let text = format!(" {}", piece.repeat(20_000 / piece.len()));
            let mut search = Search::default();
            let joined: String = text.chars().filter(|c| *c != ' ').collect();
            let signs = joined.chars().count().max(text.split(' ').count());
            let walked = |walk: &Walk| usize::try_from(walk.work).unwrap();
            for language in Language::ALL {
                search.find(language, &text, &joined);
            }
            let work = search.walks.iter().map(walked).max().unwrap();
            assert!(work < signs * 150, "{piece}: {work} steps for {signs} signs");
        }
    }
}
