//! The progress of a run: lines for a person on a terminal, JSON lines otherwise. The last line is the
//! result. It must not change the run.

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::exit::Failure;
use crate::cli::output;
use crate::engine::clock;
use crate::model::{
    CommandEnd, CommitId, RecordRef, RunStatus, Timestamp, VerdictState, display_text, quantity,
};
use crate::present::{age, json as forms, json::VERSION, runs};

/// A line of `run` that is no terminal's, and of `run --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RunLine {
    /// The version of this form.
    version: u32,
    /// When, in milliseconds since 1970.
    at: Timestamp,
    /// The id of the run.
    run: String,
    /// What happened.
    #[serde(flatten)]
    what: RunNews,
}

/// What happened in a run.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "event")]
pub(super) enum RunNews {
    /// It begins, or continues after its closeout was killed.
    Started {
        /// The workspace.
        path: String,
        /// HEAD, from which new commits are counted.
        baseline: Option<CommitId>,
        /// The most iterations.
        max_iterations: u32,
        /// Whether it continues.
        is_resumed: bool,
    },
    /// The command is started.
    Iteration {
        /// The number, from 1.
        number: u32,
        /// How often the same points were open in a row before it; from 2 on it was asked for the smallest change.
        stage: u8,
        /// The id that a decision must carry.
        check_id: String,
    },
    /// The command ended, and its work was judged.
    Checked {
        /// The number of the iteration.
        number: u32,
        /// How the command ended.
        end: Option<CommandEnd>,
        /// How long it took, in milliseconds.
        took_ms: u64,
        /// The verdict.
        verdict: VerdictState,
        /// The rule in words.
        why: String,
        /// New commits of the run by now.
        new_commits: u32,
        /// What is left to do.
        open_points: Vec<String>,
        /// What it cost, in US dollars, where the command told it.
        cost_usd: Option<f64>,
    },
    /// Others are at work in the workspace, and are waited for.
    Waits {
        /// Who, in words.
        why: String,
    },
    /// The agent asks, and the answer is waited for.
    Asks {
        /// The question in its own words.
        question: String,
    },
    /// The question was answered.
    Answered {
        /// Where: `here`, `reply` or `session`.
        from: &'static str,
    },
    /// The command stands still and is ended; its work is recorded first.
    StoodStill {
        /// The reference of the record, if there was work to record.
        record: Option<RecordRef>,
    },
    /// Something that should be known.
    Note {
        /// In words.
        text: String,
    },
    /// It is over.
    Finished(RunResult),
}

/// The result of a run.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RunResult {
    /// How it ended.
    pub(super) status: RunStatus,
    /// The exit code of the program.
    pub(super) exit_code: u8,
    /// The verdict. Where a limit ended the run: RESCUE_NEEDED with work at risk, else STALLED.
    pub(super) verdict: VerdictState,
    /// Why, in words.
    pub(super) reason: String,
    /// How many iterations there were.
    pub(super) iterations: u32,
    /// New commits since the run began.
    pub(super) new_commits: u32,
    /// Whether closeout recorded uncommitted work.
    pub(super) rescued: bool,
    /// The reference of that record.
    pub(super) record: Option<RecordRef>,
    /// What is left to do.
    pub(super) open_points: Vec<String>,
    /// Points that stayed open in round after round, word for word.
    pub(super) repeated: Vec<String>,
    /// What it cost, in US dollars, as far as the command told it.
    pub(super) cost_usd: Option<f64>,
}

pub(super) struct Reporter {
    pub(super) run: String,
    pub(super) is_json: bool,
    pub(super) max_iterations: u32,
}

impl Reporter {
    pub(super) fn tell(&self, what: RunNews) -> Result<(), Failure> {
        if self.is_json {
            let line = RunLine { version: VERSION, at: clock::now(), run: self.run.clone(), what };
            return output::print_line(&forms::line(&line));
        }
        self.lines(&what).iter().try_for_each(|line| output::print_line(&display_text::line(line)))
    }

    fn lines(&self, what: &RunNews) -> Vec<String> {
        match what {
            RunNews::Started { path, baseline, is_resumed, .. } => {
                let from = baseline.map_or_else(|| "no commit".to_owned(), |commit| format!("{commit:.12}"));
                let verb = if *is_resumed { "goes on" } else { "begins" };
                vec![format!("run {verb} in {path}, from {from}")]
            }
            RunNews::Iteration { number, stage, .. } => {
                let narrow = if *stage >= 2 { ", asked for the smallest change" } else { "" };
                vec![format!("{number}/{}  the command runs{narrow}", self.max_iterations)]
            }
            RunNews::Checked { number, end, took_ms, verdict, why, new_commits, open_points, cost_usd } => {
                let how = end.map_or_else(|| "was judged again".to_owned(), runs::command_end);
                let cost = cost_usd.map(|cost| format!(", ${cost:.2}")).unwrap_or_default();
                let commits = quantity::counted(*new_commits, "new commit", "new commits");
                let mut lines = vec![
                    format!(
                        "{number}/{}  it {how} after {}{cost}; {commits}",
                        self.max_iterations,
                        age::span(*took_ms)
                    ),
                    format!("      {}: {why}", verdict.name()),
                ];
                lines.extend(points(open_points));
                lines
            }
            RunNews::Waits { why } => vec![format!("      waits: {why}")],
            RunNews::Asks { question } => {
                let mut lines = vec!["      it asks:".to_owned()];
                lines.extend(question.lines().map(|line| format!("      > {line}")));
                lines
            }
            RunNews::Answered { from } => vec![format!("      answered ({from})")],
            RunNews::StoodStill { record } => {
                let kept = record.as_deref().map(|record| format!("; its work is kept in {record}"));
                vec![format!("      it makes no progress and is being ended{}", kept.unwrap_or_default())]
            }
            RunNews::Note { text } => vec![format!("      {text}")],
            RunNews::Finished(result) => finished(result),
        }
    }
}

fn finished(result: &RunResult) -> Vec<String> {
    let mut lines = vec![format!(
        "{} after {}: {}",
        result.verdict.name(),
        quantity::counted(result.iterations, "iteration", "iterations"),
        result.reason
    )];
    if result.repeated.is_empty() {
        lines.extend(points(&result.open_points));
    } else {
        lines.push("      stayed open every time:".to_owned());
        lines.extend(points(&result.repeated));
    }
    if let Some(record) = &result.record {
        lines.push(format!("      uncommitted work is kept in {record}"));
    }
    lines
}

fn points(points: &[String]) -> impl Iterator<Item = String> {
    points.iter().map(|point| format!("      - {}", point.replace('\n', " ")))
}
