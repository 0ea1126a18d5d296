//! Splits one rescue into several commits: what was staged and then the rest, or one per top-level folder. The
//! last commit must not differ in content from the single commit.

use std::collections::BTreeMap;

use crate::action::rescue::base::RescueError;
use crate::action::rescue::survey::{Survey, Tree, TreeEntry};
use crate::action::rescue::visible::{Staged, changed};
use crate::model::{
    CommitPath, MessageWords, PlannedChange, PlannedCommit, PlannedPath, PlannedSplit, RescuePlan, SplitKind,
};

/// With more commits than this, a split is not offered.
const MAX: usize = 20;

/// A kind of split, and what each of its commits changes.
pub(crate) struct Route {
    kind: SplitKind,
    commits: Vec<Staged>,
}

/// The splits that are possible for what the commit stages.
pub(crate) fn ways(survey: &Survey, head: &Tree, staged: &Staged) -> Vec<Route> {
    let ways = [
        Route { kind: SplitKind::Staged, commits: by_index(survey, head, staged) },
        Route { kind: SplitKind::Folders, commits: by_folder(staged) },
    ];
    ways.into_iter()
        .filter(|way| {
            way.commits.len() <= MAX && way.commits.iter().filter(|commit| !commit.is_empty()).count() > 1
        })
        .collect()
}

/// What the index has where it differs from the last commit; `None` for a removed path.
fn staged_versions<'s>(survey: &'s Survey, head: &'s Tree) -> BTreeMap<&'s [u8], Option<TreeEntry>> {
    let mut versions: BTreeMap<&[u8], Option<TreeEntry>> =
        head.keys().map(|path| (&path[..], None)).collect();
    for entry in &survey.entries {
        if entry.stage == 0 && !entry.is_intent() && !entry.is_gitlink() {
            let version = TreeEntry { mode: entry.mode.clone(), id: entry.id.clone() };
            versions.insert(&entry.path, Some(version));
        } else {
            versions.remove(&entry.path[..]);
        }
    }
    versions.retain(|path, version| head.get(*path) != version.as_ref());
    versions
}

fn by_index(survey: &Survey, head: &Tree, staged: &Staged) -> Vec<Staged> {
    let versions = staged_versions(survey, head);
    let mut first = Staged::new();
    let mut rest = Staged::new();
    for (path, last) in staged {
        match versions.get(&path[..]) {
            Some(version) => {
                first.insert(path.clone(), version.clone());
                if version != last {
                    rest.insert(path.clone(), last.clone());
                }
            }
            None => drop(rest.insert(path.clone(), last.clone())),
        }
    }
    vec![first, rest]
}

fn by_folder(staged: &Staged) -> Vec<Staged> {
    let mut groups: BTreeMap<&[u8], Staged> = BTreeMap::new();
    for (path, entry) in staged {
        groups.entry(top_folder(path)).or_default().insert(path.clone(), entry.clone());
    }
    groups.into_values().collect()
}

/// The groups of a plan, each with the current staging of its paths. A path in no group, or in two, makes the
/// whole plan fail.
fn by_plan(shown: &PlannedSplit, staged: &Staged) -> Result<Vec<Staged>, RescueError> {
    let mut rest = staged.clone();
    let group = |commit: &PlannedCommit| -> Staged {
        commit.paths.iter().filter_map(|path| rest.remove_entry(&path.path)).collect()
    };
    let groups = shown.commits.iter().map(group).collect();
    if rest.is_empty() { Ok(groups) } else { Err(changed()) }
}

/// The top-level folder of a path; empty for a file at the top.
fn top_folder(path: &[u8]) -> &[u8] {
    path.iter().position(|byte| *byte == b'/').map_or(b"", |end| &path[..end])
}

/// How many staged versions are in neither the last commit, nor the new one, nor any of `commits`. The record
/// keeps them.
pub(crate) fn n_staged_versions(
    survey: &Survey,
    head: &Tree,
    paths: &[PlannedPath],
    commits: &[Staged],
) -> usize {
    let is_committed = |path: &[u8], version: &TreeEntry| {
        commits.iter().any(|commit| matches!(commit.get(path), Some(Some(entry)) if entry.id == version.id))
    };
    let objects: BTreeMap<&[u8], Option<&String>> = paths
        .iter()
        .filter(|path| path.left_out.is_none())
        .map(|path| (&path.path[..], path.object.as_ref()))
        .collect();
    staged_versions(survey, head)
        .iter()
        .filter_map(|(path, version)| Some((path, version.as_ref()?)))
        .filter(|(path, version)| {
            let id = match objects.get(*path) {
                Some(object) => object.map(String::as_str),
                None => survey.blobs.get(**path).map(|blob| blob.id.as_str()),
            };
            id != Some(version.id.as_str()) && !is_committed(path, version)
        })
        .count()
}

/// The splits in the form that a plan shows.
pub(crate) fn planned(
    ways: &[Route],
    survey: &Survey,
    head: &Tree,
    paths: &[PlannedPath],
    message: &str,
    words: &MessageWords,
) -> Vec<PlannedSplit> {
    let sizes: BTreeMap<&[u8], &PlannedPath> = paths.iter().map(|path| (&path.path[..], path)).collect();
    let commit = |kind: SplitKind, n: usize, entries: &Staged| {
        let of_commit: Vec<(&[u8], PlannedChange)> = entries
            .keys()
            .filter_map(|path| {
                let planned = sizes.get(&path[..])?;
                planned.left_out.is_none().then_some((&path[..], planned.change))
            })
            .collect();
        let message = match (kind, n) {
            (SplitKind::Staged, 0) => message.to_owned(),
            (SplitKind::Staged | SplitKind::Folders | SplitKind::Agent, _) => {
                words.message_of_part(&of_commit)
            }
        };
        let paths = entries
            .iter()
            .map(|(path, entry)| CommitPath {
                path: path.clone(),
                object: entry.as_ref().map(|entry| entry.id.clone()),
            })
            .collect();
        PlannedCommit { message, paths }
    };
    let split = |way: &Route| PlannedSplit {
        kind: way.kind,
        commits: way.commits.iter().enumerate().map(|(n, entries)| commit(way.kind, n, entries)).collect(),
        n_staged_versions: n_staged_versions(survey, head, paths, &way.commits),
    };
    ways.iter().map(split).collect()
}

/// The commits that a plan asks for, as changes taken from `staged`, with their messages. Fails if they are not
/// as the plan shows.
pub(crate) fn chosen(
    plan: &RescuePlan,
    survey: &Survey,
    head: &Tree,
    staged: &Staged,
) -> Result<Vec<(Staged, String)>, RescueError> {
    let Some(kind) = plan.split else { return Ok(vec![(staged.clone(), plan.message.clone())]) };
    let Some(shown) = plan.splits.iter().find(|split| split.kind == kind) else { return Err(changed()) };
    let commits = match kind {
        SplitKind::Staged => by_index(survey, head, staged),
        SplitKind::Folders => by_folder(staged),
        SplitKind::Agent => by_plan(shown, staged)?,
    };
    let commits: Vec<Staged> = commits.into_iter().filter(|commit| !commit.is_empty()).collect();
    let shown: Vec<(Vec<&CommitPath>, &String)> = shown
        .commits
        .iter()
        .map(|commit| {
            (commit.paths.iter().filter(|it| staged.contains_key(&it.path)).collect(), &commit.message)
        })
        .filter(|(paths, _): &(Vec<_>, _)| !paths.is_empty())
        .collect();
    if commits.len() != shown.len() {
        return Err(changed());
    }
    commits
        .into_iter()
        .zip(shown)
        .map(|(commit, (paths, message))| {
            let is_shown = commit.len() == paths.len()
                && commit.iter().zip(paths).all(|((path, entry), shown)| {
                    *path == shown.path && entry.as_ref().map(|entry| &entry.id) == shown.object.as_ref()
                });
            if is_shown { Ok((commit, message.clone())) } else { Err(changed()) }
        })
        .collect()
}
