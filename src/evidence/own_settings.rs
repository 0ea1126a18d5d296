//! Decides whether a workspace's own settings count, by comparing its file with the commit from which work
//! is counted.
//!
//! An agent can write `.closeout.toml`. Settings that could soften the verdict count only if the baseline's
//! commit contains the very same file, because then it was there before the work. If that cannot be
//! determined, the answer is no. Reads only git.

use std::path::Path;

use super::collect::{CollectContext, Memory, base, git_ask, is_found};
use super::git;
use crate::model::{Baseline, CollectRequest, CommitId};

/// The file's name, in the top folder of a workspace.
pub const OWN_FILE: &str = ".closeout.toml";

/// A request with the settings that apply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InForce {
    /// The request. Its settings contain nothing that still waits for this decision.
    pub request: CollectRequest,
    /// The baseline that the file was compared with, if it was found rather than given. It must be
    /// remembered, whatever baseline the file itself names.
    pub found_baseline: Option<Baseline>,
}

/// The request with the settings that apply; `None` if nothing in it was waiting. Blocks.
pub fn in_force(request: &CollectRequest, context: &CollectContext, memory: &mut Memory) -> Option<InForce> {
    let own = request.settings.own.as_deref()?;
    let baseline = base(request, context, memory);
    let commit = baseline.as_ref().and_then(|baseline| baseline.commit);
    let is_settled = commit.is_some_and(|commit| is_in(request, context, memory, commit, &own.text));
    let settings = request.settings.in_force(is_settled);
    let task_kind = settings.task_kind.unwrap_or(request.task_kind);
    let found_baseline =
        baseline.filter(|baseline| is_found(baseline) && request.baseline.as_ref() != Some(baseline));
    Some(InForce { request: CollectRequest { settings, task_kind, ..request.clone() }, found_baseline })
}

fn is_in(
    request: &CollectRequest,
    context: &CollectContext,
    memory: &mut Memory,
    commit: CommitId,
    text: &str,
) -> bool {
    let workspace: &Path = request.workspace.path();
    let ask = git_ask(request, context);
    let committed = git::file_of_commit(workspace, OWN_FILE, commit, text.len(), &ask, &mut memory.base);
    committed.is_ok_and(|committed| committed.as_deref() == Some(text.as_bytes()))
}
