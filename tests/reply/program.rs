//! Words for a session by its agent's own program: without a screen, and by the agent's queue.

use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use closeout::agent::Adapter;
use closeout::engine::{EngineConfig, OneShot, Scope};
use closeout::model::{
    Action, ActionClass, ActionOutcome, Receipt, ReceiptState, ReplyBody, ReplyChannel, WorkspaceId,
};

use super::fixture::{ReplyFixture, SESSION, plan, send, wait};
use crate::live::Agent;

/// A folder with a program of an agent's name that writes down what it was called with.
fn program(fixture: &ReplyFixture, name: &str, then: &str) -> PathBuf {
    let folder = fixture.repo.root().join("bin-own");
    fs::create_dir_all(&folder).unwrap();
    let root = fixture.repo.root();
    let body = format!(
        "cd '{0}'\nprintf '%s\\n' \"$@\" > arguments\ncat > input\nenv > environment\n{then}",
        root.display()
    );
    fixture.repo.script(&format!("bin-own/{name}"), &body);
    folder
}

/// A program that goes on with the session has its id in its command line: beside it nobody else's session of that id
/// would be one that nobody has open.
static TURN: Mutex<()> = Mutex::new(());

/// A session that nobody has open, and what closeout is started with.
fn over(then: &str) -> Option<(ReplyFixture, EngineConfig)> {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let fixture = ReplyFixture { _turn: Some(turn), ..ReplyFixture::new()? };
    fs::create_dir_all(fixture.repo.home().join(".claude/sessions")).unwrap();
    let folder = program(&fixture, "claude", then);
    let mut config = fixture.engine_config(&[&folder]);
    config.variables.insert("SECRET_CANARY".into(), "1".into());
    config.variables.insert("ANTHROPIC_BASE_URL".into(), "http://127.0.0.1:9".into());
    Some((fixture, config))
}

fn left(fixture: &ReplyFixture, name: &str) -> String {
    fs::read_to_string(fixture.repo.root().join(name)).unwrap()
}

const ANSWER: &str = r#"echo '{"type":"result","is_error":false,"result":"Done.","session_id":"x"}'"#;

/// R01, R10: by standard input, whole, with an environment that is made of allowed names.
#[test]
fn a_session_that_is_not_open_is_gone_on_with_by_its_program() {
    let Some((fixture, config)) = over(ANSWER) else { return };
    let seen = plan(&config, SESSION).unwrap();
    assert!(matches!(seen.channel, ReplyChannel::Resume { .. }), "{seen:?}");
    for text in ["はい、2で $(touch canary) `x` ; -R".to_owned(), "0123456789".repeat(20_000)] {
        let receipt = send(&config, &plan(&config, SESSION).unwrap(), &text).unwrap();
        assert_eq!(receipt.state, ReceiptState::Consumed);
        assert!(left(&fixture, "input") == text);
        let arguments = left(&fixture, "arguments");
        assert!(arguments.starts_with(&format!("-p\n--resume\n{SESSION}\n")), "{arguments}");
        assert!(!arguments.contains("2で"));
    }
    let environment = left(&fixture, "environment");
    assert!(!environment.contains("SECRET_CANARY"), "{environment}");
    assert!(environment.contains("ANTHROPIC_BASE_URL=http://127.0.0.1:9"), "{environment}");
    assert!(!fixture.repo.root().join("canary").exists());
}

#[test]
fn a_program_that_does_not_take_the_words_is_a_refusal() {
    let Some((fixture, config)) = over("echo 'No conversation found' >&2\nexit 1") else { return };
    let problem = send(&config, &plan(&config, SESSION).unwrap(), "hello").unwrap_err();
    assert_eq!(problem.class, ActionClass::Refused);
    assert!(problem.message.contains("No conversation found"), "{problem:?}");
    // It is known that it was not sent: nothing is asked.
    assert_eq!(plan(&config, SESSION).unwrap().unsettled, None);
    drop(fixture);
}

/// Leaves the line that the client would write for the prompt, and the place of its record, for the program.
fn leave_the_line(fixture: &ReplyFixture) {
    let folder = fixture.repo.home().join(".claude/projects");
    let record =
        fs::read_dir(folder).unwrap().next().unwrap().unwrap().path().join(format!("{SESSION}.jsonl"));
    fs::write(fixture.repo.root().join("record"), record.display().to_string()).unwrap();
    let line = serde_json::json!({
        "sessionId": SESSION, "cwd": fixture.repo.path(), "version": "2.1.330", "isSidechain": false,
        "parentUuid": null, "timestamp": "2099-01-01T00:00:00.000Z", "type": "user", "promptSource": "sdk",
        "message": {"role": "user", "content": "hello"},
    });
    fs::write(fixture.repo.root().join("line"), line.to_string()).unwrap();
}

#[test]
fn words_that_were_taken_before_a_failure_are_consumed() {
    let then = r#"exec >/dev/null; printf '%s\n' "$(cat line)" >> "$(cat record)"; exit 1"#;
    let Some((fixture, config)) = over(then) else { return };
    leave_the_line(&fixture);
    let seen = plan(&config, SESSION).unwrap();
    let receipt = send(&config, &seen, "hello").unwrap();
    assert_eq!(receipt.state, ReceiptState::Consumed);
    assert!(receipt.detail.unwrap().contains("then failed"));
}

#[test]
fn a_program_that_is_not_there_sends_nothing() {
    let Some((fixture, _)) = over(ANSWER) else { return };
    let config = fixture.launch_with(
        fixture.server.tmux(None),
        Adapter::named("claude", fixture.repo.home().join(".claude")).unwrap(),
        &[],
    );
    let mut config = config;
    config.variables.insert("PATH".into(), "/nowhere".into());
    let problem = send(&config, &plan(&config, SESSION).unwrap(), "hello").unwrap_err();
    assert!(problem.message.contains("not on the path"), "{problem:?}");
}

const THREAD: &str = "01a200e7-11ec-7922-b128-1514eba23115";

/// R01, R10.
#[test]
fn a_live_codex_session_is_given_words_by_its_queue() {
    let Some(fixture) = ReplyFixture::without_agent() else { return };
    let home = fixture.repo.home().join(".codex");
    let rollout = codex_record(&fixture, &home);
    let folder = program(&fixture, "codex", "");
    let _agent = Agent::start(
        &fixture.repo,
        "codex",
        fixture.repo.path(),
        &format!("exec 9>>'{}'", rollout.display()),
    );
    let config =
        fixture.launch_with(fixture.server.tmux(None), Adapter::named("codex", home).unwrap(), &[&folder]);
    let seen = plan(&config, THREAD).unwrap();
    assert_eq!(seen.channel, ReplyChannel::Queue { program: "codex".to_owned() });
    let text = "-R はい; $(x)\nsecond";
    let receipt = send(&config, &seen, text).unwrap();
    assert_eq!(receipt.state, ReceiptState::Delivered);
    assert_eq!(left(&fixture, "arguments"), format!("queue\n--thread={THREAD}\n--message={text}\n"));
    let problem = send(&config, &plan(&config, THREAD).unwrap(), &"x".repeat(200_000)).unwrap_err();
    assert_eq!(problem.class, ActionClass::Refused);
    assert!(problem.message.contains("100 KiB"), "{problem:?}");
}

/// A thread whose last turn has ended.
fn codex_record(fixture: &ReplyFixture, home: &std::path::Path) -> PathBuf {
    let folder = home.join("sessions/2026/11/22");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("rollout-2026-11-22T01-00-00-{THREAD}.jsonl"));
    let rollout = include_str!("../fixtures/agents/codex/rollouts/statement.jsonl");
    let meta: serde_json::Value = serde_json::from_str(rollout.lines().next().unwrap()).unwrap();
    let (id, cwd) = (meta["payload"]["id"].as_str().unwrap(), meta["payload"]["cwd"].as_str().unwrap());
    let content = rollout.replace(id, THREAD).replace(cwd, &fixture.repo.path().display().to_string());
    fs::write(&path, content).unwrap();
    // Later than the process of this test starts: one that started after the record grew is no writer of it.
    let later = std::time::UNIX_EPOCH + std::time::Duration::from_secs(4_000_000_000);
    fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
    path
}

/// A client that writes the prompt into its record as the real one does, starts a program of its own, and works
/// until it is let go.
const WORKS: &str = r#"printf '%s\n' "$(cat line)" >> "$(cat record)"
sleep 600 & echo $! > below
echo $$ > own
while [ ! -e go ]; do sleep 0.05; done
kill %1
echo '{"type":"result","is_error":false,"result":"Done.","session_id":"x"}'"#;

/// The reply is sent in a thread; `then` is called with the taken reply while the client works, and the command to
/// end its turn.
fn send_and(config: &EngineConfig, then: impl FnOnce(Receipt, closeout::process::Cancel)) -> Receipt {
    let Scope::One(workspace) = &config.scope else { panic!("one workspace") };
    let plan = plan(config, SESSION).unwrap();
    let (sender, taken) = std::sync::mpsc::channel();
    let mut all = OneShot::judge(config);
    let cancel = all.cancel();
    let outcome = std::thread::scope(|scope| {
        let body = ReplyBody::Text { text: "hello".to_owned() };
        let action = Action::Reply { plan: Box::new(plan), body };
        let sending = scope.spawn(move || {
            let sender = std::sync::Mutex::new(sender);
            all.action(&WorkspaceId::local(workspace), action, &|progress| {
                if let Some(receipt) = progress.taken {
                    sender.lock().unwrap().send(*receipt).unwrap();
                }
            })
        });
        then(taken.recv_timeout(std::time::Duration::from_secs(20)).unwrap(), cancel);
        sending.join().unwrap()
    });
    let ActionOutcome::Replied(receipt) = outcome else { panic!("{outcome:?}") };
    *receipt
}

#[test]
fn a_reply_is_consumed_when_it_stands_in_the_record_and_the_agent_works_on() {
    let Some((fixture, config)) = over(WORKS) else { return };
    leave_the_line(&fixture);
    let receipt = send_and(&config, |taken, _| {
        assert_eq!((taken.state, &*taken.excerpt), (ReceiptState::Consumed, "hello"));
        // The turn to write to the session is over: another closeout plans, and is not kept from it.
        let problem = plan(&config, SESSION).err();
        assert_ne!(problem.map(|problem| problem.class), Some(ActionClass::Busy));
        fs::write(fixture.repo.root().join("go"), "").unwrap();
    });
    assert_eq!(
        (receipt.state, receipt.detail.as_deref()),
        (ReceiptState::Consumed, Some("the agent has answered"))
    );
}

#[test]
fn a_turn_that_a_person_ends_is_ended_with_all_that_came_of_it() {
    let Some((fixture, config)) = over(WORKS) else { return };
    leave_the_line(&fixture);
    let receipt = send_and(&config, |_, cancel| {
        wait("what the client started", || fs::read(fixture.repo.root().join("own")).ok());
        cancel.cancel();
    });
    assert_eq!(
        (receipt.state, receipt.detail.as_deref()),
        (ReceiptState::Consumed, Some("its turn was ended"))
    );
    for name in ["own", "below"] {
        let pid = left(&fixture, name);
        wait("its end", || (!std::path::Path::new(&format!("/proc/{}", pid.trim())).exists()).then_some(()));
    }
}
