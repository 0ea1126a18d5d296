//! What the lines of a rollout say: a fold over them in their order. Pure and total.
//!
//! The words of a turn stand there twice, as items of the conversation that is shown and as what the
//! model is given (`response_item`); the items are counted, and of the other only calls of tools. A
//! compaction or a hook writes there too.

use std::path::PathBuf;

use super::called_with::called_with;
use super::deeds::{answer_in, deed_of, take_item};
use super::head::Meta;
use super::history::{NO_PROMPTS, is_quiet, take_goal, written_by};
use super::line::{
    Aborted, Call, Complete, Completed, Context, HookPrompt, Line, Output, Started, SubagentActivity, Tag,
    TextEvent, TextItem, TokenCount, TokenUsage, parsed,
};
use super::subagents::Subagents;
use super::turn::{ASKING_TOOL, Turn};
use super::{NAME, asked, plan};
use crate::agent::record_tail::LineReader;
use crate::agent::record_text::{keep_end, mended, shortened};
use crate::agent::turn_history::{Answer, HistoryBuilder, failed};
use crate::model::{
    AgentMessage, Checklist, Deed, Prompt, PromptKind, SessionObservation, SessionOrigin, SessionUsage,
    Timestamp, TurnEnd, TurnState,
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
const QUIET_EVENTS: [&str; 19] = [
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
/// What a rollout said so far.
#[derive(Debug, Default)]
pub(super) struct Rollout {
    model: Option<String>,
    folder: Option<String>,
    words: Option<AgentMessage>,
    /// True when the last words are of the turn that is told of now.
    has_spoken: bool,
    turn: Turn,
    history: HistoryBuilder,
    /// True from the begin of a turn to its first prompt; a later one steers it.
    is_unprompted: bool,
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
        if self.take_bytes(bytes) || mended(bytes).is_some_and(|mended| self.take_bytes(&mended)) {
            return;
        }
        self.n_skipped_lines = self.n_skipped_lines.saturating_add(1);
        if !is_quiet(bytes, &[&BOOKKEEPING, &QUIET_EVENTS]) {
            self.history.lose_track();
        }
    }

    fn pass_over(&mut self, begin: &[u8]) {
        self.n_skipped_lines = self.n_skipped_lines.saturating_add(1);
        self.turn.lose_track();
        if !is_quiet(begin, &[&BOOKKEEPING, &QUIET_EVENTS]) {
            self.history.lose_track();
        }
    }

    fn is_enough(&self) -> bool {
        self.prompt.is_some() && self.words.is_some() && self.model.is_some() && !self.turn.is_unknown()
    }

    fn has_task(&self) -> bool {
        self.history.has_full_prompt()
    }
}

impl Rollout {
    /// Takes a line; false if it cannot be read, or is of no kind that is known.
    fn take_bytes(&mut self, bytes: &[u8]) -> bool {
        Line::parse(bytes).is_some_and(|line| self.take_line(&line).is_some())
    }

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
                self.is_unprompted = true;
                self.history.note(at);
            }
            "task_complete" | "turn_complete" => {
                let complete: Complete = parsed(payload)?;
                if let Some(text) = complete.last_agent_message {
                    self.say(&text, at);
                }
                self.turn.end(at, complete.error.map(|error| error.message));
                self.end_history(at);
            }
            "turn_aborted" => {
                // The client ends a review so when the review is done.
                if parsed::<Aborted>(payload)?.reason.as_deref() == Some("review_ended") {
                    self.turn.end(at, None);
                } else {
                    self.turn.interrupt(at);
                }
                self.end_history(at);
            }
            "thread_goal_updated" => take_goal(&mut self.history, &parsed(payload)?, at),
            "thread_goal_cleared" => self.history.set_goal(None, at),
            "item_completed" => return self.take_completed(parsed::<Completed<'_>>(payload)?.item.get(), at),
            "token_count" => self.count(&parsed(payload)?),
            "error" => {
                let error = parsed::<TextEvent>(payload)?.message;
                self.history.end(failed(&error), at);
                self.turn.on_error(at, error);
            }
            "agent_message" => self.hear(&parsed::<TextEvent>(payload)?.message, at),
            "user_message" => self.on_prompt(&parsed::<TextEvent>(payload)?.message, at),
            other => return is_quiet_event(other).then_some(()),
        }
        Some(())
    }

    /// An item of the conversation as it is shown.
    fn take_completed(&mut self, item: &str, at: Option<Timestamp>) -> Option<()> {
        let tag: Tag<'_> = parsed(item)?;
        match &*tag.kind {
            "AgentMessage" => self.hear(&parsed::<TextItem>(item)?.text(), at),
            "UserMessage" => self.on_prompt(&parsed::<TextItem>(item)?.text(), at),
            "HookPrompt" => {
                self.turn.resume(at);
                self.history.prompt(PromptKind::HookFeedback, &parsed::<HookPrompt>(item)?.text(), at);
            }
            "SubAgentActivity" => self.subagents.hear(parsed::<SubagentActivity>(item)?, at),
            // Whatever else the agent did.
            kind => {
                take_item(kind, item, &mut self.history, at);
                self.turn.resume(at);
            }
        }
        Some(())
    }

    /// The turn ended as its state tells now.
    fn end_history(&mut self, at: Option<Timestamp>) {
        let end = match self.turn.state() {
            TurnState::Failed { error, .. } => failed(&error),
            TurnState::Interrupted { .. } => TurnEnd::Interrupted,
            TurnState::Ended { .. } | TurnState::Open { .. } | TurnState::Unknown => TurnEnd::Finished,
        };
        self.history.end(end, at);
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
                let output: Output<'_> = parsed(payload)?;
                self.turn.answer(&output.call_id, at);
                let (exit, text) = output.text().map(|text| answer_in(&text)).unwrap_or_default();
                let answer = Answer { exit, output: &text, job: None };
                self.history.answer(&output.call_id, &answer, at);
                Some(())
            }
            other => QUIET_ITEMS.contains(&other).then_some(()),
        }
    }

    fn take_call(&mut self, call: Call, kind: &str, at: Option<Timestamp>) {
        if let Some(plan) = plan::given_by(&call) {
            self.plan = Some(plan);
            self.history.todos_written(at);
        }
        let what = called_with(&call);
        let tool = call.name.clone().unwrap_or_else(|| kind.trim_end_matches("_call").to_owned());
        let deed = if tool == ASKING_TOOL {
            let words = call.arguments.as_deref().and_then(asked::questions).unwrap_or_default();
            Some(Deed::Asked { words, was_answered: false })
        } else {
            deed_of(&tool, &call, self.folder.as_deref())
        };
        if tool == ASKING_TOOL
            && let Some(questions) = call.arguments.as_deref().and_then(asked::questions)
        {
            self.ask(&questions, at);
        }
        if let Some(id) = call.id.or(call.item_id) {
            self.history.call(&id, deed, at);
            self.turn.call(id, tool, what, at);
        }
    }

    /// The agent wrote in its turn.
    fn hear(&mut self, text: &str, at: Option<Timestamp>) {
        self.turn.clear_error();
        self.turn.resume(at);
        self.history.say(text, at);
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
        self.begin_turn(text, at);
        if NO_PROMPTS.iter().any(|start| text.starts_with(start)) {
            return self.turn.resume(at);
        }
        self.turn.on_prompt(at);
        self.prompt = Some((at, shortened(text)));
        self.n_prompts = self.n_prompts.saturating_add(1);
    }

    /// What stands where a person's prompt stands begins a turn, or steers the one that runs.
    fn begin_turn(&mut self, text: &str, at: Option<Timestamp>) {
        let Some(kind) = written_by(text) else { return self.history.note(at) };
        let is_first = std::mem::take(&mut self.is_unprompted);
        let was_queued = !is_first && self.turn.is_open() && kind == PromptKind::Person;
        self.history.begin(&Prompt { text: text.to_owned(), kind, at, was_queued, has_image: false });
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
        let todos = self.plan.clone().filter(|plan| !plan.items.is_empty());
        let history = self.history.history(is_whole && !is_fork, todos.as_ref(), false);
        SessionObservation {
            agent: NAME.to_owned(),
            session_id: meta.id.clone(),
            version: meta.version.clone(),
            model: self.model.clone(),
            mode: None,
            last_message: self.words.clone(),
            todos,
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
            history,
        }
    }
}

fn is_quiet_event(kind: &str) -> bool {
    QUIET_EVENTS.contains(&kind) || kind.starts_with("collab_")
}
