//! The individual points behind a claim. Each has a name that stays the same between rounds; only the name is
//! stored and shown as JSON, and only this file parses it.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// One point behind a claim. Texts in it are untrusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Point {
    /// A session waits for a permission; this is not a question.
    Permission,
    /// A last reply reports a usage limit of the person's plan.
    UsageLimit,
    /// The last words announce more work or break off.
    StopsHalfWay,
    /// A git operation was started and not finished.
    Operation(String),
    /// A step of a plan.
    Step(String),
    /// A goal that was not reached.
    Goal(String),
    /// A pending action of the closer.
    Pending(String),
    /// A required file that is missing.
    MissingFile(String),
    /// A failing test in a results file.
    FailingTest(String),
    /// A failed run in a session's record, with what failed if that is known.
    FailedRun {
        /// The tool that ran.
        tool: String,
        /// The name of the failing test or item.
        failing: Option<String>,
    },
    /// A configured check that failed.
    Check(String),
    /// A point that a source named itself.
    Named(String),
}

type OfText = fn(String) -> Point;

/// The prefixes of names that end in a text.
const TEXTS: [(&str, OfText); 7] = [
    ("git/", Point::Operation),
    ("plan/", Point::Step),
    ("goal/", Point::Goal),
    ("closer/", Point::Pending),
    ("file/", Point::MissingFile),
    ("test/", Point::FailingTest),
    ("check/", Point::Check),
];
/// The names without a text.
const FLAGS: [(&str, Point); 3] = [
    ("session/permission", Point::Permission),
    ("session/usage-limit", Point::UsageLimit),
    ("words/stop-half-way", Point::StopsHalfWay),
];
const RUN: &str = "run/";

impl Point {
    /// The point in words; `None` for one that has no words of its own here.
    pub fn label(&self) -> Option<Cow<'_, str>> {
        Some(match self {
            Point::Step(text) | Point::Goal(text) | Point::Pending(text) => text.into(),
            Point::MissingFile(name) => format!("{name} is missing").into(),
            Point::FailingTest(name) => format!("{name} fails").into(),
            Point::FailedRun { tool, failing: Some(failing) } => format!("{failing} fails ({tool})").into(),
            Point::FailedRun { failing: None, .. }
            | Point::Permission
            | Point::UsageLimit
            | Point::StopsHalfWay
            | Point::Operation(_)
            | Point::Check(_)
            | Point::Named(_) => return None,
        })
    }
}

impl fmt::Display for Point {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Point::Permission => formatter.write_str("session/permission"),
            Point::UsageLimit => formatter.write_str("session/usage-limit"),
            Point::StopsHalfWay => formatter.write_str("words/stop-half-way"),
            Point::Operation(text) => write!(formatter, "git/{text}"),
            Point::Step(text) => write!(formatter, "plan/{text}"),
            Point::Goal(text) => write!(formatter, "goal/{text}"),
            Point::Pending(text) => write!(formatter, "closer/{text}"),
            Point::MissingFile(text) => write!(formatter, "file/{text}"),
            Point::FailingTest(text) => write!(formatter, "test/{text}"),
            Point::FailedRun { tool, failing: Some(failing) } => write!(formatter, "{RUN}{tool}/{failing}"),
            Point::FailedRun { tool, failing: None } => write!(formatter, "{RUN}{tool}"),
            Point::Check(text) => write!(formatter, "check/{text}"),
            Point::Named(text) => formatter.write_str(text),
        }
    }
}

impl From<Point> for String {
    fn from(point: Point) -> String {
        point.to_string()
    }
}

impl From<String> for Point {
    fn from(name: String) -> Point {
        if let Some((_, flag)) = FLAGS.into_iter().find(|(flag, _)| *flag == name) {
            return flag;
        }
        if let Some(run) = name.strip_prefix(RUN) {
            let (tool, failing) = run.split_once('/').map_or((run, None), |(tool, name)| (tool, Some(name)));
            return Point::FailedRun { tool: tool.to_owned(), failing: failing.map(str::to_owned) };
        }
        let of_text = |(begin, of): (&str, OfText)| Some(of(name.strip_prefix(begin)?.to_owned()));
        TEXTS.into_iter().find_map(of_text).unwrap_or_else(|| Point::Named(name.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_older_versions_are_read_and_written_as_they_were() {
        let old = [
            ("session/permission", Point::Permission),
            ("session/usage-limit", Point::UsageLimit),
            ("words/stop-half-way", Point::StopsHalfWay),
            ("git/merge", Point::Operation("merge".to_owned())),
            ("plan/Write it", Point::Step("Write it".to_owned())),
            ("goal/all tests pass", Point::Goal("all tests pass".to_owned())),
            ("closer/Add the docs", Point::Pending("Add the docs".to_owned())),
            ("file/out/x.csv", Point::MissingFile("out/x.csv".to_owned())),
            ("test/a::b", Point::FailingTest("a::b".to_owned())),
            ("run/cargo", Point::FailedRun { tool: "cargo".to_owned(), failing: None }),
            ("run/cargo/a/b", Point::FailedRun { tool: "cargo".to_owned(), failing: Some("a/b".to_owned()) }),
            ("check/lint", Point::Check("lint".to_owned())),
            ("tests missing", Point::Named("tests missing".to_owned())),
        ];
        for (name, point) in old {
            let line = format!("\"{name}\"");
            assert_eq!(serde_json::from_str::<Point>(&line).ok(), Some(point.clone()), "{name}");
            assert_eq!(serde_json::to_string(&point).ok(), Some(line));
        }
    }
}
