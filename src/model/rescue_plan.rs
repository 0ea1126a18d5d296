//! What a person sees and confirms before uncommitted work is committed: every path with its state
//! and size, what is left out and why, the message, the branch, and what could not be read.
//!
//! Plain values; paths are bytes as git has them and are shown only through
//! [`display_text`](super::display_text).

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PlannedPrograms, RescueRecord};

/// What a message is proposed from beside the paths. Untrusted text, without anything that looks like a key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageWords {
    /// What was done, if words say it.
    pub done: Option<String>,
    /// The type of change that these words say it is (`feat`, `fix`).
    pub kind: Option<String>,
    /// What the agent said, in lines.
    pub said: Option<String>,
    /// The reference of the record.
    pub record: String,
}

/// Everything that a person confirms. What is confirmed is what is done, or it is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RescuePlan {
    /// The record that holds the work; it exists already.
    pub record: RescueRecord,
    /// The full name of the branch that is checked out (`refs/heads/…`); empty when HEAD is detached.
    pub branch: String,
    /// The commit that HEAD is at; `None` on an unborn branch.
    pub head: Option<String>,
    /// Where the commit can go; empty when none can be made at all.
    pub targets: Vec<CommitTarget>,
    /// Where it goes: one of `targets`. `None` until a person has chosen: then `refusal` says why it does not
    /// simply go to the branch that is checked out.
    pub target: Option<CommitTarget>,
    /// Every path that differs from the last commit, in the order of its bytes.
    pub paths: Vec<PlannedPath>,
    /// The commit message, as it will be stored; a person can change it.
    pub message: String,
    /// What messages are proposed from.
    pub words: MessageWords,
    /// Why no commit is made unless something is chosen; `None` when one can be made as the plan stands. With
    /// an empty `targets` none can be made.
    pub refusal: Option<String>,
    /// Ways to make several commits of it.
    pub splits: Vec<PlannedSplit>,
    /// The way that a person has chosen; `None` makes one commit, with `message`.
    pub split: Option<SplitKind>,
    /// Whose name the commit bears; `None` when git knows none: a person must give it.
    pub author: Option<CommitAuthor>,
    /// What must be known before it is confirmed.
    pub notes: Vec<PlanNote>,
    /// The programs that could have a part in it.
    pub programs: PlannedPrograms,
}

/// Where a visible commit goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommitTarget {
    /// To the branch that is checked out, and the index goes with it.
    Head,
    /// The same, although the branch is protected: a person said so.
    ProtectedHead,
    /// To a new branch of this full name. HEAD, index and work tree stay as they are.
    NewBranch(String),
}

/// A way to make several commits. All of them are one action: they are undone and made again as one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedSplit {
    /// Which way.
    pub kind: SplitKind,
    /// The commits, in their order. One that would hold nothing is not made.
    pub commits: Vec<PlannedCommit>,
    /// Staged versions of so many files are in none of them; the record keeps them.
    pub n_staged_versions: usize,
}

impl RescuePlan {
    /// What must be known before it is confirmed as the commits of `split`, one of its ways, or as one commit.
    pub fn notes_of(&self, split: Option<&PlannedSplit>) -> Vec<PlanNote> {
        let Some(split) = split else { return self.notes.clone() };
        let others = self.notes.iter().filter(|note| !matches!(note, PlanNote::StagedVersions(_)));
        let n_staged = split.n_staged_versions;
        let staged = (n_staged > 0).then_some(PlanNote::StagedVersions(n_staged));
        staged.into_iter().chain(others.cloned()).collect()
    }
}

/// By what work is split into commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SplitKind {
    /// First what is staged, as it is staged; then the rest.
    Staged,
    /// One for each folder at the top, and first one for the files beside them.
    Folders,
    /// As an agent proposed it.
    Agent,
}

/// One commit of several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedCommit {
    /// The message, as it will be stored; a person can change it.
    pub message: String,
    /// What it changes, in the order of the paths. What the plan leaves out is left out here too.
    pub paths: Vec<CommitPath>,
}

/// A path in one commit of several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitPath {
    /// From the top of the work tree, as bytes.
    pub path: Vec<u8>,
    /// The id of what that commit holds there; `None` for a deletion.
    pub object: Option<String>,
}

/// Whose name a commit bears. Untrusted text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommitAuthor {
    /// The name.
    pub name: String,
    /// The mail address.
    pub mail: String,
}

impl CommitAuthor {
    /// Whether git takes both parts as they are. What it would quietly take out of a name is refused.
    pub fn is_usable(&self) -> bool {
        let is_plain = |part: &str| {
            part.trim() == part
                && !part.is_empty()
                && !part.chars().any(|sign| sign.is_control() || matches!(sign, '<' | '>'))
        };
        is_plain(&self.name) && is_plain(&self.mail)
    }
}

/// A text that names no author.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoAuthor;

impl std::error::Error for NoAuthor {}

impl fmt::Display for NoAuthor {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(
            "it has the form `Name <mail>`, without other angle brackets and without control characters",
        )
    }
}

impl FromStr for CommitAuthor {
    type Err = NoAuthor;

    /// Reads `Name <mail>`.
    fn from_str(text: &str) -> Result<CommitAuthor, NoAuthor> {
        let parts = text.trim().strip_suffix('>').and_then(|text| text.split_once('<'));
        let (name, mail) = parts.ok_or(NoAuthor)?;
        let author = CommitAuthor { name: name.trim().to_owned(), mail: mail.trim().to_owned() };
        if author.is_usable() { Ok(author) } else { Err(NoAuthor) }
    }
}

/// Something about a plan that is not to be seen from its paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanNote {
    /// These hooks of the repository are not run. Untrusted text.
    HooksNotRun(Vec<String>),
    /// The repository wants commits to be signed, and this one is not.
    Unsigned,
    /// Paths are left out because these filters would run programs, and they are not trusted. Untrusted text.
    FiltersNotTrusted(Vec<String>),
    /// Programs of the repository run these, which trust cannot cover. Untrusted text.
    NotCovered(Vec<String>),
    /// Staged versions of so many files are not committed; the record keeps them.
    StagedVersions(usize),
}

impl PlanNote {
    /// In words. May hold untrusted text.
    pub fn label(&self) -> String {
        match self {
            PlanNote::HooksNotRun(names) => format!("hooks are not run: {}", names.join(", ")),
            PlanNote::Unsigned => "the commit is not signed, though the settings ask for it".to_owned(),
            PlanNote::FiltersNotTrusted(names) => {
                format!("files with the filter {} are left out: its program is not trusted", names.join(", "))
            }
            PlanNote::NotCovered(names) => format!(
                "programs of the repository run {}: not covered; they are trusted only for the tracked files as they are now",
                names.join(", ")
            ),
            PlanNote::StagedVersions(1) => {
                "the staged version of 1 file is not committed; the record keeps it".to_owned()
            }
            PlanNote::StagedVersions(n) => {
                format!("the staged versions of {n} files are not committed; the record keeps them")
            }
        }
    }
}

/// One path of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedPath {
    /// From the top of the work tree, as bytes.
    pub path: Vec<u8>,
    /// What became of it since the last commit.
    pub change: PlannedChange,
    /// Its size now in bytes; 0 for a deletion.
    pub size: u64,
    /// Why the commit leaves it out; `None` when it is in.
    pub left_out: Option<LeftOut>,
    /// True when the commit holds it in another form than the disk (line ends, encoding).
    pub is_converted: bool,
    /// The id of what the commit will hold at the path when it is in; `None` for a deletion, and for what
    /// cannot be in.
    pub object: Option<String>,
}

/// What became of a path since the last commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlannedChange {
    /// Not in the last commit.
    Added,
    /// Other content, mode or kind.
    Modified,
    /// Not on the disk any more.
    Deleted,
}

/// Why a path is not committed unless it is asked for. It stays in the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LeftOut {
    /// Its name is one that holds keys or passwords, or its content looks like one.
    Secret,
    /// It lies in a folder of build products or dependencies.
    Junk,
    /// It is larger than 10 MB.
    Large,
    /// It tells how the work stands: a decision, a report, an output, a result.
    Evidence,
    /// It belongs to a repository inside this one.
    Nested,
    /// It is marked assume-unchanged or skip-worktree.
    Flagged,
    /// It could not be read exactly.
    Gap,
    /// Git refuses the name.
    Name,
    /// A filter would run a program for it, and it is not trusted.
    Untrusted,
}

impl LeftOut {
    /// True when a person can ask for the path all the same.
    pub fn can_be_asked_for(self) -> bool {
        match self {
            LeftOut::Secret | LeftOut::Junk | LeftOut::Large | LeftOut::Evidence => true,
            LeftOut::Nested | LeftOut::Flagged | LeftOut::Gap | LeftOut::Name | LeftOut::Untrusted => false,
        }
    }
}

/// A rescue that was carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rescued {
    /// The record.
    pub record: RescueRecord,
    /// The commits, the oldest first.
    pub commits: Vec<String>,
    /// The full name of the branch that they are on.
    pub branch: String,
    /// How many paths they hold.
    pub n_paths: usize,
    /// What happened beside it, a line each. May hold untrusted text.
    pub notes: Vec<String>,
    /// True when an undo can take it back exactly; if not, the notes say how the record gives the work back.
    pub can_be_undone: bool,
}

/// Which way a rescue is turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UndoDirection {
    /// Taken back.
    Undo,
    /// Made again.
    Redo,
}

/// What an undo or a redo would do. What is confirmed is what is done, or it is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoPlan {
    /// Which of both.
    pub way: UndoDirection,
    /// The id of the rescue in the journal.
    pub id: String,
    /// The full name of the branch.
    pub branch: String,
    /// Where the branch is now; `None` when it is unborn, or is to be made again.
    pub from: Option<String>,
    /// Where it will be; `None` when it becomes unborn, or is removed again.
    pub to: Option<String>,
    /// The commits that are taken back or made again, the oldest first.
    pub commits: Vec<TakenBack>,
    /// The paths that they change, in the order of their bytes.
    pub paths: Vec<Vec<u8>>,
    /// The reference of the record that the rescue was made from.
    pub record: String,
}

/// A commit of an undo or a redo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TakenBack {
    /// Its id.
    pub commit: String,
    /// The first line of its message. Untrusted text.
    pub subject: String,
    /// How many paths it changes.
    pub n_paths: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_author_has_a_name_and_a_mail_that_git_takes_as_they_are() {
        let known =
            |name: &str, mail: &str| Ok(CommitAuthor { name: name.to_owned(), mail: mail.to_owned() });
        for text in ["Ann Example <ann@example.org>", "  Ann Example  < ann@example.org > "] {
            assert_eq!(text.parse(), known("Ann Example", "ann@example.org"), "{text}");
        }
        assert_eq!("安 <a@b>".parse(), known("安", "a@b"));
        let wrong = [
            "", "Ann", "<a@b>", "Ann <>", "Ann a@b", "A <b> <c>", "A <b<c>", "A\nB <c>", "A <b\u{1b}>",
            "A <b> c",
        ];
        for text in wrong {
            assert_eq!(text.parse::<CommitAuthor>(), Err(NoAuthor), "{text:?}");
        }
    }
}
