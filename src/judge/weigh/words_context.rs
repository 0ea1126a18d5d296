//! What stands around a session's last words: how its turn ended, what followed them, and the question in them. Must not
//! weigh anything.

use super::{activity, excerpt};
use crate::judge::questions::{self, Ask, Classification, Context, EndOfTurn};
use crate::model::{
    Checklist, Choice, Fact, Question, QuestionWeight, SessionObservation, Timestamp, TurnState,
};

/// What a session's record adds to its last words.
pub(super) fn context_of(session: &SessionObservation) -> Context<'_> {
    let end = match &session.turn {
        TurnState::Ended { .. } => Some(EndOfTurn::ByItself),
        TurnState::Interrupted { .. } => Some(EndOfTurn::Interrupted),
        TurnState::Failed { .. } | TurnState::Open { .. } | TurnState::Unknown => None,
    };
    let open = |todos: &Checklist| u32::try_from(todos.items.len() - todos.n_done()).unwrap_or(u32::MAX);
    Context { end, todos_open: session.todos.as_ref().map(open), ..Context::default() }
}

/// Why these words no longer wait for anything, if something followed them.
pub(super) fn overtaken_by(session: &SessionObservation, said_at: Option<Timestamp>) -> Option<Fact> {
    // The order of the record stands where a clock went back.
    let is_last = || {
        session.history.turns.last().is_some_and(|turn| turn.prompt.is_some() && turn.closing_words.is_some())
    };
    let is_answered =
        session.prompted_at.zip(said_at).is_some_and(|(prompted_at, said_at)| prompted_at > said_at)
            && !is_last();
    let is_asking =
        matches!(&session.turn, TurnState::Open { tool: Some(tool), .. } if activity::is_prompt(tool));
    if is_answered {
        Some(Fact::LaterTurn)
    } else if activity::broke_off(session) {
        Some(Fact::TurnWasCut)
    } else if matches!(session.turn, TurnState::Open { .. }) && !is_asking {
        Some(Fact::TurnNotEnded)
    } else if matches!(session.turn, TurnState::Interrupted { .. } | TurnState::Failed { .. }) {
        Some(Fact::TurnWasCut)
    } else {
        None
    }
}

pub(super) fn question_of(judged: &Classification, text: &str) -> Option<Question> {
    let question = judged.question.as_ref()?;
    let weight = match judged.ask {
        Some(Ask::Offer) => QuestionWeight::Offer,
        Some(Ask::Blocking) | None => QuestionWeight::Blocking,
    };
    let choices = questions::choices(question, text, judged.language)
        .into_iter()
        .map(|choice| Choice { text: excerpt::reason(&choice.text), ..choice })
        .collect();
    Some(Question { text: question.text.clone(), choices, weight, certainty: judged.certainty })
}
