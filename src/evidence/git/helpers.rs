//! Finds what helpers made: branches that were created here since the baseline and merged into HEAD's. Commits that
//! arrive from anywhere else, or of which nobody can tell, are not theirs. Whether a session had any part in such a
//! branch is not known here; the judge compares it with their records.

use super::reader::{Commit, Repo};
use crate::git::{LogEntry, Read, ReflogAction};
use crate::model::{Baseline, BaselineOrigin, CommitId};

/// At most this many merges are looked into.
const MAX_HELPERS: usize = 20;
/// At most this many commits of one helper are its work.
const MAX_COMMITS: usize = 100;
/// Branches that are nobody's helper.
const COMMON_NAMES: [&str; 4] = ["main", "master", "trunk", "develop"];

/// Work of a helper.
#[derive(Debug, Clone)]
pub(super) struct Helper {
    /// The last of its commits.
    pub(super) tip: CommitId,
    /// HEAD before the merge.
    pub(super) before: CommitId,
    /// HEAD after it.
    pub(super) after: CommitId,
    /// The full name of its branch, if that still exists.
    pub(super) branch: Option<String>,
    /// When its branch was created, in seconds since the epoch, if the branch still exists.
    pub(super) began: Option<i64>,
}

impl Helper {
    /// The commits that were merged.
    pub(super) fn commits(&self, repo: &dyn Repo) -> Read<Vec<Commit>> {
        repo.walk(&[self.tip], &[self.before], MAX_COMMITS)
    }
}

/// The helpers whose work is among the `walked` commits.
pub(super) fn find(
    repo: &dyn Repo,
    log: &[LogEntry],
    baseline: &Baseline,
    walked: &[Commit],
) -> Read<Vec<Helper>> {
    let since = match baseline.origin {
        BaselineOrigin::FirstSeen => Some(baseline.set_at),
        BaselineOrigin::Flag
        | BaselineOrigin::Configuration
        | BaselineOrigin::Workspace
        | BaselineOrigin::BranchPoint(_) => baseline.commit_time,
    };
    let since = since.map_or(0, |since| since.0.div_euclid(1000));
    let mut helpers = Vec::new();
    for entry in log.iter().rev() {
        let Some(name) = entry.merged.as_deref().filter(|_| helpers.len() < MAX_HELPERS) else { continue };
        let Some(after) = walked.iter().find(|commit| Some(commit.id) == entry.new) else { continue };
        let is_moved = entry.action == ReflogAction::FastForward;
        let tip = if is_moved { Some(after.id) } else { after.parents.get(1).copied() };
        let (Some(tip), Some(before)) = (tip, entry.old) else { continue };
        let Some((branch, began)) = lane(repo, name, since)? else { continue };
        helpers.push(Helper { tip, before, after: after.id, branch, began });
    }
    Ok(helpers)
}

/// The branch `name` and when it was created, if that was here and not before `since`. Of a branch that is gone,
/// neither is known; it was a local one if nothing else has such a name.
fn lane(repo: &dyn Repo, name: &str, since: i64) -> Read<Option<(Option<String>, Option<i64>)>> {
    let is_id = name.len() >= 4 && name.bytes().all(|digit| digit.is_ascii_hexdigit());
    if is_id
        || COMMON_NAMES.contains(&name)
        || name.contains(['@', '~', '^', ':', ' '])
        || name.contains("HEAD")
    {
        return Ok(None);
    }
    let branch = format!("refs/heads/{name}");
    let remote = name.split('/').next().unwrap_or(name);
    let others =
        [format!("refs/remotes/{name}"), format!("refs/remotes/{remote}"), format!("refs/tags/{name}")];
    let others: Vec<&str> = others.iter().map(String::as_str).chain([branch.as_str()]).collect();
    let found = repo.refs(&others)?;
    if !found.iter().any(|found| found.name == branch) {
        return Ok(found.is_empty().then_some((None, None)));
    }
    let log = repo.reflog(&branch)?;
    let created = log
        .first()
        .filter(|first| first.old.is_none() && first.action == ReflogAction::Move && first.time >= since);
    Ok(created.map(|first| (Some(branch), Some(first.time))))
}
