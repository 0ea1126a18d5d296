//! `closeout check`: judges one workspace once. No rule lives here.

use std::path::PathBuf;

use crate::config::Flags;
use crate::engine::{OneShot, Overrides, Scope, clock};
use crate::model::{Action, ActionOutcome, VerdictState, display_text};
use crate::present::json as forms;
use crate::present::json::Report;

use super::args::Check;
use super::environment::Environment;
use super::exit::{Ended, Failure, Outcome};
use super::runtime::Signalled;
use super::target_workspace::{progress_on_terminal, tell_wait};
use super::{output, probing, text};

pub(super) fn run(environment: &Environment, check: &Check) -> Ended {
    let named = |path: &PathBuf| environment.absolute_text(path);
    let overrides = Overrides {
        check_id: check.check_id.clone(),
        decision_file: check.decision_file.as_ref().map(named).transpose()?,
        outputs: check.outputs.iter().map(named).collect::<Result<_, _>>()?,
        is_check: true,
        resets_rounds: check.reset_rounds,
        ..Overrides::default()
    };
    let flags = Flags {
        task_kind: check.task_kind,
        baseline: check.baseline_commit.clone(),
        require: check.require,
        ..Flags::default()
    };
    let scope = Scope::One(environment.absolute(&check.path));
    let config = environment.engine_config(scope, flags, overrides)?;
    if check.probing.probe {
        return probing::run(&config, check);
    }
    let mut all = OneShot::judge_telling(&config, tell_wait);
    if check.run_checks {
        run_checks(&mut all);
    }
    let judged = all.judged();
    if let Some((_, reason)) = judged.refused.first() {
        let path = display_text::path(&check.path);
        return Err(Failure::NoWorkspace(format!("{path} {reason}")));
    }
    let state = judged.views.first().and_then(|view| view.verdict.as_deref()).map(|verdict| verdict.state);
    if check.json {
        output::print_line(&forms::line(&Report::of(&judged.views, judged.notices, clock::now())))?;
    } else {
        output::notes(&judged.notices);
        for view in &judged.views {
            output::print_text(&text::full(view, clock::now()))?;
        }
    }
    Ok(Outcome::of(state.unwrap_or(VerdictState::Error)))
}

/// Runs the configured checks and judges again; their results are part of the verdict.
fn run_checks(all: &mut OneShot<'_>) {
    let judged = all.judged();
    let Some(view) = judged.views.first() else { return };
    let signalled = Signalled::listen(all.cancel());
    let outcome = all.action(&view.id, Action::RunChecks { trusting: None }, &progress_on_terminal());
    drop(signalled);
    if let ActionOutcome::Failed(problem) = outcome {
        let next = problem.next.map_or_else(String::new, |next| format!("; {next}"));
        output::complain(&format!("closeout: {}{next}", display_text::line(&problem.message)));
    }
}
