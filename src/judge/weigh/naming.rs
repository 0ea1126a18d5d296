//! What prompts name, and what else names the same. Must not know what is said of it.

use crate::judge::word_split::{is_spaced, words_by_script};
use crate::judge::words;

/// Whether a text names something that `prompts` name.
pub(super) fn names_same(text: &str, prompts: &[String]) -> bool {
    let (text, asked) = (text.to_lowercase(), prompts.join("\n").to_lowercase());
    let asked: Vec<&str> = words_by_script(&asked).filter(|word| names_something(word)).collect();
    words_by_script(&text).any(|word| asked.contains(&word))
}

/// Whether a word of a prompt can name a part of the request.
pub(super) fn names_something(word: &str) -> bool {
    word.chars().count() > if is_spaced(word) { 3 } else { 1 } && !words::of("names_nothing").contains(word)
}
