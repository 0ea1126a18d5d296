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

/// What a prompt names to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// The tool of this name in `checks.toml`.
    Tool(String),
    /// Any check of this kind.
    Kind(CheckKind),
    /// A call of a program that no file lists.
    Call {
        /// Its words without what starts it. Untrusted text.
        words: Vec<String>,
        /// Whether it has to pass for the work as it is, and not only to be run.
        must_pass: bool,
    },
}

/// A check that a prompt asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demanded {
    /// What is run.
    pub what: Named,
    /// Whether a part of the check is asked for, such as one test.
    pub is_part: bool,
    /// The folder that the prompt names for it. Untrusted text.
    pub folder: Option<String>,
    /// The word behind "in" that may name a folder by itself. Untrusted text.
    pub near: Option<String>,
    /// What the prompt calls it. Untrusted text.
    pub words: String,
    /// How many words of its call name the check; those behind them restrict it.
    pub(super) n_named: usize,
}

impl Demanded {
    /// Any check of this kind, all of it.
    pub(super) fn of_kind(kind: CheckKind, words: String) -> Demanded {
        Demanded { what: Named::Kind(kind), is_part: false, folder: None, near: None, words, n_named: 0 }
    }

    /// Whether a run of a part is of the part that is asked for: its words have those of the demand that restrict it, and
    /// the values of options right behind them, so that `-m "not slow"` is not `-m slow`.
    pub fn is_part_of(&self, command: &str) -> bool {
        let bare = |word: &String| word.trim_start_matches("./").trim_end_matches(['/', '.']).to_owned();
        let words = |text: &str| {
            let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            call_of(&words, None).words.iter().map(bare).collect::<Vec<String>>()
        };
        let (asked, run) = (words(&self.words), words(command));
        let is_option = |at: usize| asked[at].starts_with('-');
        let is_value = |at: usize| at > 0 && is_option(at - 1);
        let has_pair = |at: usize| run.windows(2).any(|pair| *pair == asked[at - 1..=at]);
        let is_there = |at: usize| {
            is_option(at)
                || is_value(at) && (!run.contains(&asked[at - 1]) || has_pair(at))
                || !is_value(at) && run.contains(&asked[at])
        };
        // The call itself may be written in another way: only what stands behind it counts.
        self.is_part && (self.n_named..asked.len()).all(is_there)
    }

    /// What it checks; `None` for a call that no file lists.
    pub(super) fn kind(&self, catalog: &Catalog) -> Option<CheckKind> {
        match &self.what {
            Named::Tool(name) => catalog.kind_of(name),
            Named::Kind(kind) => Some(*kind),
            Named::Call { .. } => None,
        }
    }

    /// The same, of which the prompt says that it shall be run, and not that it shall pass.
    pub(super) fn only_run(self) -> Demanded {
        match self.what {
            Named::Call { words, .. } => Demanded { what: Named::Call { words, must_pass: false }, ..self },
            Named::Tool(_) | Named::Kind(_) => self,
        }
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
        what: Named::Tool(tool.name.to_owned()),
        is_part: is_part(tool.rules, &call, n_words),
        folder: None,
        near: None,
        words: words.join(" "),
        n_named: n_words,
    })
}

/// The call that these words are, which stand in the prompt as code: more than one, the first the name of a program. Calls
/// that only read, act outside the tree or never end are no checks.
pub(super) fn of_call(words: &[String], catalog: &Catalog) -> Option<Demanded> {
    let is_of_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"./_-".contains(&byte);
    let first = words.first()?;
    let is_script =
        first.starts_with("./") || first.starts_with("bin/") || first.rsplit('.').next() == Some("sh");
    let is_program = words.len() > 1
        && first.bytes().all(is_of_name)
        && first.starts_with(|c: char| c.is_ascii_lowercase());
    let call = call_of(words, None).words;
    let is_other = !catalog.is_read(&call) && !catalog.is_act(&call) && !catalog.is_endless(&call);
    ((is_script || is_program) && is_other).then(|| Demanded {
        what: Named::Call { words: call, must_pass: true },
        is_part: false,
        folder: None,
        near: None,
        words: words.join(" "),
        n_named: 0,
    })
}
