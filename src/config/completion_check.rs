//! The settings of the smart check, and the block `completion_check` of a `config.json`. Pure.
//!
//! Other programs use the name `config.json` too, so everything except that block is ignored, and a file
//! without it is never a problem.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::key::{self, COMPLETION_CHECK, Key, LayerOrigin, SPECS, Spec};
use super::kind::Value;
use super::layer::{Layer, Values};
use super::problem::{Problems, shown, unknown_key};
use super::reader::Reader;

/// The limits of the smart check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionCheck {
    /// How often the agent is asked at most, within [`crate::model::PROBES`].
    pub max_probes: u8,
    /// The time between two probes, in milliseconds, within [`crate::model::PROBE_INTERVAL_SECONDS`].
    pub probe_interval_ms: u64,
    /// How long a probe may take before it is abandoned, in milliseconds, within
    /// [`crate::model::PROBE_TIMEOUT_SECONDS`].
    pub probe_timeout_ms: u64,
    /// Whether uncommitted work is recorded when all probes are used up.
    pub is_final_rescue_wanted: bool,
}

/// Reads the block `completion_check` of a JSON text and returns its valid values, and the problems with
/// the others. `origin` says whose file it is. A text without the block, or one that is not JSON and does
/// not mention it, contributes nothing.
pub fn parse_completion_check(text: &str, name: &str, origin: LayerOrigin) -> (Layer, Problems) {
    let mut reader = Reader { text, name, origin, home: None, problems: Problems::default() };
    let mut values = Values::new();
    match serde_json::from_str::<BTreeMap<String, &RawValue>>(text) {
        Err(error) => {
            if text.contains("\"completion_check\"") {
                let what = format!("is not a JSON object: {}", label(&error));
                reader.problem(offset_of(text, &error), None, what);
            }
        }
        Ok(top) => {
            if let Some(block) = top.get(COMPLETION_CHECK) {
                reader.read_block(block, &mut values);
            }
        }
    }
    reader.problems.sort();
    (Layer { values, ..Layer::default() }, reader.problems)
}

impl Reader<'_> {
    fn read_block(&mut self, block: &RawValue, values: &mut Values) {
        let text = self.text;
        let Ok(entries) = serde_json::from_str::<BTreeMap<String, &RawValue>>(block.get()) else {
            let key = Some(COMPLETION_CHECK.to_owned());
            return self.problem(offset_in(text, block), key, "must be an object".to_owned());
        };
        for (name, entry) in entries {
            match checked(&name, entry, self.origin) {
                Ok((key, value)) => drop(values.insert(key, value)),
                Err(what) => {
                    let key = key::full_name(COMPLETION_CHECK, &shown(&name));
                    self.problem(offset_in(text, entry), Some(key), what);
                }
            }
        }
    }
}

/// The value of one key of the block, or what is wrong with it.
fn checked(name: &str, entry: &RawValue, origin: LayerOrigin) -> Result<(Key, Value), String> {
    let Some(spec) = key::find(COMPLETION_CHECK, name) else {
        let counts = |spec: &&Spec| spec.section == COMPLETION_CHECK && spec.refusal(origin, false).is_none();
        let allowed: Vec<&str> = SPECS.iter().filter(counts).map(|spec| spec.name).collect();
        return Err(unknown_key(name, &allowed, ""));
    };
    if let Some(refusal) = spec.refusal(origin, false) {
        return Err(refusal.to_owned());
    }
    let value = plain(entry).ok_or_else(|| spec.kind.refused(&shown(entry.get())))?;
    Ok((spec.key, spec.kind.check(value)?))
}

/// Converts a number or a boolean. The block has no other values.
fn plain(raw: &RawValue) -> Option<Value> {
    match serde_json::from_str::<serde_json::Value>(raw.get()).ok()? {
        serde_json::Value::Bool(switch) => Some(Value::Switch(switch)),
        serde_json::Value::Number(number) => number.as_i64().map(Value::Number),
        serde_json::Value::Null
        | serde_json::Value::String(_)
        | serde_json::Value::Array(_)
        | serde_json::Value::Object(_) => None,
    }
}

/// The offset of a raw value in the `text` it borrows from.
fn offset_in(text: &str, raw: &RawValue) -> usize {
    raw.get().as_ptr().addr().saturating_sub(text.as_ptr().addr())
}

/// The offset of a JSON error, which names line and column (both counted from 1, the column in bytes).
fn offset_of(text: &str, error: &serde_json::Error) -> usize {
    let line_start: usize =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    line_start + error.column().saturating_sub(1)
}

/// The message without the position that serde appends, which is reported separately.
fn label(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}
