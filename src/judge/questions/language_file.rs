//! A language file of `assets/lang/` as TOML. Part of the build script and of tests only: the program must not
//! read it, but embeds what the build makes of it.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::building::Builder;
use super::forms::{Form, FormSet};
use super::notation::{self, Spacing};
use super::writing;

/// The content of a language file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LanguageFile {
    pub(super) words: Spacing,
    /// Spacing that name an option when followed by its number or letter, in lower case.
    #[serde(default)]
    pub(super) option_words: Vec<String>,
    /// Labels that open a question line ("q", "frage"), in lower case.
    #[serde(default)]
    pub(super) question_labels: Vec<String>,
    /// How answers are offered.
    pub(super) answers: Answers,
    /// Lists of words that phrases name in braces.
    #[serde(default)]
    lists: BTreeMap<String, String>,
    pub(super) forms: BTreeMap<Form, Group>,
}

/// The answers yes and no, how to recognise a question that asks for them, and how
/// options are joined. All in lower case.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answers {
    pub(super) yes: String,
    pub(super) no: String,
    /// The pair as a writer puts it after a question.
    pub(super) pairs: Vec<String>,
    /// How the asking clause begins.
    #[serde(default)]
    pub(super) begins: Vec<String>,
    /// How it ends, without its question mark.
    #[serde(default)]
    pub(super) ends: Vec<String>,
    /// What asks for more than a yes or a no.
    pub(super) asks_more: Vec<String>,
    /// Spacing between one option and the next.
    pub(super) joins: Vec<String>,
    /// Spacing directly after a sentence's last option that ask to choose.
    #[serde(default)]
    pub(super) tails: Vec<String>,
}

/// One group of phrases.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Group {
    #[serde(default)]
    phrases: Vec<String>,
    /// Sentences in which a phrase of the group must be found.
    #[serde(default)]
    pub(super) examples: Vec<String>,
    /// Sentences in which none may be found.
    #[serde(default)]
    pub(super) counter_examples: Vec<String>,
}

impl LanguageFile {
    /// The phrases with their groups, with lists in braces filled in.
    pub(super) fn phrases(&self) -> impl Iterator<Item = (Form, String)> {
        let in_groups = |(form, group): (&Form, &'_ Group)| {
            let form = *form;
            group.phrases.iter().map(move |phrase| (form, phrase.clone())).collect::<Vec<_>>()
        };
        self.forms.iter().flat_map(in_groups).map(|(form, phrase)| {
            let lists = self.lists.iter();
            let whole = lists.fold(phrase, |phrase, (name, words)| {
                phrase.replace(&format!("{{{name}}}"), &format!("({words})"))
            });
            (form, whole)
        })
    }

    /// The network of the phrases, in serialised form.
    ///
    /// # Errors
    /// Names the phrase that cannot be read, and why.
    pub(super) fn network(&self) -> Result<Vec<u8>, String> {
        let mut builder = Builder::new();
        for (form, phrase) in self.phrases() {
            let names_list = |rest: &str| rest.starts_with(|c: char| c.is_ascii_lowercase());
            if phrase.split('{').skip(1).any(names_list) {
                return Err(format!("a list that is not there: {phrase}"));
            }
            // They would be taken as they are written, and never be found.
            let within = phrase.trim_start_matches('^').trim_end_matches('$');
            let is_dead = [")...", ")*...", "^", "$"].iter().any(|sign| within.contains(sign));
            if self.words == Spacing::Spaced && is_dead {
                return Err(format!("no blank before `...`, or `^` or `$` within the phrase: {phrase}"));
            }
            notation::add(&mut builder, &phrase, self.words, FormSet::of(&[form]))
                .map_err(|error| format!("{error}: {phrase}"))?;
        }
        writing::write(&builder.finish())
    }
}
