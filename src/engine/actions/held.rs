//! A reply that is held until its agent's turn has ended: kept on disk, then sent after the same checks as
//! any reply, or dropped.
//!
//! Nothing is sent without a claim on disk, and a reply that failed once sending had begun is never retried
//! automatically.

use super::reply;
use super::tools::{ActionFinished, Tools};
use crate::engine::clock;
use crate::model::{
    ActionClass, ActionOutcome, ActionProblem, ActionRequest, ActivityState, Certainty, HeldEnd, HeldNow,
    HeldReply, HeldStep, QuestionWeight, Receipt, ReplyBody, ReplyPlan, stable_hash,
};
use crate::store::{Store, StoreError};

pub(super) fn perform(
    request: &ActionRequest,
    held: &HeldReply,
    step: &HeldStep,
    tools: &Tools<'_>,
) -> ActionFinished {
    let folder = tools.config.state_folder.as_ref().ok_or_else(|| {
        ActionProblem::new(ActionClass::Failed, "without a state folder no reply can be held")
            .with_next("set CLOSEOUT_STATE_DIR to a folder that can be written")
    })?;
    let store = Store::open(folder).map_err(|error| unkept(&error))?;
    let workspace = &request.workspace;
    let told = |reply: &HeldReply, now| ActionOutcome::Held { reply: Box::new(reply.clone()), now };
    match step {
        HeldStep::Keep => {
            let now = clock::now();
            let sum = stable_hash(format!("{:?} {}", held.session, held.text).as_bytes());
            let held = HeldReply {
                id: format!("{:x}-{:x}-{sum:x}", now.0, std::process::id()),
                held_at: now,
                ..held.clone()
            };
            let kept = store.hold_reply(workspace, &held).map_err(|error| unkept(&error))?;
            Ok(told(&kept, HeldNow::Kept))
        }
        HeldStep::Drop(end) => {
            let is_abandoned = held.is_abandoned(clock::now());
            let is_mine =
                store.forget_held(workspace, &held.id, is_abandoned).map_err(|error| unkept(&error))?;
            Ok(told(held, if is_mine { HeldNow::Dropped(end.clone()) } else { HeldNow::Taken }))
        }
        HeldStep::Send => {
            let claim =
                store.claim_held(workspace, &held.id, clock::now()).map_err(|error| unkept(&error))?;
            let Some(held) = claim else { return Ok(told(held, HeldNow::Taken)) };
            let sent = send(request, &held, tools);
            let kept = match &sent {
                Sent::NotYet(why) => store.release_held(workspace, &held.id, why),
                Sent::Receipt(_) | Sent::Never(_) => store.forget_held(workspace, &held.id, true).map(|_| ()),
            };
            if let Err(error) = kept {
                // It stays claimed, so nobody sends it again.
                tracing::warn!("{error}");
            }
            Ok(match sent {
                Sent::Receipt(receipt) => ActionOutcome::Replied(receipt),
                Sent::Never(end) => told(&held, HeldNow::Dropped(end)),
                Sent::NotYet(why) => {
                    told(&HeldReply { claimed_at: None, hindrance: Some(why), ..held }, HeldNow::WaitsOn)
                }
            })
        }
    }
}

/// The result of an attempt to send it.
enum Sent {
    /// It was sent, or may have been.
    Receipt(Box<Receipt>),
    /// Nothing was sent; a later attempt may succeed.
    NotYet(String),
    /// Nothing was sent, and nothing will be.
    Never(HeldEnd),
}

fn send(request: &ActionRequest, held: &HeldReply, tools: &Tools<'_>) -> Sent {
    let not_sent = |problem: ActionProblem| {
        if matches!(problem.class, ActionClass::Busy | ActionClass::Unknown) {
            Sent::NotYet(problem.message)
        } else {
            Sent::Never(HeldEnd::Refused(problem.message))
        }
    };
    let plan = match reply::plan(request, &held.session, tools) {
        Ok(plan) => plan,
        // The agent's screen may not be drawn yet, or its input box may hold somebody's text.
        Err(problem) => return Sent::NotYet(problem.message),
    };
    let is_asked = plan
        .question
        .as_ref()
        .is_some_and(|asked| asked.weight == QuestionWeight::Blocking && asked.certainty > Certainty::Low);
    match plan.state {
        ActivityState::Idle if is_asked => return Sent::Never(HeldEnd::Asks),
        ActivityState::Idle => {}
        ActivityState::Gone => return Sent::Never(HeldEnd::SessionEnded),
        ActivityState::Working
        | ActivityState::NeedsPermission
        | ActivityState::Asks
        | ActivityState::Background
        | ActivityState::Unknown => return Sent::NotYet("its turn is still running".to_owned()),
    }
    if plan.unsettled.is_some() {
        return Sent::Never(HeldEnd::Refused("an earlier reply may have been sent".to_owned()));
    }
    let plan = ReplyPlan { id: held.id.clone(), ..plan };
    match reply::send(request, &plan, &ReplyBody::Text { text: held.text.clone() }, tools) {
        Ok(receipt) => Sent::Receipt(Box::new(receipt)),
        Err(problem) => not_sent(problem),
    }
}

fn unkept(error: &StoreError) -> ActionProblem {
    ActionProblem::new(ActionClass::Failed, format!("the held reply cannot be saved: {error}"))
        .with_next("nothing was sent; make sure that the state folder is writable and has space")
}
