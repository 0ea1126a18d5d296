//! The checks that a person configured, as evidence: a row each, combined as configured. Must not run a check.
//!
//! A check not run since the last change cannot be verified, which is a NO (DESIGN.md 2.2). Failures before
//! the work began are shown, not held against the agent. Plans, files and test results need no run.

use super::checker::{CheckContext, Checker, CompositeMode};
use super::composite::check;
use super::row::{Place, of_read, of_run};
use crate::model::{
    CheckAsk, CheckMode, CheckPlace, CheckPlan, CheckRecord, CheckResult, CheckStanding, Claim,
    ConfiguredCheck, Evidence, Fact, Origin, Rejection, Source,
};

/// How deep groups may nest.
const DEEPEST: usize = 8;

/// What is known about the checks and the state of the work.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    /// The last runs.
    pub records: &'a [CheckRecord],
    /// An identifier of HEAD and the uncommitted changes as they are now.
    pub content: Option<&'a str>,
}

/// A check with its result.
enum Node<'a> {
    /// A check that is run: its last run on the work as it is now, and whether it failed before the work began.
    Run(&'a ConfiguredCheck, Option<&'a CheckRecord>, bool),
    /// A check that is read: what its sources say together.
    Read(&'a ConfiguredCheck, Evidence),
    Group(CheckMode, Vec<Node<'a>>),
}

/// The combined result of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Combined {
    /// Whether they prove that the work is done: a run or test results of the work as it is now meet them.
    pub is_proven: bool,
    /// Whether one of them opposes the work only because it has not run since the last change.
    pub is_waiting: bool,
    /// Whether a check that runs in CI has no result that counts, so that the work is not known to be checked.
    pub is_unseen_in_ci: bool,
}

/// Replaces what was read for the checks with their rows.
pub fn combine(plan: &CheckPlan, found: Found<'_>, evidence: &mut Vec<Evidence>) -> Combined {
    let mut rows = Vec::new();
    let root = root(plan, found, evidence);
    if let Some(root) = &root {
        root.tell(Place::default(), &mut rows);
    }
    let is_proven = root.is_some_and(|root| root.is_proven());
    evidence.retain(|evidence| !plan.checks.iter().any(|check| is_read_for(check, evidence)));
    let is_waiting = rows.iter().any(|row| row.reasons.contains(&Fact::NotRun.into()));
    let is_unseen_in_ci = rows.iter().any(|row| row.reasons.contains(&Fact::UnseenInCi.into()));
    evidence.extend(rows);
    Combined { is_proven, is_waiting, is_unseen_in_ci }
}

/// The standing of the checks that need no run, according to what was read.
pub fn standing(plan: &CheckPlan, evidence: &[Evidence]) -> Vec<(String, CheckStanding)> {
    let read = plan.checks.iter().filter(|check| check.ask.is_read());
    read.map(|check| (check.name.clone(), of_claim(&together(check, evidence)))).collect()
}

fn root<'a>(plan: &'a CheckPlan, found: Found<'a>, evidence: &[Evidence]) -> Option<Node<'a>> {
    let nodes: Vec<Node<'a>> = plan.top().map(|check| Node::of(check, plan, found, evidence, 0)).collect();
    (!nodes.is_empty()).then_some(Node::Group(plan.mode, nodes))
}

/// Whether this evidence was read for the check, under the check's own name.
fn is_read_for(check: &ConfiguredCheck, evidence: &Evidence) -> bool {
    check.ask.is_read() && source(check) == evidence.source && evidence.name == check.row_name()
}

fn source(check: &ConfiguredCheck) -> Source {
    match &check.ask {
        CheckAsk::Plan { .. } => Source::Plan,
        CheckAsk::Files { .. } => Source::RequiredFiles,
        CheckAsk::Tests { .. } => Source::Tests,
        CheckAsk::Command { .. }
        | CheckAsk::External { .. }
        | CheckAsk::Scope { .. }
        | CheckAsk::Judge { .. }
        | CheckAsk::Group { .. } => Source::Command,
    }
}

/// What the sources of a check say together: the files that it names, or all of its kind.
fn together(check: &ConfiguredCheck, evidence: &[Evidence]) -> Evidence {
    let source = source(check);
    let is_named = !check.ask.names_no_file();
    let is_meant = |evidence: &&Evidence| {
        let is_own = evidence.name.starts_with("check ");
        evidence.source == source && if is_named { is_read_for(check, evidence) } else { !is_own }
    };
    let sources: Vec<&Evidence> = evidence.iter().filter(is_meant).collect();
    let is_against =
        |evidence: &&&Evidence| evidence.claim == Claim::No || evidence.is_rejected_as(Rejection::Unreadable);
    let against: Vec<&&Evidence> = sources.iter().filter(is_against).collect();
    let is_against_it = !against.is_empty();
    let speaking: Vec<&&Evidence> =
        if is_against_it { against } else { sources.iter().filter(|evidence| evidence.is_yes()).collect() };
    // Missing test results are not good results, but a plan that nobody made requires nothing.
    let is_missing = source == Source::Tests && speaking.is_empty();
    let claim = if is_against_it || is_missing { Claim::No } else { Claim::Yes };
    let said_at = speaking.iter().filter_map(|evidence| evidence.said_at()).max();
    let provenance = said_at.map_or(Origin::Check.as_read(), |said_at| Origin::Check.at(said_at));
    let mut row = Evidence::claim(source, check.row_name(), claim, provenance);
    row.is_vacuous = speaking.is_empty() && !is_missing;
    row.reasons = speaking.iter().flat_map(|evidence| evidence.reasons.iter().cloned()).collect();
    row.points = speaking.iter().flat_map(|evidence| evidence.points.iter().cloned()).collect();
    row.pointer = speaking.iter().find_map(|evidence| evidence.pointer.clone());
    if is_missing {
        row.because(Fact::NoTestResults)
    } else if speaking.is_empty() {
        row.because(Fact::NothingToCheck)
    } else {
        row
    }
}

fn of_claim(evidence: &Evidence) -> CheckStanding {
    match (evidence.claim, evidence.is_vacuous) {
        (Claim::Yes, false) => CheckStanding::Met,
        (Claim::Yes, true) => CheckStanding::Vacuous,
        _ => CheckStanding::Unmet,
    }
}

impl<'a> Node<'a> {
    fn of(
        check: &'a ConfiguredCheck,
        plan: &'a CheckPlan,
        found: Found<'a>,
        evidence: &[Evidence],
        depth: usize,
    ) -> Node<'a> {
        if let CheckAsk::Group { mode, of } = &check.ask {
            let members = of.iter().filter_map(|name| plan.named(name)).filter(|_| depth < DEEPEST);
            let members = members.map(|check| Node::of(check, plan, found, evidence, depth + 1));
            return Node::Group(*mode, members.collect());
        }
        if check.ask.is_read() {
            return Node::Read(check, together(check, evidence));
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
        // A program that could not ask CI has seen nothing.
        let is_seen =
            |record: &&CheckRecord| check.place == CheckPlace::Here || record.result != CheckResult::Broken;
        let current = of_check().filter(is_current).filter(is_seen);
        Node::Run(check, current.max_by_key(|record| record.at), failed_before)
    }

    /// The node as a checker. If there was nothing to check, it does not meet "any" beside others that had.
    fn checker(&self) -> Checker {
        let stated = |check: &ConfiguredCheck, complete| Checker::Static {
            id: check.name.clone(),
            complete,
            feedback: None,
        };
        match self {
            Node::Run(check, record, failed_before) => {
                let is_met = record.is_some_and(|record| match record.result {
                    CheckResult::Passed => true,
                    CheckResult::Failed => *failed_before,
                    CheckResult::Broken => false,
                });
                stated(check, is_met || self.is_vacuous())
            }
            Node::Read(check, evidence) => stated(check, evidence.claim == Claim::Yes),
            Node::Group(mode, nodes) => {
                let is_any = *mode == CheckMode::Any && !nodes.iter().all(Node::is_vacuous);
                let nodes = nodes.iter().filter(|node| !(is_any && node.is_vacuous()));
                Checker::Composite {
                    mode: match mode {
                        CheckMode::All => CompositeMode::All,
                        CheckMode::Any => CompositeMode::Any,
                    },
                    checkers: nodes.map(Node::checker).collect(),
                }
            }
        }
    }

    /// Whether there was nothing to check.
    fn is_vacuous(&self) -> bool {
        match self {
            Node::Run(check, record, _) => check.place == CheckPlace::Ci && record.is_none(),
            Node::Read(_, evidence) => of_claim(evidence) == CheckStanding::Vacuous,
            Node::Group(_, nodes) => nodes.iter().all(Node::is_vacuous),
        }
    }

    fn is_met(&self) -> bool {
        check(Some(&self.checker()), &CheckContext::default()).complete == Some(true)
    }

    /// Whether meeting it proves something: a run or test results passed, and not everything was vacuous.
    fn is_proven(&self) -> bool {
        match self {
            Node::Run(_, record, _) => record.is_some_and(|record| record.result == CheckResult::Passed),
            Node::Read(check, evidence) => {
                source(check) == Source::Tests && of_claim(evidence) == CheckStanding::Met
            }
            Node::Group(CheckMode::Any, nodes) => nodes.iter().any(Node::is_proven),
            Node::Group(CheckMode::All, nodes) => {
                nodes.iter().any(Node::is_proven)
                    && nodes.iter().all(|node| node.is_proven() || node.is_met() && node.is_read())
            }
        }
    }

    /// Whether no run is involved.
    fn is_read(&self) -> bool {
        match self {
            Node::Run(..) => false,
            Node::Read(..) => true,
            Node::Group(_, nodes) => nodes.iter().all(Node::is_read),
        }
    }

    /// Adds the rows of the node.
    fn tell(&self, place: Place, rows: &mut Vec<Evidence>) {
        match self {
            Node::Run(check, record, failed_before) => {
                rows.push(of_run(check, *record, *failed_before, place));
            }
            Node::Read(_, evidence) => rows.push(of_read(evidence.clone(), place)),
            Node::Group(mode, nodes) => {
                let is_met = self.is_met();
                let is_covered = place.is_covered || is_met;
                let is_spared = place.is_spared || *mode == CheckMode::Any && is_met && !self.is_vacuous();
                let mut is_after_failure = place.is_after_failure;
                for node in nodes {
                    node.tell(Place { is_covered, is_spared, is_after_failure }, rows);
                    is_after_failure |= *mode == CheckMode::All && !node.is_met();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timestamp;

    fn command(name: &str) -> ConfiguredCheck {
        let command = vec![name.to_owned()];
        ConfiguredCheck {
            name: name.to_owned(),
            ask: CheckAsk::Command { command },
            limit_s: 1,
            place: CheckPlace::Here,
        }
    }

    fn group(name: &str, mode: CheckMode, of: &[&str]) -> ConfiguredCheck {
        let of = of.iter().map(|&name| name.to_owned()).collect();
        ConfiguredCheck {
            name: name.to_owned(),
            ask: CheckAsk::Group { mode, of },
            limit_s: 1,
            place: CheckPlace::Here,
        }
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
            sent: Vec::new(),
        }
    }

    fn claims(plan: &CheckPlan, records: &[CheckRecord]) -> (Vec<Claim>, bool) {
        result_of(plan, records, Vec::new())
    }

    fn result_of(plan: &CheckPlan, records: &[CheckRecord], mut read: Vec<Evidence>) -> (Vec<Claim>, bool) {
        let is_proven = combine(plan, Found { records, content: Some("now") }, &mut read).is_proven;
        (read.into_iter().map(|row| row.claim).collect(), is_proven)
    }

    #[test]
    fn a_check_that_has_not_run_since_the_last_change_cannot_be_verified() {
        let plan = CheckPlan { checks: vec![command("a")], mode: CheckMode::All, is_automatic: false };
        assert_eq!(claims(&plan, &[]), (vec![Claim::No], false));
        let old = CheckRecord { content: Some("then".to_owned()), ..ran("a", CheckResult::Passed) };
        assert_eq!(claims(&plan, &[old]), (vec![Claim::No], false));
        let blind = CheckRecord { content: None, ..ran("a", CheckResult::Passed) };
        let found = Found { records: &[blind], content: None };
        assert!(!combine(&plan, found, &mut Vec::new()).is_proven, "nobody could look");
        let other = CheckRecord { asked: "x".to_owned(), ..ran("a", CheckResult::Passed) };
        assert_eq!(claims(&plan, &[other]), (vec![Claim::No], false), "another command");
        assert_eq!(claims(&plan, &[ran("a", CheckResult::Passed)]), (vec![Claim::Yes], true));
        assert_eq!(claims(&CheckPlan::default(), &[]), (vec![], false));
    }

    #[test]
    fn all_and_any_and_groups_in_groups() {
        use CheckResult::{Broken, Failed, Passed};
        let both = [command("a"), command("b")];
        let all = CheckPlan { checks: both.to_vec(), mode: CheckMode::All, is_automatic: false };
        let any = CheckPlan { mode: CheckMode::Any, ..all.clone() };
        let records = [ran("a", Failed), ran("b", Passed)];
        assert_eq!(claims(&all, &records), (vec![Claim::No, Claim::Yes], false));
        assert_eq!(claims(&any, &records), (vec![Claim::Abstain(Rejection::Undecided), Claim::Yes], true));
        assert_eq!(
            claims(&all, &[ran("a", Broken)]),
            (vec![Claim::No, Claim::Abstain(Rejection::Undecided)], false)
        );
        let checks = vec![command("a"), command("b"), command("c"), group("g", CheckMode::Any, &["a", "b"])];
        let nested = CheckPlan { checks, mode: CheckMode::All, is_automatic: false };
        let records = [ran("a", Failed), ran("b", Passed), ran("c", Failed)];
        // `c` precedes the group, which is met by `b`.
        assert_eq!(
            claims(&nested, &records),
            (vec![Claim::No, Claim::Abstain(Rejection::Undecided), Claim::Yes], false)
        );
        let records = [ran("a", Failed), ran("b", Passed), ran("c", Passed)];
        assert_eq!(
            claims(&nested, &records),
            (vec![Claim::Yes, Claim::Abstain(Rejection::Undecided), Claim::Yes], true)
        );
    }

    #[test]
    fn a_check_in_ci_without_a_result_opposes_nothing_and_proves_nothing() {
        use CheckResult::{Broken, Failed, Passed};
        let ci = ConfiguredCheck { place: CheckPlace::Ci, ..command("ci") };
        let with = |mode, checks: &[ConfiguredCheck]| CheckPlan {
            checks: checks.to_vec(),
            mode,
            is_automatic: false,
        };
        let told = |plan: &CheckPlan, records: &[CheckRecord]| {
            let mut rows = Vec::new();
            let all = combine(plan, Found { records, content: Some("now") }, &mut rows);
            let claims: Vec<Claim> = rows.into_iter().map(|row| row.claim).collect();
            (claims, all.is_proven, all.is_unseen_in_ci)
        };
        let silent = Claim::Abstain(Rejection::Undecided);
        let alone = with(CheckMode::All, std::slice::from_ref(&ci));
        assert_eq!(told(&alone, &[]), (vec![silent], false, true));
        let old = CheckRecord { content: Some("then".to_owned()), ..ran("ci", Failed) };
        assert_eq!(told(&alone, &[old]), (vec![silent], false, true), "of other work");
        assert_eq!(told(&alone, &[ran("ci", Broken)]), (vec![silent], false, true), "CI could not be asked");
        assert_eq!(told(&alone, &[ran("ci", Failed)]), (vec![Claim::No], false, false));
        assert_eq!(told(&alone, &[ran("ci", Passed)]), (vec![Claim::Yes], true, false));
        let both = with(CheckMode::All, &[ci.clone(), command("a")]);
        assert_eq!(told(&both, &[ran("a", Passed)]), (vec![silent, Claim::Yes], false, true));
        assert_eq!(told(&both, &[]).0, [silent, Claim::No], "the other one is not excused");
        let either = with(CheckMode::Any, &[ci, command("a")]);
        assert_eq!(
            told(&either, &[ran("a", Passed)]),
            (vec![silent, Claim::Yes], true, false),
            "one is enough"
        );
        assert_eq!(told(&either, &[ran("a", Failed)]), (vec![silent, Claim::No], false, true));
    }

    #[test]
    fn what_failed_before_the_work_began_is_not_the_agents() {
        let plan = CheckPlan { checks: vec![command("a")], mode: CheckMode::All, is_automatic: false };
        let before = CheckRecord {
            is_before_work: true,
            content: Some("then".to_owned()),
            ..ran("a", CheckResult::Failed)
        };
        let records = [before, ran("a", CheckResult::Failed)];
        assert_eq!(
            claims(&plan, &records),
            (vec![Claim::Abstain(Rejection::Undecided)], false),
            "and proves nothing"
        );
    }

    #[test]
    fn what_is_read_is_combined_with_what_is_run() {
        use CheckResult::{Failed, Passed};
        let read = |name: &str, ask| ConfiguredCheck { name: name.to_owned(), ask, ..command(name) };
        let file = |name: &str| CheckAsk::Files { files: vec![name.to_owned()] };
        let said = |name: &str, claim| {
            Evidence::claim(Source::RequiredFiles, format!("check {name}"), claim, Origin::File.as_read())
                .because("as read".to_owned())
        };
        let any = CheckMode::Any;
        let checks = vec![
            command("a"),
            read("md", file("o.md")),
            read("html", file("o.html")),
            group("g", any, &["md", "html"]),
        ];
        let plan = CheckPlan { checks, mode: CheckMode::All, is_automatic: false };
        let one = || vec![said("md", Claim::No), said("html", Claim::Yes)];
        assert_eq!(
            result_of(&plan, &[ran("a", Passed)], one()),
            (vec![Claim::Yes, Claim::Abstain(Rejection::Undecided), Claim::Yes], true)
        );
        assert_eq!(
            result_of(&plan, &[ran("a", Failed)], one()).0,
            [Claim::No, Claim::Abstain(Rejection::Undecided), Claim::Yes],
            "and the rows that were read are replaced"
        );
        let none = vec![said("md", Claim::No), said("html", Claim::No)];
        assert_eq!(
            result_of(&plan, &[ran("a", Passed)], none),
            (vec![Claim::Yes, Claim::No, Claim::No], false)
        );
        // Files and plans alone prove nothing, and a plan that nobody made does not meet "any".
        let plan_only = read("todo", CheckAsk::Plan { files: Vec::new() });
        let alone = CheckPlan { checks: vec![plan_only.clone()], mode: CheckMode::All, is_automatic: false };
        assert_eq!(result_of(&alone, &[], Vec::new()), (vec![Claim::Yes], false));
        let either = CheckPlan { checks: vec![plan_only, command("a")], mode: any, is_automatic: false };
        assert_eq!(result_of(&either, &[], Vec::new()).0, [Claim::Yes, Claim::No]);
        assert_eq!(standing(&either, &[]), [("todo".to_owned(), CheckStanding::Vacuous)]);
        let open = Evidence::claim(Source::Plan, "claude", Claim::No, Origin::File.at(None))
            .because("1 of 2 plan steps".to_owned());
        assert_eq!(standing(&either, &[open]), [("todo".to_owned(), CheckStanding::Unmet)]);
    }

    #[test]
    fn demanded_test_results_that_are_not_there_are_a_no() {
        let tests = ConfiguredCheck { ask: CheckAsk::Tests { files: Vec::new() }, ..command("t") };
        let plan = CheckPlan { checks: vec![tests], mode: CheckMode::All, is_automatic: false };
        assert_eq!(result_of(&plan, &[], Vec::new()), (vec![Claim::No], false));
        let passed = Evidence::claim(Source::Tests, "junit.xml", Claim::Yes, Origin::File.at(None));
        assert_eq!(result_of(&plan, &[], vec![passed]), (vec![Claim::Yes, Claim::Yes], true));
    }

    #[test]
    fn a_group_of_itself_ends() {
        let checks =
            vec![group("g", CheckMode::All, &["h"]), group("h", CheckMode::Any, &["g"]), command("a")];
        let plan = CheckPlan { checks, mode: CheckMode::All, is_automatic: false };
        assert_eq!(claims(&plan, &[ran("a", CheckResult::Passed)]).0, [Claim::Yes]);
    }
}
