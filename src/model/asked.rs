//! A question that an agent asks through a tool of its own; its screen shows a dialog with options.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Certainty, Choice, Question, QuestionWeight};

/// A call of such a tool that was not answered yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AskedByTool {
    /// The call's id. Untrusted text.
    pub call: String,
    /// Its questions, in their order.
    pub questions: Vec<AskedQuestion>,
    /// Whether no other call of the session stands open beside it. With others it is not certain which of
    /// them its screen shows a dialog for.
    pub is_alone: bool,
}

/// One question with its options.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AskedQuestion {
    /// What it is about, in a word or two. Untrusted text.
    pub heading: Option<String>,
    /// The question. Untrusted text.
    pub text: String,
    /// The answers that it offers, in their order.
    pub options: Vec<AskedOption>,
    /// Whether several of them can be chosen.
    pub takes_several: bool,
    /// Whether an option has a picture of what it would be: its screen then shows another dialog.
    pub has_previews: bool,
}

/// One answer that is offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AskedOption {
    /// Its name, shortened. Untrusted text.
    pub label: String,
    /// What it means, shortened; empty where nothing says so. Untrusted text.
    pub description: String,
}

/// The answer to such a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnsweredByTool {
    /// The id of the tool call. Untrusted text.
    pub call: String,
    /// Each question with the chosen labels or the typed answer. Untrusted text.
    pub answers: Vec<(String, String)>,
}

impl AskedByTool {
    /// The same as a question in words. The options become its choices only if there is exactly one question.
    pub fn as_question(&self) -> Question {
        let texts: Vec<&str> = self.questions.iter().map(|asked| asked.text.as_str()).collect();
        let choices = match self.questions.as_slice() {
            [one] => one.options.iter().enumerate().map(|(at, option)| option.as_choice(at)).collect(),
            _ => Vec::new(),
        };
        Question {
            text: texts.join("\n"),
            choices,
            weight: QuestionWeight::Blocking,
            certainty: Certainty::High,
        }
    }
}

impl AskedQuestion {
    /// The question, preceded by its heading if it has one.
    pub fn label(&self) -> String {
        let heading = self.heading.as_ref().map(|heading| format!("{heading}: "));
        format!("{}{}", heading.unwrap_or_default(), self.text)
    }
}

impl AskedOption {
    /// The option's name and its meaning.
    pub fn label(&self) -> String {
        let separator = if self.description.is_empty() { "" } else { ": " };
        format!("{}{separator}{}", self.label, self.description)
    }

    fn as_choice(&self, at: usize) -> Choice {
        Choice { label: (at + 1).to_string(), text: self.label() }
    }
}
