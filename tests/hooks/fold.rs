//! What the session does after each event: over every recorded run, and where events come in an order
//! that no run shows.

use std::fmt::Write as _;
use std::fs;

use closeout::agent::hook_events::{HookFold, event_of};
use closeout::agent::{Hooks, hooks_of};
use closeout::model::{
    BackgroundTask, HookEvent, HookKind, LiveStatus, ProcessId, StatusReport, Timestamp, WaitsOn,
};
use serde_json::Value;

use super::{event, fixtures, payloads};

/// The word in a few characters.
fn described(word: Option<&StatusReport>) -> String {
    let Some(word) = word else { return "nothing".to_owned() };
    let status = match &word.status {
        LiveStatus::Busy => "busy",
        LiveStatus::Idle => "idle",
        LiveStatus::Waiting { on: WaitsOn::Permission } => "permission",
        LiveStatus::Waiting { on: WaitsOn::Input } => "question",
        LiveStatus::Waiting { on: WaitsOn::Other(_) } => "waits",
        LiveStatus::Background => "background",
        LiveStatus::Failed => "failed",
        LiveStatus::Ended => "ended",
        LiveStatus::Gone => "gone",
    };
    let since = word.since.unwrap().0 / 1000;
    let what =
        word.what.as_deref().map_or_else(String::new, |what| format!(" | {}", what.replace('\n', "⏎")));
    format!("{status} since {since}{what}")
}

/// Which process tells, and whether it has no screen: in one run, sessions without a screen looked into
/// the one that was recorded.
fn process_of(name: &str, number: usize) -> (ProcessId, bool) {
    let is_look = name == "interactive" && (12..16).contains(&number);
    let is_headless = is_look || name == "permission-denied-headless";
    (ProcessId { pid: if is_look { 2 } else { 1 }, started_at: 7 }, is_headless)
}

/// The state after each payload, the payloads two seconds apart.
fn states(agent: &Hooks, name: &str) -> String {
    let mut states = String::new();
    let mut folds: Vec<(String, HookFold)> = Vec::new();
    for (number, payload) in payloads(agent.agent, name).iter().enumerate() {
        let at = Timestamp(i64::try_from(number).unwrap() * 2000);
        let mut event = event_of(agent, payload.as_bytes(), at).unwrap();
        let (process, is_headless) = process_of(name, number);
        event.process = Some(process);
        event.is_headless = is_headless;
        // As it is written down and read again.
        let line = serde_json::to_string(&event).unwrap();
        let event: HookEvent = serde_json::from_str(&line).unwrap();
        let known = folds.iter().position(|(id, _)| event.session_id == **id);
        let at = known.unwrap_or_else(|| {
            folds.push((event.session_id.to_string(), HookFold::default()));
            folds.len() - 1
        });
        let fold = &mut folds[at].1;
        fold.apply(&event);
        let raw: Value = serde_json::from_str(payload).unwrap();
        let inside = if event.subagent.is_some() { " (subagent)" } else { "" };
        let name = raw["hook_event_name"].as_str().unwrap();
        let tool = raw["tool_name"].as_str().map_or_else(String::new, |tool| format!(" {tool}"));
        let n_subagents = fold.subagents().len();
        let beside = if n_subagents == 0 { String::new() } else { format!(" +{n_subagents}") };
        let word = fold.word();
        writeln!(states, "{}s {name}{tool}{inside}: {}{beside}", number * 2, described(word.as_ref()))
            .unwrap();
    }
    states
}

#[test]
fn every_recorded_run_gives_the_expected_state_after_each_event() {
    let mut n_runs = 0;
    for agent in [hooks_of("claude").unwrap(), hooks_of("codex").unwrap(), hooks_of("gemini").unwrap()] {
        for entry in fs::read_dir(fixtures(agent.agent)).unwrap() {
            let file = entry.unwrap().file_name().into_string().unwrap();
            let Some(name) = file.strip_suffix(".stdin.jsonl") else { continue };
            let expected = fixtures(agent.agent).join(format!("{name}.states.txt"));
            let states = states(agent, name);
            let expected = fs::read_to_string(&expected).unwrap_or_default();
            assert_eq!(states, expected, "{} {name}", agent.agent);
            n_runs += 1;
        }
    }
    assert_eq!(n_runs, 18);
}

fn tool(at_s: i64, kind: HookKind, tool: &str, call: Option<&str>) -> HookEvent {
    let mut event = event(at_s, kind);
    event.tool = Some(tool.to_owned());
    event.call = call.map(str::to_owned);
    event
}

fn status_after(events: &[HookEvent]) -> LiveStatus {
    let mut fold = HookFold::default();
    for event in events {
        fold.apply(event);
    }
    fold.word().unwrap().status
}

const PERMISSION: LiveStatus = LiveStatus::Waiting { on: WaitsOn::Permission };

#[test]
fn a_call_beside_the_one_that_waits_is_no_answer() {
    let waiting = [
        event(0, HookKind::Prompted),
        tool(1, HookKind::ToolStarted, "Read", Some("a")),
        tool(1, HookKind::ToolStarted, "Bash", Some("b")),
        tool(2, HookKind::PermissionAsked, "Bash", None),
        tool(3, HookKind::ToolEnded, "Read", Some("a")),
    ];
    assert_eq!(status_after(&waiting), PERMISSION);
    let answered = [waiting.as_slice(), &[tool(4, HookKind::ToolEnded, "Bash", Some("b"))]].concat();
    assert_eq!(status_after(&answered), LiveStatus::Busy);
    let refused = [waiting.as_slice(), &[tool(4, HookKind::ToolStarted, "Bash", Some("c"))]].concat();
    assert_eq!(status_after(&refused), LiveStatus::Busy);
}

#[test]
fn a_subagent_waits_for_the_person_until_it_goes_on() {
    let inside = |mut event: HookEvent| {
        event.subagent = Some("helper".to_owned());
        event
    };
    let waiting = [
        event(0, HookKind::Prompted),
        inside(event(1, HookKind::SubagentStarted)),
        inside(tool(2, HookKind::ToolStarted, "Bash", Some("a"))),
        inside(tool(2, HookKind::PermissionAsked, "Bash", None)),
        // The session itself goes on.
        tool(5, HookKind::ToolStarted, "Read", Some("b")),
        event(6, HookKind::Stopped),
    ];
    assert_eq!(status_after(&waiting), PERMISSION);
    let after = inside(tool(9, HookKind::ToolEnded, "Bash", Some("a")));
    assert_eq!(status_after(&[waiting.as_slice(), &[after]].concat()), LiveStatus::Background);
    let ended = inside(event(9, HookKind::SubagentStopped));
    assert_eq!(status_after(&[waiting.as_slice(), &[ended]].concat()), LiveStatus::Idle);
}

#[test]
fn a_turn_that_was_broken_off_is_over() {
    let begun = [event(0, HookKind::Prompted), tool(1, HookKind::ToolStarted, "Bash", Some("a"))];
    for kind in [HookKind::Interrupted, HookKind::IdleNoticed] {
        assert_eq!(
            status_after(&[begun.as_slice(), &[event(2, kind)]].concat()),
            LiveStatus::Idle,
            "{kind:?}"
        );
    }
}

#[test]
fn an_event_that_was_overtaken_tells_nothing_new() {
    let mut late = event(2, HookKind::Busy);
    late.at = Timestamp(1999);
    let events = [event(0, HookKind::Prompted), event(2, HookKind::Stopped), late];
    assert_eq!(status_after(&events), LiveStatus::Idle);
    // A clock that was set back by an hour is another matter.
    let events = [event(7200, HookKind::Stopped), event(3600, HookKind::Prompted)];
    assert_eq!(status_after(&events), LiveStatus::Busy);
}

#[test]
fn background_work_that_ends_leaves_the_session_idle() {
    let mut stopped = event(1, HookKind::Stopped);
    let task = |id: &str| BackgroundTask { id: id.to_owned(), what: None, command: None, is_subagent: false };
    stopped.background = Some(vec![task("server"), task("build")]);
    let mut fold = HookFold::default();
    fold.apply(&event(0, HookKind::Prompted));
    fold.apply(&stopped);
    let word = fold.word().unwrap();
    assert_eq!((word.status, word.what.as_deref()), (LiveStatus::Background, Some("2 tasks")));
    fold.apply(&event(2, HookKind::Prompted));
    stopped.at = Timestamp(3000);
    stopped.background = Some(Vec::new());
    fold.apply(&stopped);
    assert_eq!(fold.word().unwrap().status, LiveStatus::Idle);
}

#[test]
fn a_payload_that_is_cut_off_tells_what_stood_before() {
    let whole = r#"{"session_id":"s","hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Write","tool_input":{"file_path":"/w/a","content":""#;
    let event = event_of(hooks_of("claude").unwrap(), whole.as_bytes(), Timestamp(5)).unwrap();
    assert_eq!((event.kind, event.tool.as_deref(), event.what), (HookKind::ToolStarted, Some("Write"), None));
    assert_eq!(event_of(hooks_of("claude").unwrap(), b"{\"cwd\":\"/w\"}", Timestamp(5)), None);
    assert_eq!(event_of(hooks_of("claude").unwrap(), b"\xff\xfe", Timestamp(5)), None);
    assert_eq!(event_of(hooks_of("claude").unwrap(), b"[1,2]", Timestamp(5)), None);
}

#[test]
fn fields_of_another_kind_than_expected_are_left_out() {
    let odd = r#"{"session_id":"s","hook_event_name":7,"cwd":[],"tool_input":"text","tool_name":null,"background_tasks":{"a":1}}"#;
    let event = event_of(hooks_of("codex").unwrap(), odd.as_bytes(), Timestamp(5)).unwrap();
    assert_eq!((event.kind, event.folder, event.what), (HookKind::Other, None, None));
    assert_eq!(event.background, Some(Vec::new()));
}

#[test]
fn the_plugin_of_opencode_tells_in_the_same_words() {
    let tell = |fields: &str| {
        let payload = format!(r#"{{"session_id":"ses_1","cwd":"/w",{fields}}}"#);
        event_of(hooks_of("opencode").unwrap(), payload.as_bytes(), Timestamp(10_000)).unwrap()
    };
    let busy = tell(r#""hook_event_name":"session.busy","at":9999"#);
    assert_eq!((busy.kind, busy.at), (HookKind::Busy, Timestamp(9999)));
    let far = tell(r#""hook_event_name":"session.busy","at":-9000"#);
    assert_eq!(far.at, Timestamp(10_000), "a clock that is far off does not count");
    let asked = tell(
        r#""hook_event_name":"question.asked","tool_name":"question","tool_use_id":"q","tool_input":{"questions":[{"question":"Which?"}]}"#,
    );
    assert_eq!((asked.kind, asked.what.as_deref()), (HookKind::QuestionAsked, Some("Which?")));
    let permission =
        tell(r#""hook_event_name":"permission.asked","tool_name":"bash","tool_input":{"command":"ls"}"#);
    assert_eq!((permission.kind, permission.what.as_deref()), (HookKind::PermissionAsked, Some("ls")));
    let failed = tell(r#""hook_event_name":"session.error","error":"bad request""#);
    let stopped = tell(r#""hook_event_name":"session.idle""#);
    assert_eq!(status_after(&[busy, failed, stopped]), LiveStatus::Failed);
}
