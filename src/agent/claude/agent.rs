//! Claude Code's implementation of [`Agent`]: its facts, and which file answers each question about it.

use std::path::Path;

use super::{NAME, command, find, screen, survey};
use crate::agent::commands::{AgentCommand, Asking};
use crate::agent::facts::{AgentFolder, Facts, Hooks, Settings, Version};
use crate::agent::kind::{Agent, Memories, SessionsAsk, SessionsRead, Survey, SurveyAsk};
use crate::agent::screen::OptionDialog;
use crate::model::{AskedByTool, HookKind, SessionObservation, VariableNames};

#[derive(Debug)]
pub(in crate::agent) struct Claude;

/// Holds its records and its settings.
const HOME: AgentFolder = AgentFolder { variable: Some("CLAUDE_CONFIG_DIR"), in_home: ".claude", below: "" };

/// Covers Anthropic's own service, Bedrock, Vertex and Foundry.
const VARIABLES: VariableNames = VariableNames {
    allowed: &[
        "ANTHROPIC_*", "CLAUDE_*", // Other providers.
        "AWS_*", "AZURE_*", "CLOUDSDK_*", "CLOUD_ML_REGION", "GCLOUD_PROJECT",
        "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_*", "VERTEX_REGION_*",
        // Switches for what the user turned off: telemetry, updates, reports.
        "DISABLE_*", "API_TIMEOUT_MS", "BASH_DEFAULT_TIMEOUT_MS", "BASH_MAX_*", "ENABLE_TOOL_SEARCH",
        "MAX_MCP_OUTPUT_TOKENS", "MAX_THINKING_TOKENS", "MCP_TIMEOUT", "MCP_TOOL_TIMEOUT",
    ],
    except: &[
        "*_FILE_DESCRIPTOR", "CLAUDE_AGENT_SDK_*", "CLAUDE_BG_*", "CLAUDE_CODE_AGENT_*",
        "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_EXECPATH",
        "CLAUDE_CODE_MESSAGING_*", "CLAUDE_CODE_PARENT_*", "CLAUDE_CODE_REMOTE*", "CLAUDE_CODE_SESSION_*",
        "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_TEAM_*", "CLAUDE_EFFORT", "CLAUDE_ENV_FILE", "CLAUDE_JOB_*",
        "CLAUDE_PID", "CLAUDE_PLUGIN_*", "CLAUDE_PROJECT_DIR",
    ],
};

const SETTINGS: Settings =
    Settings::Json { user: "settings.json", project: ".claude/settings.json", named: None, per_second: 1 };

const HOOKS: Hooks = Hooks {
    events: &[
        ("SessionStart", HookKind::SessionStarted),
        ("UserPromptSubmit", HookKind::Prompted),
        ("PreToolUse", HookKind::ToolStarted),
        ("PermissionRequest", HookKind::PermissionAsked),
        ("PostToolUse", HookKind::ToolEnded),
        ("PostToolUseFailure", HookKind::ToolEnded),
        ("Notification", HookKind::Other),
        ("SubagentStart", HookKind::SubagentStarted),
        ("SubagentStop", HookKind::SubagentStopped),
        ("PreCompact", HookKind::Compacting),
        ("PostCompact", HookKind::Compacted),
        ("Stop", HookKind::Stopped),
        ("StopFailure", HookKind::StopFailed),
        ("SessionEnd", HookKind::SessionEnded),
    ],
    notices: &[("permission_prompt", HookKind::PermissionNoticed), ("idle_prompt", HookKind::IdleNoticed)],
    asking_tools: &["AskUserQuestion"],
    pid_variable: Some("CLAUDE_PID"),
    headless: Some(("CLAUDE_CODE_ENTRYPOINT", "sdk")),
    after_install: "running sessions report from now on, too",
    ..Hooks::of(NAME, HOME, SETTINGS)
};

/// The hook that asks closeout whether the agent may stop.
const GATE: Hooks = HOOKS.gate("stop", &[("Stop", HookKind::Stopped)]);

impl Agent for Claude {
    fn facts(&self) -> &'static Facts {
        &Facts {
            name: NAME,
            records: Some(HOME),
            variables: VARIABLES,
            session_variable: Some("CLAUDE_CODE_SESSION_ID"),
            programs: &["claude", "claude.exe"],
            work: Some(&["claude", "-p"]),
            telling_cost: &["--output-format", "json"],
            package: Some("claude-code"),
            // Read with 1.0.128, 2.1.197 and 2.1.330.
            tried: Some((Version(1, 0, 128), Version(2, 1, 330))),
            has_traceless_probe: true,
            typing: Some(screen::TYPING),
            permission: Some(screen::PERMISSION),
            hooks: Some(&HOOKS),
            gate: Some(&GATE),
            ..Facts::NONE
        }
    }

    fn survey(&self, home: &Path, ask: &SurveyAsk<'_>, memory: &mut Memories) -> Survey {
        memory.with(|memory| survey::survey(home, ask, memory))
    }

    fn sessions(&self, ask: &SessionsAsk<'_>, memory: &mut Memories) -> SessionsRead {
        memory.with(|memory| find::sessions(ask, memory))
    }

    fn command(&self, session: &SessionObservation, asking: &Asking) -> Option<AgentCommand> {
        command::command(session, asking)
    }

    /// The registry names the session of each process, so the process shows this session.
    fn is_shown(&self, _: &SessionObservation, _: Option<&Path>, _: &str) -> Option<bool> {
        Some(true)
    }

    fn option_dialog<'s>(
        &self,
        session: &'s SessionObservation,
    ) -> Result<(&'s AskedByTool, OptionDialog), &'static str> {
        screen::option_dialog(session)
    }
}
