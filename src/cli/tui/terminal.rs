//! The terminal as a guard: what it changes at the start it puts back at the end, also after an error
//! or a panic.

use std::io::{self, BufWriter, Stdout, Write, stdout};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};

use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::execute;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

/// True while the terminal is not as the shell left it.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// A frame is written in one piece up to so many bytes; a full one of a large screen has about 20 kB.
const FRAME_BYTES: usize = 1 << 16;

/// The terminal, taken over.
pub(super) struct Screen {
    /// Where frames are drawn.
    pub(super) terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
}

impl Screen {
    /// Takes the terminal over. A panic on this thread puts it back before it is told; one on another
    /// thread is only logged, since that thread's work answers with an event of its own.
    pub(super) fn take() -> io::Result<Screen> {
        install_panic_hook(thread::current().id());
        enable_raw_mode()?;
        IS_TAKEN.store(true, Ordering::SeqCst);
        let entered = execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste, Hide).and_then(|()| {
            let frames = BufWriter::with_capacity(FRAME_BYTES, stdout());
            Terminal::new(CrosstermBackend::new(frames))
        });
        match entered {
            Ok(terminal) => Ok(Screen { terminal }),
            Err(error) => {
                put_back();
                Err(error)
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        put_back();
    }
}

/// Puts the terminal back, once. Each step is tried even when one before it failed: there is nobody
/// left to tell.
fn put_back() {
    if IS_TAKEN.swap(false, Ordering::SeqCst) {
        let _ = execute!(stdout(), DisableBracketedPaste, LeaveAlternateScreen, Show);
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
