//! `closeout schema`: the JSON schema of the reports.

use schemars::JsonSchema;
use serde::Serialize;

use super::exit::Outcome;
use super::probing::Smart;
use super::report::{Follow, Report};
use super::{Ended, output};

/// Everything that the JSON output may be.
#[derive(Serialize, JsonSchema)]
#[expect(dead_code, reason = "its form is printed, never a value of it")]
#[serde(untagged)]
#[expect(clippy::large_enum_variant, reason = "no value of it is ever made")]
#[schemars(title = "closeout, JSON output, version 1")]
enum Output {
    /// `check --json` and `status --json`.
    Report(Report),
    /// A line of `status --json --follow`.
    Follow(Follow),
    /// `check --probe --json`.
    Smart(Smart),
}

/// Prints the schema.
pub(super) fn run() -> Ended {
    let schema = schemars::schema_for!(Output);
    let text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    output::print_line(&text)?;
    Ok(Outcome::Done)
}
