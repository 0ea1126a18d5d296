//! The real program in a pseudo-terminal of 200x60.

use std::io::{Read as _, Write};
use std::num::NonZero;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use super::program::closeout;
use super::world::World;

const WIDTH: u16 = 200;
const HEIGHT: u16 = 60;
/// Longer than this nothing is waited for.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running program with its screen.
pub(crate) struct Screen {
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    chunks: Receiver<(Instant, Vec<u8>)>,
    emulator: vt100::Parser,
    started: Instant,
    /// When the last bytes were read.
    drawn_at: Instant,
}

impl Screen {
    /// Starts the program in `folder`.
    pub(crate) fn start(world: &World, folder: &Path) -> Result<Screen> {
        let size = PtySize { rows: HEIGHT, cols: WIDTH, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size)?;
        let mut command = CommandBuilder::new(closeout());
        command.env_clear();
        for (name, value) in world.environment() {
            command.env(name, value);
        }
        command.cwd(folder);
        let mut reader = pair.master.try_clone_reader()?;
        let keys = pair.master.take_writer()?;
        let (sender, chunks) = channel();
        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(n_read @ 1..) = reader.read(&mut buffer) {
                if sender.send((Instant::now(), buffer[..n_read].to_vec())).is_err() {
                    break;
                }
            }
        });
        let started = Instant::now();
        let child = pair.slave.spawn_command(command)?;
        let emulator = vt100::Parser::new(
            NonZero::new(HEIGHT).context("no rows")?,
            NonZero::new(WIDTH).context("no columns")?,
            0,
        );
        Ok(Screen { child, _master: pair.master, keys, chunks, emulator, started, drawn_at: started })
    }

    /// When it was started.
    pub(crate) fn started(&self) -> Instant {
        self.started
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> Result<u32> {
        self.child.process_id().context("the program has ended")
    }

    /// Presses keys.
    pub(crate) fn press(&mut self, keys: &[u8]) -> Result<()> {
        self.keys.write_all(keys)?;
        self.keys.flush().map_err(Into::into)
    }

    /// Waits until the screen shows what `is_there` looks for; the moment when those bytes were read. They may have
    /// come together with what was waited for before: after that nothing more comes, and nothing is missing.
    pub(crate) fn wait_for(&mut self, is_there: impl Fn(&str) -> bool) -> Result<Instant> {
        let deadline = Instant::now() + PATIENCE;
        while !is_there(&self.contents()) {
            self.take_chunk(deadline, "never seen")?;
        }
        Ok(self.drawn_at)
    }

    /// Draws bytes on the emulated screen.
    fn show(&mut self, (at, bytes): (Instant, Vec<u8>)) -> Vec<u8> {
        self.drawn_at = at;
        self.emulator.process(&bytes);
        bytes
    }

    /// The next bytes, which are on the emulated screen afterwards.
    fn take_chunk(&mut self, deadline: Instant, complaint: &str) -> Result<Vec<u8>> {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.chunks.recv_timeout(left) {
            Ok(chunk) => Ok(self.show(chunk)),
            Err(RecvTimeoutError::Timeout) => bail!("{complaint}; the screen shows:\n{}", self.contents()),
            Err(RecvTimeoutError::Disconnected) => bail!("the program ended:\n{}", self.contents()),
        }
    }

    /// Waits until these bytes come as they are; the moment when they were read. Cheaper than
    /// looking at the screen, for a word of which every letter changes.
    pub(crate) fn wait_for_bytes(&mut self, word: &[u8]) -> Result<Instant> {
        let deadline = Instant::now() + PATIENCE;
        let mut seen: Vec<u8> = Vec::new();
        loop {
            let complaint = format!("{} never came", String::from_utf8_lossy(word));
            seen.extend(self.take_chunk(deadline, &complaint)?);
            if word.is_empty() || seen.windows(word.len()).any(|window| window == word) {
                return Ok(self.drawn_at);
            }
        }
    }

    /// Takes in what comes until nothing has come for so long; how many bytes that were.
    pub(crate) fn settle(&mut self, quiet: Duration) -> usize {
        let mut n_bytes = 0;
        loop {
            match self.chunks.recv_timeout(quiet) {
                Ok(chunk) => n_bytes += self.show(chunk).len(),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return n_bytes,
            }
        }
    }

    /// Takes in what comes for so long, whether anything comes or not.
    pub(crate) fn take_in_for(&mut self, span: Duration) {
        let deadline = Instant::now() + span;
        while let Ok(chunk) = self.chunks.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            self.show(chunk);
        }
    }

    /// What is on the screen.
    pub(crate) fn contents(&self) -> String {
        self.emulator.screen().contents()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
