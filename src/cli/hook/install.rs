//! `closeout hook install` and `closeout hook remove`: shows the changes to each agent's settings and makes
//! them. What cannot be changed safely must stay, and is reported with the reason.

use std::fmt::{Display, Write as _};
use std::path::PathBuf;

use jiff::Timestamp as Moment;
use similar::{ChangeTag, TextDiff};

use crate::agent::hook_settings::{self, SettingsScope, Wanted};
use crate::agent::{Hooks, all_gates, all_hooks};
use crate::cli::args::{HookScope, HookSettings};
use crate::cli::environment::Environment;
use crate::cli::exit::{Ended, Failure, Outcome};
use crate::cli::output;
use crate::engine::clock;
use crate::model::display_text;
use crate::present::counts;
use crate::store::settings_file::SettingsFile;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    In,
    Out,
}

struct Change {
    file: SettingsFile,
    before: Option<String>,
    after: Option<String>,
}

/// Runs the command for each agent. A failure for one does not stop the others.
pub(super) fn run(environment: &Environment, settings: &HookSettings, direction: Direction) -> Ended {
    let program = own_program()?;
    let state_folder = environment.state_folder().ok_or_else(|| {
        Failure::Usage("there is no state folder for the backups: set HOME or CLOSEOUT_STATE_DIR".to_owned())
    })?;
    let job = Job { environment, settings, direction, program, state_folder };
    let (mut problems, mut n_handled, mut notes) = (Vec::new(), 0, Vec::new());
    let wanted: Vec<&'static Hooks> =
        if settings.gate { all_gates().collect() } else { all_hooks().collect() };
    for hooks in wanted {
        if !settings.agents.is_empty() && !settings.agents.iter().any(|asked| asked.agent == hooks.agent) {
            continue;
        }
        match job.handle(hooks) {
            Ok(Some(note)) => {
                n_handled += 1;
                notes.extend(note);
            }
            Ok(None) => {}
            Err(problem) => problems.push(problem),
        }
    }
    // Printed last, where it is noticed: what the person still has to do.
    for note in notes {
        output::print_line(&note)?;
    }
    if let Some(first) = problems.pop() {
        for problem in problems {
            output::complain(&format!("closeout: {problem}"));
        }
        return Err(first);
    }
    if n_handled == 0 && direction == Direction::In {
        return Err(Failure::Usage("no agent was found; name one with --agent".to_owned()));
    }
    Ok(Outcome::Done)
}

/// The path of this program, as agents are to call it.
pub(crate) fn own_program() -> Result<String, Failure> {
    let program = std::env::current_exe()
        .map_err(|source| Failure::Stream { what: "cannot find closeout's own path".to_owned(), source })?;
    let program = program.into_os_string().into_string();
    program.map_err(|_| Failure::Usage("the path of closeout is not UTF-8, but settings must be".to_owned()))
}

fn unchanged(name: &str, why: &impl Display) -> Failure {
    Failure::Settings(format!("{name}: nothing was changed: {why}"))
}

struct Job<'a> {
    environment: &'a Environment,
    settings: &'a HookSettings,
    direction: Direction,
    program: String,
    state_folder: PathBuf,
}

impl Job<'_> {
    /// Changes the settings of one agent and reports it. Returns what the person still has to do, a line
    /// each; `None` if the agent was skipped.
    fn handle(&self, hooks: &'static Hooks) -> Result<Option<Vec<String>>, Failure> {
        let name = hooks.agent;
        let Some(folder) = self.environment.folder_of(&hooks.folder) else {
            output::print_line(&format!("{name}: skipped: there is no home folder"))?;
            return Ok(None);
        };
        if self.settings.agents.is_empty() && !folder.is_dir() {
            let folder = display_text::path(&folder);
            output::print_line(&format!("{name}: skipped: {folder} does not exist"))?;
            return Ok(None);
        }
        let file = match self.settings.scope {
            HookScope::User => SettingsFile::of_person(hooks.file(SettingsScope::User(&folder))),
            HookScope::Project => {
                let here = &self.environment.here;
                SettingsFile::in_project(here, hooks.file(SettingsScope::Project(here)))
                    .map_err(|error| unchanged(name, &error))?
            }
        };
        let change = self.change(hooks, file)?;
        let shown = display_text::path(change.file.path());
        if change.before == change.after {
            let state = match self.direction {
                Direction::In => "the hooks are already installed",
                Direction::Out => "no closeout hook is installed",
            };
            output::print_line(&format!("{name}: nothing to change, {state}: {shown}"))?;
            return Ok(Some(Vec::new()));
        }
        if self.settings.diff || self.settings.dry_run {
            output::print(&change.label(name))?;
        }
        if self.settings.dry_run {
            output::print_line(&format!("{name}: not changed (--dry-run)"))?;
            return Ok(Some(Vec::new()));
        }
        let stamp = stamp();
        let after = change.after.as_deref().map(str::as_bytes);
        let copy = change.file.replace(&self.state_folder, after, &stamp);
        let copy = copy.map_err(|error| unchanged(name, &error))?;
        let copy = display_text::path(&copy);
        let lines = change.lines();
        output::print_line(&format!("{name}: changed {shown} ({lines}); backup: {copy}"))?;
        let mut notes = Vec::new();
        if self.direction == Direction::In {
            notes.push(format!("{name}: {}", hooks.after_install));
        }
        if self.direction == Direction::In && self.settings.gate {
            notes.push(format!(
                "{name}: the gate is inactive until your configuration sets `[gate] enabled = true`"
            ));
        }
        Ok(Some(notes))
    }

    fn change(&self, hooks: &'static Hooks, file: SettingsFile) -> Result<Change, Failure> {
        let name = hooks.agent;
        let unreadable =
            |what: &str| unchanged(name, &format!("{}: {what}", display_text::path(file.path())));
        let before = file.read().map_err(|error| unchanged(name, &error))?;
        let before = before
            .map(String::from_utf8)
            .transpose()
            .map_err(|_| unreadable("it is not UTF-8; repair it, then try again"))?;
        let after = match hooks.plugin(&self.program) {
            Some(plugin) => self.plugin(hooks, plugin, before.as_deref(), &unreadable)?,
            None => self.edited(hooks, &file, before.as_deref(), &unreadable)?,
        };
        Ok(Change { file, before, after })
    }

    fn plugin(
        &self,
        hooks: &Hooks,
        plugin: String,
        before: Option<&str>,
        unreadable: &impl Fn(&str) -> Failure,
    ) -> Result<Option<String>, Failure> {
        match (self.direction, before) {
            (_, Some(before)) if !hooks.is_own_plugin(before.as_bytes()) => match self.direction {
                Direction::In => Err(unreadable("another program's file has this name; rename it")),
                Direction::Out => Ok(Some(before.to_owned())),
            },
            (Direction::In, _) => Ok(Some(plugin)),
            (Direction::Out, _) => Ok(None),
        }
    }

    fn edited(
        &self,
        hooks: &'static Hooks,
        file: &SettingsFile,
        before: Option<&str>,
        unreadable: &impl Fn(&str) -> Failure,
    ) -> Result<Option<String>, Failure> {
        let told = |problem: hook_settings::SettingsProblem| {
            unreadable(&format!("{problem}; repair it, then try again"))
        };
        let wanted = Wanted::new(hooks, &self.program);
        match (self.direction, before) {
            (Direction::In, _) => {
                hook_settings::install(before.unwrap_or_default(), &wanted).map(Some).map_err(told)
            }
            (Direction::Out, None) => Ok(None),
            (Direction::Out, Some(before)) => {
                let after = hook_settings::remove(before, hooks).map_err(told)?;
                if after == before {
                    return Ok(Some(after));
                }
                Ok(self.as_it_was(file, before, &wanted, after))
            }
        }
    }

    /// The text from before the hooks were installed, if nothing else has changed since. It comes from the
    /// backup, as removing the hooks could yield more than one layout. Otherwise `after`, or no file if that
    /// is empty and closeout created the file.
    fn as_it_was(&self, file: &SettingsFile, now: &str, wanted: &Wanted, after: String) -> Option<String> {
        let copies = file.copies(&self.state_folder);
        let is_made_here = copies.last().is_some_and(Option::is_none);
        for copy in copies {
            let Ok(copy) = copy.map(String::from_utf8).transpose() else { continue };
            let installed = hook_settings::install(copy.as_deref().unwrap_or_default(), wanted);
            // A backup that contains hooks of an earlier closeout is not the original.
            let is_without = copy.as_deref().is_none_or(|copy| {
                hook_settings::remove(copy, wanted.hooks).is_ok_and(|without| without == copy)
            });
            if is_without && installed.is_ok_and(|installed| installed == now) {
                return copy;
            }
        }
        (!is_made_here || after.trim() != "{}").then_some(after)
    }
}

impl Change {
    /// The size of the change, in words.
    fn lines(&self) -> String {
        let (before, after) =
            (self.before.as_deref().unwrap_or_default(), self.after.as_deref().unwrap_or_default());
        let diff = TextDiff::from_lines(before, after);
        let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
        let (n_in, n_out) = (count(ChangeTag::Insert), count(ChangeTag::Delete));
        format!("{}, {n_out} removed; --diff shows them", counts::lines_added(n_in))
    }

    /// The change as a unified diff.
    fn label(&self, name: &str) -> String {
        let (before, after) =
            (self.before.as_deref().unwrap_or_default(), self.after.as_deref().unwrap_or_default());
        let path = display_text::path(self.file.path());
        let label =
            |content: Option<&String>| content.map_or_else(|| "/dev/null".to_owned(), |_| path.clone());
        let diff = TextDiff::from_lines(before, after);
        let mut unified = diff.unified_diff();
        let (old, new) = (label(self.before.as_ref()), label(self.after.as_ref()));
        let diff = unified.context_radius(3).header(&old, &new).to_string();
        let mut told = String::new();
        for line in diff.lines() {
            let _ = writeln!(told, "{}", display_text::line(line));
        }
        if told.is_empty() {
            let _ = writeln!(told, "{name}: {path} is removed");
        }
        told
    }
}

/// The current time as a name that sorts.
fn stamp() -> String {
    let now = Moment::from_millisecond(clock::now().0).unwrap_or_default();
    now.strftime("%Y%m%dT%H%M%S%3fZ").to_string()
}
