//! closeout is killed between sending and knowing (R07), and what its journal keeps (X02, X03, X05).

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use closeout::model::{ActionClass, ReceiptState};

use super::fixture::{BEGIN, END, ReplyFixture, SESSION};
use serde_json::Value;

use crate::support::schema::Schema;
use crate::support::test_env::{Run, finish, spawn};

const SECRET: &str = "the canary is kept away from every log, whatever becomes of it: 8d2f1c, and this is longer than \
                      what an excerpt keeps of a text, so that its end must be nowhere on the disk, not even here: END-8d2f1c";

/// The program, as a person would run it.
#[expect(clippy::disallowed_methods, reason = "it is the program that is tested")]
pub(super) fn command(fixture: &ReplyFixture, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_closeout"));
    command
        .args(arguments)
        .current_dir(fixture.repo.path())
        .env_clear()
        .env("HOME", fixture.repo.home())
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("CLOSEOUT_STATE_DIR", fixture.state())
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(fixture: &ReplyFixture, arguments: &[&str]) -> Run {
    finish(spawn(&mut command(fixture, arguments)))
}

fn journal(fixture: &ReplyFixture) -> PathBuf {
    let mut files = fs::read_dir(fixture.state().join("replies")).unwrap();
    files.next().unwrap().unwrap().path()
}

/// Kills the program between the paste and Return, and waits for its end.
fn kill_between(fixture: &ReplyFixture, text: &str) -> String {
    let mut child = spawn(&mut command(fixture, &["reply", ".", text, "--yes"]));
    let pasted = format!("{BEGIN}{text}{END}");
    fixture.wait_for_bytes(pasted.len());
    child.kill().unwrap();
    child.wait().unwrap();
    pasted
}

#[test]
fn after_a_crash_a_person_is_asked_and_nothing_is_sent_twice() {
    let Some(fixture) = ReplyFixture::new() else { return };
    fixture.start();
    let before = fixture.plan().unwrap();
    let pasted = kill_between(&fixture, "hello");
    let problem = fixture.send(&before, "hello").unwrap_err();
    assert_eq!(problem.class, ActionClass::Unknown, "{problem:?}");
    let seen = fixture.plan().unwrap();
    let unsettled = seen.unsettled.clone().unwrap();
    assert_eq!((unsettled.state, &*unsettled.excerpt), (ReceiptState::Unknown, "hello"));
    assert_eq!(fixture.bytes(), pasted, "neither a plan nor a refused reply types anything");
    // A person goes on.
    fixture.send(&seen, "again").unwrap();
    let wanted = format!("{pasted}{BEGIN}again{END}\r");
    assert_eq!(fixture.wait_for_bytes(wanted.len()), wanted);
    assert_eq!(fixture.plan().unwrap().unsettled, None);
}

#[test]
fn after_a_crash_the_record_can_tell_that_it_was_taken() {
    let Some(fixture) = ReplyFixture::new() else { return };
    fixture.start();
    kill_between(&fixture, "hello");
    fixture.say("hello", "Done.");
    assert_eq!(fixture.plan().unwrap().unsettled, None);
    assert!(fs::read_to_string(journal(&fixture)).unwrap().contains("consumed"));
}

/// X02, X03.
#[test]
fn the_words_stand_in_no_log_and_the_journal_is_for_this_user_only() {
    let Some(fixture) = ReplyFixture::new() else { return };
    fixture.start();
    let sent = run(&fixture, &["reply", ".", SECRET, "--yes", "--wait", "0"]);
    assert_eq!(sent.code, i32::from(ActionClass::Unknown.exit_code()), "{sent:?}");
    assert!(sent.out.contains("held"), "{sent:?}");
    let journal = journal(&fixture);
    assert_eq!(fs::metadata(&journal).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(journal.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    let mut open = vec![fixture.state()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            let content = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            assert!(!content.contains("END-8d2f1c"), "{}", path.display());
            let is_journal = path == journal;
            assert!(is_journal || !content.contains("the canary"), "{}", path.display());
        }
    }
}

/// X05.
#[test]
fn a_damaged_journal_is_said_and_nothing_of_it_is_lost() {
    let Some(fixture) = ReplyFixture::new() else { return };
    fixture.start();
    fixture.send(&fixture.plan().unwrap(), "hello").unwrap();
    let path = journal(&fixture);
    let mut content = fs::read(&path).unwrap();
    content.extend_from_slice(b"0123 {\"step\":\"beg");
    fs::write(&path, &content).unwrap();
    let seen = fixture.plan().unwrap();
    assert!(seen.warnings.iter().any(|warning| warning.contains("cannot be read")), "{:?}", seen.warnings);
    fixture.send(&seen, "more").unwrap();
    assert!(fs::read(&path).unwrap().starts_with(&content));
}

#[test]
fn the_command_shows_the_question_and_the_way_and_sends_nothing_by_itself() {
    let Some(fixture) = ReplyFixture::new() else { return };
    fixture.start();
    let shown = run(&fixture, &["reply"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    for words in ["Which of the two would you like?", "1) Keep it.", "2) Drop it.", "pasted into tmux pane"] {
        assert!(shown.out.contains(words), "{words}: {shown:?}");
    }
    let asked = run(&fixture, &["reply", &SESSION[..8], "2"]);
    assert_eq!(asked.code, i32::from(ActionClass::Declined.exit_code()), "{asked:?}");
    assert!(asked.err.contains("--yes"), "{asked:?}");
    assert_eq!(fixture.bytes(), "");
    let schema = Schema::parse(&run(&fixture, &["schema"]).out);
    let plan = run(&fixture, &["reply", "--json"]).json();
    schema.assert_valid(&plan);
    assert_eq!((&plan["class"], &plan["receipt"]), (&"done".into(), &Value::Null));
    let refused = run(&fixture, &["reply", ".", "/clear", "--yes", "--json"]);
    schema.assert_valid(&refused.json());
    assert_eq!(refused.code, 20, "{refused:?}");
    assert_eq!(refused.json()["class"], "refused");
    let none = run(&fixture, &["reply", "no-such-session", "x"]);
    assert_eq!(none.code, 4, "{none:?}");
}

#[test]
fn several_sessions_are_named_and_none_is_answered() {
    let Some(fixture) = ReplyFixture::new() else { return };
    fixture.start();
    fixture.say_in("6e3c6d27-f91a-4d5d-9f33-af66db01304c", "x", "Done.");
    fixture.say_in("7e3c6d27-f91a-4d5d-9f33-af66db01304c", "x", "Done.");
    let asked = run(&fixture, &["reply", ".", "2", "--yes"]);
    let is_one_that_asks = asked.code != 2;
    if is_one_that_asks {
        // The first of them is the only one that asks.
        assert!(asked.out.contains(SESSION), "{asked:?}");
    } else {
        assert!(asked.err.contains(SESSION) && asked.err.contains("7e3c6d27"), "{asked:?}");
    }
}
