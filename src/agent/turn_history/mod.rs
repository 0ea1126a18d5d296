//! Gathers the turns of one session from the lines of its record. Every adapter maps its lines to the same few
//! calls of a [`HistoryBuilder`]; what a prompt asks for and which commands are tests is for others to judge.
//!
//! Memory is bounded: the oldest turns and steps go first, and it is told that they are missing.

mod deed;
mod limit;
mod prompt;

use std::collections::VecDeque;
use std::sync::Arc;

pub(super) use deed::{command, edit, other_tool};
pub(super) use limit::failed;
pub(super) use prompt::{is_full_prompt, prompt_kind};

use deed::bounded;
use prompt::kept_prompt;

use super::record_text::{end_of, shortened};
use crate::model::{
    BreakCause, Checklist, DatedTodos, Deed, Exit, Goal, GoalState, Prompt, PromptKind, Timestamp, Turn,
    TurnEnd, TurnHistory, TurnStep,
};

/// So many turns are kept.
const MOST_TURNS: usize = 1_000;
/// So many steps are kept over all turns.
const MOST_STEPS: usize = 1_500;
/// The longest output that is kept, in bytes of its end.
const LONGEST_OUTPUT: usize = 4 << 10;
/// The longest closing words that are kept, in bytes of their end.
const LONGEST_WORDS: usize = 1_000;
/// More calls that have not answered are not remembered; the oldest go.
const MOST_CALLS: usize = 128;

/// The turns so far.
#[derive(Debug, Default)]
pub(super) struct HistoryBuilder {
    turns: VecDeque<Arc<Turn>>,
    n_steps: usize,
    /// True when turns were dropped.
    is_cut: bool,
    /// The place of the next thing.
    order: u64,
    /// Calls that have not answered: the id and the place of the step, where the call is one.
    calls: VecDeque<(String, Option<u64>)>,
    /// Calls that have answered, the last ones: more may be told of them.
    answered: VecDeque<(String, u64)>,
    /// Commands that go on in the background: the client's name of the job, and the place of the step.
    jobs: VecDeque<(String, u64)>,
    todos_at: Option<(Option<Timestamp>, u64)>,
    goal: Option<Goal>,
    began_at: Option<Timestamp>,
    last_line_at: Option<Timestamp>,
    began_by_clear: bool,
    has_full_prompt: bool,
}

/// What a tool gave back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Answer<'a> {
    /// How a command ended; for any other tool whether it failed.
    pub(super) exit: Option<Exit>,
    /// What a command printed.
    pub(super) output: &'a str,
    /// The name of the job in which a command goes on.
    pub(super) job: Option<&'a str>,
}

impl HistoryBuilder {
    /// A line of the conversation bears this moment.
    pub(super) fn note(&mut self, at: Option<Timestamp>) {
        if self.began_at.is_none() {
            self.began_at = at;
        }
        self.last_line_at = self.last_line_at.max(at);
    }

    /// Something was put to the agent: a turn begins.
    pub(super) fn prompt(&mut self, kind: PromptKind, text: &str, at: Option<Timestamp>) {
        self.begin(&Prompt { text: text.to_owned(), kind, at, was_queued: false, has_image: false });
    }

    /// The same with a whole prompt, whose text is shortened here.
    pub(super) fn begin(&mut self, prompt: &Prompt) {
        self.note(prompt.at);
        let prompt = Prompt { text: kept_prompt(&prompt.text), ..prompt.clone() };
        let is_persons = matches!(prompt.kind, PromptKind::Person | PromptKind::CustomCommand);
        self.has_full_prompt |= is_persons && is_full_prompt(&prompt.text);
        let is_steering = prompt.was_queued;
        if let Some(turn) = self.last_mut().filter(|turn| turn.end == TurnEnd::Open) {
            // Words behind the last call are a conclusion that this version of the client marks in no way.
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
        }
        if prompt.kind == PromptKind::ClientCommand {
            // It asks the agent for nothing.
            let order = self.next();
            let turn = Turn { end: TurnEnd::Finished, ..Turn::begun(order, Some(prompt)) };
            return self.push(turn);
        }
        let order = self.next();
        self.push(Turn::begun(order, Some(prompt)));
    }

    /// The agent called a tool. `deed` is `None` for one that only looks.
    pub(super) fn call(&mut self, id: &str, deed: Option<Deed>, at: Option<Timestamp>) {
        self.resume(at);
        let order = deed.map(|deed| self.add(deed, at));
        self.calls.retain(|(open, _)| open != id);
        if self.calls.len() == MOST_CALLS {
            self.calls.pop_front();
        }
        self.calls.push_back((id.to_owned(), order));
        if let Some(turn) = self.last_mut() {
            turn.closing_words = None;
        }
    }

    /// A tool answered. What was called out of reach is passed over.
    pub(super) fn answer(&mut self, id: &str, answer: &Answer<'_>, at: Option<Timestamp>) {
        self.go_with(at);
        let Some(index) = self.calls.iter().position(|(open, _)| open == id) else { return };
        let Some((id, Some(order))) = self.calls.remove(index) else { return };
        if self.answered.len() == MOST_CALLS {
            self.answered.pop_front();
        }
        self.answered.push_back((id, order));
        if let Some(job) = answer.job {
            if self.jobs.len() == MOST_CALLS {
                self.jobs.pop_front();
            }
            self.jobs.push_back((job.to_owned(), order));
        }
        self.settle(order, answer);
    }

    /// A job in the background ended, or told more.
    pub(super) fn settle_job(&mut self, job: &str, answer: &Answer<'_>) {
        if let Some((_, order)) = self.jobs.iter().find(|(known, _)| known == job) {
            self.settle(*order, answer);
        }
    }

    /// One line tells everything of a call, which need not have been told of before.
    pub(super) fn settle_call(&mut self, id: &str, deed: Deed, answer: &Answer<'_>, at: Option<Timestamp>) {
        if self.calls.iter().any(|(open, order)| open == id && order.is_some()) {
            return self.answer(id, answer, at);
        }
        let known = self.answered.iter().find(|(answered, _)| answered == id).map(|(_, order)| *order);
        let order = known.unwrap_or_else(|| {
            self.go_with(at);
            self.add(deed, at)
        });
        self.settle(order, answer);
    }

    /// The agent wrote.
    pub(super) fn say(&mut self, text: &str, at: Option<Timestamp>) {
        self.resume(at);
        let text = end_of(text.trim(), LONGEST_WORDS);
        if !text.is_empty()
            && let Some(turn) = self.last_mut()
        {
            turn.closing_words = Some(text.to_owned());
        }
    }

    /// The turn goes on: also one that seemed to have ended.
    pub(super) fn resume(&mut self, at: Option<Timestamp>) {
        self.note(at);
        if self.turns.is_empty() {
            let order = self.next();
            self.push(Turn::begun(order, None));
        }
        if let Some(turn) = self.last_mut() {
            turn.end = TurnEnd::Open;
            turn.ended_at = turn.ended_at.max(at);
        }
    }

    /// Something came that opens no turn that has ended: it may be late.
    fn go_with(&mut self, at: Option<Timestamp>) {
        match self.turns.back().map(|turn| &turn.end) {
            None | Some(TurnEnd::Open | TurnEnd::Unknown) => self.resume(at),
            Some(_) => self.note(at),
        }
    }

    /// The turn ended.
    pub(super) fn end(&mut self, end: TurnEnd, at: Option<Timestamp>) {
        if self.turns.is_empty() {
            self.resume(at);
        }
        self.note(at);
        if let Some(turn) = self.last_mut() {
            turn.end = end;
            turn.ended_at = at.or(turn.ended_at);
        }
        self.stop_open_calls();
    }

    /// Ends the turn by itself, unless it ended in another way.
    pub(super) fn close(&mut self, at: Option<Timestamp>) {
        if self.turns.back().is_some_and(|turn| matches!(turn.end, TurnEnd::Open | TurnEnd::Unknown)) {
            self.end(TurnEnd::Finished, at);
        }
    }

    /// A line of the conversation cannot be read: nobody can tell what it said.
    pub(super) fn lose_track(&mut self) {
        self.calls.clear();
        if self.turns.is_empty() {
            let order = self.next();
            self.push(Turn::begun(order, None));
        }
        if let Some(turn) = self.last_mut() {
            turn.end = TurnEnd::Unknown;
            turn.is_missing_steps = true;
        }
    }

    /// The todo list was written.
    pub(super) fn todos_written(&mut self, at: Option<Timestamp>) {
        let order = self.next();
        self.todos_at = Some((at, order));
    }

    /// The goal is this now; `None` when it was taken away.
    pub(super) fn set_goal(&mut self, goal: Option<(&str, GoalState)>, at: Option<Timestamp>) {
        let order = self.next();
        self.goal = goal.map(|(text, state)| Goal { text: shortened(text), state, at, order });
    }

    /// The goal that is known.
    pub(super) fn goal(&self) -> Option<&Goal> {
        self.goal.as_ref()
    }

    /// The conversation before this session was cleared.
    pub(super) fn clear(&mut self, at: Option<Timestamp>) {
        self.note(at);
        self.began_by_clear |= self.turns.is_empty();
    }

    /// True when a prompt was taken that hardly ever only continues a task: more history is seldom needed.
    pub(super) fn has_full_prompt(&self) -> bool {
        self.has_full_prompt
    }

    /// Everything that is known. `is_whole` if the record was read from its first line; `todos` is the list as
    /// it is now.
    pub(super) fn history(
        &self,
        is_whole: bool,
        todos: Option<&Checklist>,
        are_todos_partial: bool,
    ) -> TurnHistory {
        let (todos_at, todos_order) = self.todos_at.unwrap_or_default();
        TurnHistory {
            turns: self.turns.iter().cloned().collect(),
            is_whole: is_whole && !self.is_cut,
            todos: todos.map(|list| DatedTodos {
                list: list.clone(),
                at: todos_at,
                order: todos_order,
                is_partial: are_todos_partial,
            }),
            goal: self.goal.clone(),
            last_line_at: self.last_line_at,
            began_at: self.began_at.filter(|_| is_whole),
            began_by_clear: is_whole && self.began_by_clear,
        }
    }

    fn next(&mut self) -> u64 {
        self.order += 1;
        self.order
    }

    fn last_mut(&mut self) -> Option<&mut Turn> {
        self.turns.back_mut().map(Arc::make_mut)
    }

    fn push(&mut self, turn: Turn) {
        if self.turns.len() == MOST_TURNS
            && let Some(oldest) = self.turns.pop_front()
        {
            self.n_steps -= oldest.steps.len();
            self.is_cut = true;
        }
        self.turns.push_back(Arc::new(turn));
    }

    fn add(&mut self, deed: Deed, at: Option<Timestamp>) -> u64 {
        let order = self.next();
        let step = TurnStep { order, at, deed: bounded(deed) };
        if let Some(turn) = self.last_mut() {
            turn.steps.push(step);
            self.n_steps += 1;
        }
        if self.n_steps > MOST_STEPS {
            self.drop_steps();
        }
        order
    }

    /// Drops the older half of the steps.
    fn drop_steps(&mut self) {
        let mut n_left = self.n_steps - MOST_STEPS / 2;
        for turn in &mut self.turns {
            if n_left == 0 {
                break;
            }
            let n_gone = n_left.min(turn.steps.len());
            if n_gone > 0 {
                let turn = Arc::make_mut(turn);
                turn.steps.drain(..n_gone);
                turn.is_missing_steps = true;
                n_left -= n_gone;
                self.n_steps -= n_gone;
            }
        }
    }

    /// Calls that will not answer any more.
    fn stop_open_calls(&mut self) {
        let orders: Vec<u64> = self.calls.drain(..).filter_map(|(_, order)| order).collect();
        for order in orders {
            self.settle(order, &Answer { exit: Some(Exit::Stopped), ..Answer::default() });
        }
    }

    fn settle(&mut self, order: u64, answer: &Answer<'_>) {
        let is_of = |turn: &&mut Arc<Turn>| turn.order < order;
        let Some(turn) = self.turns.iter_mut().rev().find(is_of) else { return };
        let Ok(at) = turn.steps.binary_search_by_key(&order, |step| step.order) else { return };
        match &mut Arc::make_mut(turn).steps[at].deed {
            Deed::Command(run) => {
                run.exit =
                    if answer.job.is_some() { Exit::Running } else { answer.exit.unwrap_or(Exit::Unknown) };
                if !answer.output.is_empty() {
                    let end = end_of(answer.output, LONGEST_OUTPUT);
                    run.is_output_cut |= end.len() < answer.output.len();
                    end.clone_into(&mut run.output);
                }
            }
            Deed::Edit { was_done, .. } => {
                *was_done = !matches!(answer.exit, Some(Exit::Failed | Exit::Refused | Exit::Stopped));
            }
            Deed::Asked { was_answered, .. } => *was_answered = !matches!(answer.exit, Some(Exit::Stopped)),
            Deed::SentOff { .. } | Deed::Other { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let mut tracker = HistoryBuilder::default();
        tracker.prompt(PromptKind::Person, "one", None);
        tracker.call("a", Some(command("cargo test", None)), None);
        tracker.answer("a", &Answer { job: Some("j"), ..Answer::default() }, None);
        tracker.end(TurnEnd::Finished, None);
        tracker.prompt(PromptKind::Person, "two", None);
        let ended = Answer { exit: Some(Exit::Code(1)), output: "FAILED", job: None };
        tracker.settle_job("j", &ended);
        assert_eq!(commands(&tracker.history(true, None, false)), [("cargo test", Exit::Code(1))]);
    }

    #[test]
    fn what_nothing_ended_broke_off_when_the_next_prompt_came() {
        let mut tracker = HistoryBuilder::default();
        tracker.prompt(PromptKind::Person, "one", None);
        tracker.call("a", Some(command("sleep 9", None)), None);
        tracker.prompt(PromptKind::Person, "two", None);
        let history = tracker.history(true, None, false);
        assert_eq!(history.turns[0].end, TurnEnd::BrokeOff { cause: BreakCause::ProcessGone });
        assert_eq!(commands(&history), [("sleep 9", Exit::Stopped)]);
    }

    #[test]
    fn a_long_history_takes_no_more_memory_than_a_short_one() {
        let mut tracker = HistoryBuilder::default();
        for number in 0..10_000 {
            tracker.prompt(PromptKind::Person, &"word ".repeat(1_000), None);
            tracker.call("a", Some(command(&"x".repeat(100_000), None)), None);
            let output = "line\n".repeat(2_000 + number % 2);
            tracker.answer("a", &Answer { exit: Some(Exit::Code(0)), output: &output, job: None }, None);
            tracker.end(TurnEnd::Finished, None);
        }
        let history = tracker.history(true, None, false);
        assert_eq!(history.turns.len(), MOST_TURNS);
        assert!(!history.is_whole);
        assert!(history.turns.iter().map(|turn| turn.steps.len()).sum::<usize>() <= MOST_STEPS);
        let prompt = history.turns[0].prompt.as_ref().unwrap();
        assert!(prompt.text.len() <= 2_100);
    }

    #[test]
    fn a_line_that_cannot_be_read_makes_the_turn_unknown_until_it_goes_on() {
        let mut tracker = HistoryBuilder::default();
        tracker.prompt(PromptKind::Person, "one", None);
        tracker.lose_track();
        assert_eq!(tracker.history(true, None, false).turns[0].end, TurnEnd::Unknown);
        tracker.say("Done.", None);
        tracker.end(TurnEnd::Finished, None);
        let turn = &tracker.history(true, None, false).turns[0];
        assert!(turn.is_missing_steps && turn.end == TurnEnd::Finished);
    }
}
