//! A decision as a JSON object, in the file or on a line of the output.
//!
//! Must not accept a value that merely resembles one of the five words.

use serde_json::{Map, Value};

use super::record::Decision;
use super::words::whole_word;
use crate::model::DecisionReason;

/// Rule 4: reads the value of `decision`. Surrounding whitespace is ignored, nothing else is.
pub(super) fn decision_of(object: &Map<String, Value>) -> Result<Decision, DecisionReason> {
    let word = object.get("decision").and_then(Value::as_str).ok_or(DecisionReason::MissingDecision)?;
    whole_word(word.trim()).ok_or(DecisionReason::UnknownDecision)
}

/// Keys of an object, besides `decision`, that say whether the work is done.
const FLAGS: [&str; 8] =
    ["complete", "completed", "is_complete", "isComplete", "all_complete", "allComplete", "done", "finished"];
/// Keys whose value may be a word of decision.
const WORDS: [&str; 4] = ["status", "state", "verdict", "result"];

/// Whether another key of the object contradicts its decision.
pub(super) fn contradicts_itself(object: &Map<String, Value>, decision: Decision) -> bool {
    let is_other = |complete: bool| complete != (decision == Decision::Complete);
    FLAGS.iter().filter_map(|key| object.get(*key)?.as_bool()).any(is_other)
        || WORDS
            .iter()
            .filter_map(|key| whole_word(object.get(*key)?.as_str()?.trim()))
            .any(|word| word != decision)
}
