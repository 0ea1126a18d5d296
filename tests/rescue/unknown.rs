//! Records of somebody else: those of a closeout with another state folder, and what was only made to look like a record.

use std::fs;

use closeout::action::rescue::{RescueError, Rescuer};
use closeout::model::{RecordNotice, RecordRef, RecordState, RescueRecord};

use super::fixture::*;
use super::keep::list;
use crate::support::repo::Repo;

/// The same user with another state folder, as in a container.
fn elsewhere(repo: &Repo) -> Rescuer {
    Rescuer { state: repo.root().join("other-state"), ..rescuer(repo) }
}

fn states(rescuer: &Rescuer, repo: &Repo) -> Vec<(RecordRef, RecordState)> {
    let list = rescuer.list(repo.path()).unwrap();
    assert!(!list.is_damaged(), "{:?}", list.notices);
    let mut states: Vec<_> = list.records.into_iter().map(|it| (it.reference, it.state)).collect();
    states.sort_by(|a, b| a.0.cmp(&b.0));
    states
}

fn sorted<const N: usize>(mut states: [(&RescueRecord, RecordState); N]) -> Vec<(RecordRef, RecordState)> {
    states.sort_by(|a, b| a.0.reference.cmp(&b.0.reference));
    states.map(|(record, state)| (record.reference.clone(), state)).to_vec()
}

#[test]
fn the_records_of_two_state_folders_are_no_damage_to_each_other() {
    let repo = rich();
    let ours = record(&repo);
    repo.write("later", "1\n");
    let theirs = elsewhere(&repo).record(repo.path()).unwrap();
    for (rescuer, known, unknown) in [(rescuer(&repo), &ours, &theirs), (elsewhere(&repo), &theirs, &ours)] {
        let expected = sorted([(known, RecordState::Kept), (unknown, RecordState::OfAnother)]);
        assert_eq!(states(&rescuer, &repo), expected);
    }
    // One whose state folder was lost finds all of them.
    fs::remove_dir_all(repo.root().join("other-state")).unwrap();
    let expected = sorted([(&ours, RecordState::OfAnother), (&theirs, RecordState::OfAnother)]);
    assert_eq!(states(&elsewhere(&repo), &repo), expected);
}

/// A record of which only the reference is whole, whatever branches hold of it.
#[test]
fn a_record_that_lacks_a_content_is_lost_although_its_reference_stays() {
    for is_in_branch in [false, true] {
        let repo = rich();
        repo.write("only", "in the first\n");
        let lost = record(&repo);
        if is_in_branch {
            repo.commit("all of it");
        }
        repo.write("only", "in the second\n").stage("only");
        let kept = record(&repo);
        let both = sorted([(&lost, RecordState::Kept), (&kept, RecordState::Kept)]);
        assert_eq!(states(&rescuer(&repo), &repo), both);
        unpack(&repo);
        remove_object(&repo, &repo.git(["rev-parse", &format!("{}:only", lost.snapshot)]));
        let found = list(&repo);
        assert_eq!(found.notices, [RecordNotice::Lost { reference: lost.reference.clone() }]);
        for record in &found.records {
            let is_lost = record.reference == lost.reference;
            assert_eq!(record.state, if is_lost { RecordState::Lost } else { RecordState::Kept });
        }
        // What is left of it can still be taken out.
        let restore = |paths: &[Vec<u8>], name: &str| {
            rescuer(&repo).restore_paths(repo.path(), &lost.reference, paths, &repo.root().join(name))
        };
        assert!(matches!(restore(&[], "all"), Err(RescueError::Damage(_))));
        assert_eq!(restore(&[b"new".to_vec()], "part").unwrap(), 1);
    }
}

/// Has every object in a file of its own.
fn unpack(repo: &Repo) {
    let packs = repo.git_dir().join("objects/pack");
    let aside = repo.root().join("packs");
    fs::rename(&packs, &aside).unwrap();
    fs::create_dir(&packs).unwrap();
    for name in files_below(&aside).iter().filter(|name| name.contains(".pack")) {
        let script = repo.script("unpack", &format!("exec git unpack-objects -q <{name}"));
        repo.git(["-c", &format!("alias.unpack=!{}", script.display()), "unpack"]);
    }
}

fn object(repo: &Repo, id: &str) -> std::path::PathBuf {
    repo.git_dir().join("objects").join(&id[..2]).join(&id[2..])
}

fn remove_object(repo: &Repo, id: &str) {
    fs::remove_file(object(repo, id)).unwrap();
}
