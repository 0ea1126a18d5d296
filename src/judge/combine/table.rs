//! The table of the verdict (DESIGN.md 2.3) as a function of an abstract situation.
//!
//! Nothing here knows evidence, sessions or texts: a situation is a handful of closed sets, so that every
//! combination can be enumerated (`tests/combine/table.rs`). The rows stand in the order of the page.

use crate::model::{Proof, Rule, VerdictState};

/// Everything that the verdict depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own, and all combinations occur")]
pub struct Situation {
    /// What kind of result the task has.
    pub deliverable: Deliverable,
    /// Whether a session works.
    pub activity: AtWork,
    /// A person's own word that still holds.
    pub mark: Mark,
    /// Whether something stands open that a person has to answer: a permission, a dialog, or a question
    /// of high or medium certainty.
    pub asks: bool,
    /// What failed.
    pub failure: Failure,
    /// Whether anybody was asked for anything here.
    pub is_asked: bool,
    /// Whether rounds, budget or time are used up (R6).
    pub limit: Limit,
    /// Whether a source says that something is open.
    pub no: No,
    /// How the last turn ended.
    pub turn: LastTurn,
    /// Whether background work runs.
    pub waits: bool,
    /// What says that the work is done.
    pub done: Done,
    /// The work of the task that only this work tree has.
    pub tree: Tree,
    /// Whether the task acted outside the tree (push, merge, publish; ignored or outside files), and that
    /// succeeded.
    pub acted_outside: bool,
    /// What the last prompt asked for.
    pub prompt: LastPrompt,
    /// How well a COMPLETE would be proven.
    pub proof: Proof,
    /// How well it has to be proven.
    pub required: Proof,
}

/// What kind of result a task has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Deliverable {
    /// Work that ends in commits (IMPLEMENTATION).
    Work,
    /// An output that is there (READ_INFO, REPORT).
    Output,
    /// An output that is missing, unreadable, broken off, or not of this task.
    NoOutput,
}

/// Whether a session works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AtWork {
    /// None does, as far as is known.
    Rests,
    /// One does, by a guess that is no structured word.
    Perhaps,
    /// One does, by its own structured word.
    Works,
}

/// A person's own word, bound to what they saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mark {
    /// No mark, or one that lapsed.
    None,
    /// "It is done."
    Done,
    /// "It is not."
    Open,
}

/// What failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Failure {
    /// Nothing.
    None,
    /// The run, or the last turn of a session.
    Run,
    /// Git, or a source that the verdict cannot do without, cannot be read.
    Unreadable,
    /// Too many decisions in a row could not be read (R4).
    Decisions,
}

/// Whether rounds, budget or time are used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limit {
    /// They are not.
    Within,
    /// They are.
    UsedUp,
    /// They are, and nothing ever answered.
    NeverAnswered,
}

/// Whether a source says that something is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum No {
    /// None does.
    Silent,
    /// None does, and a decision file that cannot be used may have said so.
    Unreadable,
    /// One does.
    Says,
    /// The same points came back in as many rounds as make a stall (R5).
    SaysAgain,
}

/// How the last turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LastTurn {
    /// By itself, or no session is known.
    Ended,
    /// It was interrupted or broken off, or the record does not tell.
    Cut,
}

/// What says that the work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Done {
    /// Nothing.
    Silent,
    /// Only the last words say so, of the whole task (DONE).
    Words,
    /// A source does (YES).
    Yes,
}

/// The work of the task that only this work tree has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tree {
    /// There is none.
    Clean,
    /// Uncommitted work, or commits whose content no ref holds.
    AtRisk,
    /// Nobody could look.
    Unknown,
}

/// What the last prompt asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LastPrompt {
    /// Work, or nobody can tell.
    Work,
    /// Only an answer, which was given; there was no task before.
    Answered,
    /// Only an answer, which was given; this is the verdict of the task before.
    AnsweredAfter(VerdictState),
}

/// The verdict on a situation, and the rule that decided.
pub fn decide(situation: &Situation) -> (VerdictState, Rule) {
    if situation.activity == AtWork::Works {
        return (VerdictState::Working, Rule::SessionWorks);
    }
    settle(situation)
}

/// The verdict on what is settled, whether or not a session works: what "so far" shows.
pub fn settle(situation: &Situation) -> (VerdictState, Rule) {
    match first_match(situation) {
        (VerdictState::Complete, rule) if rule != Rule::ByYou && situation.proof < situation.required => {
            (VerdictState::Incomplete, Rule::NotProven)
        }
        settled => settled,
    }
}

fn first_match(situation: &Situation) -> (VerdictState, Rule) {
    match situation.mark {
        Mark::Done => return (VerdictState::Complete, Rule::ByYou),
        Mark::Open => return (VerdictState::Incomplete, Rule::ByYou),
        Mark::None => {}
    }
    if situation.asks {
        return (VerdictState::AwaitingResponse, Rule::Asks);
    }
    match situation.failure {
        Failure::Run => return (VerdictState::Error, Rule::RunFailed),
        Failure::Unreadable => return (VerdictState::Error, Rule::RequiredUnreadable),
        Failure::Decisions => return (VerdictState::Error, Rule::DecisionUnreadable),
        Failure::None => {}
    }
    if !situation.is_asked {
        return (VerdictState::NoTask, Rule::NobodyAsked);
    }
    match situation.limit {
        Limit::Within => {}
        Limit::UsedUp | Limit::NeverAnswered if situation.tree == Tree::AtRisk => {
            return (VerdictState::RescueNeeded, Rule::RoundsUsedUp);
        }
        Limit::UsedUp => return (VerdictState::Stalled, Rule::RoundsUsedUp),
        Limit::NeverAnswered => return (VerdictState::Error, Rule::RoundsUsedUp),
    }
    match situation.no {
        No::Says => return (VerdictState::Incomplete, Rule::SaysNo),
        No::SaysAgain => return (VerdictState::Stalled, Rule::SameAgain),
        No::Silent | No::Unreadable => {}
    }
    if situation.activity == AtWork::Perhaps {
        return (VerdictState::Working, Rule::Works);
    }
    if situation.turn == LastTurn::Cut {
        return (VerdictState::Incomplete, Rule::TurnCut);
    }
    if situation.waits {
        return (VerdictState::Waiting, Rule::Waits);
    }
    if situation.no == No::Unreadable {
        return (VerdictState::Incomplete, Rule::DecisionUnreadable);
    }
    match situation.deliverable {
        Deliverable::Work => work(situation),
        Deliverable::Output => output(situation),
        Deliverable::NoOutput => (VerdictState::Incomplete, Rule::NoOutput),
    }
}

/// READ_INFO and REPORT: the output is the deliverable, and work beside it must not be lost.
fn output(situation: &Situation) -> (VerdictState, Rule) {
    match situation.tree {
        Tree::AtRisk => (VerdictState::RescueNeeded, Rule::YesUncommitted),
        Tree::Clean => (VerdictState::Complete, Rule::OutputStands),
        Tree::Unknown => (VerdictState::Incomplete, Rule::NoEvidence),
    }
}

/// IMPLEMENTATION: work that ends in commits.
fn work(situation: &Situation) -> (VerdictState, Rule) {
    match (situation.done, situation.tree, situation.prompt) {
        // An answer is a result as a deliverable is: work that came with it must not be lost either.
        (Done::Yes | Done::Words, Tree::AtRisk, _) | (Done::Silent, Tree::AtRisk, LastPrompt::Answered) => {
            (VerdictState::RescueNeeded, Rule::YesUncommitted)
        }
        (Done::Yes, Tree::Clean, _) => (VerdictState::Complete, Rule::YesClean),
        (Done::Words, Tree::Clean, _) if situation.acted_outside => {
            (VerdictState::Complete, Rule::DoneOutside)
        }
        // What answers a side question is not the end of the task before, and ends nothing of it.
        (Done::Silent | Done::Words, _, LastPrompt::AnsweredAfter(state))
            if state != VerdictState::Complete =>
        {
            (state, Rule::TaskBefore)
        }
        (Done::Silent | Done::Words, Tree::Clean, LastPrompt::AnsweredAfter(state)) => {
            (state, Rule::TaskBefore)
        }
        (Done::Silent | Done::Words, Tree::Clean, LastPrompt::Answered) => {
            (VerdictState::Complete, Rule::Answered)
        }
        (Done::Words, Tree::Clean, LastPrompt::Work) => (VerdictState::Incomplete, Rule::NothingChanged),
        // Also a YES whose tree nobody could look at: missing evidence is never COMPLETE (R2).
        (Done::Silent | Done::Words | Done::Yes, _, _) => (VerdictState::Incomplete, Rule::NoEvidence),
    }
}
