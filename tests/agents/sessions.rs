//! Several sessions of Claude Code in one workspace: which are its own, how each came to be, which live.

use closeout::agent::{FoundSession, Memories, SurveyAsk};
use closeout::model::{ActivitySource, LiveStatus, Pane, SessionOrigin, SessionPlace, StatusReport, WaitsOn};

use super::registry::{Living, OPEN_SINCE, SESSION, ended};
use super::*;

impl Machine {
    /// All sessions of the machine, as discovery finds them.
    fn found(&self) -> Vec<FoundSession> {
        let adapters = [Adapter::named("claude", self.config_dir.clone()).unwrap()];
        let ask = SurveyAsk { since: Timestamp(0), all_of: &[], within: None };
        agent::survey(&adapters, &ask, &mut Memories::default()).found
    }

    /// The sessions of the workspace with these places.
    fn at(&mut self, places: &[SessionPlace]) -> SessionsRead {
        let adapters = [Adapter::named("claude", self.config_dir.clone()).unwrap()];
        agent::sessions(&adapters, &self.workspace, places, &mut self.memory)
    }

    /// A session that was begun in `cwd` and said so.
    fn session_of(&self, cwd: &Path, id: &str) -> PathBuf {
        let folder = self.config_dir.join("projects").join(claude_folder_name(cwd));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("{id}.jsonl"));
        let line = |fields| Machine::line_in(cwd, &fields);
        let text = line(json!({"type": "user", "uuid": format!("first of {id}"), "timestamp": EARLY,
            "promptSource": "typed", "entrypoint": "cli", "message": {"role": "user", "content": "go"}}))
            + &line(json!({"type": "assistant", "timestamp": EARLY, "message": {"id": id, "model": "m",
            "content": [{"type": "text", "text": id}], "stop_reason": "end_turn"}}));
        fs::write(&path, text).unwrap();
        path
    }

    fn copy(&self, name: &str, id: &str) -> PathBuf {
        let text = String::from_utf8(fixture(name)).unwrap();
        self.write(id, &text.replace("/home/user/project", self.workspace.to_str().unwrap()))
    }
}

fn ids(read: &SessionsRead) -> Vec<&str> {
    let mut ids: Vec<&str> = read.sessions.iter().map(|session| session.session_id.as_str()).collect();
    ids.sort_unstable();
    ids
}

fn by_id<'a>(read: &'a SessionsRead, id: &str) -> &'a SessionObservation {
    read.sessions
        .iter()
        .find(|session| session.session_id == id)
        .unwrap_or_else(|| panic!("no {id}: {read:?}"))
}

#[test]
fn sessions_begun_below_the_workspace_are_its_own_and_those_of_a_work_tree_inside_are_not() {
    let mut machine = Machine::new();
    let below = machine.workspace.join("sub");
    let nested = machine.workspace.join("vendor/nested");
    let deep = nested.join("src");
    for folder in [&below, &deep] {
        fs::create_dir_all(folder).unwrap();
    }
    // A linked worktree and a submodule have a file there.
    fs::write(nested.join(".git"), "gitdir: elsewhere\n").unwrap();
    fs::create_dir(machine.workspace.join(".git")).unwrap();
    for (cwd, id) in
        [(&machine.workspace.clone(), "here"), (&below, "below"), (&nested, "nested"), (&deep, "deep")]
    {
        machine.session_of(cwd, id);
    }
    let below_place: Vec<SessionPlace> = machine
        .found()
        .into_iter()
        .map(|found| found.place)
        .filter(|place| place.session_id == "below")
        .collect();
    assert_eq!(ids(&machine.at(&below_place)), ["below", "here"]);
    // A second one in the folder of a place that is known is seen without another survey.
    machine.session_of(&below, "second");
    let read = machine.at(&below_place);
    assert_eq!(ids(&read), ["below", "here", "second"]);
    let watched: Vec<&Path> = read.watch_targets.iter().map(|target| &*target.folder).collect();
    assert_eq!(watched, [&*machine.folder, below_place[0].record.parent().unwrap()]);
    // Folders of another path can have the name of the workspace's own.
    let text = fs::read_to_string(machine.session_of(&nested, "nested")).unwrap();
    machine.write("misplaced", &text);
    assert_eq!(ids(&machine.at(&[])), ["here"]);
}

#[test]
fn a_copy_with_the_same_first_line_is_a_fork_of_the_other_one() {
    let mut machine = Machine::new();
    let original = "4267a549-eb78-45e7-8e47-53167f111acd";
    let fork = "ff14dcb7-aa2c-4547-bf37-97055b3e419c";
    // The copy lies there first: its own lines tell that it is one.
    machine.copy("forked.jsonl", fork);
    assert_eq!(by_id(&machine.at(&[]), fork).origin, SessionOrigin::Fork { of: None });
    machine.copy("continued.jsonl", original);
    machine.copy("question.jsonl", "other");
    let read = machine.at(&[]);
    assert_eq!(by_id(&read, fork).origin, SessionOrigin::Fork { of: Some(original.into()) });
    assert_eq!(by_id(&read, original).origin, SessionOrigin::Headless);
    assert_eq!(by_id(&read, fork).usage.n_turns, Some(3));
}

#[test]
fn of_two_records_with_one_begin_the_one_that_was_made_later_is_the_fork() {
    let mut machine = Machine::new();
    let first = machine.session_of(&machine.workspace, "first");
    let Ok(made_at) = fs::metadata(&first).unwrap().created() else {
        return eprintln!("SKIPPED: the file system does not tell when a file was made");
    };
    let text = fs::read_to_string(&first).unwrap();
    let second = loop {
        let second = machine.write("second", &text);
        if fs::metadata(&second).unwrap().created().unwrap() > made_at {
            break second;
        }
        fs::remove_file(second).unwrap();
    };
    set_time(&first, 1_000_060);
    set_time(&second, 1_000_000);
    let read = machine.at(&[]);
    assert_eq!(by_id(&read, "first").origin, SessionOrigin::Person);
    assert_eq!(by_id(&read, "second").origin, SessionOrigin::Fork { of: Some("first".into()) });
}

#[test]
fn how_a_session_was_begun_is_told_by_its_first_prompt() {
    let mut machine = Machine::new();
    let cases = [
        ("after-clear.jsonl", SessionOrigin::Person),
        ("waiting-question.jsonl", SessionOrigin::Person),
        ("statement.jsonl", SessionOrigin::Headless),
        ("legacy-2.1.197-tasks.jsonl", SessionOrigin::Headless),
        ("legacy-1.0.128-todowrite.jsonl", SessionOrigin::Unknown),
    ];
    for (name, origin) in cases {
        let path = machine.copy(name, "s");
        assert_eq!(machine.session().origin, origin, "{name}");
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn a_session_that_has_no_process_has_ended_if_its_client_enters_each() {
    let mut machine = Machine::new();
    machine.copy("statement.jsonl", "s");
    assert_eq!(machine.session().live, [], "there is no registry");
    fs::create_dir(machine.config_dir.join("sessions")).unwrap();
    assert_eq!(machine.session().live, [ended()]);
    for name in ["legacy-2.1.197-tasks.jsonl", "legacy-1.0.128-todowrite.jsonl"] {
        machine.copy(name, "s");
        assert_eq!(machine.session().live, [], "{name}");
    }
    let other = machine.line(&json!({"type": "user", "entrypoint": "claude-vscode",
        "message": {"role": "user", "content": "go"}}));
    machine.write("s", &other);
    assert_eq!(machine.session().live, [], "another way to start the client");
}

#[test]
fn an_open_turn_without_a_process_is_over_when_its_record_has_been_silent() {
    let machine = Machine::in_a_turn("waiting-permission.jsonl");
    // The time of the record is in whole seconds.
    let written_at = OPEN_SINCE / 1000 * 1000;
    let early = machine.sample(written_at + 4_999, None);
    let activity = early.session_facts.unwrap().activity.unwrap();
    assert_eq!((activity.state, activity.source), (ActivityState::Working, ActivitySource::Transcript));
    assert_eq!(early.recheck_at, Some(Timestamp(written_at + 5_000)));
    let late = machine.sample(written_at + 5_000, None);
    let activity = late.session_facts.unwrap().activity.unwrap();
    assert_eq!((activity.state, activity.source), (ActivityState::Gone, ActivitySource::Registry));
    assert_eq!(late.recheck_at, None);
}

#[test]
fn after_clear_the_process_has_another_session_and_the_first_one_has_ended() {
    let mut machine = Machine::in_a_turn("waiting-question.jsonl");
    let cleared = machine.copy("after-clear.jsonl", "15225e6a-0386-472c-9a43-682ae3f2ff1b");
    // As long after the other one as when it was recorded, whatever day it is.
    let soon_after = u64::try_from(OPEN_SINCE / 1000).unwrap() + 60;
    set_time(&cleared, soon_after);
    let before = "5e3c6d27-f91a-4d5d-9f33-af66db01304c";
    machine.enter_this("sessions-idle.json", &json!({}));
    let read = machine.at(&[]);
    assert_eq!(by_id(&read, before).live[0].status, LiveStatus::Idle);
    let after = "15225e6a-0386-472c-9a43-682ae3f2ff1b";
    assert_eq!(by_id(&read, after).live, [ended()]);
    machine.enter_this("sessions-idle.json", &json!({"sessionId": after}));
    let read = machine.at(&[]);
    assert_eq!(by_id(&read, before).live, [ended()]);
    assert_eq!(by_id(&read, after).live[0].status, LiveStatus::Idle);
    // Right after it there is nothing but the client's own words: what was said before still counts.
    let caveat = "{\"type\":\"user\",\"isMeta\":true,\"message\":{\"content\":\"<local-command-caveat>\"}}\n";
    fs::write(&cleared, caveat).unwrap();
    set_time(&cleared, soon_after);
    let read = machine.at(&[]);
    assert_eq!(read.sessions[0].session_id, before);
    assert_eq!((read.sessions[1].session_id.as_str(), read.sessions[1].written_at), (after, None));
}

#[test]
fn a_session_that_lives_and_has_written_nothing_is_there() {
    let mut machine = Machine::new();
    fs::create_dir(machine.config_dir.join("sessions")).unwrap();
    let id = "0b8f1e1a-6d55-4b0e-9c0e-2f3f6a1a9c11";
    machine.enter_this("sessions-idle.json", &json!({"sessionId": id, "cwd": machine.workspace}));
    let places: Vec<SessionPlace> = machine.found().into_iter().map(|found| found.place).collect();
    let read = machine.at(&places);
    let session = by_id(&read, id);
    assert_eq!((session.turn.clone(), session.written_at), (TurnState::Unknown, None));
    assert_eq!(session.folder.as_ref(), Some(&machine.workspace));
    assert_eq!(session.live[0].status, LiveStatus::Idle);
    assert_eq!(session.process.unwrap().pid, std::process::id());
    fs::remove_file(machine.entry_file(std::process::id())).unwrap();
    assert_eq!(machine.at(&places).sessions, []);
}

#[test]
fn the_pane_the_process_and_the_name_are_told_by_the_entry() {
    let mut machine = Machine::in_a_turn("waiting-permission.jsonl");
    machine.enter_this("sessions-waiting-permission.json", &json!({}));
    let session = machine.session();
    assert_eq!(session.pane, Some(Pane { socket: None, id: "%0".to_owned() }));
    assert_eq!(session.process.unwrap().pid, std::process::id());
    // A name that the client derived from the folder's says nothing.
    assert_eq!(session.name, None);
    let cases = [("user", Some("my work")), ("auto", Some("my work")), ("derived", None), ("later", None)];
    for (source, name) in cases {
        let fields = json!({"name": "my work", "nameSource": source});
        machine.enter_this("sessions-waiting-permission.json", &fields);
        assert_eq!(machine.session().name.as_deref(), name, "{source}");
    }
    for pane in ["work:@0.0", "%", "work:@0.%", "work:@0.%1; kill", "", "%7"] {
        machine.enter_this("sessions-waiting-permission.json", &json!({"tmux": pane}));
        assert_eq!(machine.session().pane, None, "{pane}");
    }
}

#[test]
fn a_name_that_a_person_gave_counts_before_a_made_one() {
    let machine = Machine::new();
    let title = |kind: &str, field: &str, name: &str| machine.line(&json!({"type": kind, field: name}));
    let said = machine.prompt("go", EARLY);
    let name =
        |lines: &[String]| read_claude_transcript("s", (said.clone() + &lines.concat()).as_bytes()).name;
    let given = title("custom-title", "customTitle", " my work\u{1b}[2J ");
    let made = title("ai-title", "aiTitle", "Fix the parser");
    let summary = title("summary", "summary", "Parser fixed");
    assert_eq!(name(&[given.clone(), made.clone()]).as_deref(), Some("my work\u{1b}[2J"));
    assert_eq!(name(&[summary.clone(), made.clone()]).as_deref(), Some("Fix the parser"));
    assert_eq!(name(std::slice::from_ref(&summary)).as_deref(), Some("Parser fixed"));
    assert_eq!(
        name(&[given, made, title("custom-title", "customTitle", "")]).as_deref(),
        Some("Fix the parser")
    );
    let odd =
        machine.line(&json!({"type": "custom-title", "customTitle": {"a": 1}, "summary": [], "aiTitle": 7}));
    let session = read_claude_transcript("s", (said.clone() + &odd).as_bytes());
    assert_eq!((session.name, session.n_skipped_lines), (None, 0));
    let long = name(&[title("custom-title", "customTitle", &"あ".repeat(5000))]).unwrap();
    assert_eq!(long.chars().count(), 201);
}

/// A recorded session in the background that waits for an answer.
fn in_the_background(job: &str) -> Machine {
    let machine = Machine::new();
    fs::create_dir(machine.config_dir.join("sessions")).unwrap();
    let id = "f9d52a5a-aa2a-4dcd-8794-309fb457daa3";
    machine.write(id, &(machine.prompt("Plan the format", EARLY) + &machine.reply("1", "Two ways.", EARLY)));
    machine.enter_this("sessions-background.json", &json!({}));
    let folder = machine.config_dir.join("jobs").join("f9d52a5a");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("state.json"), job).unwrap();
    machine
}

#[test]
fn a_session_in_the_background_tells_what_it_needs() {
    let state = fs::read_to_string(fixtures().join("state/job-state-blocked.json")).unwrap();
    let mut machine = in_the_background(&state);
    let session = machine.session();
    let since = Some(Timestamp(1_795_292_385_548));
    let status = LiveStatus::Waiting { on: WaitsOn::Input };
    let what = Some("Which of the two would you like?".to_owned());
    let source = ActivitySource::Registry;
    assert_eq!(session.live, [StatusReport { source, status, since, reported_at: since, what }]);
    assert_eq!(session.name.as_deref(), Some("ok."));
    let (activity, claim) = machine.weighed(1_795_292_400_000, None);
    assert_eq!((activity.state, claim), (ActivityState::Asks, Claim::Ask));
    assert_eq!(activity.detail.as_deref(), Some("Which of the two would you like?"));
    let job = machine.config_dir.join("jobs/f9d52a5a");
    let target = WatchTarget::new(job, Names::these(["state.json"]), Parts::WORDS);
    assert!(machine.watch_targets.contains(&target));
    // While it works, its entry says so and the job does not count.
    machine.enter_this("sessions-background.json", &json!({"status": "busy"}));
    assert_eq!(machine.session().live[0].status, LiveStatus::Busy);
    assert_eq!(machine.weighed(1_795_292_400_000, None).0.state, ActivityState::Working);
}

#[test]
fn what_a_job_does_not_tell_is_told_by_the_entry() {
    let state = fs::read_to_string(fixtures().join("state/job-state-blocked.json")).unwrap();
    let cases = [
        (state.replace("\"blocked\"", "\"working\""), LiveStatus::Idle),
        (
            state.replace("\"blocked\"", "\"working\"").replace("\"tasks\": 0", "\"tasks\": 2"),
            LiveStatus::Background,
        ),
        (state.replace("f9d52a5a-aa2a", "00000000-aa2a"), LiveStatus::Idle),
        (state[..200].to_owned(), LiveStatus::Idle),
        (String::new(), LiveStatus::Idle),
        (state.clone() + &" ".repeat(300 << 10), LiveStatus::Idle),
    ];
    for (job, status) in cases {
        let mut machine = in_the_background(&job);
        let told: Vec<LiveStatus> = machine.session().live.into_iter().map(|word| word.status).collect();
        assert_eq!(told, [status], "{}", job.chars().take(300).collect::<String>());
    }
    let mut machine = in_the_background(&state);
    for id in ["../jobs/f9d52a5a", "", "f9d52a5a/", "."] {
        machine.enter_this("sessions-background.json", &json!({"jobId": id}));
        assert_eq!(machine.session().live[0].status, LiveStatus::Idle, "{id}");
    }
}

#[test]
fn the_sessions_that_live_are_read_however_many_newer_ones_there_are() {
    let mut machine = Machine::new();
    fs::create_dir(machine.config_dir.join("sessions")).unwrap();
    for number in 0..80 {
        let path = machine.session_of(&machine.workspace, &format!("n{number:02}"));
        set_time(&path, 2_000_000 + number);
    }
    let old = machine.session_of(&machine.workspace, "old");
    set_time(&old, 1_000_000);
    machine.enter_this("sessions-idle.json", &json!({"sessionId": "old"}));
    let read = machine.at(&[]);
    assert_eq!((read.sessions.len(), read.n_unread), (32, 48));
    assert_eq!(read.sessions[0].session_id, "n79");
    assert_eq!(by_id(&read, "old").live[0].status, LiveStatus::Idle);
}

#[test]
fn a_session_resumed_by_another_process_is_followed_in_its_record() {
    let mut machine = Machine::in_a_turn("waiting-permission.jsonl");
    let child = Living::start();
    machine.enter_this("sessions-idle.json", &json!({"sessionId": SESSION}));
    machine.enter(child.0.id(), "sessions-busy.json", &json!({"sessionId": SESSION, "entrypoint": "sdk-py"}));
    // The one whose status changed last speaks, and a change of the other one would be seen.
    assert_eq!(machine.session().live[0].status, LiveStatus::Busy);
    let files = [std::process::id(), child.0.id()].map(|pid| format!("{pid}.json"));
    let registry = machine.config_dir.join("sessions");
    let target = WatchTarget::new(registry, Names::these(files), Parts::WORDS);
    assert!(machine.watch_targets.contains(&target), "{:?}", machine.watch_targets);
    append(&machine.folder.join("recorded.jsonl"), &machine.reply("9", "done by the other", LATE));
    assert_eq!(machine.last_words(), "done by the other");
}

#[test]
fn a_process_of_another_workspace_that_takes_up_a_session_here_is_noticed() {
    let mut machine = Machine::in_a_turn("waiting-permission.jsonl");
    machine.enter_this("sessions-busy.json", &json!({"sessionId": "00000000-f8fc-472f-8c5d-dc326f43d5e0"}));
    // Read, and remembered as another's.
    for _ in 0..2 {
        assert_eq!(machine.session().live, [ended()]);
    }
    let entry = machine.entry_file(std::process::id());
    let text = fs::read_to_string(&entry).unwrap().replace("00000000-f8fc", &SESSION[..13]);
    // In place and of the same size, as the client writes it, in a later tick of the clock.
    let written_at = fs::metadata(&entry).unwrap().modified().unwrap();
    fs::write(&entry, &text).unwrap();
    let later = written_at + std::time::Duration::from_millis(10);
    File::options().write(true).open(&entry).unwrap().set_modified(later).unwrap();
    assert_eq!(machine.session().live[0].status, LiveStatus::Busy);
    // From now on it is read each time, whatever its times say.
    fs::write(&entry, text.replace("\"busy\"", "\"idle\"")).unwrap();
    File::options().write(true).open(&entry).unwrap().set_modified(later).unwrap();
    assert_eq!(machine.session().live[0].status, LiveStatus::Idle);
    fs::remove_file(&entry).unwrap();
    assert_eq!(machine.session().live, [ended()]);
}
