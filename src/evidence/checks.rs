//! Reads what can be checked: the closer's report, plan files, required files, test results.

use std::collections::HashMap;
use std::io::{self, BufReader};

use super::plan_file::{PlanFormatError, parse_plan};
use super::required_files::{NotSeen, Search, check_files, is_pattern};
use super::test_results::{FileResults, parse_results};
use super::text_file::{LONGEST_DOCUMENT, configured, half_written, is_young, read_document};
use super::untrusted_file::{FileIdentity, FileReach, FileRefusal, UntrustedFile, WorkspaceDir};
use crate::model::{
    CheckAsk, Observations, PlanFile, ReadProblem, Reading, TestResults, TextFile, Timestamp, Unreadable,
    WorkspaceSettings,
};

/// The longest test result file read, in bytes.
const LONGEST_RESULTS: u64 = 50 << 20;
/// How many result files a pattern may stand for.
const MAX_RESULT_FILES: usize = 1000;
/// How many failing tests are named.
const MAX_FAILING: usize = 10;

/// Result files by name, as last parsed.
#[derive(Debug, Default)]
pub(super) struct ResultMemory(HashMap<String, (FileIdentity, FileResults)>);

/// Reads everything the settings name, and the plans that prompts name.
pub(super) fn read_checks(
    directory: &WorkspaceDir,
    settings: &WorkspaceSettings,
    now: Timestamp,
    named_plans: &[String],
    memory: &mut ResultMemory,
    found: &mut Observations,
) {
    found.closer = configured(settings.closer_report.as_deref(), |name| {
        read_document(directory, name, FileReach::Workspace)
    });
    let plans = unique(settings.plan_files().chain(named_plans))
        .into_iter()
        .map(|name| read_plan(directory, &name, now));
    found.plans = plans.filter(|plan| !matches!(plan, Reading::Absent { .. })).collect();
    let files = unique(settings.demanded_files());
    found.files = if files.is_empty() {
        Reading::NotConfigured
    } else {
        Reading::Present(check_files(directory, &files))
    };
    let mut known = Vec::new();
    let mut tests = |names: &[String]| {
        if names.is_empty() {
            Reading::NotConfigured
        } else {
            read_tests(directory, names, now, memory, &mut known)
        }
    };
    found.tests = tests(&settings.test_results);
    let of_checks = settings.checks.checks.iter().filter_map(|check| {
        let CheckAsk::Tests { files } = &check.ask else { return None };
        (!files.is_empty()).then(|| (check.name.clone(), tests(files)))
    });
    found.check_tests = of_checks.collect();
    memory.0.retain(|name, _| known.contains(name));
}

/// Each name once, in the order of first appearance.
fn unique<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut unique: Vec<String> = Vec::new();
    for name in names {
        if !unique.contains(name) {
            unique.push(name.clone());
        }
    }
    unique
}

fn read_plan(directory: &WorkspaceDir, name: &str, now: Timestamp) -> Reading<PlanFile> {
    let text = match read_document(directory, name, FileReach::Workspace) {
        Reading::Present(text) => text,
        Reading::NotLookedAt => return Reading::NotLookedAt,
        Reading::NotConfigured => return Reading::NotConfigured,
        Reading::Absent { name } => return Reading::Absent { name },
        Reading::Unreadable(unreadable) => return Reading::Unreadable(unreadable),
    };
    debug_assert!(text.size <= LONGEST_DOCUMENT, "a document is read whole or not at all");
    let TextFile { name, content, written_at, .. } = text;
    match parse_plan(&content) {
        Ok(steps) => Reading::Present(PlanFile { name, steps, backlog: Vec::new(), written_at }),
        Err(PlanFormatError::Json(_)) if is_young(written_at, now) => half_written(&name).into_reading(&name),
        Err(error) => invalid(&name, &error.to_string()).into_reading(&name),
    }
}

fn invalid(name: &str, detail: &str) -> FileRefusal {
    FileRefusal::because(name, ReadProblem::Invalid, detail)
}

/// The combined results of all files. A failure in one counts whatever the others are; without one, an
/// unreadable or missing file leaves the question open.
fn read_tests(
    directory: &WorkspaceDir,
    configured: &[String],
    now: Timestamp,
    memory: &mut ResultMemory,
    known: &mut Vec<String>,
) -> Reading<TestResults> {
    let mut names: Vec<String> = Vec::new();
    let mut search = Search::default();
    let mut absent = None;
    let mut unreadable: Option<Unreadable> = None;
    for name in configured {
        if !is_pattern(name) {
            names.push(name.clone());
            continue;
        }
        let matching = search.matching_files(directory, name, MAX_RESULT_FILES);
        if let Some(reason) = matching.not_seen {
            unreadable.get_or_insert_with(|| not_searched(name, reason));
        }
        if matching.paths.is_empty() {
            absent.get_or_insert_with(|| name.clone());
        }
        names.extend(matching.paths);
    }
    known.extend(names.iter().cloned());
    let mut together: Option<TestResults> = None;
    for name in names {
        match read_results(directory, &name, now, memory) {
            Ok((counts, written_at)) => {
                let is_named = configured.contains(&name);
                add(&mut together, name, is_named, &counts, written_at);
            }
            Err(FileRefusal::Absent) => drop(absent.get_or_insert(name)),
            Err(FileRefusal::Unreadable(problem)) => drop(unreadable.get_or_insert(problem)),
        }
    }
    match (together, unreadable, absent) {
        (Some(results), _, _) if results.n_failed > 0 => Reading::Present(results),
        (_, Some(unreadable), _) => Reading::Unreadable(unreadable),
        (_, None, Some(name)) => Reading::Absent { name },
        (Some(results), None, None) => Reading::Present(results),
        (None, None, None) => Reading::NotConfigured,
    }
}

/// A failing file among those that were not seen would change everything.
fn not_searched(pattern: &str, reason: NotSeen) -> Unreadable {
    let problem = match reason {
        NotSeen::Folder => ReadProblem::Refused,
        NotSeen::Files(_) | NotSeen::Entries | NotSeen::Depth => ReadProblem::TooLarge,
    };
    let detail = format!("{reason}: name the result files more exactly");
    Unreadable { name: pattern.to_owned(), problem, detail }
}

/// Adds what one file says. `is_named` says that it is required by its own name.
fn add(
    together: &mut Option<TestResults>,
    name: String,
    is_named: bool,
    counts: &FileResults,
    written_at: Timestamp,
) {
    let results = together.get_or_insert_with(|| TestResults { written_at, ..TestResults::default() });
    if is_named && counts.n_passed == 0 && counts.n_failed == 0 {
        results.empty.push(name.clone());
    }
    results.names.push(name);
    results.n_passed = results.n_passed.saturating_add(counts.n_passed);
    results.n_failed = results.n_failed.saturating_add(counts.n_failed);
    results.n_skipped = results.n_skipped.saturating_add(counts.n_skipped);
    let room = MAX_FAILING.saturating_sub(results.failing.len());
    results.failing.extend(counts.failing.iter().take(room).cloned());
    results.written_at = results.written_at.min(written_at);
}

/// Reads one result file. It is parsed again only if it was replaced or rewritten.
fn read_results(
    directory: &WorkspaceDir,
    name: &str,
    now: Timestamp,
    memory: &mut ResultMemory,
) -> Result<(FileResults, Timestamp), FileRefusal> {
    let file = directory.open_file(name, FileReach::Workspace)?;
    if let Some((identity, counts)) = memory.0.get(name)
        && *identity == file.identity
    {
        return Ok((counts.clone(), file.written_at));
    }
    let counts = parse_file(&file, now)?;
    memory.0.insert(name.to_owned(), (file.identity, counts.clone()));
    Ok((counts, file.written_at))
}

fn parse_file(file: &UntrustedFile, now: Timestamp) -> Result<FileResults, FileRefusal> {
    if file.size > LONGEST_RESULTS {
        let detail = format!("it is longer than {LONGEST_RESULTS} bytes and was not read");
        return Err(FileRefusal::because(&file.name, ReadProblem::TooLarge, detail));
    }
    let capped = io::Read::take(file.as_file(), LONGEST_RESULTS);
    parse_results(BufReader::new(capped)).map_err(|error| {
        if is_young(file.written_at, now) {
            half_written(&file.name)
        } else {
            invalid(&file.name, &error.to_string())
        }
    })
}
