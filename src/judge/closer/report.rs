//! The report of a closer as plain values. Must not read or decide anything.

use serde::Serialize;

/// Why a report is unusable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CloserError {
    /// A required field is missing.
    MissingField,
    /// The type of a field differs from the schema.
    WrongType,
    /// `confidence` is outside 0 to 1.
    OutOfRange,
    /// JSON, but not an object.
    NotObject,
    /// The answer is empty.
    NoOutput,
    /// The text contains no object with `allComplete`, or only a broken one.
    InvalidJson,
    /// The query itself failed.
    QueryError,
    /// `allComplete` without any item.
    EmptyChecklist,
}

/// One item of the checklist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckedItem {
    /// The item's name in the report. Untrusted.
    pub id: String,
    /// What was to be done. Untrusted.
    pub description: String,
    /// Whether the model considers it done.
    pub completed: bool,
    /// The model's evidence. Untrusted.
    pub evidence: Option<String>,
}

/// The judge's reading of a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CloserReport {
    /// Whether everything is done: flag, items, pending actions and confidence agree on it.
    pub complete: bool,
    /// The model's confidence, 0 to 1; `None` if the report is unusable.
    pub confidence: Option<f64>,
    /// The items, in the order of the report.
    pub checklist: Vec<CheckedItem>,
    /// What is left to do, in the order of the report; empty if complete. Untrusted.
    pub pending_actions: Vec<String>,
    /// The model's summary. Untrusted.
    pub summary: Option<String>,
    /// Why the report is unusable, if it is.
    pub error: Option<CloserError>,
    /// Whether flag, items and pending actions contradict one another.
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

    /// The confidence in percent, rounded down so that one below a threshold never appears to reach it.
    pub fn confidence_percent(&self) -> Option<u8> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it was brought between 0 and 100"
        )]
        self.confidence.map(|confidence| (confidence * 100.0).floor().clamp(0.0, 100.0) as u8)
    }
}
