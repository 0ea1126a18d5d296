//! What the program reads from its environment, once, at the start. Only `hook event` reads
//! variables by itself, those that it names.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tracing::level_filters::LevelFilter;

use crate::agent::{AGENTS, Adapter, AgentFolder};
use crate::config::{Config, Flags, Sources};
use crate::engine::{EngineConfig, Overrides, Scope};
use crate::evidence::LiveSources;
use crate::evidence::panes::{InsideTmux, PaneSource, Tmux};
use crate::judge::runs::Catalog;
use crate::model::{SessionId, display_text};
use crate::process;
use crate::store::log::{self, LogGuard};

use super::exit::Failure;

/// Where nothing is kept for long, whoever is at work.
const TEMPORARY_FOLDERS: [&str; 2] = ["/tmp", "/var/tmp"];

pub(super) struct Environment {
    variables: BTreeMap<OsString, OsString>,
    /// The working directory; `.` if it cannot be determined.
    pub(super) here: PathBuf,
    home: Option<PathBuf>,
    own_program: Option<PathBuf>,
    /// The log of this process, or why there is none.
    log: OnceLock<Result<LogGuard, String>>,
}

impl Environment {
    pub(super) fn read() -> Environment {
        let variables: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
        let own_program = own_program();
        // By its name, so that a list of processes tells what it is.
        let named = std::env::current_exe().ok().filter(|path| path.is_absolute() && path.exists());
        if let Some(program) = named.or_else(|| own_program.clone()) {
            process::guard_children(process::Launcher { program });
        }
        Environment {
            here: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
            home: variables.get(&OsString::from("HOME")).map(PathBuf::from).filter(|home| home.is_absolute()),
            own_program,
            variables,
            log: OnceLock::new(),
        }
    }

    /// The variable `name`, if it is set and not empty.
    pub(super) fn variable(&self, name: &str) -> Option<&OsString> {
        self.variables.get(&OsString::from(name)).filter(|value| !value.is_empty())
    }

    /// All variables, for a program that the person chose.
    pub(super) fn all(&self) -> Vec<(OsString, OsString)> {
        self.variables.clone().into_iter().collect()
    }

    fn text(&self, name: &str) -> Option<String> {
        self.variable(name)?.to_str().map(str::to_owned)
    }

    /// The locale for characters: the first of the variables that is set, in the order of setlocale(3).
    pub(super) fn locale(&self) -> Option<String> {
        ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| self.text(name))
    }

    pub(super) fn sources(&self, flags: Flags) -> Sources {
        Sources { environment: self.variables.clone(), home: self.home.clone(), flags }
    }

    /// The folder for what closeout remembers, if there is a place for it.
    pub(super) fn state_folder(&self) -> Option<PathBuf> {
        self.sources(Flags::default()).state_folder()
    }

    /// Starts the log for a command that could not read its configuration.
    pub(super) fn log_without_configuration(&self) {
        if let Some(folder) = self.state_folder() {
            self.log.get_or_init(|| start_log(&folder, LevelFilter::INFO, true));
        }
    }

    pub(super) fn log_problem(&self) -> Option<&str> {
        self.log.get()?.as_ref().err().map(String::as_str)
    }

    /// The path of the program `name`, by the search path.
    pub(super) fn program(&self, name: &str) -> Option<PathBuf> {
        let path = self.variable("PATH")?;
        process::find_program(name, Some(path.as_os_str()))
    }

    /// The agents that closeout knows, each with the folder of its records as its own variables set it.
    pub(super) fn adapters(&self) -> Vec<Adapter> {
        Adapter::all(|folder| self.folder_of(folder))
    }

    /// tmux, if it is installed, and the server and pane closeout runs in (tmux(1), ENVIRONMENT).
    fn tmux(&self) -> Option<Tmux> {
        let program = self.program("tmux")?;
        let folder = self.variable("TMUX_TMPDIR").map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
        let own = rustix::process::geteuid().as_raw();
        let inside = self.variable("TMUX").zip(self.variable("TMUX_PANE")).and_then(|(variable, pane)| {
            // `TMUX` is `socket,pid,session`; the path of the socket may contain commas.
            let socket = PathBuf::from(variable.to_str()?.rsplitn(3, ',').nth(2)?);
            Some(InsideTmux { socket, variable: variable.clone(), pane: pane.clone() })
        });
        Some(Tmux { program, default_socket: folder.join(format!("tmux-{own}/default")), inside })
    }

    /// The path of an agent's folder.
    pub(super) fn folder_of(&self, folder: &AgentFolder) -> Option<PathBuf> {
        folder.path(self.home.as_deref(), |name| self.folder(name))
    }

    /// The id of the agent session that started this program, if the agent names it.
    fn own_session(&self) -> Option<SessionId> {
        AGENTS.into_iter().find_map(|agent| self.text(agent.facts().session_variable?)).map(SessionId::from)
    }

    /// The folders that the system or its person empties (hier(7), file-hierarchy(7)).
    fn temporary_folders(&self) -> Vec<PathBuf> {
        let own = self.folder("TMPDIR");
        let folders = TEMPORARY_FOLDERS.into_iter().map(PathBuf::from).chain(own);
        folders.filter_map(|folder| folder.canonicalize().ok()).collect()
    }

    /// The variable `name`, if it is an absolute path.
    fn folder(&self, name: &str) -> Option<PathBuf> {
        self.variable(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// `path` made absolute and without `.`, without resolving links.
    pub(super) fn absolute(&self, path: &Path) -> PathBuf {
        self.here.join(path).components().collect()
    }

    /// `path` made absolute, as text.
    pub(super) fn absolute_text(&self, path: &Path) -> Result<String, Failure> {
        let text = self.absolute(path).into_os_string().into_string();
        text.map_err(|path| Failure::Usage(format!("{} is no UTF-8 path", display_text::path(path.as_ref()))))
    }

    /// All worktrees of this repository and `paths`; without paths, the workspaces of all sessions too.
    pub(super) fn worktrees(&self, paths: &[PathBuf]) -> Scope {
        Scope::Worktrees {
            with_sessions: paths.is_empty(),
            here: self.here.clone(),
            paths: paths.iter().map(|path| self.absolute(path)).collect(),
        }
    }

    /// The parameters of an engine with this scope.
    pub(super) fn engine_config(
        &self,
        scope: Scope,
        flags: Flags,
        overrides: Overrides,
    ) -> Result<EngineConfig, Failure> {
        let sources = self.sources(flags);
        let state_folder = sources.state_folder();
        let overrides = Overrides {
            check_id: overrides.check_id.or_else(|| self.text("AGENTCORE_COMPLETION_CHECK_ID")),
            own_session: overrides.own_session.or_else(|| self.own_session()),
            ..overrides
        };
        let config = Config::load(&sources)?;
        if let Some(folder) = &state_folder {
            // A run on one workspace ends soon and logs directly; elsewhere a log line must not hold up the
            // loop.
            let is_short = matches!(scope, Scope::One(_));
            self.log.get_or_init(|| start_log(folder, config.log_level, is_short));
        }
        let mut adapters = self.adapters();
        adapters.extend(config.agents().iter().cloned().map(Adapter::described));
        Ok(EngineConfig {
            catalog: Catalog::with(config.tools()),
            config,
            scope,
            overrides,
            home: self.home.clone(),
            temporary_folders: self.temporary_folders(),
            adapters,
            variables: self.variables.clone(),
            git_program: self.program("git"),
            own_program: self.own_program.clone(),
            live: Some(LiveSources::new(self.tmux().map(PaneSource::new))),
            state_folder,
            has_terminal: std::io::stdin().is_terminal(),
        })
    }
}

fn start_log(state: &Path, level: LevelFilter, is_short: bool) -> Result<LogGuard, String> {
    let started = if is_short { log::start_at_once(state, level) } else { log::start(state, level) };
    started.map_err(|error| format!("no log is written: {error}"))
}

/// The path of this very program, valid even after its file was replaced by a newer one (proc(5)).
fn own_program() -> Option<PathBuf> {
    let running = PathBuf::from("/proc/self/exe");
    if running.exists() {
        Some(running)
    } else {
        std::env::current_exe().ok().filter(|path| path.is_absolute())
    }
}

/// Whether a locale uses UTF-8, like `C.UTF-8`.
pub(super) fn is_utf8(locale: &str) -> bool {
    let locale = locale.to_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}
