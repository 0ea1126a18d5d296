//! What an agent answered is evidence of its moment.

use closeout::judge::weigh::asked;
use closeout::model::{
    AskCost, Claim, ProbeAttempt, ProbeFailure, ProbeReading, ProbeWord, Rejection, SessionName,
    SmartOutcome, SmartReport, SmartStatus, Source, Strength, Timestamp, VerdictState,
};

fn report(readings: &[ProbeReading]) -> SmartReport {
    let attempt = |reading: &ProbeReading| ProbeAttempt {
        said: None,
        number: 1,
        began_at: Timestamp(1),
        took_ms: Some(1),
        answer: None,
        reading: Some(*reading),
        detail: None,
        cost: AskCost::default(),
    };
    SmartReport {
        session: Some(SessionName::new("claude", "s-1")),
        at: Timestamp(9),
        outcome: SmartOutcome {
            status: SmartStatus::ProbeError,
            complete: false,
            probes_used: 1,
            waits: 0,
            rescued: false,
            verdict: VerdictState::Error,
            changes_left: None,
        },
        attempts: readings.iter().map(attempt).collect(),
        record: None,
        notes: Vec::new(),
        is_single: false,
    }
}

#[test]
fn the_last_answer_to_a_probe_counts_and_only_while_it_is_fresh() {
    let complete = ProbeReading::Answered(ProbeWord::Complete);
    let working = ProbeReading::Answered(ProbeWord::Working);
    let waiting = ProbeReading::Answered(ProbeWord::Waiting);
    let failed = ProbeReading::Failed;
    for (readings, is_stale, claim) in [
        (vec![working, complete], false, Claim::Yes),
        (vec![complete, working], false, Claim::No),
        (vec![waiting], false, Claim::Wait),
        (vec![complete], true, Claim::Abstain(Rejection::Stale)),
        (vec![complete, failed(ProbeFailure::Timeout)], false, Claim::Abstain(Rejection::Unreadable)),
        (vec![failed(ProbeFailure::UnknownStatus)], false, Claim::Abstain(Rejection::Undecided)),
        (vec![failed(ProbeFailure::ChangedFiles)], false, Claim::Abstain(Rejection::Unreadable)),
    ] {
        let evidence = asked::probe(&report(&readings), is_stale, Timestamp(9)).unwrap();
        let found = (evidence.source, evidence.claim, evidence.strength, evidence.said_at());
        let said_at = Some(Timestamp(9));
        assert_eq!(found, (Source::Probe, claim, Strength::SelfReported, said_at), "{readings:?}");
    }
    assert_eq!(asked::probe(&report(&[]), false, Timestamp(9)), None);
}

#[test]
fn that_an_agent_waits_is_believed_for_a_while_only() {
    let at = |word, after| {
        let evidence = asked::probe(&report(&[ProbeReading::Answered(word)]), false, Timestamp(9 + after));
        evidence.unwrap().claim
    };
    assert_eq!(at(ProbeWord::Waiting, asked::LONGEST_WAIT_MS - 1), Claim::Wait);
    assert_eq!(at(ProbeWord::Waiting, asked::LONGEST_WAIT_MS), Claim::Abstain(Rejection::Stale));
    assert_eq!(at(ProbeWord::Waiting, -5), Claim::Wait, "the look is older than the answer");
    assert_eq!(at(ProbeWord::Working, asked::LONGEST_WAIT_MS), Claim::No, "a state stays");
}
