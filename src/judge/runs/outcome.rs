//! How a run ended, according to the exit code that reaches it and to what its tool printed. Must not guess:
//! an unclear end is unknown.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::catalog::{Catalog, Rules};
use super::lines::{Line, LinePatterns};
use crate::model::{RunOutcome, ToldBy};

/// How many bytes at the end of an output are read.
const LONGEST_OUTPUT: usize = 64 << 10;
/// A line longer than this many bytes is not part of a summary.
const LONGEST_LINE: usize = 2_000;
/// The most names of failures kept, and the longest one in characters.
const MAX_NAMES: usize = 50;
const LONGEST_NAME: usize = 160;

/// What a tool printed about how the run ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own: a line can tell several")]
pub(super) struct Report {
    pub(super) has_failed: bool,
    pub(super) has_passed: bool,
    pub(super) is_empty: bool,
    /// Whether the tool could not start.
    pub(super) has_no_tool: bool,
    pub(super) failing: Vec<String>,
    /// The last line that says any of this.
    pub(super) summary: Option<String>,
    /// Stands for all that was printed; `None` if nothing was.
    pub(super) print: Option<u64>,
}

/// The lines at the end of an output, without colours.
pub(super) fn output_lines(output: &str) -> Vec<Line<'_>> {
    let from = output.ceil_char_boundary(output.len().saturating_sub(LONGEST_OUTPUT));
    let lines = output[from..].lines().filter(|line| line.len() <= LONGEST_LINE);
    lines.map(Line::of).filter(|line| !line.text.is_empty()).collect()
}

/// What `lines` say about a run of a tool.
pub(super) fn report(rules: &'static Rules, catalog: &Catalog, lines: &[Line<'_>]) -> Report {
    let all = || std::iter::once(rules).chain(catalog.run_by(rules));
    let mut report = Report { print: print_of(lines), ..Report::default() };
    let mut is_list = false;
    for line in lines {
        let has = |patterns: fn(&Rules) -> LinePatterns| all().any(|rules| patterns(rules).fit(line));
        let (mut tells, mut fails) = (false, false);
        if has(|rules| rules.fail) {
            report.has_failed = true;
            (tells, fails) = (true, true);
        }
        // `1 failed, 2 passed` is not a pass.
        if !fails && has(|rules| rules.pass) {
            report.has_passed = true;
            tells = true;
        }
        if has(|rules| rules.empty) {
            report.is_empty = true;
            tells = true;
        }
        if catalog.start_failures().fit(line) {
            report.has_no_tool = true;
            tells = true;
        }
        // The first matching pattern wins: a tool's most exact pattern comes first.
        let failing = |rules: &Rules| rules.failing.name_in(line);
        let is_below = has(|rules| rules.failing_below);
        is_list = is_below || is_list && !line.text.contains(' ');
        let listed = Some(line.text.to_string()).filter(|_| is_list && !is_below);
        for name in all().filter_map(failing).chain(listed) {
            let name: String = name.chars().take(LONGEST_NAME).collect();
            if report.failing.len() < MAX_NAMES && !report.failing.contains(&name) {
                report.failing.push(name);
            }
        }
        if tells {
            report.summary = Some(line.text.chars().take(LONGEST_NAME).collect());
        }
    }
    report
}

fn print_of(lines: &[Line<'_>]) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    for line in lines {
        line.text.hash(&mut hasher);
    }
    (!lines.is_empty()).then(|| hasher.finish())
}

/// Whether the filters of a pipe would let a failure through. Only then is a pass believed.
fn shows_failures(filters: &[Vec<String>]) -> bool {
    filters.iter().all(|words| {
        let Some(name) = words.first().and_then(|name| name.rsplit('/').next()) else { return true };
        let options = || words[1..].iter().filter(|word| word.starts_with('-'));
        let patterns: Vec<String> =
            words[1..].iter().filter(|word| !word.starts_with('-')).map(|word| word.to_lowercase()).collect();
        let has_any =
            |texts: &[&str]| patterns.iter().any(|word| texts.iter().any(|text| word.contains(text)));
        match name {
            "head" | "sed" | "awk" | "cut" => false,
            "grep" | "egrep" | "rg" | "fgrep" | "ag" => {
                let is_inverted = options().any(|option| {
                    !option.starts_with("--") && option.contains('v') || option == "--invert-match"
                });
                let counts = options().any(|option| !option.starts_with("--") && option.contains('c'));
                let is_of_failures = has_any(&["fail", "error"]);
                let is_of_summary =
                    is_of_failures || has_any(&["result", "summary", "passed", "tests:", "problem"]);
                !counts && if is_inverted { !is_of_failures } else { is_of_summary }
            }
            _ => true,
        }
    })
}

/// The outcome if the exit code is known and is the tool's own.
pub(super) fn by_code(code: i32, rules: &Rules, report: &Report) -> RunOutcome {
    match code {
        0 if report.is_empty && !report.has_passed => RunOutcome::Empty,
        0 => RunOutcome::Passed,
        _ if rules.empty_codes.contains(&code) => RunOutcome::Empty,
        126 | 127 => RunOutcome::CouldNotStart,
        // Cut short by a time limit or a signal.
        124 | 130 | 137 | 143 => RunOutcome::Unknown,
        _ => by_failure(report),
    }
}

/// The outcome if all that is known is that the run failed.
pub(super) fn by_failure(report: &Report) -> RunOutcome {
    let has_ended = report.has_failed || report.has_passed;
    if report.has_no_tool && !has_ended {
        RunOutcome::CouldNotStart
    } else if report.is_empty && !has_ended {
        RunOutcome::Empty
    } else {
        RunOutcome::Failed
    }
}

/// Whether these filters let some of any output through.
pub(super) fn passes_on_something(filters: &[Vec<String>]) -> bool {
    let name = |words: &Vec<String>| words.first().map(String::as_str).unwrap_or_default().to_owned();
    filters.iter().all(|words| matches!(name(words).as_str(), "tail" | "head" | "cat"))
}

/// The outcome if only the text can tell. `is_quiet` means that the tool printed nothing, which is how a
/// silent tool passes.
pub(super) fn by_text(report: &Report, filters: &[Vec<String>], is_quiet: bool) -> (RunOutcome, ToldBy) {
    let outcome = if report.has_failed {
        RunOutcome::Failed
    } else if is_quiet || report.has_passed && shows_failures(filters) {
        RunOutcome::Passed
    } else if report.has_no_tool && !report.has_passed {
        RunOutcome::CouldNotStart
    } else if report.is_empty && !report.has_passed {
        RunOutcome::Empty
    } else {
        return (RunOutcome::Unknown, ToldBy::Nothing);
    };
    (outcome, ToldBy::Summary)
}
