//! Determines the baseline, the commit from which work is counted: given, remembered, or found.

use super::BaselineChoice;
use super::reader::{Ref, Repo};
use crate::git::{self, LogEntry, Read, Repository, trouble};
use crate::model::{Baseline, BaselineOrigin, CommitId, Head, ReadProblem, Timestamp, display_text};

/// Names of default branches, tried when the remote does not name its own.
const DEFAULT_NAMES: [&str; 4] = ["main", "master", "trunk", "develop"];

/// At most this many commits are walked for one that was made before a time.
const MAX_WALKED: usize = 500;

/// The baseline. `notes` receives what a person should know about how it was chosen.
pub(super) fn choose(
    repo: &dyn Repo,
    repository: &Repository,
    head: &Head,
    choice: &BaselineChoice<'_>,
    now: Timestamp,
    notes: &mut Vec<String>,
) -> Read<Baseline> {
    match choice {
        BaselineChoice::Given { rev, origin } => given(repo, rev, origin, None, now),
        BaselineChoice::GivenAt { rev, origin, at } => given(repo, rev, origin, Some(*at), now),
        BaselineChoice::Remembered(baseline) => {
            let Some(commit) = &baseline.commit else { return Ok((*baseline).clone()) };
            if repo.commits(std::slice::from_ref(commit))?.iter().any(Option::is_some) {
                return Ok((*baseline).clone());
            }
            notes.push(format!(
                "the remembered baseline {commit:.8} is gone from the repository; a new one was found"
            ));
            find(repo, repository, head, now, now)
        }
        BaselineChoice::Find => find(repo, repository, head, now, now),
        BaselineChoice::FindBefore(asked_at) => find(repo, repository, head, *asked_at, now),
    }
}

fn given(
    repo: &dyn Repo,
    rev: &str,
    origin: &BaselineOrigin,
    at: Option<Timestamp>,
    now: Timestamp,
) -> Read<Baseline> {
    // A leading dash could be taken for an option, and no revision needs one.
    let found = if rev.starts_with('-') || rev.is_empty() { None } else { repo.resolve(rev)? };
    let Some(commit) = found else {
        let rev = display_text::line(rev);
        return Err(trouble(
            ReadProblem::Invalid,
            format!("baseline `{rev}` is no commit of this repository"),
        ));
    };
    let commit = match at {
        Some(at) => branch_at(repo, rev, commit, at)?.unwrap_or(commit),
        None => commit,
    };
    with_time(repo, Some(commit), origin.clone(), now)
}

/// The commit of the branch `rev`, here or of a remote, at `at`, by the branch's log: it is at `tip` now, and what was
/// pushed or merged since `at` is no reason to count less. `None` if `rev` is no branch, or if no log tells.
fn branch_at(repo: &dyn Repo, rev: &str, tip: CommitId, at: Timestamp) -> Read<Option<CommitId>> {
    let names = [rev.to_owned(), format!("refs/heads/{rev}"), format!("refs/remotes/{rev}")];
    for name in names.iter().filter(|name| name.starts_with("refs/") && is_plain_name(name)) {
        let Some(branch) = repo.refs(&[name])?.into_iter().find(|found| found.name == *name) else {
            continue;
        };
        if branch.commit != tip {
            continue;
        }
        let log: Vec<LogEntry> = repo.reflog(branch.target.as_deref().unwrap_or(name))?;
        let Some(before) = first_since(&log, at).and_then(|entry| entry.old) else { return Ok(None) };
        let is_there = repo.commits(&[before])?.iter().any(Option::is_some);
        return Ok(is_there.then_some(before));
    }
    Ok(None)
}

/// Whether a text names a reference and nothing that is reckoned from one, like `main~1` or `main@{1}`.
fn is_plain_name(text: &str) -> bool {
    git2::Reference::is_valid_name(text)
}

/// The first entry of a log since `at`. Nobody has an answer to a prompt committed within its second, but a script has.
fn first_since(log: &[LogEntry], at: Timestamp) -> Option<&LogEntry> {
    let seconds = at.0.div_euclid(1000);
    log.iter().find(|entry| entry.time >= seconds)
}

fn with_time(
    repo: &dyn Repo,
    commit: Option<CommitId>,
    origin: BaselineOrigin,
    now: Timestamp,
) -> Read<Baseline> {
    let commit_time = match commit {
        Some(id) => repo.commits(&[id])?.into_iter().flatten().next(),
        None => None,
    };
    let commit_time = commit_time.map(|commit| Timestamp(commit.time.saturating_mul(1000)));
    Ok(Baseline { commit, origin, set_at: now, commit_time })
}

/// The commit where the branch left the default branch; for the default branch itself, where it left its
/// upstream; otherwise HEAD as it stood at `asked_at`, the time of the first prompt or, if there was none, of
/// this look.
fn find(
    repo: &dyn Repo,
    repository: &Repository,
    head: &Head,
    asked_at: Timestamp,
    now: Timestamp,
) -> Read<Baseline> {
    let Some(tip) = head.commit() else { return with_time(repo, None, BaselineOrigin::FirstSeen, now) };
    let first_seen = |repo| match stood_at(repo, asked_at)? {
        Some(baseline) => Ok(baseline),
        None if !git::has_head_log(repository) => made_before(repo, tip, asked_at),
        None => with_time(repo, Some(tip), BaselineOrigin::FirstSeen, now),
    };
    let tips = default_tips(repo)?;
    let is_default = |name: &str| tips.iter().any(|found| found.name == format!("refs/heads/{name}"));
    let branch_point_of = |name: &str| BaselineOrigin::BranchPoint(short(name).to_owned());
    if let Some(branch) =
        head.branch().filter(|name| is_default(name) || tips.iter().any(|tip| leaf(tip) == *name))
    {
        let Some(upstream) = repo.upstream(branch)? else { return first_seen(repo) };
        let Some(there) = repo.refs(&[&upstream])?.into_iter().find(|found| found.name == upstream) else {
            return first_seen(repo);
        };
        return match repo.merge_base(tip, there.commit)? {
            Some(base) if base != tip => with_time(repo, Some(base), branch_point_of(&upstream), now),
            Some(_) | None => first_seen(repo),
        };
    }
    let mut best: Option<(CommitId, &Ref)> = None;
    for default in &tips {
        let Some(base) = repo.merge_base(tip, default.commit)? else { continue };
        // The nearer of two branch points counts, since the local default branch may lag behind.
        let is_nearer = match best {
            None => true,
            Some((before, _)) => before != base && repo.merge_base(before, base)? == Some(before),
        };
        if is_nearer {
            best = Some((base, default));
        }
    }
    let Some((base, default)) = best else {
        // Without a common ancestor the whole branch is work, unless the clone is shallow.
        return match tips.first() {
            Some(default) if !git::is_shallow(repository) => {
                with_time(repo, None, branch_point_of(&default.name), now)
            }
            Some(_) | None => first_seen(repo),
        };
    };
    if let Some(baseline) = begun_before_branch(repo, head, tip, asked_at)? {
        return Ok(baseline);
    }
    // On no branch, nothing tells where one began.
    if base == tip && head.branch().is_none() {
        return first_seen(repo);
    }
    let base = if base == tip { created_at(repo, head, tip)?.unwrap_or(base) } else { base };
    with_time(repo, Some(base), branch_point_of(&default.name), now)
}

/// Where HEAD stood at `at`, by its log; `None` if it has not moved since, or if that commit no longer exists.
fn stood_at(repo: &dyn Repo, at: Timestamp) -> Read<Option<Baseline>> {
    let log: Vec<LogEntry> = repo.reflog("HEAD")?;
    let Some(first) = first_since(&log, at) else { return Ok(None) };
    if first.old.is_none() && first.action.is_making() {
        return with_time(repo, None, BaselineOrigin::FirstSeen, at).map(Some);
    }
    // A clone or a new worktree begins with a commit that was made elsewhere.
    let Some(before) = first.old.or(first.new) else { return Ok(None) };
    let is_there = repo.commits(&[before])?.iter().any(Option::is_some);
    is_there.then(|| with_time(repo, Some(before), BaselineOrigin::FirstSeen, at)).transpose()
}

/// Without a log of HEAD: its last commit that was made no later than `at`.
fn made_before(repo: &dyn Repo, tip: CommitId, at: Timestamp) -> Read<Baseline> {
    let walked = repo.walk(&[tip], &[], MAX_WALKED)?;
    let mut next = Some(tip);
    while let Some(id) = next.take() {
        let known = walked.iter().find(|commit| commit.id == id);
        if let Some(commit) = known.filter(|commit| commit.time > at.0.div_euclid(1000)) {
            next = commit.parents.first().copied();
        } else {
            next = repo.commits(&[id])?.iter().any(Option::is_some).then_some(id);
            break;
        }
    }
    with_time(repo, next, BaselineOrigin::FirstSeen, at)
}

/// Where HEAD stood at the first prompt, if the branch was created later: earlier work counts too.
fn begun_before_branch(
    repo: &dyn Repo,
    head: &Head,
    tip: CommitId,
    asked_at: Timestamp,
) -> Read<Option<Baseline>> {
    let Some(branch) = head.branch() else { return Ok(None) };
    let log: Vec<LogEntry> = repo.reflog(&format!("refs/heads/{branch}"))?;
    let is_made_since = |first: &LogEntry| first.old.is_none() && first.time > asked_at.0.div_euclid(1000);
    if !log.first().is_some_and(is_made_since) {
        return Ok(None);
    }
    let Some(baseline) = stood_at(repo, asked_at)? else { return Ok(None) };
    let Some(commit) = baseline.commit else { return Ok(None) };
    Ok((repo.merge_base(tip, commit)? == Some(commit)).then_some(baseline))
}

/// The existing tips of the default branch, local and remote.
fn default_tips(repo: &dyn Repo) -> Read<Vec<Ref>> {
    const REMOTE_HEAD: &str = "refs/remotes/origin/HEAD";
    let mut names: Vec<String> = vec![REMOTE_HEAD.to_owned()];
    for name in DEFAULT_NAMES {
        names.push(format!("refs/heads/{name}"));
        names.push(format!("refs/remotes/origin/{name}"));
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut found: Vec<Ref> =
        repo.refs(&names)?.into_iter().filter(|found| names.contains(&found.name.as_str())).collect();
    let said = found.iter().find(|found| found.name == REMOTE_HEAD).cloned();
    found.retain(|found| found.name != REMOTE_HEAD);
    let leaf = match said.as_ref().and_then(|said| said.target.as_deref()) {
        Some(target) => target.strip_prefix("refs/remotes/origin/").unwrap_or(target).to_owned(),
        None => match DEFAULT_NAMES.iter().find(|name| found.iter().any(|found| leaf(found) == **name)) {
            Some(name) => (*name).to_owned(),
            None => return Ok(Vec::new()),
        },
    };
    let pair = [format!("refs/heads/{leaf}"), format!("refs/remotes/origin/{leaf}")];
    let mut tips = Vec::new();
    for name in &pair {
        tips.extend(repo.refs(&[name])?.into_iter().filter(|found| found.name == *name));
    }
    Ok(tips)
}

/// A branch whose commits are all in the default branch may have been merged; the commit at which it was
/// created shows what was done on it.
fn created_at(repo: &dyn Repo, head: &Head, tip: CommitId) -> Read<Option<CommitId>> {
    let Some(branch) = head.branch() else { return Ok(None) };
    let log: Vec<LogEntry> = repo.reflog(&format!("refs/heads/{branch}"))?;
    let first = log.first().filter(|first| first.old.is_none() && !first.action.is_making());
    let Some(start) = first.and_then(|first| first.new) else { return Ok(None) };
    if !repo.commits(&[start])?.iter().any(Option::is_some) {
        return Ok(None);
    }
    Ok((repo.merge_base(tip, start)? == Some(start)).then_some(start))
}

fn leaf(reference: &Ref) -> &str {
    let name = reference.name.as_str();
    name.strip_prefix("refs/heads/").or(name.strip_prefix("refs/remotes/origin/")).unwrap_or(name)
}

/// The short name of a reference, for display.
pub(super) fn short(name: &str) -> &str {
    ["refs/heads/", "refs/remotes/", "refs/tags/"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(name)
}
