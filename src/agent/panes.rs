//! tmux's panes: what `tmux list-panes` prints, and which pane is a session's. It asks nothing itself; all here but
//! the line of parents is pure.

use super::process_stat;
use super::processes::line_of_parents;
use crate::model::ProcessId;

/// What `tmux list-panes -F` is to print of each pane; the fields are set apart by tabs.
pub const PANE_FORMAT: &str = "#{session_name}:#{window_index}.#{pane_index}\t#{pane_id}\t#{pane_pid}\t\
                               #{pane_tty}\t#{pane_current_command}\t#{pane_current_path}\t#{pane_title}\t\
                               #{pane_dead}\t#{pane_in_mode}";
/// The most panes of one server that are taken.
const MOST_PANES: usize = 4096;

/// A pane as tmux listed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPane {
    /// Where it is: `session:window.pane`. Untrusted text.
    pub place: String,
    /// Its id, like `%3`.
    pub id: String,
    /// The process that tmux started in it.
    pub pid: u32,
    /// Its terminal, like `/dev/pts/3`.
    pub tty: String,
    /// The program in front. Untrusted text.
    pub command: String,
    /// Its title. Untrusted text.
    pub title: String,
    /// Its program has ended.
    pub is_dead: bool,
    /// A person scrolls or searches in it.
    pub is_in_mode: bool,
}

/// The panes that [`PANE_FORMAT`] printed. Lines of another form are passed over.
pub fn parse_panes(printed: &str) -> Vec<ListedPane> {
    printed.lines().filter_map(parse_pane).take(MOST_PANES).collect()
}

fn parse_pane(line: &str) -> Option<ListedPane> {
    let mut fields = line.splitn(6, '\t');
    let (place, id, pid) = (fields.next()?, fields.next()?, fields.next()?.parse().ok()?);
    let (tty, command, rest) = (fields.next()?, fields.next()?, fields.next()?);
    // From behind: a tab in the path or the title stays among themselves.
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

/// Whether this is the id of a pane, `%` and a number, and nothing else that tmux would understand.
pub fn is_pane_id(id: &str) -> bool {
    id.strip_prefix('%')
        .is_some_and(|n| !n.is_empty() && n.len() <= 10 && n.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The pane in which `process` runs: by its line of parents, else by its terminal. `None` also where
/// the process has ended, and for one without a terminal, which no pane shows: a program in a pane started it.
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
