//! What a session does now, by what each source says: a table for the rules of `judge::weigh::activity`.

use closeout::judge::weigh::{WeighContext, weigh};
use closeout::model::{
    Activity, ActivitySource, ActivityState, AgentMessage, Claim, LiveStatus, Observations, OfferPolicy,
    Parts, Policy, ProcessId, Reading, Sample, SessionObservation, Source, StatusReport, Subagent, TaskKind,
    Timestamp, TurnState, WaitsOn, WorkspaceSettings,
};

use ActivitySource::{Api, Hook, PaneTitle, Process, Registry, Transcript};
use ActivityState::{Asks, Background, Gone, Idle, NeedsPermission, Unknown, Working};

/// The turn of these sessions last moved at this moment, in milliseconds.
const MOVED: i64 = 1_000_000_000;
/// A turn may be silent for so long.
const SILENT_MS: i64 = 600_000;
/// The record has been silent for longer.
const LATER: i64 = MOVED + SILENT_MS + 1;

fn session(turn: TurnState) -> SessionObservation {
    SessionObservation {
        turn,
        written_at: Some(Timestamp(MOVED)),
        ..SessionObservation::named("claude", "s")
    }
}

fn open(tool: Option<&str>) -> TurnState {
    let what = tool.map(|_| "cargo test".to_owned());
    TurnState::Open { since: Some(Timestamp(MOVED)), tool: tool.map(str::to_owned), what }
}

fn over() -> TurnState {
    TurnState::Ended { at: Some(Timestamp(MOVED)) }
}

/// What a source told so many milliseconds after the turn last moved.
fn report(source: ActivitySource, status: LiveStatus, after: i64) -> StatusReport {
    let at = Some(Timestamp(MOVED + after));
    StatusReport { source, status, since: at, reported_at: at, what: None }
}

/// What a source tells of now.
fn tells(source: ActivitySource, status: LiveStatus) -> StatusReport {
    StatusReport { source, status, since: None, reported_at: None, what: None }
}

fn sample(session: SessionObservation, now: i64) -> Sample {
    sample_of(vec![session], now, None)
}

/// What is made of the sessions, the newest first, by a check that was started in `own_session`.
fn sample_of(mut sessions: Vec<SessionObservation>, now: i64, own_session: Option<&str>) -> Sample {
    let policy =
        Policy { offers: OfferPolicy::Ask, stall_stage: 3, unreadable_limit: 3, silent_turn_ms: SILENT_MS };
    let settings =
        WorkspaceSettings { own_session: own_session.map(Into::into), ..WorkspaceSettings::default() };
    let observations = Observations {
        parts: Parts::WORDS,
        taken_at: Timestamp(now),
        prompted_at: None,
        baseline_at: None,
        task_started_at: None,
        of_baseline: Vec::new(),
        git: Reading::NotLookedAt,
        decision: Reading::NotConfigured,
        decision_digest: None,
        outputs: Vec::new(),
        closer: Reading::NotConfigured,
        plans: Vec::new(),
        files: Reading::NotLookedAt,
        tests: Reading::NotLookedAt,
        check_tests: Vec::new(),
        session: Reading::Present(sessions.remove(0)),
        ignored: Vec::new(),
        absent: Vec::new(),
        other_sessions: sessions,
        n_unread_sessions: 0,
        unreadable_session: None,
        watch_targets: Vec::new(),
        new_baseline: None,
        recheck_at: None,
    };
    weigh(observations, &WeighContext::new(TaskKind::Implementation, &policy, &settings))
}

fn activity(turn: TurnState, words: &[StatusReport], now: i64) -> Activity {
    let session = SessionObservation { live: words.to_vec(), ..session(turn) };
    sample(session, now).session_facts.unwrap().activity.unwrap()
}

/// The state, its source and its detail.
fn says(turn: TurnState, words: &[StatusReport], now: i64) -> (ActivityState, ActivitySource, String) {
    let activity = activity(turn, words, now);
    (activity.state, activity.source, activity.detail.unwrap_or_default())
}

fn permission() -> LiveStatus {
    LiveStatus::Waiting { on: WaitsOn::Permission }
}

fn input() -> LiveStatus {
    LiveStatus::Waiting { on: WaitsOn::Input }
}

#[test]
fn the_record_alone_tells_of_turns_and_of_silence() {
    let failed = TurnState::Failed { at: Some(Timestamp(MOVED)), error: "overloaded".to_owned() };
    let interrupted = TurnState::Interrupted { at: Some(Timestamp(MOVED)) };
    let cases = [
        (open(Some("Bash")), MOVED, Working, "Bash: cargo test"),
        (open(None), MOVED, Working, ""),
        (open(Some("Bash")), MOVED + SILENT_MS, Working, "Bash: cargo test"),
        (open(Some("Bash")), LATER, Unknown, "Bash: cargo test"),
        (open(Some("AskUserQuestion")), LATER, Asks, "cargo test"),
        (open(Some("ExitPlanMode")), LATER, NeedsPermission, "a plan waits for approval"),
        (over(), LATER, Idle, ""),
        (failed, LATER, Idle, "overloaded"),
        (interrupted, LATER, Idle, "interrupted"),
        (TurnState::Unknown, LATER, Unknown, ""),
    ];
    for (turn, now, state, detail) in cases {
        assert_eq!(says(turn.clone(), &[], now), (state, Transcript, detail.to_owned()), "{turn:?} at {now}");
    }
    // A clock that was set back makes no silence.
    assert_eq!(says(open(None), &[], MOVED - 1_000_000).0, Working);
}

#[test]
fn each_source_tells_what_the_record_cannot() {
    for source in [Hook, Registry, Api] {
        let cases = [
            (open(Some("Bash")), LiveStatus::Busy, Working, "Bash: cargo test"),
            (open(Some("Bash")), permission(), NeedsPermission, "Bash: cargo test"),
            (open(None), permission(), NeedsPermission, ""),
            (open(Some("ExitPlanMode")), permission(), NeedsPermission, "a plan waits for approval"),
            (open(Some("AskUserQuestion")), input(), Asks, ""),
            (open(None), LiveStatus::Waiting { on: WaitsOn::Other("a sign".to_owned()) }, Asks, "a sign"),
            (open(None), LiveStatus::Idle, Idle, "interrupted"),
            (over(), LiveStatus::Idle, Idle, ""),
            (over(), LiveStatus::Background, Background, ""),
            (over(), LiveStatus::Ended, Gone, "ended"),
            (TurnState::Unknown, LiveStatus::Idle, Idle, ""),
            (TurnState::Unknown, LiveStatus::Busy, Working, ""),
            (open(Some("Bash")), LiveStatus::Gone, Gone, "Bash: cargo test"),
            (over(), LiveStatus::Gone, Gone, "ended"),
        ];
        for (turn, status, state, detail) in cases {
            let word = report(source, status, 10);
            assert_eq!(
                says(turn, std::slice::from_ref(&word), LATER),
                (state, source, detail.to_owned()),
                "{word:?}"
            );
        }
    }
}

#[test]
fn the_words_of_the_source_are_shown_before_those_of_the_call() {
    let what =
        |status| StatusReport { what: Some("Which format?".to_owned()), ..report(Registry, status, 10) };
    assert_eq!(says(over(), &[what(input())], LATER).2, "Which format?");
    assert_eq!(says(open(Some("Bash")), &[what(permission())], LATER).2, "Which format?");
    assert_eq!(says(open(Some("Bash")), &[what(LiveStatus::Busy)], LATER).2, "Which format?");
    assert_eq!(
        says(over(), &[what(LiveStatus::Failed)], LATER),
        (Idle, Registry, "Which format?".to_owned())
    );
}

#[test]
fn the_word_that_was_told_last_counts_and_of_two_at_once_the_more_trusted() {
    let busy = |source, after| report(source, LiveStatus::Busy, after);
    let waits = |source, after| report(source, permission(), after);
    let cases: [(&[StatusReport], ActivityState, ActivitySource); 6] = [
        (&[busy(Hook, 10), waits(Registry, 20)], NeedsPermission, Registry),
        (&[busy(Registry, 20), waits(Hook, 10)], Working, Registry),
        (&[busy(Registry, 10), waits(Hook, 10)], NeedsPermission, Hook),
        (&[waits(Api, 10), busy(Registry, 10)], Working, Registry),
        // Asked for what is now.
        (&[waits(Hook, 10), tells(Api, LiveStatus::Busy)], Working, Api),
        (&[tells(Api, LiveStatus::Busy), tells(Registry, permission())], NeedsPermission, Registry),
    ];
    for (words, state, source) in cases {
        let activity = activity(open(Some("Bash")), words, LATER);
        assert_eq!((activity.state, activity.source), (state, source), "{words:?}");
    }
}

#[test]
fn what_the_record_overtook_does_not_count() {
    let cases = [
        // A prompt came after it was idle; the status follows in a moment.
        (open(None), report(Registry, LiveStatus::Idle, -1), Working, Transcript),
        (open(None), report(Registry, LiveStatus::Idle, 0), Idle, Registry),
        (open(None), report(Hook, LiveStatus::Failed, -1), Working, Transcript),
        // A question was put after it was busy.
        (open(Some("AskUserQuestion")), report(Registry, LiveStatus::Busy, 0), Asks, Transcript),
        (open(Some("AskUserQuestion")), report(Registry, LiveStatus::Busy, 1), Working, Registry),
        // An event tells of one moment, the registry keeps a state.
        (over(), report(Hook, LiveStatus::Busy, -1), Idle, Transcript),
        (over(), report(Registry, LiveStatus::Busy, -1), Working, Registry),
        // The hooks were taken out while it worked: they tell nothing of what came then.
        (open(None), report(Hook, LiveStatus::Busy, -60_000), Working, Hook),
        (open(None), report(Hook, LiveStatus::Busy, -60_001), Working, Transcript),
        (open(None), report(Hook, permission(), -2001), Working, Transcript),
        (open(None), report(Hook, permission(), -2000), NeedsPermission, Hook),
        (over(), report(Hook, permission(), -1), Idle, Transcript),
        (over(), report(Registry, permission(), -5000), NeedsPermission, Registry),
        // Taken up again after it was ended.
        (open(None), report(Hook, LiveStatus::Ended, -2001), Working, Transcript),
        (open(None), report(Hook, LiveStatus::Ended, -2000), Gone, Hook),
        (open(None), report(Hook, LiveStatus::Background, -2001), Working, Transcript),
    ];
    for (turn, word, state, source) in cases {
        // Late enough for an idle session of an open turn to be believed.
        let activity = activity(turn, std::slice::from_ref(&word), MOVED + 2500);
        assert_eq!((activity.state, activity.source), (state, source), "{word:?}");
    }
}

#[test]
fn a_process_that_is_gone_ends_everything_but_another_process_of_the_session() {
    let gone = |source| report(source, LiveStatus::Gone, -60_000);
    let busy = report(Hook, LiveStatus::Busy, 10);
    assert_eq!(
        says(open(Some("Bash")), &[busy.clone(), gone(Registry)], MOVED),
        (Gone, Registry, "Bash: cargo test".to_owned())
    );
    assert_eq!(says(open(None), &[busy, gone(Process)], MOVED).1, Process);
    let lives = report(Registry, LiveStatus::Busy, 10);
    assert_eq!(says(open(None), &[gone(Process), lives], MOVED), (Working, Registry, String::new()));
}

#[test]
fn the_want_of_an_entry_ends_a_session_when_its_record_is_silent() {
    let missing = tells(Registry, LiveStatus::Ended);
    let words = std::slice::from_ref(&missing);
    assert_eq!(says(open(None), words, MOVED + 4999), (Working, Transcript, String::new()));
    assert_eq!(says(open(None), words, MOVED + 5000), (Gone, Registry, String::new()));
    assert_eq!(says(over(), words, MOVED), (Gone, Registry, "ended".to_owned()));
    let at = |turn: TurnState, now| {
        sample(SessionObservation { live: words.to_vec(), ..session(turn) }, now).recheck_at
    };
    assert_eq!(at(open(None), MOVED + 4999), Some(Timestamp(MOVED + 5000)));
    assert_eq!((at(open(None), MOVED + 5000), at(over(), MOVED)), (None, None));
    // An event that was told counts as long as the record goes on.
    let busy = report(Hook, LiveStatus::Busy, 10);
    assert_eq!(says(open(None), &[busy, missing.clone()], MOVED + 20), (Working, Hook, String::new()));
}

#[test]
fn a_process_is_shown_only_while_it_may_live() {
    let process = Some(ProcessId { pid: 7, started_at: 9 });
    let shown = |words: &[StatusReport]| {
        let session = SessionObservation { live: words.to_vec(), process, ..session(over()) };
        sample(session, LATER).session_facts.unwrap().sessions[0].process
    };
    assert_eq!(shown(&[report(Registry, LiveStatus::Idle, 10)]), process);
    assert_eq!(shown(&[report(Registry, LiveStatus::Gone, 10)]), None);
    assert_eq!(shown(&[report(Hook, LiveStatus::Idle, 10), tells(Registry, LiveStatus::Ended)]), None);
    assert_eq!(
        shown(&[report(Hook, LiveStatus::Ended, 10), report(Registry, LiveStatus::Idle, 20)]),
        process
    );
}

#[test]
fn subagents_go_on_after_the_turn_and_end_with_the_process() {
    let subagent = |what: Option<&str>, after| Subagent {
        id: "a".to_owned(),
        what: what.map(str::to_owned),
        moved_at: Some(Timestamp(MOVED + after)),
    };
    let does = |turn: TurnState, words: &[StatusReport], subagents: Vec<Subagent>| {
        let session = SessionObservation { live: words.to_vec(), subagents, ..session(turn) };
        let activity = sample(session, MOVED + SILENT_MS).session_facts.unwrap().activity.unwrap();
        (activity.state, activity.detail.unwrap_or_default())
    };
    let at_work = || vec![subagent(Some("Count the files"), 0)];
    let counts = (Background, "1 subagent: Count the files".to_owned());
    assert_eq!(does(over(), &[], at_work()), counts);
    assert_eq!(does(over(), &[report(Registry, LiveStatus::Idle, 10)], at_work()), counts);
    assert_eq!(does(TurnState::Unknown, &[], at_work()), counts);
    let many = vec![subagent(None, 0), subagent(Some("b"), 5), subagent(None, -1)];
    assert_eq!(does(over(), &[], many), (Background, "2 subagents".to_owned()));
    assert_eq!(does(over(), &[], vec![subagent(None, 0)]).1, "1 subagent");
    assert_eq!(does(over(), &[], vec![subagent(None, -1)]), (Idle, String::new()));
    assert_eq!(does(over(), &[report(Registry, LiveStatus::Gone, 0)], at_work()).0, Gone);
    assert_eq!(does(over(), &[tells(Registry, LiveStatus::Ended)], at_work()).0, Gone);
    // A turn that runs, or a prompt that stands, comes before them.
    assert_eq!(does(open(None), &[], at_work()).0, Working);
    assert_eq!(does(over(), &[report(Registry, permission(), 10)], at_work()).0, NeedsPermission);
}

#[test]
fn the_title_of_a_pane_is_a_guess_where_nothing_else_tells_of_an_open_turn() {
    let title = |status| tells(PaneTitle, status);
    let does = |turn, words: &[StatusReport]| {
        let (state, source, _) = says(turn, words, LATER);
        (state, source)
    };
    let cases = [
        (LiveStatus::Busy, Working, PaneTitle, "Bash: cargo test"),
        (permission(), NeedsPermission, PaneTitle, "Bash: cargo test"),
        (LiveStatus::Idle, Idle, PaneTitle, "interrupted"),
        (LiveStatus::Ended, Unknown, Transcript, "Bash: cargo test"),
    ];
    for (status, state, source, detail) in cases {
        assert_eq!(says(open(Some("Bash")), &[title(status)], LATER), (state, source, detail.to_owned()));
    }
    // It is asked for beside a record that reads as over only where such a record may hide an open call.
    assert_eq!(does(over(), &[title(LiveStatus::Busy)]), (Working, PaneTitle));
    assert_eq!(does(over(), &[title(permission())]), (NeedsPermission, PaneTitle));
    assert_eq!(does(over(), &[title(LiveStatus::Idle)]), (Idle, Transcript));
    // A guess that says what the record says takes nothing from it.
    let at_once = says(open(Some("Bash")), &[title(LiveStatus::Busy)], MOVED + 1000);
    assert_eq!((at_once.0, at_once.1), (Working, Transcript));
    // A structured word is better than a guess.
    let busy = report(Registry, LiveStatus::Busy, 10);
    assert_eq!(says(open(None), &[title(permission()), busy], LATER).1, Registry);
}

#[test]
fn since_when_is_told_by_the_source_else_by_the_record() {
    let word = report(Registry, LiveStatus::Busy, 500);
    assert_eq!(activity(open(None), std::slice::from_ref(&word), LATER).since, Some(Timestamp(MOVED + 500)));
    assert_eq!(activity(open(None), &[tells(Api, LiveStatus::Busy)], LATER).since, Some(Timestamp(MOVED)));
    assert_eq!(activity(TurnState::Unknown, &[tells(Api, LiveStatus::Busy)], LATER).since, None);
}

#[test]
fn a_check_from_inside_a_session_sees_the_others_at_work() {
    let named = |id: &str, turn| SessionObservation { session_id: id.into(), ..session(turn) };
    let claim = |sessions: Vec<SessionObservation>| {
        let sample = sample_of(sessions, MOVED, Some("own"));
        let mut claims = sample.evidence.iter().map(|(_, evidence)| evidence.claim);
        let claim = claims.find(|claim| claim.name() != "ABSTAIN");
        (claim, sample.session_facts.unwrap().activity.unwrap().state)
    };
    let own = named("own", open(None));
    assert_eq!(claim(vec![own.clone(), named("other", open(None))]), (Some(Claim::Work), Working));
    let own_is_over = named("own", over());
    assert_eq!(claim(vec![own_is_over, named("other", open(None))]), (Some(Claim::Work), Working));
    // Its own work does not count, whichever session is the newest.
    assert_eq!(claim(vec![own.clone(), named("other", over())]).0, None);
    assert_eq!(claim(vec![named("other", over()), own]).0, None);
}

#[test]
fn a_word_of_hooks_that_were_taken_out_keeps_no_session_at_work() {
    let busy = report(Hook, LiveStatus::Busy, -3_600_000);
    assert_eq!(says(open(None), &[busy], LATER), (Unknown, Transcript, String::new()));
}

#[test]
fn what_is_told_of_a_time_to_come_is_no_work() {
    let ahead = |status| report(Hook, status, 3_600_000);
    let now = MOVED + 10;
    assert_eq!(activity(over(), &[ahead(LiveStatus::Busy)], now).state, Idle);
    assert_eq!(activity(over(), &[ahead(LiveStatus::Busy)], MOVED + 3_600_000).state, Working);
    // That the person is waited for stands.
    assert_eq!(activity(open(Some("Bash")), &[ahead(permission())], now).state, NeedsPermission);
    let session = |written_at| SessionObservation { written_at, ..session(open(None)) };
    let state = |session| sample(session, now).session_facts.unwrap().activity.unwrap().state;
    assert_eq!(state(session(Some(Timestamp(now + 1000)))), Working);
    assert_eq!(state(session(Some(Timestamp(now + 7_200_000)))), Unknown);
}

#[test]
fn a_marker_is_of_the_session_and_of_the_moment_of_its_words() {
    let said = |id: &str, after: i64| SessionObservation {
        last_message: Some(AgentMessage {
            text: format!("All of {id} is there and committed.\n\nCOMPLETE"),
            at: Some(Timestamp(MOVED + after)),
        }),
        turn: over(),
        ..SessionObservation::named("claude", id)
    };
    let sample = sample_of(vec![said("newest", 2_000), said("beside", 1_000)], LATER, None);
    let markers = sample.evidence.iter().filter(|(_, evidence)| evidence.source == Source::Marker);
    let markers: Vec<_> = markers
        .map(|(_, evidence)| (evidence.session().unwrap().session_id.as_str(), evidence.said_at().unwrap()))
        .collect();
    assert_eq!(markers, [("newest", Timestamp(MOVED + 2_000)), ("beside", Timestamp(MOVED + 1_000))]);
}
