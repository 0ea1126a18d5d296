//! Answers a supervised run that waits: leaves the answer in the state folder; the run passes it to its
//! agent. It must not talk to the agent.

use std::thread;
use std::time::Duration;

use super::tools::Tools;
use crate::engine::clock;
use crate::model::{
    ActionClass, ActionProblem, ActionRequest, ActivityState, Receipt, ReceiptState, ReplyBody, ReplyChannel,
    ReplyPlan, RunPhase, RunView, SessionName, SupervisedRun, stable_hash,
};
use crate::store::{Store, StoreError};

/// The interval between checks of whether the run took the answer.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// The highest number of these checks.
const N_LOOKS: u32 = 60;

/// Plans the answer to a run.
pub(super) fn plan(
    request: &ActionRequest,
    session: &SessionName,
    tools: &Tools<'_>,
) -> Result<ReplyPlan, ActionProblem> {
    let (_, run) = asking(request, session, tools)?;
    let moment = format!("{} {} {:?}", run.id, run.iterations.len(), run.question);
    Ok(ReplyPlan {
        id: format!("{:016x}-{}", stable_hash(moment.as_bytes()), clock::now().0),
        session: session.clone(),
        channel: ReplyChannel::Run { pid: run.pid },
        pane: None,
        state: ActivityState::Asks,
        question: RunView::of(run, None).question,
        warnings: Vec::new(),
        unsettled: None,
    })
}

/// Leaves the answer, and waits up to 3 seconds for the run to take it; after that the receipt says that it
/// is queued.
pub(super) fn send(
    request: &ActionRequest,
    plan: &ReplyPlan,
    body: &ReplyBody,
    tools: &Tools<'_>,
) -> Result<Receipt, ActionProblem> {
    let ReplyBody::Text { text } = body else {
        return Err(ActionProblem::new(ActionClass::Refused, "a run accepts only text"));
    };
    if text.trim().is_empty() {
        return Err(ActionProblem::new(ActionClass::Refused, "there is no text in it"));
    }
    let (store, run) = asking(request, &plan.session, tools)?;
    if RunView::of(run.clone(), None).question != plan.question {
        return Err(ActionProblem::new(ActionClass::Refused, "the run asks something else now"));
    }
    let sent_at = clock::now();
    store.run_folder(&request.workspace).and_then(|folder| folder.answer(text)).map_err(failed)?;
    let is_taken = || {
        let now = store.run(&request.workspace);
        now.is_none_or(|now| now.state.phase != RunPhase::Asking || now.id != run.id)
    };
    let mut n_looks = 0;
    while !is_taken() && n_looks < N_LOOKS && !tools.cancel.is_cancelled() {
        thread::sleep(LOOK_AGAIN);
        n_looks += 1;
    }
    let state = if is_taken() { ReceiptState::Consumed } else { ReceiptState::Queued };
    Ok(Receipt {
        id: plan.id.clone(),
        session: plan.session.clone(),
        channel_words: plan.channel.to_string(),
        excerpt: Receipt::excerpt_of(text),
        text_sum: Receipt::sum_of(text),
        sent_at,
        state,
        detail: None,
    })
}

/// The run, if it is alive and waiting for an answer.
fn asking(
    request: &ActionRequest,
    session: &SessionName,
    tools: &Tools<'_>,
) -> Result<(Store, SupervisedRun), ActionProblem> {
    let folder = tools.config.state_folder.as_ref();
    let store = folder.map(Store::open).transpose().map_err(failed)?;
    let found = store.and_then(|store| {
        let run = store.run(&request.workspace).filter(|run| session.session_id == *run.id)?;
        let waits = run.state.phase == RunPhase::Asking && store.is_run_alive(&request.workspace);
        waits.then_some((store, run))
    });
    found.ok_or_else(|| {
        ActionProblem::new(ActionClass::Refused, "the run is no longer waiting for an answer")
            .with_next("look at the workspace again")
    })
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn failed(error: StoreError) -> ActionProblem {
    ActionProblem::new(ActionClass::Failed, error.to_string())
}
