//! A small validator for JSON schemas of the kind that `closeout schema` prints.
//!
//! It knows the keywords that occur there and rejects others, so that nothing passes unchecked. In one point it
//! is stricter than the standard: a property that the schema does not name is invalid, because everything that
//! is printed must be documented.

use std::collections::BTreeSet;

use serde_json::Value;

/// Keywords without influence on validity.
const NOTES: [&str; 6] = ["$schema", "$defs", "title", "description", "format", "default"];

/// Keywords that combine several schemas for one value.
const PARTS: [&str; 3] = ["$ref", "oneOf", "anyOf"];

/// A parsed schema.
pub(crate) struct Schema {
    root: Value,
}

impl Schema {
    /// Parses the text of a schema.
    pub(crate) fn parse(text: &str) -> Schema {
        Schema { root: serde_json::from_str(text).unwrap() }
    }

    /// The problems of a value; empty if it is valid.
    pub(crate) fn problems(&self, value: &Value) -> Vec<String> {
        self.check(&self.root, value, "", &BTreeSet::new())
    }

    /// Panics unless the value is valid.
    pub(crate) fn assert_valid(&self, value: &Value) {
        let problems = self.problems(value);
        assert!(problems.is_empty(), "{}\n{value:#}", problems.join("\n"));
    }

    /// Checks a value; `beside` are the properties that an enclosing schema names for the same value.
    fn check(&self, schema: &Value, value: &Value, place: &str, beside: &BTreeSet<String>) -> Vec<String> {
        let Some(schema) = schema.as_object() else { return vec![format!("{place}: no schema")] };
        let own = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let around: BTreeSet<String> = own.map(|(name, _)| name.clone()).chain(beside.clone()).collect();
        let parts = PARTS.iter().filter_map(|keyword| schema.get(*keyword));
        let within: BTreeSet<String> =
            parts.flat_map(|rule| self.names(rule)).chain(beside.clone()).collect();
        let none = BTreeSet::new();
        let mut problems = Vec::new();
        for (keyword, rule) in schema {
            match keyword.as_str() {
                "$ref" => problems.extend(self.check(self.definition(rule), value, place, &around)),
                "anyOf" => problems.extend(self.one_of(rule, value, place, (1..=usize::MAX, &around))),
                "oneOf" => problems.extend(self.one_of(rule, value, place, (1..=1, &around))),
                "type" if !is_of_type(rule, value) => problems.push(format!("{place}: is no {rule}")),
                "const" if value != rule => problems.push(format!("{place}: is not {rule}")),
                "enum" if !rule.as_array().unwrap().contains(value) => {
                    problems.push(format!("{place}: is none of {rule}"));
                }
                "minimum" if value.as_f64().is_some_and(|number| number < rule.as_f64().unwrap()) => {
                    problems.push(format!("{place}: is below {rule}"));
                }
                "maximum" if value.as_f64().is_some_and(|number| number > rule.as_f64().unwrap()) => {
                    problems.push(format!("{place}: is above {rule}"));
                }
                "type" | "const" | "enum" | "minimum" | "maximum" => {}
                "required" => problems.extend(missing(rule, value, place)),
                "properties" => problems.extend(self.properties(rule, value, place, &within)),
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        problems.extend(self.check(rule, item, &format!("{place}/{index}"), &none));
                    }
                }
                // Nothing to do: `properties` rejects unnamed properties anyway.
                "additionalProperties" if *rule == Value::Bool(false) => {}
                // The members of a map, which names no properties of its own.
                "additionalProperties" if !schema.contains_key("properties") => {
                    for (name, member) in value.as_object().into_iter().flatten() {
                        problems.extend(self.check(rule, member, &format!("{place}/{name}"), &none));
                    }
                }
                keyword if NOTES.contains(&keyword) => {}
                keyword => problems.push(format!("{place}: the validator does not know `{keyword}`")),
            }
        }
        problems
    }

    fn definition(&self, reference: &Value) -> &Value {
        let pointer = reference.as_str().and_then(|text| text.strip_prefix('#')).unwrap();
        self.root.pointer(pointer).unwrap_or_else(|| panic!("{reference} leads nowhere"))
    }

    fn one_of(
        &self,
        branches: &Value,
        value: &Value,
        place: &str,
        (allowed, beside): (std::ops::RangeInclusive<usize>, &BTreeSet<String>),
    ) -> Vec<String> {
        let branches: Vec<Vec<String>> = branches
            .as_array()
            .unwrap()
            .iter()
            .map(|branch| self.check(branch, value, place, beside))
            .collect();
        let n_valid = branches.iter().filter(|problems| problems.is_empty()).count();
        if allowed.contains(&n_valid) {
            return Vec::new();
        }
        let mut problems = vec![format!("{place}: fits {n_valid} of {} branches", branches.len())];
        problems.extend(branches.into_iter().min_by_key(Vec::len).unwrap_or_default());
        problems
    }

    /// The properties named by all schemas that a rule combines for the same value.
    fn names(&self, rule: &Value) -> BTreeSet<String> {
        let parts: Vec<&Value> = match rule.as_array() {
            Some(branches) => branches.iter().collect(),
            None => vec![self.definition(rule)],
        };
        let mut names = BTreeSet::new();
        for part in parts.into_iter().filter_map(Value::as_object) {
            let own = part.get("properties").and_then(Value::as_object).into_iter().flatten();
            names.extend(own.map(|(name, _)| name.clone()));
            names.extend(
                PARTS.iter().filter_map(|keyword| part.get(*keyword)).flat_map(|rule| self.names(rule)),
            );
        }
        names
    }

    fn properties(
        &self,
        named: &Value,
        value: &Value,
        place: &str,
        beside: &BTreeSet<String>,
    ) -> Vec<String> {
        let mut problems = Vec::new();
        for (name, property) in value.as_object().into_iter().flatten() {
            let place = format!("{place}/{name}");
            match named.get(name) {
                Some(schema) => problems.extend(self.check(schema, property, &place, &BTreeSet::new())),
                None if beside.contains(name) => {}
                None => problems.push(format!("{place}: is not in the schema")),
            }
        }
        problems
    }
}

fn missing(required: &Value, value: &Value, place: &str) -> Vec<String> {
    let names = required.as_array().unwrap().iter().map(|name| name.as_str().unwrap());
    names
        .filter(|name| value.is_object() && value.get(name).is_none())
        .map(|name| format!("{place}: has no `{name}`"))
        .collect()
}

fn is_of_type(rule: &Value, value: &Value) -> bool {
    if let Some(names) = rule.as_array() {
        return names.iter().any(|name| is_of_type(name, value));
    }
    match rule.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        Some("number") => value.is_number(),
        Some("integer") => value.is_i64() || value.is_u64(),
        other => panic!("no type {other:?}"),
    }
}
