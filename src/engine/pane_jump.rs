//! The jump to a session's pane. Everything is checked again at the moment of the jump: a new tmux server
//! reuses pane ids, and the kernel reuses process ids.
//!
//! Within the same tmux server the client is switched; otherwise nothing is changed, and the answer is the
//! command that shows the pane. It must never send a key to a pane.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;

use super::event::EngineEvent;
use super::{EngineConfig, clock};
use crate::agent::panes::{ListedPane, is_pane_id, pane_of};
use crate::agent::process_stat::{ProcessState, process_state};
use crate::agent::processes::ProcessTable;
use crate::evidence::LiveSources;
use crate::evidence::panes::{InsideTmux, PaneSource};
use crate::model::{Event, JumpOutcome, JumpTarget, Pane, ProcessId, WorkspaceId};

/// Jumps beside the loop; exactly one event comes back. Requires the tokio runtime.
pub(super) fn start(
    config: Arc<EngineConfig>,
    sender: UnboundedSender<EngineEvent>,
    workspace: WorkspaceId,
    session: JumpTarget,
) {
    tokio::spawn(async move {
        let work = spawn_blocking(move || jump(&session, config.live.as_ref()));
        let outcome = work.await.unwrap_or_else(|error| refused(error.to_string()));
        let event = Event::Jumped { at: clock::now(), workspace, outcome };
        let _ = sender.send(EngineEvent::Event(event));
    });
}

/// Jumps to the pane of `session`. Blocks for a few seconds at worst.
fn jump(session: &JumpTarget, live: Option<&LiveSources>) -> JumpOutcome {
    let found = match live.and_then(|live| live.panes.as_ref()) {
        Some(panes) => find(session, panes).map(|(socket, pane)| go(panes, &socket, &pane)),
        None => Err("tmux is not installed"),
    };
    found.unwrap_or_else(|reason| refused(reason.to_owned()))
}

fn refused(reason: String) -> JumpOutcome {
    JumpOutcome::Refused { reason }
}

/// The session's current pane, and the socket of its server.
fn find(session: &JumpTarget, panes: &PaneSource) -> Result<(PathBuf, ListedPane), &'static str> {
    match (&session.pane, session.process) {
        (None, None) => Err("neither its pane nor its process is known"),
        (named, Some(process)) => by_process(named.as_ref(), process, panes),
        (Some(named), None) => by_name(&session.agent, named, panes),
    }
}

/// The pane in which the process runs. A pane named by a source only tells which server to ask as well: by
/// now it may belong to another program, and not all sources name the server.
fn by_process(
    named: Option<&Pane>,
    process: ProcessId,
    panes: &PaneSource,
) -> Result<(PathBuf, ListedPane), &'static str> {
    if process_state(process) == ProcessState::Gone {
        return Err("its process has ended");
    }
    let mut sockets = panes.usual_sockets();
    sockets.extend(named.map(|pane| panes.socket_of(pane)).filter(|socket| !sockets.contains(socket)));
    let mut found = sockets.into_iter().filter_map(|socket| {
        let listed = panes.panes_now(&socket);
        pane_of(&listed, process).cloned().map(|pane| (socket, pane))
    });
    found.next().ok_or(match named {
        Some(_) => "it no longer runs in its pane",
        None => "it runs in no tmux pane",
    })
}

/// The pane that a source named, if the agent is still running in it.
fn by_name(agent: &str, named: &Pane, panes: &PaneSource) -> Result<(PathBuf, ListedPane), &'static str> {
    let socket = panes.socket_of(named);
    let listed = panes.panes_now(&socket);
    let Some(found) = listed.into_iter().find(|listed| listed.id == named.id && !listed.is_dead) else {
        return Err("its pane is gone");
    };
    let is_its =
        pseudo_terminal(&found).is_some_and(|n| ProcessTable::read().on_terminal(agent, n).is_some());
    if is_its { Ok((socket, found)) } else { Err("another program runs in its pane now") }
}

fn pseudo_terminal(pane: &ListedPane) -> Option<u32> {
    pane.tty.strip_prefix("/dev/pts/")?.parse().ok()
}

/// Shows the pane, or answers with the command that does.
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

/// Switches the client that shows closeout; tmux identifies it by the two variables.
fn switch(panes: &PaneSource, socket: &Path, inside: &InsideTmux, id: &str) -> JumpOutcome {
    let arguments = ["switch-client", "-t", id, ";", "select-window", "-t", id, ";", "select-pane", "-t", id];
    let variables: [(&str, &OsString); 2] = [("TMUX", &inside.variable), ("TMUX_PANE", &inside.pane)];
    match panes.run(socket, &arguments, &variables) {
        Ok(output) if output.is_success() => JumpOutcome::Done,
        // The client that shows closeout may be gone, or be none of tmux's own: then the command shows the pane.
        Ok(_) => JumpOutcome::Attach { command: attach(panes, socket, true, id) },
        Err(error) => refused(error.to_string()),
    }
}

/// The shell command that shows the pane.
fn attach(panes: &PaneSource, socket: &Path, is_in_tmux: bool, id: &str) -> String {
    let server = panes.name_of(socket).map(|socket| format!(" -S {}", quoted(&socket)));
    // Inside another server's pane, tmux refuses to attach while `TMUX` is set.
    let begin = if is_in_tmux { "env -u TMUX " } else { "" };
    let server = server.unwrap_or_default();
    format!("{begin}tmux{server} attach -t {id} \\; select-window -t {id} \\; select-pane -t {id}")
}

/// Quotes `text` as one shell word.
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
