//! Which words a person wrote to the agent.

use super::line::Line;

/// Starts of a `user` line's text that no person wrote to the agent.
const NO_PROMPTS: [&str; 7] = [
    "<local-command-",
    "<bash-",
    "<task-notification>",
    "<system-reminder>",
    "<command-",
    "Caveat: The messages below",
    "This session is being continued from a previous conversation",
];

/// Whether a person wrote this to the agent, at the keyboard or through a program of theirs.
pub(super) fn is_from_a_person(line: &Line<'_>, text: &str) -> bool {
    if text.starts_with("<task-notification>") {
        return false;
    }
    match (line.origin.as_ref().map(|origin| origin.kind.as_str()), line.prompt_source.as_deref()) {
        (Some("human"), _) | (None, Some("typed" | "sdk")) => true,
        (Some(_), _) | (None, Some("system")) => false,
        (None, _) => !text.is_empty() && !NO_PROMPTS.iter().any(|start| text.starts_with(start)),
    }
}
