//! The checks that a person configured, as evidence: a row each, combined as they say.
//!
//! A check that has not run since the last change cannot be verified, and that is a NO (DESIGN.md 2.2). What failed before
//! the work began is told, and is not the agent's.

use super::{CheckContext, Checker, CompositeMode, check};
use crate::model::{
    CheckAsk, CheckMode, CheckPlan, CheckRecord, CheckResult, Claim, ConfiguredCheck, Evidence, Pointer,
    Rejection, Source,
};

/// So deep may groups lie in groups.
const DEEPEST: usize = 8;
/// What to do about a check that has not run.
const NOT_RUN: &str = "not run since the last change; `closeout check --run-checks` runs it";

/// What checks were found to say, and how the work is.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    /// The last runs.
    pub records: &'a [CheckRecord],
    /// A name for HEAD and the uncommitted changes as they are now.
    pub content: Option<&'a str>,
}

/// A check with what came of it.
enum Node<'a> {
    Leaf(&'a ConfiguredCheck, Option<&'a CheckRecord>, bool),
    Group(CheckMode, Vec<Node<'a>>),
}

/// A row for each check that is no group.
pub fn evidence(plan: &CheckPlan, found: Found<'_>) -> Vec<Evidence> {
    let mut rows = Vec::new();
    if let Some(root) = root(plan, found) {
        root.tell(false, false, &mut rows);
    }
    rows
}

/// Whether the checks are met, by a run of the work as it is now; false where there are none.
pub fn are_met(plan: &CheckPlan, found: Found<'_>) -> bool {
    root(plan, found).is_some_and(|root| root.is_met())
}

fn root<'a>(plan: &'a CheckPlan, found: Found<'a>) -> Option<Node<'a>> {
    let nodes: Vec<Node<'a>> = plan.top().map(|check| Node::of(check, plan, found, 0)).collect();
    (!nodes.is_empty()).then_some(Node::Group(plan.mode, nodes))
}

impl<'a> Node<'a> {
    fn of(check: &'a ConfiguredCheck, plan: &'a CheckPlan, found: Found<'a>, depth: usize) -> Node<'a> {
        if let CheckAsk::Group { mode, of } = &check.ask {
            let members = of.iter().filter_map(|name| plan.named(name)).filter(|_| depth < DEEPEST);
            return Node::Group(
                *mode,
                members.map(|check| Node::of(check, plan, found, depth + 1)).collect(),
            );
        }
        let of_check = || {
            found
                .records
                .iter()
                .filter(|record| record.name == check.name && record.asked == check.identity())
        };
        let is_current =
            |record: &&CheckRecord| record.content.is_some() && record.content.as_deref() == found.content;
        let failed_before =
            of_check().any(|record| record.is_before_work && record.result == CheckResult::Failed);
        Node::Leaf(check, of_check().filter(is_current).max_by_key(|record| record.at), failed_before)
    }

    /// The same in the words of the checkers.
    fn checker(&self) -> Checker {
        match self {
            Node::Leaf(check, Some(record), _) if record.result != CheckResult::Broken => Checker::Static {
                id: check.name.clone(),
                complete: self.is_passed(),
                feedback: Some(record.feedback.clone()),
            },
            Node::Leaf(check, record, _) => Checker::Broken {
                id: check.name.clone(),
                message: record.map_or(NOT_RUN, |record| record.feedback.as_str()).to_owned(),
            },
            Node::Group(mode, nodes) => Checker::Composite {
                mode: match mode {
                    CheckMode::All => CompositeMode::All,
                    CheckMode::Any => CompositeMode::Any,
                },
                checkers: nodes.iter().map(Node::checker).collect(),
            },
        }
    }

    /// Whether a leaf passes, or fails as it did before the work began.
    fn is_passed(&self) -> bool {
        match self {
            Node::Leaf(_, Some(record), failed_before) => {
                record.result == CheckResult::Passed
                    || (record.result == CheckResult::Failed && *failed_before)
            }
            Node::Leaf(_, None, _) | Node::Group(..) => false,
        }
    }

    fn is_met(&self) -> bool {
        check(Some(&self.checker()), &CheckContext::default()).complete == Some(true)
    }

    /// Adds the rows. `is_covered` says that what stands around it is met without it, `is_after_failure` that what
    /// stands before it ended the run.
    fn tell(&self, is_covered: bool, is_after_failure: bool, rows: &mut Vec<Evidence>) {
        match self {
            Node::Leaf(check, record, failed_before) => {
                rows.push(row(check, *record, *failed_before, is_covered, is_after_failure));
            }
            Node::Group(mode, nodes) => {
                let is_covered = is_covered || self.is_met();
                let mut is_after_failure = is_after_failure;
                for node in nodes {
                    node.tell(is_covered, is_after_failure, rows);
                    is_after_failure |= *mode == CheckMode::All && !node.is_met();
                }
            }
        }
    }
}

fn row(
    check: &ConfiguredCheck,
    record: Option<&CheckRecord>,
    failed_before: bool,
    is_covered: bool,
    is_after_failure: bool,
) -> Evidence {
    let name = format!("check {}", check.name);
    let silent =
        |reason: &str| Evidence::abstain(Source::Command, name.clone(), Rejection::Undecided).because(reason);
    let claim = |claim, reason: &str| {
        let evidence = Evidence::claim(Source::Command, name.clone(), claim).because(reason);
        Evidence { fingerprints: vec![format!("check/{}", check.name)], ..evidence }
    };
    let Some(record) = record else {
        return match (is_covered, is_after_failure) {
            (true, _) => silent("not run: the others are enough"),
            (false, true) => silent("not run: one before it is not met"),
            (false, false) => claim(Claim::No, NOT_RUN),
        };
    };
    let evidence = match record.result {
        CheckResult::Passed => Evidence { fingerprints: Vec::new(), ..claim(Claim::Yes, &record.feedback) },
        CheckResult::Failed if failed_before => {
            silent("it failed before the work began, too").because(record.feedback.as_str())
        }
        CheckResult::Failed | CheckResult::Broken if is_covered => {
            silent("not met, and the others are enough").because(record.feedback.as_str())
        }
        CheckResult::Failed | CheckResult::Broken => claim(Claim::No, &record.feedback),
    };
    let excerpt = Some(record.output.clone()).filter(|output| !output.is_empty());
    let pointer = excerpt.map(|excerpt| Pointer { place: check.name.clone(), excerpt: Some(excerpt) });
    Evidence { pointer, ..evidence.at(Some(record.at)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timestamp;

    fn command(name: &str) -> ConfiguredCheck {
        let command = vec![name.to_owned()];
        ConfiguredCheck { name: name.to_owned(), ask: CheckAsk::Command { command }, limit_s: 1 }
    }

    fn group(name: &str, mode: CheckMode, of: &[&str]) -> ConfiguredCheck {
        let of = of.iter().map(|&name| name.to_owned()).collect();
        ConfiguredCheck { name: name.to_owned(), ask: CheckAsk::Group { mode, of }, limit_s: 1 }
    }

    fn ran(name: &str, result: CheckResult) -> CheckRecord {
        CheckRecord {
            name: name.to_owned(),
            asked: command(name).identity(),
            at: Timestamp(5),
            content: Some("now".to_owned()),
            is_before_work: false,
            result,
            feedback: format!("{name} ended"),
            output: String::new(),
        }
    }

    fn claims(plan: &CheckPlan, records: &[CheckRecord]) -> (Vec<Claim>, bool) {
        let found = Found { records, content: Some("now") };
        (evidence(plan, found).into_iter().map(|row| row.claim).collect(), are_met(plan, found))
    }

    #[test]
    fn a_check_that_has_not_run_since_the_last_change_cannot_be_verified() {
        let plan = CheckPlan { checks: vec![command("a")], mode: CheckMode::All };
        assert_eq!(claims(&plan, &[]), (vec![Claim::No], false));
        let old = CheckRecord { content: Some("then".to_owned()), ..ran("a", CheckResult::Passed) };
        assert_eq!(claims(&plan, &[old]), (vec![Claim::No], false));
        let blind = CheckRecord { content: None, ..ran("a", CheckResult::Passed) };
        let found = Found { records: &[blind], content: None };
        assert!(!are_met(&plan, found), "nobody could look");
        let other = CheckRecord { asked: "x".to_owned(), ..ran("a", CheckResult::Passed) };
        assert_eq!(claims(&plan, &[other]), (vec![Claim::No], false), "another command");
        assert_eq!(claims(&plan, &[ran("a", CheckResult::Passed)]), (vec![Claim::Yes], true));
        assert_eq!(claims(&CheckPlan::default(), &[]), (vec![], false));
    }

    #[test]
    fn all_and_any_and_groups_in_groups() {
        use CheckResult::{Broken, Failed, Passed};
        let both = [command("a"), command("b")];
        let all = CheckPlan { checks: both.to_vec(), mode: CheckMode::All };
        let any = CheckPlan { mode: CheckMode::Any, ..all.clone() };
        let records = [ran("a", Failed), ran("b", Passed)];
        assert_eq!(claims(&all, &records), (vec![Claim::No, Claim::Yes], false));
        assert_eq!(claims(&any, &records), (vec![Claim::Abstain, Claim::Yes], true));
        assert_eq!(claims(&all, &[ran("a", Broken)]), (vec![Claim::No, Claim::Abstain], false));
        let checks = vec![command("a"), command("b"), command("c"), group("g", CheckMode::Any, &["a", "b"])];
        let nested = CheckPlan { checks, mode: CheckMode::All };
        let records = [ran("a", Failed), ran("b", Passed), ran("c", Failed)];
        // `c` comes before the group, which is met by `b`.
        assert_eq!(claims(&nested, &records), (vec![Claim::No, Claim::Abstain, Claim::Yes], false));
        let records = [ran("a", Failed), ran("b", Passed), ran("c", Passed)];
        assert_eq!(claims(&nested, &records), (vec![Claim::Yes, Claim::Abstain, Claim::Yes], true));
    }

    #[test]
    fn what_failed_before_the_work_began_is_not_the_agents() {
        let plan = CheckPlan { checks: vec![command("a")], mode: CheckMode::All };
        let before = CheckRecord {
            is_before_work: true,
            content: Some("then".to_owned()),
            ..ran("a", CheckResult::Failed)
        };
        let records = [before, ran("a", CheckResult::Failed)];
        assert_eq!(claims(&plan, &records), (vec![Claim::Abstain], true));
    }

    #[test]
    fn a_group_of_itself_ends() {
        let checks =
            vec![group("g", CheckMode::All, &["h"]), group("h", CheckMode::Any, &["g"]), command("a")];
        let plan = CheckPlan { checks, mode: CheckMode::All };
        assert_eq!(claims(&plan, &[ran("a", CheckResult::Passed)]).0, [Claim::Yes]);
    }
}
