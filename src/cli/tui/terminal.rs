//! The terminal as a guard: everything changed at the start is restored at the end, even after an error or a
//! panic. It must not decide what is drawn.

use std::io::{self, Write, stdout};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};
use std::{fmt, panic};

use crossterm::cursor::{Hide, Show};
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange, Event,
    KeyCode as Code, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use crossterm::{Command, execute};
use ratatui::Terminal;

use super::backend::{END_UPDATE, FrameBackend};
use crate::ui::{Input, KeyCode, KeyPress, Mouse, MouseKind, Size};

/// Whether the terminal is in use, and thus differs from how the shell left it.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// Whether the terminal reports the mouse.
static TELLS_MOUSE: AtomicBool = AtomicBool::new(false);

/// Turns reports of buttons and the wheel on or off. Unlike the library's own command it leaves out
/// movements: a hand passing over the mouse must not wake a screen at rest.
struct TellMouse(bool);

impl Command for TellMouse {
    /// Modes 1000 (buttons) and 1006 (positions beyond column 223) of xterm's control sequences.
    fn write_ansi(&self, f: &mut impl fmt::Write) -> fmt::Result {
        f.write_str(if self.0 { "\x1b[?1000h\x1b[?1006h" } else { "\x1b[?1006l\x1b[?1000l" })
    }
}

/// The terminal while closeout uses it.
pub(super) struct Screen {
    /// Where frames are drawn. Its destructor never runs: it reports errors on standard error, and panics if
    /// the terminal behind that is gone.
    pub(super) terminal: ManuallyDrop<Terminal<FrameBackend>>,
    /// Whether mouse reports are wanted.
    has_mouse: bool,
}

impl Screen {
    /// Takes over the terminal. A panic on this thread restores it before the message is printed; a panic on
    /// another thread is only logged, since that thread's work answers with an event of its own.
    pub(super) fn take(has_mouse: bool) -> io::Result<Screen> {
        install_panic_hook(thread::current().id());
        Ok(Screen { terminal: ManuallyDrop::new(enter(has_mouse)?), has_mouse })
    }

    /// Writes control sequences that are not a frame: a notice, a title.
    pub(super) fn tell(signs: &str) -> io::Result<()> {
        let mut out = stdout();
        out.write_all(signs.as_bytes())?;
        out.flush()
    }

    /// Notes the size in cells that the terminal reported, which the next frame has. Returns whether it is another
    /// one than before.
    pub(super) fn resized(&mut self, width: u16, height: u16) -> bool {
        self.terminal.backend_mut().resized(width, height)
    }

    /// Restores the terminal while the program is stopped.
    pub(super) fn give_back() {
        put_back();
    }

    /// Takes over the terminal again after any other program used it. The next frame is drawn in full.
    pub(super) fn take_again(&mut self) -> io::Result<()> {
        put_back();
        self.terminal = ManuallyDrop::new(enter(self.has_mouse)?);
        Ok(())
    }
}

/// Prepares the terminal for frames. The alternate screen starts empty, as do a new terminal's buffers.
fn enter(has_mouse: bool) -> io::Result<Terminal<FrameBackend>> {
    enable_raw_mode()?;
    IS_TAKEN.store(true, Ordering::SeqCst);
    let taken = execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste, EnableFocusChange, Hide);
    let entered = taken.and_then(|()| {
        if has_mouse {
            TELLS_MOUSE.store(true, Ordering::SeqCst);
            execute!(stdout(), TellMouse(true))?;
        }
        Terminal::new(FrameBackend::new()?)
    });
    entered.inspect_err(|_| put_back())
}

impl Drop for Screen {
    fn drop(&mut self) {
        put_back();
    }
}

/// Restores the terminal, once. Each step is tried even if an earlier one failed, since nobody is left to tell.
fn put_back() {
    if IS_TAKEN.swap(false, Ordering::SeqCst) {
        if TELLS_MOUSE.swap(false, Ordering::SeqCst) {
            let _ = execute!(stdout(), TellMouse(false));
        }
        // Show a frame that was cut off, as far as it got.
        let _ = stdout().write_all(END_UPDATE);
        let _ = execute!(stdout(), DisableFocusChange, DisableBracketedPaste, LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
        let _ = stdout().flush();
    }
}

fn install_panic_hook(main: ThreadId) {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        tracing::error!("{info}");
        if thread::current().id() == main {
            put_back();
            before(info);
        }
    }));
}

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

#[expect(clippy::wildcard_enum_match_arm, reason = "the screen needs no other event of the mouse")]
fn mouse(event: MouseEvent) -> Option<Mouse> {
    let kind = match event.kind {
        MouseEventKind::Down(MouseButton::Left) => MouseKind::Press,
        MouseEventKind::ScrollUp => MouseKind::ScrollUp,
        MouseEventKind::ScrollDown => MouseKind::ScrollDown,
        _ => return None,
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

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use portable_pty::{CommandBuilder, PtySize, native_pty_system};

    use super::*;

    /// What a part of the program that ended by itself left in its terminal.
    struct After {
        code: u32,
        screen: vt100::Parser,
        are_modes_kept: bool,
    }

    /// Runs one of the ignored tests below in a terminal of its own, by starting this program again.
    fn in_a_terminal(name: &str) -> After {
        let (height, width) = (24, 100);
        let size = PtySize { rows: height, cols: width, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let modes_before = pair.master.get_termios();
        let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
        command.args(["--exact", &format!("cli::tui::terminal::tests::{name}")]);
        command.args(["--ignored", "--nocapture", "--test-threads=1", "--color=never"]);
        command.env("RUST_BACKTRACE", "0");
        let mut child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut bytes = Vec::new();
        // On some systems the end of a terminal shows as an error.
        let _ = pair.master.try_clone_reader().unwrap().read_to_end(&mut bytes);
        let cells = |count| std::num::NonZeroU16::new(count).unwrap();
        let mut screen = vt100::Parser::new(cells(height), cells(width), 0);
        screen.process(&bytes);
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("\u{1b}[?1049h"), "the screen was never taken: {text}");
        let code = child.wait().unwrap().exit_code();
        After { code, screen, are_modes_kept: pair.master.get_termios() == modes_before }
    }

    #[test]
    fn a_panic_puts_the_terminal_back_before_it_is_told() {
        let after = in_a_terminal("panics_with_the_terminal_taken");
        let screen = after.screen.screen();
        assert!(!screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste());
        assert!(after.are_modes_kept);
        assert_ne!(after.code, 0);
        // What is printed after leaving the alternate screen stays visible.
        assert!(screen.contents().contains("a planted panic"), "{}", screen.contents());
    }

    #[test]
    fn a_panic_on_another_thread_neither_shows_nor_puts_the_terminal_back() {
        let after = in_a_terminal("panics_on_another_thread");
        assert_eq!(after.code, 0, "{}", after.screen.screen().contents());
        assert!(after.are_modes_kept);
        assert!(!after.screen.screen().contents().contains("a planted panic"));
    }

    #[test]
    #[ignore = "is run by another test, in a terminal of its own"]
    fn panics_with_the_terminal_taken() {
        let mut screen = Screen::take(true).unwrap();
        screen.terminal.draw(|_| ()).unwrap();
        panic!("a planted panic");
    }

    #[test]
    #[ignore = "is run by another test, in a terminal of its own"]
    fn panics_on_another_thread() {
        let mut screen = Screen::take(true).unwrap();
        screen.terminal.draw(|_| ()).unwrap();
        assert!(thread::spawn(|| panic!("a planted panic")).join().is_err());
        assert!(IS_TAKEN.load(Ordering::SeqCst));
    }
}
