//! A planned rescue before it is confirmed, and the person's choices in it. Draws nothing and knows no key.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::{
    CommitAuthor, CommitTarget, PlannedPath, PlannedSplit, RescuePlan, SplitKind, WantedProgram, WorkspaceId,
    WorkspaceView,
};
use crate::ui::dialog::field::Field;
use crate::ui::dialog::message_area::MessageArea;
use crate::ui::text;

/// A planned rescue that the person has not yet confirmed.
#[derive(Debug, Clone, PartialEq)]
pub struct RescueBox {
    pub(super) workspace: WorkspaceId,
    /// Its name, cleaned.
    pub(super) name: String,
    pub(super) plan: Arc<RescuePlan>,
    /// The positions of the paths in display order: those left out come first.
    pub(super) order: Arc<[usize]>,
    pub(super) n_left_out: usize,
    /// The positions of left-out paths that the person included.
    pub(super) taken_in: BTreeSet<usize>,
    /// The person's choices.
    pub(super) chosen: Chosen,
    pub(super) writing: Option<Writing>,
    /// Whether the agent is asked for messages.
    pub(super) asking: Asking,
    /// A message that was written and abandoned.
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
    /// The ways to split into several commits, with messages that cover the included paths.
    pub(super) splits: Vec<PlannedSplit>,
    pub(super) author: Option<CommitAuthor>,
    /// The program that the person wants to run.
    pub(super) wanted: Option<WantedProgram>,
}

impl Chosen {
    /// Turns a program on or off; at most one is on.
    pub(super) fn toggle(&mut self, program: WantedProgram) {
        self.wanted = if self.wanted == Some(program) { None } else { Some(program) };
    }
}

/// Whether the agent is asked for messages and a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asking {
    No,
    /// The person was told what it costs, and the same key asks.
    Offered,
    /// The agent is asked now.
    Sent,
}

/// What is being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Writing {
    Message(MessageArea),
    /// The author's name and mail address.
    Author(Field),
}

impl RescueBox {
    pub(in crate::ui) fn new(view: &WorkspaceView, plan: RescuePlan) -> RescueBox {
        RescueBox::of(view.id.clone(), text::line(&view.name), plan)
    }

    /// The same by the workspace's id and its cleaned name.
    pub(super) fn of(workspace: WorkspaceId, name: String, plan: RescuePlan) -> RescueBox {
        let is_left_out = |position: &usize| plan.paths[*position].left_out.is_some();
        let (left_out, taken): (Vec<usize>, Vec<usize>) = (0..plan.paths.len()).partition(is_left_out);
        let n_left_out = left_out.len();
        RescueBox {
            workspace,
            name,
            order: left_out.into_iter().chain(taken).collect(),
            n_left_out,
            taken_in: BTreeSet::new(),
            chosen: Chosen {
                message: plan.message.clone(),
                // If HEAD is not where commits usually go, the new branch is preselected, and the box says why.
                target: plan.target.clone().or_else(|| plan.targets.first().cloned()),
                split: plan.split,
                splits: plan.splits.clone(),
                author: plan.author.clone(),
                wanted: plan.programs.wanted,
            },
            plan: Arc::new(plan),
            writing: None,
            asking: Asking::No,
            draft: None,
            cursor: 0,
            top: 0,
        }
    }

    /// The paths that the commit would contain.
    pub(super) fn committed(&self) -> impl Iterator<Item = &PlannedPath> {
        let is_in = |(position, path): &(usize, &PlannedPath)| {
            path.left_out.is_none() || self.taken_in.contains(position)
        };
        self.plan.paths.iter().enumerate().filter(is_in).map(|(_, path)| path)
    }

    /// The chosen way to split into several commits.
    pub(super) fn split(&self) -> Option<&PlannedSplit> {
        self.chosen.splits.iter().find(|split| Some(split.kind) == self.chosen.split)
    }

    /// Whether a commit is possible at all, so that the person can choose where it goes.
    pub(super) fn is_possible(&self) -> bool {
        !self.plan.targets.is_empty()
    }

    /// Whether nothing is missing for a commit.
    pub(super) fn can_commit(&self) -> bool {
        self.chosen.author.is_some() && self.has_content()
    }

    /// Whether only the author of the commit is missing.
    pub(super) fn lacks_author_only(&self) -> bool {
        self.chosen.author.is_none() && self.has_content()
    }

    fn has_content(&self) -> bool {
        self.chosen.target.is_some() && self.committed().next().is_some()
    }

    /// Whether the message is being written; it is then shown in the pinned lines.
    pub(super) fn writes_message(&self) -> bool {
        matches!(self.writing, Some(Writing::Message(_)))
    }

    pub(super) fn next_target(&mut self) {
        let targets = &self.plan.targets;
        let at = targets.iter().position(|target| Some(target) == self.chosen.target.as_ref());
        let next = at.map_or(0, |at| (at + 1) % targets.len().max(1));
        self.chosen.target = targets.get(next).cloned();
    }

    /// Steps through one commit and each way of several, then starts over.
    pub(super) fn next_split(&mut self) {
        let splits = &self.plan.splits;
        let at = splits.iter().position(|split| Some(split.kind) == self.chosen.split);
        let next = at.map_or(0, |at| at + 1);
        self.chosen.split = splits.get(next).map(|split| split.kind);
    }

    /// The plan with all the person's choices.
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
