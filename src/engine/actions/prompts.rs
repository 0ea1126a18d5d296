//! The texts that agents are asked: the built-in prompts, and those of the workspace in their place.
//!
//! A workspace's prompt is untrusted text: it is shown before it is sent, and read under the same limits as
//! any file of a workspace. It must not decide anything but wording.

use crate::evidence::read_untrusted_text;
use crate::evidence::untrusted_file::WorkspaceDir;
use crate::judge::left_to_do;
use crate::judge::prompt::{self, Template};
use crate::model::{
    ActionClass, ActionProblem, ActionRequest, AskOptions, ItemState, OpenPoint, Parts, PlannedChange,
    PlannedPath, Reading, Source, VerifyReport, display_text,
};

use super::refresher::Refresher;
use super::tools::Tools;

const PROBE: &str = include_str!("../../../assets/prompts/probe.md");
const CLOSER: &str = include_str!("../../../assets/prompts/closer/f_default.md");
const CLOSER_RETRY: &str = include_str!("../../../assets/prompts/closer/f_default_retry.md");
/// The JSON schema of the closer's answer.
pub(super) const CLOSER_SCHEMA: &str = include_str!("../../../assets/prompts/closer/schema.json");

const JUDGE: &str = include_str!("../../../assets/prompts/judge.md");
/// The JSON schema of a judge's answer.
pub(super) const JUDGE_SCHEMA: &str = include_str!("../../../assets/prompts/judge.json");
const OPINION: &str = include_str!("../../../assets/prompts/second_opinion.md");
/// The JSON schema of a second reader's answer.
pub(super) const OPINION_SCHEMA: &str = include_str!("../../../assets/prompts/second_opinion.json");

const MESSAGES: &str = include_str!("../../../assets/prompts/messages.md");
/// The JSON schema of the messages of a rescue.
pub(super) const MESSAGES_SCHEMA: &str = include_str!("../../../assets/prompts/messages.json");

/// The source of a built-in prompt, as plans show it.
const BUILT_IN: &str = "built in";
/// How much of the agent's text goes into a prompt, in bytes from its end.
const LONGEST_WORDS: usize = 8 << 10;
/// How many commits and files are listed.
const MAX_NAMED: usize = 50;

/// A prompt, ready to be sent.
pub(super) struct Prompt {
    pub(super) text: String,
    /// Its source: a file of the workspace, or "built in".
    pub(super) from: String,
    /// Remarks for a person. May contain untrusted text.
    pub(super) notes: Vec<String>,
}

pub(super) fn probe() -> Prompt {
    Prompt { text: PROBE.to_owned(), from: BUILT_IN.to_owned(), notes: Vec::new() }
}

/// The prompt of a check against written criteria. A workspace cannot replace it.
pub(super) fn judge(request: &ActionRequest, refresher: &Refresher<'_>, criteria: &[String]) -> String {
    let numbered = numbered(criteria.iter().map(|text| text.trim().to_owned()));
    let input = input(request, refresher);
    prompt::read(JUDGE).fill(&[("criteria", numbered.as_str()), ("input", input.as_str())])
}

/// The prompt for the messages of a rescue. A workspace cannot replace it.
pub(super) fn messages(
    request: &ActionRequest,
    refresher: &Refresher<'_>,
    changes: &[&PlannedPath],
) -> String {
    let numbered = numbered(changes.iter().map(|path| {
        let change = match path.change {
            PlannedChange::Added => "added",
            PlannedChange::Modified => "changed",
            PlannedChange::Deleted => "deleted",
        };
        format!("{change} {} ({} bytes)", display_text::bytes(&path.path), path.size)
    }));
    let input = input(request, refresher);
    prompt::read(MESSAGES).fill(&[("changes", numbered.as_str()), ("input", input.as_str())])
}

/// One line for each item, counted from 1.
fn numbered(items: impl Iterator<Item = String>) -> String {
    items.enumerate().map(|(index, item)| format!("{}. {item}", index + 1)).collect::<Vec<_>>().join("\n")
}

/// The prompts of all steps that a person wants asked, in order.
///
/// # Errors
/// A prompt of the workspace exists but cannot be used.
pub(super) fn closers(
    request: &ActionRequest,
    refresher: &Refresher<'_>,
    tools: &Tools<'_>,
    asked: (&str, &AskOptions),
) -> Result<Vec<Prompt>, ActionProblem> {
    let n_steps = asked.1.steps.len().max(1);
    (0..n_steps).map(|step| closer(request, refresher, tools, asked, step, None)).collect()
}

/// The prompt of a second reader. A workspace cannot replace it.
pub(super) fn second_opinion(prompt: Option<&str>, words: &str) -> String {
    let values = [("prompt", prompt.unwrap_or("(not known)")), ("words", words)];
    prompt::read(OPINION).fill(&values)
}

/// The prompt of one step of the closer. With the problem of the last answer, the prompt that asks again.
///
/// `step` is the step's index among those that are asked.
///
/// # Errors
/// A prompt of the workspace exists but cannot be used.
pub(super) fn closer(
    request: &ActionRequest,
    refresher: &Refresher<'_>,
    tools: &Tools<'_>,
    (agent, options): (&str, &AskOptions),
    step: usize,
    problem: Option<&str>,
) -> Result<Prompt, ActionProblem> {
    let settings = tools.config.config.closer_for(request.workspace.path());
    let step = options.steps.get(step).unwrap_or(&settings.step);
    let agent = settings.agent_id.as_deref().unwrap_or(agent);
    let (name, built_in) = match problem {
        None => ("f_default.md", CLOSER),
        Some(_) => ("f_default_retry.md", CLOSER_RETRY),
    };
    let path = format!(".agent/{agent}/prompts/steps/{step}/{name}");
    let own = own(request, &path)?;
    let step_id = step.replace('/', ".");
    let mut input = input(request, refresher);
    if let Some(output) = &options.structured_output {
        input.push_str("\n\n## The structured output of the agent\n\n");
        input.push_str(output.trim());
    }
    let mut values = vec![
        ("input", input.as_str()),
        ("step_id", step_id.as_str()),
        ("problem", problem.unwrap_or_default()),
        ("agent_id", agent),
    ];
    // The person's parameters follow; of two values with one name, closeout's own is first and wins.
    values.extend(options.params.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let from = if own.is_some() { path } else { BUILT_IN.to_owned() };
    let template = own.unwrap_or_else(|| prompt::read(built_in));
    let missing = template.missing(&values);
    let mut notes = Vec::new();
    if from != BUILT_IN {
        notes.push(format!("the prompt is the workspace's own: {from}"));
    }
    if !missing.is_empty() {
        notes.push(format!("the prompt asks for values that closeout does not have: {}", missing.join(", ")));
    }
    Ok(Prompt { text: template.fill(&values), from, notes })
}

/// The prompt from a file of the workspace, if it exists.
fn own(request: &ActionRequest, path: &str) -> Result<Option<Template>, ActionProblem> {
    let directory = WorkspaceDir::open(request.workspace.path())
        .map_err(|error| ActionProblem::new(ActionClass::Failed, format!("the workspace: {error}")))?;
    match read_untrusted_text(&directory, path) {
        Reading::Present(file) => Ok(Some(prompt::read(&file.content))),
        Reading::Unreadable(unreadable) => {
            let words = format!("the prompt {path} cannot be used: {}", unreadable.detail);
            Err(ActionProblem::new(ActionClass::Refused, words))
        }
        Reading::NotLookedAt | Reading::NotConfigured | Reading::Absent { .. } => Ok(None),
    }
}

/// What is known about the task: what was asked, what the agent said last, what git reports, and what the
/// last checklist left open.
fn input(request: &ActionRequest, refresher: &Refresher<'_>) -> String {
    let mut text = String::new();
    let mut add = |title: &str, body: &str| {
        if !body.trim().is_empty() {
            for part in ["## ", title, "\n\n", body.trim(), "\n\n"] {
                text.push_str(part);
            }
        }
    };
    let asked_last = request.prompt.as_deref().filter(|prompt| request.task.as_deref() != Some(prompt));
    add("The task, as the person gave it (shortened)", request.task.as_deref().unwrap_or_default());
    add("The last prompt of the person (shortened)", asked_last.unwrap_or_default());
    let words = request.last_words.as_deref().unwrap_or_default();
    let start = words.ceil_char_boundary(words.len().saturating_sub(LONGEST_WORDS));
    add("The last words of the agent", words.get(start..).unwrap_or_default());
    if let Some(git) = refresher.git(Parts::COMMITS | Parts::CHANGES) {
        let commits =
            git.commits.newest.iter().map(|commit| format!("- {:.8} {}", commit.id, commit.subject));
        add("Commits since the task began", &lines(commits));
        let files = git.changes.into_iter().flat_map(|changes| changes.files);
        add("Not committed", &lines(files.map(|file| format!("- {}", file.path))));
    }
    let left: Vec<&OpenPoint> =
        request.left_to_do.open().filter(|point| point.source != Source::Closer && point.weighs).collect();
    add("Open by closeout's own evidence", &left_to_do::lines(&left, MAX_NAMED));
    if let Some(verified) = &request.verified {
        add("The checklist before this one", &before(verified));
    }
    text.trim_end().to_owned()
}

/// A short summary of the last checklist and its open items.
fn before(verified: &VerifyReport) -> String {
    let n_done = verified.checklist.n_done();
    let mut text =
        format!("Round {}: {n_done} of {} items done.", verified.round, verified.checklist.items.len());
    if let Some(summary) = &verified.summary {
        text.push(' ');
        text.push_str(summary);
    }
    let open = verified.checklist.items.iter().filter(|item| item.state != ItemState::Done);
    let open = lines(open.map(|item| format!("- open: {}", item.title)));
    let pending = lines(verified.pending_actions.iter().map(|action| format!("- to be done: {action}")));
    format!("{text}\n{open}\n{pending}")
}

fn lines(entries: impl Iterator<Item = String>) -> String {
    entries.take(MAX_NAMED).collect::<Vec<_>>().join("\n")
}
