//! Lists what git knows: index entries, untracked files, trees, and where HEAD is.
//!
//! It must not trust the index about the state of a file: names come from git, contents never.

use std::collections::BTreeMap;
use std::fmt;

use crate::action::rescue::base::{RescueError, names, references, settings};
use crate::git::{Git, IndexEntry, Listed, ObjectFormat, Sha1, Shadow, Stdin, commit_id, line, succeeded};
use crate::model::{CommitId, RefName};

/// A digest of an index's meaning: entries, stages and flags without cached file states, which any `git status`
/// rewrites.
pub(crate) fn digest(entries: &[IndexEntry]) -> String {
    let mut sum = Sha1::default();
    for entry in entries {
        sum.update(format!("{} {} {} {:x}\t", entry.mode, entry.id, entry.stage, entry.flags).as_bytes());
        sum.update(&entry.path);
        sum.update(b"\0");
    }
    sum.hex()
}

/// What is in the work tree but not in the index.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Untracked {
    /// Files and links, relative to the top.
    pub(crate) paths: Vec<Vec<u8>>,
    /// Repositories inside this one.
    pub(crate) nested: Vec<Vec<u8>>,
    /// What git reported as unreadable.
    pub(crate) warnings: Vec<String>,
}

/// Lists what is neither ignored nor in the index, if git can.
pub(crate) fn untracked(git: &Git<'_>, shadow: &Shadow) -> Result<Untracked, RescueError> {
    if !shadow.lists_untracked {
        return Ok(Untracked::default());
    }
    let args = ["ls-files", "-o", "--exclude-standard", "-z"];
    let output = succeeded("ls-files", git.shadowed(shadow, args, Stdin::Lock)?)?;
    let paths = output.stdout.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    let paths = paths.map(<[u8]>::to_vec).collect();
    Ok(Listed { paths, warnings: output.stderr, is_cut: output.is_stderr_cut }.into())
}

impl From<Listed> for Untracked {
    fn from(listed: Listed) -> Untracked {
        let mut untracked = Untracked::default();
        for mut path in listed.paths {
            if path.last() == Some(&b'/') {
                path.pop();
                untracked.nested.push(path);
            } else {
                untracked.paths.push(path);
            }
        }
        if listed.is_cut {
            untracked.warnings.push("git had more warnings than are kept".to_owned());
        }
        untracked.warnings.extend(String::from_utf8_lossy(&listed.warnings).lines().map(str::to_owned));
        untracked
    }
}

/// The beginning of git's warning that it cannot list this folder.
pub(crate) fn not_opened(folder: &[u8]) -> String {
    format!("warning: could not open directory '{}/'", String::from_utf8_lossy(folder))
}

/// The parent folders of a path.
pub(crate) fn folders(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| &path[..end])
}

/// What HEAD points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    /// The full name of the branch; `None` if HEAD is detached.
    pub(crate) branch: Option<RefName>,
    /// The commit; `None` on an unborn branch or if the commit is lost.
    pub(crate) commit: Option<CommitId>,
    /// What HEAD names and the repository does not have.
    pub(crate) lost: Option<Lost>,
}

/// A commit that the repository does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lost {
    /// This one.
    Commit(CommitId),
    /// Nothing tells which. Holds why.
    Unknown(String),
}

impl Head {
    /// Why it is not known what HEAD points to; `None` if it is.
    pub(crate) fn why_unknown(&self) -> Option<&str> {
        if let Some(Lost::Unknown(why)) = &self.lost { Some(why) } else { None }
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lost::Commit(commit) => write!(f, "the last commit {commit} is missing from the repository"),
            Lost::Unknown(why) => write!(f, "the last commit is not known: {why}"),
        }
    }
}

/// What HEAD points to, for a record: work is saved even if that cannot be read.
pub(crate) fn head_or_unknown(git: &Git<'_>) -> Result<Head, RescueError> {
    match head(git) {
        Err(RescueError::Damage(why)) => {
            Ok(Head { branch: None, commit: None, lost: Some(Lost::Unknown(why)) })
        }
        read => read,
    }
}

fn branch_of(name: &str) -> Result<RefName, RescueError> {
    RefName::new(name).ok_or_else(|| RescueError::Damage("HEAD names no reference".to_owned()))
}

pub(crate) fn head(git: &Git<'_>) -> Result<Head, RescueError> {
    let unreadable = || "HEAD names no commit and no branch that can be read".to_owned();
    // One answer for both where git has one, so that no checkout comes in between. Where it has not, each is asked for:
    // a branch without a commit, a lost one, or a second reference called HEAD.
    let both = git.real(["rev-parse", "HEAD^{commit}", "--symbolic-full-name", "HEAD"], Stdin::Lock)?;
    if both.is_success()
        && let Some((commit, name)) = line(&both).split_once('\n')
        && !name.contains('\n')
    {
        let branch = if name == "HEAD" { None } else { Some(branch_of(name)?) };
        return Ok(Head { branch, commit: Some(commit_id("rev-parse", commit)?), lost: None });
    }
    let branch = git.real(["symbolic-ref", "-q", "HEAD"], Stdin::Lock)?;
    let branch = if branch.is_success() { Some(branch_of(&line(&branch))?) } else { None };
    let commit =
        git.real(["rev-parse", "-q", "--verify", "--end-of-options", "HEAD^{commit}"], Stdin::Lock)?;
    let commit = commit.is_success().then(|| commit_id("rev-parse", &line(&commit))).transpose()?;
    let lost = match commit {
        Some(_) => None,
        None => match references::at(git, "HEAD") {
            // Git finds no repository without a HEAD that it understands, and uses none with a setting that it does not. That
            // is no branch without a commit.
            Err(RescueError::Git { .. }) => {
                return Err(RescueError::Damage(settings::bad_value(git)?.unwrap_or_else(unreadable)));
            }
            at => at?.map(Lost::Commit),
        },
    };
    if branch.is_none() && commit.is_none() && lost.is_none() {
        return Err(RescueError::Damage(unreadable()));
    }
    Ok(Head { branch, commit, lost })
}

/// One entry of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TreeEntry {
    /// The mode in octal digits, as git writes it.
    pub(crate) mode: String,
    /// The object id.
    pub(crate) id: String,
}

/// A whole tree, by path.
pub(crate) type Tree = BTreeMap<Vec<u8>, TreeEntry>;

/// The tree of the last commit; empty before the first one.
pub(crate) fn tree_of(git: &Git<'_>, last: Option<CommitId>) -> Result<Tree, RescueError> {
    last.map_or_else(|| Ok(Tree::new()), |commit| tree(git, commit))
}

/// The tree of a commit with everything below it.
pub(crate) fn tree(git: &Git<'_>, commit: CommitId) -> Result<Tree, RescueError> {
    let args = ["ls-tree", "-r", "-z", "--full-tree", &commit.to_string()];
    let listed = git.answer(args, Stdin::Lock)?;
    let mut tree = Tree::new();
    for record in listed.split(|byte| *byte == 0).filter(|record| !record.is_empty()) {
        let entry = record.iter().position(|byte| *byte == b'\t').and_then(|tab| {
            let mut fields = std::str::from_utf8(&record[..tab]).ok()?.split(' ');
            let entry = TreeEntry { mode: fields.next()?.to_owned(), id: fields.nth(1)?.to_owned() };
            Some((record[tab + 1..].to_vec(), entry))
        });
        let Some((path, entry)) = entry else {
            return Err(RescueError::Damage("the list of a tree is not as expected".to_owned()));
        };
        if tree.insert(path, entry).is_some() {
            return Err(RescueError::Damage("a tree has two entries of one name".to_owned()));
        }
    }
    Ok(tree)
}

/// A folder of a [`Tree`] as git stores it.
pub(crate) struct StoredTree {
    /// Its id, computed here.
    pub(crate) id: String,
    /// What git stores: its entries in git's order.
    pub(crate) stored: Vec<u8>,
}

impl StoredTree {
    /// Its id and its size in bytes.
    pub(crate) fn facts(&self) -> (String, u64) {
        (self.id.clone(), self.stored.len() as u64)
    }
}

/// Every folder of a tree as git stores it, each after those in it: the top comes last.
pub(crate) fn trees(format: ObjectFormat, tree: &Tree) -> Result<Vec<StoredTree>, RescueError> {
    let entries: Vec<(&[u8], &TreeEntry)> = tree.iter().map(|(path, entry)| (&path[..], entry)).collect();
    let mut made = Vec::new();
    store(format, &entries, 0, &mut made)?;
    Ok(made)
}

/// Adds the folder with these entries, whose paths agree in the first `start` bytes, and those in it.
fn store(
    format: ObjectFormat,
    mut entries: &[(&[u8], &TreeEntry)],
    start: usize,
    made: &mut Vec<StoredTree>,
) -> Result<(), RescueError> {
    let damaged = |words: &str| RescueError::Damage(words.to_owned());
    let mut stored = Vec::new();
    // Whole paths are in the order in which git has the names in a folder: it takes a folder's name with a slash.
    while let Some((path, entry)) = entries.first() {
        let end = path[start..].iter().position(|byte| *byte == b'/').map(|end| start + end);
        let (kind, id, n) = match end {
            None => (&*entry.mode, entry.id.clone(), 1),
            Some(end) => {
                let n = entries.iter().take_while(|(it, _)| it.starts_with(&path[..=end])).count();
                store(format, &entries[..n], end + 1, made)?;
                ("40000", made.last().map(|it| it.id.clone()).unwrap_or_default(), n)
            }
        };
        let id = names::unhex(id.as_bytes()).ok_or_else(|| damaged("an id is not as expected"))?;
        let name = &path[start..end.unwrap_or(path.len())];
        stored.extend([kind.as_bytes(), b" ", name, b"\0", &id].concat());
        entries = &entries[n..];
    }
    let id = format.id_of_tree(&stored).ok_or_else(|| damaged("a folder is made to have another's id"))?;
    made.push(StoredTree { id, stored });
    Ok(())
}

/// Asks for the id and the size of each object that is named to it.
pub(crate) const SIZES: [&str; 2] = ["cat-file", "--batch-check=%(objectname) %(objectsize)"];

/// The sizes of those `ids` that exist in the repository.
pub(crate) fn sizes<I: fmt::Display>(
    git: &Git<'_>,
    ids: impl Iterator<Item = I>,
) -> Result<BTreeMap<String, u64>, RescueError> {
    let input = ids.fold(String::new(), |input, id| input + &id.to_string() + "\n");
    Ok(sizes_in(&git.answer(SIZES, Stdin::Bytes(input.into_bytes()))?))
}

/// The sizes of those `ids` that exist in our own object directory or in the repository.
pub(crate) fn present(
    git: &Git<'_>,
    shadow: &Shadow,
    ids: &[&str],
) -> Result<BTreeMap<String, u64>, RescueError> {
    let input = Stdin::Bytes(format!("{}\n", ids.join("\n")).into_bytes());
    Ok(sizes_in(&succeeded("cat-file", git.shadowed(shadow, SIZES, input)?)?.stdout))
}

/// The sizes by id in an answer to [`SIZES`]; missing objects are omitted.
fn sizes_in(answer: &[u8]) -> BTreeMap<String, u64> {
    String::from_utf8_lossy(answer)
        .lines()
        .filter_map(|line| {
            let (id, size) = line.split_once(' ')?;
            Some((id.to_owned(), size.parse().ok()?))
        })
        .collect()
}

/// Splits the next object off an answer of `cat-file --batch`; also returns the rest.
pub(crate) fn next_object<'a>(answer: &'a [u8], id: &str, kind: &str) -> Option<(&'a [u8], &'a [u8])> {
    let end = answer.iter().position(|byte| *byte == b'\n')?;
    let header = std::str::from_utf8(&answer[..end]).ok()?;
    let size = header.strip_prefix(id)?.strip_prefix(' ')?.strip_prefix(kind)?.strip_prefix(' ')?;
    let size: usize = size.parse().ok()?;
    Some((answer.get(end + 1..end + 1 + size)?, answer.get(end + 2 + size..)?))
}

#[cfg(test)]
mod tests {
    use super::{TreeEntry, trees};
    use crate::git::ObjectFormat;

    // The ids are those of `git write-tree` for the same entries.
    #[test]
    fn folders_have_the_ids_that_git_gives_them() {
        let entry = |mode: &str| TreeEntry {
            mode: mode.to_owned(),
            id: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391".to_owned(),
        };
        let paths = [
            ("a-b", "100644"),
            ("a.c", "100644"),
            ("a/b", "100755"),
            ("a/x/y", "120000"),
            ("a0", "100644"),
            ("link", "160000"),
        ];
        let tree = paths.iter().map(|(path, mode)| (path.as_bytes().to_vec(), entry(mode))).collect();
        let ids: Vec<String> =
            trees(ObjectFormat::Sha1, &tree).unwrap().into_iter().map(|folder| folder.id).collect();
        assert_eq!(
            ids,
            [
                "9ce8807f02dfa5de400a3e7e552e8feb1f9df99f", "4089bcfaac4ecb6e1550aa4c654922688a181013",
                "5fb70a63020c73c3315c30320405caef310539e3"
            ]
        );
        let nothing = trees(ObjectFormat::Sha256, &super::Tree::new()).unwrap();
        assert_eq!(nothing[0].id, ObjectFormat::Sha256.empty_tree());
    }
}
