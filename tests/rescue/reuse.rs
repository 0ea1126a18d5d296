//! Recording a state that is already recorded: the record is reused, but only if everything is unchanged.

use std::fs;
use std::os::unix::fs::FileExt as _;

use closeout::model::{KeepIn, RecordOrder};

use super::fixture::*;
use crate::support::repo::Repo;

fn n_records(repo: &Repo) -> usize {
    repo.git(["for-each-ref", "refs/closeout/rescue"]).lines().count()
}

#[test]
fn what_has_not_changed_is_recorded_once() {
    let repo = rich();
    let first = record(&repo);
    assert_eq!(first.unchanged_millis, None);
    let second = record(&repo);
    assert!(second.unchanged_millis.is_some());
    let again = closeout::model::RescueRecord { unchanged_millis: None, ..second };
    assert_eq!(again, first);
    let plan = plan(&repo);
    assert_eq!(plan.record.reference, first.reference);
    assert_eq!(n_records(&repo), 1);
    assert_holds_the_work_tree(&repo, &plan.record);
    // Undoing its commit leaves the same state, which is still recorded.
    let before = fingerprint(&repo);
    commit(&repo);
    rescuer(&repo).undo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo), before);
    assert_eq!(record(&repo).reference, first.reference);
    // Forgetting the record also forgets all its moves.
    commit(&repo);
    assert!(rescuer(&repo).delete(repo.path(), &first.reference, true).unwrap().is_undo_gone);
}

#[test]
fn whatever_has_changed_makes_a_new_record() {
    type Change = fn(&Repo);
    let changes: [(&str, Change); 9] = [
        ("a content, with its size and time as they were", |repo| {
            let file = fs::File::options().write(true).open(repo.at("split")).unwrap();
            let modified = file.metadata().unwrap().modified().unwrap();
            file.write_at(b"F", 0).unwrap();
            file.set_modified(modified).unwrap();
        }),
        ("a new file", |repo| fs::write(repo.at("another"), "1\n").unwrap()),
        ("a file that is gone", |repo| fs::remove_file(repo.at("e")).unwrap()),
        ("an exec bit", |repo| make_executable(&repo.at("e"))),
        ("what is staged", |repo| drop(repo.git(["add", "new/deep/x"]))),
        ("a flag in the index", |repo| drop(repo.git(["update-index", "--assume-unchanged", "d"]))),
        ("the time of the index", |repo| {
            let index = fs::File::options().write(true).open(repo.git_dir().join("index")).unwrap();
            index.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        }),
        ("the last commit", |repo| drop(repo.git(["commit", "-q", "--allow-empty", "-m", "empty"]))),
        ("a merge that was begun", begin_merge),
    ];
    for (what, change) in changes {
        let repo = rich();
        let first = record(&repo);
        change(&repo);
        let second = record(&repo);
        assert_ne!(second.reference, first.reference, "{what}");
        assert_eq!((second.unchanged_millis, n_records(&repo)), (None, 2), "{what}");
        assert_holds_the_work_tree(&repo, &second);
    }
}

#[test]
fn a_record_that_is_not_whole_or_not_where_it_was_is_made_again() {
    type Damage = fn(&Repo, &str);
    let damages: [(&str, Damage); 3] = [
        ("its reference is gone", |repo, reference| drop(repo.git(["update-ref", "-d", reference]))),
        ("its reference was moved", |repo, reference| drop(repo.git(["update-ref", reference, "HEAD"]))),
        ("its contents are gone", |repo, reference| {
            repo.git(["update-ref", "-d", reference]);
            repo.git(["gc", "-q", "--prune=now"]);
        }),
    ];
    for (what, damage) in damages {
        let repo = rich();
        let first = record(&repo);
        damage(&repo, &first.reference);
        let second = rescuer(&repo).record(repo.path()).unwrap();
        assert_ne!(second.reference, first.reference, "{what}");
        assert_holds_the_work_tree(&repo, &second);
    }
}

#[test]
fn a_record_for_the_vault_is_made_whatever_there_is() {
    let repo = rich();
    let first = record(&repo);
    let order = RecordOrder { keep_in: KeepIn::RepositoryAndVault, ..RecordOrder::default() };
    let second = rescuer(&repo).record_ordered(repo.path(), order).unwrap();
    assert_ne!(second.reference, first.reference);
    assert!(second.vault.as_ref().is_some_and(|path| path.is_file()));
    // The newest record is reused, with its bundle.
    let third = record(&repo);
    assert_eq!((&third.reference, &third.vault), (&second.reference, &second.vault));
}
