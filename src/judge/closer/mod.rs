//! The closer judge: a model's checklist of what is done and what is left.
//!
//! Must not convert types, or take a self-contradictory report for completion. The
//! rules are those of `tests/vectors/closer.json`.

mod fields;
mod report;

pub use report::{CheckedItem, CloserError, CloserReport};

use serde_json::Value;

use super::json_answer::{self, Refusal};

/// The lowest confidence that counts, on a scale from 0 to 1 (rule 1).
pub const MIN_CONFIDENCE: f64 = 0.8;

/// The outcome of the query.
#[derive(Debug, Clone, Copy)]
pub enum CloserAnswer<'a> {
    /// Output that the client already checked against the schema; `null` means no output.
    Structured(&'a Value),
    /// The answer as text. Untrusted.
    Raw(&'a str),
    /// The query failed.
    QueryError,
}

/// Judges one answer. Total, and linear in its input.
pub fn read(answer: CloserAnswer<'_>) -> CloserReport {
    let read = match answer {
        CloserAnswer::QueryError | CloserAnswer::Structured(Value::Null) => None,
        CloserAnswer::Structured(value) => Some(judge(value)),
        CloserAnswer::Raw(text) if text.trim_matches(is_invisible).is_empty() => None,
        CloserAnswer::Raw(text) => Some(read_text(text)),
    };
    let nothing = match answer {
        CloserAnswer::QueryError => CloserError::QueryError,
        CloserAnswer::Structured(_) | CloserAnswer::Raw(_) => CloserError::NoOutput,
    };
    read.unwrap_or(Err(nothing)).unwrap_or_else(CloserReport::unusable)
}

fn is_invisible(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}')
}

/// Rule 4.
fn read_text(text: &str) -> Result<CloserReport, CloserError> {
    match json_answer::find(text, "allComplete") {
        Ok(value) => judge(&value),
        Err(Refusal::NumberOutOfRange) => Err(CloserError::OutOfRange),
        Err(Refusal::NotJson) => Err(CloserError::InvalidJson),
    }
}

/// Rules 1 to 3.
fn judge(value: &Value) -> Result<CloserReport, CloserError> {
    let fields = fields::read(value)?;
    let is_empty = fields.checklist.is_empty();
    let all_items_done = fields.checklist.iter().all(|item| item.completed);
    let pending: Vec<String> =
        fields.pending_actions.into_iter().filter(|action| !is_none_word(action)).collect();
    let items_disagree = !is_empty && all_items_done != fields.all_complete;
    let conflict = items_disagree || fields.all_complete && !pending.is_empty();
    let complete = fields.all_complete && !is_empty && !conflict && fields.confidence >= MIN_CONFIDENCE;
    let open = fields.checklist.iter().filter(|item| !item.completed && !item.description.trim().is_empty());
    let pending_actions = if complete {
        Vec::new()
    } else if pending.is_empty() {
        open.map(|item| item.description.clone()).collect()
    } else {
        pending
    };
    Ok(CloserReport {
        complete,
        confidence: Some(fields.confidence),
        pending_actions,
        summary: Some(fields.summary),
        error: (fields.all_complete && is_empty).then_some(CloserError::EmptyChecklist),
        conflict,
        checklist: fields.checklist,
    })
}

/// Rule 3: whether an entry says that there is nothing: blank, "None.", "N/A", "なし。".
pub(super) fn is_none_word(text: &str) -> bool {
    let is_edge = |c: char| !c.is_alphanumeric();
    let word: String = text.trim_matches(is_edge).chars().filter(|c| !c.is_whitespace()).take(16).collect();
    word.is_empty()
        || ["none", "nothing", "n/a", "n.a", "なし", "特になし"].contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests;
