//! Writes the tools of `assets/checks.toml` as Rust, sorted as `src/judge/runs` looks them up. Must not know what a
//! tool means.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Outcome;
use super::tasks::camel_case;

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

/// The tools, with one for each call where each is a check of its own: the first keeps the name. What names such a
/// group means each of it.
fn spread(tools: &[Tool]) -> Vec<Tool> {
    let names = |tool: &Tool| -> Vec<String> {
        let others = tool.run.iter().skip(1).filter(|_| tool.each).filter_map(|run| run.split(" | ").next());
        let others = others.map(|call| call.trim_end_matches(['*', ' ', '$']).to_owned());
        std::iter::once(tool.name.clone()).chain(others).collect()
    };
    let covered = |name: &String| -> Vec<String> {
        tools.iter().filter(|tool| tool.name == *name).flat_map(names).collect()
    };
    let spread = |tool: &Tool| -> Vec<Tool> {
        let covers: Vec<String> = tool.covers.iter().flat_map(covered).collect();
        let own =
            |(name, run): (String, Vec<String>)| Tool { name, run, covers: covers.clone(), ..tool.clone() };
        let calls = |run: &String| run.split(" | ").map(str::to_owned).collect();
        let runs: Vec<Vec<String>> = tool.run.iter().map(calls).collect();
        let runs = if tool.each { runs } else { vec![runs.concat()] };
        names(tool).into_iter().zip(runs).map(own).collect()
    };
    tools.iter().flat_map(spread).collect()
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
    file.tool = spread(&file.tool);
    for tool in file.tool.iter_mut().filter(|tool| tool.kind == "test") {
        tool.without.extend_from_slice(&file.runs_no_test);
    }
    let tools: Vec<String> = file.tool.iter().map(Tool::rust).collect();
    let by_words = file.tool.iter().zip(0..).flat_map(|(tool, place)| {
        tool.run.iter().map(move |call: &String| (names_alone(call), format!("{place}")))
    });
    let acts =
        file.act.iter().flat_map(|(act, all)| all.iter().map(move |it| (pattern(it), format!("{act:?}"))));
    let nothing = |all: &Vec<String>| calls(all.iter().map(|call| (pattern(call), "()".to_owned())));
    let of_kind = |lines: &Lines| {
        let is_of = |(_, tool): &(usize, &Tool)| lines.of.contains(&tool.name);
        let places: Vec<usize> = file.tool.iter().enumerate().filter(is_of).map(|(place, _)| place).collect();
        format!("(CheckKind::{}, &{places:?}),\n", camel_case(&lines.kind))
    };
    Ok(format!(
        "Catalog {{ all: &[{}], runs_no_test: &{:?}, start: {}, tools: {}, run_by_others: &[{}], acts: {}, endless: {}, edits: {}, \
         reads: {} }}",
        tools.concat(),
        file.runs_no_test,
        patterns(&file.start),
        calls(by_words),
        file.lines.iter().map(of_kind).collect::<Vec<String>>().concat(),
        calls(acts),
        nothing(&file.endless),
        nothing(&file.edit),
        nothing(&file.read),
    ))
}

impl Tool {
    fn rust(&self) -> String {
        let Tool { name, with, without, part, values, whole, takes_folders, watch, is_silent, .. } = self;
        let Tool { runs_others, covers, empty_codes, .. } = self;
        format!(
            "Tool {{ name: {name:?}, kind: CheckKind::{}, with: &{with:?}, without: &{without:?}, part: &{part:?}, \
             values: &{values:?}, whole: &{whole:?}, takes_folders: {takes_folders}, watch: &{watch:?}, \
             is_silent: {is_silent}, runs_others: {runs_others}, covers: &{covers:?}, empty_codes: &{empty_codes:?}, \
             fail: {}, pass: {}, empty: {}, failing: {}, failing_below: {} }},\n",
            camel_case(&self.kind),
            patterns(&self.fail),
            patterns(&self.pass),
            patterns(&self.empty),
            patterns(&self.failing),
            patterns(&self.failing_below),
        )
    }
}

/// Patterns of lines.
fn patterns(texts: &[String]) -> String {
    let each: Vec<String> = texts.iter().map(|text| format!("LinePattern::of({text:?})")).collect();
    format!("&[{}]", each.join(", "))
}

/// The words of a call: those that name it, options that must be present, and options that must be absent.
type Words<'c> = [Vec<&'c str>; 3];

/// A call that is named by all of its words.
fn names_alone(call: &str) -> Words<'_> {
    [call.split_whitespace().collect(), Vec::new(), Vec::new()]
}

/// A call with options that must be present (`-i*`) or, after `!`, absent.
fn pattern(call: &str) -> Words<'_> {
    let mut words = Words::default();
    for part in call.split_whitespace() {
        match part.strip_prefix('!') {
            Some(refused) => words[2].push(refused),
            None => words[usize::from(part.starts_with('-'))].push(part),
        }
    }
    words
}

/// Calls, each with the Rust of what it stands for.
fn calls<'c>(calls: impl Iterator<Item = (Words<'c>, String)>) -> String {
    let (by_stem, mut by_first): (Vec<_>, Vec<_>) = calls
        .filter(|(words, _)| !words[0].is_empty())
        .partition(|(words, _)| words[0].first().is_some_and(|first| first.ends_with('*')));
    by_first.sort_by_key(|(words, _)| words[0].first().copied());
    let rust = |calls: &[(Words<'c>, String)]| {
        let one = |([names, needed, refused], value): &(Words<'c>, String)| {
            format!(
                "(Pattern {{ names: &{names:?}, needed: &{needed:?}, refused: &{refused:?} }}, {value}),\n"
            )
        };
        calls.iter().map(one).collect::<Vec<String>>().concat()
    };
    format!("Calls {{ by_first: &[{}], by_stem: &[{}] }}", rust(&by_first), rust(&by_stem))
}
