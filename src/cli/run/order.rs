//! Turns the arguments of `closeout run` into an order. It must not run anything.

use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use crate::cli::environment::Environment;
use crate::cli::exit::Failure;
use crate::cli::run_args::{OnQuestion, Run};
use crate::model::{RunOrder, display_text};

/// How often the command runs at most, unless the options say otherwise.
const MAX_ITERATIONS: u32 = 10;
/// How long nothing may move, in seconds, unless the options say otherwise.
const STALL_SECONDS: u64 = 20 * 60;
/// The longest prompt, in bytes.
const LONGEST_PROMPT: u64 = 4 << 20;

pub(super) fn order(environment: &Environment, run: &Run) -> Result<RunOrder, Failure> {
    let prompt = prompt(environment, run)?;
    let mut command = run.command.clone();
    if let Some(agent) = &run.agent {
        let adapters = environment.adapters();
        let facts = adapters.iter().find(|adapter| adapter.name() == agent).map(|adapter| adapter.facts());
        let (work, telling_cost) =
            facts.and_then(|facts| Some((facts.work?, facts.telling_cost))).ok_or_else(|| {
                let known = adapters.iter().filter(|adapter| adapter.facts().work.is_some());
                let known: Vec<&str> = known.map(|adapter| adapter.name()).collect();
                let agent = display_text::line(agent);
                Failure::Usage(format!(
                    "{agent} is not an agent that closeout can run; name one of {}",
                    known.join(", ")
                ))
            })?;
        if prompt.trim().is_empty() {
            return Err(Failure::Usage(
                "an agent needs a prompt: --prompt-file FILE, or --prompt TEXT".to_owned(),
            ));
        }
        let mut words: Vec<String> = work.iter().map(|word| (*word).to_owned()).collect();
        if run.budget.is_some() {
            words.extend(telling_cost.iter().map(|word| (*word).to_owned()));
        }
        words.append(&mut command);
        command = words;
    }
    if command.first().is_none_or(String::is_empty) {
        let words = "say what to run: `closeout run -- COMMAND…`, or `closeout run --agent claude --prompt-file FILE`";
        return Err(Failure::Usage(words.to_owned()));
    }
    let order = RunOrder {
        command,
        agent: run.agent.clone(),
        prompt,
        max_iterations: MAX_ITERATIONS,
        stall_seconds: STALL_SECONDS,
        waits_for_answers: true,
        ..RunOrder::default()
    };
    amended(order, environment, run)
}

/// `order` with everything that the options say about it. What they leave out stays: a run that is resumed keeps the
/// limits that it began with, unless others are given.
pub(super) fn amended(order: RunOrder, environment: &Environment, run: &Run) -> Result<RunOrder, Failure> {
    let named = |path: &std::path::PathBuf| environment.absolute_text(path);
    let seconds = |limit: Option<Duration>| limit.map(|limit| limit.as_secs().max(1));
    let decision_file = run.decision_file.as_ref().map(named).transpose()?;
    let outputs: Vec<String> = run.outputs.iter().map(named).collect::<Result<_, _>>()?;
    Ok(RunOrder {
        task_kind: run.task_kind.or(order.task_kind),
        require: run.require.or(order.require),
        max_iterations: run.max_iterations.unwrap_or(order.max_iterations),
        budget_micros: run.budget.or(order.budget_micros),
        deadline_seconds: seconds(run.deadline).or(order.deadline_seconds),
        timeout_seconds: seconds(run.timeout).or(order.timeout_seconds),
        stall_seconds: run.stall_after.map_or(order.stall_seconds, |after| after.as_secs()),
        decision_file: decision_file.or(order.decision_file),
        outputs: if outputs.is_empty() { order.outputs } else { outputs },
        waits_for_answers: run.on_question.map_or(order.waits_for_answers, |how| how == OnQuestion::Wait),
        verify: run.verify.clone().or(order.verify),
        ..order
    })
}

fn prompt(environment: &Environment, run: &Run) -> Result<String, Failure> {
    let Some(file) = &run.prompt_file else { return Ok(run.prompt.clone().unwrap_or_default()) };
    let failed =
        |source| Failure::Stream { what: format!("cannot read {}", display_text::path(file)), source };
    let mut text = String::new();
    if file == Path::new("-") {
        std::io::stdin().lock().take(LONGEST_PROMPT + 1).read_to_string(&mut text).map_err(failed)?;
    } else {
        let opened = std::fs::File::open(environment.absolute(file)).map_err(failed)?;
        opened.take(LONGEST_PROMPT + 1).read_to_string(&mut text).map_err(failed)?;
    }
    if u64::try_from(text.len()).is_ok_and(|length| length > LONGEST_PROMPT) {
        return Err(Failure::Usage("the prompt is longer than 4 MiB".to_owned()));
    }
    Ok(text)
}
