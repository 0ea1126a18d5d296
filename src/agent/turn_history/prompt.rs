//! What is kept of a prompt, and who wrote it.

use crate::agent::record_text::end_of;
use crate::model::PromptKind;

/// The longest prompt that is kept: bytes of its begin and of its end.
const PROMPT_BEGIN: usize = 1_500;
const PROMPT_END: usize = 500;
/// A prompt of so many words, or signs in a script without blanks, hardly ever only continues a task.
const WORDS_OF_A_TASK: usize = 5;
const SIGNS_OF_A_TASK: usize = 15;

/// A prompt with the middle left out where it is long.
pub(super) fn kept_prompt(text: &str) -> String {
    let text = text.trim();
    if text.len() <= PROMPT_BEGIN + PROMPT_END {
        return text.to_owned();
    }
    let begin = &text[..text.floor_char_boundary(PROMPT_BEGIN)];
    format!("{begin} … {}", end_of(text, PROMPT_END))
}

/// Whether a prompt hardly ever only continues a task, by its length.
pub(in crate::agent) fn is_full_prompt(text: &str) -> bool {
    let is_wide = |sign: &char| matches!(sign, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}');
    text.split_whitespace().nth(WORDS_OF_A_TASK - 1).is_some()
        || text.chars().filter(is_wide).nth(SIGNS_OF_A_TASK - 1).is_some()
}

/// Who wrote a text that stands where a person's prompt stands: words that closeout or a gate sends begin with
/// its name.
pub(in crate::agent) fn prompt_kind(text: &str) -> PromptKind {
    let begin = text.trim_start();
    if begin.starts_with("<closeout") || begin.starts_with("[closeout") {
        PromptKind::Gate
    } else {
        PromptKind::Person
    }
}
