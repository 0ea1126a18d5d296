//! Tests of the room `agent` for Codex: recorded rollouts of real runs of 0.169.0, and lines made for one
//! question each.

mod commands;
mod files;
mod survey;

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use closeout::agent::{self, Adapter, Memories, SessionsRead, Survey, SurveyAsk, read_codex_rollout};
use closeout::model::{
    ItemState, Names, SessionObservation, SessionOrigin, SessionPlace, SessionUsage, Timestamp, TurnState,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

const ID: &str = "01a1ffc5-a1bc-7ca2-8767-ad8301777ff0";
const OTHER_ID: &str = "01a1ffc5-ffff-7ca2-8767-ad8301777ff0";
const DAY: &str = "2026/11/21";

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agents/codex")
}

fn fixture(name: &str) -> Vec<u8> {
    fs::read(fixtures().join("rollouts").join(name)).unwrap()
}

fn read(name: &str) -> SessionObservation {
    read_codex_rollout(&fixture(name)).unwrap()
}

/// A line of a rollout, `second` seconds into the session.
fn line(second: u32, kind: &str, payload: &Value) -> String {
    let timestamp = format!("2026-11-21T20:00:{second:02}.000Z");
    format!("{}\n", json!({"timestamp": timestamp, "type": kind, "payload": payload}))
}

fn meta(id: &str, cwd: &Path) -> String {
    line(
        0,
        "session_meta",
        &json!({"id": id, "cwd": cwd, "originator": "codex-tui",
        "cli_version": "0.169.0", "source": "vscode", "base_instructions": {"text": "be good"}}),
    )
}

fn event(second: u32, payload: &Value) -> String {
    line(second, "event_msg", payload)
}

fn item(second: u32, kind: &str, text: &str) -> String {
    event(
        second,
        &json!({"type": "item_completed",
        "item": {"type": kind, "id": "i", "content": [{"type": "text", "text": text}]}}),
    )
}

/// A turn with its prompt, that is not ended.
fn open_turn(second: u32, prompt: &str) -> String {
    event(second, &json!({"type": "task_started", "turn_id": "t", "model_context_window": 1000}))
        + &line(second, "turn_context", &json!({"cwd": "/home/user/project", "model": "gpt-5.5"}))
        + &item(second, "UserMessage", prompt)
}

fn ended_turn(second: u32, prompt: &str, reply: &str) -> String {
    open_turn(second, prompt)
        + &item(second + 1, "AgentMessage", reply)
        + &event(second + 1, &json!({"type": "task_complete", "last_agent_message": reply}))
}

fn call(second: u32, payload: &Value) -> String {
    line(second, "response_item", payload)
}

fn of_lines(lines: &str) -> SessionObservation {
    read_codex_rollout((meta(ID, Path::new("/home/user/project")) + lines).as_bytes()).unwrap()
}

fn at(second: i64) -> Timestamp {
    Timestamp(1_795_291_200_000 + second * 1000)
}

fn open_call(session: &SessionObservation) -> (Option<&str>, Option<&str>) {
    let TurnState::Open { tool, what, .. } = &session.turn else {
        panic!("the turn is not open: {:?}", session.turn);
    };
    (tool.as_deref(), what.as_deref())
}

/// A machine of its own with a home of the client.
struct Machine {
    _temp: TempDir,
    home: PathBuf,
    workspace: PathBuf,
    memory: Memories,
    surveyed: Memories,
}

impl Machine {
    fn new() -> Machine {
        let temp = crate::support::scratch::folder();
        let top = temp.path().canonicalize().unwrap();
        let (home, workspace) = (top.join("codex"), top.join("work"));
        fs::create_dir_all(&workspace).unwrap();
        fs::create_dir_all(&home).unwrap();
        Machine { _temp: temp, home, workspace, memory: Memories::default(), surveyed: Memories::default() }
    }

    fn path(&self, day: &str, id: &str) -> PathBuf {
        let time = format!("{}T20-00-00", day.replace('/', "-"));
        self.home.join("sessions").join(day).join(format!("rollout-{time}-{id}.jsonl"))
    }

    fn write(&self, day: &str, id: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(day, id);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    fn adapters(&self) -> [Adapter; 1] {
        [Adapter::named("codex", self.home.clone()).unwrap()]
    }

    fn survey_since(&mut self, since: i64, within: Option<&Path>) -> Survey {
        let ask = SurveyAsk { since: Timestamp(since), all_of: &[], within };
        agent::survey(&self.adapters(), &ask, &mut self.surveyed)
    }

    fn survey(&mut self) -> Survey {
        self.survey_since(0, None)
    }

    fn found_ids(&mut self) -> Vec<String> {
        let mut ids: Vec<String> =
            self.survey().found.into_iter().map(|found| found.place.session_id.to_string()).collect();
        ids.sort();
        ids
    }

    fn place(&self, record: &Path) -> SessionPlace {
        SessionPlace {
            agent: "codex".to_owned(),
            session_id: ID.into(),
            folder: self.workspace.clone(),
            record: record.to_owned(),
        }
    }

    fn read(&mut self, records: &[&Path]) -> SessionsRead {
        let places: Vec<SessionPlace> = records.iter().map(|record| self.place(record)).collect();
        agent::sessions(&self.adapters(), &self.workspace, &places, &mut self.memory)
    }

    fn session(&mut self, record: &Path) -> SessionObservation {
        let read = self.read(&[record]);
        read.sessions.into_iter().next().unwrap_or_else(|| panic!("no session: {:?}", read.trouble))
    }
}

fn append(path: &Path, text: &str) {
    OpenOptions::new().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

fn set_time(path: &Path, seconds: u64) {
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

#[test]
fn each_recorded_rollout_is_read_as_reviewed() {
    let expected: Value =
        serde_json::from_slice(&fs::read(fixtures().join("expected.json")).unwrap()).unwrap();
    let mut names: Vec<String> = fs::read_dir(fixtures().join("rollouts"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let reviewed: Vec<&String> = expected.as_object().unwrap().keys().collect();
    assert_eq!(reviewed, names.iter().collect::<Vec<_>>());
    for name in &names {
        let mut session = serde_json::to_value(read(name)).unwrap();
        // The turns have tests of their own: `tests/turn_history.rs`.
        session.as_object_mut().unwrap().remove("history");
        assert_eq!(session, expected[name], "{name}");
    }
}

#[test]
fn no_line_of_a_recorded_rollout_is_unknown() {
    for entry in fs::read_dir(fixtures().join("rollouts")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert_eq!(read(&name).n_skipped_lines, 0, "{name}");
    }
}

#[test]
fn every_begin_of_a_recorded_rollout_tells_the_turn_that_was_open_then() {
    let whole = String::from_utf8(fixture("waiting-approval.jsonl")).unwrap();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    for n_lines in 1..=lines.len() {
        let session = read_codex_rollout(lines[..n_lines].concat().as_bytes()).unwrap();
        let is_open = matches!(session.turn, TurnState::Open { .. });
        assert_eq!(is_open, n_lines >= 2, "after {n_lines} lines: {:?}", session.turn);
    }
}

#[test]
fn a_call_that_waits_for_leave_shows_what_it_wants_and_why() {
    let session = read("waiting-approval.jsonl");
    let call = (Some("exec_command"), Some("touch /tmp/installed (May I write outside the project?)"));
    assert_eq!(open_call(&session), call);
}

#[test]
fn an_error_of_the_model_is_a_failed_turn() {
    let TurnState::Failed { error, .. } = read("error-500.jsonl").turn else { panic!("it failed") };
    assert_eq!(error, "We’re currently experiencing high demand, which may cause temporary errors.");
}

#[test]
fn an_error_with_nothing_after_it_is_a_failed_turn_and_one_that_was_got_over_is_not() {
    let error = open_turn(1, "go") + &event(2, &json!({"type": "error", "message": "usage limit reached"}));
    let failed = TurnState::Failed { at: Some(at(2)), error: "usage limit reached".to_owned() };
    assert_eq!(of_lines(&error).turn, failed);
    let ended = error.clone() + &event(3, &json!({"type": "task_complete", "last_agent_message": null}));
    let failed = TurnState::Failed { at: Some(at(3)), error: "usage limit reached".to_owned() };
    assert_eq!(of_lines(&ended).turn, failed);
    let over = error + &item(3, "AgentMessage", "Here I am again.");
    assert_eq!(of_lines(&over).turn, TurnState::Open { since: Some(at(3)), tool: None, what: None });
}

#[test]
fn a_new_turn_after_a_failed_one_is_open() {
    let failed = open_turn(1, "go")
        + &event(2, &json!({"type": "task_complete", "error": {"message": "no"}}))
        + &open_turn(3, "again");
    assert_eq!(of_lines(&failed).turn, TurnState::Open { since: Some(at(3)), tool: None, what: None });
}

#[test]
fn the_last_plan_wins_whether_a_tool_or_a_program_gives_it() {
    let states = |session: &SessionObservation| {
        let items = session.todos.iter().flat_map(|todos| &todos.items);
        items.map(|item| (item.title.clone(), item.state)).collect::<Vec<_>>()
    };
    let step = |title: &str, state| (title.to_owned(), state);
    let in_script = read("plan-in-script.jsonl");
    assert_eq!(states(&in_script), [step("One", ItemState::Done), step("Two", ItemState::Active)]);
    let by_tool = |second, status: &str| {
        let arguments = json!({"plan": [{"step": "One", "status": status}]}).to_string();
        call(
            second,
            &json!({"type": "function_call", "name": "update_plan", "call_id": "c",
            "arguments": arguments}),
        )
    };
    let two = of_lines(&(by_tool(1, "pending") + &by_tool(2, "in_progress")));
    assert_eq!(states(&two), [step("One", ItemState::Active)]);
    let broken = call(
        3,
        &json!({"type": "function_call", "name": "update_plan", "call_id": "c",
        "arguments": "{\"plan\": [{"}),
    );
    assert_eq!(states(&of_lines(&(by_tool(1, "pending") + &broken))), [step("One", ItemState::Open)]);
}

#[test]
fn a_plan_that_a_program_works_out_is_not_guessed() {
    let todos = |program: &str| {
        let payload = json!({"type": "custom_tool_call", "name": "exec", "call_id": "c", "input": program});
        of_lines(&call(1, &payload)).todos.map(|todos| todos.items.len())
    };
    assert_eq!(todos("await tools.update_plan({\"plan\": [{'step': `a`, status: 'x',}]}) // ok"), Some(1));
    assert_eq!(todos("await tools.update_plan({plan: [{status: 'x', step: 'it\\'s (a) [b] }'}]})"), Some(1));
    assert_eq!(todos("await tools.update_plan({plan: steps})"), None);
    assert_eq!(todos("await tools.update_plan({plan: [{step: name, status: 'pending'}]})"), None);
    assert_eq!(todos("await tools.update_plan({plan: [{step: `${name}`, status: 'pending'}]})"), None);
    assert_eq!(todos("await tools.update_plan({plan: [{step: 'a', status: 'pending'"), None);
    assert_eq!(todos("text('I could call update_plan here')"), None);
}

#[test]
fn a_recorded_question_is_open_until_it_is_answered() {
    let whole = String::from_utf8(fixture("asked.jsonl")).unwrap();
    let (asked, _) = whole.split_once("\"verified_answer\"").unwrap();
    let session = read_codex_rollout(asked.as_bytes()).unwrap();
    assert_eq!(open_call(&session), (Some("request_user_input"), Some("Which one?\n1. A: a\n2. B: b")));
    assert_eq!(session.last_message.unwrap().text, "I'll ask.\n\nWhich one?\n1. A: a\n2. B: b");
}

#[test]
fn a_question_to_the_person_is_the_open_call_and_part_of_the_last_words() {
    let session = of_lines(&(open_turn(1, "go") + &item(2, "AgentMessage", "Two ways.") + &question(3)));
    assert_eq!(open_call(&session).0, Some("request_user_input"));
    assert_eq!(session.last_message.unwrap().text, "Two ways.\n\nWhich one?\n1. A: the old\n2. B");
}

fn question(second: u32) -> String {
    let arguments = json!({"questions": [{"id": "q", "header": "H", "question": "Which one?",
        "options": [{"label": "A", "description": "the old"}, {"label": "B"}]}]});
    call(
        second,
        &json!({"type": "function_call", "name": "request_user_input", "call_id": "q",
        "arguments": arguments.to_string()}),
    )
}

#[test]
fn a_question_comes_before_the_calls_that_run_beside_it_and_ends_with_its_answer() {
    let other = call(
        2,
        &json!({"type": "function_call", "name": "exec_command", "call_id": "c",
        "arguments": "{\"cmd\": \"cargo test\"}"}),
    );
    let asked = open_turn(1, "go") + &other + &question(3);
    assert_eq!(open_call(&of_lines(&asked)).0, Some("request_user_input"));
    let answered = asked + &call(4, &json!({"type": "function_call_output", "call_id": "q", "output": "A"}));
    assert_eq!(open_call(&of_lines(&answered)), (Some("exec_command"), Some("cargo test")));
}

#[test]
fn what_each_kind_of_tool_is_called_with_is_told_in_short() {
    let what = |payload: &Value| {
        let session = of_lines(&(open_turn(1, "go") + &call(2, payload)));
        open_call(&session).1.map(str::to_owned)
    };
    let function = |name: &str, arguments: &Value| {
        what(
            &json!({"type": "function_call", "name": name, "call_id": "c", "arguments": arguments.to_string()}),
        )
    };
    let free = |input: &str| {
        what(&json!({"type": "custom_tool_call", "name": "exec", "call_id": "c", "input": input}))
    };
    assert_eq!(function("shell", &json!({"command": ["bash", "-lc", "ls -l"]})).unwrap(), "ls -l");
    assert_eq!(function("shell", &json!({"command": ["git", "status"]})).unwrap(), "git status");
    assert_eq!(function("view_image", &json!({"path": "a.png"})).unwrap(), "a.png");
    assert_eq!(function("list_agents", &json!({})), None);
    assert_eq!(function("their_tool", &json!({"deep": {"er": 1}})).unwrap(), "{\"deep\":{\"er\":1}}");
    assert_eq!(free("*** Begin Patch\n*** Update File: a.rs\n*** Add File: b.rs\n").unwrap(), "a.rs, b.rs");
    assert_eq!(free("const r = await tools.exec_command({cmd: \"cargo test\"});").unwrap(), "cargo test");
    assert_eq!(free(&"x".repeat(300)).unwrap().chars().count(), 201);
    let local =
        json!({"type": "local_shell_call", "call_id": "c", "action": {"type": "exec", "command": ["ls"]}});
    assert_eq!(what(&local).unwrap(), "ls");
}

#[test]
fn what_the_client_writes_in_a_persons_name_is_no_prompt() {
    let prompt =
        |text: &str| of_lines(&(open_turn(1, "the person's") + &item(2, "UserMessage", text))).prompt;
    for text in ["<environment_context>x", "<turn_aborted>\nx", "<hook_prompt hook_run_id=\"s\">x"] {
        assert_eq!(prompt(text).as_deref(), Some("the person's"), "{text}");
    }
    assert_eq!(prompt("steer left").as_deref(), Some("steer left"));
}

#[test]
fn rollouts_of_versions_before_the_items_are_read_too() {
    let session = of_lines(
        &(event(1, &json!({"type": "user_message", "message": "Fix it"}))
            + &event(2, &json!({"type": "agent_message", "message": "Fixed."}))
            + &event(3, &json!({"type": "turn_aborted", "reason": "interrupted"}))
            + &event(4, &json!({"type": "user_message", "message": "Go on"}))),
    );
    assert_eq!(session.last_message.unwrap().text, "Fixed.");
    assert_eq!((session.prompt.as_deref(), session.prompted_at), (Some("Go on"), Some(at(4))));
    assert_eq!(session.turn, TurnState::Open { since: Some(at(4)), tool: None, what: None });
    assert_eq!(session.usage.n_turns, Some(2));
}

#[test]
fn unknown_lines_are_counted_and_known_quiet_ones_are_not() {
    let unknown = line(2, "brand_new", &json!({})) + &event(3, &json!({"type": "brand_new"})) + "no json\n\n";
    assert_eq!(of_lines(&(ended_turn(1, "a", "b") + &unknown)).n_skipped_lines, 3);
    let quiet = line(2, "world_state", &json!({})) + &event(3, &json!({"type": "thread_rolled_back"}));
    assert_eq!(of_lines(&(ended_turn(1, "a", "b") + &quiet)).n_skipped_lines, 0);
}

#[test]
fn the_context_is_that_of_the_last_request_or_what_a_compaction_left() {
    let count = |input: u32, total: u32| {
        event(
            2,
            &json!({"type": "token_count", "info": {"model_context_window": 2000,
            "last_token_usage": {"input_tokens": input, "total_tokens": total}}}),
        )
    };
    let usage = |lines: String| of_lines(&(open_turn(1, "a") + &lines)).usage;
    let expected =
        |tokens, limit| SessionUsage { context_tokens: tokens, context_limit: Some(limit), n_turns: Some(1) };
    assert_eq!(usage(String::new()), expected(None, 1000));
    assert_eq!(usage(count(100, 120)), expected(Some(100), 2000));
    assert_eq!(usage(count(100, 120) + &count(0, 50)), expected(Some(50), 2000));
    let none = event(3, &json!({"type": "token_count", "info": null}));
    assert_eq!(usage(count(100, 120) + &none), expected(Some(100), 2000));
}

#[test]
fn a_fork_names_the_thread_that_it_is_a_copy_of() {
    let of = Some("01a1ffc5-a4d7-7dc1-9890-5bab1b017cfc".into());
    let session = read("forked.jsonl");
    assert_eq!((session.origin, session.usage.n_turns), (SessionOrigin::Fork { of }, None));
}

proptest! {
    #[test]
    fn any_bytes_give_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let with_head = [meta(ID, Path::new("/w")).into_bytes(), bytes.clone()].concat();
        prop_assert!(read_codex_rollout(&with_head).is_some());
        let _ = read_codex_rollout(&bytes);
    }

    #[test]
    fn any_payload_under_a_known_name_gives_an_answer(
        outer in prop::sample::select(vec!["event_msg", "response_item", "turn_context"]),
        inner in prop::sample::select(vec!["task_started", "task_complete", "turn_aborted", "item_completed",
            "token_count", "error", "function_call", "custom_tool_call", "function_call_output"]),
        name in prop::sample::select(vec!["update_plan", "exec", "request_user_input"]),
        text in "[ -~\\n]{0,60}",
    ) {
        let payload = json!({"type": inner, "name": name, "call_id": text, "arguments": text,
            "input": format!("update_plan({text}"), "message": text, "item": {"type": text}});
        let session = of_lines(&line(1, outer, &payload));
        prop_assert_eq!(session.session_id, ID);
    }

    #[test]
    fn a_rollout_cut_anywhere_is_read_as_far_as_it_goes(cut in 3000_usize..14000) {
        let bytes = fixture("hook-stop-block.jsonl");
        let session = read_codex_rollout(&bytes[..cut]).unwrap();
        prop_assert_eq!(session.n_skipped_lines, 0);
        let is_open = matches!(session.turn, TurnState::Open { .. });
        prop_assert!(is_open);
    }
}

#[test]
fn a_permission_is_answered_by_a_key_only_where_a_trusted_hook_names_the_call() {
    use closeout::model::{ActivitySource, LiveStatus, StatusReport, Subagent, WaitsOn};
    let adapter = Adapter::named("codex", PathBuf::from("/home/user/.codex")).unwrap();
    let report = |source, what: &str| StatusReport {
        source,
        status: LiveStatus::Waiting { on: WaitsOn::Permission },
        since: None,
        reported_at: None,
        what: Some(what.to_owned()),
    };
    let command = "Bash: cd api && cargo test";
    let mut session = of_lines(&meta("s", Path::new("/work")));
    session.live = vec![report(ActivitySource::Hook, command)];
    let (what, keys) = adapter.permission_keys(&session).unwrap();
    let keys = keys.keys;
    assert_eq!((what, keys.iter().map(|key| key.answer).collect::<Vec<_>>()), (command, vec!["y", "n"]));
    // By a title alone, of another version, beside a subagent, or for a command that was cut, no key is certain.
    let subagent = Subagent { id: "a".to_owned(), what: None, moved_at: None };
    let others = [
        SessionObservation { live: vec![report(ActivitySource::PaneTitle, command)], ..session.clone() },
        SessionObservation { version: Some("0.170.0".to_owned()), ..session.clone() },
        SessionObservation { subagents: vec![subagent], ..session.clone() },
        SessionObservation {
            live: vec![report(ActivitySource::Hook, &"x".repeat(closeout::model::HOOK_TEXT))],
            ..session.clone()
        },
        // As a hook of an older closeout kept it, or its plugin of opencode.
        SessionObservation {
            live: vec![report(ActivitySource::Hook, &format!("Bash: {}", "x".repeat(200)))],
            ..session.clone()
        },
        SessionObservation {
            live: vec![report(ActivitySource::Hook, &format!("Bash: {}", "x".repeat(400)))],
            ..session.clone()
        },
    ];
    for other in others {
        assert!(adapter.permission_keys(&other).is_err(), "{other:?}");
    }
    let whole = format!("Bash: {}", "x".repeat(201));
    let whole = SessionObservation { live: vec![report(ActivitySource::Hook, &whole)], ..session };
    assert!(adapter.permission_keys(&whole).is_ok());
}
