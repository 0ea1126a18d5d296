//! Tasks: what a person asked for, read from the turns of a session. Pure and total. Must not decide whether
//! a task is done.
//!
//! A task begins with a prompt that asks for new work, and continues through answers, options, additions,
//! repairs, and messages that closeout or a gate sent; in doubt it continues. A question or thanks in between
//! is a side turn and does not change the task. `assets/tasks.toml` has the phrases that distinguish these.

mod answer_only;
mod answers;
mod demand;
mod left_over;
pub(in crate::judge) mod phrases;
mod sentence;
mod wants;

pub(super) use answers::begins_with_no;
pub use left_over::{LeftOver, SessionStanding, left_over};
pub(super) use wants::{is_one_demand, may_need_no_change, wants_content, wants_finish, wants_something};

use std::sync::Arc;

use demand::{Ask, ask, ask_of_command};
use wants::{forbids_changes, wants_only_commit};

use super::by_turn::Followed;
use super::questions::{self, Context, Label};
use super::supervised_loop::own_part;
use super::words;
use crate::model::{
    Deed, Demand, Prompt, PromptKind, SessionName, SessionTasks, SideTurn, Task, Timestamp, Turn, TurnEnd,
    TurnHistory,
};

/// How many bytes at the end of a message are searched for a question.
const QUESTION_REACH: usize = 600;
/// Characters and words that mark a question in an agent's last words.
const QUESTION_SIGNS: [&str; 8] =
    ["?", "？", "let me know", "please confirm", "ですか", "ますか", "でしょうか", "ください"];

/// What was read from the turns of one session, so that only new turns are read. Losing it costs only time.
#[derive(Debug, Default)]
pub struct Memory(Followed<Turn, TurnRead, Fold>);

/// What the words of a turn say by themselves.
#[derive(Debug)]
struct TurnRead {
    prompt: Option<Arc<Prompt>>,
    /// What its prompt asks for, if a person wrote it.
    ask: Option<Ask>,
    /// Whether the turn left the person a question.
    asks: bool,
    /// Whether that question proposes something that the agent would do.
    proposes: bool,
    /// Whether its prompt names nothing new, and the agent says that all is done, as it had before.
    finds_done: bool,
}

/// Reads the tasks of one session, reusing what `memory` kept of it.
pub fn read(session: &SessionName, history: &TurnHistory, memory: &mut Memory) -> SessionTasks {
    let begin = Fold { has_unread_begin: !history.is_whole, ..Fold::default() };
    if memory.0.settled_mut().is_some_and(|fold| fold.has_unread_begin) != begin.has_unread_begin {
        memory.0.refold(begin.clone());
    }
    let fold = memory.0.fold(
        0,
        |at| history.turns[at..].iter(),
        &begin,
        |turn, before| {
            let ask = match before {
                Some(before) if before.prompt == turn.prompt => before.ask,
                _ => turn.prompt.as_deref().and_then(ask_of),
            };
            TurnRead {
                prompt: turn.prompt.clone(),
                ask,
                asks: asks(turn),
                proposes: words::has(&last_words(turn), "proposes"),
                finds_done: finds_done(ask, turn, history),
            }
        },
        |fold, turn, read| fold.take(session, turn, read),
    );
    fold.tasks
}

/// The tasks, as far as the turns have been read.
#[derive(Debug, Clone, Default)]
struct Fold {
    /// Whether something precedes the first turn that was read.
    has_unread_begin: bool,
    /// Whether a person's prompt was taken. From then on, no unread prompt can have begun the task.
    has_prompt: bool,
    tasks: SessionTasks,
    /// Whether the last turn was a side turn.
    is_beside: bool,
    before: Option<TurnBefore>,
}

/// How the previous turn ended.
#[derive(Debug, Clone)]
struct TurnBefore {
    end: TurnEnd,
    /// Whether it left the person a question.
    asks: bool,
    /// Whether that question proposes something that the agent would do.
    proposes: bool,
}

/// Where a prompt belongs.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    NewTask,
    SameTask,
    Beside(Demand),
}

impl Fold {
    fn take(&mut self, session: &SessionName, turn: &Turn, read: &TurnRead) {
        if let Some(prompt) = &turn.prompt {
            self.tasks.has_undated_prompt |= prompt.at.is_none();
            self.tasks.first_prompt_at = earlier(self.tasks.first_prompt_at, prompt.at);
        }
        match turn.prompt.as_ref().map(|prompt| (prompt, prompt.kind)) {
            // The client's own commands, used by the person, end no turn of the agent.
            Some((_, PromptKind::ClientCommand)) => return,
            None | Some((_, PromptKind::HookFeedback | PromptKind::Reminder | PromptKind::Notice)) => {
                self.resume(turn);
            }
            Some((prompt, PromptKind::Gate)) => self.extend_task(session, prompt, turn, false),
            Some((prompt, PromptKind::Person | PromptKind::CustomCommand)) => {
                self.tasks.prompted_at = self.tasks.prompted_at.max(prompt.at);
                match self.place(prompt, turn, read.ask.unwrap_or(Ask::GoOn)) {
                    Place::NewTask => self.begin_task(session, prompt, turn),
                    Place::SameTask if self.is_settled_by(read.ask, turn) || self.was_done(read, turn) => {
                        self.settle(turn);
                    }
                    Place::SameTask => self.extend_task(session, prompt, turn, true),
                    Place::Beside(demand) => self.add_side_turn(prompt, demand, turn),
                }
            }
        }
        self.tasks.last_end = Some(turn.end.clone());
        self.before = Some(TurnBefore { end: turn.end.clone(), asks: read.asks, proposes: read.proposes });
    }

    /// Where a person's prompt belongs.
    fn place(&self, prompt: &Prompt, turn: &Turn, ask: Ask) -> Place {
        let is_steering = self.before.as_ref().is_some_and(|before| before.end == TurnEnd::Steered);
        let beside = match ask {
            _ if is_steering && !self.is_beside => None,
            Ask::Nothing => Some(Demand::Nothing),
            // Where the agent went on and changed files, it took the words for an answer.
            Ask::Time if !has_edits(turn) => Some(Demand::Nothing),
            Ask::Consent if !self.is_asked() => Some(Demand::Nothing),
            // A prompt that made the agent write files was a request for work, unless it forbids just that: then the
            // agent looked closer, and what it left behind shows in the tree.
            Ask::Answer if !has_edits(turn) || forbids_changes(&prompt.text) => Some(Demand::Answer),
            Ask::Answer
            | Ask::Consent
            | Ask::Reply
            | Ask::Refusal
            | Ask::Time
            | Ask::GoOn
            | Ask::Work { .. } => None,
        };
        match (beside, ask) {
            (Some(demand), _) => Place::Beside(demand),
            (None, Ask::Work { is_more, drops }) => {
                let is_new = drops || !(is_more || prompt.was_queued || self.is_open_for(prompt));
                if is_new { Place::NewTask } else { Place::SameTask }
            }
            (None, _) => Place::SameTask,
        }
    }

    /// Whether any request now continues the task: its last turn was cut or asked something, or the prompt
    /// repeats the task's text.
    fn is_open_for(&self, prompt: &Prompt) -> bool {
        let was_cut = self.before.as_ref().is_some_and(|before| before.end != TurnEnd::Finished);
        let is_same = self.tasks.current().is_some_and(|task| is_same_text(&task.first_prompt, &prompt.text));
        was_cut || is_same || self.is_asked()
    }

    /// Whether a plain no declines what the agent proposed, and nothing was changed after it. It asks for no work, so that
    /// what was done before does not age. A no to anything else may say that something is wrong.
    fn is_settled_by(&self, ask: Option<Ask>, turn: &Turn) -> bool {
        let is_proposed = self.before.as_ref().is_some_and(|before| before.asks && before.proposes);
        ask == Some(Ask::Refusal) && is_proposed && self.tasks.newest.is_some() && !has_edits(turn)
    }

    /// Whether a prompt that names nothing new found the task done, and nothing was changed after it. What was done before
    /// does not age by it.
    fn was_done(&self, read: &TurnRead, turn: &Turn) -> bool {
        read.finds_done
            && self.tasks.newest.is_some()
            && turn.end == TurnEnd::Finished
            && !turn.is_missing_steps
            && !has_edits(turn)
            && self.before.as_ref().is_some_and(|before| before.end == TurnEnd::Finished && !before.asks)
    }

    /// Continues the task with a turn that was asked for nothing.
    fn settle(&mut self, turn: &Turn) {
        self.is_beside = false;
        if let Some(task) = &mut self.tasks.newest {
            task.side_turns.clear();
            close(task, turn);
        }
    }

    /// Whether an unread prompt may have begun the current task.
    fn is_begin_unread(&self) -> bool {
        self.has_unread_begin && !self.has_prompt
    }

    /// Whether the previous turn left the person a question.
    fn is_asked(&self) -> bool {
        self.before.as_ref().is_some_and(|before| before.asks)
    }

    fn begin_task(&mut self, session: &SessionName, prompt: &Prompt, turn: &Turn) {
        self.has_prompt = true;
        self.is_beside = false;
        self.tasks.newest = Some(self.task(session, &prompt.text, prompt, turn));
    }

    fn task(&self, session: &SessionName, text: &str, prompt: &Prompt, turn: &Turn) -> Task {
        Task {
            agent: session.agent.clone(),
            session_id: session.session_id.clone(),
            first_prompt: text.to_owned(),
            last_prompt: prompt.text.clone(),
            began_at: prompt.at,
            asked_at: prompt.at,
            begin: turn.order,
            asked: turn.order,
            end: end_of(turn),
            last_end: turn.end.clone(),
            side_turns: Vec::new(),
            is_begin_unread: self.is_begin_unread(),
        }
    }

    /// Continues the current task with a prompt. If there is none, the preceding question becomes the
    /// beginning of the task.
    fn extend_task(&mut self, session: &SessionName, prompt: &Prompt, turn: &Turn, is_shown: bool) {
        if self.tasks.newest.is_none() {
            let side = self.tasks.side_turns.pop_if(|side| side.demand == Demand::Answer);
            self.tasks.newest = Some(match side {
                Some(side) => {
                    let task = self.task(session, &side.prompt, prompt, turn);
                    Task { began_at: side.at, begin: side.order, ..task }
                }
                None => self.task(session, &prompt.text, prompt, turn),
            });
        }
        self.has_prompt = true;
        self.is_beside = false;
        let Some(task) = &mut self.tasks.newest else { return };
        if is_shown {
            task.last_prompt.clone_from(&prompt.text);
        }
        task.asked_at = prompt.at.or(task.asked_at);
        task.asked = turn.order;
        task.side_turns.clear();
        close(task, turn);
    }

    fn add_side_turn(&mut self, prompt: &Prompt, demand: Demand, turn: &Turn) {
        let side = Arc::new(SideTurn {
            prompt: prompt.text.clone(),
            at: prompt.at,
            order: turn.order,
            demand,
            end: turn.end.clone(),
        });
        self.is_beside = true;
        match &mut self.tasks.newest {
            Some(task) => task.side_turns.push(side),
            None => self.tasks.side_turns.push(side),
        }
    }

    /// A turn that no person began belongs to what preceded it.
    fn resume(&mut self, turn: &Turn) {
        let sides = match &mut self.tasks.newest {
            Some(task) if !self.is_beside => return close(task, turn),
            Some(task) => &mut task.side_turns,
            None => &mut self.tasks.side_turns,
        };
        if let Some(side) = sides.last_mut() {
            Arc::make_mut(side).end = turn.end.clone();
        }
    }
}

/// The earlier of the known times.
fn earlier(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    one.into_iter().chain(other).min()
}

/// What a person's prompt asks for, by its words; `None` if no person wrote it.
fn ask_of(prompt: &Prompt) -> Option<Ask> {
    match prompt.kind {
        PromptKind::CustomCommand => Some(ask_of_command(&prompt.text)),
        PromptKind::Person if prompt.text.trim().is_empty() => Some(Ask::GoOn),
        // What a supervised run appends to the person's words, including the agent's
        // question, is not a request.
        PromptKind::Person => Some(ask(own_part(&prompt.text))),
        PromptKind::ClientCommand
        | PromptKind::HookFeedback
        | PromptKind::Gate
        | PromptKind::Reminder
        | PromptKind::Notice => None,
    }
}

/// Whether a prompt names nothing new, "continue" or "commit it", and the agent says that all is done, as it had in the
/// turn before.
fn finds_done(ask: Option<Ask>, turn: &Turn, history: &TurnHistory) -> bool {
    let Some(prompt) = &turn.prompt else { return false };
    let names_nothing_new = match ask {
        Some(Ask::GoOn) => true,
        Some(Ask::Work { drops: false, .. }) => wants_only_commit(&prompt.text),
        _ => false,
    };
    let says_done = |turn: &Turn| {
        turn.closing_words.as_ref().is_some_and(|words| {
            questions::of_work(words, &Context::default()).label == Label::Complete
                && questions::reports_done(words)
        })
    };
    let is_before = |other: &&Arc<Turn>| {
        let is_command = other.prompt.as_ref().is_some_and(|prompt| prompt.kind == PromptKind::ClientCommand);
        other.order < turn.order && !is_command
    };
    names_nothing_new
        && says_done(turn)
        && history.turns.iter().rev().find(is_before).is_some_and(|before| says_done(before))
}

fn close(task: &mut Task, turn: &Turn) {
    task.end = end_of(turn);
    task.last_end = turn.end.clone();
}

/// The position just after everything that was done in a turn.
fn end_of(turn: &Turn) -> u64 {
    turn.steps.last().map_or(turn.order, |step| step.order).saturating_add(1)
}

fn has_edits(turn: &Turn) -> bool {
    turn.steps.iter().any(|step| matches!(step.deed, Deed::Edit { was_done: true, .. }))
}

/// Whether a turn left the person a question, by a tool or by the look of its last words. Only then is a
/// "yes" an answer.
fn asks(turn: &Turn) -> bool {
    let by_tool = turn.steps.iter().rev().take(3).any(|step| matches!(step.deed, Deed::Asked { .. }));
    let end = last_words(turn);
    by_tool || QUESTION_SIGNS.iter().any(|sign| end.contains(sign))
}

/// The end of a turn's last words, in lower case.
fn last_words(turn: &Turn) -> String {
    let words = turn.closing_words.as_deref().unwrap_or_default();
    words[words.ceil_char_boundary(words.len().saturating_sub(QUESTION_REACH))..].to_lowercase()
}

/// Whether two prompts say the same, ignoring whitespace and case.
pub(super) fn is_same_text(one: &str, other: &str) -> bool {
    let mut words = one.split_whitespace().map(str::to_lowercase);
    words.by_ref().eq(other.split_whitespace().map(str::to_lowercase)) && !one.trim().is_empty()
}
