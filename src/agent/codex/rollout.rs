//! What the lines of a rollout say: a fold over them in their order. Pure and total.
//!
//! The words of a turn stand there twice, as items of the conversation that is shown and as what the
//! model is given (`response_item`); the items are counted, and of the other only calls of tools. A
//! compaction or a hook writes there too.

use std::path::PathBuf;

use super::called_with::called_with;
use super::head::Meta;
use super::line::{
    Aborted, Call, Complete, Completed, Context, Line, Output, Started, SubagentActivity, Tag, TokenCount,
    TokenUsage, Told, Words, parsed,
};
use super::subagents::Subagents;
use super::turn::{ASKING_TOOL, Turn};
use super::{NAME, asked, plan};
use crate::agent::record_tail::LineReader;
use crate::agent::record_text::{keep_end, shortened};
use crate::model::{
    AgentMessage, Checklist, SessionObservation, SessionOrigin, SessionUsage, Timestamp, TurnHistory,
};

/// Kinds of lines that keep books and say nothing that is used here.
const BOOKKEEPING: [&str; 7] = [
    "compacted",
    "inter_agent_communication",
    "inter_agent_communication_metadata",
    "retained_context",
    "session_meta",
    "token_usage_record",
    "world_state",
];
/// Events that say nothing that is used here; some are of versions before 0.169.
const QUIET_EVENTS: [&str; 20] = [
    "agent_reasoning",
    "agent_reasoning_raw_content",
    "agent_reasoning_section_break",
    "background_event",
    "context_compacted",
    "entered_review_mode",
    "exec_command_end",
    "exited_review_mode",
    "image_generation_end",
    "mcp_tool_call_end",
    "patch_apply_end",
    "stream_error",
    "thread_goal_updated",
    "thread_name_updated",
    "thread_rolled_back",
    "thread_settings_applied",
    "turn_diff",
    "view_image_tool_call",
    "warning",
    "web_search_end",
];
/// Items of the model's view that say nothing that is used here.
const QUIET_ITEMS: [&str; 11] = [
    "additional_tools",
    "agent_message",
    "compaction",
    "context_compaction",
    "ghost_snapshot",
    "image_generation_call",
    "message",
    "reasoning",
    "tool_search_call",
    "tool_search_output",
    "web_search_call",
];
/// Starts of a user's text that no person wrote to the agent.
const NO_PROMPTS: [&str; 7] = [
    "<environment_context>",
    "<turn_aborted>",
    "<hook_prompt",
    "<user_instructions>",
    "<user_shell_command>",
    "<subagent_notification>",
    "# AGENTS.md instructions",
];

/// What a rollout said so far.
#[derive(Debug, Default)]
pub(super) struct Rollout {
    model: Option<String>,
    folder: Option<String>,
    words: Option<AgentMessage>,
    /// True when the last words are of the turn that is told of now.
    has_spoken: bool,
    turn: Turn,
    /// The last plan; one that was emptied has no items.
    pub(super) plan: Option<Checklist>,
    /// Subagents that have not reported.
    pub(super) subagents: Subagents,
    prompt: Option<(Option<Timestamp>, String)>,
    n_prompts: u32,
    context_tokens: Option<u64>,
    context_limit: Option<u64>,
    last_at: Option<Timestamp>,
    n_skipped_lines: u32,
}

impl LineReader for Rollout {
    fn take(&mut self, bytes: &[u8]) {
        let is_known = Line::parse(bytes).is_some_and(|line| self.take_line(&line).is_some());
        if !is_known {
            self.n_skipped_lines = self.n_skipped_lines.saturating_add(1);
        }
    }

    fn pass_over(&mut self) {
        self.n_skipped_lines = self.n_skipped_lines.saturating_add(1);
        self.turn.lose_track();
    }

    fn is_enough(&self) -> bool {
        self.prompt.is_some() && self.words.is_some() && self.model.is_some() && !self.turn.is_unknown()
    }
}

impl Rollout {
    /// Takes a line; `None` if it is not known.
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
        let tag: Tag<'_> = parsed(payload)?;
        match &*tag.kind {
            "task_started" | "turn_started" => {
                let started: Started = parsed(payload)?;
                self.context_limit = started.model_context_window.or(self.context_limit);
                self.has_spoken = false;
                self.turn.begin(at);
            }
            "task_complete" | "turn_complete" => {
                let complete: Complete = parsed(payload)?;
                if let Some(text) = complete.last_agent_message {
                    self.say(&text, at);
                }
                self.turn.end(at, complete.error.map(|error| error.message));
            }
            "turn_aborted" => match parsed::<Aborted>(payload)?.reason.as_deref() {
                // The client ends a review so when the review is done.
                Some("review_ended") => self.turn.end(at, None),
                Some(_) | None => self.turn.interrupt(at),
            },
            "item_completed" => return self.take_completed(parsed::<Completed<'_>>(payload)?.item.get(), at),
            "token_count" => self.count(&parsed(payload)?),
            "error" => self.turn.on_error(at, parsed::<Told>(payload)?.message),
            "agent_message" => self.hear(&parsed::<Told>(payload)?.message, at),
            "user_message" => self.on_prompt(&parsed::<Told>(payload)?.message, at),
            other => return is_quiet_event(other).then_some(()),
        }
        Some(())
    }

    /// An item of the conversation as it is shown.
    fn take_completed(&mut self, item: &str, at: Option<Timestamp>) -> Option<()> {
        let tag: Tag<'_> = parsed(item)?;
        match &*tag.kind {
            "AgentMessage" => self.hear(&parsed::<Words>(item)?.text(), at),
            "UserMessage" => self.on_prompt(&parsed::<Words>(item)?.text(), at),
            "SubAgentActivity" => self.subagents.hear(parsed::<SubagentActivity>(item)?, at),
            // Whatever else the agent did.
            _ => self.turn.resume(at),
        }
        Some(())
    }

    /// An item of what the model is given.
    fn take_item(&mut self, payload: &str, at: Option<Timestamp>) -> Option<()> {
        let tag: Tag<'_> = parsed(payload)?;
        match &*tag.kind {
            "function_call" | "custom_tool_call" | "local_shell_call" => {
                self.take_call(parsed(payload)?, &tag.kind, at);
                Some(())
            }
            "function_call_output" | "custom_tool_call_output" => {
                self.turn.answer(&parsed::<Output>(payload)?.call_id, at);
                Some(())
            }
            other => QUIET_ITEMS.contains(&other).then_some(()),
        }
    }

    fn take_call(&mut self, call: Call, kind: &str, at: Option<Timestamp>) {
        if let Some(plan) = plan::given_by(&call) {
            self.plan = Some(plan);
        }
        let what = called_with(&call);
        let tool = call.name.unwrap_or_else(|| kind.trim_end_matches("_call").to_owned());
        if tool == ASKING_TOOL
            && let Some(questions) = call.arguments.as_deref().and_then(asked::questions)
        {
            self.ask(&questions, at);
        }
        if let Some(id) = call.id.or(call.item_id) {
            self.turn.call(id, tool, what, at);
        }
    }

    /// The agent wrote in its turn.
    fn hear(&mut self, text: &str, at: Option<Timestamp>) {
        self.turn.clear_error();
        self.turn.resume(at);
        self.say(text, at);
    }

    /// Text becomes the last message. The same text is told in several ways, and counts once.
    fn say(&mut self, text: &str, at: Option<Timestamp>) {
        let is_known = self.has_spoken && self.words.as_ref().is_some_and(|words| words.text == text);
        if is_known || text.trim().is_empty() {
            return;
        }
        let mut text = text.to_owned();
        keep_end(&mut text);
        self.words = Some(AgentMessage { text, at });
        self.has_spoken = true;
    }

    /// Questions that a tool puts are part of what the agent says in its turn.
    fn ask(&mut self, questions: &str, at: Option<Timestamp>) {
        let before = self.words.take().filter(|_| self.has_spoken).map(|words| words.text);
        let text = before.map_or(questions.to_owned(), |before| format!("{before}\n\n{questions}"));
        self.has_spoken = false;
        self.say(&text, at);
    }

    fn on_prompt(&mut self, text: &str, at: Option<Timestamp>) {
        if NO_PROMPTS.iter().any(|start| text.starts_with(start)) {
            return self.turn.resume(at);
        }
        self.turn.on_prompt(at);
        self.prompt = Some((at, shortened(text)));
        self.n_prompts = self.n_prompts.saturating_add(1);
    }

    fn count(&mut self, count: &TokenCount) {
        let Some(info) = &count.info else { return };
        self.context_limit = info.model_context_window.or(self.context_limit);
        if let Some(TokenUsage { input_tokens, total_tokens }) = &info.last_token_usage {
            // After a compaction there was no request, and the total is what is left.
            let tokens = if *input_tokens == 0 { *total_tokens } else { *input_tokens };
            self.context_tokens = Some(tokens);
        }
    }

    /// True when nothing was said in it: a fork that was opened and not used.
    pub(super) fn is_blank(&self) -> bool {
        self.turn.is_unknown() && self.prompt.is_none() && self.words.is_none()
    }

    /// All that was said. `is_whole` if the lines were read from the first one.
    pub(super) fn observation(&self, meta: &Meta, is_whole: bool) -> SessionObservation {
        let is_fork = matches!(meta.origin, SessionOrigin::Fork { .. });
        let usage = SessionUsage {
            context_tokens: self.context_tokens,
            context_limit: self.context_limit,
            // A fork's record begins where it left the other thread.
            n_turns: (is_whole && !is_fork).then_some(self.n_prompts),
        };
        SessionObservation {
            agent: NAME.to_owned(),
            session_id: meta.id.clone(),
            version: meta.version.clone(),
            model: self.model.clone(),
            mode: None,
            last_message: self.words.clone(),
            todos: self.plan.clone().filter(|plan| !plan.items.is_empty()),
            turn: self.turn.state(),
            prompted_at: self.prompt.as_ref().and_then(|(at, _)| *at),
            prompt: self.prompt.as_ref().map(|(_, text)| text.clone()),
            written_at: self.last_at,
            n_skipped_lines: self.n_skipped_lines,
            is_partial: false,
            name: None,
            folder: self
                .folder
                .as_ref()
                .map_or_else(|| Some(meta.folder.clone()), |at| Some(PathBuf::from(at))),
            origin: meta.origin.clone(),
            usage,
            subagents: Vec::new(),
            live: Vec::new(),
            process: None,
            pane: None,
            asked: None,
            answered: None,
            history: TurnHistory::default(),
        }
    }
}

fn is_quiet_event(kind: &str) -> bool {
    QUIET_EVENTS.contains(&kind) || kind.starts_with("collab_")
}
