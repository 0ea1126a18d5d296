//! Replies to a session that nobody has open: the agent's own program resumes it without a screen and works on
//! the turn for as long as that takes.
//!
//! It must not end the program unless a person asks for that or its time limit is over.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::Replier;
use super::channel::refused;
use super::look::LOOK_AGAIN;
use super::pane::Sent;
use super::program::Ran;
use crate::agent::Asking;
use crate::model::{Receipt, ReceiptState};

/// A program that has run this long has taken its input, even if the record does not show it yet.
const SURELY_TAKEN: Duration = Duration::from_secs(5);

impl Replier<'_> {
    /// Gives the words to the agent's program and waits for its end. Calls `taken` once when the agent has them
    /// and works on: the record shows them, or the program has run for [`SURELY_TAKEN`].
    pub(super) fn resume_session(&self, text: &str, receipt: &Receipt, taken: &dyn Fn(&Receipt)) -> Sent {
        let current = (self.look)()?;
        let command = self.adapter.command(&current.session, &Asking::Reply { text: text.to_owned() });
        let command =
            command.ok_or_else(|| refused("its agent's CLI cannot resume it", "answer it on its screen"))?;
        (self.report)("its agent's program is started");
        let (programs, limit, cancel) = (&self.programs, self.turn_limit, &self.cancel);
        let (sender, ended) = channel();
        let ran = thread::scope(|scope| {
            let run = move || sender.send(programs.run(&command, limit, cancel));
            thread::Builder::new().spawn_scoped(scope, run)?;
            Ok(self.follow(&ended, receipt, taken))
        });
        let (ran, was_shown) = ran.map_err(|error: std::io::Error| {
            refused(
                format!("its agent's program cannot be run: {error}"),
                "close other programs and try again",
            )
        })?;
        let has_it = || was_shown || (self.look)().is_ok_and(|current| current.shows(receipt));
        match ran {
            Ran::NotStarted(why) => Err(refused(why, "make sure that the agent's program is on the path")),
            // A program described in the configuration confirms delivery and nothing more.
            Ran::Well if self.adapter.facts().is_described => Ok((ReceiptState::Delivered, None)),
            Ran::Well => Ok((ReceiptState::Consumed, Some("the agent has answered".to_owned()))),
            Ran::CutOff(_) if self.cancel.is_cancelled() && has_it() => {
                Ok((ReceiptState::Consumed, Some("its turn was ended".to_owned())))
            }
            Ran::CutOff(why) if was_shown => Ok((ReceiptState::Consumed, Some(why))),
            Ran::Failed(why) | Ran::CutOff(why) if self.adapter.facts().is_described => {
                Ok(self.by_record(receipt, &why))
            }
            Ran::Failed(why) if has_it() => {
                Ok((ReceiptState::Consumed, Some(format!("the agent took it, but then failed: {why}"))))
            }
            Ran::Failed(why) => match (self.look)() {
                Ok(_) => Err(refused(format!("its agent did not take it: {why}"), "answer it on its screen")),
                Err(_) => Ok((ReceiptState::Unknown, Some(why))),
            },
            Ran::CutOff(why) => Ok(self.by_record(receipt, &why)),
        }
    }

    /// Waits for the program's end and meanwhile watches whether the agent has the words. Returns true if the
    /// record showed them by then.
    fn follow(&self, ended: &Receiver<Ran>, receipt: &Receipt, taken: &dyn Fn(&Receipt)) -> (Ran, bool) {
        let lost = || Ran::CutOff("how its program ended is unknown".to_owned());
        let begun = (self.now)();
        loop {
            match ended.recv_timeout(LOOK_AGAIN) {
                Ok(ran) => return (ran, false),
                Err(RecvTimeoutError::Disconnected) => return (lost(), false),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let is_shown = (self.look)().is_ok_and(|current| current.shows(receipt));
            let waited = (self.now)().millis_since(begun).unsigned_abs();
            if is_shown || u128::from(waited) >= SURELY_TAKEN.as_millis() {
                let state = if is_shown { ReceiptState::Consumed } else { ReceiptState::Delivered };
                taken(&Receipt { state, ..receipt.clone() });
                // From here on, whoever shows the session follows its record.
                return (ended.recv().unwrap_or_else(|_| lost()), is_shown);
            }
        }
    }
}
