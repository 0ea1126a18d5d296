//! What a tool is called with, in a few words: the command, the file, the question.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::model::HOOK_TEXT;

/// The begin of a text.
pub(super) fn cut(text: &str) -> String {
    text.char_indices().nth(HOOK_TEXT).map_or(text, |(end, _)| &text[..end]).to_owned()
}

/// The fields of a tool's input that can say what it does; those that hold contents are passed over.
#[derive(Deserialize)]
struct Input<'a> {
    #[serde(borrow, default)]
    command: Option<&'a RawValue>,
    #[serde(borrow, default, alias = "filePath")]
    file_path: Option<&'a RawValue>,
    #[serde(borrow, default)]
    notebook_path: Option<&'a RawValue>,
    #[serde(borrow, default)]
    path: Option<&'a RawValue>,
    #[serde(borrow, default)]
    dir_path: Option<&'a RawValue>,
    #[serde(borrow, default)]
    url: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pattern: Option<&'a RawValue>,
    #[serde(borrow, default)]
    query: Option<&'a RawValue>,
    #[serde(borrow, default)]
    description: Option<&'a RawValue>,
    #[serde(borrow, default)]
    questions: Option<&'a RawValue>,
}

/// The first question of a list of them.
#[derive(Deserialize)]
struct Question {
    question: String,
}

/// What a call does. `None` when nothing in the input says so.
pub(super) fn what(input: &RawValue) -> Option<String> {
    let input: Input<'_> = serde_json::from_str(input.get()).ok()?;
    let question = input.questions.and_then(|questions| {
        let questions: Vec<Question> = serde_json::from_str(questions.get()).ok()?;
        questions.into_iter().next().map(|question| question.question)
    });
    let command = input.command.and_then(command);
    let plain = [
        input.file_path,
        input.notebook_path,
        input.path,
        input.dir_path,
        input.url,
        input.pattern,
        input.query,
        input.description,
    ];
    let plain = || plain.into_iter().flatten().find_map(|field| serde_json::from_str(field.get()).ok());
    question.or(command).or_else(plain)
}

/// A command line, as one text or as a list of its words; of a patch (Codex) the first file.
fn command(raw: &RawValue) -> Option<String> {
    let line = serde_json::from_str::<String>(raw.get())
        .or_else(|_| serde_json::from_str::<Vec<String>>(raw.get()).map(|words| words.join(" ")))
        .ok()?;
    if line.starts_with("*** Begin Patch") {
        let file = line.lines().find_map(|line| line.strip_prefix("*** ")?.split_once(" File: "));
        return file.map(|(_, file)| file.to_owned());
    }
    Some(line)
}

/// What Gemini CLI tells of a permission that it asks for.
#[derive(Deserialize)]
pub(super) struct Details {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    title: String,
    #[serde(rename = "filePath", default)]
    file_path: Option<String>,
    #[serde(default)]
    command: Option<String>,
    #[serde(rename = "toolName", default)]
    tool_name: Option<String>,
    #[serde(default)]
    prompt: Option<String>,
}

impl Details {
    /// Whether it is a question and no permission.
    pub(super) fn is_question(&self) -> bool {
        self.kind == "ask_user"
    }

    /// The tool, by the name that the dialog gives it.
    pub(super) fn tool(&self) -> Option<String> {
        let name = self.tool_name.clone().unwrap_or_else(|| match self.kind.as_str() {
            "edit" => "edit".to_owned(),
            "exec" => "shell".to_owned(),
            _ => self.title.clone(),
        });
        (!name.is_empty()).then_some(name)
    }

    /// What the permission is for.
    pub(super) fn what(&self) -> Option<String> {
        [&self.command, &self.file_path, &self.prompt].into_iter().flatten().next().cloned()
    }
}
