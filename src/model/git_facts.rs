//! What git reports about one workspace, unjudged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use strum::IntoStaticStr;

use super::{Baseline, CommitId, LooseCommits, TestChange, Timestamp};

/// What git says of a workspace at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GitFacts {
    /// Where HEAD stands.
    pub head: Head,
    /// The tree of its commit: the same content has the same one, whatever the commit is called.
    #[serde(skip)]
    pub tree: Option<String>,
    /// A name for the content of the work tree, whatever of it is committed: the id of the tree that a commit of all would
    /// have. `None` until it was looked at, and where HEAD moved during the look.
    #[serde(skip)]
    pub content: Option<String>,
    /// Another branch, to which a rescue committed all that is uncommitted here. Untrusted text.
    pub saved_on: Option<String>,
    /// Where nothing is uncommitted: the newest branch of a rescue of this work tree that holds what HEAD does not, and when it
    /// was made. Untrusted text.
    #[serde(skip)]
    pub rescued_to: Option<(String, Timestamp)>,
    /// From which commit work is counted.
    pub baseline: Baseline,
    /// What happened since the baseline.
    pub commits: CommitCounts,
    /// A merge, rebase, … that was begun and not ended.
    pub operation: Option<Operation>,
    /// The upstream branch, where one is set.
    pub upstream: Option<Upstream>,
    /// Entries in the stash of the repository (shared by its worktrees).
    pub n_stashed: u32,
    /// Those of them that began where HEAD of this work tree stood and hold what HEAD does not, the newest first.
    #[serde(skip)]
    pub stashed_here: Vec<Stashed>,
    /// Uncommitted changes; `None` until the work tree was looked at.
    pub changes: Option<Changes>,
    /// Who read it.
    pub reader: GitReader,
    /// What a person should know about the reading (a shallow history, no reflog, …), in words.
    pub notes: Vec<String>,
}

/// An entry of the stash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stashed {
    /// When it was made.
    pub at: Timestamp,
    /// True if it was made on a branch on which HEAD of this work tree stood, as far as its name tells.
    pub is_of_branch: bool,
    /// The paths that it alone holds, from the top; `None` if they were not compared. Untrusted text.
    pub paths: Option<Vec<String>>,
}

/// Where HEAD stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Head {
    /// On a branch that has commits.
    Branch {
        /// Short branch name. Untrusted text.
        name: String,
        /// Full object id in hexadecimal.
        commit: CommitId,
    },
    /// On no branch.
    Detached {
        /// Full object id in hexadecimal.
        commit: CommitId,
    },
    /// On a branch without any commit.
    Unborn {
        /// Short branch name. Untrusted text.
        name: String,
    },
}

impl Head {
    /// The commit, if there is one.
    pub fn commit(&self) -> Option<CommitId> {
        match self {
            Head::Branch { commit, .. } | Head::Detached { commit } => Some(*commit),
            Head::Unborn { .. } => None,
        }
    }

    /// The branch, if HEAD is on one.
    pub fn branch(&self) -> Option<&str> {
        match self {
            Head::Branch { name, .. } | Head::Unborn { name } => Some(name),
            Head::Detached { .. } => None,
        }
    }
}

/// What happened since the baseline. "New work" are commits that were made here, change content,
/// and are not merges of others' commits (SECURITY.md 1.4).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommitCounts {
    /// Commits that are new work.
    pub n_new: u32,
    /// Commits of a rescue by closeout. They keep work and say nothing of its end, so they are no new work.
    pub n_rescued: u32,
    /// Commits that came from elsewhere: other branches, remotes, merges of them.
    pub n_foreign: u32,
    /// Commits that change no content: empty ones, reworded messages, merges without own changes.
    pub n_empty: u32,
    /// Commits made here since the baseline that HEAD does not reach but some branch does.
    pub n_elsewhere: u32,
    /// When the newest of those was made.
    #[serde(skip)]
    pub newest_elsewhere: Option<Timestamp>,
    /// The short name of the branch that ends with it. Untrusted text.
    #[serde(skip)]
    pub elsewhere_on: Option<String>,
    /// Commits made here since the baseline that HEAD does not reach, and whose content its history has: squashed or
    /// picked. All of the commits that HEAD does not reach are among them, or none.
    #[serde(skip)]
    pub n_landed: u32,
    /// When the newest of those was made.
    #[serde(skip)]
    pub newest_landed: Option<Timestamp>,
    /// Commits made here since the baseline that are no longer reachable, for example after a reset.
    pub n_lost: u32,
    /// Commits that change nothing but evidence of the work: decision files, reports, plans.
    pub n_evidence: u32,
    /// Those of them that change paths that the person calls noise.
    #[serde(skip)]
    pub n_noise: u32,
    /// Commits of HEAD, counted as new or of a rescue, that no ref holds: HEAD is on no branch.
    pub n_unheld: u32,
    /// The newest of each line of commits that no ref holds, lost ones among them, newest first. What is gone from
    /// the repository is not among them. Full object ids.
    #[schemars(with = "Vec<String>")]
    pub loose: LooseCommits,
    /// The newest new commits, newest first, at most twenty.
    pub newest: Vec<CommitSummary>,
    /// The newest commits of a rescue, newest first, at most twenty.
    #[serde(skip)]
    pub rescued: Vec<CommitSummary>,
    /// What the new commits below those did to the tests, and when.
    #[serde(skip)]
    pub older_tests: Vec<(Timestamp, TestChange)>,
    /// True when the walk was cut at its limit, so that the counts are lower bounds.
    pub is_cut: bool,
    /// When HEAD last came to other content by anything but a commit made here: a merge, a rebase, a switch of branches.
    #[serde(skip)]
    pub brought_at: Option<Timestamp>,
    /// Commits counted as empty only because all together leave HEAD's content as it was at the baseline.
    #[serde(skip)]
    pub n_cancelled: u32,
    /// True when HEAD has no log, so that nothing tells where it stood before.
    #[serde(skip)]
    pub is_blind: bool,
    /// Where HEAD stood before, as far as it is known, oldest first.
    #[serde(skip)]
    pub stays: Vec<HeadStay>,
}

/// A time during which HEAD stood at one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadStay {
    /// When HEAD arrived there.
    pub from: Timestamp,
    /// The tree of that commit; `None` before the first commit of a repository.
    pub tree: Option<String>,
    /// What was made here since then.
    pub news: HeadNews,
}

/// What the commits made here changed of what HEAD held at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadNews {
    /// Nothing, whatever was committed.
    None,
    /// Something, of which the newest was made then.
    MadeAt(Timestamp),
    /// Unknown: the log does not reach back so far, a commit is missing, or there was too much to compare.
    Unknown,
}

impl CommitCounts {
    /// Where HEAD stood at `at`; `None` if that is not known.
    pub fn stay_at(&self, at: Timestamp) -> Option<&HeadStay> {
        self.stays.iter().rev().find(|stay| stay.from <= at)
    }
}

/// One commit in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommitSummary {
    /// Abbreviated object id.
    #[serde(serialize_with = "abbreviated")]
    #[schemars(with = "String")]
    pub id: CommitId,
    /// First line of the message. Untrusted text.
    pub subject: String,
    /// When its content was committed first: committer time, but for what a rebase, a cherry-pick or an amend that only
    /// rewords made of an older commit.
    pub at: Timestamp,
    /// The paths that it changes, from the top; `None` where they are many. Untrusted text.
    #[serde(skip)]
    pub paths: Option<Vec<String>>,
    /// When each of those was last modified in the work tree; `None` if it is gone.
    #[serde(skip)]
    pub written_at: Vec<Option<Timestamp>>,
    /// It was made on another branch of this repository, and merged, picked or squashed here.
    #[serde(skip)]
    pub is_merged: bool,
    /// The files of tests among them.
    #[serde(skip)]
    pub tests: Vec<TestChange>,
}

fn abbreviated<S: Serializer>(id: &CommitId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{id:.8}"))
}

/// An operation that git has begun and not ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[derive(IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// `git merge`.
    Merge,
    /// `git rebase`.
    Rebase,
    /// `git cherry-pick`.
    CherryPick,
    /// `git revert`.
    Revert,
    /// `git bisect`.
    Bisect,
    /// `git am`.
    #[strum(serialize = "am")]
    ApplyMailbox,
}

impl Operation {
    /// The git command that started the operation.
    pub fn label(self) -> &'static str {
        self.into()
    }
}

/// The upstream branch and the distance to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Upstream {
    /// Short name, like `origin/main`. Untrusted text.
    pub name: String,
    /// Commits of HEAD that the upstream lacks.
    pub ahead: u32,
    /// Commits of the upstream that HEAD lacks.
    pub behind: u32,
}

/// Uncommitted changes. A file that is both staged and changed again counts in both.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Changes {
    /// Paths whose index entry differs from HEAD.
    pub n_staged: u32,
    /// Paths whose content differs from the index entry.
    pub n_unstaged: u32,
    /// Files that git does not track and does not ignore; a wholly untracked directory counts once.
    pub n_untracked: u32,
    /// Paths with a merge conflict.
    pub n_conflicted: u32,
    /// The paths, sorted, each once, at most 200.
    pub files: Vec<ChangedFile>,
    /// How many different paths there are in all.
    pub n_paths: u32,
    /// Paths that are evidence (decision file, reports, results) and so are not counted as work.
    pub n_evidence_files: u32,
    /// Changed paths that are left out because the person calls them noise, from the top. Untrusted text.
    #[serde(skip)]
    pub noise: Vec<String>,
    /// How each of `files` stands on the disk, in their order; `None` where it is gone, or too much to look at.
    #[serde(skip)]
    pub on_disk: Vec<Option<OnDisk>>,
    /// What they do to the tests.
    #[serde(skip)]
    pub tests: Vec<TestChange>,
    /// Changed files that git was told not to show.
    #[serde(skip)]
    pub hidden: Vec<HiddenFile>,
}

/// A file's metadata on disk; for a folder, the newest values in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct OnDisk {
    /// When its content was last written (mtime).
    pub modified_at: Timestamp,
    /// When its content or metadata last changed (ctime), which no program can set.
    pub changed_at: Timestamp,
    /// Its size in bytes.
    pub size: u64,
}

/// A changed file that git was told to hide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenFile {
    /// Path from the top of the work tree. Untrusted text.
    pub path: String,
    /// What hides it, in words.
    pub behind: &'static str,
    /// When git was told to hide it, if known.
    pub hidden_at: Option<Timestamp>,
    /// Its metadata; `None` if it no longer exists.
    pub on_disk: Option<OnDisk>,
}

impl Changes {
    /// The numbers of paths by kind.
    pub fn counts(&self) -> ChangeCounts {
        ChangeCounts {
            n_paths: self.n_paths,
            n_staged: self.n_staged,
            n_unstaged: self.n_unstaged,
            n_untracked: self.n_untracked,
            n_conflicted: self.n_conflicted,
        }
    }

    /// True if nothing is uncommitted.
    pub fn is_clean(&self) -> bool {
        self.n_paths == 0
    }
}

/// The numbers of [`Changes`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChangeCounts {
    /// All changed paths, each once.
    pub n_paths: u32,
    /// Those whose index entry differs from HEAD.
    pub n_staged: u32,
    /// Those whose file differs from the index.
    pub n_unstaged: u32,
    /// Those that git does not know.
    pub n_untracked: u32,
    /// Those in conflict.
    pub n_conflicted: u32,
}

impl ChangeCounts {
    /// How many paths are counted in more than one number: staged and changed again, or removed from the
    /// index and still on disk.
    pub fn n_counted_twice(&self) -> u32 {
        (self.n_staged + self.n_unstaged + self.n_untracked + self.n_conflicted).saturating_sub(self.n_paths)
    }
}

/// One changed path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct ChangedFile {
    /// Path from the top of the work tree, invalid UTF-8 as `\xNN`. Untrusted text.
    pub path: String,
    /// How the index differs from HEAD.
    pub staged: Option<ChangeKind>,
    /// How the work tree differs from the index.
    pub unstaged: Option<ChangeKind>,
}

/// How a path differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// New.
    Added,
    /// Other content or mode.
    Modified,
    /// Gone.
    Deleted,
    /// Under another name.
    Renamed,
    /// Another type (a file became a link, …).
    TypeChanged,
    /// Not tracked by git.
    Untracked,
    /// In conflict.
    Conflicted,
}

/// Who read the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GitReader {
    /// libgit2, in this process.
    InProcess,
    /// The git program, as a child.
    Program,
}
