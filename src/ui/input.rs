//! Input from keyboard, mouse and terminal in the screen's own types, and the reaction to it.
//!
//! No terminal library appears here: the front that owns the terminal converts its events.

use std::fmt;

use crate::model::Intent;

pub use ratatui::layout::Size;

/// One input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A key went down.
    Key(KeyPress),
    /// The terminal has this size; also sent once at the start.
    Resize(Size),
    /// Text was pasted. Untrusted.
    Paste(String),
    /// A mouse event.
    Mouse(Mouse),
    /// The terminal gained focus: the person looks at it again.
    Focus,
    /// A text comes back from the person's editor.
    Edited(Edited),
}

/// The result of editing a text in the person's editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edited {
    /// The saved text.
    Text(String),
    /// It could not be edited or read back; the message says why. Untrusted.
    Failed(String),
}

/// The reaction to an input.
#[must_use]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reaction {
    /// What the person wants of the engine, in order.
    pub intents: Vec<Intent>,
    /// Whether the program ends.
    pub is_quit: bool,
    /// A text to open in the person's editor; it comes back as [`Input::Edited`].
    pub edit: Option<String>,
}

/// One key with its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyPress {
    /// The key.
    pub code: KeyCode,
    /// Whether Control was held.
    pub ctrl: bool,
    /// Whether Alt was held.
    pub alt: bool,
    /// Whether Shift was held. Meaningless for characters, whose case already shows it.
    pub shift: bool,
}

/// A key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyCode {
    /// A key that writes a character.
    Char(char),
    /// Enter.
    Enter,
    /// Escape.
    Esc,
    /// Tab.
    Tab,
    /// Shift+Tab, which terminals send as a separate key.
    BackTab,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
    /// Up.
    Up,
    /// Down.
    Down,
    /// Left.
    Left,
    /// Right.
    Right,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Home.
    Home,
    /// End.
    End,
    /// Any other key.
    Other,
}

/// A mouse event and its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mouse {
    /// What happened.
    pub kind: MouseKind,
    /// Column, counted from 0 at the left.
    pub column: u16,
    /// Row, counted from 0 at the top.
    pub row: u16,
}

/// Kinds of mouse events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseKind {
    /// The left button was pressed.
    Press,
    /// The wheel was turned up.
    ScrollUp,
    /// The wheel was turned down.
    ScrollDown,
}

impl KeyPress {
    /// A key without modifiers.
    pub const fn plain(code: KeyCode) -> KeyPress {
        KeyPress { code, ctrl: false, alt: false, shift: false }
    }

    /// A character without modifiers.
    pub const fn char(sign: char) -> KeyPress {
        KeyPress::plain(KeyCode::Char(sign))
    }

    /// A character with Control.
    pub const fn ctrl(sign: char) -> KeyPress {
        KeyPress { code: KeyCode::Char(sign), ctrl: true, alt: false, shift: false }
    }

    /// A key with Alt.
    pub const fn alt(code: KeyCode) -> KeyPress {
        KeyPress { alt: true, ..KeyPress::plain(code) }
    }

    /// The normal form in which bindings are written: Shift counts only where it does not change the character,
    /// and full-width letters of an input method left on become plain ones.
    #[must_use]
    pub(super) fn folded(self) -> KeyPress {
        #[expect(clippy::wildcard_enum_match_arm, reason = "every other key keeps its form")]
        match self.code {
            KeyCode::Char(sign) => {
                let sign = half_width(sign);
                let sign = if self.ctrl { sign.to_ascii_lowercase() } else { sign };
                KeyPress { code: KeyCode::Char(sign), shift: false, ..self }
            }
            KeyCode::BackTab => KeyPress { shift: false, ..self },
            _ => self,
        }
    }
}

/// Converts a full-width form (U+FF01 to U+FF5E) to ASCII; other characters stay.
fn half_width(sign: char) -> char {
    match sign {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(sign) - 0xFEE0).unwrap_or(sign),
        _ => sign,
    }
}

impl fmt::Display for KeyPress {
    /// The key as shown in hints: `j`, `Ctrl-C`, `PgDn`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ctrl {
            f.write_str("Ctrl-")?;
        }
        if self.alt {
            f.write_str("Alt-")?;
        }
        if self.shift {
            f.write_str("Shift-")?;
        }
        match self.code {
            KeyCode::Char(' ') => f.write_str("Space"),
            KeyCode::Char(sign) if self.ctrl => write!(f, "{}", sign.to_ascii_uppercase()),
            KeyCode::Char(sign) => write!(f, "{sign}"),
            KeyCode::Enter => f.write_str("Enter"),
            KeyCode::Esc => f.write_str("Esc"),
            KeyCode::Tab => f.write_str("Tab"),
            KeyCode::BackTab => f.write_str("Shift-Tab"),
            KeyCode::Backspace => f.write_str("Backspace"),
            KeyCode::Delete => f.write_str("Delete"),
            KeyCode::Up => f.write_str("Up"),
            KeyCode::Down => f.write_str("Down"),
            KeyCode::Left => f.write_str("Left"),
            KeyCode::Right => f.write_str("Right"),
            KeyCode::PageUp => f.write_str("PgUp"),
            KeyCode::PageDown => f.write_str("PgDn"),
            KeyCode::Home => f.write_str("Home"),
            KeyCode::End => f.write_str("End"),
            KeyCode::Other => f.write_str("?"),
        }
    }
}
