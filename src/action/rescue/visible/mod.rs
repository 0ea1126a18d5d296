//! The visible commit: what it would contain, and making exactly that. It must not run an untrusted hook or
//! filter, nor a signing program, and leaves changing the user's index to [`crate::action::rescue::ref_transaction`].

pub(super) mod conversion;
pub(super) mod message;
pub(super) mod split;

use std::collections::{BTreeMap, BTreeSet};

use crate::action::rescue::base::{RescueError, Settings, names};
use crate::action::rescue::ref_transaction::kept_index;
use crate::action::rescue::survey::{Survey, Tree, TreeEntry, leaving_out, listing};
use crate::action::rescue::trust::{Hooks, Programs, filters};
use crate::action::rescue::visible::conversion::is_converted;
use crate::git::{
    ForPrograms, Git, GitError, IndexEntry, Shadow, Stdin, commit_id, index_entries, line, succeeded,
};
use crate::model::{CommitId, LeftOut, PlannedChange, PlannedPath, display_text};

pub(super) use conversion::Attributes;
pub(super) use message::MessageFacts;

/// What each chosen path becomes in git; `None` is a deletion.
pub(crate) type Staged = BTreeMap<Vec<u8>, Option<TreeEntry>>;

/// Every path that differs from the last commit.
pub(crate) fn paths(head: &Tree, snapshot: &Tree, survey: &Survey) -> Vec<PlannedPath> {
    let links = Links::of(survey);
    let flagged: BTreeSet<&[u8]> =
        survey.entries.iter().filter(|entry| entry.is_flagged()).map(|entry| &entry.path[..]).collect();
    let gaps: BTreeSet<&[u8]> = survey.gaps.iter().map(|gap| &gap.path[..]).collect();
    // What is below a gone file stands in its place.
    let is_gap = |path: &[u8]| {
        let below = [path, b"/"].concat();
        gaps.contains(path) || gaps.range(&below[..]..).next().is_some_and(|gap| gap.starts_with(&below))
    };
    let known = head.keys().chain(snapshot.keys()).chain(survey.blobs.keys());
    let all: BTreeSet<&[u8]> = known.map(|path| &path[..]).chain(links.0.keys().copied()).collect();
    let mut planned = Vec::new();
    for path in all {
        let (old, new) = (head.get(path), links.or_content(survey, path, snapshot.get(path)));
        let blob = survey.blobs.get(path);
        let is_refused = blob.is_some_and(|blob| names::is_refused(path, blob.stamp.git_mode()));
        if old == new && !is_refused {
            continue;
        }
        let is_link = |entry: Option<&TreeEntry>| entry.is_some_and(|entry| entry.mode == "160000");
        let size = blob.map_or(0, |blob| blob.size);
        let left_out = if is_refused {
            Some(LeftOut::Name)
        } else if is_link(old)
            || is_link(new)
            || survey.nested.contains(path)
            || survey.hidden.contains(path)
            || survey.nested.iter().any(|folder| is_below(path, folder))
        {
            Some(LeftOut::Nested)
        } else if flagged.contains(path) {
            Some(LeftOut::Flagged)
        } else if is_gap(path) {
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
        let path = path.to_vec();
        planned.push(PlannedPath { path, change, size, left_out, is_converted: false, object: None });
    }
    leave_out_what_is_in_the_way(&mut planned);
    planned
}

/// The submodules of an index, by path.
struct Links<'s>(BTreeMap<&'s [u8], TreeEntry>);

impl<'s> Links<'s> {
    fn of(survey: &'s Survey) -> Links<'s> {
        let links = survey.entries.iter().filter(|entry| entry.is_gitlink() && entry.stage == 0);
        let entry = |entry: &IndexEntry| TreeEntry { mode: entry.mode.clone(), id: entry.id.clone() };
        Links(links.map(|link| (&link.path[..], entry(link))).collect())
    }

    /// What is at a path; for a submodule whose folder exists, the staged commit. Files inside it have paths of
    /// their own.
    fn or_content<'t>(
        &'t self,
        survey: &Survey,
        path: &[u8],
        content: Option<&'t TreeEntry>,
    ) -> Option<&'t TreeEntry> {
        content.or_else(|| self.0.get(path).filter(|_| survey.nested.contains(path)))
    }
}

/// A commit cannot hold a file and a folder of the same name: a new path that would replace a left-out one is
/// left out for the same reason.
fn leave_out_what_is_in_the_way(planned: &mut [PlannedPath]) {
    let stay: BTreeMap<Vec<u8>, LeftOut> = planned
        .iter()
        .filter(|path| path.change != PlannedChange::Added)
        .filter_map(|path| Some((path.path.clone(), path.left_out?)))
        .collect();
    if stay.is_empty() {
        return;
    }
    let below = |path: &[u8]| {
        let prefix = [path, b"/"].concat();
        let next = stay.range(prefix.clone()..).next();
        next.filter(|(path, _)| path.starts_with(&prefix)).map(|(_, reason)| *reason)
    };
    for path in planned.iter_mut().filter(|path| path.change == PlannedChange::Added) {
        let above = listing::folders(&path.path).find_map(|folder| stay.get(folder).copied());
        path.left_out = path
            .left_out
            .filter(|it| !it.can_be_asked_for())
            .or(above)
            .or_else(|| below(&path.path))
            .or(path.left_out);
    }
}

/// Refuses a tree with a file and a folder of the same name, as when only part of a change was included.
fn check_places(tree: &Tree, staged: &Staged) -> Result<(), RescueError> {
    let is_in_the_way = |path: &&Vec<u8>| {
        let prefix = [&path[..], b"/"].concat();
        let is_folder =
            tree.range(prefix.clone()..).next().is_some_and(|(path, _)| path.starts_with(&prefix));
        is_folder || listing::folders(path).any(|folder| tree.contains_key(folder))
    };
    let new = staged.iter().filter(|(_, entry)| entry.is_some()).map(|(path, _)| path);
    match new.into_iter().find(is_in_the_way) {
        None => Ok(()),
        Some(path) => Err(RescueError::SavedOnly(format!(
            "{} takes the place of what is left out; a commit holds both or neither",
            display_text::bytes(path)
        ))),
    }
}

fn is_below(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with(b"/"))
}

/// Programs that a person trusts, with the environment and limits that they get.
pub(crate) struct Trusted<'a> {
    pub(crate) programs: &'a Programs,
    pub(crate) limits: ForPrograms<'a>,
}

/// Everything that staging paths needs.
pub(crate) struct Staging<'a> {
    pub(crate) git: &'a Git<'a>,
    /// Its index becomes the new index.
    pub(crate) shadow: &'a Shadow,
    /// The settings that say which filters have programs.
    pub(crate) settings: &'a Settings,
    /// The index as it was: a path's entry there influences line-ending conversion.
    pub(crate) entries: &'a [IndexEntry],
    /// The recorded work tree.
    pub(crate) snapshot: &'a Tree,
    pub(crate) attributes: &'a Attributes,
    /// What filters get; `None` if they are not trusted.
    pub(crate) programs: Option<Trusted<'a>>,
}

impl Staging<'_> {
    /// Stages the chosen paths and returns what each becomes; `None` is a deletion. The shadow's index becomes
    /// the new index.
    pub(crate) fn stage(&self, planned: &[PlannedPath]) -> Result<Staged, RescueError> {
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
            let is_converting = self.settings.is_converting() || is_converted(attributes);
            if filter.is_some() || (is_file(path, self.snapshot) && is_converting) {
                converted.push(path.clone());
            }
        }
        kept_index::join(git, shadow)?;
        let zero = git.repo.format.zero();
        let input: Vec<u8> =
            staged.iter().flat_map(|(path, entry)| index_line(&zero, path, entry.as_ref())).collect();
        update_index(git, shadow, &["--index-info"], input)?;
        if converted.is_empty() {
            return Ok(staged);
        }
        let list = |paths: &[Vec<u8>]| paths.iter().flat_map(|path| [path, &b"\0"[..]].concat()).collect();
        // Drops git's cached file state, so that git really reads the files.
        update_index(git, shadow, &["--force-remove", "--stdin"], list(&converted))?;
        let known: BTreeMap<&[u8], &IndexEntry> =
            self.entries.iter().filter(|it| it.is_plain()).map(|it| (&it.path[..], it)).collect();
        let before: Vec<u8> = converted
            .iter()
            .filter_map(|path| known.get(&path[..]))
            .flat_map(|it| [format!("{} {}\t", it.mode, it.id).as_bytes(), &it.path, b"\0"].concat())
            .collect();
        update_index(git, shadow, &["--index-info"], before)?;
        if filters.is_empty() {
            update_index(git, shadow, &["--add", "--replace", "--stdin"], list(&converted))?;
        } else {
            self.filter(list(&converted), &filters)?;
        }
        let entries = index_entries(git, shadow, &shadow.index)?;
        let by_path: BTreeMap<&[u8], _> = entries.iter().map(|entry| (&entry.path[..], entry)).collect();
        for path in converted {
            let Some(entry) = by_path.get(&path[..]) else { return Err(changed()) };
            let entry = TreeEntry { mode: entry.mode.clone(), id: entry.id.clone() };
            staged.insert(path, Some(entry));
        }
        Ok(staged)
    }

    /// Stages paths of which some have filters that run programs.
    fn filter(&self, input: Vec<u8>, filters: &BTreeSet<&str>) -> Result<(), RescueError> {
        let names = filters.iter().copied().collect::<Vec<_>>().join(", ");
        let Some(programs) = &self.programs else {
            return Err(RescueError::Untrusted(format!(
                "the filter {names} would run a program that is not trusted"
            )));
        };
        filters::allow(self.shadow, self.git.repo, self.settings, programs.programs)?;
        let args = ["update-index", "-z", "--add", "--replace", "--stdin"];
        let input = Stdin::Bytes(input);
        let failed = |words: &str| RescueError::SavedOnly(format!("the filter {names} failed: {words}"));
        let run = self.git.shadowed_with_programs(self.shadow, args, input, &programs.limits);
        let output = match run {
            Err(GitError::TimedOut { .. }) => return Err(failed("it did not end in its time")),
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

/// The error for a state that differs from the confirmed one.
pub(crate) fn changed() -> RescueError {
    RescueError::SavedOnly("files changed since you looked; look again".to_owned())
}

fn index_line(zero: &str, path: &[u8], entry: Option<&TreeEntry>) -> Vec<u8> {
    let facts = match entry {
        Some(entry) => format!("{} {}\t", entry.mode, entry.id),
        None => format!("0 {zero}\t"),
    };
    [facts.as_bytes(), path, b"\0"].concat()
}

fn update_index(git: &Git<'_>, shadow: &Shadow, options: &[&str], input: Vec<u8>) -> Result<(), RescueError> {
    let args = ["update-index", "-z"].iter().chain(options);
    let output = git.shadowed(shadow, args, Stdin::Bytes(input))?;
    succeeded("update-index", output).map(drop).map_err(|error| RescueError::SavedOnly(error.to_string()))
}

/// The filter with a program that git would run to store the current content of the path.
pub(crate) fn filter_of<'a>(
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

/// A commit that was made, and the id of the tree that it must have.
pub(crate) struct Made {
    pub(crate) commit: CommitId,
    /// Computed here from the names, modes and contents that were confirmed.
    pub(crate) tree: String,
}

/// Makes a chain of commits, the first on `parent`, whose tree is `tree`.
pub(crate) fn commits(
    git: &Git<'_>,
    shadow: &Shadow,
    (parent, mut tree): (Option<CommitId>, Tree),
    wanted: &[(Staged, String)],
    author: &[String],
    hooks: Option<&Hooks<'_>>,
) -> Result<Vec<Made>, RescueError> {
    // What is made stays in our own folder until one pack holds all of it.
    let git = &git.with_objects(&shadow.objects);
    let index = shadow.file("tree-index");
    let zero = git.repo.format.zero();
    let list = |input: Vec<u8>| {
        let args = ["update-index", "-z", "--index-info"];
        succeeded("update-index", git.shadowed_with(shadow, &index, args, Stdin::Bytes(input))?)
    };
    let mut next: Vec<u8> =
        tree.iter().flat_map(|(path, entry)| index_line(&zero, path, Some(entry))).collect();
    let mut made: Vec<Made> = Vec::new();
    for (staged, message) in wanted {
        for (path, entry) in staged {
            match entry {
                Some(entry) => drop(tree.insert(path.clone(), entry.clone())),
                None => drop(tree.remove(path)),
            }
        }
        check_places(&tree, staged)?;
        next.extend(staged.iter().flat_map(|(path, entry)| index_line(&zero, path, entry.as_ref())));
        list(std::mem::take(&mut next))?;
        let write = || {
            // `packs` checks that everything is there when it secures the commit.
            let args = ["write-tree", "--missing-ok"];
            let written = git.shadowed_with(shadow, &index, args, Stdin::Lock)?;
            Ok::<String, RescueError>(line(&succeeded("write-tree", written)?))
        };
        let id = write()?;
        let confirmed = listing::trees(git.repo.format, &tree)?;
        if confirmed.last().is_none_or(|top| top.id != id) {
            return Err(not_confirmed());
        }
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
        let parent = made.last().map(|made| made.commit).or(parent).map(|id| id.to_string());
        args.extend(parent.iter().flat_map(|parent| ["-p", parent]));
        args.extend(["-F", "-"]);
        let output = git.real(args, Stdin::Bytes(message::stored(&message)?.into_bytes()))?;
        let output = succeeded("commit-tree", output).map_err(|error| unmade(git, error))?;
        let commit = commit_id("commit-tree", &line(&output))?;
        made.push(Made { commit, tree: id });
    }
    Ok(made)
}

/// The error for a commit with another tree than was confirmed.
pub(crate) fn not_confirmed() -> RescueError {
    RescueError::Damage("the commit does not hold what was confirmed".to_owned())
}

/// Checks that git can make a commit at all, in our own folder: not every git that knows an extension can write what the
/// extension asks for.
///
/// # Errors
/// [`RescueError::SavedOnly`] if it cannot.
pub(crate) fn check_commits(
    git: &Git<'_>,
    shadow: &Shadow,
    head: Option<CommitId>,
) -> Result<(), RescueError> {
    let Some(head) = head.filter(|_| git.repo.is_extended) else { return Ok(()) };
    let git = git.with_objects(&shadow.objects);
    let (name, mail, tree) =
        ("user.name=closeout", "user.email=closeout@localhost", format!("{head}^{{tree}}"));
    let args = ["-c", name, "-c", mail, "commit-tree", "-m", "closeout", "-p", &head.to_string(), &tree];
    succeeded("commit-tree", git.real(args, Stdin::Lock)?).map_err(|error| unmade(&git, error))?;
    Ok(())
}

/// The error for a commit that git did not make. Nothing has moved yet.
fn unmade(git: &Git<'_>, error: GitError) -> RescueError {
    if !git.repo.is_extended {
        return error.into();
    }
    RescueError::SavedOnly(format!("git makes no commit in a repository with such an extension: {error}"))
}
