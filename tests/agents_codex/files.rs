//! Reading the records of a workspace, as files that grow, go wrong and go away.

use std::os::unix::fs::symlink;

use closeout::model::{ReadProblem, WatchTarget};

use super::*;
use crate::support::turns::texts;

fn last_words(session: &SessionObservation) -> &str {
    &session.last_message.as_ref().unwrap().text
}

fn rollout(machine: &Machine, lines: &str) -> PathBuf {
    machine.write(DAY, ID, meta(ID, &machine.workspace) + lines)
}

#[test]
fn appended_lines_are_followed_and_a_half_one_waits_for_its_end() {
    let mut machine = Machine::new();
    let record = rollout(&machine, &ended_turn(1, "Fix it", "Fixed."));
    assert_eq!(last_words(&machine.session(&record)), "Fixed.");
    let more = ended_turn(10, "Go on", "Went on.");
    let (one, other) = more.split_at(more.len() - 20);
    append(&record, one);
    let session = machine.session(&record);
    assert_eq!((last_words(&session), session.n_skipped_lines), ("Went on.", 0));
    assert_eq!(session.turn, TurnState::Open { since: Some(at(11)), tool: None, what: None });
    append(&record, other);
    assert_eq!(machine.session(&record).turn, TurnState::Ended { at: Some(at(11)) });
}

#[test]
fn a_rollout_that_was_cut_or_rewritten_is_read_anew() {
    let mut machine = Machine::new();
    let record = rollout(&machine, &(ended_turn(1, "a", "One.") + &ended_turn(3, "b", "Two.")));
    assert_eq!(last_words(&machine.session(&record)), "Two.");
    rollout(&machine, &ended_turn(1, "a", "One."));
    assert_eq!(last_words(&machine.session(&record)), "One.");
    rollout(&machine, &(ended_turn(1, "a", "1111") + &ended_turn(3, "b", "New.")));
    let session = machine.session(&record);
    assert_eq!((last_words(&session), session.usage.n_turns), ("New.", Some(2)));
}

#[test]
fn a_long_rollout_is_read_from_its_end_with_its_begin_and_its_plan() {
    let mut machine = Machine::new();
    let plan = json!({"plan": [{"step": "One", "status": "completed"}]}).to_string();
    let plan =
        call(1, &json!({"type": "function_call", "name": "update_plan", "call_id": "p", "arguments": plan}));
    let noise = line(2, "world_state", &json!({"x": "y".repeat(1000)})).repeat(3000);
    let end = ended_turn(5, "add the page of the settings", "The end.").repeat(3);
    let record = rollout(&machine, &(plan + &noise + &end));
    let session = machine.session(&record);
    assert_eq!((last_words(&session), session.usage.n_turns), ("The end.", None));
    assert_eq!((session.origin, session.version.as_deref()), (SessionOrigin::Person, Some("0.169.0")));
    assert_eq!(session.todos.unwrap().n_done(), 1);
    assert!(!session.is_partial);
}

#[test]
fn a_line_of_fifty_megabytes_is_passed_over() {
    let mut machine = Machine::new();
    let record = rollout(&machine, &(open_turn(1, "go") + &item(2, "AgentMessage", "Before.")));
    append(&record, &("x".repeat(50 << 20) + "\n"));
    append(&record, &ended_turn(8, "again", "After."));
    let session = machine.session(&record);
    assert_eq!((last_words(&session), &session.turn), ("After.", &TurnState::Ended { at: Some(at(9)) }));

    append(&record, &("y".repeat(50 << 20) + "\n"));
    let session = machine.session(&record);
    assert_eq!((session.is_partial, session.last_message, session.turn), (true, None, TurnState::Unknown));
}

#[test]
fn what_cannot_be_read_is_told_and_hides_no_other_session() {
    let mut machine = Machine::new();
    let record = rollout(&machine, &ended_turn(1, "a", "Here."));
    let link = machine.path(DAY, OTHER_ID);
    symlink(&record, &link).unwrap();
    let pipe = machine.path(DAY, "00000000-0000-0000-0000-000000000001");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)
        .unwrap();
    let gone = machine.path(DAY, "00000000-0000-0000-0000-000000000002");
    let binary = machine.write(DAY, "00000000-0000-0000-0000-000000000003", [0_u8, 255].repeat(100_000));
    let read = machine.read(&[&record, &link, &pipe, &gone, &binary]);
    assert_eq!(read.sessions.iter().map(last_words).collect::<Vec<_>>(), ["Here."]);
    let mut problems: Vec<ReadProblem> = read.trouble.iter().map(|trouble| trouble.problem).collect();
    problems.sort_by_key(|problem| format!("{problem:?}"));
    assert_eq!(problems, [ReadProblem::Link, ReadProblem::NotAFile]);
}

#[test]
fn a_fork_in_which_nothing_was_said_is_no_session_yet() {
    let mut machine = Machine::new();
    let record = rollout(&machine, &event(1, &json!({"type": "thread_settings_applied"})));
    assert_eq!(machine.read(&[&record]).sessions, Vec::new());
    append(&record, &open_turn(2, "now"));
    assert_eq!(machine.session(&record).prompt.as_deref(), Some("now"));
}

#[test]
fn only_the_records_of_the_workspace_are_watched() {
    let mut machine = Machine::new();
    let record = rollout(&machine, &ended_turn(1, "a", "b"));
    machine.write(DAY, OTHER_ID, meta(OTHER_ID, &machine.workspace));
    let target = WatchTarget::new(
        record.parent().unwrap(),
        Names::these([record.file_name().unwrap()]),
        closeout::model::Parts::WORDS,
    );
    assert_eq!(machine.read(&[&record]).watch_targets, [target]);
    assert_eq!(machine.read(&[]), SessionsRead::default());
}

#[test]
fn the_newest_session_comes_first() {
    let mut machine = Machine::new();
    let day = 24 * 3600;
    let ids: Vec<String> = (0..3).map(|n| format!("01a1ffc5-000{n}-7ca2-8767-ad8301777ff0")).collect();
    let records: Vec<PathBuf> = ids
        .iter()
        .zip([5 * day, 5 * day + 100, 2 * day])
        .map(|(id, time)| {
            let record = machine.write(DAY, id, meta(id, &machine.workspace) + &ended_turn(1, "a", id));
            set_time(&record, time);
            record
        })
        .collect();
    let read = machine.read(&records.iter().map(PathBuf::as_path).collect::<Vec<_>>());
    let found: Vec<&str> = read.sessions.iter().map(|session| session.session_id.as_str()).collect();
    assert_eq!((found, read.n_unread), (vec![ids[1].as_str(), ids[0].as_str(), ids[2].as_str()], 0));
}

#[test]
fn the_last_name_that_a_thread_was_given_is_its_name() {
    let mut machine = Machine::new();
    let record = rollout(&machine, &ended_turn(1, "a", "b"));
    assert_eq!(machine.session(&record).name, None);
    let index = machine.home.join("session_index.jsonl");
    let named = |name: &str| format!("{}\n", json!({"id": ID, "thread_name": name, "updated_at": "x"}));
    fs::write(&index, format!("broken\n{}{}", named("first"), named("parser"))).unwrap();
    assert_eq!(machine.session(&record).name.as_deref(), Some("parser"));
    append(&index, &named("reader"));
    assert_eq!(machine.session(&record).name.as_deref(), Some("reader"));
    fs::remove_file(&index).unwrap();
    assert_eq!(machine.session(&record).name, None);
}

#[test]
fn a_subagent_counts_until_it_reports_and_moves_with_its_own_record() {
    let mut machine = Machine::new();
    let activity = |second, kind: &str| {
        event(
            second,
            &json!({"type": "item_completed", "item": {"type": "SubAgentActivity", "id": "x",
            "kind": kind, "agent_thread_id": OTHER_ID, "agent_path": "/root/sub"}}),
        )
    };
    let record = rollout(&machine, &(open_turn(1, "go") + &activity(2, "started")));
    let subagents = machine.session(&record).subagents;
    assert_eq!((subagents[0].what.as_deref(), subagents[0].moved_at), (Some("/root/sub"), Some(at(2))));
    // In the folder of the day before: the client goes by the local time.
    let own = machine.write("2026/11/20", OTHER_ID, "");
    set_time(&own, 1_795_300_000);
    let subagents = machine.session(&record).subagents;
    assert_eq!(subagents[0].moved_at, Some(Timestamp(1_795_300_000_000)));
    append(&record, &activity(3, "completed"));
    let session = machine.session(&record);
    assert_eq!((session.subagents, session.stopped), (Vec::new(), Vec::new()));
    append(&record, &(activity(4, "started") + &activity(5, "failed")));
    let session = machine.session(&record);
    assert_eq!((session.subagents, session.stopped[0].moved_at), (Vec::new(), Some(at(5))));
    append(&record, &activity(6, "interacted"));
    assert_eq!(machine.session(&record).stopped, Vec::new());
}

#[test]
fn what_subagents_and_theirs_did_stands_among_the_steps() {
    const THIRD_ID: &str = "01a1ffc5-eeee-7ca2-8767-ad8301777ff0";
    let mut machine = Machine::new();
    let activity = |second, kind: &str, id: &str| {
        let item = json!({"type": "SubAgentActivity", "id": "x", "kind": kind, "agent_thread_id": id,
            "agent_path": "/lead/sub"});
        event(second, &json!({"type": "item_completed", "item": item}))
    };
    let ran = |second, command: &str| {
        let item = json!({"type": "CommandExecution", "id": command, "command": [command], "cwd": "/part",
            "status": "failed", "exit_code": 1});
        event(second, &json!({"type": "item_completed", "item": item}))
    };
    let record = rollout(&machine, &(open_turn(1, "go") + &activity(2, "started", OTHER_ID)));
    let steps = |machine: &mut Machine| texts(&machine.session(&record).history)[1..].to_vec();
    assert_eq!(steps(&mut machine), ["sent off: /lead/sub", "Open"]);
    // Its rollout can come later.
    let begin = open_turn(2, "help") + &ran(3, "one") + &activity(4, "started", THIRD_ID);
    let own = machine.write(DAY, OTHER_ID, meta(OTHER_ID, &machine.workspace) + &begin);
    let nested = ["sent off, read: /lead/sub", "run one: Code(1)", "sent off: /lead/sub", "Open"];
    assert_eq!(steps(&mut machine), nested);
    machine.write(
        DAY,
        THIRD_ID,
        meta(THIRD_ID, &machine.workspace) + &open_turn(4, "help") + &ran(5, "deep"),
    );
    append(&own, &ran(6, "two"));
    append(&record, &activity(7, "completed", OTHER_ID));
    let read = ["run one: Code(1)", "sent off, read: /lead/sub", "run deep: Code(1)", "run two: Code(1)"];
    assert_eq!(steps(&mut machine)[1..5], read);
    append(&own, "{\"type\":\"event_msg\"");
    assert_eq!(steps(&mut machine).last().unwrap(), "Open (steps are missing)");
}

#[test]
fn an_id_that_is_no_threads_is_no_subagent() {
    let mut machine = Machine::new();
    let activity = json!({"type": "item_completed", "item": {"type": "SubAgentActivity", "kind": "started",
        "agent_thread_id": "../../../../etc/passwd"}});
    let record = rollout(&machine, &(open_turn(1, "go") + &event(2, &activity)));
    assert_eq!(machine.session(&record).subagents, Vec::new());
}
