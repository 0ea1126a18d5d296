//! How git is called, whoever calls it: with a repository that is named and never looked for, an
//! environment built from nothing, and settings that keep git from starting what the repository or the
//! environment names (`SECURITY.md` 1.2).
//!
//! It must not be weakened by a caller: what is added to it can only forbid more, or is said why there.

use std::path::Path;

use super::Spec;

/// Settings that keep git from starting anything or reaching out.
const SETTINGS: [&str; 9] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.alternateRefsCommand=",
    "safe.bareRepository=explicit",
    "log.showSignature=false",
    "protocol.allow=never",
    "gc.auto=0",
    "maintenance.auto=false",
];
/// Variables that do the same, and those that make answers the same everywhere.
const VARIABLES: [(&str, &str); 8] = [
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
];

/// The least git that all of this works with. Older ones pass over `safe.bareRepository` (new in 2.38): a folder of
/// the work tree that looks like a repository could then name a program that git runs.
pub const LEAST_GIT: (u32, u32) = (2, 38);

/// The version in what `git --version` prints, like `git version 2.47.3`.
pub fn version_in(told: &str) -> Option<(u32, u32)> {
    let mut numbers =
        told.split_whitespace().find(|word| word.starts_with(|sign: char| sign.is_ascii_digit()))?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// A call of git.
#[derive(Debug, Clone, Copy)]
pub struct GitCall<'a> {
    /// The git program, by absolute path.
    pub program: &'a Path,
    /// The user's home folder, for the user's own configuration; `None` reads none.
    pub home: Option<&'a Path>,
    /// The git directory, or what stands for it.
    pub git_dir: &'a Path,
    /// The top of the work tree, in which git runs.
    pub work_tree: &'a Path,
}

impl GitCall<'_> {
    /// The run of git, to which the caller adds the command and, before it, more settings.
    pub fn spec(&self) -> Spec {
        let top = self.work_tree;
        let mut spec = Spec::new(self.program, top)
            .env("GIT_DIR", self.git_dir)
            .env("GIT_WORK_TREE", top)
            // Not even a repository that was not named right is looked for above.
            .env("GIT_CEILING_DIRECTORIES", top.parent().unwrap_or(top));
        for (name, value) in VARIABLES {
            spec = spec.env(name, value);
        }
        spec = match self.home {
            Some(home) => spec.env("HOME", home),
            None => spec.env("GIT_CONFIG_GLOBAL", "/dev/null"),
        };
        if let Some(folder) = self.program.parent() {
            // git finds its own parts there, and nothing else.
            spec = spec.env("PATH", folder);
        }
        SETTINGS.iter().fold(spec.args(["--no-optional-locks"]), |spec, setting| spec.args(["-c", setting]))
    }
}
