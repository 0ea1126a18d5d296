//! Turns the arguments of `closeout run` into an order. It must not run anything.

use std::io::Read as _;
use std::path::Path;

use crate::cli::environment::Environment;
use crate::cli::exit::Failure;
use crate::cli::run_args::{OnQuestion, Run};
use crate::model::{RunOrder, display_text};

/// The longest prompt, in bytes.
const LONGEST_PROMPT: u64 = 4 << 20;

/// The order that the arguments describe.
pub(super) fn order(environment: &Environment, run: &Run) -> Result<RunOrder, Failure> {
    let prompt = prompt(environment, run)?;
    let named = |path: &std::path::PathBuf| {
        let path = environment.absolute(path).into_os_string().into_string();
        path.map_err(|path| Failure::Usage(format!("{} is no UTF-8 path", display_text::path(path.as_ref()))))
    };
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
                    "{agent} is no agent that can be run; it is one of {}",
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
    Ok(RunOrder {
        command,
        agent: run.agent.clone(),
        prompt,
        task_kind: run.task_kind,
        require: run.require,
        max_iterations: run.max_iterations,
        budget_micros: run.budget,
        deadline_seconds: run.deadline.map(|deadline| deadline.as_secs().max(1)),
        timeout_seconds: run.timeout.map(|timeout| timeout.as_secs().max(1)),
        stall_seconds: run.stall_after.as_secs(),
        decision_file: run.decision_file.as_ref().map(named).transpose()?,
        outputs: run.outputs.iter().map(named).collect::<Result<_, _>>()?,
        waits_for_answers: run.on_question == OnQuestion::Wait,
        verify: run.verify.clone(),
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
