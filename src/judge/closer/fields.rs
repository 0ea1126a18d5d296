//! Rule 2: the fields of a report, strictly typed.
//!
//! Must not convert: `"true"` is not a flag, and `"0.9"` is not a number. An optional field that is `null`
//! counts as missing.

use serde_json::{Map, Value};

use super::report::{CheckedItem, CloserError};

/// The fields of a report.
pub(super) struct Fields {
    pub(super) checklist: Vec<CheckedItem>,
    pub(super) all_complete: bool,
    pub(super) summary: String,
    pub(super) confidence: f64,
    pub(super) pending_actions: Vec<String>,
}

/// Reads a report. Missing fields are reported before wrong types.
pub(super) fn read(value: &Value) -> Result<Fields, CloserError> {
    let object = value.as_object().ok_or(CloserError::NotObject)?;
    let required = ["checklist", "allComplete", "summary", "confidence"];
    if required.iter().any(|key| !object.contains_key(*key)) {
        return Err(CloserError::MissingField);
    }
    let items = field(object, "checklist")?.as_array().ok_or(CloserError::WrongType)?;
    let checklist = items.iter().map(read_item).collect::<Result<Vec<_>, _>>()?;
    let all_complete = field(object, "allComplete")?.as_bool().ok_or(CloserError::WrongType)?;
    let summary = text(object, "summary")?;
    let confidence = field(object, "confidence")?.as_f64().ok_or(CloserError::WrongType)?;
    let pending_actions = match optional(object, "pendingActions") {
        None => Vec::new(),
        Some(list) => {
            list.as_array().ok_or(CloserError::WrongType)?.iter().map(as_text).collect::<Result<_, _>>()?
        }
    };
    if !(0.0..=1.0).contains(&confidence) {
        return Err(CloserError::OutOfRange);
    }
    Ok(Fields { checklist, all_complete, summary, confidence, pending_actions })
}

fn read_item(item: &Value) -> Result<CheckedItem, CloserError> {
    let object = item.as_object().ok_or(CloserError::WrongType)?;
    if ["id", "description", "completed"].iter().any(|key| !object.contains_key(*key)) {
        return Err(CloserError::MissingField);
    }
    Ok(CheckedItem {
        id: text(object, "id")?,
        description: text(object, "description")?,
        completed: field(object, "completed")?.as_bool().ok_or(CloserError::WrongType)?,
        evidence: optional(object, "evidence").map(as_text).transpose()?,
    })
}

fn field<'a>(object: &'a Map<String, Value>, key: &str) -> Result<&'a Value, CloserError> {
    object.get(key).ok_or(CloserError::MissingField)
}

fn optional<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    object.get(key).filter(|value| !value.is_null())
}

fn text(object: &Map<String, Value>, key: &str) -> Result<String, CloserError> {
    field(object, key).and_then(as_text)
}

fn as_text(value: &Value) -> Result<String, CloserError> {
    value.as_str().map(str::to_owned).ok_or(CloserError::WrongType)
}
