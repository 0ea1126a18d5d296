//! Who wrote a text in the transcript (the user, the client or a hook), and what its lines contribute to the
//! turn history: prompts, how a reply ended, the goal and background jobs.

use super::deeds::job_in;
use super::line::{Attachment, Block, Line, text_of};
use crate::agent::turn_tracker::{Answer, TurnTracker, prompt_kind};
use crate::model::{BreakCause, Exit, GoalState, Prompt, PromptKind, Timestamp, TurnEnd};

/// Begins a turn with a line in the place of a user's prompt, whoever wrote it.
pub(super) fn begin_turn(
    tracker: &mut TurnTracker,
    line: &Line<'_>,
    blocks: &[Block<'_>],
    text: &str,
    at: Option<Timestamp>,
) {
    let has_image = blocks.iter().any(|block| block.kind == "image");
    if line.is_compact_summary || text.is_empty() && !has_image {
        return tracker.note(at);
    }
    if text.starts_with("<command-name>/clear") {
        return tracker.clear(at);
    }
    let kind = written_by(line, text);
    if kind == PromptKind::Reminder {
        // It informs the model and starts no turn.
        return tracker.note(at);
    }
    let text = command_line(text).unwrap_or_else(|| text.to_owned());
    if let Some(goal) = text.strip_prefix("/goal ") {
        let is_taken_away = matches!(goal.trim(), "clear" | "off" | "stop");
        tracker.set_goal((!is_taken_away).then_some((goal, GoalState::Active)), at);
    }
    tracker.begin(&Prompt { text, kind, at, was_queued: false, has_image });
}

/// Takes the state of the session's goal from an attachment.
pub(super) fn take_goal(tracker: &mut TurnTracker, attachment: &Attachment<'_>, at: Option<Timestamp>) {
    let text = text_of(attachment.condition).or_else(|| tracker.goal().map(|goal| goal.text.clone()));
    let Some(text) = text else { return };
    let is_met = attachment.met.is_some_and(|met| met.get() == "true");
    let state = if is_met { GoalState::Reached } else { GoalState::Active };
    tracker.set_goal(Some((&text, state)), at);
}

/// Takes the outcome of a background command, if `text` reports one. It may be the answer about the job `asked`.
pub(super) fn tell_job(tracker: &mut TurnTracker, text: &str, asked: Option<&str>) {
    if let Some((job, code)) = job_in(text, asked) {
        let answer = Answer { exit: Some(Exit::Code(code)), output: text, job: None };
        tracker.settle_job(job, &answer);
    }
}

/// How a reply without tool calls ended.
pub(super) fn end_of_reply(reason: &str) -> TurnEnd {
    match reason {
        "max_tokens" | "model_context_window_exceeded" => TurnEnd::BrokeOff { cause: BreakCause::TokenLimit },
        "refusal" => TurnEnd::BrokeOff { cause: BreakCause::Refusal },
        _ => TurnEnd::Finished,
    }
}

/// A slash command with its arguments, as the user typed it.
fn command_line(text: &str) -> Option<String> {
    let between =
        |begin: &str, end: &str| Some(text.split_once(begin)?.1.split_once(end)?.0.trim().to_owned());
    let name = between("<command-name>", "</command-name>")?;
    let arguments = between("<command-args>", "</command-args>").unwrap_or_default();
    Some(format!("{name} {arguments}").trim().to_owned())
}

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

/// Whether a text as it was typed is a command of the client's own.
pub(super) fn is_client_command(text: &str) -> bool {
    text.split_whitespace().next().is_some_and(|name| CLIENT_COMMANDS.contains(&name))
}

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
