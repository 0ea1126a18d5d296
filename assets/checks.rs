//! Writes the tools of `assets/checks.toml` as Rust, sorted as `src/judge/runs` looks them up. Must not know what a
//! tool means.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Outcome;
use super::tasks::camel_case;
use super::texts::{Texts, list};

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    tool: Vec<Tool>,
    lines: Vec<Lines>,
    /// Commands that act outside the work tree: what they do, and how they are called.
    act: BTreeMap<String, Vec<String>>,
    endless: Vec<String>,
    edit: Vec<String>,
    read: Vec<String>,
    start: Vec<String>,
    /// Options of tools with which no test runs.
    runs_no_test: Vec<String>,
}

/// A tool; `src/judge/runs/catalog.rs` says what each key means.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the file")]
struct Tool {
    name: String,
    kind: String,
    /// Calls of the same check stand in one text, with a bar between them.
    run: Vec<String>,
    /// Whether each call is a check of its own, named by its words but for the first: none mends another.
    #[serde(default)]
    each: bool,
    #[serde(default)]
    with: Vec<String>,
    #[serde(default)]
    without: Vec<String>,
    #[serde(default)]
    part: Vec<String>,
    #[serde(default)]
    values: Vec<String>,
    #[serde(default)]
    whole: Vec<String>,
    #[serde(default)]
    takes_folders: bool,
    #[serde(default)]
    watch: Vec<String>,
    #[serde(default)]
    is_silent: bool,
    #[serde(default)]
    runs_others: bool,
    #[serde(default)]
    covers: Vec<String>,
    #[serde(default)]
    empty_codes: Vec<i32>,
    #[serde(default)]
    fail: Vec<String>,
    #[serde(default)]
    pass: Vec<String>,
    #[serde(default)]
    empty: Vec<String>,
    #[serde(default)]
    failing: Vec<String>,
    #[serde(default)]
    failing_below: Vec<String>,
}

/// The tools of one kind whose lines count for a tool that runs others.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lines {
    kind: String,
    of: Vec<String>,
}

/// The file as Rust. An error names a tool that is not there.
pub(crate) fn written(text: &str) -> Outcome<String> {
    let mut file: File = toml::from_str(text)?;
    let named =
        file.lines.iter().flat_map(|lines| &lines.of).chain(file.tool.iter().flat_map(|it| &it.covers));
    for name in named {
        if !file.tool.iter().any(|tool| tool.name == *name) {
            return Err(format!("assets/checks.toml: {name} is no tool").into());
        }
    }
    for tool in file.tool.iter_mut().filter(|tool| tool.kind == "test") {
        tool.without.extend_from_slice(&file.runs_no_test);
    }
    let rules = file.tool.iter().map(|tool| tool.rust(&file.tool)).collect::<Outcome<String>>()?;
    let tools = file.tool.iter().zip(0..).flat_map(|(tool, place): (&Tool, usize)| {
        let number = |nth: usize| if tool.each { nth } else { 0 };
        let runs = tool.run.iter().enumerate();
        let calls = runs.flat_map(move |(nth, run)| run.split(" | ").map(move |call| (nth, call)));
        calls.map(move |(nth, call)| (words_of(call), format!("({place}, {})", number(nth))))
    });
    let mut act_names = Texts::default();
    let mut acts = Vec::new();
    for (act, all) in &file.act {
        let place = act_names.place(act)?;
        acts.extend(all.iter().map(|call| (pattern(call), place.to_string())));
    }
    let nothing = |all: &[String]| calls(all.iter().map(|call| (pattern(call), "()".to_owned())));
    let of_kind = |lines: &Lines| {
        let is_of = |(_, tool): &(usize, &Tool)| lines.of.contains(&tool.name);
        let places: Vec<usize> = file.tool.iter().enumerate().filter(is_of).map(|(place, _)| place).collect();
        format!("(CheckKind::{}, &{places:?}),\n", camel_case(&lines.kind))
    };
    Ok(format!(
        "Catalog {{ own: Tools::NONE, built_in: Tools {{ rules: &[{rules}], calls: {} }}, runs_no_test: {}, start: {}, \
         run_by_others: &[{}], act_names: {}, acts: {}, endless: {}, edits: {}, reads: {} }}",
        calls(tools)?,
        list(&file.runs_no_test)?,
        patterns(&file.start)?,
        file.lines.iter().map(of_kind).collect::<String>(),
        act_names.rust(),
        calls(acts.into_iter())?,
        nothing(&file.endless)?,
        nothing(&file.edit)?,
        nothing(&file.read)?,
    ))
}

impl Tool {
    /// Its names: one for each call that is a check of its own, the first as the file has it.
    fn names(&self) -> Vec<String> {
        let others = self.run.iter().skip(1).filter(|_| self.each).filter_map(|run| run.split(" | ").next());
        let others = others.map(|call| call.trim_end_matches(['*', ' ', '$']).to_owned());
        std::iter::once(self.name.clone()).chain(others).collect()
    }

    fn rust(&self, all: &[Tool]) -> Outcome<String> {
        let covered = |name: &String| -> Vec<String> {
            all.iter().filter(|tool| tool.name == *name).flat_map(Tool::names).collect()
        };
        let covers: Vec<String> = self.covers.iter().flat_map(covered).collect();
        let Tool { takes_folders, is_silent, runs_others, empty_codes, .. } = self;
        Ok(format!(
            "Rules {{ names: {}, kind: CheckKind::{}, with: {}, without: {}, part: {}, values: {}, whole: {}, \
             takes_folders: {takes_folders}, watch: {}, is_silent: {is_silent}, runs_others: {runs_others}, covers: {}, \
             empty_codes: &{empty_codes:?}, fail: {}, pass: {}, empty: {}, failing: {}, failing_below: {} }},\n",
            list(&self.names())?,
            camel_case(&self.kind),
            list(&self.with)?,
            list(&self.without)?,
            list(&self.part)?,
            list(&self.values)?,
            list(&self.whole)?,
            list(&self.watch)?,
            list(&covers)?,
            patterns(&self.fail)?,
            patterns(&self.pass)?,
            patterns(&self.empty)?,
            patterns(&self.failing)?,
            patterns(&self.failing_below)?,
        ))
    }
}

/// Patterns of lines.
fn patterns(texts: &[String]) -> Outcome<String> {
    let mut list = Texts::default();
    let each = texts.iter().map(|text| Ok(format!("LinePattern::of({}, {text:?}), ", list.place(text)?)));
    let each: String = each.collect::<Outcome<_>>()?;
    Ok(format!("LinePatterns {{ texts: {}, patterns: &[{each}] }}", list.rust()))
}

/// A call that is named by all of its words, with a blank between them.
fn words_of(call: &str) -> String {
    call.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A call with options that must be present (`-i*`) or, after `!`, absent: they stand behind a tab, wherever the file has
/// them.
fn pattern(call: &str) -> String {
    let is_option = |word: &&str| word.starts_with(['-', '!']);
    let (options, names): (Vec<_>, Vec<_>) = call.split_whitespace().partition(is_option);
    format!("{}\t{}", names.join(" "), options.join(" ")).trim_end().to_owned()
}

/// Calls, each with the Rust of what it stands for, sorted by first word: a blank and a tab come before all signs of a word.
fn calls(calls: impl Iterator<Item = (String, String)>) -> Outcome<String> {
    let first = |call: &str| call.split([' ', '\t']).next().unwrap_or_default().to_owned();
    let (by_stem, mut by_first): (Vec<_>, Vec<_>) =
        calls.filter(|(call, _)| !first(call).is_empty()).partition(|(call, _)| first(call).ends_with('*'));
    by_first.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut texts = Texts::default();
    let mut rust = |calls: &[(String, String)]| -> Outcome<String> {
        calls.iter().map(|(call, value)| Ok(format!("({}, {value}),\n", texts.place(call)?))).collect()
    };
    let (by_first, by_stem) = (rust(&by_first)?, rust(&by_stem)?);
    Ok(format!("Calls {{ texts: {}, by_first: &[{by_first}], by_stem: &[{by_stem}] }}", texts.rust()))
}
