//! The vectors of tasks: turns of a session, and the tasks that a careful reader sees in them.

use std::sync::Arc;

use closeout::judge::task::{self, SessionStanding};
use closeout::model::{
    BreakCause, CommandRun, Deed, Prompt, PromptKind, SessionId, SessionName, SessionTasks, SideTurn,
    Timestamp, Turn, TurnEnd, TurnHistory, TurnStep,
};
use serde_json::{Map, Value, json};

use crate::support::vectors;

type Object = Map<String, Value>;

/// The moment at which the vectors of several sessions are judged: ten days after the begin of time.
const NOW: Timestamp = Timestamp(10 * 24 * 3_600_000);

#[test]
fn task_vectors_hold() {
    vectors::run("tasks.json", &["turns", "sessions"], judge, vectors::by_equality);
}

fn judge(input: &Object) -> Object {
    match input.get("sessions") {
        Some(sessions) => judge_sessions(sessions.as_array().expect("a list of sessions")),
        None => judge_turns(&history(input, 0)),
    }
}

fn session() -> SessionName {
    SessionName::new("claude", "s")
}

fn judge_turns(history: &TurnHistory) -> Object {
    let read = task::read(&session(), history, &mut task::Memory::default());
    let mut memory = task::Memory::default();
    let mut tasks: Vec<(u64, String)> = Vec::new();
    for n_turns in 0..=history.turns.len() {
        let history = TurnHistory { turns: history.turns[..n_turns].to_vec(), ..history.clone() };
        let again = task::read(&session(), &history, &mut memory);
        assert_eq!(
            again,
            task::read(&session(), &history, &mut task::Memory::default()),
            "after {n_turns} turns"
        );
        if let Some(task) = again.current() {
            tasks.retain(|(begin, _)| *begin != task.begin);
            tasks.push((task.begin, task.first_prompt.clone()));
        }
    }
    let current = read.current();
    let side = current.map_or(&read.side_turns, |task| &task.side_turns);
    let word = |end: &TurnEnd| serde_json::to_value(end).unwrap()["kind"].clone();
    let told = json!({
        "tasks": tasks.iter().map(|(_, first_prompt)| first_prompt).collect::<Vec<_>>(),
        "last": current.map(|task| &task.last_prompt),
        "asked": current.and_then(|task| text_at(history, task.asked)),
        "side": side.iter().map(|side| &side.prompt).collect::<Vec<_>>(),
        "side_demand": side.last().map(|side: &Arc<SideTurn>| side.demand),
        "end": current.map(|task| word(&task.last_end)),
        "last_end": read.last_end.as_ref().map(word),
        "is_begin_unread": current.map(|task| task.is_begin_unread),
    });
    vectors::as_map(&told)
}

fn text_at(history: &TurnHistory, order: u64) -> Option<String> {
    let turn = history.turns.iter().find(|turn| turn.order == order)?;
    turn.prompt.as_ref().map(|prompt| prompt.text.clone())
}

fn judge_sessions(sessions: &[Value]) -> Object {
    let sessions: Vec<&Object> = sessions.iter().map(|session| session.as_object().unwrap()).collect();
    let text = |session: &Object, key: &str| session.get(key).and_then(Value::as_str).map(str::to_owned);
    let read: Vec<(SessionId, Timestamp, SessionTasks)> = sessions
        .iter()
        .map(|session| {
            let id = SessionId::from(text(session, "id").expect("an id"));
            let moved = session["moved"].as_i64().expect("a moment");
            let tasks = task::read(
                &SessionName::new("claude", &id),
                &history(session, moved),
                &mut task::Memory::default(),
            );
            (id, Timestamp(moved), tasks)
        })
        .collect();
    let fork_of = |session| text(session, "fork_of").map(SessionId::from);
    let forks: Vec<Option<SessionId>> = sessions.iter().copied().map(fork_of).collect();
    let flag = |at: usize, key: &str| sessions[at].get(key).and_then(Value::as_bool).unwrap_or_default();
    let standings: Vec<SessionStanding<'_>> = read
        .iter()
        .enumerate()
        .map(|(at, (id, moved, tasks))| SessionStanding {
            agent: "claude",
            session_id: id,
            tasks,
            began_at: Some(*moved),
            last_line_at: Some(*moved),
            lives: flag(at, "lives"),
            fork_of: forks[at].as_ref(),
            began_by_clear: flag(at, "after_clear"),
            was_cleared: flag(at, "was_cleared"),
        })
        .collect();
    let why = task::left_over(&standings, NOW);
    let left: Vec<&SessionId> =
        read.iter().zip(why).filter(|(_, why)| why.is_some()).map(|((id, ..), _)| id).collect();
    vectors::as_map(&json!({ "left_over": left }))
}

/// The turns of an input, all at the moment `at`.
fn history(input: &Object, at: i64) -> TurnHistory {
    let turns: Vec<&Object> =
        input["turns"].as_array().unwrap().iter().map(|turn| turn.as_object().unwrap()).collect();
    let is_whole = turns.first().is_none_or(|turn| !turn["prompt"].is_null());
    let turns = turns.iter().zip(0_u64..).map(|(turn, at_turn)| Arc::new(read_turn(turn, at_turn * 100, at)));
    TurnHistory { turns: turns.collect(), is_whole, ..TurnHistory::default() }
}

fn read_turn(turn: &Object, order: u64, at: i64) -> Turn {
    for key in turn.keys() {
        let known = ["prompt", "kind", "end", "said", "asked", "queued", "image", "did"];
        assert!(known.contains(&key.as_str()), "unknown key `{key}` of a turn");
    }
    let flag = |key: &str| turn.get(key).and_then(Value::as_bool).unwrap_or_default();
    let prompt = turn["prompt"].as_str().map(|text| Prompt {
        text: text.to_owned(),
        kind: turn.get("kind").map_or(PromptKind::Person, |kind| {
            serde_json::from_value(kind.clone()).expect("a kind of prompt")
        }),
        at: Some(Timestamp(at)),
        was_queued: flag("queued"),
        has_image: flag("image"),
    });
    let mut read = Turn::begun(order, prompt);
    read.end = match turn.get("end").and_then(Value::as_str).unwrap_or("finished") {
        "finished" => TurnEnd::Finished,
        "steered" => TurnEnd::Steered,
        "interrupted" => TurnEnd::Interrupted,
        "failed" => TurnEnd::Failed { error: "529 overloaded".to_owned(), limit: None },
        "broke_off" => TurnEnd::BrokeOff { cause: BreakCause::TokenLimit },
        "unknown" => TurnEnd::Unknown,
        "open" => TurnEnd::Open,
        other => panic!("unknown end `{other}`"),
    };
    read.closing_words = turn.get("said").and_then(Value::as_str).map(str::to_owned);
    let deeds = turn.get("did").and_then(Value::as_array).into_iter().flatten().map(|deed| {
        let deed = deed.as_str().unwrap();
        match deed.strip_prefix("edit ") {
            Some(path) => Deed::Edit { paths: vec![path.to_owned()], was_done: true },
            None => Deed::Command(CommandRun::begun(deed.to_owned(), None)),
        }
    });
    let asked = turn
        .get("asked")
        .and_then(Value::as_str)
        .map(|words| Deed::Asked { words: words.to_owned(), was_answered: false });
    let deeds = deeds.chain(asked).zip(1_u64..);
    read.steps = deeds
        .map(|(deed, n)| TurnStep { order: order + n, at: Some(Timestamp(at)), deed })
        .map(Arc::new)
        .collect();
    read
}
