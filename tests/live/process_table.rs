//! What the table of agent processes says about one session.

use std::path::Path;

use closeout::agent::processes::{AgentProcess, ProcessTable, Sought};
use closeout::model::{ProcessId, Timestamp};

fn process(pid: u32, agent: &'static str, folder: &str) -> AgentProcess {
    AgentProcess {
        id: ProcessId { pid, started_at: 7 },
        started_at: Some(Timestamp(10_000)),
        agent,
        is_service: false,
        parent: 1,
        pseudo_terminal: Some(pid),
        folder: Some(folder.into()),
        arguments: vec![agent.to_owned()],
        records: Some(Vec::new()),
    }
}

fn table(processes: Vec<AgentProcess>) -> ProcessTable {
    ProcessTable { processes, is_whole: true }
}

fn sought(agent: &str) -> Sought<'_> {
    Sought {
        agent,
        session_id: "id-1",
        folder: Path::new("/w/a"),
        is_newest: true,
        is_open: true,
        grew_at: Some(Timestamp(9_000)),
    }
}

fn holding(mut process: AgentProcess, id: &str) -> AgentProcess {
    process.records = Some(vec![format!("rollout-2026-11-22T01-37-53-{id}.jsonl")]);
    process
}

fn serving(mut process: AgentProcess) -> AgentProcess {
    process.is_service = true;
    process
}

fn under(mut process: AgentProcess, parent: u32) -> AgentProcess {
    process.parent = parent;
    process
}

fn pid_of(table: &ProcessTable, sought: &Sought<'_>) -> Option<u32> {
    table.process_of(sought).map(|process| process.id.pid)
}

fn is_gone(table: &ProcessTable, agent: &str) -> bool {
    table.is_surely_gone(&sought(agent), Path::new("/w/a"), false)
}

#[test]
fn codex_sessions_are_those_of_who_holds_the_record() {
    let codex = "codex";
    let elsewhere = holding(process(5, codex, "/w/other"), "id-1");
    let here = process(6, codex, "/w/a");
    assert_eq!(pid_of(&table(vec![here.clone(), elsewhere.clone()]), &sought(codex)), Some(5));
    assert_eq!(pid_of(&table(vec![here.clone()]), &sought(codex)), None);
    let other_session = holding(process(5, codex, "/w/a"), "id-2");
    assert_eq!(pid_of(&table(vec![other_session]), &sought(codex)), None);
    // The server holds the record for the process at the screen, which npm's launcher started.
    let server = serving(holding(process(9, codex, "/w/other"), "id-1"));
    let (launcher, native) = (process(3, codex, "/w/a"), under(process(4, codex, "/w/a"), 3));
    let screen = table(vec![server.clone(), launcher, native]);
    assert_eq!(pid_of(&screen, &sought(codex)), Some(4));
    let older = Sought { is_newest: false, is_open: false, ..sought(codex) };
    assert_eq!(pid_of(&screen, &older), None);
    let two = table(vec![server.clone(), process(3, codex, "/w/a"), process(4, codex, "/w/a")]);
    assert_eq!(pid_of(&two, &sought(codex)), Some(9));
    // Nobody at the screen: it is the server, as long as it works.
    assert_eq!(pid_of(&table(vec![server.clone()]), &sought(codex)), Some(9));
    let over = Sought { is_open: false, ..sought(codex) };
    assert_eq!(pid_of(&table(vec![server]), &over), None);
}

#[test]
fn others_are_found_only_where_one_alone_works_in_the_folder() {
    let gemini = "gemini";
    let pair = vec![process(3, gemini, "/w/a"), under(process(4, gemini, "/w/a"), 3)];
    assert_eq!(pid_of(&table(pair.clone()), &sought(gemini)), Some(4));
    let older = Sought { is_newest: false, ..sought(gemini) };
    assert_eq!(pid_of(&table(pair.clone()), &older), None);
    let two = [pair, vec![process(8, gemini, "/w/a")]].concat();
    assert_eq!(pid_of(&table(two), &sought(gemini)), None);
    assert_eq!(pid_of(&table(vec![process(3, gemini, "/w/b")]), &sought(gemini)), None);
}

#[test]
fn a_session_is_gone_only_when_nothing_can_work_on_it() {
    let (codex, gemini) = ("codex", "gemini");
    assert!(is_gone(&table(vec![]), codex));
    assert!(is_gone(&table(vec![process(3, gemini, "/w/a")]), codex));
    assert!(is_gone(&table(vec![process(3, codex, "/w/b")]), codex));
    assert!(!is_gone(&table(vec![process(3, codex, "/w/a")]), codex));
    assert!(!is_gone(&table(vec![process(3, codex, "/w/a/deep")]), codex));
    assert!(!is_gone(&table(vec![holding(process(3, codex, "/w/b"), "id-1")]), codex));
    // Codex's server holds the records it works on; another agent's says nothing.
    assert!(is_gone(&table(vec![serving(process(3, codex, "/w/a"))]), codex));
    assert!(!is_gone(&table(vec![serving(holding(process(3, codex, "/w/b"), "id-1"))]), codex));
    assert!(!is_gone(&table(vec![serving(process(3, gemini, "/w/b"))]), gemini));
    let mut named = process(3, gemini, "/w/b");
    named.arguments.push("--resume=id-1".to_owned());
    assert!(!is_gone(&table(vec![named]), gemini));
    let mut hidden = process(3, codex, "/w/b");
    hidden.folder = None;
    assert!(!is_gone(&table(vec![hidden.clone()]), codex));
    hidden.folder = Some("/w/b".into());
    hidden.records = None;
    assert!(!is_gone(&table(vec![hidden]), codex));
    // If not all processes are visible, only one that was visible before can be missed.
    let part = ProcessTable::default();
    assert!(!is_gone(&part, codex));
    assert!(part.is_surely_gone(&sought(codex), Path::new("/w/a"), true));
}

#[test]
fn one_that_started_after_the_record_grew_works_on_another_session() {
    let table = table(vec![process(5, "gemini", "/w/a")]);
    let of = |grew_at: i64| Sought { grew_at: Some(Timestamp(grew_at)), ..sought("gemini") };
    assert_eq!(pid_of(&table, &of(8_000)), Some(5));
    assert!(!table.is_surely_gone(&of(8_000), Path::new("/w"), true));
    assert_eq!(pid_of(&table, &of(7_999)), None);
    assert!(table.is_surely_gone(&of(7_999), Path::new("/w"), true));
}
