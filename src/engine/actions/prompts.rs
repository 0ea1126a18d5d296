//! What agents are asked, in words: the built-in prompts, and those of the workspace in their place.
//!
//! A prompt of the workspace is untrusted text: it is shown before it is sent, it is read like all files of a
//! workspace, and it decides nothing but words.

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
/// The form of the closer's answer.
pub(super) const CLOSER_SCHEMA: &str = include_str!("../../../assets/prompts/closer/schema.json");

const JUDGE: &str = include_str!("../../../assets/prompts/judge.md");
/// The form of a judge's answer.
pub(super) const JUDGE_SCHEMA: &str = include_str!("../../../assets/prompts/judge.json");
const OPINION: &str = include_str!("../../../assets/prompts/second_opinion.md");
/// The form of a second reader's answer.
pub(super) const OPINION_SCHEMA: &str = include_str!("../../../assets/prompts/second_opinion.json");

const MESSAGES: &str = include_str!("../../../assets/prompts/messages.md");
/// The form of the messages of a rescue.
pub(super) const MESSAGES_SCHEMA: &str = include_str!("../../../assets/prompts/messages.json");

/// Where a built-in prompt is from, in a plan.
const BUILT_IN: &str = "built in";
/// The longest text of the agent that is put into a prompt, in bytes of its end.
const LONGEST_WORDS: usize = 8 << 10;
/// So many commits and files are named.
const MOST_NAMED: usize = 50;

/// A prompt, ready to be sent.
pub(super) struct Prompt {
    pub(super) text: String,
    /// A file of the workspace, or "built in".
    pub(super) from: String,
    /// What a person should know of it. May hold untrusted text.
    pub(super) notes: Vec<String>,
}

/// The prompt of a probe.
pub(super) fn probe() -> Prompt {
    Prompt { text: PROBE.to_owned(), from: BUILT_IN.to_owned(), notes: Vec::new() }
}

/// The prompt of a check by written criteria. A workspace has no say in it.
pub(super) fn judge(request: &ActionRequest, refresher: &Refresher<'_>, criteria: &[String]) -> String {
    let numbered = criteria.iter().enumerate().map(|(index, text)| format!("{}. {}", index + 1, text.trim()));
    let numbered = numbered.collect::<Vec<_>>().join("\n");
    let input = input(request, refresher);
    prompt::read(JUDGE).fill(&[("criteria", numbered.as_str()), ("input", input.as_str())])
}

/// The prompt for the messages of a rescue. A workspace has no say in it.
pub(super) fn messages(
    request: &ActionRequest,
    refresher: &Refresher<'_>,
    changes: &[&PlannedPath],
) -> String {
    let numbered = changes.iter().enumerate().map(|(index, path)| {
        let change = match path.change {
            PlannedChange::Added => "added",
            PlannedChange::Modified => "changed",
            PlannedChange::Deleted => "deleted",
        };
        format!("{}. {change} {} ({} bytes)", index + 1, display_text::bytes(&path.path), path.size)
    });
    let numbered = numbered.collect::<Vec<_>>().join("\n");
    let input = input(request, refresher);
    prompt::read(MESSAGES).fill(&[("changes", numbered.as_str()), ("input", input.as_str())])
}

/// The prompts of all steps that a person wants asked, in their order.
///
/// # Errors
/// A prompt of the workspace is there and cannot be used.
pub(super) fn closers(
    request: &ActionRequest,
    refresher: &Refresher<'_>,
    tools: &Tools<'_>,
    asked: (&str, &AskOptions),
) -> Result<Vec<Prompt>, ActionProblem> {
    let n_steps = asked.1.steps.len().max(1);
    (0..n_steps).map(|step| closer(request, refresher, tools, asked, step, None)).collect()
}

/// The prompt of a second reader. A workspace has no say in it.
pub(super) fn second_opinion(prompt: Option<&str>, words: &str) -> String {
    let values = [("prompt", prompt.unwrap_or("(not known)")), ("words", words)];
    prompt::read(OPINION).fill(&values)
}

/// The prompt of the closer; with a problem of the last answer, the one that asks again.
///
/// `step` is the place of its step among those that are asked.
///
/// # Errors
/// A prompt of the workspace is there and cannot be used.
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
    // What closeout knows goes before what the person gives by the same name.
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

/// The prompt in a file of the workspace, if there is one.
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

/// What is known of the task: what was asked, what was said last, what git tells, and what the last checklist
/// left open.
fn input(request: &ActionRequest, refresher: &Refresher<'_>) -> String {
    let mut text = String::new();
    let mut add = |title: &str, body: &str| {
        if !body.trim().is_empty() {
            for part in ["## ", title, "\n\n", body.trim(), "\n\n"] {
                text.push_str(part);
            }
        }
    };
    add("The last prompt of the person (shortened)", request.prompt.as_deref().unwrap_or_default());
    let words = request.last_words.as_deref().unwrap_or_default();
    let start = words.ceil_char_boundary(words.len().saturating_sub(LONGEST_WORDS));
    add("The last words of the agent", words.get(start..).unwrap_or_default());
    if let Some(git) = refresher.git(Parts::COMMITS | Parts::CHANGES) {
        let commits = git.commits.newest.iter().map(|commit| format!("- {} {}", commit.id, commit.subject));
        add("Commits since the task began", &lines(commits));
        let files = git.changes.into_iter().flat_map(|changes| changes.files);
        add("Not committed", &lines(files.map(|file| format!("- {}", file.path))));
    }
    let left: Vec<&OpenPoint> =
        request.left_to_do.open().filter(|point| point.source != Source::Closer && point.weighs).collect();
    add("Open by closeout's own evidence", &left_to_do::lines(&left, MOST_NAMED));
    if let Some(verified) = &request.verified {
        add("The checklist before this one", &before(verified));
    }
    text.trim_end().to_owned()
}

/// A short summary of the last checklist, and what it left open.
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
    entries.take(MOST_NAMED).collect::<Vec<_>>().join("\n")
}
