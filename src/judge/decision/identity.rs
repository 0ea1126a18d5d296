//! Rules 1 and 5: the id of a check, and whether a decision belongs to it.
//!
//! Must not be clever: ids are trimmed and compared exactly, including case.

use serde_json::{Map, Value};

/// How the id in an object relates to the expected one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IdMatch {
    /// One of them is missing.
    NotCompared,
    /// The ids are equal.
    Same,
    /// The ids differ, or the one found is not text.
    Different,
    /// The name of a variable instead of its value.
    Placeholder,
}

impl IdMatch {
    /// The value reported in `check_id_match`.
    pub(super) fn flag(self) -> Option<bool> {
        match self {
            Self::NotCompared => None,
            Self::Same => Some(true),
            Self::Different | Self::Placeholder => Some(false),
        }
    }
}

/// The expected id: the given one, or else the environment's. A blank id counts as missing.
pub(super) fn expected<'a>(check_id: Option<&'a str>, env_check_id: Option<&'a str>) -> Option<&'a str> {
    [check_id, env_check_id].into_iter().flatten().map(str::trim).find(|id| !id.is_empty())
}

/// Compares the id in `object` with the expected one.
pub(super) fn compare(object: &Map<String, Value>, expected: Option<&str>) -> IdMatch {
    let Some(expected) = expected else { return IdMatch::NotCompared };
    match given(object) {
        None => IdMatch::NotCompared,
        Some(Value::String(id)) if id.trim() == expected => IdMatch::Same,
        Some(Value::String(id)) if is_placeholder(id.trim()) => IdMatch::Placeholder,
        Some(_) => IdMatch::Different,
    }
}

/// The id in a decision file, as written; `None` if the file is no object or has no id.
pub fn found_id(file: &str) -> Option<String> {
    let object: Map<String, Value> = serde_json::from_str(file).ok()?;
    given(&object).map(|id| id.as_str().map_or_else(|| id.to_string(), |id| id.trim().to_owned()))
}

fn given(object: &Map<String, Value>) -> Option<&Value> {
    ["check_id", "checkId"].into_iter().filter_map(|key| object.get(key)).find(|id| !is_missing(id))
}

fn is_missing(id: &Value) -> bool {
    id.is_null() || id.as_str().is_some_and(|id| id.trim().is_empty())
}

/// Recognises `$NAME`, `$env:NAME`, `${NAME}`, `{{name}}`, `%NAME%` and `<name>`, with
/// spaces allowed inside the brackets.
fn is_placeholder(id: &str) -> bool {
    let between = |open: &str, close: &str| id.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    if let Some(name) = between("${", "}").or_else(|| between("$(", ")")) {
        return !name.trim().is_empty() && !name.contains(['{', '}']);
    }
    if let Some(name) = id.strip_prefix('$') {
        return is_variable(name.strip_prefix("env:").unwrap_or(name));
    }
    if let Some(name) = between("{{", "}}") {
        return !name.trim().is_empty() && !name.contains(['{', '}']);
    }
    if let Some(name) = between("%", "%") {
        return is_variable(name.trim());
    }
    between("<", ">").is_some_and(|name| !name.trim().is_empty() && !name.contains(['<', '>']))
}

/// Whether this can be the name of an environment variable.
fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-' || c == '.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn compared(object: &Value, expected: Option<&str>) -> IdMatch {
        compare(object.as_object().expect("an object"), expected)
    }

    #[test]
    fn the_environment_is_asked_when_the_given_id_is_missing_or_blank() {
        assert_eq!(expected(Some(" a "), Some("b")), Some("a"));
        assert_eq!(expected(Some(" \n"), Some(" b ")), Some("b"));
        assert_eq!(expected(None, Some("")), None);
        assert_eq!(expected(None, None), None);
    }

    #[test]
    fn both_spellings_count_and_the_first_one_that_is_there_wins() {
        assert_eq!(compared(&json!({"checkId": "a"}), Some("a")), IdMatch::Same);
        assert_eq!(compared(&json!({"check_id": null, "checkId": "a"}), Some("a")), IdMatch::Same);
        assert_eq!(compared(&json!({"check_id": " ", "checkId": "b"}), Some("a")), IdMatch::Different);
        assert_eq!(compared(&json!({"check_id": "b", "checkId": "a"}), Some("a")), IdMatch::Different);
        assert_eq!(compared(&json!({"checkID": "b"}), Some("a")), IdMatch::NotCompared);
    }

    #[test]
    fn ids_are_compared_exactly_and_as_text() {
        assert_eq!(compared(&json!({"check_id": "A"}), Some("a")), IdMatch::Different);
        assert_eq!(compared(&json!({"check_id": "a\u{0}"}), Some("a")), IdMatch::Different);
        assert_eq!(compared(&json!({"check_id": 7}), Some("7")), IdMatch::Different);
        assert_eq!(compared(&json!({"check_id": ["a"]}), Some("a")), IdMatch::Different);
        assert_eq!(compared(&json!({"check_id": 7}), None), IdMatch::NotCompared);
        assert_eq!(compared(&json!({"check_id": "$X"}), Some("$X")), IdMatch::Same);
    }

    #[test]
    fn each_form_of_a_placeholder_is_known() {
        for id in [
            "$NAME", "$check_id", "$env:NAME", "${NAME}", "${ NAME }", "${NAME:-x}", "{{name}}",
            "{{ check_id }}", "%NAME%", "<name>", "<check-id>", "< check id >", " $NAME ",
        ] {
            assert_eq!(compared(&json!({ "check_id": id }), Some("a")), IdMatch::Placeholder, "{id}");
        }
        for id in [
            "$", "$1", "$5.00", "${}", "{{}}", "{{ }}", "%%", "%", "100%", "<>", "<", "{name}", "NAME",
            "a-$NAME",
        ] {
            assert_eq!(compared(&json!({ "check_id": id }), Some("a")), IdMatch::Different, "{id}");
        }
    }
}
