//! Reads a model's answer about written criteria. Total. Must not be lenient: what it does not state clearly
//! is not met.

use serde_json::Value;

use super::feedback::{first_titles, one_line};
use crate::judge::json_answer;
use crate::present::phrases::checker as say;

/// The key of the list in an answer.
const CRITERIA: &str = "criteria";

/// What a model found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CriteriaResult {
    /// Whether all criteria are met.
    pub is_met: bool,
    /// A summary that quotes at most three criteria. Contains untrusted text.
    pub feedback: String,
    /// One line per criterion, with what was said about it. Untrusted.
    pub lines: String,
}

/// Finds the answer in a text.
///
/// # Errors
/// The text contains no JSON object with criteria. The error is a message for people.
pub fn find(text: &str) -> Result<Value, String> {
    json_answer::find(text, CRITERIA)
        .map_err(|_| "the answer holds no JSON object with `criteria`".to_owned())
}

/// Compares an answer with the criteria. A criterion that is not named, is named twice, or is met without
/// evidence is not met.
///
/// # Errors
/// The answer has no list of criteria. The error is a message for people.
pub fn read(answer: &Value, criteria: &[String]) -> Result<CriteriaResult, String> {
    let entries = answer.get(CRITERIA).and_then(Value::as_array);
    let entries = entries.ok_or("the answer has no list `criteria`")?;
    let mut open = Vec::new();
    let mut lines = Vec::new();
    for (index, criterion) in criteria.iter().enumerate() {
        let of_it: Vec<&Value> =
            entries.iter().filter(|entry| number(entry) == u64::try_from(index + 1).ok()).collect();
        let (is_met, evidence) = match of_it.as_slice() {
            [] => (false, say::not_mentioned().to_owned()),
            [entry] => one(entry),
            [..] => (false, say::answered_twice().to_owned()),
        };
        let title = one_line(criterion);
        if is_met {
            lines.push(say::met(index + 1, title, evidence));
        } else {
            lines.push(say::not_met(index + 1, &title, &evidence));
            open.push(say::criterion(title, evidence));
        }
    }
    let (n_open, n_all) = (open.len(), criteria.len());
    let feedback = if n_open == 0 {
        say::criteria_met(n_all)
    } else {
        say::criteria_open(n_open, n_all, first_titles(open.into_iter(), n_open))
    };
    Ok(CriteriaResult { is_met: n_open == 0 && n_all > 0, feedback, lines: lines.join("\n") })
}

fn number(entry: &Value) -> Option<u64> {
    entry.get("number").and_then(Value::as_u64)
}

/// Whether an entry says that its criterion is met, and its evidence.
fn one(entry: &Value) -> (bool, String) {
    let evidence = one_line(entry.get("evidence").and_then(Value::as_str).unwrap_or_default());
    let is_shown = evidence.chars().filter(|sign| sign.is_alphanumeric()).count() > 2
        && !["none", "n/a", "unknown", "nothing"]
            .contains(&evidence.trim_end_matches('.').to_lowercase().as_str());
    match entry.get("met").and_then(Value::as_bool) {
        Some(true) if is_shown => (true, evidence),
        Some(true) => (false, say::not_shown().to_owned()),
        Some(false) | None if is_shown => (false, evidence),
        Some(false) | None => (false, say::not_explained().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judged(answer: &Value, n_criteria: usize) -> (bool, String) {
        let criteria: Vec<String> = (1..=n_criteria).map(|number| format!("criterion {number}")).collect();
        let judged = read(answer, &criteria).unwrap();
        (judged.is_met, judged.feedback)
    }

    #[test]
    fn each_criterion_needs_one_answer_with_evidence() {
        let met = |number: u64, evidence: &str| json!({"number": number, "met": true, "evidence": evidence});
        let both = json!({"criteria": [met(2, "src/a.rs:3"), met(1, "tests/b.rs")]});
        assert_eq!(judged(&both, 2), (true, "all 2 criteria are met".to_owned()));
        for (answer, told) in [
            (json!({"criteria": [met(1, "src/a.rs:3")]}), "criterion 2 (nothing was said of it)"),
            (
                json!({"criteria": [met(1, "a.rs"), met(2, " N/A. ")]}),
                "criterion 2 (said to be met, and nothing",
            ),
            (json!({"criteria": [met(1, "a.rs"), met(2, "b.rs"), met(2, "c.rs")]}), "more than once"),
            (
                json!({"criteria": [met(1, "a.rs"), {"number": 2, "met": "yes", "evidence": "b.rs"}]}),
                "criterion 2 (b.rs)",
            ),
            (
                json!({"criteria": [met(1, "a.rs"), {"number": 2, "met": false, "evidence": "no test of it"}]}),
                "1 of 2 criteria is not met: criterion 2 (no test of it)",
            ),
        ] {
            let (is_met, feedback) = judged(&answer, 2);
            assert!(!is_met && feedback.contains(told), "{answer}: {feedback}");
        }
    }

    #[test]
    fn at_most_three_criteria_are_named_and_what_is_no_answer_is_told() {
        let (is_met, feedback) = judged(&json!({"criteria": []}), 5);
        assert!(!is_met && feedback.ends_with("..."), "{feedback}");
        assert!(!judged(&json!({"criteria": []}), 0).0, "no criterion, no pass");
        assert!(read(&json!([1]), &["a".to_owned()]).is_err() && find("it is all fine").is_err());
        let found =
            find("Here: {\"criteria\":[{\"number\":1,\"met\":true,\"evidence\":\"a.rs:1\"}]}").unwrap();
        assert!(read(&found, &["a".to_owned()]).unwrap().is_met);
    }
}
