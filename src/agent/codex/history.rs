//! What the lines of a rollout contribute to the turn history: who wrote a prompt, and the state of the
//! goal. Pure.

use super::line::{Line, ThreadGoal};
use crate::agent::turn_tracker::{TurnTracker, prompt_kind};
use crate::model::{GoalState, PromptKind, Timestamp};

/// Prefixes of `user` messages that no user wrote.
const NO_PROMPTS: [&str; 7] = [
    "<environment_context>", "<turn_aborted>", "<hook_prompt", "<user_instructions>", "<user_shell_command>",
    "<subagent_notification>", "# AGENTS.md instructions",
];

/// Who wrote a text in the place of a user's prompt. `None` for context that the client adds.
pub(super) fn written_by(text: &str) -> Option<PromptKind> {
    let begins = |start: &str| text.starts_with(start);
    if begins("<hook_prompt") {
        Some(PromptKind::HookFeedback)
    } else if begins("<user_shell_command>") {
        Some(PromptKind::ClientCommand)
    } else if begins("<subagent_notification>") {
        Some(PromptKind::Notice)
    } else {
        (!NO_PROMPTS.iter().any(|start| begins(start))).then(|| prompt_kind(text))
    }
}

/// Takes the state of the thread's goal. `None` clears the goal.
pub(super) fn take_goal(tracker: &mut TurnTracker, goal: Option<&ThreadGoal>, at: Option<Timestamp>) {
    let Some(goal) = goal else { return tracker.set_goal(None, at) };
    let state = match goal.status.as_str() {
        "complete" | "completed" => GoalState::Reached,
        "paused" | "blocked" => GoalState::Paused,
        "budget_limited" | "budgetLimited" | "usage_limited" | "usageLimited" => GoalState::Exhausted,
        _ => GoalState::Active,
    };
    tracker.set_goal(Some((&goal.objective, state)), at);
}

/// Whether an unreadable line certainly does not belong to the conversation: it parses but is of a new
/// kind, or its start names one of `kinds`.
pub(super) fn is_quiet(line: &[u8], kinds: &[&[&str]]) -> bool {
    if Line::parse(line).is_some() {
        return true;
    }
    let begin = String::from_utf8_lossy(&line[..line.len().min(400)]);
    let others = ["token_count", "reasoning", "turn_context"];
    let mut kinds = kinds.iter().copied().flatten().chain(&others);
    kinds.any(|kind| begin.contains(&format!("\"type\":\"{kind}\"")))
}
