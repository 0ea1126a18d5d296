//! The individual points behind a claim. Each has a name that stays the same between rounds; only the name is
//! stored and shown as JSON. Nothing parses it.

use std::fmt;

use serde::Serialize;

use super::Operation;

/// One point behind a claim. Texts in it are untrusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "String")]
pub enum Point {
    /// A session waits for permission; this is not a question.
    Permission,
    /// A last reply reports a usage limit of the user's plan.
    UsageLimit,
    /// The last words announce more work or break off.
    StopsHalfWay,
    /// A sentence of the last words may say that something is open; it claims nothing.
    MayBeOpen(String),
    /// A git operation was started but not finished.
    Operation(Operation),
    /// A step of a plan.
    Step(String),
    /// A goal that was not reached.
    Goal(String),
    /// A pending action of the closer, or a task that an agent, asked for its status, says is left.
    Pending(String),
    /// A required file that is missing.
    MissingFile(String),
    /// A required file without content.
    EmptyFile(String),
    /// A required file that is there, or a few of those that match its pattern.
    RequiredFile(Vec<String>),
    /// A failing test in a results file.
    FailingTest(String),
    /// A failed run in a session's record, with what failed if that is known.
    FailedRun {
        /// The tool that ran.
        tool: String,
        /// The name of the failing test or item.
        failing: Option<String>,
    },
    /// A run that a prompt orders, in the prompt's words, and that is not shown to have passed.
    OrderedRun(String),
    /// An act outside the work tree that a prompt orders, and that failed or is not shown to have been done.
    OrderedAct {
        /// The act, as `checks.toml` names it.
        act: String,
        /// What it is called: the command that failed, or the prompt's words. Untrusted text.
        words: String,
    },
    /// A commit for each of several things, as a prompt orders.
    CommitForEach,
    /// A configured check that failed.
    Check(String),
    /// A point that a source named itself.
    Named(String),
}

impl fmt::Display for Point {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Point::Permission => formatter.write_str("session/permission"),
            Point::UsageLimit => formatter.write_str("session/usage-limit"),
            Point::StopsHalfWay => formatter.write_str("words/stop-half-way"),
            Point::MayBeOpen(text) => write!(formatter, "words/{text}"),
            Point::CommitForEach => formatter.write_str("git/commit-for-each"),
            Point::Operation(operation) => write!(formatter, "git/{}", operation.label()),
            Point::Step(text) => write!(formatter, "plan/{text}"),
            Point::Goal(text) => write!(formatter, "goal/{text}"),
            Point::Pending(text) => write!(formatter, "closer/{text}"),
            Point::MissingFile(text) | Point::EmptyFile(text) => write!(formatter, "file/{text}"),
            Point::RequiredFile(paths) => write!(formatter, "file/{}", paths.join(", ")),
            Point::FailingTest(text) => write!(formatter, "test/{text}"),
            Point::FailedRun { tool, failing: Some(failing) } => write!(formatter, "run/{tool}/{failing}"),
            Point::FailedRun { tool, failing: None } => write!(formatter, "run/{tool}"),
            Point::OrderedRun(text) => write!(formatter, "run {text}"),
            Point::OrderedAct { words, .. } => formatter.write_str(words),
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
