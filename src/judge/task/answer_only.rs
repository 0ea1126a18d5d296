//! Prompts that ask for nothing but words for the person: given in the answer, they are all of it. Must not look at
//! other turns.

use super::phrases::{Group, Phrases};
use super::sentence::Sentence;
use crate::judge::words;

/// Whether a prompt asks for nothing but words for the person, such as a mail: given in the answer, they are all of it.
pub(super) fn is_told_in_words(prompt: &str, sentences: &[Sentence], phrases: &Phrases) -> bool {
    /// The noun stands within so many words of the verb.
    const NEAR: usize = 7;
    let [sentence] = sentences else { return false };
    let names_file = prompt
        .split_whitespace()
        .any(|word| word.trim_end_matches(|sign: char| !sign.is_alphanumeric()).contains(['/', '.', '`']));
    let words = &sentence.words;
    let Some(verb) =
        (0..words.len().min(NEAR)).find(|at| phrases.starts(&words[*at..], &[Group::PutsInWords]).is_some())
    else {
        return false;
    };
    let near = words.len().min(verb + NEAR);
    // What stands behind a preposition is what the text is about, or what something else is for.
    let before_topic = words::of("before_topic");
    let near = (verb..near).find(|at| before_topic.contains(&words[*at])).unwrap_or(near);
    !names_file
        && begins_clause(words, verb, phrases)
        && !phrases.has(words, Group::Joint)
        && (verb..near).any(|at| phrases.starts(&words[at..], &[Group::Texts]).is_some())
}

/// Whether a clause begins at `at`, or the words before it only lead to a verb.
pub(super) fn begins_clause(words: &[String], at: usize, phrases: &Phrases) -> bool {
    const LEADS: [Group; 4] = [Group::Joint, Group::Request, Group::Addition, Group::Filler];
    at == 0 || phrases.starts(&words[at - 1..at], &LEADS).is_some()
}
