//! Git repositories: where they are, what their files say, and how to run the git program.
//!
//! It must not judge what it finds, run anything that a repository names, or follow a link below a git
//! directory (`SECURITY.md` 1.2); from a link on, only the git program reads. It changes no repository of
//! the user's.

mod call_error;
mod command;
mod config;
mod dot_git;
mod file;
mod format;
mod hanging_rules;
mod index;
mod index_file;
mod linked_file;
mod object_folders;
mod object_id;
mod obstacle;
mod operation;
mod reflog;
mod refs;
mod repository;
mod runner;
mod shadow;
mod sharing;
mod stand_in;
mod trouble;
mod user_files;
mod write_link;

pub use call_error::{GitError, commit_id, line, succeeded};
pub use config::{ConfigEntry, config_entries, config_list, entries_of};
pub use dot_git::{head_in_the_way, marked_top, resolve};
pub use file::{open, read, read_linked, read_small, read_start, read_tail};
pub use format::is_true;
pub use index::{IndexEntry, Listed, index_and_untracked, index_entries};
pub use index_file::{
    GITLINK, Gitlink, Gitlinks, IndexMarks, PassedOver, damaged_index, has_more_entries, index_marks,
};
pub use object_id::{BlobId, ObjectFormat, Sha1, is_id};
pub use obstacle::{says_no_file, says_waiting};
pub use operation::{operation, operation_in_files, rebased_branch};
pub use reflog::{LogEntry, ReflogAction, first_commit_at, merged, moved_from, recent_log, reflog};
pub use refs::{
    HeadRef, PackedRefs, damaged_ref, fetched, find_ref, has_head_log, head, head_ref, is_shallow, log_file,
    stored_ref, stored_refs,
};
pub use repository::{RefStorage, Repository, looks_like_git_dir};
pub use runner::{CallPolicy, ForPrograms, Git, Stdin};
pub use shadow::{INDEX_CAP, RawIndex, Setting, Shadow, quoted};
pub use trouble::{Read, damaged_config, file_trouble, foreign_owner, not_a_file, not_repeated, trouble};
pub use user_files::{is_waited_for, rule_file_in_the_way, user_file_in_the_way};
pub use write_link::WriteLink;

/// The oldest git version supported. Older ones ignore `safe.bareRepository` (new in 2.38), so a folder in
/// the work tree that looks like a repository could name a program for git to run.
pub const LEAST_GIT: (u32, u32) = (2, 38);

/// The version in the output of `git --version`, such as `git version 2.47.3`.
pub fn version_in(answer: &str) -> Option<(u32, u32)> {
    let is_number = |word: &&str| word.starts_with(|sign: char| sign.is_ascii_digit());
    let mut numbers = answer.split_whitespace().find(is_number)?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}
