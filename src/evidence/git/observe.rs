//! One observation of one workspace's repository: find it, choose who reads it, read it, remember it.

use std::path::Path;

use super::in_process::InProcess;
use super::layout::{Layout, refuse_foreign};
use super::memory::{GitMemory, Stamp};
use super::reader::Repo;
use super::trouble::{Read, libgit2_trouble};
use super::{GitAsk, baseline, changes, commits, raw, targets};
use crate::model::{Baseline, GitFacts, GitObservation, Head, Reading, Upstream};

/// What git says of `workspace`. `NotConfigured` when no repository is there. Blocks; belongs on a
/// thread that may wait.
pub fn observe(workspace: &Path, ask: &GitAsk<'_>, memory: &mut GitMemory) -> Reading<GitObservation> {
    match try_observe(workspace, ask, memory) {
        Ok(Some(observation)) => Reading::Present(observation),
        Ok(None) => Reading::NotConfigured,
        Err(unreadable) => {
            memory.forget();
            Reading::Unreadable(unreadable)
        }
    }
}

fn try_observe(workspace: &Path, ask: &GitAsk<'_>, memory: &mut GitMemory) -> Read<Option<GitObservation>> {
    let Some(layout) = Layout::find(workspace)? else { return Ok(None) };
    layout.check(ask.changes)?;
    if !layout.is_own() {
        return Err(refuse_foreign());
    }
    let repo = InProcess::open(&layout).map_err(|error| libgit2_trouble(&error))?;
    let (mut facts, targets, stamp) = read_facts(&repo, &layout, ask)?;
    memory.remember(&layout, stamp, &facts, &targets);
    if ask.changes {
        facts.changes = Some(changes::read(&repo, &layout.prefix, ask.evidence_files)?);
    }
    Ok(Some(GitObservation { facts, top: layout.top, watch_targets: targets }))
}

type Facts = (GitFacts, Vec<crate::model::WatchTarget>, Option<Stamp>);

fn read_facts(repo: &dyn Repo, layout: &Layout, ask: &GitAsk<'_>) -> Read<Facts> {
    let head = repo.head()?;
    let mut notes = Vec::new();
    let upstream_name = match &head {
        Head::Branch { name, .. } => repo.upstream(name)?,
        Head::Detached { .. } | Head::Unborn { .. } => None,
    };
    let stamp = Stamp::of(layout, upstream_name.as_deref());
    let upstream = match (&head, &upstream_name) {
        (Head::Branch { commit, .. }, Some(name)) => {
            let there = repo.refs(&[name])?.into_iter().find(|found| found.name == *name);
            match there {
                Some(there) => {
                    let (ahead, behind) = repo.ahead_behind(commit, &there.commit)?;
                    Some(Upstream { name: baseline::short(name).to_owned(), ahead, behind })
                }
                None => None,
            }
        }
        _ => None,
    };
    let baseline: Baseline = baseline::choose(repo, layout, &head, &ask.baseline, ask.now, &mut notes)?;
    let commits = commits::count(repo, layout, &head, &baseline)?;
    let targets = targets::of(layout, &head, upstream_name.as_deref());
    let facts = GitFacts {
        head,
        baseline,
        commits,
        operation: raw::operation(layout),
        upstream,
        n_stashed: super::reflog::count(&raw::log_path(layout, "refs/stash"))?,
        changes: None,
        reader: repo.reader(),
        notes,
    };
    Ok((facts, targets, stamp))
}
