//! `closeout hook event`, the real program: it leaves its line, says nothing and never fails, whatever it
//! is given and wherever it runs.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::Stdio;

use closeout::model::{HookEvent, HookKind, hook_file_stem};

use crate::support::test_env::{Run, TestEnv, finish, spawn};

const EVENT: [&str; 4] = ["hook", "event", "--agent", "claude"];

fn payload(session_id: &str, more: &str) -> String {
    let id = serde_json::Value::from(session_id);
    format!(r#"{{"session_id":{id},"cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Bash"{more}}}"#)
}

fn file(env: &TestEnv, session_id: &str) -> PathBuf {
    env.at("state/hooks/claude").join(format!("{}.jsonl", hook_file_stem(session_id)))
}

fn events(env: &TestEnv, session_id: &str) -> Vec<HookEvent> {
    let text = fs::read_to_string(file(env, session_id)).unwrap();
    assert!(text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Nothing was said and all went well, as far as the agent sees.
fn assert_silent(run: &Run) {
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", ""));
}

#[test]
fn an_event_leaves_one_line_that_only_this_user_can_read() {
    let env = TestEnv::new()
        .with_variable("TMUX", "/tmp/tmux-1/default,12,0")
        .with_variable("TMUX_PANE", "%3")
        .with_variable("SECRET", "do-not-write-me");
    let command = r#","tool_use_id":"c1","tool_input":{"command":"cargo test","description":"x"}"#;
    assert_silent(&env.run_with_input(&EVENT, payload("s1", command).as_bytes()));
    assert_silent(&env.run_with_input(&EVENT, payload("s1", command).as_bytes()));
    let all = events(&env, "s1");
    assert_eq!(all.len(), 2);
    let event = &all[0];
    assert_eq!((event.kind, event.what.as_deref()), (HookKind::ToolStarted, Some("cargo test")));
    assert_eq!(event.process, Some(super::this_process()), "its parent is this test");
    let pane = event.pane.as_ref().unwrap();
    assert_eq!((pane.socket.as_deref(), pane.id.as_str()), (Some("/tmp/tmux-1/default"), "%3"));
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(file(&env, "s1")), 0o600);
    for folder in ["state", "state/hooks", "state/hooks/claude"] {
        assert_eq!(mode(env.at(folder)), 0o700, "{folder}");
    }
    let text = fs::read_to_string(file(&env, "s1")).unwrap();
    assert!(!text.contains("do-not-write-me"));
}

#[test]
fn a_payload_of_many_megabytes_leaves_a_short_line() {
    let env = TestEnv::new();
    let content = "x".repeat(10 << 20);
    let big = format!(r#","tool_input":{{"file_path":"/w/a","content":"{content}"}}"#);
    assert_silent(&env.run_with_input(&EVENT, payload("big", &big).as_bytes()));
    // More than is read: what stood at the begin counts.
    let rest = format!(r#","tool_input":{{"content":"{}"}}"#, "y".repeat(20 << 20));
    assert_silent(&env.run_with_input(&EVENT, payload("huge", &rest).as_bytes()));
    assert_eq!(events(&env, "big")[0].what.as_deref(), Some("/w/a"));
    assert_eq!(events(&env, "huge")[0].kind, HookKind::ToolStarted);
    let long = format!(r#","tool_input":{{"command":"{}"}}"#, "é".repeat(100_000));
    assert_silent(&env.run_with_input(&EVENT, payload("long", &long).as_bytes()));
    assert!(fs::metadata(file(&env, "long")).unwrap().len() <= 16 << 10);
    assert_eq!(events(&env, "long")[0].what.as_ref().unwrap().chars().count(), 2_000);
}

#[test]
fn broken_payloads_and_arguments_are_no_failure() {
    let env = TestEnv::new();
    let cut = payload("cut", r#","tool_input":{"command":"a"#);
    for input in ["", "nonsense", "{}", "[1]", "\u{0}\u{1}", r#"{"session_id":7}"#, &cut[..cut.len() - 2]] {
        assert_silent(&env.run_with_input(&EVENT, input.as_bytes()));
    }
    assert_silent(&env.run_with_input(&EVENT, b"\xff\xfe{\"session_id\":\"a\"}"));
    assert_silent(&env.run_with_input(&["hook", "event"], payload("no", "").as_bytes()));
    assert_silent(&env.run_with_input(&["hook", "event", "--agent", "../x"], payload("no", "").as_bytes()));
    assert_silent(&env.run_with_input(&["hook", "event", "--what"], payload("no", "").as_bytes()));
    assert_eq!(events(&env, "cut").len(), 1, "what stood before the cut counts");
    assert_eq!(fs::read_dir(env.at("state/hooks/claude")).unwrap().count(), 1);
}

#[test]
fn an_input_that_never_ends_is_given_up() {
    let env = TestEnv::new();
    let mut command = env.command(&env.at("."), &EVENT);
    let mut child = spawn(command.stdin(Stdio::piped()));
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(payload("open", "").as_bytes()).unwrap();
    // The pipe stays open until the program has ended.
    assert_silent(&finish(child));
    drop(stdin);
    assert_eq!(events(&env, "open").len(), 1);
}

#[test]
fn no_input_at_all_is_no_failure() {
    let env = TestEnv::new();
    assert_silent(&finish(spawn(env.command(&env.at("."), &EVENT).stdin(Stdio::null()))));
    assert!(!env.at("state").exists());
}

#[test]
fn ids_never_lead_out_of_the_folder() {
    let env = TestEnv::new();
    let long = "a".repeat(300);
    for id in ["../../evil", "a/b", "..", ".", "/etc/x", "nul\u{0}byte", "ü", "-", "a.1", long.as_str()] {
        assert_silent(&env.run_with_input(&EVENT, payload(id, "").as_bytes()));
        assert_eq!(events(&env, id).len(), 1, "{id:?}");
    }
    assert_eq!(fs::read_dir(env.at("state/hooks/claude")).unwrap().count(), 10);
    assert_eq!(fs::read_dir(env.at("state")).unwrap().count(), 1);
}

#[test]
fn no_event_is_left_behind_a_link() {
    for link in ["state/hooks", "state/hooks/claude"] {
        let env = TestEnv::new();
        let outside = env.at("outside");
        fs::create_dir_all(outside.join("claude")).unwrap();
        fs::create_dir_all(env.at(link).parent().unwrap()).unwrap();
        symlink(&outside, env.at(link)).unwrap();
        assert_silent(&env.run_with_input(&EVENT, payload("s", "").as_bytes()));
        let left = [&outside, &outside.join("claude")].map(|folder| fs::read_dir(folder).unwrap().count());
        assert_eq!(left, [1, 0], "{link}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_no_failure() {
    let blocked = TestEnv::new();
    fs::write(blocked.at("state"), "a file").unwrap();
    assert_silent(&blocked.run_with_input(&EVENT, payload("s", "").as_bytes()));
    // The file system says no, also to root.
    let unwritable = TestEnv::new().with_variable("CLOSEOUT_STATE_DIR", "/proc/closeout");
    assert_silent(&unwritable.run_with_input(&EVENT, payload("s", "").as_bytes()));
    let homeless = TestEnv::new()
        .with_variable("CLOSEOUT_STATE_DIR", "")
        .with_variable("XDG_STATE_HOME", "")
        .with_variable("HOME", "");
    assert_silent(&homeless.run_with_input(&EVENT, payload("s", "").as_bytes()));
}

#[test]
fn nothing_is_written_through_a_link_or_into_a_fifo() {
    let env = TestEnv::new();
    let folder = env.at("state/hooks/claude");
    fs::create_dir_all(&folder).unwrap();
    fs::write(env.at("victim"), "").unwrap();
    symlink(env.at("victim"), file(&env, "linked")).unwrap();
    assert_silent(&env.run_with_input(&EVENT, payload("linked", "").as_bytes()));
    assert_eq!(fs::read(env.at("victim")).unwrap(), b"");
    rustix::fs::mkfifoat(
        rustix::fs::CWD,
        file(&env, "fifo"),
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
    )
    .unwrap();
    assert_silent(&env.run_with_input(&EVENT, payload("fifo", "").as_bytes()));
}

#[test]
fn a_look_of_closeouts_own_leaves_nothing() {
    let env = TestEnv::new().with_variable("CLOSEOUT_PROBE", "1");
    assert_silent(&env.run_with_input(&EVENT, payload("s", "").as_bytes()));
    assert!(!env.at("state").exists());
}

#[test]
fn a_full_file_is_set_aside() {
    let env = TestEnv::new();
    let path = file(&env, "s");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, format!("{}\n", "x".repeat(256 << 10))).unwrap();
    assert_silent(&env.run_with_input(&EVENT, payload("s", "").as_bytes()));
    assert!(!path.exists());
    assert!(path.with_extension("jsonl.1").exists());
    assert_silent(&env.run_with_input(&EVENT, payload("s", "").as_bytes()));
    assert_eq!(events(&env, "s").len(), 1);
}

#[test]
fn the_lines_of_fifty_hooks_at_once_do_not_mix() {
    let env = TestEnv::new();
    let what = "w".repeat(180);
    let children: Vec<_> = (0..50)
        .map(|number| {
            let mut child = spawn(env.command(&env.at("."), &EVENT).stdin(Stdio::piped()));
            let more = format!(r#","tool_use_id":"{number}","tool_input":{{"command":"{what}"}}"#);
            child.stdin.take().unwrap().write_all(payload("many", &more).as_bytes()).unwrap();
            child
        })
        .collect();
    for child in children {
        assert_silent(&finish(child));
    }
    let mut calls: Vec<u32> =
        events(&env, "many").iter().map(|event| event.call.as_ref().unwrap().parse().unwrap()).collect();
    calls.sort_unstable();
    assert_eq!(calls, (0..50).collect::<Vec<_>>());
}
