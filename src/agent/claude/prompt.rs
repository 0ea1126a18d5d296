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

/// A text without the marks that the client puts around what was pasted, as in
/// `<pasted_content id="5c3d">` … `</pasted_content id="5c3d">` (seen with 2.1.330, over 3 lines or 800 characters).
pub(super) fn without_paste_marks(text: String) -> String {
    const NAME: &str = "pasted_content";
    let mut words = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find(NAME) {
        let begin = rest[..at].strip_suffix("</").or_else(|| rest[..at].strip_suffix('<'));
        let end = rest[at..].find('>').filter(|end| !rest[at..at + end].contains(['<', '\n']));
        let (kept, next) = match begin.zip(end) {
            Some((begin, end)) => (begin, at + end + 1),
            None => (&rest[..at + NAME.len()], at + NAME.len()),
        };
        words.push_str(kept);
        rest = &rest[next..];
    }
    if words.is_empty() && rest.len() == text.len() {
        return text;
    }
    words.push_str(rest);
    words.trim().to_owned()
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pasted_prompt_is_its_words() {
        let of = |text: &str| without_paste_marks(text.to_owned());
        let pasted =
            "\n\n<pasted_content id=\"5c3d\">\nThis is left:\n\n- a < b\n</pasted_content id=\"5c3d\">\n";
        assert_eq!(of(pasted), "This is left:\n\n- a < b");
        assert_eq!(
            of("Do this: <pasted_content id=\"1\">\nx\n</pasted_content>\nnow"),
            "Do this: \nx\n\nnow"
        );
        for words in ["what does pasted_content mean?", " two  words ", "<pasted_content", "pasted_content>"]
        {
            assert_eq!(of(words), words);
        }
    }
}
