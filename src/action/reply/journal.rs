//! What was sent to a session, one line a step, only ever appended: written before anything is sent, so that
//! nothing is sent twice and a crash is asked about.
//!
//! It holds no text of a reply but its beginning and its length, for this user only. It must not be
//! repaired in place: a line that was cut by a crash is passed over, and a damaged one is said.

use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use crate::action::own_folder;
use crate::model::{
    ActionClass, ActionProblem, Receipt, ReceiptState, SessionName, hook_file_stem, stable_hash,
};

/// The most that is read of a journal, in bytes of its end: some ten thousand replies to one session.
const MOST_READ: u64 = 8 << 20;
/// How often and after which pauses the turn is tried: one second in all.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(20);

/// One step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
enum Step {
    /// It is about to be sent.
    Begun {
        /// As it stands before.
        receipt: Receipt,
        /// How many bytes it has.
        n_bytes: usize,
    },
    /// This is known of it.
    Known {
        /// The reply.
        id: String,
        /// The state.
        state: ReceiptState,
    },
    /// A person saw that it may have been sent, and went on.
    Settled {
        /// The reply.
        id: String,
    },
}

/// The journal of one session, and the turn to write to that session, which ends when this is dropped or the
/// process dies.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    steps: Vec<Step>,
    /// Lines that could not be read.
    pub(super) n_damaged: usize,
}

impl Journal {
    /// Waits for the turn to write to this session.
    pub(super) fn take(state: &Path, session: &SessionName) -> Result<Journal, ActionProblem> {
        let folder = state.join("replies");
        own_folder::make(&folder).map_err(|error| failed(&folder, &error))?;
        let name = format!("{}-{}", hook_file_stem(&session.agent), hook_file_stem(&session.session_id));
        let path = folder.join(name);
        let file = File::options()
            .create(true)
            .append(true)
            .read(true)
            .mode(0o600)
            .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed())
            .open(&path)
            .map_err(|error| failed(&path, &error))?;
        if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
            return Err(failed(&path, &io::Error::other("it is no regular file")));
        }
        wait_for_turn(&file, &path)?;
        let mut journal = Journal { path, file, steps: Vec::new(), n_damaged: 0 };
        journal.read().map_err(|error| failed(&journal.path, &error))?;
        Ok(journal)
    }

    fn read(&mut self) -> io::Result<()> {
        use std::io::{Seek as _, SeekFrom};
        let length = self.file.metadata()?.len();
        self.file.seek(SeekFrom::Start(length.saturating_sub(MOST_READ)))?;
        let mut content = Vec::new();
        (&self.file).take(MOST_READ).read_to_end(&mut content)?;
        for line in content.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match parse(line) {
                Some(step) => self.steps.push(step),
                None => self.n_damaged += 1,
            }
        }
        Ok(())
    }

    /// Whether a reply with this id was begun.
    pub(super) fn has(&self, id: &str) -> bool {
        self.begun().any(|receipt| receipt.id == id)
    }

    /// The last reply to the session, with what is known of it.
    pub(super) fn last(&self) -> Option<Receipt> {
        let last = self.begun().last()?;
        let is_its = |known: &&Step| matches!(known, Step::Known { id, .. } if *id == last.id);
        let state = match self.steps.iter().rev().find(is_its) {
            Some(Step::Known { state, .. }) => *state,
            _ => ReceiptState::Unknown,
        };
        Some(Receipt { state, ..last.clone() })
    }

    /// The last reply if it may have been sent, nobody knows, and no person decided yet.
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

    /// Writes that a reply is about to be sent. It is on the disk when this returns.
    pub(super) fn begin(&mut self, receipt: &Receipt, n_bytes: usize) -> Result<(), ActionProblem> {
        self.append(Step::Begun { receipt: receipt.clone(), n_bytes })
    }

    /// Writes what is known of a reply.
    pub(super) fn know(&mut self, id: &str, state: ReceiptState) -> Result<(), ActionProblem> {
        self.append(Step::Known { id: id.to_owned(), state })
    }

    /// Writes that a person went on.
    pub(super) fn settle(&mut self, id: &str) -> Result<(), ActionProblem> {
        self.append(Step::Settled { id: id.to_owned() })
    }

    fn append(&mut self, step: Step) -> Result<(), ActionProblem> {
        let failed = |error: io::Error| failed(&self.path, &error);
        let text = serde_json::to_string(&step).map_err(|error| failed(error.into()))?;
        // A line before that was cut by a crash is ended first.
        let line = format!("\n{:032x} {text}\n", stable_hash(text.as_bytes()));
        self.file.write_all(line.as_bytes()).map_err(failed)?;
        self.file.sync_all().map_err(failed)?;
        // The name of a new file is in its folder.
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
        self.steps.push(step);
        Ok(())
    }
}

fn parse(line: &[u8]) -> Option<Step> {
    let (sum, text) = (line.get(..32)?, line.get(33..)?);
    (sum == format!("{:032x}", stable_hash(text)).as_bytes()).then(|| serde_json::from_slice(text).ok())?
}

fn wait_for_turn(file: &File, path: &Path) -> Result<(), ActionProblem> {
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(failed(path, &error)),
        }
    }
    Err(ActionProblem::new(ActionClass::Busy, "another closeout is writing to this session")
        .with_next("wait for its receipt"))
}

fn failed(path: &Path, error: &io::Error) -> ActionProblem {
    let words = format!("the journal of replies {} cannot be used: {error}", path.display());
    ActionProblem::new(ActionClass::Failed, words)
        .with_next("nothing was sent; see that the state folder can be written and has room")
}
