//! Reads the whole uncommitted state until it holds still: the index, every tracked or new file, and the
//! contents of nested repositories. It must not change anything.

pub(super) mod around;
pub(super) mod broken;
pub(super) mod commits;
pub(super) mod cost;
pub(super) mod coverage;
pub(super) mod inside;
pub(super) mod key_like;
pub(super) mod leaving_out;
pub(super) mod listing;
pub(super) mod mapped;
pub(super) mod nested;
pub(super) mod reading;
pub(super) mod search;
pub(super) mod seen_index;
pub(super) mod spool;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::action::clock;
use crate::action::rescue::base::RescueError;
use crate::action::rescue::survey::cost::{Costs, IsWanted};
use crate::action::rescue::survey::inside::InnerRules;
use crate::action::rescue::survey::listing::Head;
use crate::action::rescue::survey::reading::Found;
use crate::action::rescue::survey::search::{Names, Search};
use crate::disk::write::is_removed;
use crate::git::{Git, GitError, IndexEntry, Shadow, index_and_untracked, index_entries};
use crate::model::Gap;

pub(super) use cost::Expected;
pub(super) use listing::{StoredTree, Tree, TreeEntry, Untracked};
pub(super) use reading::{Blob, Stamp, WorkTree};
pub(super) use seen_index::SeenIndex;
pub(super) use spool::{Place, Spool};

/// How many rounds are made at most until nothing changes; an even number, since at least every second one looks for
/// what git did not list.
const ROUNDS: usize = 8;
/// A file that was read this soon after its last change is read again: two changes within one tick of the file
/// system's clock look like one.
pub(crate) const TICK: Duration = Duration::from_millis(20);

/// For this long, a program can change a memory-mapped file without updating its time. A file changed this
/// recently is read twice and must be equal.
const MAPPED: Duration = Duration::from_mins(1);
/// The largest file that is read twice for that reason, in bytes.
const MAPPED_CAP: u64 = 16 << 20;

/// The uncommitted state as it was read.
pub(crate) struct Survey {
    pub(crate) head: Head,
    pub(crate) entries: Vec<IndexEntry>,
    /// Why the index cannot be read or that it is missing; `None` if it is fine.
    pub(crate) index_problem: Option<String>,
    /// Every file and link that was read, by path.
    pub(crate) blobs: BTreeMap<Vec<u8>, Blob>,
    /// Repositories inside this one, including submodules.
    pub(crate) nested: BTreeSet<Vec<u8>>,
    /// What is untracked, as git listed it.
    pub(crate) untracked: Untracked,
    /// Files that git passes over by rules of a repository inside that it takes for a plain folder.
    pub(crate) hidden: BTreeSet<Vec<u8>>,
    /// What ignore rules match: files, and folders that are ignored entirely.
    pub(crate) ignored: BTreeSet<Vec<u8>>,
    /// What could not be read.
    pub(crate) gaps: Vec<Gap>,
    /// False if something still changed in the last round.
    pub(crate) is_settled: bool,
}

impl Survey {
    /// The size of all contents together.
    pub(crate) fn n_bytes(&self) -> u64 {
        self.blobs.values().map(|blob| blob.size).sum()
    }
}

/// A content, and when it was completely read.
struct Kept {
    blob: Blob,
    read_at: Duration,
    /// Whether two readings were equal.
    is_confirmed: bool,
}

impl Kept {
    /// Whether the file's time cannot prove that it is unchanged since it was read. `mapped` has the inodes of
    /// files that a process writes to through memory.
    fn is_doubtful(&self, mapped: &BTreeSet<u64>) -> bool {
        let changed_at = self.blob.stamp.changed_at();
        let is_recent = self.blob.size <= MAPPED_CAP && self.read_at < changed_at + MAPPED;
        let can_be_mapped = is_recent || mapped.contains(&self.blob.stamp.inode());
        self.blob.is_torn || self.read_at < changed_at + TICK || (can_be_mapped && !self.is_confirmed)
    }
}

/// Reads everything into `spool`.
pub(crate) fn survey(git: &Git<'_>, shadow: &Shadow, spool: &mut Spool) -> Result<Survey, RescueError> {
    survey_if(git, shadow, spool, &|_| Ok(()))
}

/// Like [`survey`], but `is_wanted` can stop it between the first listing and the first reading, and again whenever more
/// is to be read.
pub(crate) fn survey_if(
    git: &Git<'_>,
    shadow: &Shadow,
    spool: &mut Spool,
    is_wanted: IsWanted<'_>,
) -> Result<Survey, RescueError> {
    let tree = WorkTree::open(&git.repo.top, git.repo.format)?;
    let head = listing::head_or_unknown(git)?;
    let index = Index::read(git, shadow, &head)?;
    let Index { entries, problem, others, mut listed } = index;
    // The first write through a later mapping sets the file's time.
    let mapped = mapped::inodes();
    let mut kept: BTreeMap<Vec<u8>, Kept> = BTreeMap::new();
    let mut costs = Costs::new(&tree, &entries, is_wanted);
    let (mut untracked, mut has_unlisted) = (Untracked::default(), !shadow.lists_untracked);
    let mut rules = InnerRules::default();
    for round in 1..=ROUNDS {
        // In a large tree these walks of git's are most of the cost: one in each round.
        let is_listed = round % 2 == 1;
        if is_listed {
            untracked = listed.take().map_or_else(|| listing::untracked(git, shadow), Ok)?;
        }
        let mut search = Search { git, shadow, tree: &tree, rules: &mut rules };
        let mut names = Names::list(&mut search, &entries, &untracked)?;
        let is_covered = !is_listed || has_unlisted;
        if is_covered {
            has_unlisted = names.add_unlisted(&mut search)?;
        }
        names.leave_out_deep();
        names.paths.extend(others.iter().cloned());
        costs.ask(&names.paths, spool.length())?;
        let mut gaps = names.gaps;
        gaps.extend(problem.clone());
        if let Some(lost) = &head.lost {
            gaps.push(Gap { path: Vec::new(), reason: lost.to_string() });
        }
        let is_moving = read_again((&tree, &mapped), names.paths, &mut kept, &mut gaps, spool, &mut costs)?;
        let is_settled = is_covered && !is_moving;
        if is_settled || round == ROUNDS {
            let blobs = kept.into_iter().map(|(path, kept)| (path, kept.blob)).collect();
            let (nested, hidden, ignored) = (names.nested, names.hidden, names.ignored);
            let index_problem = problem.map(|gap| gap.reason);
            return Ok(Survey {
                head,
                entries,
                index_problem,
                blobs,
                nested,
                untracked,
                hidden,
                ignored,
                gaps,
                is_settled,
            });
        }
        std::thread::sleep(TICK);
    }
    Err(RescueError::Damage("no round was made".to_owned()))
}

/// Reads what changed of `paths` since it was `kept`. Returns whether anything did, or could have.
fn read_again(
    (tree, mapped): (&WorkTree, &BTreeSet<u64>),
    paths: BTreeSet<Vec<u8>>,
    kept: &mut BTreeMap<Vec<u8>, Kept>,
    gaps: &mut Vec<Gap>,
    spool: &mut Spool,
    costs: &mut Costs<'_>,
) -> Result<bool, RescueError> {
    let mut next = BTreeMap::new();
    let mut is_moving = false;
    for path in paths {
        let before = kept.remove(&path);
        let stamp = before.as_ref().and_then(|_| tree.stamp(&path).ok().flatten());
        if let Some(before) = before.as_ref().filter(|it| Some(it.blob.stamp) == stamp)
            && !before.is_doubtful(mapped)
        {
            let kept = Kept { blob: before.blob.clone(), ..*before };
            next.insert(path, kept);
            continue;
        }
        if let Some(stamp) = &stamp {
            costs.ask_again(&path, stamp, spool.length())?;
        }
        match tree.read(&path, spool)? {
            Found::Read(blob) => {
                costs.ask_again(&path, &blob.stamp, spool.length())?;
                let is_confirmed = before.is_some_and(|before| {
                    before.blob.id == blob.id && before.blob.stamp.git_mode() == blob.stamp.git_mode()
                });
                is_moving |= blob.is_torn || !is_confirmed;
                if blob.is_torn {
                    gaps.push(Gap { path: path.clone(), reason: "it changed while it was read".to_owned() });
                }
                next.insert(path, Kept { blob, read_at: clock::since_epoch(), is_confirmed });
            }
            Found::Unreadable(reason) => gaps.push(Gap { path, reason }),
            Found::Folder | Found::Absent => is_moving |= before.is_some(),
        }
    }
    // What remains was there before and is no longer listed.
    is_moving |= !kept.is_empty();
    *kept = next;
    Ok(is_moving)
}

/// The content of the index, or what stands in for it.
struct Index {
    entries: Vec<IndexEntry>,
    problem: Option<Gap>,
    /// The paths of the last commit if the index is unusable; ignore rules would otherwise hide some of them.
    others: Vec<Vec<u8>>,
    /// What is untracked, where git listed that along with a sound index.
    listed: Option<Untracked>,
}

impl Index {
    fn read(git: &Git<'_>, shadow: &Shadow, head: &Head) -> Result<Index, RescueError> {
        if shadow.lists_untracked && (shadow.raw_index.is_some() || head.commit.is_none()) {
            match index_and_untracked(git, shadow) {
                Ok((entries, listed)) => {
                    let listed = Some(listed.into());
                    return Ok(Index { entries, problem: None, others: Vec::new(), listed });
                }
                // It does not say which of the two cannot be listed, or both are too long together.
                Err(GitError::Failed { .. } | GitError::TooLong { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let listed = index_entries(git, shadow, &shadow.index).map_err(RescueError::from);
        let reason = match &listed {
            Ok(_) if shadow.raw_index.is_some() || head.commit.is_none() => None,
            Ok(_) => Some("the index is missing".to_owned()),
            Err(RescueError::Git { words, .. }) => Some(format!("the index cannot be read: {words}")),
            Err(_) => None,
        };
        let Some(reason) = reason else {
            return listed.map(|entries| Index { entries, problem: None, others: Vec::new(), listed: None });
        };
        // Lets git list untracked files. The record keeps the bytes of the broken index.
        is_removed(std::fs::remove_file(&shadow.index)).map_err(RescueError::io("remove", &shadow.index))?;
        let (tree, reason) = match listing::tree_of(git, head.commit) {
            Ok(tree) => (tree, reason),
            Err(RescueError::Git { .. } | RescueError::Damage(_)) => {
                let words = "nor the last commit; tracked files that ignore rules match are left out";
                (Tree::new(), format!("{reason}, {words}"))
            }
            Err(error) => return Err(error),
        };
        let others = tree.into_iter().filter(|(_, entry)| entry.mode != "160000");
        let others = others.map(|(path, _)| path).collect();
        let problem = Some(Gap { path: Vec::new(), reason });
        Ok(Index { entries: Vec::new(), problem, others, listed: None })
    }
}
