//! What is known of a kind of agent without looking: plain data, seen in real runs. Each agent's stands in its
//! own folder; what is not named there is [`Facts::NONE`].

use std::path::{Path, PathBuf};

use super::screen::Typing;
use crate::model::{HookKind, VariableNames};

/// What is known of a kind of agent.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Facts {
    /// Where its records are.
    pub records: Option<AgentFolder>,
    /// The environment variables of the person's that are meant for it. Left out is what a running session
    /// leaves to its children: with it an agent refuses to start inside of itself, keeps no record, or takes
    /// itself for that session.
    pub variables: VariableNames,
    /// The variable in which it names the session to the programs that it starts.
    pub session_variable: Option<&'static str>,
    /// The names of its processes.
    pub programs: &'static [&'static str],
    /// The command line by which it works without a screen, with the prompt on standard input.
    pub work: Option<&'static [&'static str]>,
    /// What makes it tell then what it cost.
    pub telling_cost: &'static [&'static str],
    /// The folder of its package, by which its script is known that has another name.
    pub package: Option<&'static str>,
    /// The oldest and the newest version whose records were read in real runs. Others are read all the same, as
    /// far as they are understood, and are said to be unknown.
    pub tried: Option<(Version, Version)>,
    /// Whether its sessions can be asked for their status in a way that leaves nothing behind.
    pub has_traceless_probe: bool,
    /// Whether its process holds the record of its session open.
    pub holds_records: bool,
    /// Whether the title of its pane tells what it does.
    pub tells_by_title: bool,
    /// Whether a turn may go on though its record reads as if it had ended.
    pub hides_open_calls: bool,
    /// Whether words for a live session go by the agent's own queue, which takes them at any time and never
    /// takes them for keys.
    pub has_queue: bool,
    /// How words reach a live session at its screen; `None` where that was not seen.
    pub typing: Option<Typing>,
    /// Whether the keys of its prompts can be known, if its hook tells of them.
    pub hooks_tell_keys: bool,
    /// Why a session that nobody has open is not gone on with, if there is more to say than that its id or
    /// its folder is not known.
    pub never_resumed: Option<&'static str>,
    /// Whether a person described it: it is written to in the ways that they gave, and in no other.
    pub is_described: bool,
    /// Its hooks.
    pub hooks: Option<&'static Hooks>,
    /// The hook by which it asks whether it may stop.
    pub gate: Option<&'static Hooks>,
}

impl Facts {
    /// Of an agent of which nothing is known.
    pub const NONE: Facts = Facts {
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
        hooks_tell_keys: false,
        never_resumed: None,
        is_described: false,
        hooks: None,
        gate: None,
    };

    /// Whether a version is one of those that were tried. An agent of a person's own has none that closeout knows.
    pub fn knows_version(&self, version: &str) -> bool {
        self.tried.is_none_or(|(oldest, newest)| {
            Version::parse(version).is_some_and(|version| (oldest..=newest).contains(&version))
        })
    }
}

/// A version as the clients write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

impl Version {
    /// Reads a version; what follows the third number after a `-` or a `+` is left out.
    pub fn parse(text: &str) -> Option<Version> {
        let plain = text.split(['-', '+']).next()?;
        let mut numbers = plain.split('.').map(|number| number.parse().ok());
        let version = Version(numbers.next()??, numbers.next()??, numbers.next()??);
        numbers.next().is_none().then_some(version)
    }
}

/// A folder of an agent's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentFolder {
    /// The variable that names it, or what it is in.
    pub variable: Option<&'static str>,
    /// Where it is in the person's home without that variable.
    pub in_home: &'static str,
    /// The way from there.
    pub below: &'static str,
}

impl AgentFolder {
    /// Where it is. `variable` gives those that are absolute paths.
    pub fn path(&self, home: Option<&Path>, variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
        let named = self.variable.and_then(variable);
        let base = named.or_else(|| home.map(|home| home.join(self.in_home)))?;
        Some(if self.below.is_empty() { base } else { base.join(self.below) })
    }
}

/// How long an agent waits for the hook of its events, in seconds. It takes a few milliseconds.
pub(super) const EVENT_LIMIT_S: u32 = 5;
/// How long it waits for a gate, in seconds: checks may run there.
pub(super) const GATE_LIMIT_S: u32 = 600;

/// How an agent runs closeout's hook, and what it tells it.
#[derive(Debug, PartialEq, Eq)]
pub struct Hooks {
    /// The agent's name.
    pub agent: &'static str,
    /// The word behind `closeout hook` that it is to call: `event`, or a gate.
    pub command: &'static str,
    /// How long it waits for the answer, in seconds. A gate has a limit of its own, below this one.
    pub limit_s: u32,
    /// The folder in which its settings for this user are.
    pub folder: AgentFolder,
    /// How they name the hook.
    pub settings: Settings,
    /// The events at which it is to run: those that tell what a session does, and no more, since each costs
    /// a process. In the order of a session. Empty where a plugin chooses.
    pub events: &'static [(&'static str, HookKind)],
    /// Others that are understood.
    pub other_events: &'static [(&'static str, HookKind)],
    /// What its event `Notification` means, by the type of the notice.
    pub notices: &'static [(&'static str, HookKind)],
    /// The tools by which it asks the person.
    pub asking_tools: &'static [&'static str],
    /// The variable that names its process to the hook.
    pub pid_variable: Option<&'static str>,
    /// The variable by which the hook knows a session without a screen, and how its value then begins.
    pub headless: Option<(&'static str, &'static str)>,
    /// The word in the command line of a process of it that keeps sessions of several screens and outlives
    /// them: its life and its terminal are not those of a session.
    pub server_word: Option<&'static str>,
    /// What is to be done after hooks were installed, or known of them.
    pub after_install: &'static str,
}

/// How the settings of an agent name a hook.
#[derive(Debug, PartialEq, Eq)]
pub enum Settings {
    /// Lists of groups of commands, one for each event, under the key `hooks` of a JSON file.
    Json {
        /// The file in the agent's own folder.
        user: &'static str,
        /// The file in a folder of the person's work.
        project: &'static str,
        /// What each group matches, and how its entry is called, where the agent wants that.
        named: Option<(&'static str, &'static str)>,
        /// In what the agent counts how long it waits, in units a second.
        per_second: u32,
    },
    /// A file of closeout's own.
    Plugin {
        /// The file in the agent's own folder.
        user: &'static str,
        /// The file in a folder of the person's work.
        project: &'static str,
        /// What stands in it; the program goes where the mark is.
        text: &'static str,
    },
}
