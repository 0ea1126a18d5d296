//! One cycle: random changes, an action that is killed at a random moment, the recovery, and a comparison of
//! the result with what is allowed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Child;

use anyhow::{Context as _, Result, bail, ensure};
use closeout::action::rescue::RescueError;
use closeout::model::RecordState;

use super::change;
use super::cycle_action::{self, CycleAction, MESSAGE, STATES};
use super::disk::Disk;
use super::photo::{Moved, Photo};
use super::random::Random;
use super::shot::{self, Pace, ShotSetting, Target};
use super::stored::{compare_saved, contents, is_mode, tree, without_returns};
use super::tally::Tally;
use super::world::World;

/// The last visible commit, and on which side of it the repository is.
struct Last {
    before: Moved,
    after: Moved,
    is_undone: bool,
}

/// What is known about a world.
struct Known {
    /// The last visible commit made with each state folder: an undo or redo knows only those of its own.
    last: BTreeMap<&'static str, Last>,
    /// The references that were reported as saved.
    saved: BTreeSet<String>,
    is_synced: bool,
    /// The name of the state folder with which the last commit was made.
    state: &'static str,
}

/// Runs `count` cycles in a new world.
pub(crate) fn world(
    random: &mut Random,
    number: u64,
    count: usize,
    pace: &mut Pace,
    tally: &mut Tally,
    disk: Option<&Disk>,
) -> Result<()> {
    let world = World::new(random)?;
    let mut known = Known {
        last: BTreeMap::new(),
        saved: BTreeSet::new(),
        is_synced: disk.is_some() || number % 10 == 3,
        state: STATES[0],
    };
    let outcome = (0..count).try_for_each(|n| {
        cycle(&world, random, pace, tally, &mut known, disk)
            .with_context(|| format!("cycle {n} of world {number} ({:?})", world.kind))
    });
    let outcome = outcome.and_then(|()| finish(&world, &known));
    if outcome.is_err() {
        let image = disk.map(Disk::keep).transpose()?;
        let kept = image.unwrap_or_else(|| world.keep());
        eprintln!("soak: the world is kept in {}", kept.display());
    }
    outcome
}

/// Checks that everything reported as saved is there, and that the repository is intact.
fn finish(world: &World, known: &Known) -> Result<()> {
    let references = world.git(&["for-each-ref", "--format=%(refname)", "refs/closeout/rescue"])?;
    let there: BTreeSet<&str> = references.lines().collect();
    for reference in &known.saved {
        ensure!(there.contains(&reference[..]), "{reference} was said to be saved and is gone");
    }
    world.git(&["fsck", "--connectivity-only", "--no-dangling", "--no-progress"])?;
    // Records that were interrupted between reference and journal line were adopted, and no `.keep` file
    // remains. The journal of one state folder does not mention what was saved with the other.
    let mut kept = BTreeSet::new();
    for state in STATES {
        let rescuer = cycle_action::rescuer(&world.root()?, state, known.is_synced);
        let list = rescuer.list(world.top()).map_err(|error| anyhow::anyhow!("{error:?}"))?;
        for record in list.records {
            match record.state {
                RecordState::Kept => drop(kept.insert(record.reference.to_string())),
                RecordState::NotInJournal | RecordState::OfAnother | RecordState::Stray => {}
                other @ (RecordState::PutBack | RecordState::VaultOnly | RecordState::Lost) => {
                    bail!("{} is {other:?} for {state}", record.reference)
                }
            }
        }
    }
    let adrift: Vec<_> = there.iter().filter(|name| !kept.contains(**name)).collect();
    ensure!(adrift.is_empty(), "{adrift:?} are in nobody's journal");
    for entry in fs::read_dir(world.common_dir().join("objects/pack"))? {
        let path = entry?.path();
        ensure!(path.extension().is_none_or(|end| end != "keep"), "{} was left", path.display());
    }
    Ok(())
}

fn cycle(
    world: &World,
    random: &mut Random,
    pace: &mut Pace,
    tally: &mut Tally,
    known: &mut Known,
    disk: Option<&Disk>,
) -> Result<()> {
    for _ in 0..random.below(5) {
        change::make(world, random)?;
    }
    let cycle_action = pick(random.below(100), known.last.get(known.state));
    let target = if disk.is_some() { Target::Power } else { Target::any(random) };
    let state = if random.percent(85) { known.state } else { *random.one_of(&STATES) };
    let foreign = if disk.is_none() && random.percent(8) { plant_lock(world, random)? } else { None };
    let before = Photo::of(world)?;
    let root = world.root()?;
    disk.map_or(Ok(()), Disk::sync)?;
    let mut collecting = something_beside(world, random.below(100), disk.is_none())?;
    let is_alone = collecting.is_none() && foreign.is_none();
    let setting = ShotSetting { is_synced: known.is_synced, state, disk };
    let shot = shot::fire(cycle_action, target, random, pace, (world.top(), &root), &setting)?;
    if let Some(collecting) = &mut collecting {
        collecting.wait()?;
        tally.n_collected += 1;
    }
    let told = |what: &str| shot.line(cycle_action, target, what);
    let cut = Photo::of(world)?;
    ensure!(cut.work_tree == before.work_tree, told("wrote to the work tree"));
    tally.n_left += cut.locks.len().saturating_sub(before.locks.len());
    recover(world, &root, known.is_synced, foreign.is_some()).with_context(|| told("and recovery failed"))?;
    check_own_folders(&root).with_context(|| told("left something"))?;
    let can_be_done = is_alone && can_be_done(cycle_action, &before, known.last.get(state));
    let after = Photo::of(world)?;
    ensure!(after.work_tree == before.work_tree, told("and recovery wrote to the work tree"));
    ensure!(
        after.locks == before.locks,
        told(&format!("left {:?}, there were {:?}", after.locks, before.locks))
    );
    if let Some((path, inode)) = &foreign {
        take_lock(path, *inode).with_context(|| told("touched the lock of another"))?;
        tally.n_foreign += 1;
    }
    let end = judge(world, cycle_action, &before, &after, (state, known))
        .with_context(|| told("left a state in between"))?;
    if end == "after" && cycle_action == CycleAction::Commit {
        known.state = state;
    }
    ensure!(shot.is_hit || !can_be_done || end == "after", told("although nothing was in the way"));
    // What was reported as done survives even a power cut.
    let counts = |is_done: bool| !shot.is_hit || (is_done && target == Target::Power);
    if let Some((is_done, words)) = shot.outcome.as_ref().filter(|(is_done, _)| counts(*is_done)) {
        ensure!(
            *is_done == (end == "after") || cycle_action == CycleAction::Record,
            told(&format!("and the state is the one {end}"))
        );
        if !is_done {
            *tally.refusals.entry(format!("{}: {}", cycle_action.name(), first_word(words))).or_default() +=
                1;
        }
    }
    compare_saved(world, cycle_action, &shot, &before.work_tree, tally, &mut known.saved)
        .with_context(|| told("and the record is wrong"))?;
    *tally.ends.entry((cycle_action, shot.is_hit.then_some(target), end)).or_default() += 1;
    Ok(())
}

/// Starts what happens at the same time: git collects garbage, or an agent works. Never on a disk of its own.
fn something_beside(world: &World, chance: usize, is_allowed: bool) -> Result<Option<Child>> {
    match chance {
        0..12 if is_allowed => world.collecting().map(Some),
        12..24 if is_allowed => world.agent().map(Some),
        _ => Ok(None),
    }
}

/// Removes someone else's lock, which must be the same as before.
fn take_lock(path: &Path, inode: u64) -> Result<()> {
    let metadata = path.symlink_metadata().context("it is gone")?;
    ensure!(metadata.ino() == inode, "another is in its place");
    Ok(fs::remove_file(path)?)
}

/// Whether an undo or redo finds everything as the last action left it, so that it has to succeed, however many
/// actions were cut or refused since.
fn can_be_done(cycle_action: CycleAction, before: &Photo, last: Option<&Last>) -> bool {
    last.is_some_and(|last| match cycle_action {
        CycleAction::Undo => !last.is_undone && before.moved == last.after,
        CycleAction::Redo => last.is_undone && before.moved == last.before,
        CycleAction::Record | CycleAction::Commit => false,
    })
}

/// Checks that the state folders hold no working folder and no announcement of a record.
fn check_own_folders(root: &Path) -> Result<()> {
    for state in STATES {
        let Ok(folders) = fs::read_dir(root.join(state).join("rescue")) else { continue };
        for folder in folders {
            for entry in fs::read_dir(folder?.path())? {
                let name = entry?.file_name().to_string_lossy().into_owned();
                let is_left = name == "pending" || name.starts_with("work") || name.contains(".closeout-");
                ensure!(!is_left, "{name} in {state}");
            }
        }
    }
    Ok(())
}

/// Chooses the most useful action to try; sometimes one that is impossible.
fn pick(chance: usize, last: Option<&Last>) -> CycleAction {
    match (chance, last.map(|last| last.is_undone)) {
        (0..12, _) => CycleAction::Record,
        (12..55, Some(false)) | (12..16, _) => CycleAction::Undo,
        (12..55, Some(true)) | (16..20, _) => CycleAction::Redo,
        _ => CycleAction::Commit,
    }
}

fn first_word(words: &str) -> &str {
    words.split(['(', ' ', '{']).next().unwrap_or_default()
}

/// Recovers, as the next start of the program would.
fn recover(world: &World, root: &Path, is_synced: bool, is_locked: bool) -> Result<()> {
    STATES.into_iter().try_for_each(|state| {
        let rescuer = cycle_action::rescuer(root, state, is_synced);
        match rescuer.recover(world.top()) {
            Err(RescueError::Busy(_)) if is_locked => Ok(()),
            other => other.map(drop).map_err(|error| anyhow::anyhow!("{error:?}")),
        }?;
        // Only now has a git child that outlived its parent ended, if it had kept the folder locked. One that reads
        // its input has not, and may still write.
        rescuer.sweep();
        Ok(())
    })
}

/// Creates someone else's lock; returns its path and inode.
fn plant_lock(world: &World, random: &mut Random) -> Result<Option<(PathBuf, u64)>> {
    let branch = world.branch()?.unwrap_or_else(|| "refs/heads/work".to_owned());
    let path = match random.below(3) {
        0 => world.git_dir().join("index.lock"),
        1 => world.git_dir().join("HEAD.lock"),
        _ => world.common_dir().join(format!("{branch}.lock")),
    };
    let Some(folder) = path.parent().filter(|folder| folder.is_dir()) else { return Ok(None) };
    ensure!(folder.is_dir());
    fs::write(&path, b"of somebody else\n")?;
    let inode = path.symlink_metadata()?.ino();
    Ok(Some((path, inode)))
}

/// Whether branch and index are as before or as after the action. Anything else is the bug that the soak looks
/// for.
fn judge(
    world: &World,
    cycle_action: CycleAction,
    before: &Photo,
    after: &Photo,
    (state, known): (&'static str, &mut Known),
) -> Result<&'static str> {
    ensure!(after.references == before.references, "references moved that are nobody's business");
    if after.moved == before.moved {
        return Ok("before");
    }
    match cycle_action {
        CycleAction::Record => bail!("a record moved something"),
        CycleAction::Commit => {
            is_commit_of(world, before, after)?;
            let (before, after) = (before.moved.clone(), after.moved.clone());
            known.last.insert(state, Last { before, after, is_undone: false });
        }
        CycleAction::Undo => {
            let last = known.last.get_mut(state).filter(|last| !last.is_undone);
            let last = last.context("nothing was to be undone")?;
            ensure!(
                after.moved == last.before,
                "it is not what was before the commit: {}",
                differences(&last.before, &after.moved)
            );
            last.is_undone = true;
        }
        CycleAction::Redo => {
            let last = known.last.get_mut(state).filter(|last| last.is_undone);
            let last = last.context("nothing was to be redone")?;
            ensure!(
                after.moved == last.after,
                "it is not what the commit had left: {}",
                differences(&last.after, &after.moved)
            );
            last.is_undone = false;
        }
    }
    Ok("after")
}

fn differences(expected: &Moved, found: &Moved) -> String {
    format!(
        "index {}, HEAD {}, branch {:?} for {:?}",
        expected.index == found.index,
        expected.head == found.head,
        found.branch,
        expected.branch
    )
}

/// Checks that HEAD is one commit further, with the message; that each path in it is as in the work tree or as
/// before; and that the index matches the commit.
fn is_commit_of(world: &World, before: &Photo, after: &Photo) -> Result<()> {
    ensure!(after.moved.head == before.moved.head, "HEAD names another branch");
    let body = world.git(&["log", "-1", "--format=%B"])?;
    ensure!(body.starts_with(MESSAGE.trim()), "the tip is not the rescue: {body}");
    let made = tree(world, "HEAD")?;
    let parents = world.git(&["log", "-1", "--format=%P"])?;
    let old = before.moved.branch.clone().unwrap_or_default();
    ensure!(parents.trim() == old, "the parent is {parents}, not {old}");
    let parent = if old.is_empty() { BTreeMap::new() } else { tree(world, &old)? };
    let contents = contents(world, made.values().map(|(_, id)| &id[..]))?;
    for (path, entry) in &made {
        let is_as_on_disk = after.work_tree.get(path).is_some_and(|(mode, bytes, _)| {
            is_mode(&entry.0, *mode)
                && (contents.get(&entry.1) == Some(bytes)
                    || contents.get(&entry.1) == Some(&without_returns(bytes)))
        });
        ensure!(
            is_as_on_disk || parent.get(path) == Some(entry),
            "{} is in the commit and nowhere else",
            String::from_utf8_lossy(path)
        );
    }
    let staged = world.git_with(&["diff-index", "--cached", "--name-only", "-z", "HEAD"], b"")?;
    for path in staged.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
        // What is not part of the commit stays staged as it was.
        ensure!(
            made.get(path) == parent.get(path),
            "{} is staged after the commit",
            String::from_utf8_lossy(path)
        );
    }
    Ok(())
}
