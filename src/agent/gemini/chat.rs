//! What a chat says: a fold over its lines, in order. Pure and total.

use serde_json::value::RawValue;

use super::NAME;
use super::line::{Head, Line};
use super::messages::{MAX_MESSAGES, Messages, Who};
use crate::agent::record::LineReader;
use crate::agent::record_text::{mended, shortened};
use crate::agent::turn_tracker::{TurnTracker, failed};
use crate::model::{SessionObservation, SessionOrigin, Timestamp, TurnEnd};

/// A message with a longer id is ignored, in bytes.
const LONGEST_ID: usize = 256;
/// What the client writes when the user interrupts a turn.
const CANCELLED: &str = "Request cancelled.";
/// Opens the line the client writes at the start of a session that it imports from a file.
const IMPORTED: &str = "Imported session from ";

#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own of the record")]
pub(super) struct Chat {
    session_id: Option<String>,
    /// Whether this is a subagent's record.
    pub(super) is_subagent: bool,
    /// The file the session was imported from.
    pub(super) imported_from: Option<String>,
    summary: Option<String>,
    model: Option<String>,
    context_tokens: Option<u64>,
    messages: Messages,
    /// The messages before the last replacement. A client that resumes a session first replaces all
    /// messages with an empty list.
    replaced: Messages,
    stop: Option<Stop>,
    /// Whether an overlong line was skipped that may have changed the state of the turn.
    is_lost: bool,
    /// Whether the last line could not be read.
    is_unread: bool,
    /// Whether the messages are complete even if the start of the record was not read.
    is_restated: bool,
    last_at: Option<Timestamp>,
    n_skipped_lines: u32,
}

/// How a turn was stopped, recorded outside the messages.
#[derive(Debug)]
struct Stop {
    end: TurnEnd,
    at: Option<Timestamp>,
    /// The prompt of the stopped turn.
    prompt: Option<String>,
    /// The ids of the stopped turn's messages.
    messages: Vec<String>,
    /// Whether a message came after the stop that goes on: any after a failure, a prompt after an interruption. A
    /// client rewrites its history after a stop, which is not a new turn.
    is_lifted: bool,
}

impl Stop {
    /// Whether a message from `who` goes on after the stop.
    fn is_lifted_by(&self, who: Who) -> bool {
        self.end != TurnEnd::Interrupted || who == Who::Person
    }
}

impl LineReader for Chat {
    fn take(&mut self, bytes: &[u8]) {
        let is_known = self.take_bytes(bytes) || mended(bytes).is_some_and(|mended| self.take_bytes(&mended));
        if is_known {
            self.is_unread = false;
        } else {
            self.is_unread = true;
            self.n_skipped_lines = self.n_skipped_lines.saturating_add(1);
        }
    }

    fn pass_over(&mut self, _begin: &[u8]) {
        self.n_skipped_lines = self.n_skipped_lines.saturating_add(1);
        self.is_lost = true;
    }

    fn is_enough(&self) -> bool {
        let turns = self.messages.turns();
        turns.has_prompt() && turns.last_message().is_some()
    }

    fn has_task(&self) -> bool {
        self.messages.turns().has_task()
    }
}

impl Chat {
    /// Takes a line given as bytes. False if it cannot be read.
    fn take_bytes(&mut self, bytes: &[u8]) -> bool {
        let line = Line::parse(bytes);
        let is_head = line.as_ref().is_some_and(Line::is_head);
        match (line, str::from_utf8(bytes)) {
            (Some(_), Ok(text)) if is_head => self.take_head(text),
            (Some(line), _) => self.take_line(line),
            (None, _) => false,
        }
    }

    /// Takes a line. False if its kind is unknown. The checks follow the client's order.
    fn take_line(&mut self, line: Line<'_>) -> bool {
        if let Some(id) = &line.rewind_to {
            self.messages.rewind(id);
            self.stop = None;
            return true;
        }
        if line.id.is_some() {
            return self.take_message(line, false);
        }
        match line.set {
            Some(set) => self.take_head(set.get()),
            None => false,
        }
    }

    fn take_message(&mut self, mut line: Line<'_>, is_restated: bool) -> bool {
        let Some(id) = line.id.take().filter(|id| id.len() <= LONGEST_ID) else { return false };
        let at = line.at();
        self.last_at = self.last_at.max(at);
        let who = match line.kind.as_deref() {
            Some("user") => self.messages.take(id, &line, true, is_restated),
            Some("gemini") => {
                self.take_use(&line);
                if line.is_plain() && !is_restated {
                    self.stop.take_if(|stop| stop.is_lifted || stop.is_lifted_by(Who::Agent));
                }
                self.messages.take(id, &line, false, is_restated)
            }
            Some("info" | "error" | "warning") => return self.take_notice(&line),
            Some(_) | None => return false,
        };
        self.is_lost = false;
        if let Some(stop) = self.stop.as_mut() {
            stop.is_lifted |= stop.is_lifted_by(who);
        }
        true
    }

    fn take_use(&mut self, line: &Line<'_>) {
        if line.model.is_some() {
            self.model.clone_from(&line.model);
        }
        if let Some(tokens) = &line.tokens {
            self.context_tokens = Some(tokens.input);
        }
    }

    /// Takes a notice of the client itself.
    fn take_notice(&mut self, line: &Line<'_>) -> bool {
        let text: String = line.parts().into_iter().filter_map(|part| part.text).collect();
        let at = line.at();
        let is_error = line.kind.as_deref() == Some("error");
        if text == CANCELLED {
            self.halt(TurnEnd::Interrupted, at);
        } else if is_error && !self.is_stopped() && !self.is_lost && self.messages.is_open() {
            self.halt(failed(&text), at);
        } else if let Some(path) = text.strip_prefix(IMPORTED) {
            self.imported_from = Some(path.to_owned());
        }
        true
    }

    fn halt(&mut self, end: TurnEnd, at: Option<Timestamp>) {
        let prompt = self.messages.prompt().map(str::to_owned);
        self.stop = Some(Stop { end, at, prompt, messages: self.messages.ids_of_turn(), is_lifted: false });
    }

    /// Takes the chat's head, or a change to it.
    fn take_head(&mut self, text: &str) -> bool {
        let Ok(head) = serde_json::from_str::<Head<'_>>(text) else { return false };
        if head.session_id.is_some() {
            self.session_id = head.session_id;
        }
        if let Some(kind) = head.kind {
            self.is_subagent = kind == "subagent";
        }
        if head.summary.is_some() {
            self.summary = head.summary;
        }
        if let Some(messages) = head.messages {
            self.restate(&messages);
        }
        true
    }

    /// Replaces all messages. This does not restart a turn that was stopped before, nor undo it: the client drops an
    /// interrupted prompt from what the model sees, and what was done for it is done.
    fn restate(&mut self, messages: &[&RawValue]) {
        let stop = self.stop.take();
        let mut before = self.messages.begin_again();
        let mut earlier = self.replaced.begin_again();
        for raw in &messages[messages.len().saturating_sub(MAX_MESSAGES)..] {
            let Some(line) = Line::parse(raw.get().as_bytes()) else { continue };
            if let Some(id) = &line.id {
                self.messages.recall(id, &mut before);
                self.messages.recall(id, &mut earlier);
            }
            self.take_message(line, true);
        }
        for id in stop.iter().filter(|stop| !stop.is_lifted).flat_map(|stop| &stop.messages) {
            self.messages.recall(id, &mut before);
            self.messages.recall(id, &mut earlier);
        }
        self.replaced = before;
        self.is_restated = true;
        self.is_lost = false;
        let prompt = self.messages.prompt();
        self.stop = stop.filter(|stop| prompt.is_none() || stop.prompt.as_deref() == prompt);
        if let Some(stop) = self.stop.as_mut() {
            stop.is_lifted = false;
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| !stop.is_lifted)
    }

    /// The turns, including what stopped the last one.
    pub(super) fn turns(&self) -> TurnTracker {
        let mut turns = self.messages.turns();
        turns.note(self.last_at);
        match &self.stop {
            Some(stop) if !stop.is_lifted => turns.end(stop.end.clone(), stop.at),
            Some(_) | None if self.is_lost => turns.lose_track(),
            Some(_) | None => {}
        }
        if self.is_unread {
            turns.lose_track();
        }
        turns
    }

    /// Whether every line was understood, and no message dropped.
    pub(super) fn is_read_whole(&self) -> bool {
        self.n_skipped_lines == 0 && !self.messages.is_cut()
    }

    pub(super) fn is_blank(&self) -> bool {
        self.messages.is_blank()
    }

    /// Whether the part that was read writes a todo list.
    pub(super) fn has_todos(&self) -> bool {
        self.messages.todos().is_some()
    }

    /// The session's id according to the record.
    pub(super) fn session_id(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    /// The session as recorded so far. `session_id` applies if no line names the session; `is_whole` says
    /// that the record was read from its start.
    pub(super) fn observation(&self, session_id: &str, is_whole: bool) -> SessionObservation {
        let is_fork = self.imported_from.is_some();
        let mut session = SessionObservation {
            model: self.model.clone(),
            written_at: self.last_at,
            n_skipped_lines: self.n_skipped_lines,
            name: self.summary.as_deref().map(shortened),
            origin: if is_fork { SessionOrigin::Fork { of: None } } else { SessionOrigin::Unknown },
            ..SessionObservation::named(NAME, self.session_id.as_deref().unwrap_or(session_id))
        };
        let is_counted = (is_whole || self.is_restated) && !self.messages.is_cut();
        let turns = self.turns();
        turns.tell(is_counted, &mut session);
        turns.tell_todos(self.messages.todos().unwrap_or_default().to_vec(), false, &mut session);
        session.usage.context_tokens = self.context_tokens;
        session
    }
}
