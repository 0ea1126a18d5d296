//! Whose repository a `.git` leads to: the work tree's own is used, one that is elsewhere is named in full before
//! anything is confirmed, and one that is about other files is left alone. The witness is a plain walk over it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use closeout::action::rescue::RescueError;
use closeout::git::Repository;
use closeout::model::{RecordNotice, RescueRecord};

use super::fixture::*;
use crate::support::repo::Repo;
use crate::support::test_env::{TestEnv, traces};

/// What a rescue does with a work tree, each holding the git directory that it must name.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    /// It commits there without a word.
    Own,
    /// It commits there once the whole path was shown.
    Named(PathBuf),
    /// It keeps the work in the vault and changes nothing there.
    Vault(PathBuf),
    /// It does nothing.
    Refused,
}

use Answer::{Named, Own, Refused, Vault};

/// A work tree with uncommitted work and the answer it should get.
type World = (&'static str, fn() -> (Repo, Answer));

/// A repository with work, whose git directory was moved to `to`, relative to the scratch folder.
fn kept_at(to: &str) -> (Repo, PathBuf) {
    let repo = Repo::new();
    let store = repo.root().join(to);
    fs::create_dir_all(store.parent().unwrap()).unwrap();
    fs::rename(repo.at(".git"), &store).unwrap();
    repo.write("work", "1\n");
    (repo, store)
}

fn point_to(repo: &Repo, store: &Path) {
    fs::write(repo.at(".git"), format!("gitdir: {}\n", store.display())).unwrap();
}

fn separated(repo: Repo) -> (Repo, Answer) {
    let store = repo.root().join("repo.git");
    repo.git(["init", "-q", "--separate-git-dir", &store.display().to_string()]);
    repo.write("work", "1\n");
    (repo, Named(store))
}

const WORLDS: [World; 18] = [
    ("a folder", || {
        let repo = Repo::new();
        repo.write("work", "1\n");
        (repo, Own)
    }),
    ("a link to a git directory by another name", || {
        let (repo, store) = kept_at("repo.git");
        symlink(&store, repo.at(".git")).unwrap();
        (repo, Named(store))
    }),
    ("a chain of links to it", || {
        let (repo, store) = kept_at("repo.git");
        symlink(&store, repo.root().join("way")).unwrap();
        symlink("../way", repo.at(".git")).unwrap();
        (repo, Named(store))
    }),
    ("a file that names it", || {
        let (repo, store) = kept_at("repo.git");
        point_to(&repo, &store);
        (repo, Named(store))
    }),
    ("as git makes it", || separated(Repo::new())),
    ("as git makes it, without a commit", || separated(Repo::unborn())),
    ("inside the work tree", || {
        let (repo, store) = kept_at("repo/store");
        point_to(&repo, &store);
        // Git takes it for files like any other.
        repo.write(".gitignore", "store\n");
        (repo, Named(store))
    }),
    ("inside the work tree, of a repository there", || {
        let repo = Repo::new();
        let store = repo.at("store");
        fs::remove_dir_all(repo.at(".git")).unwrap();
        let inner = repo.beside("repo/inner");
        inner.git(["init", "-q", "-b", "main", "--separate-git-dir", "../store"]);
        inner.write("theirs", "1\n").commit("theirs");
        symlink("store", repo.at(".git")).unwrap();
        (repo, Vault(store))
    }),
    ("that names this work tree", || {
        let (repo, store) = kept_at("repo.git");
        symlink(&store, repo.at(".git")).unwrap();
        repo.git(["config", "core.worktree", "../repo"]);
        (repo, Own)
    }),
    ("that names another work tree", || {
        let (repo, store) = kept_at("repo.git");
        repo.beside("other").write("README", "hello\n");
        symlink(&store, repo.at(".git")).unwrap();
        repo.git(["config", "core.worktree", "../other"]);
        (repo, Vault(store))
    }),
    ("a bare repository", || {
        let (repo, store) = kept_at("repo.git");
        symlink(&store, repo.at(".git")).unwrap();
        repo.git(["config", "core.bare", "true"]);
        (repo, Refused)
    }),
    ("a bare repository that is made to look like none", || {
        let repo = Repo::new();
        let bare = repo.beside("bare.git");
        bare.git(["clone", "-q", "--bare", "../repo", "."]);
        bare.git(["config", "core.bare", "false"]);
        fs::remove_dir_all(repo.at(".git")).unwrap();
        symlink(bare.path(), repo.at(".git")).unwrap();
        repo.write("work", "1\n");
        (repo, Vault(bare.path().to_owned()))
    }),
    ("a folder of the same name elsewhere", || {
        let (repo, store) = kept_at("store/.git");
        symlink(&store, repo.at(".git")).unwrap();
        (repo, Vault(store))
    }),
    ("a folder of the same name elsewhere, which names this work tree", || {
        let (repo, store) = kept_at("store/.git");
        symlink(&store, repo.at(".git")).unwrap();
        repo.git(["config", "core.worktree", &repo.path().display().to_string()]);
        (repo, Own)
    }),
    ("a work tree that moved and left a link", || {
        let repo = Repo::new();
        repo.write("work", "1\n");
        fs::rename(repo.path(), repo.root().join("moved")).unwrap();
        symlink("moved", repo.path()).unwrap();
        (repo, Own)
    }),
    ("a copy of somebody's work tree", || {
        let (repo, store) = kept_at("repo.git");
        point_to(&repo, &store);
        let copy = repo.beside("copy");
        copy.write("README", "hello\n").write("work", "2\n");
        symlink(&store, copy.at(".git")).unwrap();
        (copy, Vault(store))
    }),
    ("a work tree with another name of a file in somebody's", || {
        let (repo, store) = kept_at("repo.git");
        point_to(&repo, &store);
        let other = repo.beside("other");
        other.write("work", "2\n");
        fs::hard_link(repo.at("README"), other.at("README")).unwrap();
        point_to(&other, &store);
        (other, Vault(store))
    }),
    // This is all that it takes to make the index know the files here.
    ("a copy of somebody's work tree in which git was run", || {
        let (repo, store) = kept_at("repo.git");
        point_to(&repo, &store);
        let copy = repo.beside("copy");
        copy.write("README", "hello\n").write("work", "2\n");
        symlink(&store, copy.at(".git")).unwrap();
        copy.git(["status"]);
        (copy, Named(store))
    }),
];

fn named(notices: &[RecordNotice]) -> Option<PathBuf> {
    let in_notice = |it: &RecordNotice| {
        let RecordNotice::GitDirElsewhere { git_dir } = it else { return None };
        Some(PathBuf::from(git_dir))
    };
    notices.iter().find_map(in_notice)
}

/// A folder that takes the place of a link once the repository was found does not make it this work tree's own.
#[test]
fn what_was_a_link_when_it_was_found_stays_one() {
    let repo = Repo::new();
    let theirs = repo.root().join("theirs");
    fs::create_dir(&theirs).unwrap();
    fs::rename(repo.at(".git"), theirs.join(".git")).unwrap();
    symlink(theirs.join(".git"), repo.at(".git")).unwrap();
    let found = Repository::open(repo.path()).unwrap().unwrap();
    fs::remove_file(repo.at(".git")).unwrap();
    repo.git(["init", "-q"]);
    assert!(!found.is_in_place());
    assert!(Repository::open(repo.path()).unwrap().unwrap().is_in_place());
}

/// S42: the answer to each world, in a plan and in what a person reads before they confirm.
#[test]
fn a_repository_elsewhere_is_named_in_full_or_left_alone() {
    for (case, make) in WORLDS {
        let (repo, expected) = make();
        let env = TestEnv::beside(&repo);
        let rescuer = rescuer(&repo);
        let store = match &expected {
            Named(store) | Vault(store) => store.clone(),
            Own | Refused => repo.at(".git").canonicalize().unwrap(),
        };
        let before = traces(&store);
        let text = |args: &[&str]| {
            let shown = env.run(repo.path(), args);
            shown.out + &shown.err
        };
        let read = text(&["rescue", "--dry-run", "-m", "m"]);
        let kept = text(&["rescue", "--record-only"]);
        let is_told = read.contains(&store.display().to_string());
        let is_told_of_the_record = kept.contains(&store.display().to_string());
        match rescuer.plan(repo.path(), "m") {
            Ok(plan) => {
                let named = named(&plan.record.notices);
                let answer = match (named, &plan.target, &plan.record.vault) {
                    (None, Some(_), _) => Own,
                    (Some(named), Some(_), _) => Named(named),
                    (_, None, Some(_)) => Vault(store.clone()),
                    other => panic!("{case}: {other:?}"),
                };
                assert_eq!(answer, expected, "{case}: {plan:?}");
                let must_be_told = !matches!(expected, Own);
                assert_eq!((is_told, is_told_of_the_record), (must_be_told, must_be_told), "{case}: {read}");
                if plan.target.is_none() {
                    assert_eq!(traces(&store), before, "{case}");
                    assert!(rescuer.commit(repo.path(), &plan).is_err(), "{case}");
                    assert_eq!(traces(&store), before, "{case}");
                } else {
                    let head = plan.head;
                    rescuer.commit(repo.path(), &plan).unwrap_or_else(|error| panic!("{case}: {error}"));
                    rescuer.undo(repo.path()).unwrap();
                    assert_eq!(rescuer.plan(repo.path(), "m").unwrap().head, head, "{case}");
                }
            }
            Err(RescueError::Refused(words)) => {
                assert_eq!(expected, Refused, "{case}: {words}");
                assert_eq!(traces(&store), before, "{case}");
            }
            Err(error) => panic!("{case}: {error}"),
        }
    }
}

/// The vault's reason of a record that is nowhere else.
fn reason(record: &RescueRecord) -> &str {
    let of = |it: &RecordNotice| matches!(it, RecordNotice::VaultOnly { .. });
    let Some(RecordNotice::VaultOnly { reason }) = record.notices.iter().find(|it| of(it)) else {
        panic!("{record:?}")
    };
    reason
}

/// Asserts that the work of a linked worktree is saved, that its repository stays as it is, and that the advice holds.
fn assert_saved(one: &Repo, common_dir: &Path, advice: &str) {
    let before = traces(common_dir);
    let plan = rescuer(one).plan(one.path(), "m").unwrap();
    assert!(plan.targets.is_empty() && plan.refusal.unwrap().contains(advice), "{:?}", plan.record);
    assert!(reason(&plan.record).contains(advice), "{}", reason(&plan.record));
    assert!(rescuer(one).undo(one.path()).unwrap_err().to_string().contains(advice));
    assert_eq!(traces(common_dir), before);
    let into = one.root().join("into");
    rescuer(one).restore(one.path(), &plan.record.reference, &into).unwrap();
    assert_eq!(fs::read(into.join("new")).unwrap(), b"precious\n");
    fs::remove_dir_all(into).unwrap();
}

// S42
#[test]
fn the_work_of_a_worktree_whose_file_names_the_folder_of_another_is_saved() {
    let repo = Repo::new();
    let [one, two] = ["one", "two"].map(|name| repo.worktree(name));
    let common_dir = repo.git_dir();
    one.write("new", "precious\n");
    two.write("theirs", "1\n");
    let theirs = record(&two);
    let own = fs::read_to_string(one.at(".git")).unwrap();
    fs::copy(two.at(".git"), one.at(".git")).unwrap();
    assert_saved(&one, &common_dir, own.trim());
    assert_eq!(rescuer(&two).list(two.path()).unwrap().records[0].worktree.as_deref(), Some(two.path()));
    // As told, it is its own again, and has what was saved meanwhile.
    fs::write(one.at(".git"), &own).unwrap();
    let listed = rescuer(&one).list(one.path()).unwrap();
    assert_eq!((listed.records.len(), listed.notices.len()), (2, 0), "{listed:?}");
    // Without a folder of its own, it must not take that of the other.
    fs::copy(two.at(".git"), one.at(".git")).unwrap();
    fs::remove_dir_all(common_dir.join("worktrees/one")).unwrap();
    assert_saved(&one, &common_dir, "do not run `git worktree repair` here");
    rescuer(&two).restore(two.path(), &theirs.reference, &repo.root().join("theirs")).unwrap();
}

#[test]
fn a_worktree_that_was_moved_is_saved_and_the_way_back_is_told() {
    let repo = Repo::new();
    let one = repo.worktree("one");
    let common_dir = repo.git_dir();
    drop(rescuer(&repo));
    one.write("new", "precious\n");
    fs::rename(one.path(), repo.root().join("moved")).unwrap();
    let moved = repo.beside("moved");
    assert_saved(&moved, &common_dir, "run `git worktree repair` in it");
    moved.git(["worktree", "repair"]);
    let listed = rescuer(&moved).list(moved.path()).unwrap();
    assert_eq!((listed.records.len(), listed.notices.len()), (1, 0), "{listed:?}");
}
