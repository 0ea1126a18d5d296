//! Whether a workspace's own settings count: its file is held against the commit from which work is counted.
//!
//! An agent can write `.closeout.toml`. What could soften the verdict counts only if the baseline's commit has
//! the very same file: then it was there before the work. Whatever keeps this from being known means no.
//! Reads git and nothing else.

use std::path::Path;

use super::collect::{CollectContext, Memory, base, git_ask, is_found};
use super::git;
use crate::model::{Baseline, CollectRequest};

/// The name of the file in the top folder of a workspace.
pub const OWN_FILE: &str = ".closeout.toml";

/// A request by the settings that hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InForce {
    /// The request; its settings have no word of the workspace's own file that waits.
    pub request: CollectRequest,
    /// The baseline against which the file was held, when it was found and not given: it is to be
    /// remembered, whatever baseline the file chose.
    pub found_baseline: Option<Baseline>,
}

/// `request` by the settings that hold; `None` if they are those that it has. Blocks.
pub fn in_force(
    request: &CollectRequest,
    surroundings: &CollectContext,
    memory: &mut Memory,
) -> Option<InForce> {
    let own = request.settings.own.as_deref()?;
    let baseline = base(request, surroundings, memory);
    let commit = baseline.as_ref().and_then(|baseline| baseline.commit.as_deref());
    let is_settled = commit.is_some_and(|commit| is_in(request, surroundings, commit, &own.text));
    let settings = request.settings.in_force(is_settled);
    let task_kind = settings.task_kind.unwrap_or(request.task_kind);
    let found_baseline =
        baseline.filter(|baseline| is_found(baseline) && request.baseline.as_ref() != Some(baseline));
    Some(InForce { request: CollectRequest { settings, task_kind, ..request.clone() }, found_baseline })
}

fn is_in(request: &CollectRequest, surroundings: &CollectContext, commit: &str, text: &str) -> bool {
    let workspace: &Path = request.workspace.path();
    let ask = git_ask(request, surroundings);
    let content = git::file_of_commit(workspace, OWN_FILE, commit, text.len(), &ask);
    content.is_ok_and(|content| content.as_deref() == Some(text.as_bytes()))
}
