//! Choosing where a visible commit goes. Pure.

use super::{CommitTarget, PlanNote, RefName, RescuePlan};

impl RescuePlan {
    /// Chooses the target that is meant; false, and nothing changes, if the plan does not offer it.
    pub fn choose_target(&mut self, is_meant: impl Fn(&CommitTarget) -> bool) -> bool {
        let meant = self.targets.iter().find(|target| is_meant(target)).cloned();
        let is_offered = meant.is_some();
        self.target = meant.or(self.target.take());
        is_offered
    }

    /// Chooses the default target: a new branch where this one should not take the commit.
    pub fn choose_usual(&mut self) {
        if self.target.is_none() {
            self.choose_target(|target| matches!(target, CommitTarget::NewBranch(_)));
        }
    }

    /// Whether the commit goes to a new branch; `refusal` says why.
    pub fn is_to_new_branch(&self) -> bool {
        matches!(self.target, Some(CommitTarget::NewBranch(_)))
    }

    /// Why no commit can be made; `None` if one can, here or on a new branch.
    pub fn why_no_commit(&self) -> Option<&str> {
        self.refusal.as_deref().filter(|_| self.target.is_none())
    }

    /// Why the commit goes to a new branch, if the branch here cannot take it.
    pub fn why_elsewhere(&self) -> Option<&str> {
        self.refusal.as_deref().filter(|_| self.is_to_new_branch())
    }

    /// The note that an earlier rescue made this very commit on a new branch, with that branch.
    pub fn committed_on(&self) -> Option<(&PlanNote, &RefName)> {
        self.notes
            .iter()
            .find_map(|note| if let PlanNote::CommittedOn(name) = note { Some((note, name)) } else { None })
    }
}
