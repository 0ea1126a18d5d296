//! Runs an agent's own program to deliver a reply, without a screen, and interprets how it ended. It must not
//! run it through a shell.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::agent::{AgentCommand, AnswerPlace, Argument};
use crate::model::display_text;
use crate::process::{self, Cancel, Launcher, Output, Spec, find_program};

/// How much of a failure's text is kept, in characters.
const LONGEST_WORDS: usize = 300;

/// How agents' programs are found and started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Programs {
    /// The search path, in the form of `PATH`.
    pub search_path: Option<OsString>,
    /// The whole environment of the programs, except for what a command adds.
    pub environment: Vec<(OsString, OsString)>,
    /// Starts them in sessions of their own.
    pub launcher: Option<Launcher>,
}

/// How a program ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ran {
    /// It was not started, for this reason.
    NotStarted(String),
    /// It ended successfully.
    Well,
    /// It ended and reported a failure.
    Failed(String),
    /// It was killed or exceeded its time limit.
    CutOff(String),
}

impl Programs {
    /// Runs the command until it ends.
    pub(super) fn run(&self, command: &AgentCommand, limit: Duration, cancel: &Cancel) -> Ran {
        let program = if command.program.starts_with('/') {
            Some(PathBuf::from(&command.program))
        } else {
            find_program(&command.program, self.search_path.as_deref())
        };
        let Some(program) = program else {
            return Ran::NotStarted(format!("its program `{}` is not on the path", command.program));
        };
        let arguments: Option<Vec<&str>> = command.arguments.iter().map(text).collect();
        let variables = command.environment.iter();
        let variables: Option<Vec<(&str, &str)>> =
            variables.map(|(name, value)| Some((name.as_str(), text(value)?))).collect();
        let (Some(arguments), Some(variables)) = (arguments, variables) else {
            let message = "its reply command asks for a file, but a reply has none";
            return Ran::NotStarted(message.to_owned());
        };
        let mut spec = Spec::new(program, &command.folder).args(arguments);
        spec.env.clone_from(&self.environment);
        for (name, value) in variables {
            spec.env.retain(|(known, _)| known.as_os_str() != name);
            spec = spec.env(name, value);
        }
        spec.own_session.clone_from(&self.launcher);
        spec.stdin = (!command.stdin.is_empty()).then(|| command.stdin.as_bytes().to_vec());
        spec.time_limit = limit;
        spec.cancel = Some(cancel.clone());
        match process::run(&spec) {
            Ok(output) => end(&output, command.answer),
            Err(error) => Ran::NotStarted(error.to_string()),
        }
    }
}

/// The text of an argument; `None` for a file.
fn text(argument: &Argument) -> Option<&str> {
    match argument {
        Argument::Text(text) => Some(text),
        Argument::File(_) | Argument::RecordCopy => None,
    }
}

fn end(output: &Output, answer: AnswerPlace) -> Ran {
    match output.end {
        process::End::Code(0) => match told_error(output, answer) {
            None => Ran::Well,
            Some(words) => Ran::Failed(words),
        },
        process::End::Code(code) => {
            let words = told_error(output, answer).unwrap_or_else(|| last_line(&output.stderr));
            Ran::Failed(format!("exit code {code}: {words}"))
        }
        process::End::TimedOut => Ran::CutOff("it took too long and was ended".to_owned()),
        process::End::Cancelled => Ran::CutOff("it was ended".to_owned()),
        process::End::AtCap => Ran::CutOff("it wrote too much and was ended".to_owned()),
        process::End::Signal(signal) => Ran::CutOff(format!("it was ended by signal {signal}")),
    }
}

/// The error that Claude Code reports inside its answer; other agents use their exit code.
fn told_error(output: &Output, answer: AnswerPlace) -> Option<String> {
    if answer != AnswerPlace::ResultObject {
        return None;
    }
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
    let is_error = told.get("is_error")?.as_bool()?;
    let words = told.get("result").and_then(serde_json::Value::as_str).unwrap_or("an error");
    is_error.then(|| shortened(words))
}

/// The last line that is not blank.
fn last_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    shortened(text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing"))
}

fn shortened(text: &str) -> String {
    display_text::without_escapes(text.trim()).chars().take(LONGEST_WORDS).collect()
}
