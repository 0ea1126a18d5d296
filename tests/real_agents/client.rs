//! The four clients: how each is set up without dialogs, started, asked, approved and probed. What closeout
//! should say of them is not told here.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::json;

/// A client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Client {
    Claude,
    Codex,
    Opencode,
    Gemini,
}

/// The folders that a client's settings name.
#[derive(Debug)]
pub(crate) struct Setting<'a> {
    pub(crate) home: &'a Path,
    pub(crate) scratch: &'a Path,
    pub(crate) folders: &'a [PathBuf],
    pub(crate) url: &'a str,
}

impl Client {
    pub(crate) const ALL: [Client; 4] = [Client::Claude, Client::Codex, Client::Opencode, Client::Gemini];

    /// Its name, which is its program's and the one that closeout has for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Client::Claude => "claude",
            Client::Codex => "codex",
            Client::Opencode => "opencode",
            Client::Gemini => "gemini",
        }
    }

    /// The version that is pinned in `clients/package.json`.
    pub(crate) fn version(self) -> &'static str {
        match self {
            Client::Claude => "2.1.330",
            Client::Codex => "0.169.0",
            Client::Opencode => "1.18.33",
            Client::Gemini => "0.61.0",
        }
    }

    /// The variables that it needs beside HOME, PATH, TERM and LANG: the mock model's address, a key that
    /// is none, and no word to anybody else.
    pub(crate) fn variables(self, setting: &Setting<'_>) -> Vec<(String, String)> {
        let scratch = setting.scratch.join("tmp").display().to_string();
        let url = setting.url.to_owned();
        let variables: Vec<(&str, String)> = match self {
            Client::Claude => vec![
                ("ANTHROPIC_API_KEY", "dummy".into()),
                ("ANTHROPIC_BASE_URL", url),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
                ("CLAUDE_CODE_TMPDIR", scratch),
                ("DISABLE_AUTOUPDATER", "1".into()),
                ("DISABLE_TELEMETRY", "1".into()),
                ("DISABLE_ERROR_REPORTING", "1".into()),
            ],
            Client::Codex => vec![("OPENAI_API_KEY", "dummy".into())],
            Client::Opencode => vec![
                ("OPENCODE_DISABLE_AUTOUPDATE", "1".into()),
                ("OPENCODE_DISABLE_MODELS_FETCH", "1".into()),
            ],
            Client::Gemini => {
                vec![("GEMINI_API_KEY", "dummy".into()), ("GOOGLE_GEMINI_BASE_URL", url)]
            }
        };
        variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Writes its settings: the mock model, and every dialog of a first start answered.
    pub(crate) fn configure(self, setting: &Setting<'_>) -> Result<()> {
        match self {
            Client::Claude => claude(setting),
            Client::Codex => codex(setting),
            Client::Opencode => opencode(setting),
            Client::Gemini => gemini(setting),
        }
    }

    /// Its command line at a screen. Tools are asked for, and todo lists are on.
    pub(crate) fn at_a_screen(self) -> Vec<String> {
        let words: &[&str] = match self {
            Client::Claude => &[
                "--permission-mode",
                "default",
                "--tools",
                "Agent,AskUserQuestion,Bash,Read,TaskCreate,TaskList,TaskUpdate",
            ],
            Client::Codex => &["-a", "on-request", "-s", "workspace-write"],
            Client::Opencode => &[],
            // With a named model no call decides first which model to take.
            Client::Gemini => &["-m", "gemini-2.5-pro"],
        };
        self.command(words)
    }

    /// Its command line for one prompt without a screen.
    pub(crate) fn headless(self, prompt: &str) -> Vec<String> {
        match self {
            Client::Claude => self.command(&["-p", prompt, "--output-format", "json"]),
            Client::Codex => self.command(&["exec", "--json", prompt]),
            Client::Opencode => self.command(&["run", "--format", "json", prompt]),
            Client::Gemini => self.command(&["-m", "gemini-2.5-pro", "-o", "json", "-p", prompt]),
        }
    }

    /// A question to a session that is to leave no trace in it, as a monitor would put it. `None` where
    /// the client has no such way.
    pub(crate) fn probe(self, id: &str, prompt: &str) -> Option<Vec<String>> {
        Some(match self {
            Client::Claude => self.command(&[
                "-p", "--resume", id, "--no-session-persistence", "--settings",
                r#"{"disableAllHooks":true}"#, "--permission-mode", "plan", "--output-format", "json",
                prompt,
            ]),
            Client::Codex => self.command(&[
                "exec", "fork", "--json", "--ephemeral", "--disable", "hooks", "-c", "notify=[]", id, prompt,
            ]),
            Client::Opencode | Client::Gemini => return None,
        })
    }

    /// A copy of a session with one prompt more. `None` where the client has no such way.
    pub(crate) fn fork(self, id: &str, prompt: &str) -> Option<Vec<String>> {
        Some(match self {
            Client::Claude => {
                self.command(&["-p", "--resume", id, "--fork-session", "--output-format", "json", prompt])
            }
            Client::Codex => self.command(&["exec", "fork", "--json", id, prompt]),
            Client::Opencode => self.command(&["run", "--session", id, "--fork", "--format", "json", prompt]),
            Client::Gemini => return None,
        })
    }

    fn command(self, more: &[&str]) -> Vec<String> {
        std::iter::once(self.name()).chain(more.iter().copied()).map(str::to_owned).collect()
    }

    /// Whether its screen waits for a first prompt.
    pub(crate) fn is_ready(self, screen: &str) -> bool {
        match self {
            Client::Claude => screen.contains("manual mode on"),
            Client::Codex => screen.contains('›') && screen.contains("GPT-5.5 default"),
            Client::Opencode => screen.contains("ctrl+p commands"),
            Client::Gemini => screen.contains("Type your message"),
        }
    }

    /// Whether its screen asks for a permission; Enter then grants it once.
    pub(crate) fn is_asking_for_leave(self, screen: &str) -> bool {
        match self {
            Client::Claude => screen.contains("Do you want to proceed?"),
            Client::Codex => screen.contains("Would you like to run the following command?"),
            Client::Opencode => screen.contains("Permission required"),
            Client::Gemini => {
                screen.contains("Allow execution of") || screen.contains("Do you want to proceed?")
            }
        }
    }

    /// Whether these are the words of a server of its screens, which lives on after them.
    pub(crate) fn is_server(self, command_line: &str) -> bool {
        self == Client::Codex && command_line.contains("app-server")
    }

    /// The folder of its conversations, below HOME, all of which must be the same after a look.
    pub(crate) fn conversations(self, home: &Path) -> PathBuf {
        home.join(match self {
            Client::Claude => ".claude/projects",
            Client::Codex => ".codex/sessions",
            Client::Opencode => ".local/share/opencode",
            Client::Gemini => ".gemini/tmp",
        })
    }

    /// The column of the cursor in its empty input box at a screen of its own, and the keys that go to the end
    /// and to the begin of a line in it.
    pub(crate) fn input_box(self) -> Option<(usize, [&'static str; 2])> {
        match self {
            Client::Claude => Some((2, ["End", "Home"])),
            // Home and End scroll its conversation.
            Client::Opencode => Some((5, ["C-e", "C-a"])),
            Client::Gemini => Some((3, ["End", "Home"])),
            // It takes replies by its queue.
            Client::Codex => None,
        }
    }

    /// The command after which its screen shows another session.
    pub(crate) fn begins_anew(self) -> Option<&'static str> {
        match self {
            Client::Opencode => Some("/new"),
            Client::Gemini => Some("/clear"),
            // Claude Code tells which session its screen shows; Codex has a queue for each.
            Client::Claude | Client::Codex => None,
        }
    }

    /// The folder of its records, below HOME, in which changes are watched for.
    pub(crate) fn records(self, home: &Path) -> PathBuf {
        home.join(match self {
            Client::Claude => ".claude/sessions",
            Client::Codex => ".codex/sessions",
            Client::Opencode => ".local/share/opencode",
            Client::Gemini => ".gemini/tmp",
        })
    }
}

fn write(path: &Path, content: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    Ok(fs::write(path, content)?)
}

fn claude(setting: &Setting<'_>) -> Result<()> {
    let trusted: serde_json::Map<String, serde_json::Value> = setting
        .folders
        .iter()
        .map(|folder| (folder.display().to_string(), json!({"hasTrustDialogAccepted": true})))
        .collect();
    let settings = json!({
        "hasCompletedOnboarding": true,
        "theme": "dark",
        "customApiKeyResponses": {"approved": ["dummy"], "rejected": []},
        "projects": trusted,
    });
    write(&setting.home.join(".claude.json"), &settings.to_string())
}

fn codex(setting: &Setting<'_>) -> Result<()> {
    let mut text = format!(
        r#"model = "gpt-5.5"
model_provider = "mock"
check_for_update_on_startup = false

[model_providers.mock]
name = "mock"
base_url = "{}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[tools]
update_plan = {{ enabled = true }}

[tui]
screen_reader_detection_done = true

[tui.model_availability_nux]
"gpt-6.1-sol" = 1

[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"
"#,
        setting.url
    );
    for folder in setting.folders {
        let folder = folder.display().to_string();
        write!(text, "\n[projects.{folder:?}]\ntrust_level = \"trusted\"\n")?;
    }
    write(&setting.home.join(".codex/config.toml"), &text)
}

fn opencode(setting: &Setting<'_>) -> Result<()> {
    let provider = json!({
        "npm": "@ai-sdk/openai-compatible",
        "name": "Mock",
        "options": {"baseURL": format!("{}/v1", setting.url), "apiKey": "dummy"},
        "models": {"mock-model": {"name": "Mock"}},
    });
    let settings = json!({
        "autoupdate": false,
        "share": "disabled",
        "model": "mock/mock-model",
        "small_model": "mock/mock-model",
        "permission": {"bash": "ask"},
        "provider": {"mock": provider},
    });
    write(&setting.home.join(".config/opencode/opencode.json"), &settings.to_string())
}

fn gemini(setting: &Setting<'_>) -> Result<()> {
    let settings = json!({
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
        "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
        "ui": {"hideTips": true},
    });
    write(&setting.home.join(".gemini/settings.json"), &settings.to_string())
}
