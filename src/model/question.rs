//! A question that an agent asks the user.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Certainty;

/// A question in the agent's own words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// The sentence or sentences that ask. Untrusted text.
    pub text: String,
    /// The answers it offers, in their order; empty when it offers none.
    pub choices: Vec<Choice>,
    /// Whether work waits for the answer.
    pub weight: QuestionWeight,
    /// How certain it is that the words ask. A question that an agent asks with a tool is certain.
    #[serde(default)]
    pub certainty: Certainty,
}

impl Question {
    /// The text to send for each choice, in order: its label if the labels are distinct and contain letters
    /// or digits, otherwise its text.
    pub fn answers(&self) -> Vec<String> {
        let labels: Vec<&str> = self.choices.iter().map(|choice| choice.label.as_str()).collect();
        let is_naming = |(at, label): (usize, &&str)| {
            label.chars().any(char::is_alphanumeric) && !labels[..at].contains(label)
        };
        let are_naming = labels.iter().enumerate().all(is_naming);
        let answer = |choice: &Choice| {
            let is_label = are_naming || choice.text.is_empty();
            if is_label { choice.label.clone() } else { choice.text.clone() }
        };
        self.choices.iter().map(answer).collect()
    }
}

/// One answer that a question offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Choice {
    /// The mark before it (`1`, `A`, `-`), without punctuation.
    pub label: String,
    /// Its text. Untrusted.
    pub text: String,
}

/// Whether work waits for the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuestionWeight {
    /// The agent needs the answer to continue.
    Blocking,
    /// The deliverable is finished and the question proposes more.
    Offer,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_named_by_its_label_where_that_is_its_own() {
        let answers = |choices: [(&str, &str); 2]| {
            let choice =
                |(label, text): (&str, &str)| Choice { label: label.to_owned(), text: text.to_owned() };
            let choices = choices.into_iter().map(choice).collect();
            Question {
                text: String::new(),
                choices,
                weight: QuestionWeight::Blocking,
                certainty: Certainty::High,
            }
            .answers()
        };
        assert_eq!(answers([("1", "keep"), ("2", "drop")]), ["1", "2"]);
        assert_eq!(answers([("", "はい"), ("", "いいえ")]), ["はい", "いいえ"]);
        assert_eq!(answers([("1", "keep"), ("1", "drop")]), ["keep", "drop"]);
        assert_eq!(answers([("-", "keep"), ("*", "drop")]), ["keep", "drop"]);
        assert_eq!(answers([("はい", ""), ("いいえ", "")]), ["はい", "いいえ"]);
    }
}
