//! The verdict: the vectors of `combine`, and what must hold for every set of evidence.

mod against;
mod table;

use std::collections::BTreeMap;

use closeout::judge::combine::table::{LastPrompt, UserMark};
use closeout::judge::combine::{Case, combine};
use closeout::model::{
    Baseline, BaselineOrigin, Certainty, Changes, Claim, CommitCounts, CommitSummary, Evidence, GitFacts,
    GitReader, Head, LooseCommit, LooseCommits, LoosePlace, OfferPolicy, Operation, Origin, PartRole, Point,
    Policy, Proof, Question, QuestionWeight, Reason, Rejection, Rounds, Rule, Source, Strength, TaskKind,
    TaskWork, Timestamp, Verdict, VerdictState,
};
use closeout::present::verdict as words;
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use strum::VariantArray as _;

use crate::support::samples::commit_id;
use crate::support::screen::commit as summary;
use crate::support::vectors;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    cases: Vec<Vector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    name: String,
    /// The rule that it is a case of, and which one.
    rule: Option<Rule>,
    is: Option<CaseOf>,
    why: String,
    input: Input,
    /// The parts of the verdict by name; what is missing is nothing.
    expect: Map<String, Value>,
}

/// What a rule asks for is so, is not so, or cannot be known.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
enum CaseOf {
    Met,
    Unmet,
    Unknown,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Marked {
    Done,
    Open,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    task_kind: TaskKind,
    evidence: Vec<Said>,
    #[serde(default)]
    rounds: SomeRounds,
    git: Option<SomeGit>,
    question: Option<SomeQuestion>,
    prompted_at: Option<i64>,
    #[serde(default)]
    taken_at: i64,
    mark: Option<Marked>,
    #[serde(default)]
    required: Proof,
    /// The last prompt asked only for an answer, and there was no task before.
    #[serde(default)]
    answered: bool,
    #[serde(default)]
    acted_outside: bool,
    #[serde(default)]
    policy: SomePolicy,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    source: Source,
    claim: String,
    #[serde(default)]
    name: String,
    rejection: Option<Rejection>,
    strength: Option<Strength>,
    #[serde(default)]
    vacuous: bool,
    #[serde(default)]
    required: bool,
    #[serde(default)]
    reasons: Vec<String>,
    #[serde(default)]
    fingerprints: Vec<String>,
    #[serde(rename = "said_at")]
    at: Option<i64>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct SomeRounds {
    stage: u8,
    n_unreadable: u8,
    is_used_up: bool,
    open_points: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SomeGit {
    new: u32,
    /// When the newest new commit was made.
    newest_at: Option<i64>,
    changes: Option<u32>,
    #[serde(default)]
    lost: u32,
    operation: Option<Operation>,
    #[serde(default)]
    detached: bool,
    #[serde(default)]
    unheld: u32,
    baseline: Option<GivenBy>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum GivenBy {
    Flag,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SomeQuestion {
    text: String,
    weight: QuestionWeight,
    #[serde(default)]
    certainty: Certainty,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct SomePolicy {
    stall_stage: Option<u8>,
    unreadable_limit: Option<u8>,
}

impl Said {
    fn evidence(&self) -> Evidence {
        let claim = self.rejection.map_or_else(
            || CLAIMS.into_iter().find(|claim| claim.name() == self.claim).unwrap(),
            Claim::Abstain,
        );
        assert_eq!(claim.name(), self.claim);
        let strength = self.strength.unwrap_or(Strength::Verified);
        let origin = if strength == Strength::Verified { Origin::File } else { Origin::Answer };
        let provenance = origin.at(self.at.map(Timestamp));
        Evidence {
            strength,
            is_vacuous: self.vacuous,
            is_required: self.required,
            reasons: self.reasons.iter().cloned().map(Reason::Words).collect(),
            points: self.fingerprints.iter().map(|name| point(name)).collect(),
            ..Evidence::claim(self.source, self.name.clone(), claim, provenance)
        }
    }
}

/// The point with this name.
fn point(name: &str) -> Point {
    let flags = [Point::Permission, Point::UsageLimit, Point::StopsHalfWay];
    flags.into_iter().find(|flag| flag.to_string() == name).unwrap_or_else(|| Point::Named(name.to_owned()))
}

impl SomeGit {
    fn facts(&self) -> GitFacts {
        let commit = commit_id("1");
        GitFacts {
            tree: None,
            content: None,
            saved_on: None,
            rescued_to: None,
            head: if self.detached {
                Head::Detached { commit }
            } else {
                Head::Branch { name: "work".to_owned(), commit }
            },
            baseline: Baseline {
                commit: None,
                origin: match self.baseline {
                    Some(GivenBy::Flag) => BaselineOrigin::Flag,
                    None => BaselineOrigin::FirstSeen,
                },
                set_at: Timestamp(0),
                commit_time: None,
            },
            commits: CommitCounts {
                n_new: self.new,
                n_lost: self.lost,
                loose: LooseCommits(vec![LooseCommit::at(LoosePlace::Lost, commit); self.lost as usize]),
                n_unheld: self.unheld,
                newest: self
                    .newest_at
                    .map(|at| CommitSummary { at: Timestamp(at), ..summary("1", "", 0) })
                    .into_iter()
                    .collect(),
                ..CommitCounts::default()
            },
            operation: self.operation,
            upstream: None,
            n_stashed: 0,
            stashed_here: Vec::new(),
            changes: self.changes.map(|n_paths| Changes { n_paths, ..Changes::default() }),
            reader: GitReader::InProcess,
            notes: Vec::new(),
        }
    }
}

fn policy(some: &SomePolicy) -> Policy {
    Policy {
        offers: OfferPolicy::Ask,
        stall_stage: some.stall_stage.unwrap_or(3),
        unreadable_limit: some.unreadable_limit.unwrap_or(3),
        silent_turn_ms: 600_000,
    }
}

/// The verdict on a vector's input.
fn verdict(input: &Input) -> Verdict {
    let evidence: Vec<Evidence> = input.evidence.iter().map(Said::evidence).collect();
    let policy = policy(&input.policy);
    let rounds = Rounds {
        stage: input.rounds.stage,
        n_unreadable: input.rounds.n_unreadable,
        is_used_up: input.rounds.is_used_up,
        open_points: input.rounds.open_points.clone(),
        mark: None,
        ..Rounds::default()
    };
    let git = input.git.as_ref().map(SomeGit::facts);
    let question = input.question.as_ref().map(|question| Question {
        text: question.text.clone(),
        choices: Vec::new(),
        weight: question.weight,
        certainty: question.certainty,
    });
    combine(
        &evidence,
        &Case {
            task_kind: input.task_kind,
            policy: &policy,
            rounds: &rounds,
            git: git.as_ref(),
            question: question.as_ref(),
            prompted_at: input.prompted_at.map(Timestamp),
            work: &TaskWork::default(),
            sessions: &[],
            is_temporary: false,
            taken_at: Timestamp(input.taken_at),
            mark: match input.mark {
                None => UserMark::None,
                Some(Marked::Done) => UserMark::Done,
                Some(Marked::Open) => UserMark::Open,
            },
            lapsed: None,
            required: input.required,
            prompt: if input.answered { LastPrompt::Answered } else { LastPrompt::Work },
            acted_outside: input.acted_outside,
            passed_at: None,
            is_checked: false,
            is_unseen_in_ci: false,
            chosen: &[],
            before: &[],
        },
    )
}

impl Vector {
    fn state(&self) -> VerdictState {
        VerdictState::deserialize(&self.expect["state"]).unwrap()
    }

    fn rule(&self) -> Rule {
        Rule::deserialize(&self.expect["rule"]).unwrap()
    }
}

/// Every difference between what a vector expects and what came out.
fn differences(vector: &Vector) -> Vec<String> {
    let verdict = verdict(&vector.input);
    assert_eq!(vector.input.evidence.len(), verdict.parts.len(), "{}", vector.name);
    let mut roles: BTreeMap<Source, Vec<PartRole>> = BTreeMap::new();
    for part in &verdict.parts {
        roles.entry(part.evidence.source).or_default().push(part.role);
    }
    let told = vectors::as_map(&json!({
        "state": verdict.state,
        "rule": verdict.rule(),
        "so_far": verdict.so_far,
        "action": verdict.next_action.kind(),
        "warnings": verdict.warnings,
        "conflicts": verdict.conflicts.len(),
        "stage": verdict.stage,
        "is_self_reported": verdict.is_self_reported,
        "proof": verdict.proof,
        "roles": roles,
    }));
    let found = vectors::whole_differences(&vector.expect, &told);
    found.into_iter().map(|found| format!("{}: {found} ({})", vector.name, vector.why)).collect()
}

#[test]
fn combine_vectors_pass() {
    let text = include_str!("vectors/combine.json");
    let file: File = serde_json::from_str(text).unwrap();
    assert!(file.cases.len() >= 80, "{} cases", file.cases.len());
    let found: Vec<String> = file.cases.iter().flat_map(differences).collect();
    assert!(found.is_empty(), "{} differences:\n{}", found.len(), found.join("\n"));
}

#[test]
fn combine_vectors_reach_every_state_and_every_rule() {
    let file: File = serde_json::from_str(include_str!("vectors/combine.json")).unwrap();
    for &state in VerdictState::VARIANTS {
        assert!(file.cases.iter().any(|case| case.state() == state), "{state:?} is in no vector");
    }
    for &rule in Rule::VARIANTS {
        assert!(file.cases.iter().any(|case| case.rule() == rule), "{rule:?} is in no vector");
    }
}

/// A rule that can be met has to be seen met, unmet, and where nobody can tell. What nobody can tell is never
/// COMPLETE by that rule.
#[test]
fn each_rule_has_cases_that_meet_it_that_do_not_and_that_cannot_be_known() {
    let file: File = serde_json::from_str(include_str!("vectors/combine.json")).unwrap();
    for &rule in Rule::VARIANTS {
        for case_of in [CaseOf::Met, CaseOf::Unmet, CaseOf::Unknown] {
            let cases: Vec<&Vector> = file
                .cases
                .iter()
                .filter(|case| case.rule == Some(rule) && case.is == Some(case_of))
                .collect();
            assert!(!cases.is_empty(), "{rule:?} has no case {case_of:?}");
            for case in cases {
                let is_by_rule = case.rule() == rule;
                let is_right = match case_of {
                    CaseOf::Met => is_by_rule,
                    CaseOf::Unmet => !is_by_rule,
                    CaseOf::Unknown => !is_by_rule || case.state() != VerdictState::Complete,
                };
                assert!(is_right, "{}: {:?}", case.name, case.rule());
            }
        }
    }
}

const SOURCES: [Source; 15] = [
    Source::LiveSession,
    Source::Run,
    Source::Command,
    Source::Tests,
    Source::RequiredFiles,
    Source::Commits,
    Source::Changes,
    Source::DecisionWithId,
    Source::Plan,
    Source::Closer,
    Source::Decision,
    Source::Marker,
    Source::Probe,
    Source::Output,
    Source::LastWords,
];

const CLAIMS: [Claim; 7] =
    [Claim::Yes, Claim::No, Claim::Ask, Claim::Wait, Claim::Work, Claim::Dirty, Claim::Fail];

const REJECTIONS: [Rejection; 9] = [
    Rejection::NotConfigured,
    Rejection::Absent,
    Rejection::Stale,
    Rejection::Foreign,
    Rejection::Unreadable,
    Rejection::Vacuous,
    Rejection::Undecided,
    Rejection::MidTurn,
    Rejection::LeftOver,
];

prop_compose! {
    fn any_evidence()(
        source in prop::sample::select(SOURCES.to_vec()),
        claim in prop_oneof![
            7 => prop::sample::select(CLAIMS.to_vec()),
            1 => prop::sample::select(REJECTIONS.to_vec()).prop_map(Claim::Abstain),
        ],
        strength in prop::sample::select(vec![Strength::Verified, Strength::SelfReported, Strength::Guess]),
        is_vacuous in any::<bool>(),
        is_required in any::<bool>(),
        reasons in prop::collection::vec(".{0,40}", 0..3),
    ) -> Evidence {
        Evidence {
            strength, is_vacuous, is_required,
            reasons: reasons.into_iter().map(Reason::Words).collect(),
            ..Evidence::claim(source, "x", claim, Origin::File.as_read())
        }
    }
}

prop_compose! {
    fn any_case()(
        kind in prop::sample::select(TaskKind::VARIANTS.to_vec()),
        evidence in prop::collection::vec(any_evidence(), 0..12),
        stage in 0u8..5,
        n_unreadable in 0u8..5,
        is_used_up in any::<bool>(),
        seed in any::<u64>(),
    ) -> (TaskKind, Vec<Evidence>, Rounds, u64) {
        (kind, evidence, Rounds { stage, n_unreadable, is_used_up, ..Rounds::default() }, seed)
    }
}

fn state_of(kind: TaskKind, evidence: &[Evidence], rounds: &Rounds) -> VerdictState {
    let policy = policy(&SomePolicy::default());
    combine(
        evidence,
        &Case {
            task_kind: kind,
            policy: &policy,
            rounds,
            git: None,
            question: None,
            prompted_at: None,
            work: &TaskWork::default(),
            sessions: &[],
            is_temporary: false,
            taken_at: Timestamp(0),
            mark: UserMark::None,
            lapsed: None,
            required: Proof::Said,
            prompt: LastPrompt::Work,
            acted_outside: false,
            passed_at: None,
            is_checked: false,
            is_unseen_in_ci: false,
            chosen: &[],
            before: &[],
        },
    )
    .state
}

proptest! {
    #[test]
    fn complete_needs_a_yes_that_is_not_vacuous((kind, evidence, rounds, _) in any_case()) {
        if !evidence.iter().any(Evidence::is_yes) {
            prop_assert_ne!(state_of(kind, &evidence, &rounds), VerdictState::Complete);
        }
    }

    #[test]
    fn a_fresh_no_is_never_complete((kind, evidence, rounds, _) in any_case()) {
        if evidence.iter().any(|evidence| evidence.claim == Claim::No) {
            prop_assert_ne!(state_of(kind, &evidence, &rounds), VerdictState::Complete);
        }
    }

    #[test]
    fn adding_a_yes_never_turns_a_no_into_complete((kind, mut evidence, rounds, seed) in any_case()) {
        evidence.push(Evidence::claim(Source::Tests, "no", Claim::No, Origin::File.as_read()));
        evidence.push(Evidence::claim(SOURCES[usize::try_from(seed % 15).unwrap()], "yes", Claim::Yes, Origin::File.as_read()));
        prop_assert_ne!(state_of(kind, &evidence, &rounds), VerdictState::Complete);
    }

    #[test]
    fn taking_evidence_that_is_no_no_away_never_makes_implementation_complete(
        (_, evidence, rounds, seed) in any_case()
    ) {
        // What may turn a verdict into COMPLETE by going away is only a contradiction: a NO, a failure,
        // work under way, or something that could not be read. Silence never does.
        let kind = TaskKind::Implementation;
        let before = state_of(kind, &evidence, &rounds);
        if before != VerdictState::Complete && !evidence.is_empty() {
            let mut fewer = evidence.clone();
            let gone = fewer.remove(usize::try_from(seed % evidence.len() as u64).unwrap());
            let is_silence = matches!(gone.claim, Claim::Yes | Claim::Ask)
                || (gone.rejection().is_some() && !gone.is_required && gone.source != Source::Changes)
                    && !gone.is_unreadable_report();
            if is_silence {
                prop_assert_ne!(state_of(kind, &fewer, &rounds), VerdictState::Complete);
            }
        }
    }

    #[test]
    fn git_that_does_not_answer_is_never_complete((kind, mut evidence, rounds, _) in any_case()) {
        evidence.push(Evidence::claim(Source::Commits, "git", Claim::Fail, Origin::Git.as_read()));
        prop_assert_ne!(state_of(kind, &evidence, &rounds), VerdictState::Complete);
    }

    #[test]
    fn the_order_of_evidence_does_not_matter((kind, evidence, rounds, _) in any_case()) {
        let mut turned = evidence.clone();
        turned.reverse();
        prop_assert_eq!(state_of(kind, &evidence, &rounds), state_of(kind, &turned, &rounds));
    }

    #[test]
    fn words_of_a_verdict_are_safe_for_a_screen((kind, evidence, rounds, _) in any_case()) {
        let policy = policy(&SomePolicy::default());
        let case = Case { task_kind: kind, policy: &policy, rounds: &rounds, git: None, question: None, prompted_at: None, work: &TaskWork::default(), sessions: &[], is_temporary: false, taken_at: Timestamp(0), mark: UserMark::None, lapsed: None, required: Proof::Said, prompt: LastPrompt::Work, acted_outside: false,
            passed_at: None, is_checked: false, is_unseen_in_ci: false, chosen: &[], before: &[] };
        let verdict = combine(&evidence, &case);
        for text in [words::why(&verdict), words::next_action(&verdict)] {
            prop_assert!(!text.chars().any(closeout::model::display_text::is_unsafe), "{text:?}");
        }
    }
}
