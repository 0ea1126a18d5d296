//! `closeout schema`: the JSON schema of everything that `--json` prints. It must not define any of those
//! forms itself. The text is an asset, which a test keeps in step with the types: what makes it is half a megabyte.

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::args::Arguments;
use super::exit::{Ended, Failure, Outcome};
use super::output;

/// `assets/schema.json`, its lines without their indentation.
const LINES: &str = include_str!(concat!(env!("OUT_DIR"), "/schema.json"));

pub(super) fn run() -> Ended {
    output::print(&indented(LINES))?;
    Ok(Outcome::Done)
}

/// The text with each line indented by the brackets that are open.
fn indented(lines: &str) -> String {
    let mut text = String::with_capacity(lines.len() * 2);
    let mut depth = 0_usize;
    for line in lines.lines() {
        if line.starts_with(['}', ']']) {
            depth = depth.saturating_sub(1);
        }
        text.extend(std::iter::repeat_n("  ", depth));
        text.push_str(line);
        text.push('\n');
        if line.ends_with(['{', '[']) {
            depth += 1;
        }
    }
    text
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use schemars::JsonSchema;
    use serde::Serialize;

    use super::*;
    use crate::cli::asking::Asking;
    use crate::cli::classify::Labelled;
    use crate::cli::config::Configured;
    use crate::cli::doctor::Diagnosis;
    use crate::cli::json::{Failed, NoContent, Printed};
    use crate::cli::log::{EventRow, LogRow};
    use crate::cli::probing::Smart;
    use crate::cli::reply::Planned;
    use crate::cli::run::report::RunLine;
    use crate::cli::stats::Figures;
    use crate::cli::trust::Trusted;
    use crate::model::{RecordList, Rescued, SmartReport, VerifyReport};
    use crate::present::json::{Follow, Report};
    use crate::present::rescue_json::{BranchRow, PlanRow, RecordedRow, RestoredRow, UndoRow};

    /// Everything that the JSON output may be.
    #[derive(Serialize, JsonSchema)]
    #[expect(dead_code, reason = "its form is printed, never a value of it")]
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
        RescuePlan(Printed<PlanRow<'static>>),
        /// `rescue --record-only --json`.
        Recorded(Printed<RecordedRow<'static>>),
        /// `rescue --json`.
        Rescued(Printed<Rescued>),
        /// `rescue --json` where all work is committed, and no branch holds the commits.
        Branch(Printed<BranchRow<'static>>),
        /// `undo --json` and `redo --json`.
        Undo(Printed<UndoRow<'static>>),
        /// `rescues --json`.
        Records(Printed<RecordList>),
        /// `restore --json`.
        Restored(Printed<RestoredRow<'static>>),
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
        Log(LogRow<'static>),
        /// A line of `log --all --json` about what happened.
        Event(EventRow<'static>),
        /// `stats --json`.
        Stats(Figures),
        /// `classify --json`, and a line of `classify --jsonl`.
        Classified(Labelled),
        /// `config --json`.
        Config(Configured),
        /// `doctor --json`.
        Doctor(Diagnosis),
    }

    #[test]
    fn the_asset_is_the_schema_of_the_types() {
        let schema = serde_json::to_string_pretty(&schemars::schema_for!(Output)).unwrap() + "\n";
        let asset = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/schema.json");
        if std::env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
            std::fs::write(&asset, &schema).unwrap();
        }
        let kept = std::fs::read_to_string(&asset).unwrap();
        assert!(
            kept == schema,
            "assets/schema.json is old: INSTA_UPDATE=always cargo test --locked --lib schema"
        );
    }

    #[test]
    fn the_printed_text_is_the_asset() {
        let asset = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/schema.json");
        assert_eq!(indented(LINES), std::fs::read_to_string(asset).unwrap());
    }
}
