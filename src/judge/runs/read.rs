//! What one shell command of an agent did: ran checks, changed files, acted outside, or started something
//! that never ends. Must not run anything or relate commands to one another.

use std::borrow::Cow;

use super::acts::Acts;
use super::catalog::{Catalog, Tool, has_option};
use super::edits::{changes_files, is_in_tree};
use super::exit_says::{ExitSays, TRIVIAL, exit_says};
use super::narrowing::part;
use super::outcome::{Report, by_code, by_failure, by_text, output_lines, passes_on_something, report};
use super::script::{Command, LONGEST_LINE, commands, joined};
use super::wrapper::{Call, TEST_FILE, bare, call_of, test_file};
use crate::model::{CommandRun, Exit, RunOutcome, ToldBy};

/// What a command did.
#[derive(Debug, Default)]
pub(super) struct CommandFacts<'c> {
    pub(super) runs: Vec<FoundRun>,
    /// Whether it changed files, or may have.
    pub(super) is_edit: bool,
    /// Whether it changed files before its last run ended, so that the run saw the change.
    pub(super) is_edit_before_runs: bool,
    /// What it did outside the work tree.
    pub(super) acts: Acts<'c>,
    /// What it started that never ends.
    pub(super) endless: Vec<String>,
    /// The files that it removed, as the command names them.
    pub(super) removed: Vec<String>,
}

/// A run of a check.
#[derive(Debug)]
pub(super) struct FoundRun {
    pub(super) tool: Tool,
    pub(super) command: String,
    pub(super) folder: Option<String>,
    pub(super) is_part: bool,
    pub(super) outcome: RunOutcome,
    pub(super) told_by: ToldBy,
    pub(super) report: Report,
    /// The words that restrict it; they identify repetitions of the same run.
    pub(super) narrowed_by: Vec<String>,
}

/// Reads one command. `home` is the session's folder.
pub(super) fn read<'c>(run: &CommandRun, home: Option<&str>, catalog: &'c Catalog) -> CommandFacts<'c> {
    let mut facts = CommandFacts::default();
    if run.exit == Exit::Refused {
        return facts;
    }
    let commands = commands(&run.command);
    let calls: Vec<Call> =
        commands.iter().map(|command| call_of(&command.words, command.folder.as_deref())).collect();
    let mut lines = None;
    let mut found: Vec<(usize, FoundRun)> = Vec::new();
    for (at, (command, call)) in commands.iter().zip(&calls).enumerate() {
        if is_endless(call, catalog) {
            facts.endless.push(command.words.join(" "));
        } else if let Some((tool, call, n_words)) =
            check_of(call, catalog).filter(|(_, call, _)| !is_script_elsewhere(call, home))
        {
            let lines = lines.get_or_insert_with(|| output_lines(&run.output));
            let report = report(tool.rules, catalog, lines);
            found.push((at, found_run(tool, (&call, n_words), command, run, home, report)));
        } else if changes_files(command, call, home, catalog) {
            facts.is_edit = true;
            facts.is_edit_before_runs = found.is_empty();
        }
    }
    facts.removed = calls.iter().flat_map(removed).cloned().collect();
    let seen: Vec<ExitSays> = commands.iter().map(|command| exit_says(command, &commands, run)).collect();
    let told = calls.iter().zip(&commands).zip(&seen);
    facts.acts =
        Acts::of(told.map(|((call, command), seen)| (call, *seen, command.words.join(" "))), run, catalog);
    settle(&mut found, &seen, &commands, run);
    facts.runs = found.into_iter().map(|(_, run)| run).collect();
    facts
}

/// The check that a call runs, and how many of its words name it. The call is returned too, without its
/// package runner if that starts a tool by its bare name, and without its interpreter if it runs a test's file.
pub(super) fn check_of<'w>(call: &'w Call, catalog: &Catalog) -> Option<(Tool, Cow<'w, Call>, usize)> {
    if let Some((tool, n_words)) = catalog.tool(&call.words) {
        return Some((tool, Cow::Borrowed(call), n_words));
    }
    let named = |words: Vec<String>| {
        let (tool, n_words) = catalog.tool(&words)?;
        Some((tool, Cow::Owned(Call { words, folder: call.folder.clone() }), n_words))
    };
    bare(&call.words).and_then(named).or_else(|| test_file(&call.words).and_then(named))
}

/// Whether a test's file lies outside the work tree: a trial of the agent's own.
fn is_script_elsewhere(call: &Call, home: Option<&str>) -> bool {
    let script = call.words.get(1).filter(|_| call.words[0] == TEST_FILE);
    script.is_some_and(|script| !is_in_tree(script, call.folder.as_deref(), home))
}

/// The files that a call removes.
fn removed(call: &Call) -> &[String] {
    match call.words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["rm", ..] => &call.words[1..],
        ["git", "rm", ..] => &call.words[2..],
        _ => &[],
    }
}

/// Whether a line never ends by itself: it contains something endless, and nothing that ends runs on beside it.
pub(super) fn never_ends(line: &str, catalog: &Catalog) -> bool {
    let is_endless =
        |command: &Command| is_endless(&call_of(&command.words, command.folder.as_deref()), catalog);
    let commands = commands(line);
    let goes_on_beside = line.replace("&&", "").replace("&>", "").replace(">&", "").contains('&');
    if goes_on_beside {
        commands.last().is_some_and(is_endless) || commands.len() == 1 && commands.iter().all(is_endless)
    } else {
        commands.iter().any(is_endless)
    }
}

/// Whether a line runs checks and nothing else that matters.
pub(super) fn are_only_checks(line: &str, catalog: &Catalog) -> bool {
    let is_trivial =
        |command: &Command| command.words.first().is_some_and(|name| TRIVIAL.contains(&name.as_str()));
    let is_check =
        |command: &Command| check_of(&call_of(&command.words, command.folder.as_deref()), catalog).is_some();
    let commands = commands(line);
    commands.iter().any(is_check) && commands.iter().all(|command| is_check(command) || is_trivial(command))
}

/// Whether each command of a line is known to change nothing. A line that was not read to its end may do anything.
pub(super) fn only_reads(line: &str, catalog: &Catalog) -> bool {
    let reads = |command: &Command| {
        let call = call_of(&command.words, command.folder.as_deref());
        let writes = |target: &String| is_in_tree(target, command.folder.as_deref(), None);
        catalog.is_read(&call.words) && !command.writes.iter().any(writes)
    };
    let commands = commands(line);
    line.len() <= LONGEST_LINE && !commands.is_empty() && commands.iter().all(reads)
}

/// Whether a call is a server or a watcher, or a check in watch mode.
fn is_endless(call: &Call, catalog: &Catalog) -> bool {
    let watches = check_of(call, catalog).is_some_and(|(tool, call, _)| {
        has_option(&call.words, &tool.rules.watch.iter())
            || call.words[1..].iter().any(|word| tool.rules.watch.contains(word))
    });
    watches
        || catalog.is_endless(&call.words)
        || bare(&call.words).is_some_and(|words| catalog.is_endless(&words))
}

fn found_run(
    tool: Tool,
    (call, n_words): (&Call, usize),
    command: &Command,
    run: &CommandRun,
    home: Option<&str>,
    report: Report,
) -> FoundRun {
    let folder = match (&run.folder, &call.folder) {
        (Some(at), to) => from_home(
            to.as_deref().map_or_else(|| Some(at.clone()), |to| joined(Some(at), to)).as_deref(),
            home,
        ),
        (None, to) => from_home(to.as_deref(), home),
    };
    let (narrowed_by, is_part) = part(tool.rules, call, n_words);
    FoundRun {
        tool,
        command: command.words.join(" "),
        folder,
        is_part,
        outcome: RunOutcome::Unknown,
        told_by: ToldBy::Nothing,
        report,
        narrowed_by,
    }
}

/// A folder as it is shown: relative to the session's own if it lies below that.
fn from_home(folder: Option<&str>, home: Option<&str>) -> Option<String> {
    let folder = folder?;
    match home.and_then(|home| folder.strip_prefix(home.trim_end_matches('/'))) {
        Some("" | "/") => None,
        Some(below) if below.starts_with('/') => Some(below.trim_matches('/').to_owned()),
        _ => Some(folder.to_owned()),
    }
}

/// Sets the outcome of each run, and removes the runs that a failed chain never reached.
fn settle(found: &mut Vec<(usize, FoundRun)>, seen: &[ExitSays], commands: &[Command], run: &CommandRun) {
    let is_cut = matches!(run.exit, Exit::Stopped | Exit::Running);
    let in_chain = |at: usize| seen[at] == ExitSays::InFailedChain;
    // The run whose own lines report a failure: those before it passed, those after it never ran.
    let failed = found.iter().position(|(at, run)| {
        in_chain(*at) && run.report.has_failed && {
            // If a compiler's failure precedes a test's, it belongs to the test's own build.
            !found.iter().any(|(other, later)| other > at && in_chain(*other) && later.report.has_failed)
        }
    });
    let mut has_failed = false;
    let is_quiet = |at: usize, tool: Tool| {
        let command = &commands[at];
        tool.rules.is_silent
            && !is_cut
            && run.exit != Exit::Unknown
            && run.output.trim().is_empty()
            && command.writes.is_empty()
            && passes_on_something(&command.filters)
            && !command.filters.is_empty()
    };
    for (index, (at, found)) in found.iter_mut().enumerate() {
        let (outcome, told_by) = match seen[*at] {
            ExitSays::Zero => (by_code(0, found.tool.rules, &found.report), ToldBy::ExitCode),
            ExitSays::NotZero(Some(code)) => {
                (by_code(code, found.tool.rules, &found.report), ToldBy::ExitCode)
            }
            ExitSays::NotZero(None) => (by_failure(&found.report), ToldBy::ExitCode),
            ExitSays::InFailedChain => match failed {
                Some(failed) if index < failed => (RunOutcome::Passed, ToldBy::Summary),
                Some(failed) if index > failed => {
                    has_failed = true;
                    continue;
                }
                _ => by_text(&found.report, &commands[*at].filters, is_quiet(*at, found.tool)),
            },
            ExitSays::Nothing if is_cut && !found.report.has_failed => (RunOutcome::Unknown, ToldBy::Nothing),
            ExitSays::Nothing => by_text(&found.report, &commands[*at].filters, is_quiet(*at, found.tool)),
        };
        // A script that is not there is passed over in silence.
        let is_silent =
            commands[*at].words.iter().any(|word| word == "--if-present") && run.output.trim().is_empty();
        let outcome = if is_silent { RunOutcome::Unknown } else { outcome };
        found.outcome = outcome;
        found.told_by = if outcome == RunOutcome::Unknown { ToldBy::Nothing } else { told_by };
    }
    if has_failed && let Some(failed) = failed {
        let mut index = 0;
        found.retain(|(at, _)| {
            index += 1;
            index - 1 <= failed || !in_chain(*at)
        });
    }
}
