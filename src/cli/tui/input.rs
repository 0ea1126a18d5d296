//! Converts the terminal library's events to the screen's own input. It must not decide what a key does.

use crossterm::event::{
    Event, KeyCode as Code, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

use crate::ui::{Input, KeyCode, KeyPress, Mouse, MouseKind, Size};

/// The input for an event; `None` for events that the screen does not use.
pub(super) fn convert(event: Event) -> Option<Input> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => Some(Input::Key(key_press(key))),
        Event::Resize(width, height) => Some(Input::Resize(Size { width, height })),
        Event::Paste(text) => Some(Input::Paste(text)),
        Event::Mouse(event) => mouse(event).map(Input::Mouse),
        Event::FocusGained => Some(Input::Focus),
        Event::Key(_) | Event::FocusLost => None,
    }
}

fn mouse(event: MouseEvent) -> Option<Mouse> {
    let kind = match event.kind {
        MouseEventKind::Down(MouseButton::Left) => MouseKind::Press,
        MouseEventKind::ScrollUp => MouseKind::ScrollUp,
        MouseEventKind::ScrollDown => MouseKind::ScrollDown,
        MouseEventKind::Down(MouseButton::Right | MouseButton::Middle)
        | MouseEventKind::Up(_)
        | MouseEventKind::Drag(_)
        | MouseEventKind::Moved
        | MouseEventKind::ScrollLeft
        | MouseEventKind::ScrollRight => return None,
    };
    Some(Mouse { kind, column: event.column, row: event.row })
}

/// Whether this is the key with which a terminal suspends a program; in raw mode it arrives as an ordinary key.
pub(super) fn is_suspend(event: &Event) -> bool {
    let Event::Key(key) = event else { return false };
    key.kind != KeyEventKind::Release && key.code == Code::Char('z') && key.modifiers == KeyModifiers::CONTROL
}

fn key_press(key: KeyEvent) -> KeyPress {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the library's keys are open-ended")]
    let code = match key.code {
        Code::Char(sign) => KeyCode::Char(sign),
        Code::Enter => KeyCode::Enter,
        Code::Esc => KeyCode::Esc,
        Code::Tab => KeyCode::Tab,
        Code::BackTab => KeyCode::BackTab,
        Code::Backspace => KeyCode::Backspace,
        Code::Delete => KeyCode::Delete,
        Code::Up => KeyCode::Up,
        Code::Down => KeyCode::Down,
        Code::Left => KeyCode::Left,
        Code::Right => KeyCode::Right,
        Code::PageUp => KeyCode::PageUp,
        Code::PageDown => KeyCode::PageDown,
        Code::Home => KeyCode::Home,
        Code::End => KeyCode::End,
        _ => KeyCode::Other,
    };
    KeyPress {
        code,
        ctrl: key.modifiers.contains(KeyModifiers::CONTROL),
        alt: key.modifiers.contains(KeyModifiers::ALT),
        shift: key.modifiers.contains(KeyModifiers::SHIFT),
    }
}
