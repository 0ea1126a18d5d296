//! Reads the answer to an agent's question when it is typed here. It must not interpret it.

use std::io::{self, BufRead as _, IsTerminal as _};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;

pub(super) struct Typed {
    lines: Option<Receiver<String>>,
}

impl Typed {
    /// Starts to read standard input, if it is a terminal.
    pub(super) fn listen() -> Typed {
        if !io::stdin().is_terminal() {
            return Typed { lines: None };
        }
        let (sender, lines) = channel();
        // This thread stays blocked in its read until the program ends.
        let started = thread::Builder::new().spawn(move || {
            for line in io::stdin().lock().lines() {
                let Ok(line) = line else { break };
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Typed { lines: started.ok().map(|_| lines) }
    }

    /// Whether a person can type here.
    pub(super) fn is_open(&self) -> bool {
        self.lines.is_some()
    }

    /// Drops what was typed before the question.
    pub(super) fn clear(&mut self) {
        while self.next().is_some() {}
    }

    /// The next line that is not blank.
    pub(super) fn next(&mut self) -> Option<String> {
        loop {
            match self.lines.as_ref()?.try_recv() {
                Ok(line) if line.trim().is_empty() => {}
                Ok(line) => return Some(line),
                Err(TryRecvError::Empty) => return None,
                Err(TryRecvError::Disconnected) => {
                    self.lines = None;
                    return None;
                }
            }
        }
    }
}
