//! How a person answers a question without a wish for work: with a no, or later. Must not look at the question.

use super::phrases::{Group, PHRASES, Phrases};
use super::sentence::{Sentence, sentences};

/// Whether a short sentence puts an answer off, and asks for nothing beside.
pub(super) fn asks_for_time(sentence: &Sentence, phrases: &Phrases) -> bool {
    const LONGEST: usize = 12;
    if sentence.is_question || sentence.words.len() > LONGEST {
        return false;
    }
    if sentence.is_joined() {
        let has = |group: Group| phrases.joined(group).any(|phrase| sentence.joined.contains(phrase));
        return has(Group::Thinks) && !has(Group::Work) && !has(Group::Request);
    }
    let mut words = sentence.words.as_slice();
    while phrases.starts(words, &[Group::Thinks]).is_none() {
        let before = [Group::Yes, Group::No, Group::Praise, Group::Filler, Group::Thanks, Group::Addition];
        let Some(n) = phrases.starts(words, &before) else { return false };
        words = &words[n..];
    }
    let n = phrases.starts(words, &[Group::Thinks]).unwrap_or_default();
    let asks = [Group::Work, Group::Request, Group::GoOn, Group::Joint];
    !(n..words.len()).any(|at| phrases.starts(&words[at..], &asks).is_some())
}

/// Whether a text begins with a no, in any language.
pub(in crate::judge) fn begins_with_no(text: &str) -> bool {
    let phrases = &PHRASES;
    sentences(text).first().is_some_and(|first| {
        phrases.starts(&first.words, &[Group::No]).is_some()
            || first.is_joined() && phrases.joined(Group::No).any(|no| first.joined.starts_with(no))
    })
}
