//! `closeout mark`: a person's own word on a workspace. It must not decide what a mark means for the verdict.

use std::path::Path;

use clap::ValueEnum as _;

use crate::engine::clock;
use crate::model::{Action, MarkOrder, Marks, TaskKind, display_text};
use crate::present::mark;

use super::ask_args::{Mark, MarkName};
use super::environment::Environment;
use super::exit::{Ended, Failure, Outcome};
use super::output;
use super::target_workspace::{TargetWorkspace, engine_config};

/// The words for the error message.
const WORDS: &str = "done, open, quiet, not-of-this-task, baseline-here, kind";

/// Sets the mark, or prints those that hold.
pub(super) fn run(environment: &Environment, mark: &Mark) -> Ended {
    let (order, path) = order(mark)?;
    let config = engine_config(environment, path)?;
    let mut target_workspace = TargetWorkspace::judge(&config)?;
    let Some(order) = order else { return show(&target_workspace.view().marks) };
    let name = order.name();
    let n_told = target_workspace.notices().len();
    target_workspace.action(Action::mark(order, mark.reason.clone()))?;
    if let Some(problem) = target_workspace.notices().into_iter().nth(n_told) {
        return Err(Failure::Unreadable(format!(
            "the mark is not kept: {problem}; put that right, or name another state folder in CLOSEOUT_STATE_DIR"
        )));
    }
    let view = target_workspace.view();
    let state = view.verdict.as_deref().map_or("", |verdict| verdict.state.name());
    output::print_line(&format!("{name}: {} is {state}", display_text::line(&view.name)))?;
    Ok(Outcome::Done)
}

/// Prints the earlier marks that still hold, and those that have lapsed.
fn show(marks: &Marks) -> Ended {
    let holding: Vec<String> =
        mark::lapsed(marks).into_iter().chain(mark::holding(marks, clock::now())).collect();
    if holding.is_empty() {
        output::print_line(mark::nothing())?;
    }
    for said in holding {
        output::print_line(&display_text::line(&said))?;
    }
    Ok(Outcome::Done)
}

/// The order, if there is one, and the workspace.
fn order(mark: &Mark) -> Result<(Option<MarkOrder>, &Path), Failure> {
    let usage = |words: &str| Failure::Usage(words.to_owned());
    let mut values = mark.values.as_slice();
    let first = values.first().and_then(|value| value.to_str());
    let word = first.and_then(|first| MarkName::from_str(first, false).ok());
    if word.is_some() {
        values = &values[1..];
    } else if let Some(first) = values.first().filter(|first| !first.exists()) {
        let shown = display_text::path(first);
        return Err(usage(&format!("{shown} is neither a folder nor one of: {WORDS}")));
    }
    let order = match word {
        None => None,
        Some(MarkName::Done) => Some(MarkOrder::Done),
        Some(MarkName::Open) => Some(MarkOrder::Open),
        Some(MarkName::Quiet) => Some(MarkOrder::Quiet),
        Some(MarkName::BaselineHere) => Some(MarkOrder::BaselineHere),
        Some(MarkName::Kind) => {
            let kind = values.first().and_then(|value| value.to_str()).and_then(TaskKind::from_name);
            let task_kind = kind.ok_or_else(|| usage("`kind` needs IMPLEMENTATION, READ_INFO or REPORT"))?;
            values = &values[1..];
            Some(MarkOrder::TaskKind { task_kind })
        }
        // With one value left, a directory is the workspace; anything else is the point.
        Some(MarkName::NotOfThisTask) => {
            let point = values.first().filter(|value| values.len() > 1 || !value.is_dir());
            if point.is_some() {
                values = &values[1..];
            }
            Some(MarkOrder::NotOfThisTask { point: point.map(|point| point.display().to_string()) })
        }
    };
    let order = if mark.clear { Some(MarkOrder::Clear) } else { order };
    match values {
        [] => Ok((order, Path::new("."))),
        [path] => Ok((order, path)),
        [_, ..] => Err(usage(&format!("give one mark for one workspace; the marks: {WORDS}"))),
    }
}
