//! Reads what a second model makes of an agent's last words. Total. Must not be lenient: unless it says that
//! the words report finished work, an answer that does not quote them is about something else.

use serde_json::Value;

use super::json_answer;
use crate::model::OpinionReading;
use crate::model::display_text::one_spaced;

/// The key that identifies an answer in a text.
const READING: &str = "reading";

/// Finds the answer in a text.
///
/// # Errors
/// The text contains no JSON object with a reading. The error is a message for people.
pub fn find(text: &str) -> Result<Value, String> {
    json_answer::find(text, READING).map_err(|_| "the answer holds no JSON object with `reading`".to_owned())
}

/// What the answer says about `words`, and the part of them that it is based on (empty for `Finished`).
///
/// # Errors
/// It names no known reading, or, unless that is `Finished`, quotes nothing from the words. The error is a
/// message for people.
pub fn read(answer: &Value, words: &str) -> Result<(OpinionReading, String), String> {
    let reading = answer.get(READING).cloned().unwrap_or_default();
    let reading: OpinionReading = serde_json::from_value(reading)
        .map_err(|_| "the answer names no reading that is known".to_owned())?;
    if reading == OpinionReading::Finished {
        return Ok((reading, String::new()));
    }
    let quote = answer.get("quote").and_then(Value::as_str).unwrap_or_default().trim();
    // A model may break lines elsewhere.
    if quote.is_empty() || !one_spaced(words).contains(&one_spaced(quote)) {
        return Err("the answer quotes nothing of the words that it is about".to_owned());
    }
    Ok((reading, quote.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const WORDS: &str = "I wrote the parser.\nThe old one is still there: it can go\nonce you say so.";

    #[test]
    fn an_answer_counts_by_its_word_and_its_quote() {
        for (answer, expected) in [
            (json!({"reading": "finished", "quote": "whatever"}), Some((OpinionReading::Finished, ""))),
            (
                json!({"reading": "asks", "quote": " it can go once you say so. "}),
                Some((OpinionReading::Asks, "it can go once you say so.")),
            ),
            (
                json!({"reading": "unfinished", "quote": "The old one is still there"}),
                Some((OpinionReading::Unfinished, "The old one is still there")),
            ),
            (json!({"reading": "asks", "quote": "Shall I delete it?"}), None),
            (json!({"reading": "asks", "quote": ""}), None),
            (json!({"reading": "unfinished"}), None),
            (json!({"reading": "complete", "quote": "I wrote the parser."}), None),
            (json!({"quote": "I wrote the parser."}), None),
            (json!([]), None),
        ] {
            let read = read(&answer, WORDS).ok();
            assert_eq!(
                read.as_ref().map(|(reading, quote)| (*reading, quote.as_str())),
                expected,
                "{answer}"
            );
        }
    }

    #[test]
    fn an_answer_is_found_among_other_words() {
        let text = "Here it is:\n```json\n{\"reading\": \"finished\", \"quote\": \"\"}\n```";
        assert_eq!(read(&find(text).unwrap(), WORDS), Ok((OpinionReading::Finished, String::new())));
        assert!(find("It is finished.").is_err());
    }
}
