//! Whose questions are not for the person to answer (DESIGN.md 2.1, R8). Must not decide what is a question.

use std::sync::Arc;

use crate::model::{ActivityState, Marks, SessionView, SetAside, Timestamp};

/// Sets aside the questions that `marks` saw. A permission stays: its session waits in the middle of its work.
pub fn by_marks(sessions: &[Arc<SessionView>], marks: &Marks) -> Vec<Arc<SessionView>> {
    let Some(closed_at) = marks.questions_closed_at() else { return sessions.to_vec() };
    let set_aside = |session: &Arc<SessionView>| {
        if !is_seen(session, closed_at) {
            return Arc::clone(session);
        }
        Arc::new(SessionView { set_aside: Some(SetAside::Seen), ..SessionView::clone(session) })
    };
    sessions.iter().map(set_aside).collect()
}

/// Whether the session asks something that was there when a mark that holds was made.
fn is_seen(session: &SessionView, closed_at: Timestamp) -> bool {
    let is_dialog = session.activity.state == ActivityState::Asks;
    let asks =
        session.activity.state != ActivityState::NeedsPermission && (is_dialog || session.question.is_some());
    // A later question in the same words does not end the mark.
    let asked_at = if is_dialog { session.activity.since } else { session.rested_at() };
    session.set_aside.is_none() && asks && asked_at.is_none_or(|at| at <= closed_at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        Activity, ActivitySource, Certainty, MarkOrder, MarkSeen, Question, QuestionWeight, SessionOrigin,
        SessionUsage,
    };

    fn session(state: ActivityState, since: i64, asks: bool) -> SessionView {
        let question = Question {
            text: "Which?".to_owned(),
            choices: Vec::new(),
            weight: QuestionWeight::Blocking,
            certainty: Certainty::High,
        };
        SessionView {
            agent: "claude".to_owned(),
            session_id: "a".into(),
            name: None,
            version: None,
            model: None,
            origin: SessionOrigin::Person,
            activity: Activity {
                state,
                source: ActivitySource::Hook,
                since: Some(Timestamp(since)),
                detail: None,
            },
            prompt: None,
            prompted_at: None,
            moved_at: Some(Timestamp(since)),
            ended_at: None,
            question: asks.then_some(question),
            asks: None,
            set_aside: None,
            todos: None,
            usage: SessionUsage::default(),
            subagents: Vec::new(),
            process: None,
            pane: None,
        }
    }

    fn after(order: &MarkOrder, session: SessionView) -> Option<SetAside> {
        let mut marks = Marks::default();
        marks.take(order, None, Timestamp(10), &MarkSeen::default());
        by_marks(&[Arc::new(session)], &marks)[0].set_aside
    }

    #[test]
    fn a_mark_sets_aside_what_was_asked_before_it() {
        use ActivityState::{Asks, Idle, NeedsPermission};
        for order in [MarkOrder::Done, MarkOrder::Quiet] {
            for (session, is_seen) in [
                (session(Idle, 9, true), true),
                (session(Idle, 11, true), false),
                (session(Idle, 9, false), false),
                (session(Asks, 9, false), true),
                (session(Asks, 11, false), false),
                (session(NeedsPermission, 9, true), false),
            ] {
                let told = format!("{order:?} {session:?}");
                assert_eq!(after(&order, session) == Some(SetAside::Seen), is_seen, "{told}");
            }
            let left = SessionView { set_aside: Some(SetAside::LeftOver), ..session(Idle, 9, true) };
            assert_eq!(after(&order, left), Some(SetAside::LeftOver));
        }
        assert_eq!(
            after(&MarkOrder::Open, session(Idle, 9, true)),
            None,
            "what is open may wait for an answer"
        );
    }
}
