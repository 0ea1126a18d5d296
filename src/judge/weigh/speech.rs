//! What the agent says: its session, the declared output, the decision chain, and the question in its last
//! words. Must not judge these texts itself.

use std::sync::Arc;

use crate::judge::rounds;
use crate::model::{
    Evidence, Fact, LastWords, Observations, Origin, Parts, Reading, Rejection, RunStatus, SessionFacts,
    SessionObservation, SessionOrigin, Source, Task, TaskKind, TaskWork, TextFile, Timestamp, TurnSpan,
    TurnState,
};

use super::checks::unusable;
use super::context::{EvidenceSet, WeighContext};
use super::memory::Memory;
use super::spoken::Spoken;
use super::tasks::{self, SessionTask, TaskStanding};
use super::texts::Texts;
use super::{activity, decision, idle, plans, runs, session, session_view, work};

/// Weighs the part `WORDS`.
pub(super) fn weigh(
    observations: &Observations,
    tasks: &[SessionTask],
    context: &WeighContext<'_>,
    memory: &mut Memory,
    evidence_set: &mut EvidenceSet,
) -> SessionFacts {
    let session = observations.session.present();
    let now = observations.taken_at;
    let newest = session.map(|session| activity::of_session(session, now, context));
    let others: Vec<_> = observations
        .other_sessions
        .iter()
        .map(|session| (session, activity::of_session(session, now, context)))
        .collect();
    let of_others = tasks.iter().skip(usize::from(session.is_some()));
    let there = others.iter().zip(of_others).filter(|(_, task)| task.standing != TaskStanding::LeftOver);
    let there: Vec<_> = there.map(|(other, _)| other).collect();
    let told = session.zip(newest.as_ref()).map(|newest| session::of_workspace(newest, &there, context));
    let activities = newest.iter().chain(others.iter().map(|(_, activity)| activity));
    let sessions: Vec<&SessionObservation> = observations.sessions().collect();
    for ((session, task), activity) in sessions.iter().zip(tasks).zip(activities) {
        evidence_set.add(Parts::WORDS, session::weigh(session, activity, task, context));
    }
    weigh_unread(observations, &sessions, evidence_set);
    let proven = runs::weigh(&sessions, tasks, &observations.ignored, context.catalog, memory, evidence_set);
    let counting: Vec<(&SessionObservation, &SessionTask)> = sessions
        .iter()
        .zip(tasks)
        .filter(|(_, task)| task.standing == TaskStanding::Counts)
        .map(|(session, task)| (*session, task))
        .collect();
    let (said, last_words) =
        weigh_spoken(observations, &counting, context, &proven, &mut memory.texts, evidence_set);
    idle::weigh(&counting, evidence_set);
    for (session, task) in &counting {
        plans::weigh(session, task, evidence_set);
    }
    let asked = last_words.as_ref().and_then(|words| words.question.as_ref());
    let views = session_view::views(session.zip(newest), others, tasks, asked, &mut memory.texts);
    SessionFacts {
        agent: session.map(|session| session.agent.clone()),
        model: session.and_then(|session| session.model.clone()),
        activity: told.map(|(_, activity)| activity),
        sessions: views,
        last_words: last_words.map(Arc::new),
        task: tasks.first().and_then(SessionTask::current).map(Task::view),
        prompt: session.and_then(|session| session.prompt.clone()),
        prompted_at: tasks::asked_at(tasks),
        last_asked_at: tasks.iter().filter_map(SessionTask::last_asked_at).max(),
        task_begin: tasks::began(tasks),
        last_demand: tasks::last_demand(tasks),
        work: TaskWork {
            last_edit_at: proven.last_edit_at,
            ..of_run(work::work(observations, tasks, memory), tasks, context)
        },
        passed_at: proven.passed_at,
        acted_outside: proven.acted_outside,
        round_mark: round_mark(session.zip(tasks.first()), said.written_at).filter(|_| !said.is_half_written),
        decision: said.report,
        decision_file: observations.decision_digest.clone().zip(said.written_at),
    }
}

/// Sessions that were not read, which may ask or be in mid-turn. Where a loop starts a session for each of its rounds, and so
/// most that were read, further ones are rounds that it went on from.
fn weigh_unread(
    observations: &Observations,
    sessions: &[&SessionObservation],
    evidence_set: &mut EvidenceSet,
) {
    let n_headless = sessions.iter().filter(|session| session.origin == SessionOrigin::Headless).count();
    let unreadable = observations.session.unreadable().or(observations.unreadable_session.as_ref());
    if let Some(unreadable) = unreadable {
        evidence_set.add(Parts::WORDS, unusable(Source::LiveSession, unreadable));
    }
    if observations.n_unread_sessions > 0 && n_headless * 2 <= sessions.len() {
        evidence_set.add(Parts::WORDS, session::unread(observations.n_unread_sessions));
    }
}

/// The command of a supervised run leaves no record of its own, so what predates the run is not its work.
fn of_run(work: TaskWork, tasks: &[SessionTask], context: &WeighContext<'_>) -> TaskWork {
    let asked_at = tasks.iter().filter_map(SessionTask::last_asked_at).max();
    match &context.settings.supervised {
        Some(run) if tasks.is_empty() || run.over.is_some() && run.counts(asked_at) => {
            let is_over = run.over.is_some();
            // What it completed stays complete, whoever goes on. An interrupted one does not tell when it ended.
            let ended =
                run.over.filter(|over| over.status.is_some_and(|status| status != RunStatus::Complete));
            let ran = ended.map(|over| TurnSpan { from: run.began_at, to: Some(over.at), may_commit: true });
            TaskWork {
                first_prompt_at: Some(run.began_at),
                began_at: Some(run.began_at),
                has_deeds: true,
                moves_files: true,
                // A baseline of its own says to a run that commits are its; later nothing does but this.
                turns: work
                    .turns
                    .filter(|_| !is_over || ran.is_some())
                    .map(|turns| turns.into_iter().chain(ran).collect()),
                is_unrecorded: ran.is_some(),
                ran: work.ran.filter(|_| !is_over),
                ..work
            }
        }
        Some(_) | None => work,
    }
}

/// Weighs outputs, last messages and the decision chain, and returns the words for a front: those of the
/// newest output if the output is the result, otherwise those of the newest session.
fn weigh_spoken(
    observations: &Observations,
    counting: &[(&SessionObservation, &SessionTask)],
    context: &WeighContext<'_>,
    proven: &runs::Proven,
    texts: &mut Texts,
    evidence_set: &mut EvidenceSet,
) -> (decision::Said, Option<LastWords>) {
    let is_deliverable = context.task_kind != TaskKind::Implementation;
    let has_message = counting.iter().any(|(session, _)| session.last_message.is_some());
    let mut spoken: Vec<Spoken<'_>> = Vec::new();
    if is_deliverable || !has_message {
        let mut files: Vec<&TextFile> = observations.outputs.iter().filter_map(Reading::present).collect();
        files.sort_by_key(|file| std::cmp::Reverse(file.written_at));
        spoken.extend(files.into_iter().map(|file| Spoken::in_file(file, observations, is_deliverable)));
    }
    let is_result = is_deliverable && context.settings.outputs.is_empty();
    for (at, (session, task)) in counting.iter().enumerate() {
        spoken.extend(Spoken::of_session(session, task, is_result && at == 0));
    }
    let (own, others): (Vec<&Spoken<'_>>, Vec<&Spoken<'_>>) =
        spoken.iter().partition(|words| words.is_of(spoken.first()));
    let words = own.iter().rev().find(|words| !words.decisive().is_empty());
    let statement = words.map(|words| words.statement("the output"));
    let said = decision::weigh(observations, statement.as_ref(), context);
    evidence_set.add(Parts::WORDS, said.evidence.clone());
    // The sessions have the words; what speaks of the work in a declared output counts beside them.
    let files = observations.outputs.iter().filter_map(Reading::present);
    let files = files.filter(|_| !is_deliverable && has_message);
    let files: Vec<Spoken<'_>> = files.map(|file| Spoken::in_file(file, observations, false)).collect();
    let is_repeated = |text: &str| own.iter().any(|said| said.decisive().trim() == text.trim());
    for words in others.into_iter().chain(&files).filter(|words| !is_repeated(words.decisive())) {
        let name = words.from().rsplit('/').next().unwrap_or_default();
        let marker = decision::beside(&words.statement(name), context);
        evidence_set.evidence.extend(marker.map(|evidence| (Parts::WORDS, evidence)));
    }
    for output in &observations.outputs {
        unusable_output(output, is_deliverable, evidence_set);
    }
    if is_deliverable && spoken.is_empty() && observations.outputs.is_empty() {
        let evidence =
            Evidence::abstain(Source::Output, "output", Rejection::NotConfigured, Origin::File.as_read());
        evidence_set.add(Parts::WORDS, evidence.because(Fact::NoOutput));
    }
    let mut front: Option<LastWords> = None;
    for (at, words) in spoken.iter().enumerate() {
        let (last_words, asks) =
            words.weigh((context, observations.taken_at, proven.is_only_acts), at == 0, texts, evidence_set);
        match &mut front {
            None => front = Some(last_words),
            // An answer to a side question leaves the task's question open.
            Some(front) if asks && front.question.is_none() && words.is_of(spoken.first()) => {
                front.question = last_words.question;
            }
            Some(_) => {}
        }
        evidence_set
            .evidence
            .extend(words.belied_pass(&proven.not_passing, texts).map(|said| (Parts::WORDS, said)));
    }
    (said, front)
}

/// A declared output that is missing or cannot be read.
fn unusable_output(output: &Reading<TextFile>, is_deliverable: bool, evidence_set: &mut EvidenceSet) {
    let evidence = match output {
        Reading::Unreadable(unreadable) => {
            Evidence { is_required: true, ..unusable(Source::Output, unreadable) }
        }
        Reading::Absent { name } if is_deliverable => {
            Evidence::abstain(Source::Output, name.clone(), Rejection::Absent, Origin::File.as_read())
                .because(Fact::NoOutput)
        }
        Reading::Absent { .. } | Reading::NotLookedAt | Reading::NotConfigured | Reading::Present(_) => {
            return;
        }
    };
    evidence_set.add(Parts::WORDS, evidence);
}

/// The name of the present round. The answer to a side question or to thanks is none.
fn round_mark(
    newest: Option<(&SessionObservation, &SessionTask)>,
    decided_at: Option<Timestamp>,
) -> Option<String> {
    let ended = newest.and_then(|(session, task)| match &session.turn {
        TurnState::Ended { at } | TurnState::Interrupted { at } | TurnState::Failed { at, .. } => {
            let before = task.turn_before_side_turns(session);
            Some(before.map_or_else(|| (*at, last_moved(session)), |turn| (turn.ended_at, turn.ended_at)))
        }
        TurnState::Open { .. } | TurnState::Unknown => None,
    });
    let (ended, moved) = ended.unwrap_or_default();
    (ended.is_some() || decided_at.is_some()).then(|| rounds::mark(ended, moved, decided_at))
}

/// When something was last said or done in the last turn.
fn last_moved(session: &SessionObservation) -> Option<Timestamp> {
    let turn = session.history.turns.last()?;
    let done_at = turn.steps.iter().filter_map(|step| step.at).max();
    let said_at = session.last_message.as_ref().and_then(|message| message.at);
    turn.began_at().max(done_at).max(said_at)
}
