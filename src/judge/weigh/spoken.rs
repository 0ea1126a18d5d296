//! An agent's words as evidence: an output file, or the last message of a session. They ask, admit that
//! something is not done, or say that everything is. What an answer to a side question says about the task
//! counts only as a question. Must not interpret a sentence; `judge::questions` does.

use std::borrow::Cow;

use super::bounds::{Missed, missed};
use super::context::{EvidenceSet, WeighContext, is_of_baseline, is_stale};
use super::decision::Statement;
use super::deferral::{Declined, deferral, is_as_asked, last_announced, undone};
use super::naming::names_same;
use super::tasks::SessionTask;
use super::texts::{TextRead, Texts};
use super::told_done::tells_done;
use super::untouched::without_persons_files;
use super::words_context::{context_of, overtaken_by, question_of};
use super::{activity, excerpt};
use crate::judge::questions::{self, Classification, Context, EndOfTurn, Finding, Kind, Label};
use crate::judge::{task, words};
use crate::model::{
    ActivityState, Certainty, Claim, Evidence, Fact, LastWords, Observations, OfferPolicy, Origin, Parts,
    Point, Pointer, Provenance, Question, QuestionWeight, Reason, Rejection, SessionObservation, Source,
    Strength, TaskKind, TextFile, Timestamp, display_text,
};

/// At most this many sentences about unfinished work are quoted.
const MAX_SENTENCES: usize = 3;
/// A question about how far the work is has at most this many characters.
const LONGEST_HOW_FAR: usize = 80;

/// How words relate to the task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// The last words about the task.
    Task,
    /// An answer to a side question, or to thanks.
    Beside,
    /// The task's result.
    Result,
}

/// Words, together with what is known about them.
pub(super) struct Spoken<'a> {
    text: Cow<'a, str>,
    from: &'a str,
    /// The session that said them.
    session: Option<&'a SessionObservation>,
    at: Option<Timestamp>,
    scope: Scope,
    /// Why they no longer claim anything, or never did.
    overtaken_by: Option<Fact>,
    is_cut: bool,
    declined: Declined,
    context: Context<'a>,
    /// What the task asks for, as far as it is known.
    prompts: Vec<String>,
    /// Whether they answer a question about how far the work is.
    answers_how_far: bool,
}

impl<'a> Spoken<'a> {
    /// The words of an output file.
    pub(super) fn in_file(file: &'a TextFile, observations: &Observations, is_result: bool) -> Spoken<'a> {
        let overtaken_by = if is_of_baseline(observations, &file.name) {
            Some(Fact::OfBaseline)
        } else {
            is_stale(observations, file.written_at).then_some(Fact::BeforeTask)
        };
        Spoken {
            text: display_text::without_escapes(&file.content),
            from: &file.name,
            session: None,
            at: Some(file.written_at),
            scope: if is_result { Scope::Result } else { Scope::Task },
            overtaken_by,
            is_cut: file.is_excerpt,
            declined: Declined::Not,
            context: Context::default(),
            prompts: Vec::new(),
            answers_how_far: false,
        }
    }

    /// The last message of a session, preceded by the last words of its task if a side
    /// question came after them.
    pub(super) fn of_session(
        session: &'a SessionObservation,
        task: &SessionTask,
        is_result: bool,
    ) -> impl Iterator<Item = Spoken<'a>> {
        let before = task.turn_before_side_turns(session);
        let is_beside = before.is_some() || task.is_only_answered();
        let last = session.last_message.as_ref().map(|message| Spoken {
            text: display_text::without_escapes(&message.text),
            from: &session.agent,
            session: Some(session),
            at: message.at,
            scope: match (is_result, is_beside) {
                (true, _) => Scope::Result,
                (false, true) => Scope::Beside,
                (false, false) => Scope::Task,
            },
            overtaken_by: overtaken_by(session, message.at),
            is_cut: false,
            declined: Declined::Not,
            context: context_of(session),
            prompts: task.prompts(),
            answers_how_far: asks_how_far(task),
        });
        let of_task = before.and_then(|turn| {
            Some(Spoken {
                text: display_text::without_escapes(turn.closing_words.as_deref()?),
                from: &session.agent,
                session: Some(session),
                at: turn.ended_at,
                scope: Scope::Task,
                overtaken_by: task.is_task_cut().then_some(Fact::TurnWasCut),
                is_cut: false,
                declined: Declined::of(task.side_prompts()),
                context: Context { end: Some(EndOfTurn::ByItself), ..context_of(session) },
                prompts: task.prompts(),
                answers_how_far: false,
            })
        });
        last.into_iter().chain(of_task)
    }

    /// Whether these words and `other` come from the same writer.
    pub(super) fn is_of(&self, other: Option<&Spoken<'_>>) -> bool {
        other.is_some_and(|other| std::ptr::eq(self.from, other.from))
    }

    /// Where these words come from, and when they were said.
    fn provenance(&self) -> Provenance {
        self.session.map_or(Origin::File, Origin::of).at(self.at)
    }

    /// Evidence that these words are, with this claim.
    fn states(&self, source: Source, claim: Claim) -> Evidence {
        Evidence::claim(source, self.from, claim, self.provenance())
    }

    /// What of them may contain a decision, for which the writer is called `from`.
    pub(super) fn statement<'s>(&'s self, from: &'s str) -> Statement<'s> {
        Statement { text: self.decisive(), from, provenance: self.provenance() }
    }

    /// The writer's name.
    pub(super) fn from(&self) -> &str {
        self.from
    }

    /// The text that may contain a decision of the task.
    pub(super) fn decisive(&self) -> &str {
        if self.overtaken_by.is_some() || self.scope == Scope::Beside { "" } else { &self.text }
    }

    /// The text without what it says of files that are no part of the work.
    fn of_work(&self) -> Cow<'_, str> {
        without_persons_files(&self.text, &self.prompts)
    }

    /// What the words ask.
    pub(super) fn question(&self, texts: &mut Texts) -> Option<Question> {
        question_of(&texts.read(&self.of_work(), &self.context).judged, &self.text)
    }

    /// Adds what the words say to the evidence, and returns them for a front, with whether they claim ASK. Unless the
    /// words are the newest, only what they claim, ask or offer is added. `is_acted` means that all that was asked for
    /// are acts that succeeded.
    pub(super) fn weigh(
        &self,
        (context, now, is_acted): (&WeighContext<'_>, Timestamp, bool),
        is_newest: bool,
        texts: &mut Texts,
        evidence_set: &mut EvidenceSet,
    ) -> (LastWords, bool) {
        let is_result = self.scope == Scope::Result;
        // Overtaken words are not judged, since nothing in them would count.
        let mut read = self.overtaken_by.is_none().then(|| texts.read(&self.of_work(), &self.context));
        let question = read.as_ref().and_then(|read| question_of(&read.judged, &self.text));
        let mut asks = false;
        let mut add = |evidence: Evidence, excerpt: Option<String>| {
            asks |= evidence.claim == Claim::Ask;
            let is_asked = question.is_some() && evidence.rejection() == Some(Rejection::Undecided);
            let is_told = is_newest || is_asked || evidence.source == Source::Output;
            if is_told || evidence.rejection().is_none() {
                let pointer = Some(Box::new(Pointer { place: self.from.to_owned(), excerpt }));
                evidence_set.add(Parts::WORDS, Evidence { pointer, ..evidence });
            }
        };
        if let Some(why) = self.overtaken_by {
            let source = if is_result { Source::Output } else { Source::LastWords };
            let is_cut = matches!(why, Fact::TurnWasCut | Fact::TurnNotEnded);
            let rejection = if is_cut { Rejection::MidTurn } else { Rejection::Stale };
            add(self.states(source, Claim::Abstain(rejection)).because(why), None);
        } else if let Some(read) = &mut read {
            if is_result {
                add(self.result(read), None);
            }
            let excerpt = question.as_ref().map(|question| excerpt::reason(&question.text));
            let runs_on = self.session.is_some_and(|session| {
                activity::of_session(session, now, context).state == ActivityState::Background
            });
            add(self.claim(read, question.as_ref(), context, runs_on, is_acted), excerpt);
        }
        let (text, is_cut) = excerpt::tail(&self.text);
        let is_cut = is_cut || self.is_cut;
        let certainty = read.map(|read| read.judged.certainty);
        (LastWords { text, is_cut, at: self.at, from: self.from.to_owned(), question, certainty }, asks)
    }

    /// That the tests pass, where the session's own runs say otherwise.
    pub(super) fn belied_pass(&self, not_passing: &[Origin], texts: &mut Texts) -> Option<Evidence> {
        let origin = Origin::of(self.session?);
        let is_belied = not_passing.contains(&origin)
            && !self.decisive().is_empty()
            && texts.read(&self.of_work(), &self.context).says_tests_pass(&self.text);
        is_belied.then(|| {
            self.states(Source::LastWords, Claim::Abstain(Rejection::Undecided)).because(Fact::SaysTestsPass)
        })
    }

    /// The result of READ_INFO and REPORT: it is complete, stops half-way, or has no visible content.
    fn result(&self, read: &TextRead) -> Evidence {
        if questions::status(TaskKind::Report, Some(&self.text), false) == questions::Status::Incomplete {
            return self
                .states(Source::Output, Claim::Abstain(Rejection::Absent))
                .because(Fact::NothingVisible);
        }
        let is_finding = self.session.is_none() && !self.is_cut && finds_undone(read);
        let is_written = || read.judged.label != Label::Incomplete || is_finding;
        let has_a_hole = || self.session.is_none() && questions::has_a_hole(&self.text);
        let is_whole = self.is_whole_json().unwrap_or_else(|| is_written() && !has_a_hole());
        if is_whole {
            self.states(Source::Output, Claim::Yes).because(Fact::OutputThere)
        } else {
            self.half_way(Source::Output, read)
        }
    }

    /// Whether a declared file is whole JSON, one value or several; `None` if it is something else, or was not read whole.
    fn is_whole_json(&self) -> Option<bool> {
        let is_json = self.session.is_none() && self.from.to_ascii_lowercase().ends_with(".json");
        let values = || serde_json::Deserializer::from_str(&self.text).into_iter::<serde::de::IgnoredAny>();
        (is_json && !self.is_cut).then(|| values().all(|value| value.is_ok()))
    }

    /// ASK; about the task also NO at high certainty, and DONE. `runs_on` means that its background work is
    /// known to be running; words about acts that succeeded (`is_acted`) need not say that they are at an end.
    fn claim(
        &self,
        read: &mut TextRead,
        question: Option<&Question>,
        context: &WeighContext<'_>,
        runs_on: bool,
        is_acted: bool,
    ) -> Evidence {
        let silent = |reason: Reason| {
            self.states(Source::LastWords, Claim::Abstain(Rejection::Undecided)).because(reason)
        };
        let guess = |claim| Evidence { strength: Strength::Guess, ..self.states(Source::LastWords, claim) };
        let is_of_task = self.scope == Scope::Task;
        let says_done = is_of_task
            && read.judged.label == Label::Complete
            && (read.says_done(|| self.of_work())
                || read.unfinished.is_empty() && (is_acted || tells_done(&self.text, &self.prompts)));
        let read = &*read;
        let judged = &read.judged;
        let sign = || sign_of(judged).map_or(Fact::HalfWay.into(), Reason::Words);
        match (judged.label, question) {
            (Label::AwaitingResponse, Some(question)) => {
                let words = excerpt::reason(&question.text);
                if question.weight == QuestionWeight::Offer && context.policy.offers == OfferPolicy::Done {
                    silent(Reason::Offer(words))
                } else if self.declined.covers(question.weight) {
                    silent(Reason::Declined(words))
                } else if question.certainty == Certainty::Low {
                    silent(Reason::MayAsk(words))
                } else {
                    guess(Claim::Ask).because(words)
                }
            }
            // The session itself reports what is running and when it ends.
            (Label::Incomplete, _) if runs_on && judged.kind == Kind::Progress => silent(sign()),
            // An open point that the writer clearly admits or announces counts, no
            // matter what else says it is done.
            (Label::Incomplete, _)
                if is_of_task && judged.kind == Kind::Partial && self.is_as_asked(read) =>
            {
                silent(sign())
            }
            (Label::Incomplete, _)
                if is_of_task && judged.certainty == Certainty::High && !self.is_courtesy(judged) =>
            {
                self.half_way(Source::LastWords, read)
            }
            // An answer to a side question claims nothing, but it may retract what was said about the task.
            (Label::Incomplete | Label::Complete, _)
                if self.scope == Scope::Beside
                    && (words::has(&self.text.to_lowercase(), "retracts")
                        || self.denies(judged)
                        || self.tells_undone()) =>
            {
                self.half_way(Source::LastWords, read)
            }
            (Label::Complete | Label::Incomplete, _) if is_of_task && let Some(why) = self.lacks(read) => {
                Evidence { points: vec![Point::StopsHalfWay], ..guess(Claim::No).because(why) }
            }
            (Label::Incomplete, _) if is_of_task => Evidence {
                points: vec![Point::StopsHalfWay],
                ..silent(sign_of(judged).map_or(Fact::HalfWay.into(), Reason::StopsHalfWay))
            },
            (Label::Complete, _) if says_done => doubted(guess(Claim::Yes).because(Fact::SaysDone), judged),
            (Label::Complete, _) if is_of_task => doubted(silent(Fact::AsksNothing.into()), judged),
            (Label::Incomplete | Label::Complete | Label::AwaitingResponse, _) => {
                silent(Fact::AsksNothing.into())
            }
        }
    }

    /// Whether these few words only look like the stub of a result: "Great!" admits nothing.
    fn is_courtesy(&self, judged: &Classification) -> bool {
        judged.kind == Kind::Placeholder && self.text.split_whitespace().count() <= 3
    }

    /// Whether an answer is a plain no, and then admits that what the task asked for is not done.
    fn denies(&self, judged: &Classification) -> bool {
        judged.label == Label::Incomplete
            && judged.certainty == Certainty::High
            && task::begins_with_no(&self.text)
            && names_same(&self.text, &self.prompts)
    }

    /// Whether an answer to how far the work is says of something that the task asked for that it is not there.
    fn tells_undone(&self) -> bool {
        self.answers_how_far && undone(&self.text, &self.prompts)
    }

    /// What the words do not admit plainly, but tell of what the prompts ask for: a part is put off, or a bound is missed.
    fn lacks(&self, read: &TextRead) -> Option<Reason> {
        let prompts: Vec<&str> = self.prompts.iter().map(String::as_str).collect();
        let admits = |sentence: &&Finding| sentence.groups.iter().any(|group| group == "admits");
        let admitted = read.unfinished.iter().filter(admits).map(|sentence| sentence.excerpt.to_lowercase());
        let deferred = deferral(&self.text, &prompts, &admitted.collect::<Vec<_>>());
        let missed = || {
            let Missed { bound, words } = missed(&self.text, &self.prompts)?;
            Some(Reason::MissesBound { bound, words: excerpt::reason(words) })
        };
        deferred
            .or_else(|| last_announced(read, &self.text, &self.prompts))
            .map(|words| Reason::PutsOff(excerpt::reason(words)))
            .or_else(missed)
    }

    /// Whether all that sounds unfinished is what the prompts want.
    fn is_as_asked(&self, read: &TextRead) -> bool {
        let said = read.unfinished.iter().map(|sentence| sentence.excerpt.to_lowercase());
        is_as_asked(&said.collect::<Vec<_>>(), &self.prompts)
    }

    fn half_way(&self, source: Source, read: &TextRead) -> Evidence {
        let mut evidence = self.states(source, Claim::No);
        let mut said: Vec<&Finding> = read.unfinished.iter().collect();
        // "Phases 2 and 3 remain" says what is left, and "Phase 1 of 3 is complete" only that something is.
        said.sort_by_key(|sentence| sentence.groups.iter().any(|group| group == "done"));
        let said = said.into_iter().take(MAX_SENTENCES);
        evidence.reasons = said.map(|sentence| excerpt::reason(&sentence.excerpt).into()).collect();
        if evidence.reasons.is_empty() {
            evidence.reasons.push(sign_of(&read.judged).map_or(Fact::HalfWay.into(), Reason::Words));
        }
        Evidence { strength: Strength::Guess, points: vec![Point::StopsHalfWay], ..evidence }
    }
}

/// Whether what reads like undone work is a finding about the thing examined: no such sentence names the report itself.
fn finds_undone(read: &TextRead) -> bool {
    let names_report = |sentence: &Finding| words::has(&sentence.excerpt.to_lowercase(), "names_report");
    let said = &read.unfinished;
    read.judged.kind == Kind::Partial && !said.is_empty() && !said.iter().any(names_report)
}

/// Whether the last side question is about how far the work is.
fn asks_how_far(task: &SessionTask) -> bool {
    let asked = task.side_prompts().last().filter(|asked| asked.chars().count() <= LONGEST_HOW_FAR);
    asked.is_some_and(|asked| words::has(&asked.to_lowercase(), "asks_how_far"))
}

/// The evidence of words that may leave something open, with the sentence that may: a person should read it.
fn doubted(evidence: Evidence, judged: &Classification) -> Evidence {
    let Some(words) = judged.may_admit.as_deref().map(excerpt::reason) else { return evidence };
    let points = vec![Point::MayBeOpen(words.clone())];
    Evidence { points, ..evidence }.because(Reason::MayBeOpen(words))
}

/// The sign by which the words were judged.
fn sign_of(judged: &Classification) -> Option<String> {
    judged.reasons.first().map(|reason| excerpt::reason(reason))
}
