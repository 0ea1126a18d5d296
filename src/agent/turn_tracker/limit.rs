//! Reads an error that replaces a reply: a usage limit of the user's plan, or something else. Pure.

use crate::agent::record_text::shortened;
use crate::model::{Timestamp, TurnEnd, UsageLimit};

/// The usage limit an error reports, if any.
fn usage_limit(error: &str) -> Option<UsageLimit> {
    /// How clients report that a limit of the user's plan has been reached.
    const LIMITS: [&str; 8] = [
        "usage limit", "hit your limit", "session limit", "weekly limit", "limit reached", "quota exceeded",
        "exceeded your current quota", "out of credits",
    ];
    let lower = error.to_lowercase();
    if !LIMITS.iter().any(|limit| lower.contains(limit)) {
        return None;
    }
    // `Claude AI usage limit reached|1755615600`
    let seconds = error.rsplit_once('|').and_then(|(_, number)| number.trim().parse::<i64>().ok());
    let resets_at = seconds
        .filter(|seconds| (1_000_000_000..10_000_000_000).contains(seconds))
        .map(|seconds| Timestamp(seconds * 1000));
    let after = ["will reset at ", "resets at ", "reset at ", "resets ", "try again at ", "try again in "];
    let resets = after.iter().find_map(|mark| {
        let at = lower.find(mark)? + mark.len();
        let rest = error.get(at..)?;
        let end = rest.find(['\n', '·', '|']).unwrap_or(rest.len());
        let words = rest[..end].trim().trim_end_matches('.').trim();
        (!words.is_empty()).then(|| shortened(words))
    });
    Some(UsageLimit { resets_at, resets })
}

/// The end of a failed turn, with what the error says.
pub(in crate::agent) fn failed(error: &str) -> TurnEnd {
    TurnEnd::Failed { error: shortened(error), limit: usage_limit(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_told_from_other_errors_with_their_reset() {
        let limit = usage_limit("Claude AI usage limit reached|1755615600").unwrap();
        assert_eq!(limit.resets_at, Some(Timestamp(1_755_615_600_000)));
        let limit = usage_limit("You've hit your limit · resets 3pm (Europe/Berlin)").unwrap();
        assert_eq!(limit.resets.as_deref(), Some("3pm (Europe/Berlin)"));
        assert_eq!(usage_limit("API Error: 529 Overloaded"), None);
    }
}
