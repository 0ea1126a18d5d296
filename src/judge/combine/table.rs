//! The verdict table (DESIGN.md 2.3) as a function of an abstract situation.
//!
//! Must not know evidence, sessions or texts: a situation consists of a few closed
//! sets, so that a test can enumerate every combination (`tests/combine/table.rs`). The
//! rows are in the same order as in the design document.

use crate::model::{Proof, Rule, VerdictState};

/// Everything the verdict depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own, and all combinations occur")]
pub struct Situation {
    /// What kind of result the task has.
    pub deliverable: Deliverable,
    /// Whether a session is working.
    pub activity: AtWork,
    /// The person's own mark, if it still holds.
    pub mark: UserMark,
    /// Whether a permission, a dialog or a question of high or medium certainty waits for a person's answer.
    pub asks: bool,
    /// What failed.
    pub failure: Failure,
    /// Whether anybody was asked for anything here.
    pub is_asked: bool,
    /// Whether rounds, budget or time are used up (R6).
    pub limit: Limit,
    /// Whether a source says that something is unfinished.
    pub no: No,
    /// How the last turn ended.
    pub turn: LastTurn,
    /// Whether background work is running.
    pub waits: bool,
    /// What says that the work is done.
    pub done: Done,
    /// Whether the task has work that exists only in this work tree.
    pub tree: Tree,
    /// Whether the task successfully acted outside the tree: pushed, merged, published, or wrote files that
    /// are ignored or outside it.
    pub acted_outside: bool,
    /// What the last prompt asked for.
    pub prompt: LastPrompt,
    /// How well COMPLETE would be proven.
    pub proof: Proof,
    /// How well COMPLETE must be proven.
    pub required: Proof,
}

/// What kind of result a task has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Deliverable {
    /// Work that ends in commits (IMPLEMENTATION).
    Work,
    /// An output, which is present (READ_INFO, REPORT).
    Output,
    /// An output that is missing, unreadable, truncated, or belongs to another task.
    NoOutput,
}

/// Whether a session is working.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AtWork {
    /// No session is known to work.
    Rests,
    /// A session works according to a guess, without structured evidence.
    Perhaps,
    /// A session works according to its own structured status report.
    Works,
}

/// A person's own mark, valid only for what they saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UserMark {
    /// No mark, or a lapsed one.
    None,
    /// "It is done."
    Done,
    /// "It is not done."
    Open,
}

/// What failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Failure {
    /// Nothing failed.
    None,
    /// The run, or the last turn of a session.
    Run,
    /// Git, or a source that the verdict requires, cannot be read.
    Unreadable,
    /// Too many consecutive decisions could not be read (R4).
    Decisions,
}

/// Whether rounds, budget or time are used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limit {
    /// None of them is used up.
    Within,
    /// One of them is used up.
    UsedUp,
    /// One of them is used up, and nothing ever answered.
    NeverAnswered,
}

/// Whether a source says that something is unfinished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum No {
    /// No source does.
    Silent,
    /// No source does, but a decision file or a closer's report that cannot be used might have.
    Unreadable,
    /// A source does.
    Says,
    /// The same points came back in enough rounds to count as a stall (R5).
    SaysAgain,
}

/// How the last turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LastTurn {
    /// It ended by itself, or no session is known.
    Ended,
    /// It was interrupted or cut off, or the record does not say.
    Cut,
}

/// What says that the work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Done {
    /// Nothing does.
    Silent,
    /// Only the last words do, about the whole task (DONE).
    Words,
    /// A source does (YES).
    Yes,
}

/// Whether the task has work that exists only in this work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tree {
    /// There is none.
    Clean,
    /// Uncommitted work, or commits whose content no ref holds.
    AtRisk,
    /// It could not be determined.
    Unknown,
}

/// What the last prompt asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LastPrompt {
    /// Work, or it cannot be determined.
    Work,
    /// Only an answer, which was given. A task before it is judged by its own evidence, which a side question does not
    /// age.
    Answered,
}

/// The verdict on a situation and the rule that decided it.
pub fn decide(situation: &Situation) -> (VerdictState, Rule) {
    if situation.activity == AtWork::Works {
        return (VerdictState::Working, Rule::SessionWorks);
    }
    settle(situation)
}

/// The verdict that would hold if no session were known to work; shown as "so far" while one works.
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
        UserMark::Done => return (VerdictState::Complete, Rule::ByYou),
        UserMark::Open => return (VerdictState::Incomplete, Rule::ByYou),
        UserMark::None => {}
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

/// READ_INFO and REPORT: the output is the deliverable, but work beside it must not be lost.
fn output(situation: &Situation) -> (VerdictState, Rule) {
    match situation.tree {
        Tree::AtRisk => (VerdictState::RescueNeeded, Rule::YesUncommitted),
        Tree::Clean => (VerdictState::Complete, Rule::OutputStands),
        Tree::Unknown => (VerdictState::Incomplete, Rule::NoEvidence),
    }
}

/// IMPLEMENTATION: the work ends in commits.
fn work(situation: &Situation) -> (VerdictState, Rule) {
    match (situation.done, situation.tree, situation.prompt) {
        // An answer is a result like any deliverable: work that came with it must not be lost.
        (Done::Yes | Done::Words, Tree::AtRisk, _) | (Done::Silent, Tree::AtRisk, LastPrompt::Answered) => {
            (VerdictState::RescueNeeded, Rule::YesUncommitted)
        }
        (Done::Yes, Tree::Clean, _) => (VerdictState::Complete, Rule::YesClean),
        (Done::Words, Tree::Clean, _) if situation.acted_outside => {
            (VerdictState::Complete, Rule::DoneOutside)
        }
        (Done::Silent | Done::Words, Tree::Clean, LastPrompt::Answered) => {
            (VerdictState::Complete, Rule::Answered)
        }
        (Done::Words, Tree::Clean, LastPrompt::Work) => (VerdictState::Incomplete, Rule::NothingChanged),
        // Includes a YES whose tree could not be read: missing evidence is never COMPLETE (R2).
        (Done::Silent | Done::Words | Done::Yes, _, _) => (VerdictState::Incomplete, Rule::NoEvidence),
    }
}
