//! The visible commit: what would be committed, and the commit of exactly that. It runs no hook, no
//! filter and no signing program, and the index of others is changed only by [`super::moving`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::error::RescueError;
use super::git::{Git, Input, line, succeeded};
use super::leaving_out;
use super::listing::{self, Tree, TreeEntry};
use super::names;
use super::settings::Settings;
use super::shadow::Shadow;
use super::survey::Survey;
use crate::model::{LeftOut, PlannedChange, PlannedPath};

/// Attributes by which git stores a content in another form than the disk has it.
const CONVERSIONS: [&str; 5] = ["text", "eol", "crlf", "ident", "working-tree-encoding"];

/// What each chosen path becomes in git; `None` for a deletion.
pub(super) type Staged = BTreeMap<Vec<u8>, Option<TreeEntry>>;

/// Why no visible commit can be made of this state; the record stays.
pub(super) fn refusal(
    git: &Git<'_>,
    shadow: &Shadow,
    survey: &Survey,
    protected: &[String],
) -> Result<Option<String>, RescueError> {
    let words = |words: &str| Ok(Some(words.to_owned()));
    if !survey.is_settled {
        return words("files change all the time");
    }
    if let Some(operation) = git.repo.operation() {
        return Ok(Some(format!("{operation} is in progress; finish or abort it first")));
    }
    if survey.entries.iter().any(|entry| entry.stage != 0) {
        return words("the index has conflicts");
    }
    let Some(branch) = &survey.head.branch else {
        return words("HEAD is detached: no branch would keep the commit");
    };
    if shadow.raw_index.is_none() && survey.head.commit.is_some() {
        return words("the index is missing");
    }
    if shadow.is_split_index() {
        return words("the index is split into several files, which is not supported yet");
    }
    let name = branch.strip_prefix("refs/heads/").unwrap_or(branch);
    if protected.iter().any(|it| it == name) {
        return Ok(Some(format!("the branch {name} is protected")));
    }
    let list = succeeded("worktree", git.real(["worktree", "list", "--porcelain", "-z"], Input::Lock)?)?;
    let wanted = format!("branch {branch}");
    if list.stdout.split(|byte| *byte == 0).filter(|field| *field == wanted.as_bytes()).count() > 1 {
        return words("the branch is checked out in another worktree too");
    }
    Ok(None)
}

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

/// What the chosen paths become in git; `None` for a deletion. Also the index after, in the shadow.
pub(super) fn stage(
    git: &Git<'_>,
    shadow: &Shadow,
    objects: &Path,
    settings: &Settings,
    snapshot: &Tree,
    planned: &[PlannedPath],
) -> Result<Staged, RescueError> {
    let mut staged = BTreeMap::new();
    for path in planned.iter().filter(|path| path.left_out.is_none()) {
        staged.insert(path.path.clone(), snapshot.get(&path.path).cloned());
    }
    let mut converted = Vec::new();
    for (path, attributes) in attributes(git, shadow, &staged)? {
        let is_file = staged.get(&path).and_then(Option::as_ref).is_some_and(|it| it.mode != "120000");
        if let Some(filter) =
            attributes.get("filter").filter(|name| settings.filters.contains(*name) && is_file)
        {
            return Err(RescueError::SavedOnly(format!(
                "the filter {filter} would run a program that the repository names; it is not trusted"
            )));
        }
        if is_file && (settings.is_converting() || CONVERSIONS.iter().any(|it| attributes.contains_key(*it)))
        {
            converted.push(path);
        }
    }
    let input: Vec<u8> = staged.iter().flat_map(|(path, entry)| index_line(path, entry.as_ref())).collect();
    update_index(git, shadow, objects, &["--index-info"], input)?;
    if !converted.is_empty() {
        let list = |paths: &[Vec<u8>]| paths.iter().flat_map(|path| [path, &b"\0"[..]].concat()).collect();
        // Without what git remembers of the files, so that it reads them.
        update_index(git, shadow, objects, &["--force-remove", "--stdin"], list(&converted))?;
        update_index(git, shadow, objects, &["--add", "--replace", "--stdin"], list(&converted))?;
        let entries = listing::index_entries(git, shadow)?;
        let by_path: BTreeMap<&[u8], _> = entries.iter().map(|entry| (&entry.path[..], entry)).collect();
        for path in converted {
            let Some(entry) = by_path.get(&path[..]) else { return Err(changed()) };
            let entry = TreeEntry { mode: entry.mode.clone(), id: entry.id.clone() };
            staged.insert(path, Some(entry));
        }
    }
    Ok(staged)
}

/// What is said when the state is not the one that was confirmed.
pub(super) fn changed() -> RescueError {
    RescueError::SavedOnly("files changed since you looked; look again".to_owned())
}

fn index_line(path: &[u8], entry: Option<&TreeEntry>) -> Vec<u8> {
    let facts = match entry {
        Some(entry) => format!("{} {}\t", entry.mode, entry.id),
        None => format!("0 {}\t", "0".repeat(40)),
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

/// The attributes of each path that are set, by their names.
fn attributes(
    git: &Git<'_>,
    shadow: &Shadow,
    staged: &Staged,
) -> Result<BTreeMap<Vec<u8>, BTreeMap<String, String>>, RescueError> {
    let input: Vec<u8> = staged.keys().flat_map(|path| [path, &b"\0"[..]].concat()).collect();
    let args = ["check-attr", "-z", "--stdin", "filter"].iter().chain(&CONVERSIONS);
    let output = git.shadowed(shadow, &shadow.objects, args, Input::Bytes(input))?;
    let output = succeeded("check-attr", output)?;
    let fields: Vec<&[u8]> = output.stdout.split(|byte| *byte == 0).collect();
    let mut found: BTreeMap<Vec<u8>, BTreeMap<String, String>> = BTreeMap::new();
    for triple in fields.chunks_exact(3) {
        let attributes = found.entry(triple[0].to_vec()).or_default();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if triple[2] != b"unspecified" && triple[2] != b"unset" {
            attributes.insert(text(triple[1]), text(triple[2]));
        }
    }
    Ok(found)
}

/// Makes the commit of the last commit's tree with the staged paths; it is compared whole.
pub(super) fn commit(
    git: &Git<'_>,
    shadow: &Shadow,
    parent: Option<&str>,
    mut tree: Tree,
    staged: &Staged,
    message: &str,
) -> Result<String, RescueError> {
    let objects = git.repo.common_dir.join("objects");
    for (path, entry) in staged {
        match entry {
            Some(entry) => drop(tree.insert(path.clone(), entry.clone())),
            None => drop(tree.remove(path)),
        }
    }
    let index = shadow.index_elsewhere();
    let input: Vec<u8> = tree.iter().flat_map(|(path, entry)| index_line(path, Some(entry))).collect();
    let args = ["update-index", "-z", "--index-info"];
    let listed = git.shadowed_with(shadow, &index, &objects, args, Input::Bytes(input))?;
    succeeded("update-index", listed)?;
    let written = git.shadowed_with(shadow, &index, &objects, ["write-tree"], Input::Lock)?;
    let id = line(&succeeded("write-tree", written)?);
    let mut args = vec!["-c", "user.useConfigOnly=true", "commit-tree", id.as_str()];
    args.extend(parent.iter().flat_map(|parent| ["-p", parent]));
    args.extend(["-F", "-"]);
    let output = git.real(args, Input::Bytes(message.as_bytes().to_vec()))?;
    if !output.is_success() {
        let words = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(RescueError::SavedOnly(format!("the commit cannot be made: {words}")));
    }
    let commit = line(&output);
    if listing::tree(git, &commit)? != tree {
        return Err(RescueError::Damage("the commit does not hold what was confirmed".to_owned()));
    }
    Ok(commit)
}
