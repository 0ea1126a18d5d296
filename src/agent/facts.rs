//! What is known about an agent in advance: plain data, observed in real runs. Each agent's facts are in
//! its own folder; whatever is not stated there is as in [`Facts::NONE`].

use std::path::{Path, PathBuf};

use super::screen::{PermissionKeys, Typing};
use crate::model::{HookKind, VariableNames};

/// What is known about an agent in advance.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Facts {
    /// Its name in evidence and on screen. Empty if the user's configuration names it.
    pub name: &'static str,
    /// The folder of its records. `None` if they are in the workspaces.
    pub records: Option<AgentFolder>,
    /// The user's environment variables that are meant for it. Excluded are those that a running session
    /// sets for its child processes: with them an agent refuses to start inside itself, keeps no record, or
    /// takes itself for that session.
    pub variables: VariableNames,
    /// The variable that names the session to the programs it starts.
    pub session_variable: Option<&'static str>,
    /// The names of its processes.
    pub programs: &'static [&'static str],
    /// The command line for working without a screen. The prompt goes to standard input.
    pub work: Option<&'static [&'static str]>,
    /// The arguments that make this command line report its cost.
    pub telling_cost: &'static [&'static str],
    /// The folder name of its package, which identifies a script with an unspecific name.
    pub package: Option<&'static str>,
    /// The oldest and the newest version whose records were observed. Others are read as far as they are
    /// understood, and are reported as untested.
    pub tried: Option<(Version, Version)>,
    /// Whether a session can be asked for its status without leaving a trace.
    pub has_traceless_probe: bool,
    /// Whether its process holds the session's record open.
    pub holds_records: bool,
    /// Whether the title of its pane shows what it is doing.
    pub tells_by_title: bool,
    /// Whether a turn may still be running although its record looks finished.
    pub hides_open_calls: bool,
    /// Whether text for a live session goes through the agent's own queue, which accepts it at any time and
    /// never mistakes it for key presses.
    pub has_queue: bool,
    /// How text is entered at a live session's screen; `None` if that was never observed.
    pub typing: Option<Typing>,
    /// The keys that answer its permission prompts, provided its hook reports what they are about.
    pub permission: Option<PermissionKeys>,
    /// Why a closed session cannot be resumed, if there is more to say than that its id or folder is
    /// unknown.
    pub never_resumed: Option<&'static str>,
    /// Whether the user's configuration describes it. It is then written to only in the configured ways.
    pub is_described: bool,
    /// The hook that reports events.
    pub hooks: Option<&'static Hooks>,
    /// The hook that asks whether the agent may stop.
    pub gate: Option<&'static Hooks>,
}

impl Facts {
    /// An agent about which nothing is known.
    pub const NONE: Facts = Facts {
        name: "",
        records: None,
        variables: VariableNames { allowed: &[], except: &[] },
        session_variable: None,
        programs: &[],
        work: None,
        telling_cost: &[],
        package: None,
        tried: None,
        has_traceless_probe: false,
        holds_records: false,
        tells_by_title: false,
        hides_open_calls: false,
        has_queue: false,
        typing: None,
        permission: None,
        never_resumed: None,
        is_described: false,
        hooks: None,
        gate: None,
    };

    /// Whether `version` is within the observed range. An agent without such a range knows every version.
    pub fn knows_version(&self, version: &str) -> bool {
        self.tried.is_none_or(|(oldest, newest)| {
            Version::parse(version).is_some_and(|version| (oldest..=newest).contains(&version))
        })
    }
}

/// A version number as the clients write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

impl Version {
    /// Parses a version. Anything from a `-` or `+` on is ignored.
    pub fn parse(text: &str) -> Option<Version> {
        let plain = text.split(['-', '+']).next()?;
        let mut numbers = plain.split('.').map(|number| number.parse().ok());
        let version = Version(numbers.next()??, numbers.next()??, numbers.next()??);
        numbers.next().is_none().then_some(version)
    }
}

/// A folder that belongs to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentFolder {
    /// The environment variable with its path, or with the path of the folder that contains `below`.
    pub variable: Option<&'static str>,
    /// The path relative to the home directory, if the variable is not set.
    pub in_home: &'static str,
    /// The rest of the path, below either of them. May be empty.
    pub below: &'static str,
}

impl AgentFolder {
    /// Where the folder is. `variable` returns the value of a variable if it is an absolute path.
    pub fn path(&self, home: Option<&Path>, variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
        let named = self.variable.and_then(variable);
        let base = named.or_else(|| home.map(|home| home.join(self.in_home)))?;
        Some(if self.below.is_empty() { base } else { base.join(self.below) })
    }
}

/// How an agent runs closeout's hook, and what it passes to it.
#[derive(Debug, PartialEq, Eq)]
pub struct Hooks {
    /// The agent's name.
    pub agent: &'static str,
    /// The subcommand of `closeout hook` to run: `event`, or a gate.
    pub command: &'static str,
    /// How long the agent waits for the answer, in seconds. A gate has its own, shorter limit.
    pub limit_s: u32,
    /// The folder with the agent's settings for this user.
    pub folder: AgentFolder,
    /// How the settings register the hook.
    pub settings: Settings,
    /// The events at which to run, in the order of a session. Only those that show what a session is doing,
    /// since each costs a process. Empty if a plugin chooses.
    pub events: &'static [(&'static str, HookKind)],
    /// Further events that are understood.
    pub other_events: &'static [(&'static str, HookKind)],
    /// The meaning of the event `Notification`, by the type of the notice.
    pub notices: &'static [(&'static str, HookKind)],
    /// The tools through which the agent asks the user.
    pub asking_tools: &'static [&'static str],
    /// The variable that gives the hook the agent's PID.
    pub pid_variable: Option<&'static str>,
    /// The variable by which the hook recognises a session without a screen, and the prefix of its value
    /// then.
    pub headless: Option<(&'static str, &'static str)>,
    /// The word in the command line of the agent's server, a process that serves the sessions of several
    /// screens and outlives them: neither its lifetime nor its terminal is a session's.
    pub server_word: Option<&'static str>,
    /// What the user has to do, or know, after installing the hooks.
    pub after_install: &'static str,
}

impl Hooks {
    /// The hook that reports events, of an agent about whose events nothing is known.
    pub(super) const fn of(agent: &'static str, folder: AgentFolder, settings: Settings) -> Hooks {
        Hooks {
            agent,
            command: "event",
            // The hook takes a few milliseconds.
            limit_s: 5,
            folder,
            settings,
            events: &[],
            other_events: &[],
            notices: &[],
            asking_tools: &[],
            pid_variable: None,
            headless: None,
            server_word: None,
            after_install: "",
        }
    }

    /// The hook that asks closeout whether the agent may stop.
    pub(super) const fn gate(
        self,
        command: &'static str,
        events: &'static [(&'static str, HookKind)],
    ) -> Hooks {
        // A gate may run checks.
        Hooks { command, limit_s: 600, events, ..self }
    }
}

/// How an agent's settings register a hook.
#[derive(Debug, PartialEq, Eq)]
pub enum Settings {
    /// Lists of groups of commands, one list per event, under the key `hooks` of a JSON file.
    Json {
        /// The file in the agent's own folder.
        user: &'static str,
        /// The file in a project.
        project: &'static str,
        /// What each group matches, and the name of its entry, if the agent wants them.
        named: Option<(&'static str, &'static str)>,
        /// The agent's unit for time limits, as units per second.
        per_second: u32,
    },
    /// A plugin file written by closeout.
    Plugin {
        /// The file in the agent's own folder.
        user: &'static str,
        /// The file in a project.
        project: &'static str,
        /// The file's content, with a placeholder for the program.
        text: &'static str,
    },
}
