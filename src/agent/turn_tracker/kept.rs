//! Limits what is kept of prompts and deeds, decides who wrote a prompt, and reads an error that replaces a
//! reply: a usage limit of the user's plan, or something else. Pure.

use crate::agent::record_text::{end_of, shortened};
use crate::model::{ChecklistItem, CommandRun, Deed, ItemState, PromptKind, Timestamp, TurnEnd, UsageLimit};

/// How much of the start and of the end of a long prompt is kept, in bytes.
const PROMPT_BEGIN: usize = 1_500;
const PROMPT_END: usize = 500;
/// A prompt with this many words, or characters in a script without spaces, rarely just continues a task.
const WORDS_OF_A_TASK: usize = 5;
const SIGNS_OF_A_TASK: usize = 15;
/// This many full prompts are taken to reach the start of the current task, even if the newest ask
/// something beside it or add to it.
pub(in crate::agent) const ENOUGH_PROMPTS: u32 = 3;
/// How much of the start of a command line is kept, in bytes.
const LONGEST_COMMAND: usize = 8 << 10;
/// Further paths of an edit are dropped.
const MAX_PATHS: usize = 200;

/// A prompt, with the middle of a long one left out.
pub(super) fn kept_prompt(text: &str) -> String {
    let text = text.trim();
    if text.len() <= PROMPT_BEGIN + PROMPT_END {
        return text.to_owned();
    }
    let begin = &text[..text.floor_char_boundary(PROMPT_BEGIN)];
    format!("{begin} … {}", end_of(text, PROMPT_END))
}

/// Whether a prompt is likely to set a task: it is long enough not to just continue one, and is not a side
/// question.
pub(in crate::agent) fn is_full_prompt(text: &str) -> bool {
    let is_wide = |sign: &char| matches!(sign, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}');
    !text.trim_end().ends_with(['?', '？'])
        && (text.split_whitespace().nth(WORDS_OF_A_TASK - 1).is_some()
            || text.chars().filter(is_wide).nth(SIGNS_OF_A_TASK - 1).is_some())
}

/// Who wrote a text in the place of a user's prompt. What closeout sends begins with its mark; another writer in its name
/// may say more in the brackets.
pub(in crate::agent) fn prompt_kind(text: &str) -> PromptKind {
    let sender = text.trim_start().strip_prefix(['<', '[']);
    if sender.is_some_and(|sender| sender.starts_with("closeout")) {
        PromptKind::Gate
    } else {
        PromptKind::Person
    }
}

pub(in crate::agent) fn command(command: &str, folder: Option<&str>) -> Deed {
    Deed::Command(CommandRun::begun(command.to_owned(), folder.map(str::to_owned)))
}

/// An edit that was called and has no result yet.
pub(in crate::agent) fn edit(paths: impl IntoIterator<Item = String>) -> Deed {
    Deed::Edit { paths: paths.into_iter().take(MAX_PATHS).collect(), was_done: false }
}

/// A subagent that was started; its id is often known only from the result.
pub(in crate::agent) fn sent_off(what: &str, id: Option<&str>) -> Deed {
    Deed::SentOff { what: shortened(what), id: id.map(str::to_owned), was_read: false }
}

/// Any other tool, if its name suggests that it changes something.
pub(in crate::agent) fn other_tool(tool: &str) -> Option<Deed> {
    /// Parts of the names of tools that change something.
    const CHANGING: [&str; 14] = [
        "write", "edit", "create", "update", "delete", "apply", "move", "rename", "insert", "replace",
        "patch", "exec", "run", "remove",
    ];
    let name = tool.to_lowercase();
    CHANGING.iter().any(|part| name.contains(part)).then(|| Deed::Other { tool: shortened(tool) })
}

/// A todo item in one of the clients' states: `pending`, `in_progress` or `completed`.
pub(in crate::agent) fn todo(title: String, status: &str) -> ChecklistItem {
    ChecklistItem { title, state: todo_state(status), evidence: None }
}

/// Anything unknown is open.
pub(in crate::agent) fn todo_state(status: &str) -> ItemState {
    match status {
        "completed" => ItemState::Done,
        "in_progress" => ItemState::Active,
        _ => ItemState::Open,
    }
}

/// Cuts a deed to what is kept.
pub(super) fn bounded(deed: Deed) -> Deed {
    match deed {
        Deed::Command(mut run) if run.command.len() > LONGEST_COMMAND => {
            run.command.truncate(run.command.floor_char_boundary(LONGEST_COMMAND));
            run.is_cut = true;
            Deed::Command(run)
        }
        Deed::Asked { words, was_answered } => Deed::Asked { words: shortened(&words), was_answered },
        deed @ (Deed::Command(_) | Deed::Edit { .. } | Deed::SentOff { .. } | Deed::Other { .. }) => deed,
    }
}

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
    use crate::model::SENDER_MARK;

    #[test]
    fn limits_are_told_from_other_errors_with_their_reset() {
        let limit = usage_limit("Claude AI usage limit reached|1755615600").unwrap();
        assert_eq!(limit.resets_at, Some(Timestamp(1_755_615_600_000)));
        let limit = usage_limit("You've hit your limit · resets 3pm (Europe/Berlin)").unwrap();
        assert_eq!(limit.resets.as_deref(), Some("3pm (Europe/Berlin)"));
        assert_eq!(usage_limit("API Error: 529 Overloaded"), None);
    }

    #[test]
    fn what_closeout_sent_is_no_persons_prompt() {
        for text in [
            SENDER_MARK, "[closeout] This is left to do:\n- a test", "  <closeout-gate>",
            "[closeout gate] Go on.",
        ] {
            assert_eq!(prompt_kind(text), PromptKind::Gate, "{text}");
        }
        for text in ["closeout says that a test is left", "Add [closeout] to the title"] {
            assert_eq!(prompt_kind(text), PromptKind::Person, "{text}");
        }
    }
}
