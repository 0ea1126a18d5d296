//! `closeout wait`: waits until a workspace is in one of several states. It must not change the workspace.

use std::time::Duration;

use crate::config::Flags;
use crate::engine::{Engine, FrontKind, Overrides, Scope, clock};
use crate::model::{VerdictState, WorkspaceView, display_text};
use crate::present::json as forms;
use crate::present::json::Report;

use super::environment::Environment;
use super::exit::{Ended, Failure, Outcome};
use super::run_args::Wait;
use super::runtime::runtime;
use super::{output, text};

/// Waits, and prints the workspace as it then is.
pub(super) fn run(environment: &Environment, wait: &Wait) -> Ended {
    let scope = Scope::One(environment.absolute(&wait.path));
    let config = environment.engine_config(scope, Flags::default(), Overrides::default())?;
    let runtime = runtime()?;
    let limit = wait.timeout.unwrap_or(Duration::MAX);
    let found = runtime.block_on(async {
        let mut engine = Engine::start(config, FrontKind::Display);
        let mut last = None;
        let reached = async {
            loop {
                engine.turn().await;
                for view in engine.take_changes().views {
                    let state = view.verdict.as_deref().map(|verdict| verdict.state);
                    let is_reached = state.is_some_and(|state| wait.until.contains(&state));
                    last = Some(view);
                    if is_reached {
                        return Ok(true);
                    }
                }
                if let Some((path, reason)) = engine.refused().first() {
                    return Err(Failure::NoWorkspace(format!("{} {reason}", display_text::path(path))));
                }
            }
        };
        let reached = tokio::time::timeout(limit, reached).await.unwrap_or(Ok(false));
        reached.map(|reached| (reached, last))
    });
    runtime.shutdown_background();
    let (is_reached, view) = found?;
    if let Some(view) = &view {
        print(view, wait.json)?;
    }
    if is_reached {
        return Ok(Outcome::Done);
    }
    if !wait.json {
        let names: Vec<&str> = wait.until.iter().copied().map(VerdictState::name).collect();
        output::complain(&format!("closeout: it did not become {} in time", names.join(" or ")));
    }
    Ok(Outcome::Action(crate::model::ActionClass::TimedOut))
}

fn print(view: &WorkspaceView, is_json: bool) -> Result<(), Failure> {
    if !is_json {
        return output::print_text(&text::full(view, clock::now()));
    }
    let report = Report::of(std::slice::from_ref(view), Vec::new(), clock::now());
    output::print_line(&forms::line(&report))
}
