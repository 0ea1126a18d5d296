//! The answers that a question offers, each with its key.

use crate::model::{Choice, Question};
use crate::ui::input::{KeyCode, KeyPress};

/// An answer with its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyedAnswer {
    /// The key, in lower case.
    pub(super) key: char,
    /// What the answer means. Untrusted text.
    pub(super) words: String,
    /// The text that goes into the box. Untrusted text.
    pub(super) answer: String,
}

/// The answers of a question, at most as many as there are keys.
pub(super) fn of(question: Option<&Question>) -> Vec<KeyedAnswer> {
    let choices = question.map(|question| question.choices.as_slice()).unwrap_or_default();
    let own: Option<Vec<char>> = choices.iter().map(own_key).collect();
    // Labels serve as keys only if each yields a key and all keys differ.
    let own = own.filter(|keys| keys.iter().enumerate().all(|(at, key)| !keys[..at].contains(key)));
    let keys = own.unwrap_or_else(|| ('1'..='9').collect());
    let answers = question.map(Question::answers).unwrap_or_default();
    let keyed = choices.iter().zip(answers).zip(keys).map(|((choice, answer), key)| KeyedAnswer {
        key,
        words: if choice.text.is_empty() { choice.label.clone() } else { choice.text.clone() },
        answer,
    });
    keyed.collect()
}

/// The index of the answer that a key selects. Full-width characters of an input method count as plain.
pub(super) fn given(answers: &[KeyedAnswer], press: KeyPress) -> Option<usize> {
    let KeyCode::Char(sign) = press.folded().code else { return None };
    let sign = sign.to_ascii_lowercase();
    (!press.ctrl && !press.alt).then(|| answers.iter().position(|answer| answer.key == sign)).flatten()
}

/// The label as a key, if it is a character that every keyboard has; of a word such as "yes", its first letter.
fn own_key(choice: &Choice) -> Option<char> {
    let mut signs = choice.label.chars();
    let sign = signs.next()?;
    let is_alone = signs.next().is_none();
    let is_key = sign.is_ascii_alphabetic() || (is_alone && sign.is_ascii_digit());
    is_key.then(|| sign.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Certainty, QuestionWeight};

    #[test]
    fn a_choice_has_the_key_that_its_label_is_else_a_number() {
        let keyed = |choices: &[(&str, &str)]| -> Vec<(char, String)> {
            let choice = |(label, text): &(&str, &str)| Choice {
                label: (*label).to_owned(),
                text: (*text).to_owned(),
            };
            let choices = choices.iter().map(choice).collect();
            let question = Question {
                text: String::new(),
                choices,
                weight: QuestionWeight::Blocking,
                certainty: Certainty::High,
            };
            of(Some(&question)).into_iter().map(|answer| (answer.key, answer.answer)).collect()
        };
        let wanted = |pairs: &[(char, &str)]| -> Vec<(char, String)> {
            pairs.iter().map(|(key, answer)| (*key, (*answer).to_owned())).collect()
        };
        assert_eq!(keyed(&[("1", "Postgres"), ("2", "SQLite")]), wanted(&[('1', "1"), ('2', "2")]));
        assert_eq!(keyed(&[("A", "now"), ("B", "later")]), wanted(&[('a', "A"), ('b', "B")]));
        assert_eq!(keyed(&[("yes", ""), ("no", "")]), wanted(&[('y', "yes"), ('n', "no")]));
        assert_eq!(keyed(&[("はい", ""), ("いいえ", "")]), wanted(&[('1', "はい"), ('2', "いいえ")]));
        assert_eq!(keyed(&[("-", "blue"), ("-", "red")]), wanted(&[('1', "blue"), ('2', "red")]));
        assert_eq!(of(None), []);
    }
}
