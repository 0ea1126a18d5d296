//! Gemini CLI's implementation of [`Agent`]: its facts, and which file answers each question about it.

use std::path::Path;

use super::{NAME, command, find, input_log, survey};
use crate::agent::commands::{AgentCommand, Asking};
use crate::agent::facts::{AgentFolder, Facts, Hooks, Settings, Version};
use crate::agent::kind::{Agent, Memories, SessionsAsk, SessionsRead, Survey, SurveyAsk};
use crate::agent::screen::{DrawnPrompt, EmptyBox, PermissionKey, PermissionKeys, Typing};
use crate::model::{HookKind, LiveStatus, SessionObservation, VariableNames, WaitsOn};

#[derive(Debug)]
pub(in crate::agent) struct Gemini;

/// Holds its records and its settings.
const HOME: AgentFolder = AgentFolder { variable: None, in_home: ".gemini", below: "" };

const VARIABLES: VariableNames = VariableNames {
    allowed: &["GEMINI_*", "GOOGLE_*", "CLOUDSDK_*"],
    except: &["GEMINI_CLI", "GEMINI_CLI_IDE_*", "GEMINI_CWD", "GEMINI_PROJECT_DIR", "GEMINI_SESSION_ID"],
};

const SETTINGS: Settings = Settings::Json {
    user: "settings.json",
    project: ".gemini/settings.json",
    named: Some(("*", "closeout")),
    per_second: 1000,
};

const HOOKS: Hooks = Hooks {
    events: &[
        ("SessionStart", HookKind::SessionStarted),
        ("BeforeAgent", HookKind::Prompted),
        ("BeforeTool", HookKind::ToolStarted),
        ("AfterTool", HookKind::ToolEnded),
        ("Notification", HookKind::Other),
        ("AfterAgent", HookKind::Stopped),
        ("SessionEnd", HookKind::SessionEnded),
    ],
    other_events: &[("PreCompress", HookKind::Compacting)],
    notices: &[("ToolPermission", HookKind::PermissionAsked)],
    asking_tools: &["ask_user"],
    after_install: "Gemini CLI runs no project hooks in a folder that it does not trust; running sessions \
                    report once they are restarted",
    ..Hooks::of(NAME, HOME, SETTINGS)
};

/// The hook that asks closeout whether the agent may stop.
const GATE: Hooks = HOOKS.gate("after-agent", &[("AfterAgent", HookKind::Stopped)]);

impl Agent for Gemini {
    fn facts(&self) -> &'static Facts {
        &Facts {
            name: NAME,
            records: Some(HOME),
            variables: VARIABLES,
            programs: &["gemini"],
            work: Some(&["gemini"]),
            package: Some("gemini-cli"),
            tried: Some((Version(0, 61, 0), Version(0, 61, 0))),
            tells_by_title: true,
            // A call waiting for permission is recorded only once it has a result.
            hides_open_calls: true,
            typing: Some(TYPING),
            permission: Some(PERMISSION),
            never_resumed: Some("Gemini CLI can lose a session that it resumes without a screen"),
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

    fn removal(&self, session: &SessionObservation, copy_id: &str) -> Option<AgentCommand> {
        command::removal(session, copy_id)
    }

    fn title_status(&self, title: &str, _folder: &Path) -> Option<LiveStatus> {
        match title.trim().chars().next()? {
            '✦' | '⏲' => Some(LiveStatus::Busy),
            '✋' => Some(LiveStatus::Waiting { on: WaitsOn::Permission }),
            '◇' => Some(LiveStatus::Idle),
            _ => None,
        }
    }

    fn is_shown(&self, session: &SessionObservation, record: Option<&Path>, _title: &str) -> Option<bool> {
        input_log::is_shown(session, record?)
    }
}

/// The terminal cursor is hidden but stands where the drawn one is. The hint disappears with the first
/// character typed, even a line break. The prompt is `*` in the mode that asks for no permissions and `!`
/// in shell mode, in which text is executed; shell mode and vi keys show a different hint.
const TYPING: Typing = Typing {
    empty_box: Some(EmptyBox::WithHint {
        prompts: &['>', '*'],
        column: 3,
        hint: "  Type your message or @path/to/file",
    }),
    ..Typing::USUAL
};
/// A number chooses at once, wherever the selection stands; what allows more than this call is not offered. Esc ends
/// the turn. Its records name no version, so the keys count only while the prompt is drawn as it was seen.
const PERMISSION: PermissionKeys = PermissionKeys {
    keys: &[PermissionKey::allow_once("1", "1"), PermissionKey::deny("Esc", "Escape")],
    drawn: Some(DrawnPrompt::Framed {
        frame: ('╭', '╰'),
        asks: "Allow execution of",
        first: "1. Allow once",
    }),
    seen: None,
    beside_subagents: false,
    not_for: &[],
};
