//! What a tool was called with, in a few words: the command, the file, the question.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agent::fields::Fields;
use crate::model::HOOK_TEXT;

/// Cuts a text to [`HOOK_TEXT`] characters.
pub(super) fn cut(text: &str) -> String {
    text.char_indices().nth(HOOK_TEXT).map_or(text, |(end, _)| &text[..end]).to_owned()
}

/// The input fields that say what a tool does, the most informative first. Fields with file contents are
/// not among them.
const TELLING: [&str; 9] =
    ["file_path", "filePath", "notebook_path", "path", "dir_path", "url", "pattern", "query", "description"];

#[derive(Deserialize)]
struct Question {
    question: String,
}

/// What a call does. `None` if the input does not say.
pub(super) fn what(input: &RawValue) -> Option<String> {
    let input = Fields::read(input.get().as_bytes());
    let questions: Option<Vec<Question>> = input.get("questions");
    let question = questions.and_then(|questions| Some(questions.into_iter().next()?.question));
    question.or_else(|| command(&input)).or_else(|| input.first_text(&TELLING))
}

/// A command, given as one string or as a list of arguments. For a patch (Codex), the first file in it.
fn command(input: &Fields<'_>) -> Option<String> {
    let line = input.texts("command")?.join(" ");
    if line.starts_with("*** Begin Patch") {
        let file = line.lines().find_map(|line| line.strip_prefix("*** ")?.split_once(" File: "));
        return file.map(|(_, file)| file.to_owned());
    }
    Some(line)
}

/// Gemini CLI's details of a permission request.
#[derive(Deserialize)]
pub(super) struct Details {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    title: String,
    #[serde(rename = "filePath")]
    file_path: Option<String>,
    command: Option<String>,
    #[serde(rename = "toolName")]
    tool_name: Option<String>,
    prompt: Option<String>,
}

impl Details {
    /// Whether it is a question rather than a permission request.
    pub(super) fn is_question(&self) -> bool {
        self.kind == "ask_user"
    }

    /// The tool, by the name the dialog uses.
    pub(super) fn tool(&self) -> Option<String> {
        let name = self.tool_name.clone().unwrap_or_else(|| match self.kind.as_str() {
            "edit" => "edit".to_owned(),
            "exec" => "shell".to_owned(),
            _ => self.title.clone(),
        });
        (!name.is_empty()).then_some(name)
    }

    /// What permission is asked for.
    pub(super) fn what(&self) -> Option<String> {
        [&self.command, &self.file_path, &self.prompt].into_iter().flatten().next().cloned()
    }
}
