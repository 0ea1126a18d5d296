//! How urgent a workspace is for the user: its section in the list, and the order of the list.
//!
//! It reads verdict, attention and marks as they are, and judges nothing.

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
    /// A session waits for permission.
    Permission,
    /// A question waits for an answer.
    Asks,
    /// Something failed.
    Error,
    /// The same points stay open again and again.
    Stalled,
    /// Uncommitted work that may be lost.
    Rescue,
    /// Not finished, and no agent is working on it.
    Incomplete,
    /// Finished but not committed, where the user commits by hand.
    ToCommit,
    /// An agent is working.
    Working,
    /// Only background work is running.
    Waiting,
    /// Finished, with an offer to do more.
    Offer,
    /// Finished, and not yet seen.
    Unseen,
    /// No verdict yet.
    Unjudged,
    /// Finished and seen.
    Seen,
    /// There is no task here, or the user wants no attention for it.
    Quiet,
}

/// A section of the list, in the order of the list (DESIGN.md 2.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[derive(VariantArray)]
pub enum Section {
    /// Blocked until the user answers or repairs something.
    NeedsYou,
    /// Work that may be lost.
    AtRisk,
    /// Not finished, and no agent is working on it.
    LeftToDo,
    /// An agent is working, or background work is running.
    AtWork,
    /// Finished, and not yet seen.
    Unseen,
    /// Not read yet.
    Unread,
    /// Finished and seen.
    Finished,
    /// There is no task, or the user wants no attention.
    Quiet,
}

impl Section {
    /// True if its rows need no attention: they are folded into one line and not counted.
    pub fn is_folded(self) -> bool {
        matches!(self, Section::Finished | Section::Quiet)
    }

    /// True if its rows wait for the user.
    pub fn waits_for_person(self) -> bool {
        matches!(self, Section::NeedsYou | Section::AtRisk)
    }

    /// The urgency whose symbol and colour stand for the section.
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
            VerdictState::Complete if view.offer_beside().is_some() => Urgency::Offer,
            VerdictState::Complete => Urgency::Unseen,
        }
    }

    /// The section for this urgency.
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
/// `held` is a finished workspace that the user is looking at: although that look marks it as seen, it keeps
/// its place until they move on, so that no row moves away under their eyes.
pub fn section_of(view: &WorkspaceView, held: Option<&WorkspaceId>) -> Section {
    placed(view, held).section()
}

fn placed(view: &WorkspaceView, held: Option<&WorkspaceId>) -> Urgency {
    let urgency = Urgency::of(view);
    let is_held = urgency == Urgency::Seen && held == Some(&view.id);
    if is_held { Urgency::Unseen } else { urgency }
}

/// True if it is finished and seen: an offer needs to be read only once.
fn is_settled(view: &WorkspaceView) -> bool {
    let state = view.verdict.as_deref().map(|verdict| verdict.state);
    view.is_seen && state == Some(VerdictState::Complete)
}

/// True if the agent disappeared in the middle of a turn and left uncommitted work.
fn is_abandoned(view: &WorkspaceView, verdict: &Verdict) -> bool {
    let is_gone = matches!(view.activity.state, ActivityState::Gone | ActivityState::Unknown);
    verdict.rule() == Rule::TurnCut && is_gone && verdict.warnings.contains(&Warning::WorkAtRisk)
}

/// Sorts the list: most urgent first; incomplete workspaces with uncommitted work before those without; then
/// those that have waited longest (among the seen ones the newest first); then by name. For `held` see
/// [`section_of`].
pub fn order(views: &mut [WorkspaceView], held: Option<&WorkspaceId>) {
    views.sort_by_cached_key(|view| {
        let urgency = placed(view, held);
        let changes = view.git.as_ref().and_then(|git| git.changes.as_ref());
        let is_clean = urgency == Urgency::Incomplete && changes.is_none_or(|changes| changes.n_paths == 0);
        // Of finished work, the newest is the most interesting; of waiting work, the oldest.
        let since = view.verdict_since.unwrap_or(Timestamp(i64::MAX));
        let (oldest, newest) =
            if urgency == Urgency::Seen { (None, Some(Reverse(since))) } else { (Some(since), None) };
        (urgency, is_clean, oldest, newest, view.name.clone(), view.id.clone())
    });
}
