//! Rules 7 and 8: the worker's output.
//!
//! Must not let a decision about another check count.

use serde_json::Value;

use super::identity::{self, IdMatch};
use super::object::{contradicts_itself, decision_of};
use super::record::{Decision, Ruling};
use super::{decoration, marker, points};
use crate::judge::json_answer;
use crate::model::DecisionSource;

/// How deep a JSON line may nest.
const MAX_DEPTH: usize = 32;

/// What the output says: its last usable JSON line, or else its marker.
pub(super) fn read(text: &str, expected: Option<&str>) -> Option<Ruling> {
    let mut json: Option<Ruling> = None;
    let mut markers = marker::Tally::default();
    for line in marker::lines(text) {
        if let Some(mut ruling) = read_json_line(line, expected) {
            ruling.has_conflict |=
                json.is_some_and(|earlier| earlier.has_conflict || earlier.decision != ruling.decision);
            json = Some(ruling);
        } else {
            markers.add(line);
        }
    }
    json.or_else(|| {
        let found = markers.result()?;
        let reasons = match found.decision {
            Decision::Incomplete => marker::reasons(text, false),
            Decision::Complete => Vec::new(),
        };
        Some(Ruling { reasons, ..ruling(DecisionSource::Marker, found.decision, found.has_conflict) })
    })
}

fn ruling(source: DecisionSource, decision: Decision, has_conflict: bool) -> Ruling {
    Ruling { decision, source, has_conflict, reasons: Vec::new(), fingerprints: Vec::new() }
}

/// Rule 8: an object on one line with a usable decision, without the id of another check.
fn read_json_line(line: &str, expected: Option<&str>) -> Option<Ruling> {
    let line = decoration::trim_around_json(line);
    if !(line.starts_with('{') && line.ends_with('}') && line.contains("\"decision\"")) {
        return None;
    }
    let Ok(Value::Object(object)) = json_answer::parse(line, MAX_DEPTH) else { return None };
    match identity::compare(&object, expected) {
        IdMatch::Different | IdMatch::Placeholder => None,
        IdMatch::NotCompared | IdMatch::Same => {
            let decision = decision_of(&object).ok()?;
            Some(Ruling {
                reasons: points::read(&object, "reasons"),
                fingerprints: points::read(&object, "fingerprints"),
                ..ruling(DecisionSource::OutputJson, decision, contradicts_itself(&object, decision))
            })
        }
    }
}
