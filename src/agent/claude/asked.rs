//! What the agent asks the user through its tools, and what the user answered.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agent::record_text::{question_text, shortened, shortened_if_any};
use crate::model::{AskedOption, AskedQuestion};

/// The tool whose dialog has options.
const DIALOG: &str = "AskUserQuestion";
/// Further questions of a call, and further options of a question, are dropped. The client allows four of
/// each.
const MAX_QUESTIONS: usize = 8;
const MAX_OPTIONS: usize = 16;
/// The longest question kept, in characters.
const LONGEST_QUESTION: usize = 2000;

#[derive(Deserialize)]
struct AskUserQuestion {
    questions: Vec<InputQuestion>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InputQuestion {
    question: String,
    #[serde(default)]
    header: String,
    #[serde(default)]
    options: Vec<InputOption>,
    #[serde(default)]
    multi_select: bool,
}

#[derive(Deserialize)]
struct InputOption {
    label: String,
    #[serde(default)]
    description: String,
    /// A picture of what the option would look like.
    preview: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct Result {
    /// By the text of each question: the labels chosen, or the user's own words.
    answers: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct ExitPlanMode {
    #[serde(default)]
    plan: String,
}

/// The text of a tool call that asks the user, as the client shows it. Empty for any other tool.
pub(super) fn asked_by(tool: &str, input: &RawValue) -> String {
    match tool {
        DIALOG => serde_json::from_str::<AskUserQuestion>(input.get())
            .map(|asked| asked.questions.iter().map(text_of).collect::<Vec<_>>().join("\n\n"))
            .unwrap_or_default(),
        "ExitPlanMode" => {
            let plan = serde_json::from_str::<ExitPlanMode>(input.get()).map(|asked| asked.plan);
            format!("{}\n\nExit plan mode?", plan.unwrap_or_default()).trim().to_owned()
        }
        _ => String::new(),
    }
}

/// The questions of a call that opens a dialog with options. `None` for any other call.
pub(super) fn questions(tool: &str, input: &RawValue) -> Option<Vec<AskedQuestion>> {
    if tool != DIALOG {
        return None;
    }
    let input: AskUserQuestion = serde_json::from_str(input.get()).ok()?;
    let questions: Vec<AskedQuestion> =
        input.questions.iter().take(MAX_QUESTIONS).map(InputQuestion::asked).collect();
    (!questions.is_empty()).then_some(questions)
}

/// The answers to such a call, from what the client recorded next to its result (`toolUseResult`).
pub(super) fn answers(result: Option<&RawValue>) -> Option<Vec<(String, String)>> {
    let result: Result = serde_json::from_str(result?.get()).ok()?;
    Some(result.answers.into_iter().map(|(question, answer)| (cut(&question), shortened(&answer))).collect())
}

impl InputQuestion {
    fn asked(&self) -> AskedQuestion {
        let option = |option: &InputOption| AskedOption {
            label: shortened(&option.label),
            description: shortened(&option.description),
        };
        AskedQuestion {
            heading: shortened_if_any(&self.header),
            text: cut(&self.question),
            options: self.options.iter().take(MAX_OPTIONS).map(option).collect(),
            takes_several: self.multi_select,
            has_previews: self.options.iter().any(|option| option.preview.is_some()),
        }
    }
}

/// Cuts a question to [`LONGEST_QUESTION`] characters.
fn cut(text: &str) -> String {
    text.trim().chars().take(LONGEST_QUESTION).collect()
}

fn text_of(asked: &InputQuestion) -> String {
    let options = asked.options.iter();
    question_text(&asked.question, options.map(|option| (&*option.label, &*option.description)))
}
