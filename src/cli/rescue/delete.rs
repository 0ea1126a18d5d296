//! `closeout forget`: deletes a record for good, or all that are old and no longer needed.
//!
//! It must not delete anything that was not shown and confirmed.

use std::path::Path;

use crate::action::rescue::{RescueError, Rescuer};
use crate::engine::{EngineConfig, rescue_problem};
use crate::model::{ActionClass, ActionKind, ForgottenRecord, KeptRecord, display_text, quantity};
use crate::present::{action, counts};

use super::records::{named, rescuer, top};
use crate::cli::environment::Environment;
use crate::cli::exit::{Ended, Outcome};
use crate::cli::rescue_args::Forget;
use crate::cli::target_workspace::{confirm, engine_config, over};
use crate::cli::{json, local_time, output};

pub(crate) fn delete(environment: &Environment, forget: &Forget) -> Ended {
    let config = engine_config(environment, &forget.path)?;
    let path = environment.absolute(&forget.path);
    let (rescuer, top) = (rescuer(&config)?, top(&config, &path)?);
    let Some(record) = &forget.record else { return forget_old(&config, &rescuer, &top, forget.yes) };
    let reference = named(&rescuer, &top, record)?;
    let shown = display_text::line(&reference).into_owned();
    if !confirm(&format!("Delete the record {shown} for good?"), forget.yes) {
        return json::declined("nothing was deleted", false);
    }
    let plan = (ActionKind::Forget, top.as_path(), reference.clone());
    let action = || {
        let mut forgotten = rescuer.delete(&top, &reference, forget.lose_work);
        if matches!(forgotten, Err(RescueError::WouldLose)) && !forget.yes {
            let question = "Its work is in no branch, and would be lost. Delete it all the same?";
            if confirm(question, false) {
                forgotten = rescuer.delete(&top, &reference, true);
            }
        }
        forgotten.map_err(|error| {
            let would_lose = matches!(error, RescueError::WouldLose);
            let problem = rescue_problem(&error);
            let next = "--lose-work deletes it all the same; `closeout restore` takes it out first";
            if would_lose { problem.with_next(next) } else { problem }
        })
    };
    let forgotten = config.audited(plan, action, forgotten_words).map_err(|problem| over(&problem))?;
    output::print_line(&forgotten_words(&forgotten))?;
    Ok(Outcome::Action(ActionClass::Done))
}

/// Deletes the old records whose work is in a branch, after one confirmation for the whole list.
fn forget_old(config: &EngineConfig, rescuer: &Rescuer, top: &Path, yes: bool) -> Ended {
    let listed = rescuer.list(top).map_err(|error| over(&rescue_problem(&error)))?;
    let old: Vec<&KeptRecord> = listed.records.iter().filter(|record| record.is_old).collect();
    if old.is_empty() {
        output::print_line("no record is older than 30 days with all its work in a branch")?;
        return Ok(Outcome::Action(ActionClass::Nothing));
    }
    for record in &old {
        let size = record.n_disk_bytes.map_or_else(|| "?".to_owned(), quantity::size);
        let time = local_time::minute(record.time);
        output::print_line(&format!("{time}  {size:>8}  {}", display_text::line(&record.reference)))?;
    }
    let records = counts::records(old.len());
    if !confirm(&format!("Delete {records} for good? All of their work is in a branch."), yes) {
        return json::declined("nothing was deleted", false);
    }
    let plan = (ActionKind::Forget, top, format!("{records}, old and in a branch"));
    let action = || rescuer.forget_old(top).map_err(|error| rescue_problem(&error));
    let gone = config.audited(plan, action, |gone: &Vec<_>| counts::records(gone.len()));
    let gone = gone.map_err(|problem| over(&problem))?;
    for forgotten in &gone {
        output::print_line(&forgotten_words(forgotten))?;
    }
    if gone.len() < old.len() {
        output::complain("those stay that take the last rescue back, or belong to another worktree");
    }
    Ok(Outcome::Action(ActionClass::Done))
}

fn forgotten_words(forgotten: &ForgottenRecord) -> String {
    let undo = if forgotten.is_undo_gone { "; its commit can no more be taken back by closeout" } else { "" };
    let objects = action::objects_go(&forgotten.objects_go);
    display_text::line(&format!("{} is deleted{undo}; {objects}", forgotten.reference)).into_owned()
}
