//! Rule 3: runs checkers in order, nested as configured.
//!
//! Must not run a checker once the result is known, or nest without a limit.

use super::checker::{CheckContext, CheckOutcome, Checker, CompositeMode, Finding};
use super::single;
use crate::present::phrases::checker as say;

/// How deep composites may nest; anything deeper cannot be verified.
const MAX_NESTING: usize = 64;

/// Runs a checker. Total, and linear in its input.
pub fn check(checker: Option<&Checker>, context: &CheckContext) -> CheckOutcome {
    let reason = match checker {
        _ if context.is_budget_exhausted => say::no_budget(),
        _ if context.is_deadline_expired => say::no_time(),
        None => say::no_checker(),
        Some(checker) => {
            let mut evaluated = Vec::new();
            let finding = run(checker, context, 0, &mut evaluated);
            return CheckOutcome {
                complete: Some(finding.is_complete),
                feedback: finding.feedback,
                evaluated,
                skipped: false,
                allow_stop: finding.is_complete,
                vacuous: finding.is_vacuous,
            };
        }
    };
    CheckOutcome {
        complete: None,
        feedback: Some(reason.to_owned()),
        evaluated: Vec::new(),
        skipped: true,
        allow_stop: true,
        vacuous: false,
    }
}

/// Runs one checker. The names of custom checkers that ran are added to `evaluated`.
fn run(checker: &Checker, context: &CheckContext, depth: usize, evaluated: &mut Vec<String>) -> Finding {
    match checker {
        Checker::Plan { plan_type } => single::plan(plan_type.as_deref(), &context.plan),
        Checker::Files { required } => single::files(required, context.files.as_deref()),
        Checker::Tests => single::tests(context.test_results),
        Checker::Static { id, complete, feedback } => {
            evaluated.push(id.clone());
            single::stated(id, *complete, feedback.as_deref())
        }
        Checker::Broken { id, message } => {
            evaluated.push(id.clone());
            single::broken(id, message)
        }
        Checker::Composite { .. } if depth >= MAX_NESTING => Finding::failed(say::too_deep().to_owned()),
        Checker::Composite { checkers, .. } if checkers.is_empty() => Finding::vacuous(say::no_checkers()),
        Checker::Composite { mode, checkers } => {
            let findings = checkers.iter().map(|checker| run(checker, context, depth + 1, evaluated));
            combine(*mode, findings)
        }
    }
}

fn combine(mode: CompositeMode, findings: impl Iterator<Item = Finding>) -> Finding {
    let (mut feedback, mut is_vacuous) = (Vec::new(), true);
    for finding in findings {
        let is_settled = match mode {
            CompositeMode::All => !finding.is_complete,
            CompositeMode::Any => finding.is_complete,
        };
        if is_settled {
            return finding;
        }
        is_vacuous &= finding.is_vacuous;
        feedback.extend(finding.feedback);
    }
    let is_complete = mode == CompositeMode::All;
    let feedback = (!feedback.is_empty()).then(|| feedback.join("\n"));
    Finding { is_complete, is_vacuous: is_complete && is_vacuous, feedback }
}
