//! The arguments of `closeout run`, `stats` and `wait`, as types. Their help texts are here; what they do is
//! not.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::model::{Proof, TaskKind, Timestamp, VerdictState};

use super::value_parsers::{dollars, duration, moment, proof, state, task_kind};

/// `closeout run`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct Run {
    /// The command with its arguments; with --agent, more arguments for the agent
    ///
    /// The prompt is on its standard input. In an argument, `{prompt_file}` is replaced by a file with the prompt, and
    /// `{prompt}` by its text; with either, standard input is empty. The environment has the file
    /// (`$CLOSEOUT_PROMPT_FILE`), the id of the check (`$AGENTCORE_COMPLETION_CHECK_ID`), the decision file
    /// (`$CLOSEOUT_DECISION_FILE`) and the number of the iteration (`$CLOSEOUT_ITERATION`).
    #[arg(value_name = "COMMAND", last = true)]
    pub(super) command: Vec<String>,
    /// The workspace
    #[arg(short = 'C', long = "workspace", value_name = "PATH", default_value = ".")]
    pub(super) path: PathBuf,
    /// Run this agent headless: claude, codex, opencode or gemini. What it may do depends on its own settings and on the
    /// arguments after `--`
    #[arg(long, value_name = "NAME")]
    pub(super) agent: Option<String>,
    /// What the agent is asked for
    #[arg(long, value_name = "TEXT", conflicts_with = "prompt_file")]
    pub(super) prompt: Option<String>,
    /// The same, from a file; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(super) prompt_file: Option<PathBuf>,
    /// How many times the command runs at most [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(super) max_iterations: Option<u32>,
    /// The decision file [default: the configured one]
    #[arg(long, value_name = "FILE")]
    pub(super) decision_file: Option<PathBuf>,
    /// A file with output of the agent, besides the output of the command; can be repeated
    #[arg(long = "output", value_name = "FILE")]
    pub(super) outputs: Vec<PathBuf>,
    /// What the agent is asked for: IMPLEMENTATION, READ_INFO or REPORT
    #[arg(long, value_name = "KIND", value_parser = task_kind)]
    pub(super) task_kind: Option<TaskKind>,
    /// The proof that COMPLETE needs: said, committed or checked
    #[arg(long, value_name = "PROOF", value_parser = proof)]
    pub(super) require: Option<Proof>,
    /// The time limit of the whole run, such as 90s, 20m or 1h30m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(super) deadline: Option<Duration>,
    /// The time limit of each iteration's command
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(super) timeout: Option<Duration>,
    /// End a command after this time without output and without a change in files, git or its record; 0 for never
    /// [default: 20m]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(super) stall_after: Option<Duration>,
    /// The budget in US dollars. The command must print its cost as a JSON object with `total_cost_usd` or `cost_usd`; if
    /// it does not, the run ends after the first iteration
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub(super) budget: Option<u64>,
    /// When nothing else is left to do, have the work verified item by item, as by `closeout verify`: by the session that
    /// did it, or by a new session of the named agent. What it leaves open goes into the next prompt
    #[arg(long, value_name = "AGENT", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(super) verify: Option<String>,
    /// What to do when the agent asks [default: wait]
    #[arg(long, value_name = "HOW", value_enum)]
    pub(super) on_question: Option<OnQuestion>,
    /// Continue the interrupted run of this workspace, with its original limits unless you give others
    #[arg(long, conflicts_with_all = ["agent", "prompt", "prompt_file", "command", "new"])]
    pub(super) resume: bool,
    /// Start over, even if a run with the same command was killed
    #[arg(long)]
    pub(super) new: bool,
    /// Close the circuit breaker of the workspace first
    #[arg(long)]
    pub(super) reset_breaker: bool,
    /// Do not show the command's output
    #[arg(short, long)]
    pub(super) quiet: bool,
    /// Print JSON lines, even on a terminal; the last one is the result
    #[arg(long)]
    pub(super) json: bool,
}

/// What a run does when the agent asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum OnQuestion {
    /// Wait for the answer: on this terminal, from `closeout reply`, or on any screen
    Wait,
    /// End with exit code 55
    End,
}

/// `closeout stats`.
#[derive(Debug, Args)]
pub(super) struct Stats {
    /// Only entries since then: a day (2026-11-20), a time, or an age (2h, 7d)
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    pub(super) since: Option<Timestamp>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// `closeout wait`.
#[derive(Debug, Args)]
pub(super) struct Wait {
    /// The workspace
    #[arg(value_name = "PATH", default_value = ".")]
    pub(super) path: PathBuf,
    /// The state to wait for; separate several with commas
    #[arg(long, value_name = "STATE", value_delimiter = ',', value_parser = state, default_value = "COMPLETE")]
    pub(super) until: Vec<VerdictState>,
    /// Give up after this time, such as 90s, 20m or 1h30m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(super) timeout: Option<Duration>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}
