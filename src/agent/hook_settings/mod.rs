//! The hooks that closeout asks an agent to run: in which file of its settings they stand, at which
//! events, and how such a file is changed without touching anything else in it. Pure.

mod edit;
mod layout;
mod splice;

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::hook_events::HookAgent;

pub use edit::{SettingsProblem, install, remove};

/// How long an agent waits for the hook, in seconds. It takes a few milliseconds.
const TIME_LIMIT_S: u32 = 5;
/// The plugin by which opencode calls the hook.
const OPENCODE_PLUGIN: &str = include_str!("../../../assets/hooks/opencode.js");
/// Stands in the plugin for the program, as a JSON string.
const PROGRAM_MARK: &str = "\"@CLOSEOUT@\"";

/// Where settings count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope<'a> {
    /// For all sessions of this user; with the agent's own folder.
    User(&'a Path),
    /// For sessions in this folder.
    Project(&'a Path),
}

/// What stands in an agent's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The agent.
    pub agent: HookAgent,
    /// The command that it is to run, for a shell.
    pub command: String,
}

/// One element in the list of an event.
#[derive(Debug, Serialize)]
pub(super) struct Group<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    matcher: Option<&'static str>,
    hooks: [Entry<'a>; 1],
}

/// One command.
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
    /// What `agent` is to run when closeout is the program at `program`, which is absolute.
    pub fn new(agent: HookAgent, program: &str) -> Wanted {
        Wanted { agent, command: format!("{} {}", shell_word(program), tail(agent)) }
    }

    /// The events at which it is to run it: those that tell what a session does, and no more, since each
    /// costs a process. In the order of a session.
    pub fn events(&self) -> &'static [&'static str] {
        match self.agent {
            HookAgent::Claude => &[
                "SessionStart",
                "UserPromptSubmit",
                "PreToolUse",
                "PermissionRequest",
                "PostToolUse",
                "PostToolUseFailure",
                "Notification",
                "SubagentStart",
                "SubagentStop",
                "PreCompact",
                "PostCompact",
                "Stop",
                "StopFailure",
                "SessionEnd",
            ],
            HookAgent::Codex => &[
                "SessionStart",
                "UserPromptSubmit",
                "PreToolUse",
                "PermissionRequest",
                "PostToolUse",
                "SubagentStart",
                "SubagentStop",
                "PreCompact",
                "PostCompact",
                "Interrupt",
                "Stop",
                "SessionEnd",
            ],
            HookAgent::Gemini => &[
                "SessionStart",
                "BeforeAgent",
                "BeforeTool",
                "AfterTool",
                "Notification",
                "AfterAgent",
                "SessionEnd",
            ],
            // The plugin chooses.
            HookAgent::OpenCode => &[],
        }
    }

    /// The element for the list of an event.
    pub(super) fn group(&self) -> Group<'_> {
        let is_gemini = self.agent == HookAgent::Gemini;
        let entry = Entry {
            name: is_gemini.then_some("closeout"),
            kind: "command",
            command: &self.command,
            // Gemini CLI counts in milliseconds.
            timeout: if is_gemini { TIME_LIMIT_S * 1000 } else { TIME_LIMIT_S },
        };
        Group { matcher: is_gemini.then_some("*"), hooks: [entry] }
    }
}

/// The file in which an agent's hooks stand. opencode's is a plugin of closeout's own.
pub fn file(agent: HookAgent, scope: Scope<'_>) -> PathBuf {
    match (agent, scope) {
        (HookAgent::Claude | HookAgent::Gemini, Scope::User(folder)) => folder.join("settings.json"),
        (HookAgent::Codex, Scope::User(folder)) => folder.join("hooks.json"),
        (HookAgent::OpenCode, Scope::User(folder)) => folder.join("plugin/closeout.js"),
        (HookAgent::Claude, Scope::Project(folder)) => folder.join(".claude/settings.json"),
        (HookAgent::Codex, Scope::Project(folder)) => folder.join(".codex/hooks.json"),
        (HookAgent::Gemini, Scope::Project(folder)) => folder.join(".gemini/settings.json"),
        (HookAgent::OpenCode, Scope::Project(folder)) => folder.join(".opencode/plugin/closeout.js"),
    }
}

/// The plugin for opencode that calls the program at `program`.
pub fn opencode_plugin(program: &str) -> String {
    let program = serde_json::Value::from(program).to_string();
    OPENCODE_PLUGIN.replace(PROGRAM_MARK, &program)
}

/// Whether this is a plugin that closeout wrote, of any version.
pub fn is_opencode_plugin(content: &[u8]) -> bool {
    let first = OPENCODE_PLUGIN.lines().next().unwrap_or_default();
    content.starts_with(first.as_bytes())
}

/// Whether a command is closeout's hook for the agent, at whatever path.
pub(super) fn is_own_command(agent: HookAgent, command: &str) -> bool {
    let program = command.strip_suffix(&tail(agent)).map(str::trim_end);
    program.is_some_and(|program| {
        let name = program.trim_matches(['\'', '"']).rsplit('/').next().unwrap_or_default();
        name.starts_with("closeout")
    })
}

fn tail(agent: HookAgent) -> String {
    format!("hook event --agent {}", agent.name())
}

/// The text as one word of a POSIX shell.
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
    use super::*;

    #[test]
    fn a_path_is_one_word_for_the_shell() {
        let wanted = |program: &str| Wanted::new(HookAgent::Claude, program).command;
        assert_eq!(wanted("/usr/bin/closeout"), "/usr/bin/closeout hook event --agent claude");
        assert_eq!(wanted("/a b/it's/closeout"), r"'/a b/it'\''s/closeout' hook event --agent claude");
    }

    #[test]
    fn the_own_command_is_known_at_any_path_and_no_other_is() {
        let is_own = |command: &str| is_own_command(HookAgent::Codex, command);
        assert!(is_own("/old/closeout hook event --agent codex"));
        assert!(is_own(r"'/a b/closeout' hook event --agent codex"));
        assert!(!is_own("/old/closeout hook event --agent claude"));
        assert!(!is_own("notify hook event --agent codex"));
        assert!(!is_own("/old/closeout status"));
    }

    #[test]
    fn the_plugin_names_the_program_as_a_string() {
        let plugin = opencode_plugin("/a \"b\"/closeout");
        assert!(plugin.contains(r#""/a \"b\"/closeout""#), "{plugin}");
        assert!(!plugin.contains("@CLOSEOUT@"));
        assert!(is_opencode_plugin(plugin.as_bytes()));
        assert!(!is_opencode_plugin(b"export const Mine = 1"));
    }
}
