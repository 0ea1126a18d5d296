//! Sessions that were asked for work and did none of it, beside others that worked: what those did is not theirs. Must
//! not judge words; a session that asks, or says what is open, has spoken for itself. Where a prompt's words do not
//! surely name a change, its answer may be all of the work.

use super::context::EvidenceSet;
use super::excerpt;
use super::tasks::SessionTask;
use crate::judge::{runs, task};
use crate::model::{
    Claim, Deed, Evidence, Fact, Origin, Parts, Point, SessionObservation, Source, Strength, TurnEnd,
};

/// Adds a NO for each of several sessions whose task shows no work. Where only one session was asked, nothing else
/// could have done its work, and missing evidence says the same.
pub(super) fn weigh(counting: &[(&SessionObservation, &SessionTask)], evidence_set: &mut EvidenceSet) {
    let asked: Vec<&(&SessionObservation, &SessionTask)> =
        counting.iter().filter(|(_, task)| task.current().is_some()).collect();
    if asked.len() < 2 {
        return;
    }
    for (session, task) in asked {
        let mut said = evidence_set.evidence.iter().map(|(_, evidence)| evidence).filter(|evidence| {
            evidence.source == Source::LastWords
                && evidence.rejection().is_none()
                && evidence.provenance.origin == Origin::of(session)
        });
        let says_done = said.clone().any(|evidence| evidence.claim == Claim::Yes);
        if said.any(|evidence| evidence.claim != Claim::Yes) || !did_nothing(session, task, says_done) {
            continue;
        }
        let said_at = session.last_message.as_ref().and_then(|message| message.at);
        let provenance = Origin::of(session).at(said_at);
        let evidence = Evidence::claim(Source::LastWords, session.agent.clone(), Claim::No, provenance)
            .because(Fact::NoneOfItsWork);
        // An answer to a question does not say what is left to do.
        let wanted = task.prompts().into_iter().find(|prompt| wants_change(prompt));
        let points = wanted.map(|prompt| Point::Pending(excerpt::reason(&prompt)));
        let evidence =
            Evidence { strength: Strength::SelfReported, points: points.into_iter().collect(), ..evidence };
        evidence_set.add(Parts::WORDS, evidence);
    }
}

/// Whether the record tells all turns of the task, all ended by themselves, and nothing was run or written in any. Who
/// only looked (`may_look`) did nothing that could be what it says is done.
fn did_nothing(session: &SessionObservation, task: &SessionTask, may_look: bool) -> bool {
    let wants_change = task.prompts().iter().any(|prompt| wants_change(prompt));
    let Some(task) = task.current().filter(|_| wants_change && session.history.tells_steps) else {
        return false;
    };
    let turns = session.history.turns.iter();
    let mut turns = turns.filter(|turn| turn.order >= task.begin && turn.order < task.end).peekable();
    let is_idle = |turn: &crate::model::Turn| {
        turn.end == TurnEnd::Finished
            && !turn.is_missing_steps
            && turn.steps.iter().all(|step| match &step.deed {
                Deed::Asked { .. }
                | Deed::Edit { was_done: false, .. }
                | Deed::SentOff { was_read: true, .. } => true,
                Deed::Command(run) => may_look && !run.is_cut && runs::only_reads(&run.command),
                Deed::Edit { was_done: true, .. } | Deed::SentOff { .. } | Deed::Other { .. } => false,
            })
    };
    !task.is_begin_unread && turns.peek().is_some() && turns.all(|turn| is_idle(turn))
}

/// Whether a prompt surely wants something changed here.
fn wants_change(prompt: &str) -> bool {
    task::wants_finish(prompt) || task::wants_content(prompt)
}
