//! The plan of a visible commit: everything that a person confirms. It changes nothing but that a record is
//! made first.

use std::collections::BTreeSet;
use std::path::Path;

use super::error::RescueError;
use super::git::{Git, Input, line};
use super::listing::{self, Tree};
use super::message::{self, Words};
use super::turn::Turn;
use super::visible::{self, Attributes, Staged};
use super::{Recorded, Rescuer, author, moving, split, target};
use crate::model::{LeftOut, PlanNote, PlannedPath, PlannedPrograms, RecordOrder, RescuePlan};

/// What a front knows that a commit message can be made of. All of it may be untrusted text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanRequest {
    /// The message as a person typed it; without it one is proposed.
    pub message: Option<String>,
    /// What the agent was asked for.
    pub task: Option<String>,
    /// What the agent said last.
    pub last_words: Option<String>,
    /// How the record is to be made.
    pub order: RecordOrder,
}

impl From<&str> for PlanRequest {
    fn from(message: &str) -> PlanRequest {
        PlanRequest { message: Some(message.to_owned()), ..PlanRequest::default() }
    }
}

impl Rescuer {
    /// Records the uncommitted work and tells what a visible commit of it would hold. When none can be
    /// made, the plan says why; the record is there all the same.
    pub fn plan(&self, workspace: &Path, request: impl Into<PlanRequest>) -> Result<RescuePlan, RescueError> {
        let request = request.into();
        let turn = Turn::take(self, workspace)?;
        moving::recover(self, &turn)?;
        let (rescued, seen) = self.record_in(&turn, request.order)?;
        let git = turn.git(self);
        let id = rescued.reference.rsplit('/').next().unwrap_or_default().to_owned();
        let mut targets = target::targets(&git, &seen.survey, &self.protected, &id)?;
        let head = match &seen.survey.head.commit {
            Some(commit) => listing::tree(&git, commit),
            None => Ok(Tree::new()),
        };
        let head = head.unwrap_or_else(|error| {
            targets = target::Targets::none(format!(
                "the repository is damaged: the last commit cannot be read: {error}"
            ));
            Tree::new()
        });
        let snapshot = listing::tree(&git, &rescued.snapshot)?;
        let mut paths = visible::paths(&head, &snapshot, &seen.survey);
        let attributes = visible::attributes(&git, &seen.shadow, paths.iter().map(|it| &it.path[..]))?;
        let filters = leave_filters_out(&mut paths, &snapshot, &attributes, &seen);
        let mut splits = Vec::new();
        if !targets.all.is_empty() {
            match stage_all(&git, &seen, &snapshot, &paths, &attributes) {
                Ok(staged) => {
                    show_staged(&mut paths, &snapshot, &staged);
                    splits = split::ways(&seen.survey, &head, &staged);
                }
                Err(RescueError::SavedOnly(words)) => targets = target::Targets::none(words),
                Err(error) => return Err(error),
            }
        }
        let words = Words {
            task: request.task.as_deref(),
            last_words: request.last_words.as_deref(),
            record: &rescued.reference,
        };
        let message = match request.message.filter(|message| !message.trim().is_empty()) {
            Some(message) => message::with_trailers(&message, &rescued.reference),
            None => message::propose(&words, &message::changes(&paths)),
        };
        let notes = notes(&git, &seen, &head, &paths, filters)?;
        Ok(RescuePlan {
            record: rescued.clone(),
            branch: seen.survey.head.branch.clone().unwrap_or_default(),
            head: seen.survey.head.commit.clone(),
            targets: targets.all,
            target: targets.usual,
            splits: split::planned(&splits, &paths, &message, &words),
            paths,
            message,
            refusal: targets.refusal,
            split: None,
            author: author::known(&git)?,
            notes,
            programs: PlannedPrograms::default(),
        })
    }
}

/// Leaves out what an untrusted filter would run for; the names of those filters.
fn leave_filters_out(
    paths: &mut [PlannedPath],
    snapshot: &Tree,
    attributes: &Attributes,
    seen: &Recorded,
) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for path in paths {
        let filter = visible::filter_of(&path.path, snapshot, attributes, &seen.settings);
        if let Some(filter) = filter
            && path.left_out.is_none_or(LeftOut::can_be_asked_for)
        {
            path.left_out = Some(LeftOut::Untrusted);
            names.insert(filter.to_owned());
        }
    }
    names
}

/// Stages everything that can be in a commit, in our own object directory; if that cannot be done, what
/// is in unless something else is asked for.
fn stage_all(
    git: &Git<'_>,
    seen: &Recorded,
    snapshot: &Tree,
    paths: &[PlannedPath],
    attributes: &Attributes,
) -> Result<Staged, RescueError> {
    let all: Vec<PlannedPath> = paths
        .iter()
        .cloned()
        .map(|path| PlannedPath { left_out: path.left_out.filter(|it| !it.can_be_asked_for()), ..path })
        .collect();
    let objects = &seen.shadow.objects;
    let stage =
        |paths| visible::stage(git, &seen.shadow, objects, &seen.settings, snapshot, paths, attributes);
    match stage(&all) {
        Err(RescueError::SavedOnly(_)) => stage(paths),
        other => other,
    }
}

/// Tells in the plan what the commit will hold.
fn show_staged(paths: &mut [PlannedPath], snapshot: &Tree, staged: &Staged) {
    for path in paths {
        if let Some(entry) = staged.get(&path.path) {
            path.is_converted = entry.as_ref() != snapshot.get(&path.path);
            path.object = entry.as_ref().map(|entry| entry.id.clone());
        }
    }
}

/// What is not to be seen from the paths.
fn notes(
    git: &Git<'_>,
    seen: &Recorded,
    head: &Tree,
    paths: &[PlannedPath],
    filters: BTreeSet<String>,
) -> Result<Vec<PlanNote>, RescueError> {
    let mut notes = Vec::new();
    if !filters.is_empty() {
        notes.push(PlanNote::FiltersNotTrusted(filters.into_iter().collect()));
    }
    let n_staged = split::n_staged_versions(&seen.survey, head, paths);
    if n_staged > 0 {
        notes.push(PlanNote::StagedVersions(n_staged));
    }
    let args = ["config", "--type=bool", "--get", "commit.gpgSign"];
    if line(&git.real(args, Input::Lock)?) == "true" {
        notes.push(PlanNote::Unsigned);
    }
    Ok(notes)
}
