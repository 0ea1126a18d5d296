//! Reads the embedded language files. They are TOML, of which only what they use is read here: tables,
//! strings and arrays of strings. (A reader of all of TOML takes longer for them than a whole check may.)

use std::borrow::Cow;

use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;
use serde::de::value::{Error, StrDeserializer};

use super::forms::Form;
use super::language::Language;
use super::notation::Words;

/// The language files, by name.
pub(super) const FILES: [(Language, &str); 8] = [
    (Language::English, include_str!("../../../assets/lang/en.toml")),
    (Language::Japanese, include_str!("../../../assets/lang/ja.toml")),
    (Language::Chinese, include_str!("../../../assets/lang/zh.toml")),
    (Language::Korean, include_str!("../../../assets/lang/ko.toml")),
    (Language::Spanish, include_str!("../../../assets/lang/es.toml")),
    (Language::German, include_str!("../../../assets/lang/de.toml")),
    (Language::French, include_str!("../../../assets/lang/fr.toml")),
    (Language::Portuguese, include_str!("../../../assets/lang/pt.toml")),
];

/// What stands in a language file above its groups.
pub(super) struct Head {
    pub(super) words: Words,
    pub(super) option_words: Vec<String>,
    pub(super) question_labels: Vec<String>,
}

/// Reads what stands above the groups.
pub(super) fn head(text: &str) -> Head {
    let mut head = Head { words: Words::Spaced, option_words: Vec::new(), question_labels: Vec::new() };
    let end = text.find("\n[").unwrap_or(text.len());
    entries(&text[..end], |_, key, value| match key {
        "words" if value == "joined" => head.words = Words::Joined,
        "option_words" => head.option_words.push(value.to_owned()),
        "question_labels" => head.question_labels.push(value.to_owned()),
        _ => {}
    });
    head
}

/// Calls `phrase` for each phrase with its group; the lists that it names in braces stand in their place.
pub(super) fn phrases(text: &str, mut phrase: impl FnMut(Form, &str)) {
    let mut last: Option<(&str, Option<Form>)> = None;
    let mut lists: Vec<(String, String)> = Vec::new();
    entries(text, |table, key, value| {
        if table == "lists" {
            lists.push((format!("{{{key}}}"), format!("({value})")));
            return;
        }
        if key != "phrases" {
            return;
        }
        let form = match last {
            Some((known, form)) if known == table => form,
            Some(_) | None => form(table),
        };
        last = Some((table, form));
        match form {
            Some(form) if value.contains('{') => {
                let whole =
                    lists.iter().fold(value.to_owned(), |phrase, (name, words)| phrase.replace(name, words));
                phrase(form, &whole);
            }
            Some(form) => phrase(form, value),
            None => {}
        }
    });
}

/// The group that a table (`forms.direct`) describes.
fn form(table: &str) -> Option<Form> {
    let name: StrDeserializer<'_, Error> = table.strip_prefix("forms.")?.into_deserializer();
    Form::deserialize(name).ok()
}

/// Calls `entry` for each string with its table and key.
fn entries<'t>(text: &'t str, mut entry: impl FnMut(&'t str, &'t str, &str)) {
    let (mut table, mut key) = ("", "");
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        match c {
            '#' => rest = after_line(rest),
            '"' | '\'' => {
                let (value, after) = string(rest);
                entry(table, key, &value);
                rest = after;
            }
            '[' if rest.len() == text.len() || text[..text.len() - rest.len()].ends_with('\n') => {
                let end = rest.find(']').unwrap_or(rest.len());
                table = &rest[1..end];
                rest = after_line(rest);
            }
            'a'..='z' => {
                let end = rest.find(|c: char| !c.is_ascii_lowercase() && c != '_').unwrap_or(rest.len());
                (key, rest) = rest.split_at(end);
            }
            _ => rest = &rest[c.len_utf8()..],
        }
    }
}

fn after_line(rest: &str) -> &str {
    rest.find('\n').map_or("", |end| &rest[end + 1..])
}

/// The string that `rest` begins with, and what follows it.
fn string(rest: &str) -> (Cow<'_, str>, &str) {
    let inner = &rest[1..];
    if rest.starts_with('\'') {
        let (value, after) = inner.split_once('\'').unwrap_or((inner, ""));
        return (value.into(), after);
    }
    let plain = inner.find(['"', '\\']).unwrap_or(inner.len());
    if !inner[plain..].starts_with('\\') {
        return (inner[..plain].into(), inner.get(plain + 1..).unwrap_or(""));
    }
    let mut value = inner[..plain].to_owned();
    let mut chars = inner[plain..].char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (value.into(), &inner[plain + at + 1..]),
            '\\' => value.extend(chars.next().map(|(_, escaped)| escaped)),
            _ => value.push(c),
        }
    }
    (value.into(), "")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::*;
    use crate::judge::questions::document::Document;

    /// A language file, read as TOML.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct LanguageFile {
        words: String,
        #[serde(default)]
        option_words: Vec<String>,
        #[serde(default)]
        question_labels: Vec<String>,
        /// Lists of words that phrases name in braces.
        #[serde(default)]
        lists: BTreeMap<String, String>,
        forms: BTreeMap<Form, Group>,
    }

    /// One group of phrases.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Group {
        #[serde(default)]
        phrases: Vec<String>,
        /// Sentences in which a phrase of the group must be found.
        #[serde(default)]
        examples: Vec<String>,
        /// Sentences in which none may be found.
        #[serde(default)]
        counter_examples: Vec<String>,
    }

    #[test]
    fn the_language_files_are_read_as_toml_reads_them() {
        for (name, text) in FILES {
            let file: LanguageFile = toml::from_str(text).unwrap();
            let head = head(text);
            assert_eq!(file.words == "joined", head.words == Words::Joined, "{name:?}");
            assert_eq!(file.option_words, head.option_words, "{name:?}");
            assert_eq!(file.question_labels, head.question_labels, "{name:?}");
            let mut read: BTreeMap<Form, Vec<String>> = BTreeMap::new();
            phrases(text, |form, phrase| read.entry(form).or_default().push(phrase.to_owned()));
            let mut expected = BTreeMap::new();
            for (form, mut group) in file.forms {
                for phrase in &mut group.phrases {
                    for (name, words) in &file.lists {
                        *phrase = phrase.replace(&format!("{{{name}}}"), &format!("({words})"));
                    }
                    let names_no_list = |rest: &str| rest.starts_with(|c: char| c.is_ascii_lowercase());
                    assert!(!phrase.split('{').skip(1).any(names_no_list), "{name:?}: {phrase}");
                }
                if !group.phrases.is_empty() {
                    expected.insert(form, group.phrases);
                }
            }
            assert_eq!(read, expected, "{name:?}");
        }
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
                            wrong.push(format!("{name:?} {form:?}: {example:?} found={found}"));
                        }
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
