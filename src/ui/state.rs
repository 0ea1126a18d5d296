//! What the screen remembers between two inputs. Plain data: it knows no workspace but by its id.

use super::dialog::{Dialog, Guard};
use super::input::Size;
use super::keymap::WorkspaceCommand;
use super::look::Look;
use super::tabs::Tab;
use crate::model::{Timestamp, WorkspaceId};

/// The state of the screen. With the workspace views, the size and the time it determines the frame.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says another thing, and all their combinations occur"
)]
pub struct State {
    /// The size of the terminal.
    pub size: Size,
    /// How things look.
    pub look: Look,
    /// The selected workspace. An id, so that it stays selected when the list is sorted anew.
    pub selected: Option<WorkspaceId>,
    /// Where the moving keys go.
    pub focus: Focus,
    /// Whether the detail takes the whole of a small screen.
    pub is_zoomed: bool,
    /// Whether it takes the whole of any screen.
    pub is_full: bool,
    /// The tab of the detail.
    pub tab: Tab,
    /// What is chosen among the open points of the selected workspace.
    pub points: Points,
    /// The filter of the list.
    pub filter: Filter,
    /// The first row of the list that is shown.
    pub list_top: usize,
    /// The first line of the detail that is shown.
    pub detail_top: usize,
    /// What a person is asked, or writes, over list and detail.
    pub dialog: Option<Dialog>,
    /// Whether keys may decide in it yet.
    pub guard: Guard,
    /// What came while it could not be shown.
    pub ready: Vec<Ready>,
    /// What is said once the dialog is closed.
    pub later: Vec<String>,
    /// The page over the list and the detail.
    pub page: Page,
    /// The first line of the page that is shown.
    pub page_top: usize,
    /// The filter of the page.
    pub page_filter: Filter,
    /// Whether a first list of workspaces, even an empty one, has come.
    pub is_loaded: bool,
    /// What a person should know of the whole (watch limits, refused paths), a sentence each. Untrusted.
    pub notices: Vec<String>,
    /// What a person's last command came to, in words; it stays until the next key. Untrusted.
    pub answer: Option<String>,
    /// How many sessions are folded away because they are old.
    pub n_older: usize,
    /// Whether they were asked for.
    pub is_older_shown: bool,
    /// Whether finished and quiet workspaces have rows of their own.
    pub is_unfolded: bool,
    /// Whether agents are asked by closeout itself, which costs tokens.
    pub asks_by_itself: bool,
    /// What was last reported as looked at: the workspace, and the verdict by its beginning.
    pub looked: Option<(WorkspaceId, Option<Timestamp>)>,
    /// What the selection goes by.
    pub mode: SelectionMode,
    /// Whether the selected workspace was finished and unseen when it was selected.
    pub holds_place: bool,
    /// When a person was last heard of; the first frame counts, for they began the program.
    pub heard_at: Option<Timestamp>,
    /// Whether the present input is the first after a while.
    pub is_back: bool,
}

impl State {
    /// The state at the start.
    pub fn new(size: Size, look: Look) -> State {
        State { size, look, ..State::default() }
    }

    /// Whether the keys go to the open points.
    pub(super) fn is_among_points(&self) -> bool {
        self.focus == Focus::Detail && self.tab == Tab::LeftToDo && self.page == Page::None
    }

    /// The filter of what the keys go to: the help page, or the list.
    pub(super) fn filter_in_force(&self) -> &Filter {
        if self.page == Page::Help { &self.page_filter } else { &self.filter }
    }

    /// The same, to be written.
    pub(super) fn filter_to_write(&mut self) -> &mut Filter {
        if self.page == Page::Help { &mut self.page_filter } else { &mut self.filter }
    }

    /// The workspace whose row keeps its place, though a look at it made it a seen one.
    pub fn held(&self) -> Option<&WorkspaceId> {
        self.selected.as_ref().filter(|_| self.holds_place)
    }
}

/// What a person has chosen among the open points of a workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Points {
    /// The point that the keys are at, by its place in the tab.
    pub cursor: usize,
    /// The names of those that are marked to be sent.
    pub ids: Vec<String>,
}

/// A dialog that came while it could not be shown: another one was open, or another workspace selected.
#[derive(Debug, Clone, PartialEq)]
pub struct Ready {
    /// The workspace that it is about.
    pub workspace: WorkspaceId,
    /// Whose key shows it.
    pub command: WorkspaceCommand,
    /// The dialog.
    pub dialog: Dialog,
}

/// What the selection goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SelectionMode {
    /// The most urgent workspace is selected: at the start, until every workspace was judged once or
    /// a person does something.
    #[default]
    FollowsUrgency,
    /// It stays where a person left it.
    Stays,
}

/// Where the moving keys go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Focus {
    /// They select a workspace.
    #[default]
    List,
    /// They scroll the detail.
    Detail,
}

/// A page over the list and the detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Page {
    /// None.
    #[default]
    None,
    /// Keys and signs.
    Help,
}

/// The filter of the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// What was typed; empty shows every workspace.
    pub text: String,
    /// Whether it is being typed.
    pub is_editing: bool,
}
