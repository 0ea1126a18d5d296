//! When a model is asked without a person's word. The person's own configuration allows it, the agent's turn ended a
//! while ago, and nobody asked in this moment of its task. The agent itself is asked for its status where nothing says
//! yes or no or what else goes on (DESIGN.md 2.3, R3); a second model reads its last words where closeout is not certain
//! of them.
//!
//! It must not ask in a person's way: what a person does goes first, and one that runs ends when the task goes
//! on. The budget is held where the question is sent; here only its answer is known.

use crate::judge::weigh;
use crate::model::{
    Action, ActivitySource, ActivityState, Certainty, Claim, Effect, Rule, SessionMoment, SessionName,
    SessionView, Timestamp, WorkspaceId,
};

use super::automatic::AutoProbePolicy;
use super::begin::{begin, cancel};
use super::moments::moment;
use super::state::Monitor;
use super::tracked::Tracked;

/// A session has done nothing for so long before it is asked: a person who types goes first.
const SETTLE_MS: i64 = 10_000;
/// A turn that ended longer ago, before this run began, is old: nobody waits for it.
const FRESH_MS: i64 = 3_600_000;
/// So many are asked at once, so that the programs of agents do not fill the machine.
const MOST_AT_ONCE: usize = 2;

impl Monitor {
    /// The same monitor, which asks agents by itself where the settings of a workspace say so. `agents` are
    /// those that can be asked without a trace. For a front at which a person sees it.
    #[must_use]
    pub fn asking_by_itself(self, agents: Vec<String>) -> Monitor {
        Monitor { initiative: Some(AutoProbePolicy { agents, began_at: None }), ..self }.sending_held()
    }

    /// A first list of workspaces has come.
    pub(super) fn begin_initiative(&mut self, now: Timestamp) {
        if let Some(initiative) = &mut self.initiative {
            initiative.began_at.get_or_insert(now);
        }
    }

    /// Asks the agent of a workspace if it is time, or notes when it will be.
    pub(super) fn consider_asking(&mut self, id: &WorkspaceId, now: Timestamp, effects: &mut Vec<Effect>) {
        let Some(initiative) = &self.initiative else { return };
        let Some(tracked) = self.workspaces.get_mut(id) else { return };
        end_if_passed(tracked, effects);
        let due = due(tracked, initiative, now);
        tracked.auto_probe.due_at = due.as_ref().map(|due| due.at).filter(|due_at| *due_at > now);
        let Some(Due { question, moment, .. }) = due.filter(|due| due.at <= now) else { return };
        let is_running =
            |tracked: &Tracked| tracked.actions.running.as_ref().is_some_and(|action| action.is_automatic);
        let has_room = self.workspaces.values().filter(|tracked| is_running(tracked)).count() < MOST_AT_ONCE;
        if let Some(tracked) = self.workspaces.get_mut(id).filter(|_| has_room) {
            self.last_action += 1;
            tracked.auto_probe.hindered = None;
            tracked.auto_probe.asking = Some(moment.clone());
            let action = match question {
                Question::Status => Action::AutoProbe { moment },
                Question::LastWords => Action::SecondOpinion { moment },
            };
            effects.push(begin(tracked, self.last_action, action, now));
            self.changed.insert(id.clone());
        }
        // Without room it is thought of again when one of those that run has ended.
    }
}

/// What may be asked, in which moment, and from when on.
struct Due {
    question: Question,
    moment: SessionMoment,
    at: Timestamp,
}

/// What a model is asked.
#[derive(Clone, Copy)]
enum Question {
    /// The agent: how its work stands.
    Status,
    /// A second reader: what the agent's last words say.
    LastWords,
}

/// What there is to ask, and the agent whose program would answer; the agent itself first.
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

/// What may be asked now or later; `None` if nothing is to be asked.
fn due(tracked: &Tracked, initiative: &AutoProbePolicy, now: Timestamp) -> Option<Due> {
    if tracked.actions.running.is_some() || !is_read(tracked) {
        return None;
    }
    let words = &tracked.snapshot.session_facts;
    let (session, others) = words.sessions.split_first()?;
    let is_quiet = others.iter().all(|other| !is_busy(other.activity.state));
    let (question, asked) = question(tracked, session)?;
    let can_be_asked = initiative.agents.iter().any(|agent| agent == asked);
    if !can_be_asked || !is_quiet || !has_stopped(session) {
        return None;
    }
    let name = SessionName { agent: session.agent.clone(), session_id: session.session_id.clone() };
    let moment = moment(words).of(&name)?;
    let rested_at = moment.rested_at?;
    let is_fresh = now.millis_since(rested_at) <= FRESH_MS
        || initiative.began_at.is_some_and(|began_at| rested_at >= began_at);
    let is_written_to = tracked.actions.drafts.iter().any(|draft| draft.session == name);
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

/// Whether the workspace was read, and git answered.
pub(super) fn is_read(tracked: &Tracked) -> bool {
    tracked.problem.is_none() && !tracked.is_collecting() && tracked.snapshot.git.is_some()
}

/// Whether no source says anything that an answer would have to stand beside.
fn is_silent(tracked: &Tracked) -> bool {
    let Some(verdict) = &tracked.verdict else { return false };
    let says_nothing = |claim: Claim| match claim {
        Claim::Dirty | Claim::Abstain(_) => true,
        Claim::Yes | Claim::No | Claim::Ask | Claim::Wait | Claim::Work | Claim::Fail => false,
    };
    verdict.rule == Rule::NoEvidence
        && verdict
            .parts
            .iter()
            .map(|part| &part.evidence)
            .all(|evidence| says_nothing(evidence.claim) || evidence.is_vacuous)
}

pub(super) fn is_busy(state: ActivityState) -> bool {
    match state {
        ActivityState::Working
        | ActivityState::NeedsPermission
        | ActivityState::Asks
        | ActivityState::Background => true,
        ActivityState::Idle | ActivityState::Gone | ActivityState::Unknown => false,
    }
}

/// Whether its turn is over by a structured word, and not because a person broke it off: they are at it.
pub(super) fn has_stopped(session: &SessionView) -> bool {
    let is_told = match session.activity.source {
        ActivitySource::Hook
        | ActivitySource::Registry
        | ActivitySource::Api
        | ActivitySource::Transcript
        | ActivitySource::Run
        | ActivitySource::Process => true,
        ActivitySource::PaneTitle | ActivitySource::None => false,
    };
    is_told
        && matches!(session.activity.state, ActivityState::Idle | ActivityState::Gone)
        && !weigh::is_interrupted(&session.activity)
}

/// Ends a question by itself that runs, once the task has gone on: its answer would say nothing any more.
fn end_if_passed(tracked: &mut Tracked, effects: &mut Vec<Effect>) {
    let now = moment(&tracked.snapshot.session_facts);
    let is_past =
        tracked.auto_probe.asking.as_ref().is_some_and(|then| now.of(&then.session).as_ref() != Some(then));
    if let Some(running) = tracked.actions.running.as_mut().filter(|action| action.is_automatic && is_past) {
        cancel(running, effects);
    }
}
