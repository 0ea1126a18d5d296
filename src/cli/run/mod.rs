//! `closeout run`: runs an agent's command, checks its work as `closeout check` does, tells it what is left,
//! and runs it again until the evidence says that the work is done or a limit ends the run.
//!
//! It must not decide what comes next: `judge::supervised_loop` does. Here it is carried out, and stored
//! before each step.

mod command;
mod driver;
mod judging;
mod order;
pub(super) mod report;
mod steps;

use crate::engine::{OneShot, clock};
use crate::model::{CommitId, LoopState, RunOrder, RunPhase, SupervisedRun, WorkspaceId, display_text};
use crate::process::Cancel;
use crate::store::{RunLock, Store};

use super::environment::Environment;
use super::exit::{Ended, Failure, Outcome};
use super::output;
use super::run_args::Run;
use super::runtime::Signalled;
use super::target_workspace::{engine_config, the_one};
use driver::{Driver, unkept};

pub(super) fn run(environment: &Environment, run: &Run) -> Ended {
    let config = engine_config(environment, &run.path)?;
    let view = the_one(OneShot::judge(&config).judged())?;
    let folder = config.state_folder.as_ref().ok_or_else(|| unkept("there is no state folder"))?;
    let store = Store::open(folder).map_err(unkept)?;
    let Some(lock) = store.lock_run(&view.id).map_err(unkept)? else {
        return Ok(refused(&store, &view.id));
    };
    let kept = store.run(&view.id).filter(|kept| kept.ended.is_none() && kept.state.phase != RunPhase::Ended);
    let head = view.git.as_ref().and_then(|git| git.head.commit());
    let (begun, is_resumed) = begin(environment, run, kept, head)?;
    if run.reset_breaker {
        store.keep_time_outs(&view.id, 0).map_err(unkept)?;
    }
    let n_time_outs = store.time_outs(&view.id);
    let stop = Cancel::new();
    let signalled = Signalled::listen(stop.clone());
    let begun =
        SupervisedRun { state: LoopState { n_time_outs, ..begun.state }, pid: std::process::id(), ..begun };
    let outcome = Driver::new(environment, &config, (&store, view.id), begun, run, stop)?.run(is_resumed)?;
    // Held until here, so that no other run begins before the end is stored.
    drop::<RunLock>(lock);
    Ok(match signalled.signal() {
        Some(signal) if outcome == Outcome::Signalled(2) => Outcome::Signalled(signal),
        Some(_) | None => outcome,
    })
}

/// A new run, or the interrupted one; true if it resumes.
fn begin(
    environment: &Environment,
    run: &Run,
    kept: Option<SupervisedRun>,
    head: Option<CommitId>,
) -> Result<(SupervisedRun, bool), Failure> {
    if run.resume {
        let none = || {
            Failure::Usage("no run was interrupted in this workspace; there is nothing to resume".to_owned())
        };
        let kept = kept.ok_or_else(none)?;
        let order = order::amended(kept.order, environment, run)?;
        return Ok((SupervisedRun { order, ..kept }, true));
    }
    let order = order::order(environment, run)?;
    match kept {
        Some(kept) if !run.new && is_same(&kept.order, &order) => {
            output::complain("closeout: the same run was interrupted here and continues; --new starts over");
            return Ok((SupervisedRun { order, ..kept }, true));
        }
        Some(_) if !run.new => {
            output::complain("closeout: another run was interrupted here; this one replaces it");
        }
        Some(_) | None => {}
    }
    let began_at = clock::now();
    let id = format!("run-{:x}-{:x}", began_at.0, std::process::id());
    Ok((SupervisedRun { id, began_at, baseline: head, order, ..SupervisedRun::default() }, false))
}

fn is_same(kept: &RunOrder, order: &RunOrder) -> bool {
    (&kept.command, &kept.agent, &kept.prompt) == (&order.command, &order.agent, &order.prompt)
}

/// Refuses because another run is at work in the workspace.
fn refused(store: &Store, workspace: &WorkspaceId) -> Outcome {
    let who = store.run(workspace).map(|run| {
        let command = display_text::line(&run.order.command.join(" ")).into_owned();
        let at = super::text::local_second(run.began_at);
        format!(": process {} runs `{command}` since {at}, iteration {}", run.pid, run.state.iteration)
    });
    let message = format!(
        "another run is active in this workspace{}; wait until it ends, or end it there",
        who.unwrap_or_default()
    );
    output::complain(&format!("closeout: {message}"));
    Outcome::Action(crate::model::ActionClass::Busy)
}
