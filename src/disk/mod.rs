//! Files as they must be opened where others can write: through no link, without waiting, and never read past a
//! cap (`SECURITY.md` 1.3). The only room that names the system's flags for that; `tests/architecture` refuses
//! them elsewhere.
//!
//! [`Folder`] opens what lies below a folder, and no component of the way may be a link. The functions of this
//! module open one path whose folders the caller trusts (the person's home, closeout's own folder), and only
//! the file itself may be no link. What changes files is in [`mod@write`], which takes the right to write.
//! Nothing here knows what a file means.

mod file;
mod folder;
pub mod write;

pub use file::{
    existing, file_problem, fill, millis, open, open_linked, read, read_end, read_linked, read_range,
    read_start, resolve, thing_in_the_way,
};
pub use folder::Folder;
