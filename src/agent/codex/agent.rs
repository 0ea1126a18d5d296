//! Codex's implementation of [`Agent`]: its facts, and which file answers each question about it.

use std::path::{Component, Path};

use super::{NAME, command, find, survey};
use crate::agent::commands::{AgentCommand, Asking};
use crate::agent::facts::{AgentFolder, Facts, Hooks, Settings, Version};
use crate::agent::kind::{Agent, Memories, SessionsAsk, SessionsRead, Survey, SurveyAsk};
use crate::agent::record::read_small;
use crate::agent::screen::{PermissionKey, PermissionKeys};
use crate::model::{HookKind, LiveStatus, SessionObservation, VariableNames, WaitsOn};

#[derive(Debug)]
pub(in crate::agent) struct Codex;

/// Holds its records and its settings.
const HOME: AgentFolder = AgentFolder { variable: Some("CODEX_HOME"), in_home: ".codex", below: "" };
/// The file with its hooks, in that folder.
const HOOK_FILE: &str = "hooks.json";
/// The longest configuration read, in bytes.
const LONGEST_CONFIGURATION: u64 = 1 << 20;

/// The variable with a provider's key has whatever name the user's configuration gives it (`env_key`).
const VARIABLES: VariableNames = VariableNames {
    allowed: &["CODEX_*", "OPENAI_*", "*_API_KEY", "AWS_*", "AZURE_*"],
    except: &["CODEX_CI", "CODEX_INTERNAL_*", "CODEX_MANAGED_BY_*", "CODEX_SANDBOX*", "CODEX_THREAD_ID"],
};

const SETTINGS: Settings =
    Settings::Json { user: HOOK_FILE, project: ".codex/hooks.json", named: None, per_second: 1 };

const HOOKS: Hooks = Hooks {
    events: &[
        ("SessionStart", HookKind::SessionStarted),
        ("UserPromptSubmit", HookKind::Prompted),
        ("PreToolUse", HookKind::ToolStarted),
        ("PermissionRequest", HookKind::PermissionAsked),
        ("PostToolUse", HookKind::ToolEnded),
        ("SubagentStart", HookKind::SubagentStarted),
        ("SubagentStop", HookKind::SubagentStopped),
        ("PreCompact", HookKind::Compacting),
        ("PostCompact", HookKind::Compacted),
        ("Interrupt", HookKind::Interrupted),
        ("Stop", HookKind::Stopped),
        ("SessionEnd", HookKind::SessionEnded),
    ],
    asking_tools: &["request_user_input"],
    server_word: Some("app-server"),
    after_install: "Codex runs new hooks only once you trust them, and says nothing until then: start \
                    `codex` and trust them in the dialog that reviews hooks (`/hooks` opens it). It asks \
                    again when the path of closeout changes",
    ..Hooks::of(NAME, HOME, SETTINGS)
};

/// The hook that asks closeout whether the agent may stop.
const GATE: Hooks = HOOKS.gate("stop", &[("Stop", HookKind::Stopped)]);

impl Agent for Codex {
    fn facts(&self) -> &'static Facts {
        &Facts {
            name: NAME,
            records: Some(HOME),
            variables: VARIABLES,
            programs: &["codex"],
            work: Some(&["codex", "exec"]),
            tried: Some((Version(0, 169, 0), Version(0, 169, 0))),
            has_traceless_probe: true,
            holds_records: true,
            tells_by_title: true,
            has_queue: true,
            permission: Some(PERMISSION),
            hooks: Some(&HOOKS),
            gate: Some(&GATE),
            ..Facts::NONE
        }
    }

    fn survey(&self, home: &Path, ask: &SurveyAsk<'_>, memory: &mut Memories) -> Survey {
        memory.with(|memory| survey::survey(home, ask, memory))
    }

    fn sessions(&self, ask: &SessionsAsk<'_>, memory: &mut Memories) -> SessionsRead {
        memory.with_places(ask.places, |memory| find::sessions(ask, memory))
    }

    fn command(&self, session: &SessionObservation, asking: &Asking) -> Option<AgentCommand> {
        command::command(session, asking)
    }

    fn title_status(&self, title: &str, folder: &Path) -> Option<LiveStatus> {
        let title = title.trim();
        // The exclamation mark blinks.
        if title.starts_with("[ ! ] Action Required") || title.starts_with("[ . ] Action Required") {
            return Some(LiveStatus::Waiting { on: WaitsOn::Permission });
        }
        // A spinner of braille characters turns while it works; at rest the title is just the project's
        // name. Any other title may come from the shell or from the user.
        if matches!(title.chars().next()?, '\u{2800}'..='\u{28ff}') {
            return Some(LiveStatus::Busy);
        }
        let names_project =
            |part: Component<'_>| matches!(part, Component::Normal(name) if name.to_str() == Some(title));
        folder.components().any(names_project).then_some(LiveStatus::Idle)
    }

    /// Codex runs only hooks it was told to trust, which are the `hooks.state` tables of its `config.toml`.
    fn why_hooks_rest(&self, folder: &Path) -> Option<(&'static str, &'static str)> {
        let configuration =
            read_small(&folder.join("config.toml"), LONGEST_CONFIGURATION).unwrap_or_default();
        let file = folder.join(HOOK_FILE).display().to_string();
        let text = String::from_utf8_lossy(&configuration);
        let is_trusted = |line: &str| line.starts_with("[hooks.state.") && line.contains(&file);
        (!text.lines().any(is_trusted)).then_some((
            "Codex does not run them: they are not trusted",
            "start `codex` and trust them in the dialog that reviews hooks (`/hooks` opens it)",
        ))
    }
}

/// A letter decides immediately, wherever the highlight is. `p`, which allows permanently, is not offered.
const PERMISSION: PermissionKeys = PermissionKeys::of_version(
    &[PermissionKey::allow_once("y", "y"), PermissionKey::deny("n", "n")],
    "0.169.0",
);
