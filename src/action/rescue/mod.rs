//! Saves uncommitted work without loss: a record on a hidden reference, a visible commit of exactly what
//! was confirmed, and its exact undo.
//!
//! It must not run anything that a repository names, must not change the work tree, and must not remove
//! a lock that is not provably its own.

mod acts;
mod author;
mod error;
mod git;
mod journal;
mod key_like;
mod leaving_out;
mod listing;
mod message;
mod moving;
mod names;
mod planning;
mod reading;
mod record;
mod repository;
mod restore;
mod settings;
mod sha1;
mod shadow;
mod split;
mod spool;
mod step;
mod survey;
mod target;
mod turn;
mod undoing;
mod verify;
mod visible;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub use error::RescueError;
pub use planning::PlanRequest;
pub use step::Step;

use crate::model::RescueRecord;
use journal::{Act, Saved};
use settings::Settings;
use shadow::Shadow;
use spool::Spool;
use turn::Turn;

/// Where rescues are run from. One value serves any number of workspaces.
pub struct Rescuer {
    /// Git, by absolute path.
    pub git: PathBuf,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// Our own folder for journals and locks; made if it is not there, for this user only.
    pub state: PathBuf,
    /// Write to the disk before "saved" is said. Only a benchmark does without.
    pub is_synced: bool,
    /// Branches, by short names, that get no visible commit unless a person says so.
    pub protected: Vec<String>,
    /// The digests that a person trusted ([`Rescuer::trust_list`]). A digest names its workspace.
    pub trusted: BTreeSet<String>,
    /// The person's own rescue program and its arguments, from their own configuration. Without it a
    /// `commit-rescue.py` at the top of the workspace is offered.
    pub own_program: Option<Vec<OsString>>,
    /// The environment for programs that are trusted: filters, hooks, the own rescue program.
    pub program_env: Vec<(OsString, OsString)>,
    /// Called after each step. For tests, which end the process or change the repository there.
    pub at_step: Option<Box<dyn Fn(Step) + Send + Sync>>,
}

impl std::fmt::Debug for Rescuer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rescuer").field("git", &self.git).field("state", &self.state).finish_non_exhaustive()
    }
}

impl Rescuer {
    /// A rescuer that protects no branch and trusts nothing.
    pub fn new(git: PathBuf, home: Option<PathBuf>, state: PathBuf) -> Rescuer {
        Rescuer {
            git,
            home,
            state,
            is_synced: true,
            protected: Vec::new(),
            trusted: BTreeSet::new(),
            own_program: None,
            program_env: Vec::new(),
            at_step: None,
        }
    }

    /// Records the uncommitted work of the repository whose top is `workspace`. Changes nothing that a
    /// person or an agent sees; it is verified and on the disk when this returns.
    ///
    /// # Errors
    /// [`RescueError::Nothing`] when there is no uncommitted work; every other error leaves all as it was.
    pub fn record(&self, workspace: &Path) -> Result<RescueRecord, RescueError> {
        let turn = Turn::take(self, workspace)?;
        moving::recover(self, &turn)?;
        self.record_in(&turn).map(|(record, _)| record)
    }

    /// Tells a test of a step.
    fn reached(&self, step: Step) {
        if let Some(at_step) = &self.at_step {
            at_step(step);
        }
    }

    fn record_in(&self, turn: &Turn) -> Result<(RescueRecord, Recorded), RescueError> {
        let git = turn.git(self);
        let settings = Settings::read(&git)?;
        let shadow = Shadow::make(&turn.repo, &turn.folder.join("work"))?;
        shadow.configure(&settings)?;
        let mut spool = Spool::create(&shadow.file("stream"))?;
        let survey = survey::survey(&git, &shadow, &mut spool)?;
        let draft = record::draft(&git, &shadow, &survey, &mut spool)?;
        self.reached(Step::Surveyed);
        if record::is_nothing(&git, &survey, &draft) {
            return Err(RescueError::Nothing);
        }
        let commits = record::import(&git, &shadow, &survey, &draft, spool)?;
        self.reached(Step::Imported);
        turn.repo.check_same()?;
        let objects = turn.repo.common_dir.join("objects");
        let packs = record::move_packs(&shadow, &objects)?;
        self.reached(Step::PackMoved);
        verify::verify(&git, &draft, &commits, &packs)?;
        self.reached(Step::Verified);
        turn.sync(self)?;
        let reference = format!("refs/closeout/rescue/{}/{}", turn.repo.key, turn.new_id());
        record::make_reference(&git, &reference, &commits.snapshot)?;
        self.reached(Step::ReferenceMade);
        // Somebody may have collected garbage between the pack and the reference.
        verify::is_there(&git, &draft)?;
        turn.sync(self)?;
        let digest = listing::digest(&survey.entries);
        let saved = Saved {
            reference: reference.clone(),
            snapshot: commits.snapshot.clone(),
            record: commits.record.clone(),
            head: survey.head.commit.clone(),
            digest,
        };
        turn.journal.append(&Act::Saved(saved))?;
        self.reached(Step::RecordJournalled);
        let record = RescueRecord {
            reference,
            snapshot: commits.snapshot,
            record: commits.record,
            n_files: survey.blobs.len(),
            n_bytes: survey.blobs.values().map(|blob| blob.size).sum(),
            gaps: draft.gaps,
            is_settled: survey.is_settled,
        };
        Ok((record, Recorded { settings, shadow, survey }))
    }
}

/// What a record was made of, for the visible commit that follows.
struct Recorded {
    settings: Settings,
    shadow: Shadow,
    survey: survey::Survey,
}
