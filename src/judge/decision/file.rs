//! Rules 3 to 5: the decision file.
//!
//! Must not search for words in text that was meant to be JSON.

use serde_json::Value;

use super::identity::{self, IdMatch};
use super::object::{contradicts_itself, decision_of};
use super::record::{Decision, DecisionFile, FileContent, MAX_FILE_BYTES, Ruling};
use super::{fence, marker, points};
use crate::judge::{GRACE_MS, json_answer};
use crate::model::{DecisionReason, DecisionSource};

/// How deep a decision file may nest.
const MAX_DEPTH: usize = 32;

/// What the file says.
pub(super) struct FileReading {
    pub(super) ruling: Result<Ruling, DecisionReason>,
    pub(super) check_id_match: Option<bool>,
}

impl From<DecisionReason> for FileReading {
    fn from(reason: DecisionReason) -> Self {
        Self { ruling: Err(reason), check_id_match: None }
    }
}

/// Reads the file and compares its id with the expected one.
pub(super) fn read(file: &DecisionFile<'_>, expected: Option<&str>) -> FileReading {
    let text = match file.content {
        FileContent::Text(text) if text.len() > MAX_FILE_BYTES => return DecisionReason::TooLarge.into(),
        FileContent::TooLarge => return DecisionReason::TooLarge.into(),
        FileContent::Unreadable => return DecisionReason::Unreadable.into(),
        FileContent::Text(text) => text.trim_matches(is_invisible),
    };
    let is_stale = file.age_before_check_ms.is_some_and(|age| age > GRACE_MS);
    if text.is_empty() {
        DecisionReason::EmptyFile.into()
    } else if text.starts_with(['{', '[']) {
        read_json(text, expected, is_stale)
    } else if let Some(object) = the_one_fenced_object(text) {
        read_json(object, expected, is_stale)
    } else {
        read_words(text, is_stale)
    }
}

/// Whitespace of any script, byte order marks and zero-width characters.
fn is_invisible(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{ad}')
}

fn read_json(text: &str, expected: Option<&str>, is_stale: bool) -> FileReading {
    let object = match json_answer::parse(text, MAX_DEPTH) {
        Ok(Value::Object(object)) => object,
        Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            return DecisionReason::NotAnObject.into();
        }
        Err(_) => return DecisionReason::InvalidJson.into(),
    };
    let id = identity::compare(&object, expected);
    let ruling = decision_of(&object).and_then(|decision| match id {
        IdMatch::Different => Err(DecisionReason::CheckIdMismatch),
        IdMatch::Placeholder => Err(DecisionReason::CheckIdPlaceholder),
        IdMatch::NotCompared if is_stale => Err(DecisionReason::StaleFile),
        IdMatch::NotCompared | IdMatch::Same => Ok(Ruling {
            decision,
            source: DecisionSource::FileJson,
            has_conflict: contradicts_itself(&object, decision),
            reasons: points::read(&object, "reasons"),
            fingerprints: points::read(&object, "fingerprints"),
        }),
    });
    FileReading { ruling, check_id_match: id.flag() }
}

/// The only fenced object with a `decision`; `None` if there are several.
fn the_one_fenced_object(text: &str) -> Option<&str> {
    let has_decision = |block: &&str| {
        block.starts_with('{')
            && serde_json::from_str::<Value>(block).is_ok_and(|value| value.get("decision").is_some())
    };
    let mut objects = fence::blocks(text).into_iter().filter(has_decision);
    match (objects.next(), objects.next()) {
        (Some(object), None) => Some(object),
        (Some(_) | None, _) => None,
    }
}

fn read_words(text: &str, is_stale: bool) -> FileReading {
    match marker::read(text) {
        None => DecisionReason::NoMarkerInFile.into(),
        Some(_) if is_stale => DecisionReason::StaleFile.into(),
        Some(found) => FileReading {
            ruling: Ok(Ruling {
                decision: found.decision,
                source: DecisionSource::FileLegacy,
                has_conflict: found.has_conflict,
                reasons: match found.decision {
                    Decision::Incomplete => marker::reasons(text, true),
                    Decision::Complete => Vec::new(),
                },
                fingerprints: Vec::new(),
            }),
            check_id_match: None,
        },
    }
}
