//! Makes one observation of a workspace's repository: find it, choose a reader, read, remember.

use std::path::Path;

use super::content::Contents;
use super::handle::Sibling;
use super::memory::{Facts, GitMemory, Stamp};
use super::not_work::NotWork;
use super::reader::Repo;
use super::readers::{Purpose, Readers, is_allowed};
use super::submodules::Walk;
use super::traces::Opened;
use super::tree_entries::TreeEntries;
use super::{GitAsk, advance, baseline, changes, commits, on_disk, saved, stash, targets};
use crate::git::{self, Read, RefStorage, Repository, foreign_owner, trouble};
use crate::model::{GitFacts, GitObservation, Head, ReadProblem, Reading, Upstream, display_text};

/// Observes the repository of `workspace`. `NotConfigured` if there is none. Reads a second time if the data
/// looks damaged. Blocks: call it on a thread that may wait.
pub fn observe(workspace: &Path, ask: &GitAsk<'_>, memory: &mut GitMemory) -> Reading<GitObservation> {
    let mut read = try_observe(workspace, ask, memory);
    // Another process may have been writing; what is still damaged on the second look is really damaged.
    if read.as_ref().is_err_and(|unreadable| is_worth_a_second_look(unreadable.problem)) {
        memory.clear();
        read = try_observe(workspace, ask, memory);
    }
    match read {
        Ok(Some(observation)) => Reading::Present(observation),
        Ok(None) => Reading::NotConfigured,
        Err(unreadable) => {
            memory.clear();
            Reading::Unreadable(unreadable)
        }
    }
}

fn is_worth_a_second_look(problem: ReadProblem) -> bool {
    matches!(problem, ReadProblem::Invalid | ReadProblem::Io | ReadProblem::HalfWritten)
}

fn try_observe(workspace: &Path, ask: &GitAsk<'_>, memory: &mut GitMemory) -> Read<Option<GitObservation>> {
    let sibling = memory.sibling.take();
    let Some(repository) = find(workspace, ask, sibling.as_deref())? else { return Ok(None) };
    let known = memory.known(&repository, ask);
    if known.is_none() && repository.foreign_place().is_some() && !is_allowed(&repository, ask)? {
        return Err(foreign_owner());
    }
    let is_for_once = memory.is_for_once;
    let mut readers = Readers::new(&repository, ask, sibling.as_deref());
    let not_work = NotWork::of(&repository, &[ask.evidence_files, ask.plans].concat(), ask.noise);
    let mut facts = match known {
        Some((facts, stamp)) if facts.stamp.as_ref().is_some_and(|before| before.holds(&stamp)) => {
            facts.clone()
        }
        known => {
            let mut read = |repo: &dyn Repo| match known.clone() {
                Some((facts, stamp)) => {
                    match advance::advanced(facts, stamp, repo, &repository, &not_work)? {
                        Some(facts) => Ok(facts),
                        None => read_facts(repo, &repository, ask, &not_work, is_for_once),
                    }
                }
                None => read_facts(repo, &repository, ask, &not_work, is_for_once),
            };
            let (facts, _) = readers.read(Purpose::Facts, &mut read)?;
            memory.remember(&repository, ask, &facts);
            facts
        }
    };
    facts.git.operation = if repository.refs == RefStorage::Reftable {
        readers.program("this repository")?.operation()?
    } else {
        git::operation_in_files(&repository)
    };
    look_at_committed(&repository, &mut facts.git);
    if ask.changes {
        look_at_work_tree(&mut readers, &repository, ask, &mut facts.git, &mut memory.contents)?;
    }
    let handle = readers.into_handle();
    memory.sibling = sibling;
    let opened = memory.opened.insert(Box::new(Opened { repository, handle }));
    let Repository { top, common_dir, excludes_file, .. } = opened.repository.clone();
    Ok(Some(GitObservation {
        facts: facts.git,
        top,
        common_dir,
        excludes_file,
        watch_targets: facts.targets,
    }))
}

/// Adds what the work tree has, and where a rescue committed it.
fn look_at_work_tree(
    readers: &mut Readers<'_>,
    repository: &Repository,
    ask: &GitAsk<'_>,
    git: &mut GitFacts,
    contents: &mut Contents,
) -> Read<()> {
    let ((changes, content, notes), reader) = readers.read(Purpose::Changes, &mut |repo| {
        let mut walk = Walk::new(ask, &repository.top);
        let at = (&git.head, git.tree.as_deref());
        let (changes, content) = changes::read(repo, repository, ask, at, (&mut walk, contents))?;
        Ok((changes, content, walk.notes()))
    })?;
    let ((saved_on, rescued_to), _) = readers.read(Purpose::Facts, &mut |repo| match &content {
        _ if changes.n_paths == 0 => {
            Ok((None, saved::left_behind(repo, repository, &git.head, git.tree.as_ref())?))
        }
        Some(content) => Ok((saved::branch(repo, repository, &git.head, content)?, None)),
        None => Ok((None, None)),
    })?;
    git.changes = Some(changes);
    // If a commit came between the two reads, the name belongs to another tree.
    let has_moved = repository.has_ref_files() && git::head(repository)? != git.head;
    git.content = content.filter(|_| !has_moved);
    git.saved_on = saved_on.filter(|_| !has_moved);
    git.rescued_to = rescued_to.filter(|_| !has_moved);
    git.notes.extend(notes);
    git.reader = reader;
    git.notes.extend(index_notes(repository, &git.head));
    Ok(())
}

/// The repository of `workspace`, if a reader would not hang in it.
fn find(workspace: &Path, ask: &GitAsk<'_>, sibling: Option<&Sibling>) -> Read<Option<Repository>> {
    let beside = sibling.map(Sibling::repository);
    let Some(repository) = Repository::find_beside(workspace, beside)? else { return Ok(None) };
    repository.check_beside(beside, ask.changes)?;
    Ok(Some(repository))
}

/// Adds when the files of the newest commits were last written in the work tree.
fn look_at_committed(repository: &Repository, git: &mut GitFacts) {
    let written_at =
        |path: &String| on_disk::look(repository, path.as_bytes()).map(|on_disk| on_disk.modified_at);
    for commit in git.commits.newest.iter_mut().chain(&mut git.commits.rescued) {
        commit.written_at = commit.paths.iter().flatten().map(written_at).collect();
    }
}

/// Problems of the index that a person should know about.
fn index_notes(repository: &Repository, head: &Head) -> Vec<String> {
    let has = |name: &str| repository.git_dir.join(name).symlink_metadata().is_ok();
    let mut notes = Vec::new();
    if has("index.lock") {
        notes.push(
            "another git command holds the index (index.lock), or one was killed and left it".to_owned(),
        );
    }
    if !has("index") && head.commit().is_some() {
        notes.push(
            "the index is gone: git takes every file for deleted; `git reset` makes it again".to_owned(),
        );
    }
    notes
}

fn head_of(repo: &dyn Repo) -> Read<Head> {
    let head = repo.head()?;
    // Git takes it for a branch without a commit, but no commit can be made on it.
    if let Head::Unborn { name } = &head
        && !git2::Branch::name_is_valid(name).unwrap_or(false)
    {
        let message = format!("HEAD names {}, which no branch can be called", display_text::line(name));
        return Err(trouble(ReadProblem::Invalid, message));
    }
    Ok(head)
}

/// Everything except the work tree.
fn read_facts(
    repo: &dyn Repo,
    repository: &Repository,
    ask: &GitAsk<'_>,
    not_work: &NotWork,
    is_for_once: bool,
) -> Read<Facts> {
    let head = head_of(repo)?;
    let mut tree = None;
    if let Some(commit) = head.commit() {
        tree = repo.commits(&[commit])?.into_iter().flatten().map(|commit| commit.tree).next();
    }
    if let Some(commit) = head.commit().filter(|_| tree.is_none()) {
        let message =
            format!("the commit {commit:.8} that HEAD names is missing or damaged; `git fsck` tells more");
        return Err(trouble(ReadProblem::Invalid, message));
    }
    let upstream_name = match &head {
        Head::Branch { name, .. } => repo.upstream(name)?,
        Head::Detached { .. } | Head::Unborn { .. } => None,
    };
    // Taken before the rest is read, so that a later change is seen next time.
    let stamp =
        if is_for_once { None } else { Stamp::of(repository, head.clone(), upstream_name.as_deref()) };
    let upstream = match &upstream_name {
        Some(name) => upstream(repo, &head, name)?,
        None => None,
    };
    let mut notes = Vec::new();
    let baseline = baseline::choose(repo, repository, &head, &ask.baseline, ask.now, &mut notes)?;
    let counted = commits::count(repo, repository, &head, &baseline, not_work, ask.asked)?;
    if counted.counts.n_cancelled > 0 {
        notes.push("commits since the baseline cancel each other out".to_owned());
    }
    if git::is_shallow(repository) {
        notes.push("the history is shallow: what lies before its cut is unknown".to_owned());
    }
    if head.commit().is_some() && counted.counts.is_blind && !git::has_head_log(repository) {
        notes.push(
            "HEAD has no log: commits made here are told from others by the other branches only".to_owned(),
        );
    }
    let stash = repo.reflog("refs/stash")?;
    let n_stashed = u32::try_from(stash.len()).unwrap_or(u32::MAX);
    let stashed_here = if stash.is_empty() {
        Vec::new()
    } else {
        let mut entries = TreeEntries::new(repo, repository.format.id_length());
        stash::made_here(repo, repository, &head, &stash, tree.as_ref(), &mut entries)?
    };
    let targets = targets::of(repository, &head, upstream_name.as_deref());
    let git = GitFacts {
        head,
        tree,
        content: None,
        saved_on: None,
        rescued_to: None,
        baseline,
        commits: counted.counts,
        operation: None,
        upstream,
        n_stashed,
        stashed_here,
        changes: None,
        reader: repo.reader(),
        notes,
    };
    Ok(Facts { git, targets, upstream_name, stamp, is_plain: counted.is_plain, asked: ask.asked.to_vec() })
}

fn upstream(repo: &dyn Repo, head: &Head, name: &str) -> Read<Option<Upstream>> {
    let there = repo.refs(&[name])?.into_iter().find(|found| found.name == *name);
    let (Some(commit), Some(there)) = (head.commit(), there) else { return Ok(None) };
    let (ahead, behind) = repo.ahead_behind(commit, there.commit)?;
    Ok(Some(Upstream { name: baseline::short(name).to_owned(), ahead, behind }))
}
