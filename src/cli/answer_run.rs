//! `closeout reply` to a supervised run that waits for an answer: the run takes it, and tells its agent.

use std::io::{self, Read as _};
use std::thread;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::{EngineConfig, clock};
use crate::model::{
    ActionClass, ActionKind, ActionProblem, RunPhase, SupervisedRun, WorkspaceId, display_text,
};
use crate::store::Store;

use super::args::Reply;
use super::exit::{Ended, Failure, Outcome};
use super::json::{self, Printed};
use super::{output, target_workspace};

/// The most that is read of standard input, in bytes: more than any way takes.
const MOST: u64 = 2 << 20;
/// How often it is looked whether the run took the answer.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// `reply --json` to a supervised run.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RunAnswered {
    /// The id of the run.
    run: String,
    /// The question.
    question: String,
    /// Whether the run has taken the answer.
    taken: bool,
}

/// Answers the run that waits in `workspace`; `None` if none does.
pub(super) fn answer(config: &EngineConfig, workspace: &WorkspaceId, reply: &Reply) -> Option<Ended> {
    let store = Store::open(config.state_folder.as_ref()?).ok()?;
    let run =
        store.run(workspace).filter(|run| run.ended.is_none() && run.state.phase == RunPhase::Asking)?;
    store.is_run_alive(workspace).then(|| report(config, &store, workspace, &run, reply))
}

fn report(
    config: &EngineConfig,
    store: &Store,
    workspace: &WorkspaceId,
    run: &SupervisedRun,
    reply: &Reply,
) -> Ended {
    let question = run.question.clone().unwrap_or_default();
    let content = |taken| RunAnswered { run: run.id.clone(), question: question.clone(), taken };
    if !reply.json {
        output::print_line(&format!("a supervised run of process {} waits for the answer:", run.pid))?;
        for line in display_text::block(&question).lines() {
            output::print_line(&format!("  {line}"))?;
        }
    }
    let Some(text) = text_of(reply)? else {
        if reply.json {
            Printed::new(ActionClass::Done, content(false)).print()?;
        }
        return Ok(Outcome::Done);
    };
    if !target_workspace::confirm("Answer it?", reply.yes) {
        return json::declined("nothing was sent", reply.json);
    }
    let failed = |error: crate::store::StoreError| ActionProblem::new(ActionClass::Failed, error.to_string());
    let what = (ActionKind::Reply, workspace.path(), "to a supervised run".to_owned());
    let handed = config.audited(
        what,
        || store.run_folder(workspace).and_then(|folder| folder.answer(&text)).map_err(failed),
        |()| "handed over".to_owned(),
    );
    if let Err(problem) = handed {
        return json::fail(&problem, reply.json);
    }
    let begun = clock::now();
    let mut is_taken = false;
    while !is_taken && clock::now().millis_since(begun) < i64::from(reply.wait) * 1000 {
        thread::sleep(LOOK_AGAIN);
        is_taken = store.run(workspace).is_none_or(|now| now.state.phase != RunPhase::Asking);
    }
    let class = if is_taken { ActionClass::Done } else { ActionClass::Unknown };
    if reply.json {
        Printed::new(class, content(is_taken)).print()?;
    } else {
        let words = if is_taken { "the run has it, and goes on" } else { "the run has not taken it yet" };
        output::print_line(words)?;
    }
    Ok(Outcome::Action(class))
}

/// The words, from the argument or from standard input.
pub(super) fn text_of(reply: &Reply) -> Result<Option<String>, Failure> {
    if reply.text.as_deref() != Some("-") {
        return Ok(reply.text.clone());
    }
    let mut text = String::new();
    io::stdin()
        .lock()
        .take(MOST)
        .read_to_string(&mut text)
        .map_err(|source| Failure::Stream { what: "cannot read the reply".to_owned(), source })?;
    Ok(Some(text.strip_suffix('\n').map(str::to_owned).unwrap_or(text)))
}
