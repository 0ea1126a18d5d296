//! Opens files safely where others can write: through no link, without waiting, and never read past a size
//! limit (`SECURITY.md` 1.3). This is the only room that names the system's flags for that;
//! `tests/architecture` refuses them elsewhere.
//!
//! [`Folder`] opens what is below a folder, and no component of the path may be a link. The functions of
//! this module open a path whose folders the caller trusts (the user's home, closeout's own folder); only
//! the file itself must not be a link. Everything that changes files is in [`mod@write`] and requires the
//! right to write. Nothing here knows what a file means.

mod file;
mod folder;
mod path_patterns;
pub mod write;

pub use file::{
    existing, file_problem, fill, millis, open, open_linked, open_seen, open_sized, read, read_end,
    read_linked, read_range, read_sized, read_start, resolve, thing_in_the_way,
};
pub use folder::{Folder, matches_name, open_below};
pub use path_patterns::{PathPatterns, push_name};
