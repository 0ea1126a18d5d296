//! Runs the checks that a person configured, in order, until the configured combination is decided.
//!
//! What a check says is data: it must not choose a command, a path or a verdict. A program gets a time limit
//! but no terminal, and is ended together with its descendants.

mod finding;
mod scope;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

pub use self::finding::CheckFinding;
use crate::model::{
    CheckAsk, CheckMode, CheckPlan, CheckRecord, CheckResult, CheckStanding, CommitId, ConfiguredCheck,
    Timestamp, display_text,
};
use crate::process::{self, Cancel, End, Launcher, Output, Spec};

/// How much of a program's output is kept, in bytes from its end.
const MAX_KEPT: usize = 8 << 10;
/// The maximum length of the one-line feedback, in characters.
const LONGEST_FEEDBACK: usize = 1000;
/// One hour, in milliseconds.
const HOUR_MS: i64 = 3_600_000;
/// How deep groups may be nested.
const DEEPEST: usize = 8;

/// Everything that a run of checks needs.
pub struct Checking<'a> {
    /// The workspace in which they run.
    pub workspace: &'a Path,
    /// The configured checks.
    pub plan: &'a CheckPlan,
    /// The environment of the programs.
    pub program_env: &'a [(OsString, OsString)],
    /// Starts each program in a session of its own.
    pub launcher: Option<Launcher>,
    /// Cancels the run.
    pub cancel: &'a Cancel,
    /// The baseline: the commit from which work is counted.
    pub baseline: Option<CommitId>,
    /// The context as JSON, given to an external check on stdin.
    pub context: String,
    /// An id for the current HEAD and uncommitted changes; equal ids mean equal work.
    pub content: Option<&'a str>,
    /// Whether no work has been done yet.
    pub is_before_work: bool,
    /// The standing of the checks that every collection evaluates, by name.
    pub standing: &'a [(String, CheckStanding)],
    /// The records of earlier runs.
    pub records: &'a [CheckRecord],
    /// Asks a model to evaluate a check, within the given time.
    pub ask_model: &'a (dyn Fn(&ConfiguredCheck, Duration) -> CheckFinding + 'a),
    /// The clock.
    pub now: fn() -> Timestamp,
    /// Why this command may not run here; `None` if it may.
    pub untrusted: &'a (dyn Fn(&[String]) -> Option<String> + 'a),
}

/// The answer of an external check.
#[derive(Deserialize)]
struct Answer {
    complete: bool,
    feedback: Option<String>,
}

impl Checking<'_> {
    /// Runs the checks that are needed, in order. Calls `report` with the name of each check before it runs.
    pub fn run(&self, report: &dyn Fn(&str)) -> Vec<CheckRecord> {
        let mut records = Vec::new();
        let top: Vec<&ConfiguredCheck> = self.plan.top().collect();
        self.run_all(&top, self.plan.mode, 0, report, &mut records);
        records
    }

    fn run_all(
        &self,
        checks: &[&ConfiguredCheck],
        mode: CheckMode,
        depth: usize,
        report: &dyn Fn(&str),
        records: &mut Vec<CheckRecord>,
    ) -> bool {
        for check in checks {
            if self.cancel.is_cancelled() {
                return false;
            }
            let standing = self.standing(check);
            #[expect(
                clippy::wildcard_enum_match_arm,
                reason = "any other check is run, or its record says why not"
            )]
            let is_met = match &check.ask {
                _ if standing == Some(CheckStanding::Vacuous) => mode == CheckMode::All,
                _ if standing.is_some() => standing == Some(CheckStanding::Met),
                CheckAsk::Group { mode, of } if depth < DEEPEST => {
                    let members: Vec<&ConfiguredCheck> =
                        of.iter().filter_map(|name| self.plan.named(name)).collect();
                    self.run_all(&members, *mode, depth + 1, report, records)
                }
                _ => {
                    report(&check.name);
                    let record = self.record(check);
                    let is_met = record.result == CheckResult::Passed;
                    records.push(record);
                    is_met
                }
            };
            if is_met == (mode == CheckMode::Any) {
                return is_met;
            }
        }
        mode == CheckMode::All
    }

    /// The standing of a check that is evaluated without a run; `None` for other kinds.
    fn standing(&self, check: &ConfiguredCheck) -> Option<CheckStanding> {
        let of_check = || self.standing.iter().find(|(name, _)| *name == check.name);
        check.ask.is_read().then(|| of_check().map_or(CheckStanding::Unmet, |(_, standing)| *standing))
    }

    fn record(&self, check: &ConfiguredCheck) -> CheckRecord {
        let limit = Duration::from_secs(check.limit_s.into());
        let mut sent = Vec::new();
        let finding = match &check.ask {
            CheckAsk::Judge { per_hour, .. } => match self.known(check, *per_hour, &mut sent) {
                Ok(Some(known)) => return known,
                Ok(None) => (self.ask_model)(check, limit),
                Err(why) => CheckFinding::new(CheckResult::Broken, why),
            },
            CheckAsk::Command { command } => self.command(command, limit),
            CheckAsk::External { command } => self.external(command, limit),
            CheckAsk::Scope { paths, max_lines } => {
                scope::look(self.workspace, self.baseline, paths, *max_lines)
            }
            CheckAsk::Plan { .. }
            | CheckAsk::Files { .. }
            | CheckAsk::Tests { .. }
            | CheckAsk::Group { .. } => {
                CheckFinding::new(CheckResult::Broken, "groups are nested too deeply")
            }
        };
        CheckRecord {
            name: check.name.clone(),
            asked: check.identity(),
            at: (self.now)(),
            content: self.content.map(str::to_owned),
            is_before_work: self.is_before_work,
            result: finding.result,
            feedback: one_line(&finding.feedback),
            output: finding.output,
            sent,
        }
    }

    /// The model's last answer if the work is unchanged since then. Otherwise checks the hourly budget and
    /// returns `None` if the model may be asked, or an error saying why not. Adds to `sent` the times of the
    /// last hour's questions, including this one if it is allowed.
    fn known(
        &self,
        check: &ConfiguredCheck,
        per_hour: u32,
        sent: &mut Vec<Timestamp>,
    ) -> Result<Option<CheckRecord>, String> {
        let of_check = || self.records.iter().filter(|record| record.name == check.name);
        let is_current = |record: &&CheckRecord| {
            record.asked == check.identity()
                && record.result != CheckResult::Broken
                && record.content.is_some()
                && record.content.as_deref() == self.content
        };
        if let Some(known) = of_check().find(is_current) {
            return Ok(Some(known.clone()));
        }
        let now = (self.now)();
        sent.extend(of_check().flat_map(|record| &record.sent).filter(|at| now.millis_since(**at) < HOUR_MS));
        sent.sort_unstable();
        sent.dedup();
        if sent.len() >= per_hour as usize {
            return Err(format!(
                "no model is asked: it was asked {} times within an hour (per_hour)",
                sent.len()
            ));
        }
        sent.push(now);
        Ok(None)
    }

    /// Runs a program that passes by exiting with code 0.
    fn command(&self, command: &[String], limit: Duration) -> CheckFinding {
        let shown = command.join(" ");
        match self.started(command, limit, None) {
            Err(why) => CheckFinding::new(CheckResult::Broken, why),
            Ok(output) => {
                let (result, how) = match output.end {
                    End::Code(0) => (CheckResult::Passed, "ended with 0".to_owned()),
                    End::Code(code) => (CheckResult::Failed, format!("ended with {code}")),
                    End::Signal(signal) => (CheckResult::Failed, format!("was ended by the signal {signal}")),
                    End::TimedOut => (CheckResult::Failed, format!("took longer than {} s", limit.as_secs())),
                    End::Cancelled | End::AtCap => (CheckResult::Broken, "was ended".to_owned()),
                };
                let printed = printed(&output);
                let last = printed.lines().rev().map(str::trim).find(|line| !line.is_empty());
                let last = last.filter(|_| result != CheckResult::Passed);
                let feedback = match last {
                    Some(last) => format!("`{shown}` {how}: {last}"),
                    None => format!("`{shown}` {how}"),
                };
                CheckFinding { output: printed, ..CheckFinding::new(result, feedback) }
            }
        }
    }

    /// Runs a program that reads the context and answers `{"complete":…,"feedback":…}`.
    fn external(&self, command: &[String], limit: Duration) -> CheckFinding {
        let shown = command.join(" ");
        let broken = |why: String| CheckFinding::new(CheckResult::Broken, why);
        let output = match self.started(command, limit, Some(self.context.clone().into_bytes())) {
            Err(why) => return broken(why),
            Ok(output) => output,
        };
        let printed = printed(&output);
        let finding = match output.end {
            End::Code(0) if output.is_stdout_cut => broken(format!("`{shown}` answered too much")),
            End::Code(0) => match serde_json::from_slice::<Answer>(&output.stdout) {
                Ok(answer) if answer.complete => CheckFinding::new(
                    CheckResult::Passed,
                    answer.feedback.unwrap_or_else(|| format!("`{shown}` says that it is complete")),
                ),
                Ok(answer) => {
                    let feedback = answer.feedback.filter(|feedback| !feedback.trim().is_empty());
                    let feedback = feedback.unwrap_or_else(|| {
                        format!("`{shown}` says that it is not complete, and gives no reason")
                    });
                    CheckFinding::new(CheckResult::Failed, feedback)
                }
                Err(error) => broken(format!(
                    "`{shown}` did not answer with {{\"complete\":…,\"feedback\":…}}: {error}"
                )),
            },
            End::Code(code) => broken(format!("`{shown}` ended with {code} and not with 0")),
            End::TimedOut => broken(format!("`{shown}` took longer than {} s", limit.as_secs())),
            End::Signal(_) | End::Cancelled | End::AtCap => broken(format!("`{shown}` was ended")),
        };
        CheckFinding { output: printed, ..finding }
    }

    fn started(&self, command: &[String], limit: Duration, stdin: Option<Vec<u8>>) -> Result<Output, String> {
        if let Some(why) = (self.untrusted)(command) {
            return Err(why);
        }
        let (first, args) = command.split_first().ok_or("there is no program")?;
        let program = self.program(first).ok_or_else(|| format!("the program `{first}` was not found"))?;
        let mut spec = Spec::new(program, self.workspace).args(args);
        spec.env.extend(self.program_env.iter().cloned());
        spec.stdin = stdin;
        spec.time_limit = limit;
        spec.own_session.clone_from(&self.launcher);
        spec.cancel = Some(self.cancel.clone());
        process::run(&spec).map_err(|error| format!("`{first}` cannot be run: {error}"))
    }

    fn program(&self, name: &str) -> Option<PathBuf> {
        let path = Path::new(name);
        if path.is_absolute() {
            return Some(path.to_owned());
        }
        if path.components().count() > 1 {
            return Some(self.workspace.join(path));
        }
        let path_var = self.program_env.iter().find(|(name, _)| name == "PATH");
        process::find_program(name, path_var.map(|(_, value)| value.as_os_str()))
    }
}

/// The end of a program's output, stdout before stderr, at most [`MAX_KEPT`] bytes.
fn printed(output: &Output) -> String {
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let all = if stderr.trim().is_empty() { stdout.into_owned() } else { format!("{stdout}\n{stderr}") };
    let begin = all.len().saturating_sub(MAX_KEPT);
    let begin = (begin..=all.len()).find(|at| all.is_char_boundary(*at)).unwrap_or(0);
    all[begin..].trim_end().to_owned()
}

fn one_line(text: &str) -> String {
    display_text::one_spaced(text).chars().take(LONGEST_FEEDBACK).collect()
}
