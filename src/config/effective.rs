//! Combines the layers: what applies to the program, and what applies to one workspace.

use std::path::Path;

use tracing::level_filters::LevelFilter;

use crate::model::{
    BaselineOrigin, CheckMode, CheckPlan, CheckTool, CustomAgent, GateSettings, GivenBaseline,
    NoticeSettings, Policy, Proof, TaskKind, WatchSettings, WorkspaceSettings, display_text,
};

use super::check_entry::CheckEntry;
use super::completion_check::{CompletionCheck, parse_completion_check};
use super::file::{self, Owner};
use super::key::{Key, LayerOrigin};
use super::kind::Value;
use super::layer::{Layer, Values, parse_layer, read_layer};
use super::own_word::OwnWord;
use super::problem::Problems;
use super::sources::{LookSetting, Sources};
use super::stack::Stack;
use super::{ConfigError, DEFAULT_VALUES, JSON_FILE, WORKSPACE_FILE};

/// The configuration of one run of the program.
#[derive(Debug, Clone)]
pub struct Config {
    pub(super) built_in: Layer,
    pub(super) user_json: Layer,
    pub(super) user: Layer,
    pub(super) environment: Layer,
    flags: Layer,
    /// How evidence is judged.
    pub policy: Policy,
    /// How the file system is watched.
    pub watch: WatchSettings,
    /// How the screen looks.
    pub ui: UiSettings,
    /// The least severe level that is written to the log file.
    pub log_level: LevelFilter,
    /// The limits of the smart check, before any workspace's own file is considered.
    pub completion_check: CompletionCheck,
    /// Whether and how often agents are asked automatically.
    pub auto_probes: AutoProbes,
}

/// Whether agents are asked for their status automatically, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AutoProbes {
    /// Whether this is enabled in any workspace: in all, or by a `[[workspace]]` entry.
    pub is_on: bool,
    /// How many probes are sent per hour at most, over all workspaces; 1 to 60.
    pub per_hour: u32,
}

/// How the screen looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UiSettings {
    /// Colours and symbols.
    pub look: LookSetting,
    /// Whether the mouse selects and scrolls. The terminal's own selection then requires Shift.
    pub has_mouse: bool,
}

/// How uncommitted work is rescued.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RescueSettings {
    /// The user's own rescue program and its arguments; empty if there is none.
    pub command: Vec<String>,
    /// Branches, by short name, that get no commit unless the user insists.
    pub protected: Vec<String>,
}

/// Where the closer's prompts are: `.agent/{agent_id}/prompts/steps/{step}/f_default.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloserSettings {
    /// `None` stands for the name of the agent that is asked.
    pub agent_id: Option<String>,
    /// The step's two names, such as `complete/issue`.
    pub step: String,
}

impl Config {
    /// Reads all layers except those of the workspaces. Reads the user's files from disk.
    ///
    /// # Errors
    /// A file, variable or flag has an invalid value; or a file exists, or was named explicitly, but cannot
    /// be read. The message says where, what, and what is allowed.
    pub fn load(sources: &Sources) -> Result<Config, ConfigError> {
        let built_in = parse_layer(DEFAULT_VALUES, "config/default.toml", LayerOrigin::BuiltIn, None)?;
        let (user, user_json) = load_user(sources)?;
        let environment = sources.environment_layer()?;
        let flags = sources.flag_layer()?;
        let stack = Stack(vec![
            &built_in.values, &user_json.values, &user.values, &environment.values, &flags.values,
        ]);
        Ok(Config {
            policy: stack.policy()?,
            watch: stack.watch()?,
            ui: UiSettings {
                look: stack.word(Key::Look, |name| name.parse().ok())?,
                has_mouse: stack.switch(Key::Mouse)?,
            },
            log_level: stack.word(Key::LogLevel, |name| name.parse().ok())?,
            completion_check: stack.completion_check()?,
            auto_probes: AutoProbes {
                is_on: stack.switch(Key::AutoProbe)? || is_on_for_some(&user),
                per_hour: stack.number(Key::AutoProbesPerHour)?,
            },
            built_in,
            user_json,
            user,
            environment,
            flags,
        })
    }

    /// The settings of the workspace at `path` (absolute, without links), and the problems in the
    /// workspace's own file, one line each. Invalid values there are ignored, so lower layers apply. Values
    /// in that file that could soften a verdict wait in `own`. Reads `.closeout.toml` in that folder.
    pub fn for_workspace(&self, path: &Path) -> (WorkspaceSettings, Vec<String>) {
        let OwnFile { layer, text, problems } = read_workspace_file(path);
        let person = self.person(path);
        let word = OwnWord::of(&layer.values, &person);
        let stack = person.over(&self.built_in.values, &word.offered);
        let mut settings = WorkspaceSettings {
            task_kind: stack.text(Key::TaskKind).and_then(TaskKind::from_name),
            baseline: stack.text(Key::BaselineRev).map(|rev| GivenBaseline {
                rev: rev.to_owned(),
                origin: if self.flags.values.contains_key(&Key::BaselineRev) {
                    BaselineOrigin::Flag
                } else {
                    BaselineOrigin::Configuration
                },
            }),
            decision_file: stack.path(Key::DecisionFile),
            outputs: stack.list(Key::Outputs),
            closer_report: stack.path(Key::CloserReport),
            plans: stack.list(Key::Plans),
            required_files: stack.list(Key::RequiredFiles),
            test_results: stack.list(Key::TestResults),
            noise: stack.list(Key::Noise),
            checks: self.checks_for(path),
            are_plans_chosen: person.says(Key::Plans),
            required: stack.text(Key::Require).and_then(Proof::from_name).unwrap_or_default(),
            may_be_asked: stack.switch(Key::AutoProbe).unwrap_or(false),
            second_reader: stack.path(Key::SecondOpinion),
            ..WorkspaceSettings::default()
        };
        word.complete(&mut settings, &stack, text);
        (settings, problems.lines())
    }

    /// The limits of the smart check in the workspace at `path`, and the problems in its `config.json` and
    /// `.closeout.toml`, one line each. Reads both files.
    pub fn completion_check_for(&self, path: &Path) -> (CompletionCheck, Vec<String>) {
        let OwnFile { layer, mut problems, .. } = read_workspace_file(path);
        let (json, json_problems) = read_workspace_json(path);
        problems.append(json_problems);
        let mut values = json.values;
        values.extend(layer.values);
        let person = self.person(path);
        let word = OwnWord::of(&values, &person);
        let stack = person.over(&self.built_in.values, &word.offered);
        let check = stack.completion_check().map(|check| CompletionCheck {
            // An extra record loses nothing; a missing one could.
            is_final_rescue_wanted: check.is_final_rescue_wanted || word.turns_on(Key::FinalRescueAttempt),
            ..check
        });
        (check.unwrap_or_else(|_| self.completion_check.clone()), problems.lines())
    }

    /// The gate settings of the workspace at `path`. The workspace's own file has no influence on them.
    pub fn gate_for(&self, path: &Path) -> Option<GateSettings> {
        let none = Values::new();
        self.person(path).over(&self.built_in.values, &none).gate().ok()
    }

    /// The notification settings of the workspace at `path`. The workspace's own file has no influence on
    /// them.
    pub fn notices_for(&self, path: &Path) -> NoticeSettings {
        let none = Values::new();
        self.person(path).over(&self.built_in.values, &none).notices()
    }

    /// The notification settings of all workspaces without settings of their own.
    pub fn notices(&self) -> NoticeSettings {
        Stack(vec![&self.built_in.values, &self.user.values]).notices()
    }

    /// The checks of the workspace at `path`. Only the user's own file can define them.
    pub(super) fn checks_for(&self, path: &Path) -> CheckPlan {
        let is_meant =
            |entry: &&CheckEntry| entry.pattern.as_ref().is_none_or(|pattern| pattern.matches(path));
        let none = Values::new();
        let person = self.person(path);
        let stack = person.over(&self.built_in.values, &none);
        let is_any = stack.text(Key::ChecksMode) == Some("any");
        CheckPlan {
            checks: self.user.checks.iter().filter(is_meant).map(|entry| entry.check.clone()).collect(),
            mode: if is_any { CheckMode::Any } else { CheckMode::All },
            is_automatic: stack.text(Key::ChecksRun) == Some("turn-end"),
        }
    }

    /// The model that answers when `agent` is asked, if the user chose one.
    pub fn model_of(&self, agent: &str) -> Option<String> {
        let layers = [&self.built_in, &self.user_json, &self.user, &self.environment, &self.flags];
        let models = Stack(layers.map(|layer| &layer.values).to_vec()).list(Key::Models);
        let mut pairs = models.iter().rev().filter_map(|pair| pair.split_once('='));
        pairs.find(|(name, _)| *name == agent).map(|(_, model)| model.to_owned())
    }

    /// Whether a gate is enabled in any workspace.
    pub fn has_gate(&self) -> bool {
        let is_on = |values: &Values| values.get(&Key::GateEnabled) == Some(&Value::Switch(true));
        is_on(&self.user.values) || self.user.overrides.iter().any(|entry| is_on(&entry.values))
    }

    /// Where the closer's prompts for the workspace at `path` are. Reads `.closeout.toml` in that folder.
    pub fn closer_for(&self, path: &Path) -> CloserSettings {
        let own = read_workspace_file(path);
        let person = self.person(path);
        let word = OwnWord::of(&own.layer.values, &person);
        let stack = person.over(&self.built_in.values, &word.offered);
        CloserSettings {
            agent_id: stack.path(Key::CloserAgentId),
            // Without a step the prompts would be in `steps` itself.
            step: stack.path(Key::CloserStep).unwrap_or_default(),
        }
    }

    /// How uncommitted work is rescued. No workspace's own file has any influence on it.
    pub fn rescue(&self) -> RescueSettings {
        let stack = Stack(vec![&self.built_in.values, &self.user.values, &self.flags.values]);
        RescueSettings {
            command: stack.list(Key::RescueCommand),
            protected: stack.list(Key::RescueProtected),
        }
    }

    /// The tools of checks that the user described. Only the user's own file can describe them.
    pub fn tools(&self) -> &[CheckTool] {
        &self.user.tools
    }

    /// The agents the user described. Only the user's own file can describe them.
    pub fn agents(&self) -> &[CustomAgent] {
        &self.user.agents
    }

    /// Everything the user says about one workspace, lowest layer first: entries for its path override what
    /// applies to all.
    pub(super) fn person(&self, path: &Path) -> Stack<'_> {
        let mut layers = vec![&self.user_json.values, &self.user.values];
        let overrides = self.user.overrides.iter().filter(|entry| entry.pattern.matches(path));
        layers.extend(overrides.map(|entry| &entry.values));
        layers.extend([&self.environment.values, &self.flags.values]);
        Stack(layers)
    }
}

fn load_user(sources: &Sources) -> Result<(Layer, Layer), ConfigError> {
    let mut user = Layer::default();
    if let Some(user_file) = sources.user_file() {
        let path = &user_file.path;
        match file::read(path, Owner::Person)? {
            Some(text) => {
                let name = display_text::path(path);
                user = parse_layer(&text, &name, LayerOrigin::User, sources.home.as_deref())?;
            }
            None if user_file.is_named => {
                let source = std::io::Error::new(std::io::ErrorKind::NotFound, "there is no such file");
                return Err(ConfigError::Unreadable { path: path.clone(), source });
            }
            None => {}
        }
    }
    let mut user_json = Layer::default();
    if let Some(path) = sources.config_folder().map(|folder| folder.join(JSON_FILE))
        && let Some(text) = file::read(&path, Owner::Person)?
    {
        let (layer, problems) = parse_completion_check(&text, &display_text::path(&path), LayerOrigin::User);
        if !problems.is_empty() {
            return Err(ConfigError::Invalid(problems));
        }
        user_json = layer;
    }
    Ok((user, user_json))
}

/// Whether any entry for some workspaces enables automatic probes.
fn is_on_for_some(user: &Layer) -> bool {
    user.overrides.iter().any(|entry| entry.values.get(&Key::AutoProbe) == Some(&Value::Switch(true)))
}

pub(super) struct OwnFile {
    pub(super) layer: Layer,
    text: String,
    pub(super) problems: Problems,
}

pub(super) fn read_workspace_file(workspace: &Path) -> OwnFile {
    let (text, (layer, problems)) = match file::read(&workspace.join(WORKSPACE_FILE), Owner::Workspace) {
        Ok(None) => (String::new(), (Layer::default(), Problems::default())),
        Ok(Some(text)) => {
            let read = read_layer(&text, WORKSPACE_FILE, LayerOrigin::Workspace, None);
            (text, read)
        }
        Err(error) => (String::new(), (Layer::default(), error.problems(WORKSPACE_FILE))),
    };
    OwnFile { layer, text, problems }
}

/// An unreadable `config.json` is ignored, since many programs use the name.
pub(super) fn read_workspace_json(workspace: &Path) -> (Layer, Problems) {
    match file::read(&workspace.join(JSON_FILE), Owner::Workspace) {
        Ok(Some(text)) => parse_completion_check(&text, JSON_FILE, LayerOrigin::Workspace),
        Ok(None) | Err(_) => (Layer::default(), Problems::default()),
    }
}
