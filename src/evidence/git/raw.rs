//! What is read straight from the files of a git directory, by both readers alike: HEAD, logs, the
//! operation in progress. Costs microseconds. References kept as reftable are not files; for those
//! the git program answers.

use std::path::{Component, Path, PathBuf};

use super::layout::{Layout, read_regular, read_small};
use super::reader::Id;
use super::reflog::{self, LogEntry, is_id};
use super::trouble::{Read, trouble};
use crate::model::{Head, Operation, ReadProblem, display_text};

/// More packed references than this many bytes are not read here.
const PACKED_CAP: u64 = 64 << 20;
/// References that stand for references, at most so many in a row.
const MAX_HOPS: usize = 5;

/// Where HEAD stands.
pub(super) fn head(layout: &Layout) -> Read<Head> {
    let path = layout.git_dir.join("HEAD");
    let damaged = || trouble(ReadProblem::Invalid, format!("{} is damaged", display_text::path(&path)));
    // An old form of HEAD is a symbolic link to the branch.
    let text = match path.read_link() {
        Ok(target) => [b"ref: ".as_slice(), target.as_os_str().as_encoded_bytes()].concat(),
        Err(_) => read_small(&path)?.ok_or_else(damaged)?,
    };
    let text = String::from_utf8_lossy(text.trim_ascii()).into_owned();
    let Some(name) = text.strip_prefix("ref:") else {
        return if is_id(&text) { Ok(Head::Detached { commit: text }) } else { Err(damaged()) };
    };
    let name = name.trim();
    if !name.starts_with("refs/") || ref_path(layout, name).is_none() {
        return Err(damaged());
    }
    let short = name.strip_prefix("refs/heads/").unwrap_or(name).to_owned();
    Ok(match resolve_ref(layout, name)? {
        Some(commit) => Head::Branch { name: short, commit },
        None => Head::Unborn { name: short },
    })
}

/// The id that a reference holds; `None` when there is no such reference.
pub(super) fn resolve_ref(layout: &Layout, name: &str) -> Read<Option<Id>> {
    let mut name = name.to_owned();
    for _ in 0..MAX_HOPS {
        let Some(path) = ref_path(layout, &name) else { return Ok(None) };
        if path.is_dir() {
            return packed_ref(layout, &name);
        }
        let Some(text) = read_small(&path)? else { return packed_ref(layout, &name) };
        let text = String::from_utf8_lossy(text.trim_ascii()).into_owned();
        match text.strip_prefix("ref:") {
            Some(target) => target.trim().clone_into(&mut name),
            None if is_id(&text) => return Ok(Some(text)),
            None => {
                let path = display_text::path(&path);
                return Err(trouble(
                    ReadProblem::Invalid,
                    format!("{path} holds no commit id: the reference is damaged"),
                ));
            }
        }
    }
    Err(trouble(ReadProblem::Invalid, format!("the reference {name} stands for itself")))
}

/// The file of a loose reference; `None` when the name would leave the git directory.
fn ref_path(layout: &Layout, name: &str) -> Option<PathBuf> {
    let is_plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    let is_own =
        ["refs/bisect/", "refs/worktree/", "refs/rewritten/"].iter().any(|own| name.starts_with(own))
            || !name.starts_with("refs/");
    let folder = if is_own { &layout.git_dir } else { &layout.common_dir };
    (is_plain && !name.is_empty()).then(|| folder.join(name))
}

fn packed_ref(layout: &Layout, name: &str) -> Read<Option<Id>> {
    let Some(content) = read_regular(&layout.common_dir.join("packed-refs"), PACKED_CAP)? else {
        return Ok(None);
    };
    Ok(content
        .split(|byte| *byte == b'\n')
        .filter_map(|line| line.strip_suffix(name.as_bytes())?.strip_suffix(b" "))
        .map(|id| String::from_utf8_lossy(id).into_owned())
        .find(|id| is_id(id)))
}

/// The log of HEAD (this worktree's) or of a shared reference.
pub(super) fn reflog(layout: &Layout, name: &str) -> Read<Vec<LogEntry>> {
    reflog::read(&log_path(layout, name))
}

/// Whether HEAD has a log. Where logs are no files it is taken to have one.
pub(super) fn has_head_log(layout: &Layout) -> bool {
    layout.is_reftable || log_path(layout, "HEAD").metadata().is_ok_and(|metadata| metadata.len() > 0)
}

/// The newest entries of the log of HEAD, oldest first.
pub(super) fn recent_log(layout: &Layout) -> Read<Vec<LogEntry>> {
    reflog::read_end(&log_path(layout, "HEAD"))
}

/// The file of a log.
pub(super) fn log_path(layout: &Layout, name: &str) -> PathBuf {
    let folder = if name == "HEAD" { &layout.git_dir } else { &layout.common_dir };
    folder.join("logs").join(name)
}

/// The operation that was begun and not ended, by the files that it leaves.
pub(super) fn operation(layout: &Layout) -> Option<Operation> {
    let has = |name: &str| layout.git_dir.join(name).symlink_metadata().is_ok();
    if has("rebase-merge") {
        Some(Operation::Rebase)
    } else if has("rebase-apply") {
        Some(if has("rebase-apply/applying") { Operation::ApplyMailbox } else { Operation::Rebase })
    } else if has("MERGE_HEAD") {
        Some(Operation::Merge)
    } else if has("CHERRY_PICK_HEAD") {
        Some(Operation::CherryPick)
    } else if has("REVERT_HEAD") {
        Some(Operation::Revert)
    } else if has("sequencer") {
        // Between two picks of one command only its list is there.
        let todo = read_small(&layout.git_dir.join("sequencer/todo")).ok().flatten().unwrap_or_default();
        Some(if todo.starts_with(b"revert") { Operation::Revert } else { Operation::CherryPick })
    } else if has("BISECT_LOG") {
        Some(Operation::Bisect)
    } else {
        None
    }
}

/// The branch that a rebase will come back to, as a full name.
pub(super) fn rebased_branch(layout: &Layout) -> Option<String> {
    ["rebase-merge/head-name", "rebase-apply/head-name"].iter().find_map(|name| {
        let text = read_small(&layout.git_dir.join(name)).ok()??;
        let name = String::from_utf8_lossy(text.trim_ascii()).into_owned();
        name.starts_with("refs/").then_some(name)
    })
}

/// The commits that the last fetch brought.
pub(super) fn fetched(layout: &Layout) -> Read<Vec<Id>> {
    let text = read_small(&layout.git_dir.join("FETCH_HEAD"))?.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    Ok(text
        .lines()
        .filter_map(|line| line.split('\t').next())
        .filter(|id| is_id(id))
        .map(str::to_owned)
        .collect())
}

/// Whether the history was cut off at a depth.
pub(super) fn is_shallow(layout: &Layout) -> bool {
    layout.common_dir.join("shallow").metadata().is_ok_and(|metadata| metadata.len() > 0)
}
