//! What may go wrong with the database, and what its owner notices: nothing.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use closeout::model::{ReadProblem, Timestamp, TurnState, Unreadable};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{ID, Machine};

/// The same adapter's word on a reading and on a survey.
fn trouble(machine: &mut Machine) -> Unreadable {
    let read = machine.read(&[ID]);
    let survey = machine.survey(0, None);
    assert_eq!((read.sessions, survey.found), (vec![], vec![]));
    let kinds = |trouble: &[Unreadable]| trouble.iter().map(|one| one.problem).collect::<Vec<_>>();
    assert_eq!(kinds(&read.trouble), kinds(&survey.problems));
    assert_eq!(read.trouble.len(), 1);
    assert!(!read.watch_targets.is_empty(), "a repaired database would not be noticed");
    read.trouble.into_iter().next().unwrap()
}

#[test]
fn without_a_database_there_are_no_sessions_and_no_trouble() {
    let mut machine = Machine::without_database();
    let read = machine.read(&[ID]);
    assert_eq!((read.sessions, read.trouble), (vec![], vec![]));
    let survey = machine.survey(0, None);
    assert_eq!((survey.found, survey.problems, survey.watch_targets.len()), (vec![], vec![], 1));
    fs::remove_dir(&machine.data_dir).unwrap();
    assert_eq!(machine.survey(0, None).problems, []);
}

#[test]
fn a_transaction_of_the_owner_goes_on_and_the_reader_gets_the_last_committed_state() {
    let mut machine = Machine::new();
    machine.asked().answered(&json!({}), &[]);
    machine.owner().execute_batch("BEGIN IMMEDIATE").unwrap();
    machine.owner().execute("UPDATE session SET title = 'later' WHERE id = ?1", [ID]).unwrap();
    let title = machine.session(ID).name;
    assert_eq!(title, None);
    machine.owner().execute("UPDATE session SET title = 'later still' WHERE id = ?1", [ID]).unwrap();
    machine.owner().execute_batch("COMMIT").unwrap();
    assert_eq!(machine.session(ID).name.as_deref(), Some("later still"));
    // Nobody reads any more: the whole log can be taken back and cut.
    let busy: i64 =
        machine.owner().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)).unwrap();
    assert_eq!(busy, 0);
    assert_eq!(machine.session(ID).name.as_deref(), Some("later still"));
}

#[test]
fn each_change_is_read_also_when_many_fall_into_one_tick_of_the_clock() {
    let mut machine = Machine::new();
    machine.asked();
    for n in 0..200 {
        machine.owner().execute("UPDATE session SET title = ?1 WHERE id = ?2", (n.to_string(), ID)).unwrap();
        assert_eq!(machine.session(ID).name, Some(n.to_string()));
    }
}

#[test]
fn a_database_whose_owner_closed_it_is_read_without_a_trace() {
    let mut machine = Machine::new();
    machine.asked();
    machine.close();
    let before = machine.files();
    assert_eq!(before.len(), 1, "the last owner takes its log away: {before:?}");
    for _ in 0..3 {
        assert_eq!(machine.session(ID).prompt.as_deref(), Some("Do it"));
        assert_eq!(machine.survey(0, None).found.len(), 6);
    }
    assert_eq!(machine.files(), before);
    machine.owner = Some(machine.connect());
    machine.answered(&json!({"time": {"completed": 2500}, "finish": "stop"}), &[]);
    assert_eq!(machine.session(ID).turn, TurnState::Ended { at: Some(Timestamp(2500)) });
}

/// Plays the owner, in a process of its own, for the test below.
#[test]
#[ignore = "is started by another test"]
fn an_owner_in_another_process() {
    let Some(folder) = std::env::var_os("CLOSEOUT_TEST_OPENCODE") else { return };
    let database = std::path::Path::new(&folder).join("opencode.db");
    let owner = rusqlite::Connection::open(&database).unwrap();
    owner.execute("UPDATE session SET title = 'in the log' WHERE id = ?1", [ID]).unwrap();
    println!("ready");
    std::io::stdin().read_line(&mut String::new()).unwrap();
    // What it writes while others read is not hindered.
    owner.busy_timeout(Duration::ZERO).unwrap();
    for n in 0..200 {
        owner.execute("UPDATE session SET title = ?1 WHERE id = ?2", (n.to_string(), ID)).unwrap();
    }
    println!("written");
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

#[test]
#[expect(clippy::disallowed_methods, reason = "an owner in another process is what is tested")]
fn a_log_that_a_killed_owner_left_is_read_without_a_trace() {
    use std::io::{BufRead, BufReader, Write};
    let mut machine = Machine::new();
    machine.asked();
    machine.close();
    let mut owner = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "agents_opencode::bounds::an_owner_in_another_process"])
        .env("CLOSEOUT_TEST_OPENCODE", &machine.data_dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut says = BufReader::new(owner.stdout.take().unwrap());
    let mut hears = owner.stdin.take().unwrap();
    let mut wait_for = |word: &str| {
        let mut line = String::new();
        while !line.trim_end().ends_with(word) {
            line.clear();
            assert!(says.read_line(&mut line).unwrap() > 0, "the owner ended before it was {word}");
        }
    };
    wait_for("ready");
    let before = machine.files();
    assert_eq!(before.len(), 3, "database, log and index: {before:?}");
    assert_eq!(machine.session(ID).name.as_deref(), Some("in the log"));
    assert_eq!(machine.files(), before);
    hears.write_all(b"go on\n").unwrap();
    let mut last = -1;
    let deadline = Instant::now() + Duration::from_mins(1);
    while last < 199 {
        assert!(Instant::now() < deadline, "the last state that was read is {last}");
        // The owner writes without waiting for any lock, and would end at the first that it met.
        let name = machine.session(ID).name.unwrap();
        let n = name.parse().unwrap_or(-1);
        assert!(n >= last, "{n} was read after {last}");
        last = n;
    }
    wait_for("written");
    owner.kill().unwrap();
    owner.wait().unwrap();

    let before = machine.files();
    for _ in 0..3 {
        assert_eq!(machine.session(ID).name.as_deref(), Some("199"));
        assert_eq!(machine.survey(0, None).found.len(), 6);
    }
    assert_eq!(machine.files(), before);

    fs::remove_file(machine.data_dir.join("opencode.db-shm")).unwrap();
    let found = trouble(&mut machine);
    assert_eq!(found.problem, ReadProblem::HalfWritten);
    assert!(found.detail.contains("start opencode once"), "{}", found.detail);
    assert_eq!(machine.files().len(), 2);
}

#[test]
fn a_locked_database_is_trouble_for_the_reader_alone_and_soon() {
    let mut machine = Machine::new();
    machine.asked();
    machine.owner().execute_batch("PRAGMA journal_mode = DELETE").unwrap();
    machine.owner().execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").unwrap();
    machine.owner().execute("UPDATE session SET title = 'x' WHERE id = ?1", [ID]).unwrap();
    let found = trouble(&mut machine);
    assert_eq!(found.problem, ReadProblem::TimedOut);
    machine.owner().execute_batch("COMMIT").unwrap();
    machine.close();
    assert_eq!(machine.session(ID).name.as_deref(), Some("x"));
}

#[test]
fn what_is_no_database_is_trouble_and_nothing_hangs() {
    for content in [&b"SQLite format 3\0 and then nothing"[..], b"{\"json\": true}", &[0xff; 8192]] {
        let mut machine = Machine::without_database();
        fs::write(&machine.database, content).unwrap();
        let found = trouble(&mut machine);
        assert_eq!(found.problem, ReadProblem::Invalid, "{found:?}");
    }
    let mut machine = Machine::without_database();
    File::create(&machine.database).unwrap().set_len(1 << 40).unwrap();
    assert_eq!(trouble(&mut machine).problem, ReadProblem::Invalid);
    fs::remove_file(&machine.database).unwrap();
    fs::create_dir(&machine.database).unwrap();
    assert_eq!(trouble(&mut machine).problem, ReadProblem::NotAFile);
    fs::remove_dir(&machine.database).unwrap();
    fs::write(&machine.database, b"").unwrap();
    let found = trouble(&mut machine);
    assert_eq!(found.problem, ReadProblem::HalfWritten, "its tables may be made at this moment");
    assert!(found.detail.contains("start opencode once"), "{}", found.detail);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a pipe is made by the real program")]
fn neither_links_nor_pipes_are_opened() {
    for name in ["opencode.db", "opencode.db-wal", "opencode.db-shm"] {
        let mut machine = Machine::new();
        machine.close();
        let path = machine.data_dir.join(name);
        let elsewhere = machine.data_dir.join("elsewhere");
        if path.exists() {
            fs::rename(&path, &elsewhere).unwrap();
        }
        symlink(&elsewhere, &path).unwrap();
        let found = trouble(&mut machine);
        assert_eq!((found.problem, found.name), (ReadProblem::Link, path.display().to_string()));
        fs::remove_file(&path).unwrap();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert_eq!(trouble(&mut machine).problem, ReadProblem::NotAFile);
    }
}

#[test]
fn a_data_folder_behind_a_link_is_read() {
    let mut machine = Machine::new();
    machine.asked();
    let link = machine.data_dir.with_file_name("link");
    symlink(&machine.data_dir, &link).unwrap();
    machine.data_dir = link;
    assert_eq!(machine.session(ID).prompt.as_deref(), Some("Do it"));
}

#[test]
fn a_database_without_permission_is_refused() {
    let mut machine = Machine::new();
    machine.asked();
    machine.close();
    fs::set_permissions(&machine.database, fs::Permissions::from_mode(0o000)).unwrap();
    if File::open(&machine.database).is_ok() {
        eprintln!("SKIPPED: permissions do not bind this user");
        return;
    }
    assert_eq!(trouble(&mut machine).problem, ReadProblem::Refused);
}

#[test]
fn a_half_migrated_database_is_read_as_far_as_it_goes() {
    let mut machine = Machine::new();
    machine.asked();
    machine.owner().execute_batch("DROP TABLE todo; DROP TABLE part").unwrap();
    for column in ["permission", "version", "title", "time_archived"] {
        machine.owner().execute_batch(&format!("ALTER TABLE session DROP COLUMN {column}")).unwrap();
    }
    machine.owner().execute_batch("ALTER TABLE message DROP COLUMN time_updated").unwrap();
    let session = machine.session(ID);
    let since = Some(Timestamp(1000));
    assert_eq!(session.turn, TurnState::Open { since, tool: None, what: None });
    assert_eq!((session.prompt, session.todos, session.version), (None, None, None));
    assert_eq!(machine.survey(0, None).found.len(), 6);

    machine.owner().execute_batch("DROP TABLE message").unwrap();
    let read = machine.read(&[ID]);
    assert_eq!(read.trouble[0].problem, ReadProblem::Invalid);
    assert!(read.trouble[0].detail.contains("message"), "{}", read.trouble[0].detail);
    machine.owner().execute_batch("DROP INDEX session_parent_idx; DROP TABLE session").unwrap();
    assert!(trouble(&mut machine).detail.contains("start opencode once"));
}

#[test]
fn a_view_in_place_of_a_table_is_not_run() {
    let mut machine = Machine::new();
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id, '/' AS directory, \
                   i AS time_updated FROM n";
    let replace =
        format!("DROP INDEX session_parent_idx; DROP TABLE session; CREATE VIEW session AS {endless}");
    machine.owner().execute_batch(&replace).unwrap();
    assert_eq!(trouble(&mut machine).problem, ReadProblem::Invalid);
}

#[test]
fn a_database_that_was_replaced_is_read_anew() {
    let mut machine = Machine::new();
    machine.asked();
    for _ in 0..3 {
        assert_eq!(machine.survey(0, None).found.len(), 6);
        machine.session(ID);
    }
    machine.close();
    let mut other = Machine::new();
    other.add_session(ID, None, "of the other one", 5);
    other.add_message(ID, "msg_1", 5, &json!({"role": "user"}));
    other.close();
    fs::rename(&other.database, &machine.database).unwrap();
    assert_eq!(machine.session(ID).name.as_deref(), Some("of the other one"));
    assert_eq!(machine.survey(6, None).n_older, 1);
}

#[test]
fn a_cell_that_is_too_long_or_no_json_is_passed_over() {
    let mut machine = Machine::new();
    machine
        .asked()
        .answered(&json!({"time": {"completed": 2500}}), &[json!({"type": "text", "text": "Words."})]);
    let session = machine.session(ID);
    assert_eq!((session.n_skipped_lines, session.last_message.unwrap().text.as_str()), (0, "Words."));
    machine.add_part(ID, "msg_2", "prt_5", 1, &json!({"type": "text", "text": "x".repeat(5 << 20)}));
    machine.add_part(ID, "msg_2", "prt_6", 1, &json!({"type": "from the future"}));
    machine.owner().execute("UPDATE part SET data = X'fffe00' WHERE id = 'prt_6'", []).unwrap();
    machine.add_part(ID, "msg_2", "prt_7", 1, &json!({"type": "from the future"}));
    let session = machine.session(ID);
    assert_eq!((session.n_skipped_lines, session.last_message.unwrap().text.as_str()), (3, "Words."));
    machine.owner().execute("UPDATE message SET data = '{' WHERE id = 'msg_2'", []).unwrap();
    let session = machine.session(ID);
    assert_eq!((session.turn, session.last_message, session.n_skipped_lines), (TurnState::Unknown, None, 4));
}

#[test]
fn the_end_of_a_long_message_is_kept() {
    let mut machine = Machine::new();
    let text = format!("{}the end", "ä".repeat(200 << 10));
    machine.asked().answered(&json!({"time": {"completed": 2500}}), &[json!({"type": "text", "text": text})]);
    let kept = machine.session(ID).last_message.unwrap().text;
    assert!(kept.len() <= 256 << 10 && kept.len() > 255 << 10 && kept.ends_with("the end"));
}

#[test]
fn only_a_message_in_an_unknown_session_is_news() {
    let mut machine = Machine::new();
    assert!(machine.is_news(), "nothing was surveyed yet");
    machine.survey(1_795_293_000_000, None);
    assert!(!machine.is_news());
    let known = "ses_e0033f619ffern7r9bFIsoCCiy";
    machine.add_message(known, "msg_a", 5, &json!({"role": "user"}));
    assert!(!machine.is_news(), "a session that was found goes on");
    machine.add_session("ses_child", Some(known), "Look", 5);
    machine.add_message("ses_child", "msg_b", 5, &json!({"role": "user"}));
    assert!(!machine.is_news(), "a subagent is no session");
    machine.add_part("ses_child", "msg_b", "prt_b", 5, &json!({"type": "text", "text": "x"}));
    assert!(!machine.is_news());
    machine.asked();
    assert!(machine.is_news(), "a session is new");
    assert!(machine.is_news(), "and stays so until it is surveyed");
    machine.survey(0, None);
    assert!(!machine.is_news());
    machine.survey(1_795_293_000_000, None);
    machine.add_message("ses_e00341dceffe549EwWa94LznAz", "msg_c", 6, &json!({"role": "user"}));
    assert!(machine.is_news(), "an old session goes on");
}

#[test]
fn readers_on_many_threads_do_not_disturb_each_other() {
    let mut machine = Machine::new();
    machine.asked();
    let (adapters, places) = (machine.adapters(), machine.places(&[ID]));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let mut memory = closeout::agent::Memories::default();
                    let folder = std::path::Path::new("/home/user/project");
                    let read = closeout::agent::sessions(&adapters, folder, &places, &mut memory);
                    assert_eq!((read.sessions.len(), read.trouble), (1, vec![]));
                }
            });
        }
        for n in 0..100 {
            machine
                .owner()
                .execute("UPDATE session SET title = ?1 WHERE id = ?2", (n.to_string(), ID))
                .unwrap();
        }
    });
    assert_eq!(machine.session(ID).name.as_deref(), Some("99"));
}

fn any_json() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        any::<String>(),
        prop::sample::select(vec![
            "user", "assistant", "tool", "text", "running", "question", "stop", "tool-calls"
        ])
        .prop_map(str::to_owned)
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.prop_map(Value::from),
    ];
    let key = prop::sample::select(vec![
        "role", "time", "created", "completed", "finish", "error", "name", "data", "message", "path", "cwd",
        "tokens", "input", "cache", "read", "parentID", "modelID", "summary", "type", "text", "tool",
        "state", "status", "questions", "question", "options", "label", "start", "synthetic",
    ]);
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(key.clone().prop_map(str::to_owned), inner, 0..8)
                .prop_map(Value::from_iter),
        ]
    })
}

/// A cell of a message with fields of any type, so that more than the first check is reached.
fn any_cell(key: &'static str, values: &'static [&'static str]) -> impl Strategy<Value = Value> {
    (any_json(), prop::sample::select(values)).prop_map(move |(cell, value)| match cell {
        Value::Object(mut fields) => {
            fields.insert(key.to_owned(), value.into());
            Value::Object(fields)
        }
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            other
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn cells_of_any_content_are_read_or_counted(
        message in any_cell("role", &["assistant", "user"]),
        parts in prop::collection::vec(any_cell("type", &["text", "tool"]), 0..4),
        raw in any::<Vec<u8>>(),
    ) {
        let mut machine = Machine::new();
        machine.asked();
        machine.add_message(ID, "msg_2", 2000, &message);
        for (n, part) in parts.iter().enumerate() {
            machine.add_part(ID, "msg_2", &format!("prt_2{n}"), 2000, part);
        }
        machine.add_part(ID, "msg_2", "prt_3", 2000, &Value::Null);
        machine.owner().execute("UPDATE part SET data = ?1 WHERE id = 'prt_3'", [raw]).unwrap();
        let session = machine.session(ID);
        prop_assert!(session.n_skipped_lines >= 1);
        prop_assert!(session.n_skipped_lines as usize <= parts.len() + 2);
        let is_object = message.is_object();
        prop_assert_eq!(session.turn == TurnState::Unknown, !is_object);
        // A prompt is only what a person wrote.
        prop_assert!(session.prompt.is_some());
    }
}
