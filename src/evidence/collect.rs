//! One collection: reads the parts that are asked for of one workspace.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest as _, Sha256};

use super::checks::{ResultMemory, read_checks};
use super::git::{self, BaselineChoice, GitAsk, GitMemory};
use super::live_facts::LiveSources;
use super::required_files::is_pattern;
use super::sessions::{self, SessionSources, read_sessions};
use super::text_file::{configured, read_decision, read_output};
use super::untrusted_file::WorkspaceDir;
use super::watch_folders::{arrivals_at_top, declared_folders};
use super::{excluded, provenance};
use crate::agent::Adapter;
use crate::model::{
    Baseline, BaselineOrigin, CollectRequest, EndingTurn, GitObservation, GivenBaseline, Observations, Parts,
    Reading, SessionObservation, Timestamp, WatchTarget, WorkspaceSettings,
};

/// How long one call of the git program may take (SECURITY.md 1.2).
const GIT_LIMIT: Duration = Duration::from_secs(10);

/// What a collection needs to know of the machine and the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectContext {
    /// When the collection begins.
    pub now: Timestamp,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The agents whose records may be on this machine.
    pub adapters: Vec<Adapter>,
    /// Where hooks of agents leave their events.
    pub hook_folder: Option<PathBuf>,
    /// The git program, if one was found.
    pub git_program: Option<PathBuf>,
    /// Where processes and panes are asked for; `None` asks nowhere.
    pub live: Option<LiveSources>,
    /// The turn that is ending now, by the word of its agent's hook.
    pub ending: Option<EndingTurn>,
}

/// What is remembered of one workspace between collections. Losing it costs time and nothing else.
#[derive(Debug, Default)]
pub struct Memory {
    sessions: sessions::Memory,
    results: ResultMemory,
    git: GitMemory,
    /// The baseline that settings give, and the commit that it was when it was first looked up: a
    /// revision like `HEAD~3` does not wander with HEAD.
    given: Option<(GivenBaseline, Baseline)>,
    /// Git as it was read for the baseline alone, without the workspace's own word.
    base: GitMemory,
    /// Git's watch targets of the last reading, for collections that do not read git.
    git_targets: Vec<WatchTarget>,
    /// The sessions' watch targets of the last reading, likewise.
    session_targets: Vec<WatchTarget>,
}

/// Why a collection brought nothing.
#[derive(Debug, thiserror::Error)]
pub enum CollectError {
    /// The directory is not there, or is no directory any more.
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
        /// What the system said.
        source: io::Error,
    },
}

/// Reads what `request` asks for. Blocks; belongs on a thread that may wait. Everything that is missing or unreadable is data in the result; the
/// only errors are about the workspace's own directory.
pub fn collect(
    request: &CollectRequest,
    surroundings: &CollectContext,
    memory: &mut Memory,
) -> Result<Observations, CollectError> {
    let workspace = request.workspace.path();
    let directory = WorkspaceDir::open(workspace).map_err(|source| open_error(workspace, source))?;
    let settings = &request.settings;
    let mut found = nothing_looked_at(request.parts, surroundings.now);
    // Sessions first: where a workspace is seen for the first time, they tell when its work began.
    if request.parts.contains(Parts::WORDS) {
        memory.session_targets =
            read_sessions(request, &session_sources(surroundings), &mut memory.sessions, &mut found);
        found.outputs = settings.outputs.iter().map(|name| read_output(&directory, name)).collect();
        found.decision = configured(settings.decision_file.as_deref(), |name| {
            read_decision(&directory, name, surroundings.now)
        });
        let whole = found.decision.present().filter(|file| !file.is_excerpt);
        found.decision_digest = whole.map(|file| format!("{:x}", Sha256::digest(file.content.as_bytes())));
    }
    if request.parts.intersects(Parts::COMMITS | Parts::CHANGES) {
        found.git = observe_git(request, surroundings, memory, first_prompt(&found));
        let asked_at = first_prompt(&found);
        if let Reading::Present(git) = &mut found.git {
            excluded::add(asked_at, git);
        }
    }
    if request.parts.contains(Parts::CHECKS) {
        read_checks(&directory, settings, surroundings.now, &mut memory.results, &mut found);
    }
    let baseline = found.git.present().map(|git| &git.facts.baseline);
    let commit = baseline.or(request.baseline.as_ref()).and_then(|baseline| baseline.commit.clone());
    found.baseline_at = baseline_at(request, baseline);
    found.task_started_at = task_started_at(request, &found);
    let is_new = |found: &&Baseline| is_found(found) && request.baseline.as_ref() != Some(*found);
    found.new_baseline = baseline.filter(is_new).cloned();
    provenance::trace(request, &directory, &git_ask(request, surroundings), commit.as_deref(), &mut found);
    found.watch_targets.clone_from(&memory.git_targets);
    found.watch_targets.extend(memory.session_targets.iter().cloned());
    found.watch_targets.extend(declared_folders(workspace, settings));
    if !memory.git_targets.is_empty() {
        found.watch_targets.push(arrivals_at_top(workspace));
    }
    Ok(found)
}

fn session_sources(surroundings: &CollectContext) -> SessionSources<'_> {
    SessionSources {
        adapters: &surroundings.adapters,
        hook_folder: surroundings.hook_folder.as_deref(),
        live: surroundings.live.as_ref(),
        ending: surroundings.ending.as_ref(),
        now: surroundings.now,
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

fn nothing_looked_at(parts: Parts, taken_at: Timestamp) -> Observations {
    Observations {
        parts,
        taken_at,
        task_started_at: None,
        baseline_at: None,
        of_baseline: Vec::new(),
        git: Reading::NotLookedAt,
        decision: Reading::NotLookedAt,
        decision_digest: None,
        outputs: Vec::new(),
        closer: Reading::NotLookedAt,
        plans: Vec::new(),
        files: Reading::NotLookedAt,
        tests: Reading::NotLookedAt,
        check_tests: Vec::new(),
        session: Reading::NotLookedAt,
        other_sessions: Vec::new(),
        watch_targets: Vec::new(),
        new_baseline: None,
        recheck_at: None,
    }
}

/// Reads git.
fn observe_git(
    request: &CollectRequest,
    surroundings: &CollectContext,
    memory: &mut Memory,
    asked_at: Option<Timestamp>,
) -> Reading<GitObservation> {
    let settings = &request.settings;
    let evidence_files = evidence_files(settings);
    let plans: Vec<String> = settings.plan_files().cloned().collect();
    let given = settings.baseline.as_ref();
    let resolved = memory.given.as_ref().filter(|(setting, _)| Some(setting) == given);
    let ask = GitAsk {
        changes: request.parts.contains(Parts::CHANGES),
        baseline: choice(request, resolved.map(|(_, baseline)| baseline), asked_at),
        evidence_files: &evidence_files,
        plans: &plans,
        ..git_ask(request, surroundings)
    };
    let reading = git::observe(request.workspace.path(), &ask, &mut memory.git);
    if let Reading::Present(git) = &reading {
        memory.git_targets.clone_from(&git.watch_targets);
        let baseline = Some(&git.facts.baseline).filter(|baseline| !is_found(baseline));
        memory.given = given.cloned().zip(baseline.cloned());
    }
    reading
}

/// When a person first wrote in any session that was found here.
fn first_prompt(found: &Observations) -> Option<Timestamp> {
    let sessions = found.session.present().into_iter().chain(&found.other_sessions);
    let first = |session: &SessionObservation| {
        let told = session.history.turns.iter().filter_map(|turn| turn.prompt.as_ref()?.at).min();
        told.or(session.prompted_at)
    };
    sessions.filter_map(first).filter(|at| *at <= found.taken_at).min()
}

/// From which commit work is counted; `resolved` is what the settings' revision was at first.
fn choice<'a>(
    request: &'a CollectRequest,
    resolved: Option<&'a Baseline>,
    asked_at: Option<Timestamp>,
) -> BaselineChoice<'a> {
    match (&request.settings.baseline, resolved, &request.baseline) {
        (Some(_), Some(baseline), _) => BaselineChoice::Remembered(baseline),
        (Some(given), None, _) => BaselineChoice::Given { rev: &given.rev, origin: &given.origin },
        (None, _, Some(baseline)) if is_found(baseline) => BaselineChoice::Remembered(baseline),
        (None, _, _) => asked_at.map_or(BaselineChoice::Find, BaselineChoice::FindBefore),
    }
}

/// The baseline without the word of the workspace's own file; `None` where git does not tell.
pub(super) fn base(
    request: &CollectRequest,
    surroundings: &CollectContext,
    memory: &mut Memory,
) -> Option<Baseline> {
    let given = request.settings.baseline.as_ref();
    let resolved = memory.given.as_ref().filter(|(setting, _)| Some(setting) == given);
    // At the first look the same commit as in a collection: the one before the first prompt.
    let mut found = nothing_looked_at(Parts::WORDS, surroundings.now);
    if given.is_none() && !request.baseline.as_ref().is_some_and(is_found) {
        read_sessions(request, &session_sources(surroundings), &mut memory.sessions, &mut found);
    }
    let ask = GitAsk {
        baseline: choice(request, resolved.map(|(_, baseline)| baseline), first_prompt(&found)),
        ..git_ask(request, surroundings)
    };
    match git::observe(request.workspace.path(), &ask, &mut memory.base) {
        Reading::Present(git) => Some(git.facts.baseline),
        Reading::NotLookedAt | Reading::NotConfigured | Reading::Absent { .. } | Reading::Unreadable(_) => {
            None
        }
    }
}

/// What is asked of git without the work tree, with a baseline that is to be found.
pub(super) fn git_ask<'a>(request: &CollectRequest, surroundings: &'a CollectContext) -> GitAsk<'a> {
    GitAsk {
        changes: false,
        baseline: BaselineChoice::Find,
        evidence_files: &[],
        plans: &[],
        reader: request.git_reader,
        now: surroundings.now,
        program: surroundings.git_program.as_deref(),
        home: surroundings.home.as_deref(),
        time_limit: GIT_LIMIT,
    }
}

/// Files that an agent writes as evidence: what it says of its work, and what its tests said. They are
/// no work that could be lost. Plans and required files are.
fn evidence_files(settings: &WorkspaceSettings) -> Vec<String> {
    settings.evidence_files().filter(|name| !is_pattern(name)).cloned().collect()
}

/// Whether a baseline was found, and not given by a flag or a configuration that may be gone by now.
pub(super) fn is_found(baseline: &Baseline) -> bool {
    match baseline.origin {
        BaselineOrigin::FirstSeen | BaselineOrigin::BranchPoint(_) => true,
        BaselineOrigin::Flag | BaselineOrigin::Configuration | BaselineOrigin::Workspace => false,
    }
}

/// The later of the baseline commit's time and the person's last prompt, as far as known. HEAD when a
/// workspace was first seen says nothing of when the task began: its work may already have been in it.
fn task_started_at(request: &CollectRequest, found: &Observations) -> Option<Timestamp> {
    let prompted_at = found.session.present().and_then(|session| session.prompted_at);
    found.baseline_at.max(prompted_at.or(request.prompted_at))
}

fn baseline_at(request: &CollectRequest, baseline: Option<&Baseline>) -> Option<Timestamp> {
    baseline
        .or(request.baseline.as_ref())
        .filter(|baseline| baseline.origin != BaselineOrigin::FirstSeen)
        .and_then(|baseline| baseline.commit_time)
}
