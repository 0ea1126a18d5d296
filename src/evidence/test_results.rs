//! Parses test results: `JUnit` XML, and `{"passed":N,"failed":N}`. Pure and total; a file is streamed.
//!
//! `JUnit` has no single standard. Each `testcase` counts once, by the elements in it: with `failure` or
//! `error` it failed, with `skipped` it was skipped, otherwise it passed. The numbers in suites' attributes
//! count only if there is no `testcase`, or if they report failures that no `testcase` shows (a suite that
//! broke before its first test), so that no failure is ever lost.

use std::io::BufRead;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde::Deserialize;

use crate::model::display_text;

/// How many failing tests are named.
const MAX_NAMES: usize = 10;
/// The longest name kept, in characters.
const LONGEST_NAME: usize = 200;

/// The counts of a result file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileResults {
    /// Tests that passed.
    pub n_passed: u64,
    /// Tests that failed or broke.
    pub n_failed: u64,
    /// Tests that were skipped.
    pub n_skipped: u64,
    /// The first failing tests, at most ten. Untrusted.
    pub failing: Vec<String>,
}

/// Why a file is not a test result.
#[derive(Debug, thiserror::Error)]
pub enum ResultsFormatError {
    /// It is not XML, or is truncated.
    #[error("it is not well-formed XML: {0}")]
    Xml(String),
    /// It is XML of another kind.
    #[error("it is XML, but its first element is `{0}` and not `testsuites` or `testsuite`")]
    OtherXml(String),
    /// It is not JSON of the expected form.
    #[error("it is neither JUnit XML nor JSON like {{\"passed\":12,\"failed\":0}}: {0}")]
    Json(String),
    /// It could not be read.
    #[error("it could not be read: {0}")]
    Io(#[from] std::io::Error),
}

/// Reads one result file in either format.
///
/// # Errors
/// The input has neither format, or cannot be read.
pub fn parse_results<R: BufRead>(mut input: R) -> Result<FileResults, ResultsFormatError> {
    const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
    if input.fill_buf()?.starts_with(BYTE_ORDER_MARK) {
        input.consume(BYTE_ORDER_MARK.len());
    }
    if input.fill_buf()?.trim_ascii_start().starts_with(b"<") {
        parse_junit(input)
    } else {
        parse_json(input)
    }
}

#[derive(Deserialize)]
struct PlainResults {
    passed: u64,
    failed: u64,
    #[serde(default)]
    skipped: u64,
}

fn parse_json<R: BufRead>(input: R) -> Result<FileResults, ResultsFormatError> {
    let plain: PlainResults =
        serde_json::from_reader(input).map_err(|error| ResultsFormatError::Json(error.to_string()))?;
    Ok(FileResults {
        n_passed: plain.passed,
        n_failed: plain.failed,
        n_skipped: plain.skipped,
        failing: Vec::new(),
    })
}

/// The state while reading a `JUnit` file.
#[derive(Default)]
struct Junit {
    depth: usize,
    has_root: bool,
    counts: FileResults,
    n_cases: u64,
    /// The open test case, with the depth of its element.
    case: Option<(usize, Case)>,
    /// The sums claimed by the outermost elements that have numbers.
    claimed: Claimed,
    /// The depth of the elements whose claims were taken.
    claimed_at: Option<usize>,
    /// The highest number of failures claimed by the attributes of one element.
    most_claimed_failures: u64,
}

#[derive(Default)]
struct Case {
    name: String,
    outcome: Outcome,
}

#[derive(Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    #[default]
    Passed,
    Skipped,
    Failed,
}

/// Numbers from attributes.
#[derive(Default)]
struct Claimed {
    tests: u64,
    failed: u64,
    skipped: u64,
}

fn parse_junit<R: BufRead>(input: R) -> Result<FileResults, ResultsFormatError> {
    let mut reader = Reader::from_reader(input);
    let mut junit = Junit::default();
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Start(element)) => {
                junit.open(&element)?;
                junit.depth += 1;
            }
            Ok(Event::Empty(element)) => {
                junit.open(&element)?;
                junit.close_case();
            }
            Ok(Event::End(_)) => {
                junit.depth = junit.depth.saturating_sub(1);
                junit.close_case();
            }
            Ok(Event::Eof) if junit.depth > 0 => {
                return Err(ResultsFormatError::Xml("it ends in the middle of an element".to_owned()));
            }
            Ok(Event::Eof) if !junit.has_root => {
                return Err(ResultsFormatError::Xml("it has no element".to_owned()));
            }
            Ok(Event::Eof) => return Ok(junit.into_counts()),
            Ok(_) => {}
            Err(error) => return Err(ResultsFormatError::Xml(error.to_string())),
        }
    }
}

impl Junit {
    fn open(&mut self, element: &BytesStart<'_>) -> Result<(), ResultsFormatError> {
        let name = element.local_name();
        let name: &str = name.as_ref();
        let is_suite = matches!(name, "testsuites" | "testsuite");
        if !std::mem::replace(&mut self.has_root, true) && !is_suite {
            return Err(ResultsFormatError::OtherXml(shortened(name)));
        }
        match name {
            "testsuites" | "testsuite" => self.take_claim(element),
            "testcase" => {
                let case = Case { name: case_name(element), outcome: attribute_outcome(element) };
                self.case = Some((self.depth, case));
            }
            "failure" | "error" => self.mark(Outcome::Failed),
            "skipped" | "disabled" => self.mark(Outcome::Skipped),
            _ => {}
        }
        Ok(())
    }

    /// Marks the open test case. A failure outside a test case belongs to the suite.
    fn mark(&mut self, outcome: Outcome) {
        match &mut self.case {
            Some((at, case)) if self.depth == *at + 1 => case.outcome = case.outcome.max(outcome),
            None if outcome == Outcome::Failed => self.counts.n_failed += 1,
            Some(_) | None => {}
        }
    }

    fn close_case(&mut self) {
        if self.case.as_ref().is_none_or(|(at, _)| self.depth > *at) {
            return;
        }
        let Some((_, case)) = self.case.take() else { return };
        self.n_cases += 1;
        match case.outcome {
            Outcome::Passed => self.counts.n_passed += 1,
            Outcome::Skipped => self.counts.n_skipped += 1,
            Outcome::Failed => {
                self.counts.n_failed += 1;
                if self.counts.failing.len() < MAX_NAMES {
                    self.counts.failing.push(case.name);
                }
            }
        }
    }

    fn take_claim(&mut self, element: &BytesStart<'_>) {
        let number = |key: &str| attribute(element, key)?.trim().parse::<u64>().ok();
        let failed = number("failures").unwrap_or(0).saturating_add(number("errors").unwrap_or(0));
        self.most_claimed_failures = self.most_claimed_failures.max(failed);
        let Some(n_tests) = number("tests") else { return };
        if self.claimed_at.is_some_and(|at| at < self.depth) {
            return;
        }
        self.claimed_at = Some(self.depth);
        let skipped = number("skipped").or_else(|| number("disabled")).unwrap_or(0);
        self.claimed.tests = self.claimed.tests.saturating_add(n_tests);
        self.claimed.failed = self.claimed.failed.saturating_add(failed);
        self.claimed.skipped = self.claimed.skipped.saturating_add(skipped);
    }

    fn into_counts(self) -> FileResults {
        let mut counts = self.counts;
        if self.n_cases == 0 {
            let Claimed { tests, failed, skipped } = self.claimed;
            counts.n_passed = tests.saturating_sub(failed).saturating_sub(skipped);
            counts.n_skipped = skipped;
            counts.n_failed = counts.n_failed.max(failed);
        }
        if counts.n_failed == 0 {
            counts.n_failed = self.most_claimed_failures;
        }
        counts
    }
}

/// `classname.name`, as far as given.
fn case_name(element: &BytesStart<'_>) -> String {
    let class = attribute(element, "classname").filter(|class| !class.is_empty());
    let name = attribute(element, "name").unwrap_or_default();
    shortened(&class.map_or_else(|| name.clone(), |class| format!("{class}.{name}")))
}

/// The outcome given by an attribute: some writers mark tests that were not run this way.
fn attribute_outcome(element: &BytesStart<'_>) -> Outcome {
    match attribute(element, "status").as_deref() {
        Some("notrun" | "skipped" | "disabled") => Outcome::Skipped,
        Some(_) | None => Outcome::Passed,
    }
}

fn attribute(element: &BytesStart<'_>, key: &str) -> Option<String> {
    let mut attributes = element.attributes();
    let found = attributes.with_checks(false).flatten().find(|found| found.key.as_ref() == key)?;
    let raw: &str = &found.value;
    // Only the five predefined entities are expanded; a text with any other is left as written.
    Some(quick_xml::escape::unescape(raw).map_or_else(|_| raw.to_owned(), std::borrow::Cow::into_owned))
}

fn shortened(text: &str) -> String {
    display_text::cut_after(text, LONGEST_NAME).into_owned()
}
