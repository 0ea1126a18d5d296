//! Reads a workspace again while an action runs: what git reports, and what a session is doing.
//!
//! A reading that hangs is given up after the time limit of collections and yields nothing. It must not
//! change anything.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;

use crate::evidence::{self, Memory, TreeSignature, tree_signature};
use crate::judge::weigh::{WeighContext, weigh};
use crate::model::{
    ActionClass, ActionProblem, ActionRequest, CollectRequest, GitFacts, Observations, Parts, Reading,
    SessionName, SessionObservation, SessionView, WorkspaceSettings,
};

use super::tools::Tools;
use crate::engine::{EngineConfig, clock};

/// Reads one workspace again.
pub(super) struct Refresher<'a> {
    request: &'a ActionRequest,
    config: &'a EngineConfig,
}

/// A session as it is now.
pub(super) struct Current {
    pub(super) session: SessionObservation,
    /// The session's state, from its record and from what is reported beside it.
    pub(super) view: SessionView,
    pub(super) record: Option<PathBuf>,
}

impl<'a> Refresher<'a> {
    pub(super) fn new(request: &'a ActionRequest, tools: &Tools<'a>) -> Refresher<'a> {
        Refresher { request, config: tools.config }
    }

    /// Reads the session of that name again.
    pub(super) fn session(&self, name: &SessionName) -> Result<Current, ActionProblem> {
        let observations = self.collect(Parts::WORDS).ok_or_else(not_in_time)?;
        let is_it = |session: &&SessionObservation| session.is(name);
        let found = observations.sessions().find(is_it).cloned();
        let policy = &self.config.config.policy;
        let context = WeighContext::new(self.request.task_kind, policy, &self.request.settings);
        let context = context.with_catalog(self.config.catalog);
        let facts = weigh(observations, &context).session_facts.unwrap_or_default();
        let view = facts.sessions.into_iter().find(|view| view.is(name));
        let (Some(session), Some(view)) = (found, view) else {
            let problem = ActionProblem::new(ActionClass::Unknown, "the session no longer exists");
            return Err(problem.with_next("look at the workspace again"));
        };
        let place = self.request.sessions.iter().find(|place| place.is(name));
        Ok(Current {
            session,
            view: Arc::unwrap_or_clone(view),
            record: place.map(|place| place.record.clone()),
        })
    }

    /// What git reports now; `None` if it does not answer, or if there is no repository.
    pub(super) fn git(&self, parts: Parts) -> Option<GitFacts> {
        match self.collect(parts)?.git {
            Reading::Present(git) => Some(git.facts),
            Reading::NotLookedAt
            | Reading::NotConfigured
            | Reading::Absent { .. }
            | Reading::Unreadable(_) => None,
        }
    }

    /// Refuses an answer if files changed since `before`; the error says which.
    pub(super) fn check_unchanged(&self, before: Option<TreeSignature>) -> Result<(), ActionProblem> {
        let Some((before, after)) = before.zip(self.signature()) else { return Ok(()) };
        let changed = before.differences(&after, self.request.workspace.path());
        if changed.is_empty() {
            return Ok(());
        }
        let changed = changed.join(", ");
        let message = format!("files changed while the agent was asked: {changed}; its answer is not used");
        Err(ActionProblem::new(ActionClass::Unknown, message))
    }

    /// The current state of the work tree; `None` if it cannot be read.
    pub(super) fn signature(&self) -> Option<TreeSignature> {
        let workspace = self.request.workspace.path().to_owned();
        self.beside(Parts::COMMITS | Parts::CHANGES, move |observations| {
            match &observations.git {
                // There is a repository, but what git would report is unknown.
                Reading::Unreadable(_) => None,
                git @ (Reading::NotLookedAt
                | Reading::NotConfigured
                | Reading::Absent { .. }
                | Reading::Present(_)) => Some(tree_signature(&workspace, git)),
            }
        })
        .flatten()
    }

    fn collect(&self, parts: Parts) -> Option<Observations> {
        self.beside(parts, |observations| observations)
    }

    /// Collects on a separate thread and returns the result of `then`; `None` if that takes too long.
    fn beside<T: Send + 'static>(
        &self,
        parts: Parts,
        then: impl FnOnce(Observations) -> T + Send + 'static,
    ) -> Option<T> {
        let config = self.config.clone();
        let request = self.collect_request(parts);
        self.within_limit(move || {
            let collect_context = config.collect_context(clock::now());
            evidence::collect(&request, &collect_context, &mut Memory::default()).ok().map(then)
        })
        .flatten()
    }

    /// The result of `look` on a separate thread; `None` if it takes longer than a collection may. The thread
    /// is then abandoned.
    pub(super) fn within_limit<T: Send + 'static>(
        &self,
        look: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let limit = self.config.collect_limit();
        let (sender, receiver) = channel();
        let started = thread::Builder::new().spawn(move || {
            // Fails if the caller has given up waiting.
            let _ = sender.send(look());
        });
        started.ok()?;
        receiver.recv_timeout(limit).ok()
    }

    fn collect_request(&self, parts: Parts) -> CollectRequest {
        let request = self.request;
        CollectRequest {
            workspace: request.workspace.clone(),
            generation: 0,
            parts,
            settings: pinned(request),
            policy: self.config.config.policy.clone(),
            task_kind: request.task_kind,
            git_reader: None,
            baseline: request.baseline.clone(),
            named: None,
            task_at: None,
            sessions: request.sessions.clone(),
            prompted_at: None,
            not_before: clock::now(),
        }
    }
}

pub(super) fn not_in_time() -> ActionProblem {
    ActionProblem::new(ActionClass::Unknown, "the sessions of the workspace could not be read in time")
        .with_next("look at the workspace again")
}

/// The settings with the baseline's revision replaced by its commit: `HEAD` must not move while an agent
/// commits.
fn pinned(request: &ActionRequest) -> WorkspaceSettings {
    let mut settings = request.settings.clone();
    let commit = request.baseline.as_ref().and_then(|baseline| baseline.commit);
    if let (Some(given), Some(commit)) = (&mut settings.baseline, commit) {
        given.rev = commit.to_string();
    }
    settings
}
