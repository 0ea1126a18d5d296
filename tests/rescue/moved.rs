//! Repositories that were moved, and others that were made where they had been: each has its own journal, whatever is
//! looked at first.

use std::fs;

use closeout::action::rescue::{Recovered, RescueError};
use closeout::model::{KeepIn, ObjectsGo, RecordOrder, RecordState, RescueRecord};

use super::fixture::*;
use crate::support::repo::Repo;

/// Moves the repository to `name` beside it.
fn moved(repo: &Repo, name: &str) -> Repo {
    fs::rename(repo.path(), repo.root().join(name)).unwrap();
    repo.beside(name)
}

/// Asserts that these are the records there, all of them known and whole.
fn assert_lists(repo: &Repo, expected: &[&RescueRecord]) {
    let list = rescuer(repo).list(repo.path()).unwrap();
    assert!(!list.is_damaged(), "{:?}", list.notices);
    let mut found: Vec<_> = list.records.iter().map(|it| (it.reference.clone(), it.state)).collect();
    let mut expected: Vec<_> = expected.iter().map(|it| (it.reference.clone(), RecordState::Kept)).collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    expected.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(found, expected);
    assert!(
        list.records.iter().all(|it| it.worktree.as_deref().is_some_and(std::path::Path::exists)),
        "{list:?}"
    );
}

#[test]
fn a_repository_at_the_former_place_of_another_does_not_take_over_its_journal() {
    for is_clone in [false, true] {
        let repo = rich();
        let first = record(&repo);
        commit(&repo);
        let there = moved(&repo, "there");
        assert_lists(&there, &[&first]);
        let other = there.beside("repo");
        if is_clone {
            there.git(["clone", "-q", &format!("file://{}", there.path().display()), "../repo"]);
        } else {
            other.git(["init", "-q", "-b", "main"]);
            other.write("theirs", "1\n").commit("theirs");
        }
        assert_lists(&other, &[]);
        let head = other.head();
        assert!(matches!(rescuer(&other).undo(other.path()), Err(RescueError::Nothing)), "{is_clone}");
        assert_eq!(other.head(), head);
        other.write("more", "2\n");
        let theirs = record(&other);
        commit(&other);
        assert_lists(&other, &[&theirs]);
        assert_lists(&there, &[&first]);
        rescuer(&other).undo(other.path()).unwrap();
        assert_eq!(other.head(), head);
        rescuer(&there).undo(there.path()).unwrap();
        rescuer(&there).restore(there.path(), &first.reference, &repo.root().join("into")).unwrap();
        assert_lists(&other, &[&theirs]);
        // Back at its former place, it still has its own.
        fs::remove_dir_all(other.path()).unwrap();
        let back = moved(&there, "repo");
        rescuer(&back).redo(back.path()).unwrap();
        let listed = rescuer(&back).list(back.path()).unwrap().records;
        let kept = listed.iter().find(|it| it.reference == first.reference).map(|it| it.state);
        assert_eq!(kept, Some(RecordState::Kept), "{listed:?}");
    }
}

/// What moves to another disk often leaves a link for what still knows its former place.
#[test]
fn a_link_at_the_former_place_of_a_repository_leads_to_its_journal() {
    let repo = rich();
    let before = repo.head();
    let first = record(&repo);
    commit(&repo);
    let there = moved(&repo, "there");
    std::os::unix::fs::symlink("there", repo.path()).unwrap();
    assert_lists(&there, &[&first]);
    rescuer(&there).undo(there.path()).unwrap();
    assert_eq!(there.head(), before);
}

/// A local clone has every object of the records, and none of their references.
#[test]
fn a_local_clone_at_the_former_place_of_a_repository_does_not_take_over_its_journal() {
    for (spoiled, is_moved_first) in [("", false), ("", true), ("packed-refs", false), ("config", false)] {
        let repo = rich();
        let first = record(&repo);
        commit(&repo);
        let there = repo.root().join("there");
        fs::rename(repo.path(), &there).unwrap();
        let later = format!("{} +0000", first.time.0 / 1000 + 2);
        let from = there.display().to_string();
        let clone = ["clone", "-q", &from, &repo.path().display().to_string()];
        let cloned = repo.beside("there").try_git(&clone, &[("GIT_COMMITTER_DATE", &later)]);
        assert!(cloned.status.success(), "{cloned:?}");
        let has_all = repo.try_git(&["cat-file", "-e", &first.snapshot.to_string()], &[]);
        assert!(has_all.status.success(), "{has_all:?}");
        if is_moved_first {
            assert_lists(&repo.beside("there"), &[&first]);
        }
        if spoiled.is_empty() {
            let head = repo.head();
            assert!(matches!(rescuer(&repo).undo(repo.path()), Err(RescueError::Nothing)));
            assert_eq!(repo.head(), head);
        } else {
            let path = repo.git_dir().join(spoiled);
            let _ = fs::remove_file(&path);
            repo.fifo(&path);
        }
        let listed = rescuer(&repo).list(repo.path()).unwrap();
        assert!(listed.records.is_empty(), "{spoiled}: {listed:?}");
        let there = repo.beside("there");
        assert_lists(&there, &[&first]);
        rescuer(&there).undo(there.path()).unwrap();
    }
}

/// Moves the repository and has git tell its worktrees of it.
fn moved_with_worktrees(repo: &Repo, linked: &Repo) -> Repo {
    let there = moved(repo, "there");
    there.git(["worktree", "repair", &linked.path().display().to_string()]);
    there
}

#[test]
fn a_moved_repository_with_worktrees_is_known_again_wherever_closeout_is_run_first() {
    for is_main_first in [false, true] {
        let repo = rich();
        let linked = repo.worktree("linked");
        linked.write("work", "1\n");
        let records = [&repo, &linked].map(record);
        let heads = [&repo, &linked].map(Repo::head);
        for worktree in [&repo, &linked] {
            commit(worktree);
        }
        let there = moved_with_worktrees(&repo, &linked);
        let mut both = [(&there, &heads[0]), (&linked, &heads[1])];
        if !is_main_first {
            both.reverse();
        }
        for (worktree, head) in both {
            assert_lists(worktree, &[&records[0], &records[1]]);
            rescuer(worktree)
                .undo(worktree.path())
                .unwrap_or_else(|error| panic!("{is_main_first}: {error}"));
            assert_eq!(worktree.head(), *head);
        }
        // Moved back, the records of a worktree that is gone come along.
        there.git(["worktree", "remove", "--force", &linked.path().display().to_string()]);
        let back = moved(&there, "repo");
        let listed = rescuer(&back).list(back.path()).unwrap();
        assert!(!listed.is_damaged() && listed.records.len() == 2, "{listed:?}");
        assert!(listed.records.iter().all(|it| it.state == RecordState::Kept), "{listed:?}");
    }
}

/// Nothing was moved: the repository was deleted, and another was made at its path.
#[test]
fn a_repository_that_was_made_anew_does_not_take_over_the_journal_and_the_vault_stays() {
    for is_clone in [false, true] {
        let repo = rich();
        let origin = repo.root().join("origin");
        repo.git(["clone", "-q", "--bare", ".", "../origin"]);
        let order = RecordOrder { keep_in: KeepIn::RepositoryAndVault, ..RecordOrder::default() };
        let in_both = rescuer(&repo).record_ordered(repo.path(), order).unwrap();
        commit(&repo);
        repo.write("later", "1\n");
        record(&repo);
        fs::remove_dir_all(repo.path()).unwrap();
        if is_clone {
            repo.beside("other").git(["clone", "-q", &origin.display().to_string(), "../repo"]);
        } else {
            repo.beside("repo").git(["init", "-q", "-b", "main"]);
            repo.write("theirs", "1\n").commit("theirs");
        }
        let of_vault = || {
            let listed = rescuer(&repo).list(repo.path()).unwrap();
            assert!(!listed.is_damaged(), "{:?}", listed.notices);
            let mut old = listed.records;
            old.retain(|it| it.state == RecordState::VaultOnly);
            assert_eq!(old.iter().map(|it| &it.reference).collect::<Vec<_>>(), [&in_both.reference]);
        };
        of_vault();
        assert!(matches!(rescuer(&repo).undo(repo.path()), Err(RescueError::Nothing)), "{is_clone}");
        let into = repo.root().join("into");
        let n_files = rescuer(&repo).restore(repo.path(), &in_both.reference, &into).unwrap();
        assert_eq!(n_files, in_both.n_files);
        // It gets a journal of its own.
        let before = fingerprint(&repo);
        repo.write("more", "2\n");
        let theirs = record(&repo);
        commit(&repo);
        rescuer(&repo).undo(repo.path()).unwrap();
        repo.remove("more");
        assert_eq!(fingerprint(&repo), before);
        of_vault();
        let listed = rescuer(&repo).list(repo.path()).unwrap().records;
        assert!(listed.iter().any(|it| it.reference == theirs.reference && it.state == RecordState::Kept));
        rescuer(&repo).delete(repo.path(), &in_both.reference, true).unwrap();
        assert!(!in_both.vault.unwrap().exists());
        assert_lists(&repo, &[&theirs]);
    }
}

/// Replaces the repository with a copy, as from a backup.
fn copy_back(repo: &Repo) {
    let backup = repo.root().join("backup");
    assert!(copied(repo.path(), &backup));
    fs::remove_dir_all(repo.path()).unwrap();
    assert!(copied(&backup, repo.path()));
}

/// A repository that comes back from a backup is the same one, whatever its files are now.
#[test]
fn a_repository_that_was_copied_back_has_its_journal() {
    let repo = rich();
    let made = record(&repo);
    let before = fingerprint(&repo);
    commit(&repo);
    copy_back(&repo);
    assert_lists(&repo, &[&made]);
    rescuer(&repo).undo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo).references, before.references);
}

/// The same where only a worktree that is gone has a record, whose reference somebody may have removed.
#[test]
fn a_repository_that_was_copied_back_has_the_journals_of_worktrees_that_are_gone() {
    for (is_reference_gone, is_head_broken) in [(false, false), (true, false), (false, true)] {
        let repo = rich();
        drop(rescuer(&repo).undo(repo.path()));
        let linked = repo.worktree("linked");
        linked.write("work", "1\n");
        let order = RecordOrder { keep_in: KeepIn::RepositoryAndVault, ..RecordOrder::default() };
        let made = rescuer(&linked).record_ordered(linked.path(), order).unwrap();
        repo.git(["worktree", "remove", "--force", &linked.path().display().to_string()]);
        if is_reference_gone {
            repo.git(["update-ref", "-d", &made.reference]);
        }
        copy_back(&repo);
        if is_head_broken {
            fs::write(repo.git_dir().join("HEAD"), "nothing\n").unwrap();
        }
        let listed = rescuer(&repo).list(repo.path()).unwrap();
        let states: Vec<_> = listed.records.iter().map(|it| (&it.reference, it.state)).collect();
        let state = if is_reference_gone { RecordState::PutBack } else { RecordState::Kept };
        assert_eq!(states, [(&made.reference, state)], "{listed:?}");
        if !is_head_broken {
            assert_eq!(listed.totals.n_disk_bytes, made.n_disk_bytes);
            rescuer(&repo).delete(repo.path(), &made.reference, true).unwrap();
            assert_eq!(super::forget::left(&repo), (String::new(), vec![]));
        }
    }
}

/// The same where a branch was made for loose commits, and nothing else was saved.
#[test]
fn a_repository_that_was_copied_back_can_undo_its_branch() {
    let (repo, tip) = super::loose::detached();
    let plan = rescuer(&repo).branch_plan(repo.path(), &[tip.parse().unwrap()]).unwrap();
    rescuer(&repo).create_branch(repo.path(), &plan).unwrap();
    copy_back(&repo);
    let undo = rescuer(&repo).undo_plan(repo.path()).unwrap();
    rescuer(&repo).turn_back(repo.path(), &undo).unwrap();
    rescuer(&repo).redo(repo.path()).unwrap();
    let name = repo.git(["for-each-ref", "--format=%(refname)", "refs/closeout/kept"]);
    rescuer(&repo).delete(repo.path(), &name, false).unwrap();
}

/// Another one was at its path in between.
#[test]
fn a_repository_that_comes_back_to_its_path_has_its_journals_again() {
    for is_copy in [false, true] {
        let repo = rich();
        drop(rescuer(&repo).undo(repo.path()));
        let linked = repo.worktree("linked");
        linked.write("work", "1\n");
        let made = record(&linked);
        repo.git(["worktree", "remove", "--force", &linked.path().display().to_string()]);
        fs::rename(repo.path(), repo.root().join("away")).unwrap();
        let other = repo.beside("repo");
        other.git(["init", "-q", "-b", "main"]);
        other.write("theirs", "1\n");
        let theirs = record(&other);
        assert_lists(&other, &[&theirs]);
        fs::remove_dir_all(other.path()).unwrap();
        if is_copy {
            assert!(copied(&repo.root().join("away"), repo.path()));
        } else {
            fs::rename(repo.root().join("away"), repo.path()).unwrap();
        }
        let listed = rescuer(&repo).list(repo.path()).unwrap();
        let states: Vec<_> = listed.records.iter().map(|it| (&it.reference, it.state)).collect();
        assert_eq!(states, [(&made.reference, RecordState::Kept)], "{listed:?}");
    }
}

/// An earlier version noted of no place when its repository was made.
#[test]
fn a_moved_repository_takes_along_the_places_that_an_earlier_version_noted() {
    let repo = rich();
    let linked = repo.worktree("linked");
    linked.write("work", "1\n");
    let beside = record(&linked);
    repo.git(["worktree", "remove", "--force", &linked.path().display().to_string()]);
    let key = beside.reference.split('/').nth(3).unwrap();
    let place = repo.root().join("state/rescue").join(key).join("place");
    let noted = fs::read_to_string(&place).unwrap();
    fs::write(&place, noted.lines().take(2).collect::<Vec<_>>().join("\n")).unwrap();
    let made = record(&repo);
    let there = moved(&repo, "there");
    let listed = rescuer(&there).list(there.path()).unwrap();
    let mut states: Vec<_> = listed.records.iter().map(|it| (&it.reference, it.state)).collect();
    states.sort_by_key(|(reference, _)| **reference != made.reference);
    assert_eq!(states, [(&made.reference, RecordState::Kept), (&beside.reference, RecordState::Kept)]);
}

/// The one that was there before was moved, and closeout has not seen it since.
#[test]
fn a_repository_at_the_place_of_another_forgets_only_the_copy_of_its_record() {
    for is_deletion_cut in [false, true] {
        let repo = rich();
        let before = fingerprint(&repo);
        let order = RecordOrder { keep_in: KeepIn::RepositoryAndVault, ..RecordOrder::default() };
        let made = rescuer(&repo).record_ordered(repo.path(), order).unwrap();
        commit(&repo);
        let journal = super::keep::journal(&repo);
        if is_deletion_cut {
            let told = serde_json::json!({ "act": "forgotten", "reference": made.reference, "moves": [] });
            let text = fs::read_to_string(&journal).unwrap();
            fs::write(&journal, text + &super::keep::line(&told.to_string())).unwrap();
        }
        let text = fs::read_to_string(&journal).unwrap();
        fs::rename(repo.path(), repo.root().join("away")).unwrap();
        let other = repo.beside("repo");
        other.git(["init", "-q", "-b", "main"]);
        other.write("theirs", "1\n").commit("theirs");
        if is_deletion_cut {
            assert_eq!(rescuer(&other).recover(other.path()).unwrap(), Recovered::Nothing);
            assert_eq!(rescuer(&other).unfinished(), Vec::<std::path::PathBuf>::new());
            assert_lists(&other, &[]);
        } else {
            let refused = rescuer(&other).delete(other.path(), &made.reference, false);
            assert!(matches!(refused, Err(RescueError::WouldLose { is_known: false })), "{refused:?}");
            let forgotten = rescuer(&other).delete(other.path(), &made.reference, true).unwrap();
            assert_eq!((forgotten.n_references, forgotten.is_undo_gone), (0, false));
            assert_eq!(forgotten.objects_go, ObjectsGo::Elsewhere);
            assert!(!made.vault.as_ref().unwrap().exists());
            assert_lists(&other, &[]);
            assert!(rescuer(&other).delete(other.path(), &made.reference, true).is_err());
        }
        assert_eq!(fs::read_to_string(&journal).unwrap(), text);
        let away = repo.beside("away");
        if is_deletion_cut {
            assert_lists(&away, &[]);
            assert_eq!(super::forget::left(&away).0.lines().count(), 1, "the pin of the commit");
        } else {
            assert_lists(&away, &[&made]);
            rescuer(&away).undo(away.path()).unwrap();
            assert_eq!(fingerprint(&away).references, before.references);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "as a person does it")]
fn copied(from: &std::path::Path, to: &std::path::Path) -> bool {
    std::process::Command::new("cp").arg("-a").args([from, to]).status().unwrap().success()
}
