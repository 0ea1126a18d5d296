//! The agent's plan: the tool `update_plan`, called directly or from a program. Each call passes the whole
//! plan, and the last one applies. Pure.

use serde::Deserialize;

use super::line::{Call, Line, Tag, parsed};
use super::{NAME, script};
use crate::agent::turn_tracker::todo;
use crate::model::Checklist;

/// The tool's name, in programs too.
pub(super) const TOOL: &str = "update_plan";
/// Further steps are ignored.
const MAX_STEPS: usize = 500;

#[derive(Deserialize)]
struct Plan {
    plan: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    step: String,
    status: String,
}

/// The plan a call passes. A plan that was cleared has no items.
pub(super) fn given_by(call: &Call) -> Option<Checklist> {
    let steps: Vec<(String, String)> = match (call.name.as_deref()?, &call.arguments, &call.input) {
        (TOOL, Some(arguments), _) => {
            let plan: Plan = serde_json::from_str(arguments).ok()?;
            plan.plan.into_iter().map(|step| (step.step, step.status)).collect()
        }
        (_, _, Some(program)) => script::plan_steps(program)?,
        _ => return None,
    };
    let items = steps.into_iter().take(MAX_STEPS).map(|(title, status)| todo(title, &status));
    Some(Checklist { from: NAME.to_owned(), items: items.collect() })
}

/// The plan a line passes, if it is a call to the tool.
pub(super) fn in_line(bytes: &[u8]) -> Option<Checklist> {
    let line = Line::parse(bytes).filter(|line| line.kind == "response_item")?;
    let payload = line.payload()?;
    let tag: Tag<'_> = parsed(payload)?;
    matches!(&*tag.kind, "function_call" | "custom_tool_call").then_some(())?;
    given_by(&parsed(payload)?)
}
