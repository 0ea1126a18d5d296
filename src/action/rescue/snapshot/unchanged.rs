//! Finds the files that git considers unchanged although their bytes differ from the last commit: line endings,
//! encodings and keywords are converted, filters may be applied, and a sparse checkout omits files. A record
//! keeps the bytes that exist, but there is nothing in them to rescue.
//!
//! It must not run a filter, and must not consider a file unchanged when in doubt.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt as _;

use crate::action::rescue::base::{Opened, RescueError, Settings, repository};
use crate::action::rescue::survey::{self, Blob, Survey, Tree, listing, nested};
use crate::action::rescue::visible::{self, Attributes, conversion};
use crate::git::{Git, IndexEntry, Shadow, Stdin, index_entries, succeeded};

/// The files, by path.
#[derive(Debug, Default)]
pub(crate) struct Unchanged {
    /// Git would store the same object as in the last commit: they add nothing to a commit.
    pub(crate) stored_alike: BTreeSet<Vec<u8>>,
    /// Git would check out the same bytes that are on disk: nothing of them can be lost.
    pub(crate) written_alike: BTreeSet<Vec<u8>>,
    /// The attributes of all paths that differ from the last commit, if they were read to find these files.
    pub(crate) attributes: Option<Attributes>,
}

impl Unchanged {
    fn of(both: BTreeSet<Vec<u8>>) -> Unchanged {
        Unchanged { stored_alike: both.clone(), written_alike: both, attributes: None }
    }
}

pub(crate) fn files(
    git: &Git<'_>,
    shadow: &Shadow,
    settings: &Settings,
    survey: &Survey,
    head: Option<&Tree>,
    snapshot: &Tree,
) -> Result<Unchanged, RescueError> {
    let Some(head) = head else { return Ok(Unchanged::default()) };
    // Omitted by a sparse checkout.
    let is_skipped = |entry: &&IndexEntry| {
        entry.is_skipped()
            && !survey.blobs.contains_key(&entry.path)
            && head.get(&entry.path).is_some_and(|old| old.id == entry.id)
    };
    let mut both: BTreeSet<Vec<u8>> =
        survey.entries.iter().filter(is_skipped).map(|entry| entry.path.clone()).collect();
    let differing: Vec<Differing<'_>> = survey
        .entries
        .iter()
        .filter_map(|entry| Some(Differing { entry, blob: survey.blobs.get(&entry.path)? }))
        .filter(|it| it.is_other_than_committed(head))
        .collect();
    let mut converted = Vec::new();
    let mut attributes = None;
    if !differing.is_empty() {
        // A commit needs those of all paths, and these are among them.
        let paths = visible::paths(head, snapshot, survey);
        let paths = paths.iter().map(|it| &it.path[..]);
        attributes = match conversion::attributes(git, shadow, paths) {
            // Nothing tells what git would convert.
            Err(RescueError::SavedOnly(_)) => return Ok(Unchanged::of(both)),
            read => Some(read?),
        };
        for it in differing {
            let attributes = attributes.as_ref().and_then(|all| all.get(&it.entry.path));
            let filter = attributes.and_then(|it| it.get("filter"));
            if filter.is_some_and(|filter| settings.filters.contains(filter)) {
                if is_as_git_left_it(shadow, it.entry, it.blob) {
                    both.insert(it.entry.path.clone());
                }
            } else if settings.is_converting() || attributes.is_some_and(conversion::is_converted) {
                converted.push(it);
            }
        }
    }
    let mut unchanged = Unchanged { attributes, ..Unchanged::of(both) };
    // On failure they count as changed.
    if !converted.is_empty() && (Conversion { git, shadow }).find(&converted, &mut unchanged).is_err() {
        git.check_cancelled()?;
    }
    Ok(unchanged)
}

/// A file whose bytes differ from its content in git.
struct Differing<'s> {
    entry: &'s IndexEntry,
    blob: &'s Blob,
}

impl Differing<'_> {
    /// Whether nothing of it is staged but its bytes differ from the last commit.
    fn is_other_than_committed(&self, head: &Tree) -> bool {
        let Differing { entry, blob } = self;
        let mode = blob.stamp.git_mode();
        let is_committed = head.get(&entry.path).is_some_and(|old| old.id == entry.id && old.mode == mode);
        is_committed && entry.is_plain() && mode != "120000" && blob.id != entry.id
    }
}

/// Whether nobody has touched a file since git read or wrote it. The ctime proves it, because it cannot be set
/// by hand.
fn is_as_git_left_it(shadow: &Shadow, entry: &IndexEntry, blob: &Blob) -> bool {
    let written = shadow
        .raw_index
        .as_ref()
        .and_then(|raw| raw.modified.duration_since(std::time::SystemTime::UNIX_EPOCH).ok());
    let changed = blob.stamp.changed_at();
    entry.stat == blob.stamp.as_in_index()
        && entry.changed == (changed.as_secs(), u64::from(changed.subsec_nanos()))
        && written.is_some_and(|written| written > changed + survey::TICK)
}

/// Lets git convert files in the shadow, in both directions. No filter runs there.
struct Conversion<'a> {
    git: &'a Git<'a>,
    shadow: &'a Shadow,
}

impl Conversion<'_> {
    fn find(&self, files: &[Differing<'_>], unchanged: &mut Unchanged) -> Result<(), RescueError> {
        let index = self.shadow.file("unchanged-index");
        let list = || files.iter().flat_map(|it| [&it.entry.path[..], b"\0"].concat()).collect::<Vec<u8>>();
        let run = |args: &[&str], input: Vec<u8>| {
            let output = self.git.shadowed_with(self.shadow, &index, args, Stdin::Bytes(input))?;
            succeeded(args[0], output)
        };
        // The present entry decides on line endings; without cached file states, git reads each file.
        let line = |it: &Differing<'_>| {
            [format!("{} {}\t", it.entry.mode, it.entry.id).as_bytes(), &it.entry.path, b"\0"].concat()
        };
        run(&["update-index", "-z", "--index-info"], files.iter().flat_map(line).collect())?;
        let written = self.shadow.file("unchanged");
        let prefix = format!("--prefix={}/", written.display());
        run(&["checkout-index", "-f", "-q", "-z", "--stdin", &prefix], list())?;
        for it in files {
            let path = written.join(std::ffi::OsStr::from_bytes(&it.entry.path));
            let content = std::fs::read(&path).map_err(RescueError::io("read", &path))?;
            if self.git.repo.format.id_of(&content).as_ref() == Some(&it.blob.id) {
                unchanged.written_alike.insert(it.entry.path.clone());
            }
        }
        run(&["update-index", "-z", "--add", "--stdin"], list())?;
        let stored = index_entries(self.git, self.shadow, &index)?;
        let known: BTreeMap<&[u8], &str> = stored.iter().map(|it| (&it.path[..], &it.id[..])).collect();
        let alike = files.iter().filter(|it| known.get(&it.entry.path[..]) == Some(&&it.entry.id[..]));
        unchanged.stored_alike.extend(alike.map(|it| it.entry.path.clone()));
        Ok(())
    }
}

/// The submodules that are at the commit recorded in the last commit, with exactly its files.
pub(crate) fn submodules(git: &Git<'_>, survey: &Survey, head: &Tree) -> BTreeSet<Vec<u8>> {
    let is_committed = |entry: &&IndexEntry| {
        entry.is_gitlink()
            && survey.nested.contains(&entry.path)
            && head.get(&entry.path).is_some_and(|old| old.id == entry.id)
    };
    let links = survey.entries.iter().filter(is_committed);
    links.filter(|link| is_clean(git, survey, link)).map(|link| link.path.clone()).collect()
}

fn is_clean(git: &Git<'_>, survey: &Survey, link: &IndexEntry) -> bool {
    let prefix = [&link.path[..], b"/"].concat();
    let below = || {
        let files = survey.blobs.range(prefix.clone()..).take_while(|(path, _)| path.starts_with(&prefix));
        files.map(|(path, blob)| (&path[prefix.len()..], (blob.stamp.git_mode(), &blob.id[..])))
    };
    if below().next().is_none() {
        return nested::find(&git.repo.top, &link.path).is_none();
    }
    let top = nested::folder(&git.repo.top, &link.path);
    let Ok(Opened::Usable(repo)) = repository::open(&top, git.home) else { return false };
    let inner = git.on(&repo);
    let is_exact = |tree: Tree| {
        tree.len() == below().count()
            && tree.iter().zip(below()).all(|((path, entry), (name, (mode, id)))| {
                &path[..] == name && (&*entry.mode, &*entry.id) == (mode, id)
            })
    };
    let head = nested::head_commit(git.repo, &link.path).filter(|commit| commit.to_string() == link.id);
    head.is_some_and(|commit| listing::tree(&inner, commit).is_ok_and(is_exact))
}
