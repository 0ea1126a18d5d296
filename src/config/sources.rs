//! The inputs of the configuration: the environment and the flags, passed in as values.
//!
//! Nothing here reads the process's environment, which `cli` does, or the disk.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use strum::EnumString;

use crate::model::{Proof, TaskKind};

use super::ConfigError;
use super::key::{self, Key};
use super::kind::Value;
use super::layer::{Layer, Values};
use super::problem::{Problem, Problems};

/// closeout's folder inside the XDG folders.
const OWN_FOLDER: &str = "closeout";

/// The inputs of the configuration.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The environment variables. Used are `CLOSEOUT_CONFIG`, `CLOSEOUT_STATE_DIR`, `CLOSEOUT_LOG`,
    /// `CLOSEOUT_LOOK`, `XDG_CONFIG_HOME` and `XDG_STATE_HOME`; an empty one counts as unset.
    pub environment: BTreeMap<OsString, OsString>,
    /// The user's home directory, if there is one.
    pub home: Option<PathBuf>,
    /// The values of the flags.
    pub flags: Flags,
}

/// The values of the command line's flags, which apply to every workspace of the run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flags {
    /// `--task-kind`
    pub task_kind: Option<TaskKind>,
    /// `--baseline-commit`
    pub baseline: Option<String>,
    /// `--decision-file`, relative to the workspace
    pub decision_file: Option<String>,
    /// `--output`, relative to the workspace; empty if not given
    pub outputs: Vec<String>,
    /// `--require`
    pub require: Option<Proof>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UserFile {
    pub(super) path: PathBuf,
    /// Whether the user named it, so that its absence is an error.
    pub(super) is_named: bool,
}

impl Sources {
    /// The folder for what closeout remembers: `CLOSEOUT_STATE_DIR`, else `closeout` in the XDG state
    /// folder. `None` if there is neither a home directory nor a variable.
    pub fn state_folder(&self) -> Option<PathBuf> {
        self.variable("CLOSEOUT_STATE_DIR")
            .map(PathBuf::from)
            .or_else(|| self.xdg_folder("XDG_STATE_HOME", ".local/state"))
    }

    /// The folder of the user's configuration: `closeout` in the XDG configuration folder.
    pub fn config_folder(&self) -> Option<PathBuf> {
        self.xdg_folder("XDG_CONFIG_HOME", ".config")
    }

    pub(super) fn user_file(&self) -> Option<UserFile> {
        if let Some(named) = self.variable("CLOSEOUT_CONFIG") {
            return Some(UserFile { path: PathBuf::from(named), is_named: true });
        }
        self.config_folder().map(|folder| UserFile { path: folder.join("config.toml"), is_named: false })
    }

    /// The environment as a layer.
    pub(super) fn environment_layer(&self) -> Result<Layer, ConfigError> {
        let mut checked = Checked::default();
        for (variable, key) in [("CLOSEOUT_LOG", Key::LogLevel), ("CLOSEOUT_LOOK", Key::Look)] {
            if let Some(value) = self.variable(variable) {
                checked.set(variable, key, Value::Text(value.to_string_lossy().to_lowercase()));
            }
        }
        checked.into_layer()
    }

    /// The flags as a layer, checked by the same rules as a file.
    pub(super) fn flag_layer(&self) -> Result<Layer, ConfigError> {
        let Flags { task_kind, baseline, decision_file, outputs, require } = &self.flags;
        let mut checked = Checked::default();
        if let Some(kind) = task_kind {
            checked.set("--task-kind", Key::TaskKind, Value::Text(kind.name().to_owned()));
        }
        if let Some(revision) = baseline {
            checked.set("--baseline-commit", Key::BaselineRev, Value::Text(revision.clone()));
        }
        if let Some(file) = decision_file {
            checked.set("--decision-file", Key::DecisionFile, Value::Text(file.clone()));
        }
        if !outputs.is_empty() {
            checked.set("--output", Key::Outputs, Value::List(outputs.clone()));
        }
        if let Some(proof) = require {
            checked.set("--require", Key::Require, Value::Text(proof.name().to_owned()));
        }
        checked.into_layer()
    }

    fn variable(&self, name: &str) -> Option<&OsString> {
        self.environment.get(std::ffi::OsStr::new(name)).filter(|value| !value.is_empty())
    }

    /// A folder according to the XDG base directory specification: a variable that is not an absolute path
    /// is ignored.
    fn xdg_folder(&self, variable: &str, below_home: &str) -> Option<PathBuf> {
        self.variable(variable)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .or_else(|| self.home.as_ref().map(|home| home.join(below_home)))
            .map(|base| base.join(OWN_FOLDER))
    }
}

#[derive(Default)]
struct Checked {
    values: Values,
    problems: Problems,
}

impl Checked {
    fn set(&mut self, source: &str, key: Key, value: Value) {
        let Some(spec) = key::spec_of(key) else { return };
        match spec.kind.check(value) {
            Ok(value) => {
                self.values.insert(key, value);
            }
            Err(what) => {
                self.problems.push(Problem { source: source.to_owned(), place: None, key: None, what });
            }
        }
    }

    fn into_layer(self) -> Result<Layer, ConfigError> {
        if self.problems.is_empty() {
            Ok(Layer { values: self.values, ..Layer::default() })
        } else {
            Err(ConfigError::Invalid(self.problems))
        }
    }
}

/// The screen's colours and symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum LookSetting {
    /// Colours if the terminal has them and `NO_COLOR` is not set.
    Auto,
    /// Colours.
    Color,
    /// No colours.
    Plain,
    /// No colours, and only ASCII symbols in closeout's own text.
    Ascii,
}
