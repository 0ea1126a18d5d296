//! What a tool was called with, in a few words for the user. Pure.

use serde::Deserialize;

use super::deeds::{line_of, patched_files};
use super::line::Call;
use super::{ASKING_TOOL, plan, script};
use crate::agent::fields::Fields;
use crate::agent::record_text::shortened;

/// The arguments that tell a reader most, the most informative first.
const TELLING: [&str; 9] =
    ["cmd", "command", "path", "query", "url", "task_name", "message", "chars", "prompt"];

/// What the tool was called with, shortened. `None` if its name says everything.
pub(super) fn called_with(call: &Call) -> Option<String> {
    let name = call.name.as_deref().unwrap_or_default();
    let text = match (&call.arguments, &call.input, &call.action) {
        _ if name == plan::TOOL => return None,
        (Some(arguments), ..) if name == ASKING_TOOL => questions(arguments)?,
        (Some(arguments), ..) => by_arguments(arguments),
        (None, Some(input), _) => files_of(input)
            .or_else(|| script::first_value(input, "cmd"))
            .unwrap_or_else(|| input.trim().to_owned()),
        (None, None, Some(action)) => line_of(&action.command),
        (None, None, None) => return None,
    };
    let text = text.trim();
    (!text.is_empty()).then(|| shortened(text))
}

/// What a function's arguments say.
fn by_arguments(arguments: &str) -> String {
    let fields = Fields::read(arguments.as_bytes());
    let patched = fields.text("input").and_then(|patch| files_of(&patch));
    let told = || TELLING.iter().find_map(|name| fields.texts(name)).map(|words| line_of(&words));
    let Some(text) = patched.or_else(told) else {
        return if arguments.trim() == "{}" { String::new() } else { arguments.to_owned() };
    };
    // The agent's reason for leaving its sandbox, which the user has to approve.
    match fields.first_text(&["justification"]) {
        Some(why) => format!("{} ({why})", shortened(&text)),
        None => text,
    }
}

/// The files named in a patch, joined with commas.
fn files_of(patch: &str) -> Option<String> {
    let files: Vec<String> = patched_files(patch).collect();
    (!files.is_empty()).then(|| files.join(", "))
}

#[derive(Deserialize)]
struct Asked {
    questions: Vec<Question>,
}

#[derive(Deserialize)]
struct Question {
    question: String,
    options: Option<Vec<Choice>>,
}

#[derive(Deserialize)]
struct Choice {
    label: String,
    #[serde(default)]
    description: String,
}

/// The questions as the client shows them. `None` if the arguments contain none.
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
