//! A check as a prompt names it: by a tool's call, or in general words. Must not know whether it is asked for.

use super::Catalog;
use super::narrowing::is_part;
use super::read::check_of;
use super::wrapper::call_of;
use crate::judge::task::phrases::Group;
use crate::model::CheckKind;

/// What is run, in general words.
pub(super) const KINDS: [(Group, CheckKind); 4] = [
    (Group::Tests, CheckKind::Test),
    (Group::Linters, CheckKind::Lint),
    (Group::Builds, CheckKind::Build),
    (Group::Typechecks, CheckKind::Types),
];

/// A check that a prompt asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demanded {
    /// The tool's name in `checks.toml`; `None` where the prompt says only what kind of check.
    pub tool: Option<String>,
    /// The kind of check.
    pub kind: CheckKind,
    /// Whether a part of the check is asked for, such as one test.
    pub is_part: bool,
    /// The folder that the prompt names for it. Untrusted text.
    pub folder: Option<String>,
    /// The word behind "in" that may name a folder by itself. Untrusted text.
    pub near: Option<String>,
    /// What the prompt calls it. Untrusted text.
    pub words: String,
}

impl Demanded {
    /// Any check of this kind, all of it.
    pub(super) fn of_kind(kind: CheckKind, words: String) -> Demanded {
        Demanded { tool: None, kind, is_part: false, folder: None, near: None, words }
    }

    /// Whether the words of a run give the folder that was named, which is then no part of what was asked for.
    pub fn is_named_by(&self, command: &str) -> bool {
        let named = self.folder.as_deref();
        named.is_some_and(|named| command.split(' ').any(|word| word.trim_matches(['/', '.']) == named))
    }

    /// Whether a run in `folder` (relative to the session's own; `None` is that) checks the folder that was named;
    /// `None` if none was.
    pub fn is_run_in(&self, folder: Option<&str>) -> Option<bool> {
        let Some(named) = self.folder.as_deref() else {
            let name = folder?.rsplit('/').next();
            return (name == Some(self.near.as_deref()?)).then_some(true);
        };
        let Some(folder) = folder else { return Some(true) };
        let is_end = |rest: &str| rest.is_empty() || rest.ends_with('/');
        Some(
            named.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                || folder.starts_with('/') && folder.strip_suffix(named).is_some_and(is_end),
        )
    }
}

/// The check that these words call.
pub(super) fn of_tool(words: &[String], catalog: &Catalog) -> Option<Demanded> {
    if words.is_empty() {
        return None;
    }
    let call = call_of(words, None);
    check_of(&call, catalog).map(|(tool, call, n_words)| Demanded {
        tool: Some(tool.name.to_owned()),
        kind: tool.kind,
        is_part: is_part(tool, &call, n_words),
        folder: None,
        near: None,
        words: words.join(" "),
    })
}
