//! What is kept of the prompts and deeds that the agents tell, within bounds, and who wrote a prompt. Pure.

use crate::agent::record_text::{end_of, shortened};
use crate::model::{CommandRun, Deed, PromptKind};

/// The longest prompt that is kept: bytes of its begin and of its end.
const PROMPT_BEGIN: usize = 1_500;
const PROMPT_END: usize = 500;
/// A prompt of so many words, or signs in a script without blanks, hardly ever only continues a task.
const WORDS_OF_A_TASK: usize = 5;
const SIGNS_OF_A_TASK: usize = 15;
/// The longest command line that is kept, in bytes of its begin.
const LONGEST_COMMAND: usize = 8 << 10;
/// More paths of one edit are not kept.
const MOST_PATHS: usize = 200;

/// A prompt with the middle left out where it is long.
pub(super) fn kept_prompt(text: &str) -> String {
    let text = text.trim();
    if text.len() <= PROMPT_BEGIN + PROMPT_END {
        return text.to_owned();
    }
    let begin = &text[..text.floor_char_boundary(PROMPT_BEGIN)];
    format!("{begin} … {}", end_of(text, PROMPT_END))
}

/// Whether a prompt hardly ever only continues a task, by its length, or asks something beside it.
pub(in crate::agent) fn is_full_prompt(text: &str) -> bool {
    let is_wide = |sign: &char| matches!(sign, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}');
    !text.trim_end().ends_with(['?', '？'])
        && (text.split_whitespace().nth(WORDS_OF_A_TASK - 1).is_some()
            || text.chars().filter(is_wide).nth(SIGNS_OF_A_TASK - 1).is_some())
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

/// A command that was called.
pub(in crate::agent) fn command(command: &str, folder: Option<&str>) -> Deed {
    Deed::Command(CommandRun::begun(command.to_owned(), folder.map(str::to_owned)))
}

/// An edit that was called and has not answered.
pub(in crate::agent) fn edit(paths: impl IntoIterator<Item = String>) -> Deed {
    Deed::Edit { paths: paths.into_iter().take(MOST_PATHS).collect(), was_done: false }
}

/// Another tool, if by its name it may change something.
pub(in crate::agent) fn other_tool(tool: &str) -> Option<Deed> {
    /// Parts of the names of tools that change something.
    const CHANGING: [&str; 14] = [
        "write", "edit", "create", "update", "delete", "apply", "move", "rename", "insert", "replace",
        "patch", "exec", "run", "remove",
    ];
    let name = tool.to_lowercase();
    CHANGING.iter().any(|part| name.contains(part)).then(|| Deed::Other { tool: shortened(tool) })
}

/// A deed without what is too long to be kept.
pub(super) fn bounded(deed: Deed) -> Deed {
    match deed {
        Deed::Command(mut run) if run.command.len() > LONGEST_COMMAND => {
            run.command.truncate(run.command.floor_char_boundary(LONGEST_COMMAND));
            run.is_cut = true;
            Deed::Command(run)
        }
        Deed::Asked { words, was_answered } => Deed::Asked { words: shortened(&words), was_answered },
        Deed::SentOff { what } => Deed::SentOff { what: shortened(&what) },
        deed @ (Deed::Command(_) | Deed::Edit { .. } | Deed::Other { .. }) => deed,
    }
}
