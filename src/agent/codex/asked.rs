//! The words of the tool by which the agent asks the person. Pure.

use serde::Deserialize;

#[derive(Deserialize)]
struct Asked {
    questions: Vec<Question>,
}

#[derive(Deserialize)]
struct Question {
    question: String,
    #[serde(default)]
    options: Option<Vec<Choice>>,
}

#[derive(Deserialize)]
struct Choice {
    label: String,
    #[serde(default)]
    description: String,
}

/// The questions as the client shows them; `None` if the arguments are no questions.
pub(super) fn questions(arguments: &str) -> Option<String> {
    let asked: Asked = serde_json::from_str(arguments).ok()?;
    let text = asked.questions.iter().map(text_of).collect::<Vec<_>>().join("\n\n");
    (!text.is_empty()).then_some(text)
}

fn text_of(asked: &Question) -> String {
    let options = asked.options.iter().flatten().enumerate().map(|(index, option)| {
        let separator = if option.description.is_empty() { "" } else { ": " };
        format!("\n{}. {}{separator}{}", index + 1, option.label, option.description)
    });
    std::iter::once(asked.question.clone()).chain(options).collect()
}
