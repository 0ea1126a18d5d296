//! Completes the turn that is ending now, as reported by its agent's hook. The session's record may still
//! show the turn as open, or lack its last words, and an agent that keeps no record here has none at all.
//! Pure.
//!
//! It must not interpret the words; that is for the judges.

use std::sync::Arc;

use crate::model::{
    AgentMessage, EndingTurn, LiveStatus, Prompt, PromptKind, SessionObservation, Timestamp, Turn, TurnEnd,
    TurnState,
};

/// Ends the turn in its session, which is added if no source knows it.
pub(super) fn end(ending: &EndingTurn, sessions: &mut Vec<SessionObservation>, now: Timestamp) {
    let is_of = |session: &SessionObservation| session.session_id == ending.session_id;
    let at = sessions.iter().position(is_of).unwrap_or_else(|| {
        sessions.insert(0, SessionObservation::named(&ending.agent, &ending.session_id));
        0
    });
    let session = &mut sessions[at];
    // The registry says `busy` until the hook has returned.
    session.live.retain(|report| !matches!(report.status, LiveStatus::Busy));
    // What was said is as old as the end that the record has already.
    let said_at = if let TurnState::Ended { at: Some(at) } = session.turn { at } else { now };
    session.turn = TurnState::Ended { at: Some(now) };
    if let Some(text) = &ending.message
        && session.last_message.as_ref().is_none_or(|message| message.text.trim() != text.trim())
    {
        session.last_message = Some(AgentMessage { text: text.clone(), at: Some(said_at) });
    }
    if session.prompt.is_none() {
        session.prompt.clone_from(&ending.prompt);
    }
    end_in_history(ending, session, now);
}

fn end_in_history(ending: &EndingTurn, session: &mut SessionObservation, now: Timestamp) {
    let history = &mut session.history;
    if history.turns.is_empty()
        && let Some(text) = &ending.prompt
    {
        let prompt = Prompt {
            text: text.clone(),
            kind: PromptKind::Person,
            at: None,
            was_queued: false,
            has_image: false,
        };
        history.turns.push(Arc::new(Turn::begun(0, Some(prompt))));
    }
    let Some(last) = history.turns.last_mut() else { return };
    let turn = Arc::make_mut(last);
    if turn.end == TurnEnd::Open || turn.end == TurnEnd::Unknown {
        turn.end = TurnEnd::Finished;
        turn.ended_at = Some(now);
    }
    if let Some(text) = &ending.message {
        turn.closing_words = Some(text.clone());
    }
    history.last_line_at = history.last_line_at.max(Some(now));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ending(message: &str) -> EndingTurn {
        EndingTurn {
            agent: "mine".to_owned(),
            session_id: "s".into(),
            message: Some(message.to_owned()),
            prompt: Some("Fix the parser".to_owned()),
        }
    }

    #[test]
    fn an_open_turn_ends_with_the_words_of_the_hook() {
        let mut session = SessionObservation::named("mine", "s");
        session.turn = TurnState::Open { since: Some(Timestamp(1)), tool: None, what: None };
        session.history.turns.push(Arc::new(Turn::begun(0, None)));
        let mut sessions = vec![SessionObservation::named("mine", "other"), session];
        end(&ending("All done."), &mut sessions, Timestamp(9));
        assert_eq!(sessions.len(), 2);
        assert_eq!(sessions[1].turn, TurnState::Ended { at: Some(Timestamp(9)) });
        assert_eq!(sessions[1].last_message.as_ref().unwrap().text, "All done.");
        let turn = &sessions[1].history.turns[0];
        assert_eq!((&turn.end, turn.closing_words.as_deref()), (&TurnEnd::Finished, Some("All done.")));
        assert_eq!(sessions[0].turn, TurnState::Unknown, "another session is as it was");
    }

    #[test]
    fn a_session_without_a_record_is_known_by_its_hook() {
        let mut sessions = Vec::new();
        end(&ending("All done."), &mut sessions, Timestamp(9));
        let [session] = sessions.as_slice() else { panic!("{sessions:?}") };
        assert_eq!(session.agent, "mine");
        assert_eq!(session.history.turns[0].prompt.as_ref().unwrap().text, "Fix the parser");
    }

    #[test]
    fn a_turn_that_was_interrupted_stays_so_in_its_history() {
        let mut session = SessionObservation::named("mine", "s");
        let turn = Turn { end: TurnEnd::Interrupted, ..Turn::begun(0, None) };
        session.history.turns.push(Arc::new(turn));
        let mut sessions = vec![session];
        end(&ending("x"), &mut sessions, Timestamp(9));
        assert_eq!(sessions[0].history.turns[0].end, TurnEnd::Interrupted);
    }
}
