//! Hidden references: their names, the list of them, and how one is made when somebody else's reference is
//! in the way. It must not change a reference that is not closeout's.

use super::error::RescueError;
use crate::git::{Git, Stdin, line, succeeded};
use crate::model::RecordNotice;

/// A hidden reference of a record, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hidden {
    /// Its full name.
    pub(super) name: String,
    /// The object.
    pub(super) id: String,
}

/// The name of a record's reference.
pub(super) fn of_record(key: &str, id: &str) -> String {
    format!("refs/closeout/rescue/{key}/{id}")
}

/// True when a record can be called so: by the usual name, or by that with another top.
pub(super) fn is_of_record(name: &str) -> bool {
    key_of(name).is_some()
}

/// The worktree that a record's reference belongs to.
pub(super) fn key_of(name: &str) -> Option<&str> {
    let rest = name.strip_prefix("refs/closeout")?;
    let (top, rest) = rest.split_once('/')?;
    let digits = top.strip_prefix('-');
    let is_top = top.is_empty() || digits.is_some_and(|digits| is_hex(digits) && digits.len() == 8);
    let (key, id) = rest.strip_prefix("rescue/")?.split_once('/')?;
    let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    (is_top && is_hex(key) && is_id).then_some(key)
}

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Keeps `commit` by a hidden reference of that name that did not exist.
pub(super) fn make(git: &Git<'_>, name: &str, commit: &str) -> Result<(), RescueError> {
    let zero = git.repo.format.zero();
    let output = git.real(["update-ref", "--no-deref", name, commit, &zero], Stdin::Lock)?;
    succeeded("update-ref", output)?;
    Ok(())
}

/// Keeps `commit` by `refs/closeout/<below>`, or, where a reference stands in the way of that name, by one
/// with another top; the name that was taken.
pub(super) fn make_or_other(
    git: &Git<'_>,
    below: &str,
    commit: &str,
) -> Result<(String, Option<RecordNotice>), RescueError> {
    let name = format!("refs/closeout/{below}");
    let Err(error) = make(git, &name, commit) else { return Ok((name, None)) };
    let Some(taken) = in_the_way(git, &name)? else { return Err(error) };
    let name = other_name(below);
    make(git, &name, commit)?;
    Ok((name, Some(RecordNotice::OtherName { taken })))
}

/// The name that is taken where a reference stands in the way of the usual one. The end of the id is random.
fn other_name(below: &str) -> String {
    let digits = &below[below.len().saturating_sub(8)..];
    format!("refs/closeout-{digits}/{below}")
}

/// The names that a record can have that was to be called `usual`.
pub(super) fn names_of(usual: &str) -> [String; 2] {
    [usual.to_owned(), other_name(usual.strip_prefix("refs/closeout/").unwrap_or(usual))]
}

/// Keeps the commits of one visible rescue, whatever becomes of the branch, and says that they are a rescue: the last
/// by the name of the move, each one before by that name and a number.
pub(super) fn pin(git: &Git<'_>, key: &str, id: &str, commits: &[String]) -> Result<(), RescueError> {
    for (n, commit) in commits.iter().rev().enumerate() {
        let name = if n == 0 { id.to_owned() } else { format!("{n}-{id}") };
        make_or_other(git, &format!("visible/{key}/{name}"), commit)?;
    }
    Ok(())
}

/// A reference whose name is the beginning of `name`, so that both cannot be.
pub(super) fn in_the_way(git: &Git<'_>, name: &str) -> Result<Option<String>, RescueError> {
    let ends = name.match_indices('/').map(|(end, _)| end);
    // `refs` alone is none.
    for end in ends.skip(1) {
        let output =
            git.real(["rev-parse", "-q", "--verify", "--end-of-options", &name[..end]], Stdin::Lock)?;
        if output.is_success() {
            return Ok(Some(name[..end].to_owned()));
        }
    }
    Ok(None)
}

/// All hidden references of records in the repository, of every worktree.
pub(super) fn list(git: &Git<'_>) -> Result<Vec<Hidden>, RescueError> {
    let args = ["for-each-ref", "--format=%(objectname) %(refname)", "refs/closeout", "refs/closeout-*/**"];
    let output = succeeded("for-each-ref", git.real(args, Stdin::Lock)?)?;
    Ok(String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|text| text.split_once(' '))
        .filter(|(_, name)| is_of_record(name))
        .map(|(id, name)| Hidden { name: name.to_owned(), id: id.to_owned() })
        .collect())
}

/// Moves a reference of ours from where it is (`None`: it is not there) back to `to`.
pub(super) fn put_back(git: &Git<'_>, name: &str, from: Option<&str>, to: &str) -> Result<(), RescueError> {
    let zero = git.repo.format.zero();
    let args = ["update-ref", "--no-deref", name, to, from.unwrap_or(&zero)];
    succeeded("update-ref", git.real(args, Stdin::Lock)?)?;
    Ok(())
}

/// Removes a reference of ours that is at `id`.
pub(super) fn remove(git: &Git<'_>, name: &str, id: &str) -> Result<(), RescueError> {
    let output = git.real(["update-ref", "--no-deref", "-d", name, id], Stdin::Lock)?;
    succeeded("update-ref", output)?;
    Ok(())
}

/// Where a reference is; `None` when there is none.
pub(super) fn at(git: &Git<'_>, name: &str) -> Result<Option<String>, RescueError> {
    let output = git.real(["rev-parse", "-q", "--verify", "--end-of-options", name], Stdin::Lock)?;
    Ok(output.is_success().then(|| line(&output)))
}
