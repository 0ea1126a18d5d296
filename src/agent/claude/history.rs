//! What the lines of a transcript contribute to the turn history: who wrote a prompt, how a reply ended,
//! and the state of the goal and of background jobs.

use super::deeds::job_in;
use super::line::{Attachment, Block, Line, text_of};
use super::prompt::written_by;
use crate::agent::turn_tracker::{Answer, TurnTracker};
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

/// Takes the outcome of a background command, if `text` reports one.
pub(super) fn tell_job(tracker: &mut TurnTracker, text: &str) {
    if let Some((job, Some(code))) = job_in(text) {
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
