//! The acts that run, so that each can be ended by its number. Nothing is ended here: whoever carries an act
//! out hears of the wish.

use std::collections::HashMap;

use crate::model::Event;
use crate::process::Cancel;

/// The acts that run.
#[derive(Debug, Default)]
pub(super) struct RunningActs(HashMap<u64, Cancel>);

impl RunningActs {
    /// An act begins; by what it hears that it is to end.
    pub(super) fn begin(&mut self, number: u64) -> Cancel {
        self.0.entry(number).or_default().clone()
    }

    /// Takes note of the end of an act, if `event` is one.
    pub(super) fn hear(&mut self, event: &Event) {
        if let Event::Acted { number, .. } = event {
            self.0.remove(number);
        }
    }

    /// Asks for the end of an act.
    pub(super) fn cancel(&self, number: u64) {
        if let Some(cancel) = self.0.get(&number) {
            cancel.cancel();
        }
    }
}
