//! JSON written by a model or worker: strict reading, tolerant finding.
//!
//! Must not guess at broken JSON, repair it, or take more than linear time.
//!
//! [`parse`] rejects whatever two readers could understand differently (duplicate keys,
//! deep nesting, numbers too large for a float). [`find`] takes the whole text as JSON,
//! or else the last object in it with a given key.

mod scan;
mod strict;

pub use strict::{Refusal, parse};

use serde_json::Value;

/// The deepest nesting that [`find`] reads, below the 128 levels at which `serde_json` itself stops.
pub const MAX_DEPTH: usize = 100;

/// Finds the answer in a text: the whole text as JSON (of any type), or else the last object in it with `key`.
/// Linear in the text.
///
/// # Errors
/// There is no such object, [`parse`] rejects it, or one with the key is truncated or broken and comes after
/// the last complete one. Taking an earlier draft for the answer could turn a "no" into a "yes".
pub fn find(text: &str, key: &str) -> Result<Value, Refusal> {
    let text = text.trim_start_matches('\u{feff}').trim();
    match parse(text, MAX_DEPTH) {
        Ok(value) => Ok(value),
        Err(refusal) => match scan::last_object_with(text, key) {
            Some(object) if object.len() < text.len() => parse(object, MAX_DEPTH),
            // The object is the whole text, which was already rejected.
            Some(_) => Err(refusal),
            None => Err(Refusal::NotJson),
        },
    }
}

/// Whether the object that [`find`] returns is on a line of prose that continues after it, or on a quoted
/// line. It may then merely repeat the request.
pub fn is_in_prose(text: &str, key: &str) -> bool {
    if parse(text.trim_start_matches('\u{feff}').trim(), MAX_DEPTH).is_ok() {
        return false;
    }
    let Some(object) = scan::last_object_with(text, key) else { return false };
    let start = object.as_ptr().addr().saturating_sub(text.as_ptr().addr());
    let before = text.get(..start).unwrap_or_default().rsplit('\n').next().unwrap_or_default();
    let behind = text.get(start + object.len()..).unwrap_or_default().split('\n').next().unwrap_or_default();
    let tag = behind.trim().strip_prefix("</").and_then(|rest| rest.strip_suffix('>'));
    let is_tag = tag.is_some_and(|name| name.chars().all(char::is_alphanumeric));
    before.trim_start().starts_with('>') || (!is_tag && behind.contains(char::is_alphanumeric))
}

/// The objects with `key` before the one that [`find`] returns, last one first, at most `most`. An earlier
/// object that differs from the answer makes it doubtful. Scans the text at most `most` times.
pub fn find_before(text: &str, key: &str, most: usize) -> Vec<Value> {
    let mut found = Vec::new();
    let mut rest = text;
    for round in 0..=most {
        let Some(object) = scan::last_object_with(rest, key) else { break };
        let start = object.as_ptr().addr().saturating_sub(rest.as_ptr().addr());
        rest = rest.get(..start).unwrap_or_default();
        if round > 0
            && let Ok(value) = parse(object, MAX_DEPTH)
        {
            found.push(value);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_whole_text_comes_first_even_if_it_is_no_object() {
        assert_eq!(find(" [1] ", "k"), Ok(json!([1])));
        assert_eq!(find("{\"x\":{\"k\":1}}", "k"), Ok(json!({"x": {"k": 1}})));
        assert_eq!(find("\u{feff}{\"k\":1}\n", "k"), Ok(json!({"k": 1})));
    }

    #[test]
    fn the_last_object_with_the_key_is_found_among_prose_and_other_objects() {
        let cases = [
            ("a {\"k\":1} b {\"k\":2} c {\"x\":3}", json!({"k": 2})),
            ("say {\"k\":{\"k\":2}} end", json!({"k": {"k": 2}})),
            ("wrapped {\"r\":{\"k\":2}} end", json!({"k": 2})),
            ("broken { r: {\"k\":2} } end", json!({"k": 2})),
            ("quote \" then {\"k\":\"}{\\\"\"} end", json!({"k": "}{\""})),
            ("{\"x {\"k\":1} end", json!({"k": 1})),
            ("{\"a\": \"{\"k\":1} end", json!({"k": 1})),
            ("{\"a\":\"{\"a\":\"{\"k\":1} end", json!({"k": 1})),
            ("{\"note\": \"it\"s\", {\"k\":1}}", json!({"k": 1})),
            ("schema {\"k\": boolean} answer {\"k\":1}", json!({"k": 1})),
            ("{{\"k\":1}}", json!({"k": 1})),
            ("x {\"\\u006b\":1}", json!({"k": 1})),
            ("日本語{\"k\":\"語\"}です", json!({"k": "語"})),
        ];
        for (text, expected) in cases {
            assert_eq!(find(text, "k"), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_broken_last_object_is_not_replaced_by_an_earlier_one() {
        for text in [
            "draft {\"k\":1} final {\"k\":2,",
            "draft {\"k\":1} final {\"k\":NaN}",
            "draft {\"k\":1} final {\"k\":2, \"old\":{\"k\":3}, oops}",
            "draft {\"k\":1} final {\"k\":2,\"k\":3}",
        ] {
            assert_eq!(find(text, "k"), Err(Refusal::NotJson), "{text}");
        }
    }

    #[test]
    fn what_was_said_before_the_answer_is_found_too() {
        let text = "a {\"k\":1} b {\"x\":0} c {\"k\":2} d {\"k\":3} e";
        assert_eq!(find_before(text, "k", 8), [json!({"k": 2}), json!({"k": 1})]);
        assert_eq!(find_before(text, "k", 1), [json!({"k": 2})]);
        assert_eq!(find_before("{\"k\":1}", "k", 8), Vec::<Value>::new());
        assert_eq!(find_before("nothing", "k", 8), Vec::<Value>::new());
    }

    #[test]
    fn refusals_are_told_apart() {
        assert_eq!(find("{\"k\":1e999}", "k"), Err(Refusal::NumberOutOfRange));
        assert_eq!(find("so: {\"k\":1e999}", "k"), Err(Refusal::NumberOutOfRange));
        assert_eq!(find("{\"k\":NaN}", "k"), Err(Refusal::NotJson));
        assert_eq!(find("{\"k\":1} {\"x\":2} \"k\"", "x"), Ok(json!({"x": 2})));
        assert_eq!(find("nothing", "k"), Err(Refusal::NotJson));
        assert_eq!(parse("{\"a\":{\"b\":1,\"b\":2}}", 32), Err(Refusal::NotJson));
        assert_eq!(parse("\"\\ud800\"", 32), Err(Refusal::NotJson));
    }

    #[test]
    fn depth_is_counted_from_one() {
        let nested = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert!(parse(&nested(32), 32).is_ok());
        assert_eq!(parse(&nested(33), 32), Err(Refusal::NotJson));
    }

    #[test]
    fn hostile_nesting_ends_and_takes_linear_time() {
        for unit in [
            "{", "[", "{\"a\":", "{\"a\":[", "{\"", "{\"{\"", "\"", "{\"a\":\"{", "\\\"{", "{\"k\":1}",
            "[{\"k\":1}",
        ] {
            // Quadratic work on this much text would take minutes instead of a moment.
            let text = unit.repeat(200_000 / unit.len());
            let whole = find(&text, "k");
            assert_eq!(whole.is_ok(), unit.ends_with("1}"), "{unit}");
        }
    }
}
