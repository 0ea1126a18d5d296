//! The client's registry of running sessions: what it adds to a transcript, and files as they go wrong.

use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use closeout::model::{ActivitySource, Evidence, LiveStatus, Rejection, StatusReport, WaitsOn, WatchTarget};
use closeout::present::reason;

use super::*;

/// The recorded session that waited for the leave to edit a file, and the time of its last line.
pub(super) const SESSION: &str = "9c9393d3-f8fc-472f-8c5d-dc326f43d5e0";
pub(super) const OPEN_SINCE: i64 = 1_795_291_986_762;
/// The status in the record of its process changed then.
const STATUS_SINCE: i64 = 1_795_291_986_894;
/// Longer after the last line than a turn may be silent.
/// A minute after the recorded session fell silent.
const NEWER: &str = "2026-11-21T20:14:06.000Z";
const LATER: i64 = OPEN_SINCE + 3_600_000;

/// When the process `pid` started, as field 22 of its `stat`.
fn proc_start(pid: u32) -> String {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap().to_owned()
}

/// A process that lives until it is dropped.
pub(super) struct Living(pub(super) Child);

impl Living {
    pub(super) fn start() -> Living {
        Living::start_with("NOTHING")
    }

    /// With this variable in its environment.
    #[expect(clippy::disallowed_methods, reason = "a process to be found alive")]
    pub(super) fn start_with(variable: &str) -> Living {
        let mut command = Command::new("sleep");
        let child = Living(command.arg("600").env(variable, "1").stdin(Stdio::null()).spawn().unwrap());
        // The kernel lets the parent go on before the new program's environment can be read.
        while fs::read(format!("/proc/{}/environ", child.0.id())).unwrap().is_empty() {
            std::thread::yield_now();
        }
        child
    }
}

impl Drop for Living {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Machine {
    /// One whose newest session is a recorded one in the middle of a turn.
    pub(super) fn in_a_turn(transcript: &str) -> Machine {
        let machine = Machine::new();
        let text = String::from_utf8(fixture(transcript)).unwrap();
        let text = text.replace("/home/user/project", machine.workspace.to_str().unwrap());
        let path = machine.write("recorded", &text);
        set_time(&path, u64::try_from(OPEN_SINCE / 1000).unwrap());
        fs::create_dir(machine.config_dir.join("sessions")).unwrap();
        machine
    }

    pub(super) fn entry_file(&self, pid: u32) -> PathBuf {
        self.config_dir.join("sessions").join(format!("{pid}.json"))
    }

    /// Writes a recorded entry, with other `fields`, as that of the living process `pid`.
    pub(super) fn enter(&self, pid: u32, name: &str, fields: &Value) {
        let recorded = fs::read(fixtures().join("state").join(name)).unwrap();
        let mut entry: Value = serde_json::from_slice(&recorded).unwrap();
        let here = fs::read_link("/proc/self/ns/pid").unwrap();
        let domain = format!("linux:{}:{}", "0".repeat(32), here.display());
        let living = json!({"pid": pid, "procStart": proc_start(pid), "pidDomain": domain});
        for more in [&living, fields] {
            entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        }
        fs::write(self.entry_file(pid), entry.to_string()).unwrap();
    }

    /// Enters this test's own process.
    pub(super) fn enter_this(&self, name: &str, fields: &Value) {
        self.enter(std::process::id(), name, fields);
    }

    /// What the session does and says long after its record fell silent.
    fn later(&self) -> (Activity, Evidence) {
        let sample = self.sample(LATER, None);
        let evidence = sample.evidence.into_iter().map(|(_, evidence)| Arc::unwrap_or_clone(evidence));
        let mut sessions: Vec<Evidence> =
            evidence.filter(|evidence| evidence.source == Source::LiveSession).collect();
        // The one that claims something, if one does.
        sessions.sort_by_key(|evidence| evidence.rejection().is_some());
        let session = sessions.remove(0);
        (sample.session_facts.unwrap().activity.unwrap(), session)
    }

    /// What is watched in the registry after the last reading.
    fn entry_targets(&self) -> Vec<WatchTarget> {
        let registry = self.config_dir.join("sessions");
        self.watch_targets.iter().filter(|target| *target.folder == *registry).cloned().collect()
    }

    /// The edited file of the recorded turn, as a call of the tool is told.
    fn edit(&self) -> String {
        format!("Edit: {}/main.rs", self.workspace.display())
    }

    /// The session has no process, and a new one would be seen.
    fn assert_ended(&mut self, what: &str) {
        assert_eq!(self.session().live, [ended()], "{what}");
        let registry = self.config_dir.join("sessions");
        let arrivals = WatchTarget::new(registry, Names::Ending(".json".to_owned()), Parts::WORDS).arrivals();
        assert_eq!(self.entry_targets(), [arrivals], "{what}");
        let (activity, evidence) = self.later();
        assert_eq!((activity.state, activity.source), (ActivityState::Gone, ActivitySource::Registry));
        assert_eq!(evidence.claim, Claim::Abstain(Rejection::MidTurn), "{what}");
    }

    /// The registry says nothing that counts: it is as if there were none.
    fn assert_by_the_record_alone(&mut self, what: &str) {
        let session = self.session();
        assert_eq!(session.live, [], "{what}");
        let (activity, evidence) = self.later();
        assert_eq!((activity.state, activity.source), (ActivityState::Unknown, ActivitySource::Transcript));
        assert_eq!(evidence.claim, Claim::Abstain(Rejection::MidTurn), "{what}");
    }
}

fn live(status: LiveStatus) -> [StatusReport; 1] {
    let since = Some(Timestamp(STATUS_SINCE));
    [StatusReport { source: ActivitySource::Registry, status, since, reported_at: since, what: None }]
}

pub(super) fn ended() -> StatusReport {
    let source = ActivitySource::Registry;
    StatusReport { source, status: LiveStatus::Ended, since: None, reported_at: None, what: None }
}

/// The entry's session, with a status since the usual moment.
fn of_session(status: &str) -> Value {
    json!({"sessionId": SESSION, "status": status, "statusUpdatedAt": STATUS_SINCE})
}

#[test]
fn a_wait_for_a_permission_is_told_with_the_tool_however_long_it_lasts() {
    let mut machine = Machine::in_a_turn("waiting-permission.jsonl");
    machine.enter_this("sessions-waiting-permission.json", &json!({}));
    assert_eq!(machine.session().live, live(LiveStatus::Waiting { on: WaitsOn::Permission }));
    let (activity, evidence) = machine.later();
    assert_eq!((activity.state, activity.source), (ActivityState::NeedsPermission, ActivitySource::Registry));
    assert_eq!(activity.since, Some(Timestamp(STATUS_SINCE)));
    let edit = machine.edit();
    assert_eq!(activity.detail.as_ref(), Some(&edit));
    assert_eq!((evidence.claim, reason::all(&evidence)), (Claim::Ask, vec![format!("permission: {edit}")]));
    // Not only after a silence, and not for a check that the session itself started.
    assert_eq!(machine.weighed(STATUS_SINCE, None).1, Claim::Ask);
    assert_eq!(machine.weighed(STATUS_SINCE, Some(SESSION)).1, Claim::Abstain(Rejection::Foreign));
}

#[test]
fn a_wait_for_an_answer_is_told_in_the_words_of_the_question() {
    let machine = Machine::in_a_turn("waiting-question.jsonl");
    machine.enter_this("sessions-waiting-question.json", &json!({}));
    let (activity, evidence) = machine.later();
    assert_eq!((activity.state, activity.source), (ActivityState::Asks, ActivitySource::Registry));
    assert_eq!(evidence.claim, Claim::Ask);
    assert!(reason::all(&evidence)[0].contains("Which format shall I use"), "{:?}", evidence.reasons);
}

#[test]
fn a_wait_that_the_record_knows_nothing_of_is_told_too() {
    let cases = [
        ("permission prompt", ActivityState::NeedsPermission, "waits for permission"),
        ("input needed", ActivityState::Asks, "Which format shall I use"),
        ("sandbox\u{1b}[2J request", ActivityState::Asks, "sandbox"),
    ];
    for (waits_for, state, words) in cases {
        let machine = Machine::new();
        fs::create_dir(machine.config_dir.join("sessions")).unwrap();
        let text = machine.prompt("go", EARLY) + &machine.reply("1", "Which format shall I use?", LATE);
        machine.write("s", &text);
        let fields = json!({"sessionId": "s", "waitingFor": waits_for});
        machine.enter_this("sessions-waiting-permission.json", &fields);
        let (activity, evidence) = machine.later();
        assert_eq!((activity.state, evidence.claim), (state, Claim::Ask), "{waits_for}");
        assert!(reason::all(&evidence)[0].contains(words), "{:?}", evidence.reasons);
    }
}

#[test]
fn the_approval_of_a_plan_is_a_permission() {
    let machine = Machine::in_a_turn("waiting-permission.jsonl");
    let call = json!({"type": "assistant", "timestamp": "2026-11-21T20:13:06.800Z", "message": {"id": "p",
        "stop_reason": "tool_use", "content": [{"type": "tool_use", "id": "p", "name": "ExitPlanMode", "input": {}}]}});
    append(&machine.folder.join("recorded.jsonl"), &machine.line(&call));
    machine.enter_this("sessions-waiting-plan.json", &of_session("waiting"));
    let (activity, _) = machine.later();
    assert_eq!(activity.state, ActivityState::NeedsPermission);
    assert_eq!(activity.detail.as_deref(), Some("a plan waits for approval"));
}

#[test]
fn a_long_call_of_a_busy_session_is_work_however_silent_the_record() {
    let mut machine = Machine::in_a_turn("waiting-permission.jsonl");
    assert_eq!(machine.later().1.claim, Claim::Abstain(Rejection::MidTurn));
    machine.enter_this("sessions-busy.json", &of_session("busy"));
    assert_eq!(machine.session().live, live(LiveStatus::Busy));
    let (activity, evidence) = machine.later();
    assert_eq!((activity.state, activity.source), (ActivityState::Working, ActivitySource::Registry));
    let reasons = vec![format!("a turn runs: {}", machine.edit())];
    assert_eq!((evidence.claim, reason::all(&evidence)), (Claim::Work, reasons));
}

#[test]
fn a_question_that_was_put_after_the_session_was_busy_still_waits() {
    let machine = Machine::in_a_turn("waiting-question.jsonl");
    let session = "5e3c6d27-f91a-4d5d-9f33-af66db01304c";
    let asked_at: i64 = 1_795_292_056_182;
    for (since, state) in [(asked_at - 60, ActivityState::Asks), (asked_at + 5000, ActivityState::Working)] {
        let fields = json!({"sessionId": session, "statusUpdatedAt": since});
        machine.enter_this("sessions-busy.json", &fields);
        assert_eq!(machine.later().0.state, state);
    }
}

#[test]
fn a_session_that_is_idle_in_an_open_turn_was_interrupted() {
    let mut machine = Machine::in_a_turn("waiting-permission.jsonl");
    machine.enter_this("sessions-idle.json", &of_session("idle"));
    assert_eq!(machine.session().live, live(LiveStatus::Idle));
    // The end of a turn is told a moment before it is in the record.
    assert_eq!(machine.weighed(STATUS_SINCE + 1999, None).0.state, ActivityState::Working);
    assert_eq!(machine.sample(STATUS_SINCE, None).recheck_at, Some(Timestamp(STATUS_SINCE + 2000)));
    let (activity, claim) = machine.weighed(STATUS_SINCE + 2000, None);
    assert_eq!((activity.state, claim), (ActivityState::Idle, Claim::Abstain(Rejection::MidTurn)));
    assert_eq!(activity.detail.as_deref(), Some("interrupted"));
    // A turn that began after it was idle is one: the status follows in a moment.
    let fields = json!({"sessionId": SESSION, "statusUpdatedAt": OPEN_SINCE - 1000});
    machine.enter_this("sessions-idle.json", &fields);
    assert_eq!(machine.weighed(STATUS_SINCE, None).0.state, ActivityState::Working);
}

#[test]
fn a_turn_of_a_killed_process_is_over_at_once() {
    let mut machine = Machine::in_a_turn("waiting-permission.jsonl");
    // A number that no process of Linux can have.
    let pid = u32::MAX;
    let fields = json!({"pid": pid, "sessionId": SESSION, "statusUpdatedAt": STATUS_SINCE});
    machine.enter_this("sessions-stale-after-kill.json", &fields);
    fs::rename(machine.entry_file(std::process::id()), machine.entry_file(pid)).unwrap();
    assert_eq!(machine.session().live, live(LiveStatus::Gone));
    let sample = machine.sample(STATUS_SINCE, None);
    assert_eq!(sample.session_facts.as_ref().unwrap().activity.as_ref().unwrap().state, ActivityState::Gone);
    let evidence = machine.later().1;
    assert_eq!(evidence.claim, Claim::Abstain(Rejection::MidTurn));
    assert_eq!(reason::all(&evidence), ["the agent's process ended in the middle of the turn"]);
}

#[test]
fn another_process_under_the_same_number_is_not_the_sessions() {
    let mut machine = Machine::in_a_turn("waiting-permission.jsonl");
    let other = json!({"procStart": "1", "sessionId": SESSION, "statusUpdatedAt": STATUS_SINCE});
    machine.enter_this("sessions-busy.json", &other);
    assert_eq!(machine.session().live, live(LiveStatus::Gone));
    assert_eq!(machine.entry_targets(), []);
}

#[test]
fn a_process_that_ended_and_was_not_waited_for_is_gone() {
    let mut machine = Machine::in_a_turn("waiting-permission.jsonl");
    let mut living = Living::start();
    let pid = living.0.id();
    machine.enter(pid, "sessions-busy.json", &of_session("busy"));
    assert_eq!(machine.session().live, live(LiveStatus::Busy));
    living.0.kill().unwrap();
    let is_dead = || fs::read_to_string(format!("/proc/{pid}/stat")).unwrap().contains(") Z ");
    while !is_dead() {
        std::thread::yield_now();
    }
    assert_eq!(machine.session().live, live(LiveStatus::Gone));
}

#[test]
fn a_process_of_another_namespace_is_neither_alive_nor_gone() {
    let mut machine = Machine::in_a_turn("waiting-permission.jsonl");
    let mut fields = of_session("busy");
    fields["pidDomain"] = json!("linux:00000000000000000000000000000000:pid:[1]");
    machine.enter_this("sessions-busy.json", &fields);
    machine.assert_by_the_record_alone("another namespace");
}

#[test]
fn subagents_end_with_the_process_of_their_session() {
    let machine = Machine::new();
    fs::create_dir(machine.config_dir.join("sessions")).unwrap();
    machine.write("s", &machine.sent_off("ab12"));
    let sent_at = read_claude_transcript("s", machine.sent_off("ab12").as_bytes()).written_at.unwrap().0;
    assert_eq!(machine.weighed(sent_at, None).0.state, ActivityState::Background);
    machine.enter_this("sessions-idle.json", &json!({"sessionId": "s"}));
    assert_eq!(machine.weighed(sent_at, None).0.state, ActivityState::Background);
    machine.enter_this("sessions-idle.json", &json!({"sessionId": "s", "procStart": "1"}));
    let (activity, claim) = machine.weighed(sent_at, None);
    // It ended without its report, so that the work it was sent to do may be half done.
    assert_eq!((activity.state, claim), (ActivityState::Gone, Claim::Abstain(Rejection::MidTurn)));
    assert_eq!(activity.detail.as_deref(), Some("ended"));
}

#[test]
fn another_session_that_waits_is_seen_behind_a_newer_one_that_is_over() {
    let mut machine = Machine::in_a_turn("waiting-permission.jsonl");
    let new = machine.write("new", &(machine.prompt("hi", NEWER) + &machine.reply("2", "Hello.", NEWER)));
    set_time(&new, u64::try_from(OPEN_SINCE / 1000).unwrap() + 60);
    machine.enter_this("sessions-waiting-permission.json", &json!({}));
    assert_eq!(machine.session().session_id, "new");
    let targets = machine.entry_targets();
    assert_eq!(targets[0].names, Names::these([format!("{}.json", std::process::id())]));
    let (activity, evidence) = machine.later();
    assert_eq!((activity.state, evidence.claim), (ActivityState::NeedsPermission, Claim::Ask));
    assert_eq!(reason::all(&evidence), [format!("permission: {}", machine.edit())]);
    assert_eq!(activity.detail.as_deref(), Some("another session here waits for permission"));
    machine.enter_this("sessions-busy.json", &of_session("busy"));
    assert_eq!(reason::all(&machine.later().1), [format!("a turn runs: {}", machine.edit())]);
    machine.enter_this("sessions-idle.json", &of_session("idle"));
    assert_eq!(machine.later().0.state, ActivityState::Idle);
}

#[test]
fn of_several_processes_one_with_a_screen_speaks_and_a_look_of_ones_own_never() {
    let mut machine = Machine::in_a_turn("waiting-permission.jsonl");
    let child = Living::start_with("CLOSEOUT_PROBE");
    let mut headless = of_session("busy");
    headless["entrypoint"] = json!("sdk-cli");
    machine.enter(child.0.id(), "sessions-busy.json", &headless);
    // Whichever closeout started it, and however many processes are between.
    machine.assert_ended("a look of closeout's own");
    // A session like any other, until one with a screen is there.
    machine.enter_this("sessions-busy.json", &headless);
    assert_eq!(machine.session().live, live(LiveStatus::Busy));
    machine.enter(child.0.id(), "sessions-waiting-permission.json", &json!({"statusUpdatedAt": 5}));
    let waits = LiveStatus::Waiting { on: WaitsOn::Permission };
    assert_eq!(machine.session().live[0].status, waits);
}

#[test]
fn only_the_entry_of_the_session_is_watched() {
    let mut machine = Machine::in_a_turn("waiting-permission.jsonl");
    let child = Living::start();
    machine.enter(child.0.id(), "sessions-busy.json", &json!({"sessionId": "of another workspace"}));
    machine.assert_ended("only another's entry");
    machine.enter_this("sessions-busy.json", &of_session("busy"));
    machine.session();
    let targets = machine.entry_targets();
    assert_eq!(targets.len(), 1);
    assert_eq!(*targets[0].folder, *machine.config_dir.join("sessions"));
    assert_eq!(targets[0].names, Names::these([format!("{}.json", std::process::id())]));
    assert_eq!(targets[0].parts(), Parts::WORDS);
    let sample = machine.sample(LATER, None);
    assert!(sample.watch_targets.contains(&targets[0]));
    // The process takes a new session: the old one is none of its any more.
    machine.enter_this("sessions-busy.json", &json!({"sessionId": "after clear"}));
    machine.assert_ended("after /clear");
}

#[test]
fn entries_that_are_broken_and_files_that_are_none_tell_nothing() {
    let mut machine = Machine::in_a_turn("waiting-permission.jsonl");
    machine.enter_this("sessions-busy.json", &of_session("busy"));
    let file = machine.entry_file(std::process::id());
    let good = fs::read_to_string(&file).unwrap();
    let folder = file.parent().unwrap().to_owned();
    let without = |field: &str| {
        let mut entry: Value = serde_json::from_str(&good).unwrap();
        entry.as_object_mut().unwrap().remove(field);
        entry.to_string()
    };
    let cut = good[..good.len() / 2].to_owned();
    let huge = good.trim_end_matches('}').to_owned() + &" ".repeat(1 << 20) + "}";
    let contents = [cut, huge, String::new(), "[]".to_owned(), "\0\u{1b}[2J".to_owned(), "[".repeat(60_000)];
    let fields = ["procStart", "status", "sessionId", "pid"].map(without);
    let unknown = good.replace("\"busy\"", "\"dreaming\"");
    for content in contents.into_iter().chain(fields).chain([unknown]) {
        assert_ne!(content, good);
        fs::write(&file, &content).unwrap();
        machine.assert_by_the_record_alone(&content.chars().take(400).collect::<String>());
    }
    fs::remove_file(&file).unwrap();
    // Another's number, names that are no numbers, and the secret beside an entry.
    let pid = std::process::id();
    for name in ["1.json".to_owned(), format!("+{pid}.json"), format!("0{pid}.json"), format!("{pid}.key")] {
        fs::write(folder.join(&name), &good).unwrap();
        machine.assert_by_the_record_alone(&name);
    }
    std::os::unix::fs::symlink(folder.join("1.json"), &file).unwrap();
    machine.assert_by_the_record_alone("a link");
    fs::remove_file(&file).unwrap();
    let mode = rustix::fs::Mode::RUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &file, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    machine.assert_by_the_record_alone("a FIFO");
    fs::remove_file(&file).unwrap();
    fs::write(&file, &good).unwrap();
    assert_eq!(machine.session().live, live(LiveStatus::Busy));
}
