//! One layer: turns TOML text into values and a list of problems. Pure.
//!
//! The table of keys drives the reading, not serde. So every problem has its line and column, one invalid
//! key does not hide the next, and the valid values can still be used.

use std::collections::BTreeMap;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::model::{CheckTool, CustomAgent};

use super::ConfigError;
use super::agent_entry::AGENTS;
use super::check_entry::{CHECKS, CheckEntry};
use super::key::{self, Key, LayerOrigin, SPECS, Spec};
use super::kind::Value;
use super::pattern::Pattern;
use super::problem::{Problems, nearest, shown};
use super::reader::{Reader, number, texts, type_name};
use super::tool_entry::TOOLS;

/// The table with settings for some workspaces.
const OVERRIDES: &str = "workspace";

/// The key in it that selects the workspaces.
const OVERRIDE_PATH: &str = "path";

/// The checked values of one layer.
pub(super) type Values = BTreeMap<Key, Value>;

/// What one text says.
#[derive(Debug, Clone, Default)]
pub struct Layer {
    pub(super) values: Values,
    pub(super) overrides: Vec<Override>,
    pub(super) agents: Vec<CustomAgent>,
    pub(super) checks: Vec<CheckEntry>,
    pub(super) tools: Vec<CheckTool>,
}

/// Settings for the workspaces that match a pattern.
#[derive(Debug, Clone)]
pub(super) struct Override {
    pub(super) pattern: Pattern,
    pub(super) values: Values,
}

/// Reads a layer, refusing it if anything is wrong. `name` is the file, for messages; `home` replaces `~/`
/// in paths.
///
/// # Errors
/// [`ConfigError::Invalid`] with all problems of the text.
pub fn parse_layer(
    text: &str,
    name: &str,
    origin: LayerOrigin,
    home: Option<&Path>,
) -> Result<Layer, ConfigError> {
    let (layer, problems) = read_layer(text, name, origin, home);
    if problems.is_empty() { Ok(layer) } else { Err(ConfigError::Invalid(problems)) }
}

/// Reads a layer: its valid values, and the problems with the others. Text that is not TOML has no valid
/// values.
pub(super) fn read_layer(
    text: &str,
    name: &str,
    origin: LayerOrigin,
    home: Option<&Path>,
) -> (Layer, Problems) {
    let mut reader = Reader { text, name, origin, home, problems: Problems::default() };
    let mut layer = Layer::default();
    match DeTable::parse(text) {
        Ok(table) => reader.read_top(table.get_ref(), &mut layer),
        Err(error) => {
            let offset = error.span().map_or(text.len(), |span| span.start);
            reader.problem(offset, None, format!("is not TOML here: {}", error.message()));
        }
    }
    reader.problems.sort();
    (layer, reader.problems)
}

impl Reader<'_> {
    fn read_top(&mut self, table: &DeTable<'_>, layer: &mut Layer) {
        for (name, value) in table {
            if name.get_ref() == OVERRIDES {
                self.read_overrides(name.span().start, value, layer);
            } else if name.get_ref() == AGENTS {
                self.read_agents(name.span().start, value, &mut layer.agents);
            } else if name.get_ref() == CHECKS {
                self.read_checks(name.span().start, value, &mut layer.checks);
            } else if name.get_ref() == TOOLS {
                self.read_tools(name.span().start, value, &mut layer.tools);
            } else {
                self.read_entry("", name.get_ref(), name.span().start, value, &mut layer.values);
            }
        }
    }

    /// Reads an entry of the top level or of a `[[workspace]]`: a key, or a section of keys.
    fn read_entry(
        &mut self,
        prefix: &str,
        name: &str,
        at: usize,
        value: &Spanned<DeValue<'_>>,
        values: &mut Values,
    ) {
        if let Some(spec) = key::find("", name) {
            self.read_value(prefix, spec, at, value, values);
            return;
        }
        if !SPECS.iter().any(|spec| !spec.section.is_empty() && spec.section == name) {
            self.unknown(prefix, "", name, at);
            return;
        }
        let DeValue::Table(section) = value.get_ref() else {
            let what = format!("must be a table, like [{name}], not {}", type_name(value.get_ref()));
            self.problem(value.span().start, Some(format!("{prefix}{name}")), what);
            return;
        };
        for (entry_name, entry) in section {
            let at = entry_name.span().start;
            match key::find(name, entry_name.get_ref()) {
                Some(spec) => self.read_value(prefix, spec, at, entry, values),
                None => self.unknown(prefix, name, entry_name.get_ref(), at),
            }
        }
    }

    fn read_value(
        &mut self,
        prefix: &str,
        spec: &Spec,
        at: usize,
        value: &Spanned<DeValue<'_>>,
        values: &mut Values,
    ) {
        let full_name = format!("{prefix}{}", spec.full_name());
        if let Some(refusal) = spec.refusal(self.origin, !prefix.is_empty()) {
            self.problem(at, Some(full_name), refusal.to_owned());
            return;
        }
        let checked = match plain(value.get_ref()) {
            Some(plain) => spec.kind.check(plain),
            None => Err(spec.kind.refused(type_name(value.get_ref()))),
        };
        match checked {
            Ok(value) => {
                values.insert(spec.key, value);
            }
            Err(what) => self.problem(value.span().start, Some(full_name), what),
        }
    }

    fn read_overrides(&mut self, at: usize, value: &Spanned<DeValue<'_>>, layer: &mut Layer) {
        for (at, table) in self.tables(OVERRIDES, at, value, usize::MAX, "") {
            self.read_override(at, table, layer);
        }
    }

    fn read_override(&mut self, at: usize, table: &DeTable<'_>, layer: &mut Layer) {
        let mut pattern = None;
        let mut has_path = false;
        let mut values = Values::new();
        for (name, value) in table {
            if name.get_ref() != OVERRIDE_PATH {
                self.read_entry("workspace.", name.get_ref(), name.span().start, value, &mut values);
                continue;
            }
            has_path = true;
            let read = match value.get_ref().as_str() {
                Some(text) => Pattern::parse(text, self.home),
                None => Err(format!("must be a string, not {}", type_name(value.get_ref()))),
            };
            match read {
                Ok(read) => pattern = Some(read),
                Err(what) => self.problem(value.span().start, Some("workspace.path".to_owned()), what),
            }
        }
        if let Some(pattern) = pattern {
            layer.overrides.push(Override { pattern, values });
        } else if !has_path {
            let what = "is missing: it says for which workspaces the entry holds".to_owned();
            self.problem(at, Some("workspace.path".to_owned()), what);
        }
    }

    /// Reports an unknown key, with the key that was probably meant and all keys allowed there.
    fn unknown(&mut self, prefix: &str, section: &str, name: &str, at: usize) {
        let mut allowed: Vec<&str> = SPECS
            .iter()
            .filter(|spec| spec.section == section && self.counts(prefix, spec))
            .map(|spec| spec.name)
            .collect();
        if section.is_empty() {
            for spec in SPECS.iter().filter(|spec| self.counts(prefix, spec)) {
                if !spec.section.is_empty() && !allowed.contains(&spec.section) {
                    allowed.push(spec.section);
                }
            }
            if prefix.is_empty() && self.origin != LayerOrigin::Workspace {
                allowed.extend([OVERRIDES, AGENTS, CHECKS, TOOLS]);
            } else if !prefix.is_empty() {
                allowed.push(OVERRIDE_PATH);
            }
        }
        let elsewhere = || SPECS.iter().find(|spec| spec.name == name && self.counts(prefix, spec));
        let meant = nearest(name, allowed.iter().copied())
            .map(|near| key::full_name(section, near))
            .or_else(|| elsewhere().map(Spec::full_name))
            .map_or_else(String::new, |near| format!("; did you mean `{prefix}{near}`?"));
        let allowed = if allowed.is_empty() {
            String::new()
        } else {
            format!("; allowed here: {}", allowed.join(", "))
        };
        let full_name = format!("{prefix}{}", key::full_name(section, &shown(name)));
        self.problem(at, Some(full_name), format!("is not a closeout key{meant}{allowed}"));
    }

    fn counts(&self, prefix: &str, spec: &Spec) -> bool {
        spec.refusal(self.origin, !prefix.is_empty()).is_none()
    }
}

/// The value without its TOML type; `None` for a type that no key has.
fn plain(value: &DeValue<'_>) -> Option<Value> {
    match value {
        DeValue::String(text) => Some(Value::Text(text.to_string())),
        DeValue::Integer(_) => number(value).map(Value::Number),
        DeValue::Boolean(switch) => Some(Value::Switch(*switch)),
        DeValue::Array(_) => texts(value).map(Value::List),
        DeValue::Float(_) | DeValue::Datetime(_) | DeValue::Table(_) => None,
    }
}
