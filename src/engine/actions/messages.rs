//! Asks an agent for commit messages and groups for a rescue: in the session that did the work, or in a new
//! session of another agent. The agent only reads, no trace remains, and a person sees the proposal before
//! anything is committed.
//!
//! Only messages and groups may be taken from an answer: the paths, and what is committed of each, come from
//! the plan.

use std::time::Duration;

use super::asking::{asker_of_new, check_activity, in_new_session};
use super::prompts;
use super::refresher::Refresher;
use super::tools::{Tools, cancelled};
use crate::action::asking::{Answer, Asker, NoAnswer};
use crate::agent::{Adapter, AgentCommand, Asking};
use crate::judge::commit_messages::{self, CommitProposal};
use crate::model::{
    ActionClass, ActionProblem, ActionRequest, CommitPath, PlanNote, PlannedCommit, PlannedPath,
    PlannedSplit, RescuePlan, SessionObservation, SplitKind, Trace,
};

/// With more changes than this, a model does not group well.
const MAX_CHANGES: usize = 400;
/// The shortest time limit: reading the work takes longer than telling a status.
const LEAST_LIMIT: Duration = Duration::from_mins(3);

/// The plan with the agent's proposals. After an error the old plan remains valid.
pub(super) fn ask(
    request: &ActionRequest,
    plan: &RescuePlan,
    with: Option<&str>,
    tools: &Tools<'_>,
) -> Result<RescuePlan, ActionProblem> {
    let changes: Vec<&PlannedPath> = plan.paths.iter().filter(|path| path.left_out.is_none()).collect();
    if changes.is_empty() || changes.len() > MAX_CHANGES {
        let message = format!("an agent is asked for 1 to {MAX_CHANGES} changes; here are {}", changes.len());
        return Err(refused(&message));
    }
    let refresher = Refresher::new(request, tools);
    let prompt = prompts::messages(request, &refresher, &changes);
    let (asker, adapter, session, command) = command(request, &refresher, with, prompt, tools)?;
    tools.say(&format!("asking {} for commit messages", adapter.name()));
    let before = refresher.signature();
    let found = asker.ask(adapter, &session, &command);
    refresher.check_unchanged(before)?;
    let answer = match found.answer {
        Ok(Answer::Structured(value)) => Ok(value),
        Ok(Answer::Text(text)) => commit_messages::find(&text),
        Err(NoAnswer::Cancelled) => return Err(cancelled()),
        Err(NoAnswer::TimedOut(_)) => {
            let message = format!("{} did not answer in time", adapter.name());
            return Err(ActionProblem::new(ActionClass::TimedOut, message));
        }
        Err(why) => Err(why.to_string()),
    };
    let proposals = answer.and_then(|answer| commit_messages::read(&answer, changes.len()));
    let proposals = proposals.map_err(|why| {
        ActionProblem::new(ActionClass::Failed, format!("{} gave no messages: {why}", adapter.name()))
    })?;
    Ok(with_proposals(plan, &proposals))
}

/// Whom to ask, and how; an error if that would leave a trace.
fn command<'a>(
    request: &ActionRequest,
    refresher: &Refresher<'_>,
    with: Option<&str>,
    prompt: String,
    tools: &Tools<'a>,
) -> Result<(Asker, &'a Adapter, SessionObservation, AgentCommand), ActionProblem> {
    let first = request.first_session.as_ref();
    let name = with.or(first.map(|session| session.agent.as_str()));
    let name =
        name.ok_or_else(|| refused("no agent session is known here").with_next("name an agent to ask anew"))?;
    let adapter = tools.adapter(name)?;
    let model = tools.config.config.model_of(adapter.name());
    let schema = prompts::MESSAGES_SCHEMA.to_owned();
    let (bounds, _) = tools.config.config.completion_check_for(request.workspace.path());
    let limit = Duration::from_millis(bounds.probe_timeout_ms).max(LEAST_LIMIT);
    let asker = asker_of_new(adapter, tools, limit);
    let own = first.filter(|_| with.is_none()).map(|session| refresher.session(session)).transpose()?;
    let (asker, session, command) = if let Some(current) = own {
        check_activity(&current)?;
        let asking = Asking::Closer { prompt, schema, model };
        let command = adapter.command(&current.session, &asking);
        let command = command.ok_or_else(|| refused(&format!("{name} has no way to be asked")))?;
        (Asker { record: current.record, ..asker }, current.session, command)
    } else {
        let asking = Asking::Fresh { prompt, schema, model };
        let (session, command) =
            in_new_session(request, adapter, &asking).map_err(|message| refused(&message))?;
        (asker, session, command)
    };
    if command.trace == Trace::Nothing {
        Ok((asker, adapter, session, command))
    } else {
        let problem = refused(&format!("{name} cannot be asked without a trace"));
        Err(problem.with_next("name another agent to ask anew"))
    }
}

/// The plan with the proposed commits. Changes that no proposal names form one more commit, with a message
/// derived from their paths.
fn with_proposals(plan: &RescuePlan, proposals: &[CommitProposal]) -> RescuePlan {
    let mut plan = plan.clone();
    let (shown, rest): (Vec<&PlannedPath>, Vec<&PlannedPath>) =
        plan.paths.iter().partition(|path| path.left_out.is_none());
    let mut is_named = vec![false; shown.len()];
    let part = |path: &&PlannedPath| CommitPath { path: path.path.clone(), object: path.object.clone() };
    let mut commits: Vec<PlannedCommit> = proposals
        .iter()
        .map(|proposal| {
            let mut places = proposal.changes.clone();
            places.sort_unstable();
            for place in &places {
                is_named[*place] = true;
            }
            PlannedCommit {
                message: plan.words.with_trailers(&proposal.message),
                paths: places.iter().map(|place| part(&shown[*place])).collect(),
            }
        })
        .collect();
    let left: Vec<&PlannedPath> =
        shown.iter().zip(&is_named).filter(|(_, is)| !**is).map(|(path, _)| *path).collect();
    if !left.is_empty() {
        let changes: Vec<_> = left.iter().map(|path| (&path.path[..], path.change)).collect();
        let message = plan.words.message_of_part(&changes);
        commits.push(PlannedCommit { message, paths: left.iter().map(part).collect() });
    }
    if let [only] = commits.as_slice() {
        plan.message.clone_from(&only.message);
        plan.split = None;
        return plan;
    }
    // Changes that a person includes later belong to the last commit.
    if let Some(last) = commits.last_mut() {
        last.paths.extend(rest.iter().map(part));
        last.paths.sort_by(|one, other| one.path.cmp(&other.path));
    }
    let n_staged = |note: &PlanNote| if let PlanNote::StagedVersions(n) = note { Some(*n) } else { None };
    let n_staged_versions = plan.notes.iter().find_map(n_staged).unwrap_or(0);
    plan.splits.retain(|split| split.kind != SplitKind::Agent);
    plan.splits.push(PlannedSplit { kind: SplitKind::Agent, commits, n_staged_versions });
    plan.split = Some(SplitKind::Agent);
    plan
}

fn refused(message: &str) -> ActionProblem {
    ActionProblem::new(ActionClass::Refused, message)
}
