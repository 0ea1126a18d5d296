//! How urgent a workspace is for a person, and the order of the list that follows from it.
//!
//! It reads verdict and attention as they are; it judges nothing.

use std::cmp::Reverse;

use crate::model::{Attention, Timestamp, VerdictState, WorkspaceId, WorkspaceView};

/// How urgent a workspace is, most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// A permission is waited for.
    Permission,
    /// A question is waited on.
    Asks,
    /// Finished work is not committed.
    Rescue,
    /// Something failed.
    Error,
    /// The same open points again and again.
    Stalled,
    /// Not finished, and nobody works on it.
    Incomplete,
    /// Finished, with an offer of more.
    Offer,
    /// Finished, and not seen yet.
    Unseen,
    /// Only background work runs.
    Waiting,
    /// At work.
    Working,
    /// No verdict yet.
    Unjudged,
    /// Finished and seen.
    Seen,
}

impl Urgency {
    /// Every urgency, most urgent first.
    pub const ALL: [Urgency; 12] = [
        Urgency::Permission,
        Urgency::Asks,
        Urgency::Rescue,
        Urgency::Error,
        Urgency::Stalled,
        Urgency::Incomplete,
        Urgency::Offer,
        Urgency::Unseen,
        Urgency::Waiting,
        Urgency::Working,
        Urgency::Unjudged,
        Urgency::Seen,
    ];

    /// The urgency of a workspace.
    pub fn of(view: &WorkspaceView) -> Urgency {
        match view.attention {
            Some(Attention::Permission) => Urgency::Permission,
            Some(Attention::Asks) => Urgency::Asks,
            Some(Attention::Rescue) => Urgency::Rescue,
            Some(Attention::Stalled) => Urgency::Stalled,
            Some(Attention::Error) => Urgency::Error,
            Some(Attention::Offer) => Urgency::Offer,
            Some(Attention::Finished) | None => Urgency::of_verdict(view),
        }
    }

    fn of_verdict(view: &WorkspaceView) -> Urgency {
        match view.verdict.as_ref().map(|verdict| verdict.state) {
            Some(VerdictState::AwaitingResponse) => Urgency::Asks,
            Some(VerdictState::RescueNeeded) => Urgency::Rescue,
            Some(VerdictState::Error) => Urgency::Error,
            Some(VerdictState::Stalled) => Urgency::Stalled,
            Some(VerdictState::Incomplete) => Urgency::Incomplete,
            Some(VerdictState::Waiting) => Urgency::Waiting,
            Some(VerdictState::Working) => Urgency::Working,
            // Nothing was asked here: there is nothing to wait for, and nothing to look at.
            Some(VerdictState::NoTask) => Urgency::Seen,
            Some(VerdictState::Complete) if view.is_seen => Urgency::Seen,
            Some(VerdictState::Complete) => Urgency::Unseen,
            None => Urgency::Unjudged,
        }
    }

    /// True when nothing goes on here until a person acts.
    pub fn waits_for_person(self) -> bool {
        self <= Urgency::Stalled
    }
}

/// Sorts the list: most urgent first, then what has waited longest, then by name.
///
/// `held` is a finished workspace that a person is just looking at: it keeps its place until they move on,
/// though the look made it a seen one, so that no row runs away from under the eye.
pub fn order(views: &mut [WorkspaceView], held: Option<&WorkspaceId>) {
    views.sort_by_cached_key(|view| {
        let is_held = held == Some(&view.id);
        let urgency = Urgency::of(view);
        let urgency = if is_held && urgency == Urgency::Seen { Urgency::Unseen } else { urgency };
        // What finished last is looked at first; what waits longest is answered first.
        let since = view.verdict_since.unwrap_or(Timestamp(i64::MAX));
        let (oldest, newest) =
            if urgency == Urgency::Seen { (None, Some(Reverse(since))) } else { (Some(since), None) };
        (urgency, oldest, newest, view.name.clone(), view.id.clone())
    });
}
