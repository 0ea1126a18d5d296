//! Dates evidence files by their content: a file written by a checkout has a fresh time but old content.
//! What the baseline's commit contains says nothing about this task; what HEAD has contained for longer is
//! as old as that.
//!
//! Reads git and the files named in the settings; judges nothing.

use std::borrow::Cow;

use super::git::{self, GitAsk, GitMemory};
use super::plan_file::parse_plan;
use super::required_files::is_pattern;
use super::text_file::LONGEST_DOCUMENT;
use super::untrusted_file::{FileReach, WorkspaceDir};
use crate::model::{
    CollectRequest, CommitId, Observations, PlanStep, Reading, TextFile, Timestamp, WorkspaceSettings,
};

/// Marks each file found that the commit `baseline` contains, and dates every file by its content.
pub(super) fn trace(
    request: &CollectRequest,
    directory: &WorkspaceDir,
    ask: &GitAsk<'_>,
    memory: &mut GitMemory,
    baseline: Option<CommitId>,
    found: &mut Observations,
) {
    for name in found_here(&request.settings, found) {
        let Some(content) = content_of(&name, directory, found) else { continue };
        let workspace = request.workspace.path();
        let Ok(provenance) = git::provenance(workspace, &name, &content, baseline, ask, memory) else {
            continue;
        };
        if provenance.is_of_baseline && !found.of_baseline.contains(&name) {
            found.of_baseline.push(name.clone());
        }
        if let Some(since) = provenance.since {
            date(found, &name, since);
        }
        if let Some(commit) = baseline.filter(|_| !provenance.is_of_baseline) {
            keep_backlog(request, &name, commit, ask, memory, found);
        }
    }
}

/// Keeps with a plan that nobody chose what was open of it in the baseline's commit.
fn keep_backlog(
    request: &CollectRequest,
    name: &str,
    baseline: CommitId,
    ask: &GitAsk<'_>,
    memory: &mut GitMemory,
    found: &mut Observations,
) {
    let is_open = |step: &PlanStep| step.status.as_deref() != Some("done");
    let mut plans = found
        .plans
        .iter_mut()
        .filter_map(|plan| if let Reading::Present(plan) = plan { Some(plan) } else { None });
    let plan = plans.find(|plan| plan.name == name && plan.steps.iter().any(is_open));
    let Some(plan) = plan.filter(|_| !request.settings.are_plans_chosen) else { return };
    let most = usize::try_from(LONGEST_DOCUMENT).unwrap_or(usize::MAX);
    let workspace = request.workspace.path();
    let content = git::file_of_commit(workspace, name, baseline, most, ask, memory);
    let Ok(Some(content)) = content else { return };
    let steps = parse_plan(&String::from_utf8_lossy(&content)).unwrap_or_default();
    plan.backlog = steps.into_iter().filter(is_open).collect();
}

/// The content of the file: what this collection already read, if it read all of it, so that the content that is
/// judged is the content that is traced.
fn content_of<'f>(name: &str, directory: &WorkspaceDir, found: &'f Observations) -> Option<Cow<'f, [u8]>> {
    let is_exact = |file: &&TextFile| {
        file.name == name
            && !file.is_excerpt
            && file.size == file.content.len() as u64
            && !file.content.contains(char::REPLACEMENT_CHARACTER)
    };
    let mut texts = [&found.decision, &found.closer].into_iter().chain(&found.outputs);
    if let Some(file) = texts.find_map(|text| text.present().filter(is_exact)) {
        return Some(Cow::Borrowed(file.content.as_bytes()));
    }
    let file = directory.open_file(name, FileReach::Named).ok()?;
    file.read_whole(LONGEST_DOCUMENT).ok().map(Cow::Owned)
}

/// The names of the files this collection read and found. Others need not be opened again.
fn found_here(settings: &WorkspaceSettings, found: &Observations) -> Vec<String> {
    let files = [&found.decision, &found.closer].into_iter().chain(&found.outputs);
    let files = files.filter_map(Reading::present).map(|file| &file.name);
    let plans = found.plans.iter().filter_map(Reading::present).map(|plan| &plan.name);
    let results = found.tests.present().into_iter().flat_map(|_| &settings.test_results);
    let of_checks = found.check_tests.first().into_iter().flat_map(|_| settings.checks.result_files());
    let required = found.files.present().into_iter().flat_map(|_| settings.demanded_files());
    let named = results.chain(of_checks).chain(required).filter(|name| !is_pattern(name));
    files.chain(plans).chain(named).cloned().collect()
}

/// Makes nothing that `name` says younger than `since`.
fn date(found: &mut Observations, name: &str, since: Timestamp) {
    let texts = [&mut found.decision, &mut found.closer].into_iter().chain(&mut found.outputs);
    for text in texts {
        if let Reading::Present(file) = text
            && file.name == name
        {
            file.written_at = file.written_at.min(since);
        }
    }
    for plan in &mut found.plans {
        if let Reading::Present(plan) = plan
            && plan.name == name
        {
            plan.written_at = plan.written_at.min(since);
        }
    }
    let of_checks = found.check_tests.iter_mut().map(|(_, tests)| tests);
    for tests in std::iter::once(&mut found.tests).chain(of_checks) {
        if let Reading::Present(results) = tests
            && results.names.iter().any(|found| found == name)
        {
            results.written_at = results.written_at.min(since);
        }
    }
}
