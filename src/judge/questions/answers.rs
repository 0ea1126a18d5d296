//! How answers are offered in each language: the words of `[answers]` in `assets/lang`, as the build wrote
//! them. Must not search for questions or options.

use strum::VariantArray as _;

use super::language::Language;
use crate::model::TextList;

/// How a language offers answers (`[answers]` in `assets/lang`).
pub(super) struct Answers {
    pub(super) yes: &'static str,
    pub(super) no: &'static str,
    pub(super) pairs: TextList,
    pub(super) begins: TextList,
    pub(super) ends: TextList,
    pub(super) asks_more: TextList,
    joins: TextList,
    tails: TextList,
}

/// The answers of each language, with its two-letter code.
static ANSWERS: [(&str, Answers); Language::VARIANTS.len()] =
    include!(concat!(env!("OUT_DIR"), "/answers.rs"));

/// The answers of all languages, beginning with `language`.
pub(super) fn answers(language: Language) -> impl Iterator<Item = &'static Answers> + Clone {
    let is_own = move |code: &str| code == language.code();
    let own = ANSWERS.iter().filter(move |(code, _)| is_own(code));
    let others = ANSWERS.iter().filter(move |(code, _)| !is_own(code));
    own.chain(others).map(|(_, answers)| answers)
}

/// The text without words and punctuation that join one option to the next, or ask to choose after the last.
pub(super) fn trimmed(text: &str) -> String {
    let marks = |sign: char| sign.is_whitespace() || ",;.?!/*、。，；？！(（".contains(sign);
    let text = text.trim_matches(marks);
    let all = || ANSWERS.iter().map(|(_, answers)| answers);
    let tail = all().flat_map(|answers| answers.tails.iter()).find_map(|tail| text.strip_suffix(tail));
    let text = tail.unwrap_or(text).trim_end_matches(marks);
    let joined = all().flat_map(|answers| answers.joins.iter()).find_map(|word| {
        let before = text.strip_suffix(word)?;
        (!word.is_ascii() || before.ends_with(char::is_whitespace)).then_some(before)
    });
    joined.unwrap_or(text).trim_matches(marks).to_owned()
}
