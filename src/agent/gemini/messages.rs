//! The messages of a chat in order, with all later changes applied. Pure, and bounded in size.

use std::collections::{HashMap, VecDeque};

use super::call::{Call, CallState};
use super::line::Line;
use crate::agent::record_text::{LONGEST_MESSAGE, end_of};
use crate::agent::turn_tracker::{Answer, ToolCall, TurnTracker, prompt_kind};
use crate::model::{ChecklistItem, Exit, Timestamp, TurnEnd};

/// How many messages are kept. The oldest are dropped first.
pub(super) const MAX_MESSAGES: usize = 4096;
/// How many bytes of messages are kept.
const MAX_BYTES: usize = 4 << 20;
/// Further calls of a reply are ignored.
const MAX_CALLS: usize = 256;
/// Prefixes of text that the client writes in the user's place: before the user's own, or, as the last one, to make the
/// model go on after an empty reply.
const CONTEXTS: [&str; 3] = ["<session_context>", "<hook_context>", "[System: "];

#[derive(Debug, Default)]
pub(super) struct Messages {
    entries: VecDeque<Entry>,
    /// The index of each message by id, counted from the first one ever taken.
    places: HashMap<String, usize>,
    /// How many were dropped at the front.
    n_gone: usize,
    n_bytes: usize,
    /// Whether older messages were dropped.
    is_cut: bool,
}

#[derive(Debug, Default)]
struct Entry {
    id: String,
    who: Who,
    at: Option<Timestamp>,
    text: String,
    calls: Vec<Call>,
}

/// Who a message is from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Who {
    /// The user, or a hook in the user's place.
    Person,
    /// The client itself, asking for nothing.
    #[default]
    Context,
    Tools,
    Agent,
}

impl Messages {
    /// Takes a message of the user or the agent. `is_restated` says that the client rewrote it from its
    /// history; what is already known of it then takes precedence.
    /// Returns who it is from.
    pub(super) fn take(&mut self, id: String, line: &Line<'_>, is_user: bool, is_restated: bool) -> Who {
        let mut entry = if is_user { self.user_entry(id, line) } else { agent_entry(id, line) };
        let who = entry.who;
        if let Some(known) = self.find(&entry.id).and_then(|at| self.entries.get_mut(at)) {
            entry.at = known.at.or(entry.at);
            if is_restated && entry.who == Who::Agent && !known.calls.is_empty() {
                entry.calls = std::mem::take(&mut known.calls);
            }
            self.n_bytes = self.n_bytes.saturating_sub(known.size()) + entry.size();
            *known = entry;
        } else {
            self.push(entry);
        }
        while self.entries.len() > 1 && (self.entries.len() > MAX_MESSAGES || self.n_bytes > MAX_BYTES) {
            if let Some(oldest) = self.entries.pop_front() {
                self.n_gone += 1;
                self.n_bytes = self.n_bytes.saturating_sub(oldest.size());
                self.places.remove(&oldest.id);
            }
            self.is_cut = true;
        }
        who
    }

    /// Removes all messages and returns them, for [`Messages::recall`].
    pub(super) fn begin_again(&mut self) -> Messages {
        std::mem::take(self)
    }

    /// Moves a message over from `before`, so that it is known when it is restated.
    pub(super) fn recall(&mut self, id: &str, before: &mut Messages) {
        let known = before.find(id).filter(|_| !self.places.contains_key(id));
        if let Some(entry) = known.and_then(|at| before.entries.get_mut(at)) {
            let entry = std::mem::take(entry);
            before.n_bytes = before.n_bytes.saturating_sub(entry.size());
            before.places.remove(id);
            self.push(entry);
        }
    }

    /// Drops the message with this id and all later ones, or all messages if the id is unknown.
    pub(super) fn rewind(&mut self, id: &str) {
        let length = self.find(id).unwrap_or(0);
        for gone in self.entries.drain(length..) {
            self.places.remove(&gone.id);
            self.n_bytes = self.n_bytes.saturating_sub(gone.size());
        }
    }

    fn find(&self, id: &str) -> Option<usize> {
        self.places.get(id)?.checked_sub(self.n_gone)
    }

    fn push(&mut self, entry: Entry) {
        self.n_bytes += entry.size();
        self.places.insert(entry.id.clone(), self.n_gone + self.entries.len());
        self.entries.push_back(entry);
    }

    fn user_entry(&mut self, id: String, line: &Line<'_>) -> Entry {
        let parts = line.parts();
        let mut has_answer = false;
        for response in parts.iter().filter_map(|part| part.function_response.as_ref()) {
            has_answer = true;
            let state = if response.is_error() { CallState::Failed } else { CallState::Done };
            self.answer(&response.id, state);
        }
        let parts = line.typed().unwrap_or(parts);
        let texts = parts.iter().filter_map(|part| part.text.as_deref());
        let words = texts.filter(|text| !CONTEXTS.iter().any(|begin| text.trim_start().starts_with(begin)));
        let text = end_of(words.collect::<String>().trim(), LONGEST_MESSAGE).to_owned();
        let who = match (has_answer, text.is_empty()) {
            (true, _) => Who::Tools,
            (false, true) => Who::Context,
            (false, false) => Who::Person,
        };
        let text = if who == Who::Person { text } else { String::new() };
        Entry { id, who, at: line.at(), text, calls: Vec::new() }
    }

    /// Takes a tool's result from the history. It does not override a result recorded with the call.
    fn answer(&mut self, call_id: &str, state: CallState) {
        let calls = self.entries.iter_mut().rev().take(64).flat_map(|entry| entry.calls.iter_mut());
        for call in calls.filter(|call| call.id == call_id && call.state == CallState::Open) {
            call.state = state;
        }
    }

    /// Whether the last message from the user, the tools or the agent leaves the turn open.
    pub(super) fn is_open(&self) -> bool {
        let mut told = self.entries.iter().rev().filter(|entry| entry.who != Who::Context);
        told.next().is_some_and(|last| last.end().is_none())
    }

    pub(super) fn prompt(&self) -> Option<&str> {
        let mut prompts = self.entries.iter().rev().filter(|entry| entry.who == Who::Person);
        prompts.next().map(|entry| entry.text.as_str())
    }

    /// The ids of the last prompt and of all that followed it.
    pub(super) fn ids_of_turn(&self) -> Vec<String> {
        let begin = self.entries.iter().rposition(|entry| entry.who == Who::Person);
        begin.map_or_else(Vec::new, |at| self.entries.iter().skip(at).map(|entry| entry.id.clone()).collect())
    }

    /// The last todo list written; `None` if there is none.
    pub(super) fn todos(&self) -> Option<&[ChecklistItem]> {
        let calls = self.entries.iter().rev().flat_map(|entry| entry.calls.iter().rev());
        calls.filter(|call| call.state == CallState::Done).find_map(|call| call.todos.as_deref())
    }

    /// The turns the messages describe.
    pub(super) fn turns(&self) -> TurnTracker {
        let mut tracker = TurnTracker::default();
        for entry in &self.entries {
            match entry.who {
                Who::Context | Who::Tools => tracker.note(entry.at),
                Who::Person => tracker.prompt(prompt_kind(&entry.text), &entry.text, entry.at),
                Who::Agent => entry.tell(&mut tracker),
            }
        }
        tracker
    }

    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Whether neither the user nor the agent said anything.
    pub(super) fn is_blank(&self) -> bool {
        self.entries.iter().all(|entry| entry.who == Who::Context)
    }
}

impl Entry {
    /// How this message ended the turn; `None` if the turn continues.
    fn end(&self) -> Option<TurnEnd> {
        let was_refused = |call: &Call| call.state == CallState::Cancelled;
        match (self.who, self.calls.is_empty()) {
            // A reply without text calls a tool; the call is recorded once it has a result.
            (Who::Agent, true) => (!self.text.is_empty()).then_some(TurnEnd::Finished),
            (Who::Agent, false) => self.calls.iter().all(was_refused).then_some(TurnEnd::Interrupted),
            (Who::Person | Who::Context | Who::Tools, _) => None,
        }
    }

    /// Passes a reply of the agent to the tracker.
    fn tell(&self, tracker: &mut TurnTracker) {
        tracker.say(Some(&self.id), &self.text, self.at);
        for call in &self.calls {
            let at = call.at.or(self.at);
            let (id, tool, what) = (call.id.clone(), call.name.clone(), call.what.clone());
            let deed = call.deed.clone();
            tracker.call(ToolCall { id, tool, what, deed, ..ToolCall::default() }, self.at);
            if call.todos.is_some() && call.state == CallState::Done {
                tracker.todos_written(at);
            }
            let exit = call.exit.or(match call.state {
                CallState::Open => continue,
                CallState::Done => None,
                CallState::Failed => Some(Exit::Failed),
                CallState::Cancelled => Some(Exit::Stopped),
            });
            tracker.answer(&call.id, &Answer { exit, output: &call.output, job: None }, call.at);
        }
        if let Some(end) = self.end() {
            let answered_at = self.calls.iter().filter_map(|call| call.at).max();
            tracker.end(end, answered_at.or(self.at));
        }
    }

    fn size(&self) -> usize {
        128 + self.id.len() + self.text.len() + self.calls.iter().map(Call::size).sum::<usize>()
    }
}

fn agent_entry(id: String, line: &Line<'_>) -> Entry {
    let recorded: Vec<Call> = line.calls().into_iter().take(MAX_CALLS).map(Call::recorded).collect();
    let mut text = String::new();
    let mut restated = Vec::new();
    for part in line.parts() {
        if let Some(words) = part.text.filter(|_| part.thought.is_none()) {
            text.push_str(&words);
        }
        if let Some(call) = part.function_call.filter(|_| restated.len() < MAX_CALLS) {
            restated.push(Call::restated(call));
        }
    }
    let calls = if recorded.is_empty() { restated } else { recorded };
    Entry { id, who: Who::Agent, at: line.at(), text: end_of(text.trim(), LONGEST_MESSAGE).to_owned(), calls }
}
