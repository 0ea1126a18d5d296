//! What holds for every input of the judges: they answer, and silence is never completion.

use closeout::judge::checkers::{self, CheckContext, Checker, CompositeMode, PlanSource, TestCounts};
use closeout::judge::closer::{self, CloserAnswer};
use closeout::judge::decision::{self, Decision, DecisionFile, DecisionInput, FileContent};
use closeout::judge::smart_check::{
    Happened, ProbeFailure, ProbeReading, ProbeWord, SmartCheck, SmartCheckConfig, Step, read_probe,
    read_probe_text,
};
use closeout::model::{DecisionSource, PlanStep, VerdictState};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Any JSON, with the judges' own keys and words among the others.
fn any_json() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        Just("complete".to_owned()),
        Just("PASS".to_owned()),
        Just("incomplete".to_owned()),
        Just("working".to_owned()),
        Just("$ID".to_owned()),
        Just("none".to_owned()),
        ".{0,12}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0.0..1.2).prop_map(Value::from),
        word.prop_map(Value::from),
    ];
    let key = prop_oneof![
        Just("decision".to_owned()),
        Just("check_id".to_owned()),
        Just("reasons".to_owned()),
        Just("checklist".to_owned()),
        Just("allComplete".to_owned()),
        Just("summary".to_owned()),
        Just("confidence".to_owned()),
        Just("completed".to_owned()),
        Just("id".to_owned()),
        Just("description".to_owned()),
        Just("pendingActions".to_owned()),
        Just("status".to_owned()),
        Just("agents_active".to_owned()),
        Just("tasks_pending".to_owned()),
        ".{0,4}",
    ];
    leaf.prop_recursive(5, 48, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::from),
            vec((key.clone(), inner), 0..8)
                .prop_map(|entries| Value::Object(entries.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// Any text, and texts made of what the judges look for.
fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("COMPLETE".to_owned()),
        Just("INCOMPLETE".to_owned()),
        Just("PASS".to_owned()),
        Just("not yet ".to_owned()),
        Just("VERDICT: ".to_owned()),
        Just("判定：".to_owned()),
        Just("```".to_owned()),
        Just("~~~~".to_owned()),
        Just("\n".to_owned()),
        Just("{\"".to_owned()),
        Just("\"decision\":\"pass\"".to_owned()),
        Just("}".to_owned()),
        Just("[".to_owned()),
        Just("\"".to_owned()),
        Just("\\".to_owned()),
        Just(": ".to_owned()),
        Just("\u{1b}[".to_owned()),
        Just("- [x] ".to_owned()),
        Just("12".to_owned()),
        Just("✅ ".to_owned()),
        Just("\u{feff}".to_owned()),
        "\\PC{0,6}",
        any_json().prop_map(|value| value.to_string()),
    ];
    prop_oneof![vec(piece, 0..24).prop_map(|pieces| pieces.concat()), any::<String>()]
}

/// A closer's report of the right form, often complete.
fn any_report() -> impl Strategy<Value = Value> {
    let item = proptest::bool::weighted(0.9)
        .prop_map(|done| json!({"id": "i", "description": "d", "completed": done, "evidence": "e"}));
    let pending = prop_oneof![4 => Just("none"), 2 => Just(" "), 1 => Just("write the notes")];
    let confidence = prop_oneof![Just(0.8), 0.7..1.1];
    (vec(item, 0..4), proptest::bool::weighted(0.8), confidence, vec(pending, 0..3)).prop_map(
        |(checklist, all_complete, confidence, pending)| {
            json!({
                "checklist": checklist, "allComplete": all_complete, "summary": "s",
                "confidence": confidence, "pendingActions": pending
            })
        },
    )
}

fn any_reading() -> impl Strategy<Value = ProbeReading> {
    prop_oneof![
        Just(ProbeReading::Answered(ProbeWord::Complete)),
        Just(ProbeReading::Answered(ProbeWord::Waiting)),
        Just(ProbeReading::Answered(ProbeWord::Working)),
        Just(ProbeReading::Failed(ProbeFailure::Timeout)),
        Just(ProbeReading::Failed(ProbeFailure::UnknownStatus)),
    ]
}

fn any_checker() -> impl Strategy<Value = Checker> {
    let leaf =
        prop_oneof![
            proptest::option::of("[a ]{0,2}").prop_map(|plan_type| Checker::Plan { plan_type }),
            vec("[ab/. ]{0,3}", 0..4).prop_map(|required| Checker::Files { required }),
            Just(Checker::Tests),
            (any::<bool>(), proptest::option::of(".{0,5}"))
                .prop_map(|(complete, feedback)| Checker::Static { id: "s".to_owned(), complete, feedback }),
            ".{0,5}".prop_map(|message| Checker::Broken { id: "b".to_owned(), message }),
        ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        (any::<bool>(), vec(inner, 0..4)).prop_map(|(is_any, checkers)| Checker::Composite {
            mode: if is_any { CompositeMode::Any } else { CompositeMode::All },
            checkers,
        })
    })
}

fn any_context() -> impl Strategy<Value = CheckContext> {
    let status = proptest::option::of(prop_oneof![Just("done".to_owned()), ".{0,5}"]);
    let step = (".{0,8}", status).prop_map(|(title, status)| PlanStep { title, status });
    let plan = prop_oneof![
        Just(PlanSource::NotRegistered),
        Just(PlanSource::NotMade),
        Just(PlanSource::Unreadable),
        vec(step, 0..6).prop_map(PlanSource::Steps),
    ];
    let count = || proptest::option::of(prop_oneof![Just(0), any::<u64>()]);
    let results = (count(), count()).prop_map(|(n_passed, n_failed)| TestCounts { n_passed, n_failed });
    let files = proptest::option::of(vec("[ab/. ]{0,3}", 0..6));
    (plan, files, proptest::option::of(results), any::<bool>()).prop_map(
        |(plan, files, test_results, expired)| CheckContext {
            plan,
            files,
            test_results,
            is_budget_exhausted: false,
            is_deadline_expired: expired,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_decision_is_complete_only_if_a_channel_says_so(
        file in proptest::option::of(any_text()), output in any_text(), age in proptest::option::of(any::<i64>()),
        check_id in proptest::option::of("[ab$ ]{0,3}"),
    ) {
        let input = DecisionInput {
            file: file.as_deref().map(|text| DecisionFile { content: FileContent::Text(text), age_before_check_ms: age }),
            worker_output: &output, check_id: check_id.as_deref(), env_check_id: None,
        };
        let record = decision::decide(&input);
        prop_assert!(serde_json::to_string(&record).is_ok());
        prop_assert_eq!(record.has_verdict, record.source != DecisionSource::None);
        prop_assert!(record.has_verdict || record.decision == Decision::Incomplete);
        prop_assert!(record.reasons.len() <= 200 && record.reasons.iter().all(|reason| reason.chars().count() <= 240));
        if record.decision == Decision::Complete {
            let said = match record.source {
                DecisionSource::FileJson | DecisionSource::FileLegacy => file.unwrap_or_default(),
                DecisionSource::Marker | DecisionSource::OutputJson => output,
                DecisionSource::None => String::new(),
            };
            let said = said.to_lowercase();
            // A key or value may be written with escapes.
            prop_assert!(said.contains("complete") || said.contains("pass") || said.contains("\\u"));
        }
    }

    #[test]
    fn a_closer_report_is_complete_only_without_contradiction(
        value in prop_oneof![any_report(), any_json()], text in any_text(),
    ) {
        let raw = value.to_string();
        for answer in [CloserAnswer::Structured(&value), CloserAnswer::Raw(&raw), CloserAnswer::Raw(&text)] {
            let report = closer::read(answer);
            prop_assert!(serde_json::to_string(&report).is_ok());
            if report.complete {
                prop_assert!(report.error.is_none() && !report.conflict && report.pending_actions.is_empty());
                prop_assert!(!report.checklist.is_empty() && report.checklist.iter().all(|item| item.completed));
                prop_assert!(report.confidence.is_some_and(|confidence| confidence >= closer::MIN_CONFIDENCE));
            }
        }
    }

    #[test]
    fn a_sound_report_is_complete_in_every_dress(report in any_report(), before in "[a-z {\"]{0,9}", after in "[a-z }\"]{0,9}") {
        let item_is_done = |item: &Value| item["completed"] == json!(true);
        let items = report["checklist"].as_array().expect("a list");
        let is_pending = report["pendingActions"].as_array().expect("a list").iter().any(|action| action == "write the notes");
        let confidence = report["confidence"].as_f64().expect("a number");
        let is_complete = report["allComplete"] == json!(true)
            && !items.is_empty() && items.iter().all(item_is_done) && !is_pending && (0.8..=1.0).contains(&confidence);
        prop_assert_eq!(closer::read(CloserAnswer::Structured(&report)).complete, is_complete);
        let text = format!("{before}\n{report}\n{after}");
        prop_assert_eq!(closer::read(CloserAnswer::Raw(&text)).complete, is_complete, "{}", text);
    }

    #[test]
    fn an_answer_to_a_probe_is_always_read(value in any_json(), text in any_text()) {
        let json = read_probe(&value);
        let raw = read_probe_text(&text);
        prop_assert!(serde_json::to_string(&[&json, &raw]).is_ok());
        if json.reading == ProbeReading::Answered(ProbeWord::Complete) {
            prop_assert!(value.to_string().to_lowercase().contains("complete"));
        }
    }

    #[test]
    fn a_smart_check_ends_and_is_complete_only_by_gits_word(
        max_probes in 0_u32..6, has_final_rescue: bool, may_commit: bool, readings in vec(any_reading(), 6),
        commits in vec(proptest::option::of(prop_oneof![3 => Just(0_u64), 1 => 0_u64..3]), 32),
        changes in vec(proptest::option::of(any::<bool>()), 8),
    ) {
        let config = SmartCheckConfig { max_probes, probe_interval_seconds: 1, has_final_rescue, may_commit };
        let (mut check, mut step) = SmartCheck::new(config);
        let (mut readings, mut commits, mut changes) = (readings.into_iter(), commits.into_iter(), changes.into_iter());
        let (mut last_commits, mut last_changes, mut n_steps) = (None, None, 0);
        let outcome = loop {
            n_steps += 1;
            prop_assert!(n_steps < 64);
            let happened = match step {
                Step::Finish(outcome) => break outcome,
                Step::CountCommits => {
                    last_commits = commits.next().flatten();
                    Happened::Commits(last_commits)
                }
                Step::Probe { number } => {
                    prop_assert!(number <= max_probes);
                    Happened::Probed(readings.next().expect("no more probes than allowed"))
                }
                Step::LookAtChanges => {
                    last_changes = changes.next().flatten();
                    Happened::Changes(last_changes)
                }
                Step::Rescue { is_final } => {
                    prop_assert!(last_changes == Some(true));
                    let is_allowed = if is_final { has_final_rescue } else { may_commit };
                    prop_assert!(is_allowed);
                    Happened::Rescued
                }
                Step::Wait { .. } => Happened::Waited,
            };
            step = check.advance(happened);
        };
        prop_assert!(serde_json::to_string(&outcome).is_ok());
        prop_assert_eq!(outcome.complete, outcome.verdict == VerdictState::Complete);
        prop_assert!(!outcome.complete || last_commits > Some(0) || last_commits == Some(0) && last_changes == Some(false));
        prop_assert!(outcome.waits <= outcome.probes_used);
    }

    #[test]
    fn a_checker_that_says_no_says_why(checker in any_checker(), context in any_context()) {
        let outcome = checkers::check(Some(&checker), &context);
        prop_assert!(serde_json::to_string(&outcome).is_ok());
        prop_assert_eq!(outcome.skipped, outcome.complete.is_none());
        prop_assert_eq!(outcome.allow_stop, outcome.complete != Some(false));
        prop_assert!(!outcome.vacuous || outcome.complete == Some(true));
        if outcome.complete == Some(false) {
            prop_assert!(outcome.feedback.is_some_and(|feedback| !feedback.trim().is_empty()));
        }
    }
}
