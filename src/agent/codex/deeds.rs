//! What a tool call of Codex does and how it ended, for the turn history. Pure.
//!
//! Conversation items (`item_completed`) name a command with its exit code. For older versions, and for
//! calls without a result yet, the information comes from the model's input (`response_item`).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::line::{Call, parsed};
use super::{ASKING_TOOL, plan, script};
use crate::agent::fields::Fields;
use crate::agent::record_text::{question_text, shortened};
use crate::agent::turn_tracker::{Answer, TurnTracker, command, edit, other_tool};
use crate::model::{Deed, Exit, Timestamp};

const SHELLS: [&str; 6] =
    ["exec_command", "shell", "shell_command", "local_shell", "container.exec", "unified_exec"];
/// Says that a command continues to run, and as which session.
const RUNNING: &str = "Process running with session ID";
/// Prefixes of the patch lines that name a file.
const FILE_MARKS: [&str; 4] = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];

/// An item about a command.
#[derive(Default, Deserialize)]
#[serde(default)]
struct CommandExecution {
    id: String,
    command: Vec<String>,
    cwd: Option<String>,
    status: String,
    aggregated_output: Option<String>,
    exit_code: Option<i32>,
}

/// An item about a patch.
#[derive(Default, Deserialize)]
#[serde(default)]
struct FileChange<'a> {
    id: String,
    /// The change to each file. Its content is not read.
    #[serde(borrow)]
    changes: BTreeMap<String, &'a RawValue>,
    status: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct McpToolCall {
    id: String,
    tool: String,
}

/// The result of a shell tool, if it is JSON.
#[derive(Deserialize)]
struct JsonOutput {
    #[serde(default)]
    output: String,
    metadata: Option<Metadata>,
}

#[derive(Deserialize)]
struct Metadata {
    exit_code: Option<i32>,
}

/// What a call does. `None` for a tool that only reads, and for a program (`exec`), whose commands appear
/// as items.
pub(super) fn deed_of(tool: &str, call: &Call, folder: Option<&str>) -> Option<Deed> {
    if tool == "apply_patch" {
        return Some(edit(patched_files(call.input.as_deref().or(call.arguments.as_deref())?)));
    }
    if !SHELLS.contains(&tool) {
        return None;
    }
    if let Some(action) = &call.action {
        return Some(shell(&line_of(&action.command), folder));
    }
    let arguments = Fields::read(call.arguments.as_deref()?.as_bytes());
    let line = line_of(&arguments.texts("cmd").or_else(|| arguments.texts("command"))?);
    let folder = arguments.text("workdir").or(folder.map(str::to_owned));
    Some(shell(&line, folder.as_deref()))
}

/// A command line as a deed. One that runs `apply_patch` is an edit.
fn shell(line: &str, folder: Option<&str>) -> Deed {
    if line.trim_start().starts_with("apply_patch") {
        edit(patched_files(line))
    } else {
        command(line, folder)
    }
}

/// The command line in the argument list of a process: the text after `-lc`, else the quoted arguments. A
/// single argument is already a command line.
pub(super) fn line_of(words: &[String]) -> String {
    match words {
        [line] => line.clone(),
        [shell, option, line, ..] if is_shell(shell) && option.starts_with('-') && option.ends_with('c') => {
            line.clone()
        }
        words => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
    }
}

fn is_shell(program: &str) -> bool {
    matches!(program.rsplit('/').next(), Some("bash" | "sh" | "zsh" | "dash"))
}

fn quoted(word: &str) -> String {
    let is_plain = |sign: char| sign.is_alphanumeric() || "-_./=:@%+,".contains(sign);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The files named in a patch.
fn patched_files(patch: &str) -> impl Iterator<Item = String> {
    patch.lines().filter_map(|line| {
        let file = FILE_MARKS.iter().find_map(|mark| line.strip_prefix(mark))?;
        Some(file.trim().to_owned())
    })
}

/// Takes an item about something the agent did. False for any other item.
pub(super) fn take_item(kind: &str, item: &str, tracker: &mut TurnTracker, at: Option<Timestamp>) -> bool {
    match kind {
        "CommandExecution" => parsed(item).map(|run| take_command(&run, tracker, at)),
        "FileChange" => parsed(item).map(|change| take_change(change, tracker, at)),
        "McpToolCall" => parsed::<McpToolCall>(item).map(|call| {
            if let Some(deed) = other_tool(&call.tool) {
                tracker.settle_call(&call.id, deed, &Answer::default(), at);
            }
        }),
        _ => None,
    }
    .is_some()
}

fn take_command(run: &CommandExecution, tracker: &mut TurnTracker, at: Option<Timestamp>) {
    let folder = run.cwd.as_deref().map(|cwd| cwd.strip_prefix("file://").unwrap_or(cwd));
    let exit = match (run.status.as_str(), run.exit_code) {
        ("declined", _) => Exit::Refused,
        (_, Some(code)) => Exit::Code(code),
        ("failed", None) => Exit::Failed,
        ("inProgress" | "in_progress", None) => Exit::Running,
        _ => Exit::Unknown,
    };
    let output = run.aggregated_output.as_deref().unwrap_or_default();
    let deed = shell(&line_of(&run.command), folder);
    tracker.settle_call(&run.id, deed, &Answer { exit: Some(exit), output, job: None }, at);
}

fn take_change(change: FileChange<'_>, tracker: &mut TurnTracker, at: Option<Timestamp>) {
    let exit = if change.status == "completed" { Exit::Code(0) } else { Exit::Failed };
    let deed = edit(change.changes.into_keys());
    tracker.settle_call(&change.id, deed, &Answer { exit: Some(exit), ..Answer::default() }, at);
}

/// The running command that a call waits for or writes to.
pub(super) fn job_asked_about(tool: &str, call: &Call) -> Option<String> {
    let arguments = call.arguments.as_deref().filter(|_| tool == "write_stdin")?;
    let id: u64 = Fields::read(arguments.as_bytes()).get("session_id")?;
    Some(id.to_string())
}

/// The name of a command that continues to run, in the text given to the model.
pub(super) fn job_in(text: &str) -> Option<String> {
    let head = text.split_once("Output:\n").map_or(text, |(head, _)| head);
    let (_, rest) = head.split_once(RUNNING)?;
    let id: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
    (!id.is_empty()).then_some(id)
}

/// How a call ended and what it printed, read from the text given to the model.
pub(super) fn answer_in(text: &str) -> (Option<Exit>, String) {
    if let Some(JsonOutput { output, metadata: Some(Metadata { exit_code: Some(code) }) }) = parsed(text) {
        return (Some(Exit::Code(code)), output);
    }
    let (head, output) = text.split_once("Output:\n").unwrap_or((text, text));
    let number_after = |mark: &str| -> Option<i32> {
        let rest = head.split_once(mark)?.1.trim_start();
        let length = rest.find(|sign: char| !sign.is_ascii_digit() && sign != '-').unwrap_or(rest.len());
        rest[..length].parse().ok()
    };
    let exit =
        if let Some(code) = number_after("Process exited with code").or_else(|| number_after("Exit code:")) {
            Some(Exit::Code(code))
        } else if head.contains(RUNNING) {
            Some(Exit::Running)
        } else if text.contains("rejected by user") || text.starts_with("exec_command failed") {
            Some(Exit::Refused)
        } else if head.contains("timed out") {
            Some(Exit::Stopped)
        } else {
            None
        };
    (exit, output.to_owned())
}

/// The arguments that tell a reader most, the most informative first.
const TELLING: [&str; 9] =
    ["cmd", "command", "path", "query", "url", "task_name", "message", "chars", "prompt"];

/// What the tool was called with, shortened. `None` if its name says everything.
pub(super) fn called_with(call: &Call) -> Option<String> {
    let name = call.name.as_deref().unwrap_or_default();
    let text = match (&call.arguments, &call.input, &call.action) {
        _ if name == plan::TOOL => return None,
        (Some(arguments), ..) if name == ASKING_TOOL => questions(arguments)?,
        (Some(arguments), ..) => by_arguments(arguments),
        (None, Some(input), _) => files_of(input)
            .or_else(|| script::first_value(input, "cmd"))
            .unwrap_or_else(|| input.trim().to_owned()),
        (None, None, Some(action)) => line_of(&action.command),
        (None, None, None) => return None,
    };
    let text = text.trim();
    (!text.is_empty()).then(|| shortened(text))
}

/// What a function's arguments say.
fn by_arguments(arguments: &str) -> String {
    let fields = Fields::read(arguments.as_bytes());
    let patched = fields.text("input").and_then(|patch| files_of(&patch));
    let told = || TELLING.iter().find_map(|name| fields.texts(name)).map(|words| line_of(&words));
    let Some(text) = patched.or_else(told) else {
        return if arguments.trim() == "{}" { String::new() } else { arguments.to_owned() };
    };
    // The agent's reason for leaving its sandbox, which the user has to approve.
    match fields.first_text(&["justification"]) {
        Some(why) => format!("{} ({why})", shortened(&text)),
        None => text,
    }
}

/// The files named in a patch, joined with commas.
fn files_of(patch: &str) -> Option<String> {
    let files: Vec<String> = patched_files(patch).collect();
    (!files.is_empty()).then(|| files.join(", "))
}

#[derive(Deserialize)]
struct Asked {
    questions: Vec<Question>,
}

#[derive(Deserialize)]
struct Question {
    question: String,
    options: Option<Vec<Choice>>,
}

#[derive(Deserialize)]
struct Choice {
    label: String,
    #[serde(default)]
    description: String,
}

/// The questions as the client shows them. `None` if the arguments contain none.
pub(super) fn questions(arguments: &str) -> Option<String> {
    let asked: Asked = serde_json::from_str(arguments).ok()?;
    let text = asked.questions.iter().map(text_of).collect::<Vec<_>>().join("\n\n");
    (!text.is_empty()).then_some(text)
}

fn text_of(asked: &Question) -> String {
    let options = asked.options.iter().flatten();
    question_text(&asked.question, options.map(|option| (&*option.label, &*option.description)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_answers_tell_how_a_command_ended() {
        let (exit, output) = answer_in("Chunk ID: 1\nProcess exited with code 101\nOutput:\nFAILED\n");
        assert_eq!((exit, output.as_str()), (Some(Exit::Code(101)), "FAILED\n"));
        let (exit, _) = answer_in(r#"{"output":"x","metadata":{"exit_code":0}}"#);
        assert_eq!(exit, Some(Exit::Code(0)));
        let runs_on = "Process running with session ID 3\nOutput:\n";
        assert_eq!((answer_in(runs_on).0, job_in(runs_on).as_deref()), (Some(Exit::Running), Some("3")));
        assert_eq!(job_in("Process exited with code 0\nOutput:\nProcess running with session ID 3"), None);
        assert_eq!(answer_in("something").0, None);
    }

    #[test]
    fn the_words_of_a_process_become_its_command_line() {
        let words = |line: &[&str]| line_of(&line.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(words(&["/bin/bash", "-lc", "cd a && ls"]), "cd a && ls");
        assert_eq!(words(&["cargo", "test", "a b"]), "cargo test 'a b'");
    }
}
