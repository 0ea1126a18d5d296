//! How urgent a workspace is for a person: the section of the list that it stands in, and the order of the list.
//!
//! It reads verdict, attention and marks as they are; it judges nothing.

use std::cmp::Reverse;
use strum::VariantArray;

use crate::model::{
    ActivityState, Attention, RescueDegree, Rule, Timestamp, Verdict, VerdictState, Warning, WorkspaceId,
    WorkspaceView,
};

/// How urgent a workspace is, most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[derive(VariantArray)]
pub enum Urgency {
    /// A permission is waited for.
    Permission,
    /// A question is waited on.
    Asks,
    /// Something failed.
    Error,
    /// The same open points again and again.
    Stalled,
    /// Uncommitted work that may be lost.
    Rescue,
    /// Not finished, and nobody works on it.
    Incomplete,
    /// Finished and not committed, where somebody commits by hand.
    ToCommit,
    /// At work.
    Working,
    /// Only background work runs.
    Waiting,
    /// Finished, with an offer of more.
    Offer,
    /// Finished, and not seen yet.
    Unseen,
    /// No verdict yet.
    Unjudged,
    /// Finished and seen.
    Seen,
    /// Nobody was asked for anything here, or the person wants no attention for it.
    Quiet,
}

/// A part of the list, in the order of the list (DESIGN.md 2.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[derive(VariantArray)]
pub enum Section {
    /// Nothing goes on until a person answers or repairs something.
    NeedsYou,
    /// Work that may be lost.
    AtRisk,
    /// Not finished, and nobody works on it.
    LeftToDo,
    /// An agent works, or background work runs.
    AtWork,
    /// Finished, and nobody has looked yet.
    Unseen,
    /// Not read yet.
    Unread,
    /// Finished and seen.
    Finished,
    /// Nobody was asked for anything, or no attention is wanted.
    Quiet,
}

impl Section {
    /// Whether its rows wait for nobody: they are folded into one line and are not counted.
    pub fn is_folded(self) -> bool {
        matches!(self, Section::Finished | Section::Quiet)
    }

    /// Whether a person is wanted in it.
    pub fn waits_for_person(self) -> bool {
        matches!(self, Section::NeedsYou | Section::AtRisk)
    }

    /// Its most urgent rows, for sign and colour.
    pub(crate) fn urgency(self) -> Urgency {
        match self {
            Section::NeedsYou => Urgency::Asks,
            Section::AtRisk => Urgency::Rescue,
            Section::LeftToDo => Urgency::Incomplete,
            Section::AtWork => Urgency::Working,
            Section::Unseen => Urgency::Unseen,
            Section::Unread => Urgency::Unjudged,
            Section::Finished => Urgency::Seen,
            Section::Quiet => Urgency::Quiet,
        }
    }
}

impl Urgency {
    /// The urgency of a workspace.
    pub fn of(view: &WorkspaceView) -> Urgency {
        match view.attention {
            Some(Attention::Permission) => Urgency::Permission,
            Some(Attention::Asks) => Urgency::Asks,
            Some(Attention::Rescue) => Urgency::Rescue,
            Some(Attention::Stalled) => Urgency::Stalled,
            Some(Attention::Error) => Urgency::Error,
            Some(Attention::Offer) if is_settled(view) => Urgency::Seen,
            Some(Attention::Offer) => Urgency::Offer,
            Some(Attention::Finished) | None => Urgency::of_verdict(view),
        }
    }

    fn of_verdict(view: &WorkspaceView) -> Urgency {
        let Some(verdict) = &view.verdict else { return Urgency::Unjudged };
        match verdict.state {
            VerdictState::Working => Urgency::Working,
            VerdictState::Waiting => Urgency::Waiting,
            _ if view.marks.quiet.is_some() => Urgency::Quiet,
            VerdictState::AwaitingResponse => Urgency::Asks,
            VerdictState::RescueNeeded if verdict.degree == Some(RescueDegree::ToCommit) => Urgency::ToCommit,
            VerdictState::RescueNeeded => Urgency::Rescue,
            VerdictState::Error => Urgency::Error,
            VerdictState::Stalled => Urgency::Stalled,
            VerdictState::Incomplete if is_abandoned(view, verdict) => Urgency::Rescue,
            VerdictState::Incomplete => Urgency::Incomplete,
            VerdictState::NoTask => Urgency::Quiet,
            VerdictState::Complete if view.is_seen => Urgency::Seen,
            VerdictState::Complete => Urgency::Unseen,
        }
    }

    /// The section that its rows stand in.
    pub fn section(self) -> Section {
        match self {
            Urgency::Permission | Urgency::Asks | Urgency::Error | Urgency::Stalled => Section::NeedsYou,
            Urgency::Rescue => Section::AtRisk,
            Urgency::Incomplete | Urgency::ToCommit => Section::LeftToDo,
            Urgency::Working | Urgency::Waiting => Section::AtWork,
            Urgency::Offer | Urgency::Unseen => Section::Unseen,
            Urgency::Unjudged => Section::Unread,
            Urgency::Seen => Section::Finished,
            Urgency::Quiet => Section::Quiet,
        }
    }
}

/// The section of a workspace.
///
/// `held` is a finished workspace that a person is just looking at: it keeps its place until they move on, though
/// the look made it a seen one, so that no row runs away from under the eye.
pub fn section_of(view: &WorkspaceView, held: Option<&WorkspaceId>) -> Section {
    placed(view, held).section()
}

fn placed(view: &WorkspaceView, held: Option<&WorkspaceId>) -> Urgency {
    let urgency = Urgency::of(view);
    let is_held = urgency == Urgency::Seen && held == Some(&view.id);
    if is_held { Urgency::Unseen } else { urgency }
}

/// Whether it is finished and seen: an offer that was read once asks for nothing more.
fn is_settled(view: &WorkspaceView) -> bool {
    let state = view.verdict.as_ref().map(|verdict| verdict.state);
    view.is_seen && state == Some(VerdictState::Complete)
}

/// Whether the agent is gone in the middle of a turn and left work that is not committed.
fn is_abandoned(view: &WorkspaceView, verdict: &Verdict) -> bool {
    let is_gone = matches!(view.activity.state, ActivityState::Gone | ActivityState::Unknown);
    verdict.rule == Rule::TurnCut && is_gone && verdict.warnings.contains(&Warning::WorkAtRisk)
}

/// Sorts the list: most urgent first; among equals uncommitted work before none, then what has waited longest,
/// then by name. For `held` see [`section_of`].
pub fn order(views: &mut [WorkspaceView], held: Option<&WorkspaceId>) {
    views.sort_by_cached_key(|view| {
        let urgency = placed(view, held);
        let changes = view.git.as_ref().and_then(|git| git.changes.as_ref());
        let is_clean = urgency == Urgency::Incomplete && changes.is_none_or(|changes| changes.n_paths == 0);
        // What finished last is looked at first; what waits longest is answered first.
        let since = view.verdict_since.unwrap_or(Timestamp(i64::MAX));
        let (oldest, newest) =
            if urgency == Urgency::Seen { (None, Some(Reverse(since))) } else { (Some(since), None) };
        (urgency, is_clean, oldest, newest, view.name.clone(), view.id.clone())
    });
}
