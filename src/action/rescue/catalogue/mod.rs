//! Lists a repository's records by comparing journals with references. A reference that someone removed or
//! moved is restored as long as the objects exist.
//!
//! It must not delete anything, and must not trust a reference that no journal knows.

mod ages;
mod already;
pub(super) mod deletion;
mod kept;
mod new_folder;
mod owner;
mod reaches;
pub(super) mod restore;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::action::rescue::base::error::if_answered;
use crate::action::rescue::base::journal::{self, Deletion};
use crate::action::rescue::base::record_objects::{self, record_of};
use crate::action::rescue::base::{
    Hidden, Journal, JournalEntry, Place, Reading, RescueError, Saved, Settings, beside, references,
    settings, worktrees,
};
use crate::action::rescue::catalogue::ages::{is_past, time_of};
use crate::action::rescue::lock::WorktreeLock;
use crate::action::rescue::ref_transaction::{forgotten, recovery};
use crate::action::rescue::{Rescuer, vault};
use crate::git::{Git, Stdin};
use crate::model::{
    CommitId, KeptRecord, Reach, RecordList, RecordNotice, RecordRef, RecordState, RecordTotals, RefName,
    Timestamp,
};

pub(crate) use reaches::Reaches;

impl Rescuer {
    /// Lists all records of the repository of `workspace`, newest first, including those of its other and
    /// removed worktrees. Restores references of records that someone removed or moved.
    ///
    /// # Errors
    /// As for [`Rescuer::record_ordered`]. Damage to single records or to a journal is part of the list instead.
    pub fn list(&self, workspace: &Path) -> Result<RecordList, RescueError> {
        let worktree = WorktreeLock::take_to_read(self, workspace)?;
        // Otherwise, what was cut off is finished by a later action.
        let is_recovered = if worktree.can_recover() { recovery::recover(&worktree) } else { Ok(()) };
        let mut listed = is_recovered.and_then(|()| list(&worktree));
        if matches!(listed, Err(RescueError::Git { .. }))
            && let Some(reason) = settings::bad_value(&worktree.git())?
        {
            listed = Err(RescueError::Unusable(reason));
        }
        match listed {
            Err(RescueError::Unusable(reason) | RescueError::TimedOut(reason))
                if worktree.unusable.is_none() =>
            {
                list(&worktree.by_objects(reason)?)
            }
            Err(RescueError::Unusable(reason)) => list(&worktree.standing_in(reason)?),
            Err(error) if error.is_fatal_to_git() && worktree.unusable.is_none() => {
                let reason = error.of_repository().unwrap_or_default();
                worktree.by_objects(reason).and_then(|worktree| list(&worktree)).map_err(|_| error)
            }
            listed => listed,
        }
    }
}

/// Lists the records of the repository whose worktree is locked.
pub(crate) fn list(worktree: &WorktreeLock) -> Result<RecordList, RescueError> {
    let git = worktree.git();
    let mut list = RecordList { notices: Settings::read_anywhere(&git)?.mirrors, ..RecordList::default() };
    // References are read first: a record that is forgotten meanwhile is then already marked in the journals.
    let hidden = references::list(&git)?;
    let places = worktree.places()?;
    let is_usable = worktree.can_recover();
    let making = if is_usable { recovery::adopt_beside(worktree, &places)? } else { BTreeSet::new() };
    let mut known = BTreeSet::new();
    let mut saved = in_journals(&places, &mut list.notices, |place, cut| {
        known.extend(cut.iter().map(|deletion| deletion.reference.to_string()));
        // This worktree's own were looked at already.
        if is_usable && place.key != worktree.repo.key && !cut.is_empty() {
            forgotten::complete_beside(worktree, place);
        }
    })?;
    known.extend(saved.iter().map(|(_, saved)| saved.reference.to_string()));
    let n_known = saved.len();
    saved.retain(|(_, saved)| worktree.sees_objects() || saved.shown.is_vault_only);
    let mut unknown: Vec<Unknown> = hidden
        .iter()
        .filter(|hidden| !known.contains(&hidden.name) && !making.contains(&hidden.name))
        .map(|hidden| Unknown::read(&git, hidden.clone()))
        .collect::<Result<_, _>>()?;
    let gone = lost(&git, &saved, &unknown)?;
    if worktree.shows_objects {
        // What is in git's way may be what holds them.
        saved.retain(|(_, saved)| saved.shown.is_vault_only || !gone.contains(&saved.snapshot));
        unknown.retain(|it| !gone.contains(&it.hidden.id));
    }
    let n_unseen = n_known - saved.len();
    let mut reaches = Reaches::without_branches(worktree.shows_objects);
    for (place, saved) in saved {
        let (state, notice) = look_at(worktree, place, &saved, &hidden, gone.contains(&saved.snapshot))?;
        list.notices.extend(notice);
        let reach = match state {
            RecordState::Kept
            | RecordState::PutBack
            | RecordState::NotInJournal
            | RecordState::OfAnother
            | RecordState::Stray => reaches.of(&git, [saved.snapshot, saved.record], saved.head),
            RecordState::VaultOnly | RecordState::Lost => Reach::Unknown,
        };
        list.records.push(in_journal(place, &saved, state, reach));
    }
    for unknown in unknown {
        let (state, notice) = state_of(&places, &unknown, gone.contains(&unknown.hidden.id))?;
        list.notices.extend(notice);
        list.records.push(not_in_journal(&git, &places, unknown, state, &mut reaches));
    }
    if let Some(reason) = worktree.unusable.clone().or_else(|| worktree.past_head.clone()) {
        list.notices.push(RecordNotice::NoRepository { reason, n_unseen });
    }
    list.kept = kept::listed(worktree, &places)?;
    list.records.sort_by(|a, b| (b.time, &b.reference).cmp(&(a.time, &a.reference)));
    list.totals = RecordTotals {
        n_records: list.records.len(),
        n_disk_bytes: list.records.iter().filter_map(|record| record.n_disk_bytes).sum(),
    };
    Ok(list)
}

/// The snapshots of those of which the repository lacks anything.
fn lost(
    git: &Git<'_>,
    saved: &[(&Place, Saved)],
    unknown: &[Unknown],
) -> Result<BTreeSet<CommitId>, RescueError> {
    let of_journals = saved.iter().filter(|(_, saved)| !saved.shown.is_vault_only);
    let all = of_journals
        .map(|(_, saved)| [saved.snapshot, saved.record])
        .chain(unknown.iter().map(|it| [it.hidden.id, it.record.unwrap_or(it.hidden.id)]));
    record_objects::lost(git, &all.collect::<Vec<_>>())
}

/// The records of these journals, with what is wrong with a journal. The deletions that were cut off go to `cut_in`.
fn in_journals<'p>(
    places: &'p [Place],
    notices: &mut Vec<RecordNotice>,
    mut cut_in: impl FnMut(&Place, &[Deletion<'_>]),
) -> Result<Vec<(&'p Place, Saved)>, RescueError> {
    let mut all = Vec::new();
    for place in places {
        let read = match Journal::at(&place.folder).read() {
            Err(error @ RescueError::Io { .. }) => {
                notices.push(RecordNotice::JournalUnreadable { reason: error.message() });
                Reading::default()
            }
            read => read?,
        };
        if read.n_damaged > 0 {
            notices.push(RecordNotice::JournalDamaged { n_lines: read.n_damaged });
        }
        if read.n_newer > 0 {
            notices.push(RecordNotice::JournalNewer { n_lines: read.n_newer });
        }
        cut_in(place, &journal::cut_deletions(&read.entries));
        all.extend(kept_in(place, &read.entries).into_iter().map(|saved| (place, saved)));
    }
    Ok(all)
}

/// The records of this place: those of its journal, and those that it could not take.
fn kept_in(place: &Place, entries: &[JournalEntry]) -> Vec<Saved> {
    let untold = beside::untold(&place.folder, entries);
    let saved = journal::saved(entries).into_iter().chain(&untold);
    saved.filter_map(|saved| as_kept_in(place, saved)).collect()
}

/// The record as it is kept for this place. If another repository was found at its path, only the vault can have it.
fn as_kept_in(place: &Place, saved: &Saved) -> Option<Saved> {
    let mut saved = saved.clone();
    if place.is_former {
        bundle(place, &saved).filter(|bundle| bundle.is_file())?;
        saved.shown.is_vault_only = true;
    }
    Some(saved)
}

/// A reference below closeout's that no journal knows.
struct Unknown {
    hidden: Hidden,
    /// The commit behind it; `None` if it has not the form of a record.
    record: Option<CommitId>,
    /// The facts stored in that; null if there are none.
    meta: serde_json::Value,
}

impl Unknown {
    fn read(git: &Git<'_>, hidden: Hidden) -> Result<Unknown, RescueError> {
        let record = if_answered(record_of(git, hidden.id))?;
        let meta = record.map(|record| meta(git, record)).transpose()?.unwrap_or_default();
        Ok(Unknown { hidden, record, meta })
    }
}

/// Number and disk size of all records that the repository's journals know.
pub(crate) fn totals(worktree: &WorktreeLock) -> Result<RecordTotals, RescueError> {
    let mut totals = RecordTotals::default();
    for place in worktree.places()? {
        let read = match Journal::at(&place.folder).read() {
            // The list says it.
            Err(RescueError::Io { .. }) => Reading::default(),
            read => read?,
        };
        for saved in kept_in(&place, &read.entries) {
            totals.n_records += 1;
            totals.n_disk_bytes += saved.shown.n_disk_bytes.unwrap_or(0);
        }
    }
    Ok(totals)
}

/// Finds a record in the repository's journals; also returns whose journal it is.
pub(crate) fn known(worktree: &WorktreeLock, reference: &str) -> Result<Option<(Place, Saved)>, RescueError> {
    for place in worktree.places()? {
        // One that cannot be read keeps nobody from the records of the others.
        let entries = Journal::at(&place.folder).read().map(|read| read.entries).unwrap_or_default();
        let found = kept_in(&place, &entries).into_iter().find(|saved| *saved.reference == *reference);
        if let Some(saved) = found {
            return Ok(Some((place, saved)));
        }
    }
    Ok(None)
}

/// Compares a record of the journal with the references, and restores its reference if necessary.
fn look_at(
    worktree: &WorktreeLock,
    place: &Place,
    saved: &Saved,
    hidden: &[Hidden],
    is_lost: bool,
) -> Result<(RecordState, Option<RecordNotice>), RescueError> {
    let (git, reference) = (&worktree.git(), saved.reference.clone());
    if saved.shown.is_vault_only {
        let is_there = bundle(place, saved).is_some_and(|path| path.is_file());
        return Ok(if is_there {
            (RecordState::VaultOnly, None)
        } else {
            (RecordState::Lost, Some(RecordNotice::Lost { reference }))
        });
    }
    if is_lost {
        return Ok((RecordState::Lost, Some(RecordNotice::Lost { reference })));
    }
    let found = hidden.iter().find(|hidden| *hidden.name == *reference);
    if found.is_some_and(|found| found.id == saved.snapshot) {
        return Ok((RecordState::Kept, None));
    }
    if worktree.shows_objects || git.repo.check_writes(&[&reference]).is_err() {
        // All of it is there, and the journal finds it without its reference.
        return Ok((RecordState::Kept, None));
    }
    let moved_to = found.map(|found| found.id);
    match put_back(git, place, saved, moved_to) {
        Ok(()) => Ok((RecordState::PutBack, Some(RecordNotice::PutBack { reference, moved_to }))),
        Err(error @ (RescueError::TimedOut(_) | RescueError::Cancelled)) => Err(error),
        // What is in the way of one reference keeps nobody from the records.
        Err(error) => {
            let reason = error.message();
            Ok((RecordState::Kept, Some(RecordNotice::NotPutBack { reference, reason })))
        }
    }
}

/// Restores the reference of a record, which is `moved_to` now.
fn put_back(
    git: &Git<'_>,
    place: &Place,
    saved: &Saved,
    moved_to: Option<CommitId>,
) -> Result<(), RescueError> {
    if let Some(other) = moved_to {
        // Nothing is deleted: a foreign value of the reference is kept under another name.
        let id = saved.reference.id();
        let below = format!("moved/{}/{id}-{other:.8}", place.key);
        match references::make_or_other(git, &below, other) {
            Ok(_) => {}
            Err(_) if references::at(git, &format!("refs/closeout/{below}"))?.is_some() => {}
            Err(error) => return Err(error),
        }
    }
    references::put_back(git, &saved.reference, moved_to, saved.snapshot)
}

/// What becomes of a reference that no journal knows. Two state folders know nothing of each other, and neither's records
/// are damage to the other.
fn state_of(
    places: &[Place],
    unknown: &Unknown,
    is_lost: bool,
) -> Result<(RecordState, Option<RecordNotice>), RescueError> {
    let hidden = &unknown.hidden;
    let reference = RecordRef::from(hidden.name.clone());
    if !references::is_of_record(&hidden.name) {
        return Ok((RecordState::Stray, None));
    }
    if is_lost {
        return Ok((RecordState::Lost, Some(RecordNotice::Lost { reference })));
    }
    let key = references::key_of(&hidden.name);
    let place = places.iter().find(|place| Some(&*place.key) == key);
    let owner = place.map_or(Ok(None), |place| worktrees::owner_in(&place.folder))?;
    let is_own = owner.is_some_and(|owner| worktrees::is_id_of(&owner, reference.id()));
    let is_like_one = worktrees::is_id(reference.id()) && unknown.meta.is_object();
    if is_like_one && !is_own {
        return Ok((RecordState::OfAnother, None));
    }
    Ok((RecordState::NotInJournal, Some(RecordNotice::NotInJournal { reference })))
}

/// The path of the record's bundle, if the journal names one.
pub(crate) fn bundle(place: &Place, saved: &Saved) -> Option<PathBuf> {
    saved.shown.vault.as_ref().map(|name| vault::folder(&place.folder).join(name))
}

fn in_journal(place: &Place, saved: &Saved, state: RecordState, reach: Reach) -> KeptRecord {
    let shown = &saved.shown;
    let time = shown.time.map_or_else(|| time_of(&saved.reference), Timestamp);
    let is_there = state == RecordState::Kept;
    KeptRecord {
        reference: saved.reference.clone(),
        snapshot: saved.snapshot,
        time,
        worktree: Some(place.top.clone()),
        branch: shown.branch.clone(),
        n_files: shown.n_files,
        n_bytes: shown.n_bytes,
        n_disk_bytes: shown.n_disk_bytes,
        n_gaps: shown.n_gaps,
        reach,
        state,
        vault: bundle(place, saved),
        is_old: is_there && reach == Reach::InBranch && is_past(time),
    }
}

/// Describes a record that no journal knows, from its own facts.
fn not_in_journal(
    git: &Git<'_>,
    places: &[Place],
    Unknown { hidden, record, meta }: Unknown,
    state: RecordState,
    reaches: &mut Reaches,
) -> KeptRecord {
    let number = |name: &str| meta.get(name).and_then(serde_json::Value::as_u64);
    let text = |name: &str| meta.get(name).and_then(serde_json::Value::as_str).map(str::to_owned);
    let key = references::key_of(&hidden.name);
    KeptRecord {
        time: time_of(&hidden.name),
        worktree: places.iter().find(|place| Some(&*place.key) == key).map(|place| place.top.clone()),
        branch: text("branch").and_then(RefName::new),
        n_files: number("n_files").and_then(|n| usize::try_from(n).ok()),
        n_bytes: number("n_bytes"),
        n_disk_bytes: None,
        n_gaps: meta.get("gaps").and_then(serde_json::Value::as_array).map(Vec::len),
        reach: record.map_or(Reach::Unknown, |record| {
            reaches.of(git, [hidden.id, record], text("head").and_then(|head| head.parse().ok()))
        }),
        state,
        vault: None,
        is_old: false,
        reference: hidden.name.into(),
        snapshot: hidden.id,
    }
}

/// The facts stored in a record; null if they cannot be read.
fn meta(git: &Git<'_>, record: CommitId) -> Result<serde_json::Value, RescueError> {
    let args = ["cat-file", "blob", &format!("{record}:meta.json")];
    let stored = if_answered(git.answer(args, Stdin::Lock).map_err(RescueError::from))?;
    Ok(stored.and_then(|stored| serde_json::from_slice(&stored).ok()).unwrap_or_default())
}
