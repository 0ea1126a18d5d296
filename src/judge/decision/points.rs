//! Rule 6: `reasons` and `fingerprints` as lists of short texts.
//!
//! Must not let an object decide how much is kept.

use std::collections::HashSet;

use serde_json::{Map, Value};

const MAX_CHARACTERS: usize = 240;
const MAX_ENTRIES: usize = 200;

/// The texts under `key`. A single string becomes a list; blanks, duplicates and values
/// that are not strings are dropped.
pub(super) fn read(object: &Map<String, Value>, key: &str) -> Vec<String> {
    let given: &[Value] = match object.get(key) {
        Some(Value::Array(list)) => list,
        Some(one @ Value::String(_)) => std::slice::from_ref(one),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => &[],
    };
    keep(given.iter().filter_map(Value::as_str))
}

/// The texts that are kept of these.
pub(super) fn keep<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = HashSet::new();
    texts
        // Truncate first, so that long texts that differ only in the part cut off are not listed twice.
        .map(|text| text.trim().chars().take(MAX_CHARACTERS).collect::<String>())
        .filter(|text| !text.is_empty() && seen.insert(text.clone()))
        .take(MAX_ENTRIES)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn points(value: &Value) -> Vec<String> {
        read(json!({ "reasons": value }).as_object().expect("an object"), "reasons")
    }

    #[test]
    fn a_string_becomes_a_list_and_other_things_are_dropped() {
        assert_eq!(points(&json!("one")), ["one"]);
        assert_eq!(points(&json!([" a ", "", "  ", 3, null, true, ["b"], {"c": "d"}, "a", "A"])), ["a", "A"]);
        for nothing in [json!(null), json!(3), json!({"a": "b"}), json!(" "), json!([])] {
            assert!(points(&nothing).is_empty(), "{nothing}");
        }
        assert!(read(&Map::new(), "reasons").is_empty());
    }

    #[test]
    fn the_limits_count_characters_and_entries() {
        assert_eq!(points(&json!("語".repeat(300))), ["語".repeat(240)]);
        assert_eq!(points(&json!("語".repeat(240))), ["語".repeat(240)]);
        assert_eq!(points(&json!(["x".repeat(250), "x".repeat(260)])).len(), 1);
        let many: Vec<String> = (0..300).map(|n| (n % 250).to_string()).collect();
        let kept = points(&json!(many));
        assert_eq!((kept.len(), kept.last().map(String::as_str)), (200, Some("199")));
    }
}
