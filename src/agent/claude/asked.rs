//! The words of the tools by which the agent asks the person.

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct AskUserQuestion {
    questions: Vec<AskedQuestion>,
}

#[derive(Deserialize)]
struct AskedQuestion {
    question: String,
    #[serde(default)]
    options: Vec<AskedOption>,
}

#[derive(Deserialize)]
struct AskedOption {
    label: String,
    #[serde(default)]
    description: String,
}

#[derive(Deserialize)]
struct ExitPlanMode {
    #[serde(default)]
    plan: String,
}

/// The words of a tool by which the agent asks the person, as the client shows them; else empty.
pub(super) fn asked_by(tool: &str, input: &RawValue) -> String {
    match tool {
        "AskUserQuestion" => serde_json::from_str::<AskUserQuestion>(input.get())
            .map(|asked| asked.questions.iter().map(question_text).collect::<Vec<_>>().join("\n\n"))
            .unwrap_or_default(),
        "ExitPlanMode" => {
            let plan = serde_json::from_str::<ExitPlanMode>(input.get()).map(|asked| asked.plan);
            format!("{}\n\nExit plan mode?", plan.unwrap_or_default()).trim().to_owned()
        }
        _ => String::new(),
    }
}

fn question_text(asked: &AskedQuestion) -> String {
    let options = asked.options.iter().enumerate().map(|(index, option)| {
        let separator = if option.description.is_empty() { "" } else { ": " };
        format!("\n{}. {}{separator}{}", index + 1, option.label, option.description)
    });
    std::iter::once(asked.question.clone()).chain(options).collect()
}
