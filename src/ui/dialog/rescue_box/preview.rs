//! A planned rescue before a person said yes, and what they chose of what the plan offers. It draws nothing and
//! knows no key.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::{
    CommitAuthor, CommitTarget, PlannedPath, PlannedSplit, RescuePlan, SplitKind, WantedProgram, WorkspaceId,
    WorkspaceView,
};
use crate::ui::dialog::field::Field;
use crate::ui::dialog::message_area::MessageArea;
use crate::ui::text;

/// A planned rescue before a person said yes.
#[derive(Debug, Clone, PartialEq)]
pub struct RescueBox {
    pub(super) workspace: WorkspaceId,
    /// Its name, cleaned.
    pub(super) name: String,
    pub(super) plan: Arc<RescuePlan>,
    /// The positions of paths in the order in which they are shown: what is left out first.
    pub(super) order: Arc<[usize]>,
    pub(super) n_left_out: usize,
    /// The positions of left-out paths that a person took in.
    pub(super) taken_in: BTreeSet<usize>,
    /// What a person chose of what the plan offers.
    pub(super) chosen: Chosen,
    pub(super) writing: Option<Writing>,
    /// A message that was written and left.
    pub(super) draft: Option<MessageArea>,
    pub(super) cursor: usize,
    pub(super) top: usize,
}

/// What a person can choose in a preview.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chosen {
    /// The message as it will be stored.
    pub(super) message: String,
    pub(super) target: Option<CommitTarget>,
    pub(super) split: Option<SplitKind>,
    /// The ways of several commits, with messages for what is taken in.
    pub(super) splits: Vec<PlannedSplit>,
    pub(super) author: Option<CommitAuthor>,
    /// What a person wants to run.
    pub(super) wanted: Option<WantedProgram>,
}

impl Chosen {
    /// Wants a program, or not any more; it is one of them.
    pub(super) fn toggle(&mut self, program: WantedProgram) {
        self.wanted = if self.wanted == Some(program) { None } else { Some(program) };
    }
}

/// What is being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Writing {
    /// The message.
    Message(MessageArea),
    /// Name and mail address.
    Author(Field),
}

impl RescueBox {
    /// A preview of a plan.
    pub(in crate::ui) fn new(view: &WorkspaceView, plan: RescuePlan) -> RescueBox {
        let is_left_out = |position: &usize| plan.paths[*position].left_out.is_some();
        let (left_out, taken): (Vec<usize>, Vec<usize>) = (0..plan.paths.len()).partition(is_left_out);
        let n_left_out = left_out.len();
        RescueBox {
            workspace: view.id.clone(),
            name: text::line(&view.name),
            order: left_out.into_iter().chain(taken).collect(),
            n_left_out,
            taken_in: BTreeSet::new(),
            chosen: Chosen {
                message: plan.message.clone(),
                // Where HEAD is no usual place, the new branch is chosen beforehand, and the box says why.
                target: plan.target.clone().or_else(|| plan.targets.first().cloned()),
                split: plan.split,
                splits: plan.splits.clone(),
                author: plan.author.clone(),
                wanted: plan.programs.wanted,
            },
            plan: Arc::new(plan),
            writing: None,
            draft: None,
            cursor: 0,
            top: 0,
        }
    }

    /// The paths that the commit would hold.
    pub(super) fn committed(&self) -> impl Iterator<Item = &PlannedPath> {
        let is_in = |(position, path): &(usize, &PlannedPath)| {
            path.left_out.is_none() || self.taken_in.contains(position)
        };
        self.plan.paths.iter().enumerate().filter(is_in).map(|(_, path)| path)
    }

    /// The way of several commits that is chosen.
    pub(super) fn split(&self) -> Option<&PlannedSplit> {
        self.chosen.splits.iter().find(|split| Some(split.kind) == self.chosen.split)
    }

    /// Whether a commit can be made at all, and a person can say where it goes.
    pub(super) fn is_possible(&self) -> bool {
        !self.plan.targets.is_empty()
    }

    /// Whether all is there that a commit needs.
    pub(super) fn can_commit(&self) -> bool {
        self.chosen.author.is_some() && self.has_content()
    }

    /// Whether nothing but the name is missing that the commit is to bear.
    pub(super) fn lacks_author_only(&self) -> bool {
        self.chosen.author.is_none() && self.has_content()
    }

    fn has_content(&self) -> bool {
        self.chosen.target.is_some() && self.committed().next().is_some()
    }

    /// Whether the message is being written: it stands above then.
    pub(super) fn writes_message(&self) -> bool {
        matches!(self.writing, Some(Writing::Message(_)))
    }

    pub(super) fn next_target(&mut self) {
        let targets = &self.plan.targets;
        let at = targets.iter().position(|target| Some(target) == self.chosen.target.as_ref());
        let next = at.map_or(0, |at| (at + 1) % targets.len().max(1));
        self.chosen.target = targets.get(next).cloned();
    }

    /// One commit, then each way of several, and round.
    pub(super) fn next_split(&mut self) {
        let splits = &self.plan.splits;
        let at = splits.iter().position(|split| Some(split.kind) == self.chosen.split);
        let next = at.map_or(0, |at| at + 1);
        self.chosen.split = splits.get(next).map(|split| split.kind);
    }

    /// The plan with all that a person chose.
    pub(super) fn chosen_plan(&self) -> RescuePlan {
        let mut plan = (*self.plan).clone();
        for position in &self.taken_in {
            plan.paths[*position].left_out = None;
        }
        plan.message.clone_from(&self.chosen.message);
        plan.target.clone_from(&self.chosen.target);
        plan.split = self.chosen.split;
        plan.splits.clone_from(&self.chosen.splits);
        plan.author.clone_from(&self.chosen.author);
        plan.programs.wanted = self.chosen.wanted;
        plan
    }
}
