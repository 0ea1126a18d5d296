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
    /// Say yes to what would be asked
    #[arg(short, long)]
    pub(super) yes: bool,
    /// The commit message, in place of the proposed one
    #[arg(short, long, value_name = "TEXT")]
    pub(super) message: Option<String>,
    /// Make several commits, which are one rescue: first what is staged, or one for each folder
    #[arg(long, value_name = "BY", value_enum, num_args = 0..=1, default_missing_value = "staged")]
    pub(super) split: Option<SplitBy>,
    /// Ask an agent for the messages and the split: the session that did the work, or a new one of the agent that is named.
    /// It reads and changes nothing; what it proposes is shown before you are asked
    #[arg(long, value_name = "AGENT", num_args = 0..=1, require_equals = true, default_missing_value = "",
        conflicts_with_all = ["record_only", "message", "split", "own_program"])]
    pub(super) ask_messages: Option<String>,
    /// Change the messages with your own editor ($VISUAL, $EDITOR) before you are asked
    #[arg(long, conflicts_with_all = ["record_only", "dry_run", "own_program", "json", "yes"])]
    pub(super) edit: bool,
    /// Take in a path, or all below a folder, that would be left out; may be given several times
    #[arg(long, value_name = "PATH")]
    pub(super) include: Vec<PathBuf>,
    /// Whose name the commit bears, where git knows none: `Name <mail>`
    #[arg(long, value_name = "AUTHOR", value_parser = CommitAuthor::from_str)]
    pub(super) author: Option<CommitAuthor>,
    /// Commit to a protected branch
    #[arg(long, conflicts_with = "new_branch")]
    pub(super) protected: bool,
    /// Commit to a new branch; HEAD, index and work tree stay as they are
    #[arg(long)]
    pub(super) new_branch: bool,
    /// Run the repository's hooks as a commit by git does; they must be trusted (`closeout trust`)
    #[arg(long)]
    pub(super) hooks: bool,
    /// Let your own rescue program make the commit; it must be trusted (`closeout trust`)
    #[arg(long, conflicts_with_all = ["hooks", "new_branch", "split", "include", "author"])]
    pub(super) own_program: bool,
    /// What the work is about, such as the name of a task: your own rescue program finds it in `CLOSEOUT_SPEC`
    #[arg(long, value_name = "NAME", requires = "own_program")]
    pub(super) spec: Option<String>,
    /// Keep the record as a bundle in closeout's own folder too; with --record-only there alone, and nothing
    /// is written to the repository
    #[arg(long)]
    pub(super) vault: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// By what work is split into commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SplitBy {
    /// First what is staged, as it is staged; then the rest
    Staged,
    /// One for each folder at the top
    Folders,
}

/// `closeout undo` and `closeout redo`.
#[derive(Debug, Args)]
pub(super) struct Undo {
    /// The workspace
    #[arg(value_name = "PATH", default_value = ".")]
    pub(super) path: PathBuf,
    /// Show what would be done, and do nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Say yes to what would be asked
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
    /// The record: its reference, the beginning of the last part of it, or a bundle of the vault
    #[arg(value_name = "RECORD")]
    pub(super) record: String,
    /// The folder that its files are written into; it must be empty or not there
    #[arg(value_name = "INTO")]
    pub(super) into: PathBuf,
    /// The workspace
    #[arg(short = 'C', long, value_name = "PATH", default_value = ".")]
    pub(super) path: PathBuf,
    /// Only this file or folder of the record; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(super) only: Vec<PathBuf>,
}

/// `closeout forget`.
#[derive(Debug, Args)]
pub(super) struct Forget {
    /// The record: its reference, or the beginning of the last part of it
    #[arg(value_name = "RECORD", required_unless_present = "old")]
    pub(super) record: Option<String>,
    /// Delete all records older than 30 days whose work is in a branch, but for the one that takes the last rescue
    /// back
    #[arg(long, conflicts_with_all = ["record", "lose_work"])]
    pub(super) old: bool,
    /// The workspace
    #[arg(short = 'C', long, value_name = "PATH", default_value = ".")]
    pub(super) path: PathBuf,
    /// Say yes to what would be asked, but for work that would be lost
    #[arg(short, long)]
    pub(super) yes: bool,
    /// Delete it although its work is in no branch
    #[arg(long)]
    pub(super) lose_work: bool,
}

/// `closeout trust`.
#[derive(Debug, Args)]
pub(super) struct Trust {
    /// The workspace
    #[arg(value_name = "PATH", default_value = ".")]
    pub(super) path: PathBuf,
    /// Say yes to what would be asked
    #[arg(short, long, conflicts_with = "remove")]
    pub(super) yes: bool,
    /// Trust nothing there any more
    #[arg(long)]
    pub(super) remove: bool,
    /// Print JSON; without --yes it only shows
    #[arg(long, conflicts_with = "remove")]
    pub(super) json: bool,
}
