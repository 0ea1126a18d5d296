//! What the user sees and confirms before uncommitted work is committed: every path with its state and size,
//! what is left out and why, the message, the branch, and what could not be read.
//!
//! Plain values. Paths are bytes, as in git, and are shown only through
//! [`display_text`](super::display_text).

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;

use super::{CommitId, PathText, PlannedPrograms, RecordNotice, RecordRef, RefName, RescueRecord, path_text};

/// What messages are proposed from, apart from the paths. Untrusted text, without anything that looks like a
/// key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MessageWords {
    /// What was done, if words say so.
    pub done: Option<String>,
    /// The type of change according to these words (`feat`, `fix`).
    pub kind: Option<String>,
    /// The agent's words, in lines.
    pub said: Option<String>,
    /// The record's reference.
    pub record: String,
}

/// Everything that the user confirms. closeout does exactly what was confirmed, or refuses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RescuePlan {
    /// The record that holds the work; it already exists.
    pub record: RescueRecord,
    /// The full name of the current branch (`refs/heads/…`); `None` if HEAD is detached.
    pub branch: Option<RefName>,
    /// The commit at HEAD; `None` on an unborn branch.
    pub head: Option<CommitId>,
    /// Where the commit can go; empty if none can be made.
    pub targets: Vec<CommitTarget>,
    /// Where the commit goes: one of `targets`. `None` until the user has chosen; `refusal` then says why it
    /// does not simply go to the current branch.
    pub target: Option<CommitTarget>,
    /// Every path that differs from the last commit, sorted by bytes.
    pub paths: Vec<PlannedPath>,
    /// The commit message as it will be stored; the user can edit it.
    pub message: String,
    /// What messages are proposed from.
    pub words: MessageWords,
    /// Why no commit is made until something is chosen; `None` if the plan can be carried out as it is. With
    /// empty `targets` no commit is possible.
    pub refusal: Option<String>,
    /// The ways to divide the work into several commits.
    pub splits: Vec<PlannedSplit>,
    /// The chosen way; `None` makes one commit, with `message`.
    pub split: Option<SplitKind>,
    /// The commit's author; `None` if git knows none, so that the user must supply one.
    pub author: Option<CommitAuthor>,
    /// What the user should know before confirming.
    pub notes: Vec<PlanNote>,
    /// The programs that could take part.
    pub programs: PlannedPrograms,
}

impl RescuePlan {
    /// The full name of the branch that a commit goes to; `None` if HEAD is detached and no other was chosen.
    pub fn target_branch(&self) -> Option<&RefName> {
        match &self.target {
            Some(CommitTarget::NewBranch(name)) => Some(name),
            Some(CommitTarget::Head | CommitTarget::ProtectedHead) | None => self.branch.as_ref(),
        }
    }
}

/// Where a visible commit goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommitTarget {
    /// To the branch that is checked out, and the index goes with it.
    Head,
    /// The same, although the branch is protected: the user said so.
    ProtectedHead,
    /// To a new branch of this full name. HEAD, index and work tree stay as they are.
    NewBranch(#[schemars(with = "String")] RefName),
}

/// A way to make several commits.
// They form one action, undone and redone together. An empty commit is not made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SplitRow")]
pub struct PlannedSplit {
    /// Which way.
    pub kind: SplitKind,
    /// The commits, in their order.
    pub commits: Vec<PlannedCommit>,
    /// How many files have a staged version that is in none of the commits; the record keeps these versions.
    #[serde(skip)]
    pub n_staged_versions: usize,
}

impl RescuePlan {
    /// The notes for confirming the plan as the commits of `split`, one of its ways, or as one commit.
    pub fn notes_of(&self, split: Option<&PlannedSplit>) -> Vec<PlanNote> {
        let Some(split) = split else { return self.notes.clone() };
        let others = self.notes.iter().filter(|note| !matches!(note, PlanNote::StagedVersions(_)));
        let n_staged = split.n_staged_versions;
        let staged = (n_staged > 0).then_some(PlanNote::StagedVersions(n_staged));
        staged.into_iter().chain(others.cloned()).collect()
    }
}

/// By what work is split into commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "CommitRow")]
pub struct PlannedCommit {
    /// The message.
    pub message: String,
    /// What it changes.
    // Sorted by path. What the plan leaves out is left out here too.
    pub paths: Vec<CommitPath>,
}

/// A path in one commit of several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "CommitPathRow")]
pub struct CommitPath {
    /// Relative to the top of the work tree, as bytes.
    #[serde(flatten, serialize_with = "path_text::bytes")]
    #[schemars(with = "PathText")]
    pub path: Vec<u8>,
    /// The id of what that commit holds there; null for a deletion.
    pub object: Option<String>,
}

/// The author of a commit. Untrusted text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommitAuthor {
    /// The name.
    pub name: String,
    /// The mail address.
    pub mail: String,
}

impl CommitAuthor {
    /// True if git accepts both parts unchanged. A name from which git would silently remove characters is
    /// refused.
    pub fn is_usable(&self) -> bool {
        let is_plain = |part: &str| {
            part.trim() == part
                && !part.is_empty()
                && !part.chars().any(|sign| sign.is_control() || matches!(sign, '<' | '>'))
        };
        is_plain(&self.name) && is_plain(&self.mail)
    }
}

/// The error for a text that is not a usable author.
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

    /// Parses `Name <mail>`.
    fn from_str(text: &str) -> Result<CommitAuthor, NoAuthor> {
        let parts = text.trim().strip_suffix('>').and_then(|text| text.split_once('<'));
        let (name, mail) = parts.ok_or(NoAuthor)?;
        let author = CommitAuthor { name: name.trim().to_owned(), mail: mail.trim().to_owned() };
        if author.is_usable() { Ok(author) } else { Err(NoAuthor) }
    }
}

/// A fact about a plan that its paths do not show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanNote {
    /// These hooks of the repository will not run. Untrusted text.
    HooksNotRun(Vec<String>),
    /// The repository requires signed commits, and this one will not be signed.
    Unsigned,
    /// Paths are left out because these filters would run programs that are not trusted. Untrusted text.
    FiltersNotTrusted(Vec<String>),
    /// The repository's programs run these, which trust cannot cover. Untrusted text.
    NotCovered(Vec<String>),
    /// The staged versions of this many files are not committed; the record keeps them.
    StagedVersions(usize),
    /// A new branch of an earlier rescue, this one, holds the very commit already.
    CommittedOn(RefName),
    /// An agent is in its turn: what it writes next is not in the plan.
    AgentAtWork,
}

/// One path of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlannedPath {
    /// Relative to the top of the work tree, as bytes.
    pub path: Vec<u8>,
    /// How it changed since the last commit.
    pub change: PlannedChange,
    /// Its current size in bytes; 0 for a deletion.
    pub size: u64,
    /// Why the commit leaves it out; `None` if it is included.
    pub left_out: Option<LeftOut>,
    /// True if the commit's content differs in form from the disk's (line endings, encoding).
    pub is_converted: bool,
    /// The id of the object that the commit will have at the path if it is included; `None` for a deletion,
    /// and for a path that cannot be included.
    pub object: Option<String>,
}

/// What became of a path since the last commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlannedChange {
    /// Not in the last commit.
    Added,
    /// Other content, mode or kind.
    Modified,
    /// No longer on disk.
    Deleted,
}

/// Why a path is not committed unless it is asked for. It stays in the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LeftOut {
    /// Its name is one that holds keys or passwords, or its content looks like one.
    Secret,
    /// It is in a folder of build products or dependencies.
    Junk,
    /// It is larger than 10 MB.
    Large,
    /// It tells how the work stands: a decision, a report, an output, a result.
    Evidence,
    /// The person calls it noise.
    Noise,
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
    /// True if the user can include the path all the same.
    pub fn can_be_asked_for(self) -> bool {
        matches!(self, LeftOut::Secret | LeftOut::Junk | LeftOut::Large | LeftOut::Evidence | LeftOut::Noise)
    }
}

/// A rescue that was carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Rescued {
    /// The record.
    pub record: RescueRecord,
    /// The commits, the oldest first.
    #[schemars(with = "Vec<String>")]
    pub commits: Vec<CommitId>,
    /// The full name of the branch that they are on.
    pub branch: RefName,
    /// How many paths they hold.
    pub n_paths: usize,
    /// What happened beside it.
    // One line each; may hold untrusted text.
    pub notes: Vec<String>,
    /// True when `undo` can take it back exactly.
    // Otherwise the notes say how to get the work back from the record.
    pub can_be_undone: bool,
}

/// Which way a rescue is turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UndoDirection {
    /// Taken back.
    Undo,
    /// Made again.
    Redo,
}

/// What an undo or a redo would do. closeout does exactly what was confirmed, or refuses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UndoPlan {
    /// Which of both.
    pub way: UndoDirection,
    /// The id of the rescue in the journal.
    pub id: String,
    /// The full name of the branch.
    pub branch: RefName,
    /// Where the branch was; null when it was unborn.
    // `None` as well where it will be created again.
    pub from: Option<CommitId>,
    /// Where it goes; null when it becomes unborn.
    // `None` as well where it is removed again.
    pub to: Option<CommitId>,
    /// The commits that are taken back or made again, the oldest first.
    pub commits: Vec<ShownCommit>,
    /// The paths that they change.
    // Sorted by bytes.
    #[serde(serialize_with = "path_text::all_bytes")]
    #[schemars(with = "Vec<PathText>")]
    pub paths: Vec<Vec<u8>>,
    /// The reference of the record; null when the rescue only created a branch.
    pub record: Option<RecordRef>,
    /// The upstream of the branch, when it already has what would be taken back. Untrusted text.
    pub pushed_to: Option<String>,
}

impl UndoPlan {
    /// What became of the branch once this is done, as a predicate: `is at 1a2b…`.
    pub fn end_of_branch(&self) -> String {
        match (&self.to, &self.record) {
            (Some(commit), _) => format!("is at {commit}"),
            // Without a record the rescue was only the branch itself.
            (None, None) => "was removed".to_owned(),
            (None, Some(_)) => "has no commit, as before".to_owned(),
        }
    }
}

/// What would keep commits that no branch, remote branch or tag holds. closeout does exactly what was confirmed, or
/// refuses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BranchPlan {
    /// The full name of the new branch.
    // HEAD, index and work tree stay as they are.
    pub branch: RefName,
    /// The commit that it is created at.
    pub tip: CommitId,
    /// The newest of the commits that only it holds, the oldest first; at most fifty.
    pub commits: Vec<ShownCommit>,
    /// How many there are in all.
    pub n_commits: usize,
    /// How many further lines of commits nothing holds.
    // Each gets its own branch.
    pub n_further: usize,
    /// Whose repository it is, where the work tree does not tell.
    pub notice: Option<RecordNotice>,
}

/// A commit that a plan shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShownCommit {
    /// Its id.
    pub commit: CommitId,
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
