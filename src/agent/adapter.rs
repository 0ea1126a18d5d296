//! The seam between closeout and a kind of agent.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use super::commands::{AgentCommand, ApiAsk, ApiRequest, Asking};
use super::survey::{Survey, SurveyAsk, SurveyMemory};
use super::typing::{self, Typing};
use super::{claude, codex, custom, gemini, opencode, panes, variables};
use crate::model::{CustomAgent, SessionObservation, SessionPlace, Unreadable, VariableNames, WatchTarget};

/// The most sessions of one workspace that are read; the newest ones.
const MOST_SESSIONS: usize = 12;

/// A kind of agent, and where its records are on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Adapter {
    /// Claude Code.
    ClaudeCode {
        /// Its configuration folder: `CLAUDE_CONFIG_DIR`, else `~/.claude`.
        config_dir: PathBuf,
    },
    /// Codex.
    Codex {
        /// Its folder: `CODEX_HOME`, else `~/.codex`.
        home: PathBuf,
    },
    /// opencode.
    OpenCode {
        /// Its data folder: `opencode` in `XDG_DATA_HOME`, else in `~/.local/share`.
        data_dir: PathBuf,
    },
    /// Gemini CLI.
    Gemini {
        /// Its folder: `~/.gemini`.
        home: PathBuf,
    },
    /// An agent that a person described. It has no place where all its sessions are: they are looked for in
    /// the workspaces that are known.
    Custom(Box<CustomAgent>),
}

/// What is remembered of a workspace's sessions from one reading to the next, so that only what was
/// appended to a record is read again. Losing it costs time and nothing else.
#[derive(Debug, Default)]
pub struct SessionMemory {
    claude: claude::Memory,
    codex: codex::Memory,
    opencode: opencode::Memory,
    gemini: gemini::Memory,
    custom: custom::Memory,
}

/// The sessions of one workspace, as they were read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionsRead {
    /// The sessions, the newest first.
    pub sessions: Vec<SessionObservation>,
    /// What is there and could not be read.
    pub trouble: Vec<Unreadable>,
    /// Where a change of them, or a new one in a place that is known, would show.
    pub watch_targets: Vec<WatchTarget>,
}

impl Adapter {
    /// The agent's name in evidence and on the screen.
    pub fn name(&self) -> &str {
        match self {
            Adapter::ClaudeCode { .. } => claude::NAME,
            Adapter::Codex { .. } => codex::NAME,
            Adapter::OpenCode { .. } => opencode::NAME,
            Adapter::Gemini { .. } => gemini::NAME,
            Adapter::Custom(agent) => &agent.name,
        }
    }

    /// The folder that its records are in; `None` for an agent whose records are in its workspaces.
    pub fn place(&self) -> Option<&Path> {
        match self {
            Adapter::ClaudeCode { config_dir } => Some(config_dir),
            Adapter::OpenCode { data_dir } => Some(data_dir),
            Adapter::Codex { home } | Adapter::Gemini { home } => Some(home),
            Adapter::Custom(_) => None,
        }
    }

    /// The environment variables of the person's that are meant for it.
    pub fn variables(&self) -> VariableNames {
        match self {
            Adapter::ClaudeCode { .. } => variables::CLAUDE,
            Adapter::Codex { .. } => variables::CODEX,
            Adapter::OpenCode { .. } => variables::OPENCODE,
            Adapter::Gemini { .. } => variables::GEMINI,
            Adapter::Custom(_) => variables::CUSTOM,
        }
    }

    /// Whether records of this version of the agent were tried. Others are read all the same, as far
    /// as they are understood, and are said to be unknown.
    pub fn knows_version(&self, version: &str) -> bool {
        match self {
            Adapter::ClaudeCode { .. } => claude::knows_version(version),
            Adapter::Codex { .. } => codex::knows_version(version),
            Adapter::OpenCode { .. } => opencode::knows_version(version),
            Adapter::Gemini { .. } => gemini::knows_version(version),
            // Its person describes it, whatever its version.
            Adapter::Custom(_) => true,
        }
    }

    /// Finds the agent's sessions on this machine.
    pub fn survey(&self, ask: &SurveyAsk<'_>, memory: &mut SurveyMemory) -> Survey {
        match self {
            Adapter::ClaudeCode { config_dir } => claude::survey(config_dir, ask, &mut memory.claude),
            Adapter::Codex { home } => codex::survey(home, ask, &mut memory.codex),
            Adapter::OpenCode { data_dir } => opencode::survey(data_dir, ask, &mut memory.opencode),
            Adapter::Gemini { home } => gemini::survey(home, ask, &mut memory.gemini),
            Adapter::Custom(_) => Survey::default(),
        }
    }

    /// Whether an event in `folder`, one of the survey's watch targets, is news for discovery. Only an
    /// agent that keeps all of its sessions in one file can say no.
    pub(super) fn is_news(&self, folder: &Path, memory: &mut SurveyMemory) -> Option<bool> {
        match self {
            Adapter::OpenCode { data_dir } if data_dir == folder => {
                Some(opencode::is_news(data_dir, &mut memory.opencode))
            }
            Adapter::ClaudeCode { .. }
            | Adapter::Codex { .. }
            | Adapter::OpenCode { .. }
            | Adapter::Gemini { .. }
            | Adapter::Custom(_) => None,
        }
    }

    /// Reads the sessions of `workspace` (absolute, resolved). `places` are those of this agent.
    fn sessions(
        &self,
        workspace: &Path,
        places: &[&SessionPlace],
        memory: &mut SessionMemory,
    ) -> SessionsRead {
        match self {
            Adapter::ClaudeCode { config_dir } => {
                claude::sessions(config_dir, workspace, places, &mut memory.claude)
            }
            Adapter::Codex { home } => codex::sessions(home, workspace, places, &mut memory.codex),
            Adapter::OpenCode { data_dir } => {
                opencode::sessions(data_dir, workspace, places, &mut memory.opencode)
            }
            Adapter::Gemini { home } => gemini::sessions(home, workspace, places, &mut memory.gemini),
            Adapter::Custom(agent) => custom::sessions(agent, workspace, &mut memory.custom),
        }
    }

    /// How words reach a live session of this agent at its screen; `None` where that was not seen.
    pub fn typing(&self) -> Option<Typing> {
        typing::typing(self.name())
    }

    /// Whether the screen of the process that has this session shows it, by the title of its pane and what
    /// the agent's records tell; a person can go on to another session on the same screen. `None` where it
    /// cannot be known.
    pub fn is_shown(&self, session: &SessionObservation, record: Option<&Path>, title: &str) -> Option<bool> {
        match self {
            // Its registry names the session of each process.
            Adapter::ClaudeCode { .. } => Some(true),
            Adapter::OpenCode { .. } => panes::names_opencode_session(title, session.name.as_deref()),
            Adapter::Gemini { .. } => gemini::is_shown(session, record?),
            Adapter::Codex { .. } | Adapter::Custom(_) => None,
        }
    }

    /// Whether words for a live session go by the agent's own queue.
    pub fn has_queue(&self) -> bool {
        typing::has_queue(self.name())
    }

    /// A request to the server that this agent's process may have. `None` for an agent that has none, and for
    /// what cannot stand in a request.
    pub fn api_request(&self, session: &SessionObservation, ask: &ApiAsk<'_>) -> Option<ApiRequest> {
        match self {
            Adapter::OpenCode { .. } => opencode::request(session, ask),
            Adapter::ClaudeCode { .. }
            | Adapter::Codex { .. }
            | Adapter::Gemini { .. }
            | Adapter::Custom(_) => None,
        }
    }

    /// The file that replies to this agent are written to in `workspace`, where a person named one.
    pub fn reply_file(&self, workspace: &Path) -> Option<PathBuf> {
        match self {
            Adapter::Custom(agent) => custom::reply_file(agent, workspace),
            Adapter::ClaudeCode { .. }
            | Adapter::Codex { .. }
            | Adapter::OpenCode { .. }
            | Adapter::Gemini { .. } => None,
        }
    }

    /// Whether its sessions can be asked for their status in a way that leaves nothing behind.
    pub fn has_traceless_probe(&self) -> bool {
        match self {
            Adapter::ClaudeCode { .. } | Adapter::Codex { .. } | Adapter::OpenCode { .. } => true,
            Adapter::Gemini { .. } => false,
            Adapter::Custom(agent) => agent.probe.is_some(),
        }
    }

    /// The program by which a session of this agent is asked or told something. `None` where the
    /// agent has no way to do that.
    pub fn command(&self, session: &SessionObservation, asking: &Asking) -> Option<AgentCommand> {
        let command = match self {
            Adapter::ClaudeCode { .. } => claude::command(session, asking),
            Adapter::Codex { .. } => codex::command(session, asking),
            Adapter::OpenCode { .. } => opencode::command(session, asking),
            Adapter::Gemini { .. } => gemini::command(session, asking),
            Adapter::Custom(agent) => custom::command(agent, session, asking),
        }?;
        Some(match asking {
            // A look into a session is no part of it: closeout's own hook passes it over.
            Asking::Probe { .. } | Asking::Closer { .. } => command.with_variable("CLOSEOUT_PROBE", "1"),
            Asking::Reply { .. } | Asking::Queue { .. } => command,
        })
    }
}

impl Adapter {
    /// Makes the copy of the session's record that [`Argument::RecordCopy`](super::Argument::RecordCopy)
    /// names, in `to`, an empty file, where that is not a copy of the record's file. `None` where it is.
    ///
    /// # Errors
    /// The record cannot be read, or the copy cannot be written.
    pub fn copy_session(&self, session: &SessionObservation, to: &Path) -> Option<Result<(), Unreadable>> {
        match self {
            Adapter::OpenCode { data_dir } => Some(opencode::copy_session(data_dir, &session.session_id, to)),
            Adapter::ClaudeCode { .. }
            | Adapter::Codex { .. }
            | Adapter::Gemini { .. }
            | Adapter::Custom(_) => None,
        }
    }

    /// Whether a copy that a look was to leave elsewhere is in the agent's own records after all.
    pub fn keeps_copy(&self, copy_id: &str) -> bool {
        match self {
            Adapter::OpenCode { data_dir } => opencode::has_session(data_dir, copy_id),
            Adapter::ClaudeCode { .. }
            | Adapter::Codex { .. }
            | Adapter::Gemini { .. }
            | Adapter::Custom(_) => false,
        }
    }

    /// The program that deletes the copy `copy_id` of `session`, which a command of this adapter made
    /// ([`Trace::Copy`](super::Trace::Copy)). `None` where the agent has no such copies, or the id is not
    /// one of the agent's, or is the session's own.
    pub fn removal(&self, session: &SessionObservation, copy_id: &str) -> Option<AgentCommand> {
        if copy_id == session.session_id {
            return None;
        }
        match self {
            Adapter::OpenCode { .. } => opencode::removal(session, copy_id),
            Adapter::Gemini { .. } => gemini::removal(session, copy_id),
            Adapter::ClaudeCode { .. } | Adapter::Codex { .. } | Adapter::Custom(_) => None,
        }
    }
}

/// Reads the sessions of `workspace` over all `adapters`, the newest first.
pub fn sessions(
    adapters: &[Adapter],
    workspace: &Path,
    places: &[SessionPlace],
    memory: &mut SessionMemory,
) -> SessionsRead {
    let mut all = SessionsRead::default();
    for adapter in adapters {
        let of_agent: Vec<&SessionPlace> =
            places.iter().filter(|place| place.agent == adapter.name()).collect();
        let read = adapter.sessions(workspace, &of_agent, memory);
        all.sessions.extend(read.sessions);
        all.trouble.extend(read.trouble);
        all.watch_targets.extend(read.watch_targets);
    }
    // A session whose process lives is kept, however old the last word in it.
    all.sessions.sort_by_key(|session| Reverse((session.process.is_some(), session.written_at)));
    all.sessions.truncate(MOST_SESSIONS);
    // Stable: an adapter may know the order of two that were written in the same millisecond.
    all.sessions.sort_by_key(|session| Reverse(session.written_at));
    all
}
