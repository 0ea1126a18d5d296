//! The tools that `assets/checks.toml` knows: how they are called and what they print.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::calls::Calls;
use super::lines::LinePattern;
use crate::model::CheckKind;

/// The built-in file as JSON: made by the build, since it is read at every start.
const BUILT_IN: &str = include_str!(concat!(env!("OUT_DIR"), "/checks.json"));

/// The tools of the built-in file alone.
static BUILT_IN_CATALOG: LazyLock<Catalog> =
    LazyLock::new(|| Catalog::of(serde_json::from_str(BUILT_IN).unwrap_or_default()));

/// A file of tools.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    /// Checks.
    tool: Vec<Tool>,
    /// Lines of what runs other tools, by the kind of check.
    lines: Vec<Lines>,
    /// Commands that act outside the work tree: what they do, by how they are called.
    act: BTreeMap<String, Vec<String>>,
    /// Commands without an end.
    endless: Vec<String>,
    /// Commands that change files.
    edit: Vec<String>,
    /// Lines by which a shell or a runner says that a tool could not start.
    start: Vec<LinePattern>,
}

/// The tools that are known, made ready to be found.
#[derive(Debug, Default)]
pub struct Catalog {
    file: File,
    /// The place of a tool in the file.
    tools: Calls<usize>,
    /// The places of the tools whose lines count for what runs others, by the kind of check.
    run_by_others: Vec<(CheckKind, Vec<usize>)>,
    acts: Calls<String>,
    endless: Calls<()>,
    edits: Calls<()>,
}

/// One tool.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tool {
    /// Its name, for a person and to tell runs apart.
    pub(super) name: String,
    /// What it checks.
    pub(super) kind: CheckKind,
    /// How it is called: words, `*` at a word's end for its rest. Options between them do not matter.
    pub(super) run: Vec<String>,
    /// Options without which it is not this check.
    #[serde(default)]
    pub(super) with: Vec<String>,
    /// Options with which it is not this check: it writes, or only tells.
    #[serde(default)]
    pub(super) without: Vec<String>,
    /// Options that narrow it to a part.
    #[serde(default)]
    pub(super) part: Vec<String>,
    /// Options that take the next word.
    #[serde(default)]
    pub(super) values: Vec<String>,
    /// Words behind it that leave it whole; any other word that is no option narrows it.
    #[serde(default)]
    pub(super) whole: Vec<String>,
    /// True where words behind it are folders that leave it whole.
    #[serde(default)]
    pub(super) takes_folders: bool,
    /// Options with which it never ends.
    #[serde(default)]
    pub(super) watch: Vec<String>,
    /// True where it prints nothing when all is well.
    #[serde(default)]
    pub(super) is_silent: bool,
    /// True where it runs other tools: their lines count, and it covers them.
    #[serde(default)]
    pub(super) runs_others: bool,
    /// Checks that are contained in it.
    #[serde(default)]
    pub(super) covers: Vec<String>,
    /// Codes that say that nothing was checked.
    #[serde(default)]
    pub(super) empty_codes: Vec<i32>,
    /// Lines that say that something failed.
    #[serde(default)]
    pub(super) fail: Vec<LinePattern>,
    /// Lines that say that all passed.
    #[serde(default)]
    pub(super) pass: Vec<LinePattern>,
    /// Lines that say that nothing was checked.
    #[serde(default)]
    pub(super) empty: Vec<LinePattern>,
    /// Lines that name what failed.
    #[serde(default)]
    pub(super) failing: Vec<LinePattern>,
    /// Lines behind which names of what failed stand, one a line.
    #[serde(default)]
    pub(super) failing_below: Vec<LinePattern>,
}

/// Lines that runners of this kind print, for what runs other tools.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lines {
    /// The kind of check.
    pub(super) kind: CheckKind,
    /// The tools whose lines count.
    pub(super) of: Vec<String>,
}

impl Catalog {
    /// The built-in tools.
    pub fn built_in() -> &'static Catalog {
        &BUILT_IN_CATALOG
    }

    fn of(file: File) -> Catalog {
        let mut catalog = Catalog::default();
        for (place, tool) in file.tool.iter().enumerate() {
            tool.run.iter().for_each(|call| catalog.tools.add_named(call, place));
        }
        for (act, calls) in &file.act {
            for call in calls {
                catalog.acts.add(call, act.clone());
            }
        }
        file.endless.iter().for_each(|call| catalog.endless.add(call, ()));
        file.edit.iter().for_each(|call| catalog.edits.add(call, ()));
        for lines in &file.lines {
            let is_of = |(_, tool): &(usize, &Tool)| lines.of.contains(&tool.name);
            let places = file.tool.iter().enumerate().filter(is_of).map(|(place, _)| place);
            catalog.run_by_others.push((lines.kind, places.collect()));
        }
        Catalog { file, ..catalog }
    }

    /// The tool that `words` call, and how many of them name it. The one that is named by the most words is
    /// meant; of several the first: a person's own.
    pub(super) fn tool(&self, words: &[String]) -> Option<(&Tool, usize)> {
        let is_meant = |tool: &Tool| {
            let has = |options: &[String]| has_option(words, options);
            (tool.with.is_empty() || has(&tool.with)) && !has(&tool.without)
        };
        let named = self.tools.of(words).filter_map(|(place, n_names, n_words)| {
            let tool = self.file.tool.get(*place).filter(|tool| is_meant(tool))?;
            Some((tool, (n_names, Reverse(*place), n_words)))
        });
        named.max_by_key(|(_, rank)| *rank).map(|(tool, (.., n_words))| (tool, n_words))
    }

    /// The tools that `tool` may run, whose lines count for it.
    pub(super) fn run_by(&self, tool: &Tool) -> impl Iterator<Item = &Tool> + Clone {
        let of_kind = self.run_by_others.iter().filter(|(kind, _)| tool.runs_others && *kind == tool.kind);
        of_kind.flat_map(|(_, places)| places).filter_map(|place| self.file.tool.get(*place))
    }

    /// Lines by which a shell or a runner says that a tool could not start.
    pub(super) fn start_failures(&self) -> &[LinePattern] {
        &self.file.start
    }

    /// Whether these words call something that never ends.
    pub(super) fn is_endless(&self, words: &[String]) -> bool {
        self.endless.has(words)
    }

    /// What these words do outside the work tree.
    pub(super) fn act_of(&self, words: &[String]) -> Option<&str> {
        let act = self.acts.of(words).map(|(act, ..)| act.as_str()).min()?;
        let is_rehearsal = has_option(words, &["--dry-run".to_owned(), "-n".to_owned()]);
        (!is_rehearsal).then_some(act)
    }

    /// Whether these words change files.
    pub(super) fn is_edit(&self, words: &[String]) -> bool {
        self.edits.has(words)
    }
}

/// Whether one of `options` is among the words, by itself or with a value behind `=`.
pub(super) fn has_option(words: &[String], options: &[String]) -> bool {
    words.iter().take_while(|word| *word != "--").any(|word| is_option(word, options))
}

/// Whether this word is one of `options`.
pub(super) fn is_option(word: &str, options: &[String]) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    options.iter().any(|option| match option.strip_suffix('*') {
        Some(begin) => word.starts_with(begin),
        None => option == name,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_file_can_be_read() {
        let read: File = toml::from_str(include_str!("../../../assets/checks.toml")).unwrap();
        assert_eq!(format!("{:?}", serde_json::from_str::<File>(BUILT_IN).unwrap()), format!("{read:?}"));
        let names: Vec<&str> = read.tool.iter().map(|tool| tool.name.as_str()).collect();
        for of in
            read.lines.iter().flat_map(|lines| &lines.of).chain(read.tool.iter().flat_map(|t| &t.covers))
        {
            assert!(names.contains(&of.as_str()), "{of} is no tool");
        }
    }
}
