//! The hooks that closeout asks an agent to run: which settings file they belong in, at which events, and
//! how to change that file without touching anything else in it. Pure.

mod edit;
mod splice;

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::facts::{Hooks, Settings};

pub use edit::{SettingsProblem, install, remove};

/// The placeholder for the program in a plugin, a JSON string.
const PROGRAM_MARK: &str = "\"@CLOSEOUT@\"";

/// Where settings apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsScope<'a> {
    /// All sessions of this user; the path is the agent's own folder.
    User(&'a Path),
    /// Sessions in this folder.
    Project(&'a Path),
}

/// The hook as it should be in an agent's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The agent's hooks.
    pub hooks: &'static Hooks,
    /// The command to run, as a shell command line.
    pub command: String,
}

/// One element of an event's list.
#[derive(Debug, Serialize)]
pub(super) struct Group<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    matcher: Option<&'static str>,
    hooks: [Entry<'a>; 1],
}

#[derive(Debug, Serialize)]
struct Entry<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'static str>,
    #[serde(rename = "type")]
    kind: &'static str,
    command: &'a str,
    timeout: u32,
}

impl Wanted {
    /// The hook that runs the closeout at `program`, an absolute path.
    pub fn new(hooks: &'static Hooks, program: &str) -> Wanted {
        Wanted { hooks, command: format!("{} {}", shell_word(program), tail(hooks)) }
    }

    /// The element for an event's list.
    pub(super) fn group(&self) -> Group<'_> {
        let (named, per_second) = match self.hooks.settings {
            Settings::Json { named, per_second, .. } => (named, per_second),
            Settings::Plugin { .. } => (None, 1),
        };
        let entry = Entry {
            name: named.map(|(_, name)| name),
            kind: "command",
            command: &self.command,
            timeout: self.hooks.limit_s * per_second,
        };
        Group { matcher: named.map(|(matcher, _)| matcher), hooks: [entry] }
    }
}

impl Hooks {
    /// The file in which the agent's hooks are registered.
    pub fn file(&self, scope: SettingsScope<'_>) -> PathBuf {
        let (Settings::Json { user, project, .. } | Settings::Plugin { user, project, .. }) = &self.settings;
        match scope {
            SettingsScope::User(folder) => folder.join(user),
            SettingsScope::Project(folder) => folder.join(project),
        }
    }

    /// The plugin that calls `program`; `None` if the agent does not use plugins.
    pub fn plugin(&self, program: &str) -> Option<String> {
        let Settings::Plugin { text, .. } = self.settings else { return None };
        Some(text.replace(PROGRAM_MARK, &serde_json::Value::from(program).to_string()))
    }

    /// Whether this is a plugin that any version of closeout wrote.
    pub fn is_own_plugin(&self, content: &[u8]) -> bool {
        let Settings::Plugin { text, .. } = self.settings else { return false };
        content.starts_with(text.lines().next().unwrap_or_default().as_bytes())
    }

    /// Whether a command is closeout's hook for this agent, whatever its path.
    fn is_own_command(&self, command: &str) -> bool {
        let program = command.strip_suffix(&tail(self)).map(str::trim_end);
        program.is_some_and(|program| {
            let name = program.trim_matches(['\'', '"']).rsplit('/').next().unwrap_or_default();
            name.starts_with("closeout")
        })
    }
}

fn tail(hooks: &Hooks) -> String {
    format!("hook {} --agent {}", hooks.command, hooks.agent)
}

/// Quotes a text as one word for a POSIX shell.
fn shell_word(text: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "_@%+=:,./-".contains(character);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use crate::agent::list::hooks_of;

    #[test]
    fn the_own_command_is_known_at_any_path_and_no_other_is() {
        let is_own = |command: &str| hooks_of("codex").unwrap().is_own_command(command);
        assert!(is_own("/old/closeout hook event --agent codex"));
        assert!(is_own(r"'/a b/closeout' hook event --agent codex"));
        assert!(!is_own("/old/closeout hook event --agent claude"));
        assert!(!is_own("notify hook event --agent codex"));
        assert!(!is_own("/old/closeout status"));
    }
}
