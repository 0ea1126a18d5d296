//! A setting of the repository with a value for which git uses nothing of it: the work is saved, what is in the vault is
//! listed and given back, and the value is named as the reason.

use std::fs;

use closeout::model::{KeepIn, RecordNotice, RecordOrder, RecordState, RescueRecord};

use super::fixture::*;
use super::keep::list;
use crate::support::repo::Repo;

/// A setting, and a value for it that git does not take. Some calls of git look at it, others do not.
const BAD: [(&str, &str); 9] = [
    ("core.autocrlf", "nonsense"),
    ("core.ignorecase", "nonsense"),
    ("core.checkstat", "nonsense"),
    ("core.warnAmbiguousRefs", "nonsense"),
    ("core.commitGraph", "nonsense"),
    ("core.multiPackIndex", "nonsense"),
    ("core.useReplaceRefs", "nonsense"),
    ("index.version", "nonsense"),
    ("index.sparse", "nonsense"),
];

/// Asserts that the record is in the vault for this reason alone, and holds the work.
fn assert_saved(repo: &Repo, made: &RescueRecord, key: &str) {
    let told = made.notices.iter().find_map(|notice| {
        let RecordNotice::VaultOnly { reason } = notice else { return None };
        Some(reason.to_lowercase())
    });
    let told = told.unwrap_or_else(|| panic!("{key}: {made:?}"));
    assert!(told.contains("nonsense") && told.contains(&key.to_lowercase()), "{key}: {told}");
    let words = format!("{told} {:?}", made.gaps);
    assert!(!words.contains("HEAD names") && !words.contains("is missing"), "{key}: {words}");
    let into = repo.root().join(format!("into-{}", made.reference.id()));
    rescuer(repo)
        .restore(repo.path(), &made.reference, &into)
        .unwrap_or_else(|error| panic!("{key}: {error}"));
    for name in ["f", "new"] {
        assert_eq!(fs::read(into.join(name)).unwrap(), fs::read(repo.at(name)).unwrap(), "{key}");
    }
}

// S45
#[test]
fn work_is_saved_and_listed_whatever_value_a_setting_has() {
    for (key, value) in BAD {
        let repo = Repo::new();
        repo.switch("work").write("f", "1\n").commit("one");
        repo.write("f", "2\n").write("new", "3\n");
        let first = record(&repo);
        let config = fs::read(repo.at(".git/config")).unwrap();
        repo.git(["config", key, value]);
        let before = own_files(&repo);
        repo.write("new", "4\n");
        let made = rescuer(&repo).record(repo.path()).unwrap_or_else(|error| panic!("{key}: {error}"));
        assert_saved(&repo, &made, key);
        let again = rescuer(&repo).record(repo.path()).unwrap();
        assert!(again.unchanged_millis.is_some() && again.reference == made.reference, "{key}: made twice");
        repo.write("new", "5\n");
        let order = RecordOrder { keep_in: KeepIn::Vault, ..RecordOrder::default() };
        let asked = rescuer(&repo).record_ordered(repo.path(), order);
        assert!(asked.unwrap_or_else(|error| panic!("{key}: {error}")).vault.is_some());
        let shown = rescuer(&repo).plan(repo.path(), "m").unwrap_or_else(|error| panic!("{key}: {error}"));
        assert!(shown.refusal.is_some() && shown.targets.is_empty(), "{key}: {shown:?}");
        assert!(rescuer(&repo).commit(repo.path(), &shown).is_err(), "{key}");

        let listed = rescuer(&repo).list(repo.path()).unwrap_or_else(|error| panic!("{key}: {error}"));
        let is_there = |record: &RescueRecord, state| {
            listed.records.iter().any(|it| it.reference == record.reference && it.state == state)
        };
        assert!(is_there(&made, RecordState::VaultOnly), "{key}: {listed:?}");
        // The one in the repository is listed, or it is said why it is not.
        let told = listed.notices.iter().any(|notice| {
            matches!(notice, RecordNotice::NoRepository { reason, n_unseen: 1 } if reason.contains("nonsense"))
        });
        assert!(told || is_there(&first, RecordState::Kept), "{key}: {listed:?}");
        assert_eq!(own_files(&repo), before, "{key}");

        fs::write(repo.at(".git/config"), config).unwrap();
        let mended = list(&repo);
        assert!(!mended.is_damaged() && mended.records.len() >= 3, "{key}: {mended:?}");
        commit(&repo);
        rescuer(&repo).undo(repo.path()).unwrap();
    }
}

/// The bytes of HEAD, the branch and the index: git cannot be asked.
fn own_files(repo: &Repo) -> Vec<Option<Vec<u8>>> {
    let names = ["HEAD", "refs/heads/work", "index", "index.lock"];
    names.map(|name| fs::read(repo.git_dir().join(name)).ok()).to_vec()
}
