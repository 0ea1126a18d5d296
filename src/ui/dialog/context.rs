//! What a dialog may know: its workspace, its room, the look, the time, and whether a key may confirm yet.

use crate::model::{Timestamp, WorkspaceView};
use crate::ui::input::Size;
use crate::ui::look::Look;
use crate::ui::sheet::TextLayout;

/// Lines longer than this are hard to read.
const MAX_WIDTH: usize = 100;

#[derive(Clone, Copy)]
pub(in crate::ui) struct Context<'a> {
    /// Its workspace as of now; `None` if it no longer exists.
    pub(in crate::ui) view: Option<&'a WorkspaceView>,
    pub(in crate::ui) views: &'a [WorkspaceView],
    /// The room for a dialog: everything between the header and the hints, without the line of its title.
    pub(in crate::ui) room: Size,
    pub(in crate::ui) look: Look,
    /// The current time while drawing, otherwise the time of the last input.
    pub(in crate::ui) now: Timestamp,
    /// Whether a key may confirm something: the dialog was visible long enough to be read.
    pub(in crate::ui) is_armed: bool,
}

impl Context<'_> {
    /// A layout as wide as a dialog.
    pub(in crate::ui) fn sheet(self) -> TextLayout {
        let width = usize::from(self.room.width.saturating_sub(2)).min(MAX_WIDTH);
        TextLayout { width, look: self.look, now: self.now }
    }

    /// How many lines a dialog shows at most.
    pub(in crate::ui) fn n_shown(self) -> usize {
        usize::from(self.room.height).max(1)
    }
}
