//! Lists what applies in one workspace, each key with the layer that its value comes from. It must not decide
//! what counts: [`OwnWord`] and the layers of [`Config`] do.

use std::path::{Path, PathBuf};

use super::effective::{Config, OwnFile, read_workspace_file, read_workspace_json};
use super::key::{Key, SPECS};
use super::kind::Value;
use super::layer::Values;
use super::own_word::{OwnValue, OwnWord};
use super::sources::Sources;
use super::{JSON_FILE, WORKSPACE_FILE};

/// A key with the value that applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSetting {
    /// The name with its section, such as `judge.offers`.
    pub key: String,
    /// The value. `None` if nothing sets it, and it has no default.
    pub value: Option<Value>,
    /// The layer that the value comes from.
    pub origin: SettingOrigin,
    /// What the workspace's own files ask for beside it.
    pub own: Option<OwnValue>,
}

/// The layer that a value comes from, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingOrigin {
    /// The embedded defaults.
    Default,
    /// A file of the workspace, which counts because the user says nothing.
    Workspace,
    /// The user's `config.json`.
    UserJson,
    /// The user's own file, for all workspaces.
    User,
    /// An entry of the user's own file for some workspaces.
    UserForSome,
    /// A variable of the environment.
    Environment,
}

/// What applies in one workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// Every key, in the order of `config/default.toml`.
    pub settings: Vec<ListedSetting>,
    /// The names of the agents that the user described.
    pub agents: Vec<String>,
    /// The names of the checks that are configured for this workspace.
    pub checks: Vec<String>,
    /// The names of the tools of checks that the user described.
    pub tools: Vec<String>,
    /// Problems in the workspace's own files, one line each.
    pub problems: Vec<String>,
}

impl Config {
    /// What applies in the workspace at `path` (absolute, without links). Reads the workspace's own files.
    pub fn listing(&self, path: &Path) -> Listing {
        let OwnFile { layer, mut problems, .. } = read_workspace_file(path);
        let (json, json_problems) = read_workspace_json(path);
        problems.append(json_problems);
        let mut own = json.values;
        own.extend(layer.values);
        let word = OwnWord::of(&own, &self.person(path));
        let layers = self.layers(path, &word.offered);
        let setting = |key: Key| {
            let found = layers.iter().rev().find_map(|(origin, values)| Some((*origin, values.get(&key)?)));
            let (origin, value) =
                found.map_or((SettingOrigin::Default, None), |(origin, value)| (origin, Some(value.clone())));
            let own = own.get(&key).filter(|own| Some(*own) != value.as_ref());
            ListedSetting {
                key: key.full_name(),
                value,
                origin,
                own: own.map(|own| word.place(key, own.clone())),
            }
        };
        Listing {
            settings: SPECS.iter().map(|spec| setting(spec.key)).collect(),
            agents: self.agents().iter().map(|agent| agent.name.clone()).collect(),
            checks: self.checks_for(path).checks.into_iter().map(|check| check.name).collect(),
            tools: self.tools().iter().map(|tool| tool.name.clone()).collect(),
            problems: problems.lines(),
        }
    }

    /// All layers of a workspace, lowest first.
    fn layers<'v>(&'v self, path: &Path, offered: &'v Values) -> Vec<(SettingOrigin, &'v Values)> {
        let mut layers = vec![
            (SettingOrigin::Default, &self.built_in.values),
            (SettingOrigin::Workspace, offered),
            (SettingOrigin::UserJson, &self.user_json.values),
            (SettingOrigin::User, &self.user.values),
        ];
        let for_some = self.user.overrides.iter().filter(|entry| entry.pattern.matches(path));
        layers.extend(for_some.map(|entry| (SettingOrigin::UserForSome, &entry.values)));
        layers.push((SettingOrigin::Environment, &self.environment.values));
        layers
    }
}

impl Sources {
    /// The files that a configuration for the workspace at `path` is read from, whether they exist or not.
    pub fn files(&self, path: &Path) -> Vec<(SettingOrigin, PathBuf)> {
        let user_json = self.config_folder().map(|folder| (SettingOrigin::UserJson, folder.join(JSON_FILE)));
        let user = self.user_file().map(|file| (SettingOrigin::User, file.path));
        let own = [WORKSPACE_FILE, JSON_FILE].map(|name| (SettingOrigin::Workspace, path.join(name)));
        user.into_iter().chain(user_json).chain(own).collect()
    }
}
