//! What was done, as the adapters give it to the tracker: within bounds.

use crate::agent::record_text::shortened;
use crate::model::{CommandRun, Deed};

/// The longest command line that is kept, in bytes of its begin.
const LONGEST_COMMAND: usize = 8 << 10;
/// More paths of one edit are not kept.
const MOST_PATHS: usize = 200;

/// A command that was called.
pub(in crate::agent) fn command(command: &str, folder: Option<&str>) -> Deed {
    Deed::Command(CommandRun::begun(command.to_owned(), folder.map(str::to_owned)))
}

/// An edit that was called and has not answered.
pub(in crate::agent) fn edit(paths: impl IntoIterator<Item = String>) -> Deed {
    Deed::Edit { paths: paths.into_iter().take(MOST_PATHS).collect(), was_done: false }
}

/// Another tool, if by its name it may change something.
pub(in crate::agent) fn other_tool(tool: &str) -> Option<Deed> {
    /// Parts of the names of tools that change something.
    const CHANGING: [&str; 14] = [
        "write", "edit", "create", "update", "delete", "apply", "move", "rename", "insert", "replace",
        "patch", "exec", "run", "remove",
    ];
    let name = tool.to_lowercase();
    CHANGING.iter().any(|part| name.contains(part)).then(|| Deed::Other { tool: shortened(tool) })
}

pub(super) fn bounded(deed: Deed) -> Deed {
    match deed {
        Deed::Command(mut run) if run.command.len() > LONGEST_COMMAND => {
            run.command.truncate(run.command.floor_char_boundary(LONGEST_COMMAND));
            run.is_cut = true;
            Deed::Command(run)
        }
        Deed::Asked { words, was_answered } => Deed::Asked { words: shortened(&words), was_answered },
        Deed::SentOff { what } => Deed::SentOff { what: shortened(&what) },
        deed @ (Deed::Command(_) | Deed::Edit { .. } | Deed::Other { .. }) => deed,
    }
}
