//! The session's current state, read from its turns: whether one is open, what was said last, what is
//! asked.

use super::kept::ENOUGH_PROMPTS;
use super::{TurnTracker, is_client_command};
use crate::model::{
    AgentMessage, Checklist, ChecklistItem, DatedTodos, SessionObservation, TurnEnd, TurnHistory, TurnState,
};

impl TurnTracker {
    /// The state of the last turn, ignoring the client's own commands.
    pub(in crate::agent) fn state(&self) -> TurnState {
        if self.is_started {
            return TurnState::Open { since: self.last_line_at, tool: None, what: None };
        }
        let Some(turn) = self.turns.iter().rev().find(|turn| !is_client_command(turn)) else {
            return TurnState::Unknown;
        };
        let at = turn.ended_at;
        match &turn.end {
            TurnEnd::Open | TurnEnd::Steered => {
                let call = self.calls.shown();
                TurnState::Open {
                    since: at,
                    tool: call.map(|call| call.tool.clone()),
                    what: call.and_then(|call| call.what.clone()),
                }
            }
            // What it ended with may have stood in a line that cannot be read.
            TurnEnd::Finished | TurnEnd::BrokeOff { .. } if self.has_lost_words => TurnState::Unknown,
            TurnEnd::Finished | TurnEnd::BrokeOff { .. } => TurnState::Ended { at },
            TurnEnd::Interrupted => TurnState::Interrupted { at },
            TurnEnd::Failed { error, .. } => TurnState::Failed { at, error: error.clone() },
            TurnEnd::Unknown => TurnState::Unknown,
        }
    }

    /// Whether a turn is running.
    pub(in crate::agent) fn is_open(&self) -> bool {
        matches!(self.state(), TurnState::Open { .. })
    }

    /// Whether no line said anything about a turn.
    pub(in crate::agent) fn is_blank(&self) -> bool {
        !self.is_started && !self.began_by_clear && self.turns.iter().all(|turn| is_client_command(turn))
    }

    /// Whether this call is open and asks in a dialog.
    pub(in crate::agent) fn asks_by(&self, id: &str) -> bool {
        self.calls.asks_by(id)
    }

    /// The agent's last message that has text.
    pub(in crate::agent) fn last_message(&self) -> Option<&AgentMessage> {
        self.last_message.as_ref()
    }

    /// The text of that message, if it was written in the current turn.
    pub(in crate::agent) fn said_in_turn(&self) -> Option<&str> {
        self.last_message.as_ref().filter(|_| self.has_spoken).map(|message| message.text.as_str())
    }

    pub(in crate::agent) fn has_prompt(&self) -> bool {
        self.prompt.is_some()
    }

    /// Whether so many prompts were taken that likely set a task that the current one begins with one of them.
    pub(in crate::agent) fn has_task(&self) -> bool {
        self.n_full_prompts >= ENOUGH_PROMPTS
    }

    /// Writes what the turns say into `session`. `is_whole` says that its record was read from the first
    /// line on.
    pub(in crate::agent) fn tell(&self, is_whole: bool, session: &mut SessionObservation) {
        session.turn = self.state();
        session.last_message.clone_from(&self.last_message);
        session.asked = self.calls.asked();
        if let Some((at, text)) = &self.prompt {
            session.prompted_at = *at;
            session.prompt = Some(text.clone());
        }
        session.usage.n_turns = is_whole.then_some(self.n_prompts);
        session.history = TurnHistory {
            turns: self.turns.iter().cloned().collect(),
            is_whole: is_whole && !self.turns.is_cut,
            tells_steps: true,
            todos: None,
            goal: self.goal.clone(),
            last_line_at: self.last_line_at,
            began_at: self.began_at.filter(|_| is_whole),
            began_by_clear: is_whole && self.began_by_clear,
            was_cleared: false,
        };
    }

    /// Writes the current todo list into `session`, with the time of the call that wrote it.
    pub(in crate::agent) fn tell_todos(
        &self,
        items: Vec<ChecklistItem>,
        is_partial: bool,
        session: &mut SessionObservation,
    ) {
        let list = (!items.is_empty()).then(|| Checklist { from: session.agent.clone(), items });
        let (at, order) = self.todos_at.unwrap_or_default();
        session.history.todos = list.clone().map(|list| DatedTodos { list, at, order, is_partial });
        session.todos = list;
    }
}
