//! What the lines of a transcript say: a fold over them in their order. Pure and total.
//!
//! The lines of a branch (a headless reply to a live session makes one) count by their place in the
//! file, as the client itself reads them when it resumes.

use std::path::PathBuf;

use super::NAME;
use super::asked::{answers, asked_by, questions};
use super::background::Background;
use super::deeds::{ToolResult, called_with, deed_of};
use super::history::{begin_turn, end_of_reply, take_goal, tell_job};
use super::line::{Attachment, Block, Line, Message, text_of};
use super::prompt::{is_from_a_person, written_by};
use super::titles::Titles;
use super::todos::Todos;
use super::turn::{OpenTool, Turn};
use crate::agent::record_tail::{LineReader, take_lines};
use crate::agent::record_text::{keep_end, mended, shortened};
use crate::agent::turn_history::{HistoryBuilder, failed};
use crate::agent::version::Version;
use crate::model::{
    AgentMessage, AnsweredByTool, BreakCause, Prompt, SessionObservation, SessionOrigin, SessionUsage,
    Timestamp, TurnEnd,
};

/// Kinds of lines that keep books and say nothing that is used here.
const BOOKKEEPING: [&str; 18] = [
    "agent-name",
    "ai-title",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "atis-latch",
    "cost-state",
    "custom-title",
    "file-history-snapshot",
    "last-prompt",
    "mode",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "summary",
    "tag",
    "tools-used",
];
/// What the client writes when a person presses Esc.
const INTERRUPTED: &str = "[Request interrupted by user";
/// What a Stop hook that blocks is told as.
const HOOK_FEEDBACK: &str = "Stop hook feedback:";
/// What old versions write in place of an empty reply.
const NO_CONTENT: &str = "(no content)";

/// The oldest version that was seen to enter each of its processes under `sessions/`.
const ENTERS_PROCESSES: Version = Version(2, 1, 330);

/// What a transcript said so far.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    session_id: Option<String>,
    version: Option<String>,
    model: Option<String>,
    entrypoint: Option<String>,
    pub(super) titles: Titles,
    context_tokens: Option<u64>,
    /// Prompts of a person.
    n_prompts: u32,
    words: LastMessage,
    /// True when a line of the conversation stood before the first line of the last message.
    is_message_whole: bool,
    has_conversation: bool,
    /// True when a person or the agent said something; the client's own words are nothing.
    has_words: bool,
    pub(super) todos: Todos,
    turn: Turn,
    history: HistoryBuilder,
    /// What was answered last in a dialog.
    answered: Option<AnsweredByTool>,
    /// Subagents that were sent off and have not reported.
    pub(super) background: Background,
    prompt: Option<(Option<Timestamp>, String)>,
    last_at: Option<Timestamp>,
    last_cwd: Option<String>,
    n_skipped_lines: u32,
}

/// The last message that has text.
#[derive(Debug, Default)]
struct LastMessage {
    message_id: Option<String>,
    text: String,
    at: Option<Timestamp>,
}

/// Reads a whole transcript, given as bytes. `session_id` is used if no line has one (it is the name of
/// the file). A last line without a line feed is still being written and is left out.
pub fn read_transcript(session_id: &str, bytes: &[u8]) -> SessionObservation {
    let mut transcript = Transcript::default();
    take_lines(&mut transcript, bytes);
    transcript.observation(session_id, true)
}

impl LineReader for Transcript {
    fn take(&mut self, bytes: &[u8]) {
        if self.take_bytes(bytes) || mended(bytes).is_some_and(|mended| self.take_bytes(&mended)) {
            return;
        }
        self.n_skipped_lines = self.n_skipped_lines.saturating_add(1);
        if is_of_conversation(bytes) {
            self.history.lose_track();
        }
    }

    fn pass_over(&mut self, begin: &[u8]) {
        self.n_skipped_lines = self.n_skipped_lines.saturating_add(1);
        self.turn.lose_track();
        if is_of_conversation(begin) {
            self.history.lose_track();
        }
    }

    fn is_enough(&self) -> bool {
        self.prompt.is_some() && !self.words.text.is_empty() && self.is_message_whole
    }

    fn has_task(&self) -> bool {
        self.history.has_full_prompt()
    }
}

impl Transcript {
    /// Takes one line; false if it cannot be read, or is of no kind that is known.
    fn take_bytes(&mut self, bytes: &[u8]) -> bool {
        let Some(line) = Line::parse(bytes) else { return false };
        // The client writes no lines of subagents here any more; old versions did.
        if line.is_sidechain {
            return true;
        }
        self.take_frame(&line);
        match &*line.kind {
            "user" => self.take_user(&line),
            "assistant" => self.take_assistant(&line),
            "system" => {
                self.turn.take_system(&line);
                self.take_end(&line);
                true
            }
            "attachment" => self.take_attachment(&line),
            other => {
                self.titles.take(&line);
                BOOKKEEPING.contains(&other)
            }
        }
    }

    /// What is told by the frame of every line.
    fn take_frame(&mut self, line: &Line<'_>) {
        if let Some(id) = &line.session_id {
            self.session_id = Some(id.clone());
        }
        if let Some(version) = &line.version {
            self.version = Some(version.clone());
        }
        if line.entrypoint.is_some() {
            self.entrypoint.clone_from(&line.entrypoint);
        }
        if let Some(cwd) = &line.cwd {
            self.last_cwd = Some(cwd.clone());
        }
        self.last_at = self.last_at.max(line.at());
    }

    fn take_user(&mut self, line: &Line<'_>) -> bool {
        let Some(blocks) = line.message().and_then(|message| message.blocks()) else { return false };
        let at = line.at();
        let mut has_result = false;
        for block in &blocks {
            let Some(id) = block.tool_use_id.as_deref() else { continue };
            has_result = true;
            let told = ToolResult::read(block, line.tool_use_result);
            self.history.answer(id, &told.answer(), at);
            tell_job(&mut self.history, told.answer().output);
            if let Some(answers) = answers(line.tool_use_result).filter(|_| self.turn.asks_by(id)) {
                self.answered = Some(AnsweredByTool { call: id.to_owned(), answers });
            }
            self.turn.answer(id, at);
            self.todos.answer(id, line.tool_use_result);
            self.background.answer(line.tool_use_result, at);
        }
        self.has_conversation = true;
        self.has_words |= has_result;
        let text = joined_text(&blocks);
        let is_prompt = !has_result && !line.is_meta && !line.is_compact_summary;
        if is_prompt {
            self.background.hear(&text);
            tell_job(&mut self.history, &text);
        }
        if text.starts_with(INTERRUPTED) {
            self.turn.interrupt(at);
            self.history.end(TurnEnd::Interrupted, at);
            return true;
        }
        if !has_result {
            begin_turn(&mut self.history, line, &blocks, &text, at);
        }
        if line.is_meta && text.starts_with(HOOK_FEEDBACK)
            || is_prompt && text.starts_with("<task-notification>")
        {
            self.turn.begin(at);
        } else if is_prompt && is_from_a_person(line, &text) {
            self.turn.begin(at);
            self.hear_prompt(&text, at);
        }
        true
    }

    fn hear_prompt(&mut self, text: &str, at: Option<Timestamp>) {
        self.prompt = Some((at, shortened(text)));
        self.n_prompts = self.n_prompts.saturating_add(1);
        self.has_words = true;
    }

    fn take_assistant(&mut self, line: &Line<'_>) -> bool {
        let Some(message) = line.message() else { return false };
        let Some(blocks) = message.blocks() else { return false };
        let at = line.at();
        let text = joined_text(&blocks);
        let stood_before = std::mem::replace(&mut self.has_conversation, true);
        self.has_words = true;
        if line.is_api_error_message {
            self.history.end(failed(&text), at);
            self.turn.fail(at, text);
            return true;
        }
        if message.model.as_deref() == Some("<synthetic>") {
            // "No response requested." and the like: the client's own words.
            self.turn.end(at);
            self.history.close(at);
            return true;
        }
        self.history.say(&text, at);
        self.say(&message, &text, at, stood_before);
        let mut has_call = false;
        for block in &blocks {
            if let ("tool_use", Some(id), Some(name)) = (block.kind.as_str(), &block.id, &block.name) {
                has_call = true;
                let called_with = block.input.and_then(called_with);
                let questions = block.input.and_then(|input| questions(name, input));
                self.turn.call(OpenTool { id: id.clone(), name: name.clone(), called_with, questions }, at);
                if let Some(input) = block.input {
                    self.history.call(id, deed_of(name, input, self.last_cwd.as_deref()), at);
                    if self.todos.call(id, name, input) {
                        self.history.todos_written(at);
                    }
                    self.say(&message, &asked_by(name, input), at, stood_before);
                }
            }
        }
        if !has_call {
            match message.stop_reason.as_deref() {
                None | Some("tool_use" | "pause_turn") => self.turn.resume(at),
                Some(reason) => {
                    self.turn.end(at);
                    self.history.end(end_of_reply(reason), at);
                }
            }
        }
        self.context_tokens = message.context_tokens().or(self.context_tokens);
        if message.model.is_some() {
            self.model = message.model;
        }
        true
    }

    fn take_attachment(&mut self, line: &Line<'_>) -> bool {
        let attachment =
            line.attachment.and_then(|raw| serde_json::from_str::<Attachment<'_>>(raw.get()).ok());
        let Some(attachment) = attachment else { return false };
        let at = line.at();
        let prompt = text_of(attachment.prompt);
        if let ("queued_command", Some(text)) = (attachment.kind.as_str(), &prompt) {
            self.background.hear(text);
        }
        match (attachment.kind.as_str(), prompt) {
            ("hook_stopped_continuation", _) => {
                self.turn.end(at);
                self.history.end(TurnEnd::BrokeOff { cause: BreakCause::Hook }, at);
            }
            ("goal_status" | "goal", _) => take_goal(&mut self.history, &attachment, at),
            ("queued_command", Some(text)) if is_from_a_person(line, &text) => {
                let kind = written_by(line, &text);
                let prompt = Prompt { text: text.clone(), kind, at, was_queued: true, has_image: false };
                self.history.begin(&prompt);
                self.hear_prompt(&text, at);
            }
            _ => {}
        }
        true
    }

    /// How a `system` line ends a turn.
    fn take_end(&mut self, line: &Line<'_>) {
        match line.subtype.as_deref().unwrap_or_default() {
            "turn_duration" => self.history.close(line.at()),
            "stop_hook_summary" | "informational" if self.turn.has_ended() => self.history.close(line.at()),
            _ => {}
        }
    }

    /// Adds text to the last message, or begins a new one.
    fn say(&mut self, message: &Message<'_>, text: &str, at: Option<Timestamp>, stood_before: bool) {
        let text = text.trim();
        if text.is_empty() || text == NO_CONTENT {
            return;
        }
        let words = &mut self.words;
        if message.id.is_some() && words.message_id == message.id {
            words.text.push_str("\n\n");
        } else {
            words.message_id.clone_from(&message.id);
            words.text.clear();
            self.is_message_whole = stood_before;
        }
        words.text.push_str(text);
        words.at = at;
        keep_end(&mut words.text);
    }

    /// True when nothing was said in it: a session that was opened and not used.
    pub(super) fn is_blank(&self) -> bool {
        !self.has_words && self.turn.is_unknown()
    }

    /// Whether the client that wrote the last lines enters its processes in the registry, as far as was seen.
    pub(super) fn enters_processes(&self) -> bool {
        matches!(self.entrypoint.as_deref(), Some("cli" | "sdk-cli"))
            && self
                .version
                .as_deref()
                .and_then(Version::parse)
                .is_some_and(|version| version >= ENTERS_PROCESSES)
    }

    /// All that was said, for a session whose file is named `session_id`. `is_whole` if nothing stood
    /// before the lines that were taken.
    pub(super) fn observation(&self, session_id: &str, is_whole: bool) -> SessionObservation {
        let has_words = !self.words.text.is_empty();
        let todos = self.todos.checklist();
        let history = self.history.history(is_whole, todos.as_ref(), self.todos.is_incomplete());
        SessionObservation {
            agent: NAME.to_owned(),
            session_id: self.session_id.clone().unwrap_or_else(|| session_id.to_owned()),
            version: self.version.clone(),
            model: self.model.clone(),
            mode: None,
            last_message: has_words
                .then(|| AgentMessage { text: self.words.text.clone(), at: self.words.at }),
            todos: todos.clone(),
            turn: self.turn.state(),
            prompted_at: self.prompt.as_ref().and_then(|(at, _)| *at),
            prompt: self.prompt.as_ref().map(|(_, text)| text.clone()),
            written_at: self.last_at,
            n_skipped_lines: self.n_skipped_lines,
            is_partial: false,
            name: self.titles.name(),
            folder: self.last_cwd.as_ref().map(PathBuf::from),
            origin: SessionOrigin::Unknown,
            usage: SessionUsage {
                context_tokens: self.context_tokens,
                context_limit: None,
                n_turns: is_whole.then_some(self.n_prompts),
            },
            subagents: Vec::new(),
            live: Vec::new(),
            process: None,
            pane: None,
            asked: self.turn.asked(),
            answered: self.answered.clone(),
            history,
        }
    }
}

/// Whether a line that cannot be taken is one of the conversation, or may be: its begin names no other kind.
fn is_of_conversation(line: &[u8]) -> bool {
    if let Some(line) = Line::parse(line) {
        return matches!(&*line.kind, "user" | "assistant");
    }
    let begin = String::from_utf8_lossy(&line[..line.len().min(400)]);
    let others = ["attachment", "system"];
    let mut kinds = BOOKKEEPING.iter().chain(&others);
    !kinds.any(|kind| begin.contains(&format!("\"type\":\"{kind}\"")))
}

/// The text blocks, a paragraph each.
fn joined_text(blocks: &[Block<'_>]) -> String {
    let texts = blocks.iter().filter(|block| block.kind == "text").filter_map(|block| block.text.as_deref());
    texts.map(str::trim).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
}
