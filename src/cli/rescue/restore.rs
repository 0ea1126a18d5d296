//! `closeout restore`: extracts work from a record. It must not write into the workspace, and leaves every record as it is.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::cli::environment::Environment;
use crate::cli::exit::{Ended, Outcome};
use crate::cli::json::Printed;
use crate::cli::output;
use crate::cli::rescue::records::{named, top, unless_ended};
use crate::cli::rescue_args::Restore;
use crate::cli::runtime::Signalled;
use crate::cli::target_workspace::{engine_config, fail};
use crate::engine::rescue_problem;
use crate::model::{ActionClass, ActionKind, Restored, SkipReason, display_text};
use crate::present::counts;
use crate::present::rescue_json::{RestoredFrom, RestoredRow};

pub(crate) fn restore(environment: &Environment, restore: &Restore) -> Ended {
    let config = engine_config(environment, &restore.path)?;
    let (path, into) = (environment.absolute(&restore.path), environment.absolute(&restore.into));
    let paths: Vec<Vec<u8>> = restore.only.iter().map(|path| path.as_os_str().as_bytes().to_vec()).collect();
    let rescuer = config.rescuer()?;
    let signalled = Signalled::listen(rescuer.cancel.clone());
    let (bundle, mut workspace, mut reference) = (Path::new(&restore.record), path, String::new());
    let from = if bundle.is_file() {
        RestoredFrom::Bundle(bundle)
    } else {
        workspace = top(&config, &workspace)?;
        reference = named(&rescuer, &workspace, &restore.record)?;
        RestoredFrom::Reference(&reference)
    };
    let mut in_part = None;
    let action = || {
        let restored = match from {
            RestoredFrom::Bundle(bundle) => rescuer.restore_vault(bundle, &paths, &into),
            RestoredFrom::Reference(reference) if restore.unknown => {
                rescuer.restore_unknown(&workspace, reference, &paths, &into)
            }
            RestoredFrom::Reference(reference) => rescuer.restore_paths(&workspace, reference, &paths, &into),
        };
        restored.map_err(|error| {
            in_part = error.restored().cloned();
            rescue_problem(&error)
        })
    };
    let plan = if reference.is_empty() { restore.record.clone() } else { reference.clone() };
    let words = |restored: &Restored| counts::files(restored.written.len());
    let restored = config.audited(ActionKind::Restore, &workspace, plan, action, words)?;
    let unlogged = restored.unrecorded.as_deref();
    if let Some(why) = unlogged {
        output::note(&format!("this restore is in no log: {why}"));
    }
    let row = |restored: &Restored| RestoredRow::of(from, &into, restored, unlogged);
    if let (Err(problem), Some(in_part), None, true) =
        (&restored.outcome, &in_part, signalled.signal(), restore.json)
    {
        fail(problem);
        Printed::of_problem(problem, row(in_part)).print()?;
        return Ok(Outcome::Action(problem.class));
    }
    let restored = unless_ended(restored.outcome, &signalled)?;
    if restore.json {
        Printed::new(ActionClass::Done, row(&restored)).print()?;
    } else {
        output::print_line(&done(&restored, &into))?;
    }
    Ok(Outcome::Action(ActionClass::Done))
}

/// What was written where, and what was there.
fn done(restored: &Restored, into: &Path) -> String {
    let (files, into) = (counts::files(restored.written.len()), display_text::path(into));
    let there = match restored.n_skipped(SkipReason::AlreadyThere) {
        0 => String::new(),
        n_there => format!("; {n_there} more were there already and stay as they are"),
    };
    format!("{files} written to {into}, readable by you alone{there}")
}
