//! Asks an agent by running one command line of its own program within limits and extracting the answer from
//! the output.
//!
//! It must not decide what an answer means (the judges do), must not use any part of an answer as a command,
//! path or approval, and must leave nothing behind: temporary files are deleted with the run, and among an
//! agent's records only a copy that this very run made is removed.

mod answer;

use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use self::answer::client_error;
use crate::action::clock;
use crate::agent::{Adapter, AgentCommand, Argument, COPY_PREFIX};
use crate::disk;
use crate::disk::write::create_new;
use crate::model::{AskCost, SessionObservation, Trace};
use crate::process::{self, Cancel, End, Launcher, Output, ProcessError, Spec, find_program};

pub use answer::{Answer, FoundAnswer, NoAnswer, read_answer};

/// The most that a client may print to stdout, in bytes; beyond that it is killed.
const MAX_OUTPUT: usize = 1 << 20;
/// How much of its stderr is kept, in bytes.
const MAX_COMPLAINTS: usize = 64 << 10;

/// How agents are asked: environment and limits.
#[derive(Debug, Clone)]
pub struct Asker {
    /// The whole environment of the client, selected by an allow-list.
    pub environment: Vec<(OsString, OsString)>,
    /// Starts the client in a session of its own; if `None`, it gets only a process group.
    pub launcher: Option<Launcher>,
    /// The time limit of one attempt.
    pub time_limit: Duration,
    /// Cancels an attempt.
    pub cancel: Cancel,
    /// The session's record, for clients that work on a copy of it.
    pub record: Option<PathBuf>,
}

/// The outcome of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The answer, or why there is none.
    pub answer: Result<Answer, NoAnswer>,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// The cost, as far as the client reports it.
    pub cost: AskCost,
    /// Other facts that a person should know, one sentence each. May contain untrusted text.
    pub notes: Vec<String>,
}

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
                let is_kept = |id: &String| session.session_id != **id && adapter.keeps_copy(id);
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

/// The largest record that is copied, in bytes.
const LARGEST_RECORD: u64 = 256 << 20;

/// The arguments and variables of a command line, and the files that some of them name.
pub(super) struct Files {
    pub(super) arguments: Vec<OsString>,
    pub(super) environment: Vec<(OsString, OsString)>,
    /// Deleted with its contents on drop.
    _folder: Option<TempDir>,
}

impl Files {
    /// Creates the files of a command. `copy` fills an empty file with a copy of the session's record; `ending`
    /// is the extension of that copy.
    pub(super) fn make(
        command: &AgentCommand,
        ending: &str,
        copy: &dyn Fn(&Path) -> io::Result<()>,
    ) -> io::Result<Files> {
        let values = command.environment.iter().map(|(_, value)| value);
        let all: Vec<&Argument> = command.arguments.iter().chain(values).collect();
        let needs_folder = all.iter().any(|argument| !matches!(argument, Argument::Text(_)));
        let folder =
            needs_folder.then(|| tempfile::Builder::new().prefix("closeout-ask-").tempdir()).transpose()?;
        let mut made = Vec::new();
        for (index, argument) in all.into_iter().enumerate() {
            let at = |name: String| {
                folder.as_ref().map(|folder| folder.path().join(name)).ok_or(io::ErrorKind::NotFound)
            };
            let value = match argument {
                Argument::Text(text) => OsString::from(text),
                Argument::File(content) => {
                    let path = at(format!("{index}.json"))?;
                    create_new(&path)?.write_all(content.as_bytes())?;
                    path.into_os_string()
                }
                Argument::RecordCopy => {
                    let path = at(format!("{COPY_PREFIX}{index}.{ending}"))?;
                    create_new(&path)?;
                    copy(&path)?;
                    path.into_os_string()
                }
            };
            made.push(value);
        }
        let values = made.split_off(command.arguments.len());
        let names = command.environment.iter().map(|(name, _)| OsString::from(name));
        Ok(Files { arguments: made, environment: names.zip(values).collect(), _folder: folder })
    }
}

/// Copies a record into an existing empty file. Fails above [`LARGEST_RECORD`].
fn copy_file(record: &Path, to: &Path) -> io::Result<()> {
    let from = disk::open(record)?;
    if from.metadata()?.len() > LARGEST_RECORD {
        return Err(io::Error::other("its record is larger than 256 MiB"));
    }
    let mut to = std::fs::OpenOptions::new().write(true).open(to)?;
    io::copy(&mut from.take(LARGEST_RECORD), &mut to).map(drop)
}
