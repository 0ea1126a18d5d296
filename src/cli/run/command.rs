//! One run of the command, in a process session of its own, with its output passed on and watched. It is
//! ended when it stalls, takes too long or is no longer wanted; if it stalled, uncommitted work is recorded
//! first.
//!
//! It must not interpret the output.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::cli::exit::Failure;
use crate::cli::output;
use crate::model::{CommandEnd, display_text};
use crate::process::{self, Cancel, End, Launcher, ProcessError, Spec};

/// The interval at which output is passed on.
const PASS_ON: Duration = Duration::from_millis(150);
/// A command with any activity within this time counts as at work.
const ACTIVE: Duration = Duration::from_mins(1);
/// The time a command has to clean up after SIGINT.
const INTERRUPT_GRACE: Duration = Duration::from_secs(3);
/// Stands in for a missing time limit: the command ends on its own, or when it stalls.
const NO_LIMIT: Duration = Duration::from_hours(366 * 24);
/// The longest argument in bytes (execve(2) allows 128 KiB), with room for the words around the prompt.
const LONGEST_ARGUMENT: usize = 120 << 10;

pub(super) struct Command<'a> {
    pub(super) words: &'a [String],
    pub(super) program: PathBuf,
    pub(super) workspace: &'a Path,
    pub(super) environment: Vec<(OsString, OsString)>,
    pub(super) launcher: PathBuf,
    pub(super) prompt: &'a str,
    pub(super) prompt_file: PathBuf,
    pub(super) output: (PathBuf, Arc<File>),
    pub(super) errors: (PathBuf, Arc<File>),
    pub(super) time_limit: Option<Duration>,
    pub(super) is_quiet: bool,
}

/// Detects whether a command stalls, and prepares its end.
pub(super) trait Watcher: Sync {
    /// How long it may go without any activity before it is ended; `None` never ends it.
    fn patience(&self) -> Option<Duration>;
    /// A value that changes whenever files, git or the session's record changed.
    fn look(&self) -> u64;
    /// Called when the command has stalled and will be ended. Returns whether its agent is at work all the
    /// same.
    fn before_the_end(&self) -> bool;
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Ended {
    pub(super) end: CommandEnd,
    /// Whether it was at work when it was ended.
    pub(super) was_active: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Watched {
    stood_still: bool,
    was_active: bool,
}

/// Runs the command and waits for its end. `stop` ends it early.
pub(super) fn run(command: &Command<'_>, stop: &Cancel, watcher: &dyn Watcher) -> Result<Ended, Failure> {
    let spec = spec(command)?;
    let (ending, over) = (Cancel::new(), Cancel::new());
    let spec = Spec { cancel: Some(ending.clone()), ..spec };
    let (outcome, seen) = thread::scope(|scope| {
        let watching = thread::Builder::new()
            .spawn_scoped(scope, || watch(command, stop, &ending, &over, watcher))
            .map_err(|error| Failure::Usage(format!("the command cannot be watched: {error}")))?;
        let outcome = process::run(&spec);
        over.cancel();
        Ok::<_, Failure>((outcome, watching.join().unwrap_or_default()))
    })?;
    match outcome {
        Ok(output) => {
            let end = match output.end {
                End::Code(code) => CommandEnd::Code(code),
                End::Signal(signal) => CommandEnd::Signal(signal),
                End::TimedOut => CommandEnd::TookTooLong,
                End::Cancelled | End::AtCap if seen.stood_still => CommandEnd::StoodStill,
                End::Cancelled | End::AtCap => CommandEnd::Ended,
            };
            Ok(Ended { end, was_active: seen.was_active })
        }
        Err(error) => {
            let why = match &error {
                ProcessError::Start { source, .. } | ProcessError::Lost { source, .. } => {
                    format!(": {source}")
                }
                ProcessError::NotAbsolute { .. } | ProcessError::Stays { .. } => String::new(),
            };
            Err(Failure::Usage(display_text::line(&format!("{error}{why}")).into_owned()))
        }
    }
}

fn spec(command: &Command<'_>) -> Result<Spec, Failure> {
    let arguments = command.words.get(1..).unwrap_or_default();
    let is_named = arguments.iter().any(|word| word.contains("{prompt}") || word.contains("{prompt_file}"));
    let place = command.prompt_file.to_str().unwrap_or_default();
    let filled = |word: &String| word.replace("{prompt_file}", place).replace("{prompt}", command.prompt);
    let arguments: Vec<String> = arguments.iter().map(filled).collect();
    if arguments.iter().any(|word| word.len() > LONGEST_ARGUMENT || word.contains('\0')) {
        let words = "the prompt is too long for an argument: use {prompt_file}, or standard input";
        return Err(Failure::Usage(words.to_owned()));
    }
    Ok(Spec {
        env: command.environment.clone(),
        stdin: (!is_named).then(|| command.prompt.as_bytes().to_vec()),
        stdout_file: Some(Arc::clone(&command.output.1)),
        stderr_file: Some(Arc::clone(&command.errors.1)),
        own_session: Some(Launcher { program: command.launcher.clone() }),
        interrupt_grace: Some(INTERRUPT_GRACE),
        time_limit: command.time_limit.unwrap_or(NO_LIMIT),
        ..Spec::new(&command.program, command.workspace).args(arguments)
    })
}

/// Passes the output on until the command is `over`; returns what was observed meanwhile.
fn watch(
    command: &Command<'_>,
    stop: &Cancel,
    ending: &Cancel,
    over: &Cancel,
    watcher: &dyn Watcher,
) -> Watched {
    let mut tails = [Tail::new(&command.output.0), Tail::new(&command.errors.0)];
    let patience = watcher.patience();
    let pause = patience.map(|patience| (patience / 10).clamp(PASS_ON, Duration::from_secs(30)));
    let mut seen = patience.map(|_| watcher.look());
    // Counted in pauses, so that setting the clock changes nothing.
    let (mut still_for, mut since_look) = (Duration::ZERO, Duration::ZERO);
    let (mut stood_still, mut was_active) = (false, true);
    loop {
        let is_over = over.wait(PASS_ON);
        let mut has_written = false;
        for tail in &mut tails {
            has_written |= tail.pass_on(command.is_quiet, is_over);
        }
        if is_over {
            return Watched { stood_still, was_active };
        }
        if stop.is_cancelled() {
            ending.cancel();
        }
        still_for = if has_written { Duration::ZERO } else { still_for + PASS_ON };
        since_look += PASS_ON;
        if !stood_still {
            was_active = still_for < ACTIVE;
        }
        let Some((patience, pause)) = patience.zip(pause) else { continue };
        if stood_still || since_look < pause {
            continue;
        }
        since_look = Duration::ZERO;
        let now = Some(watcher.look());
        if seen != now {
            (seen, still_for) = (now, Duration::ZERO);
        } else if still_for >= patience {
            stood_still = true;
            was_active = watcher.before_the_end();
            ending.cancel();
        }
    }
}

/// The new output at the end of a growing file.
struct Tail {
    file: Option<File>,
    rest: Vec<u8>,
}

/// The length, in bytes, beyond which an unfinished line is passed on in parts.
const LONGEST_LINE: usize = 8 << 10;

impl Tail {
    fn new(path: &Path) -> Tail {
        Tail { file: File::open(path).ok(), rest: Vec::new() }
    }

    /// Prints the complete new lines, and finally the rest. True if anything was new.
    fn pass_on(&mut self, is_quiet: bool, is_over: bool) -> bool {
        let mut buffer = vec![0_u8; 64 << 10];
        let mut is_new = false;
        while let Some(n_read) = self.file.as_mut().and_then(|file| file.read(&mut buffer).ok()) {
            if n_read == 0 {
                break;
            }
            is_new = true;
            if !is_quiet {
                self.rest.extend_from_slice(&buffer[..n_read]);
                self.print(false);
            }
        }
        if is_over && !self.rest.is_empty() {
            self.print(true);
        }
        is_new
    }

    fn print(&mut self, is_all: bool) {
        let end = self.rest.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
        let is_long = self.rest.len() > LONGEST_LINE;
        let end = if is_all || end.is_none() && is_long { self.rest.len() } else { end.unwrap_or(0) };
        let text: Vec<u8> = self.rest.drain(..end).collect();
        for line in String::from_utf8_lossy(&text).lines() {
            output::complain(&format!("  │ {}", display_text::line(line)));
        }
    }
}

/// The path of the program `name`: by the search path, or relative to `folder` if it contains a slash.
pub(super) fn program(
    name: &str,
    folder: &Path,
    find: impl FnOnce(&str) -> Option<PathBuf>,
) -> Result<PathBuf, Failure> {
    let found = if OsStr::new(name).as_encoded_bytes().contains(&b'/') {
        Some(folder.join(name))
    } else {
        find(name)
    };
    found.ok_or_else(|| {
        Failure::Usage(format!("there is no program {} on the path", display_text::line(name)))
    })
}
