//! What the process that will be killed does: one action, given on its command line.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use closeout::action::rescue::{RescueError, Rescuer};
use closeout::model::{CommitId, RecordOrder, Rescued};

/// The first argument of such a process.
pub(crate) const WORD: &str = "--cycle_action";
/// The message of the visible commits.
pub(crate) const MESSAGE: &str = "rescue: soak\n";

/// The kind of action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CycleAction {
    /// Only a record.
    Record,
    /// A record, a plan and the visible commit.
    Commit,
    /// Undo of the last rescue.
    Undo,
    /// Redo of what was undone.
    Redo,
}

impl CycleAction {
    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            CycleAction::Record => "record",
            CycleAction::Commit => "commit",
            CycleAction::Undo => "undo",
            CycleAction::Redo => "redo",
        }
    }
}

/// The names of closeout's state folder: a person's own, and that of another container with the same
/// repository.
pub(crate) const STATES: [&str; 2] = ["state", "other-state"];

/// A rescuer for the repository in `root`, with its state folder beside it.
pub(crate) fn rescuer(root: &Path, state: &str, is_synced: bool) -> Rescuer {
    let (git, home) = (super::world::git_program(), root.join("home"));
    Rescuer { is_synced, ..Rescuer::new(git, Some(home), root.join(state)) }
}

/// Carries out what the arguments name: action, work tree, folder of the world, state folder in it, whether to
/// sync.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let [cycle_action, top, root, state, synced] = arguments else { return ExitCode::FAILURE };
    let rescuer = rescuer(Path::new(root), state, synced == "synced");
    tell("go");
    match act_on(&rescuer, cycle_action, Path::new(top)) {
        Ok(words) => tell(&format!("ok {words}")),
        Err(error) => tell(&format!("no {error:?}").replace('\n', " ")),
    }
    ExitCode::SUCCESS
}

fn act_on(rescuer: &Rescuer, cycle_action: &str, top: &Path) -> Result<String, RescueError> {
    match cycle_action {
        "record" => {
            rescuer.record_ordered(top, RecordOrder::default()).map(|record| record.reference.to_string())
        }
        "commit" => {
            let plan = rescuer.plan(top, MESSAGE)?;
            tell(&format!("saved {}", plan.record.reference));
            if let Some(words) = plan.refusal {
                return Err(RescueError::SavedOnly(words));
            }
            let ids = |rescued: Rescued| rescued.commits.iter().map(CommitId::to_string).collect::<Vec<_>>();
            rescuer.commit(top, &plan).map(|rescued| ids(rescued).join(" "))
        }
        "undo" => rescuer.turn_back(top, &rescuer.undo_plan(top)?).map(|()| String::new()),
        _ => rescuer.turn_back(top, &rescuer.redo_plan(top)?).map(|()| String::new()),
    }
}

fn tell(words: &str) {
    let mut out = std::io::stdout().lock();
    // Writing fails only if the parent, which kills this process, no longer listens.
    let _ = writeln!(out, "{words}").and_then(|()| out.flush());
}
