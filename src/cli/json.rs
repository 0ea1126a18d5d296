//! The common part of the JSON of all actions: a version, how it ended, why, and what can be done about it.
//! It must not know any single action.
//!
//! A run that could not begin (exit codes 2 to 6) prints [`Failed`].

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{ActionClass, ActionProblem};
use crate::present::json::{VERSION, line};

use super::exit::{Ended, Failure, Outcome};
use super::output;

/// How an action ended, with what it is about.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Printed<T> {
    /// The version of this form.
    version: u32,
    /// How it ended.
    class: ActionClass,
    /// The exit code of the program.
    exit_code: u8,
    /// Why it was not done, not all of it, or elsewhere than usual, in words.
    reason: Option<String>,
    /// What can be done about that, a sentence each.
    next: Vec<String>,
    #[serde(flatten)]
    content: T,
}

/// Nothing beside how it ended: for what was not done.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct NoContent {}

/// A run that could not do what it was asked for.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Failed {
    /// The version of this form.
    version: u32,
    /// The exit code of the program.
    exit_code: u8,
    /// What happened and what can be done, in words.
    error: String,
}

/// Prints, as one line, why a run could not do what was requested.
pub(super) fn failed(exit_code: u8, words: &str) -> Result<(), Failure> {
    output::print_line(&line(&Failed { version: VERSION, exit_code, error: words.to_owned() }))
}

impl<T: Serialize> Printed<T> {
    /// An action that ended with `class`, about `content`.
    pub(super) fn new(class: ActionClass, content: T) -> Printed<T> {
        let exit_code = class.exit_code();
        Printed { version: VERSION, class, exit_code, reason: None, next: Vec::new(), content }
    }

    /// Sets the exit code of `outcome`, which may differ from the action's, and the reason and advice.
    pub(super) fn ending(
        mut self,
        outcome: Outcome,
        reason: Option<String>,
        next: Vec<String>,
    ) -> Printed<T> {
        self.exit_code = outcome.code();
        if let Outcome::Action(class) = outcome {
            self.class = class;
        }
        Printed { reason, next, ..self }
    }

    /// An action about `content` that ended with a problem.
    pub(super) fn of_problem(problem: &ActionProblem, content: T) -> Printed<T> {
        let next = problem.next.iter().cloned().collect();
        Printed { reason: Some(problem.message.clone()), next, ..Printed::new(problem.class, content) }
    }

    /// Prints it as one line.
    pub(super) fn print(&self) -> Result<(), Failure> {
        output::print_line(&line(self))
    }
}

/// Ends because the user declined or could not be asked.
pub(super) fn declined(words: &str, is_json: bool) -> Ended {
    if is_json {
        let problem = ActionProblem::new(ActionClass::Declined, words);
        Printed::of_problem(&problem, NoContent {}).print()?;
    }
    output::complain(words);
    Ok(Outcome::Action(ActionClass::Declined))
}
