//! Judges the work of an iteration exactly as `closeout check` does. It must not have rules of its own.

use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::fmt::Write as _;
use std::hash::{Hash as _, Hasher as _};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::command::Watcher;
use super::driver::{Driver, unkept};
use super::judging;
use super::report::RunNews;
use crate::cli::environment::Environment;
use crate::cli::exit::Failure;
use crate::cli::value_parsers::micros;
use crate::cli::{output, target_workspace};
use crate::config::Flags;
use crate::engine::{EngineConfig, OneShot, Overrides, Scope};
use crate::judge::gate::are_checks;
use crate::judge::supervised_loop::CheckFacts;
use crate::model::{
    Action, ActionClass, ActivityState, AskOptions, AskPlan, AskPurpose, CommandEnd, OpenPoint, RecordOrder,
    RecordRef, Recording, RunOrder, Source, SupervisedRun, SupervisedTurn, Verdict, VerdictState,
    VerifyReport, Warning, WorkspaceId, WorkspaceView,
};
use crate::present::verdict;
use crate::store::JUDGED_OUTPUT;

/// How many bytes at the end of the output are searched for the marker, the question and the cost.
const OUTPUT_END: u64 = 256 << 10;

/// The parameters of an engine that judges an iteration of `run`.
pub(super) fn engine_config(
    environment: &Environment,
    workspace: &Path,
    run: &SupervisedRun,
    check_id: &str,
    end: Option<CommandEnd>,
    output: Option<&Path>,
) -> Result<EngineConfig, Failure> {
    let RunOrder { task_kind, require, decision_file, outputs, .. } = &run.order;
    let flags = Flags {
        task_kind: *task_kind,
        require: *require,
        baseline: run.baseline.map(|commit| commit.to_string()),
        ..Flags::default()
    };
    let overrides = Overrides {
        check_id: Some(check_id.to_owned()),
        decision_file: decision_file.clone(),
        outputs: outputs.clone(),
        supervised: Some(SupervisedTurn { began_at: run.began_at, end, over: None }),
        ..Overrides::default()
    };
    let mut config = environment.engine_config(Scope::One(workspace.to_owned()), flags, overrides)?;
    if let Some(output) = output.and_then(Path::to_str) {
        let (settings, _) = config.config.for_workspace(workspace);
        let outputs = &mut config.overrides.outputs;
        if outputs.is_empty() {
            outputs.extend(settings.outputs);
        }
        outputs.push(output.to_owned());
    }
    Ok(config)
}

/// What the loop learns from a verdict. `unverified` says why a closer that was wanted gave no usable answer;
/// the work then counts as incomplete.
pub(super) fn facts(verdict: &Verdict, cost_micros: Option<u64>, unverified: Option<&str>) -> CheckFacts {
    let mut keys: Vec<String> =
        verdict.left_to_do.open().filter(|point| point.weighs).map(|point| point.id.clone()).collect();
    if keys.is_empty() {
        // Nothing is open, so the evidence itself is missing.
        keys.push(verdict::why(verdict));
    }
    let is_unreadable = verdict.warnings.contains(&Warning::DecisionUnreadable);
    keys.extend(unverified.map(str::to_owned));
    let state = if unverified.is_some() { VerdictState::Incomplete } else { verdict.state };
    CheckFacts { state, keys, is_unreadable, cost_micros }
}

/// The open points, each with its source. `output` is the file that holds what the command wrote.
pub(super) fn open_points(verdict: &Verdict, output: &Path) -> Vec<String> {
    let named = |point: &OpenPoint| {
        let is_output = Path::new(&point.from) == output;
        let from = if is_output { "in the command's output" } else { &point.from };
        let source = format!("{} {from}", point.source.title());
        format!("{}: {}", source.trim(), point.text.trim())
    };
    let mut points: Vec<String> = verdict.left_to_do.open().filter(|point| point.weighs).map(named).collect();
    // Several sessions may leave the same point in the same words.
    let mut known = BTreeSet::new();
    points.retain(|point| known.insert(point.clone()));
    if points.is_empty() && verdict.state != VerdictState::Complete {
        points.push(format!("{} ({})", verdict::why(verdict), verdict::next_action(verdict)));
    }
    points
}

/// The question in its own words, with its choices.
pub(super) fn question(view: &WorkspaceView) -> Option<String> {
    let question = view.verdict.as_deref()?.question.as_ref()?;
    let mut text = question.text.clone();
    for choice in &question.choices {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n{}) {}", choice.label, choice.text);
    }
    Some(text)
}

/// The complete lines at the end of the output.
pub(super) fn output_end(path: &Path) -> Vec<u8> {
    let Ok(mut file) = std::fs::File::open(path) else { return Vec::new() };
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    let from = length.saturating_sub(OUTPUT_END);
    let mut text = Vec::new();
    if file.seek(SeekFrom::Start(from)).is_err() || file.take(OUTPUT_END).read_to_end(&mut text).is_err() {
        return Vec::new();
    }
    if from > 0 {
        let first = text.iter().position(|byte| *byte == b'\n').map_or(text.len(), |at| at + 1);
        text.drain(..first);
    }
    text
}

/// The cost that the command reports, in millionths of a dollar: from the last line that is a JSON object
/// with a number `total_cost_usd` or `cost_usd`.
pub(super) fn cost(output: &[u8]) -> Option<u64> {
    let text = String::from_utf8_lossy(output);
    let read = |line: &str| {
        let object: serde_json::Value = serde_json::from_str(line.trim()).ok()?;
        let amount = object.get("total_cost_usd").or_else(|| object.get("cost_usd"))?;
        micros(amount.as_f64()?)
    };
    text.lines().rev().filter(|line| line.trim_start().starts_with('{')).find_map(read)
}

/// A value that changes whenever git, files that git sees, or a session changed.
pub(super) fn fingerprint(view: &WorkspaceView) -> u64 {
    let mut hasher = DefaultHasher::new();
    if let Some(git) = &view.git {
        git.head.commit().hash(&mut hasher);
        if let Some(changes) = &git.changes {
            changes.n_paths.hash(&mut hasher);
            for file in changes.on_disk.iter().flatten() {
                (file.modified_at.0, file.changed_at.0, file.size).hash(&mut hasher);
            }
        }
    }
    for session in &view.sessions {
        session.session_id.hash(&mut hasher);
        session.moved_at.map(|at| at.0).hash(&mut hasher);
    }
    hasher.finish()
}

/// The newest modification time below `folder`, in milliseconds since 1970, found by a bounded search. It
/// includes ignored folders, since a build is activity too.
fn newest_below(folder: &Path) -> u64 {
    const MAX: usize = 30_000;
    let mut folders = vec![folder.to_owned()];
    let (mut newest, mut n_seen) = (0, 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            n_seen += 1;
            let Ok(metadata) = entry.metadata() else { continue };
            let modified =
                metadata.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
            let millis = modified.and_then(|at| u64::try_from(at.as_millis()).ok());
            newest = newest.max(millis.unwrap_or_default());
            if metadata.is_dir() {
                folders.push(entry.path());
            }
        }
        if n_seen > MAX {
            break;
        }
    }
    newest
}

/// Detects whether a command is still active (git, files, sessions' records), and records its work before it is ended.
/// It must not end it.
pub(super) struct Mover {
    pub(super) config: EngineConfig,
    pub(super) workspace: WorkspaceId,
    pub(super) patience: Option<Duration>,
    pub(super) record: Mutex<Option<RecordRef>>,
}

impl Watcher for Mover {
    fn patience(&self) -> Option<Duration> {
        self.patience
    }

    fn look(&self) -> u64 {
        // A verdict seen while the command runs does not belong in the history.
        let config = EngineConfig { state_folder: None, ..self.config.clone() };
        let views = OneShot::judge(&config).judged().views;
        let seen = views.first().map_or(0, fingerprint);
        seen ^ newest_below(self.workspace.path()).rotate_left(1)
    }

    fn before_the_end(&self) -> bool {
        let made = record(&self.config, &self.workspace);
        *self.record.lock().unwrap_or_else(PoisonError::into_inner) = made;
        let config = EngineConfig { state_folder: None, ..self.config.clone() };
        let views = OneShot::judge(&config).judged().views;
        views.first().is_some_and(|view| view.activity.state == ActivityState::Working)
    }
}

/// Records uncommitted work, if there is any, on a hidden reference; nothing visible changes. Returns the
/// reference.
pub(super) fn record(config: &EngineConfig, workspace: &WorkspaceId) -> Option<RecordRef> {
    let mut all = OneShot::judge(config);
    let order = RecordOrder { is_size_allowed: true, ..RecordOrder::default() };
    match all.answer(workspace, Action::record(order), &|_| ()) {
        Ok(Recording::Made(record)) => return Some(record.reference.clone()),
        Err(problem) if problem.class != ActionClass::Nothing => _ = target_workspace::fail(&problem),
        Ok(Recording::TooLarge(_)) | Err(_) => {}
    }
    None
}

pub(super) struct Found {
    pub(super) view: Option<WorkspaceView>,
    /// Why the closer could not be asked, or its answer not be used.
    pub(super) problem: Option<String>,
    /// The cost of asking, in millionths of a dollar, if it is known.
    pub(super) cost_micros: Option<u64>,
}

impl Driver<'_> {
    /// The parameters for judging the last iteration; `None` before the first.
    fn judging_config(&self) -> Result<Option<EngineConfig>, Failure> {
        let Some(last) = self.run.iterations.last() else { return Ok(None) };
        let text = judging::output_end(&self.folder.place("output"));
        let place = self.folder.place(JUDGED_OUTPUT);
        let output = (!text.is_empty()).then_some(place.as_path());
        if output.is_some() {
            self.folder.begin(JUDGED_OUTPUT, &text).map_err(unkept)?;
        }
        let (environment, workspace) = (self.environment, self.workspace.path());
        judging::engine_config(environment, workspace, &self.run, &last.check_id, last.end, output).map(Some)
    }

    pub(super) fn judge(&self) -> Result<Option<WorkspaceView>, Failure> {
        let config = self.judging_config()?;
        let views = config.map(|config| OneShot::judge(&config).judged().views).unwrap_or_default();
        Ok(views.into_iter().next())
    }

    /// Judges the present state. Runs the configured checks if only they are missing, then asks the closer if
    /// only its answer is.
    pub(super) fn judge_and_verify(&mut self) -> Result<Found, Failure> {
        let config = self.judging_config()?;
        let Some(config) = config else { return Ok(Found { view: None, problem: None, cost_micros: None }) };
        let mut all = OneShot::judge(&config).ending_with(self.stop.clone());
        let mut judged = all.judged();
        let open = judged.views.first().and_then(|view| view.verdict.as_deref());
        if open.is_some_and(|verdict| are_checks(verdict.left_to_do.open().filter(|point| point.weighs))) {
            // As at a gate: if another iteration follows anyway, there is no need to wait for them.
            let _ =
                self.reporter.tell(RunNews::Note { text: "runs the checks that are configured".to_owned() });
            // A check that could not be run is reported in its row.
            let _ = all.action(&self.workspace, Action::RunChecks { trusting: None }, &|_| ());
            judged = all.judged();
        }
        output::notes(&judged.notices);
        let found = Found { view: judged.views.into_iter().next(), problem: None, cost_micros: None };
        let verdict = found.view.as_ref().and_then(|view| view.verdict.as_deref());
        if self.run.order.verify.is_none() || !verdict.is_some_and(waits_for_closer) {
            return Ok(found);
        }
        let asked = self.verify(&mut all);
        let view = all.judged().views.into_iter().next();
        Ok(match asked {
            Ok(report) => {
                let cost_micros = report.cost.micro_dollars;
                let problem =
                    report.error.map(|error| format!("the closer's answer cannot be used: {error}"));
                Found { view, problem, cost_micros }
            }
            Err(problem) => Found {
                view,
                problem: Some(format!("the closer was not asked: {problem}")),
                cost_micros: None,
            },
        })
    }

    /// Asks for a checklist; the error says why there is none.
    fn verify(&self, all: &mut OneShot<'_>) -> Result<VerifyReport, String> {
        let with = self.run.order.verify.clone().filter(|agent| !agent.is_empty());
        let options = AskOptions { with, ..AskOptions::default() };
        let plan = Action::plan_ask(AskPurpose::Verify, None, options);
        let plan = all.answer(&self.workspace, plan, &|_| ()).map_err(|problem| problem.message)?;
        let left = self.time_left().map_or(plan.timeout_seconds, |left| left.as_secs().max(1));
        let plan = AskPlan { timeout_seconds: plan.timeout_seconds.min(left), ..plan };
        let agent = plan.options.with.clone().unwrap_or_else(|| plan.session.agent.clone());
        // Tells a person who is watching what the wait is for.
        let _ = self.reporter.tell(RunNews::Note { text: format!("asks {agent} to verify the work") });
        all.answer(&self.workspace, Action::verify(plan), &|_| ()).map_err(|problem| problem.message)
    }
}

/// Whether only the closer's own word is missing. Its points remain open until it is asked again.
fn waits_for_closer(verdict: &Verdict) -> bool {
    let is_settled = matches!(verdict.state, VerdictState::Complete | VerdictState::Incomplete);
    let mut open = verdict.left_to_do.open().filter(|point| point.weighs);
    is_settled && open.all(|point| point.source == Source::Closer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_is_the_last_that_the_command_tells() {
        let output =
            b"working\n{\"cost_usd\": 0.1}\n{\"total_cost_usd\":0.25,\"result\":\"ok\"}\nnot json {\n";
        assert_eq!(cost(output), Some(250_000));
        for none in ["", "cost_usd 3", "{\"total_cost_usd\":\"3\"}", "{\"cost_usd\":-1}", "{\"other\":1}"] {
            assert_eq!(cost(none.as_bytes()), None, "{none}");
        }
    }

    #[test]
    fn the_end_of_a_long_output_begins_with_a_whole_line() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("output");
        let line = "0123456789\n";
        let n = usize::try_from(OUTPUT_END).unwrap() / line.len() + 100;
        std::fs::write(&path, line.repeat(n)).unwrap();
        let end = output_end(&path);
        assert!(end.starts_with(line.as_bytes()) && end.len() < usize::try_from(OUTPUT_END).unwrap());
        assert!(output_end(&temp.path().join("none")).is_empty());
    }
}
