//! opencode's implementation of [`Agent`]: its facts, and which file answers each question about it.

use std::path::Path;

use super::{NAME, api, command, session_copy, sessions, survey};
use crate::agent::commands::{AgentCommand, Asking};
use crate::agent::facts::{AgentFolder, Facts, Hooks, Settings, Version};
use crate::agent::kind::{Agent, Memories, SessionsAsk, SessionsRead, Survey, SurveyAsk};
use crate::agent::screen::{DrawnPrompt, EmptyBox, PermissionKey, PermissionKeys, Typing};
use crate::agent::server::AgentServer;
use crate::model::{HookKind, SessionObservation, Unreadable, VariableNames};

#[derive(Debug)]
pub(in crate::agent) struct OpenCode;

/// Holds its records.
const DATA: AgentFolder =
    AgentFolder { variable: Some("XDG_DATA_HOME"), in_home: ".local/share", below: NAME };

/// It takes the keys of many providers from the environment.
const VARIABLES: VariableNames = VariableNames {
    allowed: &[
        "OPENCODE_*", "*_API_KEY", "*_API_TOKEN", "ANTHROPIC_*", "AWS_*", "AZURE_*", "CLOUDFLARE_*",
        "GITHUB_TOKEN", "GITLAB_TOKEN", "GOOGLE_*", "HF_TOKEN", "OLLAMA_*", "OPENAI_*", "VERTEX_*",
    ],
    except: &[
        "OPENCODE_CALLER", "OPENCODE_CLIENT", "OPENCODE_PID", "OPENCODE_PORT", "OPENCODE_PROCESS_ROLE",
        "OPENCODE_RUN_ID", "OPENCODE_SESSION_ID",
    ],
};

/// Holds its plugins.
const CONFIGURATION: AgentFolder =
    AgentFolder { variable: Some("XDG_CONFIG_HOME"), in_home: ".config", below: NAME };

const PLUGIN: Settings = Settings::Plugin {
    user: "plugin/closeout.js",
    project: ".opencode/plugin/closeout.js",
    text: include_str!("../../../assets/hooks/opencode.js"),
};

const HOOKS: Hooks = Hooks {
    // These are the names the plugin sends.
    other_events: &[
        ("session.created", HookKind::SessionStarted),
        ("session.deleted", HookKind::SessionEnded),
        ("session.busy", HookKind::Busy),
        ("chat.message", HookKind::Prompted),
        ("session.idle", HookKind::Stopped),
        ("session.error", HookKind::StopFailed),
        ("session.aborted", HookKind::Interrupted),
        ("session.compacted", HookKind::Compacted),
        ("tool.execute.before", HookKind::ToolStarted),
        ("tool.execute.after", HookKind::ToolEnded),
        ("permission.asked", HookKind::PermissionAsked),
        ("permission.replied", HookKind::PermissionAnswered),
        ("question.asked", HookKind::QuestionAsked),
        ("question.replied", HookKind::QuestionAnswered),
        ("question.rejected", HookKind::QuestionAnswered),
        ("subagent.started", HookKind::SubagentStarted),
        ("subagent.stopped", HookKind::SubagentStopped),
    ],
    asking_tools: &["question"],
    after_install: "running sessions report once they are restarted",
    ..Hooks::of(NAME, CONFIGURATION, PLUGIN)
};

/// The hook that asks closeout whether the agent may stop.
const GATE: Hooks = Hooks {
    settings: Settings::Plugin {
        user: "plugin/closeout-gate.js",
        project: ".opencode/plugin/closeout-gate.js",
        text: include_str!("../../../assets/hooks/opencode-gate.js"),
    },
    ..HOOKS.gate("stop", &[])
};

impl Agent for OpenCode {
    fn facts(&self) -> &'static Facts {
        &Facts {
            name: NAME,
            records: Some(DATA),
            variables: VARIABLES,
            programs: &["opencode", ".opencode", "opencode.exe"],
            work: Some(&["opencode", "run"]),
            package: Some("opencode-ai"),
            tried: Some((Version(1, 18, 33), Version(1, 18, 33))),
            has_traceless_probe: true,
            typing: Some(TYPING),
            permission: Some(PERMISSION),
            hooks: Some(&HOOKS),
            gate: Some(&GATE),
            ..Facts::NONE
        }
    }

    fn survey(&self, home: &Path, ask: &SurveyAsk<'_>, memory: &mut Memories) -> Survey {
        memory.with(|memory| survey::survey(home, ask, memory))
    }

    fn is_news(&self, home: &Path, folder: &Path, memory: &mut Memories) -> Option<bool> {
        (home == folder).then(|| {
            memory.with(|memory: &mut survey::SurveyMemory| survey::is_news(home, &mut memory.arrivals))
        })
    }

    fn sessions(&self, ask: &SessionsAsk<'_>, memory: &mut Memories) -> SessionsRead {
        memory.with_places(ask.places, |memory| sessions::sessions(ask, memory))
    }

    fn command(&self, session: &SessionObservation, asking: &Asking) -> Option<AgentCommand> {
        command::command(session, asking)
    }

    fn copy_session(
        &self,
        home: &Path,
        session: &SessionObservation,
        to: &Path,
    ) -> Option<Result<(), Unreadable>> {
        Some(session_copy::copy_session(home, &session.session_id, to))
    }

    fn keeps_copy(&self, home: &Path, copy_id: &str) -> bool {
        session_copy::has_session(home, copy_id)
    }

    fn removal(&self, session: &SessionObservation, copy_id: &str) -> Option<AgentCommand> {
        command::removal(session, copy_id)
    }

    fn is_shown(&self, session: &SessionObservation, _record: Option<&Path>, title: &str) -> Option<bool> {
        names_session(title, session.name.as_deref())
    }

    fn server(&self) -> Option<&'static dyn AgentServer> {
        Some(&api::Server)
    }
}

/// Whether a title names the session called `name`. `None` if the program does not set such a title in a
/// session. A session without a name shows the program's name. Observed with 1.18.33, which cuts a name of
/// more than 40 UTF-16 units to 37 and `…`, and also shows the program's name on its start screen.
fn names_session(title: &str, name: Option<&str>) -> Option<bool> {
    let title = title.trim();
    let Some(shown) = title.strip_prefix("OC | ") else {
        return (title == "OpenCode").then_some(name.is_none());
    };
    let Some(name) = name else { return Some(false) };
    let is_begin = |begin: &str| {
        // A character cut in half is drawn as a replacement character.
        let begin = begin.trim_end_matches('\u{fffd}');
        begin.encode_utf16().count() >= 36 && name.starts_with(begin)
    };
    Some(shown.trim() == name || shown.strip_suffix('…').is_some_and(is_begin))
}

/// In a session the terminal cursor is the drawn one. The box grows with its text and eventually scrolls,
/// so only its lowest form is recognised. Its last line is `AGENT · MODEL PROVIDER`, or just `Shell` in the
/// shell mode that `!` starts. In dialogs, lists and permission prompts the cursor is elsewhere, and so it
/// is on the start screen, which is not a session. A wide screen shows a column of facts to the right of
/// the edge; a theme without a background uses blanks for the edge.
const TYPING: Typing = Typing {
    empty_box: Some(EmptyBox::Barred { bar: '┃', from_bar: 3, mode: " · ", edge: ('╹', '▀') }),
    ..Typing::USUAL
};
/// Return chooses the option that is set off, which is the first one until somebody moves on; Esc refuses, which ends
/// the turn.
const PERMISSION: PermissionKeys = PermissionKeys {
    drawn: Some(DrawnPrompt::Buttons {
        sign: "$ ",
        bar: '┃',
        labels: &["Allow once", "Allow always", "Reject"],
    }),
    ..PermissionKeys::of_version(
        &[PermissionKey::allow_once("Enter", "Enter"), PermissionKey::deny("Esc", "Escape")],
        "1.18.33",
    )
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_names_one_session() {
        let long = "Some words that decide nothing, and some more of them";
        let cut = "OC | Some words that decide nothing, and s…";
        for (title, name, wanted) in [
            ("OC | Fix the parser", Some("Fix the parser"), Some(true)),
            ("OC | Fix the parser", Some("Fix the writer"), Some(false)),
            ("OC | Fix the parser", None, Some(false)),
            // A title of 40 UTF-16 units, some of which may be halves of one character.
            (cut, Some(long), Some(true)),
            (cut, Some("Some words that decide all"), Some(false)),
            ("OC | S…", Some("Some words"), Some(false)),
            // The start screen, or a session without a name.
            ("OpenCode", Some("Fix the parser"), Some(false)),
            ("OpenCode", None, Some(true)),
            // Titles are turned off.
            ("host", Some("Fix the parser"), None),
            ("", None, None),
        ] {
            assert_eq!(names_session(title, name), wanted, "{title} {name:?}");
        }
    }
}
