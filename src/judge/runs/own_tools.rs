//! Puts a person's own tools before the built-in ones. Must not judge a run.

use super::calls::{Calls, Pattern};
use super::catalog::{Catalog, Texts, Tool};
use super::lines::LinePattern;
use crate::model::{CheckKind, CheckTool};

impl Catalog {
    /// The catalogue with these tools before the built-in ones. It is kept for as long as the program runs: made once, at
    /// the start.
    pub fn with(own: &[CheckTool]) -> &'static Catalog {
        let built_in = Catalog::built_in();
        if own.is_empty() {
            return built_in;
        }
        let own: Vec<CheckTool> = own.iter().flat_map(|tool| spread(tool, own)).collect();
        let n_own = own.len();
        let shifted = |(pattern, place): &(Pattern, usize)| (*pattern, place + n_own);
        let calls = own.iter().zip(0..).flat_map(|(tool, place)| calls_of(tool).map(move |it| (it, place)));
        let (by_stem, by_first): (Vec<_>, Vec<_>) =
            calls.partition(|(pattern, _): &(Pattern, usize)| pattern.names[0].ends_with('*'));
        let mut by_first: Vec<_> =
            by_first.into_iter().chain(built_in.tools.by_first.iter().map(shifted)).collect();
        by_first.sort_by_key(|(pattern, _)| pattern.names.first().copied());
        let by_stem: Vec<_> = by_stem.into_iter().chain(built_in.tools.by_stem.iter().map(shifted)).collect();
        let by_kind = built_in.run_by_others.iter();
        let run_by_others = by_kind.map(|(kind, places)| {
            let places: &[usize] = leaked(places.iter().map(|place| place + n_own));
            (*kind, places)
        });
        let all = own.iter().map(|tool| Tool::of(tool, built_in.runs_no_test));
        let mut catalog = *built_in;
        catalog.all = leaked(all.chain(built_in.all.iter().copied()));
        catalog.tools = Calls { by_first: leaked(by_first), by_stem: leaked(by_stem) };
        catalog.run_by_others = leaked(run_by_others);
        Box::leak(Box::new(catalog))
    }
}

impl Tool {
    fn of(tool: &CheckTool, runs_no_test: Texts) -> Tool {
        let lines = |patterns: &[String]| -> &'static [LinePattern] {
            leaked(patterns.iter().map(|pattern| LinePattern::of(leaked_text(pattern))))
        };
        let runs_no_test = runs_no_test.iter().copied().filter(|_| tool.kind == CheckKind::Test);
        Tool {
            name: leaked_text(&tool.name),
            kind: tool.kind,
            with: texts(&tool.with),
            without: leaked(texts(&tool.without).iter().copied().chain(runs_no_test)),
            part: texts(&tool.part),
            values: texts(&tool.values),
            whole: texts(&tool.whole),
            takes_folders: tool.takes_folders,
            watch: texts(&tool.watch),
            is_silent: tool.is_silent,
            runs_others: tool.runs_others,
            covers: texts(&tool.covers),
            empty_codes: leaked(tool.empty_codes.iter().copied()),
            fail: lines(&tool.fail),
            pass: lines(&tool.pass),
            empty: lines(&tool.empty),
            failing: lines(&tool.failing),
            failing_below: lines(&tool.failing_below),
        }
    }
}

/// A tool for each call, if each is a check of its own: the first keeps the name. What covers such a tool covers each.
fn spread(tool: &CheckTool, all: &[CheckTool]) -> Vec<CheckTool> {
    let covered = |name: &String| match all.iter().find(|other| other.name == *name) {
        Some(other) => names(other),
        None => vec![name.clone()],
    };
    let covers: Vec<String> = tool.covers.iter().flat_map(covered).collect();
    let named = |(name, run)| CheckTool { name, run, covers: covers.clone(), ..tool.clone() };
    let runs = if tool.each {
        tool.run.iter().map(|run| vec![run.clone()]).collect()
    } else {
        vec![tool.run.clone()]
    };
    names(tool).into_iter().zip(runs).map(named).collect()
}

/// The names of the tools that an entry stands for.
fn names(tool: &CheckTool) -> Vec<String> {
    let others = tool.run.iter().skip(1).filter(|_| tool.each).filter_map(|run| run.split(" | ").next());
    let others = others.map(|call| call.trim_end_matches(['*', ' ', '$']).to_owned());
    std::iter::once(tool.name.clone()).chain(others).collect()
}

/// The calls of a tool.
fn calls_of(tool: &CheckTool) -> impl Iterator<Item = Pattern> {
    let calls = tool.run.iter().flat_map(|run| run.split(" | "));
    let named = calls.map(|call| leaked(call.split_whitespace().map(leaked_text)));
    named.filter(|names| !names.is_empty()).map(|names| Pattern { names, needed: &[], refused: &[] })
}

fn texts(texts: &[String]) -> Texts {
    leaked(texts.iter().map(|text| leaked_text(text)))
}

fn leaked_text(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

fn leaked<T>(items: impl IntoIterator<Item = T>) -> &'static [T] {
    Box::leak(items.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn own_tools_stand_before_the_built_in_ones_which_stay() {
        let mut specs = CheckTool::named("specs", CheckKind::Test);
        specs.run = vec!["specs all | specs*".to_owned(), "cargo test".to_owned()];
        let mut all = CheckTool::named("all", CheckKind::Build);
        (all.run, all.each) = (vec!["lake build".to_owned(), "lake check $".to_owned()], true);
        specs.covers = vec!["all".to_owned()];
        let catalog = Catalog::with(&[specs, all]);
        let name = |line: &str| catalog.tool(&words(line)).map(|(tool, n_words)| (tool.name, n_words));
        assert_eq!(name("specs all"), Some(("specs", 2)));
        assert_eq!(name("specs-2 x"), Some(("specs", 1)));
        assert_eq!(name("specs --list"), None, "no test runs");
        assert_eq!(name("cargo test"), Some(("specs", 2)), "the person's own comes first");
        assert_eq!(name("lake build"), Some(("all", 2)));
        assert_eq!(name("lake check"), Some(("lake check", 2)));
        assert!(catalog.covers("specs", CheckKind::Build));
        let built_in = Catalog::built_in();
        for line in ["pytest", "npm test", "cargo clippy", "make test"] {
            let known = built_in.tool(&words(line)).map(|(tool, n_words)| (tool.name, n_words));
            assert_eq!(name(line), known, "{line}");
        }
        let (make, _) = catalog.tool(&words("make test")).unwrap();
        let n_run = |catalog: &Catalog| catalog.run_by(make).map(|tool| tool.name).collect::<Vec<_>>();
        assert_eq!(n_run(catalog), n_run(built_in));
        assert!(catalog.is_edit(&words("sed -i s/a/b/ x")));
        assert!(std::ptr::eq(Catalog::with(&[]), built_in));
    }
}
