//! Builds the plan of a visible commit: everything that a person confirms. It must not change anything, except
//! that a record is made first.

use std::collections::BTreeSet;
use std::path::Path;

use crate::action::rescue::Rescuer;
use crate::action::rescue::base::{RescueError, author};
use crate::action::rescue::lock::WorktreeLock;
use crate::action::rescue::ref_transaction::target;
use crate::action::rescue::snapshot::Recorded;
use crate::action::rescue::survey::spool::STREAM;
use crate::action::rescue::survey::{Tree, leaving_out, listing};
use crate::action::rescue::trust::Programs;
use crate::action::rescue::visible::{
    self, Attributes, MessageFacts, Staged, Staging, Trusted, message, split,
};
use crate::git::{ForPrograms, Git};
use crate::model::{
    LeftOut, OwnProgram, PlanNote, PlannedPath, PlannedPrograms, RecordNotice, RecordOrder, RefName,
    RescuePlan, RescueRecord,
};

/// What the front contributes to a plan, mostly material for the commit message. All of it may be untrusted
/// text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanRequest {
    /// The message that a person typed; if `None`, one is proposed.
    pub message: Option<String>,
    /// What the agent was asked to do.
    pub task: Option<String>,
    /// The agent's last message.
    pub last_words: Option<String>,
    /// Evidence files by their names: left out of the commit unless a person includes them.
    pub evidence: Vec<String>,
    /// Patterns of what the person calls noise, left out likewise.
    pub noise: Vec<String>,
    /// How the record is to be made.
    pub order: RecordOrder,
}

impl From<&str> for PlanRequest {
    fn from(message: &str) -> PlanRequest {
        PlanRequest { message: Some(message.to_owned()), ..PlanRequest::default() }
    }
}

impl Rescuer {
    /// Records the uncommitted work and shows what a visible commit of it would hold. If no commit can be made,
    /// the plan says why; the record is kept either way.
    pub fn plan(&self, workspace: &Path, request: impl Into<PlanRequest>) -> Result<RescuePlan, RescueError> {
        let request = request.into();
        let (worktree, record, current) = self.recorded(workspace, request.order)?;
        let reference = record.reference.clone();
        self.plan_of_record(&worktree, request, record, &current).map_err(|error| error.keeping(&reference))
    }

    fn plan_of_record(
        &self,
        worktree: &WorktreeLock,
        request: PlanRequest,
        record: RescueRecord,
        current: &Recorded,
    ) -> Result<RescuePlan, RescueError> {
        let git = worktree.git();
        let id = record.reference.id().to_owned();
        let mut targets = target::targets(&git, &current.survey, &self.protected, &id)?;
        let head = current.head_tree();
        if let Err(words) = &current.head {
            targets = target::Targets::none(words.clone());
        }
        let vault_only = record.notices.iter().find_map(vault_only);
        if let Some(reason) = vault_only.or(current.settings.in_the_way.as_deref()) {
            targets = target::Targets::none(reason);
        }
        let snapshot = &current.snapshot;
        let mut paths = visible::paths(head, snapshot, &current.survey);
        paths.retain(|path| !current.unchanged.stored_alike.contains(&path.path));
        leaving_out::exclude_no_work(&mut paths, &request.evidence, &request.noise);
        // Contents in the vault are not read again for a commit that cannot be made.
        if vault_only.is_none() {
            leaving_out::leave_keys_out(&current.survey, &current.shadow.file(STREAM), &mut paths)?;
        }
        let survey = &current.survey;
        let programs = self.programs(&git, &current.settings, &survey.entries, &survey.untracked)?;
        let Shown { ways, filters, committed_on } =
            self.show_commit(&git, current, &programs, &mut targets, &mut paths)?;
        let words = message::proposed(&MessageFacts {
            task: request.task.as_deref(),
            said: request.last_words.as_deref(),
            record: &record.reference,
        });
        let changes: Vec<_> = paths
            .iter()
            .filter(|path| path.left_out.is_none())
            .map(|path| (&path.path[..], path.change))
            .collect();
        let message = match request.message.filter(|message| !message.trim().is_empty()) {
            Some(message) => words.with_trailers(&message),
            None => words.message(&changes),
        };
        let filters: Vec<String> = filters.into_iter().collect();
        let mut notes = notes(current, &programs, &paths, &filters);
        notes.extend(committed_on.map(PlanNote::CommittedOn));
        Ok(RescuePlan {
            record,
            branch: current.survey.head.branch.clone(),
            head: current.survey.head.commit,
            targets: targets.all,
            target: targets.usual,
            splits: split::planned(&ways, &current.survey, head, &paths, &message, &words),
            paths,
            message,
            words,
            refusal: targets.refusal,
            split: None,
            author: author::known(&git, &current.settings)?,
            notes,
            programs: Self::planned_programs(programs, filters),
        })
    }
}

/// What the commit would be.
#[derive(Default)]
struct Shown {
    /// The possible splits.
    ways: Vec<split::Route>,
    /// The filters that would run a program.
    filters: BTreeSet<String>,
    /// The new branch of an earlier rescue that holds the commit already.
    committed_on: Option<RefName>,
}

/// Why the record has no reference, which a visible commit needs.
fn vault_only(notice: &RecordNotice) -> Option<&str> {
    if let RecordNotice::VaultOnly { reason } = notice { Some(reason) } else { None }
}

impl Rescuer {
    /// Fills `paths` with what the commit would hold.
    fn show_commit(
        &self,
        git: &Git<'_>,
        current: &Recorded,
        programs: &Programs,
        targets: &mut target::Targets,
        paths: &mut [PlannedPath],
    ) -> Result<Shown, RescueError> {
        let attributes = current.attributes(git, paths.iter().map(|it| &it.path[..]))?;
        let filters = filters(paths, &attributes, current, programs.is_trusted);
        let mut shown = Shown { filters, ..Shown::default() };
        if targets.all.is_empty() {
            return Ok(shown);
        }
        let staging = current.staging(git, &attributes, self.for_programs(programs));
        let can_commit = visible::check_commits(git, &current.shadow, current.survey.head.commit);
        match can_commit.and_then(|()| stage_all(&staging, paths)) {
            Ok(staged) => {
                show_staged(paths, &current.snapshot, &staged);
                shown.ways = split::ways(&current.survey, current.head_tree(), &staged);
                if targets.usual.is_none() {
                    let found = committed_on(git, current, paths, &staged);
                    // The plan is worth more than this note on it.
                    shown.committed_on = found.unwrap_or_else(|error| {
                        tracing::debug!("{error}");
                        None
                    });
                    git.check_cancelled()?;
                }
            }
            Err(RescueError::SavedOnly(words)) => *targets = target::Targets::none(words),
            Err(error) => return Err(error),
        }
        Ok(shown)
    }

    /// What trusted filters run and get; `None` if they are not trusted.
    pub(super) fn for_programs<'a>(&'a self, programs: &'a Programs) -> Option<Trusted<'a>> {
        let (env, launcher) = (&self.program_env[..], self.launcher.as_ref());
        let limits = ForPrograms { env, limit: self.program_limit, launcher };
        programs.is_trusted.then_some(Trusted { programs, limits })
    }

    fn planned_programs(programs: Programs, filters: Vec<String>) -> PlannedPrograms {
        PlannedPrograms {
            is_trusted: programs.is_trusted,
            filters,
            hooks: programs.hooks.keys().map(|name| (*name).to_owned()).collect(),
            own: programs.own.map(|own| OwnProgram { words: own.words, is_trusted: programs.is_own_trusted }),
            wanted: None,
            spec: None,
            digest: programs.list.digest,
        }
    }
}

/// The names of the filters that would run a program for one of the paths. If they are not trusted, these paths
/// are left out of the commit.
fn filters(
    paths: &mut [PlannedPath],
    attributes: &Attributes,
    current: &Recorded,
    is_trusted: bool,
) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for path in paths {
        let filter = visible::filter_of(&path.path, &current.snapshot, attributes, &current.settings);
        if let Some(filter) = filter
            && path.left_out.is_none_or(LeftOut::can_be_asked_for)
        {
            if !is_trusted {
                path.left_out = Some(LeftOut::Untrusted);
            }
            names.insert(filter.to_owned());
        }
    }
    names
}

/// Stages every path that could be included, in our own object directory. If that fails, stages only what is
/// included by default.
fn stage_all(staging: &Staging<'_>, paths: &[PlannedPath]) -> Result<Staged, RescueError> {
    let all: Vec<PlannedPath> = paths
        .iter()
        .cloned()
        .map(|path| PlannedPath { left_out: path.left_out.filter(|it| !it.can_be_asked_for()), ..path })
        .collect();
    match staging.stage(&all) {
        Err(RescueError::SavedOnly(_)) => staging.stage(paths),
        other => other,
    }
}

/// Copies what was staged into the plan's paths.
fn show_staged(paths: &mut [PlannedPath], snapshot: &Tree, staged: &Staged) {
    for path in paths {
        if let Some(entry) = staged.get(&path.path) {
            path.is_converted = entry.as_ref() != snapshot.get(&path.path);
            path.object = entry.as_ref().map(|entry| entry.id.clone());
        }
    }
}

/// The new branch of an earlier rescue whose commit is the one that the plan shows, on the same commit.
fn committed_on(
    git: &Git<'_>,
    current: &Recorded,
    paths: &[PlannedPath],
    staged: &Staged,
) -> Result<Option<RefName>, RescueError> {
    let mut tree = current.head_tree().clone();
    for path in paths.iter().filter(|path| path.left_out.is_none()) {
        match staged.get(&path.path).and_then(Option::as_ref) {
            Some(entry) => drop(tree.insert(path.path.clone(), entry.clone())),
            None => drop(tree.remove(&path.path)),
        }
    }
    let trees = listing::trees(git.repo.format, &tree)?;
    let Some(top) = trees.last().filter(|_| tree != *current.head_tree()) else { return Ok(None) };
    target::with_commit(git, &top.id, current.survey.head.commit)
}

/// How many commands a note names before it only counts the rest.
const MAX_NAMED: usize = 6;

/// The first [`MAX_NAMED`] names, then how many more there are.
fn shown(names: &[String]) -> Vec<String> {
    let mut shown: Vec<String> = names.iter().take(MAX_NAMED).cloned().collect();
    if names.len() > MAX_NAMED {
        shown.push(format!("{} more", names.len() - MAX_NAMED));
    }
    shown
}

/// Notes on what the list of paths does not show.
fn notes(
    current: &Recorded,
    programs: &Programs,
    paths: &[PlannedPath],
    filters: &[String],
) -> Vec<PlanNote> {
    let mut notes = Vec::new();
    if !filters.is_empty() && !programs.is_trusted {
        notes.push(PlanNote::FiltersNotTrusted(filters.to_vec()));
    }
    let n_staged = split::n_staged_versions(&current.survey, current.head_tree(), paths, &[]);
    if n_staged > 0 {
        notes.push(PlanNote::StagedVersions(n_staged));
    }
    if current.settings.is_signing() {
        notes.push(PlanNote::Unsigned);
    }
    if !programs.hooks.is_empty() {
        let names = programs.hooks.keys().map(|name| (*name).to_owned()).collect();
        notes.push(PlanNote::HooksNotRun(names));
    }
    if !programs.unknown.is_empty() {
        notes.push(PlanNote::NotCovered(shown(&programs.unknown)));
    }
    notes
}
