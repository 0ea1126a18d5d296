//! `closeout decide`: writes the decision file, so that no model has to. It must not judge.

use std::path::Path;

use crate::action::decision;
use crate::config::Flags;
use crate::engine::{EngineConfig, Overrides, Scope};
use crate::model::{Action, display_text};

use super::ask_args::{Decide, DecisionWord};
use super::environment::Environment;
use super::exit::{Ended, Failure, Outcome};
use super::output;
use super::target_workspace::TargetWorkspace;

pub(super) fn run(environment: &Environment, decide: &Decide) -> Ended {
    let decision_file = decide.decision_file.as_ref().map(|file| environment.absolute_text(file));
    let overrides = Overrides {
        check_id: decide.check_id.clone(),
        decision_file: decision_file.transpose()?,
        ..Overrides::default()
    };
    let scope = Scope::One(environment.absolute(&decide.path));
    let config = environment.engine_config(scope, Flags::default(), overrides)?;
    let Some(decision) = decide.decision.filter(|_| !decide.show) else {
        return show(&config, &environment.absolute(&decide.path));
    };
    let mut target_workspace = TargetWorkspace::judge(&config)?;
    let is_complete = decision == DecisionWord::Complete;
    let decided = target_workspace.action(Action::decide(is_complete, decide.reason.clone()))?;
    let word = if is_complete { "complete" } else { "incomplete" };
    let check = decided.check_id.as_deref().map(|id| format!(" for check {}", display_text::line(id)));
    let path = display_text::path(&decided.path);
    output::print_line(&format!("{word}{}: {path}", check.unwrap_or_default()))?;
    Ok(Outcome::Done)
}

/// Prints the words that tell an agent where its decision file goes; writes nothing.
fn show(config: &EngineConfig, path: &Path) -> Ended {
    let workspace = path
        .canonicalize()
        .map_err(|error| Failure::NoWorkspace(format!("{}: {error}", display_text::path(path))))?;
    let (settings, _) = config.config.for_workspace(&workspace);
    let Some(file) = config.overrides.decision_file.clone().or(settings.decision_file) else {
        return Err(Failure::Settings(
            "no decision file is configured for this workspace: set evidence.decision_file".to_owned(),
        ));
    };
    let message = decision::label(&workspace, &file, config.overrides.check_id.as_deref());
    output::print_line(&display_text::line(&message))?;
    Ok(Outcome::Done)
}
