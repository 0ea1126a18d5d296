//! The keys of the reply box, as data: one table per thing that it can show. Other keys are written.

use crate::ui::input::{KeyCode, KeyPress};
use crate::ui::keymap::{Binding, bind, key, sign};

/// What a key does in the reply box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyAction {
    /// Send the text; if it cannot be sent, plan again.
    Send,
    /// Send it once the agent's turn has ended.
    WhenIdle,
    /// Start a new line.
    NewLine,
    /// Open it in the person's editor.
    Editor,
    /// Undo the last change.
    Undo,
    /// Redo it.
    Redo,
    /// Switch to another session of the workspace.
    OtherSession,
    /// Scroll the question up.
    ScrollUp,
    /// Scroll the question down.
    ScrollDown,
    /// Close the box; the text is kept.
    Leave,
    /// Confirm.
    Yes,
    /// Decline.
    No,
    /// Go to the agent's pane.
    Pane,
    /// One session down.
    Down,
    /// One session up.
    Up,
    /// Choose the selected session.
    Take,
}

const fn alt(code: KeyCode) -> KeyPress {
    KeyPress { alt: true, ..KeyPress::plain(code) }
}

const ESC: KeyPress = key(KeyCode::Esc);

/// The keys while a reply is written. Every other character becomes part of it.
pub const BINDINGS: &[Binding<ReplyAction>] = &[
    bind(&[key(KeyCode::Enter)], ReplyAction::Send, "send").hinted("send"),
    bind(&[KeyPress::ctrl('s')], ReplyAction::WhenIdle, "send it when the agent's turn has ended")
        .hinted("send when idle"),
    bind(&[alt(KeyCode::Enter), KeyPress::ctrl('j')], ReplyAction::NewLine, "new line")
        .hinted("new line")
        .labelled("Alt-Enter Ctrl-J"),
    bind(&[ESC], ReplyAction::Leave, "leave; what was written is kept").hinted("leave"),
    bind(&[KeyPress::ctrl('e')], ReplyAction::Editor, "write it in $VISUAL or $EDITOR").hinted("editor"),
    bind(
        &[alt(KeyCode::Char('u')), KeyPress::ctrl('_'), KeyPress::ctrl('7'), KeyPress::ctrl('/')],
        ReplyAction::Undo,
        "take the last change back",
    )
    .hinted("undo")
    .labelled("Alt-u Ctrl-_"),
    bind(&[KeyPress::ctrl('y'), alt(KeyCode::Char('e'))], ReplyAction::Redo, "make it again")
        .labelled("Ctrl-Y Alt-e"),
    bind(&[key(KeyCode::PageUp)], ReplyAction::ScrollUp, "the question: page up"),
    bind(&[key(KeyCode::PageDown)], ReplyAction::ScrollDown, "the question: page down"),
    bind(&[key(KeyCode::Tab)], ReplyAction::OtherSession, "another session of the workspace"),
];

/// The keys while the options of a prompt are shown. Enter is not among them.
pub(super) const OPTIONS: &[Binding<ReplyAction>] = &[
    bind(&[ESC], ReplyAction::Leave, "leave").hinted("leave"),
    bind(&[key(KeyCode::PageUp), key(KeyCode::Up)], ReplyAction::ScrollUp, "up"),
    bind(&[key(KeyCode::PageDown), key(KeyCode::Down)], ReplyAction::ScrollDown, "down"),
    bind(&[key(KeyCode::Tab)], ReplyAction::OtherSession, "another session"),
];

/// The keys while a prompt is shown that can only be answered in its pane.
pub(super) const IN_PANE: &[Binding<ReplyAction>] = &[
    bind(&[key(KeyCode::Enter)], ReplyAction::Pane, "go to its pane").hinted("go to its pane"),
    bind(&[ESC], ReplyAction::Leave, "leave").hinted("leave"),
    bind(&[key(KeyCode::PageUp), key(KeyCode::Up)], ReplyAction::ScrollUp, "up"),
    bind(&[key(KeyCode::PageDown), key(KeyCode::Down)], ReplyAction::ScrollDown, "down"),
    bind(&[key(KeyCode::Tab)], ReplyAction::OtherSession, "another session"),
];

/// The keys while something is to be confirmed. Enter is not among them.
pub(super) const CONFIRM: &[Binding<ReplyAction>] = &[
    bind(&[sign('y')], ReplyAction::Yes, "yes").hinted("yes, send it"),
    bind(&[sign('n'), ESC], ReplyAction::No, "no").hinted("no"),
];

/// The keys for confirming an option of a question, where Enter works too: it gives no permission.
pub(super) const CHOOSE: &[Binding<ReplyAction>] = &[
    bind(&[key(KeyCode::Enter), sign('y')], ReplyAction::Yes, "yes").hinted("yes, send it"),
    bind(&[sign('n'), ESC], ReplyAction::No, "no").hinted("no"),
];

/// The keys while a reply is being sent.
pub(super) const SENDING: &[Binding<ReplyAction>] =
    &[bind(&[ESC], ReplyAction::Leave, "leave").hinted("leave; it goes on")];

/// The keys while one of several sessions is chosen.
pub(super) const SESSIONS: &[Binding<ReplyAction>] = &[
    bind(&[key(KeyCode::Enter)], ReplyAction::Take, "this one").hinted("this one"),
    bind(&[sign('j'), key(KeyCode::Down), key(KeyCode::Tab)], ReplyAction::Down, "down").hinted("down"),
    bind(&[sign('k'), key(KeyCode::Up), key(KeyCode::BackTab)], ReplyAction::Up, "up").hinted("up"),
    bind(&[ESC], ReplyAction::Leave, "leave").hinted("leave"),
];
