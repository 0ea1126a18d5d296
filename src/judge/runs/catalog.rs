//! The tools that `assets/checks.toml` lists: how they are called and what they print. Must not judge a run.

use std::cmp::Reverse;

use super::calls::Calls;
use super::lines::{LinePattern, LinePatterns};
use crate::model::{CheckKind, TextList};

/// The tools of the built-in file, as the build script (`assets/checks.rs`) wrote them.
static BUILT_IN_CATALOG: Catalog = include!(concat!(env!("OUT_DIR"), "/checks.rs"));

/// The known tools, indexed by how they are called.
#[derive(Debug, Clone, Copy)]
pub struct Catalog {
    /// A person's own tools, which take precedence.
    pub(super) own: Tools,
    built_in: Tools,
    /// Options with which no tool of the kind `test` runs a test.
    pub(super) runs_no_test: TextList,
    /// Lines with which a shell or runner reports that a tool could not start.
    start: LinePatterns,
    /// By kind of check, the places of the built-in tools whose lines count for a tool that runs others.
    run_by_others: &'static [(CheckKind, &'static [u16])],
    /// What commands do outside the work tree.
    act_names: TextList,
    /// Commands that act outside the work tree, with the place of what they do.
    acts: Calls<u32>,
    /// Commands that never end.
    endless: Calls<()>,
    /// Commands that change files.
    edits: Calls<()>,
    /// Commands that change nothing.
    reads: Calls<()>,
}

/// Tools, and how they are called.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tools {
    pub(super) rules: &'static [Rules],
    /// For each call the place of its rules, and of its name among theirs.
    pub(super) calls: Calls<(u16, u16)>,
}

/// A tool.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tool {
    /// Its name, shown to a person and used to tell runs apart.
    pub(super) name: &'static str,
    pub(super) rules: &'static Rules,
}

/// What an entry of the file says of its tool, or of all its tools if each call is a check of its own.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// The names of the tools.
    pub(super) names: TextList,
    /// What it checks.
    pub(super) kind: CheckKind,
    /// Options without which the call is not this check.
    pub(super) with: TextList,
    /// Options with which the call is not this check, because it writes or only reports.
    pub(super) without: TextList,
    /// Options that restrict it to a part.
    pub(super) part: TextList,
    /// Options that take the next word as their value.
    pub(super) values: TextList,
    /// Words after the call that keep it whole; any other word that is not an option restricts it.
    pub(super) whole: TextList,
    /// Whether words after the call are folders that keep it whole.
    pub(super) takes_folders: bool,
    /// Options with which it never ends.
    pub(super) watch: TextList,
    /// Whether it prints nothing if all is well.
    pub(super) is_silent: bool,
    /// Whether it runs other tools, so that their lines count and it covers them.
    pub(super) runs_others: bool,
    /// The checks that it includes.
    pub(super) covers: TextList,
    /// Exit codes that mean that nothing was checked.
    pub(super) empty_codes: &'static [i32],
    /// Lines that say that something failed.
    pub(super) fail: LinePatterns,
    /// Lines that say that everything passed.
    pub(super) pass: LinePatterns,
    /// Lines that say that nothing was checked.
    pub(super) empty: LinePatterns,
    /// Lines that name what failed.
    pub(super) failing: LinePatterns,
    /// Lines that are followed by the names of what failed, one per line.
    pub(super) failing_below: LinePatterns,
}

impl Tools {
    /// No tools.
    pub(super) const NONE: Tools =
        Tools { rules: &[], calls: Calls { texts: TextList::of(""), by_first: &[], by_stem: &[] } };

    /// The tool that `words` call, how many words name it and how many of `words` that are. The tool named by the most words
    /// wins, and among equals the first.
    fn called(&self, words: &[String]) -> Option<(Tool, usize, usize)> {
        let is_meant = |rules: &&Rules| {
            let has = |options: TextList| has_option(words, &options.iter());
            (rules.with.is_empty() || has(rules.with)) && !has(rules.without)
        };
        let named = self.calls.of(words).filter_map(|(place, n_names, n_words)| {
            let rules = self.rules.get(usize::from(place.0)).filter(is_meant)?;
            Some((rules, (n_names, Reverse(place), n_words)))
        });
        let (rules, (n_names, Reverse((_, nth)), n_words)) = named.max_by_key(|(_, rank)| *rank)?;
        Some((Tool { name: rules.names.iter().nth(nth.into())?, rules }, n_names, n_words))
    }
}

impl Catalog {
    /// The tools of the built-in file.
    pub fn built_in() -> &'static Catalog {
        &BUILT_IN_CATALOG
    }

    /// The tool that `words` call, and how many of the words name it.
    pub(super) fn tool(&self, words: &[String]) -> Option<(Tool, usize)> {
        // Among equals the last wins: the person's own.
        let called = [self.built_in, self.own].into_iter().filter_map(|tools| tools.called(words));
        called.max_by_key(|(_, n_names, _)| *n_names).map(|(tool, _, n_words)| (tool, n_words))
    }

    /// The rules of the tools that one with `rules` may run, whose lines count for it.
    pub(super) fn run_by(&self, rules: &Rules) -> impl Iterator<Item = &'static Rules> + Clone {
        let of_kind = self.run_by_others.iter().filter(|(kind, _)| rules.runs_others && *kind == rules.kind);
        of_kind
            .flat_map(|(_, places)| *places)
            .filter_map(|place| self.built_in.rules.get(usize::from(*place)))
    }

    /// Lines with which a shell or runner reports that a tool could not start.
    pub(super) fn start_failures(&self) -> LinePatterns {
        self.start
    }

    /// Whether these words call something that never ends.
    pub(super) fn is_endless(&self, words: &[String]) -> bool {
        self.endless.has(words)
    }

    /// What these words do outside the work tree; `None` for a dry run.
    pub(super) fn act_of(&self, words: &[String]) -> Option<&str> {
        let act = self.act_name(words)?;
        let is_rehearsal = has_option(words, &["--dry-run", "-n"].into_iter());
        (!is_rehearsal).then_some(act)
    }

    /// The act outside the work tree that these words call, if only as a rehearsal.
    pub(super) fn act_name(&self, words: &[String]) -> Option<&'static str> {
        self.acts.of(words).map(|(act, ..)| self.act_names.at(act)).min()
    }

    /// What the tool of this name checks.
    pub(super) fn kind_of(&self, tool: &str) -> Option<CheckKind> {
        self.named(tool).map(|known| known.kind)
    }

    /// Whether the tool of this name includes a check of this kind.
    pub fn covers(&self, tool: &str, kind: CheckKind) -> bool {
        let mut covers = self.named(tool).into_iter().flat_map(|known| known.covers.iter());
        covers.any(|name| self.kind_of(name) == Some(kind))
    }

    /// The rules of the tool of this name.
    fn named(&self, tool: &str) -> Option<&Rules> {
        self.own.rules.iter().chain(self.built_in.rules).find(|known| known.names.contains(tool))
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
pub(super) fn has_option<'o>(words: &[String], options: &(impl Iterator<Item = &'o str> + Clone)) -> bool {
    words.iter().take_while(|word| *word != "--").any(|word| is_option(word, options.clone()))
}

/// Whether this word is one of `options`.
pub(super) fn is_option<'o>(word: &str, mut options: impl Iterator<Item = &'o str>) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    options.any(|option| match option.strip_suffix('*') {
        Some(begin) => word.starts_with(begin),
        None => option == name,
    })
}
