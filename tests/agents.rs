//! Tests of the room `agent`: real transcripts of Claude Code, and files as they go wrong.

mod commands;
mod last_words;
mod registry;
mod sessions;
mod sixth;
mod subagents;
mod survey;

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use closeout::agent::{self, Adapter, Memories, SessionsRead, claude_folder_name, read_claude_transcript};
use closeout::model::{
    Activity, ActivityState, Claim, Evidence, ItemState, Names, Parts, ReadProblem, Reading, Sample,
    SessionObservation, Source, Subagent, TaskKind, Timestamp, TurnState, WatchTarget,
};
use closeout::present::reason;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::weighed_words;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agents/claude")
}

fn fixture(name: &str) -> Vec<u8> {
    fs::read(fixtures().join("transcripts").join(name)).unwrap()
}

/// A machine of its own: a workspace, and a configuration folder with its transcripts.
struct Machine {
    _temp: TempDir,
    config_dir: PathBuf,
    workspace: PathBuf,
    folder: PathBuf,
    memory: Memories,
    /// Of the last reading.
    watch_targets: Vec<WatchTarget>,
    others: Vec<SessionObservation>,
}

impl Machine {
    fn new() -> Machine {
        let temp = crate::support::scratch::folder();
        let top = temp.path().canonicalize().unwrap();
        let workspace = top.join("work");
        fs::create_dir(&workspace).unwrap();
        let config_dir = top.join("claude");
        let folder = config_dir.join("projects").join(claude_folder_name(&workspace));
        fs::create_dir_all(&folder).unwrap();
        Machine {
            _temp: temp,
            config_dir,
            workspace,
            folder,
            memory: Memories::default(),
            watch_targets: Vec::new(),
            others: Vec::new(),
        }
    }

    /// A line as the client writes it, in this workspace.
    fn line(&self, fields: &Value) -> String {
        Machine::line_in(&self.workspace, fields)
    }

    fn line_in(cwd: &Path, fields: &Value) -> String {
        let mut line = json!({"cwd": cwd, "version": "2.1.330", "isSidechain": false});
        line.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        format!("{line}\n")
    }

    fn prompt(&self, text: &str, at: &str) -> String {
        self.line(&json!({"type": "user", "timestamp": at, "promptSource": "typed",
            "message": {"role": "user", "content": text}}))
    }

    fn reply(&self, id: &str, text: &str, at: &str) -> String {
        self.line(&json!({"type": "assistant", "timestamp": at, "message": {"id": id, "model": "m",
            "content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}}))
    }

    fn write(&self, session: &str, text: &str) -> PathBuf {
        let path = self.folder.join(format!("{session}.jsonl"));
        fs::write(&path, text).unwrap();
        path
    }

    fn read(&mut self) -> Reading<SessionObservation> {
        let adapters = [Adapter::named("claude", self.config_dir.clone()).unwrap()];
        let read = agent::sessions(&adapters, &self.workspace, &[], &mut self.memory);
        self.watch_targets = read.watch_targets;
        let mut sessions = read.sessions.into_iter();
        let newest = sessions.next();
        self.others = sessions.collect();
        match (newest, read.trouble.into_iter().next()) {
            (Some(newest), _) => Reading::Present(newest),
            (None, Some(unreadable)) => Reading::Unreadable(unreadable),
            (None, None) => Reading::Absent { name: "session".to_owned() },
        }
    }

    fn session(&mut self) -> SessionObservation {
        let reading = self.read();
        reading.present().cloned().unwrap_or_else(|| panic!("no session: {reading:?}"))
    }

    /// What the session does, and what it claims, at the time `now` (milliseconds) for a check that was
    /// started in `own_session`.
    fn weighed(&self, now: i64, own_session: Option<&str>) -> (Activity, Claim) {
        let sample = self.sample(now, own_session);
        let evidence = sample.evidence.into_iter().map(|(_, evidence)| Arc::unwrap_or_clone(evidence));
        let mut sessions: Vec<Evidence> =
            evidence.filter(|evidence| evidence.source == Source::LiveSession).collect();
        // The one that claims something, if one does.
        sessions.sort_by_key(|evidence| evidence.rejection().is_some());
        let session = sessions.remove(0);
        (sample.session_facts.unwrap().activity.unwrap(), session.claim)
    }

    /// What is made of the words.
    fn sample(&self, now: i64, own_session: Option<&str>) -> Sample {
        weighed_words::sample(weighed_words::Asked {
            workspace: &self.workspace,
            task_kind: TaskKind::Implementation,
            adapter: Adapter::named("claude", self.config_dir.clone()).unwrap(),
            sessions: Vec::new(),
            now,
            own_session,
        })
    }

    /// The lines by which a subagent is sent off into the background, and the turn ends.
    fn sent_off(&self, agent: &str) -> String {
        self.prompt("ask a helper", EARLY)
            + &self.line(&json!({"type": "assistant", "timestamp": EARLY, "message": {"id": "1",
                "stop_reason": "tool_use", "content": [{"type": "tool_use", "id": "t", "name": "Agent", "input": {}}]}}))
            + &self.line(&json!({"type": "user", "timestamp": EARLY,
                "toolUseResult": {"isAsync": true, "status": "async_launched", "agentId": agent},
                "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "sent"}]}}))
            + &self.reply("2", "A helper works on it.", EARLY)
    }

    fn last_words(&mut self) -> String {
        self.session().last_message.unwrap().text
    }
}

fn append(path: &Path, text: &str) {
    OpenOptions::new().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

fn set_time(path: &Path, seconds: u64) {
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

const EARLY: &str = "2026-11-21T20:00:00.000Z";
const LATE: &str = "2026-11-21T20:00:05.000Z";
/// A prompt that can set a task.
const FULL: &str = "add the page of the settings";

#[test]
fn each_recorded_transcript_is_read_as_reviewed() {
    let expected: Value =
        serde_json::from_slice(&fs::read(fixtures().join("expected.json")).unwrap()).unwrap();
    let mut names: Vec<String> = fs::read_dir(fixtures().join("transcripts"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let reviewed: Vec<&String> = expected.as_object().unwrap().keys().collect();
    assert_eq!(reviewed, names.iter().collect::<Vec<_>>());
    for name in &names {
        let session = read_claude_transcript("file-name", &fixture(name));
        let mut session = serde_json::to_value(session).unwrap();
        // The turns have tests of their own: `tests/turn_history.rs`.
        session.as_object_mut().unwrap().remove("history");
        assert_eq!(session, expected[name], "{name}");
    }
}

#[test]
fn a_subagents_own_transcript_is_never_the_sessions() {
    let session = read_claude_transcript("s", &fixture("subagent.sidechain.jsonl"));
    assert_eq!((session.last_message, session.turn), (None, TurnState::Unknown));
}

#[test]
fn the_folder_of_a_workspace_is_its_path_with_dashes() {
    let name = |path: &str| claude_folder_name(Path::new(path));
    assert_eq!(name("/home/user/project"), "-home-user-project");
    assert_eq!(name("/home/user/my.app_2/x-y"), "-home-user-my-app-2-x-y");
    assert_eq!(name("/作業/é"), "-----");
    // Two UTF-16 units.
    assert_eq!(name("/😀"), "---");
}

#[test]
fn the_newest_session_by_the_time_of_its_file_wins() {
    let mut machine = Machine::new();
    let old = machine.write("old", &(machine.prompt("one", EARLY) + &machine.reply("1", "old words", EARLY)));
    let new = machine.write("new", &(machine.prompt("two", LATE) + &machine.reply("2", "new words", LATE)));
    set_time(&old, 1_000_000);
    set_time(&new, 2_000_000);
    let session = machine.session();
    assert_eq!(session.last_message.unwrap().text, "new words");
    assert_eq!(session.session_id, "new");
    assert_eq!(session.written_at, Some(Timestamp(2_000_000_000)));
    set_time(&old, 3_000_000);
    assert_eq!(machine.last_words(), "old words");
}

#[test]
fn a_session_at_work_is_seen_behind_a_newer_one_that_is_over() {
    let mut machine = Machine::new();
    let old = machine.write("old", &machine.prompt("go on", EARLY));
    let new = machine.write("new", &(machine.prompt("hi", LATE) + &machine.reply("2", "Hello.", LATE)));
    set_time(&old, 1_000_000);
    set_time(&new, 1_000_005);
    let session = machine.session();
    assert_eq!(session.session_id, "new");
    let others: Vec<_> = machine.others.iter().map(|other| other.session_id.as_str()).collect();
    assert_eq!(others, ["old"]);
    let (activity, claim) = machine.weighed(1_000_010_000, None);
    assert_eq!((activity.state, claim), (ActivityState::Working, Claim::Work));
    assert_eq!(activity.detail.as_deref(), Some("another session here"));
    // In silence it may have been killed, and a check that it started itself does not count it.
    assert_eq!(machine.weighed(1_000_700_000, None).1.name(), "ABSTAIN");
    assert_eq!(machine.weighed(1_000_010_000, Some("old")).1.name(), "ABSTAIN");
    append(&old, &machine.reply("3", "Done.", LATE));
    set_time(&old, 1_000_004);
    assert_eq!(machine.weighed(1_000_010_000, None).1.name(), "ABSTAIN");
}

#[test]
fn a_turn_that_is_over_waits_for_its_subagents_until_they_report() {
    let mut machine = Machine::new();
    let path = machine.write("s", &machine.sent_off("ab12"));
    set_time(&path, 1_000_000);
    let sent_at = machine.session().subagents[0].moved_at.unwrap();
    let subagents = machine.folder.join("s/subagents");
    fs::create_dir_all(&subagents).unwrap();
    let record = subagents.join("agent-ab12.jsonl");
    fs::write(&record, "{}\n").unwrap();
    let moved_at = sent_at.plus_millis(60_000);
    set_time(&record, u64::try_from(moved_at.0 / 1000).unwrap());
    let subagent = Subagent { id: "ab12".to_owned(), what: None, moved_at: Some(moved_at) };
    assert_eq!(machine.session().subagents, [subagent]);
    let (activity, claim) = machine.weighed(moved_at.0 + 1000, None);
    assert_eq!((activity.state, claim), (ActivityState::Background, Claim::Wait));
    assert_eq!(machine.weighed(moved_at.0 + 700_000, None).1.name(), "ABSTAIN");
    append(
        &path,
        &machine.line(&json!({"type": "user", "timestamp": LATE, "promptSource": "system",
            "origin": {"kind": "task-notification"}, "message": {"role": "user",
            "content": "<task-notification>\n<task-id>ab12</task-id>\n</task-notification>"}})),
    );
    append(&path, &machine.reply("3", "It has reported.", LATE));
    assert_eq!(machine.session().subagents, []);
    assert_eq!(machine.weighed(moved_at.0 + 1000, None).1.name(), "ABSTAIN");
}

#[test]
fn words_on_the_way_to_a_tool_are_not_said_to_be_of_an_earlier_turn() {
    let machine = Machine::new();
    let calls = machine.line(&json!({"type": "assistant", "timestamp": LATE, "message": {"id": "1",
        "stop_reason": "tool_use", "content": [{"type": "text", "text": "Shall I? I write it."},
        {"type": "tool_use", "id": "t", "name": "Write", "input": {}}]}}));
    let path = machine.write("s", &(machine.prompt("go", EARLY) + &calls));
    let reasons = |machine: &Machine| {
        let sample = machine.sample(0, None);
        let mut evidence = sample.evidence.into_iter().map(|(_, evidence)| evidence);
        reason::all(&evidence.find(|evidence| evidence.source == Source::LastWords).unwrap())
    };
    assert_eq!(reasons(&machine), ["said in passing: the turn has not ended"]);
    append(&path, &machine.prompt("no, wait", "2026-11-21T20:00:09.000Z"));
    assert_eq!(reasons(&machine), ["a later turn has begun since"]);
}

#[test]
fn the_id_of_a_subagent_is_no_path() {
    let mut machine = Machine::new();
    machine.write("s", &machine.sent_off("../../escape"));
    assert_eq!(machine.session().subagents, []);
}

#[test]
fn a_session_of_another_workspace_with_the_same_folder_name_does_not_count() {
    let mut machine = Machine::new();
    let elsewhere = machine.workspace.with_file_name("other");
    let foreign = Machine::line_in(
        &elsewhere,
        &json!({"type": "user", "timestamp": LATE, "message": {"role": "user", "content": "theirs"}}),
    );
    let foreign = machine.write("foreign", &foreign);
    set_time(&foreign, 5_000_000);
    assert_eq!(machine.read(), Reading::Absent { name: "session".to_owned() });
    let ours =
        machine.write("ours", &(machine.prompt("ours", EARLY) + &machine.reply("1", "our words", EARLY)));
    set_time(&ours, 4_000_000);
    assert_eq!(machine.last_words(), "our words");
}

#[test]
fn a_session_that_went_into_another_folder_still_belongs_where_it_began() {
    let mut machine = Machine::new();
    let away = machine.workspace.with_file_name("away");
    let filler =
        Machine::line_in(&away, &json!({"type": "attachment", "attachment": {"type": "x".repeat(90_000)}}));
    let prompt = json!({"type": "user", "timestamp": LATE, "promptSource": "typed",
        "message": {"role": "user", "content": "go on"}});
    let reply = json!({"type": "assistant", "timestamp": LATE, "message": {"id": "9",
        "content": [{"type": "text", "text": "from away"}], "stop_reason": "end_turn"}});
    let text = machine.prompt("begin", EARLY)
        + &filler
        + &Machine::line_in(&away, &prompt)
        + &Machine::line_in(&away, &reply);
    machine.write("moved", &text);
    assert_eq!(machine.last_words(), "from away");
}

#[test]
fn a_session_that_was_opened_and_not_used_does_not_hide_the_one_before() {
    let mut machine = Machine::new();
    let used = machine.write("used", &(machine.prompt("one", EARLY) + &machine.reply("1", "words", EARLY)));
    let blank = machine.write("blank", &machine.line(&json!({"type": "mode", "mode": "normal"})));
    set_time(&used, 1_000_000);
    set_time(&blank, 2_000_000);
    assert_eq!(machine.last_words(), "words");
}

#[test]
fn what_is_appended_is_seen_and_a_half_line_waits_for_its_end() {
    let mut machine = Machine::new();
    let path = machine.write("s", &(machine.prompt("do it", EARLY) + &machine.reply("1", "first", EARLY)));
    assert_eq!(machine.last_words(), "first");
    let next = machine.reply("2", "second", LATE);
    let (begin, rest) = next.split_at(next.len() / 2);
    append(&path, begin);
    assert_eq!(machine.last_words(), "first");
    append(&path, rest);
    let session = machine.session();
    assert_eq!(session.last_message.unwrap().text, "second");
    assert_eq!(session.n_skipped_lines, 0);
}

#[test]
fn a_transcript_that_is_cut_or_replaced_is_read_anew() {
    let mut machine = Machine::new();
    let path = machine
        .write("s", &(machine.prompt("do it", EARLY) + &machine.reply("1", "long first words", EARLY)));
    assert_eq!(machine.last_words(), "long first words");
    machine.write("s", &(machine.prompt("do it", EARLY) + &machine.reply("1", "short", EARLY)));
    assert_eq!(machine.last_words(), "short");
    // Rewritten in place, and longer than what was read.
    let longer = machine.prompt("do it", EARLY) + &machine.reply("1", &"other words ".repeat(20), EARLY);
    machine.write("s", &longer);
    assert!(machine.last_words().starts_with("other words"));
    // Another file under the name.
    let aside = path.with_extension("tmp");
    let text = longer.replace("other words", "third words") + &machine.reply("2", "end", LATE);
    fs::write(&aside, text).unwrap();
    fs::rename(&aside, &path).unwrap();
    assert_eq!(machine.last_words(), "end");
}

#[test]
fn a_huge_transcript_is_read_from_its_end() {
    let mut machine = Machine::new();
    let path = machine.folder.join("s.jsonl");
    // 500 MB of hole before the lines that matter.
    let file = File::create(&path).unwrap();
    file.set_len(500 << 20).unwrap();
    // The third prompt that can set a task is surely not before the current one.
    let turn = |id: &str| machine.prompt(FULL, EARLY) + &machine.reply(id, "the end", LATE);
    append(&path, &format!("\n{}{}{}", turn("1"), turn("2"), turn("3")));
    let session = machine.session();
    assert_eq!(session.last_message.unwrap().text, "the end");
    assert_eq!(session.prompt.as_deref(), Some(FULL));
    assert!(!session.is_partial);
}

#[test]
fn a_message_that_lies_far_back_is_found_and_one_out_of_reach_is_said_to_be() {
    let mut machine = Machine::new();
    let result = |machine: &Machine, size: usize| {
        machine.line(&json!({"type": "user", "timestamp": LATE, "message": {"role": "user", "content":
            [{"type": "tool_result", "tool_use_id": "t", "content": "x".repeat(size)}]}}))
    };
    let begin = machine.prompt("do it", EARLY) + &machine.reply("1", "far back", EARLY);
    let near = begin.clone() + &result(&machine, 3 << 20).repeat(2);
    machine.write("s", &near);
    let session = machine.session();
    assert_eq!(session.last_message.unwrap().text, "far back");
    assert!(!session.is_partial);
    machine.write("s", &(begin + &result(&machine, 3 << 20).repeat(12)));
    // What was read before is still known; one who sees it for the first time cannot know it.
    assert!(machine.session().last_message.is_some());
    machine.memory = Memories::default();
    let session = machine.session();
    assert_eq!((session.last_message, session.prompted_at, session.is_partial), (None, None, true));
}

#[test]
fn bad_lines_are_counted_and_the_rest_is_read() {
    let mut machine = Machine::new();
    let mut bytes = machine.prompt("do it", EARLY).into_bytes();
    bytes.extend_from_slice(b"\x00\xff\xfe binary\n{\"type\":\"assistant\",\"message\n\n[1]\n");
    bytes.extend_from_slice(machine.line(&json!({"type": "brand-new-kind"})).as_bytes());
    bytes.extend_from_slice(format!("{{\"type\":\"user\",\"x\":{}}}\n", "[".repeat(200_000)).as_bytes());
    bytes.extend_from_slice(machine.reply("1", "fine", LATE).as_bytes());
    fs::write(machine.folder.join("s.jsonl"), bytes).unwrap();
    let session = machine.session();
    assert_eq!(session.last_message.unwrap().text, "fine");
    assert_eq!(session.n_skipped_lines, 5);
}

#[test]
fn a_line_of_20_mb_is_passed_over_and_does_not_leave_a_tool_open() {
    let mut machine = Machine::new();
    let call =
        machine.line(&json!({"type": "assistant", "timestamp": EARLY, "message": {"id": "1", "content":
        [{"type": "text", "text": "I look."}, {"type": "tool_use", "id": "t", "name": "Read", "input": {}}],
        "stop_reason": "tool_use"}}));
    let result = machine
        .line(&json!({"type": "user", "timestamp": LATE, "message": {"role": "user", "content":
        [{"type": "tool_result", "tool_use_id": "t", "content": "x".repeat(20 << 20)}]}}));
    machine.write("s", &(machine.prompt("do it", EARLY) + &call + &result));
    let session = machine.session();
    assert_eq!(session.last_message.unwrap().text, "I look.");
    assert_eq!(session.n_skipped_lines, 1);
    assert!(matches!(session.turn, TurnState::Open { tool: None, .. }), "{:?}", session.turn);
}

#[test]
fn escape_ends_the_turn_as_interrupted() {
    let machine = Machine::new();
    let interrupt = machine.line(&json!({"type": "user", "timestamp": LATE, "message": {"role": "user",
        "content": [{"type": "text", "text": "[Request interrupted by user for tool use]"}]}}));
    let text = machine.prompt("do it", EARLY) + &interrupt;
    let session = read_claude_transcript("s", text.as_bytes());
    assert!(matches!(session.turn, TurnState::Interrupted { at: Some(_) }));
    assert_eq!(session.prompt.as_deref(), Some("do it"));
}

#[test]
fn a_prompt_without_a_reply_is_an_open_turn_and_a_long_one_is_shortened() {
    let machine = Machine::new();
    let text = machine.reply("1", "done", EARLY) + &machine.prompt(&"あ".repeat(300), LATE);
    let session = read_claude_transcript("s", text.as_bytes());
    assert!(matches!(session.turn, TurnState::Open { tool: None, .. }));
    assert_eq!(session.prompt, Some("あ".repeat(200) + "…"));
    assert!(session.prompted_at > session.last_message.unwrap().at);
}

#[test]
fn a_plan_that_waits_for_approval_is_the_last_message() {
    let machine = Machine::new();
    let call =
        machine.line(&json!({"type": "assistant", "timestamp": LATE, "message": {"id": "1", "content":
        [{"type": "tool_use", "id": "t", "name": "ExitPlanMode", "input": {"plan": "1. Do it"}}],
        "stop_reason": "tool_use"}}));
    let session = read_claude_transcript("s", (machine.prompt("plan", EARLY) + &call).as_bytes());
    assert_eq!(session.last_message.unwrap().text, "1. Do it\n\nExit plan mode?");
    assert!(matches!(session.turn, TurnState::Open { tool: Some(tool), .. } if tool == "ExitPlanMode"));
}

#[test]
fn a_question_beside_a_running_tool_is_what_the_turn_waits_for() {
    let machine = Machine::new();
    let call = machine.line(&json!({"type": "assistant", "timestamp": LATE, "message": {"id": "1", "content": [
        {"type": "tool_use", "id": "t", "name": "Bash", "input": {}},
        {"type": "tool_use", "id": "u", "name": "AskUserQuestion", "input": {"questions": [{"question": "Which?"}]}}],
        "stop_reason": "tool_use"}}));
    let session = read_claude_transcript("s", (machine.prompt("go", EARLY) + &call).as_bytes());
    assert!(matches!(session.turn, TurnState::Open { tool: Some(tool), .. } if tool == "AskUserQuestion"));
    assert_eq!(session.last_message.unwrap().text, "Which?");
}

#[test]
fn a_prompt_that_was_queued_while_the_agent_worked_counts() {
    let machine = Machine::new();
    let queued = |prompt: Value| {
        machine.line(&json!({"type": "attachment", "timestamp": LATE,
            "attachment": {"type": "queued_command", "prompt": prompt}}))
    };
    let text =
        machine.prompt("go", EARLY) + &queued(json!("and the tests")) + &queued(json!([{"type": "image"}]));
    let session = read_claude_transcript("s", text.as_bytes());
    assert_eq!(session.prompt.as_deref(), Some("and the tests"));
    assert_eq!(session.n_skipped_lines, 0);
    let report = machine.prompt("go", EARLY) + &queued(json!("<task-notification>done</task-notification>"));
    assert_eq!(read_claude_transcript("s", report.as_bytes()).prompt.as_deref(), Some("go"));
}

#[test]
fn what_no_person_wrote_is_no_prompt() {
    let machine = Machine::new();
    let line = |fields: Value, text: &str| {
        let mut line =
            json!({"type": "user", "timestamp": LATE, "message": {"role": "user", "content": text}});
        line.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        machine.prompt("mine", EARLY) + &machine.line(&line)
    };
    let others = [
        line(json!({"isMeta": true}), "Stop hook feedback:\ngo on"),
        line(json!({"isCompactSummary": true}), "This session is being continued"),
        line(
            json!({"origin": {"kind": "task-notification"}, "promptSource": "system"}),
            "<task-notification>x",
        ),
        line(json!({"promptSource": "system"}), "a reminder"),
        line(json!({"isSidechain": true}), "a task for a subagent"),
        line(json!({}), "<command-name>/clear</command-name>"),
        line(json!({}), "<local-command-stdout>x</local-command-stdout>"),
        line(json!({}), "<bash-input>ls</bash-input>"),
    ];
    for text in others {
        let session = read_claude_transcript("s", text.as_bytes());
        assert_eq!(session.prompt.as_deref(), Some("mine"), "{text}");
    }
    let theirs = line(json!({"promptSource": "typed"}), "<command-name>/review</command-name>");
    assert_ne!(read_claude_transcript("s", theirs.as_bytes()).prompt.as_deref(), Some("mine"));
}

#[test]
fn the_clients_task_files_outrank_the_transcript() {
    let mut machine = Machine::new();
    let id = "495588f6-d065-4bb0-aca8-93a45ca8ffc9";
    let tasks = machine.config_dir.join("tasks").join(id);
    fs::create_dir_all(&tasks).unwrap();
    for number in 1..=3 {
        let name = format!("{number}.json");
        fs::copy(fixtures().join("tasks").join(&name), tasks.join(&name)).unwrap();
    }
    fs::write(tasks.join("10.json"), r#"{"subject":"Last","status":"pending"}"#).unwrap();
    let text = machine.prompt("do it", EARLY) + &machine.reply("1", "words", LATE);
    machine.write(id, &text);
    let todos = machine.session().todos.unwrap();
    let items: Vec<(&str, ItemState)> = todos.items.iter().map(|item| (&*item.title, item.state)).collect();
    let expected = [
        ("Read the log files", ItemState::Done),
        ("Write the report module", ItemState::Active),
        ("Add tests", ItemState::Open),
        ("Last", ItemState::Open),
    ];
    assert_eq!(items, expected);
    // The client writes a task after the line that tells of it: no line says when it is there.
    let folders: Vec<_> = machine.watch_targets.iter().map(|target| target.folder.clone()).collect();
    assert!(folders.contains(&Arc::from(&*tasks)), "{folders:?}");
    fs::write(tasks.join("3.json"), r#"{"subject":"Add tests","status":"completed"}"#).unwrap();
    assert_eq!(machine.session().todos.unwrap().n_done(), 2);
}

#[test]
fn a_todo_list_that_was_written_long_ago_is_found() {
    let mut machine = Machine::new();
    let todos =
        machine.line(&json!({"type": "assistant", "timestamp": EARLY, "message": {"id": "1", "content":
        [{"type": "tool_use", "id": "t", "name": "TodoWrite",
          "input": {"todos": [{"content": "Ship it", "status": "pending"}]}}], "stop_reason": "tool_use"}}));
    let filler = machine.line(&json!({"type": "attachment", "attachment": {"type": "x".repeat(1 << 20)}}));
    let text = todos
        + &filler
        + &machine.prompt("do it", EARLY)
        + &machine.reply("2", "a", EARLY)
        + &machine.prompt("more", LATE)
        + &machine.reply("3", "b", LATE);
    machine.write("s", &text);
    assert_eq!(machine.session().todos.unwrap().items[0].title, "Ship it");
}

#[test]
fn a_change_of_a_task_that_was_created_long_ago_is_understood_or_said_to_be_partial() {
    let mut machine = Machine::new();
    let call = |machine: &Machine, id: &str, name: &str, input: Value| {
        machine.line(&json!({"type": "assistant", "timestamp": EARLY, "message": {"id": id, "content":
            [{"type": "tool_use", "id": id, "name": name, "input": input}], "stop_reason": "tool_use"}}))
    };
    let created = machine.line(&json!({"type": "user", "timestamp": EARLY,
        "toolUseResult": {"task": {"id": "1", "subject": "Ship it"}},
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "ok"}]}}));
    let create = call(&machine, "a", "TaskCreate", json!({"subject": "Ship it"})) + &created;
    let filler = machine.line(&json!({"type": "attachment", "attachment": {"type": "x".repeat(1 << 20)}}));
    let end = machine.prompt("do it", EARLY)
        + &machine.reply("2", "a", EARLY)
        + &call(&machine, "b", "TaskUpdate", json!({"taskId": "1", "status": "completed"}))
        + &(machine.prompt(FULL, LATE) + &machine.reply("3", "b", LATE)).repeat(3);
    machine.write("near", &(create.clone() + &filler + &end));
    let near = machine.session();
    assert_eq!((near.todos.unwrap().n_done(), near.is_partial), (1, false));
    machine.write("near", &(create + &filler.repeat(5) + &end));
    machine.memory = Memories::default();
    let far = machine.session();
    assert_eq!((far.todos, far.is_partial), (None, true));
}

#[test]
fn links_and_fifos_in_place_of_a_transcript_are_not_followed_and_do_not_hang() {
    let mut machine = Machine::new();
    let secret = machine.workspace.join("secret");
    fs::write(&secret, machine.prompt("secret", EARLY) + &machine.reply("1", "secret", EARLY)).unwrap();
    std::os::unix::fs::symlink(&secret, machine.folder.join("link.jsonl")).unwrap();
    let Reading::Unreadable(unreadable) = machine.read() else { panic!("the link was followed") };
    assert_eq!(unreadable.problem, ReadProblem::Link);
    fs::remove_file(machine.folder.join("link.jsonl")).unwrap();
    let fifo = machine.folder.join("fifo.jsonl");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
        .unwrap();
    let Reading::Unreadable(unreadable) = machine.read() else { panic!("the FIFO was read") };
    assert_eq!(unreadable.problem, ReadProblem::NotAFile);
}

#[test]
fn without_a_home_no_agent_is_configured_and_without_a_folder_there_is_no_session() {
    let mut machine = Machine::new();
    let none = agent::sessions(&[], &machine.workspace, &[], &mut Memories::default());
    assert_eq!(none, SessionsRead::default());
    fs::remove_dir(&machine.folder).unwrap();
    assert_eq!(machine.read(), Reading::Absent { name: "session".to_owned() });
    let targets = &machine.watch_targets;
    assert_eq!(targets.len(), 1);
    assert_eq!(*targets[0].folder, *machine.folder);
    assert_eq!(targets[0].names, Names::Ending(".jsonl".to_owned()));
    assert_eq!(targets[0].parts(), Parts::WORDS);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_can_stand_in_a_transcript(cut in 0usize..40_000, noise in proptest::collection::vec(0u8.., 0..64)) {
        let mut bytes = fixture("tasks.jsonl");
        let at = cut.min(bytes.len());
        bytes.splice(at..at, noise);
        let session = read_claude_transcript("s", &bytes);
        proptest::prop_assert_eq!(session.agent, "claude");
    }
}
