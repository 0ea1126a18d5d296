//! The arguments for asking agents, deciding and marking, as types. Their help texts are here; what they do
//! is not.

use std::path::{Component, Path, PathBuf};

use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};

use crate::model::{Bounds, PROBE_INTERVAL_SECONDS, PROBE_TIMEOUT_SECONDS, PROBES};

/// The smart check of `closeout check`.
#[derive(Debug, Args)]
pub(super) struct Probing {
    /// Ask the agent if no other source tells, repeatedly within limits
    #[arg(long = "ask", alias = "probe")]
    pub(super) probe: bool,
    /// What to do with uncommitted work when the agent is done or all questions are used up: `ask` you (without a
    /// terminal, only record it), `auto` commits it, `never` leaves it [default: as configured, record it]
    #[arg(long, value_name = "HOW", value_enum, requires = "probe")]
    pub(super) rescue: Option<RescueWay>,
    /// The maximum number of questions [default: as configured]
    #[arg(long, value_name = "N", requires = "probe", value_parser = probes())]
    pub(super) max_probes: Option<u32>,
    /// The seconds between two questions [default: as configured]
    #[arg(long, value_name = "S", requires = "probe", value_parser = seconds(PROBE_INTERVAL_SECONDS))]
    pub(super) probe_interval: Option<u64>,
    /// The time limit for an answer, in seconds [default: as configured]
    #[arg(long, value_name = "S", requires = "probe", value_parser = seconds(PROBE_TIMEOUT_SECONDS))]
    pub(super) probe_timeout: Option<u64>,
    /// Do not ask for confirmation before a question that leaves a temporary trace
    #[arg(long, requires = "probe")]
    pub(super) yes: bool,
}

/// What a smart check may do with uncommitted work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum RescueWay {
    /// Ask a person
    Ask,
    /// Commit it
    Auto,
    /// Nothing
    Never,
}

/// `closeout verify`.
#[derive(Debug, Args)]
pub(super) struct Verify {
    /// Ask a new session of this agent instead of the session that did the work
    #[arg(long = "with", value_name = "AGENT")]
    pub(super) with: Option<String>,
    /// A value for a placeholder of the prompt; can be repeated
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = param)]
    pub(super) params: Vec<(String, String)>,
    /// A step (C2/C3) whose prompt is used; with several, each is asked, and all must be complete [default: as
    /// configured]
    #[arg(long = "step", value_name = "C2/C3", value_parser = step)]
    pub(super) steps: Vec<String>,
    /// A file with the agent's structured output, as JSON, for the closer to read
    #[arg(long, value_name = "FILE")]
    pub(super) structured_output: Option<PathBuf>,
    #[command(flatten)]
    pub(super) asked: Asked,
}

/// Whom `closeout ask` and `closeout verify` ask, and how.
#[derive(Debug, Args)]
pub(super) struct Asked {
    /// The workspace, or the id of a session (the first six characters suffice)
    #[arg(value_name = "PATH|SESSION", default_value = ".")]
    pub(super) target: String,
    /// The time limit for an answer, in seconds [default: as configured]
    #[arg(long, value_name = "S", value_parser = seconds(PROBE_TIMEOUT_SECONDS))]
    pub(super) timeout: Option<u64>,
    /// Only show what would be asked
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Do not ask for confirmation before a question that leaves a temporary trace
    #[arg(long)]
    pub(super) yes: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// `closeout decide`.
#[derive(Debug, Args)]
pub(super) struct Decide {
    /// The decision
    #[arg(value_name = "DECISION", value_enum, required_unless_present = "show")]
    pub(super) decision: Option<DecisionWord>,
    /// The workspace
    #[arg(value_name = "PATH", default_value = ".")]
    pub(super) path: PathBuf,
    /// Write nothing; print instructions for your prompt that tell an agent where to write its decision and with which id
    #[arg(long, conflicts_with_all = ["reason"])]
    pub(super) show: bool,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub(super) reason: Option<String>,
    /// The id of the check that this decides [default: `$AGENTCORE_COMPLETION_CHECK_ID`]
    #[arg(long, value_name = "ID")]
    pub(super) check_id: Option<String>,
    /// The decision file, instead of the configured one
    #[arg(long, value_name = "FILE")]
    pub(super) decision_file: Option<PathBuf>,
}

/// A decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum DecisionWord {
    /// The work is done
    Complete,
    /// The work is not done
    Incomplete,
}

/// Parses `NAME=VALUE`.
fn param(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if name.is_empty() || name.len() > 64 || !name.bytes().all(is_sign) {
        return Err("a name has 1 to 64 of a-z, A-Z, 0-9, \"_\", \"-\"".to_owned());
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// Parses a step: a relative path below the folder of prompts.
fn step(text: &str) -> Result<String, String> {
    let is_inside = Path::new(text).components().all(|part| matches!(part, Component::Normal(_)));
    if is_inside && !text.is_empty() {
        Ok(text.to_owned())
    } else {
        Err("write C2/C3, like review/pr".to_owned())
    }
}

/// Parses a number of probes.
fn probes() -> RangedU64ValueParser<u32> {
    RangedU64ValueParser::new().range(u64::from(PROBES.least)..=u64::from(PROBES.most))
}

/// Parses a number of seconds within `bounds`.
fn seconds(bounds: Bounds) -> RangedU64ValueParser<u64> {
    RangedU64ValueParser::new().range(u64::from(bounds.least)..=u64::from(bounds.most))
}

/// `closeout mark`.
#[derive(Debug, Args)]
pub(super) struct Mark {
    /// The mark, and the workspace; without a mark, print the marks that apply
    ///
    /// done: the work is done, despite all evidence so far. open: it is not done, despite all evidence so far. quiet: no
    /// attention until the next prompt or question. not-of-this-task POINT: this open point does not belong to the task;
    /// without POINT, none of those that are open now does. baseline-here: count new work from HEAD. kind KIND: the task
    /// is an IMPLEMENTATION, READ_INFO or REPORT.
    #[arg(value_name = "WORD|VALUE|PATH")]
    pub(super) values: Vec<PathBuf>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub(super) reason: Option<String>,
    /// Remove all marks of the workspace
    #[arg(long, conflicts_with = "reason")]
    pub(super) clear: bool,
}

/// A person's own word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum MarkName {
    Done,
    Open,
    Quiet,
    NotOfThisTask,
    BaselineHere,
    Kind,
}
