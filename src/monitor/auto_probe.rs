//! When a model is asked without a person's request: the person's own configuration allows it, the agent's
//! turn ended a while ago, and nobody has asked in this moment of its task. The agent itself is asked for its
//! status if nothing says yes or no, or what else is going on (DESIGN.md 2.3, R3); a second model reads its
//! last words if closeout's own reading is uncertain.
//!
//! It must not get in a person's way: a person's action comes first, and a running question is cancelled when
//! the task moves on. The budget is enforced where the question is sent; only the result is known here.

use crate::judge::weigh;
use crate::model::{
    Action, ActivitySource, ActivityState, Certainty, Claim, Effect, Rule, SessionMoment, SessionView,
    Timestamp, WorkspaceId,
};

use super::automatic::AutoProbePolicy;
use super::begin::cancel;
use super::moments::moment;
use super::state::Monitor;
use super::tracked::Tracked;

/// How long a session must have been idle before it is asked, in milliseconds: a person who is typing goes
/// first.
const SETTLE_MS: i64 = 10_000;
/// A turn that ended longer ago than this, in milliseconds, and before this closeout began to watch, is old:
/// nobody waits for it.
const FRESH_MS: i64 = 3_600_000;
/// How many questions run at once, so that the agents' programs do not overload the machine.
const MAX_AT_ONCE: usize = 2;

impl Monitor {
    /// Returns a monitor that asks agents on its own where a workspace's settings allow it, for a front whose
    /// person sees it. `agents` are those that can be asked without a trace.
    #[must_use]
    pub fn asking_by_itself(self, agents: Vec<String>) -> Monitor {
        Monitor { auto_probe_policy: Some(AutoProbePolicy { agents, began_at: None }), ..self }.sending_held()
    }

    /// The first list of workspaces has arrived.
    pub(super) fn begin_initiative(&mut self, now: Timestamp) {
        if let Some(auto_probe_policy) = &mut self.auto_probe_policy {
            auto_probe_policy.began_at.get_or_insert(now);
        }
    }

    /// Asks the agent of a workspace if a question is due, or notes when it will be.
    pub(super) fn consider_asking(&mut self, id: &WorkspaceId, now: Timestamp) {
        let Some(auto_probe_policy) = &self.auto_probe_policy else { return };
        let Some(tracked) = self.workspaces.get_mut(id) else { return };
        end_if_passed(tracked, &mut self.effects);
        let due = due(tracked, auto_probe_policy, now);
        tracked.auto_probe.due_at = due.as_ref().map(|due| due.at).filter(|due_at| *due_at > now);
        let Some(Due { question, moment, .. }) = due.filter(|due| due.at <= now) else { return };
        let is_running = |tracked: &Tracked| {
            tracked.actions.shown.running.as_ref().is_some_and(|action| action.is_automatic)
        };
        let has_room = self.workspaces.values().filter(|tracked| is_running(tracked)).count() < MAX_AT_ONCE;
        if let Some(tracked) = self.workspaces.get_mut(id).filter(|_| has_room) {
            tracked.auto_probe.hindered = None;
            tracked.auto_probe.asking = Some(moment.clone());
            let action = match question {
                Question::Status => Action::AutoProbe { moment },
                Question::LastWords => Action::SecondOpinion { moment },
            };
            self.begin(id, action, now);
        }
        // Without a free slot it is considered again when a running question has ended.
    }
}

/// A question, the moment of the task that it belongs to, and the earliest time to ask it.
struct Due {
    question: Question,
    moment: SessionMoment,
    at: Timestamp,
}

#[derive(Clone, Copy)]
enum Question {
    /// Ask the agent how its work stands.
    Status,
    /// Ask a second model what the agent's last words say.
    LastWords,
}

/// The question to ask and the agent whose program would answer; the agent itself comes first.
fn question<'a>(tracked: &'a Tracked, session: &'a SessionView) -> Option<(Question, &'a str)> {
    let settings = tracked.settings();
    if settings.may_be_asked && !session.session_id.is_empty() && is_silent(tracked) {
        return Some((Question::Status, &session.agent));
    }
    let reader = settings.second_reader.as_ref()?;
    let facts = &tracked.snapshot.session_facts;
    let words = facts.last_words.as_ref()?;
    let is_uncertain = words.certainty == Some(Certainty::Low) && words.from == session.agent;
    (is_uncertain && tracked.actions.opinion_on(facts).is_none())
        .then_some((Question::LastWords, reader.as_str()))
}

/// The question to ask now or later; `None` if there is none.
fn due(tracked: &Tracked, auto_probe_policy: &AutoProbePolicy, now: Timestamp) -> Option<Due> {
    if tracked.actions.shown.running.is_some() || !is_read_with_git(tracked) {
        return None;
    }
    let facts = &tracked.snapshot.session_facts;
    let (session, others) = facts.sessions.split_first()?;
    let is_quiet = others.iter().all(|other| !is_busy(other.activity.state));
    let (question, asked) = question(tracked, session)?;
    let can_be_asked = auto_probe_policy.agents.iter().any(|agent| agent == asked);
    if !can_be_asked || !is_quiet || !has_stopped(session) {
        return None;
    }
    let name = session.session_name();
    let moment = moment(facts).of(&name)?;
    let rested_at = moment.rested_at?;
    let is_fresh = now.millis_since(rested_at) <= FRESH_MS
        || auto_probe_policy.began_at.is_some_and(|began_at| rested_at >= began_at);
    let is_written_to = tracked.actions.shown.drafts.iter().any(|draft| draft.session == name);
    if !is_fresh || is_written_to || tracked.actions.asked.was_in(&moment) {
        return None;
    }
    let settled_at =
        session.moved_at.max(session.activity.since).max(moment.rested_at)?.plus_millis(SETTLE_MS);
    let hindered = tracked.auto_probe.hindered.as_ref().filter(|hindered| hindered.moment == moment);
    let at = match hindered.map(|hindered| hindered.until) {
        None => settled_at,
        Some(Some(room_at)) => room_at.max(settled_at),
        Some(None) => return None,
    };
    Some(Due { question, moment, at })
}

/// True if the workspace was read and git answered.
pub(super) fn is_read_with_git(tracked: &Tracked) -> bool {
    tracked.is_read() && tracked.snapshot.git.is_some()
}

/// True if no source says anything that an answer would have to be weighed against.
fn is_silent(tracked: &Tracked) -> bool {
    let Some(verdict) = &tracked.judged.verdict else { return false };
    let says_nothing = |claim: Claim| matches!(claim, Claim::Dirty | Claim::Abstain(_));
    verdict.rule() == Rule::NoEvidence
        && verdict
            .parts
            .iter()
            .map(|part| &part.evidence)
            .all(|evidence| says_nothing(evidence.claim) || evidence.is_vacuous)
}

pub(super) fn is_busy(state: ActivityState) -> bool {
    !matches!(state, ActivityState::Idle | ActivityState::Gone | ActivityState::Unknown)
}

/// True if a structured source says that the turn is over, and no person interrupted it: that person is still
/// at work on it.
pub(super) fn has_stopped(session: &SessionView) -> bool {
    use ActivitySource::{Api, Hook, Process, Registry, Run, Transcript};
    let is_told = matches!(session.activity.source, Hook | Registry | Api | Transcript | Run | Process);
    is_told
        && matches!(session.activity.state, ActivityState::Idle | ActivityState::Gone)
        && !weigh::is_interrupted(&session.activity)
}

/// Cancels a running automatic question once the task has moved on: its answer would be meaningless.
fn end_if_passed(tracked: &mut Tracked, effects: &mut Vec<Effect>) {
    let now = moment(&tracked.snapshot.session_facts);
    let is_past =
        tracked.auto_probe.asking.as_ref().is_some_and(|then| now.of(&then.session).as_ref() != Some(then));
    if let Some(running) =
        tracked.actions.shown.running.as_mut().filter(|action| action.is_automatic && is_past)
    {
        cancel(running, effects);
    }
}
