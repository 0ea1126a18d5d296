//! The rows of real runs, read whole.

use std::path::{Path, PathBuf};

use closeout::agent::{ApiAnswers, built_in};
use closeout::model::{
    ActivitySource, AgentMessage, Checklist, ChecklistItem, ItemState, LiveStatus, Names, Parts,
    SessionObservation, SessionOrigin, SessionUsage, StatusReport, Timestamp, TurnState, WaitsOn,
    WatchTarget,
};

use super::{Machine, fixture};
use crate::support::turns;

const TODOS: &str = "ses_e00341dceffe549EwWa94LznAz";
const QUESTION: &str = "ses_e00344264ffez05x66W668p7os";
const TOOL: &str = "ses_e002c0385ffe2ZMA6nEoGgjs9b";
const DIRTY: &str = "ses_e0033f619ffern7r9bFIsoCCiy";
const STATEMENT: &str = "ses_e00346968ffeN4ul0MwWi4Jyqi";

/// What all sessions of the runs have in common.
fn ended(id: &str, text: &str, at: i64, prompt: (&str, i64), written_at: i64) -> SessionObservation {
    SessionObservation {
        agent: "opencode".to_owned(),
        session_id: id.into(),
        version: Some("1.18.33".to_owned()),
        model: Some("mock/mock-model".to_owned()),
        mode: Some("build".to_owned()),
        last_message: Some(AgentMessage { text: text.to_owned(), at: Some(Timestamp(at)) }),
        todos: None,
        turn: TurnState::Ended { at: Some(Timestamp(at)) },
        prompted_at: Some(Timestamp(prompt.1)),
        prompt: Some(prompt.0.to_owned()),
        written_at: Some(Timestamp(written_at)),
        n_skipped_lines: 0,
        is_partial: false,
        is_suspended: false,
        name: Some("Mock title".to_owned()),
        folder: Some(PathBuf::from("/home/user/project")),
        origin: SessionOrigin::Headless,
        usage: SessionUsage { context_tokens: Some(100), context_limit: None, n_turns: Some(1) },
        subagents: Vec::new(),
        stopped: Vec::new(),
        queued: None,
        background: Vec::new(),
        live: Vec::new(),
        process: None,
        pane: None,
        asked: None,
        answered: None,
        history: closeout::model::TurnHistory::default(),
    }
}

fn item(title: &str, state: ItemState) -> ChecklistItem {
    ChecklistItem { title: title.to_owned(), state, evidence: None }
}

#[test]
fn the_sessions_of_real_runs_are_read_whole() {
    let mut machine = Machine::new();
    let mut read = machine.read(&[STATEMENT, QUESTION, TODOS, DIRTY, TOOL]);
    for session in &mut read.sessions {
        // The turns have a test of their own below.
        session.history = closeout::model::TurnHistory::default();
    }
    assert_eq!(read.trouble, []);

    let tool = "The tool is installed.";
    let tool =
        ended(TOOL, tool, 1_795_293_456_429, ("Install the tool", 1_795_293_445_423), 1_795_293_456_446);
    // By the TUI: nothing marks it as a program's.
    let tool = SessionObservation { origin: SessionOrigin::Unknown, ..tool };
    let dirty = r#"{"state":"unfinished","summary":"The report module is under way.","pending":["Write the report module","Add tests"],"question":null}"#;
    let dirty = ended(DIRTY, dirty, 1_795_293_068_955, ("STATUS?", 1_795_293_063_645), 1_795_293_069_005);
    let usage = SessionUsage { n_turns: Some(2), ..dirty.usage.clone() };
    let dirty = SessionObservation { usage, ..dirty };
    let todos = "The log files are read. The report module is under way and the tests are still to do.";
    let todos = ended(
        TODOS,
        todos,
        1_795_292_919_567,
        ("\"Build the report\"", 1_795_292_914_352),
        1_795_292_919_581,
    );
    let items = vec![
        item("Read the log files", ItemState::Done),
        item("Write the report module", ItemState::Active),
        item("Add tests", ItemState::Open),
    ];
    let todos = SessionObservation { todos: Some(Checklist { from: "opencode".to_owned(), items }), ..todos };
    let question = "I see two ways to go on:\n\n1. Keep the old format and add a converter.\n2. Drop the old \
                    format and write a new reader.\n\nWhich of the two would you like?";
    let prompt = ("\"Plan the format\"", 1_795_292_905_139);
    let question = ended(QUESTION, question, 1_795_292_909_816, prompt, 1_795_292_909_865);
    let statement = "I fixed the parser and all 12 tests pass. The work is complete.";
    let prompt = ("\"Fix the parser\"", 1_795_292_895_096);
    let statement = ended(STATEMENT, statement, 1_795_292_900_121, prompt, 1_795_292_900_128);
    assert_eq!(read.sessions, [tool, dirty, todos, question, statement]);

    let names = Names::these(["opencode.db", "opencode.db-wal"]);
    assert_eq!(read.watch_targets, [WatchTarget::new(&machine.data_dir, names, Parts::WORDS)]);
}

#[test]
fn a_survey_finds_the_sessions_that_moved_and_counts_the_others() {
    let mut machine = Machine::new();
    machine.add_session("ses_child", Some(TOOL), "Look (@general subagent)", 1_795_293_456_000);
    let survey = machine.survey(1_795_292_919_581, None);
    let mut found: Vec<_> =
        survey.found.iter().map(|found| (found.place.session_id.as_str(), found.moved_at.0)).collect();
    found.sort_unstable();
    let expected = [(TOOL, 1_795_293_456_446), (DIRTY, 1_795_293_069_005), (TODOS, 1_795_292_919_581)];
    assert_eq!(found, expected);
    assert_eq!((survey.n_older, survey.problems), (2, vec![]));
    assert_eq!(survey.found[0].place, machine.places(&[TOOL])[0]);
    let names = Names::these(["opencode.db", "opencode.db-wal"]);
    assert_eq!(survey.watch_targets, [WatchTarget::new(&machine.data_dir, names, Parts::WORDS)]);
}

#[test]
fn a_survey_within_a_folder_finds_those_in_it_and_below_it() {
    let mut machine = Machine::new();
    machine
        .owner()
        .execute("UPDATE session SET directory = directory || '/sub' WHERE id = ?1", [TODOS])
        .unwrap();
    machine
        .owner()
        .execute("UPDATE session SET directory = '/home/user/projects' WHERE id = ?1", [TOOL])
        .unwrap();
    let n_found =
        |machine: &mut Machine, within: &str| machine.survey(0, Some(Path::new(within))).found.len();
    assert_eq!(n_found(&mut machine, "/home/user/project"), 4);
    assert_eq!(n_found(&mut machine, "/home/user/project/sub"), 1);
    assert_eq!(n_found(&mut machine, "/home/user/p%"), 0);
    assert_eq!(n_found(&mut machine, "/home"), 5);
}

#[test]
fn an_unchanged_database_is_answered_from_memory_also_when_sessions_grow_old() {
    let mut machine = Machine::new();
    for (since, expected) in [(0, (5, 0)), (0, (5, 0)), (1, (5, 0)), (1_795_292_919_581, (3, 2)), (0, (5, 0))]
    {
        let survey = machine.survey(since, None);
        assert_eq!((survey.found.len(), survey.n_older), expected, "since {since}");
    }
}

#[test]
fn the_answers_of_the_interface_tell_who_works_and_who_waits() {
    let (status, permission, question) =
        (fixture("api-status-busy.json"), fixture("api-permission.json"), fixture("api-question.json"));
    let word = |status, what: Option<&str>| StatusReport {
        source: ActivitySource::Api,
        status,
        since: None,
        reported_at: None,
        what: what.map(str::to_owned),
    };
    let server = built_in("opencode").unwrap().server().unwrap();
    let busy = server.reports(&ApiAnswers { status: Some(&status), ..Default::default() });
    assert_eq!(Vec::from_iter(busy), [(TOOL.to_owned(), word(LiveStatus::Busy, None))]);
    let all = server.reports(&ApiAnswers {
        status: Some(&status),
        permission: Some(&permission),
        question: Some(&question),
    });
    let permission = word(LiveStatus::Waiting { on: WaitsOn::Permission }, Some("bash: touch installed.txt"));
    let asks = "Which format shall I use for the report? (Markdown, JSON)";
    let asks = word(LiveStatus::Waiting { on: WaitsOn::Input }, Some(asks));
    let asking = "ses_e002f86b5ffe7SAxq0FYZXMZMu".to_owned();
    assert_eq!(Vec::from_iter(all), [(TOOL.to_owned(), permission), (asking, asks)]);
    let html: &[u8] = b"<!doctype html><html></html>";
    let answers = ApiAnswers { status: Some(html), permission: Some(html), question: Some(html) };
    assert_eq!(Vec::from_iter(server.reports(&answers)), []);
}

#[test]
fn the_turns_of_a_real_run_are_read() {
    let mut machine = Machine::new();
    let history = machine.session(DIRTY).history;
    assert_eq!(
        turns::texts(&history),
        [
            "person: \"Make main print hello\"", "edit /home/user/project/main.rs",
            "edit /home/user/project/NOTES.md", "run git status --short && false: Code(1)", "Finished",
            "person: STATUS?", "Finished",
        ]
    );
    assert!(history.is_whole);
    let todos = machine.session(TODOS).history.todos.unwrap();
    assert_eq!(todos.list.items.len(), 3);
    assert!(todos.at.is_some_and(|at| at > Timestamp(1_795_292_914_352)), "the moment of the call");
}
