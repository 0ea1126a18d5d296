//! What the doctor examines about each agent: its program, its records, its sessions. It changes nothing.

use std::path::Path;

use super::finding::{Finding, Section};
use super::machine::{Version, version_of};
use crate::agent::hook_settings::{self, SettingsScope, Wanted};
use crate::agent::{Adapter, Hooks, Memories, SurveyAsk};
use crate::cli::environment::Environment;
use crate::cli::hook::own_program;
use crate::config::{Config, Flags};
use crate::engine::clock;
use crate::model::{Timestamp, display_text};
use crate::present::counts;
use crate::store::settings_file::SettingsFile;

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
    findings.extend(hooks(environment, adapter));
    findings.extend(gate(environment, adapter));
    Section::new(adapter.name(), findings)
}

fn program(adapter: &Adapter, version: Option<Version>) -> Finding {
    let name = adapter.name();
    match version {
        None => Finding::hint(
            "its program is not on the PATH, but it has records here",
            "put it on the PATH to answer and ask it from here; watching works without it",
        ),
        Some(Version::Failed) => {
            Finding::problem(format!("`{name} --version` failed"), "make sure that the program starts")
        }
        Some(Version::TookLong) => {
            Finding::note(format!("`{name} --version` takes longer than 15 s: its version is not known"))
        }
        Some(Version::Known(output)) => {
            let is_number = |word: &&str| word.starts_with(|sign: char| sign.is_ascii_digit());
            let version = output.split_whitespace().find(is_number);
            if version.is_some_and(|version| adapter.facts().knows_version(version)) {
                Finding::ok(format!("version {output}"))
            } else {
                Finding::note(format!(
                    "version {output}: untested with closeout, which skips and counts what it does not \
                     know in the records"
                ))
            }
        }
    }
}

fn records(adapter: &Adapter, place: &Path) -> Vec<Finding> {
    let ask = SurveyAsk { since: Timestamp(0), all_of: &[], within: None };
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

/// Whether closeout's hooks are in the person's settings of the agent, and run.
fn hooks(environment: &Environment, agent: &Adapter) -> Option<Finding> {
    let hooks = agent.facts().hooks?;
    let folder = environment.folder_of(&hooks.folder)?;
    let install = format!("`closeout hook install --agent {}`", agent.name());
    let (is_there, shown) = match installed(hooks, &folder) {
        Ok(found) => found,
        Err(problem) => return Some(problem),
    };
    Some(match is_there {
        Installed::No => Finding::hint(
            "no hooks: closeout learns late, or never, what it is waiting for",
            format!("{install} makes it report to closeout"),
        ),
        Installed::Otherwise => Finding::hint(
            format!("hooks of another closeout, or not all of them, in {shown}"),
            format!("{install} repairs them"),
        ),
        Installed::Yes => match agent.why_hooks_rest(&folder) {
            Some((why, next)) => Finding::problem(format!("its hooks are in {shown}, and {why}"), next),
            None => Finding::ok(format!("its hooks report to closeout ({shown})")),
        },
    })
}

/// Whether the agent asks closeout before it stops; `None` if the gate is neither installed nor configured.
fn gate(environment: &Environment, agent: &Adapter) -> Option<Finding> {
    let gate = agent.facts().gate?;
    let folder = environment.folder_of(&gate.folder)?;
    // An invalid configuration is reported elsewhere.
    let is_set = Config::load(&environment.sources(Flags::default())).is_ok_and(|config| config.has_gate());
    let install = format!("`closeout hook install --gate --agent {}`", agent.name());
    let (is_there, shown) = match installed(gate, &folder) {
        Ok(found) => found,
        Err(problem) => return Some(problem),
    };
    match (is_there, is_set) {
        (Installed::No, false) => None,
        (Installed::No, true) => Some(Finding::hint(
            "a gate is configured, but the agent does not ask closeout before it stops",
            format!("{install} makes it ask"),
        )),
        (Installed::Otherwise, _) => Some(Finding::hint(
            format!("the gate of another closeout in {shown}"),
            format!("{install} repairs it"),
        )),
        (Installed::Yes, true) => Some(Finding::ok(format!("it asks closeout before it stops ({shown})"))),
        (Installed::Yes, false) => Some(Finding::hint(
            format!("it asks closeout before it stops ({shown}), and no workspace has a gate"),
            "`[gate] enabled = true` in your configuration file sets it, for all workspaces or for some",
        )),
    }
}

/// How much of `hooks` is in the settings in `folder`, and the path of the settings file for display.
fn installed(hooks: &'static Hooks, folder: &Path) -> Result<(Installed, String), Finding> {
    let file = SettingsFile::of_person(hooks.file(SettingsScope::User(folder)));
    let shown = display_text::path(file.path());
    let content = file
        .read()
        .map_err(|error| Finding::problem(error.to_string(), "make sure that the file can be read"))?;
    let is_there = state(hooks, &content.unwrap_or_default());
    let is_there =
        is_there.map_err(|problem| Finding::problem(format!("{shown}: {problem}"), "repair the file"))?;
    Ok((is_there, shown))
}

enum Installed {
    Yes,
    /// For another path of the program, or incomplete.
    Otherwise,
    No,
}

fn state(hooks: &'static Hooks, content: &[u8]) -> Result<Installed, String> {
    let program = own_program().map_err(|error| error.to_string())?;
    if let Some(plugin) = hooks.plugin(&program) {
        return Ok(match content {
            _ if !hooks.is_own_plugin(content) => Installed::No,
            _ if content == plugin.as_bytes() => Installed::Yes,
            _ => Installed::Otherwise,
        });
    }
    let text = std::str::from_utf8(content).map_err(|_| "it is not UTF-8".to_owned())?;
    let output = |problem: hook_settings::SettingsProblem| problem.to_string();
    if text.trim().is_empty() || hook_settings::remove(text, hooks).map_err(output)? == text {
        return Ok(Installed::No);
    }
    let wanted = hook_settings::install(text, &Wanted::new(hooks, &program)).map_err(output)?;
    Ok(if wanted == text { Installed::Yes } else { Installed::Otherwise })
}
