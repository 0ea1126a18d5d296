//! A check's tool that a person described: how it is called, and what it prints.

use super::CheckKind;

/// A tool of the person's own. `assets/checks.toml` has the built-in ones in the same form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the entry")]
pub struct CheckTool {
    /// Its name, which a person is shown.
    pub name: String,
    /// What it checks.
    pub kind: CheckKind,
    /// How it is called; a bar stands between calls of the same check.
    pub run: Vec<String>,
    /// Whether each call is a check of its own.
    pub each: bool,
    /// Options without which a call is not this check.
    pub with: Vec<String>,
    /// Options with which a call is not this check.
    pub without: Vec<String>,
    /// Options that restrict it to a part.
    pub part: Vec<String>,
    /// Options that take the next word as their value.
    pub values: Vec<String>,
    /// Words behind the call that keep it whole.
    pub whole: Vec<String>,
    /// Whether words behind the call are folders that keep it whole.
    pub takes_folders: bool,
    /// Options with which it never ends.
    pub watch: Vec<String>,
    /// Whether it prints nothing if all is well.
    pub is_silent: bool,
    /// Whether it runs other tools, whose lines count for it.
    pub runs_others: bool,
    /// The names of the tools that it includes.
    pub covers: Vec<String>,
    /// Exit codes that mean that nothing was checked.
    pub empty_codes: Vec<i32>,
    /// Lines that say that something failed.
    pub fail: Vec<String>,
    /// Lines that say that everything passed.
    pub pass: Vec<String>,
    /// Lines that say that nothing was checked.
    pub empty: Vec<String>,
    /// Lines that name what failed.
    pub failing: Vec<String>,
    /// Lines that are followed by the names of what failed.
    pub failing_below: Vec<String>,
}

impl CheckTool {
    /// A tool of this name that is never called.
    pub fn named(name: &str, kind: CheckKind) -> CheckTool {
        CheckTool { name: name.to_owned(), kind, ..CheckTool::default() }
    }
}
