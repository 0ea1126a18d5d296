//! What all fronts of actions share: the target workspace, progress on standard error, the question before an
//! action, and the exit code for its outcome. It must not know any single action.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::Path;

use crate::config::Flags;
use crate::engine::{EngineConfig, Judged, LongWait, OneShot, Overrides, Scope};
use crate::model::{
    Action, ActionOutcome, ActionProblem, ActionProgress, TypedAction, WorkspaceView, display_text,
};
use crate::present::problem;

use super::environment::Environment;
use super::exit::{Failure, Outcome};
use super::output;
use super::runtime::Signalled;

pub(super) fn engine_config(environment: &Environment, path: &Path) -> Result<EngineConfig, Failure> {
    let scope = Scope::One(environment.absolute(path));
    environment.engine_config(scope, Flags::default(), Overrides::default())
}

pub(super) struct TargetWorkspace<'a> {
    all: OneShot<'a>,
    view: WorkspaceView,
    /// The listener for signals, once an action has asked for one.
    signalled: Option<Signalled>,
}

impl<'a> TargetWorkspace<'a> {
    /// Judges the one workspace of `config`. What cannot be stored is reported on standard error.
    ///
    /// # Errors
    /// There is no workspace at the path.
    pub(super) fn judge(config: &'a EngineConfig) -> Result<TargetWorkspace<'a>, Failure> {
        let all = OneShot::judge_telling(config, tell_wait);
        let judged = all.judged();
        output::notes(&judged.notices);
        Ok(TargetWorkspace::on(all, the_one(judged)?))
    }

    /// One of the workspaces that were judged.
    pub(super) fn on(all: OneShot<'a>, view: WorkspaceView) -> TargetWorkspace<'a> {
        TargetWorkspace { all, view, signalled: None }
    }

    pub(super) fn view(&self) -> &WorkspaceView {
        &self.view
    }

    /// Lets Ctrl-C and the other terminating signals cancel the running action and all that it started. The
    /// result tells afterwards which signal arrived.
    pub(super) fn end_on_signal(&self) -> Signalled {
        Signalled::listen(self.all.cancel())
    }

    /// Carries out an action, with `report` for its progress.
    pub(super) fn act_with<T>(
        &mut self,
        wanted: TypedAction<T>,
        report: &(dyn Fn(ActionProgress) + Send + Sync),
    ) -> Result<T, ActionProblem> {
        (wanted.answer)(self.outcome(wanted.action, report))
    }

    fn outcome(&mut self, action: Action, report: &(dyn Fn(ActionProgress) + Send + Sync)) -> ActionOutcome {
        let outcome = self.all.action(&self.view.id, action, report);
        if let Some(view) = self.all.judged().views.into_iter().find(|view| view.id == self.view.id) {
            self.view = view;
        }
        outcome
    }

    /// Carries out an action. Before it moves anything, a signal cancels it, and the error is how the program
    /// ends; after that, the action is completed. While a person is asked, a signal ends the program at once.
    pub(super) fn act_or_signal<T>(&mut self, wanted: TypedAction<T>) -> Result<T, Failure> {
        let signalled = self.signalled.get_or_insert_with(|| Signalled::listen(self.all.cancel())).clone();
        signalled.set_resting(false);
        let outcome = self.outcome(wanted.action, &progress_on_terminal());
        let is_asked_next = matches!(
            outcome,
            ActionOutcome::RescuePlanned(_) | ActionOutcome::BranchPlanned(_) | ActionOutcome::SizeAsked(_)
        );
        signalled.set_resting(is_asked_next);
        match (&outcome, signalled.signal()) {
            (ActionOutcome::Failed(problem), Some(signal)) => {
                fail(problem);
                Err(Failure::Over(Outcome::Signalled(signal)))
            }
            (ActionOutcome::RescuePlanned(plan), Some(signal)) => {
                let record = display_text::line(&plan.record.reference);
                output::complain(&format!("closeout: nothing was committed; the work is kept in {record}"));
                Err(Failure::Over(Outcome::Signalled(signal)))
            }
            (_, Some(_) | None) => Ok((wanted.answer)(outcome)?),
        }
    }

    /// What could not be stored so far, as text for a person.
    pub(super) fn notices(&self) -> Vec<String> {
        self.all.judged().notices
    }

    /// Carries out an action. Its progress goes to standard error if that is a terminal.
    pub(super) fn action<T>(&mut self, wanted: TypedAction<T>) -> Result<T, ActionProblem> {
        self.act_with(wanted, &progress_on_terminal())
    }
}

/// The workspace of an engine on one path.
///
/// # Errors
/// There is none there.
pub(super) fn the_one(judged: Judged) -> Result<WorkspaceView, Failure> {
    match (judged.refused.first(), judged.views.into_iter().next()) {
        (Some((path, reason)), _) => {
            Err(Failure::NoWorkspace(format!("{} {reason}", display_text::path(path))))
        }
        (None, Some(view)) => Ok(view),
        (None, None) => Err(Failure::NoWorkspace("there is no workspace".to_owned())),
    }
}

/// Prints on standard error what a command has been waiting for, even if that is a log: a person has to see why
/// nothing happens, and scripts read standard output.
pub(super) fn tell_wait(wait: &LongWait) {
    output::note(&problem::long_wait(&wait.workspace, wait.action, wait.limit));
}

/// Prints progress on standard error, if that is a terminal.
pub(super) fn progress_on_terminal() -> impl Fn(ActionProgress) + Send + Sync {
    let is_seen = io::stderr().is_terminal();
    move |progress| {
        if is_seen && !progress.message.is_empty() {
            output::complain(&display_text::line(&progress.message));
        }
    }
}

/// Asks a person on the terminal. `is_yes` is an answer given earlier by a flag. Without a terminal the
/// answer is no, with a line that says how to say yes.
pub(super) fn confirm(question: &str, is_yes: bool) -> bool {
    if is_yes {
        return true;
    }
    if !io::stdin().is_terminal() {
        output::complain(&format!(
            "{question} Not asked: standard input is not a terminal; --yes confirms it."
        ));
        return false;
    }
    let mut stderr = io::stderr().lock();
    // A terminal that cannot be written to gives the read below no answer either.
    let _ = write!(stderr, "{question} [y/N] ").and_then(|()| stderr.flush());
    drop(stderr);
    let mut answer = String::new();
    let _ = io::stdin().lock().read_line(&mut answer);
    matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

/// Ends with a problem: prints its message and advice on standard error; its class gives the exit code.
pub(super) fn fail(problem: &ActionProblem) -> Outcome {
    output::note(&problem.message);
    if let Some(next) = &problem.next {
        output::complain(&format!("  → {}", display_text::line(next)));
    }
    Outcome::Action(problem.class)
}
