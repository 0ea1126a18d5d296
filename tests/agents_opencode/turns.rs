//! How a turn stands, and what belongs to it.

use std::fs;
use std::path::Path;

use closeout::agent::{AgentCommand, AnswerPlace, ApiAsk, Argument, Asking, Trace, built_in};
use closeout::model::{
    Activity, ActivityState, SessionObservation, SessionOrigin, Subagent, TaskKind, Timestamp, TurnState,
};
use rusqlite::Connection;
use serde_json::{Value, json};

use super::{ID, Machine};
use crate::support::turns::texts;
use crate::support::weighed_words;

fn open(since: i64, tool: Option<&str>, what: Option<&str>) -> TurnState {
    let since = Some(Timestamp(since));
    TurnState::Open { since, tool: tool.map(str::to_owned), what: what.map(str::to_owned) }
}

/// The turn of a session whose only answer is this.
fn turn(fields: &Value, parts: &[Value]) -> TurnState {
    let mut machine = Machine::new();
    machine.asked().answered(fields, parts);
    machine.session(ID).turn
}

/// What the session does at a moment, as a whole collection of its workspace says.
fn activity(machine: &Machine, now: i64) -> Activity {
    let [adapter] = machine.adapters();
    let asked = weighed_words::Asked {
        workspace: &machine.data_dir,
        task_kind: TaskKind::Implementation,
        adapter,
        sessions: machine.places(&[ID]),
        now,
        own_session: None,
    };
    weighed_words::sample(asked).session_facts.unwrap().activity.unwrap()
}

fn call(tool: &str, status: &str, input: &Value) -> Value {
    json!({"type": "tool", "tool": tool, "callID": "c", "state":
        {"status": status, "input": input, "time": {"start": 2050}}})
}

#[test]
fn a_prompt_without_an_answer_is_an_open_turn() {
    let mut machine = Machine::new();
    machine.asked();
    let session = machine.session(ID);
    assert_eq!(session.turn, open(1000, None, None));
    assert_eq!((session.prompt.as_deref(), session.name, session.last_message), (Some("Do it"), None, None));
}

#[test]
fn an_answer_that_is_not_completed_is_an_open_turn_with_its_tool() {
    assert_eq!(turn(&json!({}), &[json!({"type": "step-start"})]), open(2100, None, None));
    let bash = call("bash", "running", &json!({"command": "cargo test", "description": "Test"}));
    let read = call("read", "completed", &json!({"filePath": "/a"}));
    assert_eq!(turn(&json!({}), &[read, bash.clone()]), open(2050, Some("bash"), Some("cargo test")));
    let asks = json!({"questions": [{"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]}]});
    let asks = call("question", "running", &asks);
    assert_eq!(turn(&json!({}), &[bash, asks]), open(2050, Some("question"), Some("Which? (A, B)")));
    let early =
        json!({"type": "tool", "tool": "edit", "state": {"status": "pending", "input": {}, "raw": ""}});
    assert_eq!(turn(&json!({}), &[early]), open(2100, Some("edit"), None));
}

#[test]
fn an_answer_that_called_tools_is_open_until_the_next_one_unless_the_person_refused() {
    let completed = json!({"time": {"created": 2000, "completed": 2090}, "finish": "tool-calls"});
    let done = call("bash", "completed", &json!({"command": "ls"}));
    assert_eq!(turn(&completed, &[done]), open(2100, None, None));
    let interrupted = TurnState::Interrupted { at: Some(Timestamp(2090)) };
    for error in [
        "The user rejected permission to use this specific tool call.",
        "Error: The user dismissed this question",
    ] {
        let refused = json!({"type": "tool", "tool": "bash", "state": {"status": "error", "error": error}});
        assert_eq!(turn(&completed, &[refused]), interrupted);
    }
    let told = "The user rejected permission to use this specific tool call with the following feedback: no";
    let told = json!({"type": "tool", "tool": "bash", "state": {"status": "error", "error": told}});
    assert_eq!(turn(&completed, &[told]), open(2100, None, None));
}

#[test]
fn a_turn_ends_by_a_stop_an_error_or_the_person() {
    let completed = |more: Value| {
        let mut fields = json!({"time": {"created": 2000, "completed": 2090}});
        fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        turn(&fields, &[])
    };
    let at = Some(Timestamp(2090));
    assert_eq!(completed(json!({"finish": "stop"})), TurnState::Ended { at });
    assert_eq!(completed(json!({"finish": "length"})), TurnState::Ended { at });
    assert_eq!(completed(json!({})), TurnState::Ended { at });
    let error = json!({"error": {"name": "APIError", "data": {"message": "bad request", "statusCode": 400}}});
    assert_eq!(completed(error), TurnState::Failed { at, error: "bad request".to_owned() });
    let error = json!({"error": {"name": "MessageOutputLengthError", "data": {}}});
    assert_eq!(completed(error), TurnState::Failed { at, error: "MessageOutputLengthError".to_owned() });
    let aborted = json!({"error": {"name": "MessageAbortedError", "data": {"message": "Aborted"}}});
    assert_eq!(completed(aborted), TurnState::Interrupted { at });
}

#[test]
fn the_last_words_are_those_of_the_newest_answer_that_has_any() {
    let mut machine = Machine::new();
    let words = [
        json!({"type": "text", "text": "First I look."}),
        json!({"type": "text", "text": "a reminder", "synthetic": true}),
        json!({"type": "text", "text": "Then I write."}),
    ];
    machine.asked().answered(&json!({"time": {"created": 2000, "completed": 2500}}), &words);
    let next = json!({"parentID": "msg_1", "role": "assistant", "time": {"created": 3000}});
    machine.add_message(ID, "msg_3", 3000, &next);
    machine.add_part(ID, "msg_3", "prt_3", 3100, &call("bash", "running", &json!({"command": "ls"})));
    let summary = json!({"role": "assistant", "summary": true, "time": {"created": 3500, "completed": 3600}});
    machine.add_message(ID, "msg_4", 3500, &summary);
    machine.add_part(ID, "msg_4", "prt_4", 3600, &json!({"type": "text", "text": "What was said so far"}));
    let session = machine.session(ID);
    let words = session.last_message.unwrap();
    assert_eq!((words.text.as_str(), words.at), ("First I look.\n\nThen I write.", Some(Timestamp(2500))));
    assert_eq!(session.turn, TurnState::Ended { at: Some(Timestamp(3600)) });
    assert_eq!(session.model.as_deref(), Some("mock/m"));
    assert_eq!(session.folder, Some("/home/user/project/sub".into()));
    assert_eq!(session.written_at, Some(Timestamp(3600)));
}

#[test]
fn the_prompt_of_a_turn_with_many_answers_is_found() {
    let mut machine = Machine::new();
    machine.asked();
    for n in 0..1_100 {
        let data = json!({"parentID": "msg_1", "role": "assistant", "finish": "tool-calls",
            "time": {"created": 2000 + n, "completed": 2000 + n}, "modelID": "m"});
        machine.add_message(ID, &format!("msg_2{n:04}"), 2000 + n, &data);
    }
    let session = machine.session(ID);
    assert_eq!((session.prompt.as_deref(), session.prompted_at), (Some("Do it"), Some(Timestamp(1000))));
    assert!(session.is_partial, "words may stand before the messages that were looked at");
    assert_eq!(session.usage.n_turns, Some(1));
}

#[test]
fn what_subagents_and_theirs_did_stands_among_the_steps() {
    let mut machine = Machine::new();
    let mut task = call("task", "completed", &json!({"description": "Help"}));
    task["state"]["metadata"] = json!({"sessionId": "ses_child"});
    machine.asked().answered(&json!({"time": {"created": 2000, "completed": 5000}}), &[task]);
    let step = |machine: &mut Machine, id: &str, at: i64, part: &Value| {
        let done = json!({"role": "assistant", "time": {"created": at, "completed": at}, "finish": "stop"});
        machine.add_message(id, &format!("msg_{id}{at}"), at, &done);
        machine.add_part(id, &format!("msg_{id}{at}"), &format!("prt_{id}{at}"), at, part);
    };
    let ran = |command: &str, at: i64| {
        let mut part = call("bash", "completed", &json!({"command": command}));
        part["state"]["time"]["start"] = json!(at);
        part
    };
    machine.add_session("ses_child", Some(ID), "Help (@general subagent)", 2500);
    machine.add_session("ses_deep", Some("ses_child"), "Help (@general subagent)", 2500);
    step(&mut machine, "ses_child", 2300, &ran("one", 2300));
    step(&mut machine, "ses_deep", 2400, &ran("deep", 2400));
    step(&mut machine, "ses_child", 2600, &ran("two", 2600));
    let steps = |machine: &mut Machine| {
        let all = texts(&machine.session(ID).history);
        all.into_iter().filter(|line| !line.starts_with("person")).collect::<Vec<_>>()
    };
    let read = ["sent off, read: Help", "run one: Unknown", "run deep: Unknown", "run two: Unknown"];
    assert_eq!(steps(&mut machine)[..4], read);
    // A part that cannot be read may have been a call.
    step(&mut machine, "ses_child", 2700, &json!(7));
    let all = steps(&mut machine);
    assert_eq!((all[0].as_str(), all[4].as_str()), ("sent off: Help", "sent off: "));
    assert!(all.last().unwrap().ends_with("(steps are missing)"), "{all:?}");
}

#[test]
fn subagents_are_those_whose_turn_is_open() {
    let mut machine = Machine::new();
    machine.asked();
    for (id, fields) in [
        ("ses_open", json!({"role": "assistant", "time": {"created": 2000}})),
        (
            "ses_over",
            json!({"role": "assistant", "time": {"created": 2000, "completed": 2001}, "finish": "stop"}),
        ),
    ] {
        machine.add_session(id, Some(ID), "Look at files (@general subagent)", 1500);
        machine.add_message(id, &format!("msg_{id}"), 2000, &fields);
    }
    let what = Some("Look at files".to_owned());
    let open = Subagent { id: "ses_open".to_owned(), what, moved_at: Some(Timestamp(2000)) };
    assert_eq!(machine.session(ID).subagents, [open]);
}

#[test]
fn a_fork_is_told_by_its_title() {
    let mut machine = Machine::new();
    machine.add_session(ID, None, "Mock title (fork #12)", 1000);
    assert_eq!(machine.read(&[ID]).sessions, [], "nothing was said");
    machine.add_message(ID, "msg_1", 1000, &json!({"role": "system"}));
    let session = machine.session(ID);
    assert_eq!(session.origin, SessionOrigin::Fork { of: None });
    assert_eq!(session.name.as_deref(), Some("Mock title (fork #12)"));
    assert_eq!(session.turn, TurnState::Unknown);
}

#[test]
fn todos_that_were_given_up_are_none() {
    let mut machine = Machine::new();
    machine.asked();
    for (position, status) in [(1, "cancelled"), (0, "no such word")] {
        let sql = "INSERT INTO todo VALUES (?1, 'one', ?2, 'high', ?3, 1, 1)";
        machine.owner().execute(sql, (ID, status, position)).unwrap();
    }
    let todos = machine.session(ID).todos.unwrap();
    assert_eq!((todos.items.len(), todos.n_done()), (1, 0));
}

#[test]
fn the_commands_name_the_session_and_give_the_words_by_standard_input() {
    let mut machine = Machine::new();
    machine.asked().answered(&json!({"agent": "plan"}), &[]);
    let session = machine.session(ID);
    let adapter = &machine.adapters()[0];
    let expected = |arguments: &[&str], stdin: &str, trace| AgentCommand {
        program: "opencode".to_owned(),
        arguments: arguments.iter().map(|argument| Argument::from(*argument)).collect(),
        stdin: stdin.to_owned(),
        folder: "/home/user/project/sub".into(),
        environment: match trace {
            Trace::InSession | Trace::Copy => Vec::new(),
            // It may do nothing and has a database of its own; closeout's hook passes it over.
            Trace::Nothing => [
                ("OPENCODE_PERMISSION", Argument::from(r#"{"*":"deny"}"#)),
                ("OPENCODE_DISABLE_SHARE", "1".into()),
                ("OPENCODE_DISABLE_AUTOUPDATE", "1".into()),
                ("OPENCODE_DB", Argument::RecordCopy),
                ("CLOSEOUT_PROBE", "1".into()),
            ]
            .map(|(name, value)| (name.to_owned(), value))
            .into(),
        },
        trace,
        answer: AnswerPlace::TextEvents,
    };
    let look = ["run", "--session", ID, "--fork", "--agent=plan", "--model=mock/m", "--format", "json"];
    let probe = Asking::Probe { prompt: "Where are you?".to_owned(), model: None };
    assert_eq!(adapter.command(&session, &probe), Some(expected(&look, "Where are you?", Trace::Nothing)));
    let closer = Asking::Closer { prompt: "List.".to_owned(), schema: "{}".to_owned(), model: None };
    let asked = "List.\n\nAnswer with one JSON object and nothing else. It must match this JSON schema:\n{}";
    assert_eq!(adapter.command(&session, &closer), Some(expected(&look, asked, Trace::Nothing)));
    let reply = Asking::Reply { text: "--help".to_owned() };
    // A session that may change nothing goes on as one.
    let same = ["run", "--session", ID, "--agent=plan", "--model=mock/m", "--format", "json"];
    assert_eq!(adapter.command(&session, &reply), Some(expected(&same, "--help", Trace::InSession)));
    assert_eq!(adapter.command(&session, &Asking::Queue { text: "x".to_owned() }), None);
    for id in ["", "ses_", "--fork", "ses_a b", "ses_../x", "ses_a\n"] {
        let mut other = session.clone();
        other.session_id = id.into();
        assert_eq!(adapter.command(&other, &probe), None, "{id:?}");
    }
    // Rather no reply than one that goes by another agent than the session.
    for name in ["", "a\nb", "a\u{202e}b", "a=b"] {
        let other = SessionObservation { mode: Some(name.to_owned()), ..session.clone() };
        assert_eq!(adapter.command(&other, &reply), None, "{name:?}");
    }
}

/// What a copy holds, table by table.
fn rows(database: &Path) -> Vec<(String, u32)> {
    let copy = Connection::open(database).unwrap();
    let sql = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name";
    let names: Vec<String> =
        copy.prepare(sql).unwrap().query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let count = |name: &String| {
        copy.query_row(&format!("SELECT count(*) FROM \"{name}\""), [], |row| row.get(0)).unwrap()
    };
    names.iter().map(|name| (name.clone(), count(name))).collect()
}

#[test]
fn a_look_gets_a_copy_with_one_session_while_the_owner_works_on_it() {
    let mut machine = Machine::new();
    machine.asked().answered(&json!({}), &[json!({"type": "text", "text": "Done."})]);
    machine
        .owner()
        .execute_batch("CREATE TABLE account (id text); INSERT INTO account VALUES ('me')")
        .unwrap();
    machine.owner().execute_batch("CREATE TABLE event (id text); INSERT INTO event VALUES ('x')").unwrap();
    let session = machine.session(ID);
    let before = machine.files();
    let adapter = &machine.adapters()[0];
    let folder = crate::support::scratch::folder();
    let at = |name: &str| {
        let path = folder.path().join(name);
        fs::write(&path, "").unwrap();
        path
    };
    let copy = at("copy.db");
    assert_eq!(adapter.copy_session(&session, &copy), Some(Ok(())));
    let of = |name: &str| rows(&copy).into_iter().find(|(known, _)| known == name).map(|(_, n)| n);
    assert_eq!([of("session"), of("message"), of("part")], [Some(1), Some(2), Some(2)]);
    assert_eq!([of("account"), of("event"), of("project")], [Some(1), Some(0), Some(2)]);
    let indexes = "SELECT count(*) FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL";
    let count = |path: &Path| -> u32 {
        Connection::open(path).unwrap().query_row(indexes, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(count(&copy), count(&machine.database));
    assert_eq!(machine.files(), before);
    // What is not there is not made, and a session of another kind of id is not looked for.
    for id in ["ses_none", "--all"] {
        let other = SessionObservation { session_id: id.into(), ..session.clone() };
        assert!(adapter.copy_session(&other, &at("other.db")).is_some_and(|made| made.is_err()), "{id}");
    }
    assert!(adapter.keeps_copy(ID) && !adapter.keeps_copy("ses_none") && !adapter.keeps_copy("--all"));
}

#[test]
fn an_open_question_is_what_the_session_asks_also_after_a_long_silence() {
    let machine = Machine::new();
    let asks = json!({"questions": [{"question": "Which format?", "options": []}]});
    machine.asked().answered(&json!({}), &[call("question", "running", &asks)]);
    let now = activity(&machine, 100_000_000);
    assert_eq!((now.state, now.detail.as_deref()), (ActivityState::Asks, Some("Which format?")));
    let machine = Machine::new();
    let running = call("bash", "running", &json!({"command": "make"}));
    machine.asked().answered(&json!({}), &[running]);
    assert_eq!(activity(&machine, 3000).state, ActivityState::Working);
    assert_eq!(activity(&machine, 100_000_000).state, ActivityState::Unknown);
}

#[test]
fn requests_to_a_server_name_this_session_and_its_agent() {
    let mut machine = Machine::new();
    machine.asked().answered(&json!({"agent": "plan"}), &[]);
    let session = machine.session(ID);
    let [adapter] = machine.adapters();
    let asked = |ask: &ApiAsk<'_>| {
        adapter.server().unwrap().request(&session, ask).map(|request| {
            let body = request.body.map(|body| serde_json::from_str::<Value>(&body).unwrap());
            (request.path, body)
        })
    };
    assert_eq!(asked(&ApiAsk::Session), Some((format!("/session/{ID}"), None)));
    let words = json!({
        "parts": [{"type": "text", "text": "/x \"y\"\n"}],
        "agent": "plan",
        "model": {"providerID": "mock", "modelID": "m"},
    });
    let prompt = ApiAsk::Prompt { text: "/x \"y\"\n" };
    assert_eq!(asked(&prompt), Some((format!("/session/{ID}/prompt_async"), Some(words))));
    let answer = |request, answer| asked(&ApiAsk::Answer { request, answer });
    let once = Some(("/permission/per_1a/reply".to_owned(), Some(json!({"reply": "once"}))));
    assert_eq!(answer("per_1a", "once"), once);
    // What allows more than was seen, and an id that is none.
    assert_eq!(
        (answer("per_1a", "always"), answer("per_../x", "once"), answer("", "once")),
        (None, None, None)
    );
    let other = SessionObservation { session_id: "../permission".into(), ..session.clone() };
    assert_eq!(adapter.server().unwrap().request(&other, &ApiAsk::Session), None);
}

#[test]
fn a_permission_is_this_sessions_and_a_page_is_no_answer() {
    let mut machine = Machine::new();
    machine.asked().answered(&json!({}), &[]);
    let session = machine.session(ID);
    let asks =
        |id: &str, of: &str| json!({"id": id, "sessionID": of, "permission": "bash", "patterns": ["make"]});
    let body = |asks: &[Value]| Value::from(asks).to_string().into_bytes();
    let server = built_in("opencode").unwrap().server().unwrap();
    let told = |asks: &[Value]| server.waits_for(&session, &body(asks));
    let this = Some(("per_2".to_owned(), "bash: make".to_owned()));
    assert_eq!(told(&[asks("per_1", "ses_other"), asks("per_2", ID)]), this);
    assert_eq!(
        (told(&[asks("per_1", "ses_other")]), told(&[asks("x/y", ID)]), told(&[])),
        (None, None, None)
    );
    let mut chained = asks("per_3", ID);
    chained["patterns"] = json!(["touch a", "sleep 2"]);
    chained["metadata"] = json!({"command": "touch a && sleep 2"});
    assert_eq!(told(&[chained]).unwrap().1, "bash: touch a && sleep 2");
    assert_eq!(server.waits_for(&session, b"<html>"), None);
    assert!(server.is_about(&session, json!({"id": ID}).to_string().as_bytes()));
    for other in [&b"<html>"[..], b"{}", br#"{"id":"ses_other"}"#] {
        assert!(!server.is_about(&session, other));
    }
}
