//! The terminal as frames see it: a frame that changes nothing writes nothing, and the size is the one that the
//! terminal reported last, so that no frame asks for it. It must not decide what is drawn.

use std::io::{self, BufWriter, Stdout, Write, stdout};

use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};

/// The buffer size up to which a frame is one write, in bytes; a full frame of a large screen has about 20 kB.
const FRAME_BYTES: usize = 1 << 16;

/// Begins a synchronised update (private mode 2026): a terminal that supports it shows a frame as a whole; others
/// ignore it.
const BEGIN_UPDATE: &[u8] = b"\x1b[?2026h";
/// Ends a synchronised update.
pub(super) const END_UPDATE: &[u8] = b"\x1b[?2026l";

/// The writer of frames: everything between two flushes appears at once.
struct Frames {
    out: BufWriter<Stdout>,
    is_begun: bool,
}

impl Frames {
    fn new() -> Frames {
        Frames { out: BufWriter::with_capacity(FRAME_BYTES, stdout()), is_begun: false }
    }
}

impl Write for Frames {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !std::mem::replace(&mut self.is_begun, true) {
            self.out.write_all(BEGIN_UPDATE)?;
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.is_begun) {
            self.out.write_all(END_UPDATE)?;
        }
        self.out.flush()
    }
}

/// The backend of the screen.
pub(super) struct FrameBackend {
    inner: CrosstermBackend<Frames>,
    /// In cells.
    size: Size,
    is_cursor_hidden: bool,
}

impl FrameBackend {
    /// For a terminal whose cursor is hidden.
    pub(super) fn new() -> io::Result<FrameBackend> {
        let inner = CrosstermBackend::new(Frames::new());
        Ok(FrameBackend { size: inner.size()?, inner, is_cursor_hidden: true })
    }

    /// Notes the size in cells that the terminal reported. Returns whether it is another one than before.
    pub(super) fn resized(&mut self, width: u16, height: u16) -> bool {
        let size = Size { width, height };
        std::mem::replace(&mut self.size, size) != size
    }
}

impl Backend for FrameBackend {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut content = content.peekable();
        if content.peek().is_none() { Ok(()) } else { self.inner.draw(content) }
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.is_cursor_hidden, true) { Ok(()) } else { self.inner.hide_cursor() }
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.is_cursor_hidden = false;
        self.inner.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        self.inner.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.inner.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.inner.clear()
    }

    fn clear_region(&mut self, clear_type: ClearType) -> io::Result<()> {
        self.inner.clear_region(clear_type)
    }

    fn size(&self) -> io::Result<Size> {
        Ok(self.size)
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.inner.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        Backend::flush(&mut self.inner)
    }
}
