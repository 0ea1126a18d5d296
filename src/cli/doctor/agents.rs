//! What the doctor examines about each agent: its program, its records, its sessions. It changes nothing.

use std::path::Path;

use super::finding::{Finding, Section};
use super::hooks;
use super::machine::{Version, version_of};
use crate::agent::{Adapter, Memories, SurveyAsk};
use crate::cli::environment::Environment;
use crate::engine::clock;
use crate::model::{Timestamp, display_text};
use crate::present::counts;

/// How recently a session must have changed to count as of today, in milliseconds.
const TODAY: i64 = 24 * 3_600_000;

/// Examines one agent. Blocks while its program prints its version.
pub(super) fn agent(environment: &Environment, adapter: &Adapter) -> Section {
    let mut findings = Vec::new();
    let version = version_of(environment, adapter.name());
    let place = adapter.place();
    let found = place.filter(|place| place.is_dir());
    if version.is_none() && found.is_none() {
        return Section::new(adapter.name(), vec![Finding::note("not found on this machine")]);
    }
    findings.push(program(adapter, version));
    match (found, place) {
        (Some(found), _) => findings.extend(records(adapter, found)),
        (None, Some(place)) => {
            findings.push(Finding::note(format!("{} does not exist yet", display_text::path(place))));
        }
        (None, None) => {}
    }
    findings.extend(hooks::hooks(environment, adapter));
    findings.extend(hooks::gate(environment, adapter));
    Section::new(adapter.name(), findings)
}

fn program(adapter: &Adapter, version: Option<Version>) -> Finding {
    let name = adapter.name();
    match version {
        None => Finding::hint(
            "its program is not on the PATH, its records are there",
            "put it on the PATH to answer and ask it from here; watching works without it",
        ),
        Some(Version::Failed) => {
            Finding::problem(format!("`{name} --version` failed"), "see that the program starts")
        }
        Some(Version::TookLong) => {
            Finding::note(format!("`{name} --version` takes longer than 15 s: its version is not known"))
        }
        Some(Version::Told(told)) => {
            let is_number = |word: &&str| word.starts_with(|sign: char| sign.is_ascii_digit());
            let version = told.split_whitespace().find(is_number);
            if version.is_some_and(|version| adapter.facts().knows_version(version)) {
                Finding::ok(format!("version {told}"))
            } else {
                Finding::note(format!(
                    "version {told}: not one that closeout was tried with; what it does not know in the \
                     records it passes over and counts"
                ))
            }
        }
    }
}

fn records(adapter: &Adapter, place: &Path) -> Vec<Finding> {
    let ask = SurveyAsk { since: Timestamp(0), within: None };
    let survey = adapter.survey(&ask, &mut Memories::default());
    let now = clock::now();
    let n_today = survey.found.iter().filter(|found| now.millis_since(found.moved_at) <= TODAY).count();
    let sessions = counts::sessions(survey.found.len());
    let mut findings =
        vec![Finding::ok(format!("{sessions} in {}, {n_today} of the last day", display_text::path(place)))];
    findings.extend(survey.problems.iter().map(|problem| {
        Finding::problem(
            format!("{}: {}", problem.name, problem.detail),
            "its sessions are not seen until this can be read",
        )
    }));
    findings
}
