//! Records as bundles in our own folder.

use std::fs;

use closeout::model::{KeepIn, RecordOrder, RecordState};

use super::fixture::*;
use super::keep::list;
use crate::support::repo::Repo;

fn order(keep_in: KeepIn) -> RecordOrder {
    RecordOrder { keep_in, ..RecordOrder::default() }
}

fn assert_restored(repo: &Repo, into: &std::path::Path) {
    for name in ["README", "split", "new/deep/x", "e", "d"] {
        assert_eq!(fs::read(into.join(name)).unwrap(), fs::read(repo.at(name)).unwrap(), "{name}");
    }
    assert_eq!(fs::read_link(into.join("link")).unwrap(), fs::read_link(repo.at("link")).unwrap());
}

#[test]
fn a_bundle_gives_the_work_back_when_the_repository_is_gone() {
    let repo = rich();
    let before = fingerprint(&repo);
    let made = rescuer(&repo).record_ordered(repo.path(), order(KeepIn::RepositoryAndVault)).unwrap();
    assert_eq!(fingerprint(&repo), before);
    let bundle = made.vault.clone().unwrap();
    assert_eq!(list(&repo).records[0].vault, Some(bundle.clone()));
    fs::remove_dir_all(repo.git_dir()).unwrap();
    let into = repo.root().join("into");
    let n = rescuer(&repo).restore_vault(&bundle, &[], &into).unwrap().n_files();
    assert_eq!(n, made.n_files);
    assert_restored(&repo, &into);
}

// S33
#[test]
fn a_record_in_the_vault_alone_writes_nothing_to_the_repository() {
    for format in ["sha1", "sha256"] {
        let repo = Repo::with_format(&[&format!("--object-format={format}")]);
        repo.write("a", "1\n").commit("first");
        repo.write("a", "2\n").write("git~1", "refused\n");
        let objects = || repo.git(["count-objects", "-v"]);
        let before = (fingerprint(&repo), objects());
        let made = rescuer(&repo).record_ordered(repo.path(), order(KeepIn::Vault)).unwrap();
        assert_eq!((fingerprint(&repo), objects()), before);
        assert_eq!(repo.git(["for-each-ref", "refs/closeout"]), "");
        let found = list(&repo);
        assert_eq!(found.notices, []);
        assert_eq!(found.records[0].state, RecordState::VaultOnly);
        let into = repo.root().join("into");
        rescuer(&repo).restore(repo.path(), &made.reference, &into).unwrap();
        assert_eq!(fs::read(into.join("a")).unwrap(), b"2\n");
        assert_eq!(fs::read(into.join("names-that-git-refuses/0")).unwrap(), b"refused\n");
        rescuer(&repo).delete(repo.path(), &made.reference, true).unwrap();
        assert!(!made.vault.unwrap().exists());
        assert_eq!(list(&repo).records, []);
    }
}

/// What was saved while `.git` led nowhere is known again once it leads somewhere.
#[test]
fn a_record_of_a_work_tree_whose_git_file_is_broken_is_found_after_the_repair() {
    for is_separate in [false, true] {
        let repo = Repo::new();
        let broken = if is_separate {
            repo.git(["init", "-q", "--separate-git-dir", "../store"]);
            repo.beside("repo")
        } else {
            repo.worktree("linked")
        };
        drop(rescuer(&repo));
        let dot_git = fs::read(broken.at(".git")).unwrap();
        fs::write(broken.at(".git"), "gitdir: /nonexistent/x\n").unwrap();
        broken.write("new", "precious\n");
        let made = rescuer(&repo).record(broken.path()).unwrap();
        let bundle = made.vault.clone().unwrap();
        assert_eq!(list(&broken).records.len(), 1);
        fs::write(broken.at(".git"), dot_git).unwrap();
        fs::remove_file(broken.at("new")).unwrap();
        // In the worktree itself first, then in each of the repository.
        for place in [&broken, &repo] {
            let found = list(place);
            assert_eq!(found.notices, [], "{is_separate}");
            let states: Vec<_> = found.records.iter().map(|it| (&it.reference, it.state)).collect();
            assert_eq!(states, [(&made.reference, RecordState::VaultOnly)], "{is_separate}");
            let into = tempfile::tempdir_in(repo.root()).unwrap();
            rescuer(&repo).restore(place.path(), &made.reference, into.path()).unwrap();
            assert_eq!(fs::read(into.path().join("new")).unwrap(), b"precious\n");
        }
        broken.write("later", "1\n");
        assert_eq!(record(&broken).vault, None);
        assert_eq!(list(&broken).records.len(), 2);
        rescuer(&repo).delete(broken.path(), &made.reference, true).unwrap();
        assert!(!bundle.exists());
        assert_eq!(list(&broken).records.len(), 1);
    }
}
