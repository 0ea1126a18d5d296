//! The keys of a text area, as data: those of every line editor, and those of graphical editors. Any other key
//! with a character writes it.

use super::Edit;
use crate::ui::input::{KeyCode, KeyPress};

const fn ctrl(code: KeyCode) -> KeyPress {
    KeyPress { ctrl: true, ..KeyPress::plain(code) }
}

const fn alt_sign(sign: char) -> KeyPress {
    KeyPress::alt(KeyCode::Char(sign))
}

/// Each key with what it does. Enter belongs to the surrounding box, which sends.
const KEYS: &[(KeyPress, Edit)] = &[
    (KeyPress::alt(KeyCode::Enter), Edit::NewLine),
    (KeyPress { shift: true, ..KeyPress::plain(KeyCode::Enter) }, Edit::NewLine),
    (KeyPress::ctrl('j'), Edit::NewLine),
    (KeyPress::plain(KeyCode::Backspace), Edit::Erase),
    (KeyPress { shift: true, ..KeyPress::plain(KeyCode::Backspace) }, Edit::Erase),
    (KeyPress::ctrl('h'), Edit::Erase),
    (KeyPress::plain(KeyCode::Delete), Edit::EraseNext),
    (KeyPress::ctrl('d'), Edit::EraseNext),
    (KeyPress::ctrl('w'), Edit::EraseWord),
    (KeyPress::alt(KeyCode::Backspace), Edit::EraseWord),
    (ctrl(KeyCode::Backspace), Edit::EraseWord),
    (alt_sign('d'), Edit::EraseNextWord),
    (ctrl(KeyCode::Delete), Edit::EraseNextWord),
    (KeyPress::ctrl('u'), Edit::EraseToStart),
    (KeyPress::ctrl('k'), Edit::EraseToEnd),
    (KeyPress::plain(KeyCode::Left), Edit::Left),
    (KeyPress::ctrl('b'), Edit::Left),
    (KeyPress::plain(KeyCode::Right), Edit::Right),
    (KeyPress::ctrl('f'), Edit::Right),
    (ctrl(KeyCode::Left), Edit::WordLeft),
    (KeyPress::alt(KeyCode::Left), Edit::WordLeft),
    (alt_sign('b'), Edit::WordLeft),
    (ctrl(KeyCode::Right), Edit::WordRight),
    (KeyPress::alt(KeyCode::Right), Edit::WordRight),
    (alt_sign('f'), Edit::WordRight),
    (KeyPress::plain(KeyCode::Up), Edit::Up),
    (KeyPress::ctrl('p'), Edit::Up),
    (KeyPress::plain(KeyCode::Down), Edit::Down),
    (KeyPress::ctrl('n'), Edit::Down),
    (KeyPress::plain(KeyCode::Home), Edit::LineStart),
    (KeyPress::ctrl('a'), Edit::LineStart),
    (KeyPress::plain(KeyCode::End), Edit::LineEnd),
    (ctrl(KeyCode::Home), Edit::Start),
    (ctrl(KeyCode::End), Edit::End),
    // Ctrl-Z suspends the program. Terminals send Ctrl-_ and Ctrl-/ as one code, which is reported as Ctrl-7.
    (alt_sign('u'), Edit::Undo),
    (KeyPress::ctrl('_'), Edit::Undo),
    (KeyPress::ctrl('/'), Edit::Undo),
    (KeyPress::ctrl('7'), Edit::Undo),
    (alt_sign('e'), Edit::Redo),
    (KeyPress::ctrl('y'), Edit::Redo),
];

/// What a key does to a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// An edit or a move.
    Edit(Edit),
    /// It writes this character.
    Sign(char),
    None,
}

pub(crate) fn meaning_of(press: KeyPress) -> Meaning {
    // For a character it does not matter whether Shift produced it; with Control, letter case does not matter.
    let press = if let KeyCode::Char(sign) = press.code {
        let sign = if press.ctrl { sign.to_ascii_lowercase() } else { sign };
        KeyPress { code: KeyCode::Char(sign), shift: false, ..press }
    } else {
        press
    };
    if let Some((_, edit)) = KEYS.iter().find(|(key, _)| *key == press) {
        return Meaning::Edit(*edit);
    }
    // On some keyboards, Control and Alt together write characters.
    if let KeyCode::Char(sign) = press.code
        && press.ctrl == press.alt
    {
        Meaning::Sign(sign)
    } else {
        Meaning::None
    }
}
