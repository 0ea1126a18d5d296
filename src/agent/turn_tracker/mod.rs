//! Collects the turns of one session from the lines of its record. This is the only fold over turns: every
//! agent maps its lines to the same few calls of a [`TurnTracker`], which also knows the session's current
//! state. What a prompt asks for and which commands are tests is judged elsewhere.
//!
//! Memory is bounded: the oldest turns and steps are dropped first, and the history says that they are
//! missing. Settled turns are shared with every history handed out, and never copied again.

mod calls;
mod kept;
mod present;
mod subagents;
mod turns;

use super::record_text::{end_of, keep_end, shortened};
use crate::model::{
    AgentMessage, BreakCause, Deed, Exit, Goal, GoalState, Prompt, PromptKind, Timestamp, Turn, TurnEnd,
};
use calls::Calls;
use kept::kept_prompt;
use turns::KeptTurns;

pub(super) use calls::ToolCall;
pub(super) use kept::failed;
pub(super) use kept::{
    ENOUGH_PROMPTS, command, edit, is_full_prompt, other_tool, prompt_kind, sent_off, todo, todo_state,
};
pub(super) use subagents::{SubagentSteps, join};
pub(super) use turns::Answer;

/// How much of the end of a turn's closing words is kept, in bytes.
const LONGEST_WORDS: usize = 1_000;

#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct TurnTracker {
    turns: KeptTurns,
    /// Whether the client announced a turn that nothing has been recorded of yet.
    is_started: bool,
    calls: Calls,
    todos_at: Option<(Option<Timestamp>, u64)>,
    goal: Option<Goal>,
    began_at: Option<Timestamp>,
    last_line_at: Option<Timestamp>,
    began_by_clear: bool,
    /// The user's last prompt, shortened, with its time.
    prompt: Option<(Option<Timestamp>, String)>,
    n_prompts: u32,
    n_full_prompts: u32,
    /// The agent's last message that has text.
    last_message: Option<AgentMessage>,
    message_id: Option<String>,
    /// Whether that message was written in the current turn.
    has_spoken: bool,
    /// Whether a line that cannot be read stands behind that message, which it may have followed.
    has_lost_words: bool,
}

impl TurnTracker {
    /// Takes the time of a line of the conversation.
    pub(super) fn note(&mut self, at: Option<Timestamp>) {
        if self.began_at.is_none() {
            self.began_at = at;
        }
        self.last_line_at = self.last_line_at.max(at);
    }

    /// The client announces a turn; its prompt follows.
    pub(super) fn start(&mut self, at: Option<Timestamp>) {
        self.note(at);
        self.end_for_next(false);
        self.is_started = true;
    }

    /// Whether a turn was announced and nothing in it has been recorded yet.
    pub(super) fn is_started(&self) -> bool {
        self.is_started
    }

    /// Begins a turn with a prompt.
    pub(super) fn prompt(&mut self, kind: PromptKind, text: &str, at: Option<Timestamp>) {
        self.begin(&Prompt { text: text.to_owned(), kind, at, was_queued: false, has_image: false });
    }

    /// Begins a turn with a complete prompt, whose text is shortened here.
    pub(super) fn begin(&mut self, prompt: &Prompt) {
        self.note(prompt.at);
        let prompt = Prompt { text: kept_prompt(&prompt.text), ..prompt.clone() };
        match prompt.kind {
            PromptKind::Person | PromptKind::CustomCommand | PromptKind::Gate => {
                let is_full = prompt.kind != PromptKind::Gate && is_full_prompt(&prompt.text);
                self.n_full_prompts = self.n_full_prompts.saturating_add(u32::from(is_full));
                self.prompt = Some((prompt.at, shortened(&prompt.text)));
                self.n_prompts = self.n_prompts.saturating_add(1);
            }
            // It asks nothing of the agent, and the running turn continues.
            PromptKind::ClientCommand if self.turns.last().is_some_and(is_running) => return,
            PromptKind::ClientCommand
            | PromptKind::HookFeedback
            | PromptKind::Reminder
            | PromptKind::Notice => {}
        }
        self.end_for_next(prompt.was_queued);
        self.is_started = false;
        let is_over = prompt.kind == PromptKind::ClientCommand;
        let mut turn = Turn::begun(self.turns.next_order(), Some(prompt));
        if is_over {
            turn.end = TurnEnd::Finished;
        }
        self.turns.push(turn);
    }

    /// Ends the running turn because another one begins.
    fn end_for_next(&mut self, is_steering: bool) {
        if let Some(turn) = self.turns.last_mut().filter(|turn| turn.end == TurnEnd::Open) {
            // Text after the last call is a conclusion that this version of the client does not mark.
            turn.end = if is_steering {
                TurnEnd::Steered
            } else if turn.closing_words.is_some() {
                TurnEnd::Finished
            } else {
                TurnEnd::BrokeOff { cause: BreakCause::ProcessGone }
            };
        }
        if !is_steering {
            self.stop_open_calls();
            self.has_spoken = false;
            self.has_lost_words = false;
        }
    }

    pub(super) fn call(&mut self, mut call: ToolCall, at: Option<Timestamp>) {
        self.resume(at);
        let asks = matches!(call.deed, Some(Deed::Asked { .. }));
        let order = call.deed.take().map(|deed| self.turns.add_step(deed, at));
        self.calls.begin(call, asks, order);
        if let Some(turn) = self.turns.last_mut() {
            turn.closing_words = None;
        }
    }

    /// Takes a tool's result. One for a call that is out of reach is ignored.
    pub(super) fn answer(&mut self, id: &str, answer: &Answer<'_>, at: Option<Timestamp>) {
        self.touch(at);
        if let Some(order) = self.calls.answer(id, answer.job) {
            self.turns.settle(order, answer);
        }
    }

    /// The background job that an open call asks about.
    pub(super) fn job_of(&self, call: &str) -> Option<String> {
        self.calls.open(call)?.job.clone()
    }

    /// Takes the end of a background job, or a report about it.
    pub(super) fn settle_job(&mut self, job: &str, answer: &Answer<'_>) {
        if let Some(order) = self.calls.step_of_job(job) {
            self.turns.settle(order, answer);
        }
    }

    /// Takes a line that describes a complete call, whether or not the call was recorded before.
    pub(super) fn settle_call(&mut self, id: &str, deed: Deed, answer: &Answer<'_>, at: Option<Timestamp>) {
        if self.calls.open(id).is_some_and(|open| open.order.is_some()) {
            return self.answer(id, answer, at);
        }
        self.touch(at);
        let order = self.calls.step_of_answered(id).unwrap_or_else(|| {
            self.ensure_turn();
            self.turns.add_step(deed, at)
        });
        self.turns.settle(order, answer);
    }

    /// Takes text of the agent. Lines with the same id are one message. Returns whether a message begins.
    pub(super) fn say(&mut self, message_id: Option<&str>, text: &str, at: Option<Timestamp>) -> bool {
        self.resume(at);
        let text = text.trim();
        if text.is_empty() {
            return false;
        }
        let goes_on = message_id.is_some() && message_id == self.message_id.as_deref();
        let joined = |before: Option<String>| match before.filter(|_| goes_on) {
            Some(before) => format!("{before}\n\n{text}"),
            None => text.to_owned(),
        };
        let mut message = joined(self.last_message.take().map(|message| message.text));
        keep_end(&mut message);
        self.last_message = Some(AgentMessage { text: message, at });
        self.message_id = message_id.map(str::to_owned);
        self.has_spoken = true;
        self.has_lost_words = false;
        if let Some(turn) = self.turns.last_mut() {
            let closing_words = joined(turn.closing_words.take());
            turn.closing_words = Some(end_of(&closing_words, LONGEST_WORDS).to_owned());
        }
        !goes_on
    }

    /// Continues the turn, even one that seemed to have ended.
    pub(super) fn resume(&mut self, at: Option<Timestamp>) {
        self.note(at);
        self.ensure_turn();
        if let Some(turn) = self.turns.last_mut() {
            turn.end = TurnEnd::Open;
            turn.ended_at = turn.ended_at.max(at);
        }
    }

    /// Takes something that belongs to a turn but must not reopen one that has ended, because it may be
    /// late.
    pub(super) fn touch(&mut self, at: Option<Timestamp>) {
        match self.turns.last().map(|turn| &turn.end) {
            _ if self.is_started => self.note(at),
            None | Some(TurnEnd::Open | TurnEnd::Unknown) => self.resume(at),
            Some(_) => self.note(at),
        }
    }

    /// Takes the time until which the client was busy with itself, which neither begins nor ends a turn.
    pub(super) fn busy_until(&mut self, at: Option<Timestamp>) {
        self.note(at);
        if let Some(turn) = self.turns.last_mut() {
            turn.ended_at = turn.ended_at.max(at);
        }
    }

    pub(super) fn end(&mut self, end: TurnEnd, at: Option<Timestamp>) {
        self.note(at);
        if self.is_started && end == TurnEnd::Finished && self.turns.last().is_some() {
            // Nothing was said or done in it: the client was busy with itself.
            self.is_started = false;
            return self.busy_until(at);
        }
        self.ensure_turn();
        if let Some(turn) = self.turns.last_mut() {
            turn.end = end;
            turn.ended_at = at.or(turn.ended_at);
        }
        self.stop_open_calls();
    }

    /// Ends an open turn as finished. One that has already ended keeps its end and its time.
    pub(super) fn close(&mut self, at: Option<Timestamp>) {
        let is_open = |turn: &Turn| matches!(turn.end, TurnEnd::Open | TurnEnd::Unknown);
        if self.is_started || self.turns.last().is_some_and(is_open) {
            self.end(TurnEnd::Finished, at);
        }
    }

    /// Takes a line that is too long to be read. In practice it is a tool's result, but of an unknown call.
    pub(super) fn pass_over(&mut self) {
        if self.calls.take_open().is_empty() {
            return self.lose_track();
        }
        if let Some(turn) = self.turns.last_mut() {
            turn.is_missing_steps = true;
        }
    }

    /// Takes a line of the conversation that cannot be read, so that its meaning is unknown.
    pub(super) fn lose_track(&mut self) {
        self.calls.take_open();
        self.has_lost_words = true;
        self.ensure_turn();
        if let Some(turn) = self.turns.last_mut() {
            turn.end = TurnEnd::Unknown;
            turn.is_missing_steps = true;
        }
    }

    /// Takes a change of the todo list.
    pub(super) fn todos_written(&mut self, at: Option<Timestamp>) {
        self.todos_at = Some((at, self.turns.next_order()));
    }

    /// Sets the goal; `None` removes it.
    pub(super) fn set_goal(&mut self, goal: Option<(&str, GoalState)>, at: Option<Timestamp>) {
        let order = self.turns.next_order();
        self.goal = goal.map(|(text, state)| Goal { text: shortened(text), state, at, order });
    }

    pub(super) fn goal(&self) -> Option<&Goal> {
        self.goal.as_ref()
    }

    /// Takes the fact that the conversation before this session was cleared.
    pub(super) fn clear(&mut self, at: Option<Timestamp>) {
        self.note(at);
        self.began_by_clear |= self.turns.last().is_none();
    }

    /// Makes sure that the last turn is one the agent can continue. Its prompt may be out of reach.
    fn ensure_turn(&mut self) {
        if std::mem::take(&mut self.is_started) || self.turns.last().is_none_or(is_client_command) {
            let turn = Turn::begun(self.turns.next_order(), None);
            self.turns.push(turn);
        }
    }

    /// Settles calls that will never get a result.
    fn stop_open_calls(&mut self) {
        for order in self.calls.take_open().into_iter().filter_map(|open| open.order) {
            self.turns.settle(order, &Answer { exit: Some(Exit::Stopped), ..Answer::default() });
        }
    }
}

/// Whether the turn is running and no text after its last call concludes it.
fn is_running(turn: &Turn) -> bool {
    turn.end == TurnEnd::Open && turn.closing_words.is_none()
}

/// Whether the turn is a command of the client's own, which asks nothing of the agent.
fn is_client_command(turn: &Turn) -> bool {
    turn.prompt.as_ref().is_some_and(|prompt| prompt.kind == PromptKind::ClientCommand)
}

#[cfg(test)]
mod tests {
    use super::turns::{MAX_STEPS, MAX_TURNS};
    use super::*;
    use crate::model::{SessionObservation, TurnHistory, TurnState};

    fn history(tracker: &TurnTracker) -> TurnHistory {
        let mut session = SessionObservation::named("agent", "id");
        tracker.tell(true, &mut session);
        session.history
    }

    fn called(id: &str, deed: Option<Deed>) -> ToolCall {
        ToolCall { id: id.to_owned(), tool: format!("tool {id}"), deed, ..ToolCall::default() }
    }

    fn commands(history: &TurnHistory) -> Vec<(&str, Exit)> {
        let mut commands = Vec::new();
        for step in history.turns.iter().flat_map(|turn| &turn.steps) {
            if let Deed::Command(run) = &step.deed {
                commands.push((run.command.as_str(), run.exit));
            }
        }
        commands
    }

    #[test]
    fn an_answer_finds_its_command_in_an_earlier_turn() {
        let mut tracker = TurnTracker::default();
        tracker.prompt(PromptKind::Person, "one", None);
        tracker.call(called("a", Some(command("cargo test", None))), None);
        tracker.answer("a", &Answer { job: Some("j"), ..Answer::default() }, None);
        tracker.end(TurnEnd::Finished, None);
        tracker.prompt(PromptKind::Person, "two", None);
        let ended = Answer { exit: Some(Exit::Code(1)), output: "FAILED", job: None };
        tracker.settle_job("j", &ended);
        assert_eq!(commands(&history(&tracker)), [("cargo test", Exit::Code(1))]);
    }

    #[test]
    fn what_nothing_ended_broke_off_when_the_next_prompt_came() {
        let mut tracker = TurnTracker::default();
        tracker.prompt(PromptKind::Person, "one", None);
        tracker.call(called("a", Some(command("sleep 9", None))), None);
        tracker.prompt(PromptKind::Person, "two", None);
        let history = history(&tracker);
        assert_eq!(history.turns[0].end, TurnEnd::BrokeOff { cause: BreakCause::ProcessGone });
        assert_eq!(commands(&history), [("sleep 9", Exit::Stopped)]);
    }

    #[test]
    fn a_long_history_takes_no_more_memory_than_a_short_one() {
        let mut tracker = TurnTracker::default();
        for number in 0..10_000 {
            tracker.prompt(PromptKind::Person, &"word ".repeat(1_000), None);
            tracker.call(called("a", Some(command(&"x".repeat(100_000), None))), None);
            let output = "line\n".repeat(2_000 + number % 2);
            tracker.answer("a", &Answer { exit: Some(Exit::Code(0)), output: &output, job: None }, None);
            tracker.end(TurnEnd::Finished, None);
        }
        let history = history(&tracker);
        assert_eq!(history.turns.len(), MAX_TURNS);
        assert!(!history.is_whole);
        assert!(history.turns.iter().map(|turn| turn.steps.len()).sum::<usize>() <= MAX_STEPS);
        let prompt = history.turns[0].prompt.as_ref().unwrap();
        assert!(prompt.text.len() <= 2_100);
    }

    #[test]
    fn a_line_that_cannot_be_read_makes_the_turn_unknown_until_it_goes_on() {
        let mut tracker = TurnTracker::default();
        tracker.prompt(PromptKind::Person, "one", None);
        tracker.lose_track();
        assert_eq!(history(&tracker).turns[0].end, TurnEnd::Unknown);
        tracker.say(None, "Done.", None);
        tracker.end(TurnEnd::Finished, None);
        let turn = &history(&tracker).turns[0];
        assert!(turn.is_missing_steps && turn.end == TurnEnd::Finished);
    }

    #[test]
    fn a_command_of_the_client_s_own_ends_no_turn_and_takes_no_work() {
        let mut tracker = TurnTracker::default();
        tracker.prompt(PromptKind::Person, "one", Some(Timestamp(1)));
        tracker.call(called("a", Some(command("sleep 9", None))), Some(Timestamp(2)));
        tracker.prompt(PromptKind::ClientCommand, "/model", Some(Timestamp(3)));
        assert!(tracker.is_open());
        tracker.end(TurnEnd::Interrupted, Some(Timestamp(4)));
        tracker.prompt(PromptKind::ClientCommand, "/cost", Some(Timestamp(5)));
        assert_eq!(tracker.state(), TurnState::Interrupted { at: Some(Timestamp(4)) });
        tracker.say(None, "On it.", Some(Timestamp(6)));
        let turns = history(&tracker).turns;
        assert_eq!(turns.len(), 3);
        assert_eq!((turns[2].prompt.as_ref(), turns[2].end.clone()), (None, TurnEnd::Open));
    }

    #[test]
    fn a_turn_that_the_client_begins_is_open_before_its_prompt_and_none_if_nothing_is_in_it() {
        let mut tracker = TurnTracker::default();
        tracker.prompt(PromptKind::Person, "one", Some(Timestamp(1)));
        tracker.end(TurnEnd::Finished, Some(Timestamp(2)));
        tracker.start(Some(Timestamp(3)));
        tracker.touch(Some(Timestamp(4)));
        let since = Some(Timestamp(4));
        assert_eq!(tracker.state(), TurnState::Open { since, tool: None, what: None });
        tracker.close(Some(Timestamp(5)));
        assert_eq!(tracker.state(), TurnState::Ended { at: Some(Timestamp(5)) });
        tracker.start(Some(Timestamp(6)));
        tracker.end(failed("no"), Some(Timestamp(7)));
        assert!(matches!(tracker.state(), TurnState::Failed { .. }));
        assert_eq!(history(&tracker).turns.len(), 2);
    }
}
