//! `closeout mark`: a person's own word on a workspace.

use std::path::{Path, PathBuf};

use crate::model::{Action, ActionOutcome, MarkOrder, TaskKind, display_text};

use super::ask_args::{Mark, MarkName};
use super::environment::Environment;
use super::exit::{Ended, Failure, Outcome};
use super::output;
use super::target_workspace::{TargetWorkspace, engine_config, unexpected};

/// Takes it.
#[expect(clippy::wildcard_enum_match_arm, reason = "every other outcome is one that the action cannot have")]
pub(super) fn run(environment: &Environment, mark: &Mark) -> Ended {
    let (order, path) = order(mark)?;
    let config = engine_config(environment, path)?;
    let mut target_workspace = TargetWorkspace::judge(&config)?;
    let name = order.name();
    match target_workspace.action(Action::Mark { order, reason: mark.reason.clone() }) {
        ActionOutcome::Marked { .. } => {
            let view = target_workspace.view();
            let state = view.verdict.as_ref().map_or("", |verdict| verdict.state.name());
            output::print_line(&format!("{name}: {} is {state}", display_text::line(&view.name)))?;
            Ok(Outcome::Done)
        }
        other => Ok(unexpected(&other)),
    }
}

/// What is said, and of which workspace.
fn order(mark: &Mark) -> Result<(MarkOrder, &Path), Failure> {
    let usage = |words: &str| Failure::Usage(words.to_owned());
    let mut values = mark.values.iter().map(PathBuf::as_path);
    let order = match mark.word {
        _ if mark.clear => {
            if mark.word == Some(MarkName::Kind) || mark.word == Some(MarkName::NotOfThisTask) {
                values.next_back();
            }
            MarkOrder::Clear
        }
        None => {
            return Err(usage(
                "say what: done, open, quiet, not-of-this-task, baseline-here, kind, or --clear",
            ));
        }
        Some(MarkName::Done) => MarkOrder::Done,
        Some(MarkName::Open) => MarkOrder::Open,
        Some(MarkName::Quiet) => MarkOrder::Quiet,
        Some(MarkName::BaselineHere) => MarkOrder::BaselineHere,
        Some(MarkName::Kind) => {
            let kind = values.next().and_then(Path::to_str).and_then(TaskKind::from_name);
            let task_kind = kind.ok_or_else(|| usage("`kind` needs IMPLEMENTATION, READ_INFO or REPORT"))?;
            MarkOrder::TaskKind { task_kind }
        }
        // A folder is the workspace; anything else is the point.
        Some(MarkName::NotOfThisTask) => {
            let point = mark.values.first().filter(|value| mark.values.len() > 1 || !value.is_dir());
            if point.is_some() {
                values.next();
            }
            MarkOrder::NotOfThisTask { point: point.map(|point| point.display().to_string()) }
        }
    };
    let path = values.next().unwrap_or_else(|| Path::new("."));
    if values.next().is_some() {
        return Err(usage("one workspace at a time"));
    }
    Ok((order, path))
}
