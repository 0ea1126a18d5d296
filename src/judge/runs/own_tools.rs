//! Puts a person's own tools before the built-in ones. Must not judge a run.

use super::calls::Calls;
use super::catalog::{Catalog, Rules, Tools};
use super::lines::{LinePattern, LinePatterns};
use crate::model::{CheckKind, CheckTool, TextList, TextListWriter};

impl Catalog {
    /// The catalogue with these tools before the built-in ones. It is kept for as long as the program runs: made once, at
    /// the start.
    pub fn with(own: &[CheckTool]) -> &'static Catalog {
        let built_in = Catalog::built_in();
        if own.is_empty() {
            return built_in;
        }
        let rules = leaked(own.iter().map(|tool| Rules::of(tool, own, built_in.runs_no_test)));
        let mut catalog = *built_in;
        catalog.own = Tools { rules, calls: calls(own) };
        Box::leak(Box::new(catalog))
    }
}

impl Rules {
    fn of(tool: &CheckTool, all: &[CheckTool], runs_no_test: TextList) -> Rules {
        let covered = |name: &String| match all.iter().find(|other| other.name == *name) {
            Some(other) => names(other),
            None => vec![name.clone()],
        };
        let covers: Vec<String> = tool.covers.iter().flat_map(covered).collect();
        let runs_no_test = runs_no_test.iter().filter(|_| tool.kind == CheckKind::Test).map(str::to_owned);
        let without: Vec<String> = tool.without.iter().cloned().chain(runs_no_test).collect();
        Rules {
            names: texts(&names(tool)),
            kind: tool.kind,
            with: texts(&tool.with),
            without: texts(&without),
            part: texts(&tool.part),
            values: texts(&tool.values),
            whole: texts(&tool.whole),
            takes_folders: tool.takes_folders,
            watch: texts(&tool.watch),
            is_silent: tool.is_silent,
            runs_others: tool.runs_others,
            covers: texts(&covers),
            empty_codes: leaked(tool.empty_codes.iter().copied()),
            fail: LinePatterns::leaked(&tool.fail),
            pass: LinePatterns::leaked(&tool.pass),
            empty: LinePatterns::leaked(&tool.empty),
            failing: LinePatterns::leaked(&tool.failing),
            failing_below: LinePatterns::leaked(&tool.failing_below),
        }
    }
}

impl LinePatterns {
    /// Patterns that are kept for as long as the program runs.
    pub(super) fn leaked(patterns: &[String]) -> LinePatterns {
        let mut writer = TextListWriter::default();
        let patterns = patterns.iter().filter_map(|text| Some(LinePattern::of(writer.add(text)?, text)));
        let patterns = leaked(patterns);
        LinePatterns { texts: TextList::of(writer.written().leak()), patterns }
    }
}

/// The names of the tools that an entry stands for: one for each call that is a check of its own. The first keeps the
/// entry's; what covers such a tool covers each.
fn names(tool: &CheckTool) -> Vec<String> {
    let others = tool.run.iter().skip(1).filter(|_| tool.each).filter_map(|run| run.split(" | ").next());
    let others = others.map(|call| call.trim_end_matches(['*', ' ', '$']).to_owned());
    std::iter::once(tool.name.clone()).chain(others).collect()
}

/// The calls of the tools, with the places of their rules and names.
fn calls(tools: &[CheckTool]) -> Calls<(u16, u16)> {
    let mut calls = Vec::new();
    for (tool, place) in tools.iter().zip(0..) {
        for (run, nth) in tool.run.iter().zip(0..) {
            let named = run.split(" | ").map(|call| call.split_whitespace().collect::<Vec<_>>().join(" "));
            let nth = if tool.each { nth } else { 0 };
            calls.extend(named.filter(|call| !call.is_empty()).map(|call| (call, (place, nth))));
        }
    }
    calls.sort();
    let is_stem = |call: &str| call.split(' ').next().is_some_and(|first| first.ends_with('*'));
    let (by_stem, by_first): (Vec<_>, Vec<_>) = calls.into_iter().partition(|(call, _)| is_stem(call));
    let mut writer = TextListWriter::default();
    let mut placed = |(call, of): (String, _)| Some((writer.add(&call)?, of));
    let by_first = leaked(by_first.into_iter().filter_map(&mut placed));
    let by_stem = leaked(by_stem.into_iter().filter_map(placed));
    Calls { texts: TextList::of(writer.written().leak()), by_first, by_stem }
}

/// Texts that are kept for as long as the program runs.
fn texts(texts: &[String]) -> TextList {
    let mut writer = TextListWriter::default();
    for text in texts {
        writer.add(text);
    }
    TextList::of(writer.written().leak())
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
        let names = |catalog: &Catalog| {
            catalog.run_by(make.rules).flat_map(|rules| rules.names.iter()).collect::<Vec<_>>()
        };
        assert_eq!(names(catalog), names(built_in));
        assert!(catalog.is_edit(&words("sed -i s/a/b/ x")));
        assert!(std::ptr::eq(Catalog::with(&[]), built_in));
    }
}
