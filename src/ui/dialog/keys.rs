//! The keys of the boxes in which a person confirms something, as data: hints and help are generated from them.
//!
//! Only `y` confirms. Enter and Escape, which a hand presses without thinking, leave the box.

use crate::model::TaskKind;
use crate::ui::input::{KeyCode, KeyPress};
use crate::ui::keymap::{Binding, Hint, bind, command_of, hint_of, hints_of, key, sign};
use crate::ui::steps::Motion;

/// What a key does in a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ui) enum BoxAction {
    Yes,
    No,
    /// Include a path, or exclude it again.
    Tick,
    Edit,
    /// Choose the next branch that the commit can go to.
    Target,
    /// Choose the next way to split the commit.
    Split,
    /// Go to the excluded paths.
    LeftOut,
    Author,
    /// Ask the agent for messages and a split.
    AskAgent,
    /// Turn the repository's hooks on or off.
    Hooks,
    /// Turn on or off that the person's own program makes the commit.
    OwnProgram,
    Mark(MarkKey),
    /// Send the marked point to the agent.
    Send,
    /// Wait for running actions, then leave the program.
    Wait,
    /// End running actions, then leave the program.
    End,
    Move(Motion),
}

const NO_KEYS: &[KeyPress] = &[sign('n'), key(KeyCode::Enter), key(KeyCode::Esc), sign('q')];

/// The keys that move in every box of lines.
const MOVES: &[Binding<Motion>] = &[
    bind(&[sign('j'), key(KeyCode::Down)], Motion::By(1), "down").hinted("down"),
    bind(&[sign('k'), key(KeyCode::Up)], Motion::By(-1), "up").hinted("up"),
    bind(&[key(KeyCode::PageDown), KeyPress::ctrl('d')], Motion::Pages(1), "page down"),
    bind(&[key(KeyCode::PageUp), KeyPress::ctrl('u')], Motion::Pages(-1), "page up"),
    bind(&[sign('g'), key(KeyCode::Home)], Motion::First, "to the first"),
    bind(&[sign('G'), key(KeyCode::End)], Motion::Last, "to the last"),
];

/// What a key does in a box with these keys and those that move.
pub(in crate::ui) fn box_action(table: &[Binding<BoxAction>], press: KeyPress) -> Option<BoxAction> {
    command_of(table, press).or_else(|| command_of(MOVES, press).map(BoxAction::Move))
}

/// The hints of a box with these keys and those that move.
pub(in crate::ui) fn box_hints<'t>(table: impl IntoIterator<Item = &'t Binding<BoxAction>>) -> Vec<Hint> {
    table.into_iter().filter_map(hint_of).chain(hints_of(MOVES)).collect()
}

pub(in crate::ui) const RESCUE: &[Binding<BoxAction>] = &[
    bind(&[sign('y')], BoxAction::Yes, "commit exactly what is shown").hinted("commit"),
    bind(NO_KEYS, BoxAction::No, "leave; the record of the work is kept")
        .hinted("leave")
        .labelled("n Enter Esc"),
    bind(&[sign(' ')], BoxAction::Tick, "include what is left out, or exclude it again").hinted("include"),
    bind(&[sign('e')], BoxAction::Edit, "write the commit message").hinted("message"),
    bind(&[sign('m')], BoxAction::AskAgent, "ask the agent for messages and a split (it costs tokens)")
        .hinted("ask the agent"),
    bind(&[sign('b')], BoxAction::Target, "another branch, where one is offered").hinted("branch"),
    bind(&[sign('s')], BoxAction::Split, "one commit or several, where that is offered").hinted("split"),
    bind(&[sign('l')], BoxAction::LeftOut, "go to what is left out").hinted("left out"),
    bind(&[sign('a')], BoxAction::Author, "the author of the commit").hinted("author"),
    bind(&[sign('h')], BoxAction::Hooks, "run the repository's hooks, once they are trusted").hinted("hooks"),
    bind(&[sign('o')], BoxAction::OwnProgram, "your own rescue program instead, once it is trusted")
        .hinted("own program"),
];

/// The keys of a preview in which nothing can be committed.
pub(in crate::ui) const REFUSED: &[Binding<BoxAction>] =
    &[bind(NO_KEYS, BoxAction::No, "leave; the record of the work is kept")
        .hinted("leave")
        .labelled("n Enter Esc")];

pub(in crate::ui) const CONFIRM: &[Binding<BoxAction>] = &[
    bind(&[sign('y')], BoxAction::Yes, "do what is shown").hinted("do it"),
    bind(NO_KEYS, BoxAction::No, "leave; nothing is done").hinted("leave").labelled("n Enter Esc"),
];

pub(in crate::ui) const REPORT: &[Binding<BoxAction>] =
    &[bind(NO_KEYS, BoxAction::No, "close").hinted("close").labelled("Enter Esc")];

/// The keys of a closer's report that lists open points.
pub(in crate::ui) const CLOSER: &[Binding<BoxAction>] = &[
    bind(&[sign('i'), sign(' ')], BoxAction::Send, "write it to the agent as a reply")
        .hinted("reply with it"),
    bind(NO_KEYS, BoxAction::No, "close").hinted("close").labelled("Enter Esc"),
];

/// What a person can say of a workspace with one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ui) enum MarkKey {
    Done,
    Open,
    Quiet,
    NotOfThisTask,
    BaselineHere,
    Kind(TaskKind),
    Clear,
}

const fn says(keys: &'static [KeyPress], mark: MarkKey, help: &'static str) -> Binding<BoxAction> {
    bind(keys, BoxAction::Mark(mark), help)
}

pub(in crate::ui) const MARK: &[Binding<BoxAction>] = &[
    // First, because it is only there while a mark holds, and the last lines may have no room.
    says(&[sign('c')], MarkKey::Clear, "remove all your marks"),
    says(&[sign('d')], MarkKey::Done, "done, despite all evidence so far"),
    says(&[sign('o')], MarkKey::Open, "not done, despite all evidence so far"),
    says(&[sign('s')], MarkKey::Quiet, "quiet: no attention until a prompt or a question comes"),
    says(&[sign('t')], MarkKey::NotOfThisTask, "the open points are not of this task"),
    says(&[sign('b')], MarkKey::BaselineHere, "count new work from HEAD on"),
    says(&[sign('1')], MarkKey::Kind(TaskKind::Implementation), "the task is an IMPLEMENTATION"),
    says(&[sign('2')], MarkKey::Kind(TaskKind::ReadInfo), "the task is READ_INFO: a question to answer"),
    says(&[sign('3')], MarkKey::Kind(TaskKind::Report), "the task is a REPORT: a document to write"),
    bind(NO_KEYS, BoxAction::No, "leave; nothing is marked").hinted("leave").labelled("n Enter Esc"),
];

pub(in crate::ui) const LEAVE: &[Binding<BoxAction>] = &[
    bind(&[sign('q')], BoxAction::Wait, "wait until what runs has ended, and quit").hinted("wait and quit"),
    bind(&[sign('x')], BoxAction::End, "end what runs, and quit").hinted("end it and quit"),
    bind(&[key(KeyCode::Esc), sign('n'), key(KeyCode::Enter)], BoxAction::No, "stay")
        .hinted("stay")
        .labelled("Esc"),
];

/// What a key does in a field of one line; every other character is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ui) enum FieldAction {
    /// Accept the line.
    Keep,
    /// Leave without changing it.
    Leave,
    Erase,
    EraseWord,
    EraseAll,
}

pub(in crate::ui) const FIELD: &[Binding<FieldAction>] = &[
    bind(&[key(KeyCode::Enter)], FieldAction::Keep, "keep the line, even an empty one").hinted("keep"),
    bind(&[key(KeyCode::Esc)], FieldAction::Leave, "leave").hinted("leave"),
    bind(&[key(KeyCode::Backspace), KeyPress::ctrl('h')], FieldAction::Erase, "delete a character"),
    bind(&[KeyPress::ctrl('w')], FieldAction::EraseWord, "delete a word"),
    bind(&[KeyPress::ctrl('u')], FieldAction::EraseAll, "delete all"),
];

/// What a key does in the message of a commit. Keys without a binding write or move in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ui) enum MessageAction {
    Keep,
    NewLine,
    Leave,
    Editor,
    Undo,
    Redo,
}

/// The keys of the message of a commit, the same as in the reply box.
pub(in crate::ui) const MESSAGE: &[Binding<MessageAction>] = &[
    bind(&[key(KeyCode::Enter)], MessageAction::Keep, "keep the message").hinted("keep"),
    bind(&[KeyPress::alt(KeyCode::Enter), KeyPress::ctrl('j')], MessageAction::NewLine, "new line")
        .hinted("new line")
        .labelled("Alt-Enter Ctrl-J"),
    bind(&[key(KeyCode::Esc)], MessageAction::Leave, "leave the message as it was").hinted("leave"),
    bind(&[KeyPress::ctrl('e')], MessageAction::Editor, "write it in $VISUAL or $EDITOR").hinted("editor"),
    bind(
        &[KeyPress::alt(KeyCode::Char('u')), KeyPress::ctrl('_')],
        MessageAction::Undo,
        "undo the last change",
    )
    .labelled("Alt-u Ctrl-_"),
    bind(&[KeyPress::ctrl('y'), KeyPress::alt(KeyCode::Char('e'))], MessageAction::Redo, "make it again")
        .labelled("Ctrl-Y Alt-e"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_of_a_box_is_bound_twice_and_only_y_says_yes() {
        for table in [RESCUE, REFUSED, CONFIRM, REPORT, CLOSER, MARK, LEAVE] {
            for binding in table {
                for key in binding.keys {
                    assert_eq!(command_of(table, *key), Some(binding.command), "{key}");
                    assert_eq!(command_of(MOVES, *key), None, "{key}");
                }
                assert_eq!(binding.command == BoxAction::Yes, binding.keys == [sign('y')]);
            }
        }
        for binding in FIELD {
            for key in binding.keys {
                assert_eq!(command_of(FIELD, *key), Some(binding.command), "{key}");
            }
        }
        for binding in MESSAGE {
            for key in binding.keys {
                assert_eq!(command_of(MESSAGE, *key), Some(binding.command), "{key}");
            }
        }
    }
}
