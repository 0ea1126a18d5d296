//! What the lines of a transcript say: a fold over them in their order. Pure and total.
//!
//! The lines of a branch (a headless reply to a live session makes one) count by their place in the
//! file, as the client itself reads them when it resumes.

use std::path::PathBuf;

use super::NAME;
use super::asked::asked_by;
use super::background::Background;
use super::line::{Attachment, Block, Line, Message};
use super::todos::Todos;
use super::turn::Turn;
use crate::agent::record_tail::{LineReader, take_lines};
use crate::model::{AgentMessage, SessionObservation, SessionOrigin, SessionUsage, Timestamp};

/// The longest message that is kept, in bytes of its end.
const LONGEST_MESSAGE: usize = 256 << 10;
/// The longest prompt that is kept, in characters.
const LONGEST_PROMPT: usize = 200;
/// Kinds of lines that keep books and say nothing that is used here.
const BOOKKEEPING: [&str; 17] = [
    "agent-name",
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
/// Starts of a `user` line's text that no person wrote to the agent.
const NO_PROMPTS: [&str; 7] = [
    "<local-command-",
    "<bash-",
    "<task-notification>",
    "<system-reminder>",
    "<command-",
    "Caveat: The messages below",
    "This session is being continued from a previous conversation",
];
/// What the client writes when a person presses Esc.
const INTERRUPTED: &str = "[Request interrupted by user";
/// What a Stop hook that blocks is told as.
const HOOK_FEEDBACK: &str = "Stop hook feedback:";
/// What old versions write in place of an empty reply.
const NO_CONTENT: &str = "(no content)";

/// What a transcript said so far.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    session_id: Option<String>,
    version: Option<String>,
    model: Option<String>,
    words: Words,
    /// True when a line of the conversation stood before the first line of the last message.
    is_message_whole: bool,
    has_conversation: bool,
    pub(super) todos: Todos,
    turn: Turn,
    /// Subagents that were sent off and have not reported.
    pub(super) background: Background,
    prompt: Option<(Option<Timestamp>, String)>,
    last_at: Option<Timestamp>,
    first_cwd: Option<String>,
    last_cwd: Option<String>,
    n_skipped_lines: u32,
}

/// The last message that has text.
#[derive(Debug, Default)]
struct Words {
    message_id: Option<String>,
    text: String,
    at: Option<Timestamp>,
}

/// Reads a whole transcript, given as bytes. `session_id` is used if no line has one (it is the name of
/// the file). A last line without a line feed is still being written and is left out.
pub fn read_transcript(session_id: &str, bytes: &[u8]) -> SessionObservation {
    let mut transcript = Transcript::default();
    take_lines(&mut transcript, bytes);
    transcript.observation(session_id)
}

impl LineReader for Transcript {
    fn take(&mut self, bytes: &[u8]) {
        let Some(line) = Line::parse(bytes) else {
            self.n_skipped_lines = self.n_skipped_lines.saturating_add(1);
            return;
        };
        // The client writes no lines of subagents here any more; old versions did.
        if line.is_sidechain {
            return;
        }
        self.take_frame(&line);
        let is_known = match &*line.kind {
            "user" => self.take_user(&line),
            "assistant" => self.take_assistant(&line),
            "system" => {
                self.turn.take_system(&line);
                true
            }
            "attachment" => self.take_attachment(&line),
            other => BOOKKEEPING.contains(&other),
        };
        if !is_known {
            self.n_skipped_lines = self.n_skipped_lines.saturating_add(1);
        }
    }

    fn pass_over(&mut self) {
        self.n_skipped_lines = self.n_skipped_lines.saturating_add(1);
        self.turn.lose_track();
    }

    fn is_enough(&self) -> bool {
        self.prompt.is_some() && !self.words.text.is_empty() && self.is_message_whole
    }
}

impl Transcript {
    /// What is told by the frame of every line.
    fn take_frame(&mut self, line: &Line<'_>) {
        if let Some(id) = &line.session_id {
            self.session_id = Some(id.clone());
        }
        if let Some(version) = &line.version {
            self.version = Some(version.clone());
        }
        if let Some(cwd) = &line.cwd {
            self.first_cwd.get_or_insert_with(|| cwd.clone());
            self.last_cwd = Some(cwd.clone());
        }
        self.last_at = self.last_at.max(line.at());
    }

    fn take_user(&mut self, line: &Line<'_>) -> bool {
        let Some(blocks) = line.message().and_then(|message| message.blocks()) else { return false };
        let at = line.at();
        let mut has_result = false;
        for id in blocks.iter().filter_map(|block| block.tool_use_id.as_deref()) {
            has_result = true;
            self.turn.answer(id, at);
            self.todos.answer(id, line.tool_use_result);
            self.background.answer(line.tool_use_result, at);
        }
        self.has_conversation = true;
        let text = joined_text(&blocks);
        let is_prompt = !has_result && !line.is_meta && !line.is_compact_summary;
        if is_prompt {
            self.background.hear(&text);
        }
        if text.starts_with(INTERRUPTED) {
            self.turn.interrupt(at);
        } else if line.is_meta && text.starts_with(HOOK_FEEDBACK)
            || is_prompt && text.starts_with("<task-notification>")
        {
            self.turn.begin(at);
        } else if is_prompt && is_from_a_person(line, &text) {
            self.turn.begin(at);
            self.prompt = Some((at, shortened(&text)));
        }
        true
    }

    fn take_assistant(&mut self, line: &Line<'_>) -> bool {
        let Some(message) = line.message() else { return false };
        let Some(blocks) = message.blocks() else { return false };
        let at = line.at();
        let text = joined_text(&blocks);
        let stood_before = std::mem::replace(&mut self.has_conversation, true);
        if line.is_api_error_message {
            self.turn.fail(at, text);
            return true;
        }
        if message.model.as_deref() == Some("<synthetic>") {
            // "No response requested." and the like: the client's own words.
            self.turn.end(at);
            return true;
        }
        self.say(&message, &text, at, stood_before);
        let mut has_call = false;
        for block in &blocks {
            if let ("tool_use", Some(id), Some(name)) = (block.kind.as_str(), &block.id, &block.name) {
                has_call = true;
                self.turn.call(id.clone(), name.clone(), at);
                if let Some(input) = block.input {
                    self.todos.call(id, name, input);
                    self.say(&message, &asked_by(name, input), at, stood_before);
                }
            }
        }
        if !has_call {
            match message.stop_reason.as_deref() {
                None | Some("tool_use" | "pause_turn") => self.turn.go_on(at),
                Some(_) => self.turn.end(at),
            }
        }
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
        let prompt = attachment.prompt.and_then(|raw| serde_json::from_str::<String>(raw.get()).ok());
        if let ("queued_command", Some(text)) = (attachment.kind.as_str(), &prompt) {
            self.background.hear(text);
        }
        match (attachment.kind.as_str(), prompt) {
            ("hook_stopped_continuation", _) => self.turn.end(at),
            ("queued_command", Some(text)) if is_from_a_person(line, &text) => {
                self.prompt = Some((at, shortened(&text)));
            }
            _ => {}
        }
        true
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
        keep_end(&mut words.text, LONGEST_MESSAGE);
    }

    /// True when nothing was said in it: a session that was opened and not used.
    pub(super) fn is_blank(&self) -> bool {
        !self.has_conversation && self.turn.is_unknown()
    }

    /// The folders that the lines name as the agent's: the first and the last one.
    pub(super) fn folders(&self) -> (Option<&str>, Option<&str>) {
        (self.first_cwd.as_deref(), self.last_cwd.as_deref())
    }

    /// All that was said, for a session whose file is named `session_id`.
    pub(super) fn observation(&self, session_id: &str) -> SessionObservation {
        let has_words = !self.words.text.is_empty();
        SessionObservation {
            agent: NAME.to_owned(),
            session_id: self.session_id.clone().unwrap_or_else(|| session_id.to_owned()),
            version: self.version.clone(),
            model: self.model.clone(),
            last_message: has_words
                .then(|| AgentMessage { text: self.words.text.clone(), at: self.words.at }),
            todos: self.todos.checklist(),
            turn: self.turn.state(),
            prompted_at: self.prompt.as_ref().and_then(|(at, _)| *at),
            prompt: self.prompt.as_ref().map(|(_, text)| text.clone()),
            written_at: self.last_at,
            n_skipped_lines: self.n_skipped_lines,
            is_partial: false,
            name: None,
            folder: self.last_cwd.as_ref().map(PathBuf::from),
            origin: SessionOrigin::Unknown,
            usage: SessionUsage::default(),
            subagents: Vec::new(),
            live: Vec::new(),
            process: None,
            pane: None,
        }
    }
}

/// The text blocks, a paragraph each.
fn joined_text(blocks: &[Block<'_>]) -> String {
    let texts = blocks.iter().filter(|block| block.kind == "text").filter_map(|block| block.text.as_deref());
    texts.map(str::trim).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Whether a person wrote this to the agent, at the keyboard or through a program of theirs.
fn is_from_a_person(line: &Line<'_>, text: &str) -> bool {
    if text.starts_with("<task-notification>") {
        return false;
    }
    match (line.origin.as_ref().map(|origin| origin.kind.as_str()), line.prompt_source.as_deref()) {
        (Some("human"), _) | (None, Some("typed" | "sdk")) => true,
        (Some(_), _) | (None, Some("system")) => false,
        (None, _) => !text.is_empty() && !NO_PROMPTS.iter().any(|start| text.starts_with(start)),
    }
}

/// The first characters of a prompt.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_PROMPT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Keeps at most `most` bytes of the end.
fn keep_end(text: &mut String, most: usize) {
    if text.len() > most {
        let mut from = text.len() - most;
        while !text.is_char_boundary(from) {
            from += 1;
        }
        text.drain(..from);
    }
}
