//! Asks tmux for its panes: one short run of `tmux list-panes` per server, shared by all workspaces.
//!
//! Only servers whose socket exists and belongs to this user are asked; none is ever started. Nothing in
//! tmux is changed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::agent::panes::{ListedPane, PANE_FORMAT, parse_panes};
use crate::model::{Pane, Timestamp};
use crate::process::{self, Output, ProcessError, Spec};

/// How long tmux may take to respond.
const LIMIT: Duration = Duration::from_secs(1);
/// How long a list stays valid, in milliseconds.
const FRESH_MS: i64 = 1000;
/// How long a server that did not respond is left alone, in milliseconds.
const LEFT_ALONE_MS: i64 = 60_000;

/// tmux on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tmux {
    /// The program, by absolute path.
    pub program: PathBuf,
    /// The socket of the default server, whether or not it is running.
    pub default_socket: PathBuf,
    /// Where closeout itself runs, if that is in tmux.
    pub inside: Option<InsideTmux>,
}

/// A position in tmux, as tmux tells the programs it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InsideTmux {
    /// The server's socket.
    pub socket: PathBuf,
    /// The complete variable `TMUX`.
    pub variable: OsString,
    /// The variable `TMUX_PANE`.
    pub pane: OsString,
}

/// The panes of tmux, queried at most once a second for all workspaces.
#[derive(Debug, Clone)]
pub struct PaneSource {
    tmux: Tmux,
    listed: Arc<Mutex<BTreeMap<PathBuf, Listing>>>,
}

#[derive(Debug)]
struct Listing {
    at: Timestamp,
    panes: Option<Arc<Vec<ListedPane>>>,
}

impl PaneSource {
    /// The panes of the servers that `tmux` can reach.
    pub fn new(tmux: Tmux) -> PaneSource {
        PaneSource { tmux, listed: Arc::default() }
    }

    /// How to reach tmux.
    pub fn tmux(&self) -> &Tmux {
        &self.tmux
    }

    /// The sockets of the servers that are always asked.
    pub fn usual_sockets(&self) -> Vec<PathBuf> {
        let inside = self.tmux.inside.as_ref().map(|inside| inside.socket.clone());
        let mut sockets: Vec<PathBuf> = inside.into_iter().collect();
        if !sockets.contains(&self.tmux.default_socket) {
            sockets.push(self.tmux.default_socket.clone());
        }
        sockets
    }

    /// The socket of a pane's server.
    pub fn socket_of(&self, pane: &Pane) -> PathBuf {
        pane.socket.as_ref().map_or_else(|| self.tmux.default_socket.clone(), PathBuf::from)
    }

    /// The panes of the server at `socket`, at most a second old. Empty if it does not respond.
    pub(super) fn panes(&self, socket: &Path, now: Timestamp) -> Arc<Vec<ListedPane>> {
        // Held during the query, so that one query serves everyone who waits.
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listing) = listed.get(socket) {
            let age = now.millis_since(listing.at);
            let keep_ms = if listing.panes.is_some() { FRESH_MS } else { LEFT_ALONE_MS };
            if (0..keep_ms).contains(&age) {
                return listing.panes.clone().unwrap_or_default();
            }
        }
        // Checking for a missing socket is cheap, so it is done every time.
        if !is_own_socket(socket) {
            listed.remove(socket);
            return Arc::default();
        }
        let panes = self.list(socket).map(Arc::new);
        listed.insert(socket.to_owned(), Listing { at: now, panes: panes.clone() });
        panes.unwrap_or_default()
    }

    /// The name of the server at `socket` in a [`Pane`]; `None` for the default server.
    pub fn name_of(&self, socket: &Path) -> Option<String> {
        (socket != self.tmux.default_socket).then(|| socket.to_string_lossy().into_owned())
    }

    /// The panes of the server at `socket` right now. Empty if it does not respond.
    pub fn panes_now(&self, socket: &Path) -> Vec<ListedPane> {
        if is_own_socket(socket) { self.list(socket).unwrap_or_default() } else { Vec::new() }
    }

    /// Queries the server; `None` if it does not respond.
    fn list(&self, socket: &Path) -> Option<Vec<ListedPane>> {
        let output = self.run(socket, &["list-panes", "-a", "-F", PANE_FORMAT], &[]).ok();
        let printed = output.filter(Output::is_success).map(|output| output.stdout)?;
        Some(parse_panes(&String::from_utf8_lossy(&printed)))
    }

    /// Runs tmux with `arguments` against the server at `socket`. Blocks for at most about two seconds.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn run(
        &self,
        socket: &Path,
        arguments: &[&str],
        variables: &[(&str, &OsString)],
    ) -> Result<Output, ProcessError> {
        // Without `-u`, tmux replaces non-ASCII characters in titles if no locale is set.
        let mut spec = Spec::new(&self.tmux.program, "/").args(["-u", "-S"]).args([socket]).args(arguments);
        spec.time_limit = LIMIT;
        spec.env = variables.iter().map(|(name, value)| (name.into(), (*value).clone())).collect();
        process::run(&spec)
    }
}

impl PartialEq for PaneSource {
    fn eq(&self, other: &PaneSource) -> bool {
        self.tmux == other.tmux && Arc::ptr_eq(&self.listed, &other.listed)
    }
}

impl Eq for PaneSource {}

/// Whether a server of this user may be listening there. Socket names also come from records.
fn is_own_socket(socket: &Path) -> bool {
    let own = rustix::process::geteuid().as_raw();
    socket.is_absolute()
        && fs::symlink_metadata(socket)
            .is_ok_and(|metadata| metadata.file_type().is_socket() && metadata.uid() == own)
}
