//! tmux's panes: what `tmux list-panes` prints, which pane is a session's, and what the titles of some
//! agents tell of their turn. It asks nothing itself; all here but the line of parents is pure.
//!
//! Titles are written by agents and by all that runs in a pane: untrusted text, and a guess at best.

use std::path::{Component, Path};

use super::process_stat;
use super::processes::line_of_parents;
use super::{codex, gemini};
use crate::model::{LiveStatus, ProcessId, WaitsOn};

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

/// Whether the agent tells by its title what it does.
pub fn tells_by_title(agent: &str) -> bool {
    agent == codex::NAME || agent == gemini::NAME
}

/// Whether a turn of the agent may go on though its record reads as if it had ended: a call that waits
/// for a permission is written only when it has answered (Gemini CLI 0.61.0).
pub fn hides_open_calls(agent: &str) -> bool {
    agent == gemini::NAME
}

/// Whether a title of opencode names the session with this name; `None` if it is none that opencode sets in a
/// session. A session that has no name yet goes by the program's. Seen with 1.18.33, which cuts a name of
/// more than 40 UTF-16 units to 37 and `…`, and shows the program's own name on its first screen too.
pub(super) fn names_opencode_session(title: &str, name: Option<&str>) -> Option<bool> {
    let title = title.trim();
    let Some(shown) = title.strip_prefix("OC | ") else {
        return (title == "OpenCode").then_some(name.is_none());
    };
    let Some(name) = name else { return Some(false) };
    let is_begin = |begin: &str| {
        // A sign that was cut in two is drawn as another one.
        let begin = begin.trim_end_matches('\u{fffd}');
        begin.encode_utf16().count() >= 36 && name.starts_with(begin)
    };
    Some(shown.trim() == name || shown.strip_suffix('…').is_some_and(is_begin))
}

/// What the title of an agent's pane tells, if it is one that the agent sets. `folder` is the session's.
pub fn title_status(agent: &str, title: &str, folder: &Path) -> Option<LiveStatus> {
    let waits = LiveStatus::Waiting { on: WaitsOn::Permission };
    let title = title.trim();
    if agent == gemini::NAME {
        return match title.chars().next()? {
            '✦' | '⏲' => Some(LiveStatus::Busy),
            '✋' => Some(waits),
            '◇' => Some(LiveStatus::Idle),
            _ => None,
        };
    }
    if agent != codex::NAME {
        return None;
    }
    // The sign blinks.
    if title.starts_with("[ ! ] Action Required") || title.starts_with("[ . ] Action Required") {
        return Some(waits);
    }
    // A braille sign turns while it works; at rest the project's name stands alone. Any other title may
    // be the shell's, or one that a person chose.
    let is_spinning = matches!(title.chars().next()?, '\u{2800}'..='\u{28ff}');
    let names_project =
        |part: Component<'_>| matches!(part, Component::Normal(name) if name.to_str() == Some(title));
    if is_spinning {
        Some(LiveStatus::Busy)
    } else {
        folder.components().any(names_project).then_some(LiveStatus::Idle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_of_opencode_names_one_session() {
        let long = "Some words that decide nothing, and some more of them";
        let cut = "OC | Some words that decide nothing, and s…";
        for (title, name, wanted) in [
            ("OC | Fix the parser", Some("Fix the parser"), Some(true)),
            ("OC | Fix the parser", Some("Fix the writer"), Some(false)),
            ("OC | Fix the parser", None, Some(false)),
            // Of 40 units and more, in which one sign may be two.
            (cut, Some(long), Some(true)),
            (cut, Some("Some words that decide all"), Some(false)),
            ("OC | S…", Some("Some words"), Some(false)),
            // The first screen, or a session that has no name yet.
            ("OpenCode", Some("Fix the parser"), Some(false)),
            ("OpenCode", None, Some(true)),
            // Titles are turned off.
            ("host", Some("Fix the parser"), None),
            ("", None, None),
        ] {
            assert_eq!(names_opencode_session(title, name), wanted, "{title} {name:?}");
        }
    }
}
