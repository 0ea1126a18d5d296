//! Cases of the smart check beyond the vectors: step by step.

use crate::model::VerdictState;
use serde_json::json;

use super::*;

const CONFIG: SmartCheckConfig =
    SmartCheckConfig { max_probes: 2, probe_interval_seconds: 7, has_final_rescue: true, may_commit: true };
const COMPLETE: Happened = Happened::Probed(ProbeReading::Answered(ProbeWord::Complete));
const WORKING: Happened = Happened::Probed(ProbeReading::Answered(ProbeWord::Working));
const FAILED: Happened = Happened::Probed(ProbeReading::Failed(ProbeFailure::Timeout));
const NO_COMMITS: Happened = Happened::Commits(Some(0));

/// The steps that follow a list of events.
fn steps(config: SmartCheckConfig, events: &[Happened]) -> Vec<Step> {
    let (mut check, first) = SmartCheck::new(config);
    std::iter::once(first).chain(events.iter().map(|event| check.advance(*event))).collect()
}

fn end(config: SmartCheckConfig, events: &[Happened]) -> SmartOutcome {
    match steps(config, events).pop() {
        Some(Step::Finish(outcome)) => outcome,
        other => panic!("not finished: {other:?}"),
    }
}

#[test]
fn a_rescue_is_followed_by_a_wait_and_another_round() {
    let events = [
        NO_COMMITS,
        COMPLETE,
        NO_COMMITS,
        Happened::Changes(Some(true)),
        Happened::Rescued,
        NO_COMMITS,
        Happened::Waited,
        NO_COMMITS,
        COMPLETE,
        NO_COMMITS,
        Happened::Changes(Some(true)),
        Happened::Rescued,
        Happened::Commits(Some(2)),
    ];
    let rescue = Step::Rescue { is_final: false };
    let done = SmartOutcome {
        status: SmartStatus::Rescued,
        complete: true,
        probes_used: 2,
        waits: 1,
        rescued: true,
        verdict: VerdictState::Complete,
        changes_left: None,
    };
    assert_eq!(
        steps(CONFIG, &events),
        [
            Step::CountCommits,
            Step::Probe { number: 1 },
            Step::CountCommits,
            Step::LookAtChanges,
            rescue.clone(),
            Step::CountCommits,
            Step::Wait { seconds: 7 },
            Step::CountCommits,
            Step::Probe { number: 2 },
            Step::CountCommits,
            Step::LookAtChanges,
            rescue,
            Step::CountCommits,
            Step::Finish(done),
        ]
    );
}

#[test]
fn without_probes_the_end_comes_at_once() {
    let config = SmartCheckConfig { max_probes: 0, ..CONFIG };
    let clean = end(config, &[NO_COMMITS, Happened::Changes(Some(false))]);
    assert_eq!(
        (clean.status, clean.verdict, clean.probes_used),
        (SmartStatus::Timeout, VerdictState::Stalled, 0)
    );
    let events = [
        NO_COMMITS,
        Happened::Changes(Some(true)),
        Happened::Rescued,
        Happened::Commits(Some(1)),
        Happened::Changes(Some(true)),
    ];
    let partly = end(config, &events);
    assert_eq!(
        (partly.status, partly.verdict, partly.rescued),
        (SmartStatus::Timeout, VerdictState::RescueNeeded, true)
    );
    assert_eq!(end(config, &[Happened::Commits(Some(1))]).status, SmartStatus::CommitsCreated);
}

#[test]
fn complete_that_git_cannot_confirm_is_a_git_error() {
    let unknown = Happened::Commits(None);
    for events in [
        vec![unknown, COMPLETE, unknown],
        vec![NO_COMMITS, COMPLETE, NO_COMMITS, Happened::Changes(None)],
        vec![NO_COMMITS, COMPLETE, NO_COMMITS, Happened::Changes(Some(true)), Happened::Rescued, unknown],
    ] {
        let outcome = end(CONFIG, &events);
        assert_eq!(
            (outcome.status, outcome.verdict),
            (SmartStatus::GitError, VerdictState::Error),
            "{events:?}"
        );
        assert!(!outcome.complete && !outcome.rescued);
    }
}

#[test]
fn git_that_is_silent_to_the_end_leaves_a_time_out_that_claims_nothing() {
    let config = SmartCheckConfig { max_probes: 1, ..CONFIG };
    let unknown = Happened::Commits(None);
    let outcome = end(config, &[unknown, WORKING, unknown, Happened::Changes(None)]);
    assert_eq!((outcome.status, outcome.complete, outcome.changes_left), (SmartStatus::Timeout, false, None));
}

#[test]
fn commits_count_at_every_moment() {
    let commits = Happened::Commits(Some(1));
    for events in [
        vec![commits],
        vec![NO_COMMITS, COMPLETE, commits],
        vec![NO_COMMITS, FAILED, Happened::Waited, commits],
    ] {
        assert_eq!(end(CONFIG, &events).status, SmartStatus::CommitsCreated, "{events:?}");
    }
}

#[test]
fn one_answer_among_failures_makes_it_a_time_out() {
    let rest = [NO_COMMITS, Happened::Changes(Some(false))];
    let ended = |first, second| {
        end(CONFIG, &[[NO_COMMITS, first, Happened::Waited, NO_COMMITS, second].as_slice(), &rest].concat())
    };
    assert_eq!(ended(FAILED, WORKING).status, SmartStatus::Timeout);
    assert_eq!(ended(WORKING, FAILED).status, SmartStatus::Timeout);
    let silent = ended(FAILED, FAILED);
    assert_eq!((silent.status, silent.verdict), (SmartStatus::ProbeError, VerdictState::Error));
}

#[test]
fn unanswered_probes_with_changes_left_need_a_rescue() {
    let config = SmartCheckConfig { max_probes: 1, has_final_rescue: false, ..CONFIG };
    let outcome = end(config, &[NO_COMMITS, FAILED, NO_COMMITS, Happened::Changes(Some(true))]);
    assert_eq!((outcome.status, outcome.verdict), (SmartStatus::ProbeError, VerdictState::RescueNeeded));
}

#[test]
fn an_event_out_of_turn_changes_nothing() {
    let (mut check, first) = SmartCheck::new(CONFIG);
    let before = check.clone();
    for event in [COMPLETE, Happened::Waited, Happened::Changes(Some(false)), Happened::Rescued] {
        assert_eq!((check.advance(event), &check), (first.clone(), &before), "{event:?}");
    }
    let finished = check.advance(Happened::Commits(Some(1)));
    assert_eq!(check.advance(NO_COMMITS), finished);
}

#[test]
fn answers_are_read_tolerantly_and_doubted_strictly() {
    use ProbeFailure::{UnknownStatus, Unreadable};
    let answered = ProbeReading::Answered;
    for (answer, expected) in [
        (json!({"status": "COMPLETE"}), answered(ProbeWord::Complete)),
        (json!({"status": " Waiting\n"}), answered(ProbeWord::Waiting)),
        (
            json!({"status": "complete", "agents_active": false, "tasks_pending": null}),
            answered(ProbeWord::Complete),
        ),
        (
            json!({"status": "complete", "agents_active": 0, "tasks_pending": ["", "none", null]}),
            answered(ProbeWord::Complete),
        ),
        (
            json!({"status": "complete", "agents_active": "false", "tasks_pending": 0}),
            answered(ProbeWord::Complete),
        ),
        (
            json!({"status": "complete", "agents_active": [], "tasks_pending": {}}),
            answered(ProbeWord::Complete),
        ),
        (json!({"status": "complete", "agents_active": 2}), answered(ProbeWord::Waiting)),
        (json!({"status": "complete", "agents_active": "true"}), answered(ProbeWord::Waiting)),
        (json!({"status": "complete", "agents_active": ["a1"]}), answered(ProbeWord::Waiting)),
        (json!({"status": "complete", "agents_active": {"a1": {}}}), answered(ProbeWord::Waiting)),
        (
            json!({"status": "complete", "agents_active": true, "tasks_pending": ["T"]}),
            answered(ProbeWord::Waiting),
        ),
        (json!({"status": "complete", "tasks_pending": 1}), answered(ProbeWord::Working)),
        (json!({"status": "complete", "tasks_pending": "T1"}), answered(ProbeWord::Working)),
        (json!({"status": "complete", "tasks_pending": [{"id": 1}]}), answered(ProbeWord::Working)),
        (json!({"status": "complete", "tasks_pending": [0]}), answered(ProbeWord::Working)),
        (json!({"status": "completed"}), ProbeReading::Failed(UnknownStatus)),
        (json!({"status": ""}), ProbeReading::Failed(UnknownStatus)),
        (json!({"status": true}), ProbeReading::Failed(UnknownStatus)),
        (json!({"state": "complete"}), ProbeReading::Failed(Unreadable)),
        (json!(["complete"]), ProbeReading::Failed(Unreadable)),
        (json!("complete"), ProbeReading::Failed(Unreadable)),
        (json!(null), ProbeReading::Failed(Unreadable)),
    ] {
        assert_eq!(read_probe(&answer).reading, expected, "{answer}");
        assert_eq!(read_probe_text(&answer.to_string()).reading, expected, "{answer}");
    }
    let two = "first {\"status\":\"complete\"} no: {\"status\":\"working\"} {\"note\":\"x\"}";
    assert_eq!(read_probe_text(two).reading, answered(ProbeWord::Working));
    assert_eq!(read_probe_text("").reading, ProbeReading::Failed(Unreadable));
}

/// P05: two different answers in one text.
#[test]
fn two_answers_that_differ_are_none_for_whoever_asked() {
    let raw = |text: &str| read_probe_doubting(text).reading;
    let failed = ProbeReading::Failed(ProbeFailure::UnknownStatus);
    let complete = ProbeReading::Answered(ProbeWord::Complete);
    for (text, reading) in [
        ("{\"status\":\"working\"} and now {\"status\":\"complete\"}", failed),
        ("{\"status\":\"complete\"} or {\"status\":\"working\"}", failed),
        ("{\"status\":\"complete\"}\n{\"status\":\"complete\"}", complete),
        // The request, repeated.
        ("You wanted {\"status\":\"complete\"}, but I am not done.", failed),
        ("{\"status\":\"complete\"} is what I would say if the tests passed", failed),
        ("> {\"status\":\"complete\"}\nNot yet.", failed),
        // Words around the answer, and what encloses it.
        ("So: {\"status\":\"complete\"}", complete),
        ("```json\n{\"status\":\"complete\"}\n```\nTell me if you need more.", complete),
        ("<answer>{\"status\":\"complete\"}</answer>", complete),
        ("`{\"status\":\"complete\"}`.", complete),
        // The question itself, repeated.
        ("as {\"status\":\"complete|waiting|working\"}: {\"status\":\"complete\"}", complete),
    ] {
        assert_eq!(raw(text), reading, "{text}");
    }
}

#[test]
fn a_check_that_may_only_record_ends_when_the_agent_is_done() {
    let config = SmartCheckConfig { may_commit: false, ..CONFIG };
    let events = [NO_COMMITS, COMPLETE, NO_COMMITS, Happened::Changes(Some(true))];
    assert_eq!(steps(config, &events).pop(), Some(Step::Rescue { is_final: true }));
    let recorded = [Happened::Rescued, NO_COMMITS, Happened::Changes(Some(true))];
    let left = end(config, &[&events[..], &recorded[..]].concat());
    assert_eq!((left.verdict, left.probes_used, left.waits), (VerdictState::RescueNeeded, 1, 0));
    // The agent itself committed in the meantime; the next look will learn that from git.
    let without = SmartCheckConfig { has_final_rescue: false, ..config };
    let left = end(without, &events);
    assert_eq!((left.verdict, left.complete), (VerdictState::RescueNeeded, false));
}

#[test]
fn a_check_that_sends_no_more_ends_with_what_it_has() {
    let (mut check, _) = SmartCheck::new(CONFIG);
    assert_eq!(check.advance(NO_COMMITS), Step::Probe { number: 1 });
    check.send_no_more();
    assert_eq!(check.advance(FAILED), Step::CountCommits);
    assert_eq!(check.advance(NO_COMMITS), Step::LookAtChanges);
    let Step::Finish(outcome) = check.advance(Happened::Changes(Some(false))) else { panic!("not finished") };
    assert_eq!((outcome.status, outcome.verdict), (SmartStatus::ProbeError, VerdictState::Error));
}
