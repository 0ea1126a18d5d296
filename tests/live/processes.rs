//! Which process is a session's, and when certainly none is.

use std::sync::atomic::{AtomicU32, Ordering};

use closeout::agent::processes::{ProcessTable, Sought};
use closeout::evidence::LiveSources;
use closeout::evidence::live_facts::{LiveMemory, tell};
use closeout::model::{ActivitySource, LiveStatus, SessionObservation, Timestamp, TurnState};

use super::{Agent, open_session, request, resolved};
use crate::support::repo::Repo;

/// Later than any process of these tests starts.
const NOW: i64 = 4_000_000_000_000;

/// An id that no other test of this run has: scripts of all of them are on one machine.
fn unique_id() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let (this, n) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    format!("01a200e7-11ec-7922-{n:04x}-{this:012x}")
}

fn holds(repo: &Repo, id: &str) -> String {
    format!("exec 9>>'{}'", repo.root().join(format!("rollout-2026-11-22T01-37-53-{id}.jsonl")).display())
}

fn hook_state(
    session: &mut SessionObservation,
    repo: &Repo,
    now: i64,
    memory: &mut LiveMemory,
) -> (Option<u32>, Vec<(ActivitySource, LiveStatus)>, Option<Timestamp>) {
    session.live.clear();
    session.process = None;
    let request = request(repo.path(), Vec::new());
    let sources = LiveSources::default();
    let again = tell(std::slice::from_mut(session), &request, &sources, Timestamp(now), memory);
    let words = session.live.iter().map(|word| (word.source, word.status.clone())).collect();
    (session.process.map(|process| process.pid), words, again)
}

#[test]
fn the_one_that_holds_a_record_open_is_found_wherever_it_works() {
    let repo = Repo::new();
    let id = unique_id();
    let folder = resolved(&repo.root());
    let mut agent = Agent::start(&repo, "codex", &folder, &holds(&repo, &id));
    let sought = Sought {
        agent: "codex",
        session_id: &id,
        folder: repo.path(),
        is_newest: false,
        is_open: false,
        grew_at: None,
    };
    let found = ProcessTable::read().process_of(&sought).map(|process| process.id);
    assert_eq!(found.map(|process| process.pid), Some(agent.pid()));
    let other = Sought { session_id: "01a200e7-11ec-7922-b128-000000000000", ..sought };
    assert_eq!(ProcessTable::read().process_of(&other), None);
    agent.kill();
    assert_eq!(ProcessTable::read().process_of(&sought), None);
}

#[test]
fn a_killed_agent_is_gone_at_once_if_it_was_seen_and_else_when_its_record_is_quiet() {
    let repo = Repo::new();
    let id = unique_id();
    let mut agent = Agent::start(&repo, "codex", repo.path(), &holds(&repo, &id));
    let mut session = open_session("codex", &id, repo.path(), NOW);
    let mut memory = LiveMemory::default();
    let (pid, words, again) = hook_state(&mut session, &repo, NOW + 60_000, &mut memory);
    assert_eq!((pid, words, again), (Some(agent.pid()), vec![], None));
    agent.kill();
    // Its process was seen: however lately its record grew, it is over.
    let gone = (None, vec![(ActivitySource::Process, LiveStatus::Gone)], None);
    assert_eq!(hook_state(&mut session, &repo, NOW + 100, &mut memory), gone);
    // It was not: it may run where nobody sees it from here, and a model may think for long.
    let mut memory = LiveMemory::default();
    let early = hook_state(&mut session, &repo, NOW + 100, &mut memory);
    assert_eq!(early, (None, vec![], Some(Timestamp(NOW + 20_000))));
    assert_eq!(hook_state(&mut session, &repo, NOW + 20_000, &mut memory), gone);
}

#[test]
fn from_within_a_container_nothing_is_gone_that_may_run_outside_of_it() {
    // What is mounted is never on the device of the root, and no agent works there.
    let mounted = std::path::Path::new("/proc");
    let sources = LiveSources::default().within_container();
    let look = |agent: &str, place: &std::path::Path, sources: &LiveSources| {
        let mut session = open_session(agent, &unique_id(), place, NOW);
        let request = request(place, Vec::new());
        let sessions = std::slice::from_mut(&mut session);
        let again = tell(sessions, &request, sources, Timestamp(NOW + 60_000), &mut LiveMemory::default());
        (session.live.iter().map(|word| word.status.clone()).collect::<Vec<_>>(), again)
    };
    assert_eq!(look("unseen", mounted, &sources), (vec![], None));
    // Where the whole machine is seen, and on the container's own disk, no process is none.
    let gone = (vec![LiveStatus::Gone], None);
    assert_eq!(look("unseen", mounted, &LiveSources::default()), gone);
    assert_eq!(look("unseen", std::path::Path::new("/"), &sources), gone);
    // Another one of its kind is seen in the container: agents run here.
    let repo = Repo::new();
    let _other = Agent::start(&repo, "gemini", repo.path(), "");
    assert_eq!(look("gemini", mounted, &sources), gone);
}

#[test]
fn nothing_is_said_while_another_could_work_on_it() {
    let repo = Repo::new();
    repo.write("deep/file", "x");
    let folder = repo.path().join("deep");
    let mut other = Agent::start(&repo, "gemini", &folder, "");
    let mut session = open_session("gemini", "s-1", repo.path(), NOW);
    let mut memory = LiveMemory::default();
    let (pid, words, _) = hook_state(&mut session, &repo, NOW + 60_000, &mut memory);
    assert_eq!((pid, words), (None, vec![]));
    other.kill();
    let own = Agent::start(&repo, "gemini", repo.path(), "");
    let (pid, words, _) = hook_state(&mut session, &repo, NOW + 61_000, &mut memory);
    assert_eq!((pid, words), (Some(own.pid()), vec![]));
    // Of two in one folder neither can be named, and none is missed.
    let _second = Agent::start(&repo, "gemini", repo.path(), "");
    let (pid, words, again) = hook_state(&mut session, &repo, NOW + 63_000, &mut memory);
    assert_eq!((pid, words, again), (None, vec![], Some(Timestamp(NOW + 64_000))));
}

#[test]
fn a_second_agent_beside_a_known_one_is_noticed_as_soon_as_it_has_a_session() {
    let repo = Repo::new();
    let folder = resolved(repo.path());
    let first = Agent::start(&repo, "gemini", &folder, "");
    let (sources, mut memory) = (LiveSources::default(), LiveMemory::default());
    let mut look = |ids: &[&str], now: i64| {
        let mut sessions: Vec<SessionObservation> =
            ids.iter().map(|id| open_session("gemini", id, &folder, NOW)).collect();
        tell(&mut sessions, &request(&folder, Vec::new()), &sources, Timestamp(now), &mut memory);
        sessions.iter().map(|session| session.process.map(|process| process.pid)).collect::<Vec<_>>()
    };
    assert_eq!(look(&["s-1"], NOW), [Some(first.pid())]);
    let _second = Agent::start(&repo, "gemini", &folder, "");
    // Of two in one folder neither can be named.
    assert_eq!(look(&["s-2", "s-1"], NOW + 100), [None, None]);
}

#[test]
fn a_table_from_before_a_record_was_written_does_not_tell_who_writes_it() {
    let (repo, other) = (Repo::new(), Repo::new());
    let (folder, elsewhere) = (resolved(repo.path()), resolved(other.path()));
    let sources = LiveSources::default();
    let look = |folder: &std::path::Path, written_at: i64, now: i64| {
        let mut session = open_session("gemini", "s-1", folder, written_at);
        let sessions = std::slice::from_mut(&mut session);
        let mut memory = LiveMemory::default();
        tell(sessions, &request(folder, Vec::new()), &sources, Timestamp(now), &mut memory);
        session.process.map(|process| process.pid)
    };
    assert_eq!(look(&elsewhere, NOW, NOW), None);
    let agent = Agent::start(&repo, "gemini", &folder, "");
    assert_eq!(look(&folder, NOW + 50, NOW + 100), Some(agent.pid()));
}

#[test]
fn a_look_of_closeouts_own_is_no_process_of_a_session() {
    let repo = Repo::new();
    let folder = resolved(repo.path());
    let mut session = open_session("gemini", "s-1", &folder, NOW);
    let own = Agent::start(&repo, "gemini", &folder, "");
    let _look = Agent::start_with(&repo, "gemini", &folder, "", "CLOSEOUT_PROBE");
    let (pid, ..) = hook_state(&mut session, &repo, NOW, &mut LiveMemory::default());
    assert_eq!(pid, Some(own.pid()));
}

#[test]
fn a_process_that_is_stopped_works_at_nothing() {
    let repo = Repo::new();
    let folder = resolved(repo.path());
    let mut session = open_session("gemini", "s-1", &folder, NOW);
    let own = Agent::start(&repo, "gemini", &folder, "");
    let mut memory = LiveMemory::default();
    assert_eq!(hook_state(&mut session, &repo, NOW, &mut memory).0, Some(own.pid()));
    assert!(matches!(session.turn, TurnState::Open { .. }));
    own.stop();
    assert_eq!(hook_state(&mut session, &repo, NOW + 2000, &mut memory).0, Some(own.pid()));
    assert_eq!(session.turn, TurnState::Unknown);
}

#[test]
fn an_end_in_the_middle_of_a_turn_is_believed_a_moment_later() {
    let repo = Repo::new();
    let folder = resolved(repo.path());
    let ended = TurnState::Ended { at: Some(Timestamp(NOW)) };
    let _own = Agent::start(&repo, "gemini", &folder, "");
    for (after_ms, wanted, again) in [
        (26, TurnState::Open { since: Some(Timestamp(NOW)), tool: None, what: None }, Some(NOW + 250)),
        (250, ended.clone(), None),
    ] {
        let mut session = open_session("gemini", "s-1", &folder, NOW);
        session.turn = ended.clone();
        let (_, words, at) = hook_state(&mut session, &repo, NOW + after_ms, &mut LiveMemory::default());
        assert_eq!((session.turn, words, at), (wanted, Vec::new(), again.map(Timestamp)), "{after_ms}");
    }
}

#[test]
fn a_turn_that_is_over_needs_no_process() {
    let repo = Repo::new();
    let id = unique_id();
    let mut session = open_session("codex", &id, repo.path(), NOW);
    session.turn = closeout::model::TurnState::Ended { at: None };
    let (pid, words, again) = hook_state(&mut session, &repo, NOW + 60_000, &mut LiveMemory::default());
    assert_eq!((pid, words, again), (None, vec![], None));
}
