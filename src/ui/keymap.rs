//! The keys, as data: one table per mode, from which the hints and the help page are generated too.
//!
//! A key does what its [`KeyCommand`] says; `update` carries it out. To add a key, add it here.

use super::input::{KeyCode, KeyPress};
use super::steps::Motion;

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyCommand {
    /// Move through the rows or lines.
    Move(Motion),
    /// Show the tab of the detail with the number on the key.
    Tab,
    /// Show the detail on the whole screen, or beside the list again.
    Zoom,
    /// Mark the open point under the cursor; without one, answer the agent.
    Tick,
    /// Select the next workspace that waits for a person.
    NextWaiting,
    /// Select the next match of the filter.
    NextMatch,
    /// Select the previous match.
    PreviousMatch,
    /// Jump to the tmux pane of the selected workspace's agent; without one, as `Open`.
    Go,
    /// Move the keys to the detail, which fills a small screen.
    Open,
    /// Move the keys between list and detail.
    SwitchFocus,
    /// Return from the detail to the list.
    Close,
    /// Show more of what is folded away, or fold all of it again.
    Unfold,
    /// One step back: close, return to the list, clear the filter.
    Back,
    /// Start typing a filter.
    Filter,
    /// Keep the filter and return to the list.
    KeepFilter,
    /// Drop the filter and return to the list.
    DropFilter,
    /// Delete the last character of the filter.
    Erase,
    /// Delete the last word of the filter.
    EraseWord,
    /// Delete the whole filter.
    EraseAll,
    /// A command for the selected workspace.
    Action(WorkspaceCommand),
    /// Look again at the selected workspace.
    Refresh,
    /// Look again at all workspaces.
    RefreshAll,
    /// Show or hide the help page.
    Help,
    /// Leave.
    Quit,
}

impl KeyCommand {
    /// Whether it edits a filter.
    pub(super) const fn is_of_filter(self) -> bool {
        matches!(
            self,
            KeyCommand::Filter
                | KeyCommand::KeepFilter
                | KeyCommand::DropFilter
                | KeyCommand::Erase
                | KeyCommand::EraseWord
                | KeyCommand::EraseAll
        )
    }

    /// Whether it implies that the person sees the selected row: it moves to, opens, scrolls or acts on a row.
    pub(super) const fn is_about_row(self) -> bool {
        matches!(
            self,
            KeyCommand::Move(_)
                | KeyCommand::Tab
                | KeyCommand::Zoom
                | KeyCommand::Tick
                | KeyCommand::Go
                | KeyCommand::Open
                | KeyCommand::SwitchFocus
                | KeyCommand::KeepFilter
                | KeyCommand::Action(_)
        )
    }
}

/// A command for the selected workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkspaceCommand {
    /// Answer its agent.
    Reply,
    /// Send open points back to the agent.
    SendBack,
    /// Save its uncommitted work.
    Rescue,
    /// Undo the last rescue.
    Undo,
    /// Make the undone rescue again.
    Redo,
    /// Ask the agent for its status.
    SmartCheck,
    /// Have the closer make a checklist.
    Verify,
    /// Run the checks that the person configured.
    Checks,
    /// Show the newest report of the closer or a smart check.
    Report,
    /// Set a mark, which overrides all evidence.
    Mark,
    /// End the running action.
    Cancel,
}

/// One row of a table; each mode has its own type of commands, `C`.
#[derive(Debug, Clone, Copy)]
pub struct Binding<C = KeyCommand> {
    /// The keys; hints name the first.
    pub keys: &'static [KeyPress],
    /// What they do.
    pub command: C,
    /// A word for the hints in the footer; `None` keeps the key out of them.
    pub hint: Option<&'static str>,
    /// The word to use instead if the selected workspace has a session with a tmux pane.
    pub hint_with_pane: Option<&'static str>,
    /// A sentence for the help page.
    pub help: &'static str,
    /// A name for all the keys where listing each would be tedious.
    pub label: Option<&'static str>,
}

/// A row without a hint.
pub(super) const fn bind<C: Copy>(keys: &'static [KeyPress], command: C, help: &'static str) -> Binding<C> {
    Binding { keys, command, hint: None, hint_with_pane: None, help, label: None }
}

impl<C: Copy> Binding<C> {
    /// Adds a word for the hints.
    pub(super) const fn hinted(self, hint: &'static str) -> Binding<C> {
        Binding { hint: Some(hint), ..self }
    }

    const fn hinted_with_pane(self, hint: &'static str) -> Binding<C> {
        Binding { hint_with_pane: Some(hint), ..self }
    }

    /// Adds a name for all the keys.
    pub(super) const fn labelled(self, label: &'static str) -> Binding<C> {
        Binding { label: Some(label), ..self }
    }
}

impl<C> Binding<C> {
    /// All its keys, for the help page.
    pub fn keys_in_words(&self) -> String {
        self.label.map_or_else(
            || self.keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
            str::to_owned,
        )
    }

    /// Its first key, for a hint.
    pub fn first_key(&self) -> String {
        self.keys.first().map(ToString::to_string).unwrap_or_default()
    }
}

pub(super) const fn key(code: KeyCode) -> KeyPress {
    KeyPress::plain(code)
}

/// A key that types a character.
pub(super) const fn sign(sign: char) -> KeyPress {
    KeyPress::char(sign)
}

/// The keys of the list, the detail and the help page. Hints are shown in this order, as many as fit.
pub const BINDINGS: &[Binding] = &[
    bind(&[sign('?')], KeyCommand::Help, "show or hide this page").hinted("help"),
    bind(&[sign('q'), KeyPress::ctrl('c')], KeyCommand::Quit, "quit").hinted("quit"),
    bind(&[sign('i')], KeyCommand::Action(WorkspaceCommand::Reply), "answer the agent").hinted("answer"),
    bind(&[sign(' ')], KeyCommand::Tick, "select a point that is left to do; elsewhere answer the agent")
        .hinted("select"),
    bind(
        &[sign('b')],
        KeyCommand::Action(WorkspaceCommand::SendBack),
        "send back the selected points, or all that is left",
    )
    .hinted("send back"),
    bind(
        &[sign('c')],
        KeyCommand::Action(WorkspaceCommand::Rescue),
        "rescue: commit what is not committed, keep what no branch holds",
    )
    .hinted("rescue"),
    bind(&[sign('x')], KeyCommand::Action(WorkspaceCommand::Cancel), "end what runs in this workspace")
        .hinted("end it"),
    bind(
        &[sign('V')],
        KeyCommand::Action(WorkspaceCommand::Report),
        "the agent's last answer to a question or a request to verify",
    ),
    bind(&[sign('z')], KeyCommand::Action(WorkspaceCommand::Undo), "undo the last rescue"),
    bind(&[sign('Z')], KeyCommand::Action(WorkspaceCommand::Redo), "redo the rescue that was undone"),
    bind(&[sign('p')], KeyCommand::Action(WorkspaceCommand::SmartCheck), "ask the agent whether it is done")
        .hinted("ask"),
    bind(
        &[sign('v')],
        KeyCommand::Action(WorkspaceCommand::Verify),
        "verify: have the agent make a checklist",
    ),
    bind(&[sign('C')], KeyCommand::Action(WorkspaceCommand::Checks), "run the checks that you configured")
        .hinted("checks"),
    bind(
        &[sign('d')],
        KeyCommand::Action(WorkspaceCommand::Mark),
        "mark: done, not done, quiet, by your own word",
    )
    .hinted("mark"),
    bind(&[key(KeyCode::Enter)], KeyCommand::Go, "go to the agent's tmux pane; without one, open")
        .hinted("open")
        .hinted_with_pane("go to pane"),
    bind(&[sign('l'), key(KeyCode::Right)], KeyCommand::Open, "open: read the evidence").hinted("open"),
    bind(
        &[sign('1'), sign('2'), sign('3'), sign('4'), sign('5'), sign('6')],
        KeyCommand::Tab,
        "why, left to do, asked, changes, sessions, history",
    )
    .labelled("1-6")
    .hinted("tabs"),
    bind(&[sign('+')], KeyCommand::Zoom, "show the detail alone, and back").hinted("zoom"),
    bind(&[sign('w')], KeyCommand::NextWaiting, "the next workspace that waits for you")
        .hinted("next waiting"),
    bind(&[sign('/')], KeyCommand::Filter, "filter by name, branch, agent, question; s:asks by state")
        .hinted("filter"),
    bind(&[sign('R')], KeyCommand::Refresh, "look again at this workspace").hinted("refresh"),
    bind(&[key(KeyCode::Tab), key(KeyCode::BackTab)], KeyCommand::SwitchFocus, "between list and detail")
        .hinted("switch"),
    bind(&[sign('j'), key(KeyCode::Down)], KeyCommand::Move(Motion::By(1)), "down").hinted("down"),
    bind(&[sign('k'), key(KeyCode::Up)], KeyCommand::Move(Motion::By(-1)), "up").hinted("up"),
    bind(&[sign('g'), key(KeyCode::Home)], KeyCommand::Move(Motion::First), "to the first"),
    bind(&[sign('G'), key(KeyCode::End)], KeyCommand::Move(Motion::Last), "to the last"),
    bind(&[key(KeyCode::PageDown), KeyPress::ctrl('d')], KeyCommand::Move(Motion::Pages(1)), "page down"),
    bind(&[key(KeyCode::PageUp), KeyPress::ctrl('u')], KeyCommand::Move(Motion::Pages(-1)), "page up"),
    bind(&[sign('n')], KeyCommand::NextMatch, "next match of the filter"),
    bind(&[sign('N')], KeyCommand::PreviousMatch, "previous match"),
    bind(&[sign('h'), key(KeyCode::Left)], KeyCommand::Close, "from the evidence back to the list"),
    bind(&[sign('o')], KeyCommand::Unfold, "show or fold finished, quiet and old workspaces"),
    bind(&[KeyPress::ctrl('r')], KeyCommand::RefreshAll, "look again at all workspaces"),
    bind(&[key(KeyCode::Esc)], KeyCommand::Back, "back; clear the filter"),
];

/// The keys while a filter is typed. Every other character becomes part of it.
pub const FILTER_BINDINGS: &[Binding] = &[
    bind(&[key(KeyCode::Enter)], KeyCommand::KeepFilter, "keep the filter").hinted("keep"),
    bind(&[key(KeyCode::Esc)], KeyCommand::DropFilter, "clear the filter").hinted("clear"),
    bind(&[key(KeyCode::Down), key(KeyCode::Tab)], KeyCommand::Move(Motion::By(1)), "next match")
        .hinted("next"),
    bind(&[key(KeyCode::Up), key(KeyCode::BackTab)], KeyCommand::Move(Motion::By(-1)), "previous match")
        .hinted("previous"),
    bind(&[key(KeyCode::Backspace), KeyPress::ctrl('h')], KeyCommand::Erase, "delete a character"),
    bind(&[KeyPress::ctrl('w')], KeyCommand::EraseWord, "delete a word"),
    bind(&[KeyPress::ctrl('u')], KeyCommand::EraseAll, "delete all"),
    bind(&[KeyPress::ctrl('c')], KeyCommand::Quit, "quit"),
];

impl From<WorkspaceCommand> for KeyCommand {
    fn from(command: WorkspaceCommand) -> KeyCommand {
        KeyCommand::Action(command)
    }
}

/// The first key of the list that does this; empty if none does.
pub(super) fn key_of(command: impl Into<KeyCommand>) -> String {
    let command = command.into();
    BINDINGS.iter().find(|binding| binding.command == command).map(Binding::first_key).unwrap_or_default()
}

/// What a key does according to this table.
pub fn command_of<C: Copy>(table: &[Binding<C>], press: KeyPress) -> Option<C> {
    let press = press.folded();
    table.iter().find(|binding| binding.keys.contains(&press)).map(|binding| binding.command)
}

/// A key and a word for what it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hint {
    pub(super) key: String,
    pub(super) word: &'static str,
    /// Whether the key works at this moment.
    pub(super) is_on: bool,
}

/// The hint of a binding, if it has one: its label, or else its first key.
pub(super) fn hint_of<C>(binding: &Binding<C>) -> Option<Hint> {
    let key = binding.label.map_or_else(|| binding.first_key(), str::to_owned);
    binding.hint.map(|word| Hint { key, word, is_on: true })
}

pub(super) fn hints_of<C>(table: &[Binding<C>]) -> Vec<Hint> {
    table.iter().filter_map(hint_of).collect()
}
