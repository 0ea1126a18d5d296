//! What a rollout says: a fold over its lines, in order. Pure and total.
//!
//! A rollout holds the text of a turn twice: as items of the visible conversation and as the model's input
//! (`response_item`). The items count; of the model's input only tool calls are used, because compactions
//! and hooks write there too.

use std::path::PathBuf;

use super::deeds::{answer_in, called_with, deed_of, job_asked_about, job_in, questions, take_item};
use super::head::Meta;
use super::line::{
    Call, Context, HookPrompt, Line, Output, SubagentActivity, Tag, TextItem, ThreadGoal, TokenInfo,
    TokenUsage, TurnError, is_quiet, parsed, take_goal, written_by,
};
use super::subagents::Subagents;
use super::{ASKING_TOOL, NAME, plan};
use crate::agent::fields::Fields;
use crate::agent::record::LineReader;
use crate::agent::record_text::mended;
use crate::agent::turn_tracker::{Answer, ToolCall, TurnTracker, failed};
use crate::model::{
    Checklist, Deed, Exit, Prompt, PromptKind, SessionObservation, SessionOrigin, Timestamp, TurnEnd,
};

/// Line types for bookkeeping that carry nothing used here.
const BOOKKEEPING: [&str; 7] = [
    "compacted", "inter_agent_communication", "inter_agent_communication_metadata", "retained_context",
    "session_meta", "token_usage_record", "world_state",
];
/// Events that carry nothing used here; some come from versions before 0.169.
const QUIET_EVENTS: [&str; 19] = [
    "agent_reasoning", "agent_reasoning_raw_content", "agent_reasoning_section_break", "background_event",
    "context_compacted", "entered_review_mode", "exec_command_end", "exited_review_mode",
    "image_generation_end", "mcp_tool_call_end", "patch_apply_end", "stream_error", "thread_name_updated",
    "thread_rolled_back", "thread_settings_applied", "turn_diff", "view_image_tool_call", "warning",
    "web_search_end",
];
/// Items of the model's input that carry nothing used here.
const QUIET_ITEMS: [&str; 11] = [
    "additional_tools", "agent_message", "compaction", "context_compaction", "ghost_snapshot",
    "image_generation_call", "message", "reasoning", "tool_search_call", "tool_search_output",
    "web_search_call",
];
#[derive(Debug, Default)]
pub(super) struct Rollout {
    model: Option<String>,
    folder: Option<String>,
    turns: TurnTracker,
    /// The last plan. A plan that was cleared has no items.
    pub(super) plan: Option<Checklist>,
    pub(super) subagents: Subagents,
    context_tokens: Option<u64>,
    context_limit: Option<u64>,
    last_at: Option<Timestamp>,
    n_skipped_lines: u32,
}

impl LineReader for Rollout {
    fn take(&mut self, bytes: &[u8]) {
        if self.take_bytes(bytes) || mended(bytes).is_some_and(|mended| self.take_bytes(&mended)) {
            return;
        }
        self.n_skipped_lines = self.n_skipped_lines.saturating_add(1);
        if !is_quiet(bytes, &[&BOOKKEEPING, &QUIET_EVENTS]) {
            self.turns.lose_track();
        }
    }

    fn pass_over(&mut self, begin: &[u8]) {
        self.n_skipped_lines = self.n_skipped_lines.saturating_add(1);
        if !is_quiet(begin, &[&BOOKKEEPING, &QUIET_EVENTS]) {
            self.turns.pass_over();
        }
    }

    fn is_enough(&self) -> bool {
        self.turns.has_prompt() && self.turns.last_message().is_some() && self.model.is_some()
    }

    fn has_task(&self) -> bool {
        self.turns.has_task()
    }
}

impl Rollout {
    /// Takes a line. False if it does not parse or its type is unknown.
    fn take_bytes(&mut self, bytes: &[u8]) -> bool {
        Line::parse(bytes).is_some_and(|line| self.take_line(&line).is_some())
    }

    /// Takes a line. `None` if it is not understood.
    fn take_line(&mut self, line: &Line<'_>) -> Option<()> {
        let at = line.at();
        self.last_at = self.last_at.max(at);
        match &*line.kind {
            "event_msg" => self.take_event(line.payload()?, at),
            "response_item" => self.take_item(line.payload()?, at),
            "turn_context" => {
                let context: Context = parsed(line.payload()?)?;
                self.model = context.model.or(self.model.take());
                self.folder = context.cwd.or(self.folder.take());
                Some(())
            }
            other => BOOKKEEPING.contains(&other).then_some(()),
        }
    }

    fn take_event(&mut self, payload: &str, at: Option<Timestamp>) -> Option<()> {
        let event = Fields::read(payload.as_bytes());
        // A message that is present but not a string cannot be read.
        let message = || match event.raw("message") {
            Some(_) => event.text("message"),
            None => Some(String::new()),
        };
        match event.text("type")?.as_str() {
            "task_started" | "turn_started" => {
                self.context_limit = event.get("model_context_window").or(self.context_limit);
                self.turns.start(at);
            }
            "task_complete" | "turn_complete" => {
                if let Some(text) = event.first_text(&["last_agent_message"]) {
                    self.hear(&text, at);
                }
                // Present if the model service failed for good.
                if let Some(error) = event.get::<TurnError>("error") {
                    self.turns.end(failed(&error.message), at);
                }
                self.turns.close(at);
                self.turns.busy_until(at);
            }
            // A finished review ends this way.
            "turn_aborted" if event.text("reason").as_deref() == Some("review_ended") => self.turns.close(at),
            "turn_aborted" => self.turns.end(TurnEnd::Interrupted, at),
            "thread_goal_updated" => {
                let goal: Option<ThreadGoal> =
                    event.raw("goal").map_or(Some(None), |goal| parsed(goal.get()))?;
                take_goal(&mut self.turns, goal.as_ref(), at);
            }
            "thread_goal_cleared" => self.turns.set_goal(None, at),
            "item_completed" => return self.take_completed(event.raw("item")?.get(), at),
            "token_count" => self.count(event.get("info")),
            // The turn may continue; the agent's next message then reopens it.
            "error" => self.turns.end(failed(&message()?), at),
            "agent_message" => self.hear(&message()?, at),
            "user_message" => self.on_prompt(&message()?, at),
            other => return is_quiet_event(other).then_some(()),
        }
        Some(())
    }

    /// Takes an item of the visible conversation.
    fn take_completed(&mut self, item: &str, at: Option<Timestamp>) -> Option<()> {
        let tag: Tag<'_> = parsed(item)?;
        match &*tag.kind {
            "AgentMessage" => self.hear(&parsed::<TextItem>(item)?.text(), at),
            "UserMessage" => self.on_prompt(&parsed::<TextItem>(item)?.text(), at),
            "HookPrompt" => {
                self.turns.prompt(PromptKind::HookFeedback, &parsed::<HookPrompt>(item)?.text(), at);
            }
            "SubAgentActivity" => {
                self.subagents.hear(parsed::<SubagentActivity>(item)?, &mut self.turns, at);
            }
            // Anything else the agent did.
            kind => {
                take_item(kind, item, &mut self.turns, at);
                self.turns.touch(at);
            }
        }
        Some(())
    }

    /// Takes an item of the model's input.
    fn take_item(&mut self, payload: &str, at: Option<Timestamp>) -> Option<()> {
        let tag: Tag<'_> = parsed(payload)?;
        match &*tag.kind {
            "function_call" | "custom_tool_call" | "local_shell_call" => {
                self.take_call(parsed(payload)?, &tag.kind, at);
                Some(())
            }
            "function_call_output" | "custom_tool_call_output" => {
                let output: Output<'_> = parsed(payload)?;
                let text = output.text().unwrap_or_default();
                let asked = self.turns.job_of(&output.call_id);
                let job = job_in(&text);
                let (exit, text) = answer_in(&text);
                let answer = Answer { exit, output: &text, job: job.as_deref() };
                self.turns.answer(&output.call_id, &answer, at);
                if let (Some(asked), Some(Exit::Code(_))) = (asked, exit) {
                    self.turns.settle_job(&asked, &Answer { job: None, ..answer });
                }
                Some(())
            }
            other => QUIET_ITEMS.contains(&other).then_some(()),
        }
    }

    fn take_call(&mut self, call: Call, kind: &str, at: Option<Timestamp>) {
        if let Some(plan) = plan::given_by(&call) {
            self.plan = Some(plan);
            self.turns.todos_written(at);
        }
        let what = called_with(&call);
        let tool = call.name.clone().unwrap_or_else(|| kind.trim_end_matches("_call").to_owned());
        let deed = if tool == ASKING_TOOL {
            let words = call.arguments.as_deref().and_then(questions).unwrap_or_default();
            self.ask(&words, at);
            Some(Deed::Asked { words, was_answered: false })
        } else {
            deed_of(&tool, &call, self.folder.as_deref())
        };
        let job = job_asked_about(&tool, &call);
        if let Some(id) = call.id.or(call.item_id) {
            self.turns.call(ToolCall { id, tool, what, deed, job, ..ToolCall::default() }, at);
        }
    }

    /// Takes a message of the agent. The same text is recorded in several ways and counts once.
    fn hear(&mut self, text: &str, at: Option<Timestamp>) {
        if self.turns.said_in_turn() == Some(text.trim()) {
            self.turns.touch(at);
        } else {
            self.turns.say(None, text, at);
        }
    }

    /// A tool's questions are part of what the agent says in its turn.
    fn ask(&mut self, questions: &str, at: Option<Timestamp>) {
        if questions.is_empty() {
            return;
        }
        let before = self.turns.said_in_turn();
        let text = before.map_or(questions.to_owned(), |before| format!("{before}\n\n{questions}"));
        self.turns.say(None, &text, at);
    }

    /// A text in the place of a user's prompt begins a turn, or steers the running one.
    fn on_prompt(&mut self, text: &str, at: Option<Timestamp>) {
        let kind = written_by(text);
        // The client's notices between turns begin none.
        let is_beside = kind == Some(PromptKind::Notice) && !self.turns.is_open();
        let Some(kind) = kind.filter(|_| !is_beside) else { return self.turns.touch(at) };
        let was_queued = kind == PromptKind::Person && !self.turns.is_started() && self.turns.is_open();
        self.turns.begin(&Prompt { text: text.to_owned(), kind, at, was_queued, has_image: false });
    }

    fn count(&mut self, info: Option<TokenInfo>) {
        let Some(info) = info else { return };
        self.context_limit = info.model_context_window.or(self.context_limit);
        if let Some(TokenUsage { input_tokens, total_tokens }) = &info.last_token_usage {
            // After a compaction there was no request, and the total is what remains.
            let tokens = if *input_tokens == 0 { *total_tokens } else { *input_tokens };
            self.context_tokens = Some(tokens);
        }
    }

    pub(super) fn turns(&self) -> &TurnTracker {
        &self.turns
    }

    /// The folder of the last turn.
    pub(super) fn folder(&self) -> Option<&str> {
        self.folder.as_deref()
    }

    /// Whether nothing was said: a fork that was opened but never used.
    pub(super) fn is_blank(&self) -> bool {
        self.turns.is_blank()
    }

    /// The session as recorded so far. `is_whole` says that the lines were read from the first one on.
    pub(super) fn observation(&self, meta: &Meta, is_whole: bool) -> SessionObservation {
        let is_fork = matches!(meta.origin, SessionOrigin::Fork { .. });
        let mut session = SessionObservation {
            version: meta.version.clone(),
            model: self.model.clone(),
            written_at: self.last_at,
            n_skipped_lines: self.n_skipped_lines,
            folder: Some(self.folder.as_ref().map_or_else(|| meta.folder.clone(), PathBuf::from)),
            origin: meta.origin.clone(),
            ..SessionObservation::named(NAME, meta.id.as_str())
        };
        // A fork's record starts where the fork left the original thread.
        self.turns.tell(is_whole && !is_fork, &mut session);
        let plan = self.plan.clone().map(|plan| plan.items);
        self.turns.tell_todos(plan.unwrap_or_default(), false, &mut session);
        session.usage.context_tokens = self.context_tokens;
        session.usage.context_limit = self.context_limit;
        session
    }
}

fn is_quiet_event(kind: &str) -> bool {
    QUIET_EVENTS.contains(&kind) || kind.starts_with("collab_")
}
