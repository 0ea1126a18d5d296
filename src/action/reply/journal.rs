//! The journal of what was sent to a session: one line per step, appended before anything is sent, so that
//! nothing is sent twice and a person is asked after a crash.
//!
//! It holds only the beginning and the length of a reply, readable by this user only. It must not be repaired
//! in place: a line cut by a crash is skipped, and a damaged one is reported.

use std::fmt::Display;
use std::fs::File;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::disk::write::{self, own_folder};
use crate::model::{
    ActionClass, ActionProblem, Receipt, ReceiptState, SessionName, hook_file_stem, stable_hash,
};

/// The folder with the journals.
const REPLIES: &str = "replies";
/// How much of a journal is read, in bytes from its end: room for some ten thousand replies to one session.
const MAX_READ: u64 = 8 << 20;
/// How long to wait for its lock.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
enum Step {
    /// A reply is about to be sent.
    Begun {
        /// The receipt before sending.
        receipt: Receipt,
        /// The length of the reply in bytes.
        n_bytes: usize,
    },
    /// Something became known about a reply.
    Known {
        /// The id of the reply.
        id: String,
        /// Its new state.
        state: ReceiptState,
    },
    /// A person saw that the reply may have been sent, and went on.
    Settled {
        /// The id of the reply.
        id: String,
    },
}

/// The journal of one session together with the lock for writing to it, released on drop or when the process
/// dies.
pub(super) struct Journal {
    lines: write::Journal<Step>,
    file: File,
    steps: Vec<Step>,
    /// The number of lines that could not be read.
    pub(super) n_damaged: usize,
}

impl Journal {
    /// Takes the lock for writing to this session, waiting at most [`LONGEST_WAIT`].
    pub(super) fn take(state: &Path, session: &SessionName) -> Result<Journal, ActionProblem> {
        let folder = state.join(REPLIES);
        own_folder(state, Path::new(REPLIES)).map_err(|error| failed(&folder, &error))?;
        let name = format!("{}-{}", hook_file_stem(&session.agent), hook_file_stem(&session.session_id));
        let path = folder.join(name);
        let locked = write::lock_file(&path, LONGEST_WAIT).map_err(|error| failed(&path, &error))?;
        let file = locked.ok_or_else(|| {
            ActionProblem::new(ActionClass::Busy, "another closeout is writing to this session")
                .with_next("wait for its receipt")
        })?;
        let sum = |text: &[u8]| format!("{:032x}", stable_hash(text));
        let lines = write::Journal::at(path, MAX_READ, Some(sum));
        let read = lines.read().map_err(|error| failed(lines.path(), &error))?;
        Ok(Journal { lines, file, n_damaged: read.n_unread(), steps: read.entries })
    }

    /// Whether sending a reply with this id was begun.
    pub(super) fn has(&self, id: &str) -> bool {
        self.begun().any(|receipt| receipt.id == id)
    }

    /// The last reply to the session, with its latest known state.
    pub(super) fn last(&self) -> Option<Receipt> {
        let last = self.begun().last()?;
        let is_its = |known: &&Step| matches!(known, Step::Known { id, .. } if *id == last.id);
        let state = match self.steps.iter().rev().find(is_its) {
            Some(Step::Known { state, .. }) => *state,
            _ => ReceiptState::Unknown,
        };
        Some(Receipt { state, ..last.clone() })
    }

    /// The last reply, if it is unknown whether it was sent and no person has settled that yet.
    pub(super) fn unsettled(&self) -> Option<Receipt> {
        let last = self.last().filter(|last| last.state == ReceiptState::Unknown)?;
        let is_settled = |step: &Step| matches!(step, Step::Settled { id } if *id == last.id);
        (!self.steps.iter().any(is_settled)).then_some(last)
    }

    fn begun(&self) -> impl Iterator<Item = &Receipt> {
        self.steps.iter().filter_map(|step| match step {
            Step::Begun { receipt, .. } => Some(receipt),
            Step::Known { .. } | Step::Settled { .. } => None,
        })
    }

    /// Notes that a reply is about to be sent. On disk when this returns.
    pub(super) fn begin(&mut self, receipt: &Receipt, n_bytes: usize) -> Result<(), ActionProblem> {
        self.append(Step::Begun { receipt: receipt.clone(), n_bytes })
    }

    /// Notes the new state of a reply.
    pub(super) fn know(&mut self, id: &str, state: ReceiptState) -> Result<(), ActionProblem> {
        self.append(Step::Known { id: id.to_owned(), state })
    }

    /// Notes that a person went on.
    pub(super) fn settle(&mut self, id: &str) -> Result<(), ActionProblem> {
        self.append(Step::Settled { id: id.to_owned() })
    }

    fn append(&mut self, step: Step) -> Result<(), ActionProblem> {
        self.lines.append_to(&self.file, &step).map_err(|error| failed(self.lines.path(), &error))?;
        self.steps.push(step);
        Ok(())
    }
}

fn failed(path: &Path, error: &impl Display) -> ActionProblem {
    let message = format!("the journal of replies {} cannot be used: {error}", path.display());
    ActionProblem::new(ActionClass::Failed, message)
        .with_next("nothing was sent; make sure that the state folder is writable and has space")
}
