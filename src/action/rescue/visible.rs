//! The visible commit: what would be committed, and the commit of exactly that. It runs no hook, no
//! filter and no signing program, and the index of others is changed only by [`super::moving`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::error::RescueError;
use super::filters;
use super::git::{ForPrograms, Git, Input, line, succeeded};
use super::hooks::Hooks;
use super::leaving_out;
use super::listing::{self, Tree, TreeEntry};
use super::message;
use super::names;
use super::settings::Settings;
use super::shadow::Shadow;
use super::shared_index;
use super::survey::Survey;
use crate::model::{LeftOut, PlannedChange, PlannedPath};

/// Attributes by which git stores a content in another form than the disk has it.
const CONVERSIONS: [&str; 5] = ["text", "eol", "crlf", "ident", "working-tree-encoding"];

/// What each chosen path becomes in git; `None` for a deletion.
pub(super) type Staged = BTreeMap<Vec<u8>, Option<TreeEntry>>;

/// The attributes of each path that are set, by their names.
pub(super) type Attributes = BTreeMap<Vec<u8>, BTreeMap<String, String>>;

/// Every path that differs from the last commit.
pub(super) fn paths(head: &Tree, snapshot: &Tree, survey: &Survey) -> Vec<PlannedPath> {
    let flagged: BTreeSet<&[u8]> =
        survey.entries.iter().filter(|entry| entry.is_flagged()).map(|entry| &entry.path[..]).collect();
    let gaps: BTreeSet<&[u8]> = survey.gaps.iter().map(|gap| &gap.path[..]).collect();
    let all: BTreeSet<&Vec<u8>> = head.keys().chain(snapshot.keys()).chain(survey.blobs.keys()).collect();
    let mut planned = Vec::new();
    for path in all {
        let (old, new) = (head.get(path), snapshot.get(path));
        let is_refused = names::is_refused(path);
        let is_link = |entry: Option<&TreeEntry>| entry.is_some_and(|entry| entry.mode == "160000");
        if (old == new && !is_refused) || is_link(old) || is_link(new) {
            continue;
        }
        let size = survey.blobs.get(path).map_or(0, |blob| blob.size);
        let left_out = if is_refused {
            Some(LeftOut::Name)
        } else if survey.nested.iter().any(|folder| is_below(path, folder)) {
            Some(LeftOut::Nested)
        } else if flagged.contains(&path[..]) {
            Some(LeftOut::Flagged)
        } else if gaps.contains(&path[..]) {
            Some(LeftOut::Gap)
        } else if old.is_none() {
            leaving_out::of_new(path, size)
        } else {
            None
        };
        let change = match (old, new) {
            (None, _) => PlannedChange::Added,
            (Some(_), Some(_)) => PlannedChange::Modified,
            (Some(_), None) => PlannedChange::Deleted,
        };
        planned.push(PlannedPath {
            path: path.clone(),
            change,
            size,
            left_out,
            is_converted: false,
            object: None,
        });
    }
    planned
}

fn is_below(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with(b"/"))
}

/// With what paths are staged.
pub(super) struct Staging<'a> {
    /// The runner.
    pub(super) git: &'a Git<'a>,
    /// Its index becomes the index after.
    pub(super) shadow: &'a Shadow,
    /// Which filters have programs.
    pub(super) settings: &'a Settings,
    /// The work tree as it was recorded.
    pub(super) snapshot: &'a Tree,
    /// The attributes of the paths.
    pub(super) attributes: &'a Attributes,
    /// What filters get; `None` when they are not trusted.
    pub(super) programs: Option<ForPrograms<'a>>,
}

impl Staging<'_> {
    /// What the chosen paths become in git; `None` for a deletion. Also the index after, in the shadow.
    pub(super) fn stage(&self, objects: &Path, planned: &[PlannedPath]) -> Result<Staged, RescueError> {
        let (git, shadow) = (self.git, self.shadow);
        let mut staged = BTreeMap::new();
        for path in planned.iter().filter(|path| path.left_out.is_none()) {
            staged.insert(path.path.clone(), self.snapshot.get(&path.path).cloned());
        }
        let mut converted = Vec::new();
        let mut filters = BTreeSet::new();
        for (path, attributes) in self.attributes.iter().filter(|(path, _)| staged.contains_key(*path)) {
            let filter = filter_of(path, self.snapshot, self.attributes, self.settings);
            if let Some(filter) = filter {
                filters.insert(filter);
            }
            let is_converting =
                self.settings.is_converting() || CONVERSIONS.iter().any(|it| attributes.contains_key(*it));
            if filter.is_some() || (is_file(path, self.snapshot) && is_converting) {
                converted.push(path.clone());
            }
        }
        shared_index::join(git, shadow)?;
        let zero = git.repo.format.zero();
        let input: Vec<u8> =
            staged.iter().flat_map(|(path, entry)| index_line(&zero, path, entry.as_ref())).collect();
        update_index(git, shadow, objects, &["--index-info"], input)?;
        if converted.is_empty() {
            return Ok(staged);
        }
        let list = |paths: &[Vec<u8>]| paths.iter().flat_map(|path| [path, &b"\0"[..]].concat()).collect();
        // Without what git remembers of the files, so that it reads them.
        update_index(git, shadow, objects, &["--force-remove", "--stdin"], list(&converted))?;
        if filters.is_empty() {
            update_index(git, shadow, objects, &["--add", "--replace", "--stdin"], list(&converted))?;
        } else {
            self.filter(objects, list(&converted), &filters)?;
        }
        let entries = listing::index_entries(git, shadow)?;
        let by_path: BTreeMap<&[u8], _> = entries.iter().map(|entry| (&entry.path[..], entry)).collect();
        for path in converted {
            let Some(entry) = by_path.get(&path[..]) else { return Err(changed()) };
            let entry = TreeEntry { mode: entry.mode.clone(), id: entry.id.clone() };
            staged.insert(path, Some(entry));
        }
        Ok(staged)
    }

    /// Stages paths of which some have filters with programs.
    fn filter(&self, objects: &Path, input: Vec<u8>, filters: &BTreeSet<&str>) -> Result<(), RescueError> {
        let names = filters.iter().copied().collect::<Vec<_>>().join(", ");
        let Some(programs) = &self.programs else {
            return Err(RescueError::Untrusted(format!(
                "the filter {names} would run a program that is not trusted"
            )));
        };
        filters::allow(self.shadow, self.git.repo, self.settings)?;
        let args = ["update-index", "-z", "--add", "--replace", "--stdin"];
        let input = Input::Bytes(input);
        let failed = |words: &str| RescueError::SavedOnly(format!("the filter {names} failed: {words}"));
        let run = self.git.shadowed_with_programs(self.shadow, objects, args, input, programs);
        let output = match run {
            Err(RescueError::TimedOut(_)) => return Err(failed("it did not end in its time")),
            other => other?,
        };
        let words = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        if !output.is_success() {
            return Err(failed(&words));
        }
        if filters::have_kept_something(self.shadow) {
            return Err(failed("it keeps files of its own in the git directory, which is not supported yet"));
        }
        Ok(())
    }
}

/// What is said when the state is not the one that was confirmed.
pub(super) fn changed() -> RescueError {
    RescueError::SavedOnly("files changed since you looked; look again".to_owned())
}

fn index_line(zero: &str, path: &[u8], entry: Option<&TreeEntry>) -> Vec<u8> {
    let facts = match entry {
        Some(entry) => format!("{} {}\t", entry.mode, entry.id),
        None => format!("0 {zero}\t"),
    };
    [facts.as_bytes(), path, b"\0"].concat()
}

fn update_index(
    git: &Git<'_>,
    shadow: &Shadow,
    objects: &Path,
    options: &[&str],
    input: Vec<u8>,
) -> Result<(), RescueError> {
    let args = ["update-index", "-z"].iter().chain(options);
    let output = git.shadowed(shadow, objects, args, Input::Bytes(input))?;
    succeeded("update-index", output).map(drop).map_err(|error| RescueError::SavedOnly(error.to_string()))
}

/// Asks git for the attributes that decide how contents are stored. Runs nothing.
pub(super) fn attributes<'p>(
    git: &Git<'_>,
    shadow: &Shadow,
    paths: impl Iterator<Item = &'p [u8]>,
) -> Result<Attributes, RescueError> {
    let input: Vec<u8> = paths.flat_map(|path| [path, &b"\0"[..]].concat()).collect();
    let args = ["check-attr", "-z", "--stdin", "filter"].iter().chain(&CONVERSIONS);
    let output = git.shadowed(shadow, &shadow.objects, args, Input::Bytes(input))?;
    let output = succeeded("check-attr", output)?;
    let fields: Vec<&[u8]> = output.stdout.split(|byte| *byte == 0).collect();
    let mut found = Attributes::new();
    for triple in fields.chunks_exact(3) {
        let attributes = found.entry(triple[0].to_vec()).or_default();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if triple[2] != b"unspecified" && triple[2] != b"unset" {
            attributes.insert(text(triple[1]), text(triple[2]));
        }
    }
    Ok(found)
}

/// The filter with a program that git would run to store what is at the path now.
pub(super) fn filter_of<'a>(
    path: &[u8],
    snapshot: &Tree,
    attributes: &'a Attributes,
    settings: &Settings,
) -> Option<&'a str> {
    let filter = attributes.get(path)?.get("filter")?;
    (is_file(path, snapshot) && settings.filters.contains(filter)).then_some(filter)
}

fn is_file(path: &[u8], snapshot: &Tree) -> bool {
    snapshot.get(path).is_some_and(|entry| entry.mode != "120000")
}

/// Makes commits one on the other, the first on `parent` with the tree `tree`; their ids. Each is compared
/// whole.
pub(super) fn commits(
    git: &Git<'_>,
    shadow: &Shadow,
    (parent, mut tree): (Option<&str>, Tree),
    wanted: &[(Staged, String)],
    author: &[String],
    hooks: Option<&Hooks<'_>>,
) -> Result<Vec<String>, RescueError> {
    let objects = git.repo.common_dir.join("objects");
    let index = shadow.index_elsewhere();
    let zero = git.repo.format.zero();
    let list = |input: Vec<u8>| {
        let args = ["update-index", "-z", "--index-info"];
        succeeded("update-index", git.shadowed_with(shadow, &index, &objects, args, Input::Bytes(input))?)
    };
    list(tree.iter().flat_map(|(path, entry)| index_line(&zero, path, Some(entry))).collect())?;
    let mut made: Vec<String> = Vec::new();
    for (staged, message) in wanted {
        for (path, entry) in staged {
            match entry {
                Some(entry) => drop(tree.insert(path.clone(), entry.clone())),
                None => drop(tree.remove(path)),
            }
        }
        list(staged.iter().flat_map(|(path, entry)| index_line(&zero, path, entry.as_ref())).collect())?;
        let write = || {
            let written = git.shadowed_with(shadow, &index, &objects, ["write-tree"], Input::Lock)?;
            Ok::<String, RescueError>(line(&succeeded("write-tree", written)?))
        };
        let id = write()?;
        let mut message = message.clone();
        if let Some(hooks) = hooks {
            message = hooks.before(&index, &message)?;
            if write()? != id {
                return Err(RescueError::SavedOnly(
                    "a hook changed what would be committed; look again".to_owned(),
                ));
            }
        }
        let mut args: Vec<&str> = author.iter().map(String::as_str).collect();
        args.extend(["-c", "i18n.commitEncoding=UTF-8", "-c", "user.useConfigOnly=true"]);
        args.extend(["commit-tree", id.as_str()]);
        let parent = made.last().map(String::as_str).or(parent);
        args.extend(parent.iter().flat_map(|parent| ["-p", parent]));
        args.extend(["-F", "-"]);
        let output = git.real(args, Input::Bytes(message::stored(&message)?.into_bytes()))?;
        let commit = line(&succeeded("commit-tree", output)?);
        if listing::tree(git, &commit)? != tree {
            return Err(RescueError::Damage("the commit does not hold what was confirmed".to_owned()));
        }
        made.push(commit);
    }
    Ok(made)
}
