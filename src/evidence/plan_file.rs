//! Parses plan files, a Markdown task list or JSON, into steps. Pure and total.
//!
//! The judge accepts only `done`, so each format's own word for it, and no other word, is mapped to that: a
//! ticked box in Markdown; `done` in a plan of steps with a `title`; `completed` (or `done`) in agents'
//! todo lists, whose items have `content`, `subject`, `description` or `step`. A JSON `true` under `done`
//! or `completed` also means done.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde_json::{Map, Value};

use crate::model::{PlanStep, display_text};

/// How many steps are kept: of more, all that are open before any that is done.
const MAX_STEPS: usize = 1000;
/// The longest title kept, in characters.
const LONGEST_TITLE: usize = 500;
/// The only status that the judge accepts as done.
const DONE: &str = "done";
/// The status of an empty box.
const OPEN: &str = "open";
/// Keys that may hold a plan's steps.
const LIST_KEYS: [&str; 6] = ["steps", "todos", "tasks", "plan", "items", "checklist"];
/// Keys that may hold a step's title, each with the words for done in the formats that use it.
const TITLE_KEYS: [(&str, &[&str]); 8] = [
    ("title", &["done"]),
    ("name", &["done"]),
    ("text", &["done"]),
    ("content", &["done", "completed"]),
    ("subject", &["done", "completed"]),
    ("step", &["done", "completed"]),
    ("description", &["done", "completed"]),
    ("task", &["done", "completed"]),
];

/// Why a text is not a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanFormatError {
    /// It starts like JSON but does not parse.
    #[error("it is not JSON: {0}")]
    Json(String),
    /// It is JSON without a list of steps.
    #[error("it is JSON without a list of steps (`steps`, `todos`, `tasks` or `plan`)")]
    NoSteps,
}

/// The steps of a plan, in order. A text that begins with `{`, `[{`, `["` or `[]` is JSON, any other is
/// Markdown. Markdown without a task list has no steps.
///
/// # Errors
/// The text looks like JSON, but does not parse or has no list of steps.
pub fn parse_plan(text: &str) -> Result<Vec<PlanStep>, PlanFormatError> {
    let text = text.trim_start_matches('\u{feff}');
    let begin = text.trim_start();
    let is_list = begin.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with(['{', '"', ']']));
    let steps = if begin.starts_with('{') || is_list { json_steps(text)? } else { markdown_steps(text) };
    Ok(open_first(steps))
}

/// As many steps as are kept, in order. A step that is cut off must not be one that is open.
fn open_first(mut steps: Vec<PlanStep>) -> Vec<PlanStep> {
    let is_done = |step: &PlanStep| step.status.as_deref() == Some(DONE);
    let mut n_done_over = steps.len().saturating_sub(MAX_STEPS);
    if n_done_over > 0 {
        steps.reverse();
        steps.retain(|step| {
            let is_over = n_done_over > 0 && is_done(step);
            n_done_over -= usize::from(is_over);
            !is_over
        });
        steps.reverse();
        steps.truncate(MAX_STEPS);
    }
    steps
}

fn json_steps(text: &str) -> Result<Vec<PlanStep>, PlanFormatError> {
    let plan: Value = serde_json::from_str(text).map_err(|error| PlanFormatError::Json(error.to_string()))?;
    let items = items_of(&plan).ok_or(PlanFormatError::NoSteps)?;
    Ok(items.iter().map(json_step).collect())
}

fn items_of(plan: &Value) -> Option<&Vec<Value>> {
    if let Value::Array(items) = plan {
        return Some(items);
    }
    let plan = plan.as_object()?;
    let listed = LIST_KEYS.iter().find_map(|key| plan.get(*key)?.as_array());
    listed.or_else(|| {
        let inner = plan.get("plan")?.as_object()?;
        LIST_KEYS.iter().find_map(|key| inner.get(*key)?.as_array())
    })
}

fn json_step(item: &Value) -> PlanStep {
    match item {
        Value::String(title) => PlanStep { title: shortened(title), status: None },
        Value::Object(fields) => object_step(fields),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
            PlanStep { title: shortened(&item.to_string()), status: None }
        }
    }
}

fn object_step(fields: &Map<String, Value>) -> PlanStep {
    let found = TITLE_KEYS.iter().find_map(|(key, done)| Some((fields.get(*key)?.as_str()?, *done)));
    let (title, done_words) = found.unwrap_or(("", &["done"]));
    let is_ticked = ["done", "completed", "checked"]
        .iter()
        .any(|key| fields.get(*key).and_then(Value::as_bool).unwrap_or(false));
    let status = fields.get("status").or_else(|| fields.get("state"));
    let status = match status {
        Some(Value::String(word)) if done_words.contains(&word.as_str()) => Some(DONE.to_owned()),
        Some(Value::String(word)) => Some(shortened(word)),
        Some(other) => Some(shortened(&other.to_string())),
        None => is_ticked.then(|| DONE.to_owned()),
    };
    PlanStep { title: shortened(title), status }
}

/// A list item while it is being read.
#[derive(Default)]
struct OpenItem {
    /// The status according to its box; `None` until a box is found.
    status: Option<&'static str>,
    title: String,
    /// Whether the title has ended: after the first paragraph, at a nested list, and so on.
    is_closed: bool,
    /// Its position among the steps, so that a parent precedes its children.
    order: usize,
}

fn markdown_steps(text: &str) -> Vec<PlanStep> {
    let mut open: Vec<OpenItem> = Vec::new();
    let mut steps: Vec<(usize, PlanStep)> = Vec::new();
    let mut n_items = 0;
    for event in Parser::new_ext(text, Options::ENABLE_TASKLISTS) {
        if event == Event::Start(Tag::Item) {
            n_items += 1;
            open.push(OpenItem { order: n_items, ..OpenItem::default() });
        } else if event == Event::End(TagEnd::Item) {
            steps.extend(open.pop().and_then(|item| Some((item.order, markdown_step(&item)?))));
        } else if let Some(item) = open.last_mut() {
            item.take(&event);
        }
    }
    steps.sort_by_key(|(order, _)| *order);
    steps.into_iter().map(|(_, step)| step).collect()
}

impl OpenItem {
    fn take(&mut self, event: &Event<'_>) {
        if let Event::TaskListMarker(is_ticked) = event {
            self.status = Some(if *is_ticked { DONE } else { OPEN });
        }
        if self.is_closed || self.title.len() > 8 * LONGEST_TITLE {
            return;
        }
        if let Event::Text(text) | Event::Code(text) = event {
            self.title.push_str(text);
        }
        if *event == Event::SoftBreak {
            self.title.push(' ');
        }
        self.is_closed = matches!(
            event,
            Event::HardBreak
                | Event::Rule
                | Event::End(TagEnd::Paragraph)
                | Event::Start(Tag::List(_) | Tag::CodeBlock(_) | Tag::BlockQuote(_) | Tag::HtmlBlock)
        );
    }
}

/// A step, if the item has a box. Boxes with other symbols (`[-]`, `[/]`, `[~]` for in progress, abandoned,
/// …) are not Markdown, but people and agents write them; they are steps that are not done.
fn markdown_step(item: &OpenItem) -> Option<PlanStep> {
    if let Some(status) = item.status {
        return Some(PlanStep { title: shortened(&item.title), status: Some(status.to_owned()) });
    }
    let rest = item.title.trim_start().strip_prefix('[')?;
    let sign = rest.chars().next().filter(|sign| !sign.is_alphanumeric())?;
    let title = rest[sign.len_utf8()..].strip_prefix("] ")?;
    Some(PlanStep { title: shortened(title), status: Some(sign.to_string()) })
}

fn shortened(text: &str) -> String {
    display_text::cut_after(text.trim(), LONGEST_TITLE).into_owned()
}
