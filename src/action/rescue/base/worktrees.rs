//! Maps our own folders to repositories: each worktree has one, with a journal, and it stays when the worktree
//! is removed. It must not assign a journal to a repository that has none of its records.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::action::rescue::base::older::is_older;
use crate::action::rescue::base::record_objects::Pair;
use crate::action::rescue::base::whole_file::{folders, read_small};
use crate::action::rescue::base::{Journal, JournalEntry, RescueError, journal, names};
use crate::disk::{self, write::replace};
use crate::git::{Repository, stored_ref, stored_refs};

/// The folder of the state folder in which each worktree has one.
pub(crate) const RESCUE: &str = "rescue";

/// The folder for bundles in one of our own folders.
pub(crate) const VAULT: &str = "vault";

/// What the names of our references begin with, unless something else has that name.
const USUAL: &str = "refs/closeout/";

/// What is noted last of a place whose path has another repository since.
const FORMER: &[u8] = b"former";

/// Our own folder for one worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) folder: PathBuf,
    /// The key of the worktree, which is the folder's name.
    pub(crate) key: String,
    /// The top of the worktree when it was last seen.
    pub(crate) top: PathBuf,
    /// When the shared git directory was made, as by [`born`].
    born: String,
    /// Whether another repository was found at its path since.
    pub(crate) is_former: bool,
}

impl Place {
    /// The folder of a worktree that is there.
    pub(crate) fn of(folder: PathBuf, key: String, top: PathBuf) -> Place {
        Place { folder, key, top, born: String::new(), is_former: false }
    }

    /// Notes all of that in the folder, in hexadecimal.
    fn note(&self, common_dir: &Path) -> Result<(), RescueError> {
        let path = self.folder.join("place");
        let mut noted =
            vec![self.top.as_os_str().as_bytes(), common_dir.as_os_str().as_bytes(), self.born.as_bytes()];
        if self.is_former {
            noted.push(FORMER);
        }
        let text = noted.into_iter().map(names::hex).collect::<Vec<_>>().join("\n");
        if read_small(&path)?.is_some_and(|there| there == text.as_bytes()) {
            return Ok(());
        }
        replace(&path, text.as_bytes()).map_err(RescueError::io("write", &path))
    }
}

/// One of our own folders, with the shared git directory of its worktree.
type Known = (Place, PathBuf);

/// Gives the repository the key of our folder for it, where that is not the usual one. A moved repository keeps the one of its
/// former place, with its journal. Conditions: nothing of it is at that place any more, and this repository contains a record
/// from that journal; `has` tells whether it has the commits of one. Its other worktrees follow. One that was made at the former
/// place of another gets another key: see [`tell_apart`], also for `has_anything`.
pub(crate) fn recognise(
    state: &Path,
    repo: &mut Repository,
    has: &dyn Fn(&Repository, Pair) -> Result<bool, RescueError>,
    has_anything: &dyn Fn(&Repository, &Place) -> Result<bool, RescueError>,
) -> Result<(), RescueError> {
    let mut known = every_unless_known(state, repo)?;
    tell_apart(repo, &mut known, has_anything)?;
    let (key, found) = key_and_place(repo, &known, has)?;
    repo.key = key;
    let is_of_it = |(other, before): &&Known| {
        found.is_some_and(|(place, common)| {
            before == common && (other.born.is_empty() || other.born == place.born)
        })
    };
    for (other, before) in known.iter().filter(is_of_it) {
        remember(&other.folder, &top_now(&other.top, before, &repo.common_dir), &repo.common_dir)?;
    }
    Ok(())
}

/// Notes which of the folders for the repository's path are another one's, that was there before: its git directory was made
/// at another time, and nothing that any of them tells of is here, as `has_anything` finds. A copy that takes the place of the
/// original was made at another time, too, and has all of it. One without a time counts as its own: earlier versions noted
/// none, and some file systems tell none.
fn tell_apart(
    repo: &Repository,
    known: &mut [Known],
    has_anything: &dyn Fn(&Repository, &Place) -> Result<bool, RescueError>,
) -> Result<(), RescueError> {
    let now = born(&repo.common_dir);
    let here = known.iter_mut().filter(|(_, common)| *common == repo.common_dir).map(|(place, _)| place);
    let (own, others): (Vec<_>, Vec<_>) = here.partition(|place| !place.is_former && place.born == now);
    // Those that are not told apart yet belong together.
    let mut groups: BTreeMap<Option<String>, Vec<&mut Place>> = BTreeMap::new();
    for place in others {
        groups.entry(place.is_former.then(|| place.born.clone())).or_default().push(place);
    }
    for (born_before, group) in groups {
        let is_back = born_before.as_ref() == Some(&now);
        let is_settled = born_before.is_some() && !own.is_empty() && !is_back;
        if now.is_empty() || is_settled || group.iter().all(|place| place.born.is_empty()) {
            continue;
        }
        let mut is_its = is_back;
        for place in &group {
            is_its = is_its || has_anything(repo, place)?;
        }
        for place in group.into_iter().filter(|place| !place.born.is_empty()) {
            if is_its {
                place.born.clone_from(&now);
            }
            place.is_former = !is_its;
            place.note(&repo.common_dir)?;
        }
    }
    Ok(())
}

/// Counts as another repository's, without noting it, what is older than the one that is at its path now.
fn pass_over_older(known: &mut [Known], common_dir: &Path) {
    for (place, _) in known.iter_mut().filter(|(_, common)| *common == *common_dir) {
        place.is_former |= is_replaced(place, common_dir);
    }
}

/// Whether another repository, younger than all that the journal of this place tells of, has this shared git directory.
fn is_replaced(place: &Place, common_dir: &Path) -> bool {
    let now = born(common_dir);
    let is_told = !place.born.is_empty() && !now.is_empty();
    is_told && place.born != now && is_older(&place.folder, common_dir)
}

/// Where a worktree with this top is once its repository was moved: the main one was moved along with its git directory, of
/// others nothing is known.
fn top_now(top: &Path, before: &Path, common_dir: &Path) -> PathBuf {
    let below = before.strip_prefix(top).ok().filter(|below| common_dir.ends_with(below));
    let moved = below.and_then(|below| common_dir.ancestors().nth(below.iter().count()));
    moved.unwrap_or(top).to_owned()
}

/// The key as by [`recognise`], by the names and ids of its references alone: nothing is noted for it.
pub(crate) fn key_by_names(state: &Path, repo: &Repository) -> Result<String, RescueError> {
    let mut known = every_unless_known(state, repo)?;
    pass_over_older(&mut known, &repo.common_dir);
    Ok(key_and_place(repo, &known, &|_, _| Ok(true))?.0)
}

/// The key for this repository, with the place by whose records it is recognised.
fn key_and_place<'k>(
    repo: &Repository,
    known: &'k [Known],
    has: &dyn Fn(&Repository, Pair) -> Result<bool, RescueError>,
) -> Result<(String, Option<&'k Known>), RescueError> {
    let keys: Vec<String> = (0..=known.len()).map(|n| nth_key(repo, n)).collect();
    let at = |key: &str| known.iter().find(|(place, _)| place.key == key);
    let mut own = keys.iter().filter_map(|key| at(key)).filter(|(_, common)| *common == repo.common_dir);
    let usual = USUAL.trim_end_matches('/');
    let stored =
        if known.is_empty() { BTreeMap::new() } else { stored_refs(repo, &[usual]).unwrap_or_default() };
    for known in own.clone().chain(former(repo, known)) {
        let (place, common) = known;
        // Other repositories are looked at last: they can be where the system waits for them.
        if has_a_record_of(repo, place, &stored, has)?
            && (*common == repo.common_dir
                || place.is_former
                || is_gone(common)
                || leads_to(common, &repo.common_dir)
                || is_replaced(place, common))
        {
            return Ok((place.key.clone(), Some(known)));
        }
    }
    if let Some((place, _)) = own.find(|(place, _)| !place.is_former) {
        return Ok((place.key.clone(), None));
    }
    // Without a record in its repository, nothing can tell a journal whose repository is gone from one of this one.
    let is_free = |key: &&String| {
        at(key).is_none_or(|(place, common)| !has_records_in_repository(place) && is_gone(common))
    };
    let free = keys.iter().find(is_free).unwrap_or(&repo.key);
    Ok((free.clone(), None))
}

/// The usual key of the repository, or the n-th other one, where repositories were at its place before and moved.
fn nth_key(repo: &Repository, n: usize) -> String {
    if n == 0 { repo.key.clone() } else { Repository::key_of(&repo.git_dir.join(format!("another-{n}"))) }
}

/// Every folder of ours, as by [`every`]; none if the usual one is for this repository, or for none that is known.
fn every_unless_known(state: &Path, repo: &Repository) -> Result<Vec<Known>, RescueError> {
    let all = state.join(RESCUE);
    let own = all.join(&repo.key);
    let is_own = read_place(&own).is_none_or(|it| {
        let is_here = it.common_dir == repo.common_dir && !it.is_former;
        let now = if is_here { born(&repo.common_dir) } else { String::new() };
        is_here && (it.born == now || it.born.is_empty() || now.is_empty())
    });
    if (is_own && own.join("place").symlink_metadata().is_ok()) || !all.is_dir() {
        return Ok(Vec::new());
    }
    every(&all)
}

/// Whether a journal has records that are not in the vault alone.
fn has_records_in_repository(place: &Place) -> bool {
    let entries = Journal::at(&place.folder).read().map(|read| read.entries).unwrap_or_default();
    journal::saved(&entries).iter().any(|saved| !saved.shown.is_vault_only)
}

fn is_gone(path: &Path) -> bool {
    path.symlink_metadata().is_err()
}

/// Whether a path leads to a folder over a link, as one that a person leaves where a repository was.
fn leads_to(path: &Path, folder: &Path) -> bool {
    disk::resolve(path).is_ok_and(|resolved| resolved == folder)
}

/// Those that may be for this repository at a former place, by their paths.
fn former<'k>(repo: &Repository, known: &'k [Known]) -> Vec<&'k Known> {
    let name = |path: &Path| path.file_name().map(OsStr::to_owned);
    let mut left: Vec<&Known> = known
        .iter()
        .filter(|(place, common)| {
            let is_of_main = common.starts_with(&place.top);
            if repo.git_dir == repo.common_dir {
                is_of_main
            } else {
                // Only the main worktree was moved, or this one along with it.
                let is_moved = || name(&place.top) == name(&repo.top) && is_gone(&place.top);
                !is_of_main && (place.top == repo.top || is_moved())
            }
        })
        .collect();
    left.sort_by_key(|(place, _)| &place.key);
    left
}

/// Whether the repository contains a record of this place, by name and id and with its commits: anybody can write an id
/// into a file. `stored` are its references below [`USUAL`].
fn has_a_record_of(
    repo: &Repository,
    place: &Place,
    stored: &BTreeMap<String, String>,
    has: &dyn Fn(&Repository, Pair) -> Result<bool, RescueError>,
) -> Result<bool, RescueError> {
    let entries = Journal::at(&place.folder).read().map(|read| read.entries).unwrap_or_default();
    for entry in entries {
        let JournalEntry::Saved(saved) = entry else { continue };
        let at = if saved.reference.starts_with(USUAL) {
            stored.get(&*saved.reference).cloned()
        } else {
            stored_ref(repo, &saved.reference).ok().flatten()
        };
        if at.is_some_and(|id| id.parse() == Ok(saved.snapshot)) && has(repo, [saved.snapshot, saved.record])?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The digits of the owner of one of our own folders: the id of each record that it made has the first four of them. `None`
/// if there are none yet.
pub(crate) fn owner_in(folder: &Path) -> Result<Option<String>, RescueError> {
    let known = read_small(&folder.join("owner"))?.and_then(|text| String::from_utf8(text).ok());
    Ok(known.filter(|it| it.len() == 8 && it.bytes().all(|byte| byte.is_ascii_hexdigit())))
}

/// The digits of an owner that each id has; `None` for a folder that has no owner yet, as where nothing may be written.
pub(crate) fn in_ids(owner: &str) -> Option<&str> {
    owner.get(..4)
}

/// Whether the owner with these digits made the name. No owner made none.
pub(crate) fn is_id_of(owner: &str, id: &str) -> bool {
    digits_of(id).zip(in_ids(owner)).is_some_and(|(digits, owner)| digits.starts_with(owner))
}

/// Whether this is the id of a record or a move: its time, and eight digits of which the first four are the owner's.
pub(crate) fn is_id(id: &str) -> bool {
    digits_of(id).is_some()
}

fn digits_of(id: &str) -> Option<&str> {
    let (_, digits) = id.split_once('-').filter(|(time, _)| time.len() == "20260131T235959Z".len())?;
    (digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(digits)
}

/// Notes which worktree `folder` is for, and when its shared git directory was made.
pub(crate) fn remember(folder: &Path, top: &Path, common_dir: &Path) -> Result<(), RescueError> {
    let (folder, top) = (folder.to_owned(), top.to_owned());
    let place = Place { born: born(common_dir), ..Place::of(folder, String::new(), top) };
    place.note(common_dir)
}

/// Notes that what was kept for this work tree while its `.git`, a file or a link, led nowhere is of the repository that it
/// leads to now: our folder was named after `.git` itself then.
pub(crate) fn take_along(state: &Path, repo: &Repository) -> Result<(), RescueError> {
    let dot_git = repo.top.join(".git");
    let key = Repository::key_of(&dot_git);
    let folder = state.join(RESCUE).join(&key);
    let Some(noted) = read_place(&folder) else { return Ok(()) };
    let is_of_here = noted.top == repo.top && noted.common_dir == dot_git;
    let place = noted.place(folder, key);
    // A repository that was here before can have records in itself.
    if dot_git == repo.git_dir || !is_of_here || has_records_in_repository(&place) {
        return Ok(());
    }
    remember(&place.folder, &repo.top, &repo.common_dir)
}

/// The top that `folder` was last for.
pub(crate) fn place_of(folder: &Path) -> Option<PathBuf> {
    read_place(folder).map(|noted| noted.top)
}

/// The shared git directory of the worktree that `folder` was last for.
pub(crate) fn common_dir_of(folder: &Path) -> Option<PathBuf> {
    read_place(folder).map(|noted| noted.common_dir)
}

/// Whether another repository was found at the path of the one that `folder` is for.
pub(crate) fn is_former(folder: &Path) -> bool {
    read_place(folder).is_some_and(|noted| noted.is_former)
}

/// What is noted of the worktree that one of our own folders is for.
struct Noted {
    top: PathBuf,
    common_dir: PathBuf,
    /// Empty in what earlier versions noted.
    born: String,
    is_former: bool,
}

impl Noted {
    fn place(self, folder: PathBuf, key: String) -> Place {
        Place { folder, key, top: self.top, born: self.born, is_former: self.is_former }
    }
}

/// When a folder was made, as its file system tells it; empty if it does not. Moving a folder does not change that.
fn born(folder: &Path) -> String {
    let made = folder.metadata().and_then(|metadata| metadata.created()).ok();
    let since = made.and_then(|made| made.duration_since(SystemTime::UNIX_EPOCH).ok());
    since.map_or_else(String::new, |since| format!("{}.{:09}", since.as_secs(), since.subsec_nanos()))
}

fn read_place(folder: &Path) -> Option<Noted> {
    let noted = read_small(&folder.join("place")).ok().flatten()?;
    let mut lines = noted.split(|byte| *byte == b'\n').map(names::unhex);
    let path = |bytes: Vec<u8>| PathBuf::from(OsStr::from_bytes(&bytes));
    let (top, common_dir) = (path(lines.next()??), path(lines.next()??));
    let born = lines.next().flatten().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    let is_former = lines.next().flatten().is_some_and(|words| words == FORMER);
    Some(Noted { top, common_dir, born, is_former })
}

/// The known folders of all worktrees of the repository with this shared git directory.
pub(crate) fn of_repository(state: &Path, common_dir: &Path) -> Result<Vec<Place>, RescueError> {
    let mut known = every(&state.join(RESCUE))?;
    pass_over_older(&mut known, common_dir);
    let mut places: Vec<Place> =
        known.into_iter().filter(|(_, common)| common == common_dir).map(|(place, _)| place).collect();
    places.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(places)
}

/// Every folder of ours, with the shared git directory of its worktree.
fn every(all: &Path) -> Result<Vec<Known>, RescueError> {
    let mut places = Vec::new();
    for entry in folders(all)? {
        let (folder, Ok(key)) = (entry.path(), entry.file_name().into_string()) else { continue };
        let Some(noted) = read_place(&folder) else { continue };
        let common_dir = noted.common_dir.clone();
        places.push((noted.place(folder, key), common_dir));
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_owner_made_no_id() {
        let id = "20260131T235959Z-0a1b2c3d";
        assert!(is_id(id) && is_id_of("0a1b9999", id));
        assert!(!is_id_of("", id) && !is_id_of("0a", id) && !is_id_of("ffff0000", id));
    }
}
