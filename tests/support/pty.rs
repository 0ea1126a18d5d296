//! Runs the program in a pseudo-terminal with a terminal emulator behind it.
//!
//! Nothing here sleeps: a test waits for a condition on the emulated screen, which is checked whenever bytes
//! arrive. The emulator answers no queries, so a program that sends one hangs, and its test fails.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use portable_pty::{Child, ChildKiller, CommandBuilder, MasterPty, PtySize, native_pty_system};

use super::test_env::{LIMIT, TestEnv, starting};

/// A terminal with the program running in it. Kills the program on drop.
pub(crate) struct Terminal {
    master: Option<Box<dyn MasterPty + Send>>,
    writer: Option<Box<dyn Write + Send>>,
    killer: Box<dyn ChildKiller + Send + Sync>,
    pid: i32,
    shared: Arc<Shared>,
    modes_before: String,
}

struct Shared {
    seen: Mutex<Observed>,
    changed: Condvar,
}

/// The program's output so far.
struct Observed {
    parser: vt100::Parser,
    bytes: Vec<u8>,
    /// Whether the last byte has arrived.
    is_over: bool,
    /// Whether the reader is to release its end of the terminal after the next bytes.
    is_let_go: bool,
    code: Option<u32>,
}

/// The emulated screen at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a terminal has as many modes")]
pub(crate) struct Shown {
    /// The rows, without trailing spaces.
    pub(crate) rows: Vec<String>,
    /// Whether the alternate screen is active.
    pub(crate) is_alternate: bool,
    /// Whether the cursor is hidden.
    pub(crate) is_cursor_hidden: bool,
    /// Whether bracketed paste is on.
    pub(crate) is_paste_bracketed: bool,
    /// Whether mouse reports are on, or their encoding was changed.
    pub(crate) is_mouse_told: bool,
}

impl Terminal {
    /// Starts the program in a terminal of this size, in the folder `here`.
    pub(crate) fn start(
        env: &TestEnv,
        here: &Path,
        arguments: &[&str],
        (width, height): (u16, u16),
    ) -> Terminal {
        Terminal::start_program(env!("CARGO_BIN_EXE_closeout"), env, here, arguments, (width, height))
    }

    /// Starts another program in the same way, such as a shell in which the program is started by hand.
    pub(crate) fn start_program(
        program: &str,
        env: &TestEnv,
        here: &Path,
        arguments: &[&str],
        (width, height): (u16, u16),
    ) -> Terminal {
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.cwd(here);
        command.env_clear();
        for (name, value) in env.variables() {
            command.env(name, value);
        }
        let (pair, child, modes_before) = {
            let _turn = starting();
            let pair = native_pty_system().openpty(size(width, height)).unwrap();
            let modes_before = modes(pair.master.as_ref());
            let child = pair.slave.spawn_command(command).unwrap();
            (pair, child, modes_before)
        };
        // As long as this end is open, the output has no end.
        drop(pair.slave);
        let seen = Observed {
            parser: vt100::Parser::new(cells(height), cells(width), 0),
            bytes: Vec::new(),
            is_over: false,
            is_let_go: false,
            code: None,
        };
        let shared = Arc::new(Shared { seen: Mutex::new(seen), changed: Condvar::new() });
        let reader = pair.master.try_clone_reader().unwrap();
        let writer = pair.master.take_writer().unwrap();
        let killer = child.clone_killer();
        let pid = i32::try_from(child.process_id().unwrap()).unwrap();
        let to_read = Arc::clone(&shared);
        thread::spawn(move || read(reader, &to_read));
        let to_wait = Arc::clone(&shared);
        thread::spawn(move || wait(child, &to_wait));
        Terminal { master: Some(pair.master), writer: Some(writer), killer, pid, shared, modes_before }
    }

    /// Waits until the screen satisfies a condition; `what` describes it in the failure message.
    pub(crate) fn wait_for(&self, what: &str, is_there: impl Fn(&Shown) -> bool) -> Shown {
        Shown::of(&self.wait_until(what, |seen| seen.is_whole() && is_there(&Shown::of(seen))))
    }

    fn wait_until(&self, what: &str, is_there: impl Fn(&Observed) -> bool) -> MutexGuard<'_, Observed> {
        let (seen, timeout) = self
            .shared
            .changed
            .wait_timeout_while(self.shared.lock(), LIMIT, |seen| !is_there(seen))
            .unwrap_or_else(PoisonError::into_inner);
        if timeout.timed_out() {
            let (rows, code) = (Shown::of(&seen).rows.join("\n"), seen.code);
            drop(seen);
            panic!("never came: {what} (exit code {code:?}); the screen is\n{rows}");
        }
        seen
    }

    /// Waits until the screen satisfies a condition, but no longer than `most`; tells whether it does.
    pub(crate) fn wait_at_most(&self, most: std::time::Duration, is_there: impl Fn(&Shown) -> bool) -> bool {
        let is_it = |seen: &Observed| seen.is_whole() && is_there(&Shown::of(seen));
        let waited = self.shared.changed.wait_timeout_while(self.shared.lock(), most, |seen| !is_it(seen));
        is_it(&waited.unwrap_or_else(PoisonError::into_inner).0)
    }

    /// The screen now, or as soon as a frame in progress is complete.
    pub(crate) fn shown(&self) -> Shown {
        self.wait_for("a whole frame", |_| true)
    }

    /// All output bytes so far.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.shared.lock().bytes.clone()
    }

    /// Types keys; `\x1b` is Escape, `\r` Enter.
    pub(crate) fn press(&mut self, keys: &str) {
        let writer = self.writer.as_mut().unwrap();
        writer.write_all(keys.as_bytes()).unwrap();
        writer.flush().unwrap();
    }

    /// Resizes the terminal.
    pub(crate) fn resize(&self, width: u16, height: u16) {
        let mut seen = self.shared.lock();
        seen.parser.screen_mut().set_size(cells(height), cells(width));
        self.master.as_ref().unwrap().resize(size(width, height)).unwrap();
    }

    /// Sends a signal to the program.
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(self.pid).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// The process id of the program.
    pub(crate) fn pid(&self) -> i32 {
        self.pid
    }

    /// Waits for the program's end and its last byte; returns the exit code.
    pub(crate) fn wait_for_end(&self) -> u32 {
        let seen = self.wait_until("the end of the program", |seen| seen.is_over && seen.code.is_some());
        seen.code.unwrap()
    }

    /// Closes the terminal under the program; returns the exit code.
    pub(crate) fn close(mut self) -> u32 {
        self.shared.lock().is_let_go = true;
        // The reader keeps the terminal open until something arrives, so make the program draw its help.
        self.press("?");
        drop(self.wait_until("something to read", |seen| seen.is_over));
        self.writer = None;
        self.master = None;
        self.wait_until("the end of the program", |seen| seen.code.is_some()).code.unwrap()
    }

    /// Panics unless the terminal is in the state from before the program started.
    pub(crate) fn assert_put_back(&self) {
        let shown = self.shown();
        assert!(!shown.is_alternate, "the alternate screen is still on");
        assert!(!shown.is_cursor_hidden, "the cursor is still hidden");
        assert!(!shown.is_paste_bracketed, "pastes still come in brackets");
        assert!(!shown.is_mouse_told, "the mouse is still told");
        assert!(!self.is_focus_told(), "it is still told when the terminal comes to the front");
        assert_eq!(modes(self.master.as_deref().unwrap()), self.modes_before, "the modes of the terminal");
    }

    /// Whether focus reporting is on: mode 1004 of xterm's control sequences, which the emulator does not know.
    fn is_focus_told(&self) -> bool {
        let bytes = self.bytes();
        let last = |mode: &[u8]| bytes.windows(mode.len()).rposition(|window| window == mode);
        last(b"\x1b[?1004h") > last(b"\x1b[?1004l")
    }

    /// Whether the terminal's modes are those from before the start.
    pub(crate) fn has_modes_of_before(&self) -> bool {
        modes(self.master.as_deref().unwrap()) == self.modes_before
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if self.shared.lock().code.is_none() {
            let _ = self.killer.kill();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Observed> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what was seen, and wakes whoever waits for it.
    fn change<T>(&self, change: impl FnOnce(&mut Observed) -> T) -> T {
        let changed = change(&mut self.lock());
        self.changed.notify_all();
        changed
    }
}

impl Observed {
    /// Whether no frame is incomplete: each frame is one synchronised update.
    fn is_whole(&self) -> bool {
        let last = |mark: &[u8]| self.bytes.windows(mark.len()).rposition(|bytes| bytes == mark);
        !self.parser.screen().alternate_screen() || last(b"\x1b[?2026h") <= last(b"\x1b[?2026l")
    }
}

impl Shown {
    fn of(seen: &Observed) -> Shown {
        let screen = seen.parser.screen();
        let (_, width) = screen.size();
        Shown {
            rows: screen.rows(0, width.get()).map(|row| row.trim_end().to_owned()).collect(),
            is_alternate: screen.alternate_screen(),
            is_cursor_hidden: screen.hide_cursor(),
            is_paste_bracketed: screen.bracketed_paste(),
            is_mouse_told: screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None
                || screen.mouse_protocol_encoding() != vt100::MouseProtocolEncoding::Default,
        }
    }

    /// Whether a text is anywhere on the screen.
    pub(crate) fn has(&self, text: &str) -> bool {
        self.rows.iter().any(|row| row.contains(text))
    }

    /// The workspaces in the list as (state, name), in order.
    pub(crate) fn list(&self) -> Vec<(&str, &str)> {
        self.rows.iter().filter_map(|row| list_row(row)).collect()
    }

    /// The state shown for a workspace in the list.
    pub(crate) fn state_of(&self, name: &str) -> Option<&str> {
        self.list().into_iter().find(|(_, known)| *known == name).map(|(state, _)| state)
    }

    /// The selected row of the list.
    pub(crate) fn selected(&self) -> Option<&str> {
        self.rows
            .iter()
            .filter(|row| row.starts_with('▌'))
            .find_map(|row| list_row(row))
            .map(|(_, name)| name)
    }
}

/// The states that a row can show.
const STATES: [&str; 11] = [
    "COMPLETE", "ASKS", "RESCUE", "INCOMPLETE", "WAITING", "WORKING", "STALLED", "ERROR", "READING",
    "PERMISSION", "NO_TASK",
];

/// State and name from a row: mark, sign, state with the sign of its proof, name, more.
fn list_row(row: &str) -> Option<(&str, &str)> {
    let list = row.split('│').next()?.trim_start_matches('▌');
    let mut words = list.split_whitespace();
    let sign = words.next()?;
    let state = words.next().filter(|state| STATES.contains(state))?;
    let name = words.find(|word| !["✔", "◆", "“", "@"].contains(word))?;
    (sign.chars().count() == 1).then_some((state, name))
}

fn read(mut reader: Box<dyn Read + Send>, shared: &Shared) {
    let mut buffer = [0; 16 * 1024];
    loop {
        // On some systems the end of a terminal is an error.
        let n_read = reader.read(&mut buffer).unwrap_or(0);
        let is_let_go = shared.change(|seen| {
            seen.parser.process(&buffer[..n_read]);
            seen.bytes.extend_from_slice(&buffer[..n_read]);
            seen.is_let_go
        });
        if n_read == 0 || is_let_go {
            break;
        }
    }
    drop(reader);
    shared.change(|seen| seen.is_over = true);
}

fn wait(mut child: Box<dyn Child + Send + Sync>, shared: &Shared) {
    let code = child.wait().map_or(u32::MAX, |status| status.exit_code());
    shared.change(|seen| seen.code = Some(code));
}

/// The terminal's modes in a comparable form.
fn modes(master: &(dyn MasterPty + Send)) -> String {
    format!("{:?}", master.get_termios().unwrap())
}

fn size(width: u16, height: u16) -> PtySize {
    PtySize { rows: height, cols: width, pixel_width: 0, pixel_height: 0 }
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap()
}
