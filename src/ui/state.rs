//! What the screen remembers between two inputs. Plain data: it knows workspaces only by their ids.

use super::dialog::{Dialog, Guard};
use super::input::Size;
use super::keymap::WorkspaceCommand;
use super::look::Look;
use super::tabs::Tab;
use crate::model::{Timestamp, WorkspaceId};

/// The state of the screen. Together with the workspace views, the size and the time it determines the frame.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says another thing, and all their combinations occur"
)]
pub struct State {
    /// The size of the terminal.
    pub size: Size,
    /// Signs and colours.
    pub look: Look,
    /// The selected workspace, by id so that it stays selected when the list is sorted again.
    pub selected: Option<WorkspaceId>,
    /// The panel that the movement keys act on.
    pub focus: Focus,
    /// Whether the detail replaces the list on a small screen.
    pub is_zoomed: bool,
    /// Whether the detail fills a screen of any size.
    pub is_full: bool,
    /// The selected tab of the detail.
    pub tab: Tab,
    /// The cursor and marks among the open points of the selected workspace.
    pub points: Points,
    /// The filter of the list.
    pub filter: Filter,
    /// The first visible row of the list.
    pub list_top: usize,
    /// The first visible line of the detail.
    pub detail_top: usize,
    /// The length of the detail in the last frame, so that it is not laid out once more when it scrolls.
    pub detail_length: Option<DetailLength>,
    /// The open dialog, drawn over list and detail.
    pub dialog: Option<Dialog>,
    /// Decides when keys may confirm something in the dialog.
    pub guard: Guard,
    /// Dialogs that arrived when they could not be shown.
    pub ready: Vec<Ready>,
    /// Messages to show once the dialog is closed, or after the screen.
    pub later: Vec<String>,
    /// Whether the screen has ended: what arrives now is told after it.
    pub is_over: bool,
    /// The page shown instead of list and detail.
    pub page: Page,
    /// The first visible line of the page.
    pub page_top: usize,
    /// The filter of the page.
    pub page_filter: Filter,
    /// Whether a first list of workspaces, possibly an empty one, has arrived.
    pub is_loaded: bool,
    /// Messages about the whole program (watch limits, refused paths), one sentence each. Untrusted text.
    pub notices: Vec<String>,
    /// The result of the person's last command, as a message; it stays until the next key. Untrusted text.
    pub answer: Option<String>,
    /// The workspace whose mark the message is about; the message disappears with the mark.
    pub marked: Option<WorkspaceId>,
    /// How many sessions are hidden because they are old.
    pub n_older: usize,
    /// Whether the person asked to see the old sessions.
    pub is_older_shown: bool,
    /// Whether finished and quiet workspaces are shown as rows of their own.
    pub is_unfolded: bool,
    /// Whether closeout asks agents automatically, which costs tokens.
    pub asks_by_itself: bool,
    /// What was last reported as looked at: the workspace, and when its verdict began.
    pub looked: Option<(WorkspaceId, Option<Timestamp>)>,
    /// What determines the selection.
    pub mode: SelectionMode,
    /// Whether the selected workspace was finished and unseen when it was selected.
    pub holds_place: bool,
    /// When the person last did something; the first frame counts too, since they started the program.
    pub heard_at: Option<Timestamp>,
    /// Whether the current input is the first after a pause.
    pub is_back: bool,
}

impl State {
    /// The state at the start.
    pub fn new(size: Size, look: Look) -> State {
        State { size, look, ..State::default() }
    }

    /// Drops the message.
    pub(super) fn drop_answer(&mut self) {
        (self.answer, self.marked) = (None, None);
    }

    /// Whether the person leaves, or has left: what needs a key to be shown may never be.
    pub(super) fn is_leaving(&self) -> bool {
        self.is_over || matches!(self.dialog, Some(Dialog::Leave(_)))
    }

    /// Whether the keys act on the open points.
    pub(super) fn is_among_points(&self) -> bool {
        self.focus == Focus::Detail && self.tab == Tab::LeftToDo && self.page == Page::None
    }

    /// The filter that the keys edit: that of the help page or that of the list.
    pub(super) fn filter_in_force(&self) -> &Filter {
        if self.page == Page::Help { &self.page_filter } else { &self.filter }
    }

    /// As [`State::filter_in_force`], mutable.
    pub(super) fn filter_to_write(&mut self) -> &mut Filter {
        if self.page == Page::Help { &mut self.page_filter } else { &mut self.filter }
    }

    /// The workspace whose row keeps its place in the list although looking at it marked it as seen.
    pub fn held(&self) -> Option<&WorkspaceId> {
        self.selected.as_ref().filter(|_| self.holds_place)
    }
}

/// The cursor and marks among the open points of a workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Points {
    /// The index of the point under the cursor.
    pub cursor: usize,
    /// The ids of the points marked to be sent.
    pub ids: Vec<String>,
}

/// How long a detail is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetailLength {
    /// Its workspace.
    pub workspace: WorkspaceId,
    /// Its tab.
    pub tab: Tab,
    /// The width of its area.
    pub width: u16,
    /// How many lines it has.
    pub n_lines: usize,
}

/// A dialog that could not be shown when it arrived: another one was open, or another workspace selected.
#[derive(Debug, Clone, PartialEq)]
pub struct Ready {
    /// The workspace that it is about.
    pub workspace: WorkspaceId,
    /// The command whose key shows it.
    pub command: WorkspaceCommand,
    /// The dialog.
    pub dialog: Dialog,
}

/// What determines the selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SelectionMode {
    /// The most urgent workspace is selected: at the start, until every workspace has been judged once or the
    /// person does something.
    #[default]
    FollowsUrgency,
    /// The selection stays where the person put it.
    Stays,
}

/// The panel that the movement keys act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Focus {
    /// They select a workspace.
    #[default]
    List,
    /// They scroll the detail.
    Detail,
}

/// A page shown instead of list and detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Page {
    /// No page.
    #[default]
    None,
    /// Keys and signs.
    Help,
}

/// A filter, of the list or of the help page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// The typed text; an empty one lets everything through.
    pub text: String,
    /// Whether it is being typed.
    pub is_editing: bool,
}
