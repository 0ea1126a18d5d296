//! Repositories that were moved, and others that were made where they had been: each has its own journal, whatever is
//! looked at first.

use std::fs;

use closeout::action::rescue::RescueError;
use closeout::model::{RecordState, RescueRecord};

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
