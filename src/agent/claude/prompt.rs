//! Decides who wrote a text in the transcript: the user, the client or a hook.

use super::line::Line;
use crate::agent::turn_tracker::prompt_kind;
use crate::model::PromptKind;

/// Prefixes of `user` lines that inform the model and start no turn.
const REMINDERS: [&str; 5] = [
    "<local-command-",
    "<bash-",
    "<system-reminder>",
    "Caveat: The messages below",
    "This session is being continued from a previous conversation",
];

/// Whether a user wrote this, at the keyboard or through a program of theirs.
pub(super) fn is_from_a_person(line: &Line<'_>, text: &str) -> bool {
    if text.starts_with("<task-notification>") {
        return false;
    }
    match (line.origin.as_ref().map(|origin| origin.kind.as_str()), line.prompt_source.as_deref()) {
        (Some("human"), _) | (None, Some("typed" | "sdk")) => true,
        (Some(_), _) | (None, Some("system")) => false,
        (None, _) => {
            let is_clients =
                text.starts_with("<command-") || REMINDERS.iter().any(|start| text.starts_with(start));
            !text.is_empty() && !is_clients
        }
    }
}

/// The client's own commands, which ask nothing of the agent.
const CLIENT_COMMANDS: [&str; 34] = [
    "/add-dir", "/agents", "/bug", "/clear", "/compact", "/config", "/context", "/copy", "/cost", "/doctor",
    "/exit", "/export", "/fast", "/feedback", "/help", "/hooks", "/ide", "/login", "/logout", "/mcp",
    "/memory", "/model", "/output-style", "/permissions", "/plugin", "/quit", "/rename", "/resume",
    "/rewind", "/status", "/statusline", "/tasks", "/usage", "/vim",
];

/// Who wrote a text in the place of a user's prompt.
pub(super) fn written_by(line: &Line<'_>, text: &str) -> PromptKind {
    let begins = |start: &str| text.starts_with(start);
    if begins("Stop hook feedback:") || begins("SubagentStop hook feedback:") {
        return PromptKind::HookFeedback;
    }
    if begins("<task-notification>") {
        return PromptKind::Notice;
    }
    if let Some((_, rest)) = text.split_once("<command-name>").filter(|_| begins("<command-")) {
        let name = rest.split("</command-name>").next().unwrap_or_default().trim();
        let is_clients = CLIENT_COMMANDS.contains(&name);
        return if is_clients { PromptKind::ClientCommand } else { PromptKind::CustomCommand };
    }
    if begins("<bash-input>") {
        return PromptKind::ClientCommand;
    }
    if line.is_meta || REMINDERS.iter().any(|start| begins(start)) {
        return PromptKind::Reminder;
    }
    if is_from_a_person(line, text) { prompt_kind(text) } else { PromptKind::Notice }
}
