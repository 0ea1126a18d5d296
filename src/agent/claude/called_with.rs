//! What a tool was called with, in one short text: a command, a file, a pattern, a question.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::line::text_of;
use crate::agent::record_text::shortened;

/// The fields of a call by which a person knows what it does, the most telling first.
#[derive(Deserialize)]
struct Input<'a> {
    #[serde(default, borrow)]
    command: Option<&'a RawValue>,
    #[serde(default, borrow)]
    file_path: Option<&'a RawValue>,
    #[serde(default, borrow)]
    notebook_path: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pattern: Option<&'a RawValue>,
    #[serde(default, borrow)]
    url: Option<&'a RawValue>,
    #[serde(default, borrow)]
    query: Option<&'a RawValue>,
    #[serde(default, borrow)]
    description: Option<&'a RawValue>,
    #[serde(default, borrow)]
    subject: Option<&'a RawValue>,
    #[serde(default, borrow)]
    skill: Option<&'a RawValue>,
    #[serde(default, borrow)]
    path: Option<&'a RawValue>,
    #[serde(default, borrow)]
    questions: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Asked {
    #[serde(default)]
    question: String,
}

/// The input of a call in short; `None` where nothing in it is known.
pub(super) fn called_with(input: &RawValue) -> Option<String> {
    let input: Input<'_> = serde_json::from_str(input.get()).ok()?;
    let fields = [
        input.command,
        input.file_path,
        input.notebook_path,
        input.pattern,
        input.url,
        input.query,
        input.description,
        input.subject,
        input.skill,
        input.path,
    ];
    let told = fields.into_iter().find_map(|field| text_of(field).filter(|text| !text.trim().is_empty()));
    told.or_else(|| first_question(input.questions)).map(|text| shortened(&text))
}

fn first_question(questions: Option<&RawValue>) -> Option<String> {
    let questions: Vec<Asked> = serde_json::from_str(questions?.get()).ok()?;
    questions.into_iter().map(|asked| asked.question).find(|question| !question.trim().is_empty())
}
