//! One collection: reads the requested parts of one workspace.

use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::checks::{ResultMemory, read_checks};
use super::git::{self, BaselineChoice, GitAsk, GitMemory};
use super::live_facts::LiveSources;
use super::named_files::NamedFiles;
use super::required_files::is_pattern;
use super::sessions::{self, SessionSources, read_sessions};
use super::text_file::{configured, read_decision, read_output};
use super::untrusted_file::WorkspaceDir;
use super::watch_folders::{arrivals_at_top, declared_folders};
use super::{excluded, ignored_files, named_plans, provenance};
use crate::agent::Adapter;
use crate::model::{
    Baseline, BaselineOrigin, CollectRequest, EndingTurn, GitObservation, GivenBaseline, Observations, Parts,
    Reading, SessionObservation, Timestamp, WatchTarget, WorkspaceSettings,
};
use crate::process::Budget;

/// At most this many of the newest prompts are compared with git's log.
const MAX_PROMPTS: usize = 200;

/// What a collection needs to know about the machine and the time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectContext {
    /// When the collection starts.
    pub now: Timestamp,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The agents whose records may be on this machine.
    pub adapters: Vec<Adapter>,
    /// Where agents' hooks leave their events.
    pub hook_folder: Option<PathBuf>,
    /// The git program, if one was found.
    pub git_program: Option<PathBuf>,
    /// The sources for processes and panes; `None` skips both.
    pub live: Option<LiveSources>,
    /// What the programs of this collection may lose when they hang.
    pub budget: Budget,
    /// The turn that is ending now, as reported by its agent's hook.
    pub ending: Option<EndingTurn>,
}

/// State kept between two collections of a workspace. Losing it costs only time.
#[derive(Debug, Default)]
pub struct Memory {
    sessions: sessions::Memory,
    results: ResultMemory,
    git: GitMemory,
    /// The baseline given in the settings, and the commit it resolved to the first time, so that a revision
    /// like `HEAD~3` does not move with HEAD.
    given: Option<(GivenBaseline, Baseline)>,
    /// What was read of git for the baseline alone, ignoring the workspace's own file.
    pub(super) base: GitMemory,
    /// When anybody was asked for anything here, as the sessions told at the last read.
    asked: Vec<Timestamp>,
    /// The plans that prompts name, for collections that do not read sessions.
    named_plans: Vec<String>,
    /// The files that prompts name, likewise.
    named_files: NamedFiles,
    /// Git's watch targets from the last read, for collections that do not read git.
    git_targets: Vec<WatchTarget>,
    /// The sessions' watch targets from the last read, for collections that do not read sessions.
    session_targets: Vec<WatchTarget>,
}

impl Memory {
    /// A memory for one collection, after which it is dropped.
    pub fn for_once() -> Memory {
        Memory { git: GitMemory::for_once(), base: GitMemory::for_once(), ..Memory::default() }
    }

    /// A memory for one collection, right after that of another workspace: what worktrees share stays open.
    #[must_use]
    pub fn for_once_after(before: Memory) -> Memory {
        Memory {
            sessions: sessions::Memory::after(before.sessions),
            git: GitMemory::for_once_after(before.git),
            ..Memory::for_once()
        }
    }
}

/// Why a collection returned nothing.
#[derive(Debug, thiserror::Error)]
pub enum CollectError {
    /// The directory no longer exists, or is not a directory.
    #[error("{} is gone", path.display())]
    Gone {
        /// The workspace.
        path: PathBuf,
    },
    /// The directory cannot be opened.
    #[error("cannot open {}", path.display())]
    Unopenable {
        /// The workspace.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Reads what `request` asks for. Blocks, so it belongs on a thread that may wait. Anything missing or
/// unreadable is data in the result.
///
/// # Errors
/// The workspace's own directory is gone or cannot be opened.
pub fn collect(
    request: &CollectRequest,
    context: &CollectContext,
    memory: &mut Memory,
) -> Result<Observations, CollectError> {
    let workspace = request.workspace.path();
    let directory = WorkspaceDir::open(workspace).map_err(|source| open_error(workspace, source))?;
    let settings = &request.settings;
    let mut found = Observations { parts: request.parts, taken_at: context.now, ..Observations::default() };
    // Sessions come first: if a workspace is seen for the first time, they tell when its work began.
    if request.parts.contains(Parts::WORDS) {
        memory.session_targets =
            read_sessions(request, &session_sources(context), &mut memory.sessions, &mut found);
        memory.named_plans = named_plans::find(&found, workspace, settings);
        memory.named_files.read_prompts(&found);
        found.outputs = settings.outputs.iter().map(|name| read_output(&directory, name)).collect();
        found.decision = configured(settings.decision_file.as_deref(), |name| {
            read_decision(&directory, name, context.now)
        });
        let whole = found.decision.present().filter(|file| !file.is_excerpt);
        found.decision_digest = whole.map(|file| format!("{:x}", Sha256::digest(file.content.as_bytes())));
    }
    if request.parts.intersects(Parts::COMMITS | Parts::CHANGES) {
        let asked_at = first_prompt(&found);
        if request.parts.contains(Parts::WORDS) {
            memory.asked = prompts(&found, request.prompted_at);
        }
        found.git = observe_git(request, context, memory, asked_at);
        if let Reading::Present(git) = &mut found.git {
            excluded::add(asked_at, &evidence_files(settings, memory), git);
            memory.named_files.read_changes(&git.facts);
        }
    }
    if request.parts.intersects(Parts::WORDS | Parts::CHECKS) {
        memory.named_files.look(&directory);
    }
    if request.parts.contains(Parts::CHECKS) {
        read_checks(&directory, settings, context.now, &memory.named_plans, &mut memory.results, &mut found);
        found.absent = memory.named_files.absent().to_vec();
    }
    let baseline = found.git.present().map(|git| &git.facts.baseline);
    let commit = baseline.or(request.baseline.as_ref()).and_then(|baseline| baseline.commit);
    found.baseline_at = baseline_at(request, baseline);
    found.prompted_at = request.prompted_at;
    let is_new = |found: &&Baseline| is_found(found) && request.baseline.as_ref() != Some(*found);
    found.new_baseline = baseline.filter(is_new).cloned();
    let ask = git_ask(request, context);
    provenance::trace(request, &directory, &ask, &mut memory.git, commit, &mut found);
    // Words may claim what git shows no change for.
    let written = ignored_files::candidates(&found);
    if !written.is_empty() {
        let ignored = git::ignored(workspace, &written, &git_ask(request, context), &mut memory.git);
        found.ignored = ignored_files::known(ignored, &mut found.git);
    }
    memory.git.close();
    memory.base.close();
    found.watch_targets.clone_from(&memory.git_targets);
    found.watch_targets.extend(memory.session_targets.iter().cloned());
    let named = memory.named_plans.iter().chain(memory.named_files.absent());
    found.watch_targets.extend(declared_folders(workspace, settings, named));
    if !memory.git_targets.is_empty() {
        found.watch_targets.push(arrivals_at_top(workspace));
    }
    Ok(found)
}

fn session_sources(context: &CollectContext) -> SessionSources<'_> {
    SessionSources {
        adapters: &context.adapters,
        hook_folder: context.hook_folder.as_deref(),
        live: context.live.as_ref(),
        ending: context.ending.as_ref(),
        now: context.now,
    }
}

fn open_error(path: &Path, source: io::Error) -> CollectError {
    let path = path.to_owned();
    if matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
        CollectError::Gone { path }
    } else {
        CollectError::Unopenable { path, source }
    }
}

fn observe_git(
    request: &CollectRequest,
    context: &CollectContext,
    memory: &mut Memory,
    asked_at: Option<Timestamp>,
) -> Reading<GitObservation> {
    let settings = &request.settings;
    let evidence_files = evidence_files(settings, memory);
    let plans: Vec<String> = settings.plan_files().cloned().collect();
    let given = settings.baseline.as_ref();
    let resolved = resolved(request, memory);
    let ask = GitAsk {
        changes: request.parts.contains(Parts::CHANGES),
        baseline: choice(request, resolved.as_ref(), asked_at),
        evidence_files: &evidence_files,
        plans: &plans,
        noise: &settings.noise,
        asked: &memory.asked,
        ..git_ask(request, context)
    };
    let reading = git::observe(request.workspace.path(), &ask, &mut memory.git);
    if let Reading::Present(git) = &reading {
        memory.git_targets.clone_from(&git.watch_targets);
        let baseline = Some(&git.facts.baseline).filter(|baseline| !is_found(baseline));
        memory.given = given.cloned().zip(baseline.cloned());
    }
    reading
}

/// When a user first wrote in any session found here.
fn first_prompt(found: &Observations) -> Option<Timestamp> {
    let sessions = found.sessions();
    let first = |session: &SessionObservation| {
        let told = session.history.turns.iter().filter_map(|turn| turn.prompt.as_ref()?.at).min();
        told.or(session.prompted_at)
    };
    sessions.filter_map(first).filter(|at| *at <= found.taken_at).min()
}

/// The newest prompts of all sessions, and the last one that is known otherwise.
fn prompts(found: &Observations, known: Option<Timestamp>) -> Vec<Timestamp> {
    let sessions = found.sessions();
    let of_session = |session: &SessionObservation| {
        let told = session.history.turns.iter().filter_map(|turn| turn.prompt.as_ref()?.at);
        told.chain(session.prompted_at).collect::<Vec<Timestamp>>()
    };
    let mut prompts: Vec<Timestamp> = sessions.flat_map(of_session).chain(known).collect();
    prompts.sort_unstable_by_key(|at| std::cmp::Reverse(*at));
    prompts.dedup();
    prompts.truncate(MAX_PROMPTS);
    prompts
}

/// What the revision in the settings meant when its task began, or, as far as no task is known, the first time.
fn resolved(request: &CollectRequest, memory: &Memory) -> Option<Baseline> {
    let given = request.settings.baseline.as_ref()?;
    if let Some(named) = request.named.as_ref().filter(|named| named.rev == given.rev) {
        return Some(Baseline { origin: given.origin.clone(), ..named.baseline.clone() });
    }
    let known = memory.given.as_ref().filter(|(setting, _)| request.task_at.is_none() && setting == given);
    known.map(|(_, baseline)| baseline.clone())
}

/// The commit from which work is counted. `resolved` is what the revision in the settings means.
fn choice<'a>(
    request: &'a CollectRequest,
    resolved: Option<&'a Baseline>,
    asked_at: Option<Timestamp>,
) -> BaselineChoice<'a> {
    match (&request.settings.baseline, resolved, &request.baseline) {
        (Some(_), Some(baseline), _) => BaselineChoice::Remembered(baseline),
        (Some(given), None, _) => {
            let (rev, origin) = (&given.rev, &given.origin);
            match request.task_at {
                Some(at) => BaselineChoice::GivenAt { rev, origin, at },
                None => BaselineChoice::Given { rev, origin },
            }
        }
        (None, _, Some(baseline)) if is_found(baseline) => BaselineChoice::Remembered(baseline),
        (None, _, _) => asked_at.map_or(BaselineChoice::Find, BaselineChoice::FindBefore),
    }
}

/// The baseline without regard to the workspace's own file; `None` if git does not tell.
pub(super) fn base(
    request: &CollectRequest,
    context: &CollectContext,
    memory: &mut Memory,
) -> Option<Baseline> {
    let resolved = resolved(request, memory);
    // The first time, this must be the same commit as in a collection: the one before the first prompt.
    let mut found = Observations { parts: Parts::WORDS, taken_at: context.now, ..Observations::default() };
    if request.settings.baseline.is_none() && !request.baseline.as_ref().is_some_and(is_found) {
        read_sessions(request, &session_sources(context), &mut memory.sessions, &mut found);
    }
    let ask = GitAsk {
        baseline: choice(request, resolved.as_ref(), first_prompt(&found)),
        ..git_ask(request, context)
    };
    match git::observe(request.workspace.path(), &ask, &mut memory.base) {
        Reading::Present(git) => Some(git.facts.baseline),
        Reading::NotLookedAt | Reading::NotConfigured | Reading::Absent { .. } | Reading::Unreadable(_) => {
            None
        }
    }
}

/// A request to git that leaves out the work tree and finds the baseline.
pub(super) fn git_ask<'a>(request: &CollectRequest, context: &'a CollectContext) -> GitAsk<'a> {
    GitAsk {
        reader: request.git_reader,
        program: context.git_program.as_deref(),
        home: context.home.as_deref(),
        ..GitAsk::new(context.now, &context.budget)
    }
}

/// Files that an agent writes as evidence: statements about its work, test results, its own records. Losing them would
/// not lose work, unlike plans and required files.
fn evidence_files(settings: &WorkspaceSettings, memory: &Memory) -> Vec<String> {
    let kept_here = memory.sessions.kept_here.iter().filter_map(|path| path.to_str()).map(str::to_owned);
    settings.evidence_files().filter(|name| !is_pattern(name)).cloned().chain(kept_here).collect()
}

/// Whether a baseline was found, rather than given by a flag or configuration that may have changed since.
pub(super) fn is_found(baseline: &Baseline) -> bool {
    matches!(baseline.origin, BaselineOrigin::FirstSeen | BaselineOrigin::BranchPoint(_))
}

/// The time of the baseline's commit, if it tells when the work began.
fn baseline_at(request: &CollectRequest, baseline: Option<&Baseline>) -> Option<Timestamp> {
    baseline
        .or(request.baseline.as_ref())
        .filter(|baseline| baseline.origin != BaselineOrigin::FirstSeen)
        .and_then(|baseline| baseline.commit_time)
}
