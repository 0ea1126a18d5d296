//! The messages of a rescue before they are confirmed: proposed by an agent, edited by the person. It must
//! not commit.

use crate::cli::environment::Environment;
use crate::cli::exit::{Failure, Outcome};
use crate::cli::output;
use crate::cli::target_workspace::TargetWorkspace;
use crate::cli::tui::editor::Editor;
use crate::model::{Action, ActionClass, RescuePlan};
use crate::ui::Edited;

/// The line before each message in the editor; the rest of that line is ignored.
const BEFORE: &str = "# ---- commit ";

/// The plan with the messages and groups that an agent proposes, or unchanged if there is no usable proposal.
/// `with` names an agent to ask in a new session; empty asks the session that did the work.
///
/// # Errors
/// It was cancelled.
pub(super) fn asked(
    target: &mut TargetWorkspace<'_>,
    plan: Box<RescuePlan>,
    with: &str,
) -> Result<Box<RescuePlan>, Failure> {
    let with = Some(with.to_owned()).filter(|with| !with.is_empty());
    match target.act_or_signal(Action::ask_messages(plan.clone(), with)) {
        Err(Failure::Action(problem)) if problem.class == ActionClass::Cancelled => {
            Err(Failure::Over(Outcome::Action(problem.class)))
        }
        Err(Failure::Action(problem)) => {
            let next = problem.next.as_deref().map(|next| format!("; {next}")).unwrap_or_default();
            output::note(&format!("{}{next}", problem.message));
            output::complain("  the messages stay as closeout proposes them");
            Ok(plan)
        }
        asked => asked,
    }
}

/// Opens the plan's commit messages in the person's editor.
///
/// # Errors
/// There is no usable editor, or its result does not have the same number of non-empty messages.
pub(super) fn edited(
    environment: &Environment,
    state_folder: Option<std::path::PathBuf>,
    plan: &mut RescuePlan,
) -> Result<(), Failure> {
    let text = joined(&messages(plan).iter().map(|message| message.as_str()).collect::<Vec<_>>());
    let editing = Editor::of(environment, state_folder).open(text).map_err(Failure::Usage)?;
    let text = match editing.finish() {
        Edited::Text(text) => text,
        Edited::Failed(why) => return Err(Failure::Refused(why)),
    };
    let mut changed = parted(&text);
    let wanted = messages(plan);
    if changed.len() != wanted.len() || changed.iter().any(String::is_empty) {
        let words = format!("expected {} messages with text, each below its line", wanted.len());
        return Err(Failure::Refused(format!("{words}; the work is kept in {}", plan.record.reference)));
    }
    wanted.into_iter().zip(changed.drain(..)).for_each(|(message, changed)| *message = changed);
    Ok(())
}

fn messages(plan: &mut RescuePlan) -> Vec<&mut String> {
    let kind = plan.split;
    match plan.splits.iter_mut().find(|split| Some(split.kind) == kind) {
        Some(split) => split.commits.iter_mut().map(|commit| &mut commit.message).collect(),
        None => vec![&mut plan.message],
    }
}

/// Joins all messages in one text.
fn joined(messages: &[&str]) -> String {
    let n = messages.len();
    let part =
        |(index, message): (usize, &&str)| format!("{BEFORE}{} of {n}\n{}\n", index + 1, message.trim_end());
    messages.iter().enumerate().map(part).collect()
}

/// Splits such a text into its messages.
fn parted(text: &str) -> Vec<String> {
    let mut messages: Vec<String> = Vec::new();
    for line in text.lines() {
        if line.starts_with(BEFORE) {
            messages.push(String::new());
        } else if let Some(message) = messages.last_mut() {
            message.push_str(line);
            message.push('\n');
        }
    }
    messages.iter().map(|message| message.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_back_from_the_editor_each_for_its_commit() {
        let all = ["one\n\n# a heading\nbody\n", "two"];
        let text = joined(&all);
        assert_eq!(parted(&text), ["one\n\n# a heading\nbody", "two"]);
        assert_eq!(parted(&text.replace("two", "  ")), ["one\n\n# a heading\nbody", ""]);
        assert!(parted("nothing").is_empty());
    }
}
