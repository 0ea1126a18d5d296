//! What can be checked: plans, the closer's report, required files, test results.

use crate::judge::checkers::{self, CheckContext, Checker, PlanSource, TestCounts};
use crate::judge::closer::{self, CloserAnswer, CloserReport};
use crate::model::{
    Checklist, ChecklistItem, Claim, Evidence, ItemState, Observations, Parts, PlanFile, PlanStep, Pointer,
    Reading, Rejection, Source, Strength, TextFile, Unreadable,
};

use super::{EvidenceSet, OF_BASELINE, WeighContext, excerpt, is_of_baseline, is_stale};

/// How many failing tests or open steps become fingerprints of a NO.
const MAX_FINGERPRINTS: usize = 50;

/// Weighs the part `CHECKS`.
pub(super) fn weigh(observations: &Observations, scales: &WeighContext<'_>, pile: &mut EvidenceSet) {
    for plan in &observations.plans {
        match plan {
            Reading::Present(plan) => weigh_plan(plan, observations, scales, pile),
            Reading::Unreadable(unreadable) => pile.add(Parts::CHECKS, unusable(Source::Plan, unreadable)),
            Reading::NotLookedAt | Reading::NotConfigured | Reading::Absent { .. } => {}
        }
    }
    weigh_closer(observations, pile);
    weigh_files(observations, scales, pile);
    weigh_tests(observations, scales, pile);
}

fn weigh_plan(
    plan: &PlanFile,
    observations: &Observations,
    scales: &WeighContext<'_>,
    pile: &mut EvidenceSet,
) {
    let is_done = plan.steps.iter().all(|step| step.status.as_deref() == Some("done"));
    if is_of_baseline(observations, &plan.name) && (is_done || !scales.settings.are_plans_chosen) {
        let evidence = Evidence::abstain(Source::Plan, plan.name.clone(), Rejection::Stale);
        pile.add(Parts::CHECKS, evidence.because(OF_BASELINE).at(Some(plan.written_at)));
        return;
    }
    let evidence = plan_evidence(&plan.name, plan.steps.clone()).at(Some(plan.written_at));
    let pointer = Some(Pointer { place: plan.name.clone(), excerpt: None });
    let evidence = doubting(Evidence { pointer, ..evidence }, is_doubted(&plan.name, scales));
    pile.add(Parts::CHECKS, aged(evidence, is_stale(observations, plan.written_at)));
    if !plan.steps.is_empty() {
        pile.checklists.push((Parts::CHECKS, checklist(plan)));
    }
}

/// A plan by its steps, whoever keeps it.
pub(super) fn plan_evidence(name: &str, steps: Vec<PlanStep>) -> Evidence {
    let fingerprints = steps
        .iter()
        .filter(|step| step.status.as_deref() != Some("done"))
        .take(MAX_FINGERPRINTS)
        .map(|step| format!("plan/{}", excerpt::reason(&step.title)))
        .collect();
    let checker = Checker::Plan { plan_type: Some("plan".to_owned()) };
    let context = CheckContext { plan: PlanSource::Steps(steps), ..CheckContext::default() };
    checked(Source::Plan, name, &checker, &context, fingerprints)
}

fn checklist(plan: &PlanFile) -> Checklist {
    let state = |status: Option<&str>| match status {
        Some("done") => ItemState::Done,
        Some("in_progress" | "active" | "doing") => ItemState::Active,
        Some(_) | None => ItemState::Open,
    };
    let items = plan
        .steps
        .iter()
        .map(|step| ChecklistItem {
            title: excerpt::reason(&step.title),
            state: state(step.status.as_deref()),
            evidence: None,
        })
        .collect();
    Checklist { from: plan.name.clone(), items }
}

fn weigh_closer(observations: &Observations, pile: &mut EvidenceSet) {
    let evidence = match &observations.closer {
        Reading::Present(file) if is_of_baseline(observations, &file.name) => {
            Evidence::abstain(Source::Closer, file.name.clone(), Rejection::Stale).because(OF_BASELINE)
        }
        Reading::Present(file) => {
            let report = closer::read(CloserAnswer::Raw(&file.content));
            if !report.checklist.is_empty() {
                pile.checklists.push((Parts::CHECKS, closer_checklist(file, &report)));
            }
            aged(closer_evidence(file, &report), is_stale(observations, file.written_at))
        }
        Reading::Unreadable(unreadable) => unusable(Source::Closer, unreadable),
        Reading::Absent { name } => {
            Evidence::abstain(Source::Closer, name.clone(), Rejection::Absent).because("no report")
        }
        Reading::NotConfigured => Evidence::abstain(Source::Closer, "closer", Rejection::NotConfigured),
        Reading::NotLookedAt => return,
    };
    pile.add(Parts::CHECKS, evidence);
}

fn closer_evidence(file: &TextFile, report: &CloserReport) -> Evidence {
    if let Some(error) = report.error {
        let code = serde_json::to_value(error).ok().and_then(|code| code.as_str().map(str::to_owned));
        return Evidence::abstain(Source::Closer, file.name.clone(), Rejection::Unreadable)
            .because(format!("the report cannot be used: {}", code.unwrap_or_default()))
            .at(Some(file.written_at));
    }
    let claim = if report.complete { Claim::Yes } else { Claim::No };
    let mut evidence = Evidence::claim(Source::Closer, file.name.clone(), claim).at(Some(file.written_at));
    evidence.strength = Strength::SelfReported;
    evidence.reasons = report.pending_actions.iter().map(|action| excerpt::reason(action)).collect();
    if !report.complete {
        evidence.fingerprints = evidence.reasons.iter().map(|action| format!("closer/{action}")).collect();
    }
    if report.conflict {
        evidence.reasons.push("the report contradicts itself".to_owned());
    }
    if !report.complete && evidence.reasons.is_empty() {
        evidence.reasons.push(match report.confidence {
            Some(confidence) => format!("not complete, with a confidence of {confidence:.2}"),
            None => "not complete".to_owned(),
        });
    }
    if report.complete {
        evidence.reasons.push(format!("{} items, all completed", report.checklist.len()));
    }
    Evidence {
        pointer: Some(Pointer {
            place: file.name.clone(),
            excerpt: report.summary.as_deref().map(excerpt::reason),
        }),
        ..evidence
    }
}

fn closer_checklist(file: &TextFile, report: &CloserReport) -> Checklist {
    let items = report
        .checklist
        .iter()
        .map(|item| ChecklistItem {
            title: excerpt::reason(&item.description),
            state: if item.completed { ItemState::Done } else { ItemState::Open },
            evidence: item.evidence.as_deref().map(excerpt::reason),
        })
        .collect();
    Checklist { from: file.name.clone(), items }
}

fn weigh_files(observations: &Observations, scales: &WeighContext<'_>, pile: &mut EvidenceSet) {
    let evidence = match &observations.files {
        Reading::Present(files) => {
            let is_there: Vec<String> =
                files.iter().filter(|file| file.is_there).map(|file| file.name.clone()).collect();
            let missing = files
                .iter()
                .filter(|file| !file.is_there)
                .take(MAX_FINGERPRINTS)
                .map(|file| format!("file/{}", file.name))
                .collect();
            let checker = Checker::Files { required: files.iter().map(|file| file.name.clone()).collect() };
            let context = CheckContext { files: Some(is_there), ..CheckContext::default() };
            let evidence = checked(Source::RequiredFiles, "required files", &checker, &context, missing);
            let of_baseline = files.iter().all(|file| is_of_baseline(observations, &file.name));
            let evidence = doubting(evidence, files.iter().all(|file| is_doubted(&file.name, scales)));
            if of_baseline && evidence.claim == Claim::Yes {
                Evidence { is_vacuous: true, ..evidence }.because(OF_BASELINE)
            } else {
                evidence
            }
        }
        Reading::Unreadable(unreadable) => {
            let checker = Checker::Files { required: scales.settings.required_files.clone() };
            let evidence = checked(
                Source::RequiredFiles,
                "required files",
                &checker,
                &CheckContext::default(),
                Vec::new(),
            );
            evidence.because(unreadable.detail.clone())
        }
        Reading::NotConfigured | Reading::Absent { .. } => {
            Evidence::abstain(Source::RequiredFiles, "required files", Rejection::NotConfigured)
        }
        Reading::NotLookedAt => return,
    };
    pile.add(Parts::CHECKS, evidence);
}

fn weigh_tests(observations: &Observations, scales: &WeighContext<'_>, pile: &mut EvidenceSet) {
    let checker = Checker::Tests;
    let evidence = match &observations.tests {
        // What is demanded and was not run for this task, nobody can verify; what failed before still fails.
        Reading::Present(results)
            if results.n_failed == 0
                && (is_stale(observations, results.written_at)
                    || results.names.iter().any(|name| is_of_baseline(observations, name))) =>
        {
            checked(Source::Tests, &results.names.join(", "), &checker, &CheckContext::default(), Vec::new())
                .because("older than this task: run the tests again")
                .at(Some(results.written_at))
        }
        Reading::Present(results) => {
            let counts = TestCounts { n_passed: Some(results.n_passed), n_failed: Some(results.n_failed) };
            let context = CheckContext { test_results: Some(counts), ..CheckContext::default() };
            let failing: Vec<String> = results.failing.iter().map(|name| excerpt::reason(name)).collect();
            let fingerprints = failing.iter().map(|name| format!("test/{name}")).collect();
            let mut evidence =
                checked(Source::Tests, &results.names.join(", "), &checker, &context, fingerprints)
                    .at(Some(results.written_at));
            evidence.reasons.extend(failing.into_iter().take(3));
            doubting(evidence, scales.settings.test_results.iter().any(|name| is_doubted(name, scales)))
        }
        // Results that are configured and are not there, or cannot be read, are not good results.
        Reading::Absent { name } => {
            checked(Source::Tests, name, &checker, &CheckContext::default(), Vec::new())
        }
        Reading::Unreadable(unreadable) => {
            checked(Source::Tests, &unreadable.name, &checker, &CheckContext::default(), Vec::new())
                .because(unreadable.detail.clone())
        }
        Reading::NotConfigured => {
            let name = scales.settings.test_results.first().map_or("tests", String::as_str);
            Evidence::abstain(Source::Tests, name, Rejection::NotConfigured)
        }
        Reading::NotLookedAt => return,
    };
    pile.add(Parts::CHECKS, evidence);
}

/// Age takes away a YES, never what is open.
fn aged(evidence: Evidence, is_old: bool) -> Evidence {
    match evidence.claim {
        Claim::Yes if is_old => evidence.rejected(Rejection::Stale, "written before this task began"),
        Claim::No if is_old => evidence.because("from before your last prompt"),
        Claim::Yes
        | Claim::No
        | Claim::Ask
        | Claim::Wait
        | Claim::Work
        | Claim::Dirty
        | Claim::Fail
        | Claim::Abstain => evidence,
    }
}

/// Whether only the workspace's own file named this, and an agent may have written it.
fn is_doubted(name: &str, scales: &WeighContext<'_>) -> bool {
    scales.settings.doubted.iter().any(|doubted| doubted == name)
}

/// The evidence of a demand; where only the workspace itself made it, a YES to it is about nothing.
fn doubting(evidence: Evidence, is_doubted: bool) -> Evidence {
    if !is_doubted || evidence.claim != Claim::Yes {
        return evidence;
    }
    let evidence = Evidence { is_vacuous: true, ..evidence };
    evidence.because("demanded by the workspace's own .closeout.toml alone, which is not so in the baseline")
}

/// What a checker finds, as evidence.
fn checked(
    source: Source,
    name: &str,
    checker: &Checker,
    context: &CheckContext,
    fingerprints: Vec<String>,
) -> Evidence {
    let outcome = checkers::check(Some(checker), context);
    let claim = match outcome.complete {
        Some(true) => Claim::Yes,
        Some(false) => Claim::No,
        None => Claim::Abstain,
    };
    let mut evidence = Evidence::claim(source, name, claim);
    evidence.is_vacuous = outcome.vacuous;
    evidence.reasons = outcome.feedback.iter().map(|feedback| excerpt::reason(feedback)).collect();
    if claim == Claim::No {
        evidence.fingerprints = fingerprints;
    }
    evidence
}

fn unusable(source: Source, unreadable: &Unreadable) -> Evidence {
    Evidence::abstain(source, unreadable.name.clone(), Rejection::Unreadable)
        .because(unreadable.detail.clone())
}
