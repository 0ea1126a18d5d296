//! The fronts: each a thin file over the engine.
//!
//! Only this room meets the user: arguments, environment, standard streams, the terminal, exit codes. An
//! error of any room ends as one sentence that says what happened and what to do. No rule lives here.

mod args;
mod ask_args;
mod asking;
mod check;
mod classify;
mod config;
mod decide;
mod doctor;
mod environment;
mod exit;
mod hook;
mod json;
mod log;
mod mark;
mod mcp;
mod notices;
mod output;
mod probing;
mod reply;
mod reply_words;
mod rescue;
mod rescue_args;
mod run;
mod run_args;
mod runtime;
mod schema;
mod stats;
mod status;
mod target;
mod target_workspace;
mod text;
mod trust;
mod tui;
mod value_parsers;
mod wait;

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser};

use crate::config::nearest;
use crate::model::{UndoDirection, display_text};

use args::{Arguments, Command, Watch};
use environment::Environment;
use exit::{Ended, Failure};

pub use crate::process::{end_all_children, run_if_launcher};
pub use hook::run_if_called_by_agent;

/// Runs the program with `arguments`, of which the first is its own name, and returns its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let is_json = asks_for_json(&arguments);
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error, is_json),
    };
    // The lines of a run are JSON where no person reads them; so is its end.
    let is_run_read = matches!(arguments.command, Some(Command::Run(_))) && !io::stdout().is_terminal();
    let is_json = is_json || is_run_read;
    let environment = Environment::read();
    if let Some(failure) = mistyped(&environment, &arguments) {
        return end(Err(failure), is_json);
    }
    let outcome = match arguments.command {
        None => watch(&environment, &arguments.watch),
        Some(Command::Watch(arguments)) => watch(&environment, &arguments),
        Some(Command::Check(check)) => check::run(&environment, &check),
        Some(Command::Run(run)) => run::run(&environment, &run),
        Some(Command::Probe(probe)) => asking::probe(&environment, &probe),
        Some(Command::Verify(verify)) => asking::verify(&environment, &verify),
        Some(Command::Decide(decide)) => decide::run(&environment, &decide),
        Some(Command::Mark(mark)) => mark::run(&environment, &mark),
        Some(Command::Status(status)) => status::run(&environment, &status),
        Some(Command::Reply(reply)) => reply::run(&environment, &reply),
        Some(Command::Classify(classify)) => classify::run(&environment, &classify),
        Some(Command::Config(config)) => config::run(&environment, &config),
        Some(Command::Doctor(doctor)) => doctor::run(&environment, &doctor),
        Some(Command::Mcp) => mcp::run(&environment),
        Some(Command::Hook(command)) => hook::run(&environment, &command),
        Some(Command::Rescue(rescue)) => rescue::run(&environment, &rescue),
        Some(Command::Undo(undo)) => rescue::run_undo(&environment, &undo, UndoDirection::Undo),
        Some(Command::Redo(redo)) => rescue::run_undo(&environment, &redo, UndoDirection::Redo),
        Some(Command::Rescues(rescues)) => rescue::list(&environment, &rescues),
        Some(Command::Restore(restore)) => rescue::restore(&environment, &restore),
        Some(Command::Forget(forget)) => rescue::delete(&environment, &forget),
        Some(Command::Trust(trust)) => trust::run(&environment, &trust),
        Some(Command::Log(log)) => log::run(&environment, &log),
        Some(Command::Stats(stats)) => stats::run(&environment, &stats),
        Some(Command::Wait(wait)) => wait::run(&environment, &wait),
        Some(Command::Schema) => schema::run(),
        Some(Command::Completions { shell }) => schema::completions(shell),
        Some(Command::Man) => schema::page(),
    };
    end(outcome, is_json)
}

/// Opens the screen, or sends notices without one.
fn watch(environment: &Environment, watch: &Watch) -> Ended {
    if watch.notify.headless {
        return notices::run(environment, &watch.paths, &watch.notify);
    }
    tui::run(environment, watch)
}

/// Whether JSON output is requested, even if the other arguments cannot be parsed.
fn asks_for_json(arguments: &[OsString]) -> bool {
    arguments.iter().take_while(|argument| *argument != "--").any(|argument| argument == "--json")
}

/// Detects a misspelt command: a word that is neither a command nor a path. A word with a slash is always a
/// path, any other only if it exists.
fn mistyped(environment: &Environment, arguments: &Arguments) -> Option<Failure> {
    if arguments.command.is_some() {
        return None;
    }
    let has_slash = |path: &PathBuf| path.as_os_str().as_encoded_bytes().contains(&b'/');
    let is_path = |path: &PathBuf| has_slash(path) || environment.absolute(path).exists();
    let word = arguments.watch.paths.first().filter(|path| !is_path(path))?;
    let word = word.to_string_lossy();
    let command = Arguments::command();
    let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    let shown = display_text::line(&word);
    let meant = match nearest(&word, names) {
        Some(name) => format!("; did you mean `closeout {name}`?"),
        None => "; `closeout --help` lists the commands".to_owned(),
    };
    Some(Failure::Usage(format!("`{shown}` is no command, and there is no such path{meant}")))
}

/// The exit code of a run. A failure is reported on standard error and, with `--json`, on standard output too.
fn end(outcome: Ended, is_json: bool) -> ExitCode {
    match outcome {
        Ok(outcome) | Err(Failure::Over(outcome)) => ExitCode::from(outcome.code()),
        Err(Failure::Action(problem)) => {
            let code = target_workspace::fail(&problem).code();
            let printed = if is_json {
                json::Printed::of_problem(&problem, json::NoContent {}).print()
            } else {
                Ok(())
            };
            match printed {
                Ok(()) => ExitCode::from(code),
                Err(failure) => end(Err(failure), false),
            }
        }
        // The reader of standard output is gone, so nobody is left to tell.
        Err(Failure::Stream { source, .. }) if source.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(failure) => {
            tracing::error!(code = failure.code(), "{}", display_text::line(&failure.to_string()));
            if is_json {
                let _ = json::failed(failure.code(), &failure.to_string());
            }
            output::complain(&format!("closeout: {failure}"));
            ExitCode::from(failure.code())
        }
    }
}

/// Ends a run whose arguments could not be parsed, or that asked for help or the version.
fn usage(error: &clap::Error, is_json: bool) -> ExitCode {
    let text = error.render().to_string();
    if error.use_stderr() {
        if is_json {
            let _ = json::failed(2, text.trim());
        }
        output::complain(display_text::block(&text).trim_end());
        ExitCode::from(2)
    } else {
        // It is not a failure if nobody reads the help.
        let _ = output::print(&text);
        ExitCode::SUCCESS
    }
}
