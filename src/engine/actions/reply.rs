//! Replies to agents: reads the session as it is at this moment, and lets the room `action` choose the
//! channel and send. It must not send by itself.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use crate::action::reply::{Current, Programs, Replier, TmuxAccess};
use crate::agent::Adapter;
use crate::agent::processes::{ProcessTable, Sought};
use crate::model::{
    ActionClass, ActionProblem, ActionProgress, ActionRequest, Receipt, ReplyBody, ReplyChannel, ReplyPlan,
    RunView, SessionName, SessionObservation, TurnState,
};
use crate::process::{self, Launcher};

use super::refresher::{self, Refresher};
use super::tools::Tools;
use super::{decide, run_answer};
use crate::engine::clock;

/// How long to watch the record for words that were typed or queued.
const PATIENCE: Duration = Duration::from_millis(2500);
/// How long an agent may work on the answer without a screen. A turn can take hours; a person can see it and
/// cancel it.
const TURN_LIMIT: Duration = Duration::from_hours(6);

pub(super) fn plan(
    request: &ActionRequest,
    session: &SessionName,
    tools: &Tools<'_>,
) -> Result<ReplyPlan, ActionProblem> {
    if session.agent == RunView::AGENT {
        return run_answer::plan(request, session, tools);
    }
    with_replier(request, session, tools, |replier| replier.plan(session))
}

pub(super) fn send(
    request: &ActionRequest,
    plan: &ReplyPlan,
    body: &ReplyBody,
    tools: &Tools<'_>,
) -> Result<Receipt, ActionProblem> {
    if matches!(plan.channel, ReplyChannel::Run { .. }) {
        return run_answer::send(request, plan, body, tools);
    }
    with_replier(request, &plan.session, tools, |replier| replier.send(plan, body))
}

fn with_replier<T>(
    request: &ActionRequest,
    session: &SessionName,
    tools: &Tools<'_>,
    action: impl FnOnce(&Replier<'_>) -> Result<T, ActionProblem>,
) -> Result<T, ActionProblem> {
    let config = tools.config;
    let adapter = config.adapters.iter().find(|adapter| adapter.name() == session.agent);
    let adapter = adapter.ok_or_else(|| unknown("its agent is not known"))?;
    let state = config.state_folder.clone().ok_or_else(|| {
        ActionProblem::new(ActionClass::Failed, "without a state folder, what was sent cannot be recorded")
            .with_next("set CLOSEOUT_STATE_DIR to a folder that can be written")
    })?;
    let look = || see(request, session, adapter, tools);
    let report = |message: &str| {
        (tools.report)(ActionProgress { message: message.to_owned(), ..ActionProgress::default() });
    };
    let taken = |receipt: &Receipt| {
        let message = "its agent is working on the answer".to_owned();
        (tools.report)(ActionProgress {
            message,
            taken: Some(Box::new(receipt.clone())),
            ..ActionProgress::default()
        });
    };
    let panes = config.live.as_ref().and_then(|live| live.panes.as_ref());
    let mut environment = process::environment(&config.variables, &adapter.facts().variables);
    environment.extend(decide::variables(request));
    let replier = Replier {
        adapter,
        workspace: request.workspace.path(),
        tmux: panes.map(|panes| TmuxAccess {
            program: panes.tmux().program.clone(),
            default_socket: panes.tmux().default_socket.clone(),
        }),
        programs: Programs {
            search_path: config.variables.get(OsStr::new("PATH")).cloned(),
            environment,
            launcher: config.own_program.clone().map(|program| Launcher { program }),
        },
        state,
        look: &look,
        now: &clock::now,
        report: &report,
        patience: PATIENCE,
        turn_limit: TURN_LIMIT,
        cancel: tools.cancel.clone(),
        taken: &taken,
    };
    action(&replier)
}

/// The session as it is now; an error if the disk does not answer.
fn see(
    request: &ActionRequest,
    name: &SessionName,
    adapter: &Adapter,
    tools: &Tools<'_>,
) -> Result<Current, ActionProblem> {
    let refresher = Refresher::new(request, tools);
    let refresher::Current { session, view, record, .. } = refresher.session(name)?;
    let (looked_for, workspace) = (session.clone(), request.workspace.path().to_owned());
    let agent = adapter.name().to_owned();
    let is_surely_gone = refresher.within_limit(move || is_surely_gone(&looked_for, &agent, &workspace));
    let is_surely_gone = is_surely_gone.ok_or_else(refresher::not_in_time)?;
    Ok(Current { session, view, is_surely_gone, record })
}

/// Whether no process visible from here works on the session.
fn is_surely_gone(session: &SessionObservation, agent: &str, workspace: &Path) -> bool {
    let folder = session.folder.as_deref().unwrap_or(workspace);
    let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let sought = Sought {
        agent,
        session_id: &session.session_id,
        folder: &folder,
        is_newest: true,
        is_open: matches!(session.turn, TurnState::Open { .. }),
        grew_at: session.written_at,
    };
    // Processes outside this container are not visible; the plan says so.
    ProcessTable::read().is_surely_gone(&sought, workspace, true)
}

fn unknown(message: &str) -> ActionProblem {
    ActionProblem::new(ActionClass::Unknown, message).with_next("look at the workspace again")
}
