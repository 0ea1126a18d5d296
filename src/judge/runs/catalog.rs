//! The tools that `assets/checks.toml` lists: how they are called and what they print. Must not judge a run.

use std::cmp::Reverse;

use super::calls::{Calls, Pattern};
use super::lines::LinePattern;
use crate::model::CheckKind;

/// The tools of the built-in file, as the build script (`assets/checks.rs`) wrote them.
static BUILT_IN_CATALOG: Catalog = include!(concat!(env!("OUT_DIR"), "/checks.rs"));

/// A list of texts.
pub(super) type Texts = &'static [&'static str];

/// The known tools, indexed by how they are called.
#[derive(Debug, Clone, Copy)]
pub struct Catalog {
    pub(super) all: &'static [Tool],
    /// Options with which no tool of the kind `test` runs a test.
    pub(super) runs_no_test: Texts,
    /// Lines with which a shell or runner reports that a tool could not start.
    start: &'static [LinePattern],
    /// The places of the tools in `all`.
    pub(super) tools: Calls<usize>,
    /// By kind of check, the places of the tools whose lines count for a tool that runs others.
    pub(super) run_by_others: &'static [(CheckKind, &'static [usize])],
    /// Commands that act outside the work tree, and what they do.
    acts: Calls<&'static str>,
    /// Commands that never end.
    endless: Calls<()>,
    /// Commands that change files.
    edits: Calls<()>,
    /// Commands that change nothing.
    reads: Calls<()>,
}

/// A tool.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tool {
    /// Its name, shown to a person and used to tell runs apart.
    pub(super) name: &'static str,
    /// What it checks.
    pub(super) kind: CheckKind,
    /// Options without which the call is not this check.
    pub(super) with: Texts,
    /// Options with which the call is not this check, because it writes or only reports.
    pub(super) without: Texts,
    /// Options that restrict it to a part.
    pub(super) part: Texts,
    /// Options that take the next word as their value.
    pub(super) values: Texts,
    /// Words after the call that keep it whole; any other word that is not an option restricts it.
    pub(super) whole: Texts,
    /// Whether words after the call are folders that keep it whole.
    pub(super) takes_folders: bool,
    /// Options with which it never ends.
    pub(super) watch: Texts,
    /// Whether it prints nothing if all is well.
    pub(super) is_silent: bool,
    /// Whether it runs other tools, so that their lines count and it covers them.
    pub(super) runs_others: bool,
    /// The checks that it includes.
    pub(super) covers: Texts,
    /// Exit codes that mean that nothing was checked.
    pub(super) empty_codes: &'static [i32],
    /// Lines that say that something failed.
    pub(super) fail: &'static [LinePattern],
    /// Lines that say that everything passed.
    pub(super) pass: &'static [LinePattern],
    /// Lines that say that nothing was checked.
    pub(super) empty: &'static [LinePattern],
    /// Lines that name what failed.
    pub(super) failing: &'static [LinePattern],
    /// Lines that are followed by the names of what failed, one per line.
    pub(super) failing_below: &'static [LinePattern],
}

impl Catalog {
    /// The tools of the built-in file.
    pub fn built_in() -> &'static Catalog {
        &BUILT_IN_CATALOG
    }

    /// The tool that `words` call, and how many of the words name it. The tool named by the most words wins,
    /// and among equals the first, so that a person's own tool takes precedence.
    pub(super) fn tool(&self, words: &[String]) -> Option<(&Tool, usize)> {
        let is_meant = |tool: &Tool| {
            let has = |options: Texts| has_option(words, options);
            (tool.with.is_empty() || has(tool.with)) && !has(tool.without)
        };
        let named = self.tools.of(words).filter_map(|(place, n_names, n_words)| {
            let tool = self.all.get(*place).filter(|tool| is_meant(tool))?;
            Some((tool, (n_names, Reverse(*place), n_words)))
        });
        named.max_by_key(|(_, rank)| *rank).map(|(tool, (.., n_words))| (tool, n_words))
    }

    /// The tools that `tool` may run, whose lines count for it.
    pub(super) fn run_by(&self, tool: &Tool) -> impl Iterator<Item = &Tool> + Clone {
        let of_kind = self.run_by_others.iter().filter(|(kind, _)| tool.runs_others && *kind == tool.kind);
        of_kind.flat_map(|(_, places)| *places).filter_map(|place| self.all.get(*place))
    }

    /// Lines with which a shell or runner reports that a tool could not start.
    pub(super) fn start_failures(&self) -> &[LinePattern] {
        self.start
    }

    /// Whether these words call something that never ends.
    pub(super) fn is_endless(&self, words: &[String]) -> bool {
        self.endless.has(words)
    }

    /// What these words do outside the work tree; `None` for a dry run.
    pub(super) fn act_of(&self, words: &[String]) -> Option<&str> {
        let act = self.act_name(words)?;
        let is_rehearsal = has_option(words, &["--dry-run", "-n"]);
        (!is_rehearsal).then_some(act)
    }

    /// The act outside the work tree that these words call, if only as a rehearsal.
    pub(super) fn act_name(&self, words: &[String]) -> Option<&'static str> {
        self.acts.of(words).map(|(act, ..)| *act).min()
    }

    /// What the tool of this name checks.
    pub(super) fn kind_of(&self, tool: &str) -> Option<CheckKind> {
        self.named(tool).map(|known| known.kind)
    }

    /// Whether the tool of this name includes a check of this kind.
    pub fn covers(&self, tool: &str, kind: CheckKind) -> bool {
        let covers = self.named(tool).map_or(&[][..], |tool| tool.covers);
        covers.iter().any(|name| self.kind_of(name) == Some(kind))
    }

    fn named(&self, tool: &str) -> Option<&Tool> {
        self.all.iter().find(|known| known.name == tool)
    }

    /// Whether these words call what acts outside the work tree, if only as a rehearsal.
    pub(super) fn is_act(&self, words: &[String]) -> bool {
        self.acts.has(words)
    }

    /// Whether these words are known to change nothing.
    pub(super) fn is_read(&self, words: &[String]) -> bool {
        self.reads.has(words)
    }

    /// Whether these words change files.
    pub(super) fn is_edit(&self, words: &[String]) -> bool {
        self.edits.has(words)
    }
}

/// Whether `words` contain one of `options`, with or without a value after `=`. Words after `--` do not count.
pub(super) fn has_option(words: &[String], options: &[&str]) -> bool {
    words.iter().take_while(|word| *word != "--").any(|word| is_option(word, options))
}

/// Whether this word is one of `options`.
pub(super) fn is_option(word: &str, options: &[&str]) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    options.iter().any(|option| match option.strip_suffix('*') {
        Some(begin) => word.starts_with(begin),
        None => *option == name,
    })
}
