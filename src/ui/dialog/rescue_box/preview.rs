//! A planned rescue before it is confirmed, and the person's choices in it. Draws nothing and knows no key.

use std::collections::BTreeSet;
use std::sync::Arc;

use ratatui::text::Line;

use crate::model::{
    CommitAuthor, CommitTarget, PlannedPath, PlannedPrograms, PlannedSplit, RescuePlan, RescueRecord,
    SplitKind, WantedProgram, WorkspaceId, WorkspaceView, display_text,
};
use crate::present::action;
use crate::ui::dialog::field::Field;
use crate::ui::dialog::message_area::MessageArea;
use crate::ui::look::{Sign, TextStyle};
use crate::ui::sheet::TextLayout;
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
    pub(super) chosen: Chosen,
    pub(super) writing: Option<Writing>,
    /// Whether the agent is asked for messages.
    pub(super) asking: Asking,
    /// A message that was written and abandoned.
    pub(super) draft: Option<MessageArea>,
    pub(super) cursor: usize,
    pub(super) top: usize,
}

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

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Writing {
    Message(MessageArea),
    /// The author's name and mail address.
    Author(Field),
}

impl RescueBox {
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

    /// Takes over what an agent proposed, and shows it: one message, or a split. All else stays as the person has it.
    pub(super) fn propose(&mut self, proposed: &RescuePlan) {
        let split = proposed.splits.iter().find(|split| Some(split.kind) == proposed.split);
        if let Some(split) = split {
            self.chosen.splits.retain(|known| known.kind != split.kind);
            self.chosen.splits.push(split.clone());
        } else {
            self.chosen.message.clone_from(&proposed.message);
        }
        self.chosen.split = proposed.split;
        self.asking = Asking::No;
        (self.cursor, self.top) = (0, 0);
    }

    /// Steps through one commit and each way of several, then starts over.
    pub(super) fn next_split(&mut self) {
        let splits = &self.chosen.splits;
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

/// At most this many gaps are named; the rest are counted.
const MAX_GAPS: usize = 20;

/// What could not be recorded exactly.
pub(super) fn gaps(record: &RescueRecord, sheet: TextLayout) -> Vec<Line<'static>> {
    let mut sentences: Vec<String> = Vec::new();
    if !record.is_settled {
        sentences.push("Files still changed while they were recorded.".to_owned());
    }
    sentences.extend(record.gaps.iter().take(MAX_GAPS).map(|gap| {
        let name = display_text::bytes(&gap.path);
        let of = if name.is_empty() { String::new() } else { format!("{name}: ") };
        format!("not recorded exactly: {}{}", text::line(&of), text::line(&gap.reason))
    }));
    if record.gaps.len() > MAX_GAPS {
        sentences.push(format!("and {} more gaps", record.gaps.len() - MAX_GAPS));
    }
    let signed = |words: String| sheet.signed(Sign::Warning, TextStyle::Bad, &words, TextStyle::Open);
    sentences.into_iter().flat_map(signed).collect()
}

/// The programs that the person can choose to run.
pub(super) fn programs(
    programs: &PlannedPrograms,
    wanted: Option<WantedProgram>,
    sheet: TextLayout,
) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    if wanted == Some(WantedProgram::Hooks) {
        let words = format!("The repository's hooks run: {}", text::line(&programs.hooks.join(", ")));
        lines.extend(sheet.signed(Sign::Warning, TextStyle::Bad, &words, TextStyle::Open));
    }
    if let Some(own) = &programs.own {
        let command = action::command(&own.words);
        if wanted == Some(WantedProgram::Own) {
            let words = format!("Your own program makes the commit: {command}");
            lines.extend(sheet.signed(Sign::Warning, TextStyle::Bad, &words, TextStyle::Open));
        } else {
            let trust = if own.is_trusted { "not used" } else { "not trusted, not used" };
            lines.extend(sheet.labelled("own program", &format!("{command}  ({trust})")));
        }
    }
    let has_programs = !programs.hooks.is_empty() || !programs.filters.is_empty();
    let is_own_untrusted = programs.own.as_ref().is_some_and(|own| !own.is_trusted);
    if (has_programs && !programs.is_trusted) || is_own_untrusted {
        let words = "`closeout trust` shows these programs and asks whether you trust them";
        lines.extend(sheet.labelled("trust", words));
    }
    lines
}
