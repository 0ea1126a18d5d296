//! What the lines of a rollout say to the history of turns: who wrote a prompt, and how the goal stands. Pure.

use super::line::{Line, ThreadGoal};
use crate::agent::turn_tracker::{TurnTracker, prompt_kind};
use crate::model::{GoalState, PromptKind, Timestamp};

/// Starts of a user's text that no person wrote to the agent.
const NO_PROMPTS: [&str; 7] = [
    "<environment_context>", "<turn_aborted>", "<hook_prompt", "<user_instructions>", "<user_shell_command>",
    "<subagent_notification>", "# AGENTS.md instructions",
];

/// Who or what wrote a text that stands where a person's prompt stands; `None` for context.
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

/// The client tells how the goal of the thread stands.
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

/// Whether a line that cannot be taken is none of the conversation: it is whole and of a new kind, or its begin
/// names a kind among these.
pub(super) fn is_quiet(line: &[u8], kinds: &[&[&str]]) -> bool {
    if Line::parse(line).is_some() {
        return true;
    }
    let begin = String::from_utf8_lossy(&line[..line.len().min(400)]);
    let others = ["token_count", "reasoning", "turn_context"];
    let mut kinds = kinds.iter().copied().flatten().chain(&others);
    kinds.any(|kind| begin.contains(&format!("\"type\":\"{kind}\"")))
}
