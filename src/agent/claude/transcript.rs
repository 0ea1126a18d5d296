//! What a transcript says: a fold over its lines, in order. Pure and total.
//!
//! Lines of a branch (a headless reply to a live session creates one) count by their position in the file,
//! which is how the client reads them on resume.

use std::path::PathBuf;

use super::NAME;
use super::asked::{answers, asked_by, questions};
use super::background::Background;
use super::deeds::{ToolResult, called_with, deed_of, job_asked_about};
use super::history::{
    begin_turn, end_of_reply, is_from_a_person, take_goal, tell_job, without_paste_marks, written_by,
};
use super::line::{Attachment, Block, Line, Message, Titles, text_of};
use super::queue::Queue;
use super::todos::Todos;
use crate::agent::facts::Version;
use crate::agent::record::{LineReader, take_lines};
use crate::agent::record_text::mended;
use crate::agent::turn_tracker::{SubagentSteps, ToolCall, TurnTracker, failed, is_full_prompt, join};
use crate::model::{AnsweredByTool, BreakCause, Prompt, PromptKind, SessionObservation, Timestamp, TurnEnd};

/// Line types for bookkeeping that carry nothing used here, except titles.
const BOOKKEEPING: [&str; 18] = [
    "agent-name", "ai-title", "api-request", "api-request-blob", "api-request-shape", "atis-latch",
    "cost-state", "custom-title", "file-history-snapshot", "last-prompt", "mode", "permission-mode",
    "pr-link", "progress", "queue-operation", "summary", "tag", "tools-used",
];
/// What the client writes when the user presses Esc.
const INTERRUPTED: &str = "[Request interrupted by user";
/// Opens the text in which the client says that a hook may not keep the turn open any longer.
const HOOK_OVERRULED: &str = "A hook blocked the turn from ending";
/// What old versions write for an empty reply.
const NO_CONTENT: &str = "(no content)";

/// The oldest version observed to register every process under `sessions/`.
const ENTERS_PROCESSES: Version = Version(2, 1, 330);

/// The state of the fold.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Transcript {
    session_id: Option<String>,
    version: Option<String>,
    model: Option<String>,
    entrypoint: Option<String>,
    pub(super) titles: Titles,
    context_tokens: Option<u64>,
    /// Whether a line of the conversation preceded the first line of the last message.
    is_message_whole: bool,
    has_conversation: bool,
    /// Whether the user or the agent said something. The client's own texts do not count.
    has_words: bool,
    pub(super) todos: Todos,
    turns: TurnTracker,
    /// The last answer given in a dialog.
    answered: Option<AnsweredByTool>,
    pub(super) background: Background,
    queue: Queue,
    /// What subagents did according to lines among the others, as old versions write them.
    sidechain: Option<Box<TurnTracker>>,
    /// Whether this is a subagent's own transcript.
    is_of_subagent: bool,
    last_at: Option<Timestamp>,
    last_cwd: Option<String>,
    n_skipped_lines: u32,
}

/// Reads a whole transcript. `session_id`, the file's name, applies if no line names the session. A last
/// line without a line feed is still being written and is ignored.
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
            self.turns.lose_track();
        }
    }

    fn pass_over(&mut self, begin: &[u8]) {
        self.n_skipped_lines = self.n_skipped_lines.saturating_add(1);
        if is_of_conversation(begin) {
            self.turns.pass_over();
        }
    }

    fn is_enough(&self) -> bool {
        self.turns.has_prompt() && self.turns.last_message().is_some() && self.is_message_whole
    }

    fn has_task(&self) -> bool {
        self.turns.has_task()
    }
}

impl Transcript {
    /// Takes one line. False if it does not parse or its type is unknown.
    fn take_bytes(&mut self, bytes: &[u8]) -> bool {
        let Some(line) = Line::parse(bytes) else { return false };
        // Only old versions write the lines of subagents here.
        if line.is_sidechain && !self.is_of_subagent {
            return self.take_sidechain(&line);
        }
        self.take_frame(&line);
        match &*line.kind {
            "user" => self.take_user(&line),
            "assistant" => self.take_assistant(&line),
            "system" => {
                self.take_system(&line);
                true
            }
            "attachment" => self.take_attachment(&line),
            "queue-operation" => {
                self.queue.take(&line, line.operation.as_deref().unwrap_or_default());
                true
            }
            other => {
                self.titles.take(&line);
                BOOKKEEPING.contains(&other)
            }
        }
    }

    /// Takes a subagent's line: its calls and their results. Its prompt and its messages do not count here.
    fn take_sidechain(&mut self, line: &Line<'_>) -> bool {
        if !is_said_in(line) {
            return true;
        }
        let Some(blocks) = line.message().and_then(|message| message.blocks()) else { return false };
        let turns = self.sidechain.get_or_insert_default();
        for block in &blocks {
            if let Some(id) = block.tool_use_id.as_deref() {
                let told = ToolResult::read(block, line.tool_use_result);
                turns.answer(id, &told.answer(), line.at());
                tell_job(turns, told.answer().output, None);
            } else if let ("tool_use", Some(id), Some(name), Some(input)) =
                (block.kind.as_str(), &block.id, &block.name, block.input)
            {
                let deed = deed_of(name, input, line.cwd.as_deref().or(self.last_cwd.as_deref()));
                turns.call(
                    ToolCall { id: id.clone(), tool: name.clone(), deed, ..ToolCall::default() },
                    line.at(),
                );
            }
        }
        true
    }

    /// Takes the fields that every line has.
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
            if let Some(answers) = answers(line.tool_use_result).filter(|_| self.turns.asks_by(id)) {
                self.answered = Some(AnsweredByTool { call: id.to_owned(), answers });
            }
            let asked = self.turns.job_of(id);
            self.turns.answer(id, &told.answer(), at);
            tell_job(&mut self.turns, told.answer().output, asked.as_deref());
            self.todos.answer(id, line.tool_use_result);
            self.background.answer(line.tool_use_result, at);
        }
        self.has_conversation = true;
        self.has_words |= has_result;
        let text = without_paste_marks(joined_text(&blocks));
        let is_prompt = !has_result && !line.is_meta && !line.is_compact_summary;
        if is_prompt {
            self.background.hear(&text, at);
            self.queue.hear(&text, written_by(line, &text) == PromptKind::Person && is_full_prompt(&text));
            tell_job(&mut self.turns, &text, None);
        }
        if text.starts_with(INTERRUPTED) {
            self.turns.end(TurnEnd::Interrupted, at);
            return true;
        }
        if !has_result {
            begin_turn(&mut self.turns, line, &blocks, &text, at);
        }
        true
    }

    fn take_assistant(&mut self, line: &Line<'_>) -> bool {
        let Some(message) = line.message() else { return false };
        let Some(blocks) = message.blocks() else { return false };
        let at = line.at();
        let text = joined_text(&blocks);
        let stood_before = std::mem::replace(&mut self.has_conversation, true);
        self.has_words = true;
        if line.is_api_error_message {
            self.turns.end(failed(&text), at);
            return true;
        }
        if message.model.as_deref() == Some("<synthetic>") {
            // The client's own text, such as "No response requested."
            self.turns.close(at);
            return true;
        }
        self.turns.resume(at);
        self.say(&message, &text, at, stood_before);
        let mut has_call = false;
        for block in &blocks {
            if let ("tool_use", Some(id), Some(name)) = (block.kind.as_str(), &block.id, &block.name) {
                has_call = true;
                let mut call = ToolCall { id: id.clone(), tool: name.clone(), ..ToolCall::default() };
                if let Some(input) = block.input {
                    self.say(&message, &asked_by(name, input), at, stood_before);
                    self.background.call(name, input);
                    call.what = called_with(input);
                    call.questions = questions(name, input);
                    call.deed = deed_of(name, input, self.last_cwd.as_deref());
                    call.job = job_asked_about(name, input);
                    if self.todos.call(id, name, input) {
                        self.turns.todos_written(at);
                    }
                }
                self.turns.call(call, at);
            }
        }
        match message.stop_reason.as_deref() {
            _ if has_call => {}
            None | Some("tool_use" | "pause_turn") => {}
            Some(reason) => self.turns.end(end_of_reply(reason), at),
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
        let prompt = text_of(attachment.prompt).map(without_paste_marks);
        if let ("queued_command", Some(text)) = (attachment.kind.as_str(), &prompt) {
            self.background.hear(text, at);
            self.queue.hear(text, false);
        }
        match (attachment.kind.as_str(), prompt) {
            ("hook_stopped_continuation", _) => {
                self.turns.end(TurnEnd::BrokeOff { cause: BreakCause::Hook }, at);
            }
            ("goal_status" | "goal", _) => take_goal(&mut self.turns, &attachment, at),
            ("queued_command", Some(text)) if is_from_a_person(line, &text) => {
                let kind = written_by(line, &text);
                self.turns.begin(&Prompt { text, kind, at, was_queued: true, has_image: false });
            }
            _ => {}
        }
        true
    }

    fn take_system(&mut self, line: &Line<'_>) {
        let at = line.at();
        match line.subtype.as_deref().unwrap_or_default() {
            "stop_hook_summary" if holds_the_turn_open(line) => self.turns.resume(at),
            "stop_hook_summary" | "turn_duration" => self.turns.close(at),
            // A retry: the model service failed and is called again.
            "api_error" => self.turns.resume(at),
            "informational" => {
                let is_overruled = line.content_text().is_some_and(|text| text.starts_with(HOOK_OVERRULED));
                if let Some(text) = line.blocked_prompt() {
                    // A hook blocked the prompt: it was asked for, and no work on it began.
                    let kind = written_by(line, &text);
                    self.turns.begin(&Prompt { text, kind, at, was_queued: false, has_image: false });
                    self.turns.end(TurnEnd::BrokeOff { cause: BreakCause::Hook }, at);
                } else if self.turns.is_blank() && line.prevent_continuation {
                    self.turns.end(TurnEnd::Finished, at);
                } else if is_overruled || line.prevent_continuation {
                    self.turns.close(at);
                }
            }
            _ => {}
        }
    }

    /// Adds text to the last message, or begins a new message.
    fn say(&mut self, message: &Message<'_>, text: &str, at: Option<Timestamp>, stood_before: bool) {
        if text.trim() != NO_CONTENT && self.turns.say(message.id.as_deref(), text, at) {
            self.is_message_whole = stood_before;
        }
    }

    /// A subagent's own transcript, without a line.
    pub(super) fn of_subagent() -> Transcript {
        Transcript { is_of_subagent: true, ..Transcript::default() }
    }

    pub(super) fn turns(&self) -> &TurnTracker {
        &self.turns
    }

    /// Whether the session was opened but never used.
    pub(super) fn is_blank(&self) -> bool {
        !self.has_words && self.turns.is_blank()
    }

    /// Whether the client that wrote the last lines is known to register its processes.
    pub(super) fn enters_processes(&self) -> bool {
        matches!(self.entrypoint.as_deref(), Some("cli" | "sdk-cli"))
            && self
                .version
                .as_deref()
                .and_then(Version::parse)
                .is_some_and(|version| version >= ENTERS_PROCESSES)
    }

    /// The session as recorded so far. `session_id` is the name of the file. `is_whole` says that no lines
    /// before the first one were skipped.
    pub(super) fn observation(&self, session_id: &str, is_whole: bool) -> SessionObservation {
        let id = self.session_id.as_deref().unwrap_or(session_id);
        let mut session = SessionObservation {
            version: self.version.clone(),
            model: self.model.clone(),
            written_at: self.last_at,
            n_skipped_lines: self.n_skipped_lines,
            name: self.titles.name(),
            folder: self.last_cwd.as_ref().map(PathBuf::from),
            answered: self.answered.clone(),
            ..SessionObservation::named(NAME, id)
        };
        session.queued = self.queue.prompt().filter(|_| !self.turns.is_open());
        session.usage.context_tokens = self.context_tokens;
        self.turns.tell(is_whole, &mut session);
        if let Some(turns) = self.sidechain.as_deref().filter(|turns| !turns.is_blank()) {
            let steps = SubagentSteps::of("", turns, None, true, None);
            join(&mut session.history, &[steps], &mut Vec::new());
        }
        self.turns.tell_todos(self.todos.items(), self.todos.is_incomplete, &mut session);
        session
    }
}

/// Whether a Stop hook kept the agent working: it blocked, or gave the agent more to read.
fn holds_the_turn_open(line: &Line<'_>) -> bool {
    let blocked = (0..line.hook_errors.len()).any(|index| !line.failed_hook_error_indexes.contains(&index));
    !line.prevented_continuation && (blocked || !line.hook_additional_context.is_empty())
}

/// Whether an unreadable line belongs to the conversation, or may: its start names no other type.
pub(super) fn is_of_conversation(line: &[u8]) -> bool {
    if let Some(line) = Line::parse(line) {
        return is_said_in(&line);
    }
    let begin = String::from_utf8_lossy(&line[..line.len().min(400)]);
    let others = ["attachment", "system"];
    let mut kinds = BOOKKEEPING.iter().chain(&others);
    !kinds.any(|kind| begin.contains(&format!("\"type\":\"{kind}\"")))
}

fn is_said_in(line: &Line<'_>) -> bool {
    matches!(&*line.kind, "user" | "assistant")
}

/// The text blocks, one paragraph each.
fn joined_text(blocks: &[Block<'_>]) -> String {
    let texts = blocks.iter().filter(|block| block.kind == "text").filter_map(|block| block.text.as_deref());
    texts.map(str::trim).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
}
