//! Reads an agent's proposal for committing uncommitted work: the messages, and which
//! change goes into which commit. Total. Must not guess: every change is in at most one
//! commit, and what is not understood is no proposal.

use serde_json::Value;

use super::json_answer;
use crate::model::display_text;

/// The key of the list in an answer.
const COMMITS: &str = "commits";
/// A proposal of more commits than this is one that nobody reads.
const MAX: usize = 20;
/// The longest message, in characters.
const LONGEST: usize = 4_000;
/// Trailers that only closeout writes.
const OWN_TRAILERS: [&str; 2] = ["Rescued-by:", "Rescue-record:"];

/// A commit that an agent proposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitProposal {
    /// The message, without control characters. Untrusted.
    pub message: String,
    /// The positions of its changes in the list that the agent was shown; at least one.
    pub changes: Vec<usize>,
}

/// Finds the answer in a text.
///
/// # Errors
/// The text contains no JSON object with commits. The error is a message for people.
pub fn find(text: &str) -> Result<Value, String> {
    json_answer::find(text, COMMITS).map_err(|_| "the answer holds no JSON object with `commits`".to_owned())
}

/// The commits of an answer about a list of `n_changes` changes.
///
/// # Errors
/// It proposes no or too many commits, has a message without words, or names a change that does not exist or
/// is already in a commit. The error is a message for people.
pub fn read(answer: &Value, n_changes: usize) -> Result<Vec<CommitProposal>, String> {
    let entries = answer.get(COMMITS).and_then(Value::as_array);
    let entries = entries.filter(|entries| !entries.is_empty()).ok_or("the answer proposes no commit")?;
    if entries.len() > MAX {
        return Err(format!("the answer proposes {} commits; {MAX} are the most", entries.len()));
    }
    let mut is_taken = vec![false; n_changes];
    let mut commits = Vec::new();
    for entry in entries {
        let message = message(entry.get("message").and_then(Value::as_str).unwrap_or_default())?;
        let numbers = entry.get("changes").and_then(Value::as_array);
        let numbers = numbers.ok_or("a commit of the answer has no list `changes`")?;
        let mut changes = Vec::new();
        for number in numbers {
            let place = number.as_u64().and_then(|number| usize::try_from(number).ok()?.checked_sub(1));
            let place = place.filter(|place| *place < n_changes);
            let place = place.ok_or_else(|| format!("there is no change {number}"))?;
            if std::mem::replace(&mut is_taken[place], true) {
                return Err(format!("the answer puts change {number} into two commits"));
            }
            changes.push(place);
        }
        if !changes.is_empty() {
            commits.push(CommitProposal { message, changes });
        }
    }
    if commits.is_empty() { Err("the commits of the answer hold no change".to_owned()) } else { Ok(commits) }
}

/// A message in a form that can be stored and shown.
fn message(text: &str) -> Result<String, String> {
    let is_own = |line: &&str| OWN_TRAILERS.iter().any(|trailer| line.trim_start().starts_with(trailer));
    let lines = text.trim().lines().filter(|line| !is_own(line));
    let lines: Vec<String> = lines.map(|line| display_text::line(line.trim_end()).into_owned()).collect();
    let message = lines.join("\n").trim().to_owned();
    if message.is_empty() {
        return Err("a commit of the answer has no message".to_owned());
    }
    if message.chars().count() > LONGEST {
        return Err(format!("a message of the answer is longer than {LONGEST} characters"));
    }
    Ok(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str, n_changes: usize) -> Result<Vec<(String, Vec<usize>)>, String> {
        let commits = read(&find(text)?, n_changes)?;
        Ok(commits.into_iter().map(|commit| (commit.message, commit.changes)).collect())
    }

    #[test]
    fn commits_are_read_and_what_is_not_plain_is_none() {
        let two = r#"Here: {"commits":[{"message":"one\n\nwhy\nRescued-by: me","changes":[2]},{"message":" two ","changes":[1,3]},{"message":"none","changes":[]}]}"#;
        let expected = vec![("one\n\nwhy".to_owned(), vec![1]), ("two".to_owned(), vec![0, 2])];
        assert_eq!(read_text(two, 3), Ok(expected));
        for (answer, why) in [
            ("no", "no JSON object"),
            (r#"{"commits":[]}"#, "no commit"),
            (r#"{"commits":[{"message":"a","changes":[]}]}"#, "hold no change"),
            (r#"{"commits":[{"message":" \n","changes":[1]}]}"#, "no message"),
            (r#"{"commits":[{"message":"Rescue-record: x","changes":[1]}]}"#, "no message"),
            (r#"{"commits":[{"changes":[1]}]}"#, "no message"),
            (r#"{"commits":[{"message":"a"}]}"#, "no list `changes`"),
            (r#"{"commits":[{"message":"a","changes":[0]}]}"#, "no change 0"),
            (r#"{"commits":[{"message":"a","changes":[4]}]}"#, "no change 4"),
            (r#"{"commits":[{"message":"a","changes":["1"]}]}"#, "no change"),
            (
                r#"{"commits":[{"message":"a","changes":[1]},{"message":"b","changes":[1]}]}"#,
                "change 1 into two commits",
            ),
        ] {
            let found = read_text(answer, 3).unwrap_err();
            assert!(found.contains(why), "{answer}: {found}");
        }
        let escaped = read_text("{\"commits\":[{\"message\":\"a\\u001b[2J\",\"changes\":[1]}]}", 1).unwrap();
        assert!(!escaped[0].0.contains('\u{1b}'));
        let many = format!("{{\"commits\":[{}]}}", vec![r#"{"message":"a","changes":[]}"#; 21].join(","));
        assert!(read_text(&many, 3).unwrap_err().contains("20 are the most"));
        let long = format!(r#"{{"commits":[{{"message":"{}","changes":[1]}}]}}"#, "x".repeat(LONGEST + 1));
        assert!(read_text(&long, 1).is_err());
    }
}
