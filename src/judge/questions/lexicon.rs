//! The phrases of the language files in `assets/lang/`, and which of them a sentence contains. The top of
//! `assets/lang/en.toml` explains their notation. Must not interpret a phrase.
//!
//! The program embeds what the build made of the files (`assets/build.rs`).

use strum::VariantArray as _;

use super::forms::FormSet;
use super::language::Language;
use super::network::Network;
use super::walk::Walk;
use crate::model::TextList;

/// The content of the language files other than phrases.
pub(super) struct Lexicon {
    /// Words that name an option when followed by its number or letter, in lower case.
    pub(super) option_words: TextList,
    /// Labels that open a question line ("q", "frage"), in lower case.
    pub(super) question_labels: TextList,
}

/// The option words and question labels of all languages.
pub(super) static LEXICON: Lexicon = Lexicon {
    option_words: include!(concat!(env!("OUT_DIR"), "/option_words.rs")),
    question_labels: include!(concat!(env!("OUT_DIR"), "/question_labels.rs")),
};

/// The networks of each language's phrases, as the build wrote them.
macro_rules! networks {
    ($($code:literal),*) => {
        [$(Network::read(include_bytes!(concat!(env!("OUT_DIR"), "/", $code, ".network")))),*]
    };
}

/// How many languages there are.
const N_LANGUAGES: usize = Language::VARIANTS.len();

/// The phrases of each language, by its number.
static NETWORKS: [Network<'static>; N_LANGUAGES] = networks!("en", "ja", "zh", "ko", "es", "de", "fr", "pt");

/// A search for phrases, sentence by sentence.
#[derive(Default)]
pub(super) struct Search {
    walks: [Walk; N_LANGUAGES],
}

impl Search {
    /// The groups with a phrase in a sentence of `language`. `spaced` has a single space between words and at
    /// both ends; `joined` has no spaces, and is empty if the sentence has no script that does without them.
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
    use crate::judge::questions::language_file::LanguageFile;
    use crate::judge::questions::notation::Spacing;

    /// The language files.
    fn files() -> impl Iterator<Item = (Language, LanguageFile)> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/lang");
        Language::VARIANTS.iter().map(move |&language| {
            let text = std::fs::read_to_string(format!("{folder}/{}.toml", language.code())).unwrap();
            (language, toml::from_str(&text).unwrap())
        })
    }

    #[test]
    fn each_language_has_its_own_network_and_each_file_is_a_language() {
        for (language, file) in files() {
            let written = file.network().unwrap();
            let (written, known) = (Network::read(&written), &NETWORKS[language as usize]);
            assert_eq!(written.n_nodes(), known.n_nodes(), "{language:?}");
            assert!(file.option_words.iter().all(|word| LEXICON.option_words.contains(word)));
            assert!(file.question_labels.iter().all(|word| LEXICON.question_labels.contains(word)));
        }
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/lang");
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), N_LANGUAGES);
    }

    #[test]
    fn every_example_in_a_language_file_is_found_and_every_counter_example_is_not() {
        let mut wrong = Vec::new();
        for (name, file) in files() {
            for (form, group) in &file.forms {
                for (examples, expected) in [(&group.examples, true), (&group.counter_examples, false)] {
                    for example in examples {
                        let document = Document::read(example);
                        let found = document.sentences.iter().any(|sentence| sentence.forms.has(*form));
                        if found != expected {
                            wrong.push(format!("{name:?} {form:?}: {example:?} found={found}"));
                        }
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    /// The meaning of the notation, as a regular expression.
    fn expression(phrase: &str, words: Spacing) -> String {
        let (phrase, at_start) = phrase.strip_prefix('^').map_or((phrase, false), |rest| (rest, true));
        let (phrase, at_end) = phrase.strip_suffix('$').map_or((phrase, false), |rest| (rest, true));
        let spaced = words == Spacing::Spaced;
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
        for (language, file) in files() {
            let words = file.words;
            let mut groups: BTreeMap<Form, Vec<String>> = BTreeMap::new();
            for (form, phrase) in file.phrases() {
                groups.entry(form).or_default().push(expression(&phrase, words));
            }
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
                let mut texts = vec![if words == Spacing::Spaced { spaced } else { joined }.to_owned()];
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
            "which ", "which one do you ", "if you ", "let me know if ", "i will ", "the ", "should i ... ",
            "please send me ", "so then now ", "1 of 2 . 5 ", "i'll you're ", "could you run it and ",
            "que vous l' ", "wenn du ", "どちら", "確認して", "お願いします", "请您告诉我", "알려주세요",
            "一二三", "ください、",
        ];
        for piece in pieces {
            let text = format!(" {}", piece.repeat(20_000 / piece.len()));
            let mut search = Search::default();
            let joined: String = text.chars().filter(|c| *c != ' ').collect();
            let signs = joined.chars().count().max(text.split(' ').count());
            let walked = |walk: &Walk| usize::try_from(walk.work).unwrap();
            for &language in Language::VARIANTS {
                search.find(language, &text, &joined);
            }
            let work = search.walks.iter().map(walked).max().unwrap();
            assert!(work < signs * 150, "{piece}: {work} steps for {signs} signs");
        }
    }
}
