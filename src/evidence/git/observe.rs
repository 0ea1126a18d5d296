//! One observation of one workspace's repository: find it, choose who reads it, read it, remember it.

use std::path::Path;

use super::in_process::InProcess;
use super::layout::{Layout, read_small};
use super::memory::{Facts, GitMemory, Stamp};
use super::program::{Call, Program};
use super::reader::Repo;
use super::trouble::{Read, foreign_owner, is_unsupported, libgit2_trouble, trouble};
use super::{GitAsk, advance, baseline, changes, commits, raw, reflog, targets};
use crate::model::{GitFacts, GitObservation, GitReader, Head, Operation, ReadProblem, Reading, Upstream};

/// Above so many index entries the git program takes less CPU than libgit2 (`PERFORMANCE.md` section 4).
const LARGE_INDEX: u32 = 3_000;

/// What git says of `workspace`. `NotConfigured` when no repository is there. Blocks; belongs on a
/// thread that may wait.
pub fn observe(workspace: &Path, ask: &GitAsk<'_>, memory: &mut GitMemory) -> Reading<GitObservation> {
    let mut read = try_observe(workspace, ask, memory);
    // Somebody else may have been writing: what is damaged on the second look is damaged.
    if read.as_ref().is_err_and(|unreadable| is_worth_a_second_look(unreadable.problem)) {
        memory.forget();
        read = try_observe(workspace, ask, memory);
    }
    match read {
        Ok(Some(observation)) => Reading::Present(observation),
        Ok(None) => Reading::NotConfigured,
        Err(unreadable) => {
            memory.forget();
            Reading::Unreadable(unreadable)
        }
    }
}

fn is_worth_a_second_look(problem: ReadProblem) -> bool {
    match problem {
        ReadProblem::Invalid | ReadProblem::Io | ReadProblem::HalfWritten => true,
        ReadProblem::NotAFile
        | ReadProblem::Link
        | ReadProblem::TooLarge
        | ReadProblem::Refused
        | ReadProblem::TimedOut
        | ReadProblem::NoRepository
        | ReadProblem::Unsupported => false,
    }
}

fn try_observe(workspace: &Path, ask: &GitAsk<'_>, memory: &mut GitMemory) -> Read<Option<GitObservation>> {
    let Some(layout) = Layout::find(workspace)? else { return Ok(None) };
    layout.check(ask.changes)?;
    let known = memory.known(&layout, ask);
    if known.is_none() && !layout.is_own() && !is_allowed(&layout, ask)? {
        return Err(foreign_owner());
    }
    let mut readers = Readers { layout: &layout, ask, in_process: None };
    let mut facts = match known {
        Some((facts, stamp)) if facts.stamp.as_ref() == Some(&stamp) => facts.clone(),
        known => {
            let read = |repo: &dyn Repo| match known.clone() {
                Some((facts, stamp)) => match advance::advanced(facts, stamp, repo, &layout)? {
                    Some(facts) => Ok(facts),
                    None => read_facts(repo, &layout, ask),
                },
                None => read_facts(repo, &layout, ask),
            };
            let facts = match readers.repo(Purpose::Facts)? {
                Chosen::InProcess(repo) => read(repo)?,
                Chosen::Program(repo) => read(&repo)?,
            };
            memory.remember(&layout, ask, &facts);
            facts
        }
    };
    facts.git.operation = operation(&readers, facts.git.reader)?;
    if ask.changes {
        let (changes, reader) = readers.changes()?;
        facts.git.changes = Some(changes);
        facts.git.reader = reader;
        facts.git.notes.extend(index_notes(&layout, &facts.git.head));
    }
    Ok(Some(GitObservation { facts: facts.git, top: layout.top, watch_targets: facts.targets }))
}

/// What a repository is opened for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Facts,
    Changes,
}

/// A reader that was chosen.
enum Chosen<'r, 'a> {
    InProcess(&'r InProcess<'a>),
    Program(Program<'a>),
}

/// The readers of one observation; each is opened when it is first needed.
struct Readers<'a> {
    layout: &'a Layout,
    ask: &'a GitAsk<'a>,
    in_process: Option<InProcess<'a>>,
}

impl<'a> Readers<'a> {
    fn repo(&mut self, purpose: Purpose) -> Read<Chosen<'_, 'a>> {
        if self.wants_program(purpose) {
            return self.program("this repository").map(Chosen::Program);
        }
        if self.in_process.is_none() {
            match InProcess::open(self.layout, self.ask.home) {
                Ok(repo) => self.in_process = Some(repo),
                Err(error) if is_for_program(&error) && self.ask.reader.is_none() => {
                    return self.program(error.message()).map(Chosen::Program);
                }
                Err(error) => return Err(libgit2_trouble(&error)),
            }
        }
        match &self.in_process {
            Some(repo) => Ok(Chosen::InProcess(repo)),
            None => Err(trouble(ReadProblem::Io, "the repository could not be opened")),
        }
    }

    /// The changes of the work tree, and who read them.
    fn changes(&mut self) -> Read<(crate::model::Changes, GitReader)> {
        let (layout, ask) = (self.layout, self.ask);
        let read = |repo: &dyn Repo| changes::read(repo, &layout.prefix, ask.evidence_files);
        let refused = match self.repo(Purpose::Changes)? {
            Chosen::Program(repo) => return Ok((read(&repo)?, GitReader::Program)),
            Chosen::InProcess(repo) => match read(repo) {
                Ok(changes) => return Ok((changes, GitReader::InProcess)),
                Err(unreadable) => unreadable,
            },
        };
        // A split or sparse index shows only now; another failure is one for git too.
        if refused.problem != ReadProblem::Unsupported || ask.reader.is_some() || ask.program.is_none() {
            return Err(refused);
        }
        Ok((read(&self.program(&refused.detail)?)?, GitReader::Program))
    }

    /// Whether the git program has to read, or reads better.
    fn wants_program(&self, purpose: Purpose) -> bool {
        match self.ask.reader {
            Some(GitReader::Program) => true,
            Some(GitReader::InProcess) => false,
            None if self.layout.is_reftable || self.layout.is_sha256 => true,
            None => {
                purpose == Purpose::Changes
                    && self.ask.program.is_some()
                    && (self.layout.n_index_entries().is_some_and(|n_entries| n_entries > LARGE_INDEX)
                        || has_filters(self.layout))
            }
        }
    }

    fn program(&self, what: &str) -> Read<Program<'a>> {
        let Some(program) = self.ask.program else {
            let words = format!("{what} can only be read by the git program, which was not found");
            return Err(trouble(ReadProblem::Unsupported, words));
        };
        let call = Call { program, home: self.ask.home, time_limit: self.ask.time_limit };
        let settings = self.in_process.as_ref().and_then(InProcess::settings);
        Ok(Program::new(self.layout, call, settings))
    }
}

/// Whether the user allowed a repository of somebody else, by git's own rule (`safe.directory`).
fn is_allowed(layout: &Layout, ask: &GitAsk<'_>) -> Read<bool> {
    match ask.program {
        Some(program) => {
            let call = Call { program, home: ask.home, time_limit: ask.time_limit };
            Program::new(layout, call, None).is_allowed()
        }
        None => {
            Ok(!InProcess::open(layout, ask.home).is_err_and(|error| error.code() == git2::ErrorCode::Owner))
        }
    }
}

/// Whether the git program may read what libgit2 refused to open. What belongs to somebody else was
/// allowed before either reader was asked.
fn is_for_program(error: &git2::Error) -> bool {
    is_unsupported(error) || error.code() == git2::ErrorCode::Owner
}

/// Whether attributes ask for a conversion that libgit2 does not make, so that converted files
/// would look changed: a filter of the user's (LFS, say), an encoding.
fn has_filters(layout: &Layout) -> bool {
    [layout.top.join(".gitattributes"), layout.common_dir.join("info/attributes")].iter().any(|path| {
        let text = read_small(path).ok().flatten().unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        text.contains("filter=") || text.contains("working-tree-encoding")
    })
}

/// The operation in progress. Where references are no files, two of them are references.
fn operation(readers: &Readers<'_>, reader: GitReader) -> Read<Option<Operation>> {
    let found = raw::operation(readers.layout);
    if found.is_some() || !readers.layout.is_reftable || reader != GitReader::Program {
        return Ok(found);
    }
    let repo = readers.program("this repository")?;
    for (name, operation) in [("CHERRY_PICK_HEAD", Operation::CherryPick), ("REVERT_HEAD", Operation::Revert)]
    {
        if repo.resolve(name)?.is_some() {
            return Ok(Some(operation));
        }
    }
    Ok(None)
}

/// What a person should know about the index.
fn index_notes(layout: &Layout, head: &Head) -> Vec<String> {
    let has = |name: &str| layout.git_dir.join(name).symlink_metadata().is_ok();
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

/// Everything but the work tree.
fn read_facts(repo: &dyn Repo, layout: &Layout, ask: &GitAsk<'_>) -> Read<Facts> {
    let head = repo.head()?;
    if let Some(commit) = head.commit()
        && !repo.commits(&[commit.to_owned()])?.iter().any(Option::is_some)
    {
        let short = commit.get(..8).unwrap_or(commit);
        let words =
            format!("the commit {short} that HEAD names is missing or damaged; `git fsck` tells more");
        return Err(trouble(ReadProblem::Invalid, words));
    }
    let upstream_name = match &head {
        Head::Branch { name, .. } => repo.upstream(name)?,
        Head::Detached { .. } | Head::Unborn { .. } => None,
    };
    // Taken before the rest is read: what changes from here on is seen next time. HEAD was read before
    // it and may have moved since: then these facts are of no state that can be recognised again.
    let stamp = Stamp::of(layout, upstream_name.as_deref()).filter(|stamp| *stamp.head() == head);
    let upstream = match &upstream_name {
        Some(name) => upstream(repo, &head, name)?,
        None => None,
    };
    let mut notes = Vec::new();
    let baseline = baseline::choose(repo, layout, &head, &ask.baseline, ask.now, &mut notes)?;
    let (commits, is_plain) = commits::count(repo, layout, &head, &baseline)?;
    if raw::is_shallow(layout) {
        notes.push("the history is shallow: what lies before its cut is unknown".to_owned());
    }
    if head.commit().is_some() && !raw::has_head_log(layout) {
        notes.push(
            "HEAD has no log: commits made here are told from others by the other branches only".to_owned(),
        );
    }
    let n_stashed = if layout.is_reftable {
        u32::try_from(repo.reflog("refs/stash")?.len()).unwrap_or(u32::MAX)
    } else {
        reflog::count(&raw::log_path(layout, "refs/stash"))?
    };
    let targets = targets::of(layout, &head, upstream_name.as_deref());
    let git = GitFacts {
        head,
        baseline,
        commits,
        operation: None,
        upstream,
        n_stashed,
        changes: None,
        reader: repo.reader(),
        notes,
    };
    Ok(Facts { git, targets, upstream_name, stamp, is_plain })
}

fn upstream(repo: &dyn Repo, head: &Head, name: &str) -> Read<Option<Upstream>> {
    let there = repo.refs(&[name])?.into_iter().find(|found| found.name == *name);
    let (Some(commit), Some(there)) = (head.commit(), there) else { return Ok(None) };
    let (ahead, behind) = repo.ahead_behind(commit, &there.commit)?;
    Ok(Some(Upstream { name: baseline::short(name).to_owned(), ahead, behind }))
}
