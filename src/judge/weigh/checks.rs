//! Evidence that can be checked: plans, required files, test results. Must not read files or run checks.

use crate::judge::GRACE_MS;
use crate::judge::checkers::{self, CheckContext, Checker, PlanSource, TestCounts};
use crate::model::{
    CheckAsk, Checklist, ChecklistItem, Claim, ConfiguredCheck, Evidence, Fact, FileCheck, ItemState,
    Observations, Origin, Parts, PlanFile, PlanStep, Point, Pointer, Provenance, ReadProblem, Reading,
    Reason, Rejection, Source, TestResults, Unreadable,
};
use crate::present::reason;

use super::context::{EvidenceSet, WeighContext, is_of_baseline, is_stale};
use super::{excerpt, named_plan, tasks};

/// How many failing tests or open steps become points of a NO.
const MAX_POINTS: usize = 50;

/// Weighs the part `CHECKS`.
pub(super) fn weigh(observations: &Observations, context: &WeighContext<'_>, evidence_set: &mut EvidenceSet) {
    let settings = context.settings;
    for plan in &observations.plans {
        let named = configured_plan(plan, &settings.plans, observations, context);
        let evidence = named.or_else(|| prompted_plan(plan, observations, context));
        if let Reading::Present(plan) = plan
            && !plan.steps.is_empty()
            && !is_roadmap(plan, observations, context)
            && (evidence.is_some() || settings.plan_files().any(|name| *name == plan.name))
        {
            evidence_set
                .checklists
                .push((Parts::CHECKS, checklist(&plan.name, &steps_of_task(plan, context))));
        }
        evidence_set.evidence.extend(evidence.map(|evidence| (Parts::CHECKS, evidence)));
    }
    if let Some(evidence) = files("required files", &settings.required_files, observations, context) {
        evidence_set.add(Parts::CHECKS, evidence);
    }
    if let Some(evidence) = tests(&settings.test_results, &observations.tests, observations, context) {
        evidence_set.add(Parts::CHECKS, evidence);
    }
    for check in &settings.checks.checks {
        for evidence in of_check(check, observations, context) {
            evidence_set.add(Parts::CHECKS, Evidence { name: check.row_name(), ..evidence });
        }
    }
}

/// Weighs the files that a check names. They claim under the check's name, and
/// `checkers::configured` combines them.
fn of_check(
    check: &ConfiguredCheck,
    observations: &Observations,
    context: &WeighContext<'_>,
) -> Vec<Evidence> {
    match &check.ask {
        CheckAsk::Plan { files } => {
            let plans = observations.plans.iter();
            plans.filter_map(|plan| configured_plan(plan, files, observations, context)).collect()
        }
        CheckAsk::Files { files: names } => files("", names, observations, context).into_iter().collect(),
        CheckAsk::Tests { files } => {
            let mut found = observations.check_tests.iter().filter(|(name, _)| *name == check.name);
            found.find_map(|(_, reading)| tests(files, reading, observations, context)).into_iter().collect()
        }
        CheckAsk::Command { .. }
        | CheckAsk::External { .. }
        | CheckAsk::Scope { .. }
        | CheckAsk::Judge { .. }
        | CheckAsk::Group { .. } => Vec::new(),
    }
}

/// Weighs a plan file if it is one of `names`.
fn configured_plan(
    plan: &Reading<PlanFile>,
    names: &[String],
    observations: &Observations,
    context: &WeighContext<'_>,
) -> Option<Evidence> {
    match plan {
        Reading::Present(plan) if names.contains(&plan.name) => Some(of_plan(plan, observations, context)),
        Reading::Unreadable(unreadable) if names.contains(&unreadable.name) => {
            let is_chosen = context.settings.are_plans_chosen || *names != *context.settings.plans;
            Some(if is_chosen { unverifiable(unreadable) } else { unusable(Source::Plan, unreadable) })
        }
        Reading::Present(_)
        | Reading::Unreadable(_)
        | Reading::NotLookedAt
        | Reading::NotConfigured
        | Reading::Absent { .. } => None,
    }
}

/// Weighs a plan file that only a prompt names or wants made. An open step of it says NO where the prompt wants all of the
/// plan; that everything in it is ticked claims nothing, since nobody chose it as the measure, but closes what was open in it.
fn prompted_plan(
    plan: &Reading<PlanFile>,
    observations: &Observations,
    context: &WeighContext<'_>,
) -> Option<Evidence> {
    let plan = plan.present()?;
    let is_configured = context.settings.plan_files().any(|name| *name == plan.name);
    let is_new = !is_of_baseline(observations, &plan.name) && !is_stale(observations, plan.written_at);
    let is_ticked = named_plan::is_ticked(plan, is_new);
    let is_own =
        || is_new && plan.backlog.is_empty() && named_plan::is_made_to_be_done(plan, context.prompts);
    if is_configured || !named_plan::is_wanted_whole(&plan.name, context.prompts, is_ticked) && !is_own() {
        return None;
    }
    let evidence = of_plan(plan, observations, context);
    match evidence.claim {
        Claim::No => Some(evidence),
        Claim::Yes => Some(Evidence { claim: Claim::Abstain(Rejection::Undecided), ..evidence }),
        Claim::Ask | Claim::Wait | Claim::Work | Claim::Dirty | Claim::Fail | Claim::Abstain(_) => None,
    }
}

/// Whether a plan came with the repository and says nothing about this task, because it
/// is done or nobody chose it: no configuration, and no prompt of the task.
fn is_roadmap(plan: &PlanFile, observations: &Observations, context: &WeighContext<'_>) -> bool {
    let is_done = plan.steps.iter().all(|step| step.status.as_deref() == Some("done"));
    is_of_baseline(observations, &plan.name) && (is_done || !is_chosen(plan, context))
}

/// Whether a person chose this plan as a measure of the work: in the configuration, or by its name in a prompt.
fn is_chosen(plan: &PlanFile, context: &WeighContext<'_>) -> bool {
    let settings = context.settings;
    settings.are_plans_chosen
        || settings.checks.plan_files().any(|name| *name == plan.name)
        || tasks::is_named_in(&plan.name, context.prompts)
}

/// The steps of a plan that are the task's. In a plan that nobody chose, what was open in the baseline's commit and is
/// as it was is backlog.
fn steps_of_task(plan: &PlanFile, context: &WeighContext<'_>) -> Vec<PlanStep> {
    let mut steps = plan.steps.clone();
    if plan.backlog.is_empty() || is_chosen(plan, context) || named_plan::is_spoken_of(context.prompts) {
        return steps;
    }
    let mut backlog: Vec<&PlanStep> = plan.backlog.iter().collect();
    steps.retain(|step| match backlog.iter().position(|known| *known == step) {
        Some(at) => {
            backlog.swap_remove(at);
            false
        }
        None => true,
    });
    steps
}

fn of_plan(plan: &PlanFile, observations: &Observations, context: &WeighContext<'_>) -> Evidence {
    let written = Origin::File.at(plan.written_at);
    if is_roadmap(plan, observations, context) {
        return Evidence::abstain(Source::Plan, plan.name.clone(), Rejection::Stale, written)
            .because(Fact::OfBaseline);
    }
    let steps = steps_of_task(plan, context);
    let is_part = steps.len() < plan.steps.len();
    let evidence = match plan_evidence(&plan.name, steps, written) {
        // That what was changed in it is ticked does not say that the work is done.
        evidence if is_part && evidence.claim != Claim::No => Evidence { points: Vec::new(), ..evidence }
            .rejected(Rejection::Undecided, Fact::BacklogOfBaseline),
        evidence if is_part => evidence.because(Fact::BacklogOfBaseline),
        evidence => evidence,
    };
    let pointer = Some(Box::new(Pointer { place: plan.name.clone(), excerpt: None }));
    let evidence = doubting(Evidence { pointer, ..evidence }, is_doubted(&plan.name, context));
    aged(evidence, is_stale(observations, plan.written_at))
}

/// The evidence of a plan's steps, no matter who keeps the plan.
pub(super) fn plan_evidence(name: &str, steps: Vec<PlanStep>, provenance: Provenance) -> Evidence {
    let points = steps
        .iter()
        .filter(|step| step.status.as_deref() != Some("done"))
        .take(MAX_POINTS)
        .map(|step| Point::Step(excerpt::reason(&step.title)))
        .collect();
    let checker = Checker::Plan { plan_type: Some("plan".to_owned()) };
    let check_context = CheckContext { plan: PlanSource::Steps(steps), ..CheckContext::default() };
    checked(Source::Plan, name, provenance, &checker, &check_context, points)
}

fn checklist(name: &str, steps: &[PlanStep]) -> Checklist {
    let state = |status: Option<&str>| match status {
        Some("done") => ItemState::Done,
        Some("in_progress" | "active" | "doing") => ItemState::Active,
        Some(_) | None => ItemState::Open,
    };
    let items = steps
        .iter()
        .map(|step| ChecklistItem {
            title: excerpt::reason(&step.title),
            state: state(step.status.as_deref()),
            evidence: None,
        })
        .collect();
    Checklist { from: name.to_owned(), items }
}

/// The evidence about the required files `names`.
fn files(
    title: &str,
    names: &[String],
    observations: &Observations,
    context: &WeighContext<'_>,
) -> Option<Evidence> {
    let read = || Origin::File.as_read();
    let not_configured = || Evidence::abstain(Source::RequiredFiles, title, Rejection::NotConfigured, read());
    let found = match &observations.files {
        Reading::NotLookedAt => return None,
        _ if names.is_empty() => return Some(not_configured()),
        Reading::Present(files) => Ok(files),
        Reading::Unreadable(unreadable) => Err(unreadable),
        Reading::NotConfigured | Reading::Absent { .. } => return Some(not_configured()),
    };
    // One that is surely missing says more than one that was not seen.
    let not_seen = found.ok().and_then(|files| not_seen(files, names));
    let found = not_seen.as_ref().map_or(found, Err);
    let paths = |files: &[FileCheck], name: &String| -> Vec<String> {
        let checked = files.iter().filter(|file| file.name == *name);
        checked.flat_map(|file| file.found.iter().cloned()).collect()
    };
    let is_there = |files: &[FileCheck], name: &String| !paths(files, name).is_empty();
    let present =
        found.ok().map(|files| names.iter().filter(|name| is_there(files, name)).cloned().collect());
    let missing = found.ok().into_iter().flat_map(|files| names.iter().filter(|name| !is_there(files, name)));
    let is_empty =
        |name: &String| found.is_ok_and(|files| files.iter().any(|file| file.name == *name && file.is_empty));
    let point =
        |name: String| if is_empty(&name) { Point::EmptyFile(name) } else { Point::MissingFile(name) };
    let missing: Vec<Point> = missing.take(MAX_POINTS).cloned().map(point).collect();
    let empty = missing.iter().find(|point| matches!(point, Point::EmptyFile(_))).and_then(reason::of_point);
    let empty = empty.map(|words| Reason::Words(excerpt::reason(&words)));
    let checker = Checker::Files { required: names.to_vec() };
    let check_context = CheckContext { files: present, ..CheckContext::default() };
    let mut evidence = checked(Source::RequiredFiles, title, read(), &checker, &check_context, missing);
    if evidence.points.len() == 1 {
        // A file that is there is not missing.
        evidence.reasons = empty.map_or(evidence.reasons, |empty| vec![empty]);
    }
    if let Ok(files) = found
        && evidence.claim == Claim::Yes
    {
        evidence.points = names.iter().map(|name| Point::RequiredFile(paths(files, name))).collect();
    }
    let evidence = match found {
        Ok(_) => doubting(evidence, names.iter().all(|name| is_doubted(name, context))),
        Err(unreadable) => {
            Evidence { reasons: vec![Reason::CannotVerify(unreadable.detail.clone())], ..evidence }
        }
    };
    let is_old = names.iter().all(|name| is_of_baseline(observations, name));
    Some(if is_old && evidence.claim == Claim::Yes {
        Evidence { is_vacuous: true, ..evidence }.because(Fact::OfBaseline)
    } else {
        evidence
    })
}

/// Which of these files was not found although it may be there, and why, if each of the others is there.
fn not_seen(files: &[FileCheck], names: &[String]) -> Option<Unreadable> {
    let not_found = files.iter().filter(|file| names.contains(&file.name) && file.found.is_empty());
    let told: Option<Vec<_>> = not_found.map(|file| Some((file, file.not_seen.as_deref()?))).collect();
    let (file, why) = *told?.first()?;
    let detail = format!("{why}: name {} more exactly", file.name);
    Some(Unreadable { name: file.name.clone(), problem: ReadProblem::TooLarge, detail })
}

/// The evidence of test results. `names` are the files that settings or a check name.
fn tests(
    names: &[String],
    reading: &Reading<TestResults>,
    observations: &Observations,
    context: &WeighContext<'_>,
) -> Option<Evidence> {
    let checker = Checker::Tests;
    let missing = |name: &str, provenance| {
        checked(Source::Tests, name, provenance, &checker, &CheckContext::default(), Vec::new())
    };
    // What is there and proves nothing is not missing.
    let unverified =
        |name: &str, provenance, why: Reason| Evidence { reasons: vec![why], ..missing(name, provenance) };
    let read = Origin::File.as_read();
    let written = |results: &TestResults| Origin::File.at(results.written_at);
    Some(match reading {
        // Results that are required but were not produced for this task cannot be verified; a failure stays a
        // failure at any age.
        Reading::Present(results)
            if results.n_failed == 0
                && let Some(age) = unproven_age(results, observations) =>
        {
            unverified(&results.names.join(", "), written(results), age.into())
        }
        // If no test ran, or all were skipped, the requirement is not met; each file that is named has to show one.
        Reading::Present(results) if results.n_passed == 0 && results.n_failed == 0 => {
            unverified(&results.names.join(", "), written(results), Fact::NoTestRan.into())
        }
        Reading::Present(results) if results.n_failed == 0 && !results.empty.is_empty() => {
            unverified(&results.empty.join(", "), written(results), Fact::NoTestRan.into())
        }
        Reading::Present(results) => {
            let counts = TestCounts { n_passed: Some(results.n_passed), n_failed: Some(results.n_failed) };
            let check_context = CheckContext { test_results: Some(counts), ..CheckContext::default() };
            let failing: Vec<String> = results.failing.iter().map(|name| excerpt::reason(name)).collect();
            let points = failing.iter().cloned().map(Point::FailingTest).collect();
            let names_read = results.names.join(", ");
            let mut evidence =
                checked(Source::Tests, &names_read, written(results), &checker, &check_context, points);
            evidence.reasons.extend(failing.into_iter().take(3).map(Reason::Words));
            doubting(evidence, names.iter().any(|name| is_doubted(name, context)))
        }
        // Required results that are missing or unreadable are not good results.
        Reading::Absent { name } => missing(name, read),
        Reading::Unreadable(unreadable) => missing(&unreadable.name, read).because(unreadable.detail.clone()),
        Reading::NotConfigured => {
            let name = names.first().map_or("tests", String::as_str);
            Evidence::abstain(Source::Tests, name, Rejection::NotConfigured, read)
        }
        Reading::NotLookedAt => return None,
    })
}

/// Why passing results may not describe this task.
fn unproven_age(results: &TestResults, observations: &Observations) -> Option<Fact> {
    if results.written_at.millis_since(observations.taken_at) > GRACE_MS {
        return Some(Fact::ResultsFromFuture);
    }
    let is_old = is_stale(observations, results.written_at)
        || results.names.iter().any(|name| is_of_baseline(observations, name));
    is_old.then_some(Fact::OldResults)
}

/// Age invalidates a YES, but never an open point.
pub(super) fn aged(evidence: Evidence, is_old: bool) -> Evidence {
    match evidence.claim {
        Claim::Yes if is_old => evidence.rejected(Rejection::Stale, Fact::BeforeTask),
        Claim::No if is_old => evidence.because(Fact::BeforePrompt),
        Claim::Yes
        | Claim::No
        | Claim::Ask
        | Claim::Wait
        | Claim::Work
        | Claim::Dirty
        | Claim::Fail
        | Claim::Abstain(_) => evidence,
    }
}

/// Whether only the workspace's own file named this, which an agent may have written.
fn is_doubted(name: &str, context: &WeighContext<'_>) -> bool {
    context.settings.doubted.iter().any(|doubted| doubted == name)
}

/// Marks a YES as vacuous if only the workspace itself made the requirement.
fn doubting(evidence: Evidence, is_doubted: bool) -> Evidence {
    if !is_doubted || evidence.claim != Claim::Yes {
        return evidence;
    }
    let evidence = Evidence { is_vacuous: true, ..evidence };
    evidence.because(Fact::OwnDemand)
}

/// The evidence of what a checker finds.
pub(super) fn checked(
    source: Source,
    name: &str,
    provenance: Provenance,
    checker: &Checker,
    check_context: &CheckContext,
    points: Vec<Point>,
) -> Evidence {
    let outcome = checkers::check(Some(checker), check_context);
    let claim = match outcome.complete {
        Some(true) => Claim::Yes,
        Some(false) => Claim::No,
        None => Claim::Abstain(Rejection::Undecided),
    };
    let mut evidence = Evidence::claim(source, name, claim, provenance);
    evidence.is_vacuous = outcome.vacuous;
    evidence.reasons = outcome.feedback.iter().map(|feedback| excerpt::reason(feedback).into()).collect();
    if claim == Claim::No {
        evidence.points = points;
    }
    evidence
}

/// A requested plan that cannot be read keeps the work open.
fn unverifiable(unreadable: &Unreadable) -> Evidence {
    Evidence::claim(Source::Plan, unreadable.name.clone(), Claim::No, Origin::File.as_read())
        .because(Reason::CannotVerify(unreadable.detail.clone()))
}

/// A file that cannot be read or understood.
pub(super) fn unusable(source: Source, unreadable: &Unreadable) -> Evidence {
    Evidence::abstain(source, unreadable.name.clone(), Rejection::Unreadable, Origin::File.as_read())
        .because(unreadable.detail.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_not_seen_is_unknown_unless_another_one_is_missing() {
        let file = |name: &str, found: &[&str], why: Option<&str>| FileCheck {
            name: name.to_owned(),
            found: found.iter().map(|path| (*path).to_owned()).collect(),
            is_empty: false,
            not_seen: why.map(str::to_owned),
        };
        let files = [file("a", &["a"], None), file("**/b", &[], Some("too many")), file("c", &[], None)];
        let told = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            not_seen(&files, &names).map(|unreadable| unreadable.detail)
        };
        assert_eq!(told(&["a", "**/b"]).as_deref(), Some("too many: name **/b more exactly"));
        assert_eq!(told(&["a", "**/b", "c"]), None);
        assert_eq!(told(&["a"]), None);
    }
}
