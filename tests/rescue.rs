//! Rescue: records, visible commits and their undo, over real git and with faults injected for real.

#[path = "rescue/as_user.rs"]
mod as_user;
#[path = "rescue/bad_settings.rs"]
mod bad_settings;
#[path = "rescue/bounds.rs"]
mod bounds;
#[path = "rescue/broken_git.rs"]
mod broken_git;
#[path = "rescue/broken_head.rs"]
mod broken_head;
#[path = "rescue/clean.rs"]
mod clean;
#[path = "rescue/covered.rs"]
mod covered;
#[path = "rescue/damage.rs"]
mod damage;
#[path = "rescue/damaged_store.rs"]
mod damaged_store;
#[path = "rescue/ends.rs"]
mod ends;
#[path = "rescue/extensions.rs"]
mod extensions;
#[path = "rescue/fixture.rs"]
mod fixture;
#[path = "rescue/forget.rs"]
pub(crate) mod forget;
#[path = "rescue/git_dirs.rs"]
mod git_dirs;
#[path = "rescue/hanging.rs"]
mod hanging;
#[path = "rescue/hostile.rs"]
pub(crate) mod hostile;
#[path = "rescue/inside.rs"]
mod inside;
#[path = "rescue/keep.rs"]
mod keep;
#[path = "rescue/kill.rs"]
mod kill;
#[path = "rescue/killed_git.rs"]
mod killed_git;
#[path = "rescue/limits.rs"]
mod limits;
#[path = "rescue/links.rs"]
mod links;
#[path = "rescue/loose.rs"]
pub(crate) mod loose;
#[path = "rescue/mapped.rs"]
mod mapped;
#[path = "rescue/meanwhile.rs"]
mod meanwhile;
#[path = "rescue/moved.rs"]
mod moved;
#[path = "rescue/no_journal.rs"]
mod no_journal;
#[path = "rescue/oracle.rs"]
mod oracle;
#[path = "rescue/places.rs"]
mod places;
#[path = "rescue/programs.rs"]
mod programs;
#[path = "rescue/races.rs"]
mod races;
#[path = "rescue/record.rs"]
mod record;
#[path = "rescue/reuse.rs"]
mod reuse;
#[path = "rescue/second_look.rs"]
mod second_look;
#[path = "rescue/shared.rs"]
mod shared;
#[path = "rescue/signals.rs"]
mod signals;
#[path = "rescue/split.rs"]
mod split;
#[path = "rescue/starved.rs"]
mod starved;
#[path = "rescue/target.rs"]
mod target;
#[path = "rescue/third_look.rs"]
mod third_look;
#[path = "rescue/threads.rs"]
mod threads;
#[path = "rescue/trust.rs"]
mod trust;
#[path = "rescue/undo.rs"]
mod undo;
#[path = "rescue/unknown.rs"]
pub(crate) mod unknown;
#[path = "rescue/user_files.rs"]
mod user_files;
#[path = "rescue/vault.rs"]
mod vault;
#[path = "rescue/visible.rs"]
mod visible;
#[path = "rescue/whose.rs"]
mod whose;
#[path = "rescue/write_links.rs"]
mod write_links;
