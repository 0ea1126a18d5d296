//! The arguments of the commands that save work, undo that and manage records, as types. Their help texts are
//! here; what they do is not.

use std::path::PathBuf;
use std::str::FromStr as _;

use clap::{Args, ValueEnum};

use crate::model::CommitAuthor;

/// `closeout rescue`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct Rescue {
    /// The workspace
    #[arg(value_name = "PATH", default_value = ".")]
    pub(super) path: PathBuf,
    /// Only record the work; commit nothing
    #[arg(long, conflicts_with_all = ["dry_run", "message", "split", "include", "author", "protected", "new_branch", "hooks", "own_program"])]
    pub(super) record_only: bool,
    /// Record the work and show what would be committed; commit nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Answer every question with yes
    #[arg(short, long)]
    pub(super) yes: bool,
    /// The commit message, instead of the proposed one
    #[arg(short, long, value_name = "TEXT")]
    pub(super) message: Option<String>,
    /// Split the rescue into several commits: first what is staged, then the rest; or one per folder
    #[arg(long, value_name = "BY", value_enum, num_args = 0..=1, default_missing_value = "staged")]
    pub(super) split: Option<SplitBy>,
    /// Have an agent propose the messages and the split: the session that did the work, or a new session of the named
    /// agent. It changes nothing, and you see its proposal before you confirm
    #[arg(long, value_name = "AGENT", num_args = 0..=1, require_equals = true, default_missing_value = "",
        conflicts_with_all = ["record_only", "message", "split", "own_program"])]
    pub(super) ask_messages: Option<String>,
    /// Edit the messages in your editor ($VISUAL, $EDITOR) before you confirm
    #[arg(long, conflicts_with_all = ["record_only", "dry_run", "own_program", "json", "yes"])]
    pub(super) edit: bool,
    /// Include an excluded path, or everything below a folder; can be repeated
    #[arg(long, value_name = "PATH")]
    pub(super) include: Vec<PathBuf>,
    /// The author, if git knows none: `Name <mail>`
    #[arg(long, value_name = "AUTHOR", value_parser = CommitAuthor::from_str)]
    pub(super) author: Option<CommitAuthor>,
    /// Commit to the branch here although it is protected, and not to a new branch beside it
    #[arg(long, conflicts_with = "new_branch")]
    pub(super) protected: bool,
    /// Commit to a new branch; HEAD, index and work tree stay unchanged. The default if the current branch is
    /// protected or also checked out elsewhere, or if HEAD is detached
    #[arg(long)]
    pub(super) new_branch: bool,
    /// Run the repository's commit hooks, as git would; they must be trusted (`closeout trust`)
    #[arg(long)]
    pub(super) hooks: bool,
    /// Let your own rescue program make the commit; it must be trusted (`closeout trust`)
    #[arg(long, conflicts_with_all = ["hooks", "new_branch", "split", "include", "author"])]
    pub(super) own_program: bool,
    /// What the work is about, such as the name of a task; passed to your own rescue program in `CLOSEOUT_SPEC`
    #[arg(long, value_name = "NAME", requires = "own_program")]
    pub(super) spec: Option<String>,
    /// Also store the record as a bundle in closeout's own folder; with --record-only, store it only there and write
    /// nothing to the repository
    #[arg(long)]
    pub(super) vault: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// How work is split into commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SplitBy {
    /// First what is staged, then the rest
    Staged,
    /// One commit per top-level folder
    Folders,
}

/// `closeout undo` and `closeout redo`.
#[derive(Debug, Args)]
pub(super) struct Undo {
    /// The workspace
    #[arg(value_name = "PATH", default_value = ".")]
    pub(super) path: PathBuf,
    /// Only show what would be done
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Answer every question with yes
    #[arg(short, long)]
    pub(super) yes: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// `closeout rescues`.
#[derive(Debug, Args)]
pub(super) struct Rescues {
    /// The workspace
    #[arg(value_name = "PATH", default_value = ".")]
    pub(super) path: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// `closeout restore`.
#[derive(Debug, Args)]
pub(super) struct Restore {
    /// The record: its reference, the first characters of the reference's last part, or a bundle of the vault
    #[arg(value_name = "RECORD")]
    pub(super) record: String,
    /// The target folder, which must be empty or missing, or hold only files of this record
    #[arg(value_name = "INTO")]
    pub(super) into: PathBuf,
    /// The workspace
    #[arg(short = 'C', long, value_name = "PATH", default_value = ".")]
    pub(super) path: PathBuf,
    /// Only this file or folder of the record; can be repeated
    #[arg(long, value_name = "FILE")]
    pub(super) only: Vec<PathBuf>,
    /// Also a record that no journal of this state folder knows: one of another closeout, or of a lost state folder. Look at
    /// it first; anybody can make one
    #[arg(long)]
    pub(super) unknown: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// `closeout forget`.
#[derive(Debug, Args)]
pub(super) struct Forget {
    /// The record: its reference, or the first characters of the reference's last part
    #[arg(value_name = "RECORD", required_unless_present = "old")]
    pub(super) record: Option<String>,
    /// Delete all records older than 30 days whose work is in a branch, except the one that the next undo needs
    #[arg(long, conflicts_with_all = ["record", "lose_work"])]
    pub(super) old: bool,
    /// The workspace
    #[arg(short = 'C', long, value_name = "PATH", default_value = ".")]
    pub(super) path: PathBuf,
    /// Answer every question with yes, unless work would be lost
    #[arg(short, long)]
    pub(super) yes: bool,
    /// Delete it even if no branch contains its work
    #[arg(long)]
    pub(super) lose_work: bool,
}

/// `closeout trust`.
#[derive(Debug, Args)]
pub(super) struct Trust {
    /// The workspace
    #[arg(value_name = "PATH", default_value = ".")]
    pub(super) path: PathBuf,
    /// Answer every question with yes
    #[arg(short, long, conflicts_with = "remove")]
    pub(super) yes: bool,
    /// Remove all trust in this workspace
    #[arg(long)]
    pub(super) remove: bool,
    /// Print JSON; without --yes, only show
    #[arg(long, conflicts_with = "remove")]
    pub(super) json: bool,
}
