//! `closeout rescues` and `closeout forget`: lists the records, and deletes them. It must not delete one without a yes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::action::rescue::{RescueError, Rescuer};
use crate::cli::environment::Environment;
use crate::cli::exit::{Ended, Failure, Outcome};
use crate::cli::json::{self, Printed};
use crate::cli::rescue_args::{Forget, Rescues};
use crate::cli::runtime::Signalled;
use crate::cli::target_workspace::{confirm, engine_config};
use crate::cli::{output, text};
use crate::engine::{EngineConfig, rescue_problem};
use crate::model::{
    ActionClass, ActionKind, ForgottenRecord, KeptCommits, KeptRecord, ObjectsGo, Reach, RecordList,
    RecordNotice, RecordState, Timestamp, display_text, quantity,
};
use crate::present::{action, baseline, counts, sets};

pub(crate) fn list(environment: &Environment, rescues: &Rescues) -> Ended {
    let config = engine_config(environment, &rescues.path)?;
    let path = environment.absolute(&rescues.path);
    let listed = config.rescuer()?.list(&top(&config, &path)?)?;
    let class = if listed.is_damaged() { ActionClass::Damage } else { ActionClass::Done };
    if rescues.json {
        Printed::new(class, &listed).print()?;
    } else {
        output::print(&text(&listed))?;
    }
    Ok(Outcome::Action(class))
}

/// What was done, unless a signal ended it: then the program ends by that, with the words of the failure.
pub(super) fn unless_ended<T>(
    done: Result<T, impl Into<Failure>>,
    signalled: &Signalled,
) -> Result<T, Failure> {
    match (done.map_err(Into::into), signalled.signal()) {
        (Err(failure), Some(signal)) => {
            output::note(&failure.to_string());
            Err(Failure::Over(Outcome::Signalled(signal)))
        }
        (done, _) => done,
    }
}

/// The top of the work tree that contains `path`.
pub(super) fn top(config: &EngineConfig, path: &Path) -> Result<PathBuf, Failure> {
    config.worktree_top(path).map_err(Failure::NoWorkspace)
}

/// The reference of a record given in full or by the last part of its name.
pub(super) fn named(rescuer: &Rescuer, top: &Path, name: &str) -> Result<String, Failure> {
    if name.starts_with("refs/") {
        return Ok(name.to_owned());
    }
    let refused = |message: &str| Err(RescueError::Refused(message.to_owned()).into());
    let listed = rescuer.list(top)?;
    let is_meant = |record: &&KeptRecord| record.reference.id().starts_with(name);
    let mut meant: Vec<&KeptRecord> = listed.records.iter().filter(is_meant).collect();
    // Anybody can make a reference that is called like a record, or like one and longer.
    if meant.iter().any(|record| record.reference.id() == name) {
        meant.retain(|record| record.reference.id() == name);
    }
    if meant.windows(2).all(|two| two[0].reference.id() == two[1].reference.id()) {
        let most = meant.iter().map(|record| rank(record.state)).max();
        meant.retain(|record| Some(rank(record.state)) == most);
    }
    match meant.as_slice() {
        [one] => Ok(one.reference.to_string()),
        [] if let Some(reason) = unseen(&listed) => Err(RescueError::Unusable(reason).into()),
        [] => refused("there is no record of that name; `closeout rescues` lists them"),
        _ => refused("several records match; give more of the name"),
    }
}

/// Why records of the repository are not in the list, if that is so.
fn unseen(listed: &RecordList) -> Option<String> {
    listed.notices.iter().find_map(|notice| {
        let RecordNotice::NoRepository { reason, n_unseen: 1.. } = notice else { return None };
        Some(reason.clone())
    })
}

/// How well a record of this state answers to its name.
fn rank(state: RecordState) -> u8 {
    match state {
        RecordState::NotInJournal | RecordState::OfAnother | RecordState::Stray => 0,
        RecordState::Lost => 1,
        RecordState::Kept | RecordState::PutBack | RecordState::VaultOnly => 2,
    }
}

fn text(listed: &RecordList) -> String {
    let mut text = String::new();
    for record in &listed.records {
        write_record(&mut text, record);
    }
    if listed.records.is_empty() {
        text.push_str("no records\n");
    } else {
        let size = quantity::size(listed.totals.n_disk_bytes);
        // Writing to a string cannot fail.
        let records = counts::records(listed.totals.n_records);
        let _ = writeln!(text, "{records}, {size} on the disk");
    }
    for kept in &listed.kept {
        write_kept(&mut text, kept);
    }
    for notice in &listed.notices {
        let _ = writeln!(text, "note: {}", display_text::line(&action::record_notice(notice)));
    }
    text
}

fn write_record(text: &mut String, record: &KeptRecord) {
    // Anything can stand before the last part of it.
    let name = if record.state == RecordState::Stray { &record.reference } else { record.reference.id() };
    let time = if record.time == Timestamp(0) { "?".to_owned() } else { text::local_minute(record.time) };
    let branch = record.branch.as_ref().map_or_else(|| "detached HEAD".to_owned(), baseline::branch);
    let n_files = record.n_files.map_or_else(|| "? files".to_owned(), counts::files);
    let size = record.n_bytes.map_or_else(|| "?".to_owned(), quantity::size);
    let gaps = match record.n_gaps {
        Some(0) | None => String::new(),
        Some(n_gaps) => format!(", {n_gaps} gaps"),
    };
    let reach = match record.reach {
        Reach::InBranch => "in a branch now".to_owned(),
        Reach::Missing(1) => "1 of these files is in no branch in this form".to_owned(),
        Reach::Missing(n) => format!("{n} of these files are in no branch in this form"),
        Reach::Unknown => "closeout cannot tell whether it is in a branch".to_owned(),
    };
    let state = Some(record.state).filter(|state| *state != RecordState::Kept);
    let state = state.map(|state| format!("; {}", sets::record_state(state))).unwrap_or_default();
    let old = if record.is_old { "; may go" } else { "" };
    let _ = writeln!(text, "{}  {time}  {branch}  {n_files}, {size}{gaps}", display_text::line(name));
    let worktree = record.worktree.as_ref().map(|path| format!("{}: ", display_text::path(path)));
    let _ = writeln!(text, "    {}{reach}{state}{old}", worktree.unwrap_or_default());
}

fn write_kept(text: &mut String, kept: &KeptCommits) {
    let reference = display_text::line(&kept.reference);
    let branch = kept.branch.as_ref().map_or_else(|| "a branch".to_owned(), baseline::branch);
    let _ = writeln!(text, "{reference}  {}  keeps the commits of {branch}", text::local_minute(kept.time));
    let worktree = kept.worktree.as_ref().map(|path| format!("{}: ", display_text::path(path)));
    let held = match kept.is_held {
        Some(true) => "a branch, a remote one or a tag holds them too",
        Some(false) => "nothing else holds them",
        None => "closeout cannot tell whether anything else holds them",
    };
    let way = match kept.worktree {
        Some(_) => format!("`closeout forget {reference}` removes it"),
        None => "made by a closeout with another state folder, which can remove it".to_owned(),
    };
    let _ = writeln!(text, "    {}{held}; {way}", worktree.unwrap_or_default());
}

pub(crate) fn delete(environment: &Environment, forget: &Forget) -> Ended {
    let config = engine_config(environment, &forget.path)?;
    let path = environment.absolute(&forget.path);
    let (rescuer, top) = (config.rescuer()?, top(&config, &path)?);
    let Some(record) = &forget.record else { return forget_old(&config, &rescuer, &top, forget.yes) };
    let reference = named(&rescuer, &top, record)?;
    let shown = display_text::line(&reference).into_owned();
    if !confirm(&format!("Delete the record {shown} for good?"), forget.yes) {
        return json::declined("nothing was deleted", false);
    }
    let signalled = Signalled::listen(rescuer.cancel.clone());
    let action = || {
        let mut forgotten = rescuer.delete(&top, &reference, forget.lose_work);
        if let Err(RescueError::WouldLose { is_known }) = forgotten
            && !forget.yes
        {
            let question = if is_known {
                "Its work is in no branch and would be lost. Delete it anyway?"
            } else {
                "Its work may be in no branch and would be lost then. Delete it anyway?"
            };
            signalled.set_resting(true);
            let is_yes = confirm(question, false);
            signalled.set_resting(false);
            if is_yes {
                forgotten = rescuer.delete(&top, &reference, true);
            }
        }
        forgotten.map_err(|error| {
            let would_lose = matches!(error, RescueError::WouldLose { .. });
            let problem = rescue_problem(&error);
            let next = "--lose-work deletes it anyway; `closeout restore` extracts it first";
            if would_lose { problem.with_next(next) } else { problem }
        })
    };
    let forgotten = config.audited(ActionKind::Forget, &top, reference.clone(), action, forgotten_words)?;
    let forgotten = unless_ended(forgotten.outcome, &signalled)?;
    output::print_line(&forgotten_words(&forgotten))?;
    Ok(Outcome::Action(ActionClass::Done))
}

/// Deletes the old records whose work is in a branch, after one confirmation for the whole list.
fn forget_old(config: &EngineConfig, rescuer: &Rescuer, top: &Path, yes: bool) -> Ended {
    let listed = rescuer.list(top)?;
    let old: Vec<&KeptRecord> = listed.records.iter().filter(|record| record.is_old).collect();
    let kept = rescuer.old_kept(top)?;
    if old.is_empty() && kept.is_empty() {
        output::print_line("no record is older than 30 days with all its work in a branch")?;
        return Ok(Outcome::Action(ActionClass::Nothing));
    }
    for record in &old {
        let size = record.n_disk_bytes.map_or_else(|| "?".to_owned(), quantity::size);
        let time = text::local_minute(record.time);
        output::print_line(&format!("{time}  {size:>8}  {}", display_text::line(&record.reference)))?;
    }
    for reference in &kept {
        output::print_line(&format!("{}, with the undo of its branch", display_text::line(reference)))?;
    }
    let shown = [
        (!old.is_empty()).then(|| counts::records(old.len())),
        (!kept.is_empty()).then(|| counts::kept_references(kept.len())),
    ];
    let records = shown.into_iter().flatten().collect::<Vec<_>>().join(" and ");
    if !confirm(&format!("Delete {records} for good? A branch, a remote one or a tag holds all of it."), yes)
    {
        return json::declined("nothing was deleted", false);
    }
    let signalled = Signalled::listen(rescuer.cancel.clone());
    let plan = format!("{records}, old and in a branch");
    let action = || rescuer.forget_old(top).map_err(|error| rescue_problem(&error));
    let words = |gone: &Vec<ForgottenRecord>| {
        let pins = gone.iter().map(|it| &it.reference).filter(|it| kept.contains(it));
        let pins: Vec<String> = pins.map(ToString::to_string).collect();
        [vec![counts::records(gone.len() - pins.len())], pins].concat().join(", ")
    };
    let gone = config.audited(ActionKind::Forget, top, plan, action, words)?;
    let gone = unless_ended(gone.outcome, &signalled)?;
    for forgotten in &gone {
        output::print_line(&forgotten_words(forgotten))?;
    }
    if gone.len() < old.len() + kept.len() {
        output::complain("kept: records that the last undo needs, or that belong to another worktree");
    }
    Ok(Outcome::Action(ActionClass::Done))
}

fn forgotten_words(forgotten: &ForgottenRecord) -> String {
    let copy = if forgotten.objects_go == ObjectsGo::Elsewhere { "the copy of " } else { "" };
    let undo = if forgotten.is_undo_gone { "; closeout can no longer undo its commit" } else { "" };
    let objects = action::objects_go(&forgotten.objects_go);
    display_text::line(&format!("{copy}{} is deleted{undo}; {objects}", forgotten.reference)).into_owned()
}
