//! The report of a closer as plain values. It reads nothing and decides nothing.

use serde::Serialize;

/// Why a report could not be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CloserError {
    /// A required field is not there.
    MissingField,
    /// A field has another type than the schema's.
    WrongType,
    /// `confidence` lies outside 0 to 1.
    OutOfRange,
    /// JSON, but no object.
    NotObject,
    /// The answer is empty.
    NoOutput,
    /// No object with `allComplete` in the text, or a broken one.
    InvalidJson,
    /// The query itself failed.
    QueryError,
    /// `allComplete` without any item.
    EmptyChecklist,
}

/// One item of the checklist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckedItem {
    /// The item's name in the report. Untrusted text.
    pub id: String,
    /// What was to be done. Untrusted text.
    pub description: String,
    /// Whether the model holds it for done.
    pub completed: bool,
    /// What the model gives as proof. Untrusted text.
    pub evidence: Option<String>,
}

/// The answer of the judge.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CloserReport {
    /// All is done: flag, items, pending actions and confidence agree on it.
    pub complete: bool,
    /// The model's confidence, 0 to 1; none if the report was unusable.
    pub confidence: Option<f64>,
    /// The items in the order of the report.
    pub checklist: Vec<CheckedItem>,
    /// What is left to do, in the order of the report; empty if complete. Untrusted text.
    pub pending_actions: Vec<String>,
    /// The model's summary. Untrusted text.
    pub summary: Option<String>,
    /// Why the report could not be used.
    pub error: Option<CloserError>,
    /// Flag, items and pending actions contradict one another.
    pub conflict: bool,
}

impl CloserReport {
    pub(super) fn unusable(error: CloserError) -> Self {
        Self {
            complete: false,
            confidence: None,
            checklist: Vec::new(),
            pending_actions: Vec::new(),
            summary: None,
            error: Some(error),
            conflict: false,
        }
    }
}
