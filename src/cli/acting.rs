//! What all fronts of acts share: the one workspace that is meant, words about progress on standard error,
//! the question before something is done, and how an outcome ends the program.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::Path;

use crate::config::Flags;
use crate::engine::{Launch, OneShot, Overlay, Scope};
use crate::model::{Act, ActOutcome, ActProblem, ActProgress, WorkspaceView, display_text};

use super::environment::Environment;
use super::exit::{Failure, Outcome};
use super::output;
use super::signalled::Signalled;

/// What a run on one workspace starts with.
pub(super) fn launch(environment: &Environment, path: &Path) -> Result<Launch, Failure> {
    let scope = Scope::One(environment.absolute(path));
    environment.launch(scope, Flags::default(), Overlay::default())
}

/// One workspace, judged, to act on.
pub(super) struct Acting<'a> {
    all: OneShot<'a>,
    view: WorkspaceView,
}

impl<'a> Acting<'a> {
    /// Judges the one workspace of `launch`; what cannot be remembered is told on standard error.
    ///
    /// # Errors
    /// There is no workspace at the path.
    pub(super) fn judge(launch: &'a Launch) -> Result<Acting<'a>, Failure> {
        let all = OneShot::judge(launch);
        let judged = all.judged();
        for notice in &judged.notices {
            output::complain(&format!("closeout: {}", display_text::line(notice)));
        }
        if let Some((path, reason)) = judged.refused.first() {
            return Err(Failure::NoWorkspace(format!("{} {reason}", display_text::path(path))));
        }
        let view = judged.views.into_iter().next();
        let view = view.ok_or_else(|| Failure::NoWorkspace("there is no workspace".to_owned()))?;
        Ok(Acting { all, view })
    }

    /// One workspace of those that were judged.
    pub(super) fn on(all: OneShot<'a>, view: WorkspaceView) -> Acting<'a> {
        Acting { all, view }
    }

    /// The workspace as it was judged last.
    pub(super) fn view(&self) -> &WorkspaceView {
        &self.view
    }

    /// Lets Ctrl-C and the other signals that end a program end the act that runs, and all that it started.
    /// The number of the signal that came is told afterwards.
    pub(super) fn end_on_signal(&self) -> Signalled {
        Signalled::listen(self.all.cancel())
    }

    /// Has an act carried out, with another way to tell how far it is.
    pub(super) fn act_with(&mut self, act: Act, report: &(dyn Fn(ActProgress) + Send + Sync)) -> ActOutcome {
        let outcome = self.all.act(&self.view.id, act, report);
        if let Some(view) = self.all.judged().views.into_iter().find(|view| view.id == self.view.id) {
            self.view = view;
        }
        outcome
    }

    /// Has an act carried out that moves something. A signal ends it before that, with how the program ends then; from
    /// there on it is finished.
    pub(super) fn act_or_signal(&mut self, act: Act) -> Result<ActOutcome, Outcome> {
        let signalled = self.end_on_signal();
        let outcome = self.act(act);
        match (&outcome, signalled.signal()) {
            (ActOutcome::Failed(problem), Some(signal)) => {
                let _ = fail(problem);
                Err(Outcome::Signalled(signal))
            }
            (_, Some(_) | None) => Ok(outcome),
        }
    }

    /// What could not be remembered by now, in words.
    pub(super) fn notices(&self) -> Vec<String> {
        self.all.judged().notices
    }

    /// Has an act carried out. How far it is goes to standard error, if a person sees that.
    pub(super) fn act(&mut self, act: Act) -> ActOutcome {
        let is_seen = io::stderr().is_terminal();
        let report = move |progress: ActProgress| {
            if is_seen && !progress.words.is_empty() {
                output::complain(&display_text::line(&progress.words));
            }
        };
        self.act_with(act, &report)
    }
}

/// Asks a person, on the terminal. `is_yes` is their answer given before, by a flag. Without a terminal it
/// is a no, with a line that says how to say yes.
pub(super) fn confirm(question: &str, is_yes: bool) -> bool {
    if is_yes {
        return true;
    }
    if !io::stdin().is_terminal() {
        output::complain(&format!("{question} Not asked: standard input is no terminal; --yes says yes."));
        return false;
    }
    let mut stderr = io::stderr().lock();
    // A terminal that cannot be written to gives no answer either.
    let _ = write!(stderr, "{question} [y/N] ").and_then(|()| stderr.flush());
    drop(stderr);
    let mut answer = String::new();
    let _ = io::stdin().lock().read_line(&mut answer);
    matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

/// Ends with a problem: its words and what can be done about it on standard error, its class as the code.
pub(super) fn fail(problem: &ActProblem) -> Outcome {
    output::complain(&format!("closeout: {}", display_text::line(&problem.words)));
    if let Some(next) = &problem.next {
        output::complain(&format!("  → {}", display_text::line(next)));
    }
    Outcome::Act(problem.class)
}

/// Ends with an outcome that does not belong to the act that was asked for.
pub(super) fn unexpected(outcome: &ActOutcome) -> Outcome {
    if let ActOutcome::Failed(problem) = outcome { fail(problem) } else { Outcome::Act(outcome.class()) }
}
