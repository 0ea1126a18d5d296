//! Reads the payload on standard input within limits of time, since an agent waits, and of memory. It must
//! not parse it.

use std::io::{self, IsTerminal as _, Read as _};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::engine::clock;

/// The most that is read, in bytes. What matters is at the beginning.
const MOST: u64 = 16 << 20;
/// How much is read at a time, in bytes.
const PIECE: usize = 64 << 10;
/// How long the input may be silent.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long reading may take in total, in milliseconds.
const LIMIT_MS: i64 = 2000;

/// The content of standard input, up to its end or a limit. `None` for a terminal, so that a person who tries
/// the command does not wait.
pub(super) fn read_payload() -> Option<Vec<u8>> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return None;
    }
    let mut stdin = stdin.lock();
    let began = clock::now();
    let mut payload = Vec::new();
    let patience = Timespec::try_from(PATIENCE).ok()?;
    loop {
        let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut fds, Some(&patience)) {
            Ok(0) => return Some(payload),
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return Some(payload),
        }
        let before = payload.len();
        payload.resize(before + PIECE, 0);
        let n = stdin.read(&mut payload[before..]).unwrap_or(0);
        payload.truncate(before + n);
        let is_late = !(0..=LIMIT_MS).contains(&clock::now().millis_since(began));
        if n == 0 || is_late || payload.len() as u64 >= MOST {
            return Some(payload);
        }
    }
}
