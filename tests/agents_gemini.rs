//! Tests of the room `agent`: real records of Gemini CLI, and files as they go wrong.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use closeout::agent::{
    self, Adapter, Argument, Asking, COPY_PREFIX, Memories, SessionsRead, Survey, SurveyAsk, Trace,
};
use closeout::model::{
    ItemState, Names, ReadProblem, SessionObservation, SessionOrigin, SessionPlace, Timestamp, TurnState,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::turns::texts;

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agents/gemini");
    fs::read_to_string(folder.join(name)).unwrap()
}

/// A machine of its own: a workspace, and the client's folder with one project.
struct Machine {
    _temp: TempDir,
    home: PathBuf,
    workspace: PathBuf,
    chats: PathBuf,
    memory: Memories,
    survey: Memories,
}

impl Machine {
    fn new() -> Machine {
        let temp = crate::support::scratch::folder();
        let top = temp.path().canonicalize().unwrap();
        let workspace = top.join("work");
        fs::create_dir(&workspace).unwrap();
        let home = top.join("gemini");
        let chats = home.join("tmp/work/chats");
        fs::create_dir_all(&chats).unwrap();
        let machine = Machine {
            _temp: temp,
            home,
            workspace,
            chats,
            memory: Memories::default(),
            survey: Memories::default(),
        };
        machine.list(&json!({ machine.workspace.to_str().unwrap(): "work" }));
        machine
    }

    fn list(&self, projects: &Value) {
        fs::write(self.home.join("projects.json"), json!({ "projects": projects }).to_string()).unwrap();
    }

    fn adapters(&self) -> [Adapter; 1] {
        [Adapter::named("gemini", self.home.clone()).unwrap()]
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.chats.join(format!("session-2026-11-21T20-38-{name}.jsonl"));
        fs::write(&path, text).unwrap();
        path
    }

    fn survey_with(&mut self, ask: &SurveyAsk<'_>) -> Survey {
        agent::survey(&self.adapters(), ask, &mut self.survey)
    }

    fn survey(&mut self) -> Survey {
        self.survey_with(&SurveyAsk { since: Timestamp(0), all_of: &[], within: None })
    }

    fn read_at(&mut self, places: &[SessionPlace]) -> SessionsRead {
        agent::sessions(&self.adapters(), &self.workspace, places, &mut self.memory)
    }

    fn read(&mut self) -> SessionsRead {
        let places: Vec<SessionPlace> = self.survey().found.into_iter().map(|found| found.place).collect();
        self.read_at(&places)
    }

    /// The only session.
    fn session(&mut self) -> SessionObservation {
        let read = self.read();
        assert_eq!(read.trouble, []);
        assert_eq!(read.sessions.len(), 1, "{read:?}");
        read.sessions.into_iter().next().unwrap()
    }
}

fn of_text(text: &str) -> SessionObservation {
    let mut machine = Machine::new();
    machine.write("aaaaaaaa", text);
    machine.session()
}

fn of_fixture(name: &str) -> SessionObservation {
    of_text(&fixture(name))
}

const HEAD: &str =
    r#"{"sessionId":"s-1","projectHash":"h","startTime":"2026-11-21T20:00:00Z","kind":"main"}"#;

#[test]
fn the_turns_of_recorded_chats_are_read() {
    let history = of_fixture("chats/edit-dirty.jsonl").history;
    assert_eq!(
        crate::support::turns::texts(&history),
        [
            "person: Make main print hello", "edit /home/user/project/main.rs",
            "edit /home/user/project/NOTES.md", "run git status --short && false: Code(1)", "Finished",
        ]
    );
    let todos = of_fixture("chats/todos.jsonl").history.todos.expect("a list");
    assert!(todos.at.is_some() && !todos.list.items.is_empty());
}

fn at(second: u32) -> String {
    format!("2026-11-21T20:00:{second:02}.000Z")
}

fn moment(text: &str) -> Option<Timestamp> {
    let at: jiff::Timestamp = text.parse().ok()?;
    Some(Timestamp(at.as_millisecond()))
}

fn user(id: &str, text: &str, second: u32) -> String {
    json!({"id": id, "timestamp": at(second), "type": "user", "content": [{"text": text}]}).to_string()
}

fn reply(id: &str, text: &str, second: u32) -> String {
    json!({"id": id, "timestamp": at(second), "type": "gemini", "content": text, "model": "m",
        "tokens": {"input": 7}})
    .to_string()
}

fn calling(id: &str, text: &str, status: &str, second: u32) -> String {
    json!({"id": id, "timestamp": at(second), "type": "gemini", "content": text, "toolCalls": [
        {"id": "c", "name": "run_shell_command", "args": {"command": "cargo test"}, "status": status}]})
    .to_string()
}

fn notice(kind: &str, text: &str, second: u32) -> String {
    json!({"id": format!("n{second}"), "timestamp": at(second), "type": kind, "content": text}).to_string()
}

fn chat(lines: &[String]) -> String {
    std::iter::once(HEAD).chain(lines.iter().map(String::as_str)).flat_map(|line| [line, "\n"]).collect()
}

// --- what the records say ---------------------------------------------------------------------------

#[test]
fn a_statement_ends_the_turn_with_its_words() {
    let session = of_fixture("chats/statement.jsonl");
    assert_eq!(session.agent, "gemini");
    assert_eq!(session.session_id, "47352845-8a8c-49cd-86a4-29088423769e");
    assert_eq!(session.prompt.as_deref(), Some("Fix the parser"));
    assert_eq!(session.prompted_at, moment("2026-11-21T20:38:38.611Z"));
    let message = session.last_message.unwrap();
    assert_eq!(message.text, "I fixed the parser and all 12 tests pass. The work is complete.");
    assert_eq!(message.at, moment("2026-11-21T20:38:38.947Z"));
    assert_eq!(session.turn, TurnState::Ended { at: moment("2026-11-21T20:38:38.947Z") });
    assert_eq!(session.model.as_deref(), Some("gemini-3.8-flash"));
    assert_eq!(session.usage.context_tokens, Some(100));
    assert_eq!(session.usage.n_turns, Some(1));
    assert_eq!(session.n_skipped_lines, 0);
    assert!(!session.is_partial);
}

#[test]
fn a_question_is_the_last_message() {
    let session = of_fixture("chats/question.jsonl");
    assert!(session.last_message.unwrap().text.ends_with("Which of the two would you like?"));
    assert!(matches!(session.turn, TurnState::Ended { .. }));
}

#[test]
fn the_todo_list_is_the_one_written_last() {
    let session = of_fixture("chats/todos.jsonl");
    let items: Vec<_> =
        session.todos.unwrap().items.into_iter().map(|item| (item.title, item.state)).collect();
    let item = |title: &str, state| (title.to_owned(), state);
    assert_eq!(
        items,
        [
            item("Read the log files", ItemState::Done),
            item("Write the report module", ItemState::Active),
            item("Add tests", ItemState::Open),
        ]
    );
    assert_eq!(session.model.as_deref(), Some("gemini-2.5-pro"));
    assert!(session.name.unwrap().starts_with("{\"complexity_score\""));
}

#[test]
fn a_todo_list_that_the_client_refused_is_none() {
    let refused = fixture("chats/todos.jsonl").replace(r#""status":"success""#, r#""status":"error""#);
    assert_eq!(of_text(&refused).todos, None);
}

#[test]
fn tools_that_answered_do_not_end_the_turn_and_the_last_reply_does() {
    let text = fixture("chats/edit-dirty.jsonl");
    let session = of_text(&text);
    let said = "main.rs now prints hello. I have not committed it and there is no test yet.";
    assert_eq!(session.last_message.unwrap().text, said);
    assert!(matches!(session.turn, TurnState::Ended { .. }));
    // Up to the answer of the first tool.
    let begin: String = text.split_inclusive('\n').take(8).collect();
    assert!(matches!(of_text(&begin).turn, TurnState::Open { tool: None, .. }));
}

#[test]
fn a_resumed_record_keeps_its_times_and_counts_no_message_twice() {
    let session = of_fixture("chats/continued.jsonl");
    assert_eq!(session.prompt.as_deref(), Some("STATUS?"));
    assert_eq!(session.usage.n_turns, Some(2));
    assert!(session.last_message.unwrap().text.starts_with("{\"state\":\"unfinished\""));
    assert!(matches!(session.turn, TurnState::Ended { .. }));
    assert_eq!(session.n_skipped_lines, 0);
    // As it was when it was resumed and nothing new was asked: the words are as old as they were.
    let text = fixture("chats/continued.jsonl");
    let n_resumed = text.lines().position(|line| line.contains("STATUS?")).unwrap();
    let begin: String = text.split_inclusive('\n').take(n_resumed).collect();
    let resumed = of_text(&begin);
    assert_eq!(resumed.prompted_at, moment("2026-11-21T20:38:49.265Z"));
    assert_eq!(resumed.last_message.unwrap().at, moment("2026-11-21T20:38:49.963Z"));
    assert_eq!(resumed.turn, TurnState::Ended { at: moment("2026-11-21T20:38:49.963Z") });
}

#[test]
fn a_turn_that_was_broken_off_stays_so_when_the_client_writes_its_history_again() {
    let text = fixture("chats/tui.jsonl");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let n_waits = lines.iter().position(|line| line.contains("9d90a33b")).unwrap();
    let waits = of_text(&lines[..=n_waits].concat());
    assert!(matches!(waits.turn, TurnState::Open { .. }), "{:?}", waits.turn);
    let n_slow = lines.iter().position(|line| line.contains("SLOW please")).unwrap();
    let stopped = of_text(&lines[..n_slow].concat());
    assert_eq!(stopped.turn, TurnState::Interrupted { at: moment("2026-11-21T20:41:22.413Z") });
    assert_eq!(stopped.prompt.as_deref(), Some("Make main print hello"));
    assert_eq!(stopped.usage.n_turns, Some(2));
    let asked = of_text(&lines[..=n_slow].concat());
    assert_eq!(
        asked.turn,
        TurnState::Open { since: moment("2026-11-21T20:41:25.059Z"), tool: None, what: None }
    );
    let whole = of_text(&text);
    assert_eq!(whole.prompt.as_deref(), Some("l1\nl2\nl3\nl4\nl5"));
    assert!(matches!(whole.turn, TurnState::Ended { .. }));
}

#[test]
fn an_interrupted_prompt_that_the_client_drops_and_goes_on_after_by_itself_stays_interrupted() {
    let set = |messages: &[&str]| {
        json!({"$set": {"messages": messages.iter().map(|line| {
        serde_json::from_str::<serde_json::Value>(line).unwrap()
    }).collect::<Vec<_>>()}})
        .to_string()
    };
    let before = [user("a", "Add a page", 1), reply("b", "Done.", 2)];
    let cut = [
        user("c", "Rename add", 3),
        calling("d", "I rename it.", "success", 4),
        notice("info", "Request cancelled.", 5),
    ];
    let nudge = "[System: You executed a tool but returned nothing. Explain your progress.]";
    let after = [set(&[&before[0], &before[1]]), user("e", nudge, 6), reply("f", "OK.", 7)];
    let session = of_text(&chat(&[&before[..], &cut, &after].concat()));
    assert_eq!(session.prompt.as_deref(), Some("Rename add"));
    assert_eq!(session.turn, TurnState::Interrupted { at: moment(&at(5)) });
    assert_eq!(session.usage.n_turns, Some(2));
    // The next prompt begins a turn of its own.
    let next = [user("g", "Go on", 8), reply("h", "It is renamed.", 9)];
    let session = of_text(&chat(&[&before[..], &cut, &after, &next].concat()));
    assert_eq!(session.turn, TurnState::Ended { at: moment(&at(9)) });
    assert_eq!(session.prompt.as_deref(), Some("Go on"));
    assert_eq!(session.usage.n_turns, Some(3));
}

#[test]
fn a_prompt_without_an_answer_is_an_open_turn() {
    let session = of_text(&chat(&[reply("a", "Hello.", 1), user("b", "Go on", 2)]));
    assert_eq!(session.turn, TurnState::Open { since: moment(&at(2)), tool: None, what: None });
    assert_eq!(session.last_message.unwrap().text, "Hello.");
}

#[test]
fn a_call_that_has_not_answered_is_named_with_what_it_was_called_with() {
    for status in ["executing", "awaiting_approval", "scheduled", "validating", "a new word"] {
        let session = of_text(&chat(&[user("a", "Test it", 1), calling("b", "I'll test.", status, 2)]));
        let expected = TurnState::Open {
            since: moment(&at(2)),
            tool: Some("run_shell_command".to_owned()),
            what: Some("cargo test".to_owned()),
        };
        assert_eq!(session.turn, expected, "{status}");
    }
}

#[test]
fn a_reply_without_words_has_called_a_tool() {
    let session = of_text(&chat(&[user("a", "Test it", 1), reply("b", "", 2)]));
    assert_eq!(session.turn, TurnState::Open { since: moment(&at(2)), tool: None, what: None });
}

#[test]
fn a_record_that_comes_again_counts_once_and_as_it_is_last() {
    let session = of_text(&chat(&[
        user("a", "Test it", 1),
        reply("b", "I'll", 2),
        reply("b", "I'll test.", 2),
        calling("b", "I'll test.", "success", 2),
    ]));
    assert_eq!(session.last_message.unwrap().text, "I'll test.");
    assert_eq!(session.usage.n_turns, Some(1));
    assert!(matches!(session.turn, TurnState::Open { tool: None, .. }));
}

#[test]
fn an_error_in_an_open_turn_ends_it_and_one_after_it_does_not() {
    let failed = chat(&[user("a", "Test it", 1), notice("error", "[API Error: quota]", 2)]);
    let error = "[API Error: quota]".to_owned();
    assert_eq!(of_text(&failed).turn, TurnState::Failed { at: moment(&at(2)), error });
    let after = chat(&[
        user("a", "Test it", 1),
        reply("b", "Done.", 2),
        notice("error", "Unknown command: /x", 3),
        notice("info", "Update available", 4),
        notice("warning", "Slow", 5),
    ]);
    let session = of_text(&after);
    assert_eq!(session.turn, TurnState::Ended { at: moment(&at(2)) });
    assert_eq!(session.n_skipped_lines, 0);
    let again = format!("{failed}{}\n", reply("b", "Done.", 3));
    assert_eq!(of_text(&again).turn, TurnState::Ended { at: moment(&at(3)) });
}

#[test]
fn what_was_rewound_does_not_count() {
    let mut lines =
        vec![user("a", "First", 1), reply("b", "One.", 2), user("c", "Second", 3), reply("d", "Two.", 4)];
    lines.push(json!({"$rewindTo": "c"}).to_string());
    let session = of_text(&chat(&lines));
    assert_eq!(session.last_message.unwrap().text, "One.");
    assert_eq!(session.prompt.as_deref(), Some("First"));
    assert_eq!(session.turn, TurnState::Ended { at: moment(&at(2)) });
    // A message that is not known takes all with it, as in the client.
    lines.push(json!({"$rewindTo": "z"}).to_string());
    let mut machine = Machine::new();
    machine.write("aaaaaaaa", &chat(&lines));
    assert_eq!(machine.read().sessions, []);
}

#[test]
fn messages_that_replace_all_others_replace_them() {
    let summary = json!({"$set": {"messages": [
        {"id": "s", "timestamp": at(5), "type": "user", "content": [{"text": "<state_snapshot>…"}]},
        {"id": "t", "timestamp": at(5), "type": "gemini", "content": [{"text": "Got it."}]}]}});
    let session = of_text(&chat(&[
        user("a", "First", 1),
        reply("b", "One.", 2),
        summary.to_string(),
        reply("e", "", 6),
    ]));
    assert_eq!(session.last_message.unwrap().text, "Got it.");
    assert_eq!(session.usage.n_turns, Some(1));
    assert!(matches!(session.turn, TurnState::Open { .. }));
}

#[test]
fn unknown_lines_are_counted_and_passed_over() {
    let session = of_text(&chat(&[
        user("a", "First", 1),
        json!({"id": "x", "type": "new_kind", "content": "?"}).to_string(),
        json!({"what": 1}).to_string(),
        "no json".to_owned(),
        "[]".to_owned(),
        reply("b", "One.", 2),
    ]));
    assert_eq!(session.n_skipped_lines, 4);
    assert_eq!(session.turn, TurnState::Ended { at: moment(&at(2)) });
}

// --- which sessions there are -----------------------------------------------------------------------

#[test]
fn a_session_is_found_with_the_folder_that_the_list_names() {
    let mut machine = Machine::new();
    let record = machine.write("47352845", &fixture("chats/statement.jsonl"));
    let survey = machine.survey();
    assert_eq!(survey.problems, []);
    assert_eq!(survey.found.len(), 1);
    let place = &survey.found[0].place;
    assert_eq!(place.folder, machine.workspace);
    assert_eq!(place.session_id, "47352845-8a8c-49cd-86a4-29088423769e");
    assert_eq!(place.record, record);
}

#[test]
fn the_clients_own_mark_outranks_the_list() {
    let mut machine = Machine::new();
    machine.write("aaaaaaaa", &fixture("chats/statement.jsonl"));
    let mark = machine.home.join("tmp/work/.project_root");
    fs::write(&mark, "/somewhere/else\n").unwrap();
    assert_eq!(machine.survey().found[0].place.folder, Path::new("/somewhere/else"));
    // A mark that is no absolute path is none.
    fs::write(&mark, "../..").unwrap();
    assert_eq!(machine.survey().found[0].place.folder, machine.workspace);
}

#[test]
fn sessions_of_a_project_that_nothing_names_are_left_out_and_counted() {
    let mut machine = Machine::new();
    machine.write("aaaaaaaa", &fixture("chats/statement.jsonl"));
    machine.write("bbbbbbbb", &fixture("chats/question.jsonl"));
    machine.list(&json!({}));
    let survey = machine.survey();
    assert_eq!(survey.found, []);
    assert_eq!(survey.problems.len(), 1);
    assert!(survey.problems[0].detail.starts_with("2 sessions are left out"), "{:?}", survey.problems);
}

#[test]
fn names_in_the_list_never_become_paths() {
    let mut machine = Machine::new();
    // A folder of chats outside `tmp`, which `../outside` would reach.
    let outside = machine.home.join("outside/chats");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("session-1-aaaaaaaa.jsonl"), fixture("chats/statement.jsonl")).unwrap();
    machine.list(&json!({
        "/a": "../outside", "/b": "../..", "/c": "", "/d": ".", "/e": "a/b", "/f": "/etc", "relative": "work",
    }));
    let survey = machine.survey();
    assert_eq!(survey.found, []);
    assert_eq!(survey.problems.len(), 1);
    assert_eq!(survey.problems[0].problem, ReadProblem::Invalid);
    let targets = survey.watch_targets.iter().all(|target| target.folder.starts_with(&machine.home));
    assert!(targets, "{:?}", survey.watch_targets);
}

#[test]
fn a_list_that_is_broken_is_said_and_the_marks_still_count() {
    let mut machine = Machine::new();
    machine.write("aaaaaaaa", &fixture("chats/statement.jsonl"));
    fs::write(machine.home.join("tmp/work/.project_root"), machine.workspace.to_str().unwrap()).unwrap();
    let list = machine.home.join("projects.json");
    for broken in ["", "{", "[]", r#"{"projects":[]}"#, r#"{"projects":{"/a":5}}"#, "\u{0}\u{0}"] {
        fs::write(&list, broken).unwrap();
        let survey = machine.survey();
        assert_eq!(survey.found.len(), 1, "{broken:?}");
        assert_eq!(survey.problems.len(), 1, "{broken:?}");
    }
    fs::remove_file(&list).unwrap();
    fs::create_dir(&list).unwrap();
    assert_eq!(machine.survey().problems[0].problem, ReadProblem::NotAFile);
}

#[test]
fn old_sessions_are_counted_and_not_read() {
    let mut machine = Machine::new();
    let old = machine.write("aaaaaaaa", &fixture("chats/statement.jsonl"));
    machine.write("bbbbbbbb", &fixture("chats/question.jsonl"));
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
    File::options().write(true).open(&old).unwrap().set_modified(long_ago).unwrap();
    let ask = SurveyAsk { since: Timestamp(1_000_001), all_of: &[], within: None };
    let survey = machine.survey_with(&ask);
    assert_eq!((survey.found.len(), survey.n_older), (1, 1));
    assert_eq!(machine.survey().found.len(), 2);
}

#[test]
fn only_sessions_within_a_folder_are_found_when_it_is_named() {
    let mut machine = Machine::new();
    machine.write("aaaaaaaa", &fixture("chats/statement.jsonl"));
    let within = machine.workspace.clone();
    let ask = SurveyAsk { since: Timestamp(0), all_of: &[], within: Some(&within) };
    assert_eq!(machine.survey_with(&ask).found.len(), 1);
    let elsewhere = SurveyAsk { since: Timestamp(0), all_of: &[], within: Some(Path::new("/elsewhere")) };
    assert_eq!(machine.survey_with(&elsewhere).found, []);
    // The client's list has the path by which a person went there.
    let link = machine.workspace.with_file_name("link");
    symlink(&machine.workspace, &link).unwrap();
    machine.list(&json!({ link.to_str().unwrap(): "work" }));
    assert_eq!(machine.survey_with(&ask).found.len(), 1);
}

#[test]
fn what_subagents_did_stands_among_the_steps() {
    let mut machine = Machine::new();
    machine.write("aaaaaaaa", &chat(&[user("a", "Look", 1), reply("b", "Seen.", 9)]));
    let session = machine.session();
    let below = machine.chats.join(session.session_id.as_str());
    fs::create_dir(&below).unwrap();
    let own = |lines: &[String]| chat(lines).replace(r#""kind":"main""#, r#""kind":"subagent""#);
    fs::write(below.join("x.jsonl"), own(&[user("c", "Help", 3), calling("d", "", "success", 4)])).unwrap();
    let steps = |machine: &mut Machine| texts(&machine.session().history)[1..].to_vec();
    let told = steps(&mut machine);
    assert!(told[0].starts_with("run cargo test: ") && told[1] == "Finished", "{told:?}");
    fs::write(
        below.join("x.jsonl"),
        own(&[user("c", "Help", 3), "7".to_owned(), calling("d", "", "success", 4)]),
    )
    .unwrap();
    assert_eq!(steps(&mut machine).last().unwrap(), "Finished (steps are missing)");
}

#[test]
fn subagents_and_looks_of_closeouts_own_are_no_sessions() {
    let mut machine = Machine::new();
    let lines = [user("a", "Look", 1), reply("b", "Seen.", 2)];
    machine.write("aaaaaaaa", &chat(&lines).replace(r#""kind":"main""#, r#""kind":"subagent""#));
    let imported = |path: &str| {
        chat(&[
            notice("info", &format!("Imported session from {path}"), 0),
            lines[0].clone(),
            lines[1].clone(),
        ])
    };
    let copy = format!("/tmp/x/{COPY_PREFIX}1.jsonl");
    machine.write("bbbbbbbb", &imported(&copy));
    fs::create_dir(machine.chats.join("s-1")).unwrap();
    fs::write(machine.chats.join("s-1/session-x.jsonl"), chat(&lines)).unwrap();
    assert_eq!(machine.survey().found, []);
    // A person's own import is a fork.
    machine.write("cccccccc", &imported("/home/user/saved.jsonl"));
    assert_eq!(machine.session().origin, SessionOrigin::Fork { of: None });
}

#[test]
fn a_survey_watches_for_what_would_be_new_and_for_nothing_else() {
    let mut machine = Machine::new();
    machine.write("aaaaaaaa", &fixture("chats/statement.jsonl"));
    let targets: Vec<_> = machine
        .survey()
        .watch_targets
        .into_iter()
        .map(|target| (target.folder.to_path_buf(), target.names, target.is_arrivals_only))
        .collect();
    assert_eq!(
        targets,
        [
            (machine.home.clone(), Names::these(["projects.json"]), false),
            (machine.home.join("tmp"), Names::Any, true),
            (machine.chats.clone(), Names::Ending(".jsonl".to_owned()), true),
        ]
    );
    let read = machine.read();
    assert_eq!(read.watch_targets.len(), 1);
    assert_eq!(*read.watch_targets[0].folder, *machine.chats);
    assert_eq!(read.watch_targets[0].names, Names::these(["session-2026-11-21T20-38-aaaaaaaa.jsonl"]));
}

#[test]
fn a_machine_without_the_client_has_no_sessions_and_no_problems() {
    let mut machine = Machine::new();
    fs::remove_dir_all(&machine.home).unwrap();
    let survey = machine.survey();
    assert_eq!((survey.found, survey.problems), (Vec::new(), Vec::new()));
    assert_eq!(survey.watch_targets.len(), 2);
}

#[test]
fn a_head_that_is_still_being_written_is_read_again() {
    let mut machine = Machine::new();
    let record = machine.write("aaaaaaaa", "");
    assert_eq!(machine.survey().found.len(), 1);
    assert_eq!(machine.read().sessions, []);
    fs::write(&record, fixture("chats/statement.jsonl")).unwrap();
    assert_eq!(machine.session().session_id, "47352845-8a8c-49cd-86a4-29088423769e");
    assert_eq!(machine.survey().found[0].place.session_id, "47352845-8a8c-49cd-86a4-29088423769e");
}

// --- bad input --------------------------------------------------------------------------------------

#[test]
fn what_is_appended_is_followed_and_a_half_line_waits() {
    let mut machine = Machine::new();
    let record = machine.write("aaaaaaaa", &chat(&[user("a", "First", 1)]));
    assert!(matches!(machine.session().turn, TurnState::Open { .. }));
    let mut file = OpenOptions::new().append(true).open(&record).unwrap();
    let line = reply("b", "Done.", 2);
    let (begin, end) = line.split_at(30);
    file.write_all(begin.as_bytes()).unwrap();
    assert!(matches!(machine.session().turn, TurnState::Open { .. }));
    file.write_all(format!("{end}\n").as_bytes()).unwrap();
    assert_eq!(machine.session().turn, TurnState::Ended { at: moment(&at(2)) });
}

#[test]
fn a_record_that_was_cut_or_written_anew_is_opened_anew() {
    let mut machine = Machine::new();
    let record = machine.write("aaaaaaaa", &fixture("chats/edit-dirty.jsonl"));
    machine.session();
    fs::write(&record, chat(&[user("a", "Other", 1), reply("b", "Other words.", 2)])).unwrap();
    assert_eq!(machine.session().last_message.unwrap().text, "Other words.");
    // The client writes a record that it cannot read anew, by a new file in its place.
    let beside = record.with_extension("tmp");
    fs::write(&beside, fixture("chats/question.jsonl")).unwrap();
    fs::rename(&beside, &record).unwrap();
    assert!(machine.session().last_message.unwrap().text.ends_with("would you like?"));
}

#[test]
fn a_binary_record_and_one_that_is_cut_in_a_line_do_no_harm() {
    let mut machine = Machine::new();
    let whole = fixture("chats/edit-dirty.jsonl").into_bytes();
    let record = machine.write("aaaaaaaa", "");
    for length in (0..whole.len()).step_by(97) {
        fs::write(&record, &whole[..length]).unwrap();
        let read = machine.read();
        assert_eq!(read.trouble, []);
        assert!(read.sessions.len() <= 1);
    }
    let binary: Vec<u8> = (0..200_000_u32).map(|n| u8::try_from(n * 31 % 251).unwrap()).collect();
    fs::write(&record, &binary).unwrap();
    assert_eq!(machine.read().sessions, []);
    let mut mixed = binary;
    mixed
        .extend_from_slice(format!("\n{}", chat(&[user("a", "First", 1), reply("b", "One.", 2)])).as_bytes());
    fs::write(&record, &mixed).unwrap();
    assert_eq!(machine.session().last_message.unwrap().text, "One.");
}

#[test]
fn a_line_that_is_too_long_is_passed_over_and_nothing_is_made_of_it() {
    let mut machine = Machine::new();
    let huge = calling("b", &"x".repeat(9 << 20), "success", 2);
    let lines = [user("a", "First", 1), reply("b", "I'll look.", 2), huge];
    machine.write("aaaaaaaa", &chat(&lines));
    let session = machine.session();
    assert_eq!(session.turn, TurnState::Unknown);
    assert_eq!(session.n_skipped_lines, 1);
}

#[test]
fn a_long_record_is_read_from_its_end_and_its_todos_are_found_before() {
    let mut machine = Machine::new();
    let todos = json!({"id": "t", "timestamp": at(1), "type": "gemini", "content": "", "toolCalls": [
        {"id": "c", "name": "write_todos", "status": "success",
         "args": {"todos": [{"description": "One", "status": "in_progress"}, {"description": "Gone", "status": "cancelled"}]}}]});
    let mut lines = vec![user("a", "First", 0)];
    for n in 0..12_000 {
        lines.push(reply(&format!("r{n}"), &"words ".repeat(50), 2));
    }
    lines.insert(9_000, todos.to_string());
    lines.push(user("z", "Last", 3));
    lines.push(reply("y", "Done.", 4));
    machine.write("aaaaaaaa", &chat(&lines));
    let session = machine.session();
    assert_eq!(session.prompt.as_deref(), Some("Last"));
    assert_eq!(session.usage.n_turns, None);
    let titles: Vec<_> = session.todos.unwrap().items.into_iter().map(|item| item.title).collect();
    assert_eq!(titles, ["One"]);
}

#[test]
fn what_is_no_regular_file_is_never_opened() {
    let mut machine = Machine::new();
    let record = machine.write("aaaaaaaa", &fixture("chats/statement.jsonl"));
    let places: Vec<SessionPlace> = machine.survey().found.into_iter().map(|found| found.place).collect();
    let elsewhere = machine.workspace.join("elsewhere");
    fs::rename(&record, &elsewhere).unwrap();
    symlink(&elsewhere, &record).unwrap();
    assert_eq!(machine.survey().found, []);
    assert_eq!(machine.read_at(&places).trouble[0].problem, ReadProblem::Link);
    fs::remove_file(&record).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &record, rustix::fs::Mode::RWXU).unwrap();
    assert_eq!(machine.survey().found, []);
    assert_eq!(machine.read_at(&places).trouble[0].problem, ReadProblem::NotAFile);
    fs::remove_file(&record).unwrap();
    let gone = machine.read_at(&places);
    assert_eq!((gone.sessions, gone.trouble), (Vec::new(), Vec::new()));
}

#[test]
fn a_project_that_is_a_link_is_not_followed() {
    let mut machine = Machine::new();
    machine.write("aaaaaaaa", &fixture("chats/statement.jsonl"));
    let project = machine.home.join("tmp/work");
    let elsewhere = machine.workspace.join("elsewhere");
    fs::rename(&project, &elsewhere).unwrap();
    symlink(&elsewhere, &project).unwrap();
    assert_eq!(machine.survey().found, []);
}

// --- commands ---------------------------------------------------------------------------------------

#[test]
fn a_look_goes_into_a_copy_and_nothing_is_written_to_a_session() {
    let mut machine = Machine::new();
    machine.write("aaaaaaaa", &fixture("chats/statement.jsonl"));
    let session = machine.session();
    let [adapter] = machine.adapters();
    let probe =
        adapter.command(&session, &Asking::Probe { prompt: "STATUS?".to_owned(), model: None }).unwrap();
    assert_eq!(probe.trace, Trace::Copy);
    assert_eq!(probe.stdin, "STATUS?");
    assert_eq!(probe.folder, machine.workspace);
    assert!(probe.arguments.contains(&Argument::RecordCopy));
    // The model that did the work, unless its name is none.
    let model = format!("--model={}", session.model.as_deref().unwrap());
    assert_eq!(probe.arguments.last(), Some(&Argument::Text(model)));
    let nameless = SessionObservation { model: Some("-x y".to_owned()), ..session.clone() };
    let other =
        adapter.command(&nameless, &Asking::Probe { prompt: "STATUS?".to_owned(), model: None }).unwrap();
    assert_eq!(other.arguments, probe.arguments[..probe.arguments.len() - 1]);
    let closer = Asking::Closer {
        prompt: "Check".to_owned(),
        schema: "{\"type\":\"object\"}".to_owned(),
        model: None,
    };
    assert!(adapter.command(&session, &closer).unwrap().stdin.contains("{\"type\":\"object\"}"));
    let text = || "Go on".to_owned();
    assert_eq!(adapter.command(&session, &Asking::Reply { text: text() }), None);
    assert_eq!(adapter.command(&session, &Asking::Queue { text: text() }), None);
}

#[test]
fn the_log_of_inputs_tells_when_the_screen_goes_on_to_another_session() {
    let mut machine = Machine::new();
    let record = machine.write("aaaaaaaa", &chat(&[user("a", "Fix it", 10), reply("b", "Done.", 20)]));
    let session = machine.session();
    let [adapter] = machine.adapters();
    let log = machine.home.join("tmp/work/logs.json");
    let told = |inputs: &[(&str, &str, u32)]| {
        let inputs: Vec<Value> = inputs
            .iter()
            .map(|(id, message, second)| {
                json!({"sessionId": id, "messageId": 0, "type": "user", "message": message, "timestamp": at(*second)})
            })
            .collect();
        fs::write(&log, Value::from(inputs).to_string()).unwrap();
        adapter.is_shown(&session, Some(&record), "◇  Ready (work)")
    };
    let first = ("p-1", "Fix it", 9);
    assert_eq!(told(&[first]), Some(true));
    assert_eq!(told(&[("p-1", "/clear", 5), first, ("p-1", "/stats model", 30)]), Some(true));
    for input in ["/clear", "/new", "/resume", "/chat resume x", "/CLEAR", "/of-somebody", "Go on"] {
        assert_eq!(told(&[first, ("p-1", input, 30)]), Some(false), "{input}");
    }
    // Another process in the same folder.
    assert_eq!(told(&[first, ("p-2", "/clear", 30)]), Some(true));
    // Its prompt is not there: another one, or the same words at another time.
    assert_eq!(told(&[("p-1", "Fix all", 9)]), None);
    assert_eq!(told(&[("p-1", "Fix it", 11)]), None);
    assert_eq!(told(&[("p-1", "", 9)]), None);
    fs::write(&log, "[").unwrap();
    assert_eq!(adapter.is_shown(&session, Some(&record), ""), None);
    assert_eq!(adapter.is_shown(&session, None, ""), None);
}

// --- properties -------------------------------------------------------------------------------------

fn any_line() -> impl Strategy<Value = String> {
    let id = "[a-e]";
    prop_oneof![
        (id, "[ -~]{0,12}", 0..60_u32).prop_map(|(id, text, second)| user(&id, &text, second)),
        (id, "[ -~]{0,12}", 0..60_u32).prop_map(|(id, text, second)| reply(&id, &text, second)),
        (id, prop_oneof!["success", "error", "cancelled", "executing"], 0..60_u32)
            .prop_map(|(id, status, second)| calling(&id, "", &status, second)),
        (prop_oneof!["info", "error"], prop_oneof!["Request cancelled.", "[ -~]{0,9}"], 0..60_u32)
            .prop_map(|(kind, text, second)| notice(&kind, &text, second)),
        id.prop_map(|id| json!({ "$rewindTo": id }).to_string()),
        (id, "[ -~]{0,12}").prop_map(|(id, text)| {
            json!({"$set": {"messages": [{"id": id, "type": "gemini", "content": [{"text": text}]}]}})
                .to_string()
        }),
        "[ -~]{0,40}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn following_a_record_comes_to_the_same_as_opening_it(
        lines in proptest::collection::vec(any_line(), 1..30),
        cuts in proptest::collection::vec(0..4000_usize, 0..5),
    ) {
        let text = chat(&lines);
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
        cuts.sort_unstable();
        let mut followed = Machine::new();
        let record = followed.write("aaaaaaaa", "");
        let places: Vec<SessionPlace> = followed.survey().found.into_iter().map(|found| found.place).collect();
        for cut in cuts {
            fs::write(&record, &text.as_bytes()[..cut]).unwrap();
            followed.read_at(&places);
        }
        fs::write(&record, &text).unwrap();
        let mut opened = Machine::new();
        opened.write("aaaaaaaa", &text);
        let without_times = |sessions: Vec<SessionObservation>| -> Vec<SessionObservation> {
            sessions
                .into_iter()
                .map(|session| SessionObservation { written_at: None, folder: None, ..session })
                .collect()
        };
        let by_following = without_times(followed.read_at(&places).sessions);
        prop_assert_eq!(by_following, without_times(opened.read_at(&places_of(&opened)).sessions));
    }
}

fn places_of(machine: &Machine) -> Vec<SessionPlace> {
    let record = machine.chats.join("session-2026-11-21T20-38-aaaaaaaa.jsonl");
    let session_id = "session-2026-11-21T20-38-aaaaaaaa".into();
    vec![SessionPlace { agent: "gemini".to_owned(), session_id, folder: machine.workspace.clone(), record }]
}
