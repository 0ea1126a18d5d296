//! The vectors of runs: commands of an agent with what they printed, and what a careful reader makes of them.

use std::sync::Arc;

use closeout::judge::runs::{self, Catalog};
use closeout::judge::task;
use closeout::model::{
    CheckRun, CommandRun, Deed, EditedAfter, Exit, Prompt, PromptKind, RunsSummary, SessionName, Task,
    Timestamp, Turn, TurnEnd, TurnHistory, TurnStep,
};
use serde_json::{Map, Value, json};

use crate::support::vectors;

type Object = Map<String, Value>;

const HOME: &str = "/home/user/project";

#[test]
fn run_vectors_hold() {
    vectors::run("runs.json", &["steps", "task_from", "prompt"], judge, vectors::by_equality);
}

fn judge(input: &Object) -> Object {
    let steps: Vec<&Object> =
        input["steps"].as_array().unwrap().iter().map(|step| step.as_object().unwrap()).collect();
    let from =
        input.get("task_from").and_then(Value::as_u64).map_or(0, |from| usize::try_from(from).unwrap());
    let prompt = input.get("prompt").and_then(Value::as_str).unwrap_or("Add a flag to the list command");
    let mut turns = Vec::new();
    let (before, during) = steps.split_at(from);
    if !before.is_empty() {
        turns.push(turn(1, "Write a parser for the config files", before));
    }
    turns.push(turn(1_000, prompt, during));
    let history = TurnHistory { turns, is_whole: true, ..TurnHistory::default() };
    let tasks = task::read(&SessionName::new("claude", "s"), &history, &mut task::Memory::default());
    let told = summarized(&history, tasks.current());
    assert_eq!(step_by_step(&history), told);
    let tools = |runs: &[CheckRun]| runs.iter().map(|run| run.tool.clone()).collect::<Vec<_>>();
    let word = |value: Value| value.as_str().unwrap().to_owned();
    let outcome = |run: &CheckRun| word(serde_json::to_value(run.outcome).unwrap());
    vectors::as_map(&json!({
        "runs": told.last.iter().map(|run| format!("{}: {}", run.tool, outcome(run))).collect::<Vec<_>>(),
        "told_by": told.last.iter().map(|run| run.told_by).collect::<Vec<_>>(),
        "parts": told.last.iter().map(|run| run.is_part).collect::<Vec<_>>(),
        "folders": told.last.iter().map(|run| run.folder.clone()).collect::<Vec<_>>(),
        "edited_after": told.last.iter().map(|run| run.edited_after != EditedAfter::Nothing).collect::<Vec<_>>(),
        "failing": told.last.iter().flat_map(|run| run.failing.clone()).collect::<Vec<_>>(),
        "red": tools(&told.red),
        "red_before": tools(&told.red_before),
        "proof": told.proof.as_ref().map(|run| run.tool.clone()),
        "untested": told.is_untested,
        "acts": told.acts.iter().map(|act| act.act.clone()).collect::<Vec<_>>(),
        "endless": told.endless,
    }))
}

/// What is told of a session that was never read before.
fn summarized(history: &TurnHistory, task: Option<&Task>) -> RunsSummary {
    runs::summarize(history, task, Some(HOME), Catalog::built_in(), &mut runs::Memory::default())
}

/// The same, read again after each step, as a monitor reads a session that goes on: a command that has not
/// answered yet, then its answer.
fn step_by_step(history: &TurnHistory) -> RunsSummary {
    let mut memory = runs::Memory::default();
    let mut read = |history: &TurnHistory| {
        let tasks = task::read(&SessionName::new("claude", "s"), history, &mut task::Memory::default());
        let task = tasks.current();
        let told = runs::summarize(history, task, Some(HOME), Catalog::built_in(), &mut memory);
        assert_eq!(told, summarized(history, task));
        told
    };
    let mut grown = TurnHistory { turns: Vec::new(), ..history.clone() };
    let mut told = read(&grown);
    for turn in &history.turns {
        grown.turns.push(Arc::new(Turn { steps: Vec::new(), ..Turn::clone(turn) }));
        let at = grown.turns.len() - 1;
        for step in &turn.steps {
            let mut begun = TurnStep::clone(step);
            if let Deed::Command(run) = &mut begun.deed {
                *run = CommandRun::begun(run.command.clone(), run.folder.clone());
            }
            Arc::make_mut(&mut grown.turns[at]).steps.push(Arc::new(begun));
            read(&grown);
            *Arc::make_mut(&mut grown.turns[at]).steps.last_mut().unwrap() = Arc::clone(step);
            told = read(&grown);
        }
    }
    told
}

fn turn(order: u64, prompt: &str, steps: &[&Object]) -> Arc<Turn> {
    let prompt = Prompt {
        text: prompt.to_owned(),
        kind: PromptKind::Person,
        at: Some(Timestamp(0)),
        was_queued: false,
        has_image: false,
    };
    let steps = steps.iter().zip(order + 1..).map(|(step, order)| TurnStep {
        order,
        at: Some(Timestamp(0)),
        deed: deed(step),
    });
    let steps = steps.map(Arc::new).collect();
    Arc::new(Turn { end: TurnEnd::Finished, steps, ..Turn::begun(order, Some(prompt)) })
}

fn deed(step: &Object) -> Deed {
    for key in step.keys() {
        assert!(["run", "exit", "out", "in", "edit", "done"].contains(&key.as_str()), "unknown key `{key}`");
    }
    if let Some(path) = step.get("edit") {
        let was_done = step.get("done").and_then(Value::as_bool).unwrap_or(true);
        return Deed::Edit { paths: vec![path.as_str().unwrap().to_owned()], was_done };
    }
    let folder = step.get("in").and_then(Value::as_str).map(str::to_owned);
    let mut run = CommandRun::begun(step["run"].as_str().unwrap().to_owned(), folder);
    run.exit = match &step["exit"] {
        Value::Null => Exit::Unknown,
        Value::Number(code) => Exit::Code(i32::try_from(code.as_i64().unwrap()).unwrap()),
        Value::String(word) => serde_json::from_value(json!({ "kind": word })).unwrap(),
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => panic!("{} is no exit", step["exit"]),
    };
    step["out"].as_str().unwrap().clone_into(&mut run.output);
    Deed::Command(run)
}
