//! The commands of git that differ from others: which one a call runs, and what it may do or need.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;

/// Commands that move contents.
const LONG: [&str; 6] = ["fast-import", "index-pack", "update-index", "cat-file", "bundle", "pack-objects"];
/// The commands that change the real git directory. Each follows links that it meets there.
const WRITING: [&str; 2] = ["update-ref", "bundle"];

/// The commands that lock the index that they are given. A killed one leaves its lock.
const LOCKING: [&str; 2] = ["update-index", "write-tree"];

/// The name of the command, which follows the settings and options for all commands.
pub(super) fn command_of(args: &[OsString]) -> String {
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if arg == "-c" {
            rest.next();
        } else if !arg.as_bytes().starts_with(b"-") {
            return arg.to_string_lossy().into_owned();
        }
    }
    String::new()
}

/// Whether it takes as long as the contents are large.
pub(super) fn is_long(command: &str) -> bool {
    LONG.contains(&command)
}

/// Whether a call that was killed can be made again: it leaves nothing that would stop the next one.
pub(super) fn leaves_nothing(command: &str) -> bool {
    !is_writing(command) && !LOCKING.contains(&command)
}

/// Whether it changes the real git directory.
pub(super) fn is_writing(command: &str) -> bool {
    WRITING.contains(&command)
}
