//! Makes a record, from the first look to the line in the journal: read, written, verified, kept.
//!
//! It must not report "saved" before every object was found again in the place where it is kept.

pub(super) mod reuse;
mod room;

use std::cell::Cell;
use std::path::{Path, PathBuf};

use crate::action::clock;
use crate::action::rescue::base::{
    RescueError, Saved, Settings, Shown, beside, references, repository, settings,
};
use crate::action::rescue::lock::{Belonging, WorktreeLock, belonging};
use crate::action::rescue::ref_transaction::{packs, recovery};
use crate::action::rescue::snapshot::{self, Commits, Draft, Recorded, unchanged, verify};
use crate::action::rescue::survey::spool::STREAM;
use crate::action::rescue::survey::{self, Expected, Spool, Survey, listing, seen_index};
use crate::action::rescue::{RescueStep, Rescuer, vault};
use crate::git::{self, Git, Shadow};
use crate::model::{KeepIn, RecordNotice, RecordOrder, RecordRef, RescueRecord, Timestamp};

/// Where and how a record ended up being kept.
struct Kept {
    reference: RecordRef,
    n_disk_bytes: u64,
    vault: Option<PathBuf>,
    is_vault_only: bool,
    notices: Vec<RecordNotice>,
}

impl Rescuer {
    /// Records the uncommitted work of the repository whose top is `workspace`. Changes nothing that a person
    /// or an agent sees. The record is verified and on disk when this returns.
    ///
    /// If the newest record holds exactly the current state, it is reused. The options of `order` allow a large record, or
    /// choose where it is kept.
    ///
    /// # Errors
    /// [`RescueError::Nothing`] if there is no uncommitted work, [`RescueError::Ask`] if the record would be
    /// large. Every other error leaves everything as it was.
    pub fn record_ordered(&self, workspace: &Path, order: RecordOrder) -> Result<RescueRecord, RescueError> {
        self.recorded(workspace, order).map(|(_, record, _)| record)
    }

    /// Makes a record in the worktree of `workspace`, which stays locked. If its repository cannot be used or is damaged, or
    /// git hangs in it, all files are recorded in the vault.
    pub(crate) fn recorded(
        &self,
        workspace: &Path,
        order: RecordOrder,
    ) -> Result<(WorktreeLock<'_>, RescueRecord, Recorded), RescueError> {
        let mut worktree = WorktreeLock::take_any(self, workspace)?;
        worktree.no_journal = worktree.journal.check().err().map(|error| without_journal(&error));
        if let Some(words) = worktree.repo.hanging_file_of_files() {
            worktree = worktree.without_git(git::says_waiting(&words))?;
        }
        let attempt = |worktree: &WorktreeLock<'_>| {
            if worktree.no_journal.is_none() {
                recovery::recover(worktree)?;
            }
            record_in(worktree, order)
        };
        let mut made = attempt(&worktree);
        let failed = made.as_ref().map_err(RescueError::cause);
        if matches!(failed, Err(RescueError::Git { .. } | RescueError::Damage(_))) {
            made = match of_settings(&worktree) {
                Some(reason) => Err(RescueError::Unusable(reason)),
                // A git that was killed, or a garbage collection at the wrong moment, does not last.
                None => attempt(&worktree),
            };
        }
        // A record that was made already is kept, and needs no other one.
        let is_unmade = |error: &&RescueError| {
            error.kept().is_none() || matches!(error.cause(), RescueError::Unusable(_))
        };
        let failed = made.as_ref().err().filter(is_unmade);
        if worktree.unusable.is_none()
            && let Some(reason) = failed.and_then(|error| error.cause().of_repository())
        {
            worktree = worktree.standing_in(reason)?;
            made = without_repository(made, record_in(&worktree, order));
        }
        if let Err(RescueError::TimedOut(words)) = made.as_ref().map_err(RescueError::cause)
            && !worktree.is_without_rules
        {
            worktree = worktree.without_git(words.clone())?;
            match record_in(&worktree, order) {
                // The hang is still the reason.
                Err(RescueError::Nothing | RescueError::TimedOut(_)) => {}
                again => made = again,
            }
        }
        made.map(|(record, read)| (worktree, record, read))
    }
}

/// Why a record goes into the vault beside a journal that cannot be used. Without it nobody knows what was cut off, or what an
/// undo would take back.
fn without_journal(error: &RescueError) -> String {
    let what = if error.is_in_the_way() { "move away what stands there" } else { "make it writable" };
    format!("{}; {what}, until then nothing is committed or undone here", error.message())
}

/// Why the settings keep git from using the repository, if they do.
fn of_settings(worktree: &WorktreeLock) -> Option<String> {
    let git = worktree.git();
    match Settings::read(&git).map(|_| settings::bad_value(&git)) {
        Err(RescueError::Unusable(reason)) | Ok(Ok(Some(reason))) => Some(reason),
        Ok(_) | Err(_) => None,
    }
}

/// What comes of a record whose first try failed in the repository, and whose second one was made without it. Where that
/// fails too, the first error says more, unless the second one asks for something.
fn without_repository<T>(
    first: Result<T, RescueError>,
    again: Result<T, RescueError>,
) -> Result<T, RescueError> {
    let is_answer = match &again {
        Ok(_) => true,
        Err(error) => matches!(
            error.cause(),
            RescueError::Ask(_)
                | RescueError::NoRoom { .. }
                | RescueError::Cancelled
                | RescueError::TimedOut(_)
        ),
    };
    if is_answer || matches!(first, Err(RescueError::Unusable(_))) { again } else { first }
}

/// Makes a record in a worktree that is already locked: in the vault if a link in the git directory would lead
/// it elsewhere.
fn record_in(worktree: &WorktreeLock, order: RecordOrder) -> Result<(RescueRecord, Recorded), RescueError> {
    match record_where_ordered(worktree, order) {
        Err(error @ RescueError::Linked(_)) if order.keep_in != KeepIn::Vault => {
            let order = RecordOrder { keep_in: KeepIn::Vault, ..order };
            let (mut record, read) = record_where_ordered(worktree, order)?;
            record.notices.insert(0, RecordNotice::VaultOnly { reason: error.to_string() });
            Ok((record, read))
        }
        made => made,
    }
}

fn record_where_ordered(
    worktree: &WorktreeLock,
    order: RecordOrder,
) -> Result<(RescueRecord, Recorded), RescueError> {
    let git = worktree.git();
    let is_of_vault = worktree.unusable.is_some() || worktree.no_journal.is_some();
    let keep_in = if is_of_vault { KeepIn::Vault } else { order.keep_in };
    let order = RecordOrder { keep_in, ..order };
    if order.keep_in != KeepIn::Vault {
        worktree.repo.check_writes(&[])?;
        repository::check_writable(&worktree.repo)?;
    }
    let (read, draft, spool) = read(worktree, &git, order)?;
    let (reason, elsewhere) = match vault_only(worktree, &read) {
        Some(reason) => (Some(reason), None),
        None => match belonging::of(&git, &read.survey)? {
            Belonging::Own => (None, None),
            Belonging::Elsewhere(notice) => (None, Some(notice)),
            Belonging::Doubtful(reason) => (Some(reason), None),
        },
    };
    let keep_in = if reason.is_none() { order.keep_in } else { KeepIn::Vault };
    let order = RecordOrder { keep_in, ..order };
    let head = read.head.as_ref().ok();
    if snapshot::is_nothing(&git, &read.survey, &draft, head, &read.unchanged.written_alike) {
        return Err(RescueError::Nothing);
    }
    let mut record = match reuse::same(worktree, &git, order, &read, &draft)? {
        Some(saved) => {
            let record = reuse::described(worktree, &git, saved, &read.survey, draft.gaps)?;
            let unchanged = clock::now().millis_since(record.time);
            RescueRecord { unchanged_millis: Some(u64::try_from(unchanged).unwrap_or(0)), ..record }
        }
        None => write(worktree, &git, order.keep_in, &read, draft, spool)?,
    };
    record.notices.extend(reason.map(|reason| RecordNotice::VaultOnly { reason }).or(elsewhere));
    record.notices.extend(read.settings.mirrors.iter().cloned());
    Ok((record, read))
}

/// Why what was read goes into the vault only, as far as it does not depend on whose the repository is.
fn vault_only(worktree: &WorktreeLock, read: &Recorded) -> Option<String> {
    let hanging = read.hanging_rules.as_ref().map(|words| git::says_waiting(words));
    let has_ignored = worktree.is_without_rules || hanging.is_some();
    let ignored = if has_ignored { ", ignored ones included" } else { "" };
    let no_git = worktree.unusable.as_ref().map(|_| ", but nothing that only git stores").unwrap_or_default();
    let reasons: Vec<String> = worktree.unusable.iter().cloned().chain(hanging).collect();
    if !reasons.is_empty() {
        let journal = worktree.no_journal.as_ref().map(|words| format!("; {words}")).unwrap_or_default();
        return Some(format!("{}; it holds all files{ignored}{no_git}{journal}", reasons.join("; ")));
    }
    // Git takes a folder without a valid HEAD for no repository and makes no reference there.
    read.survey.head.why_unknown().map(str::to_owned).or_else(|| worktree.no_journal.clone())
}

/// Reads everything that a record holds.
fn read(
    worktree: &WorktreeLock,
    git: &Git<'_>,
    order: RecordOrder,
) -> Result<(Recorded, Draft, Spool), RescueError> {
    let settings = Settings::read(git)?;
    let mut shadow = match seen_index::shadow(&worktree.repo, &worktree.work()) {
        // A file of the repository's own is another kind of thing.
        Err(RescueError::Refused(words)) => return Err(RescueError::Unusable(words)),
        made => made?,
    };
    shadow.configure(&settings.for_shadow())?;
    let hanging_rules = if worktree.is_without_rules { None } else { git.hanging_rules(&shadow)? };
    shadow.lists_untracked = !worktree.is_without_rules && hanging_rules.is_none();
    let mut spool = Spool::create(git, &shadow.file(STREAM))?;
    let is_first = Cell::new(true);
    let is_wanted = |expected: &Expected| {
        room::check(worktree, order, expected)?;
        if is_first.take() {
            worktree.rescuer.reached(RescueStep::Listed);
        }
        Ok(())
    };
    let survey = survey::survey_if(git, &shadow, &mut spool, &is_wanted)?;
    let draft = snapshot::draft(git, &shadow, &survey, &mut spool)?;
    worktree.rescuer.reached(RescueStep::Surveyed);
    // Read before the record is written: the record's own objects must not stand in for missing ones.
    let head = listing::tree_of(git, survey.head.commit).map_err(|error| no_head(&error));
    let snapshot = draft.snapshot.clone();
    let unchanged = unchanged::files(git, &shadow, &settings, &survey, head.as_ref().ok(), &snapshot)?;
    let recorded = Recorded { settings, shadow, hanging_rules, survey, head, unchanged, snapshot };
    Ok((recorded, draft, spool))
}

/// Why no commit can be made where the last one cannot be read.
fn no_head(error: &RescueError) -> String {
    if let RescueError::Git { words, .. } = error
        && words.starts_with("signal ")
    {
        return format!("git was ended while it read the last commit ({words}); try again");
    }
    format!("the repository is damaged: the last commit cannot be read: {error}")
}

/// Writes a record of what was read. It is verified and on disk when this returns.
fn write(
    worktree: &WorktreeLock,
    git: &Git<'_>,
    keep_in: KeepIn,
    read: &Recorded,
    draft: Draft,
    spool: Spool,
) -> Result<RescueRecord, RescueError> {
    let Recorded { shadow, survey, .. } = read;
    let commits = snapshot::import(git, shadow, survey, &draft, (spool, read.head.as_ref().ok()))?;
    worktree.rescuer.reached(RescueStep::Imported);
    worktree.repo.check_same()?;
    let time = clock::now();
    let saving = Saved {
        reference: references::of_record(&worktree.repo.key, &worktree.new_id()),
        snapshot: commits.snapshot,
        record: commits.record,
        head: survey.head.commit,
        digest: listing::digest(&survey.entries),
        shown: shown(time, survey, &draft),
    };
    let kept = keep(worktree, git, shadow, keep_in, &draft, saving.clone())?;
    let shown = Shown {
        n_disk_bytes: Some(kept.n_disk_bytes),
        vault: kept.vault.as_ref().and_then(|path| Some(path.file_name()?.to_str()?.to_owned())),
        is_vault_only: kept.is_vault_only,
        ..saving.shown
    };
    let saved = Saved { reference: kept.reference.clone(), shown, ..saving };
    match &worktree.no_journal {
        None => worktree.journal.end(saved.clone())?,
        Some(_) => beside::keep(&worktree.folder, &saved)?,
    }
    worktree.rescuer.reached(RescueStep::RecordJournalled);
    let record = reuse::described(worktree, git, saved, survey, draft.gaps)
        .map_err(|error| error.keeping(&kept.reference))?;
    Ok(RescueRecord { notices: kept.notices, ..record })
}

/// Moves the imported objects to where the record is kept and verifies that they arrived.
fn keep(
    worktree: &WorktreeLock,
    git: &Git<'_>,
    shadow: &Shadow,
    keep_in: KeepIn,
    draft: &Draft,
    saving: Saved,
) -> Result<Kept, RescueError> {
    let commits = &Commits { snapshot: saving.snapshot, record: saving.record };
    let usual = saving.reference.clone();
    let id = usual.rsplit('/').next().unwrap_or_default().to_owned();
    if keep_in == KeepIn::Vault {
        let vault = vault::write(worktree, shadow, &id, draft, commits)?;
        return kept_in_vault(worktree, usual, vault, Vec::new());
    }
    let n_disk_bytes = packs::pack_bytes(shadow)?;
    let packs = packs::move_packs(shadow, worktree)?;
    worktree.rescuer.reached(RescueStep::PackMoved);
    // After a cancellation no reference keeps the pack, so git may remove it once it is old.
    let release = |error: RescueError| {
        if matches!(error, RescueError::Cancelled | RescueError::Linked(_)) {
            packs::release_packs(worktree, &packs);
        }
        error
    };
    verify::verify(git, draft, commits, &packs).map_err(release)?;
    worktree.rescuer.reached(RescueStep::Verified);
    worktree.sync()?;
    git.check_cancelled().map_err(|error| release(error.into()))?;
    // From here on not cancellable: the reference and its journal line come both or not at all.
    let git = &git.to_the_end();
    let shown = Shown { n_disk_bytes: Some(n_disk_bytes), ..saving.shown.clone() };
    // If a crash interrupts what follows, recovery finds this entry and treats the record as saved.
    worktree.journal.begin(&Saved { shown, ..saving })?;
    let below = format!("rescue/{}/{id}", worktree.repo.key);
    let made = references::make_or_other(git, &below, commits.snapshot);
    let (reference, notice) = match made {
        Ok(made) => made,
        Err(error) if is_locked(&error) || references::in_the_way(git, &usual)?.is_some() => {
            // No name is free, or someone left a lock on the whole table of references: keep the record
            // outside of them.
            let vault = vault::write(worktree, shadow, &id, draft, commits)?;
            let notice = RecordNotice::VaultOnly { reason: error.to_string() };
            return kept_in_vault(worktree, usual, vault, vec![notice]);
        }
        Err(error) => return Err(release(error)),
    };
    worktree.rescuer.reached(RescueStep::ReferenceMade);
    // A garbage collection may have run between the pack's arrival and the reference.
    if let Err(error) = verify::is_there(git, draft, commits.names()) {
        // If the removal fails too, the first error is still the one to report.
        let _ = references::remove(git, &reference, commits.snapshot);
        return Err(error);
    }
    packs::release_packs(worktree, &packs);
    let vault = match keep_in {
        KeepIn::RepositoryAndVault => {
            let written = vault::write(worktree, shadow, &id, draft, commits);
            if matches!(written, Err(RescueError::Cancelled)) {
                // If the removal fails, the reference is listed as a record that the journal does not know.
                let _ = references::remove(git, &reference, commits.snapshot);
            }
            Some(written?)
        }
        KeepIn::Repository | KeepIn::Vault => None,
    };
    worktree.sync()?;
    let notices = notice.into_iter().collect();
    Ok(Kept { reference: reference.into(), n_disk_bytes, vault, is_vault_only: false, notices })
}

fn kept_in_vault(
    worktree: &WorktreeLock,
    reference: RecordRef,
    vault: PathBuf,
    notices: Vec<RecordNotice>,
) -> Result<Kept, RescueError> {
    worktree.sync()?;
    let metadata = vault.metadata().map_err(RescueError::io("look at", &vault))?;
    Ok(Kept { reference, n_disk_bytes: metadata.len(), vault: Some(vault), is_vault_only: true, notices })
}

/// Whether git could not take a lock. The reftable format has a single lock for all references.
fn is_locked(error: &RescueError) -> bool {
    matches!(error, RescueError::Git { words, .. } if words.contains("cannot lock"))
}

/// What the list of records shows of it, as far as that is known before it is kept.
fn shown(time: Timestamp, survey: &Survey, draft: &Draft) -> Shown {
    Shown {
        time: Some(time.0),
        branch: survey.head.branch.clone(),
        n_files: Some(survey.blobs.len()),
        n_bytes: Some(survey.n_bytes()),
        n_gaps: Some(draft.gaps.len()),
        ..Shown::default()
    }
}
