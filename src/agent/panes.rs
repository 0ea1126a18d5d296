//! tmux panes: what `tmux list-panes` prints, and which pane shows a session. Nothing here runs tmux;
//! everything except the lookup of parent processes is pure.

use super::process_stat;
use super::processes::line_of_parents;
use crate::model::ProcessId;

/// The format passed to `tmux list-panes -F`; the fields are separated by tabs.
pub const PANE_FORMAT: &str = "#{session_name}:#{window_index}.#{pane_index}\t#{pane_id}\t#{pane_pid}\t\
                               #{pane_tty}\t#{pane_current_command}\t#{pane_current_path}\t#{pane_title}\t\
                               #{pane_dead}\t#{pane_in_mode}";
/// How many panes of one server are read.
const MAX_PANES: usize = 4096;

/// A pane as tmux listed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPane {
    /// Its position as `session:window.pane`. Untrusted.
    pub place: String,
    /// Its id, such as `%3`.
    pub id: String,
    /// The PID of the process that tmux started in it.
    pub pid: u32,
    /// Its terminal, such as `/dev/pts/3`.
    pub tty: String,
    /// The program in the foreground. Untrusted.
    pub command: String,
    /// Its title. Untrusted.
    pub title: String,
    /// Whether its program has ended.
    pub is_dead: bool,
    /// Whether it is in a tmux mode: the user is scrolling or searching.
    pub is_in_mode: bool,
}

/// Parses what [`PANE_FORMAT`] printed. Other lines are skipped.
pub fn parse_panes(printed: &str) -> Vec<ListedPane> {
    printed.lines().filter_map(parse_pane).take(MAX_PANES).collect()
}

fn parse_pane(line: &str) -> Option<ListedPane> {
    let mut fields = line.splitn(6, '\t');
    let (place, id, pid) = (fields.next()?, fields.next()?, fields.next()?.parse().ok()?);
    let (tty, command, rest) = (fields.next()?, fields.next()?, fields.next()?);
    // Parsed from the right, so that a tab in the path or the title cannot shift the last fields.
    let mut last = rest.rsplitn(3, '\t');
    let (in_mode, dead, path_and_title) = (last.next()?, last.next()?, last.next()?);
    let title = path_and_title.split_once('\t')?.1;
    is_pane_id(id).then(|| ListedPane {
        place: place.to_owned(),
        id: id.to_owned(),
        pid,
        tty: tty.to_owned(),
        command: command.to_owned(),
        title: title.to_owned(),
        is_dead: dead == "1",
        is_in_mode: in_mode != "0",
    })
}

/// Whether this is a pane id, `%` and a number, and nothing else that tmux would interpret.
pub fn is_pane_id(id: &str) -> bool {
    id.strip_prefix('%')
        .is_some_and(|n| !n.is_empty() && n.len() <= 10 && n.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The pane in which `process` runs, found by its parents, else by its terminal. `None` if the process has
/// ended, or has no terminal: no pane shows a program that was merely started from one.
pub fn pane_of(panes: &[ListedPane], process: ProcessId) -> Option<&ListedPane> {
    let stat = process_stat::read(process.pid).ok()?;
    if stat.is_dead || stat.started_at != process.started_at {
        return None;
    }
    let tty = format!("/dev/pts/{}", stat.pseudo_terminal?);
    let line = line_of_parents(process.pid);
    let by_parents = line.iter().find_map(|pid| panes.iter().find(|pane| pane.pid == *pid));
    by_parents.or_else(|| panes.iter().find(|pane| pane.tty == tty)).filter(|pane| !pane.is_dead)
}
