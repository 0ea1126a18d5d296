//! The jump to a session's pane. All is looked at again at this moment: a pane's id is used again by a
//! new server, and a process's number by another process.
//!
//! Inside the same tmux server the client is switched; elsewhere nothing is done, and the command that
//! shows the pane is answered. No key is ever sent to a pane.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::agent::panes::{ListedPane, is_pane_id, pane_of};
use crate::agent::process_stat::{Standing, standing};
use crate::agent::processes::ProcessTable;
use crate::evidence::LiveSources;
use crate::evidence::panes::{InsideTmux, PaneSource};
use crate::model::{JumpOutcome, JumpTarget, Pane, ProcessId};

/// Jumps to the pane of `session`. Blocks for a few seconds at worst.
pub(super) fn jump(session: &JumpTarget, live: Option<&LiveSources>) -> JumpOutcome {
    let found = match live.and_then(|live| live.panes.as_ref()) {
        Some(panes) => find(session, panes).map(|(socket, pane)| go(panes, &socket, &pane)),
        None => Err("tmux is not installed"),
    };
    found.unwrap_or_else(|reason| refused(reason.to_owned()))
}

fn refused(reason: String) -> JumpOutcome {
    JumpOutcome::Refused { reason }
}

/// The session's pane as it is now, with the socket of its server.
fn find(session: &JumpTarget, panes: &PaneSource) -> Result<(PathBuf, ListedPane), &'static str> {
    if let Some(process) = session.process
        && standing(process) == Standing::Gone
    {
        return Err("its process has ended");
    }
    match (&session.pane, session.process) {
        (None, None) => Err("neither its pane nor its process is known"),
        (None, Some(process)) => panes
            .usual_sockets()
            .into_iter()
            .find_map(|socket| {
                let listed = panes.panes_now(&socket);
                pane_of(&listed, process).cloned().map(|pane| (socket, pane))
            })
            .ok_or("it runs in no pane of tmux"),
        (Some(pane), process) => named(session, pane, process, panes),
    }
}

/// The pane that a source named, if the session's process still runs in it.
fn named(
    session: &JumpTarget,
    pane: &Pane,
    process: Option<ProcessId>,
    panes: &PaneSource,
) -> Result<(PathBuf, ListedPane), &'static str> {
    let socket = panes.socket_of(pane);
    let listed = panes.panes_now(&socket);
    let Some(found) = listed.iter().find(|listed| listed.id == pane.id && !listed.is_dead) else {
        return Err("its pane is gone");
    };
    let is_its = match process {
        Some(process) => pane_of(&listed, process).is_some_and(|of_process| of_process.id == found.id),
        None => pseudo_terminal(found)
            .is_some_and(|n| ProcessTable::read().on_terminal(&session.agent, n).is_some()),
    };
    if is_its { Ok((socket, found.clone())) } else { Err("another program runs in its pane by now") }
}

fn pseudo_terminal(pane: &ListedPane) -> Option<u32> {
    pane.tty.strip_prefix("/dev/pts/")?.parse().ok()
}

/// Shows the pane, or tells how.
fn go(panes: &PaneSource, socket: &Path, pane: &ListedPane) -> JumpOutcome {
    if !is_pane_id(&pane.id) {
        return refused("tmux named its pane in an unknown way".to_owned());
    }
    let inside = panes.tmux().inside.as_ref();
    match inside.filter(|inside| is_same_file(&inside.socket, socket)) {
        Some(inside) => switch(panes, socket, inside, &pane.id),
        None => JumpOutcome::Attach { command: attach(panes, socket, inside.is_some(), &pane.id) },
    }
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    one == other
        || std::fs::canonicalize(one).ok().is_some_and(|one| std::fs::canonicalize(other).ok() == Some(one))
}

/// Switches the client in which closeout is shown: tmux finds it by the two variables.
fn switch(panes: &PaneSource, socket: &Path, inside: &InsideTmux, id: &str) -> JumpOutcome {
    let arguments = ["switch-client", "-t", id, ";", "select-window", "-t", id, ";", "select-pane", "-t", id];
    let variables: [(&str, &OsString); 2] = [("TMUX", &inside.variable), ("TMUX_PANE", &inside.pane)];
    match panes.run(socket, &arguments, &variables) {
        Ok(output) if output.is_success() => JumpOutcome::Done,
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            refused(format!("tmux refuses: {}", said.lines().next().unwrap_or("it does not answer")))
        }
        Err(error) => refused(error.to_string()),
    }
}

/// The command that shows the pane, for a shell.
fn attach(panes: &PaneSource, socket: &Path, is_in_tmux: bool, id: &str) -> String {
    let server = panes.name_of(socket).map(|socket| format!(" -S {}", quoted(&socket)));
    // tmux refuses to attach inside another server's pane while it knows of that.
    let begin = if is_in_tmux { "env -u TMUX " } else { "" };
    let server = server.unwrap_or_default();
    format!("{begin}tmux{server} attach -t {id} \\; select-window -t {id} \\; select-pane -t {id}")
}

/// `text` as one word of a shell.
fn quoted(text: &str) -> String {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "/._-+:@".contains(sign);
    if text.chars().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_of_a_shell_whatever_is_in_it() {
        assert_eq!(quoted("/tmp/tmux-0/work"), "/tmp/tmux-0/work");
        assert_eq!(quoted("/tmp/it's; rm"), r"'/tmp/it'\''s; rm'");
    }
}
