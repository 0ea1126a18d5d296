//! What a Claude Code tool call does and how it ended, for the turn history. Pure.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::asked::asked_by;
use super::line::Block;
use crate::agent::fields::Fields;
use crate::agent::record_text::{end_of, shortened};
use crate::agent::turn_tracker::{Answer, command, edit, other_tool, sent_off};
use crate::model::{Deed, Exit};

/// How much of the end of a tool result is kept, in bytes.
const LONGEST_ANSWER: usize = 64 << 10;
/// Opens the result of a command whose exit code is not 0.
const EXIT_CODE: &str = "Exit code ";
/// How the client reports a call that never ran.
const REFUSALS: [&str; 8] = [
    "The user doesn't want to proceed", "The user doesn't want to take this action",
    "Claude requested permissions", "Permission to use", "PreToolUse:", "This command requires approval",
    "<tool_use_error>", "User rejected",
];

/// The input fields that tell a reader what a call does, the most informative first.
const TELLING: [&str; 10] = [
    "command", "file_path", "notebook_path", "pattern", "url", "query", "description", "subject", "skill",
    "path",
];

#[derive(Deserialize)]
struct AskedText {
    #[serde(default)]
    question: String,
}

/// What the client records next to the result of a command (`toolUseResult`).
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Noted {
    interrupted: bool,
    background_task_id: Option<String>,
    /// The subagent that reports, or was sent off.
    agent_id: Option<String>,
    /// Set for a nonzero exit code that is not an error, such as `grep` finding no match.
    return_code_interpretation: Option<String>,
}

#[derive(Deserialize)]
struct TextBlock {
    #[serde(default)]
    text: String,
}

/// What a call does. `None` for a tool that only reads or maintains a list.
pub(super) fn deed_of(tool: &str, raw: &RawValue, folder: Option<&str>) -> Option<Deed> {
    let input = Fields::read(raw.get().as_bytes());
    match tool {
        "Bash" | "PowerShell" | "Shell" => Some(command(&input.text("command")?, folder)),
        "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => {
            Some(edit(input.text("file_path").or_else(|| input.text("notebook_path"))))
        }
        "AskUserQuestion" | "ExitPlanMode" => {
            Some(Deed::Asked { words: asked_by(tool, raw), was_answered: false })
        }
        "Task" | "Agent" => Some(sent_off(&input.text("description").unwrap_or_default(), None)),
        _ if tool.starts_with("mcp__") => other_tool(tool),
        _ => None,
    }
}

/// What a tool was called with, as one short text: a command, a file, a pattern, a question. `None` if no
/// known field is set.
pub(super) fn called_with(input: &RawValue) -> Option<String> {
    let input = Fields::read(input.get().as_bytes());
    let question = || {
        let questions: Vec<AskedText> = input.get("questions")?;
        questions.into_iter().map(|asked| asked.question).find(|question| !question.trim().is_empty())
    };
    input.first_text(&TELLING).or_else(question).map(|text| shortened(&text))
}

/// How a call ended. Owns the text that [`ToolResult::answer`] borrows.
#[derive(Debug, Default)]
pub(super) struct ToolResult {
    exit: Option<Exit>,
    output: String,
    job: Option<String>,
}

impl ToolResult {
    /// Reads a result block together with what the client recorded next to it.
    pub(super) fn read(block: &Block<'_>, noted: Option<&RawValue>) -> ToolResult {
        let output = block.content.map(text_in).unwrap_or_default();
        let noted: Noted = noted.and_then(|noted| serde_json::from_str(noted.get()).ok()).unwrap_or_default();
        let (exit, output) = if block.is_error {
            failure(&output)
        } else if noted.interrupted {
            (Exit::Stopped, output)
        } else if noted.return_code_interpretation.is_some() {
            (Exit::Code(1), output)
        } else {
            (Exit::Code(0), output)
        };
        ToolResult { exit: Some(exit), output, job: noted.background_task_id.or(noted.agent_id) }
    }

    /// The result in the tracker's terms.
    pub(super) fn answer(&self) -> Answer<'_> {
        Answer { exit: self.exit, output: &self.output, job: self.job.as_deref() }
    }
}

fn failure(text: &str) -> (Exit, String) {
    if let Some(rest) = text.strip_prefix(EXIT_CODE) {
        let (code, output) = rest.split_once('\n').unwrap_or((rest, ""));
        let exit = code.trim().parse().map_or(Exit::Failed, Exit::Code);
        // The client's own time limit is reported only in the output.
        let is_timed_out = output.starts_with("Command timed out");
        return (if is_timed_out { Exit::Stopped } else { exit }, output.to_owned());
    }
    let is_refused = REFUSALS.iter().any(|refusal| text.contains(refusal));
    let is_stopped =
        text.contains("timed out") || text.contains("[Request interrupted") || text.contains("aborted");
    let exit = if is_refused {
        Exit::Refused
    } else if is_stopped {
        Exit::Stopped
    } else {
        Exit::Failed
    };
    (exit, text.to_owned())
}

/// The end of a result's text. The content is a string, or a list of blocks of which some are text.
fn text_in(content: &RawValue) -> String {
    let raw = content.get();
    let text = if raw.starts_with('"') {
        serde_json::from_str(raw).unwrap_or_default()
    } else {
        let blocks: Vec<TextBlock> = serde_json::from_str(raw).unwrap_or_default();
        blocks.into_iter().map(|block| block.text).collect::<Vec<_>>().join("\n")
    };
    // The exit code stands at the start, so this text is never cut.
    if text.starts_with(EXIT_CODE) || text.len() <= LONGEST_ANSWER {
        return text;
    }
    end_of(&text, LONGEST_ANSWER).to_owned()
}

/// The background job that has ended according to a notification or a result, and its exit code. Reads
/// `<task-id>…</task-id>` and either `<exit_code>1</exit_code>` or the words `exit code 1`. The result of a call that asks
/// about the job `asked` need not name it.
pub(super) fn job_in<'t>(text: &'t str, asked: Option<&'t str>) -> Option<(&'t str, i32)> {
    let between = |begin: &str, end: &str| {
        let (_, rest) = text.split_once(begin)?;
        rest.split_once(end).map(|(inner, _)| inner.trim())
    };
    let named = between("<task-id>", "</task-id>").or_else(|| between("<task_id>", "</task_id>"));
    let number = between("<exit_code>", "</exit_code>").or_else(|| {
        let (_, rest) = text.split_once("exit code ").filter(|_| named.is_some())?;
        let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        Some(&rest[..n_digits])
    });
    Some((named.or(asked)?, number?.parse().ok()?))
}

/// The background job that a call asks about.
pub(super) fn job_asked_about(tool: &str, raw: &RawValue) -> Option<String> {
    let is_asking = matches!(tool, "BashOutput" | "TaskOutput" | "AgentOutputTool");
    let input = is_asking.then(|| Fields::read(raw.get().as_bytes()))?;
    input.first_text(&["task_id", "bash_id", "shell_id"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_tells_its_code_or_that_it_never_ran() {
        assert_eq!(failure("Exit code 101\nerror"), (Exit::Code(101), "error".to_owned()));
        assert_eq!(failure("PreToolUse:Bash hook error: no").0, Exit::Refused);
        assert_eq!(failure("Command timed out after 2m").0, Exit::Stopped);
        assert_eq!(failure("no such file").0, Exit::Failed);
    }

    #[test]
    fn a_notice_names_its_job() {
        let notice = "<task-notification>\n<task-id>b1</task-id>\n<summary>failed with exit code 2</summary>";
        assert_eq!(job_in(notice, None), Some(("b1", 2)));
        assert_eq!(job_in("nothing", Some("b1")), None);
        assert_eq!(job_in("<status>running</status> exit code 1", Some("b1")), None);
        assert_eq!(job_in("<status>failed</status><exit_code>1</exit_code>", Some("b1")), Some(("b1", 1)));
    }
}
