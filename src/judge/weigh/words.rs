//! What the agent says: its session, the declared output, the decision chain, and the question in its
//! last words.

use std::borrow::Cow;

use crate::judge::STOPS_HALF_WAY;
use crate::judge::questions::{self, Ask, Classification, Context, EndOfTurn, Label};
use crate::model::{
    Activity, Certainty, Checklist, Choice, Claim, Evidence, GoalState, ItemState, LastWords, Observations,
    OfferPolicy, Parts, Pointer, Question, QuestionWeight, Reading, Rejection, SessionFacts,
    SessionObservation, Source, Strength, TaskKind, TextFile, Timestamp, TurnState, display_text,
};

use super::memory::Memory;
use super::tasks::{self, SessionTask, Standing};
use super::{
    EvidenceSet, WeighContext, activity, checks, decision, excerpt, is_stale, runs, session, session_view,
};

/// Weighs the part `WORDS`.
pub(super) fn weigh(
    observations: &Observations,
    tasks: &[SessionTask],
    scales: &WeighContext<'_>,
    memory: &mut Memory,
    pile: &mut EvidenceSet,
) -> SessionFacts {
    let session = observations.session.present();
    let now = observations.taken_at;
    let newest = session.map(|session| activity::of_session(session, now, scales));
    let others: Vec<_> = observations
        .other_sessions
        .iter()
        .map(|session| (session, activity::of_session(session, now, scales)))
        .collect();
    let told = session.zip(newest.as_ref()).map(|newest| session::of_workspace(newest, &others, scales));
    let activities = newest.iter().chain(others.iter().map(|(_, activity)| activity));
    let sessions: Vec<&SessionObservation> =
        session.into_iter().chain(&observations.other_sessions).collect();
    for ((session, task), activity) in sessions.iter().zip(tasks).zip(activities) {
        pile.add(Parts::WORDS, session::weigh(session, activity, task, scales));
    }
    if let Reading::Unreadable(unreadable) = &observations.session {
        let evidence = Evidence::abstain(Source::LiveSession, unreadable.name.clone(), Rejection::Unreadable);
        pile.add(Parts::WORDS, evidence.because(unreadable.detail.clone()));
    }
    let proven = runs::weigh(&sessions, tasks, memory, pile);
    let spoken = Spoken::of(observations, session.zip(tasks.first()), scales);
    let said = decision::weigh(observations, spoken.text(), scales);
    pile.add(Parts::WORDS, said.evidence);
    for output in &observations.outputs {
        unusable_output(output, pile);
    }
    let last_words = weigh_spoken(&spoken, observations, scales, pile);
    let counts = |task: &SessionTask| task.standing == Standing::Counts;
    for (session, task) in sessions.iter().zip(tasks).filter(|(_, task)| counts(task)) {
        weigh_plans(session, task, pile);
    }
    for (task, (session, activity)) in tasks.iter().skip(1).zip(&others) {
        if counts(task) {
            weigh_question_beside(session, activity, pile);
        }
    }
    let asked = last_words.as_ref().and_then(|words| words.question.clone());
    let views = session.zip(newest).map(|(session, activity)| session_view::view(session, activity, asked));
    let views = views.into_iter().chain(others.into_iter().map(|(session, activity)| {
        let asked = session_view::asked_beside(session, &activity);
        session_view::view(session, activity, asked)
    }));
    SessionFacts {
        agent: session.map(|session| session.agent.clone()),
        model: session.and_then(|session| session.model.clone()),
        activity: told.map(|(_, activity)| activity),
        sessions: views.collect(),
        last_words,
        prompt: session.and_then(|session| session.prompt.clone()),
        prompted_at: tasks::asked_at(tasks),
        last_demand: tasks::last_demand(tasks),
        is_checked: proven.is_checked,
        acted_outside: proven.acted_outside,
        round_mark: round_mark(session, said.written_at),
        has_unreadable_decision: said.is_unreadable,
        decision_file: observations.decision_digest.clone().zip(said.written_at),
    }
}

/// The newest words: the declared output, else the last message of the session.
struct Spoken<'a> {
    text: Option<Cow<'a, str>>,
    /// The last words of the task itself, where side questions came after it.
    of_task: Option<&'a str>,
    from: String,
    at: Option<Timestamp>,
    /// Why these words wait for nothing any more: the person answered, or the turn goes on.
    overtaken_by: Option<&'static str>,
    is_stale: bool,
    /// What is known beside the words.
    context: Context<'a>,
}

impl<'a> Spoken<'a> {
    fn of(
        observations: &'a Observations,
        newest: Option<(&'a SessionObservation, &SessionTask)>,
        scales: &WeighContext<'_>,
    ) -> Spoken<'a> {
        let output =
            observations.outputs.iter().filter_map(Reading::present).max_by_key(|file| file.written_at);
        let message =
            newest.and_then(|(session, task)| Some((session, task, session.last_message.as_ref()?)));
        match (output, message) {
            (Some(file), None) => Spoken::in_file(file, observations),
            (Some(file), Some(_)) if scales.task_kind != TaskKind::Implementation => {
                Spoken::in_file(file, observations)
            }
            (_, Some((session, task, message))) => Spoken {
                text: Some(display_text::without_escapes(&message.text)),
                of_task: task.words_before_side_turns(session),
                from: session.agent.clone(),
                at: message.at,
                overtaken_by: overtaken_by(session, message.at),
                is_stale: false,
                context: context_of(session),
            },
            (None, None) => Spoken {
                text: None,
                of_task: None,
                from: scales.settings.outputs.first().cloned().unwrap_or_else(|| "output".to_owned()),
                at: None,
                overtaken_by: None,
                is_stale: false,
                context: Context::default(),
            },
        }
    }

    fn in_file(file: &'a TextFile, observations: &Observations) -> Spoken<'a> {
        Spoken {
            text: Some(display_text::without_escapes(&file.content)),
            of_task: None,
            from: file.name.clone(),
            at: Some(file.written_at),
            overtaken_by: None,
            is_stale: is_stale(observations, file.written_at),
            context: Context::default(),
        }
    }

    /// The text in which a decision may stand; words of an earlier task decide nothing.
    fn text(&self) -> &str {
        if self.is_stale || self.overtaken_by.is_some() {
            ""
        } else {
            self.of_task.or(self.text.as_deref()).unwrap_or_default()
        }
    }
}

/// The question of a session beside the newest one, as evidence.
fn weigh_question_beside(session: &SessionObservation, activity: &Activity, pile: &mut EvidenceSet) {
    let Some(question) = session_view::asked_beside(session, activity) else { return };
    if question.weight == QuestionWeight::Offer || question.certainty == Certainty::Low {
        return;
    }
    let evidence = Evidence::claim(Source::LastWords, session.agent.clone(), Claim::Ask)
        .because(excerpt::reason(&question.text))
        .at(session.last_message.as_ref().and_then(|message| message.at));
    pile.add(Parts::WORDS, Evidence { strength: Strength::Guess, ..evidence });
}

/// What a session's record tells beside its last words.
pub(super) fn context_of(session: &SessionObservation) -> Context<'_> {
    let end = match &session.turn {
        TurnState::Ended { .. } => Some(EndOfTurn::ByItself),
        TurnState::Interrupted { .. } => Some(EndOfTurn::Interrupted),
        TurnState::Failed { .. } | TurnState::Open { .. } | TurnState::Unknown => None,
    };
    let open = |todos: &Checklist| u32::try_from(todos.items.len() - todos.n_done()).unwrap_or(u32::MAX);
    Context { end, todos_open: session.todos.as_ref().map(open), ..Context::default() }
}

/// What came after these words, if anything did: then they wait for nothing.
fn overtaken_by(session: &SessionObservation, said_at: Option<Timestamp>) -> Option<&'static str> {
    let is_answered =
        session.prompted_at.zip(said_at).is_some_and(|(prompted_at, said_at)| prompted_at > said_at);
    let is_asking =
        matches!(&session.turn, TurnState::Open { tool: Some(tool), .. } if activity::is_prompt(tool));
    if is_answered {
        Some("a later turn has begun since")
    } else if matches!(session.turn, TurnState::Open { .. }) && !is_asking {
        Some("said on the way: the turn has not ended")
    } else if matches!(session.turn, TurnState::Interrupted { .. } | TurnState::Failed { .. }) {
        Some("said on the way: the turn was cut")
    } else {
        None
    }
}

/// The evidence of the words themselves, and the words for a front.
fn weigh_spoken(
    spoken: &Spoken<'_>,
    observations: &Observations,
    scales: &WeighContext<'_>,
    pile: &mut EvidenceSet,
) -> Option<LastWords> {
    let is_deliverable = scales.task_kind != TaskKind::Implementation;
    let Some(text) = spoken.text.as_deref() else {
        let is_asked_for = is_deliverable || !scales.settings.outputs.is_empty();
        if is_asked_for && observations.outputs.iter().all(|output| !matches!(output, Reading::Unreadable(_)))
        {
            let rejection =
                if scales.settings.outputs.is_empty() { Rejection::NotConfigured } else { Rejection::Absent };
            let evidence = Evidence::abstain(Source::Output, spoken.from.clone(), rejection);
            pile.add(Parts::WORDS, evidence.because("there is no output"));
        }
        return None;
    };
    let judged = questions::classify(text, &spoken.context);
    let question = question_of(&judged, text).filter(|_| spoken.overtaken_by.is_none() && !spoken.is_stale);
    let (kept, is_cut) = excerpt::tail(text);
    let pointer = |excerpt: Option<String>| Some(Pointer { place: spoken.from.clone(), excerpt });
    let add = |evidence: Evidence, excerpt: Option<String>, pile: &mut EvidenceSet| {
        pile.add(Parts::WORDS, Evidence { pointer: pointer(excerpt), ..evidence.at(spoken.at) });
    };
    let stale = spoken.is_stale.then_some("written before this task began");
    if let Some(why) = stale.or(spoken.overtaken_by) {
        let source = if is_deliverable { Source::Output } else { Source::LastWords };
        add(Evidence::abstain(source, spoken.from.clone(), Rejection::Stale).because(why), None, pile);
    } else {
        if is_deliverable {
            add(deliverable(spoken, text, &judged), None, pile);
        }
        let excerpt = question.as_ref().map(|question| excerpt::reason(&question.text));
        add(asking(spoken, &judged, question.as_ref(), is_deliverable, scales), excerpt, pile);
    }
    let is_cut =
        is_cut || observations.outputs.iter().filter_map(Reading::present).any(|file| file.is_excerpt);
    Some(LastWords { text: kept, is_cut, at: spoken.at, from: spoken.from.clone(), question })
}

/// The output as the deliverable of READ_INFO and REPORT: it stands, it stops half-way, or there is
/// nothing to see.
fn deliverable(spoken: &Spoken<'_>, text: &str, judged: &Classification) -> Evidence {
    if questions::status(TaskKind::Report, Some(text), false) == questions::Status::Incomplete {
        return Evidence::abstain(Source::Output, spoken.from.clone(), Rejection::Absent)
            .because("nothing visible in it");
    }
    match judged.label {
        Label::Complete | Label::AwaitingResponse => {
            Evidence::claim(Source::Output, spoken.from.clone(), Claim::Yes).because("the output is there")
        }
        Label::Incomplete => {
            let evidence =
                Evidence::claim(Source::Output, spoken.from.clone(), Claim::No).because(half_way(judged));
            Evidence { strength: Strength::Guess, fingerprints: vec![STOPS_HALF_WAY.to_owned()], ..evidence }
        }
    }
}

/// The question detector's word: ASK, or nothing. It never says that work is done or not done.
fn asking(
    spoken: &Spoken<'_>,
    judged: &Classification,
    question: Option<&Question>,
    is_deliverable: bool,
    scales: &WeighContext<'_>,
) -> Evidence {
    let silent = |reason: String| {
        Evidence::abstain(Source::LastWords, spoken.from.clone(), Rejection::Undecided).because(reason)
    };
    match (judged.label, question) {
        (Label::AwaitingResponse, Some(question)) => {
            if question.weight == QuestionWeight::Offer && scales.policy.offers == OfferPolicy::Done {
                return silent(format!(
                    "an offer, by configuration no question: {}",
                    excerpt::reason(&question.text)
                ));
            }
            if question.certainty == Certainty::Low {
                return silent(format!("may ask: {}", excerpt::reason(&question.text)));
            }
            let evidence = Evidence::claim(Source::LastWords, spoken.from.clone(), Claim::Ask)
                .because(excerpt::reason(&question.text));
            Evidence { strength: Strength::Guess, ..evidence }
        }
        // What its writer surely admits or announces is open, whatever else says that it is done.
        (Label::Incomplete, _) if !is_deliverable && judged.certainty == Certainty::High => {
            let evidence =
                Evidence::claim(Source::LastWords, spoken.from.clone(), Claim::No).because(half_way(judged));
            Evidence { strength: Strength::Guess, fingerprints: vec![STOPS_HALF_WAY.to_owned()], ..evidence }
        }
        (Label::Incomplete, _) if !is_deliverable => Evidence {
            fingerprints: vec![STOPS_HALF_WAY.to_owned()],
            ..silent(format!("stops half-way: {}", half_way(judged)))
        },
        (Label::Incomplete | Label::Complete | Label::AwaitingResponse, _) => {
            silent("asks nothing".to_owned())
        }
    }
}

fn half_way(judged: &Classification) -> String {
    judged.reasons.first().map_or_else(|| "stops half-way".to_owned(), |reason| excerpt::reason(reason))
}

pub(super) fn question_of(judged: &Classification, text: &str) -> Option<Question> {
    let question = judged.question.as_ref()?;
    let weight = match judged.ask {
        Some(Ask::Offer) => QuestionWeight::Offer,
        Some(Ask::Blocking) | None => QuestionWeight::Blocking,
    };
    let choices = questions::choices(question, text)
        .into_iter()
        .map(|choice| Choice { text: excerpt::reason(&choice.text), ..choice })
        .collect();
    Some(Question { text: question.text.clone(), choices, weight, certainty: judged.certainty })
}

/// A declared output that is there and cannot be read.
fn unusable_output(output: &Reading<TextFile>, pile: &mut EvidenceSet) {
    if let Reading::Unreadable(unreadable) = output {
        let evidence = Evidence::abstain(Source::Output, unreadable.name.clone(), Rejection::Unreadable)
            .because(unreadable.detail.clone());
        pile.add(Parts::WORDS, Evidence { is_required: true, ..evidence });
    }
}

/// The plans that a session keeps itself: its todo list, and the goal that its person set.
fn weigh_plans(session: &SessionObservation, task: &SessionTask, pile: &mut EvidenceSet) {
    if let Some(todos) = &session.todos {
        pile.add(Parts::WORDS, todos_evidence(session, task, todos));
        pile.checklists.push((Parts::WORDS, todos.clone()));
    }
    if let Some(goal) = &session.history.goal {
        let evidence = match goal.state {
            GoalState::Reached if task.is_of_task(goal.order) => {
                Evidence::claim(Source::Plan, "goal", Claim::Yes).because("the goal is reached")
            }
            GoalState::Reached => Evidence::abstain(Source::Plan, "goal", Rejection::Stale)
                .because("reached before your last prompt"),
            GoalState::Active | GoalState::Paused | GoalState::Exhausted => {
                Evidence::claim(Source::Plan, "goal", Claim::No).because(excerpt::reason(&goal.text))
            }
        };
        let fingerprints = vec![format!("goal/{}", excerpt::reason(&goal.text))];
        let evidence = Evidence { strength: Strength::SelfReported, fingerprints, ..evidence };
        pile.add(Parts::WORDS, evidence.at(goal.at));
    }
}

/// The agent's own todo list as a plan. That all is done says so only of the task that it was written for; what
/// is open stays open.
fn todos_evidence(session: &SessionObservation, task: &SessionTask, todos: &Checklist) -> Evidence {
    let steps = todos
        .items
        .iter()
        .map(|item| crate::model::PlanStep {
            title: item.title.clone(),
            status: (item.state == ItemState::Done).then(|| "done".to_owned()),
        })
        .collect();
    let dated = session.history.todos.as_ref();
    let said_at = dated.map_or(session.written_at, |dated| dated.at);
    let evidence = checks::plan_evidence(&todos.from, steps).at(said_at);
    let evidence = Evidence { strength: Strength::SelfReported, ..evidence };
    match dated {
        _ if evidence.claim != Claim::Yes => evidence,
        Some(dated) if dated.is_partial => {
            reject(evidence, Rejection::Undecided, "a part of the list is out of reach")
        }
        Some(dated) if !task.is_of_task(dated.order) => {
            reject(evidence, Rejection::Stale, "ticked before your last prompt")
        }
        Some(_) | None => evidence,
    }
}

fn reject(evidence: Evidence, rejection: Rejection, why: &str) -> Evidence {
    Evidence { claim: Claim::Abstain, rejection: Some(rejection), ..evidence }.because(why)
}

/// Another value for each turn that ended and each decision file that was written.
fn round_mark(session: Option<&SessionObservation>, decided_at: Option<Timestamp>) -> Option<String> {
    let ended_at = session.and_then(|session| match &session.turn {
        TurnState::Ended { at } | TurnState::Interrupted { at } | TurnState::Failed { at, .. } => *at,
        TurnState::Open { .. } | TurnState::Unknown => None,
    });
    let parts: Vec<String> =
        [ended_at, decided_at].into_iter().flatten().map(|at| at.0.to_string()).collect();
    (!parts.is_empty()).then(|| parts.join("/"))
}
