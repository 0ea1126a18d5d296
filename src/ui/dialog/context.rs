//! What a dialog may look at: its workspace, its room, how things look, the time, and whether a key counts yet.

use crate::model::{Timestamp, WorkspaceView};
use crate::ui::input::Size;
use crate::ui::look::Look;
use crate::ui::sheet::TextLayout;

/// Longer lines than this are hard to read.
const MAX_WIDTH: usize = 100;

/// What a dialog may look at.
#[derive(Clone, Copy)]
pub(in crate::ui) struct Context<'a> {
    /// Its workspace as it is now; `None` when it is gone.
    pub(in crate::ui) view: Option<&'a WorkspaceView>,
    /// All workspaces.
    pub(in crate::ui) views: &'a [WorkspaceView],
    /// The room for a dialog: all between the header and the hints, without the line of its title.
    pub(in crate::ui) room: Size,
    /// How things look.
    pub(in crate::ui) look: Look,
    /// The time now, in a frame; of the last input otherwise.
    pub(in crate::ui) now: Timestamp,
    /// Whether a key may confirm something: the dialog was there long enough to be read.
    pub(in crate::ui) is_armed: bool,
}

impl Context<'_> {
    /// A sheet as wide as a dialog.
    pub(in crate::ui) fn sheet(self) -> TextLayout {
        let width = usize::from(self.room.width.saturating_sub(2)).min(MAX_WIDTH);
        TextLayout { width, look: self.look, now: self.now }
    }

    /// How many lines a dialog shows at most.
    pub(in crate::ui) fn n_shown(self) -> usize {
        usize::from(self.room.height).max(1)
    }
}
