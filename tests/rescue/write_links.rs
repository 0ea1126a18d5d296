//! Links in a git directory lead no write outside: the record goes into the vault, nothing is committed, and an undo
//! waits until the link is gone. The witness is a plain walk over what lies outside.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use closeout::action::rescue::{RescueError, RescueStep};
use closeout::model::{RecordNotice, RecordState};
use strum::VariantArray as _;

use super::fixture::*;
use super::keep::list;
use crate::support::repo::Repo;
use crate::support::test_env::traces;

/// Paths in the git directory that all worktrees share. What is missing is made.
const SHARED: [&str; 19] = [
    "objects", "objects/pack", "objects/ab", "objects/info", "refs", "refs/heads", "refs/closeout",
    "refs/closeout/rescue", "refs/closeout/visible", "refs/closeout-12345678", "packed-refs", "logs",
    "logs/HEAD", "logs/refs", "logs/refs/heads", "logs/refs/heads/main", "logs/refs/closeout", "index",
    "reftable",
];
/// Paths in the git directory of a linked worktree.
const OWN: [&str; 5] = ["index", "logs", "logs/HEAD", "refs", "reftable"];

fn outside(repo: &Repo) -> PathBuf {
    repo.root().join("outside")
}

/// Moves a path of a git directory outside and puts a link in its place.
fn lead_out(repo: &Repo, path: &Path) {
    let outside = outside(repo);
    fs::create_dir_all(&outside).unwrap();
    let to = outside.join("moved");
    if path.symlink_metadata().is_err() {
        fs::create_dir_all(path).unwrap();
    }
    fs::rename(path, &to).unwrap();
    symlink(&to, path).unwrap();
}

fn lead_back(repo: &Repo, path: &Path) {
    fs::remove_file(path).unwrap();
    fs::rename(outside(repo).join("moved"), path).unwrap();
}

/// The notice that names the link.
fn assert_named(notices: &[RecordNotice], case: &str) {
    let is_named = notices.iter().any(|notice| {
        matches!(notice, RecordNotice::VaultOnly { reason }
            if reason.contains("is a symbolic link to ") && reason.contains("outside/moved"))
    });
    assert!(is_named, "{case}: {notices:?}");
}

/// Whether every place gets the whole flow. A plain run gives it to one of them.
fn is_whole() -> bool {
    std::env::var_os("CLOSEOUT_TEST_ALL").is_some()
}

/// Makes a plan in a repository with a link, and tries it. Nothing outside changes.
fn assert_nothing_leaves(repo: &Repo, case: &str) {
    let before = traces(&outside(repo));
    let shown = rescuer(repo).plan(repo.path(), "m").unwrap();
    assert_named(&shown.record.notices, case);
    let refusal = shown.refusal.clone().unwrap();
    assert!(shown.target.is_none() && refusal.contains("link"), "{case}: {refusal}");
    let refused = rescuer(repo).commit(repo.path(), &shown);
    assert!(matches!(&refused, Err(RescueError::SavedOnly(_))), "{case}: {refused:?}");
    assert_eq!(list(repo).records[0].state, RecordState::VaultOnly, "{case}");
    assert_eq!(traces(&outside(repo)), before, "{case}");
}

/// Everything that a person can ask for, in a repository with a link. Nothing outside changes, and the work can be
/// restored.
fn assert_whole_flow_leaves_nothing(repo: &Repo, case: &str) {
    let (before, work) = (traces(&outside(repo)), fingerprint(repo).work_tree);
    let made = rescuer(repo).record(repo.path()).unwrap();
    assert_named(&made.notices, case);
    let again = rescuer(repo).record(repo.path()).unwrap();
    assert!(again.unchanged_millis.is_some() && again.reference == made.reference, "{case}: made twice");
    assert_named(&again.notices, case);
    let shown = rescuer(repo).plan(repo.path(), "m").unwrap();
    let refusal = shown.refusal.clone().unwrap();
    assert!(shown.target.is_none() && refusal.contains("link"), "{case}: {refusal}");
    let refused = rescuer(repo).commit(repo.path(), &shown);
    assert!(matches!(&refused, Err(RescueError::SavedOnly(_))), "{case}: {refused:?}");
    assert_eq!(list(repo).records[0].state, RecordState::VaultOnly, "{case}");
    let into = repo.root().join("into");
    rescuer(repo).restore(repo.path(), &made.reference, &into).unwrap();
    for name in ["README", "new/x"] {
        assert_eq!(fs::read(into.join(name)).unwrap(), fs::read(repo.at(name)).unwrap(), "{case}: {name}");
    }
    fs::remove_dir_all(into).unwrap();
    rescuer(repo).recover(repo.path()).unwrap();
    rescuer(repo).delete(repo.path(), &made.reference, true).unwrap();
    assert_eq!(fingerprint(repo).work_tree, work, "{case}");
    assert_eq!(traces(&outside(repo)), before, "{case}");
}

/// A repository with a commit of closeout's, so that all of its folders are there, and new work.
fn used(repo: Repo) -> Repo {
    repo.write("before", "1\n");
    commit(&repo);
    repo.write("new/x", "x\n").write("README", "changed\n").stage("README");
    repo
}

fn assert_there_and_back(repo: &Repo, case: &str) {
    let before = fingerprint(repo);
    commit(repo);
    rescuer(repo).undo(repo.path()).unwrap();
    assert_eq!(fingerprint(repo), before, "{case}");
}

#[test]
fn no_write_leaves_the_shared_git_directory() {
    let repo = used(Repo::new());
    for (n, name) in SHARED.into_iter().enumerate() {
        let path = repo.git_dir().join(name);
        if name == "packed-refs" {
            repo.git(["pack-refs", "--all"]);
        }
        let is_there = path.symlink_metadata().is_ok();
        lead_out(&repo, &path);
        assert_nothing_leaves(&repo, name);
        if n == 0 || is_whole() {
            assert_whole_flow_leaves_nothing(&repo, name);
        }
        lead_back(&repo, &path);
        if !is_there {
            fs::remove_dir_all(&path).unwrap();
        }
        if n == 0 || is_whole() {
            assert_there_and_back(&repo, name);
        }
    }
    assert_there_and_back(&repo, "after all of them");
}

#[test]
fn no_write_leaves_the_git_directory_of_a_linked_worktree() {
    let main = Repo::new();
    let repo = used(main.worktree("side"));
    let shared = if is_whole() { &SHARED[..10] } else { &SHARED[5..7] };
    for (names, top) in [(&OWN[..], main.git_dir().join("worktrees/side")), (shared, main.git_dir())] {
        for name in names {
            let path = top.join(name);
            let is_there = path.symlink_metadata().is_ok();
            lead_out(&repo, &path);
            assert_nothing_leaves(&repo, name);
            if is_whole() {
                assert_whole_flow_leaves_nothing(&repo, name);
            }
            lead_back(&repo, &path);
            if !is_there {
                fs::remove_dir_all(&path).unwrap();
            }
        }
    }
    assert_there_and_back(&repo, "after all of them");
}

#[test]
fn no_write_leaves_a_table_of_references() {
    for name in ["reftable", "reftable/tables.list"] {
        let repo = used(Repo::with_format(&["--ref-format=reftable"]));
        let path = repo.git_dir().join(name);
        lead_out(&repo, &path);
        assert_nothing_leaves(&repo, name);
        lead_back(&repo, &path);
        if name == "reftable" || is_whole() {
            assert_there_and_back(&repo, name);
        }
    }
}

/// As `cp -al` makes a clone: what has a second name is replaced, also a log, to which git itself would append.
#[test]
fn what_has_a_second_name_outside_stays_as_it_is() {
    let repo = used(Repo::new());
    fs::create_dir(outside(&repo)).unwrap();
    repo.git(["pack-refs", "--all"]);
    repo.git(["update-ref", "refs/heads/main", &repo.git(["rev-parse", "HEAD~"])]);
    for name in
        ["index", "refs/heads/main", "HEAD", "config", "packed-refs", "logs/HEAD", "logs/refs/heads/main"]
    {
        fs::hard_link(repo.git_dir().join(name), outside(&repo).join(name.replace('/', "-"))).unwrap();
    }
    let before = traces(&outside(&repo));
    assert_there_and_back(&repo, "each file");
    assert_eq!(repo.git(["log", "-g", "--format=%gs", "-2"]), "closeout\ncloseout");
    assert_eq!(traces(&outside(&repo)), before);
}

/// As `git-new-workdir` makes a work tree: nearly everything is a link to another repository.
#[test]
fn a_work_tree_of_links_is_saved_and_its_repository_left_alone() {
    let repo = used(Repo::new());
    let other = repo.beside("other");
    fs::create_dir_all(other.at(".git/logs")).unwrap();
    for name in ["config", "refs", "logs/refs", "objects", "info", "hooks", "packed-refs"] {
        let _ = fs::create_dir(repo.git_dir().join("info"));
        symlink(repo.git_dir().join(name), other.at(".git").join(name)).unwrap();
    }
    for name in ["HEAD", "index"] {
        fs::copy(repo.git_dir().join(name), other.at(".git").join(name)).unwrap();
    }
    fs::write(other.at("README"), "of the other\n").unwrap();
    let before = traces(&repo.git_dir());
    let rescuer = rescuer(&repo);
    let made = rescuer.record(other.path()).unwrap();
    assert!(matches!(made.notices[..], [RecordNotice::VaultOnly { .. }]), "{:?}", made.notices);
    let into = repo.root().join("into");
    rescuer.restore(other.path(), &made.reference, &into).unwrap();
    assert_eq!(fs::read(into.join("README")).unwrap(), b"of the other\n");
    assert!(rescuer.plan(other.path(), "m").unwrap().target.is_none());
    assert_eq!(traces(&repo.git_dir()), before);
}

/// What HEAD points to is not known then. The work is saved all the same.
#[test]
fn work_is_saved_although_head_leads_to_a_file_that_is_no_reference() {
    for name in ["HEAD", "refs/heads/main", "refs/heads", "refs"] {
        for is_link in [true, false] {
            let repo = used(Repo::new());
            let path = repo.git_dir().join(name);
            if is_link {
                let theirs = outside(&repo).join("theirs");
                fs::create_dir_all(theirs.join("heads")).unwrap();
                for file in ["file", "main", "heads/main"] {
                    fs::write(theirs.join(file), "hunter2\n").unwrap();
                }
                let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
                let is_folder = matches!(name, "refs" | "refs/heads");
                symlink(if is_folder { theirs } else { theirs.join("file") }, &path).unwrap();
            } else if path.is_dir() {
                fs::write(repo.git_dir().join("refs/heads/main"), "no reference\n").unwrap();
            } else {
                fs::write(&path, "no reference\n").unwrap();
            }
            let case = format!("{name}, a link: {is_link}");
            let made = rescuer(&repo).record(repo.path()).unwrap();
            assert!(made.vault.is_some() && !made.gaps.is_empty(), "{case}: {made:?}");
            let again = rescuer(&repo).record(repo.path()).unwrap();
            assert_eq!(again.reference, made.reference, "{case}");
            let shown = rescuer(&repo).plan(repo.path(), "m").unwrap();
            assert!(shown.target.is_none() && shown.refusal.is_some(), "{case}");
            assert!(!format!("{made:?}{shown:?}").contains("hunter2"), "{case}");
            let into = repo.root().join("into");
            rescuer(&repo).restore_vault(&made.vault.unwrap(), &[], &into).unwrap();
            for name in ["README", "new/x"] {
                assert_eq!(fs::read(into.join(name)).unwrap(), fs::read(repo.at(name)).unwrap(), "{case}");
            }
        }
    }
}

/// A commit that was made before the link came is taken back after it went.
#[test]
fn an_undo_waits_until_the_link_is_gone() {
    for name in ["refs/heads", "logs", "index", "objects"] {
        let repo = used(Repo::new());
        let before = fingerprint(&repo);
        commit(&repo);
        let path = repo.git_dir().join(name);
        lead_out(&repo, &path);
        let outside_before = traces(&outside(&repo));
        let refused = rescuer(&repo).undo(repo.path());
        assert!(matches!(refused, Err(RescueError::Linked(_))), "{name}: {refused:?}");
        let refused = rescuer(&repo).undo_plan(repo.path());
        assert!(matches!(refused, Err(RescueError::Linked(_))), "{name}: {refused:?}");
        list(&repo);
        assert_eq!(traces(&outside(&repo)), outside_before, "{name}");
        lead_back(&repo, &path);
        rescuer(&repo).undo(repo.path()).unwrap();
        assert_eq!(fingerprint(&repo), before, "{name}");
    }
}

/// The link comes between any two steps of a commit. What closeout itself writes never goes through it; once the
/// link is gone, the repository is as before the commit or as after it.
#[test]
fn a_link_that_comes_between_two_steps_leads_nothing_outside() {
    let names = ["objects/pack", "refs/heads", "refs/closeout", "logs/HEAD"];
    for (n, step) in RescueStep::VARIANTS.iter().enumerate() {
        // A plain run tries one of the places at each step.
        for (_, name) in names.iter().enumerate().filter(|(place, _)| is_whole() || n % names.len() == *place)
        {
            let case = format!("{name} at {step:?}");
            let repo = used(Repo::new());
            let before = fingerprint(&repo);
            let shown = plan(&repo);
            let (path, kept) = (repo.git_dir().join(name), repo.root().join("kept"));
            fs::create_dir(outside(&repo)).unwrap();
            if path.is_dir() {
                fs::create_dir(outside(&repo).join("moved")).unwrap();
            } else {
                fs::write(outside(&repo).join("moved"), "theirs\n").unwrap();
            }
            let outside_before = traces(&outside(&repo));
            let swap = {
                let (path, kept, outside) = (path.clone(), kept.clone(), outside(&repo).join("moved"));
                move || {
                    if !kept.exists() {
                        fs::rename(&path, &kept).unwrap();
                        symlink(&outside, &path).unwrap();
                    }
                }
            };
            let committed = rescuer_at(&repo, *step, swap).commit(repo.path(), &shown);
            assert_eq!(traces(&outside(&repo)), outside_before, "{case}");
            if !kept.exists() {
                continue;
            }
            fs::remove_file(&path).unwrap();
            fs::rename(&kept, &path).unwrap();
            rescuer(&repo).recover(repo.path()).unwrap();
            if committed.is_ok() {
                rescuer(&repo).undo(repo.path()).unwrap();
            }
            let after = fingerprint(&repo);
            assert_eq!((&after.work_tree, &after.locks), (&before.work_tree, &before.locks), "{case}");
            if after != before {
                rescuer(&repo).undo(repo.path()).unwrap();
                assert_eq!(fingerprint(&repo), before, "{case}: {committed:?}");
            }
        }
    }
}
