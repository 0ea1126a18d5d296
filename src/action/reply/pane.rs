//! A tmux pane as the destination of words: who is in it at this very moment, and typing there.
//!
//! It must not put untrusted text into a name, format, message or argument of tmux: text goes through tmux's
//! stdin, panes are addressed by id, and everything else consists of numbers and closeout's own names.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::input_box::AtCursor;
use crate::agent::panes::is_pane_id;
use crate::agent::process_stat::{ProcessState, process_state};
use crate::agent::processes::is_below;
use crate::model::{ActionClass, ActionProblem, Pane, ProcessId, ProcessStat, ReceiptState};
use crate::process::{self, End, Output, Spec};

/// The time limit of a tmux call.
const LIMIT: Duration = Duration::from_secs(5);
/// The facts that tmux prints about a pane. The title is last, because it is untrusted and may contain tabs.
const FORMAT: &str = "#{pid}\t#{pane_id}\t#{pane_pid}\t#{pane_tty}\t#{?pane_dead,1,0}\t#{?pane_in_mode,1,0}\t\
                      #{?pane_input_off,1,0}\t#{?pane_synchronized,1,0}\t#{bracket_paste_flag}\t#{pane_title}";
/// What tmux prints if the pane has changed.
const CHANGED: &str = "closeout-changed";
/// The way out that refusals suggest.
const LOOK: &str = "look at its pane and answer there, or try again";

/// How tmux is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TmuxAccess {
    /// The absolute path of the program.
    pub program: PathBuf,
    /// The socket of the default server.
    pub default_socket: PathBuf,
}

/// A pane in which an agent currently accepts words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    socket: PathBuf,
    id: String,
    /// The process id of the tmux server.
    pub(super) server: u32,
    /// The process id of the first process that tmux started in the pane.
    first: u32,
    /// Whether the program in it accepts bracketed pastes; `None` if this tmux does not report that.
    pub(super) is_bracketed: Option<bool>,
    /// Its title. Untrusted text.
    pub(super) title: String,
    /// The terminal that its programs read.
    tty: PathBuf,
}

impl Address {
    /// How many bytes were typed that no program in the pane has read yet; `None` if that cannot be told.
    pub(super) fn n_unread(&self) -> Option<u64> {
        process::n_unread(&self.tty)
    }
}

/// Why it is not certain that something was typed.
#[derive(Debug)]
pub(super) enum NotTyped {
    /// Certainly nothing was typed, for this reason.
    Surely(ActionProblem),
    /// tmux did not answer, so it may have been typed.
    Perhaps,
}

/// The state of a sent reply, with details in words. An error means that nothing was sent.
pub(super) type Sent = Result<(ReceiptState, Option<String>), ActionProblem>;

impl NotTyped {
    /// The corresponding result for a reply.
    pub(super) fn sent(self) -> Sent {
        match self {
            NotTyped::Surely(problem) => Err(problem),
            NotTyped::Perhaps => {
                Ok((ReceiptState::Unknown, Some("tmux did not answer: it may have been typed".to_owned())))
            }
        }
    }
}

fn refused(message: impl Into<String>) -> ActionProblem {
    ActionProblem::new(ActionClass::Refused, message).with_next(LOOK)
}

impl TmuxAccess {
    /// The current state of the pane, if the agent's process is in its foreground and it accepts input.
    pub(super) fn find(&self, pane: &Pane, agent: ProcessId) -> Result<Address, ActionProblem> {
        if !is_pane_id(&pane.id) {
            return Err(refused("its pane is named in an unknown way"));
        }
        let socket = pane.socket.as_ref().map_or_else(|| self.default_socket.clone(), PathBuf::from);
        let printed = self.run(&socket, &["display-message", "-p", "-t", &pane.id, FORMAT], None)?;
        if !printed.is_success() {
            return Err(refused("its pane is gone"));
        }
        let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
        let fields: Vec<&str> = printed.trim_end_matches('\n').splitn(10, '\t').collect();
        let [server, id, first, tty, dead, in_mode, input_off, synchronized, bracketed, title] = fields[..]
        else {
            return Err(refused("tmux describes its pane in an unknown way"));
        };
        let (Ok(server), Ok(first)) = (server.parse(), first.parse()) else {
            return Err(refused("tmux describes its pane in an unknown way"));
        };
        if id != pane.id || dead != "0" {
            return Err(refused("its pane is gone"));
        }
        if in_mode != "0" {
            let message = "its pane is in copy mode (somebody is scrolling or searching), where text is lost";
            return Err(
                ActionProblem::new(ActionClass::Refused, message).with_next("leave the mode with `q`")
            );
        }
        if input_off != "0" || synchronized != "0" {
            return Err(refused("its pane takes no input, or shares it with other panes"));
        }
        is_in_front(agent, first, tty)?;
        Ok(Address {
            socket,
            id: pane.id.clone(),
            server,
            first,
            is_bracketed: (!bracketed.is_empty()).then(|| bracketed == "1"),
            title: title.to_owned(),
            tty: PathBuf::from(tty),
        })
    }

    /// The cursor's position and the screen around it.
    pub(super) fn at_cursor(&self, of: &Address) -> Result<AtCursor, ActionProblem> {
        let place = ["display-message", "-p", "-t", &of.id, "#{cursor_x} #{cursor_y}", ";"];
        let lines = ["capture-pane", "-p", "-e", "-t", &of.id];
        let output = self.run(&of.socket, &[&place[..], &lines[..]].concat(), None)?;
        let unknown = || refused("tmux does not report the cursor of its pane; nothing was typed");
        if !output.is_success() {
            return Err(unknown());
        }
        let printed = String::from_utf8_lossy(&output.stdout);
        let (place, screen) = printed.split_once('\n').ok_or_else(unknown)?;
        let (column, row) = place.split_once(' ').ok_or_else(unknown)?;
        let column = column.parse().map_err(|_| unknown())?;
        let row = row.parse().map_err(|_| unknown())?;
        let mut lines = screen.lines().map(str::to_owned);
        let above = lines.by_ref().take(usize::try_from(row).unwrap_or(usize::MAX)).collect();
        let line = lines.next().unwrap_or_default();
        Ok(AtCursor { column, row, above, line, below: lines.collect() })
    }

    /// Pastes the text without pressing Return; with `current`, only if the cursor is still there.
    pub(super) fn paste(
        &self,
        to: &Address,
        current: Option<&AtCursor>,
        text: &str,
        id: &str,
    ) -> Result<(), NotTyped> {
        // `id` is closeout's own: digits, letters and `-`.
        let buffer = format!("closeout-{id}");
        let loaded = self
            .run(&to.socket, &["load-buffer", "-b", &buffer, "-"], Some(text))
            .map_err(NotTyped::Surely)?;
        if !loaded.is_success() {
            return Err(NotTyped::Surely(refused("tmux did not accept the text; nothing was typed")));
        }
        let paste = format!("paste-buffer -p -d -b {buffer} -t {}", to.id);
        let outcome = self.if_unchanged(to, current, &paste);
        if outcome.is_err() {
            let _ = self.run(&to.socket, &["delete-buffer", "-b", &buffer], None);
        }
        outcome
    }

    /// Presses one key, by its tmux name; with `current`, only if the cursor is still there.
    pub(super) fn press(
        &self,
        to: &Address,
        current: Option<&AtCursor>,
        key: &'static str,
    ) -> Result<(), NotTyped> {
        self.if_unchanged(to, current, &format!("send-keys -t {} {key}", to.id))
    }

    /// Lets tmux run a command if the pane is unchanged. tmux compares and runs it in one step.
    fn if_unchanged(&self, to: &Address, current: Option<&AtCursor>, command: &str) -> Result<(), NotTyped> {
        let is_same = format!("#{{&&:#{{==:#{{pid}},{}}},#{{==:#{{pane_pid}},{}}}}}", to.server, to.first);
        let is_free =
            "#{==:#{?pane_dead,1,}#{?pane_in_mode,1,}#{?pane_input_off,1,}#{?pane_synchronized,1,},}";
        let is_there = current.map_or_else(
            || "1".to_owned(),
            |current| {
                format!(
                    "#{{&&:#{{==:#{{cursor_x}},{}}},#{{==:#{{cursor_y}},{}}}}}",
                    current.column, current.row
                )
            },
        );
        let all = format!("#{{&&:#{{&&:{is_same},{is_free}}},{is_there}}}");
        let otherwise = format!("display-message -p {CHANGED}");
        let arguments = ["if-shell", "-F", "-t", &to.id, &all, command, &otherwise];
        let output = self.run(&to.socket, &arguments, None).map_err(NotTyped::Surely)?;
        let is_changed = String::from_utf8_lossy(&output.stdout).contains(CHANGED);
        match output.end {
            End::Code(0) if !is_changed => Ok(()),
            End::Code(_) => Err(NotTyped::Surely(refused("its pane changed in this moment"))),
            End::Signal(_) | End::TimedOut | End::Cancelled | End::AtCap => Err(NotTyped::Perhaps),
        }
    }

    fn run(&self, socket: &Path, arguments: &[&str], input: Option<&str>) -> Result<Output, ActionProblem> {
        // Without `-u`, tmux replaces non-ASCII characters if no locale is set.
        let mut spec = Spec::new(&self.program, "/").args(["-u", "-S"]).args([socket]).args(arguments);
        spec.time_limit = LIMIT;
        spec.stdin = input.map(|text| text.as_bytes().to_vec());
        process::run(&spec).map_err(|error| ActionProblem::new(ActionClass::Failed, error.to_string()))
    }
}

/// Checks that the agent's process lives, descends from the pane's first process, and is in the foreground of
/// the pane's terminal.
fn is_in_front(agent: ProcessId, first: u32, tty: &str) -> Result<(), ActionProblem> {
    let ProcessState::Alive(stat) = process_state(agent) else {
        return Err(ActionProblem::new(ActionClass::Refused, "its process has ended; nothing was typed")
            .with_next("look again: a session that is not live is answered in another way"));
    };
    let ProcessStat { group, pseudo_terminal, foreground_group, .. } = stat;
    let is_terminal = pseudo_terminal.is_some_and(|n| tty == format!("/dev/pts/{n}"));
    if !is_below(agent.pid, first) || !is_terminal {
        return Err(refused("it no longer runs in its pane"));
    }
    if foreground_group != Some(group) {
        return Err(refused("another program is in front in its pane"));
    }
    Ok(())
}
