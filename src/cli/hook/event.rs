//! `closeout hook event`: appends one line about an agent's event, and ends. The agent waits meanwhile.
//!
//! Whatever its input, it must print nothing, never fail and never wait long, since its output or its exit
//! code would steer the agent. It reads no configuration, keeps no log, and reads only the environment
//! variables named here; the others hold secrets.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal as _, Read as _};
use std::time::Duration;
use std::{fs, panic};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::agent::hook_events::event_of;
use crate::agent::{Hooks, hooks_of, process_stat};
use crate::config::{Flags, Sources};
use crate::engine::clock;
use crate::model::{HookEvent, Pane, ProcessId};
use crate::store::hook_log;

/// The longest socket path that is stored, in bytes (unix(7) allows less).
const LONGEST_SOCKET: usize = 200;

/// Stores the event on standard input. `arguments` are those after `hook event`.
pub(super) fn run(arguments: &[OsString]) {
    // A failure of closeout's own must not become one of the agent.
    let _ = panic::catch_unwind(|| agent_named(arguments).and_then(leave_event));
}

fn agent_named(arguments: &[OsString]) -> Option<&'static Hooks> {
    let mut arguments = arguments.iter().map(|argument| argument.to_str());
    while let Some(argument) = arguments.next() {
        match argument? {
            "--agent" => return hooks_of(arguments.next()??),
            argument => {
                if let Some(name) = argument.strip_prefix("--agent=") {
                    return hooks_of(name);
                }
            }
        }
    }
    None
}

/// Reads the payload and appends the event. `None` only means that it stopped early; no caller uses it.
fn leave_event(hooks: &Hooks) -> Option<()> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if variable("CLOSEOUT_PROBE").is_some() {
        // The session is a probe of closeout's own.
        return None;
    }
    let state_folder = state_folder(variable)?;
    let payload = read_payload()?;
    let mut event = event_of(hooks, &payload, clock::now())?;
    add_surroundings(hooks, variable, &mut event);
    hook_log::append(&state_folder, hooks.agent, &event).ok()
}

fn state_folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<std::path::PathBuf> {
    let named = ["CLOSEOUT_STATE_DIR", "XDG_STATE_HOME"];
    let environment: BTreeMap<OsString, OsString> =
        named.into_iter().filter_map(|name| Some((name.into(), variable(name)?))).collect();
    let home = variable("HOME").map(std::path::PathBuf::from).filter(|home| home.is_absolute());
    Sources { environment, home, flags: Flags::default() }.state_folder()
}

/// Adds what the hook's own process knows about the agent's process.
fn add_surroundings(hooks: &Hooks, variable: impl Fn(&str) -> Option<OsString>, event: &mut HookEvent) {
    let pid = hooks.pid_variable.and_then(&variable).and_then(|pid| pid.to_str()?.parse().ok());
    let process = agent_process(pid);
    event.process = process.filter(|process| hooks.server_word.is_none_or(|word| !has_word(*process, word)));
    event.pid_namespace = event.process.and_then(|_| pid_namespace());
    event.is_headless = hooks.headless.is_some_and(|(name, begin)| {
        variable(name).is_some_and(|value| value.as_encoded_bytes().starts_with(begin.as_bytes()))
    });
    if process != event.process {
        return;
    }
    event.pane = pane(variable("TMUX").as_deref(), variable("TMUX_PANE").as_deref());
}

/// The pane that tmux names in the environment: `TMUX` is `SOCKET,PID,SESSION` (tmux(1)).
fn pane(tmux: Option<&OsStr>, pane: Option<&OsStr>) -> Option<Pane> {
    let id = pane?.to_str()?;
    let is_id = id.strip_prefix('%').is_some_and(|number| number.parse::<u32>().is_ok());
    // The path may contain commas.
    let socket = tmux?.to_str()?.rsplitn(3, ',').nth(2)?;
    let is_socket = socket.starts_with('/') && socket.len() <= LONGEST_SOCKET;
    (is_id && is_socket).then(|| Pane { socket: Some(socket.to_owned()), id: id.to_owned() })
}

/// How many ancestors are examined.
const MAX_ANCESTORS: usize = 8;
/// Programs that may stand between an agent and its hook.
const BETWEEN: [&str; 14] = [
    "ash", "bash", "busybox", "csh", "dash", "env", "fish", "ksh", "mksh", "nice", "sh", "tcsh", "timeout",
    "zsh",
];

/// The agent's process: the one with the id `named` if it exists, otherwise the nearest ancestor that is not
/// a shell.
fn agent_process(named: Option<u32>) -> Option<ProcessId> {
    if let Some(pid) = named
        && let Ok(stat) = process_stat::read(pid)
    {
        return Some(ProcessId { pid, started_at: stat.started_at });
    }
    let mut pid = process_stat::read(std::process::id()).ok()?.parent;
    for _ in 0..MAX_ANCESTORS {
        if pid <= 1 {
            return None;
        }
        let stat = process_stat::read(pid).ok()?;
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        if !BETWEEN.contains(&name.trim_end()) {
            return Some(ProcessId { pid, started_at: stat.started_at });
        }
        pid = stat.parent;
    }
    None
}

/// Whether the command line of the process contains the word `sought`.
pub(super) fn has_word(process: ProcessId, sought: &str) -> bool {
    let words = fs::read(format!("/proc/{}/cmdline", process.pid)).unwrap_or_default();
    words.split(|byte| *byte == 0).skip(1).any(|word| word == sought.as_bytes())
}

/// The namespace of this process's id, like `pid:[4026531836]`.
pub(super) fn pid_namespace() -> Option<String> {
    fs::read_link("/proc/self/ns/pid").ok()?.into_os_string().into_string().ok()
}

/// The most that is read, in bytes. What matters is at the beginning.
const MAX: u64 = 16 << 20;
/// How much is read at a time, in bytes.
const PIECE: usize = 64 << 10;
/// How long the input may be silent.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long reading may take in total, in milliseconds.
const LIMIT_MS: i64 = 2000;

/// The content of standard input, up to its end or a limit. `None` for a terminal, so that a person who tries
/// the command does not wait.
pub(super) fn read_payload() -> Option<Vec<u8>> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return None;
    }
    let mut stdin = stdin.lock();
    let began = clock::now();
    let mut payload = Vec::new();
    let patience = Timespec::try_from(PATIENCE).ok()?;
    loop {
        let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut fds, Some(&patience)) {
            Ok(0) => return Some(payload),
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return Some(payload),
        }
        let before = payload.len();
        payload.resize(before + PIECE, 0);
        let n = stdin.read(&mut payload[before..]).unwrap_or(0);
        payload.truncate(before + n);
        let is_late = !(0..=LIMIT_MS).contains(&clock::now().millis_since(began));
        if n == 0 || is_late || payload.len() as u64 >= MAX {
            return Some(payload);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_pane_with_its_server_is_one() {
        let pane_of = |tmux: &str, id: &str| pane(Some(OsStr::new(tmux)), Some(OsStr::new(id)));
        let expected = Pane { socket: Some("/tmp/tmux-0/default".to_owned()), id: "%3".to_owned() };
        assert_eq!(pane_of("/tmp/tmux-0/default,12,0", "%3"), Some(expected));
        assert_eq!(pane_of("/tmp/tmux-0/default,12,0", "3"), None);
        assert_eq!(pane_of("relative,12,0", "%3"), None);
        assert_eq!(pane(None, Some(OsStr::new("%3"))), None);
    }
}
