//! The plans that a session keeps itself, as evidence: its todo list and its goal. A plan that is all done
//! counts only for the task for which it was ticked off; an open point stays open. Must not read records.

use super::context::EvidenceSet;
use super::tasks::SessionTask;
use super::{Origin, checks, excerpt};
use crate::model::{
    Checklist, Claim, Evidence, Fact, GoalState, ItemState, Parts, PlanStep, Point, Rejection,
    SessionObservation, Source, Strength,
};

/// Weighs the session's own plans: its todo list, and the goal that its person set.
pub(super) fn weigh(session: &SessionObservation, task: &SessionTask, evidence_set: &mut EvidenceSet) {
    if let Some(todos) = &session.todos {
        evidence_set.add(Parts::WORDS, todos_evidence(session, task, todos));
        evidence_set.checklists.push((Parts::WORDS, todos.clone()));
    }
    if let Some(goal) = &session.history.goal {
        let provenance = Origin::of(session).at(goal.at);
        let evidence = match goal.state {
            GoalState::Reached if task.is_of_task(goal.order) => {
                Evidence::claim(Source::Plan, "goal", Claim::Yes, provenance).because(Fact::GoalReached)
            }
            GoalState::Reached => Evidence::abstain(Source::Plan, "goal", Rejection::Stale, provenance)
                .because(Fact::GoalReachedBefore),
            GoalState::Active | GoalState::Paused | GoalState::Exhausted => {
                Evidence::claim(Source::Plan, "goal", Claim::No, provenance)
                    .because(excerpt::reason(&goal.text))
            }
        };
        let points = vec![Point::Goal(excerpt::reason(&goal.text))];
        let evidence = Evidence { strength: Strength::SelfReported, points, ..evidence };
        evidence_set.add(Parts::WORDS, evidence);
    }
}

/// The agent's own todo list as a plan. If everything is done, that counts only for the task it was written
/// for; an open point stays open.
fn todos_evidence(session: &SessionObservation, task: &SessionTask, todos: &Checklist) -> Evidence {
    let steps = todos
        .items
        .iter()
        .map(|item| PlanStep {
            title: item.title.clone(),
            status: (item.state == ItemState::Done).then(|| "done".to_owned()),
        })
        .collect();
    let dated = session.history.todos.as_ref();
    let said_at = dated.map_or(session.written_at, |dated| dated.at);
    let evidence = checks::plan_evidence(&todos.from, steps, Origin::of(session).at(said_at));
    let evidence = Evidence { strength: Strength::SelfReported, ..evidence };
    match dated {
        _ if evidence.claim != Claim::Yes => evidence,
        Some(dated) if dated.is_partial => evidence.rejected(Rejection::Undecided, Fact::ListCut),
        Some(dated) if !task.is_of_task(dated.order) => {
            evidence.rejected(Rejection::Stale, Fact::TickedBefore)
        }
        Some(_) | None => evidence,
    }
}
