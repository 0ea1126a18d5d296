//! The closer: asks for a checklist with evidence, and once more if the answer cannot be read. It must not
//! judge: the rules for an answer are the judge's.

use crate::action::asking::{Answer, Asked, NoAnswer};
use crate::judge::closer::{self, CloserAnswer, CloserError, CloserReport};
use crate::model::{
    ActionClass, ActionProblem, ActionProgress, ActionRequest, AskCost, AskPlan, AskPurpose, Checklist,
    ChecklistItem, ItemState, VerifyReport, display_text,
};

use super::asking::{self, Ready, asker, confirmed};
use super::prompts;
use super::tools::{Tools, cancelled};
use crate::engine::clock;

/// How many items, and how many pending actions, are kept, and how many characters of each text.
const MAX_ITEMS: usize = 200;
const MAX_CHARACTERS: usize = 1000;

/// How many characters of the prompt are kept.
const PROMPT_CHARACTERS: usize = 8000;

pub(super) fn run(
    request: &ActionRequest,
    plan: &AskPlan,
    tools: &Tools<'_>,
) -> Result<VerifyReport, ActionProblem> {
    let ready = confirmed(request, plan, tools)?;
    let before = ready.refresher.signature();
    let mut answers = Vec::new();
    for step in 0..ready.questions.len() {
        answers.push(answer(request, &ready, step, tools)?);
    }
    ready.refresher.check_unchanged(before)?;
    let round = request.verified.as_ref().map_or(0, |verified| verified.round);
    let agent = ready.adapter.name();
    let each = || answers.iter().map(|answer| &answer.report);
    let summaries: Vec<&str> = each().filter_map(|report| report.summary.as_deref()).collect();
    Ok(VerifyReport {
        session: ready.plan.session.clone(),
        at: clock::now(),
        round: round.saturating_add(1),
        is_complete: !answers.is_empty() && each().all(|report| report.complete),
        confidence_percent: each().filter_map(CloserReport::confidence_percent).min(),
        checklist: checklist(agent, each()),
        pending_actions: each()
            .flat_map(|report| &report.pending_actions)
            .take(MAX_ITEMS)
            .map(|text| kept(text))
            .collect(),
        summary: Some(kept(&summaries.join(" "))).filter(|text| !text.is_empty()),
        error: answers.iter().find_map(|answer| answer.error.clone()),
        n_attempts: answers.iter().map(|answer| answer.n_attempts).sum(),
        cost: answers.iter().fold(AskCost::default(), |cost, answer| cost.plus(&answer.cost)),
        notes: answers.iter().flat_map(|answer| answer.notes.clone()).collect(),
        asked_of: ready.plan.options.with.clone(),
        prompt_used: ready.plan.prompt.chars().take(PROMPT_CHARACTERS).collect(),
    })
}

/// The answer to one question.
struct StepAnswer {
    report: CloserReport,
    error: Option<String>,
    n_attempts: u32,
    cost: AskCost,
    notes: Vec<String>,
}

/// Asks one question, and once more if the answer cannot be read.
fn answer(
    request: &ActionRequest,
    ready: &Ready<'_>,
    step: usize,
    tools: &Tools<'_>,
) -> Result<StepAnswer, ActionProblem> {
    let (mut cost, mut notes) = (AskCost::default(), Vec::new());
    let mut prompt = ready.questions.get(step).map(|question| question.text.clone()).unwrap_or_default();
    let most = ready.plan.max_attempts.clamp(1, 2);
    let mut n_attempts = 0;
    loop {
        n_attempts += 1;
        let message = if n_attempts == 1 { "asking for a checklist" } else { "asking again" };
        (tools.report)(ActionProgress { message: message.to_owned(), ..ActionProgress::default() });
        let asked = ask(request, ready, &prompt, tools)?;
        cost = cost.plus(&asked.cost);
        notes.extend(asked.notes.iter().cloned());
        let report = read(&asked);
        let error = problem(&asked, &report);
        log(request, ready, n_attempts, &report, error.as_deref());
        if n_attempts >= most || !report.error.is_some_and(is_worth_another) {
            return Ok(StepAnswer { report, error, n_attempts, cost, notes });
        }
        let of = (ready.plan.session.agent.as_str(), &ready.plan.options);
        prompt = prompts::closer(request, &ready.refresher, tools, of, step, error.as_deref())?.text;
    }
}

/// Logs a question and its result, never the answer itself.
fn log(
    request: &ActionRequest,
    ready: &Ready<'_>,
    attempt: u32,
    report: &CloserReport,
    problem: Option<&str>,
) {
    let place = display_text::path(request.workspace.path());
    let (agent, prompt) = (ready.adapter.name(), display_text::line(&ready.plan.prompt_from));
    if let Some(problem) = problem {
        tracing::warn!(workspace = %place, agent, %prompt, attempt, "closer: {}", display_text::line(problem));
    } else {
        let n_open = report.checklist.iter().filter(|item| !item.completed).count();
        let (complete, confidence) = (report.complete, report.confidence);
        tracing::info!(workspace = %place, agent, %prompt, attempt, complete, confidence, n_open, "closer");
    }
}

fn ask(
    request: &ActionRequest,
    ready: &Ready<'_>,
    prompt: &str,
    tools: &Tools<'_>,
) -> Result<Asked, ActionProblem> {
    let is_fresh = ready.plan.options.with.is_some();
    let command = asking::command(
        ready.adapter,
        &ready.current,
        AskPurpose::Verify,
        is_fresh,
        prompt,
        ready.model.as_ref(),
    )?;
    let asked = asker(request, ready, tools).ask(ready.adapter, &ready.current.session, &command);
    match &asked.answer {
        Err(NoAnswer::Cancelled) => Err(cancelled()),
        Err(problem @ NoAnswer::TimedOut(_)) => {
            Err(ActionProblem::new(ActionClass::TimedOut, problem.to_string()))
        }
        Err(problem @ (NoAnswer::NotStarted(_) | NoAnswer::ClientError(_) | NoAnswer::Flooded)) => {
            Err(ActionProblem::new(ActionClass::Failed, problem.to_string()))
        }
        Ok(_) | Err(NoAnswer::Unreadable(_)) => Ok(asked),
    }
}

fn read(asked: &Asked) -> CloserReport {
    match &asked.answer {
        Ok(Answer::Structured(value)) => closer::read(CloserAnswer::Structured(value)),
        Ok(Answer::Text(text)) => closer::read(CloserAnswer::Raw(text)),
        Err(NoAnswer::Unreadable(_)) => closer::read(CloserAnswer::Raw("")),
        Err(_) => closer::read(CloserAnswer::QueryError),
    }
}

/// Whether asking again in other words can bring a better answer.
fn is_worth_another(error: CloserError) -> bool {
    use CloserError::{
        EmptyChecklist, InvalidJson, MissingField, NoOutput, NotObject, OutOfRange, WrongType,
    };
    matches!(
        error,
        MissingField | WrongType | OutOfRange | NotObject | NoOutput | InvalidJson | EmptyChecklist
    )
}

/// Why an answer cannot be used, as text for a person.
fn problem(asked: &Asked, report: &CloserReport) -> Option<String> {
    let message = match report.error? {
        CloserError::MissingField => "a field of the form is missing",
        CloserError::WrongType => "a field has another type than in the form",
        CloserError::OutOfRange => "`confidence` is not between 0 and 1",
        CloserError::NotObject => "it is JSON and no object",
        CloserError::NoOutput => "it is empty",
        CloserError::InvalidJson => "it holds no JSON object of the form",
        CloserError::QueryError => "the query failed",
        CloserError::EmptyChecklist => "everything is said to be complete, but the checklist is empty",
    };
    Some(match &asked.answer {
        Err(no_answer) => format!("{message} ({no_answer})"),
        Ok(_) => message.to_owned(),
    })
}

fn checklist<'r>(agent: &str, reports: impl Iterator<Item = &'r CloserReport>) -> Checklist {
    let items = reports.flat_map(|report| &report.checklist).take(MAX_ITEMS).map(|item| ChecklistItem {
        title: kept(&item.description),
        state: if item.completed { ItemState::Done } else { ItemState::Open },
        evidence: item.evidence.as_deref().map(kept),
    });
    Checklist { from: format!("closer, asked of {agent}"), items: items.collect() }
}

fn kept(text: &str) -> String {
    text.trim().chars().take(MAX_CHARACTERS).collect()
}
