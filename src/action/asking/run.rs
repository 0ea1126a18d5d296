//! Runs one command line and reads its answer, then removes the copy of the session that the run may have made.
//! It must not remove anything else.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::answer::{FoundAnswer, client_error};
use super::files::{Files, copy_file};
use super::{Asked, Asker, MAX_COMPLAINTS, MAX_OUTPUT, NoAnswer, read_answer};
use crate::action::clock;
use crate::agent::{Adapter, AgentCommand, Argument};
use crate::model::{AskCost, SessionObservation, Trace};
use crate::process::{self, End, Output, ProcessError, Spec, find_program};

impl Asker {
    /// Asks once with `command`, which `adapter` built for `session`. Blocks for at most the time limit, and
    /// for as long again if a copy has to be removed.
    pub fn ask(&self, adapter: &Adapter, session: &SessionObservation, command: &AgentCommand) -> Asked {
        let began = clock::instant();
        let mut notes = Vec::new();
        let found = match self.run(adapter, session, command) {
            Ok(output) => {
                let found = read(command, &output);
                // A client that does not know the variable for its records' place stores the copy among its own
                // records.
                let is_kept = |id: &String| *id != session.session_id && adapter.keeps_copy(id);
                if command.trace == Trace::Copy || found.session_id.as_ref().is_some_and(is_kept) {
                    notes.extend(self.remove_copy(adapter, session, found.session_id.as_deref()));
                }
                found
            }
            Err(no_answer) => {
                if command.trace == Trace::Copy && !matches!(no_answer, NoAnswer::NotStarted(_)) {
                    notes.push(left_behind(session, "it was ended before it told which one"));
                }
                FoundAnswer { answer: Err(no_answer), cost: AskCost::default(), session_id: None }
            }
        };
        let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        Asked { answer: found.answer, took_ms, cost: found.cost, notes }
    }

    fn run(
        &self,
        adapter: &Adapter,
        session: &SessionObservation,
        command: &AgentCommand,
    ) -> Result<Output, NoAnswer> {
        let path = self.environment.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.as_os_str());
        let named = PathBuf::from(&command.program);
        let program = if named.is_absolute() { Some(named) } else { find_program(&command.program, path) };
        let Some(program) = program else {
            let message = format!("there is no program `{}` on the path", command.program);
            return Err(NoAnswer::NotStarted(message));
        };
        let record = self.record.as_deref();
        let ending = record.and_then(Path::extension).and_then(OsStr::to_str).unwrap_or("jsonl");
        let copy = |to: &Path| match adapter.copy_session(session, to) {
            Some(copied) => copied.map_err(|unreadable| io::Error::other(unreadable.detail)),
            None => copy_file(record.ok_or_else(|| io::Error::other("its record is not known"))?, to),
        };
        let files = Files::make(command, ending, &copy)
            .map_err(|error| NoAnswer::NotStarted(format!("its files could not be made: {error}")))?;
        let mut environment = self.environment.clone();
        environment.retain(|(known, _)| files.environment.iter().all(|(name, _)| name != known));
        environment.extend(files.environment.iter().cloned());
        let spec = Spec {
            args: files.arguments.clone(),
            env: environment,
            stdin: Some(command.stdin.clone().into_bytes()).filter(|input| !input.is_empty()),
            own_session: self.launcher.clone(),
            time_limit: self.time_limit,
            cancel: Some(self.cancel.clone()),
            stdout_cap: MAX_OUTPUT,
            stderr_cap: MAX_COMPLAINTS,
            is_ended_at_cap: true,
            ..Spec::new(program, &command.folder)
        };
        let output = process::run(&spec).map_err(|error| not_started(&error))?;
        match output.end {
            End::TimedOut => Err(NoAnswer::TimedOut(self.time_limit.as_secs())),
            End::Cancelled => Err(NoAnswer::Cancelled),
            End::AtCap => Err(NoAnswer::Flooded),
            End::Code(_) | End::Signal(_) => Ok(output),
        }
    }

    /// Removes the copy that the run left in the agent's records, and returns what a person should know about
    /// that. Removes only the copy whose id the client itself reported, and never the session that was asked.
    fn remove_copy(
        &self,
        adapter: &Adapter,
        session: &SessionObservation,
        copy_id: Option<&str>,
    ) -> Option<String> {
        let Some(id) = copy_id else {
            return Some(left_behind(session, "the client did not tell which one"));
        };
        let Some(removal) = adapter.removal(session, id) else {
            return Some(left_behind(session, "it has no id that could be named safely"));
        };
        match self.run(adapter, session, &removal) {
            Ok(output) if output.is_success() => None,
            Ok(output) => Some(left_behind(session, &complaint(&output))),
            Err(no_answer) => Some(left_behind(session, &no_answer.to_string())),
        }
    }
}

/// The answer of a run that ended by itself.
fn read(command: &AgentCommand, output: &Output) -> FoundAnswer {
    let mut found = read_answer(command.answer, &output.stdout);
    // A failed run has not answered, whatever it printed. The client's own error is more precise than the exit
    // code.
    if !output.is_success() && !matches!(found.answer, Err(NoAnswer::ClientError(_))) {
        found.answer = Err(client_error(&complaint(output)));
    }
    found
}

/// How a client ended, with the last line of its stderr.
fn complaint(output: &Output) -> String {
    let end = match output.end {
        End::Code(code) => format!("exit code {code}"),
        End::Signal(signal) => format!("signal {signal}"),
        End::TimedOut | End::Cancelled | End::AtCap => "it was ended".to_owned(),
    };
    let words = String::from_utf8_lossy(&output.stderr);
    let last = words.lines().rev().find(|line| !line.trim().is_empty());
    last.map_or_else(|| end.clone(), |line| format!("{end}: {}", line.trim()))
}

fn not_started(error: &ProcessError) -> NoAnswer {
    let reason = std::error::Error::source(error).map(|source| format!(": {source}")).unwrap_or_default();
    NoAnswer::NotStarted(format!("{error}{reason}"))
}

fn left_behind(session: &SessionObservation, why: &str) -> String {
    format!("a copy of the session stays in the records of {}: {why}", session.agent)
}

/// The command line as it is shown to a person before it runs.
pub fn shown(command: &AgentCommand) -> Vec<String> {
    let word = |argument: &Argument| match argument {
        Argument::Text(text) => text.clone(),
        Argument::File(_) => "(file)".to_owned(),
        Argument::RecordCopy => "(copy of the session's record)".to_owned(),
    };
    // Of the variables, only those that name the copied record matter to a person.
    let with_copy = |(_, value): &&(String, Argument)| *value == Argument::RecordCopy;
    let variables = command.environment.iter().filter(with_copy);
    let mut line: Vec<String> = variables.map(|(name, value)| format!("{name}={}", word(value))).collect();
    line.push(command.program.clone());
    line.extend(command.arguments.iter().map(word));
    line
}
