//! `closeout rescue`, `closeout undo` and `closeout redo`: records uncommitted work, shows the commit it
//! would become, commits only what was confirmed, and undoes that again.

mod messages;
mod preview;
mod records;
mod restore;

use std::os::unix::ffi::OsStrExt as _;

use preview::saved;

use super::environment::Environment;
use super::exit::{Ended, Failure, Outcome};
use super::json::{self, Printed};
use super::rescue_args::{Rescue, SplitBy, Undo};
use super::target_workspace::{TargetWorkspace, confirm, engine_config, fail};
use crate::cli::output;
use crate::model::{
    Action, ActionClass, ActionOutcome, ActionProblem, BranchPlan, CommitTarget, KeepIn, Keeping,
    PlannedPath, RecordCost, RecordOrder, Recording, RescuePlan, RescueRecord, SplitKind, TypedAction,
    UndoDirection, WantedProgram, display_text, quantity,
};
use crate::present::phrases::loose as say;
use crate::present::rescue_json::{BranchRow, PlanRow, RecordedRow, UndoRow};
use crate::present::{action, baseline, counts, problem};

pub(super) use records::{delete, list};
pub(super) use restore::restore;

pub(super) fn run(environment: &Environment, rescue: &Rescue) -> Ended {
    let config = engine_config(environment, &rescue.path)?;
    let mut target_workspace = TargetWorkspace::judge(&config)?;
    // For example a key in the workspace's own file that only the person may set.
    if let Some(problem) = problem::label(&target_workspace.view().reading.problems) {
        output::note(&problem);
    }
    if rescue.record_only {
        let record = recording(&mut target_workspace, rescue, Action::record)?;
        return recorded(&record, rescue.json);
    }
    let planning = |order| Action::plan_rescue(rescue.message.clone(), order);
    let mut plan = match recording(&mut target_workspace, rescue, planning)? {
        Keeping::Commit(plan) => plan,
        Keeping::Branch(plan) => return keep(&mut target_workspace, plan, rescue),
    };
    choose(&mut plan, rescue)?;
    if let Some(note) = committed_already(&plan, rescue) {
        if !rescue.json {
            output::complain(&display_text::line(&note));
        }
        return planned(&plan, ActionClass::Nothing, Some(note), Vec::new(), rescue.json);
    }
    if let Some(with) = rescue.ask_messages.as_deref().filter(|_| plan.target.is_some()) {
        plan = messages::asked(&mut target_workspace, plan, with)?;
    }
    if rescue.edit && plan.target.is_some() {
        messages::edited(environment, config.state_folder.clone(), &mut plan)?;
    }
    if !rescue.json {
        output::print(&preview::preview(&plan))?;
    }
    if let Some(refusal) = plan.why_no_commit() {
        let next = ways_out(&plan);
        refused(refusal, &next);
        return planned(&plan, ActionClass::SavedOnly, Some(refusal.to_owned()), next, rescue.json);
    }
    if let Some(problem) = untrusted(&plan) {
        let next = problem.next.iter().cloned().collect();
        fail(&problem);
        return planned(&plan, problem.class, Some(problem.message), next, rescue.json);
    }
    if rescue.dry_run {
        return planned(&plan, ActionClass::Done, None, Vec::new(), rescue.json);
    }
    commit(&mut target_workspace, plan, rescue)
}

/// Carries out an action that makes a record; asks the person before it makes a large one.
fn recording<T>(
    target_workspace: &mut TargetWorkspace<'_>,
    rescue: &Rescue,
    wanted: impl Fn(RecordOrder) -> TypedAction<Recording<T>>,
) -> Result<T, Failure> {
    let mut order = RecordOrder { is_size_allowed: rescue.yes, keep_in: keep_in(rescue) };
    loop {
        match target_workspace.act_or_signal(wanted(order))? {
            Recording::Made(made) => return Ok(made),
            Recording::TooLarge(cost) if confirm(&size_question(cost), false) => order.is_size_allowed = true,
            Recording::TooLarge(_) => {
                return Err(Failure::Over(json::declined("nothing was saved", rescue.json)?));
            }
        }
    }
}

/// Ends without carrying the plan out; with JSON output the plan is printed.
fn planned(
    plan: &RescuePlan,
    class: ActionClass,
    reason: Option<String>,
    next: Vec<String>,
    is_json: bool,
) -> Ended {
    let outcome = Outcome::Action(class);
    if is_json {
        Printed::new(class, PlanRow::of(plan)).ending(outcome, reason, next).print()?;
    }
    Ok(outcome)
}

fn keep_in(rescue: &Rescue) -> KeepIn {
    match (rescue.vault, rescue.record_only) {
        (false, _) => KeepIn::Repository,
        (true, true) => KeepIn::Vault,
        (true, false) => KeepIn::RepositoryAndVault,
    }
}

fn size_question(cost: RecordCost) -> String {
    format!(
        "The record would hold {} with {}; {} are free. Save it?",
        counts::files(cost.n_files),
        quantity::size(cost.n_bytes),
        quantity::size(cost.n_free_bytes)
    )
}

fn commit(target_workspace: &mut TargetWorkspace<'_>, plan: Box<RescuePlan>, rescue: &Rescue) -> Ended {
    let n_in = plan.paths.iter().filter(|path| path.left_out.is_none()).count();
    let target = target_words(&plan);
    let question = match (plan.programs.wanted, &plan.programs.own) {
        (Some(WantedProgram::Own), Some(own)) => format!("Let {} commit to {target}?", own.words.join(" ")),
        (Some(WantedProgram::Hooks), _) => {
            format!("Run the hooks and commit {} to {target}?", counts::files(n_in))
        }
        (Some(WantedProgram::Own) | None, _) => {
            format!("Commit {} to {target}?", counts::files(n_in))
        }
    };
    let question = display_text::line(&question);
    if !confirm(&question, rescue.yes) {
        let reference = display_text::line(&plan.record.reference).into_owned();
        let message = format!("nothing was committed; the work is kept in {reference}");
        output::complain(&message);
        // Declined, or nobody to ask: the outcome is that the work is saved.
        let next = if plan.refusal.is_some() { ways_out(&plan) } else { Vec::new() };
        return planned(&plan, ActionClass::SavedOnly, Some(message), next, rescue.json);
    }
    let why_elsewhere = plan.why_elsewhere().map(str::to_owned);
    let rescued = target_workspace.act_or_signal(Action::rescue(plan))?;
    if rescue.json {
        let class = rescued.record.class();
        let printed = Printed::new(class, &*rescued);
        printed.ending(Outcome::Action(class), why_elsewhere, Vec::new()).print()?;
    } else {
        for commit in &rescued.commits {
            output::print_line(&format!("committed {commit} on {}", baseline::branch(&rescued.branch)))?;
        }
        for note in &rescued.notes {
            output::print_line(&display_text::line(note))?;
        }
        if rescued.can_be_undone {
            output::print_line("`closeout undo` takes it back exactly")?;
        }
    }
    Ok(Outcome::Action(rescued.record.class()))
}

fn recorded(record: &RescueRecord, is_json: bool) -> Ended {
    if is_json {
        Printed::new(record.class(), RecordedRow { record }).print()?;
    } else {
        output::print(&saved(record))?;
    }
    Ok(Outcome::Action(record.class()))
}

/// Prints why no commit is possible as things are, and what would make it possible.
fn refused(refusal: &str, next: &[String]) {
    output::complain(&format!("closeout: no commit: {}", display_text::line(refusal)));
    for next in next {
        output::complain(&format!("  → {}", display_text::line(next)));
    }
}

/// What would make a commit possible, and how to get the files back.
fn ways_out(plan: &RescuePlan) -> Vec<String> {
    // The person's own program commits to the branch that it finds.
    let without = match plan.programs.wanted {
        Some(WantedProgram::Own) => "without --own-program, ",
        Some(WantedProgram::Hooks) | None => "",
    };
    let way = |target: &CommitTarget| match target {
        CommitTarget::Head => None,
        CommitTarget::ProtectedHead => Some("--protected commits to this branch anyway".to_owned()),
        CommitTarget::NewBranch(name) => {
            Some(format!("{without}--yes commits to a new branch, {}", baseline::branch(name)))
        }
    };
    let restore = format!("`closeout restore {} FOLDER` gives the files back", plan.record.reference);
    plan.targets.iter().filter_map(way).chain([restore]).collect()
}

/// Why a program that is wanted does not run; `None` if nothing prevents it.
fn untrusted(plan: &RescuePlan) -> Option<ActionProblem> {
    let programs = &plan.programs;
    let what = match programs.wanted? {
        WantedProgram::Hooks if programs.is_trusted => return None,
        WantedProgram::Hooks => format!("the hooks are not trusted: {}", programs.hooks.join(", ")),
        WantedProgram::Own => match &programs.own {
            Some(own) if !own.is_trusted => {
                format!("the rescue program is not trusted: {}", own.words.join(" "))
            }
            Some(_) | None => return None,
        },
    };
    let message = format!("{what}; the work is kept in {}", plan.record.reference);
    let next = "`closeout trust` shows what would run, and asks whether you trust it";
    Some(ActionProblem::new(ActionClass::Untrusted, message).with_next(next))
}

/// Enters the program that the flags select into the plan.
fn choose_program(plan: &mut RescuePlan, rescue: &Rescue) -> Result<(), Failure> {
    if rescue.hooks {
        if plan.programs.hooks.is_empty() {
            return Err(usage("--hooks: a commit here runs no hooks"));
        }
        plan.programs.wanted = Some(WantedProgram::Hooks);
    }
    if rescue.own_program {
        if plan.programs.own.is_none() {
            return Err(usage(
                "--own-program: there is none: name it as `rescue.command` in your own configuration, or put \
                 a `commit-rescue.py` at the top of the workspace",
            ));
        }
        plan.programs.wanted = Some(WantedProgram::Own);
        plan.programs.spec.clone_from(&rescue.spec);
    }
    Ok(())
}

/// Enters the choices of the flags into the plan. Where no commit can be made nothing is chosen: the plan says why.
fn choose(plan: &mut RescuePlan, rescue: &Rescue) -> Result<(), Failure> {
    if plan.targets.is_empty() {
        return Ok(());
    }
    choose_program(plan, rescue)?;
    let is_new = |target: &CommitTarget| matches!(target, CommitTarget::NewBranch(_));
    if rescue.protected && !plan.choose_target(|target| *target == CommitTarget::ProtectedHead) {
        return Err(usage("--protected: the branch here is not protected"));
    }
    if rescue.new_branch && !plan.choose_target(is_new) {
        return Err(usage("--new-branch: no new branch can be made here"));
    }
    if !rescue.own_program {
        // As on the screen.
        plan.choose_usual();
    }
    plan.choose_paths(|paths| include(paths, rescue))?;
    if let Some(author) = &rescue.author {
        plan.author = Some(author.clone());
    }
    if let Some(split) = rescue.split {
        let kind = match split {
            SplitBy::Staged => SplitKind::Staged,
            SplitBy::Folders => SplitKind::Folders,
        };
        if !plan.splits.iter().any(|offered| offered.kind == kind) {
            let offered = preview::split_words(&plan.splits);
            let offered = if offered.is_empty() { "nothing".to_owned() } else { offered };
            return Err(usage(&format!("--split: this work can be split by {offered}")));
        }
        plan.split = Some(kind);
    }
    Ok(())
}

/// The note that the commit exists on a new branch already, unless the flags ask for another one: whoever always says yes
/// gets one branch, not one each time.
fn committed_already(plan: &RescuePlan, rescue: &Rescue) -> Option<String> {
    let is_usual = !(rescue.new_branch || rescue.protected || rescue.hooks || rescue.own_program)
        && rescue.include.is_empty()
        && rescue.split.is_none();
    plan.committed_on().filter(|_| is_usual).map(|(note, _)| action::note(note))
}

fn include(paths: &mut [PlannedPath], rescue: &Rescue) -> Result<(), Failure> {
    for included in &rescue.include {
        let bytes = included.as_os_str().as_bytes();
        let folder = [bytes.strip_suffix(b"/").unwrap_or(bytes), b"/"].concat();
        let mut n_found = 0;
        for path in paths.iter_mut().filter(|path| path.path == bytes || path.path.starts_with(&folder)) {
            n_found += 1;
            match path.left_out {
                Some(reason) if !reason.can_be_asked_for() => {
                    let name = display_text::bytes(&path.path);
                    return Err(usage(&format!(
                        "--include {name}: it cannot be in a commit; the record has it"
                    )));
                }
                Some(_) | None => path.left_out = None,
            }
        }
        if n_found == 0 {
            let name = display_text::path(included);
            return Err(usage(&format!("--include {name}: no such path is changed here")));
        }
    }
    Ok(())
}

fn target_words(plan: &RescuePlan) -> String {
    let branch = plan.target_branch().map(baseline::branch).unwrap_or_default();
    if plan.is_to_new_branch() { format!("the new branch {branch}") } else { branch }
}

fn usage(message: &str) -> Failure {
    Failure::Usage(message.to_owned())
}

pub(super) fn run_undo(environment: &Environment, undo: &Undo, way: UndoDirection) -> Ended {
    let config = engine_config(environment, &undo.path)?;
    let mut target_workspace = TargetWorkspace::judge(&config)?;
    let plan = target_workspace.action(Action::plan_undo(way))?;
    if undo.json && undo.dry_run {
        Printed::new(ActionClass::Done, UndoRow { is_done: false, plan: &plan }).print()?;
    } else if !undo.json {
        output::print(&preview::undo_preview(&plan))?;
    }
    if undo.dry_run {
        return Ok(Outcome::Action(ActionClass::Done));
    }
    let question = match way {
        UndoDirection::Undo => "Take it back?",
        UndoDirection::Redo => "Make it again?",
    };
    if !confirm(question, undo.yes) {
        return json::declined("nothing was changed", undo.json);
    }
    let done = target_workspace.act_or_signal(Action::undo(plan))?;
    if undo.json {
        Printed::new(ActionClass::Done, UndoRow { is_done: true, plan: &done }).print()?;
    } else {
        output::print_line(&format!("{} {}", baseline::branch(&done.branch), done.end_of_branch()))?;
    }
    Ok(Outcome::Action(ActionClass::Done))
}

/// Where all work is committed, and no branch holds the commits: asks about the branch that would keep them, and creates
/// it. It must not create another one.
fn keep(target_workspace: &mut TargetWorkspace<'_>, plan: Box<BranchPlan>, rescue: &Rescue) -> Ended {
    if !rescue.json {
        output::print(&preview::branch_preview(&plan))?;
    }
    if rescue.dry_run {
        if rescue.json {
            Printed::new(ActionClass::Done, BranchRow { is_done: false, plan: &plan }).print()?;
        }
        return Ok(Outcome::Action(ActionClass::Done));
    }
    let question = say::question(counts::commits(plan.n_commits), baseline::branch(&plan.branch));
    if !confirm(&display_text::line(&question), rescue.yes) {
        return json::declined("nothing was changed", rescue.json);
    }
    let plan = target_workspace.act_or_signal(Action::keep_commits(plan))?;
    if rescue.json {
        Printed::new(ActionClass::Done, BranchRow { is_done: true, plan: &plan }).print()?;
    } else {
        output::print_line(&action::label(&ActionOutcome::CommitsKept(plan)))?;
        output::print_line("`closeout undo` removes the branch again")?;
    }
    Ok(Outcome::Action(ActionClass::Done))
}
