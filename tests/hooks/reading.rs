//! What hooks left, read: beside a session's own record, for a session that has none, over a file that
//! was set aside, and what is forgotten.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use closeout::agent::hook_events::{HookReader, survey};
use closeout::agent::{Memories, Survey, SurveyAsk};
use closeout::model::{
    HookEvent, HookKind, LiveStatus, Names, Pane, ProcessId, SessionObservation, SessionPlace, Timestamp,
};
use closeout::store::hook_log;
use tempfile::TempDir;

use super::{event, this_process};

/// A state folder.
struct State(TempDir);

impl State {
    fn new() -> State {
        State(crate::support::scratch::folder())
    }

    fn hooks(&self) -> PathBuf {
        hook_log::folder(self.0.path())
    }

    fn file(&self) -> PathBuf {
        self.hooks().join("codex/s.jsonl")
    }

    fn leave(&self, event: &HookEvent) {
        hook_log::append(self.0.path(), "codex", event).unwrap();
    }

    fn survey(&self) -> Survey {
        let mut found = Survey::default();
        let ask = SurveyAsk { since: Timestamp(0), all_of: &[], within: None };
        survey(&self.hooks(), &ask, &mut Memories::default(), &mut found);
        found
    }

    fn places(&self) -> Vec<SessionPlace> {
        self.survey().found.into_iter().map(|session| session.place).collect()
    }

    /// What the events tell of sessions that are known by them alone.
    fn read(&self, reader: &mut HookReader) -> Vec<SessionObservation> {
        let (mut sessions, places) = (Vec::new(), self.places());
        reader.tell(&self.hooks(), &places.iter().collect::<Vec<_>>(), &mut sessions);
        sessions
    }
}

/// The machine was started before.
fn now() -> Timestamp {
    Timestamp(UNIX_EPOCH.elapsed().unwrap().as_millis().try_into().unwrap())
}

fn begun(at_s: i64) -> HookEvent {
    let mut begun = event(at_s, HookKind::SessionStarted);
    begun.folder = Some("/w/project".into());
    begun.process = Some(this_process());
    begun.pane = Some(Pane { socket: Some("/tmp/tmux-1/default".to_owned()), id: "%1".to_owned() });
    begun
}

fn of_process(at_s: i64, kind: HookKind) -> HookEvent {
    HookEvent { kind, ..begun(at_s) }
}

#[test]
fn a_session_without_a_record_is_found_by_its_events() {
    let state = State::new();
    state.leave(&begun(1));
    assert_eq!(state.read(&mut HookReader::default()), [], "nothing was said in it");
    state.leave(&of_process(2, HookKind::Prompted));
    let found = state.survey();
    assert_eq!(found.found[0].place.folder, Path::new("/w/project"));
    assert!(found.watch_targets.iter().all(|target| target.is_arrivals_only));
    let mut reader = HookReader::default();
    let session = state.read(&mut reader).remove(0);
    assert_eq!((session.agent.as_str(), session.session_id.as_str()), ("codex", "s"));
    assert_eq!(session.live[0].status, LiveStatus::Busy);
    assert_eq!(session.process, Some(this_process()));
    assert_eq!(session.pane.unwrap().id, "%1");
    state.leave(&of_process(3, HookKind::SessionEnded));
    assert_eq!(state.read(&mut reader), [], "one that ended has nothing to show");
}

#[test]
fn what_is_told_beside_a_record_is_added_and_followed() {
    let state = State::new();
    state.leave(&begun(1));
    state.leave(&of_process(2, HookKind::Prompted));
    let mut session = state.read(&mut HookReader::default()).remove(0);
    (session.live, session.process, session.pane) = (Vec::new(), None, None);
    let mut reader = HookReader::default();
    let mut told = |session: &SessionObservation| {
        let mut sessions = vec![session.clone()];
        let targets = reader.tell(&state.hooks(), &[], &mut sessions);
        (sessions.remove(0), targets)
    };
    let (first, targets) = told(&session);
    assert_eq!(first.live[0].since, Some(Timestamp(2000)));
    assert_eq!(targets.len(), 1);
    assert_eq!(
        (&targets[0].folder, &targets[0].names),
        (&Arc::from(state.hooks().join("codex")), &Names::these(["s.jsonl"]))
    );
    state.leave(&of_process(5, HookKind::Stopped));
    let (second, _) = told(&session);
    assert_eq!(
        (&second.live[0].status, second.live[0].reported_at),
        (&LiveStatus::Idle, Some(Timestamp(5000)))
    );
    // Another source names another process: its word on the process counts.
    session.process = Some(ProcessId { pid: 1, started_at: 1 });
    let (third, _) = told(&session);
    assert_eq!((third.process, third.pane), (session.process, None));
}

#[test]
fn what_was_at_work_before_the_machine_was_started_is_gone() {
    let state = State::new();
    let unseen = |at_s, kind| HookEvent { process: None, ..of_process(at_s, kind) };
    state.leave(&unseen(2, HookKind::Prompted));
    assert_eq!(state.read(&mut HookReader::default()), [], "in 1970");
    state.leave(&unseen(now().0 / 1000, HookKind::Prompted));
    let session = state.read(&mut HookReader::default()).remove(0);
    assert_eq!((session.process, &session.live[0].status), (None, &LiveStatus::Busy));
}

#[test]
fn a_session_whose_process_is_gone_is_gone_while_its_record_is_silent() {
    let state = State::new();
    let mut prompted = of_process(2, HookKind::Prompted);
    state.leave(&prompted);
    let mut session = state.read(&mut HookReader::default()).remove(0);
    (session.live, session.process) = (Vec::new(), None);
    let this = this_process();
    prompted.process = Some(ProcessId { started_at: this.started_at + 1, ..this });
    prompted.at = Timestamp(3000);
    state.leave(&prompted);
    let told = |session: &SessionObservation| {
        let mut sessions = vec![session.clone()];
        HookReader::default().tell(&state.hooks(), &[], &mut sessions);
        sessions.remove(0).live.into_iter().map(|word| word.status).collect::<Vec<_>>()
    };
    assert_eq!(told(&session), [LiveStatus::Gone]);
    session.written_at = Some(Timestamp(100_000));
    assert_eq!(told(&session), [], "it goes on in a process that has no hooks");
    // Of another container its number says nothing.
    prompted.pid_namespace = Some("pid:[1]".to_owned());
    prompted.process = Some(ProcessId { pid: this.pid, started_at: 1 });
    prompted.at = now();
    state.leave(&prompted);
    assert_eq!(told(&session), [LiveStatus::Busy]);
}

#[test]
fn a_file_that_was_set_aside_still_tells_how_it_began() {
    let state = State::new();
    state.leave(&begun(1));
    state.leave(&of_process(2, HookKind::Prompted));
    let mut reader = HookReader::default();
    assert_eq!(state.read(&mut reader).len(), 1);
    let mut aside = state.file().into_os_string();
    aside.push(".1");
    fs::rename(state.file(), aside).unwrap();
    let mut tool = event(9, HookKind::ToolStarted);
    tool.tool = Some("Bash".to_owned());
    tool.folder = Some("/w/project".into());
    state.leave(&tool);
    let session = state.read(&mut reader).remove(0);
    let word = &session.live[0];
    assert_eq!((word.since, word.what.as_deref()), (Some(Timestamp(2000)), Some("Bash")));
    assert_eq!(session.process, Some(this_process()));
}

#[test]
fn lines_that_are_broken_or_of_a_newer_closeout_are_passed_over() {
    let state = State::new();
    state.leave(&begun(1));
    state.leave(&of_process(2, HookKind::Prompted));
    let mut text = fs::read_to_string(state.file()).unwrap();
    text.push_str("nonsense\n\u{0}\n{\"v\":9,\"at\":3000,\"session_id\":\"s\",\"kind\":\"dreams\",\"more\":[1]}\n{\"v\":1,");
    fs::write(state.file(), text).unwrap();
    let session = state.read(&mut HookReader::default()).remove(0);
    assert_eq!(session.live[0].status, LiveStatus::Busy);
    // A file under another session's name is nobody's.
    fs::rename(state.file(), state.hooks().join("codex/other.jsonl")).unwrap();
    assert_eq!(state.places(), []);
}

#[test]
fn only_old_files_of_events_are_forgotten() {
    let state = State::new();
    let day = 24 * 3600;
    for (name, days) in [("old.jsonl", 1), ("old.jsonl.1", 1), ("new.jsonl", 9), ("old.txt", 1)] {
        let path = state.hooks().join("codex").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let file = fs::File::create(&path).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(days * day)).unwrap();
    }
    hook_log::forget_before(state.0.path(), Timestamp(i64::try_from(8 * day * 1000).unwrap()));
    let mut left: Vec<_> =
        fs::read_dir(state.hooks().join("codex")).unwrap().map(|e| e.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["new.jsonl", "old.txt"]);
}
