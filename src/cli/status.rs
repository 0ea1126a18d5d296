//! `closeout status`: all workspaces, once or as a stream. It must not change any of them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::config::Flags;
use crate::engine::{Engine, EngineConfig, FrontKind, OneShot, Overrides, clock};
use crate::model::{WorkspaceId, WorkspaceView, display_text};
use crate::present;
use crate::present::json as forms;
use crate::present::json::{Follow, Refused, Report, Row, VERSION};

use super::args::Status;
use super::environment::Environment;
use super::exit::{Ended, Failure, Outcome};
use super::runtime::runtime;
use super::target_workspace::tell_wait;
use super::{output, text};

pub(super) fn run(environment: &Environment, status: &Status) -> Ended {
    let scope = environment.worktrees(&status.paths);
    let config = environment.engine_config(scope, Flags::default(), Overrides::default())?;
    if status.follow {
        return follow(config, status.json);
    }
    let named: Vec<PathBuf> = status.paths.iter().map(|path| environment.absolute(path)).collect();
    once(&config, status.json, &named)
}

fn once(config: &EngineConfig, is_json: bool, named: &[PathBuf]) -> Ended {
    let begun = clock::now();
    let mut judged = OneShot::judge_telling(config, tell_wait).judged();
    // What this call judged first has one age, or equal rows would stand in the order of their judgement.
    for since in judged.views.iter_mut().filter_map(|view| view.verdict_since.as_mut()) {
        *since = begun.min(*since);
    }
    present::order(&mut judged.views, None);
    if !is_json {
        output::notes(&judged.notices);
    }
    // A path that was named is missing even beside others that are there.
    let is_missing =
        |(path, _): &(PathBuf, String)| named.contains(path) || !is_json && judged.views.is_empty();
    let outcome = if judged.refused.iter().any(is_missing) { Outcome::NoWorkspace } else { Outcome::Done };
    if is_json {
        let refused = judged.refused.iter().map(|(path, reason)| refused(path, reason)).collect();
        let report = Report { refused, ..Report::of(&judged.views, judged.notices, clock::now()) };
        output::print_line(&forms::line(&report))?;
    } else {
        for (path, reason) in &judged.refused {
            output::complain(&format!("closeout: {} {reason}", display_text::path(path)));
        }
        for view in &judged.views {
            output::print_text(&format!("{}\n", text::short(view, clock::now())))?;
        }
    }
    Ok(outcome)
}

/// Prints each workspace when it is first judged and whenever it changes, until a signal ends the program.
fn follow(config: EngineConfig, is_json: bool) -> Ended {
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        let mut engine = Engine::start(config, FrontKind::Display);
        let mut shown: BTreeMap<WorkspaceId, WorkspaceView> = BTreeMap::new();
        let mut n_refused = 0;
        let mut problems: Vec<String> = Vec::new();
        loop {
            engine.turn().await;
            let changes = engine.take_changes();
            for view in changes.views {
                if shown.get(&view.id).is_some_and(|before| is_same(before, &view)) {
                    continue;
                }
                print_changed(&view, is_json)?;
                shown.insert(view.id.clone(), view);
            }
            for id in changes.removed {
                shown.remove(&id);
                print_removed(&id, is_json)?;
            }
            let mut notices = engine.take_notices();
            notices.extend(engine.problems().iter().filter(|problem| !problems.contains(problem)).cloned());
            problems = engine.problems().to_vec();
            for notice in notices {
                print_notice(&notice, is_json)?;
            }
            for (path, reason) in engine.refused().iter().skip(n_refused) {
                print_notice(&format!("{} {reason}", display_text::path(path)), is_json)?;
            }
            n_refused = engine.refused().len();
            if engine.is_discovered() && shown.is_empty() && n_refused > 0 && engine.is_all_judged() {
                let (path, reason) = &engine.refused()[0];
                return Err(Failure::NoWorkspace(format!("{} {reason}", display_text::path(path))));
            }
        }
    });
    runtime.shutdown_background();
    ended
}

/// Whether two views say the same; a collection's number and time make no difference.
fn is_same(before: &WorkspaceView, view: &WorkspaceView) -> bool {
    let mut before = before.clone();
    before.reading = view.reading.with_problems_of(&before.reading);
    before == *view
}

fn print_changed(view: &WorkspaceView, is_json: bool) -> Result<(), Failure> {
    if !is_json {
        return if view.verdict.is_some() {
            output::print_text(&format!("{}\n", text::short(view, clock::now())))
        } else {
            Ok(())
        };
    }
    match Row::of(view) {
        None => Ok(()),
        Some(row) => output::print_line(&forms::line(&Follow::Changed {
            version: VERSION,
            at: clock::now(),
            workspace: Box::new(row),
        })),
    }
}

fn print_removed(id: &WorkspaceId, is_json: bool) -> Result<(), Failure> {
    if is_json {
        let line = Follow::Removed { version: VERSION, at: clock::now(), path: forms::path(id) };
        output::print_line(&forms::line(&line))
    } else {
        output::print_line(&format!("{:<17}  {id}", "removed"))
    }
}

fn print_notice(notice: &str, is_json: bool) -> Result<(), Failure> {
    let text = display_text::line(notice).into_owned();
    if is_json {
        output::print_line(&forms::line(&Follow::Notice { version: VERSION, at: clock::now(), text }))
    } else {
        output::complain(&format!("closeout: {text}"));
        Ok(())
    }
}

fn refused(path: &std::path::Path, reason: &str) -> Refused {
    Refused { path: display_text::path(path), reason: reason.to_owned() }
}
