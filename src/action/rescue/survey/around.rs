//! What the ignore rules of this repository match, whatever tracks it: git is asked about paths, in whichever folder they
//! are.
//!
//! It must not leave out anything itself.

use std::collections::BTreeSet;

use crate::action::rescue::base::RescueError;
use crate::action::rescue::survey::listing;
use crate::git::{Git, Shadow, Stdin, succeeded};
use crate::process::End;

/// What begins a path that is no pathspec of another kind.
const HERE: &[u8] = b"./";

/// What the rules of this repository match of these folders and paths, whether or not anything tracks it. For a path below
/// a folder they include the rule files there.
pub(crate) fn ignored_around<'p>(
    git: &Git<'_>,
    shadow: &Shadow,
    names: impl Iterator<Item = &'p [u8]>,
) -> Result<BTreeSet<Vec<u8>>, RescueError> {
    let input = Stdin::Bytes(names.flat_map(|name| [HERE, name, b"\0"].concat()).collect());
    // The command takes no paths that are marked as literal; behind `./` each is.
    let args = ["--no-literal-pathspecs", "check-ignore", "--no-index", "-z", "--stdin"];
    let output = git.shadowed(shadow, args, input)?;
    // Git ends with 1 if nothing is ignored.
    let listed =
        if output.end == End::Code(1) { output.stdout } else { succeeded("check-ignore", output)?.stdout };
    Ok(paths_of(&listed).map(|path| path.strip_prefix(HERE).unwrap_or(path).to_vec()).collect())
}

/// The paths in an answer that ends each with NUL.
pub(crate) fn paths_of(listed: &[u8]) -> impl Iterator<Item = &[u8]> {
    listed.split(|byte| *byte == 0).filter(|path| !path.is_empty())
}

/// The folders above one, from the top.
pub(crate) fn above(folder: &[u8]) -> impl Iterator<Item = &[u8]> {
    [&b""[..]].into_iter().chain(listing::folders(folder))
}
