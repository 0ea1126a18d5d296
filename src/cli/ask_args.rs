//! The arguments for asking agents, deciding and marking, as types. Their help texts are here; what they do
//! is not.

use std::path::{Component, Path, PathBuf};

use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};

use crate::model::{Bounds, PROBE_INTERVAL_SECONDS, PROBE_TIMEOUT_SECONDS, PROBES};

/// The smart check of `closeout check`.
#[derive(Debug, Args)]
pub(super) struct Probing {
    /// Ask the agent, again and again within bounds, where nothing else tells
    #[arg(long = "ask", alias = "probe")]
    pub(super) probe: bool,
    /// What to do with uncommitted work when the agent is done or all questions are used up: `ask` a person
    /// (without a terminal: only record it), `auto` commit it, `never` [default: record it, by configuration]
    #[arg(long, value_name = "HOW", value_enum, requires = "probe")]
    pub(super) rescue: Option<RescueWay>,
    /// The most questions [default: by configuration]
    #[arg(long, value_name = "N", requires = "probe", value_parser = probes())]
    pub(super) max_probes: Option<u32>,
    /// The time between two questions, in seconds [default: by configuration]
    #[arg(long, value_name = "S", requires = "probe", value_parser = seconds(PROBE_INTERVAL_SECONDS))]
    pub(super) probe_interval: Option<u64>,
    /// An answer that takes longer is given up, in seconds [default: by configuration]
    #[arg(long, value_name = "S", requires = "probe", value_parser = seconds(PROBE_TIMEOUT_SECONDS))]
    pub(super) probe_timeout: Option<u64>,
    /// Do not ask you before a question that leaves a trace for a while
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
    /// Ask a new session of this agent, in place of the session that did the work
    #[arg(long = "with", value_name = "AGENT")]
    pub(super) with: Option<String>,
    /// A value for a placeholder of the prompt; may be given several times
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = param)]
    pub(super) params: Vec<(String, String)>,
    /// A step (c2/c3) whose prompt is put; with several, each is asked, and all have to be complete [default: by
    /// configuration]
    #[arg(long = "step", value_name = "C2/C3", value_parser = step)]
    pub(super) steps: Vec<String>,
    /// A file with the structured output of the agent, as JSON; the closer is told it
    #[arg(long, value_name = "FILE")]
    pub(super) structured_output: Option<PathBuf>,
    #[command(flatten)]
    pub(super) asked: Asked,
}

/// Whom `closeout ask` and `closeout verify` ask, and how.
#[derive(Debug, Args)]
pub(super) struct Asked {
    /// The workspace, or the id of a session (six signs of its beginning are enough)
    #[arg(value_name = "PATH|SESSION", default_value = ".")]
    pub(super) target: String,
    /// An answer that takes longer is given up, in seconds [default: by configuration]
    #[arg(long, value_name = "S", value_parser = seconds(PROBE_TIMEOUT_SECONDS))]
    pub(super) timeout: Option<u64>,
    /// Show what would be asked, and ask nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Do not ask before a question that leaves a trace for a while
    #[arg(long)]
    pub(super) yes: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// `closeout decide`.
#[derive(Debug, Args)]
pub(super) struct Decide {
    /// What is decided
    #[arg(value_name = "DECISION", value_enum, required_unless_present = "show")]
    pub(super) decision: Option<DecisionWord>,
    /// The workspace
    #[arg(value_name = "PATH", default_value = ".")]
    pub(super) path: PathBuf,
    /// Write nothing; print the words that tell an agent where its decision goes and which id it must carry, for
    /// your prompt
    #[arg(long, conflicts_with_all = ["reason"])]
    pub(super) show: bool,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub(super) reason: Option<String>,
    /// The id of the check that it is for [default: `$AGENTCORE_COMPLETION_CHECK_ID`]
    #[arg(long, value_name = "ID")]
    pub(super) check_id: Option<String>,
    /// The decision file, in place of the configured one
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
    /// What you say, and of which workspace; without a word, what you said before and holds
    ///
    /// done: the work is done, whatever speaks against it now. open: it is not done, whatever says so. quiet: no
    /// attention, until a prompt or a question comes. not-of-this-task, with or without a POINT: that open point, or
    /// all that are open now, are not of this task. baseline-here: count new work from HEAD on. kind KIND: the task is
    /// an IMPLEMENTATION, READ_INFO or a REPORT.
    #[arg(value_name = "WORD|VALUE|PATH")]
    pub(super) values: Vec<PathBuf>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub(super) reason: Option<String>,
    /// Take back all that you said of the workspace
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
