//! `closeout schema`: the JSON schema of everything that `--json` prints. It must not define any of those
//! forms itself.

use clap::CommandFactory as _;
use clap_complete::Shell;
use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{SmartReport, VerifyReport};
use crate::present::json::{Follow, Report};
use crate::present::rescue_json::{BranchRow, ListRow, PlanRow, RecordedRow, RescuedRow, UndoRow};

use super::args::Arguments;
use super::asking::Asking;
use super::classify::Labelled;
use super::config::Configured;
use super::doctor::Diagnosis;
use super::exit::{Ended, Failure, Outcome};
use super::json::{Failed, NoContent, Printed};
use super::log::{EventRow, LogRow};
use super::output;
use super::probing::Smart;
use super::reply::Planned;
use super::run::report::RunLine;
use super::stats::Figures;
use super::trust::Trusted;

/// Everything that the JSON output may be.
#[derive(Serialize, JsonSchema)]
#[expect(dead_code, clippy::large_enum_variant, reason = "its form is printed, never a value of it")]
#[serde(untagged)]
#[schemars(title = "closeout, JSON output, version 1")]
enum Output {
    /// `check --json` and `status --json`.
    Report(Report),
    /// A line of `status --json --follow`.
    Follow(Follow),
    /// A line of `run --json`.
    Run(RunLine),
    /// `check --probe --json`.
    Smart(Smart),
    /// `rescue --dry-run --json`, and `rescue --json` that commits nothing.
    RescuePlan(Printed<PlanRow>),
    /// `rescue --record-only --json`.
    Recorded(Printed<RecordedRow>),
    /// `rescue --json`.
    Rescued(Printed<RescuedRow>),
    /// `rescue --json` where all work is committed, and no branch holds the commits.
    Branch(Printed<BranchRow>),
    /// `undo --json` and `redo --json`.
    Undo(Printed<UndoRow>),
    /// `rescues --json`.
    Records(Printed<ListRow>),
    /// `trust --json`.
    Trust(Printed<Trusted>),
    /// `reply --json`.
    Reply(Printed<Planned>),
    /// `probe --dry-run --json` and `verify --dry-run --json`.
    Asking(Printed<Asking>),
    /// `probe --json`.
    Probed(Printed<SmartReport>),
    /// `verify --json`.
    Verified(Printed<VerifyReport>),
    /// Any of these that was not done.
    NoContent(Printed<NoContent>),
    /// Any of these that could not begin (exit codes 2 to 6).
    Failed(Failed),
    /// A line of `log --json`.
    Log(LogRow),
    /// A line of `log --all --json` about what happened.
    Event(EventRow),
    /// `stats --json`.
    Stats(Figures),
    /// `classify --json`, and a line of `classify --jsonl`.
    Classified(Labelled),
    /// `config --json`.
    Config(Configured),
    /// `doctor --json`.
    Doctor(Diagnosis),
}

pub(super) fn run() -> Ended {
    let schema = schemars::schema_for!(Output);
    let text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    output::print_line(&text)?;
    Ok(Outcome::Done)
}

pub(super) fn completions(shell: Shell) -> Ended {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "closeout", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Done)
}

pub(super) fn page() -> Ended {
    let mut page = Vec::new();
    let failed = |source| Failure::Stream { what: "cannot make the manual page".to_owned(), source };
    clap_mangen::Man::new(Arguments::command()).render(&mut page).map_err(failed)?;
    output::print(&String::from_utf8_lossy(&page))?;
    Ok(Outcome::Done)
}
